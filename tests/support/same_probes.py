#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same_probes.py A B: blocks that two YAML profiles both list have the same pseudo-probes, and so have call sites that both list.

Functions are compared by name without the file of a local one, which only a BOLTed binary's profile has.  Prints how many trees,
blocks with probes, and call sites with a probe were compared.  Exit code 1 if some differ.
"""
import re
import sys
import yaml


def load(path):
    with open(path) as f:
        profile = yaml.load(f, Loader=getattr(yaml, 'CSafeLoader', yaml.SafeLoader))
    gs = profile['pseudo_probe_desc']['gs']
    trees, blocks, calls = {}, {}, {}
    for function in profile['functions']:
        name = re.sub('/.*/', '/', function['name'])
        guid = 0
        for node in function.get('inline_tree', []):
            guid = node.get('g', guid)
            trees.setdefault(name, []).append((gs[guid], node.get('p', 0), node.get('cs', 0)))
        for block in function.get('blocks', []):
            blocks[name, block['bid']] = sorted(map(repr, block.get('probes', [])))
            for call in block.get('calls', []):
                probe = call.get('pp'), call.get('ppn', 0), call.get('ind', False)
                calls[name, block['bid'], call[False]] = probe  # YAML 1.1 takes the key `off` for a truth value
    return trees, blocks, calls


def main():
    a, b = load(sys.argv[1]), load(sys.argv[2])
    wrong = 0
    for x, y in zip(a, b):
        for key in sorted(x.keys() & y.keys()):
            if x[key] != y[key]:
                wrong += 1
                print(key, x[key], y[key])
    blocks = sum(1 for key in a[1].keys() & b[1].keys() if a[1][key])
    calls = sum(1 for key in a[2].keys() & b[2].keys() if a[2][key][0])
    print(f'{len(a[0].keys() & b[0].keys())} trees, {blocks} blocks and {calls} calls with probes; {wrong} differ')
    return bool(wrong)


sys.exit(main())
