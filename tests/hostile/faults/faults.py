#!/usr/bin/env python3
"""Injects faults into every command: faults.py SWEEP... [--every] [--only=NAME]

alloc    an allocation fails, or all from one on (alloc.c, preloaded)
llvm     the same where libLLVM is loaded, which gives up by itself (abort) when there is no memory
read     reads are short, interrupted, or fail; so do opening, fstat, mmap (inject.c)
shrink   a file shrinks while it is read
write    writes are short, interrupted, or fail; so do close and rename; threads cannot be started
signals  SIGINT, SIGTERM, SIGHUP, SIGKILL at system calls

Every point of every command is hit with --every, else some that are spread evenly, of some commands.  Prints, for each fault, how many were injected, how often
the command went on unharmed, and how often it failed as it should; and every run that did neither.  BATCONV, INPUTS, SOURCE
and FAULTS (the directory with the injectors) are in the environment.
"""
import argparse
import collections
import errno
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from bench import Bench, complaint, is_sanitizer, one_line
from subjects import OFTEN, SUBJECTS

NOMEM = 'out of memory|Cannot allocate memory'


class Count:
    def __init__(self):
        self.injected = self.unharmed = self.failed = 0
        self.wrong = collections.Counter()
        self.words = collections.Counter()


class Sweep:
    def __init__(self, bench, options):
        self.bench, self.options = bench, options
        self.counts = collections.OrderedDict()
        self.tools = os.environ['FAULTS']

    def subjects(self, library=False, often=False):
        """often: of those that take long, those that differ most, unless all are asked for."""
        if self.options.only:
            return [s for s in SUBJECTS if s.name == self.options.only]
        return [s for s in SUBJECTS if s.library == library and (self.options.every or not often or s.name in OFTEN)]

    def places(self, total, most):
        """From 1 to total: all, or some: the first ones, where much is opened, and the rest evenly."""
        if self.options.every or total <= most:
            return range(1, total + 1)
        first = most // 3
        return sorted(set(range(1, first + 1)) | {first + (total - first) * i // (most - first) for i in range(1, most - first + 1)})

    def told(self):
        return os.path.join(self.bench.root, 'told')

    def inject(self, *words):
        return [os.path.join(self.tools, 'inject'), '--under=' + self.bench.root, *words, '--']

    def can_trace(self):
        return subprocess.run([*self.inject('--calls=any', '--at=0'), '/bin/true']).returncode == 0

    def ask(self, subject, *words):
        """How many calls of a kind there are."""
        self.bench.run(subject, self.inject(*words, '--told=' + self.told()), env=traced())
        with open(self.told()) as file:
            return int(file.read().split()[0])

    def add(self, fault, subject, what, got, wrong):
        if 'Sanitizer: CHECK failed' in got.stderr:
            return  # it was memory of the sanitizer's own
        count = self.counts.setdefault(fault, Count())
        count.injected += 1
        if wrong:
            count.wrong[wrong] += 1
            print('WRONG  %s, %s, %s: %s\n       exit %d, stderr: %s' % (fault, subject.name, what, wrong, got.code, got.stderr[:2000]), flush=True)
        elif got.code == 1 or got.code == 3 and subject.drops:
            count.failed += 1
            count.words[got.stderr.splitlines()[-1]] += 1
        else:
            count.unharmed += 1

    def all(self, jobs):
        """jobs: (fault, subject, what, function that runs it and returns what it left, and what is wrong)"""
        with ThreadPoolExecutor(self.options.jobs) as pool:
            for (fault, subject, what, _), (got, wrong) in zip(jobs, pool.map(lambda job: job[3](), jobs)):
                self.add(fault, subject, what, got, wrong)

    def judged(self, subject, pattern, before=(), env=None):
        def job():
            got = self.bench.run(subject, before, env)
            return got, complaint(self.bench, subject, got, pattern)
        return job

    def injected(self, fault, subject, words, pattern):
        return (fault, subject, ' '.join(words), self.judged(subject, pattern, self.inject(*words), traced()))

    # ---- sweeps ----

    def preload(self, **settings):
        """The environment in which an allocation fails.  By name: LD_PRELOAD knows no path with a blank."""
        return {'LD_PRELOAD': 'libfault_alloc.so', 'LD_LIBRARY_PATH': self.tools,
                **{'FAULT_ALLOC_' + name: str(value) for name, value in settings.items()}}

    def alloc(self):
        jobs = []
        for subject in self.subjects():
            self.bench.good(subject)
            self.bench.run(subject, env=self.preload(TOLD=self.told()))
            with open(self.told()) as file:
                total = int(file.read())
            for more, fault in ((0, 'one allocation fails'), (1, 'all allocations from one on fail')):
                for n in self.places(total, 4 if more else 8):
                    env = self.preload(AT=n, ON=more)
                    jobs.append((fault, subject, '%d of %d' % (n, total), self.judged(subject, NOMEM, env=env)))
        self.all(jobs)

    def llvm(self):
        """libLLVM ends the program, or is not found; a signal never leaves a file."""
        jobs = []
        for subject in self.subjects(library=True):
            self.bench.good(subject)
            self.bench.run(subject, env=self.preload(TOLD=self.told()))
            with open(self.told()) as file:
                total = int(file.read())
            for n in spread(total, 500 if self.options.every else 20):
                env = self.preload(AT=n, ON=0)
                jobs.append(('an allocation of libLLVM fails', subject, '%d of %d' % (n, total), self.aborted(subject, env)))
        self.all(jobs)

    def aborted(self, subject, env):
        def job():
            got = self.bench.run(subject, env=env)
            good, old = self.bench.good(subject), self.bench.old(subject)
            wrong = None
            if is_sanitizer(got.stderr):
                wrong = 'sanitizer'
            elif got.code not in (0, 1, 127, -signal.SIGABRT):  # 127: the loader of libraries
                wrong = 'exit %d' % got.code
            elif got.code and got.files != old:
                wrong = 'the old output is gone'
            elif got.listing != good.listing:
                wrong = 'left behind: %s' % ' '.join(got.listing)
            elif got.code == 1 and not one_line(got.stderr, NOMEM):
                wrong = 'not one line that says why'
            return got, wrong
        return job

    def harmless(self, fault, subject, *words):
        """It must continue as if nothing had been."""
        def job():
            got = self.bench.run(subject, self.inject(*words), traced())
            wrong = complaint(self.bench, subject, got, '.')
            return got, wrong or ('failed' if got.code != self.bench.good(subject).code else None)
        return (fault, subject, ' '.join(words), job)

    def failing(self, fault, subject, kind, numbers, most, onwards=True, also='nothing else'):
        total = self.ask(subject, '--calls=' + kind)
        for number in numbers:
            for n in self.places(total, most):
                for at in ('--at=%d',) + (('--from=%d',) if onwards else ()):
                    yield self.injected(fault, subject, ('--calls=' + kind, at % n, '--error=%d' % number), os.strerror(number) + '|' + also)

    def read(self):
        jobs = []
        for subject in self.subjects(often=True):
            self.bench.good(subject)
            for size in (1, 2, 3, 5, 7):
                how = ('--every=1',) if self.options.every else ('--every=2',)
                if self.options.every or size in (1, 7):
                    jobs.append(self.harmless('reads of 1 to 7 bytes', subject, '--calls=read', *how, '--short=%d' % size))
            for every in (2, 3, 7) if self.options.every else (2,):
                jobs.append(self.harmless('reads are interrupted (EINTR)', subject, '--calls=read', '--every=%d' % every, '--error=%d' % errno.EINTR))
            jobs += self.failing('a read fails (EIO)', subject, 'read', (errno.EIO,), 3)
            jobs += self.failing('a file cannot be opened', subject, 'open', (errno.EACCES, errno.EMFILE), 3)
            jobs += self.failing('fstat fails', subject, 'stat', (errno.EIO,), 3, also='is a directory')
            jobs += self.failing('a file cannot be mapped', subject, 'map', (errno.ENOMEM, errno.ENODEV), 3, also='out of memory')
        self.all(jobs)

    def shrink(self):
        """Whatever is read then: no crash, no half file, and a failure is one line."""
        jobs = []
        for subject in self.subjects(often=True):
            self.bench.good(subject)
            read = [w[6:] for w in subject.words if w.startswith('../in/') and os.path.isfile(os.path.join(self.bench.inputs, w[6:]))]
            for name in read:
                size = os.path.getsize(os.path.join(self.bench.inputs, name))
                total = self.ask(subject, '--calls=any')
                for n in self.places(total, 60)[-40 if self.options.every else -6:]:
                    for to in (0, size // 2) if size else ():
                        jobs.append(('a file shrinks while it is read', subject, '%s to %d at call %d' % (name, to, n), self.shrinking(subject, name, to, n)))
        self.all(jobs)

    def shrinking(self, subject, name, to, n):
        """On a copy of its own."""
        def job():
            folder = self.bench.folder(subject)
            shutil.copy(os.path.join(self.bench.inputs, name), os.path.join(folder, 'input'))
            words = [('input' if w == '../in/' + name else w) for w in subject.words]
            own = subject._replace(words=words)
            cut = '--cut=%s:%d' % (os.path.join(folder, 'input'), to)
            got = self.bench.run(own, self.inject('--calls=any', '--at=%d' % n, cut), traced(), folder)
            old = self.bench.old(subject)
            wrong = None
            if is_sanitizer(got.stderr):
                wrong = 'sanitizer'
            elif got.code not in (0, 1, 3, 4):
                wrong = 'exit %d' % got.code
            elif got.code == 1 and not subject.alone and got.files != old:
                wrong = 'the old output is gone'
            elif got.code == 1 and not subject.alone and not one_line(got.stderr, ''):
                wrong = 'not one error'
            elif [x for x in got.listing if x != 'input'] != [x for x in self.bench.good(subject).listing]:
                wrong = 'left behind: %s' % ' '.join(got.listing)
            return got, wrong
        return job

    def write(self):
        jobs = []
        for subject in self.subjects(often=True):
            self.bench.good(subject)
            for size in (1, 2, 3, 5, 7) if self.options.every else (7,):
                jobs.append(self.harmless('writes of 1 to 7 bytes', subject, '--calls=write', '--every=1', '--short=%d' % size))
            jobs.append(self.harmless('writes are interrupted (EINTR)', subject, '--calls=write', '--every=2', '--error=%d' % errno.EINTR))
            jobs += self.failing('a write fails (EIO, ENOSPC)', subject, 'write', (errno.EIO, errno.ENOSPC), 4)
            jobs.append(self.harmless('the temporary name is taken', subject, '--calls=create', '--at=1', '--error=%d' % errno.EEXIST))
            jobs += self.failing('close fails (EIO)', subject, 'close', (errno.EIO,), 4)
            # With several files it takes a rename to put the first back.
            jobs += self.failing('rename fails (EIO, EROFS)', subject, 'rename', (errno.EIO, errno.EROFS), 4, len(subject.writes) == 1)
            jobs.append(self.harmless('names cannot be exchanged (EINVAL)', subject, '--calls=exchange', '--every=1', '--error=%d' % errno.EINVAL))
            total = self.ask(subject, '--calls=thread')
            for n in self.places(total, 3):
                for at in ('--at=%d' % n, '--from=%d' % n):
                    jobs.append(self.harmless('a thread cannot be started', subject, '--calls=thread', at, '--error=%d' % errno.EAGAIN))
        self.all(jobs)

    def ended(self, subject, words, number):
        """By the signal, or done before it came."""
        def job():
            got = self.bench.run(subject, self.inject(*words), traced())
            return got, self.ended_wrongly(subject, got, number)
        return job

    def ended_wrongly(self, subject, got, number):
        good, old = self.bench.good(subject), self.bench.old(subject)
        if is_sanitizer(got.stderr):
            return 'sanitizer'
        if got.code not in (-number, good.code):
            return 'exit %d' % got.code
        if any(got.files[n] not in (old[n], good.files[n]) for n in old):
            return 'a file that is neither old nor new'
        if not good.stdout.startswith(got.stdout):
            return 'stdout is not the beginning of what it should be'
        beside = [n for n in got.listing if n not in good.listing]
        if beside and number != signal.SIGKILL:
            return 'left behind: %s' % ' '.join(beside)
        if number == signal.SIGKILL and len(beside) > len(old):
            return 'left behind more than one file for each output'
        return None

    def signals(self):
        jobs = []
        for subject in self.subjects(often=True):
            if not subject.writes:
                continue
            self.bench.good(subject)
            total = self.ask(subject, '--calls=any')
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
                for n in self.signal_places(total, number):
                    words = ('--calls=any', '--at=%d' % n, '--signal=%d' % number)
                    jobs.append(('%s at a system call' % signal.Signals(number).name, subject, '%d of %d' % (n, total), self.ended(subject, words, number)))
        self.all(jobs)

    def signal_places(self, total, number):
        """The output is written in the last calls."""
        if self.options.every and number == signal.SIGTERM:
            return range(1, total + 1)
        return range(max(1, total - (40 if self.options.every else 12 if number == signal.SIGTERM else 3)), total + 1)

    def table(self):
        wrong = 0
        print('\n| fault | injected | unharmed | failed as it should | wrong |\n| --- | ---: | ---: | ---: | ---: |')
        for fault, count in self.counts.items():
            bad = sum(count.wrong.values())
            wrong += bad
            print('| %s | %d | %d | %d | %d |' % (fault, count.injected, count.unharmed, count.failed, bad))
        for fault, count in self.counts.items():
            for words, times in count.words.most_common(3):
                print('%s: "%s" %d times' % (fault, words, times))
        return wrong


def spread(total, most):
    return range(1, total + 1) if total <= most else [1 + (total - 1) * i // (most - 1) for i in range(most)]


def traced():
    """LeakSanitizer cannot trace what is traced already."""
    options = os.environ.get('ASAN_OPTIONS')
    return {'ASAN_OPTIONS': (options + ':' if options else '') + 'detect_leaks=0'}


def arguments(*sweeps):
    parser = argparse.ArgumentParser()
    if sweeps:
        parser.add_argument('sweeps', nargs='+', choices=sweeps)
    parser.add_argument('--every', action='store_true')
    parser.add_argument('--only')
    parser.add_argument('--jobs', type=int, default=2)
    return parser.parse_args()


def main():
    options = arguments('alloc', 'llvm', 'read', 'shrink', 'write', 'signals')
    sweep = Sweep(Bench(), options)
    if set(options.sweeps) - {'alloc', 'llvm'} and not sweep.can_trace():
        print('skipped: no program can be traced here (ptrace)')
        return 77
    for name in options.sweeps:
        getattr(sweep, name)()
    return 1 if sweep.table() else 0


if __name__ == '__main__':
    sys.exit(main())
