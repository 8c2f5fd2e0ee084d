#!/usr/bin/env python3
"""Damages single bytes of .eh_frame, .eh_frame_hdr and .gcc_except_table of BOLTed binaries, and asks whether `verify --unwind` finds it:

    mutants.py [--count=N] [--seed=N] [--part=/N]

A byte is drawn from all bytes of the three sections, and another value for it. A second reader of these sections, below, which shares nothing with batconv, says what
an unwinder would find: rules at each instruction that runs, and where the exceptions of each call continue. If that is the same as before, the mutant is equivalent, and counted by its reason;
all others must be findings. --part=/N: every Nth mutant, another choice for each commit.
"""
import argparse
import bisect
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from damage import Cursor, Damaged, chosen, sections  # noqa: E402

BATCONV, INPUTS, SOURCE = os.environ['BATCONV'], os.environ['INPUTS'].rstrip('/'), os.environ['SOURCE']
PAIRS = [(SOURCE + '/inputs/demo/demo', SOURCE + '/inputs/demo/demo.bolt'), (INPUTS + '/moved/moved', INPUTS + '/moved/moved.p0'),
         (INPUTS + '/aarch64/demo', INPUTS + '/aarch64/demo.b22'), (INPUTS + '/folded/cx', INPUTS + '/folded/cx.p1')]
SECTIONS = ('.eh_frame', '.eh_frame_hdr', '.gcc_except_table')


class Pointers(Cursor):
    """Bytes that are loaded, with pointers among them."""
    def __init__(self, data, at, end, address):
        super().__init__(data, at, end)
        self.delta = address - at

    def pointer(self, encoding, base=0):
        """None: no pointer."""
        if encoding == 0xff:
            return None
        here, form = self.at + self.delta, encoding & 15
        if form in (1, 9):
            value = self.leb(form == 9)
        else:
            forms = {0: '<Q', 2: '<H', 3: '<I', 4: '<Q', 10: '<h', 11: '<i', 12: '<q'}
            if form not in forms:
                raise Damaged('pointer')
            value = self.take(forms[form])
        if not value:
            return 0
        relative = {0: 0, 0x10: here, 0x30: base}
        if encoding & 0x70 not in relative:
            raise Damaged('pointer')
        return value + relative[encoding & 0x70] & (1 << 64) - 1


class Elf:
    def __init__(self, data):
        self.data = data
        self.machine, = struct.unpack_from('<H', data, 18)
        phoff, = struct.unpack_from('<Q', data, 32)
        phnum, = struct.unpack_from('<H', data, 56)
        self.segments = [struct.unpack_from('<IIQQQQQQ', data, phoff + 56 * i) for i in range(phnum)]
        self.sections = sections(data)

    def cursor(self, address, size=1 << 40):
        for kind, _, offset, vaddr, _, filesz, _, _ in self.segments:
            if kind == 1 and vaddr <= address < vaddr + filesz:
                at = offset + address - vaddr
                return Pointers(self.data, at, min(offset + filesz, at + size), address)
        raise Damaged('address')


def read_cie(elf, address):
    c = elf.cursor(address)
    length = c.take('<I')
    if length in (0, 0xffffffff):
        raise Damaged('length')
    c.end = min(c.end, c.at + length)
    if c.take('<I'):
        raise Damaged('no CIE')
    version, augmentation = c.take('<B'), c.string().decode('latin-1')
    if version not in (1, 3) or augmentation[:1] not in ('', 'z'):
        raise Damaged('version')
    cie = {'code': c.leb(), 'data': c.leb(True), 'ra': c.take('<B') if version == 1 else c.leb(), 'R': 0, 'L': 0xff, 'P': None, 'z': bool(augmentation)}
    if augmentation:
        end = c.leb() + c.at
        for letter in augmentation[1:]:
            if letter == 'R':
                cie['R'] = c.take('<B')
            elif letter == 'L':
                cie['L'] = c.take('<B')
            elif letter == 'P':
                encoding = c.take('<B')
                cie['P'] = encoding & 0x80, c.pointer(encoding & 0x7f)
            elif letter not in 'SBG':
                raise Damaged('augmentation')
        c.at = end
    cie['program'] = c
    return cie


