# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The data of `batconv report`: figures are those of `quality --json` and `overlap --json`, sums are kept, names from binaries end nothing."""
import json
import os
import subprocess
import sys
import tempfile

import report_data

BATCONV, INPUTS, SOURCE = os.environ['BATCONV'], os.environ['INPUTS'], os.environ['SOURCE']
SQLITE, DEMO = INPUTS + '/sqlite/', SOURCE + '/inputs/demo/'
sys.dont_write_bytecode = True
sys.path[:0] = [SOURCE + '/scripts', SOURCE + '/tests/support']
from bat_reader import Elf, read_bat  # noqa: E402
from perf_text import addresses, base_of  # noqa: E402


def run(*arguments, codes=(0,)):
    done = subprocess.run([BATCONV, *arguments], capture_output=True)
    assert done.returncode in codes, (arguments, done.returncode, done.stderr)
    return done.stdout


def report(*arguments, codes=(0,)):
    return report_data.check(run('report', '-o', '-', *arguments, codes=codes))


def same_as_quality(*arguments, codes=(0,)):
    data = report(*arguments, codes=codes)
    assert data['quality'] == json.loads(run('quality', '--json', *arguments, codes=codes)), arguments
    return data


def figures():
    data = same_as_quality(SQLITE + 'sq.b22', SQLITE + 'lbr.b22.data', '--input=' + SQLITE + 'sq')
    assert data['heat']['input_lost'] == 0 and data['heat']['output']['cell'] == 64 and data['unit'] == 'branches'
    assert [data['code']['listed'], data['code']['all']] == [314, 314]
    row = dict(zip(data['functions']['columns'], data['functions']['rows'][0]))
    assert row['name'] == 'sqlite3VdbeExec/sqlite3.c/1' and row['samples'] == 40865 and row['place'] == 'hot'
    assert [fragment[2] for fragment in row['fragments']] == [0, 1] and row['cold_size'] == row['fragments'][1][1]
    assert same_as_quality(SQLITE + 'sq.b22', SQLITE + 'lbr.b22.data')['heat']['input'] is None
    plain = same_as_quality(SQLITE + 'sq.b22', SQLITE + 'ip.b22.data', '--input=' + SQLITE + 'sq')
    assert plain['unit'] == 'samples' and plain['code']['listed'] == plain['functions']['all']
    for function in plain['code']['functions']:
        name, samples = (plain['functions']['rows'][function['row']][column] for column in (0, 2))
        assert sum(block[2] for block in function['blocks']) == (0 if name.endswith('@PLT') else samples), name
    for binary in 'sq.b16', 'sq.b18', 'sq.b19': # tables without blocks, and parents that are to be found
        same_as_quality(SQLITE + binary, SQLITE + binary.replace('sq', 'lbr') + '.data', '--input=' + SQLITE + 'sq')
    same_as_quality(SQLITE + 'sq', SQLITE + 'lbr.input.data')
    other = same_as_quality(SQLITE + 'sq.b16', SQLITE + 'lbr.b22.data', codes=(3,)) # a page, too
    assert other['quality']['verdicts'][0] == {'about': 'build', 'verdict': 'bad', 'text': other['quality']['verdicts'][0]['text']}


