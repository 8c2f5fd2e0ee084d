#!/usr/bin/env python3
"""Damages single bytes of .symtab and .dynsym of BOLTed binaries, and asks whether `verify --input` finds it:

    mutants.py [--count=N] [--seed=N] [--part=/N]

Equivalent are only bytes of symbols that name nothing (section and file symbols, the first one), of what an assembler or llvm-bolt makes for itself, and of symbols that the input does not have, if
their fragments have other names; all others must be findings. --part=/N: every Nth mutant, another choice for each commit.
"""
import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../hostile/every'))
from parts import chosen  # noqa: E402

BATCONV, INPUTS, SOURCE = os.environ['BATCONV'], os.environ['INPUTS'].rstrip('/'), os.environ['SOURCE']
PAIRS = [(INPUTS + '/names/names', INPUTS + '/names/names.b16'), (INPUTS + '/names/names', INPUTS + '/names/names.b22'), (SOURCE + '/inputs/demo/demo', SOURCE + '/inputs/demo/demo.bolt'),
         (INPUTS + '/aarch64/demo', INPUTS + '/aarch64/demo.b22'), (INPUTS + '/riscv64/demo', INPUTS + '/riscv64/demo.b22')]


def tables(data):
    """[(offset, size, offset of the strings, is it .dynsym)]"""
    shoff, = struct.unpack_from('<Q', data, 40)
    shnum, = struct.unpack_from('<H', data, 60)
    headers = [struct.unpack_from('<IIQQQQIIQQ', data, shoff + 64 * i) for i in range(shnum)]
    return [(h[4], h[5], headers[h[6]][4], h[1] == 11) for h in headers if h[1] in (2, 11)]


def symbol_at(data, at, strings):
    name, info = struct.unpack_from('<IB', data, at)
    return data[strings + name:data.index(b'\0', strings + name)].decode(), info


# For gcc's crt files: without .eh_frame nothing shows where their code ends.
WITHOUT_FDE = ('_init', '_fini', 'deregister_tm_clones', 'register_tm_clones', '__do_global_dtors_aux', 'frame_dummy', 'call_weak_fn', 'load_gp')


def reason(data, at, byte, strings, dynamic, of_input):
    """Why damage of a symbol need not be found; None: it must be."""
    name, info = symbol_at(data, at, strings)
    if dynamic and byte in (6, 7) and data[at + 6] | data[at + 7]:
        return 'sections in .dynsym, which nobody reads'
    if byte >= 16 and name in WITHOUT_FDE:
        return 'sizes of code without an FDE'
    if info & 15 in (3, 4) or not name:
        return 'section and file symbols'
    if name.startswith(('.L', '$')) or name in ('_end', '__hot_start', '__hot_end'):
        return "of llvm-bolt's own, and the assembler's"
    if name == 'inside':
        return 'a label that llvm-bolt 16 puts elsewhere, which is told'
    return None if (name, info) in of_input else "names of fragments that the input does not have"


def verify(original, path):
    done = subprocess.run([BATCONV, 'verify', '-q', '--limit=1000', '--fail-on=note', '--input=' + original, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors='replace').replace(path, '')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=300)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--part')
    args = parser.parse_args()
    draw = random.Random(args.seed)
    part, of = chosen(sys.argv[1:])
    bases = []
    for original, path in PAIRS:
        data, given = open(path, 'rb').read(), open(original, 'rb').read()
        of_input = {symbol_at(given, at, strings) for offset, size, strings, _ in tables(given) for at in range(offset, offset + size, 24)}
        bases.append((original, path, data, of_input, verify(original, path)))
    found, equivalent, missed = 0, {}, []
    for number in range(args.count):
        original, path, data, of_input, known = draw.choice(bases)
        offset, size, strings, dynamic = draw.choice(tables(data))
        at = offset + draw.randrange(size)
        value = draw.choice([data[at] ^ 1 << draw.randrange(8), draw.randrange(256), data[at] + draw.choice((1, -1)) & 255])
        if number % of != part or value == data[at]:
            continue
        mutant = bytearray(data)
        mutant[at] = value
        with tempfile.NamedTemporaryFile() as file:
            file.write(mutant)
            file.flush()
            after = verify(original, file.name)
        why = reason(data, at - (at - offset) % 24, (at - offset) % 24, strings, dynamic, of_input)
        if after[0] not in (0, 1, 3):
            missed.append('exit %d' % after[0])
        elif after != known:
            found += 1
        elif why:
            equivalent[why] = equivalent.get(why, 0) + 1
        else:
            missed.append('%s, symbol %d (%s), byte %d: %02x -> %02x' % (os.path.basename(path), (at - offset) // 24, symbol_at(data, at - (at - offset) % 24, strings)[0], (at - offset) % 24,
                                                                         data[at], value))
    for line in missed:
        print('not found:', line)
    print('%d mutants: %d found, %d equivalent (%s), %d missed' % (found + sum(equivalent.values()) + len(missed), found, sum(equivalent.values()),
          ', '.join('%d: %s' % (n, w) for w, n in sorted(equivalent.items())), len(missed)))
    sys.exit(1 if missed else 0)


if __name__ == '__main__':
    main()
