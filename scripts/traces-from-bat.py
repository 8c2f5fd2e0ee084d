#!/usr/bin/env python3
"""Plausible distinct traces for any binary with a .note.bolt_bat, as llvm-bolt's pre-aggregated text.

traces-from-bat.py BINARY [--distinct N] [--total N] [--seed N] [--no-fall-throughs] >OUT

Every BAT layout is read.  Branches start at the table's branch entries and lead to block entries of the same input
function, to the starts of functions (T), or back behind a call (R; one branch entry in 16 is set apart for these).
A trace ends at a later branch entry of the fragment that it was led to; without one it is a B line.  Some lines are
bare fall-throughs (F).  No two lines name the same trace.  Counts are skewed: few traces have most of the total.
Cold parents are taken as stored, which is wrong for what LLVM 18 wrote.  Equal arguments give equal output.
"""
import argparse
import bisect
import random
import struct
import sys

M64, M32 = (1 << 64) - 1, (1 << 32) - 1


class Bad(Exception):
    pass


class Elf:
    def __init__(self, path):
        self.data = data = open(path, 'rb').read()
        if data[:6] != b'\x7fELF\2\1':
            sys.exit(path + ': not a little-endian 64-bit ELF file')
        self.machine, = struct.unpack_from('<H', data, 18)
        at, = struct.unpack_from('<Q', data, 40)
        number, names = struct.unpack_from('<HH', data, 60)
        heads = [struct.unpack_from('<IIQQQQIIQQ', data, at + 64 * i) for i in range(number)]
        strings = heads[names][4]
        self.sections = {}
        for h in heads:
            name = data[strings + h[0]:data.index(b'\0', strings + h[0])].decode()
            self.sections[name] = h
        self.code = [(h[3], h[3] + h[5], h[4]) for h in heads if h[1] == 1 and h[2] & 4]
        self.functions = {}  # address -> size
        if '.symtab' in self.sections:
            h = self.sections['.symtab']
            for _, info, _, shndx, value, size in struct.iter_unpack('<IBBHQQ', data[h[4]:h[4] + h[5]]):
                if info & 15 in (2, 10) and 0 < shndx < 0xff00:
                    self.functions[value] = max(size, self.functions.get(value, 0))

    def note(self):
        h = self.sections.get('.note.bolt_bat')
        if not h:
            sys.exit('the binary has no .note.bolt_bat')
        namesz, descsz = struct.unpack_from('<II', self.data, h[4])
        start = h[4] + 12 + (namesz + 3 & ~3)
        return self.data[start:start + descsz]

    def bytes_at(self, address, n):
        for start, end, offset in self.code:
            if start <= address < end:
                return self.data[offset + address - start:offset + min(address + n, end) - start]
        return b''


def read_fixed(b):
    at = 4
    number, = struct.unpack_from('<I', b, 0)
    fragments = []
    for _ in range(number):
        address, entries = struct.unpack_from('<QI', b, at)
        at += 12
        if entries * 8 > len(b) - at:
            raise Bad
        fragments.append((address, None, [(o, i >> 31) for o, i in struct.iter_unpack('<II', b[at:at + 8 * entries])]))
        at += 8 * entries
    cold, = struct.unpack_from('<I', b, at)
    at += 4
    if at + 16 * cold != len(b):
        raise Bad
    parents = dict(struct.iter_unpack('<QQ', b[at:]))
    return [(a, parents.get(a), e) for a, _, e in fragments]


