#!/usr/bin/env python3
"""What must not meet: together.py [--every]

Two runs write the same output at once: it is one whole output of the two.  SIGINT, SIGTERM and SIGKILL at random moments
while the samples come slowly through a pipe: the old output stays, or the new one is there whole; nothing is left next to it,
but of SIGKILL its temporary file.  The moments are of a seed, which is printed with what goes wrong.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

from bench import Bench
from faults import Sweep, arguments
from subjects import SUBJECTS, load

BY_NAME = {s.name: s for s in SUBJECTS}


def two_at_once(sweep, names, rounds):
    bench = sweep.bench
    pair = [BY_NAME[name] for name in names]
    whole = [bench.good(s).files for s in pair]
    for number in range(rounds):
        folder = bench.folder(pair[0])
        jobs = [bench.start(s, folder) for s in (pair if number % 2 else pair[::-1])]
        told = [job.communicate() for job in jobs]
        got = bench.look(pair[0], folder, max(job.returncode for job in jobs), b'', told[0][1] + told[1][1])
        shutil.rmtree(folder)
        wrong = None
        if any(job.returncode for job in jobs):
            wrong = 'failed'
        elif any(got.files[n] not in (whole[0][n], whole[1][n]) for n in got.files):
            wrong = 'neither of the two'
        elif got.listing != bench.good(pair[0]).listing:
            wrong = 'left behind: %s' % ' '.join(got.listing)
        sweep.add('two runs write one output', pair[0], 'round %d' % number, got, wrong)


def feed(data, pipe, pause):
    try:
        with pipe:
            for at in range(0, len(data), 1 + len(data) // 5):
                pipe.write(data[at:at + 1 + len(data) // 5])
                pipe.flush()
                time.sleep(pause)
    except BrokenPipeError:
        pass


def at_random(sweep, rounds, seed):
    bench = sweep.bench
    subject = BY_NAME['perf.data through a pipe']
    data = load(os.path.join(bench.inputs, subject.stdin))
    chance = random.Random(seed)
    begun = time.monotonic()
    bench.run(subject)
    usual = 0.02 + time.monotonic() - begun
    for number in range(rounds):
        which = chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGTERM, signal.SIGKILL))
        moment = chance.random() * usual
        folder = bench.folder(subject)
        job = bench.start(subject, folder, stdin=subprocess.PIPE)
        feeder = threading.Thread(target=feed, args=(data, job.stdin, 0.003))
        feeder.start()
        time.sleep(moment)
        job.send_signal(which)
        feeder.join()
        job.stdin = None
        got = bench.finish(subject, folder, job)
        sweep.add('%s at a random moment' % which.name, subject, 'seed %d, round %d' % (seed, number), got, sweep.ended_wrongly(subject, got, which))


def main():
    options = arguments()
    sweep = Sweep(Bench(), options)
    two_at_once(sweep, ('perf.data', 'pre-aggregated'), 1000 if options.every else 30)
    two_at_once(sweep, ('perf script, three files', 'perf script, three files'), 200 if options.every else 10)
    at_random(sweep, 1000 if options.every else 60, random.randrange(1 << 30) if options.every else 1)
    return 1 if sweep.table() else 0


if __name__ == '__main__':
    sys.exit(main())
