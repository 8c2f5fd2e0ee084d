#!/usr/bin/env python3
"""Makes a kernel of two functions and a recording of it: vmlinux.py BINARY DATA

    ffffffff81001000 leaf:  ... 1b ret
    ffffffff81001020 loop:  4 jle 2e; 10 ...; 15 call leaf; 1a ...; 2c jne 10; 2e ret
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../scripts'))
import perf_data_writer  # noqa: E402

TEXT = 0xffffffff81001000
CODE = bytes.fromhex('69c7abaaaaaa' '8d143f' '83c701' '05aaaaaa2a' '3d55555555' '89d0' '0f42c7' 'c3' '0f1f4000'
                     '89fe' '85ff' '7e28' '31c9' '0f1f840000000000'
                     '89cf' '83c101' 'e8c6ffffff' '89c2' '8b05be1f0000' '01d0' '8905b61f0000' '39ce' '75e2' 'c3')


def elf():
    names = b'\0leaf\0loop\0'
    symbols = bytes(24) + b''.join(struct.pack('<IBBHQQ', name, 0x12, 0, 1, TEXT + at, size)
                                   for name, at, size in ((1, 0, 0x1c), (6, 0x20, 0x2f)))
    sections = b'\0.text\0.symtab\0.strtab\0'
    parts = [(CODE, 4096)]
    for part in (symbols, names, sections):
        parts.append((part, parts[-1][1] + (len(parts[-1][0]) + 7 & ~7)))
    heads_at = parts[-1][1] + 64
    head = b'\x7fELF\2\1\1' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 2, 62, 1, TEXT, 64, heads_at, 0, 64, 56, 1, 64, 5, 4)
    load = struct.pack('<IIQQQQQQ', 1, 5, 4096, TEXT, TEXT, len(CODE), len(CODE), 4096)
    kinds = ((1, 1, 6, TEXT, 0, 0), (7, 2, 0, 0, 3, 24), (15, 3, 0, 0, 0, 0), (15, 3, 0, 0, 0, 0))
    heads = bytes(64)
    for (name, kind, flags, address, link, each), (part, at) in zip(kinds, parts):
        heads += struct.pack('<IIQQQQIIQQ', name, kind, flags, address, at, len(part), link, 1, 8, each)
    file = bytearray(heads_at) + heads
    for part, at in [(head + load, 0)] + parts:
        file[at:at + len(part)] = part
    return file


def record(path):
    data = perf_data_writer.PerfData(path, ('branches',))
    loop = TEXT + 0x20
    call, back, leave = (loop + 0x15, TEXT, 0), (TEXT + 0x1b, loop + 0x1a, 0), (loop + 0x2c, loop + 0x10, 1)
    for time, pid in enumerate((7, 0, 8)):
        data.sample(100 + time, pid, [leave, back, call, leave])
    data.sample(200, 9, [leave, (0x401000, loop, 0), (loop + 0x2e, 0x7f00, 0)])  # from a process, and back to it
    data.close()


def main(binary, data):
    with open(binary, 'wb') as file:
        file.write(elf())
    record(data)


main(*sys.argv[1:])
