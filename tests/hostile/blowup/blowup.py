#!/usr/bin/env python3
"""Small inputs that ask for much: blowup.py [--small] [--part=[K]/N] [--table] [--keep] [KIND...]

Each kind of input grows with n, and so does what it refers to: what is naive takes n times n.  Each is made at once, four
times and sixteen times its size (--small: a quarter of it, and one path through each command, another one for each kind), and
given to every command of the program that takes such files, in every position where they can be (plan.py).  What must hold
(docs/limits.md):

    seconds of processor   at most 2, and 1 for each MB of input; --small: 1, and 1
    memory                 at most 64 MB, and 32 times the input
    a file that is written at most 256 MB, and 32 times the input
    exit code              0, 3 or 4; 1 and 2: it was refused

and every command must have done its work on some of the kinds.

Prints a table of the kinds, of what took longest.  --table: seconds of each command with each kind instead, of its slowest
line; "limit": refused, as it asks for too much; "no": refused, as it is nothing for this command.
--part=: an N-th of the kinds (tests/hostile/every/parts.py).  KIND: only those.  --keep: what the last ones wrote is left in the directory that is named.
BATCONV: the program (default: build/release/batconv).  INPUT, the size, is of all files that a command was given.
"""
import collections
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
sys.path.insert(0, os.path.join(HERE, '../every'))
import binaries  # noqa: E402
import graphs  # noqa: E402
import pairs  # noqa: E402
import parts  # noqa: E402
import plan  # noqa: E402
import recordings  # noqa: E402
import texts  # noqa: E402

BATCONV = os.path.abspath(os.environ.get('BATCONV', os.path.join(HERE, '../../../build/release/batconv')))
KINDS = {**binaries.KINDS, **pairs.KINDS, **graphs.KINDS, **recordings.KINDS, **texts.KINDS}
MB = 1e6

# What a refusal has to say: that there is a limit, and which.
LIMIT = re.compile(r'limit of|at most|more than \d|out of reach|Linux loads none')

# Known not to be in bounds, and said so in docs/limits.md: lines that are left out of a kind, and a kind
# whose profile repeats a long name in each record.  What doctor proves takes its time whatever the file is.
BEYOND = {'samples-between-maps': re.compile('stacks .*(--functions|--binary)'),
          **{kind: re.compile('report|carry|addr .*--source|stacks .*--(lines|inlines)') # libdw reads what is there
             for kind in ('pair-line-files', 'pair-line-rows', 'pair-line-units', 'pair-abbreviations', 'pair-attributes', 'pair-scopes', 'pair-scopes-code',
                          'pair-variables', 'pair-expressions', 'pair-entry-names')}}
LARGE_FILES = {'long-names'}


class Bounds:
    def __init__(self, small):
        self.seconds, self.memory, self.times, self.written = 1 if small else 2, 64, 32, 256
        with open(BATCONV, 'rb') as program:
            if b'__asan_init' in program.read():  # several times slower, and larger
                self.seconds, self.memory, self.times = 16, 192, 96

    def time(self, mb):
        return self.seconds + mb

    def most(self, mb):
        return self.memory + self.times * mb

    def file(self, mb):
        return self.written + self.times * mb


class Run:
    """One command line: what it took, and what was wrong."""

    def __init__(self, kind, n, arguments):
        self.kind, self.n, self.arguments = kind, n, arguments
        self.mb = self.seconds = self.peak = 0
        self.code, self.limit, self.wrong = None, '', []

    def worked(self):
        return self.code in (0, 3, 4)

    def cell(self):
        return '%.2f' % self.seconds if self.worked() or self.wrong else 'limit' if self.limit else 'no'

    def failure(self):
        return '%s, n = %d: batconv %s: %.1f MB, exit %s, %.2f s, %.0f MB: %s' % (
            self.kind, self.n, ' '.join(self.arguments), self.mb, self.code, self.seconds, self.peak, ', '.join(self.wrong))


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


def execute(run, program, folder, bounds):
    given = [name for argument in run.arguments for name in [argument.split('=')[-1]]
             if not name.startswith('new') and os.path.isfile(os.path.join(folder, name))]
    # A side file is a compressed binary, which counts with its size.
    run.mb = sum(os.path.getsize(os.path.join(folder, 'binary' if name == 'out.side' else name)) for name in given) / MB
    with open(os.path.join(folder, 'stderr'), 'wb') as err:
        process = subprocess.Popen(program + run.arguments[1:], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                                   env={**os.environ, 'LLVM_BOLT': '/bin/false'}) # what llvm-bolt takes is not ours
        # Not before it starts: a child that Python has to prepare takes five times as long.
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (int(bounds.time(run.mb)) + 2,) * 2)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (int(bounds.file(run.mb) * MB),) * 2)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = run.code = os.waitstatus_to_exitcode(status)
    run.seconds, run.peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    with open(os.path.join(folder, 'stderr'), encoding='utf-8', errors='replace') as err:
        said = err.read().strip()
    if run.code not in (0, 1, 2, 3, 4):
        run.wrong.append(f'exit {run.code}')
    if run.code == 1 and 'File too large' in said and run.kind not in LARGE_FILES:
        run.wrong.append('too large a file')
    if run.seconds > bounds.time(run.mb):
        run.wrong.append('too slow')
    if run.peak > bounds.most(run.mb):
        run.wrong.append('too much memory')
    if run.code == 1 and LIMIT.search(said):
        run.limit = said


