#!/usr/bin/env python3
"""Damage to the BAT section and to the file is refused or does no harm: corrupt_bat.py BATCONV BINARY SAMPLES [STEP]

Every byte of the section is changed in three ways, the section is cut at every length and so is the file (in 200
positions); STEP takes every STEP-th only.  Whatever happens, batconv exits with 0, 1 or 3, says at most one line (and
one line if it does not exit with 0), and leaves no output if it fails.
"""
import collections
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../scripts'))
from bat_reader import Elf  # noqa: E402


def damaged(path, step):
    """(what was done, bytes) of each damaged copy."""
    elf = Elf(path)
    data = bytes(elf.data)
    head = elf.sections['.note.bolt_bat']
    start, size = head[4], head[5]
    table, = struct.unpack_from('<Q', data, 40)
    row = next(at for at in range(table, len(data), 64) if struct.unpack_from('<QQ', data, at + 24) == (start, size))
    for i in range(0, size, step):
        for flip in (0x01, 0x80, 0xff):
            yield 'byte %d ^ %#x' % (i, flip), data[:start + i] + bytes([data[start + i] ^ flip]) + data[start + i + 1:]
        yield 'section of %d' % i, data[:row + 32] + struct.pack('<Q', i) + data[row + 40:]
        if i >= 20:  # an honest note that is too short
            short = bytearray(data[:row + 32] + struct.pack('<Q', i & ~3) + data[row + 40:])
            struct.pack_into('<I', short, start + 4, (i & ~3) - 20)
            yield 'note of %d' % i, bytes(short)
    for size in range(0, len(data), max(len(data) // 200, 1) * step):
        yield 'file of %d' % size, data[:size]


def main(batconv, binary, samples, step='1'):
    outcomes = collections.Counter()
    name = os.path.basename(binary)
    for what, data in damaged(binary, int(step)):
        with open(name, 'wb') as file:
            file.write(data)
        if os.path.exists('out'):
            os.remove('out')
        done = subprocess.run([batconv, '-q', name, samples, '-o', 'out'], capture_output=True, timeout=60)
        lines = done.stderr.decode('utf-8', 'replace').splitlines()
        outcomes[done.returncode] += 1
        wrong = [text for text, here in (
            ('exit %d' % done.returncode, done.returncode not in (0, 1, 3)),
            ('%d lines' % len(lines), [line.split(': ')[1] for line in lines] not in ([['error'], ['error', 'hint']] if done.returncode else [[]])),
            ('does not name the file', done.returncode and not lines[0].startswith('batconv: error: %s: ' % name)),
            ('output there' if done.returncode else 'no output', os.path.exists('out') != (not done.returncode)),
            ('left something', len(os.listdir('.')) > 1 + os.path.exists('out')))
                 if here]
        if wrong:
            print('%s: %s: %s' % (what, ', '.join(wrong), lines[:3]))
    if not outcomes[0] or not outcomes[1]:
        print('outcomes %r' % outcomes)
    print('%d damaged files: %s' % (sum(outcomes.values()), dict(outcomes)), file=sys.stderr)


main(*sys.argv[1:])
