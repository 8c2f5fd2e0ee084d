#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of README.md, docs/*.md, the manual pages and help: each line of a block of code that calls batconv, under whatever
name, with SQLite of inputs/ instead of the page's program.  The lines of a page run in their order, in one directory.

Commands of other programs are not run here: tests/peers/first-profile.sh and compiler-profiles.sh do that for whole pages.
"""
import glob
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile

BATCONV = os.path.abspath(os.environ['BATCONV'])
SOURCE = os.environ['SOURCE']
DATA = os.path.abspath(os.path.join(os.environ['INPUTS'], 'sqlite'))
NAMES = ('batconv', 'perf2bolt', 'merge-fdata', 'llvm-bolt-heatmap')
CALL = re.compile(r'(?:[^|].*[|] *)?(?:%s) ' % '|'.join(NAMES))
# What the pages call their files, and what is there: the first that fits.
FILES = (('debug/server.bolt', 'g4.b22'), ('debug/server', 'g4'), ('yesterday/server.bolt', 'sq.b22'), ('server.bat', 'side/sq.b22'), ('prog.bolt2', 'sq.b22'), ('build/prog.bolt', 'sq.b22'),
         ('/srv/bin/prog', 'sq.b22'), ('prog.bolt', 'sq.b22'), ('server.bolt', 'sq.b22'), ('app.bolt', 'sq.b22'),
         ('last/prog', 'sq'), ('last/prog.bolt', 'sq.b22'), ('first.data', 'lbr.input.data'), ('second.data', 'lbr.b22.data'), ('prog', 'sq'), ('server', 'sq'))
GATES = ('batconv quality', 'batconv verify') # 3 is a result, too
# Runs llvm-bolt; without one its output is another file with the same hashes.
WITH_BOLT = 'batconv extract --hashes'
BOLT = shutil.which('llvm-bolt') or glob.glob('/usr/lib/llvm-*/bin/llvm-bolt')


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def blocks(path):
    if path.endswith('.txt'):
        return re.findall(r'^examples:\n((?:  .*\n)+)', read(path), re.M)
    if not path.endswith('.md'):
        found = re.findall(r'^\.Bd -literal[^\n]*\n(.*?)^\.Ed', read(path), re.M | re.S)
        return [block.replace('\\e', '\\') for block in found]
    return re.findall(r'^```\w*\n(.*?)^```|((?:^    .*\n)+)', re.sub(r'^ +```', '```', read(path), flags=re.M), re.M | re.S)


def examples(path):
    """The lines that call batconv, without the list marks of YAML."""
    for block in blocks(path):
        text = block if isinstance(block, str) else block[0] or block[1]
        for line in text.replace('\\\n', ' ').split('\n'):
            line = re.sub(r'^(?:- |run: )*', '', line.strip())
            if re.match('batconv (record|compare|optimize)', line) or 'PID' in line:
                continue # needs something that runs, rights and time: tests/record, tests/peers/production.sh, tests/cli/compare, tests/peers/optimize.sh
            if CALL.match(line) and (BOLT or not line.startswith(WITH_BOLT)):
                yield line


def with_files(line):
    line = re.sub(r'(--from-compiler=)\w+', r'\1luap', line) # SQLite of inputs/ has no map of the compiler
    recording = 'lbr.b22.data' if re.search(r'\.(bolt|bat)', line) else 'lbr.input.data'
    for word, name in (*FILES, ('perf.data', recording)):
        line = re.sub(r'(?<![\w./-])%s(?![\w./-])' % re.escape(word), name, line)
    return line


def prepare(place):
    os.mkdir(os.path.join(place, 'bin'))
    for name in NAMES:
        os.symlink(BATCONV, os.path.join(place, 'bin', name))
    os.makedirs(os.path.join(place, 'work/side'))
    for name in 'sq', 'sq.b22', 'lbr.b22.data', 'lbr.input.data':
        os.symlink(os.path.join(DATA, name), os.path.join(place, 'work', name))
    os.symlink(os.path.join(DATA, '../next/luap'), os.path.join(place, 'work/luap'))
    for name in ('g4', 'g4.b22'):
        os.symlink(os.path.join(DATA, '../lines', name), os.path.join(place, 'work', name))
    for host in 'a.data', 'b.data':
        os.symlink(os.path.join(DATA, 'lbr.b22.data'), os.path.join(place, 'work', host))
    with open(os.path.join(DATA, 'lbr.b22.txt'), 'rb') as text, lzma.open(os.path.join(place, 'work/prog.txt.xz'), 'wb') as file:
        file.write(text.read())
    subprocess.run([BATCONV, '-q', DATA + '/sq.b22', DATA + '/lbr.b22.data', '-o', os.path.join(place, 'work/last.fdata'),
                    '-w', os.path.join(place, 'work/last.yaml')], check=True)
    shutil.copy(os.path.join(place, 'work/last.fdata'), os.path.join(place, 'work/prog.fdata'))
    os.mkdir(os.path.join(place, 'work/counts'))
    subprocess.run([BATCONV, '-q', '--shard', DATA + '/sq.b22', DATA + '/lbr.b22.data', '-o', os.path.join(place, 'work/counts/prog.bolt.0.zst')], check=True)
    for hashes in 'server.hashes', 'prog.hashes':
        subprocess.run([BATCONV, 'extract', DATA + '/sq.b22', '-o', os.path.join(place, 'work', hashes)], check=True)
    days = [os.path.join(place, 'work/d%d.zst' % day) for day in range(1, 5)]
    subprocess.run([BATCONV, '-q', '--shard', DATA + '/sq.b22', DATA + '/lbr.b22.data', '-o', days[0]], check=True)
    for day in days[1:]:
        shutil.copy(days[0], day)
    for name in 'list', 'shards':
        with open(os.path.join(place, 'work', name), 'w', encoding='ascii') as file:
            file.write('d1.zst\nd2.zst\n')


def run(path, lines, place):
    """The lines that fail, with what they printed."""
    wrong = []
    env = dict(os.environ, PATH=os.path.join(place, 'bin') + ':' + os.environ['PATH'])
    with tempfile.TemporaryDirectory() as folder:
        work = shutil.copytree(os.path.join(place, 'work'), os.path.join(folder, 'work'), symlinks=True)
        for line in lines:
            done = subprocess.run(['sh', '-c', with_files(line)], cwd=work, env=env, capture_output=True, text=True, errors='replace', check=False)
            if done.returncode and not (done.returncode == 3 and line.startswith(GATES)):
                wrong.append('%s: %s: exit %d\n%s' % (path, line, done.returncode, done.stderr[-1000:]))
    return wrong


def run_step(place):
    """The step of docs/ci.md as a whole, for `sh -e`: with limits that are met and with one that is not, the page is written."""
    wrong = []
    step = next((text[0] for text in blocks(os.path.join(SOURCE, 'docs/ci.md')) if text[0].startswith('code=0')), '')
    env = dict(os.environ, PATH=os.path.join(place, 'bin') + ':' + os.environ['PATH'])
    for limit, code in (('--min-gain=1', 0), ('--min-gain=99', 3)):
        with tempfile.TemporaryDirectory() as folder:
            work = shutil.copytree(os.path.join(place, 'work'), os.path.join(folder, 'work'), symlinks=True)
            text = '\n'.join(with_files(line) for line in step.split('\n')).replace('--enough', limit).replace('--min-kept=95', '--min-kept=10')
            done = subprocess.run(['sh', '-e', '-c', text], cwd=work, env=env, capture_output=True, text=True, errors='replace', check=False)
            if done.returncode != code or not os.path.exists(os.path.join(work, 'report.html')) or limit not in text:
                wrong.append('docs/ci.md, the step with %s: exit %d, not %d\n%s' % (limit, done.returncode, code, done.stderr[-1000:]))
    return wrong


def main():
    pages = ['README.md', *(os.path.relpath(p, SOURCE) for p in sorted(glob.glob(SOURCE + '/docs/*.md') + glob.glob(SOURCE + '/docs/man/*.[13]') + glob.glob(SOURCE + '/tests/cli/help-texts/*.txt')))]
    wrong, count, used = [], 0, 0
    with tempfile.TemporaryDirectory() as place:
        prepare(place)
        for page in pages:
            # The demo is run by tests/cli/readme.
            lines = [line for line in examples(os.path.join(SOURCE, page)) if 'inputs/demo' not in line]
            if lines:
                wrong += run(page, lines, place)
                count, used = count + len(lines), used + 1
        wrong += run_step(place)
    for one in wrong:
        print(one)
    print('%d examples of %d pages, %d wrong' % (count, used, len(wrong)))
    return 1 if wrong or count < 30 else 0


sys.exit(main())
