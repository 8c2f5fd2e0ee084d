#!/usr/bin/env python3
"""Programs through llvm-bolt of several releases with a dozen option sets, and what `verify --unwind` says of each:

    options.py [--only=WORD]...

Prints a table: instructions compared, as in the input, right by the code, wrong; findings that are errors, and warnings. Fails if there is an error that EXPECTED does not have: of
options that everybody uses there must be none. --only: rows with this word in them (a release, a program, the name of an option set). Releases that are not installed are left out, and said so.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

BATCONV, INPUTS, SOURCE = os.environ['BATCONV'], os.environ['INPUTS'].rstrip('/'), os.environ['SOURCE']
RELEASES = ['16', '19', '22']
# Program, and every branch that it took.
PROGRAMS = [(SOURCE + '/inputs/demo/demo', None), (INPUTS + '/sqlite/sq', INPUTS + '/sqlite/input.preagg'), (INPUTS + '/folded/cx', INPUTS + '/folded/cx.preagg'),
            (INPUTS + '/rust/shapes', INPUTS + '/rust/shapes.preagg'), (INPUTS + '/moved/moved', INPUTS + '/moved/moved.preagg'), (INPUTS + '/frames/lua', None),
            (INPUTS + '/aarch64/demo', INPUTS + '/aarch64/demo.preagg'), (INPUTS + '/aarch64/sorts.exec', INPUTS + '/aarch64/sorts.exec.preagg')]
EASY = ['-reorder-blocks=ext-tsp', '-reorder-functions=hfsort', '-split-functions', '-split-all-cold']
USUAL = ['-split-eh', '-icf=1', '-inline-small-functions', '-indirect-call-promotion=all', '-peepholes=all', '-simplify-rodata-loads', '-plt=hot']
SETS = {
    'none': [], 'at-end': EASY + ['-hot-functions-at-end'], 'blocks': ['-reorder-blocks=ext-tsp'], 'easy': EASY, 'whole': EASY + ['-lite=0'], 'eh': EASY + ['-split-eh'], 'icf': EASY + ['-icf=1'],
    'production': EASY + USUAL, 'cdsplit': EASY[:3] + ['-split-strategy=cdsplit'], 'random': EASY[:3] + ['-split-strategy=random2', '-bolt-seed=7'],
    'frame': EASY + ['-frame-opt=hot'], 'frame-all': EASY + ['-frame-opt=all'], 'cdsplit-frame': EASY[:3] + ['-split-strategy=cdsplit', '-frame-opt=hot'],
    'everything': EASY + USUAL + ['-frame-opt=hot', '-tail-duplication=cache', '-cmov-conversion', '-three-way-branch', '-inline-memcpy', '-jump-tables=aggressive'],
}
# Known faults of llvm-bolt, each confirmed in another way (docs/verify.md): by release, program and option set, * any; what they end in.
FRAME = {'unwind-cfa', 'unwind-register'}
EXPECTED = [('*', '*', 'cdsplit-frame', FRAME), ('*', '*', 'frame', FRAME), ('*', '*', 'frame-all', FRAME), ('*', '*', 'everything', FRAME),
            ('*', 'folded/cx', '*', {'unwind-call-site'})]


def expected(*words):
    return set().union(*(ids for *known, ids in EXPECTED if all(k in ('*', w) for k, w in zip(known, words))))


def row(release, program, samples, name, folder):
    """The line of the table, and the errors that are not expected; None: llvm-bolt does not take it."""
    out, profile = os.path.join(folder, 'out'), os.path.join(folder, 'profile')
    options = list(SETS[name])
    if samples:
        subprocess.run([BATCONV, '-q', program, samples, '-o', profile], check=True, stderr=subprocess.DEVNULL)
        options += ['-data', profile]
    done = subprocess.run(['llvm-bolt-' + release, program, '-o', out, '-enable-bat', '-no-huge-pages'] + options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        lines = [line for line in done.stdout.decode(errors='replace').splitlines() if 'BOLT-ERROR' in line or 'Cannot find option' in line or 'Unknown command' in line]
        return 'refused: ' + (lines or ['exit %d' % done.returncode])[0][:90], set()
    done = subprocess.run([BATCONV, 'verify', '--json', '--unwind', '--limit=3', '--input=' + program, out], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 3):
        return 'FAILED: ' + done.stderr.decode()[:200], {'exit %d' % done.returncode}
    report = json.loads(done.stdout)
    if 'unwind' not in report:
        return 'no table', set()
    unwind = report['unwind']
    ids = {f['id'] for f in report['findings'] if f['id'].startswith('unwind') and f['severity'] == 'error'}
    errors = sum(report['counts'].get(i, 0) for i in ids)
    compared = unwind['equal'] + unwind['explained'] + unwind['different']
    text = '%8d %8d %6d %5d %6d %8d %5d  %s' % (compared, unwind['equal'], unwind['explained'], unwind['different'], errors,
                                             report['counts'].get('unwind-between-calls', 0), unwind['calls'], ' '.join(sorted(ids)))
    return text, ids - expected(release, '/'.join(program.split('/')[-2:]), name)


def main():
    only = [a[len('--only='):] for a in sys.argv[1:] if a.startswith('--only=')]
    bad = 0
    print('%-8s %-16s %-14s %8s %8s %6s %5s %6s %8s %5s' % ('release', 'program', 'options', 'compared', 'equal', 'right', 'wrong', 'errors', 'warnings', 'calls'))
    for release in RELEASES:
        if not shutil.which('llvm-bolt-' + release):
            print('skipped: llvm-bolt-%s is not installed' % release)
            continue
        for program, samples in PROGRAMS:
            for name in SETS:
                words = [release, '/'.join(program.split('/')[-2:]), name]
                if not all(w in words for w in only):
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    text, errors = row(release, program, samples, name, folder)
                print('%-8s %-16s %-14s %s%s' % (*words, text, '   NOT EXPECTED' if errors else ''), flush=True)
                bad += bool(errors)
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
