#!/usr/bin/env python3
"""Each command with a stack of 192 KiB for the main thread, and for each other one: what it prints and writes is as ever.

scripts/check-stack knows frames and direct calls; here are calls by pointers and the libraries: libLLVM, libdw, libelf, libzstd.
Every command that `batconv help` names takes part.  Environment: BATCONV, INPUTS, SOURCE, LOAD (a program to record).
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

BATCONV, LOAD = (os.path.abspath(os.environ[name]) for name in ('BATCONV', 'LOAD'))
INPUTS, DEMO = os.path.abspath(os.environ['INPUTS']), os.path.join(os.environ['SOURCE'], 'inputs/demo')
STACK = 192 << 10
SANITIZED = 4  # times as large are frames of ASan
IN, OUT, DATA = DEMO + '/demo', DEMO + '/demo.bolt', DEMO + '/demo.perf.data'
SQLITE = INPUTS + '/sqlite'

with open(BATCONV, 'rb') as program:
    stack = STACK * (SANITIZED if b'__asan_init' in program.read() else 1)

# Words after `batconv`; OUT/ is an empty directory, the same for both runs.
CASES = [
    ['convert', OUT, DATA, '-o', 'OUT/a'],
    ['convert', OUT, DATA, '--input=' + IN, '-o', 'OUT/a', '--profgen=OUT/b'],
    ['convert', '--format=yaml', OUT, DATA, '-o', 'OUT/a'],
    ['convert', '--shard', OUT, DATA, '-o', 'OUT/a'],
    ['convert', OUT, DEMO + '/demo.perf.txt', '-o', 'OUT/a'],
    ['convert', SQLITE + '/sq.b22', SQLITE + '/lbr.b22.data', '-o', 'OUT/a'],
    ['convert', '--bin=' + OUT, '--bin=' + SQLITE + '/sq.b22', DATA, '-o', 'OUT/many'],
    ['convert', '--threads=4', OUT, DEMO + '/demo.preagg', '-o', 'OUT/a'],
    ['record', '-e', 'cpu-clock', '-o', 'OUT/a', LOAD, '100'],
    ['record', '-e', 'cpu-clock', '-o', 'OUT/a/', LOAD, '100', 'thread', 'fork', 'exec'],
    ['merge', DEMO + '/demo.preagg', '-o', 'OUT/a'],
    ['merge', '--shard', '--threads=4', DEMO + '/demo.preagg', '-o', 'OUT/a'],
    ['quality', '--json', OUT, DATA],
    ['quality', '--input=' + IN, OUT, DATA],
    ['report', '-o', 'OUT/a', OUT, DATA],
    ['report', '--verify', '--input=' + IN, '-o', 'OUT/a', OUT, DATA],
    ['inspect', OUT, IN, DATA, DEMO + '/demo.preagg'],
    ['verify', '--input=' + IN, '--unwind', OUT],
    ['verify', '--input=' + INPUTS + '/lines/g5', '--unwind', '--dwarf', INPUTS + '/lines/g5.b22'],
    ['doctor', OUT],
    ['compare', '--rounds=1', OUT, OUT, '--', 'true', '{}'],
    ['optimize', '--dry-run', IN, '--', 'true', '{}'],
    ['overlap', DEMO + '/expected/demo.perf.fdata', DEMO + '/expected/demo.perf.fdata'],
    ['stale', IN, DEMO + '/expected/demo.perf.fdata'],
    ['carry', IN, IN, DEMO + '/expected/demo.perf.fdata', '-o', 'OUT/a'],
    ['convert', DEMO + '/demo.bolt', DEMO + '/demo.preagg', '--input=' + IN, '--for=' + IN, '-o', 'OUT/a'],
    ['heatmap', '-o', 'OUT/a', OUT, DATA],
    ['dump', OUT],
    ['diff', OUT, OUT],
    ['extract', OUT, '-o', 'OUT/a'],
    ['transcode', '--layout=hashed', OUT, '-o', 'OUT/a'],
    ['encode', 'TABLE', '-o', 'OUT/a'],
    ['addr', '--source', '--binary=' + OUT, '0x201000'],
    ['image', OUT],
    ['maps', DATA],
    ['stacks', '--lines', DATA, '-o', 'OUT/a'],
    ['version'],
    ['perf2bolt', OUT, '-p', DATA, '-o', 'OUT/a'],
    ['merge-fdata', DEMO + '/expected/demo.perf.fdata', '-o', 'OUT/a'],
    ['llvm-bolt-heatmap', '-p', DATA, '-o', 'OUT/a', OUT],
]


def limit():
    resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(words, small):
    """Exit code, text, and the sizes of what was written."""
    with tempfile.TemporaryDirectory() as out:
        words = [word.replace('OUT/', out + '/') if not word.startswith('/') else word for word in words]
        done = subprocess.run([BATCONV, *words], capture_output=True, text=True, errors='replace', check=False, preexec_fn=limit if small else None)
        written = {}
        for folder, _, names in os.walk(out):
            for name in names:
                with open(os.path.join(folder, name), 'rb') as file:
                    written[os.path.relpath(os.path.join(folder, name), out)] = file.read()
        return done.returncode, (done.stdout + done.stderr).replace(out, 'OUT'), written


def main():
    wrong, ran = [], set()
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, 'table')
        with open(table, 'wb') as file:
            subprocess.run([BATCONV, 'dump', '--json', OUT], stdout=file, check=True)
        for words in CASES:
            words = [table if word == 'TABLE' else word for word in words]
            ran.add(words[0])
            small, ever = run(words, True), run(words, False)
            if small[0] != ever[0] or (words[0] not in ('record', 'compare') and small != ever):
                wrong.append('%s: exit %d, not %d: %s' % (' '.join(words), small[0], ever[0], small[1][-300:]))
            if ever[0] not in (0, 3):
                wrong.append('%s: exit %d: %s' % (' '.join(words), ever[0], ever[1][-300:]))
    overview = subprocess.run([BATCONV, 'help'], capture_output=True, text=True, check=True).stdout
    for command in set(re.findall(r'^  (\w+) +\w', overview, re.M)) - {'help'} - ran:
        wrong.append('%s is not tried' % command)
    for line in wrong:
        print(line)
    print('%d runs, %d wrong' % (len(CASES), len(wrong)))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
