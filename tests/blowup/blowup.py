#!/usr/bin/env python3
"""Small inputs that ask for much: blowup.py [--small] [--keep] [KIND...]

Each kind of input grows with n, and so does what it refers to: what is naive takes n times n.  Each is made at once, four
times and sixteen times its size (--small: a fifth of that, and twice as much), and given to every command that takes it.
What must hold:

    seconds of processor   at most 2, and 1 for each MB of input; --small: 4
    memory                 at most 64 MB, and 32 times the input
    exit code              0, 3 or 4; 1, if the message names the limit

Prints a table.  KIND: only those.  --keep: what the last ones wrote is left in the directory that is named.
BATCONV: the program (default: build/release/batconv).  INPUT, the size, is of all files that a command was given.
"""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import binaries  # noqa: E402
import recordings  # noqa: E402

BATCONV = os.path.abspath(os.environ.get('BATCONV', os.path.join(HERE, '../../build/release/batconv')))
KINDS = {**binaries.KINDS, **recordings.KINDS}
MB = 1e6

# What a refusal has to say: that there is a limit, and which.
LIMIT = re.compile(r'limit|at most|more than \d|out of reach|Linux loads none')
ADDRESSES = ['401000', '401234', '10000000']

CONVERT = ['convert', '--force', '-q', 'binary']
COMMANDS = {
    ('binary', 'samples'): [
        CONVERT + ['samples', '-o', 'out.fdata'], CONVERT + ['samples', '--format=yaml', '--profile-write-pseudo-probes', '-o', 'out.yaml'],
        CONVERT + ['samples', '--format=preagg', '-o', 'out.preagg'],
        CONVERT + ['samples', '--stats=json', '-o', 'out.fdata'], CONVERT + ['--basic', 'samples', '-o', 'out.fdata'],
        CONVERT + ['--impute-fall-throughs', 'samples', '-o', 'out.fdata']],
    ('binary', 'recording'): [
        CONVERT + ['recording', '--basic', '-o', 'out.fdata'],
        ['addr', '--binary=binary', '--perf=recording'] + ADDRESSES,
        ['addr', '--binary=binary', '--perf=recording', '--process=1'] + ADDRESSES,
        ['stacks', '--binary=binary', '--functions', '-q', 'recording', '-o', 'out.stacks']],
    ('recording',): [
        ['maps', '--list', 'recording'], ['maps', 'recording'], ['maps', '--raw', 'recording'], ['maps', '--json', 'recording'],
        ['maps', '--process=1', 'recording'], ['maps', '--add=out.bcmaps', 'recording'],
        ['stacks', '-q', 'recording', '-o', 'out.stacks']],
    ('binary', 'maps'): [['addr', '--binary=binary', '--maps=maps'] + ADDRESSES],
    ('binary', 'given', 'samples'): [
        CONVERT + ['--maps=given', 'samples', '-o', 'out.fdata'], ['stacks', '-q', '--maps=given', 'samples', '-o', 'out.stacks']],
    ('maps',): [['maps', '--list', 'maps'], ['maps', '--raw', 'maps'], ['maps', '--json', 'maps'], ['maps', '--add=out.bcmaps', 'maps']],
    ('binary',): [
        ['image', 'binary'], ['verify', 'binary'], ['verify', '--json', '--sample-check=1000', 'binary'],
        ['verify', '-i', 'binary', 'binary'], ['dump', 'binary'], ['dump', '--json', 'binary', '-o', 'out.json'],
        ['dump', '--raw', 'binary'], ['diff', 'binary', 'binary'],
        ['transcode', '-q', '--layout=delta', 'binary', '-o', 'out.delta'],
        ['addr', '--binary=binary', '--from=vaddr'] + ADDRESSES, ['extract', 'binary', '-o', 'out.side']],
    ('out.json',): [['encode', 'out.json', '-o', 'out.note']],
    ('out.side', 'samples'): [['convert', '--force', '-q', 'out.side', 'samples', '-o', 'out.fdata']],
}

# Known not to be in bounds, and said so in docs/limits.md: which option of a kind is left out.
BEYOND = {'samples-between-maps': '--functions'}


