#!/usr/bin/env python3
"""Every command with every kind of file, in each position where a file can be: every.py [--part=[K]/N] [--table] [--slow] [WORD...]

The program is asked for its commands, and each command for its operands and for the options that take a file
(commands.py): one that is new is tried by being there.  The kinds of files are all that any command reads or writes,
whole, cut in the middle and a byte before the end, and what nobody reads (kinds.py).  Each run is in an empty directory;
whole files are given a second time with one of the command's other options, a different one each time.

What must hold for every run:

    it ends within the time limit, by itself, with an exit code of 0 to 4
    stderr is lines of printable text that begin with "batconv: " or are rows of a summary; there is one with exit code 1 and 2,
    and with 3 if nothing was printed or written; with 1 and 2 it is one error, with a hint at most
    what is printed or written for people has no control character but newline and tab, is UTF-8, and runs from left to
    right, whatever names are in the files (names.py)
    a file that was given is as it was; what an option is to write is there after 0 and 4 (3, where the command's
    help has it), and after anything else is as it was before
    nothing else is left in the directory

--part=  an N-th of the runs (parts.py): each position with an N-th of the kinds, and other kinds at the next position
WORD...  only positions whose name ("convert SAMPLES") or kinds whose name has one of the words
--table  which exit codes were seen, of each command with each kind
--slow   the slowest runs

BATCONV, INPUTS and SOURCE are as for tests/cli/run.py; BATCONV_TEST_TIMEOUT is the time limit in seconds (60).
"""
import collections
import concurrent.futures
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import commands  # noqa: E402
import kinds  # noqa: E402
import names  # noqa: E402
import parts  # noqa: E402

TIMEOUT = float(os.environ.get('BATCONV_TEST_TIMEOUT', 60))
LLVM = re.compile('perf2bolt|merge-fdata|llvm-bolt-heatmap')
PERF2BOLT_LINES = (b'PERF2BOLT: ', b'PERF2BOLT-WARNING: ', b'PERF2BOLT-ERROR: ', b'perf2bolt: ', b'llvm-bolt-heatmap: ', b'merge-fdata: ', b'WARNING: ', b'BOLT-INFO: ', b'BOLT-WARNING: ', b' !! WARNING !! ')
SUMMARY_ROW = re.compile(rb'(addresses|binary|branches|carried|counts|deleted|dropped|inferred|inputs|lost|merged|profile|samples|shards|traces?| {9}) +\S|next: ')
SHOWN = 60  # failures of one kind at one position


class Run:
    """One command line.  `target`: the path below the run's directory that an option under test writes."""

    def __init__(self, place, kind, arguments, outputs, stdin=None, target=None):
        self.place, self.kind, self.arguments, self.stdin, self.target = place, kind, arguments, stdin, target
        self.outputs = outputs  # that are not there before
        self.code, self.wrong, self.seconds = None, [], 0.0

    def text(self):
        words = self.place.command.program + self.arguments
        return ' '.join(words) + (' <' + self.kind.name if self.stdin else '')


# ---- which runs there are ----

