#!/usr/bin/env python3
"""A program and its recording as a kernel and its recording.

kernel.py elf BATCONV PROGRAM KERNEL [SYMBOL]     PROGRAM, position-independent, at a kernel's addresses; SYMBOL: _text
kernel.py data KERNEL DATA OUT MOVED [FORM...]    DATA, of PROGRAM (traces-to-perf-data.py), recorded when it was so far away
kernel.py text KERNEL DATA OUT MOVED [FORM...]    the same as text of perf script

The code is relative, so that the profile of the kernel must be that of the program.  FORM: none (no mapping of the kernel),
hidden (with the address 0), stext (given by another symbol), nosymbol, guest (a guest's kernel next to it, elsewhere),
modules (two, and samples in them), late (given after the samples), odd (where no kernel can be), mmap2,
id=HEX (that too, with its build-id), table=HEX (a build-id table that has it), plain (addresses without stacks), user (all samples in a process)
"""
import json
import os
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '../../scripts'), HERE]
from made_perf_data import Recording, write  # noqa: E402
from perf_data_writer import GUEST_KERNEL, KERNEL, MMAP2, NO_PID, SAMPLE, PerfData, padded  # noqa: E402

BEGIN = {62: 0xffffffff81000000, 183: 0xffff800008000000}
RELATIVE = {62: (8, 37), 183: (1027, 1032)}
MODULES = (0xffffffffc0100000, 'ext4', '/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz'), \
          (0xffffffffc0200000, 'nf_tables', '[nf_tables]')
MODULE_SIZE = 0x8000


class Elf:
    def __init__(self, path):
        with open(path, 'rb') as file:
            self.data = bytearray(file.read())
        self.machine, = struct.unpack_from('<H', self.data, 18)
        self.segments_at, self.sections_at = struct.unpack_from('<QQ', self.data, 32)
        self.segment_count, _, self.section_count, self.names = struct.unpack_from('<4H', self.data, 56)

    def segments(self):
        for i in range(self.segment_count):
            at = self.segments_at + 56 * i
            yield at, list(struct.unpack_from('<IIQQQQQQ', self.data, at))

    def sections(self):
        for i in range(self.section_count):
            at = self.sections_at + 64 * i
            yield at, list(struct.unpack_from('<IIQQQQIIQQ', self.data, at))

    def name(self, head):
        strings = list(self.sections())[self.names][1][4] + head[0]
        return bytes(self.data[strings:self.data.index(b'\0', strings)]).decode()

    def code(self):
        """Where its code begins, and how large that is."""
        found = [head for _, head in self.segments() if head[0] == 1 and head[1] & 1]
        return found[0][3], found[-1][3] + found[-1][6] - found[0][3]


def moved_table(batconv, program, away):
    """The section of BOLT's table, if there is one: it holds addresses."""
    done = subprocess.run([batconv, 'dump', '--json', program], capture_output=True)
    if done.returncode:
        return None
    table = json.loads(done.stdout)
    for fragment in table['fragments']:
        for key in {'address', 'function', 'parent'} & set(fragment):
            if fragment[key].startswith('0x'):
                fragment[key] = hex(int(fragment[key], 16) + away)
    return subprocess.run([batconv, 'encode', '-'], input=json.dumps(table).encode(), capture_output=True, check=True).stdout


def append(elf, at, head, data):
    """Gives a section other bytes, at the end of the file."""
    elf.data += bytes(-len(elf.data) % 16)
    head[4:6] = len(elf.data), len(data)
    struct.pack_into('<IIQQQQIIQQ', elf.data, at, *head)
    elf.data += data


