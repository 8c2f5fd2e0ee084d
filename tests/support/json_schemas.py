#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every JSON that a command prints is what a schema in docs/schema says: json_schemas.py BATCONV INPUTS SOURCE

Which options print JSON is asked of the program: each option of each command whose help speaks of JSON or SARIF must have
a row in ROWS, and each schema must have one, so that no new output comes without a schema.
"""
import os
import re
import subprocess
import sys

import jsonschema

import schemas

BATCONV, INPUTS, SOURCE = sys.argv[1:]
DEMO, SQLITE = SOURCE + '/inputs/demo', INPUTS + '/sqlite'
SAMPLES = ['perf.data', 'perf.txt', 'preagg', 'basic.perf.data']
RELEASES = ['b15', 'b16', 'b18', 'b19', 'b22']
ODD = {'fdata-odd'}  # refused by inspect
LOOKED_AT = [DEMO + '/demo.' + one for one in SAMPLES] + [
    DEMO + '/demo', DEMO + '/demo.bolt', DEMO + '/expected/demo.basic.fdata'] + [
    entry.path for entry in sorted(os.scandir(SOURCE + '/tests/hostile/fuzz/corpus/inspect'), key=lambda e: e.name)
    if entry.name not in ODD]


def conversions(*option):
    for samples in SAMPLES:
        yield ['-o', 'profile', *option, DEMO + '/demo.bolt', DEMO + '/demo.' + samples]
    yield ['-o', 'profile', *option, '--format=yaml', SQLITE + '/sq.b22', SQLITE + '/lbr.b22.txt']
    yield ['-o', 'profile', *option, SQLITE + '/sq.b16', DEMO + '/demo.preagg']  # of another build: refused
    yield ['-o', 'profile', *option, '--for=' + DEMO + '/demo', '--input=' + DEMO + '/demo', DEMO + '/demo.bolt', DEMO + '/demo.preagg']


def merges(*option):
    branches = SQLITE + '/expected/lbr.b22.fdata'
    yield ['-o', 'profile', *option, branches, SQLITE + '/expected/lbr.b19.fdata']
    yield ['-o', 'profile', *option, '--scale-to=1000', '--weight=3', branches]
    yield ['-o', 'profile', *option, '--skip-bad', branches, DEMO + '/demo.bolt']
    yield ['-o', 'profile', *option, DEMO + '/demo.preagg']


def recordings():
    """Rings of a recording, and, where the system lets it record, a real one."""
    sys.path.insert(0, SOURCE + '/tests/record')
    import rings
    with open(SQLITE + '/lbr.b22.data', 'rb') as file:
        attr, records = rings.records_of(file.read())
    with open('rings', 'wb') as file:
        file.write(rings.rings_file(attr, records, 4, 500, 0))
    yield ['--stats=json', '--replay=rings', '--bin=' + SQLITE + '/sq.b22', '-o', 'shard.zst']
    live = ['--stats=json', '-e', 'cpu-clock', '-o', 'counts/', sys.executable, '-c', 'sum(range(3000000))']
    if run('record', *live).returncode == 0:
        yield live


def optimizations():
    """For the demo: not kept, timed and counted; kept, of a profile alone.  llvm-bolt is none."""
    fake = '--llvm-bolt=' + SOURCE + '/tests/support/fake_llvm_bolt'
    demo, profile = DEMO + '/demo', '--profile=' + DEMO + '/expected/demo.basic.fdata'
    yield ['--json', '-q', fake, profile, '--budget=1', '--counted', '--folder=timed', demo, '--', '{}', '2']
    yield ['--json', '-q', fake, profile, '--keep=always', '--folder=kept', demo]
    yield ['--json', '-q', fake, '--profile=' + DEMO + '/expected/demo.perf.fdata', '--profile-of=' + demo, '--keep=always', '--folder=from_last', demo]


def run(*arguments):
    return subprocess.run([BATCONV, *arguments], capture_output=True, timeout=120, check=False)


# (command, option, schema) -> arguments of its runs
ROWS = {
    ('convert', '--stats', 'stats'): list(conversions('--stats=json')),
    ('convert', '--stats-file', 'stats'): list(conversions('--stats-file=report')),
    ('inspect', '--json', 'inspect'): [['--json', file] for file in LOOKED_AT],
    ('addr', '--json', 'addr'): [
        ['--json', '--binary', DEMO + '/demo.bolt', '--perf', DEMO + '/demo.perf.data', '55e11c270022', '55e11c26b100', '1'],
        ['--json', '--binary', DEMO + '/demo.bolt', '--base=0', '7010', '725e', '1200'],
        ['--json', '--source', '--binary', DEMO + '/demo.bolt', '--from=input', 'main+0x10', 'nobody+0x1'],
        ['--json', '--binary', SQLITE + '/sq.b18', '--from=vaddr', '4003c0', '412856', '0']],
    ('image', '--json', 'image'): [
        ['--json', DEMO + '/demo', DEMO + '/demo.bolt', SQLITE + '/sq.b16', INPUTS + '/aarch64/demo.b22'],
        ['--json', '--sections', DEMO + '/demo.bolt', INPUTS + '/riscv64/sorts.exec']],
    ('maps', '--json', 'maps'): [
        ['--json', DEMO + '/demo.perf.data'], ['--json', '--all', '/proc/self/maps'], ['--json', '--pid=%d' % os.getpid()]],
    ('stacks', '--format', 'stacks'): [
        ['-q', '--format=json', DEMO + '/demo.perf.data'],
        ['-q', '--format=json', '--functions=input', '--binary', DEMO + '/demo.bolt', DEMO + '/demo.perf.txt'],
        ['-q', '--format=json', '--inlines', '--lines', '--binary', DEMO + '/demo.bolt', DEMO + '/demo.basic.perf.data']],
    ('verify', '--json', 'verify'):
        [['--json', '--input', SQLITE + '/sq', '--sample-check=100', SQLITE + '/sq.' + b] for b in RELEASES] +
        [['--json', '--input', DEMO + '/demo', SQLITE + '/sq.b22'],
         ['--json', '--unwind', '--input', INPUTS + '/folded/cx', INPUTS + '/folded/cx.p2'],
         ['--json', '--unwind', '--input', INPUTS + '/frames/lua', INPUTS + '/frames/lua.b22'],
         ['--json', '--dwarf', '--input', INPUTS + '/lines/g5', INPUTS + '/lines/g5.b22']],
    ('verify', '--sarif', 'sarif'):
        [['--sarif', SQLITE + '/sq.' + b] for b in RELEASES] +
        [['--sarif', '--input', DEMO + '/demo', SQLITE + '/sq.b22'],
         ['--sarif', '--unwind', '--input', INPUTS + '/frames/lua', INPUTS + '/frames/lua.b22']],
    ('dump', '--json', 'bat'): [['--json', SQLITE + '/sq.' + b] for b in RELEASES] + [['--json', INPUTS + '/aarch64/demo.b22']],
    ('dump', '--json', 'summary'): [['--summary', '--json', SQLITE + '/sq.' + b] for b in RELEASES],
    ('diff', '--json', 'diff'):
        [['--json', SQLITE + '/sq.' + b, SQLITE + '/sq.b22'] for b in RELEASES] +
        [['--json', '--stat', SQLITE + '/sq.b16', SQLITE + '/sq.b22'],
         ['--json', INPUTS + '/aarch64/sorts.b22', INPUTS + '/aarch64/sorts.exec.b22']],
    ('record', '--stats', 'record'): list(recordings()),
    ('merge', '--stats', 'merge'): list(merges('--stats=json')),
    ('merge', '--stats-file', 'merge'): list(merges('--stats-file=report')),
    ('quality', '--json', 'quality'): [
        ['--json', SQLITE + '/sq.b22', SQLITE + '/lbr.b22.data'],
        ['--json', '--input', SQLITE + '/sq', '--min-density=60', '--max-bias=5', SQLITE + '/sq.b22', SQLITE + '/lbr.b22.data'],
        ['--json', DEMO + '/demo.bolt', DEMO + '/demo.basic.perf.data'],
        ['--json', SQLITE + '/sq.b16', SQLITE + '/lbr.b22.data'],
        ['--json', '--min-kept=50', SQLITE + '/expected/lbr.b22.fdata'],
        ['--json', '--from-compiler', INPUTS + '/next/luap', '--min-density=60']],
    ('doctor', '--json', 'doctor'): [
        ['--json'], ['--json', DEMO + '/demo'], ['--json', DEMO + '/demo.bolt'], ['--json', '/bin/true'],
        ['--json', '--llvm-bolt=/bin/true', DEMO + '/demo'],
        ['--json', '--prove']],
    ('compare', '--json', 'compare'): [
        ['--json', '--rounds=1', DEMO + '/demo', DEMO + '/demo', '--', 'true', '{}'], ['--json', '--rounds=12', DEMO + '/demo', DEMO + '/demo', '--', 'true', '{}'],
        ['--json', '/bin/true', '/bin/echo', '--', '{}', 'x'], ['--json', '--max-loss=50', '--rounds=2', '/bin/true', '/bin/true', '--', '{}']],
    ('optimize', '--json', 'optimize'): list(optimizations()),
    ('overlap', '--json', 'overlap'): [
        ['--json', SQLITE + '/expected/lbr.b22.fdata', SQLITE + '/expected/lbr.b19.fdata'],
        ['--json', '--min=90', '--bin', SQLITE + '/sq.b22', SQLITE + '/expected/lbr.b22.fdata', SQLITE + '/ip.b22.data']],
    ('carry', '--stats', 'carry'): [
        ['--stats=json', '-o', 'carried', DEMO + '/demo', DEMO + '/demo', DEMO + '/expected/demo.perf.fdata']],
    ('stale', '--json', 'stale'): [
        ['--json', INPUTS + '/next/luas.yaml', INPUTS + '/next/luap'],
        ['--json', '--min-exact=50', '--hashes', INPUTS + '/next/luap.hashes', INPUTS + '/next/luas.yaml', INPUTS + '/next/luap'],
        ['--json', INPUTS + '/next/luas.yaml', INPUTS + '/next/luap.hashes', DEMO + '/demo.bolt'],
        ['--json', INPUTS + '/next/luas.fdata', INPUTS + '/next/luap', DEMO + '/demo']],
    ('version', '--json', 'version'): [['--json']],
}

failures = []


def options_with_json():
    for command in re.findall(r'^  (\w+) ', run('help').stdout.decode(), re.M):
        text = run('help', command).stdout.decode()
        for row in re.finditer(r'^  (?:-\w, |    )--([\w-]+).*(?:\n {33}.*)*', text, re.M):
            if re.search('json|sarif', row[0], re.I):
                yield command, '--' + row[1]


def printed(option, arguments, done):
    if option == '--stats':
        return done.stderr.decode()
    if option == '--stats-file':
        with open('report') as file:
            return file.read()
    return done.stdout.decode()


def check(row, validator):
    command, option, schema = row
    for arguments in ROWS[row]:
        what = ' '.join([command, *arguments])
        if os.path.exists('report'):
            os.remove('report')
        done = run(command, *arguments)
        try:
            found = list(schemas.documents(printed(option, arguments, done)))
        except (ValueError, OSError) as error:
            failures.append('%s: no JSON: %s' % (what, error))
            continue
        if not found:
            failures.append('%s: nothing, exit %d: %s' % (what, done.returncode, done.stderr.decode()[:200]))
        for document in found:
            for error in list(validator.iter_errors(document))[:3]:
                failures.append('%s: %s: %s' % (what, '/'.join(map(str, error.absolute_path)), error.message[:200]))


def keys(schema, path=''):
    """The paths of the leaves, as docs/stats.md has them."""
    if 'properties' in schema:
        for key, inner in schema['properties'].items():
            yield from keys(inner, path + '.' + key if path else key)
    elif 'items' in schema:
        yield from keys(schema['items'], path + '[]')
    else:
        yield path


def main():
    asked, known = set(options_with_json()), {row[:2] for row in ROWS}
    failures.extend('%s %s prints JSON, and has no schema here' % one for one in sorted(asked - known))
    failures.extend('%s %s does not speak of JSON' % one for one in sorted(known - asked))
    failures.extend('no output is held against the schema ' + one for one in sorted(schemas.names(SOURCE) - {row[2] for row in ROWS}))
    for row in ROWS:
        schema = schemas.load(SOURCE, row[2])
        jsonschema.Draft7Validator.check_schema(schema)
        check(row, jsonschema.Draft7Validator(schemas.closed(schema)))
        if row[2] == 'stats':
            with open(SOURCE + '/docs/stats.md') as file:
                documented = set(re.findall(r'^\| `([^`]+)` \|', file.read(), re.M))
            failures.extend('%s: in one of docs/stats.md and its schema only' % one for one in sorted(documented ^ set(keys(schema))))
    print('\n'.join(failures) or '%d options, %d runs' % (len(asked), sum(map(len, ROWS.values()))))
    return bool(failures)


sys.exit(main())