class Bounds:
    def __init__(self, small):
        self.seconds, self.per_mb, self.memory, self.times = 4 if small else 2, 1, 64, 32
        with open(BATCONV, 'rb') as program:
            if b'__asan_init' in program.read():  # several times slower, and larger
                self.seconds, self.memory, self.times = 16, 192, 96

    def time(self, mb):
        return self.seconds + self.per_mb * mb

    def most(self, mb):
        return self.memory + self.times * mb


def make(kind, n, folder):
    """In a process of its own: a child's peak begins with what its parent has."""
    child = os.fork()
    if not child:
        for name, content in KINDS[kind][0](n).items():
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(content)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(f'{kind}: cannot be made')


def run(arguments, folder, bounds):
    """What it took, and what was wrong: (MB of input, exit code, seconds, MB of memory, why)."""
    files = {name for argument in arguments for name in [argument.split('=')[-1]]
             if argument != 'out' and os.path.isfile(os.path.join(folder, name)) and not argument.startswith('--add')}
    mb = sum(os.path.getsize(os.path.join(folder, name)) for name in files) / MB
    seconds = bounds.time(mb)

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 2,) * 2)

    with open(os.path.join(folder, 'stderr'), 'wb') as err:
        process = subprocess.Popen([BATCONV] + arguments, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=err, preexec_fn=limit)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = code = os.waitstatus_to_exitcode(status)
    took, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    with open(os.path.join(folder, 'stderr'), encoding='utf-8', errors='replace') as err:
        said = err.read().strip()
    wrong = []
    if code not in (0, 1, 3, 4):
        wrong.append(f'exit {code}')
    if took > seconds:
        wrong.append('too slow')
    if peak > bounds.most(mb):
        wrong.append('too much memory')
    refused = code == 1 and LIMIT.search(said)
    return mb, code, took, peak, wrong, said if refused else ''


def measure(kind, n, folder, bounds, show):
    """All commands; returns what was wrong with each."""
    failed = []
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    make(kind, n, folder)
    worst = {}
    for needs, commands in COMMANDS.items():
        for arguments in commands:
            if not all(os.path.exists(os.path.join(folder, name)) for name in needs) or BEYOND.get(kind) in arguments:
                continue
            result = run(arguments, folder, bounds)
            if result[4]:
                failed.append((arguments, result))
            for key, value in (('time', result[2] / bounds.time(result[0])), ('memory', result[3] / bounds.most(result[0]))):
                if key not in worst or value > worst[key][0]:
                    worst[key] = (value, arguments, result)
            if result[5]:
                worst['refused'] = (0, arguments, result)
    slow, large = worst['time'][2], worst['memory'][2]
    refused = worst['refused'][2][5].split(': ', 2)[-1][:110] if 'refused' in worst else ''
    show(kind, slow[0], slow[2], ' '.join(worst['time'][1][:2]), large[3], refused)
    return failed


def main():
    small, keep = '--small' in sys.argv, '--keep' in sys.argv
    chosen = [word for word in sys.argv[1:] if not word.startswith('--')] or list(KINDS)
    bounds, failed = Bounds(small), 0
    folder = tempfile.mkdtemp(prefix='blowup.')
    print('| kind | MB | s | of | peak MB | refused |\n| --- | ---: | ---: | --- | ---: | --- |')

    def show(kind, mb, seconds, command, peak, refused):
        print(f'| {kind} | {mb:.1f} | {seconds:.2f} | {command} | {peak:.0f} | {refused} |', flush=True)

    for kind in chosen:
        n = KINDS[kind][1]
        for size in ([max(n // 4, 1)] if small else [n, 4 * n, 16 * n]):
            bad = measure(kind, size, folder, bounds, show)
            for arguments, (mb, code, seconds, peak, wrong, _) in bad:
                print(f'FAILED: {kind}, n = {size}: batconv {" ".join(arguments)}: {mb:.1f} MB, exit {code}, {seconds:.2f} s, '
                      f'{peak:.0f} MB: {", ".join(wrong)}', flush=True)
            failed += bool(bad)
            if bad:
                break
    print(f'{len(chosen) - failed} of {len(chosen)} kinds in bounds')
    if keep:
        print(folder)
    else:
        shutil.rmtree(folder)
    sys.exit(failed > 0)


main()
