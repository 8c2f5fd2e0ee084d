#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions, inlined calls and lines of every address of some functions, compared with eu-addr2line and llvm-symbolizer.

check_lines.py BATCONV BINARY [SYMBOLIZER]: eu-addr2line needs .debug_aranges, and is asked where they are; as JSON, and the same out of pprof's format, with its flags and build-id.
"""
import gzip
import json
import os
import subprocess
import sys

BASE = 0x555555554000


def run(*words, text=''):
    return subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout


def segments(binary):
    """(vaddr, offset, size) of what is executable, in whole pages; and whether the binary can be moved."""
    out = run('readelf', '-hlW', binary)
    for line in out.splitlines():
        words = line.split()
        if words[:1] == ['LOAD'] and 'E' in words[6:-1]:
            offset, vaddr, size = int(words[1], 16), int(words[2], 16), int(words[4], 16)
            page = vaddr & ~4095
            yield page, offset - (vaddr - page), (size + vaddr - page + 4095) & ~4095
    assert 'DYN' in out or 'EXEC' in out


def addresses(binary):
    for line in run('nm', '-S', '--defined-only', binary + '.whole').splitlines():
        words = line.split()
        if len(words) == 4 and words[3] in ('work', 'main', 'once'):
            yield from range(int(words[0], 16), int(words[0], 16) + int(words[1], 16))


def by_elfutils(binary, wanted):
    out = run('eu-addr2line', '-a', '-f', '-i', '-e', binary, *(hex(a) for a in wanted)).splitlines()
    answers, at = {}, None
    i = 0
    while i < len(out):
        if out[i].startswith('0x'):
            at = int(out[i], 16)
            answers[at] = []
            i += 1
            continue
        file, line = out[i + 1].split(':')[:2] if ':' in out[i + 1] else (None, 0)
        answers[at].append((out[i].split()[0], file, int(line)))
        i += 2
    return answers


def by_llvm(symbolizer, binary, wanted):
    out = json.loads(run(symbolizer, '--output-style=JSON', '--obj=' + binary, *(hex(a) for a in wanted)))
    return {int(a['Address'], 16): [(s['FunctionName'], s['FileName'], s['Line']) for s in a['Symbol']] for a in out}


def fields(data):
    """(number, value) of a protocol buffer's message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        value = varint()
        if key & 7 == 2:
            data_at, at = at, at + value
            value = data[data_at:at]
        yield key >> 3, value


def message(data):
    out = {}
    for number, value in fields(data):
        out.setdefault(number, []).append(value)
    return out


def by_pprof(data):
    profile = message(gzip.decompress(data))
    strings = [s.decode() for s in profile[6]]
    functions = {f[1][0]: (strings[f[2][0]], strings[f.get(4, [0])[0]] or None) for f in map(message, profile[5])}
    lines = {}
    for location in map(message, profile[4]):
        places = [message(line) for line in location.get(4, [])]
        lines[location[3][0]] = [functions[p[1][0]] + (p.get(2, [0])[0],) for p in places]
    mappings = [message(m) for m in profile[3]]
    flags = [tuple(m.get(n, [0])[0] for n in (7, 8, 9, 10)) for m in mappings]
    return lines, flags, [strings[m.get(6, [0])[0]] for m in mappings]


def stacks(batconv, binary, wanted, base, *options):
    maps = ''.join('%x-%x r-xp %08x fe:00 1 %s\n' % (base + v, base + v + size, offset, os.path.abspath(binary))
                   for v, offset, size in segments(binary))
    with open('maps', 'w', encoding='utf-8') as out:
        out.write(maps)
    with open('stacks', 'w', encoding='utf-8') as out:
        out.writelines('1 p0 %x\n' % (base + a) for a in wanted)
    return subprocess.run([batconv, 'stacks', '-q', '--maps=maps', *options, 'stacks'], stdout=subprocess.PIPE, check=True).stdout


def of_json(line):
    frame = json.loads(line)['frames'][0]
    places = frame.get('inlined', []) + [frame]
    return [(p.get('function'), p.get('file'), p.get('line', 0)) for p in places]


def whole(places):
    """llvm-symbolizer puts the directory of the compilation before names that are relative to it, and has the file of line 0
    (code that no line is of)."""
    return [(f, os.path.abspath(file) if file and line else None, line) for f, file, line in places]


def main():
    batconv, binary, *symbolizer = sys.argv[1:]
    wanted = sorted(addresses(binary))
    base = BASE if 'DYN' in run('readelf', '-hW', binary) else 0
    ours = [of_json(line) for line in stacks(batconv, binary, wanted, base, '--lines', '--inlines', '--format=json').splitlines()]
    peers = {}
    if os.path.exists(binary + '.debug') or '.debug_aranges' in run('readelf', '-SW', binary):
        peers['eu-addr2line'] = by_elfutils(binary, wanted)
    for program in symbolizer:
        peers['llvm-symbolizer'] = by_llvm(program, binary, wanted)
    for name, answers in peers.items():
        wrong = [(hex(a), o, answers[a]) for a, o in zip(wanted, ours) if whole(o) != whole(answers[a])]
        if wrong:
            sys.exit('%s: %d of %d other than by %s, first %s' % (binary, len(wrong), len(wanted), name, wrong[0]))
    max_depth = max(map(len, ours))
    assert max_depth >= 3, 'nothing was inlined twice'

    lines, flags, ids = by_pprof(stacks(batconv, binary, wanted, base, '--lines', '--inlines', '--format=pprof'))
    assert [lines[base + a] for a in wanted] == ours, 'pprof says other lines'
    assert flags == [(1, 1, 1, 1)], flags
    assert ids == [run('readelf', '-nW', binary).split('Build ID: ')[1].split()[0]], ids
    # Without --inlines the line of the instruction; without --lines none; without both neither.
    lines, flags, _ = by_pprof(stacks(batconv, binary, wanted, base, '--lines', '--format=pprof'))
    assert [[(o[-1][0],) + o[0][1:]] for o in ours] == [lines[base + a] for a in wanted], 'the line of the instruction'
    assert flags == [(1, 1, 1, 0)], flags
    lines, flags, _ = by_pprof(stacks(batconv, binary, wanted, base, '--inlines', '--format=pprof'))
    assert [[(p[0], None, 0) for p in o] for o in ours] == [lines[base + a] for a in wanted], 'inlined calls without lines'
    assert flags == [(1, 0, 0, 1)], flags
    lines, flags, ids = by_pprof(stacks(batconv, binary, wanted, base, '--functions', '--format=pprof'))
    assert flags == [(1, 0, 0, 0)] and ids[0], flags
    print('%s: %d addresses, up to %d calls deep, as by %s' % (os.path.basename(binary), len(wanted), max_depth, ' and '.join(peers)))


if __name__ == '__main__':
    main()