def split(version):
    """The executed code of each function that llvm-bolt split, by basic samples: the blocks of the table, read with no part of batconv."""
    binary, samples = SQLITE + 'sq.' + version, SQLITE + 'ip.%s.txt' % version
    elf = Elf(binary)
    base, ran, divided = base_of(elf, samples, 'sq.' + version), {}, set()
    fragments = [(start, start if parent is None else parent, start + elf.functions[start],
                  sorted({start, start + elf.functions[start]} | {start + output for output, branch, _ in entries if not branch}))
                 for start, parent, entries in read_bat(elf.note())[1]]
    for start, parent, end, blocks in fragments:
        divided |= {parent} - {start}
        for address in addresses(samples):
            if start <= address - base < end:
                block = max(at for at in blocks if at <= address - base)
                ran[parent] = ran.get(parent, 0) + min(at for at in blocks if at > block) - block
    rows = report(binary, SQLITE + 'ip.%s.data' % version, '--input=' + SQLITE + 'sq')['functions']
    executed = {row['fragments'][0][0]: row['executed'] for row in (dict(zip(rows['columns'], row)) for row in rows['rows']) if row['fragments']}
    wrong = {hex(at): (ran[at], executed.get(at)) for at in divided & set(ran) if ran[at] != executed.get(at)}
    print('%s: bytes that ran of %d functions that were split; others by their code, of %d as by the table, of %d not' % (
        version, len(divided & set(ran)), sum(executed.get(at) == ran[at] for at in set(ran) - divided),
        sum(executed.get(at) != ran[at] for at in set(ran) - divided)))
    assert not wrong and len(divided & set(ran)) > 50, wrong


def input_heat():
    """The executed code at its locations in the input is what the input's own run has there: the same work was recorded on both.  llvm-bolt shortens
    instructions, and its layouts of blocks end elsewhere."""
    own = report_data.cells(report(SQLITE + 'sq', SQLITE + 'input.preagg')['heat']['output'])
    for version in '16', '19':
        mine = report(SQLITE + 'sq.b' + version, SQLITE + 'b%s.preagg' % version, '--input=' + SQLITE + 'sq')['heat']
        cells = report_data.cells(mine['input'])
        shares = [min(cells[cell] / sum(cells.values()), own[cell] / sum(own.values())) for cell in set(cells) & set(own)]
        assert mine['input_lost'] == 0 and set(cells) == set(own) and sum(shares) > 0.95, (version, sum(shares))
        print('heat of the input through BOLT %s, beside its own: %d cells, %.2f %% in common' % (version, len(own), 100 * sum(shares)))


def against(folder):
    pair = [SQLITE + 'sq.b22', SQLITE + 'lbr.b22.data']
    names = {'fdata': folder + '/other.fdata', 'yaml': folder + '/other.yaml'}
    for form, name in names.items():
        run('-q', SQLITE + 'sq.b22', SQLITE + 'b22.preagg', '-o', name, '--format=' + form)
    run('-q', *pair, '--no-infer', '-o', folder + '/mine.fdata')
    for name in names.values():
        for options in ['--input=' + SQLITE + 'sq'], []:
            data = report(*pair, '--against=' + name, *options)
            mine = folder + '/own.fdata'
            run('-q', *pair, '-o', mine, *options)
            overlap = json.loads(run('overlap', '--json', mine, name))
            found = data['overlap']
            assert {key: found[key] for key in ('functions', 'blocks', 'calls', 'gained', 'lost')} == {
                key: overlap[key] for key in ('functions', 'blocks', 'calls', 'gained', 'lost')}, (name, options)
            moves = [abs(b - a) for name, a, b in found['movers']]
            assert len(moves) == 100 and all(a > b - 3e-4 for a, b in zip(moves, moves[1:])) # four digits
            known = name.endswith('fdata') or options # numbers of blocks have locations where the table's are read
            assert bool(found['heat']) == bool(known)
            assert not known or found['heat']['at'] == ('input' if options else 'output')
    same = report(*pair, '--against=' + SQLITE + 'lbr.b22.data')['overlap']
    assert same['functions']['percent'] == same['blocks']['percent'] == 100
    assert report_data.cells(same['heat']['this']) == report_data.cells(same['heat']['other'])


