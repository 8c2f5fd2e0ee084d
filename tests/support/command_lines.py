#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Command lines of perf2bolt, merge-fdata and llvm-bolt-heatmap from public sources, with the genuine tools and with batconv.

command_lines.py LIST BATCONV DEMO COMPARE_YAML [--genuine=BIN] [--update]

LIST     tests/peers/command-lines.tsv: verdict, what is measured, source, command
DEMO     inputs/demo; each command finds there: executable (demo.bolt), input (demo), perf.data, basic.data, preagg (of executable),
         a.fdata, b.fdata, c.fdata (equal except counts), a.yaml, b.yaml, plain.prof (no_lbr), unbolted.prof, bare.prof (without
         offsets), damaged, empty
BIN      the genuine tools: each row is measured again.  Without them exit codes and files are held against LIST.recorded,
         which --update writes

A row whose measure is not what it says is an error; so is one that says "same" and is not, or has no reason if it is not the same.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

VERDICTS = ('same', 'better', 'differs')
TOOLS = ('perf2bolt', 'merge-fdata', 'llvm-bolt-heatmap')


def rows_of(path):
    why = None
    for number, line in enumerate(open(path), 1):
        line = line.rstrip('\n')
        if line.startswith('#'):
            why = line[2:]
        elif line:
            fields = line.split('\t')
            if len(fields) != 4 or fields[0] not in VERDICTS or (fields[0] == 'same') != (fields[1] == 'same') or (fields[0] != 'same' and not why):
                sys.exit('%s:%d: is no row: verdict, measure, source, command; and a reason before it, if it is not the same' % (path, number))
            yield fields
            why = None


def make_files(folder, demo):
    for name, to in (('executable', 'demo.bolt'), ('input', 'demo'), ('perf.data', 'demo.perf.data'), ('basic.data', 'demo.basic.perf.data'),
                     ('preagg', 'demo.preagg')):
        shutil.copy(os.path.join(demo, to), os.path.join(folder, name))
    texts = {
        'plain.prof': 'no_lbr cycles\n1 main 0 4\n', 'bare.prof': 'no_lbr\n1 main 1\n', 'unbolted.prof': '1 main 0 1 main 4 0 3\n',
        'damaged': 'F 0x77:40bc 0x77e14a333c120c661cd5d188503d921a00000000:40dc 587\n', 'empty': ''}
    for name, count in (('a', 1), ('b', 20), ('c', 300)):
        texts[name + '.fdata'] = 'boltedcollection\n1 main 0 1 main 4 0 %d\n1 main 4 1 f/a.c/1 0 1 %d\n' % (count, count)
    for name, count in (('a', 1), ('b', 20)):
        texts[name + '.yaml'] = YAML % (count, count)
    for name, text in texts.items():
        with open(os.path.join(folder, name), 'w') as file:
            file.write(text)


YAML = '''---
header:
  profile-version: 1
  binary-name:     'app'
  binary-build-id: '<unknown>'
  profile-flags:   [ lbr ]
  profile-origin:  branch profile reader
  profile-events:  ''
  dfs-order:       false
  hash-func:       xxh3
functions:
  - name:            main
    fid:             1
    hash:            0x50BBA3441D436491
    exec:            %d
    nblocks:         2
    blocks:
      - bid:             0
        insns:           2
        hash:            0x5C0000
        exec:            %d
...
'''


def run(command, tools, demo):
    """(exit code, {name: bytes} of the files that are new or other)"""
    with tempfile.TemporaryDirectory() as folder:
        make_files(folder, demo)
        before = {name: read(folder, name) for name in os.listdir(folder)}
        done = subprocess.run(['sh', '-c', command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=dict(os.environ, PATH=tools + ':' + os.environ['PATH'], LC_ALL='C.UTF-8'), timeout=300)
        after = {name: read(folder, name) for name in os.listdir(folder)}
        return done.returncode, {name: data for name, data in after.items() if before.get(name) != data}


def read(folder, name):
    with open(os.path.join(folder, name), 'rb') as file:
        return file.read()


def plain(data):
    """A heat map without its colors, which llvm-bolt-heatmap carries on from one map to the next."""
    return re.sub(rb'\x1b\[[0-9;]*m', b'', data)


def same_file(name, theirs, ours, compare_yaml):
    if plain(theirs) == plain(ours):
        return True
    if not theirs.startswith(b'---') or not ours.startswith(b'---'):
        return name.endswith('.prof') and sorted(theirs.split(b'\n')) == sorted(ours.split(b'\n'))
    with tempfile.TemporaryDirectory() as folder:
        for path, data in (('theirs', theirs), ('ours', ours)):
            with open(os.path.join(folder, path), 'wb') as file:
                file.write(data)
        done = subprocess.run([compare_yaml, '--no-extern', 'theirs', 'ours'], cwd=folder, stdout=subprocess.PIPE)
        return done.returncode == 0


def measure(theirs, ours, compare_yaml):
    told = [] if theirs[0] == ours[0] else ['exit %d/%d' % (theirs[0], ours[0])]
    # What a failed command left, such as the empty file of a redirection, is no output.
    written = [{name: data for name, data in files.items() if data} for _, files in (theirs, ours)]
    for name in sorted(set(written[0]) | set(written[1])):
        if name not in written[1]:
            told.append(name + ' theirs')
        elif name not in written[0]:
            told.append(name + ' ours')
        elif not same_file(name, written[0][name], written[1][name], compare_yaml):
            told.append(name + ' differs')
    return ', '.join(told) or 'same'


def record(result):
    return [result[0], {name: hashlib.sha256(data).hexdigest()[:16] for name, data in sorted(result[1].items()) if data}]


def links(folder, batconv):
    os.makedirs(folder)
    for tool in TOOLS:
        os.symlink(batconv, os.path.join(folder, tool))
    return folder


def main():
    options = dict(re.match(r'--(\w+)=?(.*)', word).groups() for word in sys.argv[1:] if word.startswith('--'))
    path, batconv, demo, compare_yaml = [os.path.abspath(word) for word in sys.argv[1:] if not word.startswith('--')]
    recorded = json.load(open(path + '.recorded')) if os.path.exists(path + '.recorded') else {}
    counts, wrong, now = dict.fromkeys(VERDICTS, 0), 0, {}
    with tempfile.TemporaryDirectory() as temp:
        tools = links(os.path.join(temp, 'batconv'), batconv)
        for verdict, says, source, command in rows_of(path):
            if '--itrace' in command and not shutil.which('perf'):
                print('%s: left out, needs perf' % command)
                continue
            ours = run(command, tools, demo)
            now[command] = record(ours)
            counts[verdict] += 1
            told = []
            if 'genuine' in options:
                measured = measure(run(command, options['genuine'], demo), ours, compare_yaml)
                told += ['says "%s", is "%s"' % (says, measured)] if measured != says else []
            if 'update' not in options and recorded.get(command) != now[command]:
                told.append('recorded %s, is %s' % (recorded.get(command), now[command]))
            for line in told:
                print('%s (%s): %s' % (command, source, line))
                wrong += 1
    if 'update' in options:
        with open(path + '.recorded', 'w') as file:
            json.dump(now, file, indent=0, sort_keys=True)
            file.write('\n')
    print('%d command lines%s: %s; %d wrong' % (sum(counts.values()), ' beside the genuine tools' if 'genuine' in options else '',
                                              ', '.join('%d %s' % (counts[v], v) for v in VERDICTS), wrong))
    return 1 if wrong else 0


sys.exit(main())
