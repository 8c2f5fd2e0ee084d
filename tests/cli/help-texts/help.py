#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The help text of each command and each other program's name, and the overview, next to this file: help.py [--update]

Which there are is asked of the program (help --table): a new command has none here until --update writes it, and a text of a command that
is no more fails, too.  Each option of the table is in its command's text.  Environment: BATCONV.
"""
import os
import re
import subprocess
import sys

BATCONV = os.path.abspath(os.environ['BATCONV'])
HERE = os.path.dirname(os.path.abspath(__file__))


def output(*words):
    return subprocess.run([BATCONV, *words], capture_output=True, text=True, check=True).stdout


def main():
    table = [line.split('\t') for line in output('help', '--table').splitlines()]
    texts = {'overview': output('help')}
    for row in table:
        if row[0] == 'command':
            texts[row[1]] = output('help', row[1])
        elif row[0] == 'program':
            texts[row[1]] = output(row[1], '--help')
    if sys.argv[1:] == ['--update']:
        for name in os.listdir(HERE):
            if name.endswith('.txt'):
                os.remove(os.path.join(HERE, name))
        for name, text in texts.items():
            with open(os.path.join(HERE, name + '.txt'), 'w', encoding='utf-8') as file:
                file.write(text)
    wrong = ['%s: the golden is of no command' % name for name in sorted(os.listdir(HERE)) if name.endswith('.txt') and name[:-4] not in texts]
    for name, text in texts.items():
        path = os.path.join(HERE, name + '.txt')
        if not os.path.exists(path):
            wrong.append('%s: its help text has no golden: tests/cli/help-texts/help.py --update' % name)
            continue
        with open(path, encoding='utf-8') as file:
            golden = file.read()
        if golden != text:
            lines = sorted(set(golden.splitlines()) ^ set(text.splitlines()))
            wrong.append('%s: its help text is another one (tests/cli/help-texts/help.py --update): %s' % (name, ' | '.join(lines[:4])))
    for row in table:
        if row[0] == 'option' and not re.search(r'(?<![\w-])--?%s(?![\w-])' % re.escape(row[3] or row[2]), texts[row[1]]):
            wrong.append('%s: --%s is not in its help text' % (row[1], row[3] or row[2]))
    print('\n'.join(wrong) or '%d help texts' % len(texts))
    return 1 if wrong else 0


sys.exit(main())
