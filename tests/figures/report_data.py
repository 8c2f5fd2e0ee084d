# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The data of a page that `batconv report` wrote, and what must be true of them whatever they are of."""
import base64
import json
import re

MOST = 1000000 # bytes of a page


def cells(heat):
    """{number of the cell: value}"""
    packed, at, found = iter(base64.b64decode(heat['data'], validate=True)), heat['begin'] // heat['cell'], {}

    def number(first=None):
        value = shift = 0
        byte = next(packed) if first is None else first
        while byte & 128:
            value |= (byte & 127) << shift
            shift += 7
            byte = next(packed)
        return value | byte << shift
    for first in packed:
        gap = number(first)
        count = number() if gap & 1 else 1
        value = number()
        at += gap >> 1
        found.update((cell, value) for cell in range(at, at + count))
        at += count
    return found


def check_heat(heat):
    found = cells(heat)
    assert heat['wanted'] == 64 and heat['cell'] % 64 == 0 and heat['cell'] & heat['cell'] - 1 == 0
    assert heat['cells'] == len(found) and heat['sum'] == sum(found.values())
    assert heat['max'] == max(found.values(), default=0)
    if found:
        assert heat['begin'] == min(found) * heat['cell'] and heat['end'] == (max(found) + 1) * heat['cell']
    return found


def check_code(data):
    code, rows = data['code'], data['functions']['rows']
    assert len(code['functions']) == code['listed'] <= len(rows) and code['all'] == data['functions']['all']
    assert [f['row'] for f in code['functions']] == list(range(code['listed'])) # the hottest, and none left out
    for function in code['functions']:
        blocks = [dict(zip(code['block_columns'], block, strict=True)) for block in function['blocks']]
        starts = [block['start'] for block in blocks]
        assert starts == sorted(set(starts)) and all(block['count'] for block in blocks)
        assert all((block['file'] is None) == (block['line'] is None) for block in blocks)
        assert all(block['file'] is None or block['file'] < len(code['files']) for block in blocks)
        assert all(0 <= start < len(blocks) and 0 <= to < len(blocks) and count for start, to, count in function['edges'])
        assert all(0 <= block < len(blocks) and count for block, name, count in function['calls'])


def check_functions(data):
    functions = data['functions']
    rows = [dict(zip(functions['columns'], row, strict=True)) for row in functions['rows']]
    assert functions['listed'] == len(rows) <= functions['all'] == data['quality']['coverage']['functions']
    assert functions['samples'] == data['quality']['coverage']['samples']
    assert functions['samples_listed'] == sum(row['samples'] for row in rows)
    assert [row['samples'] for row in rows] == sorted((row['samples'] for row in rows), reverse=True)
    for row in rows:
        assert row['cold_size'] <= row['size'] and row['place'] in data['words']['places']


def check_curve(data):
    coverage = data['quality']['coverage']
    for key in 'functions', 'bytes':
        points = data['curve'][key]
        assert points == sorted(points) and len(points) <= 200
        if not points:
            continue
        assert points[-1] == [coverage[key], 100]
        for held in coverage['percentiles']: # what holds 50 % is between the point below and the one above
            assert all(percent < held['percent'] + 1e-3 for count, percent in points if count < held[key])
            assert all(percent > held['percent'] - 1e-3 for count, percent in points if count >= held[key])


def data_of(page):
    """page: bytes.  What is in it between the tags."""
    text = page.decode() # no bytes that are no UTF-8
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert len(found) == 1 and '<' not in found[0] and '\n' not in found[0] and '@BATCONV_REPORT_DATA@' not in text
    assert "default-src 'none'" in text
    return json.loads(found[0])


def check(page):
    """page: bytes, of a report.  Returns the data."""
    assert len(page) < MOST, len(page)
    data = data_of(page)
    check_functions(data)
    check_code(data)
    check_curve(data)
    output = check_heat(data['heat']['output'])
    if data['heat']['output']['cell'] == 64:
        assert len(output) * 64 == data['quality']['coverage']['bytes']
    if data['heat']['input']:
        check_heat(data['heat']['input'])
        assert data['heat']['input']['sum'] + data['heat']['input_lost'] == data['heat']['output']['sum']
    for ledger in 'samples', 'branches', 'traces':
        entries = data['quality']['kept'][ledger]
        assert entries['read'] == entries['kept'] + sum(drop['count'] for drop in entries['dropped'])
        assert [drop['reason'] for drop in entries['dropped']] == list(data['words'][ledger]['reasons'])
    assert data['regions'] == sorted(data['regions']) and all(begin < end for begin, end, kind in data['regions'])
    if data['overlap'] and data['overlap']['heat']:
        check_heat(data['overlap']['heat']['this'])
        check_heat(data['overlap']['heat']['other'])
    return data
