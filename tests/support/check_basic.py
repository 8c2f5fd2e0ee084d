#!/usr/bin/env python3
"""Basic samples in functions with a BAT map, by a linear scan: check_basic.py BINARY INPUT SAMPLES FDATA

SAMPLES: perf script text of one process.  Each sampled address in a fragment is translated with nothing but the
table, read by scripts/bat_reader.py; the result must be exactly what FDATA says of those functions.  Also, no line
may lie outside its function in the INPUT binary.  Static functions of one name are taken together.
"""
import os
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../scripts'))
from bat_reader import Elf, read_bat  # noqa: E402
from perf_text import addresses, base_of  # noqa: E402


def scan(fragment, offset):
    """The last entry at or before an offset says where it was; before the first nothing has moved."""
    result = offset
    for output, _, source in fragment[2]:
        if output <= offset:
            result = source + offset - output
    return result


def expected(elf, base, samples):
    names = {}
    for name, at in elf.function_names:
        names.setdefault(at, name)
    fragments = read_bat(elf.note())[1]
    counts, cold = Counter(), 0
    for address in addresses(samples):
        for fragment in fragments:
            start, parent, _ = fragment
            if 0 <= address - base - start < elf.functions[start]:
                counts[names[start if parent is None else parent], scan(fragment, address - base - start)] += 1
                cold += parent is not None
    return {names[f[0]] for f in fragments if f[1] is None}, counts, cold


def main(binary, original, samples, fdata):
    elf = Elf(binary)
    mapped, want, cold = expected(elf, base_of(elf, samples, os.path.basename(binary)), samples)
    sizes = Counter()
    source = Elf(original)
    for name, at in source.function_names:
        sizes[name] = max(sizes[name], source.functions[at])
    got, outside = Counter(), 0
    for line in open(fdata):
        f = line.split(' ')
        if len(f) != 4:
            continue
        name, offset = f[1].split('/')[0], int(f[2], 16)
        outside += name in sizes and offset >= max(sizes[name], 1)
        if name in mapped:
            got[name, offset] += int(f[3])
    print('%d samples in fragments, %d of them in cold ones; %d lines outside their function' % (
        sum(want.values()), cold, outside))
    for key in sorted((want - got) | (got - want)):
        print('%s %x: %d samples, %d in the profile' % (*key, want[key], got[key]))
    return 1 if outside or want != got else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
