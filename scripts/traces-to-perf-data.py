#!/usr/bin/env python3
"""A recording whose branch stacks hold given traces: traces-to-perf-data.py BINARY OUT [--depth N] [--samples N] <TRACES

TRACES is pre-aggregated text (T, R, B and F lines), as scripts/traces-from-bat.py writes it. Every T and R line is in
the recording at least once, B and F lines are left out. Stacks follow the traces: the run after a branch ends at the
next branch. Where no trace continues from there, the next branch leads out of the binary. One process, seen by
perf script as any other. Equal input gives equal output.
"""
import argparse
import sys

from perf_data_writer import PerfData, code_segments

BASE, OUTSIDE, PID = 0x550000000000, 0x7f0000001000, 4242


def read(lines):
    """branch -> [(to, end)], in the order of the input"""
    following = {}
    for line in lines:
        fields = line.split()
        if fields and fields[0] in 'TR':
            branch, to, end = (int(field, 16) for field in fields[1:4])
            if branch and not end >> 63:
                following.setdefault(branch, []).append((to, end))
    return following


def stacks(following, depth):
    """For vaddrs, the newest first. A walk takes what was not taken yet, as long as there is some."""
    turn = dict.fromkeys(following, 0)
    for first in following:
        while turn[first] < len(following[first]):
            branch, stack = first, []
            while len(stack) < depth - 1 and branch in following:
                ways = following[branch]
                to, end = ways[turn[branch] % len(ways)]
                turn[branch] += 1
                stack.append((branch, to))
                branch = end
            stack.append((branch, None))
            yield stack[::-1]


def main():
    options = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    options.add_argument('binary')
    options.add_argument('out')
    options.add_argument('--depth', type=int, default=30, help='of the stacks at most (30)')
    options.add_argument('--samples', type=int, default=0, help='at most (0: as many as the traces need)')
    arg = options.parse_args()
    code, movable = code_segments(arg.binary)
    base = BASE if movable else 0
    perf = PerfData(arg.out)
    time = 1000000000
    perf.comm(time, PID, 'made')
    for start, offset, size in code:
        perf.mmap(time, PID, base + start, size, offset, '/made/' + arg.binary.rsplit('/', 1)[-1])
    samples = entries = 0
    for stack in stacks(read(sys.stdin), arg.depth):
        time += 1000
        perf.sample(time, PID, [(base + branch, OUTSIDE if to is None else base + to, False) for branch, to in stack])
        samples += 1
        entries += len(stack)
        if samples == arg.samples:
            break
    perf.exit(time + 1000, PID)
    perf.close()
    print('%d samples, %d branch entries' % (samples, entries))


main()