def move_symbols(elf, away, symbol):
    heads = list(elf.sections())
    begin, _ = elf.code()
    for at, head in heads:
        if head[1] not in (2, 11):
            continue
        table = bytearray(elf.data[head[4]:head[4] + head[5]])
        for i in range(24, len(table), 24):
            section, value = struct.unpack_from('<HQ', table, i + 6)
            if section and value and (section >= 0xff00 or heads[section][1][2] & 2):
                struct.pack_into('<Q', table, i + 8, value + away & (1 << 64) - 1)
        if head[1] == 11 or symbol is None:
            elf.data[head[4]:head[4] + head[5]] = table
            continue
        strings_at, strings = heads[head[6]]
        names = bytes(elf.data[strings[4]:strings[4] + strings[5]])
        code = next(i for i, (_, one) in enumerate(heads) if one[2] & 4 and one[3] >= begin)
        table += struct.pack('<IBBHQQ', len(names), 0x10, 0, code, begin, 0)
        append(elf, strings_at, strings, names + symbol.encode() + b'\0')
        append(elf, at, head, table)


def move_relocations(elf, away):
    for _, head in elf.sections():
        if head[1] != 4:
            continue
        for at in range(head[4], head[4] + head[5], 24):
            place, kind, _, addend = struct.unpack_from('<QIIq', elf.data, at)
            struct.pack_into('<Q', elf.data, at, place + away)
            if kind in RELATIVE[elf.machine]:
                struct.pack_into('<Q', elf.data, at + 16, addend + away & (1 << 64) - 1)


def make_elf(batconv, program, kernel, symbol='_text'):
    elf = Elf(program)
    away = BEGIN[elf.machine]
    table = moved_table(batconv, program, away)
    struct.pack_into('<H', elf.data, 16, 2)
    struct.pack_into('<Q', elf.data, 24, struct.unpack_from('<Q', elf.data, 24)[0] + away)
    for at, head in elf.segments():
        struct.pack_into('<QQ', elf.data, at + 16, head[3] + away, head[4] + away)
        if head[0] in (2, 3):
            struct.pack_into('<I', elf.data, at, 0)
    for at, head in elf.sections():
        if head[2] & 2:
            struct.pack_into('<Q', elf.data, at + 16, head[3] + away)
    move_relocations(elf, away)
    move_symbols(elf, away, None if symbol == 'none' else symbol)
    for at, head in elf.sections():
        if elf.name(head) == '.note.bolt_bat':
            append(elf, at, head, table)
    write(kernel, elf.data)


class Moved:
    """Samples of a recording by PerfData, as if run in a kernel."""

    def __init__(self, kernel, data, moved):
        self.elf, self.moved = Elf(kernel), moved
        self.begin, self.size = self.elf.code()
        away = BEGIN[self.elf.machine] + moved
        recording = Recording(data)
        maps = [struct.unpack_from('<QQQ', one, 16) for kind, one in recording.records if kind == MMAP2]
        base = min(start - start % 4096 for start, _, _ in maps)
        first = self.begin - BEGIN[self.elf.machine]
        base -= first & ~4095
        end = base + first + self.size + 8192
        self.samples = []

        def move(address):
            return address - base + away if base <= address < end else address
        for kind, one in recording.records:
            if kind == SAMPLE:
                ip, pid, time = struct.unpack_from('<QI4xQ', one, 8)
                count, = struct.unpack_from('<Q', one, 40)
                stack = [struct.unpack_from('<QQQ', one, 48 + 24 * i) for i in range(count)]
                self.samples.append((time, pid, move(ip), [(move(a), move(b), flags) for a, b, flags in stack]))

    def mappings(self, forms):
        """(start, size, offset, name, misc, pid)"""
        at = self.begin + self.moved
        guest = (at + 0x40000000, self.size, at + 0x40000000)
        if 'guest' in forms:
            yield *guest, '[guest.kernel.kallsyms.77]_text', GUEST_KERNEL, 77
            yield *guest, '[guest.kernel.kallsyms]_text', GUEST_KERNEL, NO_PID
        if 'hidden' in forms:
            yield 0, self.size, 0, '[kernel.kallsyms]_text', KERNEL, NO_PID
        elif 'odd' in forms:
            yield at + 0x1000, self.size, at + 0x1000, '[kernel.kallsyms]_text', KERNEL, NO_PID
        elif 'none' not in forms:
            name = '' if 'nosymbol' in forms else '_stext' if 'stext' in forms else '_text'
            yield at, self.size, at, '[kernel.kallsyms]' + name, KERNEL, NO_PID
        if 'modules' in forms:
            for start, _, path in MODULES:
                yield start, MODULE_SIZE, 0, path, KERNEL, NO_PID

    def all_samples(self, forms):
        for time, pid, ip, stack in self.samples:
            if 'user' in forms:
                ip, stack = 0x401000, [(0x401010, 0x401000, 2)]
            if 'plain' not in forms:
                yield time, pid, ip, stack
            for source, _, _ in stack if 'plain' in forms else ():
                yield time, pid, source, stack
        if 'modules' in forms:
            for i, (start, _, _) in enumerate(MODULES):
                for k in range(3 - i):
                    yield self.samples[-1][0] + 1 + k, 7, start + 16 * k, [(start + 0x100, start + 16 * k, 2)]


