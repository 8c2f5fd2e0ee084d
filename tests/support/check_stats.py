#!/usr/bin/env python3
"""Checks a JSON report against docs/stats.md, and prints the values asked for: check_stats.py FILE [PATH...]

A PATH is keys and indices with dots: samples.read, inputs.0.format.
"""
import json
import sys

REASONS = {
    'samples': 'no_process no_branch_stack kernel other_image unknown_memory no_function no_parent',
    'branches': 'dropped_sample basic_mode kernel erratum return outside no_parent',
    'traces': 'out_of_range two_fragments one_block backwards invalid no_map basic_mode no_parent',
}
SHAPE = {
    'schema': str,
    'binary': {'path': str, 'machine': str, 'build_id': str, 'bat_layout': str, 'fragments': int, 'cold_fragments': int,
               'parents_repaired': int, 'parents_unknown': int, 'stripped': bool},
    'inputs': list, 'mode': str, 'samples': dict, 'branches': dict, 'traces': dict,
    'build_check': {'checked': int, 'not_branch': int, 'bad_target': int, 'bad_end': int, 'rate_percent': float,
                    'limit_percent': float, 'refused': bool},
    'distinct': int, 'records': int,
}
INPUT = {'path': str, 'format': str, 'lines': int, 'ignored_lines': int, 'timeless': bool}


def check(value, shape, where):
    for key in value.keys() ^ shape.keys():
        print('%s: %s is %s' % (where, key, 'not documented' if key in value else 'missing'))
    for key in value.keys() & shape.keys():
        if isinstance(shape[key], dict):
            check(value[key], shape[key], where + '.' + key)
        elif type(value[key]) is not shape[key]:
            print('%s.%s is %r' % (where, key, value[key]))


def main(path, *wanted):
    with open(path) as file:
        report = json.load(file)
    check(report, SHAPE, 'stats')
    if report['schema'] != 'batconv-stats-1':
        print('schema ' + report['schema'])
    for one in report['inputs']:
        check(one, INPUT, 'input')
    for name, reasons in REASONS.items():
        ledger = report[name]
        check(ledger, {'read': int, 'kept': int, 'dropped': dict.fromkeys(reasons.split(), int)}, name)
        if ledger['read'] != ledger['kept'] + sum(ledger['dropped'].values()):
            print('%s do not balance: %r' % (name, ledger))
    for one in wanted:
        value = report
        for key in one.split('.'):
            value = value[int(key) if isinstance(value, list) else key]
        print(one, json.dumps(value) if isinstance(value, (bool, float)) else value)


main(*sys.argv[1:])
