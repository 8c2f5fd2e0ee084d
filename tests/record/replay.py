#!/usr/bin/env python3
"""What is recorded is what is converted: replay.py [WORD...]

The records of recordings with branch stacks are dealt to rings (rings.py), replayed through the recorder (replay.c), and its
shards are converted: the profile must have the lines that `convert` makes of the recording itself, every one, byte by byte.  So it
must be with records cut anywhere, with one ring, rounds of any length, several shards, little memory, types of branches and
mispredictions.  BATCONV, REPLAY, INPUTS and SOURCE name the programs and folders; a WORD chooses cases.
"""
import os
import re
import subprocess
import sys
import tempfile

BATCONV, REPLAY, INPUTS, SOURCE = (os.environ[name] for name in ('BATCONV', 'REPLAY', 'INPUTS', 'SOURCE'))
sys.path.insert(0, os.path.join(SOURCE, 'tests/record'))
import rings  # noqa: E402

DEMO = os.path.join(SOURCE, 'inputs/demo')
SQLITE, PROBED = (os.path.join(INPUTS, name) for name in ('sqlite', 'probed'))
PAIRS = [(SQLITE + '/lbr.%s.data' % b, SQLITE + '/sq.' + b) for b in ('b16', 'b18', 'b19', 'b22')] + [
    (SQLITE + '/typed.b22.data', SQLITE + '/sq.b22'),
    (SQLITE + '/lbr.input.data', SQLITE + '/sq'),  # llvm-bolt did not write it: no erratum
    (SQLITE + '/ip.b16.data', SQLITE + '/sq.b16'),
    (SQLITE + '/ip.b22.data', SQLITE + '/sq.b22'),
    (PROBED + '/probes.bolt.data', os.path.join(INPUTS, 'compiled/probes.bolt')),
    (PROBED + '/walk.bolt.data', PROBED + '/walk.bolt'),
    (PROBED + '/libtwist.bolt.data', PROBED + '/libtwist.bolt.so', 'libtwist.so'),
    (DEMO + '/demo.perf.data', DEMO + '/demo.bolt'),
    (DEMO + '/demo.basic.perf.data', DEMO + '/demo.bolt'),
]
WAYS = [  # rings, records a round, bytes of a part, arguments of replay
    (8, 500, 0, []),
    (1, 10 ** 9, 0, []),
    (3, 7, 13, []),
    (8, 100, 4096, ['-f', '3']),
    (2, 50, 0, ['-m', '300000']),
]
FLAGS = [None, ('mispredicted',), ('untyped', '3')]


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit('%s: exit %d\n%s' % (' '.join(command), done.returncode, done.stderr))
    return done.stdout


def profile(binary, called, samples, out):
    run(BATCONV, 'convert', '-q', '--force', '--no-input', '--image=' + called, binary, *samples, '-o', out)
    with open(out, 'rb') as file:
        return file.read()


def shards(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith('.zst'))


def replay(made, folder, args, binary):
    out = run(REPLAY, made, folder, *args, binary)
    wrong = re.search(r'does not balance|memory_limit|lost [1-9]', out)
    return out, wrong.group(0) if wrong else None


def differences(recording, binary, called, way, flags, folder):
    samples = recording
    if flags:
        samples = os.path.join(folder, 'flags.data')
        run(sys.executable, os.path.join(SOURCE, 'tests/support/branch_flags.py'), *flags, recording, samples)
    with open(samples, 'rb') as file:
        attr, records = rings.records_of(file.read())
    made = os.path.join(folder, 'rings')
    with open(made, 'wb') as file:
        file.write(rings.rings_file(attr, records, *way[:3]))
    os.symlink(binary, os.path.join(folder, called))
    out, wrong = replay(made, folder, way[3], os.path.join(folder, called))
    if wrong:
        yield '%s:\n%s' % (wrong, out)
    want = profile(binary, called, [samples], os.path.join(folder, 'want'))
    got = profile(binary, called, shards(folder), os.path.join(folder, 'got'))
    merged = os.path.join(folder, 'merged.zst')
    run(BATCONV, 'merge', '-q', *shards(folder), '-o', merged)
    if len(want.splitlines()) < 10:
        yield 'convert writes too few lines to compare'
    made = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith('.fdata')]
    if len(made) == 1:
        with open(made[0], 'rb') as file:
            if file.read() != want:
                yield 'the profile that the recorder makes differs'
    for name, lines in ('converted', got), ('merged', profile(binary, called, [merged], os.path.join(folder, 'got'))):
        if want == lines:
            continue
        a, b = want.splitlines(), lines.splitlines()
        yield '%s: %d of %d lines differ, such as %s' % (name, len(set(a) ^ set(b)), len(a), sorted(set(a) ^ set(b))[:3])


def cases():
    for recording, binary, *called in PAIRS:
        for way in WAYS:
            for flags in FLAGS:
                stacks = '/ip.' not in recording and 'basic' not in recording
                if (flags and (way != WAYS[0] or not stacks)) or (flags and flags[0] == 'untyped' and 'typed' not in recording):
                    continue
                yield recording, binary, (called or [os.path.basename(binary)])[0], way, flags


def main():
    count = failed = 0
    for recording, binary, called, way, flags in cases():
        name = '%s %s %s' % (os.path.basename(recording), ' '.join(map(str, way[:3] + tuple(way[3]))), ' '.join(flags or ()))
        if not all(word in name for word in sys.argv[1:]):
            continue
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            for wrong in differences(recording, binary, called, way, flags, folder):
                failed += 1
                print('%s: %s' % (name, wrong))
    print('%d replays, %d wrong' % (count, failed))
    return 1 if failed or not count else 0


if __name__ == '__main__':
    sys.exit(main())
