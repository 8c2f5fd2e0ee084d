#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same file means the same to every command: agree.py [--table] [WORD...]

Odd documents, fdata, YAML and pre-aggregated text, are given to every command that takes the format, each in each position: the program is asked for its
commands, as by every.py.  An odd document is a plain one in another spelling, and then every command must do with it what it does with the
plain one: the same exit code, the same output; or it is refused, and then by every command.  The table has which, by what LLVM 22 does or the format says.

--table  what became of each document in each position
WORD...  only documents whose name has one of the words

BATCONV, INPUTS and SOURCE are as for tests/cli/run.py.
"""
import collections
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import commands  # noqa: E402
import every  # noqa: E402
import kinds  # noqa: E402
import shards  # noqa: E402

SAME, REFUSED = 'same', 'refused'
DOCUMENT = 'odd-document'

FDATA = '''boltedcollection
1 main 10 1 by_count 0 2 40
1 main 1c 1 main 8 0 7
1 by_count 4 1 main 20 0 40
0 [unknown] 0 1 main 0 1 3
'''
PLAIN_FDATA = 'no_lbr cycles:u\n1 main 10 40\n1 by_count 0 2\n'

YAML = '''---
header:
  profile-version: 1
  binary-name:     'prog'
  binary-build-id: '0b443b38120bcfd6'
  profile-flags:   [ lbr ]
  profile-origin:  'perf data aggregator'
  profile-events:  'cycles:u'
  dfs-order:       false
  hash-func:       xxh3
functions:
  - name:            alpha
    fid:             0
    hash:            0x1122334455667788
    exec:            40
    nblocks:         2
    blocks:
      - bid:             0
        insns:           4
        hash:            0x0001020304050607
        exec:            40
        calls:           [ { off: 0x4, fid: 1, cnt: 40, mis: 2 } ]
        succ:            [ { bid: 1, cnt: 33 } ]
      - bid:             1
        insns:           2
        succ:            [ { bid: 0, cnt: 7, mis: 1 } ]
  - name:            'beta/1(*2)'
    fid:             1
    hash:            0x99
    exec:            40
    nblocks:         1
    blocks:
      - bid:             0
        insns:           3
        exec:            40
...
'''

# Addresses of the demo, which it can be converted with.
PREAGG = '''T 740e 747b 748e 5
R X:0 740e 747b 3
B 748e 740e 4 1
F 740e 747b 7
f 740e 748e 2
r 740e 747b 1
'''
PLAIN_PREAGG = 'E cycles:u\nS 740e 5\nS 747b 7\n'

def document(name, text, expected, plain):
    return (name, text if isinstance(text, bytes) else text.encode(), expected, plain.encode())


def replaced(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def fdata_documents():
    def odd(name, expected, *pairs, plain=FDATA):
        return document('fdata: ' + name, replaced(plain, *pairs), expected, plain)
    first = '1 main 10 1 by_count 0 2 40\n'
    yield odd('offsets in upper case', SAME, ('1c', '1C'))
    yield odd('offsets with zeros before them', SAME, (' 10 ', ' 0010 '))
    yield odd('offsets with 0x', REFUSED, (' 10 ', ' 0x10 '))
    yield odd('counts with zeros before them', SAME, (' 2 40', ' 02 0040'))
    yield odd('two blanks', REFUSED, ('1 main 10', '1  main 10'))
    yield odd('a tab', REFUSED, ('1 main 10', '1\tmain 10'))
    yield odd('a blank before a line', REFUSED, (first, ' ' + first))
    yield odd('a blank behind a line', REFUSED, (first, first[:-1] + ' \n'))
    yield odd('lines of Windows', REFUSED, ('\n', '\r\n'))
    yield odd('an empty line', REFUSED, (first, first + '\n'))
    yield odd('a comment', REFUSED, (first, first + '# seen\n'))
    yield odd('a count that is no number', REFUSED, (' 2 40', ' 2 x'))
    yield odd('a negative count', REFUSED, (' 2 40', ' 2 -40'))
    yield odd('a count above 2^64', REFUSED, (' 2 40', ' 2 18446744073709551616'))
    yield odd('a number too many', REFUSED, (' 2 40', ' 2 40 1'))
    yield odd('a number too few', REFUSED, (' 2 40', ' 40'))
    yield odd('a kind of place that there is not', REFUSED, ('1 main 10', '7 main 10'))
    yield odd('the last line without its end', REFUSED, (' 1 3\n', ' 1 3'))
    yield odd('a line of plain samples among branches', REFUSED, (first, first + '1 main 10 40\n'))
    yield odd('a head among the records', REFUSED, (first, first + 'boltedcollection\n'))
    yield odd('plain: a branch among samples', REFUSED, ('1 main 10 40\n', '1 main 10 40\n' + first), plain=PLAIN_FDATA)
    yield odd('plain: a number too many', REFUSED, ('10 40', '10 40 2'), plain=PLAIN_FDATA)


def yaml_documents():
    def odd(name, expected, *pairs):
        return document('yaml: ' + name, replaced(YAML, *pairs), expected, YAML)
    head, functions = YAML.split('functions:\n')
    flat = head + 'functions:\n' + re.sub(r'^  ', '', functions, flags=re.M)
    yield document('yaml: functions not indented', flat, SAME, YAML)
    yield document('yaml: functions indented by four', head + 'functions:\n' + re.sub(r'^  ', '    ', functions, flags=re.M), SAME, YAML)
    yield odd('flags without blanks', SAME, ('[ lbr ]', '[lbr]'))
    yield odd('flags as a list', SAME, ('profile-flags:   [ lbr ]', 'profile-flags:\n    - lbr'))
    yield odd('flags in quotes', SAME, ('[ lbr ]', '[ "lbr" ]'))
    yield odd('names in double quotes', SAME, ('name:            alpha', 'name: "alpha"'))
    yield odd('names with escapes', SAME, ('name:            alpha', 'name: "al\\x70ha"'))
    yield odd('comments', SAME, ('functions:\n', '# written by hand\nfunctions: # all\n'))
    yield odd('an empty line', SAME, ('functions:\n', '\nfunctions:\n'))
    yield odd('numbers as hexadecimal', SAME, ('exec:            40', 'exec: 0x28'))
    yield odd('rows as blocks', SAME, ('[ { bid: 1, cnt: 33 } ]', '\n          - bid: 1\n            cnt: 33'))
    yield odd('a block as a flow', SAME, ('''      - bid:             1
        insns:           2
        succ:            [ { bid: 0, cnt: 7, mis: 1 } ]
''', '      - { bid: 1, insns: 2, succ: [ { bid: 0, cnt: 7, mis: 1 } ] }\n'))
    yield odd('fields in another order', SAME, ('    fid:             0\n    hash:            0x1122334455667788\n',
                                                '    hash:            0x1122334455667788\n    fid:             0\n'))
    yield odd('lines of Windows', SAME, ('\n', '\r\n'))
    yield odd('blanks behind lines', SAME, ('insns:           4\n', 'insns:           4   \n'))
    yield odd('the head in another order', SAME, ("  profile-version: 1\n  binary-name:     'prog'\n", "  binary-name:     'prog'\n  profile-version: 1\n"))
    yield odd('no end of the document', REFUSED, ('...\n', ''))
    yield odd('a version that there is not', REFUSED, ('profile-version: 1', 'profile-version: 2'))
    yield odd('no flags', REFUSED, ('  profile-flags:   [ lbr ]\n', ''))
    yield odd('a flag that there is not', REFUSED, ('[ lbr ]', '[ other ]'))
    yield odd('both flags', REFUSED, ('[ lbr ]', '[ lbr, sample ]'))
    yield odd('a number that is none', REFUSED, ('cnt: 33', 'cnt: many'))
    yield odd('a count above 2^64', REFUSED, ('cnt: 33', 'cnt: 18446744073709551616'))
    yield odd('a field twice', REFUSED, ('    nblocks:         2\n', '    nblocks:         2\n    nblocks:         2\n'))
    yield odd('a function without a name', REFUSED, ('  - name:            alpha\n    fid:             0\n', '  - fid:             0\n'))
    yield odd('a list that is none', REFUSED, ('[ { bid: 1, cnt: 33 } ]', '33'))
    yield odd('a build-id that is none', REFUSED, ("'0b443b38120bcfd6'", "'0b443b3g'"))
    yield odd('no functions', REFUSED, (functions, ''))


def preagg_documents():
    def odd(name, expected, *pairs, plain=PREAGG):
        return document('preagg: ' + name, replaced(plain, *pairs), expected, plain)
    first = 'T 740e 747b 748e 5\n'
    f = 'F 740e 747b 7\n'
    yield odd('0x before addresses', SAME, ('T 740e 747b', 'T 0x740e 0X747b'))
    yield odd('addresses in upper case', SAME, ('T 740e', 'T 00740e'))
    yield odd('tabs and blanks', SAME, (first, '\tT  740e\t747b   748e 5  \n'))
    yield odd('comments', SAME, (first, '# counts\n' + first[:-1] + ' // five\n'))
    yield odd('empty lines', SAME, (first, '\n\n' + first + ' \t\n'))
    yield odd('lines of Windows', SAME, ('\n', '\r\n'))
    yield odd('the last line without its end', REFUSED, ('747b 1\n', '747b 1'))
    for mark in ('-1', 'ffffffffffffffff', 'X:-1', 'X:ffffffffffffffff', '1234:-1', '1234:ffffffffffffffff'):
        yield odd('F as a T of ' + mark, SAME, (f, 'T %s 740e 747b 7\n' % mark))
    for mark in ('-2', 'X:-2', 'X:fffffffffffffffe', 'ab:fffffffffffffffe'):
        yield odd('f as a T of ' + mark, SAME, ('f 740e 748e 2\n', 'T %s 740e 748e 2\n' % mark))
    for mark in ('-3', 'X:-3', 'X:fffffffffffffffd'):
        yield odd('r as an R of ' + mark, SAME, ('r 740e 747b 1\n', 'R %s 740e 747b 1\n' % mark))
    for mark in ('-1', 'X:-1', 'ab:ffffffffffffffff'):
        yield odd('B as a T to ' + mark, SAME, ('B 748e 740e 4 1\n', 'T 748e 740e %s 4 1\n' % mark))
    yield odd('a mark that there is not', REFUSED, ('T 740e', 'T -4'))
    yield odd('a mark of no value', REFUSED, ('T 740e', 'T X:-0'))
    yield odd('a letter that there is not', REFUSED, ('T 740e', 'Q 740e'))
    yield odd('a count in hexadecimal', REFUSED, ('748e 5', '748e 0x5'))
    yield odd('a negative count', REFUSED, ('748e 5', '748e -5'))
    yield odd('a count above 2^64', REFUSED, ('748e 5', '748e 18446744073709551616'))
    yield odd('a number too many', REFUSED, (f, f[:-1] + ' 1\n'))
    yield odd('a number too few', REFUSED, (f, 'F 740e 7\n'))
    yield odd('a build-id of an odd length', REFUSED, ('T 740e', 'T abc:740e'))
    yield odd('two colons', REFUSED, ('T 740e', 'T ab:X:740e'))
    yield odd('an address too wide', REFUSED, ('T 740e', 'T 10000000000000000'))
    yield odd('plain: an event with blanks around it', SAME, ('E cycles:u', ' E  cycles:u '), plain=PLAIN_PREAGG)
    yield odd('plain: an event without a name', REFUSED, ('E cycles:u', 'E '), plain=PLAIN_PREAGG)
    yield odd('plain: a number too many', REFUSED, ('740e 5', '740e 5 1'), plain=PLAIN_PREAGG)


def all_documents():
    return list(fdata_documents()) + list(yaml_documents()) + list(preagg_documents())


# ---- the positions that take a format ----

# Known to take one: the test must find them.
KNOWN = {'fdata': {('inspect', 'FILE'), ('merge', 'INPUT'), ('overlap', 'A'), ('overlap', 'B'), ('stale', 'PROFILE'), ('carry', 'PROFILE'), ('merge-fdata', 'FILE')},
         'yaml': {('inspect', 'FILE'), ('merge', 'INPUT'), ('overlap', 'A'), ('overlap', 'B'), ('stale', 'PROFILE'), ('carry', 'PROFILE'), ('merge-fdata', 'FILE')},
         'preagg': {('inspect', 'FILE'), ('convert', 'SAMPLES'), ('merge', 'INPUT'), ('quality', 'SAMPLES'), ('report', 'SAMPLES'), ('heatmap', 'SAMPLES'), 
                    ('perf2bolt', '-p'), ('llvm-bolt-heatmap', '-p')}}


def merge_fdata(folder):
    os.symlink(os.environ['BATCONV'], os.path.join(folder, 'merge-fdata'))
    command = commands.Command('merge-fdata', 'usage: batconv merge-fdata', {})
    command.required, command.operands = [], ['FILE']
    command.program = [os.path.join(folder, 'merge-fdata')]
    return command


def run(planner, place, kind, scratch):
    """What it did, without the name of the document; and whether it took it."""
    run = planner.run(place, kind, ['--no-input'] if '--no-input' in place.command.flags() else [], True)
    folder = tempfile.mkdtemp(dir=scratch)
    try:
        code, out, err, _ = every.execute(run, folder)
        written = {}
        for name in sorted(os.listdir(folder)):
            if os.path.isfile(os.path.join(folder, name)):
                with open(os.path.join(folder, name), 'rb') as file:
                    written[name] = file.read()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    name = os.path.basename(kind.path).encode()
    out, err = (re.sub(rb'preagg, \d+ lines', b'preagg', text) for text in (out, err)) # that are blank or comments, too
    plain = [text.replace(kind.path.encode(), b'DOCUMENT').replace(name, b'DOCUMENT') for text in (out, err, *written.values())]
    return code, plain, list(written)


def takes(result, of_source):
    code = result[0]
    return code in (0, 4) and of_source[0] not in (0, 4) or code == 3 and of_source[0] == 1


def try_place(planner, place, documents, scratch, table):
    source = run(planner, place, planner.files['source.c'], scratch)
    plain, wrong = {}, 0
    for name, text, expected, of in documents:
        if of not in plain:
            plain[of] = run(planner, place, put(planner, of), scratch)
        if not takes(plain[of], source):
            continue
        got = run(planner, place, put(planner, text), scratch)
        became = SAME if got == plain[of] else REFUSED if not takes(got, source) else 'something else'
        table[name][place.command.name, place.name()] = became
        if became != expected:
            wrong += 1
            print('%s: %s: %s, expected %s' % (place.label(), name, became, expected))
            for text in got[1] if became != SAME else []:
                print('    > ' + text.decode('utf-8', 'replace')[:400].replace('\n', '\n    > '))
    return wrong


def put(planner, text):
    document = planner.files[DOCUMENT]
    with open(document.path, 'wb') as file:
        file.write(text)
    return document


def main(args):
    batconv = os.path.abspath(os.environ['BATCONV'])
    words = [word for word in args if not word.startswith('--')]
    documents = [d for d in all_documents() if not words or any(word in d[0] for word in words)]
    table, wrong = collections.defaultdict(dict), 0
    commands.INSTEAD['stale', 'PROFILE'] = {'BINARY': 'demo'} # whose code fdata is held against
    with tempfile.TemporaryDirectory() as folder:
        for name in commands.PERF2BOLT_NAMES:
            os.symlink(batconv, os.path.join(folder, name))
        for name in ('kinds', 'runs'):
            os.mkdir(os.path.join(folder, name))
        files = kinds.make(batconv, os.environ['INPUTS'], os.environ['SOURCE'], folder + '/kinds')
        planner = every.Planner(files)
        files[DOCUMENT] = kinds.Kind(DOCUMENT, os.path.join(folder, DOCUMENT))
        for command in commands.ask(batconv, folder) + [merge_fdata(folder)]:
            for place in commands.places(command):
                if not place.writes and place.name() not in shards.NAMES and command.name not in commands.TIMED:
                    wrong += try_place(planner, place, documents, folder + '/runs', table)
    if '--table' in args:
        for name, places in table.items():
            print('%-50s %s' % (name, ', '.join('%s %s %s' % (*place, became) for place, became in sorted(places.items()))))
    for form, known in KNOWN.items() if not words else []:
        seen = set(place for name, places in table.items() if name.startswith(form) for place in places)
        for place in sorted(known - seen):
            print('%s %s: takes no %s, so nothing was compared' % (*place, form))
            wrong += 1
    print('%d documents, %d runs, %d wrong' % (len(documents), sum(len(places) for places in table.values()), wrong))
    return 1 if wrong or not table else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
