#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces of whole runs, walked: whole.py WALK_TOOL INPUTS SOURCE [WORD...]

tests/support/pt_data.py and etm_data.py write perf.data of runs whose every step is known (inputs/pt, inputs/etm).  The walk must find each branch as
often as it was taken, in all files of the process, with nothing lost and no mismatch; some cases say what may be lost.  The tests
peer.pt and peer.etm read the same files with perf and libipt first: a writer and a reader of one hand can agree on one mistake.

WORD: only cases that have it.
"""
import collections
import os
import shutil
import subprocess
import sys
import tempfile

# format, run, words of the writer, what may differ: '' nothing; 'lost': branches may be missing, none may be too many
CASES = [
    ('pt', 'ways', 'times', ''),
    ('pt', 'ways', 'times returns', ''),
    ('pt', 'ways', 'times returns long', ''),
    ('pt', 'ways', 'times long deferred', ''),
    ('pt', 'ways', 'cycles returns long deferred', ''),
    ('pt', 'ways', 'times cpu returns', ''),
    ('pt', 'ways', 'cycles cpu returns processes=2 threads=2', ''),
    ('pt', 'ways', 'times interrupts=50 returns', ''),
    ('pt', 'ways', 'times interrupts=7', ''),
    ('pt', 'ways', 'times ptwrite=40', ''),
    ('pt', 'ways', 'times psb=300 returns', ''),
    ('pt', 'ways', 'times threads=3 returns', ''),
    ('pt', 'ways', 'times cpu syscalls processes=2', ''),
    ('pt', 'ways', 'times pieces=100', ''),
    ('pt', 'ways', 'times overflow=900 returns', 'lost'),
    ('pt', 'ways', 'times lost pieces=700', 'lost'),
    ('pt', 'ways', 'times gap pieces=700 returns psb=300', 'lost'),
    ('pt', 'ways', 'times snapshots pieces=700', ''),
    ('pt', 'ways', 'times returns rounds=3', ''),
    ('pt', 'ways.b22', 'times returns', ''),
    ('pt', 'demo', 'times returns filter', ''),
    ('pt', 'demo', 'cycles long psb=500 filter', ''),
    ('pt', 'demo.bolt', 'times returns filter', ''),
    ('etm', 'ways', 'raw times', ''),
    ('etm', 'ways', 'raw ete times', ''),
    ('etm', 'ways', 'raw returns times', ''),
    ('etm', 'ways', 'raw returns sync=300 times', ''),
    ('etm', 'ways', 'raw cycles times aside', ''),
    ('etm', 'ways', 'raw aside ete times', ''),
    ('etm', 'ways', 'context times', ''),
    ('etm', 'ways', 'raw interrupts=50 times', ''),
    ('etm', 'ways', 'raw speculation=16 times', ''),
    ('etm', 'ways', 'raw speculation=100 ete returns times cycles aside', ''),
    ('etm', 'ways', 'threads=3 returns times', ''),
    ('etm', 'ways', 'cpu context times threads=2 hwid', ''),
    ('etm', 'ways', 'cpu shared vmid processes=2 speculation=9 times', ''),
    ('etm', 'ways', 'raw overflow=900 times', 'lost'),
    ('etm', 'ways', 'raw times pieces=80', ''),
    ('etm', 'ways', 'cpu context times pieces=112', ''),
    ('etm', 'ways', 'raw returns times snapshots pieces=512 sync=300', ''),
    ('etm', 'ways', 'times sync=300 lost pieces=512', 'lost'),
    ('etm', 'ways', 'raw returns times sync=300 gap pieces=512', 'lost'),
    ('etm', 'ways', 'cpu vmid times sync=300 gap pieces=512', 'lost'),
    ('etm', 'ways', 'raw times sync=300 bytes=05', 'lost'),
    ('etm', 'ways', 'raw returns times pipe', ''),
    ('etm', 'ways', 'raw times returns rounds=3', ''),
    ('etm', 'ways.b22', 'raw returns times', ''),
    ('etm', 'demo', 'returns times', ''),
    ('etm', 'demo.b22', 'cycles sync=200 times', ''),
]
BASE = {'pt': '4000000000', 'etm': '5500000000'}


def files_of(inputs, source, kind, folder):
    os.mkdir(folder)
    for part in (os.path.join(inputs, kind), os.path.join(source, 'inputs/demo') if kind == 'pt' else os.path.join(inputs, 'aarch64')):
        for name in os.listdir(part):
            path = os.path.join(part, name)
            if os.path.isfile(path) and not name.endswith(('.run', '.data', '.fdata', '.xz', '.txt')):
                shutil.copy(path, folder)


def write(source, inputs, kind, run, words):
    place = ['at=' + BASE[kind]] if run.startswith('demo') else []
    command = [sys.executable, os.path.join(source, 'tests/support/%s_data.py' % kind)] + ['write'] * (kind == 'pt')
    runs = os.path.join(inputs, kind, run + '.run')
    subprocess.run(command + [runs, 'x.data', 'files=' + kind, 'program=' + run] + place + words.split(), check=True)


def truth():
    taken = collections.Counter()
    with open('x.data.truth') as file:
        for line in file:
            words = line.split()
            if len(words) == 3:
                taken[tuple(words)] += 1
    return taken


def walk(tool, threads, *options):
    result = subprocess.run([tool, '--threads=%d' % threads, *options, 'x.data'], capture_output=True, text=True, check=False)
    if result.returncode:
        raise SystemExit('the walk failed: %s' % result.stderr)
    found, lines = collections.Counter(), collections.Counter()
    for line in result.stdout.splitlines():
        pid, branch, to, end, count = line.split()[:5]
        if branch != '0':
            found[pid, branch, to] += int(count)
        lines[pid, to, end] += int(count)
    return found, lines, result.stderr


def ends_are_taken(taken, lines):
    """Each line ends at a branch that was taken, and begins where one led to as often as lines do."""
    sources, ends = collections.Counter(), collections.Counter()
    for (pid, branch, _), count in taken.items():
        sources[pid, branch] += count
    for (pid, _, end), count in lines.items():
        if end != '0':
            ends[pid, end] += count
    return not ends - sources


def check(tool, kind, run, words, may):
    taken = truth()
    wrong = []
    for threads in (1, 3):
        found, lines, said = walk(tool, threads)
        more, less = found - taken, taken - found
        if more:
            wrong.append('%d too many, as %s' % (sum(more.values()), list(more.items())[:3]))
        if less and not may:
            wrong.append('%d missing, as %s' % (sum(less.values()), list(less.items())[:3]))
        if may and sum(less.values()) * 4 > sum(taken.values()):
            wrong.append('%d of %d missing' % (sum(less.values()), sum(taken.values())))
        if not ends_are_taken(taken, lines):
            wrong.append('lines end where no branch was taken')
        if not may and ('mismatches 0 loops 0' not in said or 'lost' in said):
            wrong.append(said)
    print('%s %s %s: %d branches, %s' % (kind, run, words, sum(taken.values()), wrong or 'all found' if not may else wrong or '%d missing' % sum(less.values())))
    return not wrong


def missing_file(tool, inputs, source):
    """Without a library: the executed code there is lost and reported, all else is found."""
    write(source, inputs, 'pt', 'ways', 'times')
    os.rename('pt/part.so', 'part.away')
    found, _, said = walk(tool, 1)
    os.makedirs('elsewhere')
    os.rename('part.away', 'elsewhere/part.so')
    again, _, whole = walk(tool, 1, '--debug-dir=elsewhere')
    os.rename('elsewhere/part.so', 'pt/part.so')
    taken = truth()
    mapped = [line for line in said.splitlines() if line.startswith('file ') and 'part.so no_file' in line]
    inside = {key for key in taken if 0x10000000 <= int(key[1], 16) < 0x10001000}
    missing = taken - found
    ok = len(mapped) == 1 and missing and all(0x10000000 <= int(key[1], 16) < 0x10001000 or 0x10000000 <= int(key[2], 16) < 0x10001000 for key in missing)
    ok = ok and again == taken and 'lost' not in whole and inside
    print('pt without part.so: %d of %d branches missing, %s: %s' % (sum(missing.values()), sum(taken.values()), mapped, 'as it should' if ok else 'WRONG'))
    return ok


def main():
    tool, inputs, source = (os.path.abspath(path) for path in sys.argv[1:4])
    words = sys.argv[4:]
    with tempfile.TemporaryDirectory(prefix='walk-') as folder:
        os.chdir(folder)
        for kind in ('pt', 'etm'):
            files_of(inputs, source, kind, kind)
        ok = True
        for kind, run, how, may in CASES:
            if all(word in (kind, run) or word in how for word in words):
                write(source, inputs, kind, run, how)
                ok = check(tool, kind, run, how, may) and ok
        ok = (words or missing_file(tool, inputs, source)) and ok
        os.chdir('/')
    return 0 if ok else 1


if __name__ == '__main__':
    sys.exit(main())
