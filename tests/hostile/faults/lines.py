#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Source lines where one allocation fails, or all from one on, of batconv or of libdw: never a reason that is another one.

libdw is not made for that: it ends the program at some points, by a line of its own or a fault, and leaves out lines in others, not all of which are known.
"""
import os
import subprocess
import sys
import tempfile

LINES = os.path.join(os.environ['INPUTS'], 'lines')
MAPS = '# batconv-maps pid=1 id=0 time=0\n10000-17000 r-xp 00000000 fe:00 1 /g4\n'
COMMANDS = (['addr', '--source', '--from=vaddr', '--binary=' + os.path.join(LINES, 'g4.b22'), '--input=' + os.path.join(LINES, 'g4'), '6010', '6343', '611c'],
            ['stacks', '-q', '--lines', '--maps=maps', '--binary=' + os.path.join(LINES, 'g4'), 'stacks'])
SAID = ('out of memory', 'Cannot allocate memory', 'cannot allocate memory', 'cannot create shared object descriptor', 'shared object file: ')


def main():
    if 'libdw: none' in subprocess.run([os.environ['BATCONV'], 'version'], capture_output=True, text=True, check=True).stdout:
        print('skipped: no libdw')
        return 77
    wrong, runs, less, ended = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (('maps', MAPS), ('stacks', '1 p1m0 11110 11444\n')):
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                file.write(text)

        def run(command, at, on):
            env = dict(os.environ, LD_PRELOAD=os.path.join(os.environ['FAULTS'], 'libfault_alloc.so'), FAULT_ALLOC_AT=str(at),
                       FAULT_ALLOC_ON=str(on), FAULT_ALLOC_TOLD=os.path.join(folder, 'told'))
            return subprocess.run([os.environ['BATCONV'], *command], cwd=folder, env=env, capture_output=True, text=True, check=False)

        for command in COMMANDS:
            whole = run(command, 0, 0)
            if whole.returncode or 'other.c:8' not in whole.stdout:
                print('%s: exit %d: %s%s' % (command[0], whole.returncode, whole.stdout, whole.stderr))
                return 1
            with open(os.path.join(folder, 'told'), encoding='utf-8') as file:
                count = int(file.read())
            for on in 0, 1:
                for at in range(1, count + 1):
                    got = run(command, at, on)
                    runs += 1
                    less += got.returncode == 0 and got.stdout != whole.stdout
                    ended += got.returncode < 0
                    if got.returncode > 0 and not any(words in got.stderr for words in SAID):
                        wrong.append('%s, allocation %d%s: exit %d: %s%s' % (command[0], at, ' and on' * on, got.returncode, got.stdout[:300], got.stderr))
    print('\n'.join(wrong[:20]))
    print('%d runs, %d with another reason; by libdw %d ended and %d with fewer lines' % (runs, len(wrong), ended, less))
    return bool(wrong)


sys.exit(main())
