#!/usr/bin/env python3
"""Libraries come and go while a program is sampled: check_plugins.py BATCONV PROGRAM LIBRARY...

Every stack must resolve to the library that the program says it was in, by map id and by time, from text and from
snapshots; a snapshot file of many maps that change little must be at least 50 times smaller than their text.
"""
import json
import os
import subprocess
import sys
import tempfile

ROUNDS = 1000
batconv, program, *libraries = [os.path.realpath(a) for a in sys.argv[1:]]


def resolved(stacks, maps):
    out = subprocess.run([batconv, 'stacks', '-q', '--format=json', '--functions', '--maps=' + maps, stacks],
                         check=True, capture_output=True, text=True).stdout
    return [json.loads(line)['frames'] for line in out.splitlines()]


def check(frames, truth, how):
    assert len(frames) == len(truth) == ROUNDS, (how, len(frames), len(truth))
    for number, (stack, library) in enumerate(zip(frames, truth)):
        assert stack[1]['library'] == library, (how, number, stack, library)
        assert stack[1]['function'] == 'plugin_run', (how, number, stack)
        assert stack[0]['library'] == program and stack[0]['function'].startswith('sample'), (how, number, stack)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    truth = subprocess.run([program, 'stacks', 'maps', str(ROUNDS)] + libraries,
                           check=True, capture_output=True, text=True).stdout.splitlines()
    by_id = resolved('stacks', 'maps')
    check(by_id, truth, 'by id')

    # Where both libraries were at one address the map decides.
    seen = {}
    for stack in by_id:
        seen.setdefault(stack[1]['raw'], set()).add(stack[1]['library'])
    reused = [at for at, where in seen.items() if len(where) > 1]
    if not reused:
        print('the system never used an address twice: nothing shown about that')

    with open('stacks') as file, open('by-time', 'w') as out:
        for line in file:
            time, where, *rest = line.split()
            out.write(' '.join([time, where.split('m')[0]] + rest) + '\n')
    check(resolved('by-time', 'maps'), truth, 'by time')

    subprocess.run([batconv, 'maps', '--add=all.bcmaps', 'maps'], check=True)
    check(resolved('stacks', 'all.bcmaps'), truth, 'from snapshots')
    text, packed = os.path.getsize('maps'), os.path.getsize('all.bcmaps')
    print('%d maps: %d bytes of text, %d of snapshots, %.0f times smaller; %d addresses used by both libraries' %
          (ROUNDS, text, packed, text / packed, len(reused)))
    assert text > 50 * packed

    # What comes out of the snapshots is the text that went in.
    raw = subprocess.run([batconv, 'maps', '--raw', 'all.bcmaps'], check=True, capture_output=True).stdout
    with open('maps', 'rb') as file:
        assert raw == file.read()
