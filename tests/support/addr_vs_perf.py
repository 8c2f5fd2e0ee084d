#!/usr/bin/env python3
"""Samples in one binary, by perf script and by batconv addr: addr_vs_perf.py BATCONV BINARY PERF.DATA PERF.TXT"""
import json
import os
import re
import subprocess
import sys

batconv, binary, data, text = sys.argv[1:]
samples = []
for line in open(text):
    match = re.match(r'\s*([0-9a-f]+) (\S+?)(?:\+0x([0-9a-f]+))? \((.*)\)$', line.rstrip())
    if match and match[4] == binary:
        samples.append((match[1], match[2], int(match[3] or '0', 16)))
assert samples, 'no samples in ' + binary

# Names and sizes of nm decide who is right: all symbols that hold a vaddr, with the offset in them.
symbols = []
for line in subprocess.run(['nm', '-S', '--defined-only', binary], check=True, capture_output=True,
                           text=True).stdout.splitlines():
    words = line.split()
    if len(words) == 4 and words[2] in 'tTwWi':
        symbols.append((int(words[0], 16), int(words[1], 16), words[3]))

done = subprocess.run([batconv, 'addr', '--json', '--binary', binary, '--perf', data],
                      input=''.join(s[0] + '\n' for s in samples), capture_output=True, text=True)
assert done.returncode == 0, done.stderr
same = perfs_error = 0
for (run, name, offset), line in zip(samples, done.stdout.splitlines(), strict=True):
    place = json.loads(line)['locations'][0]
    vaddr = int(place['vaddr'], 16)
    ours = (None, 0)
    if 'function' in place:
        ours = (place['function']['function'].split('/')[0], int(place['function']['offset'], 16))
    holding = {(n, vaddr - start) for start, size, n in symbols if 0 <= vaddr - start < size}
    # Ours is what nm says: the name, or another one of the same address.
    assert not holding or ours in holding or ours[1] in {o for _, o in holding}, (run, place, holding)
    if (name, offset) in holding or (name, offset) == ours:
        same += 1
    elif not holding and name == '[unknown]':
        same += 1
    else:
        perfs_error += 1
print('%-16s %5d samples, %5d as perf has them, %d that perf has otherwise than nm' % (
    os.path.basename(binary), len(samples), same, perfs_error))
