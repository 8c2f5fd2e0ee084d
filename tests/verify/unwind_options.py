#!/usr/bin/env python3
"""Programs through llvm-bolt of several releases with a dozen option sets, and what `verify --unwind` says of each, of those with debug information `verify --unwind --dwarf`:

    options.py [--only=WORD]... [--ten]

The programs are inputs with a profile, and sources that are compiled here: C, C++ with exceptions (gcc and clang, DWARF 4 and 5), Rust, AArch64. Prints a table: instructions compared, as in
the input, right by the code, wrong; warnings of unwinding; of debug information lines as in the input and others, entries compared and different; symbols compared and wrong; all findings that are
errors. Fails if there is an error that EXPECTED does not have: of options that everybody uses there must be none. --only: rows with this word in them (a release, a program, the name of an
option set). --ten: ten rows, as at each landing. What is not installed is left out, and said so.
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
BUILT = 'built/' # what the name of a program begins with that is compiled here
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
TEN = [('16', 'demo/demo', 'production'), ('22', 'demo/demo', 'everything'), ('19', 'folded/cx', 'cdsplit'), ('22', 'frames/lua', 'cdsplit-frame'), ('16', 'aarch64/demo', 'easy'),
       ('16', 'built/names', 'production'), ('22', 'built/gcc-5', 'production'), ('19', 'built/clang-4', 'eh'), ('22', 'built/rust', 'easy'), ('22', 'built/aarch64', 'easy')]
EXPECTED = [('*', '*', 'cdsplit-frame', FRAME), ('*', '*', 'frame', FRAME), ('*', '*', 'frame-all', FRAME), ('*', '*', 'everything', FRAME),
            ('*', 'folded/cx', '*', {'unwind-call-site'})]


def expected(*words):
    return set().union(*(ids for *known, ids in EXPECTED if all(k in ('*', w) for k, w in zip(known, words))))


def built(folder):
    """(program, None) of sources, each by the compilers that are installed."""
    from releases import compiled  # noqa: E402
    made = os.path.join(folder, 'built')
    os.mkdir(made)
    flags = ['-O2', '-g', '-Wl,-q', '-Wl,--build-id']
    commands = [('names', ['gcc'] + flags + ['-rdynamic', 'inputs/names/src/names.c']), ('aarch64', ['aarch64-linux-gnu-gcc'] + flags + ['inputs/sorts/src/sorts.c']),
                ('aarch64-bti', ['aarch64-linux-gnu-gcc'] + flags + ['-mbranch-protection=standard', '-fno-omit-frame-pointer', 'inputs/sound/src/nops.c']),
                ('rust', ['rustc', '--edition=2021', '-O', '-g', '-C', 'link-arg=-Wl,-q', '-C', 'link-arg=-Wl,--build-id', 'inputs/rust/src/shapes.rs'])]
    for path in compiled(made):
        yield path, None
    for name, command in commands:
        if not shutil.which(command[0]):
            print('skipped: %s is not installed' % command[0])
            continue
        path = os.path.join(made, name)
        subprocess.run(command + ['-o', path], cwd=SOURCE, check=True, stderr=subprocess.DEVNULL)
        yield path, None


def numbers(report, name, *keys):
    part = report
    for key in name.split('.'):
        part = part.get(key, {})
    return ' '.join('%7d' % part[k] if k in part else '%7s' % '-' for k in keys)


def row(release, program, samples, name, folder):
    """The line of the table, and the errors that are not expected."""
    out, profile = os.path.join(folder, 'out'), os.path.join(folder, 'profile')
    options, asked = list(SETS[name]), ['--unwind']
    if samples:
        subprocess.run([BATCONV, '-q', program, samples, '-o', profile], check=True, stderr=subprocess.DEVNULL)
        options += ['-data', profile]
    if '/' + BUILT in program:
        options, asked = options + ['-update-debug-sections'], asked + ['--dwarf']
    done = subprocess.run(['llvm-bolt-' + release, program, '-o', out, '-enable-bat', '-no-huge-pages'] + options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        lines = [line for line in done.stdout.decode(errors='replace').splitlines() if any(w in line for w in ('BOLT-ERROR', 'Assertion', 'Cannot find option', 'Unknown command'))]
        return 'refused: ' + (lines or ['exit %d' % done.returncode])[0][:90], set()
    command = [BATCONV, 'verify', '--json', '--limit=3', '--input=' + program, out]
    done = subprocess.run(command + asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == 1 and b'this build is without libdw' in done.stderr:
        done = subprocess.run(command + asked[:1], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 3):
        return 'FAILED: ' + done.stderr.decode()[:200], {'exit %d' % done.returncode}
    report = json.loads(done.stdout)
    if 'unwind' not in report:
        return 'no table', set()
    ids = {f['id'] for f in report['findings'] if f['severity'] == 'error'}
    unwind = report['unwind']
    text = '%7d %s %8d | %s | %s | %s  %s' % (
        unwind['equal'] + unwind['explained'] + unwind['different'], numbers(report, 'unwind', 'equal', 'explained', 'different'), report['counts'].get('unwind-between-calls', 0),
        numbers(report, 'lines', 'equal', 'wrong', 'lost'), numbers(report, 'scopes', 'entries', 'different'), numbers(report, 'symbols', 'symbols', 'wrong'),
        ' '.join('%s:%d' % (i, report['counts'][i]) for i in sorted(ids)))
    return text, ids - expected(release, '/'.join(program.split('/')[-2:]), name)


def main():
    only = [a[len('--only='):] for a in sys.argv[1:] if a.startswith('--only=')]
    ten = '--ten' in sys.argv
    bad = rows = 0
    print('%-8s %-16s %-14s %7s %7s %7s %7s %8s | %7s %7s %7s | %7s %7s | %7s %7s  %s' % (
        'release', 'program', 'options', 'unwind', 'equal', 'right', 'wrong', 'warnings', 'lines', 'wrong', 'lost', 'entries', 'other', 'symbols', 'wrong', 'errors'))
    with tempfile.TemporaryDirectory() as folder:
        programs = PROGRAMS + list(built(folder))
        for release in RELEASES:
            if not shutil.which('llvm-bolt-' + release):
                print('skipped: llvm-bolt-%s is not installed' % release)
                continue
            for program, samples in programs:
                for name in SETS:
                    words = (release, '/'.join(program.split('/')[-2:]), name)
                    if not all(w in words for w in only) or (ten and words not in TEN):
                        continue
                    text, errors = row(release, program, samples, name, folder)
                    print('%-8s %-16s %-14s %s%s' % (*words, text, '   NOT EXPECTED: ' + ' '.join(sorted(errors)) if errors else ''), flush=True)
                    bad += bool(errors)
                    rows += 1
    print('%d rows, %d with errors that are not expected' % (rows, bad))
    sys.exit(1 if bad else 0 if rows else 77)


if __name__ == '__main__':
    main()