def read_leb(b, equal_hot, equal_cold, hashes):
    at = 0

    def uleb():
        nonlocal at
        value = shift = 0
        while True:
            byte = b[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & M64
            if shift > 63:
                raise Bad

    def sleb():
        nonlocal at
        value = shift = 0
        while True:
            byte = b[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if byte & 64 else value
            if shift > 70:
                raise Bad

    fragments, running = [], 0
    for cold in (False, True):
        index = 0
        number = uleb()
        if number > len(b) - at:
            raise Bad
        for _ in range(number):
            address = running = running + uleb() & M64
            skew = secondary = 0
            parent = None
            if cold:
                index = index + uleb() & M64
                if index >= len(fragments):
                    raise Bad
                parent = fragments[index][0]
                if hashes:
                    skew = uleb()
            else:
                if hashes:
                    at += 8
                    uleb()
                    secondary = uleb()
            entries = uleb()
            if entries > len(b) - at:
                raise Bad
            same = uleb() if (equal_cold if cold else equal_hot) else 0
            if same > entries:
                raise Bad
            mask = b[at:at + (same + 7) // 8]
            at += len(mask)
            value, table = 0, []
            for j in range(entries):
                running = running + uleb() & M64
                offset = running - address & M32
                if j < same:
                    value = (offset + skew) << 1 | mask[j >> 3] >> (j & 7) & 1
                else:
                    value = value + sleb() & M64
                if hashes and not value & 1:
                    at += 8
                    uleb()
                table.append((offset, value & 1))
            for _ in range(secondary):
                uleb()
            fragments.append((address, parent, table))
    if at != len(b):
        raise Bad
    return fragments


def read_bat(b):
    readers = [('hashed', lambda: read_leb(b, True, True, True)), ('delta', lambda: read_leb(b, False, False, False)),
               ('equal', lambda: read_leb(b, True, False, False)), ('fixed', lambda: read_fixed(b))]
    for name, reader in readers:
        try:
            return name, reader()
        except (Bad, IndexError, struct.error):
            pass
    sys.exit('unrecognised BAT layout')


def after_call(elf, address):
    """The address behind a call instruction, or None."""
    code = elf.bytes_at(address, 4)
    if elf.machine == 62:
        return address + 5 if code[:1] == b'\xe8' else None
    if len(code) < 2:
        return None
    half = int.from_bytes(code[:2], 'little')
    word = int.from_bytes(code, 'little')
    if elf.machine == 183:
        return address + 4 if word >> 26 == 0x25 or word & 0xfffffc1f == 0xd63f0000 else None
    if elf.machine == 243:
        if half & 3 != 3:
            return address + 2 if half & 0xf07f == 0x9002 and half & 0xf80 else None
        return address + 4 if word & 0xfff in (0xef, 0xe7) else None
    return None


def main():
    options = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    options.add_argument('binary')
    options.add_argument('--distinct', type=int, default=1000, help='lines (1000)')
    options.add_argument('--total', type=int, default=0, help='about the sum of all counts (20 per line)')
    options.add_argument('--seed', type=int, default=1)
    options.add_argument('--no-fall-throughs', action='store_true', help='no F lines')
    arg = options.parse_args()
    elf = Elf(arg.binary)
    layout, fragments = read_bat(elf.note())
    rng = random.Random(arg.seed)

    blocks, ends, family, sources = [], [], {}, []  # by fragment: sorted addresses
    for number, (address, parent, table) in enumerate(fragments):
        size = elf.functions.get(address) or 1 << 31
        blocks.append(sorted({address + o for o, branch in table if not branch and o < size}))
        ends.append(sorted({address + o for o, branch in table if branch and o < size}))
        family.setdefault(parent or address, []).append(number)
        sources.extend((a, number) for a in ends[-1])
    if not sources:
        sys.exit('the table has no branch entries')
    home = {}
    for parent, members in family.items():
        places = [(number, a) for number in members for a in blocks[number]]
        for number in members:
            home[number] = places
    place_of = {address: number for number, (address, _, _) in enumerate(fragments)}
    cold = {a for a, parent, _ in fragments if parent}
    starts = sorted(a for a in set(elf.functions) | set(place_of) if a not in cold)
    returns = []
    for a, number in sources:
        back = after_call(elf, a)
        if back:
            returns.append((number, back))

    # One R line makes its branch a return on every line, so some entries are set apart as returns.
    rng.shuffle(sources)
    back_from = sources[:(len(sources) + 15) // 16] if returns else []
    if len(sources) > len(back_from):
        sources = sources[len(back_from):]
    seen, out, misses = set(), [], 0
    pick = rng.random
    NONE = 0
    while len(out) < arg.distinct:
        if misses > 200000:
            print('only %d distinct traces found' % len(out), file=sys.stderr)
            break
        branch, number = sources[int(pick() * len(sources))]
        kind = pick()
        letter = 'T'
        if kind < 0.2:
            target = starts[int(pick() * len(starts))]
            there = place_of.get(target)
        elif kind < 0.35 and returns:
            branch, number = back_from[int(pick() * len(back_from))]
            there, target = returns[int(pick() * len(returns))]
            letter = 'R'
        else:
            places = home[number]
            if not places:
                misses += 1
                continue
            there, target = places[int(pick() * len(places))]
            if kind > 0.92 and not arg.no_fall_throughs:
                letter, branch = 'F', NONE
        end = NONE
        if there is not None and kind < 0.9 or letter == 'F':
            late = ends[there]
            first = bisect.bisect_left(late, target)
            if first < len(late):  # mostly the next few, now and then far away
                reach = len(late) - first
                end = late[first + int(pick() ** 3 * reach)]
        if end == NONE:
            if letter != 'T':
                misses += 1
                continue
            letter = 'B'
        key = (branch, target, end, letter)
        if key in seen:
            misses += 1
            continue
        misses = 0
        seen.add(key)
        out.append(key)
    counts = [min(int(rng.paretovariate(0.9)), 1000000) for _ in out]
    scale = (arg.total or 20 * len(out)) / (sum(counts) or 1)
    write = sys.stdout.write
    for first in range(0, len(out), 65536):
        lines = []
        for (branch, target, end, letter), count in zip(out[first:first + 65536], counts[first:first + 65536]):
            count = max(1, round(count * scale))
            if letter == 'F':
                lines.append('F %x %x %d\n' % (target, end, count))
            elif letter == 'B':
                lines.append('B %x %x %d %d\n' % (branch, target, count, branch * 7 % 5 == 0 and count // 8))
            else:
                lines.append('%s %x %x %x %d\n' % (letter, branch, target, end, count))
        write(''.join(lines))
    print('%s: BAT layout %s, %d fragments, %d branch entries; %d distinct traces' % (
        arg.binary, layout, len(fragments), len(sources), len(out)), file=sys.stderr)


main()
