#!/usr/bin/env python3
"""Samples in another order, in two files: shuffle_samples.py SAMPLES SEED OUT1 OUT2

Pre-aggregated: any order.  perf script text: what was mapped stays first and in order, in both files; ends of
processes stay last.  (One rule depends on order: from the first stack of 32 entries on, two are dropped.  So each file
begins with such a stack.)
"""
import random
import sys


def main(samples, seed, *outs):
    lines = open(samples).readlines()
    text = any('PERF_RECORD' in line for line in lines)
    first = [line for line in lines if 'PERF_RECORD' in line and 'RECORD_EXIT' not in line]
    last = [line for line in lines if 'RECORD_EXIT' in line]
    rest = [line for line in lines if 'PERF_RECORD' not in line]
    random.Random(int(seed)).shuffle(rest)
    if text:
        deep = [line for line in rest if line.count('/') >= 32 * 5][:2]
        for line in deep:
            rest.remove(line)
        rest = deep[:1] + rest[:len(rest) // 2] + deep[1:] + rest[len(rest) // 2:]
    half = len(rest) // 2
    for out, part in zip(outs, (rest[:half + text], rest[half + text:])):
        with open(out, 'w') as file:
            file.writelines(first + part + last)


main(*sys.argv[1:])