class Planner:
    def __init__(self, files):
        self.files, self.turn = files, collections.Counter()

    def path(self, kind):
        return self.files[kind].path if self.files[kind].path else 'fifo'

    def next_flag(self, place):
        flags = place.command.flags()
        self.turn[place.label()] += 1
        return [flags[self.turn[place.label()] % len(flags)]] if flags else []

    def operands(self, place, value):
        command, name = place.command, place.name()
        instead = commands.INSTEAD.get((command.name, name), {})
        for number, word in enumerate(command.operands):
            if place.kind in ('operand', 'stdin') and number == place.number:
                yield '-' if place.kind == 'stdin' else value
            elif word in commands.WITHOUT.get((command.name, name), []):
                continue
            elif word in commands.NO_FILES:
                yield from commands.NO_FILES[word].split()
            else:
                yield self.path(instead.get(word) or command.good(word))

    def required(self, place):
        """The options that a usage line asks for, but -o and the one under test."""
        for name in place.command.required:
            option = place.command.option(name)
            if place.kind == 'option' and place.word in (option.name, option.short) or option.writes():
                continue
            good = commands.NO_FILES.get(option.word) or self.path(place.command.good(option.word))
            yield '%s=%s' % (option.name, good)

    def beside(self, place):
        name = place.command.name
        words = iter(commands.BESIDE.get((name, place.name()), commands.BESIDE.get(name, [])))
        for word in words:
            yield word + self.path(next(words)) if word.endswith('=') else word

    def run(self, place, kind, flags, with_output):
        path = 'target' if place.writes else self.path(kind.name)
        given = ['%s=%s' % (place.word, path)] if place.kind == 'option' else []
        outputs = []
        output = next((o for o in place.command.options if o.name in ('--output', '-o')), None)
        needed = output and (output.short in place.command.required or output.name in place.command.required)
        if output and output.name != place.word and (with_output or needed):
            given += ['-o', 'out']
            outputs.append('out')
        arguments = given + list(self.required(place)) + list(self.beside(place)) + flags
        arguments += self.operands(place, path)
        return Run(place, kind, arguments, outputs, stdin=kind if place.kind == 'stdin' else None,
                   target='target' if place.writes else None)

    def runs(self, place):
        for kind in self.files.values():
            if place.writes and '~' in kind.name:
                continue
            yield self.run(place, kind, [], True)
            if '~' not in kind.name:
                yield self.run(place, kind, self.next_flag(place), False)


# ---- one run ----

class Fifo(threading.Thread):
    """At the other end of a FIFO: a writer that closes at once, as often as it is opened, or a reader."""

    def __init__(self, path, reads):
        super().__init__(daemon=True)
        self.path, self.reads, self.done = path, reads, threading.Event()
        os.mkfifo(path)
        # A reader must be there first, or who writes gets no reply.
        self.fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK) if reads else -1
        self.start()

    def run(self):
        while not self.done.wait(0.001):
            try:
                if self.reads:
                    os.read(self.fd, 65536)
                else:
                    os.close(os.open(self.path, os.O_WRONLY | os.O_NONBLOCK))
            except OSError as error:
                if error.errno not in (errno.ENXIO, errno.EAGAIN, errno.ENOENT):
                    raise

    def stop(self):
        self.done.set()
        self.join()
        if self.fd >= 0:
            os.close(self.fd)


def put_target(run, folder):
    """What the option is to write is there before: a copy of the kind."""
    path, kind = os.path.join(folder, run.target), run.kind
    if kind.path is None:
        return Fifo(path, reads=not run.place.reads)
    if os.path.islink(kind.path):
        os.symlink('target', path)
    elif kind.is_file():
        shutil.copyfile(kind.path, path)
    elif os.path.isdir(kind.path):
        shutil.copytree(kind.path, path)
    return None


def open_stdin(run):
    if run.stdin is None or run.stdin.path is None:
        return subprocess.DEVNULL
    try:
        return os.open(run.stdin.path, os.O_RDONLY)
    except OSError:
        return subprocess.DEVNULL


# LeakSanitizer itself has failed, as it sometimes does where a thread of the program is just ending.
LEAK_SEARCH_FAILED = b'Tracer caught signal'


