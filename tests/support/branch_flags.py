#!/usr/bin/env python3
"""Changes branches in a perf.data: branch_flags.py FORM IN OUT

untyped        none has a type
untyped N      those of every N-th sample have, others have none
mispredicted   every seventh was mispredicted
"""
import struct
import sys

FIXED = 1 << 16 | 1 | 2 | 4 | 8 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9  # eight bytes each, before the stack
TYPE, MISPREDICTED, PREDICTED = 0xf << 20, 1, 2


def places(data):
    """(the number of the sample, that of the branch, where its flags are)"""
    at, size = struct.unpack_from('<QQ', data, 40)
    attr, = struct.unpack_from('<Q', data, 24)
    kinds, = struct.unpack_from('<Q', data, attr + 24)
    stack = 8 + 8 * bin(kinds & FIXED).count('1')
    end, samples, branches = at + size, 0, 0
    while at < end:
        kind, _, length = struct.unpack_from('<IHH', data, at)
        if kind == 9:
            samples += 1
            count, = struct.unpack_from('<Q', data, at + stack)
            for i in range(count):
                branches += 1
                yield samples, branches, at + stack + 24 + 24 * i
        at += length


def main(form, *arguments):
    keep = int(arguments[0]) if len(arguments) == 3 else 0
    with open(arguments[-2], 'rb') as file:
        data = bytearray(file.read())
    for sample, branch, place in places(data):
        flags, = struct.unpack_from('<Q', data, place)
        if form == 'untyped' and (not keep or sample % keep):
            flags &= ~TYPE
        if form == 'mispredicted' and branch % 7 == 0:
            flags = flags & ~PREDICTED | MISPREDICTED
        struct.pack_into('<Q', data, place, flags)
    with open(arguments[-1], 'wb') as file:
        file.write(data)


main(*sys.argv[1:])
