#!/usr/bin/env python3
"""Basic samples as perf script prints them where call chains were recorded: chain_samples.py SAMPLES

SAMPLES are lines `pid event: ip` of one process and its mappings.  A sample becomes a line without an address and one
for each frame, with the offset in the file where it is in one; every third sample gets inlined functions, every
fourth a caller in the kernel's half, every fifth no caller.
"""
import re
import sys

MAP = re.compile(r'\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*\]: \S+ (.*)$')


def main(samples):
    maps, number = [], 0
    for line in open(samples):
        found = MAP.search(line)
        if found:
            maps.insert(0, (int(found[1], 16), int(found[2], 16), int(found[3], 16), found[4]))
        fields = line.split()
        if 'RECORD' in line or len(fields) != 3:
            print(line, end='')
            continue
        at = int(fields[2], 16)
        number += 1
        where, file = at, '[unknown]'
        for start, size, offset, path in maps:
            if at < 1 << 63 and start <= at < start + size:
                where, file = at - start + offset, path
                break
        if at >> 63:
            file = '[kernel.kallsyms]'
        print('demo.bolt %5s %5d.%06d:     250000 %s ' % (fields[0], 100 + number // 4000, number * 250, fields[1]))
        if number % 3 == 0:
            print('\t%16x inner+0x1 (inlined)\n\t%16x outer (inlined)' % (where, where))
        print('\t%16x f(int)+0x%x (%s)' % (where, number, file))
        if number % 4 == 0:
            print('\t%16x entry ([kernel.kallsyms])' % 0xffffffff81000010)
        if number % 5:
            print('\t%16x [unknown] ([unknown])' % number)
        print()


main(*sys.argv[1:])