def execute(run, folder):
    """(exit code, stdout, stderr, what the target was before, fifo); None for a code: it did not end."""
    fifo = None
    if run.target:
        fifo = put_target(run, folder)
    elif run.kind.path is None and not run.stdin:
        fifo = Fifo(os.path.join(folder, 'fifo'), reads=False)
    before = kinds.Kind('', os.path.join(folder, 'target')).state()
    data, stdin = None, open_stdin(run)
    if run.stdin and run.kind.valid and run.kind.is_file() and len(run.kind.name) % 2:
        with open(stdin, 'rb') as file:  # half of them through a pipe
            data = file.read()
        stdin = subprocess.PIPE
    # ASan looks for leaks in a process of its own, which a sandbox does not let it have.
    options = os.environ.get('ASAN_OPTIONS', '') + (':detect_leaks=0' if '--sandbox' in run.arguments else '')
    environment = {'LLVM_BOLT': commands.FAKE_LLVM_BOLT} if run.place.command.name == 'optimize' else {}
    start = time.monotonic()
    try:
        with subprocess.Popen(run.place.command.program + run.arguments, cwd=folder, stdin=stdin,
                              env=dict(os.environ, ASAN_OPTIONS=options, **environment),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            try:
                out, err = child.communicate(data, timeout=TIMEOUT)
                code = child.returncode
            except subprocess.TimeoutExpired:
                child.kill()
                code, (out, err) = None, child.communicate()
    finally:
        run.seconds = time.monotonic() - start
        if not isinstance(stdin, bool) and stdin not in (subprocess.DEVNULL, subprocess.PIPE):
            os.close(stdin)
        if fifo:
            fifo.stop()
    return code, out, err, before


def is_report(line):
    """What --stats=json writes: JSON with a format, on a line of its own."""
    try:
        return 'format' in json.loads(line)
    except (ValueError, TypeError):
        return False


def wrong_lines(err, report=False):
    if not err:
        return
    if not err.endswith(b'\n'):
        yield 'stderr ends within a line'
    for line in err.splitlines() if err.endswith(b'\n') else err.split(b'\n'):
        if line and not line.startswith((b'batconv: ',) + PERF2BOLT_LINES) and not SUMMARY_ROW.match(line) and not (report and is_report(line)):
            yield 'a line that is no message: %r' % re.sub(rb'==\d+==', b'==PID==', line[:300])
        elif names.hidden(line, allowed=''):
            yield 'a message that is not printable: %r' % line[:300]


def wrong_failure(run, code, err):
    """With exit code 1 and 2 stderr has one error, with a hint at most."""
    said = [line.split(b': ')[1] for line in err.splitlines() if line.startswith(b'batconv: ')]
    if LLVM.search(run.place.command.name):  # which has a name, or a word of perf2bolt, before an error, and a hint
        theirs = (b'PERF2BOLT-ERROR: ', run.place.command.name.encode() + b': ')
        said += [b'error', b'hint', b'more'][:sum(line.startswith(theirs) for line in err.splitlines())]
    if code in (1, 2) and not {'-v', '--verbose'} & set(run.arguments) and said not in ([b'error'], [b'error', b'hint']):
        yield 'not one error with a hint at most: %r' % err[:500]


def wrong_outputs(run, code, folder, before):
    may = code in (0, 4) or code == 3 and run.place.command.writes_when_wanting
    there = set(os.listdir(folder)) - {'fifo'}
    for name in run.outputs:
        if name in there and not may:
            yield '%s is there after exit %s' % (name, code)
        if name not in there and code in (0, 4):
            yield '%s is not there after exit %s' % (name, code)
        there.discard(name)
    if run.target:
        there.discard(run.target)
        after = kinds.Kind('', os.path.join(folder, run.target)).state()
        if after != before and not run.place.may_write(code):
            yield 'what was to be written has changed after exit %s' % code
        if code in (0, 4) and after is None:
            yield 'nothing was written after exit %s' % code
    beside = commands.BESIDE_OUTPUT.get(run.place.command.name)
    stays = commands.WORKED_IN.get(run.place.command.name)
    for name in sorted(there):
        if may and beside and re.search(beside, name) or stays and re.search(stays, name):
            continue
        yield 'left behind: ' + re.sub(r'\.\w{6}$', '.XXXXXX', name)


def wrong_text(run, out, folder):
    """JSON is for programs, and people look at it all the same."""
    if not run.place.command.prints_text(run.arguments):
        return
    for name in run.outputs:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, 'rb') as file:
                out += file.read()
    if names.hidden(out):
        yield 'an output that is not text: %r' % names.hidden(out)


def judge(run, code, out, err, folder, before):
    if code is None:
        yield 'it did not end within %g s' % TIMEOUT
    elif code < 0:
        yield 'it was ended by signal %d' % -code
    elif code > 4:
        yield 'exit code %d' % code
    yield from wrong_lines(err, '--stats=json' in run.arguments)
    yield from wrong_failure(run, code, err)
    yield from wrong_text(run, out, folder)
    written = os.path.exists(os.path.join(folder, 'out')) or run.target and run.place.may_write(code)
    if not err and (code in (1, 2) or code == 3 and not out and not written):
        yield 'exit %d without a message' % code
    yield from wrong_outputs(run, code, folder, before)


