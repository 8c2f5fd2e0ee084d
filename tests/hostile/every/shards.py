#!/usr/bin/env python3
"""A shard of other code is refused wherever a binary is next to it: shards.py

The program is asked for its commands, their operands and options, as by every.py.  Each position gets the counts of demo.bolt, and then
the same counts in a shard that says it is of other code (kinds.py), without and with each option of the command that takes no value.  Where the first
is taken next to demo.bolt, the second must be refused: exit code 3, one line that names the shard, the binary and both digests, and nothing
written.  BATCONV, INPUTS and SOURCE are as for tests/cli/run.py.
"""
import collections
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import commands  # noqa: E402
import every  # noqa: E402
import kinds  # noqa: E402

# What makes a position one of samples with a binary.
BESIDE = {('overlap', 'A'): ['--bin=', 'demo.bolt'], ('overlap', 'B'): ['--bin=', 'demo.bolt'], ('merge', 'INPUT'): ['--expect=', 'demo.bolt']}
# Options that say that another build will do; and merge has a message of its own.
ANY_CODE = {'--force', '-force'}
MESSAGE = {'merge': rb'other\.zst: is of another build, [0-9a-f]{64}$'}
REFUSED = rb'(?:other\.zst|<stdin>): byte 8: its counts are of other code, [0-9a-f]{12}, than \S*demo\.bolt has, [0-9a-f]{12}$'
# Files of names of functions, which any text is.
NAMES = {'-funcs-file', '-funcs-file-no-regex', '-skip-funcs-file'}
# Positions that are known to take a shard: the test must find them.
KNOWN = {('convert', 'SAMPLES'), ('convert', 'stdin'), ('quality', 'SAMPLES'), ('report', 'SAMPLES'), ('report', '--against'), ('heatmap', 'SAMPLES'),
         ('overlap', 'A'), ('overlap', 'B'), ('merge', 'INPUT'), ('perf2bolt', '-p'), ('llvm-bolt-heatmap', '-p')}


def run(planner, place, kind, flags, scratch):
    run = planner.run(place, kind, flags, True)
    folder = tempfile.mkdtemp(dir=scratch)
    try:
        run.code, out, run.message, before = every.execute(run, folder)
        run.wrong = list(every.judge(run, run.code, out, run.message, folder, before))
        run.written = sorted(os.listdir(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return run


def tell(other):
    for line in other.wrong + [line.decode('utf-8', 'replace') for line in other.message.splitlines()]:
        print('    > ' + line)
    print('    %s' % other.text())


def try_place(planner, place, scratch, seen):
    """How many were refused that had to be, and how many were not."""
    right = wrong = 0
    for flags in [[]] + [[flag] for flag in place.command.flags()]:
        own = run(planner, place, planner.files['shard.zst'], flags, scratch)
        beside = [a for a in own.arguments if re.search(r'(^|/|=)demo\.bolt$', a)]
        if own.code not in (0, 4) or not beside or run(planner, place, planner.files['source.c'], flags, scratch).code in (0, 4):
            continue  # what takes a C file, too, does not look into the file
        other = run(planner, place, planner.files['other.zst'], flags, scratch)
        lines = [line for line in other.message.splitlines() if re.search(MESSAGE.get(place.command.name, REFUSED), line) or
                 b'of other code' in line and b'--stats=json' in ' '.join(other.arguments).encode()]
        refused = other.code in (1, 3) and len(lines) == 1 and not other.wrong and not other.written
        if refused or ANY_CODE & set(flags):
            right += refused
        else:
            wrong += 1
            print('%s takes a shard of other code: exit %s, written: %s' % (place.label(), other.code, other.written))
            tell(other)
    if right:
        seen[place.command.name, place.name()] += right
    return wrong


def main():
    batconv = os.path.abspath(os.environ['BATCONV'])
    seen, wrong = collections.Counter(), 0
    commands.BESIDE.update(BESIDE)
    with tempfile.TemporaryDirectory() as folder:
        for name in commands.PERF2BOLT_NAMES:
            os.symlink(batconv, os.path.join(folder, name))
        os.mkdir(folder + '/kinds')
        os.mkdir(folder + '/runs')
        files = kinds.make(batconv, os.environ['INPUTS'], os.environ['SOURCE'], folder + '/kinds')
        planner = every.Planner(files)
        for command in commands.ask(batconv, folder):
            for place in commands.places(command):
                if not place.writes and place.name() not in NAMES:
                    wrong += try_place(planner, place, folder + '/runs', seen)
    for place in sorted(KNOWN - set(seen)):
        print('%s %s: no shard was taken there, so nothing was compared' % place)
        wrong += 1
    print('%d shards of other code refused, in %d places: %s' % (sum(seen.values()), len(seen), ', '.join('%s %s' % place for place in sorted(seen))))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
