#!/usr/bin/env python3
"""Every command with every pair of binaries in inputs/: matrix.py [--few] [--part=[K]/N] [--stop] [--table] [--slow] [WORD...]

A pair is a binary that BOLT wrote, and its input (pairs.py): one that is new takes part by being there.  Its samples are branches, and
basic ones, the starts of their traces.  The program is asked for its commands, and each command for its operands and options
(tests/hostile/every/commands.py).  What takes samples gets both, each with and without --input; what takes profiles, tables or addresses gets
those of the pair (plan.py).  The other options take turns, a different one with each pair.

Each command line is run twice: by one thread and by three, in memory that malloc() fills with other bytes.  What must hold:

    both times the exit code is the same, and every byte of stdout, stderr and the files that were written
    the exit code is 0, as nothing is damaged here; 3 where two things are compared; an option in turn can be refused
    stderr is lines of batconv, so no sanitizer has anything to say
    what is to be written is there after 0, and nothing after 1 and 2; nothing else is left
    in all JSON, what was read was kept or dropped
    profiles, tables and shards that were written are taken by the commands that read them
    there is a pair of every kind, and each command and each option worked with one

WORD...  only pairs whose name or kind has one of the words
--few    for a slow build: of binaries that differ in nothing but the release of BOLT only the newest, and only samples with --threads twice
--part=  an N-th of the pairs (tests/hostile/every/parts.py): whether there is one of every kind, and whether each option worked, is not asked then
--stop   nothing more after the first failure
--table  which exit codes were seen, of each command
--slow   the slowest runs

BATCONV, INPUTS and SOURCE are as for tests/cli/run.py; BATCONV_TEST_TIMEOUT is the time limit of a run in seconds (60).
"""
import collections
import concurrent.futures
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import pairs  # noqa: E402
import plan  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../every'))
import commands  # noqa: E402
import parts  # noqa: E402
from every import wrong_lines  # noqa: E402

TIMEOUT = float(os.environ.get('BATCONV_TEST_TIMEOUT', 60))
SHOWN = 30  # failures
LSAN_TRIES = 5  # gcc's LeakSanitizer itself can die of a thread that has just ended

# How many threads, and what is in new memory: glibc fills with the complement, ASan with the byte itself; it looks for leaks once.
ASAN = 'max_malloc_fill_size=1048576:malloc_fill_byte='
WAYS = [(1, {'MALLOC_PERTURB_': '255', 'ASAN_OPTIONS': ASAN + '0', 'UBSAN_OPTIONS': 'print_stacktrace=1'}),
        (3, {'MALLOC_PERTURB_': '85', 'ASAN_OPTIONS': ASAN + '170:detect_leaks=0', 'UBSAN_OPTIONS': 'print_stacktrace=1'})]


# ---- one run ----

def execute(cell, way, folder):
    """(exit code or None, {what: bytes})"""
    threads, environment = way
    words = cell.line(*['--threads=%d' % threads] * plan.has(cell.command, '--threads'))
    environment = dict(os.environ, **environment)
    if '--sandbox' in words:  # which lets nobody look for leaks
        environment['ASAN_OPTIONS'] += ':detect_leaks=0'
    for _ in range(LSAN_TRIES):
        try:
            done = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            return None, {}
        if b'LeakSanitizer has encountered a fatal error' not in done.stderr:
            break
    seen = {'stdout': done.stdout, 'stderr': done.stderr}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), 'rb') as file:
            seen[name] = file.read()
    return done.returncode, seen


def told_by_sanitizer(err):
    """What it is, and the first location in the source."""
    said = re.search(r'(?:ERROR: \w+Sanitizer: |runtime error: )([^\n]*)', err)
    place = re.search(r'(?:src|bat|lib)/[\w/]+\.[ch]:\d+', err)
    return said and '%s at %s' % (re.sub(r' on address.*| 0x[0-9a-f]+', '', said[1]), place and place[0])


def json_in(data):
    """A whole output, or the last line of stderr."""
    for text in (data, *data.splitlines()[-1:]):
        try:
            return json.loads(text) if text.startswith(b'{') else None
        except ValueError:
            continue
    return None


