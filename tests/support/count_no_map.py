#!/usr/bin/env python3
"""Edges that only a control-flow graph gives, counted without batconv: count_no_map.py BINARY SAMPLES PERF2BOLT

Lines of perf2bolt's fdata within one function that has no BAT map, for which the samples have no taken branch.
The offsets of such a function are the same in both binaries, so that needs no translation.
SAMPLES: pre-aggregated, or perf script text whose stacks are all 32 deep (the newest two are dropped).
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../scripts'))
from bat_reader import Elf, read_bat  # noqa: E402
from perf_text import base_of, stacks  # noqa: E402


def taken_branches(elf, binary, samples):
    if samples.endswith('.preagg'):
        fields = (line.split() for line in open(samples))
        return {(int(f[1], 16), int(f[2], 16)) for f in fields if f[0] == 'T' and 'X' not in f[1] + f[2]}
    base = base_of(elf, samples, os.path.basename(binary))
    return {(a - base, b - base) for stack in stacks(samples) for a, b in stack[2:]}


def main(binary, samples, fdata):
    elf = Elf(binary)
    starts = {fragment[0] for fragment in read_bat(elf.note())[1]}
    mapped = {name for name, at in elf.function_names if at in starts}
    places = {}
    for name, at in elf.function_names:
        places.setdefault(name, []).append(at)
    taken = taken_branches(elf, binary, samples)
    edges = 0
    for line in open(fdata):
        f = line.split(' ')
        if len(f) != 8 or f[0] + f[3] != '11' or f[1] != f[4] or f[1].split('/')[0] in mapped:
            continue
        if f[1].endswith('@PLT'):  # no edges there: what perf2bolt prints is a taken branch to the resolver
            continue
        name = f[1].split('/')[0]
        at = places.get(name) or [int(name.removeprefix('__BOLT_FDE_FUNCat'), 16)]
        edges += not any((start + int(f[2], 16), start + int(f[5], 16)) in taken for start in at)
    print('%d edges without a taken branch in functions without a BAT map' % edges)


main(*sys.argv[1:])