def evaluate(fde, machine):
    """[(address, row)]; a row is (cfa, {register: rule})."""
    cie, rows = fde['cie'], []
    state, stack, initial = [None, {}], [], {}
    at = fde['start']

    def run(c, begin):
        nonlocal at, state
        while c.at < c.end:
            op = c.take('<B')
            high, low = op & 0xc0, op & 0x3f
            rules = state[1]
            if high == 0x40 or op in (1, 2, 3, 4):
                if begin:
                    raise Damaged('advance')
                new = c.pointer(cie['R']) if op == 1 else at + cie['code'] * (low if high else c.take({2: '<B', 3: '<H', 4: '<I'}[op]))
                if new < at:
                    raise Damaged('back')
                if new >= fde['end']:
                    return
                if new > at:
                    rows.append((at, (state[0], dict(rules))))
                at = new
            elif high == 0x80:
                rules[low] = 'at', c.leb() * cie['data']
            elif high == 0xc0 or op == 6:
                reg = low if high else c.leb()
                rules.pop(reg, None)
                if reg in initial:
                    rules[reg] = initial[reg]
            elif op == 0:
                pass
            elif op in (5, 0x11, 0x14, 0x15, 0x2f):
                reg = c.leb()
                value = c.leb(op in (0x11, 0x15)) * cie['data']
                rules[reg] = ('val' if op in (0x14, 0x15) else 'at'), -value if op == 0x2f else value
            elif op == 7:
                rules[c.leb()] = 'undefined',
            elif op == 8:
                rules.pop(c.leb(), None)
            elif op == 9:
                reg = c.leb()
                rules[reg] = 'register', c.leb()
            elif op == 10:
                stack.append((state[0], dict(rules)))
            elif op == 11:
                if not stack:
                    raise Damaged('stack')
                state = list(stack.pop())
            elif op in (12, 0x12):
                reg = c.leb()
                state[0] = reg, c.leb() if op == 12 else c.leb(True) * cie['data']
            elif op == 13:
                state[0] = c.leb(), (state[0] or (0, 0))[1]
            elif op in (14, 0x13):
                state[0] = (state[0] or (0, 0))[0], c.leb() if op == 14 else c.leb(True) * cie['data']
            elif op == 15:
                state[0] = 'expression', c.block()
            elif op in (16, 22):
                reg = c.leb()
                rules[reg] = op, c.block()
            elif op in (0x2c, 0x2d) and machine == 183:
                if rules.pop(34, None) is None:
                    rules[34] = 'signed',
            elif op == 0x2e:
                c.leb()
            else:
                raise Damaged('instruction')

    program = cie['program']
    run(Pointers(program.data, program.at, program.end, program.at + program.delta), True)
    initial = dict(state[1])
    c = fde['program']
    run(Pointers(c.data, c.at, c.end, c.at + c.delta), False)
    rows.append((at, (state[0], dict(state[1]))))
    return rows


def read_fde(elf, address):
    c = elf.cursor(address)
    length = c.take('<I')
    if length in (0, 0xffffffff):
        raise Damaged('length')
    c.end = min(c.end, c.at + length)
    here = c.at + c.delta
    back = c.take('<I')
    if not back:
        raise Damaged('a CIE')
    cie = read_cie(elf, here - back)
    start = c.pointer(cie['R'])
    size = c.pointer(cie['R'] & 15)
    lsda = 0
    if cie['z']:
        length = c.leb()
        end = c.at + length
        if end > c.end:
            raise Damaged('cut')
        if cie['L'] != 0xff and length:
            lsda = c.pointer(cie['L']) or 0
        c.at = end
    return {'start': start, 'end': start + size, 'cie': cie, 'program': c, 'lsda': lsda}