def ledgers(value):
    if isinstance(value, dict) and {'read', 'kept', 'dropped'} <= value.keys():
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from ledgers(inner)


def balances(ledger):
    dropped = ledger['dropped']  # by reason, or as rows
    counts = dropped.values() if isinstance(dropped, dict) else [row['count'] for row in dropped]
    return ledger['read'] == ledger['kept'] + sum(counts)


def wrong_files(cell, code, there):
    beside = commands.BESIDE_OUTPUT.get(cell.command.name)
    for name in cell.made.keys() - {'stdout'}:
        if code == 0 and name not in there:
            yield '%s is not there after exit 0' % name
    for name in there:
        if code not in (0, 3, 4) or name not in cell.made and not (beside and re.search(beside, name)):
            yield '%s is there after exit %d' % (re.sub(r'\.\w{6}$', '.XXXXXX', name), code)


def judge(cell, code, seen):
    """What is wrong with a run."""
    if code is None:
        return ['it did not end within %g s' % TIMEOUT]
    told = told_by_sanitizer(seen['stderr'].decode('utf-8', 'replace'))
    if told or code < 0:
        return [told or 'it was ended by signal %d' % -code]
    wrong = list(wrong_lines(seen['stderr'], report=True)) + list(wrong_files(cell, code, seen.keys() - {'stdout', 'stderr'}))
    if not cell.may_exit(code):
        wrong.append('exit code %d' % code)
    if code in (1, 2) and not seen['stderr']:
        wrong.append('exit code %d without a message' % code)
    cell.ledgers = [ledger for data in seen.values() for ledger in ledgers(json_in(data))]
    return wrong + ['read is not kept and dropped: %r' % ledger for ledger in cell.ledgers if not balances(ledger)]


def differences(first, second):
    (code, seen), (other_code, other_seen) = first, second
    if code != other_code:
        yield 'exit codes %s and %s' % (code, other_code)
    for name in sorted(seen.keys() | other_seen.keys()):
        lines, others = (one.get(name, b'').splitlines() for one in (seen, other_seen))
        if lines != others:
            line, other = next(((a, b) for a, b in zip(lines, others) if a != b), (b'%d lines' % len(lines), b'%d lines' % len(others)))
            start = max(0, next((i for i, (a, b) in enumerate(zip(line, other)) if a != b), 0) - 30)
            yield 'not the same bytes on %s: %r and %r' % (name, line[start:start + 60], other[start:start + 60])


# ---- all of them ----

class Bench:
    """scratch: for directories of runs.  stop: set when nothing more is to run, or None.  twice: whether everything is run twice, or only
    what threads do with samples."""

    def __init__(self, scratch, stop, twice):
        self.scratch, self.stop, self.twice = scratch, stop, twice

    def run(self, cell, way):
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            begin = time.monotonic()
            code, seen = execute(cell, way, folder)
            cell.seconds = max(cell.seconds, time.monotonic() - begin)
        cell.codes.append(code)
        cell.wrong += judge(cell, code, seen)
        return code, seen

    def do(self, cell):
        first = self.run(cell, WAYS[0])
        if not cell.wrong and (self.twice or plan.by_threads(cell)):
            second = self.run(cell, WAYS[1])
            cell.wrong = cell.wrong or list(differences(first, second))
        for name in cell.made.keys() & first[1].keys() if not cell.wrong else ():
            if cell.made[name]:
                with open(os.path.join(cell.pair.folder, cell.made[name]), 'wb') as file:
                    file.write(first[1][name])
        if cell.wrong and self.stop:
            self.stop.set()

    def do_all(self, cells, until_one_works=False):
        """One after the other: the later ones read what the first ones wrote."""
        for cell in cells:
            if self.stop and self.stop.is_set():
                return
            if all(map(os.path.exists, cell.needs())):  # or who should have made it has failed
                self.do(cell)
                if until_one_works and (cell.wrong or cell.worked()):
                    return


