#!/usr/bin/env python3
"""Damages single bytes of .debug_line of a BOLTed binary, and asks whether `verify --dwarf` finds it:

    mutants.py [--count=N] [--seed=N] [--part=/N]

A second reader of line tables, below, which shares nothing with batconv or libdw, says which file, line, column, statement mark and discriminator each instruction has.
If that is the same as before, the mutant is equivalent, and counted by its reason; all others must be findings. --part=/N: every Nth mutant, another choice for each commit.
"""
import argparse
import bisect
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from damage import Cursor, Damaged, mutants, sections  # noqa: E402

BATCONV, INPUTS = os.environ['BATCONV'], os.environ['INPUTS'].rstrip('/')
ORIGINAL, BOLTED = INPUTS + '/lines/g4', INPUTS + '/lines/g4.b22'


def run(c, files, least, line_base, line_range, opcode_base, default, lengths, as_libdw):
    """Sequences of (address, what the row says)."""
    sequences, rows = [], []
    fresh = {'address': 0, 'file': 1, 'line': 1, 'column': 0, 'statement': bool(default), 'discriminator': 0}
    state = dict(fresh)

    def emit():
        rows.append((state['address'], (files[state['file'] - 1] if 0 < state['file'] <= len(files) else state['file'], state['line'] & 0xffffffff, state['column'],
                                        state['statement'], state['discriminator'])))
        state['discriminator'] = 0

    while c.at < c.end:
        op = c.take('<B')
        if op >= opcode_base:
            state['address'] += (op - opcode_base) // line_range * least
            state['line'] += line_base + (op - opcode_base) % line_range
            emit()
        elif op == 0:
            size = c.leb()
            end, kind = c.at + size, c.take('<B')
            if kind == 1:
                sequences.append((rows, state['address']))
                rows, state = [], dict(fresh)
            elif kind == 2:
                state['address'] = c.take('<Q')
            elif kind == 4:
                state['discriminator'] = c.leb()
            elif kind == 3:
                raise Damaged('a file in the program')
            if end > c.end:
                raise Damaged('cut')
            if not as_libdw:
                c.at = end
        elif op == 1:
            emit()
        elif op == 2:
            state['address'] += c.leb() * least
        elif op == 3:
            state['line'] += c.leb(True)
        elif op == 4:
            state['file'] = c.leb()
        elif op == 5:
            state['column'] = c.leb()
        elif op == 6:
            state['statement'] = not state['statement']
        elif op == 8:
            state['address'] += (255 - opcode_base) // line_range * least
        elif op == 9:
            state['address'] += c.take('<H')
        elif op == 12:
            c.leb()
        elif op not in (7, 10, 11):
            for _ in range(lengths[op - 1]):
                c.leb()
    if rows:
        raise Damaged('no end')
    return sequences


def read_lines(data, as_libdw):
    _, offset, size = sections(data)['.debug_line']
    c, sequences = Cursor(data, offset, offset + size), []
    while c.at < c.end:
        length = c.take('<I')
        end = c.at + length
        if end > c.end:
            raise Damaged('length')
        table = Cursor(data, c.at, end)
        version = table.take('<H')
        if version not in (2, 3, 4):
            raise Damaged('version')
        program = table.take('<I') + table.at
        least = table.take('<B')
        if version == 4 and table.take('<B') != 1:
            raise Damaged('operations')
        default, line_base, line_range, opcode_base = table.take('<B'), table.take('<b'), table.take('<B'), table.take('<B')
        lengths = [table.take('<B') for _ in range(opcode_base - 1)]
        folders, files = [b''], []
        if not line_range or program > end:
            raise Damaged('header')
        while (name := table.string()):
            folders.append(name)
        while (name := table.string()):
            folder = table.leb()
            table.leb(), table.leb()
            if folder >= len(folders):
                raise Damaged('folder')
            files.append((folders[folder], name))
        table.at = program
        sequences += run(table, files, least, line_base, line_range, opcode_base, default, lengths, as_libdw)
        c.at = end
    return sequences


def places(data, code, as_libdw=False):
    """What each instruction of `code` has.  as_libdw: libdw knows how long an extended instruction is, and does not look at the length that is there."""
    found = {}
    for rows, end in read_lines(data, as_libdw):
        addresses = [a for a, _ in rows]
        if not rows or addresses != sorted(addresses):
            if rows:
                raise Damaged('addresses descend')
            continue
        for address in code[bisect.bisect_left(code, addresses[0]):bisect.bisect_left(code, end)]:
            at = bisect.bisect_right(addresses, address) - 1
            found.setdefault(address, rows[at][1])
    return [found.get(a) for a in code]


def instructions(path):
    """Those that are compared: no padding, and no jump that llvm-bolt makes again."""
    code = []
    listing = subprocess.run(['objdump', '-d', path], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in listing.splitlines():
        found = re.match(r' +([0-9a-f]+):\t(?:[0-9a-f]{2} )+ *\t(.*)', line)
        if found and not re.match(r'jmp|nop|data16|cs nop|xchg +%ax,%ax', found[2]):
            code.append(int(found[1], 16))
    return sorted(code)


def findings_of(original, path, name):
    """Exit code and what is found, all of it, with another name for the file."""
    done = subprocess.run([BATCONV, 'verify', '-q', '--dwarf', '--fail-on=note', '--limit=9999', '--input=' + original, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors='replace').replace(path, name)


def findings(path):
    return findings_of(ORIGINAL, path, BOLTED)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=240)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--part')
    args = parser.parse_args()
    data = open(BOLTED, 'rb').read()
    _, *where = sections(data)['.debug_line']
    code = instructions(BOLTED)
    before, (status, known) = places(data, code), findings(BOLTED)
    if status not in (0, 3) or not any(before):
        sys.exit('%s: exit %d: %s' % (BOLTED, status, known))
    found, missed, reasons = 0, [], {}
    for what, _, mutant in mutants(data, {'.debug_line': where}, args.count, args.seed, sys.argv[1:]):
        differs, reason = [], None
        for as_libdw, words in (False, 'each instruction has the same line'), (True, 'libdw does not read the length of an instruction'):
            try:
                # Where the input has no line, nothing is compared.
                differs = [a for a, b, c in zip(code, before, places(mutant, code, as_libdw)) if b and b != c]
                reason = reason or (None if differs else words)
            except Damaged:
                pass
        with tempfile.NamedTemporaryFile() as file:
            file.write(mutant)
            file.flush()
            status, text = findings(file.name)
        if status not in (0, 3):
            missed.append(what + ': exit %d: %s' % (status, text[-300:]))
        elif text != known:
            found += 1
        elif reason:
            reasons[reason] = reasons.get(reason, 0) + 1
        else:
            missed.append(what + ': not found, at ' + ' '.join('%x' % a for a in differs[:3]))
    for line in missed:
        print(line)
    equivalent = sum(reasons.values())
    print('%d mutants: %d found, %d equivalent (%s), %d missed' % (found + equivalent + len(missed), found, equivalent,
          ', '.join('%d %s' % (n, r) for r, n in sorted(reasons.items())), len(missed)))
    sys.exit(1 if missed else 0)


if __name__ == '__main__':
    main()
