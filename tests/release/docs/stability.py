#!/usr/bin/env python3
"""docs/stability.md compared with the program: versions of JSON and of files, exit codes, the number in the sonames."""
import glob
import json
import os
import re
import subprocess
import sys

BATCONV = os.path.abspath(os.environ['BATCONV'])
SOURCE = os.environ['SOURCE']
wrong = []


def read(path):
    with open(os.path.join(SOURCE, path), encoding='utf-8') as file:
        return file.read()


def rows(page, title):
    """The table after a heading or bold word: lists of cells."""
    table = page.split(title, 1)[1].split('\n| ---', 1)[1].split('\n\n', 1)[0]
    return [[cell.strip() for cell in line.strip('|').split('|')] for line in table.splitlines()[1:]]


def check(what, page, program):
    if page != program:
        wrong.append('%s: the page has %s, the program %s' % (what, page, program))


def schema_names():
    """What the schemas say that an output calls itself, and its version."""
    found = {}
    for path in glob.glob(os.path.join(SOURCE, 'docs/schema/*.json')):
        with open(path, encoding='utf-8') as file:
            properties = json.load(file).get('properties', {})
        name = properties.get('format', {}).get('const')
        if name:
            found[name] = str(properties['version']['const'])
    return found


def main():
    page = read('docs/stability.md')
    check('JSON', {row[1].strip('`'): row[2] for row in rows(page, '**JSON.**') if row[1].startswith('`')}, schema_names())

    files = {row[0].split(',')[0].split(' (')[0]: row[2] for row in rows(page, '**Files of batconv')}
    old = {row[0].split(' ')[0]: row[3][:1] for row in rows(page, '**Files of batconv') if row[3]}
    check('older files that are kept as tests', set(old.items()),
          {(kind, '1') for kind, name in (('shards', 'shard-1.zst'), ('side', 'side-1')) if os.path.exists(os.path.join(SOURCE, 'tests/release/formats/1.0/files', name))})
    check('.bcmaps', files['maps of processes'], re.search(r'BCMAPS_VERSION +(\d+)', read('src/samples/bcmaps.h'))[1])
    check('shards', files['shards'], re.search(r'"batconv-shard (\d+)\\n', read('src/profile/shard.h'))[1])
    check('rings', files['rings'], re.search(r'RINGS_MAGIC +"batconv-rings (\d+)\\n"', read('src/record/rings_file.h'))[1])
    check('side files', files['side files'], re.search(r'"BATCONV-SPARSE(\d+)\\n', read('src/base/sparse.h'))[1])

    codes = {row[0] for row in rows(page, '**Exit codes.**')}
    check('exit codes', codes, set(re.findall(r'EXIT_\w+ = (\d)', read('src/cli/options.h'))))
    overview = subprocess.run([BATCONV, 'help'], capture_output=True, text=True, check=True).stdout
    check('exit codes of help', codes, set(re.findall(r'\b(\d) [a-z]', overview.split('exit codes:')[1])))

    told = set(re.findall(r'`([a-z]+\.?[a-z_-]+)`', ' '.join(row[1] for row in rows(page, '## Tests'))))
    listed = subprocess.run(['ctest', '-N', '--test-dir', os.path.dirname(BATCONV)], capture_output=True, text=True, check=False).stdout
    tests = set(re.findall(r'Test +#\d+: (\S+)', listed))
    missing = {name for name in told if '/' not in name} - tests - {'lib'}
    if tests and missing:
        wrong.append('docs/stability.md: no tests of the names %s' % sorted(missing))

    abi = re.search(r'set\(BATCONV_ABI (\d+)\)', read('CMakeLists.txt'))[1]
    check('sonames', set(re.findall(r'`lib[\w-]+\.so\.(\d+)`', page)), {abi})
    nodes = {re.search(r'^(\w+_)[\d.]+ \{', read(path), re.M)[0][:-2] for path in glob.glob(os.path.join(SOURCE, 'lib/symbols/*.map'))}
    check('versions of symbols', set(re.findall(r'`(BAT\w*_\d\.\d)`', page)), nodes)
    for library in 'libbat', 'libbatconv':
        if not os.path.exists(os.path.join(SOURCE, 'debian/%s%s.install' % (library, abi))):
            wrong.append('debian/ has no package %s%s' % (library, abi))

    version = subprocess.run([BATCONV, 'version'], capture_output=True, text=True, check=True).stdout.split()[1]
    check('version', re.search(r'batconv is at ([\d.]+\d)', page)[1], version)
    check('version of the packages', re.match(r'batconv \(([\d.]+)', read('debian/changelog'))[1], version)

    for line in wrong:
        print(line)
    print('%d outputs, %d files, %d exit codes: %d wrong'
          % (len(schema_names()), len(files), len(codes), len(wrong)))
    return 1 if wrong else 0


sys.exit(main())