def print_failures(cells):
    groups = collections.defaultdict(list)
    for cell in cells:
        for wrong in cell.wrong:
            groups[cell.command.name, re.sub(r'\d+', 'N', wrong)].append((cell, wrong))
    for (name, _), failed in list(groups.items())[:SHOWN]:
        cell, wrong = failed[0]
        print('%s: %s: %d with %s\n    %s' % (name, wrong, len(failed), ' '.join(dict.fromkeys(one.pair.name for one, _ in failed)),
                                              ' '.join(cell.line())))
    if len(groups) > SHOWN:
        print('... and %d more' % (len(groups) - SHOWN))


def not_tested(cells, found, all_pairs):
    """Kinds of pairs that are not there; commands and options that were always refused."""
    for kind in (*pairs.KINDS, *pairs.MACHINES.values()):
        if not any(kind in pair.kinds for pair in all_pairs):
            yield 'no pair is ' + kind
    worked = {(cell.command.name, *cell.turn) for cell in cells if cell.worked()}
    for command in found:
        for turn in [[], *plan.turns(command)]:
            if (command.name, *turn) not in worked:
                yield '%s: it never worked' % ' '.join((command.name, *turn))


def print_table(cells):
    for name in dict.fromkeys(cell.command.name for cell in cells):
        own = [cell for cell in cells if cell.command.name == name]
        codes = collections.Counter(str(cell.codes[0]) for cell in own)
        print('%-18s %4d command lines, %5.1f s; exit codes %s' % (name, len(own), sum(cell.seconds for cell in own),
                                                                ', '.join('%s: %d' % row for row in sorted(codes.items()))))


def print_summary(cells, all_pairs, seconds):
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    kinds = collections.Counter(kind for pair in all_pairs for kind in pair.kinds)
    print('%d pairs: %s' % (len(all_pairs), ', '.join('%d %s' % (count, kind) for kind, count in sorted(kinds.items()))))
    print('%d command lines of %d commands, %d runs, %d ledgers; %.0f s, %.0f s of processor; %d failed' % (
        len(cells), len({cell.command.name for cell in cells}), sum(len(cell.codes) for cell in cells),
        sum(len(cell.ledgers) for cell in cells), seconds, used.ru_utime + used.ru_stime, sum(bool(cell.wrong) for cell in cells)))


def main(args):
    words = [arg for arg in args if not arg.startswith('--')]
    batconv = os.path.abspath(os.environ['BATCONV'])
    begin, (number, of) = time.monotonic(), parts.chosen(args)
    with tempfile.TemporaryDirectory() as folder:
        for name in commands.PERF2BOLT_NAMES:
            os.symlink(batconv, os.path.join(folder, name))
        found = [command for command in commands.ask(batconv, folder) if command.name not in plan.NO_LINES]
        all_pairs = pairs.find(batconv, os.environ['INPUTS'], os.environ['SOURCE'], folder, '--few' in args)
        all_pairs = [pair for pair in all_pairs if not words or any(word in name for word in words for name in (pair.name, *pair.kinds))][number::of]
        stop = threading.Event() if '--stop' in args else None
        bench = Bench(folder, stop, '--few' not in args)
        planned = [plan.plan(pair, found) for pair in all_pairs]
        in_turn = list(plan.plan_turns([cell for cells in planned for cell in cells], found))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(bench.do_all, planned))
            list(pool.map(lambda cells: bench.do_all(cells, until_one_works=True), in_turn))
    cells = [cell for cells in planned + in_turn for cell in cells if cell.codes]
    print_failures(cells)
    wrong = [] if words or of > 1 or stop and stop.is_set() else list(not_tested(cells, found, all_pairs))
    for line in wrong:
        print(line)
    if '--table' in args:
        print_table(cells)
    if '--slow' in args:
        for cell in sorted(cells, key=lambda cell: -cell.seconds)[:20]:
            print('%.2f s  %s' % (cell.seconds, ' '.join(cell.line())))
    print_summary(cells, all_pairs, time.monotonic() - begin)
    return 1 if wrong or not cells or any(cell.wrong for cell in cells) else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