def read_lsda(elf, fde):
    """[(start, end, pad, what is caught)]"""
    c = elf.cursor(fde['lsda'])
    encoding = c.take('<B')
    pads = fde['start'] if encoding == 0xff else c.pointer(encoding)
    encoding, types = c.take('<B'), None
    if encoding != 0xff:
        distance = c.leb()
        types = c.at + c.delta + distance
    form = c.take('<B')
    size = c.leb()
    actions = c.at + size
    sites, rest = [], Pointers(c.data, c.at, min(actions, c.end), c.at + c.delta)
    width = {2: 2, 3: 4, 10: 2, 11: 4}.get(encoding & 15, 8)

    def type_at(number):
        if types is None:
            raise Damaged('types')
        return elf.cursor(types - number * width).pointer(encoding)

    def caught(action):
        out, at = [], actions + action - 1
        while action and len(out) < 32:
            a = Pointers(c.data, at, c.end, at + c.delta)
            kind, here = a.leb(True), a.at
            following = a.leb(True)
            if kind > 0:
                out.append(('catch', type_at(kind)))
            elif kind < 0:
                if types is None:
                    raise Damaged('types')
                numbers, listed = elf.cursor(types - kind - 1), []
                while (number := numbers.leb()):
                    listed.append(type_at(number))
                out.append(('only', listed))
            else:
                out.append('clean-up')
            if not following:
                break
            at = here + following
        return out

    while rest.at < rest.end:
        start, length, pad, action = rest.pointer(form), rest.pointer(form), rest.pointer(form), rest.leb()
        sites.append((fde['start'] + start, fde['start'] + start + length, pads + pad if pad else 0, caught(action) if pad else None))
    return sites


def unwinds(data, code):
    """What an unwinder finds at each instruction of `code`, [(address, size, is it a call)]: a row, or at calls with the personality function and the call site."""
    elf = Elf(data)
    segments = [s for s in elf.segments if s[0] == 0x6474e550]
    header = segments[0][3]
    c = elf.cursor(header, segments[0][6])
    if c.take('<B') != 1:
        raise Damaged('header')
    pointer, counts, table = c.take('<B'), c.take('<B'), c.take('<B')
    if c.pointer(pointer, header) != elf.sections['.eh_frame'][0]:
        raise Damaged('header')
    entries = [(c.pointer(table, header), c.pointer(table, header)) for _ in range(c.pointer(counts, header))]
    if entries != sorted(entries):
        raise Damaged('not sorted')
    starts, out, current, rows, sites = [e[0] for e in entries], [], None, [], None
    fdes = []
    for start, at in entries:
        fde = read_fde(elf, at)
        if fde['start'] != start:
            raise Damaged('of other code')
        fdes.append(fde)
    ranges = [(f['start'], f['end']) for f in fdes if f['end'] > f['start']]
    out.append(any(a[1] > b[0] for a, b in zip(ranges, ranges[1:])))
    for address, size, is_call in code:
        if current is None or not current['start'] <= address < current['end']:
            at = bisect.bisect_right(starts, address) - 1
            current = fdes[at] if at >= 0 and fdes[at]['start'] <= address < fdes[at]['end'] else None
            rows = evaluate(current, elf.machine) if current else []
            sites = read_lsda(elf, current) if current and current['lsda'] else None
        if current is None:
            out.append(None)
            continue
        row = rows[bisect.bisect_right(rows, address, key=lambda r: r[0]) - 1][1]
        site = None
        if is_call and sites is not None:
            site = [s[2:] for s in sites if s[0] <= address + size - 1 < s[1]][:1]
        out.append((row, current['cie']['P'] if sites is not None else None, site))
    return out


def fixed_size(elf, symbols):
    """Of AArch64: four bytes each."""
    out = []
    for start, size in sorted(symbols.items()):
        c = elf.cursor(start, size)
        for address in range(start, start + size - 3, 4):
            word = c.take('<I')
            out.append((address, 4, word >> 26 == 0x25 or word & 0xfffffc1f == 0xd63f0000, word == 0xd503201f))
    return out


