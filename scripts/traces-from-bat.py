#!/usr/bin/env python3
"""Plausible distinct traces for any binary with a .note.bolt_bat, as llvm-bolt's pre-aggregated text.

traces-from-bat.py BINARY [--distinct N] [--total N] [--seed N] [--no-fall-throughs] >OUT

Every BAT layout is read.  Branches start at the table's branch entries and lead to block entries of the same input
function, to the starts of functions (T), or back after a call (R; one branch entry in 16 is set apart for these).
A trace ends at a later branch entry of the fragment that it was led to; without one it is a B line.  Some lines are
bare fall-throughs (F).  No two lines name the same trace.  Counts are skewed: few traces have most of the total.
Cold parents are taken as stored, which is wrong for what LLVM 18 wrote.  Equal arguments give equal output.
"""
import argparse
import bisect
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bat_reader import Elf, read_bat  # noqa: E402

def after_call(elf, address):
    """The address after a call instruction, or None."""
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
        blocks.append(sorted({address + o for o, branch, _ in table if not branch and o < size}))
        ends.append(sorted({address + o for o, branch, _ in table if branch and o < size}))
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
