#!/usr/bin/env python3
"""Changes types of branches in a perf.data: branch_types.py none IN OUT    removes them all
branch_types.py every N IN OUT    removes them of all samples but every N-th"""
import struct
import sys

FIXED = 1 << 16 | 1 | 2 | 4 | 8 | 1 << 6 | 1 << 9 | 1 << 7 | 1 << 8  # eight bytes each, before the stack
TYPE = 0xf << 20


def main(form, *arguments):
    keep = int(arguments[0]) if form == 'every' else 0
    source, target = arguments[-2:]
    with open(source, 'rb') as file:
        data = bytearray(file.read())
    at, size = struct.unpack_from('<QQ', data, 40)
    attr, = struct.unpack_from('<Q', data, 24)
    kinds, = struct.unpack_from('<Q', data, attr + 24)
    stack = 8 + 8 * bin(kinds & FIXED).count('1')
    end, samples = at + size, 0
    while at < end:
        kind, _, length = struct.unpack_from('<IHH', data, at)
        if kind == 9:
            samples += 1
            count, = struct.unpack_from('<Q', data, at + stack)
            for place in range(at + stack + 24, at + stack + 24 + 24 * count, 24):
                flags, = struct.unpack_from('<Q', data, place)
                if not keep or samples % keep:
                    struct.pack_into('<Q', data, place, flags & ~TYPE)
        at += length
    with open(target, 'wb') as file:
        file.write(data)


main(*sys.argv[1:])
