#!/usr/bin/env python3
"""The example programs do what they say: check_examples.py BATCONV SAMPLER RESOLVE TRANSLATE"""
import os
import subprocess
import sys
import tempfile

batconv, sampler, resolve, translate = [os.path.realpath(a) for a in sys.argv[1:]]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    print(run(sampler, 'stacks', 'maps', '1000', '2'))
    folded = run(batconv, 'stacks', '-q', '--functions', '--format=folded', '--maps=maps', 'stacks')
    total = inside = 0
    for line in folded.splitlines():
        stack, count = line.rsplit(' ', 1)
        names = [name.split('/')[0] for name in stack.split(';')]
        total += int(count)
        if names[-4:] == ['main', 'work', 'walk', 'mix']:
            inside += int(count)
    assert total == sum(1 for line in open('stacks')), folded
    # In the few instructions before a frame is made its caller is missing.
    assert total > 10 and inside > total * 0.8, folded

with subprocess.Popen(['sleep', '100']) as process:
    try:
        words = []
        while not words:  # until it runs its own program, and is through with loading it
            lines = open('/proc/%d/maps' % process.pid).read().splitlines()
            if any(line.endswith('/sleep') for line in lines) and any('/libc' in line for line in lines):
                words = next(line for line in lines if '/libc' in line).split(None, 5)
        start, offset = int(words[0].split('-')[0], 16), int(words[2], 16)
        out = run(resolve, str(process.pid), '%x' % (start + 0x20), '10')
        assert out.startswith('0x%x %s+0x%x' % (start + 0x20, words[5], offset + 0x20)), out
        assert out.splitlines()[1] == '0x10 [unknown]', out
    finally:
        process.kill()

# As the examples of bindings/, with facts of nm and eu-addr2line; without libdw there are no lines.
lines = os.path.join(os.environ['INPUTS'], 'lines')
translated = run(translate, lines + '/g4.b22', lines + '/g4', '6010', '6343', '999999').splitlines()
assert translated[0] in ('0x6010 main+0x10 0x1110', '0x6010 main+0x10 0x1110 /src/main.cc:25'), translated
if translated[0].endswith(':25'):
    assert translated[1:] == ['    atoi /usr/include/stdlib.h:364, inlined', '0x6343 rare_c+0x33 0x1443 /src/other.c:8', '0x999999 in no function'], translated
for word in 'zz', '12g', '', '-1', '1' * 17:
    refused = subprocess.run([translate, lines + '/g4.b22', lines + '/g4', '6010', word], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (1, '') and 'is no address in hex' in refused.stderr, refused
swapped = subprocess.run([translate, lines + '/g4', lines + '/g4.b22', '1'], capture_output=True, text=True, check=False)
assert swapped.returncode == 1 and 'not the input binary' in swapped.stderr and swapped.stderr.count('\n') == 1, swapped
