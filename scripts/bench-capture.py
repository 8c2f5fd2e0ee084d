#!/usr/bin/env python3
"""What sampling costs the program that is sampled: bench-capture.py SAMPLER [PAIRS [HZ]]

SAMPLER is examples/sampler: it takes its own stacks in a SIGPROF handler by libbatconv-capture. Runs come in pairs, one
with and one without sampling, the order alternating; reported are the mean of the differences with a 95 % interval (of
paired differences; bootstrap), and the rate of samples that the machine really gave.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

sampler = os.path.realpath(sys.argv[1])
pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 40
hz = sys.argv[3] if len(sys.argv) > 3 else '99'
MILLIONS = '20'


def run(rate):
    """Processor time of a run, its samples, and how many of them a second of that time."""
    with subprocess.Popen([sampler, 'stacks', 'maps', rate, MILLIONS], stdout=subprocess.PIPE, text=True) as process:
        out = process.stdout.read()
        usage = os.wait4(process.pid, 0)[2]
        process.returncode = 0
    took = usage.ru_utime + usage.ru_stime  # other load on the machine counts little
    return took, int(re.search(r'(\d+) samples', out)[1]) / took


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    differences, rates, plain = [], [], []
    run('0')
    for i in range(pairs):
        order = ['0', hz] if i % 2 else [hz, '0']
        took = {rate: run(rate) for rate in order}
        differences.append((took[hz][0] - took['0'][0]) / took['0'][0] * 100)
        rates.append(took[hz][1])
        plain.append(took['0'][0])
    random.seed(1)
    means = sorted(sum(random.choice(differences) for _ in differences) / pairs for _ in range(2000))
    differences.sort()
    print('sampling at %s Hz asked, %.0f per second of processor time given, %d pairs of %.2f s:' %
          (hz, sum(rates) / pairs, pairs, sum(plain) / pairs))
    print('  %+.3f %% (mean; 95 %%: %+.3f to %+.3f), median %+.3f %%' %
          (sum(differences) / pairs, means[50], means[1949], differences[pairs // 2]))