def add_map(perf, one, build_id):
    start, size, offset, name, misc, pid = one
    if build_id is None:
        perf.mmap_kernel(start, size, offset, name, misc, pid)
        return
    id = bytes.fromhex(build_id) if build_id else bytes(20)
    where = struct.pack('<B3x20s', 20, id) if build_id else bytes(24)
    perf._record(MMAP2, misc | (1 << 14 if build_id else 0),
                 struct.pack('<IIQQQ', pid, 0, start, size, offset) + where + struct.pack('<II', 5, 2) + padded(name, 8) + bytes(16))


def data(kernel, source, out, moved, *forms):
    found = Moved(kernel, source, int(moved, 0))
    perf = PerfData(out, branches='plain' not in forms)
    ids = [form[3:] for form in forms if form.startswith('id=')] + ([''] if 'mmap2' in forms else [])
    maps = list(found.mappings(forms))
    for form in forms:
        if form.startswith('table='):
            perf.build_id('[kernel.kallsyms]', bytes.fromhex(form[6:]), KERNEL)
    if 'late' not in forms:
        for one in maps:
            add_map(perf, one, ids[0] if ids else None)
    for time, pid, ip, stack in found.all_samples(forms):
        more = b''
        if 'plain' not in forms:
            more = struct.pack('<Q', len(stack)) + b''.join(struct.pack('<QQQ', *entry) for entry in stack)
        perf._sample(time, pid, ip, 0, more)
    if 'late' in forms:
        for one in maps:
            add_map(perf, one, None)
    perf.close()


def text(kernel, source, out, moved, *forms):
    found = Moved(kernel, source, int(moved, 0))
    lines = []
    ids = [form[3:] for form in forms if form.startswith('id=')]
    maps = []
    for start, size, offset, name, _, pid in found.mappings(forms):
        where = (-1 if pid == NO_PID else pid, start, size, offset)
        if ids:
            maps.append('    0 PERF_RECORD_MMAP2 %d/0: [%#x(%#x) @ %#x <%s>]: r-xp %s\n' % (*where, ids[0], name))
        else:
            maps.append('    0 PERF_RECORD_MMAP %d/0: [%#x(%#x) @ %#x]: x %s\n' % (*where, name))
    for _, pid, ip, stack in found.all_samples(forms):
        if 'plain' in forms:
            lines.append(' %d cycles: %x\n' % (pid, ip))
        else:
            lines.append(' %d %x %s\n' % (pid, ip, ' '.join('%#x/%#x/%s/-/-/0' % (a, b, 'M' if flags & 1 else 'P')
                                                          for a, b, flags in stack)))
    write(out, ''.join(lines + maps if 'late' in forms else maps + lines).encode())


if __name__ == '__main__':
    {'elf': make_elf, 'data': data, 'text': text}[sys.argv[1]](*sys.argv[2:])