def hostile(folder):
    """Names of hot functions become what a page could take for its own end."""
    binary = bytearray(open(SQLITE + 'sq.b22', 'rb').read())
    names = {b'sqlite3VdbeExec': '</script><b>\x01\u2028'.encode()[:15], b'sqlite3_str_vappendf': b'<script>alert(1)//\xff\xc3',
             b'sqlite3VdbeHalt': b'<!--@BATCONV_R@', b'sqlite3_step': b'"},{\\u003c]\n'}
    for name, evil in names.items():
        at = binary.find(b'\0' + name + b'\0') + 1
        assert at and len(evil) <= len(name)
        binary[at:at + len(name)] = evil.ljust(len(name), b'.')
    with open(folder + '/evil', 'wb') as out:
        out.write(binary)
    data = report(folder + '/evil', SQLITE + 'lbr.b22.data')
    found = [row[0] for row in data['functions']['rows']]
    assert '</script><b>\x01' in [name[:13] for name in found] and '<script>alert(1)//\ufffd\ufffd' in found
    assert any(name.startswith('<!--@BATCONV_R@') for name in found) and '"},{\\u003c]\n' in found


def source_lines():
    """The input's debug information, which llvm-bolt left out."""
    data = report(INPUTS + '/compiled/sorts.bolt', INPUTS + '/compiled/sorts.bolt.preagg', '--input=' + INPUTS + '/compiled/sorts')
    blocks = [block for function in data['code']['functions'] for block in function['blocks']]
    known = [block for block in blocks if block[8] is not None]
    print('source lines of %d of %d blocks, in %s' % (len(known), len(blocks), data['code']['files']))
    assert known and any(name.endswith('sorts.c') for name in data['code']['files'])


def kernel(folder):
    """Its addresses are no numbers of a browser: they are counted from a base."""
    subprocess.run(['python3', SOURCE + '/tests/support/vmlinux.py', folder + '/vmlinux', folder + '/data'], check=True)
    data = report(folder + '/vmlinux', folder + '/data')
    loop = dict(zip(data['functions']['columns'], data['functions']['rows'][0]))
    assert data['base'] == '0xffffffff81000000' and loop['fragments'] == [[0x1020, 47, 0]] # by hand from vmlinux.py
    assert data['sections'][0]['begin'] == 0x1000 and set(report_data.cells(data['heat']['output'])) == {0x1000 // 64, 0x1040 // 64}
    assert 'base' not in report(DEMO + 'demo.bolt', DEMO + 'demo.perf.data')


def comparison(folder):
    """The page of compare has what --json prints in the same call, and the interval after each round."""
    page, programs = folder + '/compare.html', [DEMO + 'demo', DEMO + 'demo.bolt']
    for options, codes in (['--rounds=12', '--margin=0'], (0,)), (['--rounds=3', '--max-loss=0', '--decide', '--margin=0'], (3,)):
        printed = json.loads(run('compare', '--json', '--page=' + page, *options, *programs, '--', 'true', '{}', codes=codes))
        with open(page, 'rb') as file:
            data = report_data.data_of(file.read())
        assert data['compare'] == printed and data['format'] == 'batconv-compare-page' and data['counted_runs'] == 0
        first, looks = data['looks']
        assert first == [] and [look[0] for look in looks] == list(range(1, printed['rounds'] + 1))
        ratio = printed['binaries'][1]['cpu_ratio']
        assert looks[-1][2:] == [ratio['ratio'], ratio['low'], ratio['high']]
        for i, (_, _, median, low, high) in enumerate(looks, 1):
            values = sorted(look[1] for look in looks[:i])
            # Four digits, and a median of two is that of their logarithms.
            assert abs(median - (values[(i - 1) // 2] * values[i // 2]) ** 0.5) < 2e-4 * median + 1e-4, (i, median, values)
            assert low <= median and (high is None or high >= median)
            assert (low == 0 and high is None) or i > 5 # few rounds refute nothing


with tempfile.TemporaryDirectory() as temporary:
    figures()
    for release in 'b19', 'b22':
        split(release)
    input_heat()
    against(temporary)
    hostile(temporary)
    source_lines()
    kernel(temporary)
    comparison(temporary)
