#!/usr/bin/env python3
"""Checks a JSON summary against docs/stats.md, and prints the values asked for: check_stats.py FILE [PATH...]

Every key must be in the tables there with its type, and every key of the tables must be in the summary (unless the schema
does not require its object) and in docs/schema/stats.schema.json; each ledger must balance.  A PATH is keys and indices with dots: samples.read, inputs.0.format.
--reasons FILE prints how many reasons are not 0.
"""
import json
import os
import re
import sys

TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../docs/stats.md')
SCHEMA = os.path.join(os.path.dirname(TABLES), 'schema/stats.schema.json')
TYPES = {'text': str, 'number': int, 'real': float, 'boolean': bool}


def documented():
    """path -> (type, the only format of inputs that has it or None)"""
    paths = {}
    for line in open(TABLES):
        row = re.match(r'\| `([^`]+)` \| ([^|]*) \|', line)
        if row:
            kind, _, only = row[2].partition(', ')
            paths[row[1]] = (int if '.dropped.' in row[1] or '.lost.' in row[1] else TYPES[kind], only or None)
    return paths


def flat(value, path=''):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, path + '.' + key if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from flat(inner, path + '[]')
    else:
        yield path, value


def empty_lists(value, path=''):
    if isinstance(value, dict):
        return {found for key, inner in value.items() for found in empty_lists(inner, path + '.' + key if path else key)}
    return {path} if value == [] else set()


def left_out(report):
    """Objects that are not there and that the schema does not require."""
    with open(SCHEMA) as file:
        schema = json.load(file)
    return set(schema['properties']) - set(schema['required']) - set(report)


def check_keys(report):
    paths = documented()
    absent = left_out(report)
    formats = {one['format'] for one in report['inputs']}
    seen = set()
    empty = empty_lists(report)
    for path, value in flat(report):
        seen.add(path)
        if path not in paths:
            print(path + ' is not in docs/stats.md')
        elif type(value) is not paths[path][0]:
            print('%s is %r' % (path, value))
    for path, (_, only) in paths.items():
        if path in seen or path.split('[]')[0] in empty or path.split('.')[0] in absent:
            continue
        if not only or only.replace('.', '-') in formats:
            print(path + ' is missing')


def schema_paths(node, path=''):
    inner = node.get('properties', {})
    for key, value in inner.items():
        yield from schema_paths(value, path + '.' + key if path else key)
    if 'items' in node:
        yield from schema_paths(node['items'], path + '[]')
    elif not inner:
        yield path


def check_schema():
    with open(SCHEMA) as file:
        described = set(schema_paths(json.load(file)))
    for path in described ^ set(documented()):
        print('%s is in docs/%s only' % (path, 'schema/stats.schema.json' if path in described else 'stats.md'))


def ledgers_of(report):
    ledgers = {name: report[name] for name in ('samples', 'branches', 'traces', 'memory')}
    ledgers.update({'profgen.' + name: ledger for name, ledger in report['profgen'].items()}) # it has branches, too
    return {name: ledger for name, ledger in ledgers.items() if isinstance(ledger, dict)}


def check_ledgers(report):
    for name, ledger in ledgers_of(report).items():
        if ledger['read'] != ledger['kept'] + sum(ledger['dropped'].values()):
            print('%s do not balance: %r' % (name, ledger))


def main(path, *wanted):
    if path == '--reasons':
        with open(wanted[0]) as file:
            print(sum(count > 0 for ledger in ledgers_of(json.load(file)).values() for count in ledger['dropped'].values()))
        return
    with open(path) as file:
        report = json.load(file)
    check_keys(report)
    check_schema()
    check_ledgers(report)
    if (report['format'], report['version']) != ('batconv-stats', 1):
        print('format %s %s' % (report['format'], report['version']))
    for one in wanted:
        value = report
        for key in one.split('.'):
            value = value[int(key) if isinstance(value, list) else key]
        print(one, json.dumps(value) if isinstance(value, (bool, float)) else value)


main(*sys.argv[1:])
