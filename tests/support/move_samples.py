#!/usr/bin/env python3
"""The same recording once more, as if run elsewhere: move_samples.py SAMPLES PID DISTANCE

perf script text with stacks, of one process: every address of user space moved by DISTANCE, under another pid.
"""
import re
import sys


def main(samples, pid, distance):
    def move(found):
        address = int(found[0], 16)
        return found[0] if address >> 63 or address < 1 << 32 else '%#x' % (address + int(distance, 16))
    for line in open(samples):
        old = line.split()[0]
        line = re.sub(r'\b%s\b' % old, pid, line)
        print(re.sub(r'0x[0-9a-f]+', move, line), end='')


main(*sys.argv[1:])
