#!/usr/bin/env python3
"""One truth for llvm-bolt and the compiler: calls.py [WORD...]

Every pair of binaries in inputs/ (pairs.py), branches and basic samples, with --input: fdata and what llvm-profgen reads are written
in one pass, and every function must have been called and entered as often by the one as by the other.  No branch may come from a location of the
input that has none.  Names and addresses of
functions are those that readelf shows in the input.

WORD...  only pairs whose name or kind has one of the words
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import pairs  # noqa: E402

BATCONV, INPUTS, SOURCE = (os.path.abspath(os.environ[name]) for name in ('BATCONV', 'INPUTS', 'SOURCE'))


class Functions:
    """For one binary.  Names that share an address, and addresses that share a name, are one key."""

    def __init__(self, path):
        self.parent = {}
        for line in subprocess.run(['readelf', '-sW', path], capture_output=True, text=True, check=True).stdout.splitlines():
            words = line.split()
            if len(words) >= 8 and words[3] == 'FUNC' and words[6].isdigit():
                self.join(int(words[1], 16), words[7].split('@')[0])
        loads = subprocess.run(['readelf', '-lW', path], capture_output=True, text=True, check=True).stdout
        code = re.search(r'^ *LOAD +\S+ (0x[0-9a-f]+) .*E +0x[0-9a-f]+$', loads, re.MULTILINE)
        self.base = int(code[1], 16) & ~0xfff

    def key(self, what):
        while self.parent.get(what, what) != what:
            what = self.parent[what]
        return what

    def join(self, one, other):
        self.parent.setdefault(one, one)
        self.parent.setdefault(other, other)
        self.parent[self.key(one)] = self.key(other)


def called_in_fdata(path, functions):
    """Branches to the first byte of a function, which is no PLT entry."""
    counts = collections.Counter()
    with open(path, errors='surrogateescape') as file:
        for words in (line.rstrip('\n').split(' ') for line in file):
            if len(words) == 8 and words[3] == '1' and words[5] == '0':
                name = words[4].split('/')[0]
                if name in functions.parent:
                    counts[functions.key(name)] += int(words[7])
    return counts


def called_in_profgen(path, functions):
    counts = collections.Counter()
    with open(path) as file:
        for row in re.finditer(r'^[0-9a-f]+->([0-9a-f]+):([0-9]+)$', file.read(), re.MULTILINE):
            address = (int(row[1], 16) + functions.base) % (1 << 64)
            if address in functions.parent:
                counts[functions.key(address)] += int(row[2])
    return counts


def compare(pair, kind, functions, folder):
    """(functions, calls, what is wrong)"""
    fdata, profgen, stats = (os.path.join(folder, name) for name in ('fdata', 'profgen', 'stats'))
    subprocess.run([BATCONV, '-q', '--force', '--input=' + pair.input, pair.bolted, pair.samples[kind], '-o', fdata, '--profgen=' + profgen,
                    '--stats-file=' + stats], check=True)
    with open(stats) as file:
        figures = json.load(file)
    strange = figures['branches']['dropped']['no_branch'], figures['profgen']['branches']['dropped']['no_branch']
    one, other = called_in_fdata(fdata, functions), called_in_profgen(profgen, functions)
    wrong = sorted((key for key in one | other if one[key] != other[key]), key=lambda key: -abs(one[key] - other[key]))
    found = ['%s, %s: branches from places without one: fdata %d, profgen %d' % (pair.name, kind, *strange)] if any(strange) else []
    return len(one), sum(one.values()), found + ['%s, %s: %s: fdata %d, profgen %d' % (pair.name, kind, key, one[key], other[key]) for key in wrong]


def main(wanted):
    wrong, runs, named, calls = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for pair in pairs.find(BATCONV, INPUTS, SOURCE, scratch, False):
            if not pair.samples or wanted and not any(word in pair.name or word in pair.kinds for word in wanted):
                continue
            functions = Functions(pair.input)
            for kind in sorted(pair.samples):
                more = compare(pair, kind, functions, scratch)
                runs, named, calls, wrong = runs + 1, named + more[0], calls + more[1], wrong + more[2]
    for line in wrong[:20]:
        print(line)
    print('%d conversions, %d functions, %d calls; %d functions differ' % (runs, named, calls, len(wrong)))
    return 1 if wrong or not calls else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
