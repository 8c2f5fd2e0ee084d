#!/usr/bin/env python3
"""Programs with debug information through llvm-bolt of several releases, and what `verify --dwarf` says of each:

    releases.py [--only=WORD]... [PROGRAM...]

PROGRAM: an ELF file, linked with -Wl,-q; without any, inputs/lines/src is compiled by gcc and clang, DWARF 4 and 5. Prints a table: instructions with the input's line, another, none; entries
compared, with another attribute; entries with code, the input's, other; addresses; location lists, other locations, none. Fails where `verify` does. --only: rows with this word in them.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE, BATCONV = os.environ['SOURCE'], os.environ['BATCONV']
os.environ.setdefault('INPUTS', '')
from unwind_options import RELEASES, SETS

NAMES = ['blocks', 'whole', 'production', 'cdsplit-frame']
COMPILERS = [('gcc', 'g++'), ('clang', 'clang++')]


def compiled(folder):
    """The small program, by each compiler that is installed, in each version of DWARF."""
    source = os.path.join(SOURCE, 'inputs', 'lines', 'src')
    for c, cxx in COMPILERS:
        for version in '45':
            if not shutil.which(cxx):
                print('skipped: %s is not installed' % cxx)
                continue
            path = os.path.join(folder, '%s-%s' % (c, version))
            flags = ['-O2', '-g', '-gdwarf-' + version, '-fPIE']
            objects = []
            for name in 'main.cc', 'rare.cc', 'other.c':
                objects.append('%s.%s.o' % (path, name))
                subprocess.run([cxx if name.endswith('cc') else c] + flags + ['-c', name, '-o', objects[-1]], cwd=source, check=True)
            subprocess.run([cxx, '-pie', '-Wl,-q', '-Wl,--build-id', '-o', path] + objects, check=True)
            yield path


def row(release, program, name, folder):
    out = os.path.join(folder, 'out')
    options = [o for o in SETS[name] if o != '-lite=0'] + ['-lite=0', '-update-debug-sections', '-enable-bat', '-no-huge-pages']
    done = subprocess.run(['llvm-bolt-' + release, program, '-o', out] + options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        lines = [line for line in done.stdout.decode(errors='replace').splitlines() if 'BOLT-ERROR' in line or 'Assertion' in line or 'Unknown command' in line]
        return 'refused: ' + (lines or ['exit %d' % done.returncode])[0][:90], False
    done = subprocess.run([BATCONV, 'verify', '--json', '--dwarf', '--limit=1', '--input=' + program, out], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 3):
        return 'FAILED: ' + done.stderr.decode()[:200], True
    report = json.loads(done.stdout)
    if 'scopes' not in report:
        return ' '.join('%s %d' % item for item in report['counts'].items()), False
    lines, scopes, counts = report['lines'], report['scopes'], report['counts']
    parts = [(lines, ('equal', 'wrong', 'lost')), (scopes, ('entries', 'different')), (scopes['code'], ('equal', 'different')), (scopes['addresses'], ('equal', 'wrong')),
             (scopes['locations'], ('equal', 'wrong', 'lost'))]
    errors = {k: n for k, n in counts.items() if k == 'dwarf-damaged'}
    return ' | '.join(' '.join('%7d' % part[k] for k in keys) for part, keys in parts) + ' | wrong %d, lost %d %s' % (
        counts.get('scope-wrong', 0), counts.get('scope-lost', 0), errors or ''), False


def main():
    only = [a[len('--only='):] for a in sys.argv[1:] if a.startswith('--only=')]
    programs = [os.path.abspath(a) for a in sys.argv[1:] if not a.startswith('--')]
    bad = False
    with tempfile.TemporaryDirectory() as folder:
        programs = programs or list(compiled(folder))
        for release in RELEASES:
            if not shutil.which('llvm-bolt-' + release):
                print('skipped: llvm-bolt-%s is not installed' % release)
                continue
            for program in programs:
                for name in NAMES:
                    words = [release, os.path.basename(program), name]
                    if not all(w in words for w in only):
                        continue
                    text, failed = row(release, program, name, folder)
                    print('%-3s %-14s %-14s %s' % (*words, text), flush=True)
                    bad |= failed
    sys.exit(bad)


if __name__ == '__main__':
    main()