def do(run, files, scratch):
    given = [(kind, kind.state()) for kind in (run.kind, files[commands.GOOD_ANYWHERE]) if kind.path]
    for _ in range(3):
        folder = tempfile.mkdtemp(dir=scratch)
        try:
            run.code, out, err, before = execute(run, folder)
            run.wrong = list(judge(run, run.code, out, err, folder, before))
            run.message = err
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if LEAK_SEARCH_FAILED not in err:
            break
    for kind, state in given:
        if kind.state() != state:
            run.wrong.append('%s has changed' % kind.name)
    return run


# ---- all of them ----

def print_table(runs):
    names = sorted({run.place.command.name for run in runs})
    seen = collections.defaultdict(set)
    order = list(dict.fromkeys(run.kind.name for run in runs))
    for run in runs:
        seen[run.kind.name, run.place.command.name].add('T' if run.code is None else str(run.code))
    width = max(len(repr(name)) for name in order)
    print('%-*s %s' % (width, '', ' '.join('%-9s' % name for name in names)))
    for kind in order:
        cells = (''.join(sorted(seen[kind, name])) or '-' for name in names)
        print(('%-*s %s' % (width, kind if kind.isprintable() else repr(kind), ' '.join('%-9s' % c for c in cells))).rstrip())


def print_failures(runs):
    """The same of one position together, with the command line of the first."""
    groups = collections.defaultdict(list)
    for run in runs:
        for wrong in run.wrong:
            groups[run.place.label(), wrong].append(run)
    for (label, wrong), failed in list(groups.items())[:SHOWN]:
        names = ' '.join(dict.fromkeys(repr(run.kind.name)[1:-1] for run in failed))
        print('%s: %s: %d with %s\n    %s' % (label, wrong, len(failed), names, failed[0].text()))
        print(''.join('    > %s\n' % line for line in failed[0].message.decode('utf-8', 'replace').splitlines()), end='')
    if len(groups) > SHOWN:
        print('... and %d more' % (len(groups) - SHOWN))


def report(runs, seconds):
    failed = [run for run in runs if run.wrong]
    print_failures(failed)
    codes = collections.Counter(str(run.code) for run in runs)
    print('%d runs of %d commands, %d places, %d kinds; exit codes %s; %.0f s; %d failed' % (
        len(runs), len({run.place.command.name for run in runs}), len({run.place.label() for run in runs}),
        len({run.kind.name for run in runs}), ', '.join('%s: %d' % pair for pair in sorted(codes.items())), seconds,
        len(failed)))
    return 1 if failed or not runs else 0


def wanted(run, words):
    return not words or any(word in run.place.label() or word in run.kind.name for word in words)


def in_part(runs, number, of):
    places = {label: index for index, label in enumerate(dict.fromkeys(run.place.label() for run in runs))}
    kind_numbers = {name: index for index, name in enumerate(dict.fromkeys(run.kind.name for run in runs))}
    return [run for run in runs if (places[run.place.label()] + kind_numbers[run.kind.name]) % of == number]


def main(args):
    words = [a for a in args if not a.startswith('--')]
    batconv = os.path.abspath(os.environ['BATCONV'])
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for name in commands.PERF2BOLT_NAMES:
            os.symlink(batconv, os.path.join(folder, name))
        os.mkdir(folder + '/kinds')
        os.mkdir(folder + '/runs')
        files = kinds.make(batconv, os.environ['INPUTS'], os.environ['SOURCE'], folder + '/kinds')
        planner = Planner(files)
        runs = [run for command in commands.ask(batconv, folder)
                for place in commands.places(command) for run in planner.runs(place)]
        number, of = parts.chosen(args)
        runs = [run for run in in_part(runs, number, of) if wanted(run, words)]
        before = {name: kind.state() for name, kind in files.items() if kind.path}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda run: do(run, files, folder + '/runs'), runs))
        changed = [name for name, state in before.items() if files[name].state() != state]
    if '--table' in args:
        print_table(runs)
    if '--slow' in args:
        for run in sorted(runs, key=lambda run: -run.seconds)[:20]:
            print('%.2f s  %s with %s' % (run.seconds, run.place.label(), run.kind.name))
    for name in changed:
        print('%s has changed' % name)
    return report(runs, time.monotonic() - start) or bool(changed)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
