#!/usr/bin/env python3
"""Two unsymbolized profiles of one program: profgen.py [--instructions=PERCENT] [--branches=PERCENT] [--calls=PERCENT --input=PROG] TRUTH PROFILE

Each must be as llvm-profgen reads it: counts, lists in order, each key once.  What is compared is how often each address ran,
whatever ranges say so: every address that either file names is the beginning of an instruction.  An address weighs as many bytes
as there are to the next one.  Calls are branches to the beginning of a function of PROG from its own code.  Prints the overlaps, in percent; exit 1 below a limit, or if a file is not as it must be.
"""
import argparse
import itertools
import os
import re
import sys
from collections import Counter

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../scripts'))
from bat_reader import Elf  # noqa: E402

LINE = {'-': re.compile(r'([0-9a-f]+)-([0-9a-f]+):([1-9][0-9]*)'), '->': re.compile(r'([0-9a-f]+)->([0-9a-f]+):([1-9][0-9]*)')}


def signed(digits):
    """What is outside lies below the first page of code, modulo 2^64."""
    value = int(digits, 16)
    return value - (1 << 64) if value >> 63 else value


def part(lines, at, between):
    """One list: its lines as numbers, and where the next begins."""
    count = int(lines[at])
    rows = []
    for line in lines[at + 1:at + 1 + count]:
        match = LINE[between].fullmatch(line)
        if not match:
            sys.exit('profgen.py: not a line: %s' % line)
        rows.append((signed(match[1]), signed(match[2]), int(match[3])))
    if len(rows) != count or any(a[:2] >= b[:2] for a, b in zip(rows, rows[1:])):
        sys.exit('profgen.py: %d lines announced, out of order or missing' % count)
    return rows, at + 1 + count


def read(path):
    with open(path) as file:
        text = file.read()
    lines = text.split('\n')
    ranges, at = part(lines, 0, '-')
    branches, at = part(lines, at, '->')
    if lines[at:] != [''] or any(a > b for a, b, _ in ranges):
        sys.exit('profgen.py: %s: something stands behind it, or a range ends before it begins' % path)
    return ranges, {(a, b): n for a, b, n in branches}


def ran(ranges, places):
    """How often each of the addresses ran."""
    change = Counter()
    for a, b, n in ranges:
        change[a] += n
        change[b + 1] -= n
    steps = iter(sorted(change.items()))
    step, now, counts = next(steps, None), 0, []
    for place in places:
        while step and step[0] <= place:
            now += step[1]
            step = next(steps, None)
        counts.append(now)
    return counts


def overlap(truth, profile):
    """Of {key: weight}: the sum of the smaller shares, in percent."""
    whole, other = sum(truth.values()), sum(profile.values())
    if truth == profile:
        return 100.0
    return 100 * sum(min(n / whole, profile.get(key, 0) / other) for key, n in truth.items()) if whole and other else 0.0


def calls(path, branches):
    """For branches, relative to the first page of code, those to a function from code."""
    elf = Elf(path)
    base = min(start for start, _, _ in elf.code) & ~0xfff
    return {(a, b): n for (a, b), n in branches.items() if a >= 0 and b + base in elf.functions}


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--instructions', type=float, default=0)
    options.add_argument('--branches', type=float, default=0)
    options.add_argument('--calls', type=float, default=0)
    options.add_argument('--input')
    options.add_argument('truth')
    options.add_argument('profile')
    arg = options.parse_args()
    (truth, jumps), (profile, other) = read(arg.truth), read(arg.profile)
    places = sorted({place for a, b, _ in itertools.chain(truth, profile) for place in (a, b)})
    bytes_of = [b - a for a, b in zip(places, places[1:])] + [1]
    weighed = [{i: n * w for i, (n, w) in enumerate(zip(ran(r, places), bytes_of)) if n} for r in (truth, profile)]
    code, branches = overlap(*weighed), overlap(jumps, other)
    called = overlap(calls(arg.input, jumps), calls(arg.input, other)) if arg.input else arg.calls
    print('instructions %.3f %%, branches %.3f %%' % (code, branches) + (', calls %.3f %%' % called if arg.input else ''))
    return 0 if code >= arg.instructions and branches >= arg.branches and called >= arg.calls else 1


if __name__ == '__main__':
    sys.exit(main())
