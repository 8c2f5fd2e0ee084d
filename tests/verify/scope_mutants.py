#!/usr/bin/env python3
"""Damages single bytes of .debug_info and of what it leads to in BOLTed binaries, and asks whether `verify --dwarf` finds it:

    scope_mutants.py [--count=N] [--seed=N] [--part=/N]

The second reader is llvm-dwarfdump. What it prints of entries is brought to what a debugger asks for: which instructions an entry covers, and which expression a variable has at each. If that is
as before, the mutant is equivalent, and counted by its reason; all others must be findings. --part=/N: every Nth mutant, another choice for each commit.
"""
import argparse
import bisect
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from damage import mutants, sections  # noqa: E402
from line_mutants import findings_of, instructions  # noqa: E402

INPUTS = os.environ['INPUTS'].rstrip('/')
SECTIONS = ('.debug_info', '.debug_abbrev', '.debug_str', '.debug_ranges', '.debug_rnglists', '.debug_loc', '.debug_loclists', '.debug_addr', '.debug_aranges')
DUMP = next((d for d in ('llvm-dwarfdump-22', 'llvm-dwarfdump-19', 'llvm-dwarfdump') if shutil.which(d)), None)
# Not compared (docs/verify.md), or where tables begin.
SKIPPED = re.compile(r'DW_AT_(GNU_locviews|stmt_list|\w+_base|GNU_\w+_base)$')
RANGE = re.compile(r'\[0x([0-9a-f]+), 0x([0-9a-f]+)\)')
LIST = re.compile(r'\((indexed \(0x[0-9a-f]+\) loclist = )?0x[0-9a-f]+: ')
ENTRY = re.compile(r'0x([0-9a-f]+):( +)(DW_TAG_\w+|NULL)')


