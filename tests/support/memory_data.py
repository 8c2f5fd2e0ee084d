#!/usr/bin/env python3
"""Makes a recording of loads: memory_data.py BINARY BASE OUT CODE:DATA...

CODE and DATA are vaddrs, or SYMBOL+OFFSET, of the binary, which a process maps at BASE; one that begins with @ is an
address of the process.  As perf record -e cpu/mem-loads,ldlat=30/P -d writes it; there is a second event without data.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../scripts'))
import perf_data_writer  # noqa: E402
from bat_reader import Elf  # noqa: E402

ADDR = 8


class Loads(perf_data_writer.PerfData):
    def __init__(self, path, events):
        super().__init__(path, events, branches=False)
        for i, attr in enumerate(self.attrs):
            kind, = struct.unpack_from('<Q', attr, 24)
            self.attrs[i] = attr[:24] + struct.pack('<Q', kind | ADDR) + attr[32:]
            self.file.seek(perf_data_writer.HEADER + 144 * i)
            self.file.write(self.attrs[i])
        self.file.seek(self.start)

    def load(self, time, pid, ip, data, event=0):
        number = struct.pack('<Q', event + 1)
        self._record(perf_data_writer.SAMPLE, perf_data_writer.USER,
                     number + struct.pack('<QIIQQQ', ip, pid, pid, time, data, 1000))


def main(binary, base, out, *pairs):
    base = int(base, 16)
    symbols = symbols_of(binary)

    def place(word):
        if word[0] == '@':
            return int(word[1:], 16)
        name, _, offset = word.partition('+')
        return base + symbols.get(name, int(name, 16) if name not in symbols else 0) + int(offset or '0', 16)
    file = Loads(out, ('cpu/mem-loads,ldlat=30/Pu', 'cycles:u'))
    path = '/srv/demo/' + os.path.basename(binary)
    file.comm(10, 7, os.path.basename(binary))
    segments, _ = perf_data_writer.code_segments(binary)
    for vaddr, offset, size in segments:
        file.mmap(20, 7, base + vaddr, size, offset, path)
    for i, pair in enumerate(pairs):
        code, data = pair.split(':')
        file.load(100 + i, 7, place(code), place(data))
    file.load(1000, 7, place(pairs[0].split(':')[0]), 0, event=1)
    file.close()


def symbols_of(binary):
    elf = Elf(binary)
    head = elf.sections['.symtab']
    names = elf.sections['.strtab'][4]
    found = {}
    for name, _, _, section, value, _ in struct.iter_unpack('<IBBHQQ', elf.data[head[4]:head[4] + head[5]]):
        text = elf.data[names + name:elf.data.index(b'\0', names + name)].decode()
        if section and text:
            found.setdefault(text, value)
    return found


main(*sys.argv[1:])
