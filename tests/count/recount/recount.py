#!/usr/bin/env python3
"""Counts the whole corpus a second time: recount.py [--part=[K]/N] [WORD...]

Each sample file of inputs/, and some that are made here, is converted with the binary that it is of, in each form, with
one thread and with two; and, by force, with each other binary of its directory.  The program `recount` counts the same
samples by itself and compares.  Then single numbers, lines and names of what was written are changed: recount must detect
each.

--part=          an N-th of the cases (tests/hostile/every/parts.py), and those that are changed
WORD...          only cases in whose name one of the words is; nothing is changed then
BATCONV_RECOUNT  the program that converts (default: BATCONV); RECOUNT the one that counts again
"""
import concurrent.futures
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import changes  # noqa: E402
import corpus  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../hostile/every'))
import parts  # noqa: E402

TIMEOUT = 120
NO_HASHES = 'has no hashes'  # what YAML is made of: tables of LLVM 14 to 18
EACH = 1  # tries of each change


def run(program, *arguments):
    done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
    return done.returncode, (done.stdout + done.stderr).decode('utf-8', 'backslashreplace').splitlines()


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, 'rb') as file:
        return file.read()


class Conversion:
    """A case in one form: what batconv wrote, and what recount says of it."""

    def __init__(self, case, form, folder, programs):
        self.case, self.form, self.folder, self.programs = case, form, folder, programs
        self.mistakes, self.compared = [], True

    def name(self):
        return '%s: %s' % (self.case.name(), self.form)

    def path(self, kind, threads=1):
        return os.path.join(self.folder, '%s.%d' % (kind, threads))

    def convert(self, threads):
        return run(self.programs.batconv, '-q', '--format=' + self.form, '--threads=%d' % threads, '--restore=none', '--no-infer', *self.case.options,
                   *(['--without-hashes', '--yaml-for=22'] if self.form == 'yaml' else []),
                   '--stats-file=' + self.path('stats', threads), '-o', self.path('out', threads), self.case.binary,
                   *self.case.samples)

    def recount(self, *files):
        options = [option for option in self.case.options if option != '--force']
        return run(self.programs.recount, self.case.binary, *self.case.samples, *options, *files)

    def files(self):
        source = ['--input=' + self.case.source] if self.form == 'fdata' and self.case.source else []
        return ['--%s=%s' % (self.form, self.path('out')), '--stats=' + self.path('stats'), *source]

    def take(self):
        """Converts twice and counts again."""
        code, lines = self.convert(1)
        again, _ = self.convert(2)
        if self.form == 'yaml' and code == 1 and NO_HASHES in ''.join(lines):
            self.compared = False
            return
        if code != 0:
            self.mistakes = ['batconv exits %d:' % code, *lines]
            return
        if code != again or any(read(self.path(kind)) != read(self.path(kind, 2)) for kind in ('out', 'stats')):
            self.mistakes.append('with two threads: not what it is with one')
        code, lines = self.recount(*self.files())
        self.mistakes += lines
        if code and not lines:
            self.mistakes.append('recount exits %d' % code)


class Programs:
    def __init__(self):
        self.batconv = os.environ.get('BATCONV_RECOUNT') or os.environ['BATCONV']
        self.recount = os.environ['RECOUNT']


def convert_all(cases, programs, temporary):
    """Every case in every form: [Conversion]."""
    conversions = []
    for case in cases:
        for form in case.forms:
            folder = os.path.join(temporary, 'run%d' % len(conversions))
            os.mkdir(folder)
            conversions.append(Conversion(case, form, folder, programs))
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(Conversion.take, conversions))
    return conversions


# ---- it must be able to fail ----

CHANGED = ('demo.bolt demo.perf.txt', 'demo.bolt demo.basic.txt', 'demo.bolt loads.data', 'sq.b19 lbr.b19.data',
           'sq lbr.input.data', 'demo.bolt wrong.demo.perf.data', 'sorts.b19 sorts.b19.made.preagg --force')


def changes_of(conversion):
    """(which file, what, function) of all changes that its files can have."""
    by_form = {'fdata': changes.FDATA, 'preagg': changes.LINES, 'yaml': changes.YAML}[conversion.form]
    stats = dict(changes.STATS, **(changes.YAML_STATS if conversion.form == 'yaml' else {}))
    yield from (('out', what, change) for what, change in by_form.items())
    yield from (('stats', what, change) for what, change in stats.items())


def change_one(conversion, kind, what, change, seed):
    """None: nothing changed; else whether recount reported it."""
    before = read(conversion.path(kind)).decode()
    number = hashlib.sha256(('%s %s %d' % (conversion.name(), what, seed)).encode()).hexdigest()
    after = change(random.Random(number), before)
    if after == before:
        return None
    path = os.path.join(conversion.folder, 'changed.%s.%s' % (kind, number[:16]))
    with open(path, 'w') as file:
        file.write(after)
    files = [word.replace(conversion.path(kind), path) for word in conversion.files()]
    code, lines = conversion.recount(*files)
    os.remove(path)
    return code == 1 and len(lines) > 0


def change_all(conversions):
    """(how many changes were reported, the names of those that were not)."""
    tries = [(conversion, *change, seed) for conversion in conversions
             if conversion.case.name() in CHANGED and conversion.compared
             for change in changes_of(conversion) for seed in range(EACH)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        told = list(pool.map(lambda one: change_one(*one), tries))
    undetermined = ['%s: %s: %s (%d)' % (one[0].name(), one[1], one[2], one[4]) for one, ok in zip(tries, told) if ok is False]
    return told.count(True), undetermined


def main(args):
    begin, programs, (number, of) = time.monotonic(), Programs(), parts.chosen(args)
    words = [arg for arg in args if not arg.startswith('--')]
    with tempfile.TemporaryDirectory() as temporary:
        everything = corpus.Corpus(os.environ['INPUTS'], os.environ['SOURCE'], temporary)
        cases = [case for index, case in enumerate(everything.cases)
                 if (any(word in case.name() for word in words) if words else index % of == number or case.name() in CHANGED)]
        conversions = convert_all(cases, programs, temporary)
        wrong = [one for one in conversions if one.mistakes]
        for one in wrong:
            print('\n    '.join([one.name(), *(line.replace(one.folder + '/', '') for line in one.mistakes)]))
        told, undetermined = change_all([] if words or wrong else conversions)
        for line in undetermined:
            print('not told: ' + line)
    compared = sum(one.compared for one in conversions)
    print('%d binaries, %d sample files, %d cases; %d conversions, each with 1 and 2 threads: %d counted again, %d wrong; '
          '%d left out, as the table has no hashes for YAML' %
          (everything.binaries, everything.files, len(cases), len(conversions), compared, len(wrong),
           len(conversions) - compared))
    print('%d changes told, %d not; %.0f s' % (told, len(undetermined), time.monotonic() - begin))
    return 1 if wrong or undetermined or not conversions else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