class Reader:
    """code: addresses of the instructions that are compared, and of the last bytes of calls.  folded: ranges of code that llvm-bolt folded."""
    def __init__(self, path):
        self.code = instructions(path)
        listing = subprocess.run(['objdump', '-d', path], stdout=subprocess.PIPE, text=True, check=True).stdout
        starts = [int(a, 16) for a in re.findall(r'^ +([0-9a-f]+):\t', listing, re.M)]
        calls = {int(a, 16) for a in re.findall(r'^ +([0-9a-f]+):\t.*\tcall', listing, re.M)}
        self.code = sorted(a for a in self.code + [after - 1 for at, after in zip(starts, starts[1:]) if at in calls] if a >= 0x6000)
        folded = subprocess.run(['nm', '-S', path], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.folded = [(int(a, 16), int(a, 16) + int(s, 16)) for a, s in re.findall(r'^([0-9a-f]+) ([0-9a-f]+) [tT] f[ab]$', folded, re.M)]

    def covered(self, ranges):
        """Numbers of the addresses in code that ranges hold, as ranges."""
        held = set()
        for start, end in ranges:
            held.update(range(bisect.bisect_left(self.code, start), bisect.bisect_left(self.code, end)))
        return frozenset(held)

    def read(self, path):
        """For each entry: its tag, what it covers, its locations, other attributes; and of units what .debug_aranges has."""
        def dump(what):
            done = subprocess.run([DUMP, what, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
            return done.stdout.decode(errors='replace').replace(path, '')
        text, entries = dump('--debug-info'), []
        for part in re.split(r'\n(?=0x[0-9a-f]+:|\s+DW_AT)', text):
            found = ENTRY.match(part)
            if found:
                entries.append([found[3], len(found[2]), {}])
                continue
            name, _, value = part.strip().partition('\t')
            if not entries or not name.startswith('DW_AT') or SKIPPED.match(name):
                if entries and not name.startswith('DW_AT'):
                    entries[-1][2].setdefault('text', []).append(part)
                continue
            entries[-1][2].setdefault(name, []).append(value)
        rows = []
        for tag, depth, values in entries:
            ranges = [(int(a, 16), int(b, 16)) for v in values.pop('DW_AT_ranges', []) for a, b in RANGE.findall(v)]
            low = values.get('DW_AT_low_pc', ['()'])[0]
            if 'DW_AT_high_pc' in values:
                ranges.append((int(low.strip('()') or '0', 16), int(values.pop('DW_AT_high_pc')[0].strip('()') or '0', 16)))
            if ranges or tag.endswith('_unit'):
                values.pop('DW_AT_low_pc', None)
            places = {}
            for name in list(values):
                if LIST.match(values[name][0]):
                    listed = re.findall(r'\[0x([0-9a-f]+), 0x([0-9a-f]+)\): (.*)', values.pop(name)[0])
                    for a, b, expression in listed:
                        key = name, expression.rstrip(')') if expression.count(')') > expression.count('(') else expression
                        places[key] = places.get(key, frozenset()) | self.covered([(int(a, 16), int(b, 16))])
            rows.append((tag, depth, self.covered(ranges), {k: v for k, v in places.items() if v}, {k: list(map(plain, v)) for k, v in values.items()}))
        units = {}
        unit = None
        for line in dump('--debug-aranges').splitlines():
            found = re.search(r'cu_offset = 0x([0-9a-f]+)', line)
            unit = int(found[1], 16) if found else unit
            if not found and unit is not None:
                units.setdefault(unit, set()).update(self.covered([(int(a, 16), int(b, 16)) for a, b in RANGE.findall(line)]))
        return rows, units

    def is_folded(self, number):
        return any(a <= self.code[number] < b for a, b in self.folded)

    def reason(self, source, before, after):
        """Why a mutant need not be found; None: it must be.  source: what the input has."""
        if before == after:
            return 'the same for a debugger'
        (rows, units), (other_rows, other_units) = before, after
        if rows == other_rows and list(units.values()) == list(other_units.values()):
            return 'libdw takes the unit that holds a byte, not the one that begins there'
        if len(rows) != len(other_rows) or [r[:2] for r in rows] != [r[:2] for r in other_rows] or units.keys() != other_units.keys():
            return None
        pairs = [(units[u], other_units[u]) for u in units]
        inside = 0
        if rows != other_rows and all(row == other or only_differ(row[4], other[4], wanted[4]) for row, other, wanted in zip(rows, other_rows, source[0])):
            return 'an attribute that llvm-bolt had written wrongly, and one more is counted as such'
        for row, other in zip(rows, other_rows):
            inside = inside if inside and row[1] > inside else 0
            if row[0] == 'DW_TAG_subprogram' and any(v in ('("fa")', '("fb")', '("fold_a")', '("fold_b")') for v in row[4].get('DW_AT_name', [])):
                inside = row[1]
            if row[4] != other[4]:
                addresses = {'DW_AT_low_pc', 'DW_AT_entry_pc', 'DW_AT_call_return_pc', 'DW_AT_call_pc'}
                if not inside or any(row[4].get(k) != other[4].get(k) for k in (row[4].keys() | other[4].keys()) - addresses):
                    return None
            pairs.append((row[2], other[2]))
            pairs += [(row[3].get(k, frozenset()), other[3].get(k, frozenset())) for k in row[3].keys() | other[3].keys()]
        if all(self.is_folded(n) for a, b in pairs for n in a ^ b):
            return 'of code that llvm-bolt folded'
        return None


def plain(value):
    """A number as a number, in whichever form it is printed."""
    found = re.fullmatch(r'\((0x[0-9a-f]+|-?\d+)\)', value)
    return int(found[1], 0) if found else value


def only_differ(before, after, source):
    """Only attributes changed that were not the input's before: addresses that were not translated, constants of abbreviations, numbers of files."""
    stale = {'DW_AT_low_pc': (0,), 'DW_AT_call_return_pc': (0,), 'DW_AT_call_pc': (0,)}
    return before.keys() == after.keys() and all(before[k] == after[k] or before[k] == source.get(k) and k in ('DW_AT_entry_pc', 'DW_AT_call_return_pc') or
                                                 before[k][0] in stale.get(k, ()) or before[k] != source.get(k) and k.endswith(('_file', '_line', '_column', '_size', '_inline'))
                                                 for k in before)


def lengths(data):
    """Bytes of .debug_aranges that are the length of a set."""
    _, start, size = sections(data)['.debug_aranges']
    at, found = 0, set()
    while at + 4 <= size:
        found.update(range(at, at + 4))
        at += 4 + int.from_bytes(data[start + at:start + at + 4], 'little')
    return {start + at for at in found}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=480)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--part')
    args = parser.parse_args()
    if not DUMP:
        print('skipped: there is no llvm-dwarfdump')
        sys.exit(77)
    found, missed, reasons, by_section = 0, [], {}, {}
    for program in 'g4', 'g5':
        original, bolted = '%s/lines/%s' % (INPUTS, program), '%s/lines/%s.b22' % (INPUTS, program)
        data, reader = open(bolted, 'rb').read(), Reader(bolted)
        source, before, (status, known) = reader.read(original), reader.read(bolted), findings_of(original, bolted, bolted)
        if status not in (0, 3) or not before[0] or not any(row[2] for row in before[0]) or not any(row[3] for row in before[0]):
            sys.exit('%s: exit %d: %s' % (bolted, status, known))
        unread = lengths(data)
        where = {name: at[1:] for name, at in sections(data).items() if name in SECTIONS and at[2]}
        for what, section, mutant in mutants(data, where, args.count // 2, args.seed, sys.argv[1:]):
            with tempfile.NamedTemporaryFile() as file:
                file.write(mutant)
                file.flush()
                status, text = findings_of(original, file.name, bolted)
                reason = None
                if status in (0, 3) and text == known:
                    try:
                        reason = 'the same byte' if mutant == data else reader.reason(source, before, reader.read(file.name))
                    except (subprocess.TimeoutExpired, ValueError):
                        pass
                    if not reason and any(data[at] != mutant[at] for at in unread):
                        reason = 'libdw does not read the length of a set of .debug_aranges'
            what = program + ', ' + what
            if status not in (0, 3):
                missed.append(what + ': exit %d: %s' % (status, text[-300:]))
            elif text != known:
                found += 1
                by_section[section] = by_section.get(section, 0) + 1
            elif reason:
                reasons[reason] = reasons.get(reason, 0) + 1
            else:
                missed.append(what + ': not found')
    for line in missed:
        print(line)
    equivalent = sum(reasons.values())
    print('%d mutants: %d found (%s), %d equivalent (%s), %d missed' % (found + equivalent + len(missed), found, ', '.join('%d %s' % (n, s) for s, n in sorted(by_section.items())),
          equivalent, ', '.join('%d %s' % (n, r) for r, n in sorted(reasons.items())), len(missed)))
    sys.exit(1 if missed else 0)


if __name__ == '__main__':
    main()