def by_objdump(path):
    insns = []
    listing = subprocess.run(['objdump', '-d', path], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in listing.splitlines():
        found = re.match(r' +([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t?(.*)', line)
        if not found:
            continue
        size = len(found[2].replace(' ', '')) // 2
        if not found[3] and insns: # the rest of a long one
            insns[-1] = (insns[-1][0], insns[-1][1] + size, insns[-1][2], insns[-1][3])
            continue
        is_nop = bool(re.search(r'\b(nop[wl]?|xchg +%ax,%ax|data16)', found[3]))
        insns.append((int(found[1], 16), size, bool(re.match(r'(notrack |bnd )?call', found[3])), is_nop))
    return insns


def live_code(path, original):
    """The instructions that run: of functions of the table, and of functions that are where the input has them."""
    table = json.loads(subprocess.run([BATCONV, 'dump', '--json', path], stdout=subprocess.PIPE, check=True).stdout)
    begins = {int(str(f['address']), 16) if isinstance(f['address'], str) else f['address'] for f in table['fragments']}
    symbols = {}
    for line in subprocess.run(['readelf', '-sW', path], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        found = re.match(r' *\d+: ([0-9a-f]{16}) +(\S+) FUNC ', line)
        if found and int(found[2], 0):
            symbols[int(found[1], 16)] = int(found[2], 0)
    old = Elf(original)
    new = Elf(open(path, 'rb').read())
    insns = fixed_size(new, symbols) if new.machine == 183 else by_objdump(path)
    for start, size in sorted(symbols.items()):
        if start not in begins:
            try:
                a, b = old.cursor(start, size), new.cursor(start, size)
            except Damaged:
                continue
            if a.data[a.at:a.end] != b.data[b.at:b.end]:
                continue
        symbols[start] = size, start in begins
    spans = [(s, s + v[0]) for s, v in sorted(symbols.items()) if isinstance(v, tuple)]
    live, k = [], 0
    for address, size, is_call, is_nop in insns:
        while k < len(spans) and spans[k][1] <= address:
            k += 1
        if k < len(spans) and spans[k][0] <= address and not is_nop:
            live.append((address, size, is_call))
    return live


def is_found(original, path):
    done = subprocess.run([BATCONV, 'verify', '-q', '--unwind', '--fail-on=warning', '--input=' + original, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=240)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--part')
    args = parser.parse_args()
    draw = random.Random(args.seed)
    part, of = chosen(sys.argv[1:])
    bases = []
    for original, path in PAIRS:
        data = open(path, 'rb').read()
        code = live_code(path, open(original, 'rb').read())
        bases.append((original, path, data, code, unwinds(data, code), is_found(original, path)[1]))
    places = [(base, name) for base in bases for name in SECTIONS if name in Elf(base[2]).sections]
    found = equivalent = 0
    missed, reasons = [], {}
    for number in range(args.count):
        base, name = draw.choice(places)
        original, path, data, code, before, known = base
        _, offset, size = Elf(data).sections[name]
        at = offset + draw.randrange(size)
        value = draw.choice([data[at] ^ 1 << draw.randrange(8), draw.randrange(256), data[at] + draw.choice((1, -1)) & 255])
        if number % of != part:
            continue
        mutant = bytearray(data)
        mutant[at] = value
        reason, after = None, []
        if value == data[at]:
            reason = 'the same byte'
        else:
            try:
                after = unwinds(mutant, code)
                if after == before:
                    reason = 'no instruction that runs unwinds otherwise'
            except Damaged:
                pass
        with tempfile.NamedTemporaryFile() as file:
            file.write(mutant)
            file.flush()
            code_of_exit, text = is_found(original, file.name)
            text = text.replace(file.name, path)
        what = '%s, %s, byte %d: %02x -> %02x' % (os.path.relpath(path, INPUTS), name, at - offset, data[at], value)
        if code_of_exit == 1 and re.search(r'\.eh_frame, byte \d+ of the section', text):
            found += 1  # it is refused, and the message says where
        elif code_of_exit not in (0, 3):
            missed.append(what + ': exit %d: %s' % (code_of_exit, text[-300:]))
        elif text != known:
            found += 1
        elif reason:
            equivalent += 1
            reasons[reason] = reasons.get(reason, 0) + 1
        else:
            places_of = [code[i - 1][0] for i in range(1, len(after)) if after[i] != before[i]][:3]
            missed.append(what + ': not found, at ' + ' '.join('%x' % p for p in places_of))
    for line in missed:
        print(line)
    print('%d mutants: %d found, %d equivalent (%s), %d missed' % (found + equivalent + len(missed), found, equivalent,
          ', '.join('%d %s' % (n, r) for r, n in sorted(reasons.items())), len(missed)))
    sys.exit(1 if missed else 0)


if __name__ == '__main__':
    main()