def measure(kind, n, folder, planned, turn, bounds):
    """All runs of a kind at a size."""
    for entry in os.scandir(folder):
        shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.remove(entry.path)
    make(kind, n, folder)
    runs = []
    for arguments in plan.FIRST:
        if all(os.path.exists(os.path.join(folder, word)) for word in arguments if word in plan.OF_KINDS):
            runs.append(Run(kind, n, arguments))
            execute(runs[-1], planned.program(arguments[0]), folder, bounds)

    def take(lines):
        own = [Run(kind, n, arguments) for arguments in lines if not (kind in BEYOND and BEYOND[kind].match(' '.join(arguments))) and '--prove' not in arguments]
        for run in own:
            execute(run, planned.program(run.arguments[0]), folder, bounds)
        runs.extend(own)
        return own

    for lines in planned.lines(folder):
        if any(run.worked() for run in take(lines.first())): # else no option will help
            take(lines.others(turn))
    return runs


def show_kind(kind, runs, bounds):
    slow = max(runs, key=lambda run: run.seconds / bounds.time(run.mb))
    large = max(runs, key=lambda run: run.peak / bounds.most(run.mb))
    refused = [run.limit.split(': ', 2)[-1][:110] for run in runs if run.limit]
    print('| %s | %.1f | %.2f | %s | %.0f | %s |' % (kind, slow.mb, slow.seconds, ' '.join(slow.arguments[:2]), large.peak,
                                                     refused[0] if refused else ''), flush=True)


def show_commands(kind, runs, names):
    cells = []
    for name in names:
        own = [run for run in runs if run.arguments[0] == name]
        worst = max(own, key=lambda run: (bool(run.wrong), run.worked(), bool(run.limit), run.seconds), default=None)
        cells.append(worst.cell() if worst else '')
    print('| %s | %.1f | %s |' % (kind, max(run.mb for run in runs), ' | '.join(cells)), flush=True)


def main():
    small, keep, table = ('--' + word in sys.argv for word in ('small', 'keep', 'table'))
    chosen = [word for word in sys.argv[1:] if not word.startswith('--')] or list(KINDS)
    number, of = parts.chosen(sys.argv)
    chosen = chosen[number::of]
    bounds, failed, worked, count = Bounds(small), 0, collections.Counter(), 0
    folder, links = (tempfile.mkdtemp(prefix='blowup.') for _ in range(2))
    planned = plan.Plan(BATCONV, links)
    if table:
        print('| kind | MB | %s |\n| --- | ---: |%s' % (' | '.join(planned.names()), ' ---: |' * len(planned.names())))
    else:
        print('| kind | MB | s | of | peak MB | refused |\n| --- | ---: | ---: | --- | ---: | --- |')
    for kind in chosen:
        turn = list(KINDS).index(kind)
        n, least = (KINDS[kind][1:] + (max(KINDS[kind][1] // 4, 1),))[:2]
        for size in ([least] if small else [n, 4 * n, 16 * n]):
            runs = measure(kind, size, folder, planned, turn if small else None, bounds)
            count += len(runs)
            worked.update(run.arguments[0] for run in runs if run.worked())
            show_commands(kind, runs, planned.names()) if table else show_kind(kind, runs, bounds)
            bad = [run for run in runs if run.wrong]
            for run in bad:
                print('FAILED: ' + run.failure(), flush=True)
            failed += bool(bad)
            if bad:
                break
    idle = [name for name in planned.names() if not worked[name]] if chosen == list(KINDS) else []
    for name in idle:
        print(f'FAILED: {name}: not one of these inputs is for it: what stands in its places must be said in plan.py or every/commands.py')
    print(f'{len(chosen) - failed} of {len(chosen)} kinds in bounds, {count} runs of {len(planned.names())} commands')
    shutil.rmtree(links)
    if keep:
        print(folder)
    else:
        shutil.rmtree(folder)
    sys.exit(failed > 0 or bool(idle))


main()
