#!/usr/bin/env python3
"""`batconv record --replay` on rings that were made of recordings with branch stacks: command.py

The profile that it writes, and that of its shard, are those that `convert` makes of the recording, byte by byte; a run that is given
damaged rings says so in one line and writes nothing.  --until=enough ends where the figure of `quality` says so.
"""
import json
import os
import subprocess
import sys
import tempfile

BATCONV, INPUTS, SOURCE = (os.environ[name] for name in ('BATCONV', 'INPUTS', 'SOURCE'))
sys.path.insert(0, os.path.join(SOURCE, 'tests/record'))
import rings  # noqa: E402

SQLITE = os.path.join(INPUTS, 'sqlite')
os.environ['BATCONV_NO_INPUT'] = '1'  # sq lies next to sq.b22
wrong = []


def run(*command, code=0):
    done = subprocess.run([BATCONV, *command], capture_output=True, text=True, check=False)
    if done.returncode != code:
        wrong.append('%s: exit %d\n%s' % (' '.join(command), done.returncode, done.stderr))
    return done.stderr


def same(a, b):
    with open(a, 'rb') as one, open(b, 'rb') as other:
        if one.read() != other.read():
            wrong.append('%s and %s differ' % (a, b))


def lines(path):
    with open(path, 'rb') as file:
        return file.read().count(b'\n')


def mispredicted(binary, recording):
    """Mispredictions are on whole traces in the shard, which perf2bolt 22 refuses; --format=preagg of it is what 22 reads, and both give
    the profile of the recording."""
    subprocess.run([sys.executable, os.path.join(SOURCE, 'tests/support/branch_flags.py'), 'mispredicted', recording, 'flags.data'], check=True)
    with open('saved.flags', 'wb') as file:
        file.write(rings.of_recording('flags.data'))
    run('convert', '-q', '--no-input', binary, 'flags.data', '-o', 'want')
    run('record', '-q', '--replay=saved.flags', '--bin=' + binary, '-o', 'flags.zst')
    run('convert', '-q', '--format=preagg', binary, 'flags.zst', '-o', 'flags.preagg')
    for samples in 'flags.zst', 'flags.preagg':
        run('convert', '-q', '--no-input', binary, samples, '-o', 'got')
        same('want', 'got')
    run('merge', '-q', 'flags.zst', '-o', 'flags.whole')
    perf2bolt = '/usr/lib/llvm-22/bin/perf2bolt'
    if not os.path.exists(perf2bolt):
        print('left out: no perf2bolt of LLVM 22')
        return 0
    codes = [subprocess.run([perf2bolt, '-pa', '-p', samples, '-o', 'theirs', binary], capture_output=True, check=False).returncode
             for samples in ('flags.whole', 'flags.preagg')]
    if codes != [1, 0]:
        wrong.append('perf2bolt 22 of whole traces with mispredictions, and of what is split: exit codes %s, not 1 and 0' % codes)
    return lines('flags.preagg')


def until():
    """With stacks it ends early; with basic samples of which there are too few, all of them are measured, as by `quality`."""
    program, binary = os.path.join(SQLITE, 'sq'), os.path.join(SQLITE, 'sq.b22')
    for name, code in ('lbr', 0), ('ip', 3):
        recording = os.path.join(SQLITE, name + '.b22.data')
        with open('saved.until', 'wb') as file:
            file.write(rings.of_recording(recording, per_round=100))
        words = 'record', '--until=enough', '--replay=saved.until', '--bin=' + binary, '--input=' + program
        stats = json.loads(run(*words, '--stats=json', '-o', 'until.zst', code=code).splitlines()[-1])
        whole = json.loads(run('record', '--stats=json', '--replay=saved.until', '--bin=' + binary, '-o', 'whole.zst').splitlines()[-1])
        got, read, of = stats['until'], stats['samples']['read'], whole['samples']['read']
        if got['enough'] != (code == 0) or (got['gain']['verdict'] == 'enough') != got['enough'] or (read < of) != got['enough']:
            wrong.append('%s, until enough: %d of %d samples, %s' % (name, read, of, got))
        run('quality', '--json', '-o', 'quality.json', '--input=' + program, binary, 'until.zst')
        with open('quality.json', encoding='utf-8') as file:
            gain = json.load(file)['gain']
        kept = stats['binaries'][0]['samples']
        if gain['verdict'] != got['gain']['verdict'] or not 300 <= got['samples'] <= kept or \
                (code and (gain != got['gain'] or got['samples'] != kept)):
            wrong.append('%s: %d samples by quality: %s, by record: %s' % (name, kept, gain, got))
        told = run(*words, '-o', 'got', code=code)
        run('convert', '-q', '--input=' + program, binary, 'until.zst', '-o', 'want')
        same('want', 'got')
        said = [line for line in told.splitlines() if line.startswith(('gain ', 'batconv: warning: '))]
        if len(said) != 1 or ('the samples are not enough: ' in said[0]) != (code == 3) or 'taken branches: ' not in said[0]:
            wrong.append('%s says %s' % (name, told))
        told = run('record', '--replay=saved.until', '--bin=' + binary, '--input=' + program, '-o', 'got')
        if ('the next binary may take more branches than the program' in told) != (gain['verdict'] == 'doubtful'):
            wrong.append('%s, which is %s, says without --until: %s' % (name, gain['verdict'], told))


def main():
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for build in 'b16', 'b22':
            binary, recording = os.path.join(SQLITE, 'sq.' + build), os.path.join(SQLITE, 'lbr.%s.data' % build)
            with open(recording, 'rb') as file:
                attr, records = rings.records_of(file.read())
            saved = rings.rings_file(attr, records, 8, 500, 0)
            with open('saved', 'wb') as file:
                file.write(saved)
            run('convert', '-q', '--no-input', binary, recording, '-o', 'want')
            run('record', '-q', '--replay=saved', '--bin=' + binary, '-o', 'got')
            same('want', 'got')
            run('record', '-q', '--replay=saved', '--bin=' + binary, '-o', 'got.zst')
            run('convert', '-q', '--no-input', binary, 'got.zst', '-o', 'got')
            same('want', 'got')
            count += lines('got')
        count += mispredicted(binary, recording)
        until()
        for what, damaged in ('cut', saved[:len(saved) // 2]), ('ring', saved[:-8]), ('begin', saved[1:]):
            with open(what, 'wb') as file:
                file.write(damaged)
            told = run('record', '--replay=' + what, '--bin=' + binary, '-o', 'none', code=1)
            if told.count('\n') != 1 or not told.startswith('batconv: error: %s: ' % what) or os.path.exists('none'):
                wrong.append('%s: %s' % (what, told))
    print('%d lines the same' % count)
    print('\n'.join(wrong))
    return bool(wrong) or count < 5000


sys.exit(main())
