#!/usr/bin/env python3
"""Relations between conversions: what must not change a profile, or change it in a known way: metamorphic.py [--part=[K]/N] [WORD...]

Every sample file of inputs/ is converted with its binary, and again in each way of RELATIONS that its kind allows.  No
expectation is written down: the two results are held against each other.  A new sample file takes part by being there,
a new relation by a line in the table.

--part=  an N-th of the files (tests/hostile/every/parts.py)
WORD...  only files or relations whose name has one of the words
"""
import concurrent.futures
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, namedtuple

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../count/recount'))
sys.path.insert(0, os.path.join(HERE, '../hostile/every'))
from parts import chosen  # noqa: E402
from corpus import LAYOUTS, SAMPLES, binary_of, is_elf, kind_of, layout_of  # noqa: E402

BATCONV, INPUTS, SOURCE = (os.path.abspath(os.environ[name]) for name in ('BATCONV', 'INPUTS', 'SOURCE'))
THREADS = (1, 7, 64)  # in addition to 2, with which all else is converted
BLOCKS = '.blocks.preagg'  # made-up traces that run through every block
DISTANCE = 0x123000  # between load addresses: whole pages

# kind: that of the samples;
# layout: of the table, None for a binary that BOLT never touched
Case = namedtuple('Case', 'folder binary samples kind options layout')


def run(*words):
    done = subprocess.run([BATCONV, *words], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError('exit %d of %s: %s' % (done.returncode, ' '.join(words), done.stderr))
    return done


class Bench:
    """A directory of its own for each check; what was converted once is kept."""

    def __init__(self, folder):
        self.folder, self.number, self.lock, self.kept = folder, 0, threading.Lock(), {}

    def path(self, name):
        with self.lock:
            self.number += 1
            return os.path.join(self.folder, '%d.%s' % (self.number, name))

    def write(self, name, lines):
        path = self.path(name)
        with open(path, 'w') as file:
            file.writelines(lines)
        return path

    def convert(self, case, samples=None, binary=None, form='fdata', options=()):
        out = self.path(form)
        run('-q', '--format=' + form, *case.options, *(options or ['--threads=2']), binary or case.binary, *(samples or [case.samples]), '-o', out)
        with open(out) as file:
            return [line for line in file.read().splitlines() if not line.startswith('  binary-name:')]

    def once(self, key, make):
        with self.lock:
            lock, _ = self.kept.setdefault(key, (threading.Lock(), []))
        with lock:
            done = self.kept[key][1]
            if not done:
                done.append(make())
            return done[0]

    def profile(self, case, form='fdata'):
        return self.once((case.samples, form), lambda: self.convert(case, form=form))


# ---- samples, read and written again ----

def read(path):
    with open(path) as file:
        return file.readlines()


def parts(case):
    """(what must be first, samples, what must be last) of a text, of which samples are in any order."""
    lines = read(case.samples)
    if case.kind == 'preagg':
        return [], lines, []
    records = [line for line in lines if 'PERF_RECORD' in line]
    return ([line for line in records if 'RECORD_EXIT' not in line], [line for line in lines if line not in set(records)],
            [line for line in records if 'RECORD_EXIT' in line])


def is_deep(line):
    return line.count('/') >= 32 * 5


def spread(samples, count):
    """So many files.  From the first stack of 32 on the two newest of each are left out: each file begins with one."""
    deep = [line for line in samples if is_deep(line)]
    if not deep:
        return [samples[i::count] for i in range(count)]
    heads, rest = deep[:count], list(samples)
    for line in heads:
        rest.remove(line)
    return [[head] + rest[i::count] for i, head in enumerate(heads)]


# ---- relations: each yields (what, expected lines, seen lines) ----

def shuffled(bench, case):
    first, samples, last = parts(case)
    random.Random(case.samples).shuffle(samples)
    for one in spread(samples, 1):
        yield 'shuffled', bench.profile(case), bench.convert(case, [bench.write('shuffled', first + one + last)])


def split(bench, case):
    first, samples, last = parts(case)
    files = [bench.write('part', first + part + last) for part in spread(samples, 3)]
    yield 'three files', bench.profile(case), bench.convert(case, files)


def times(line, factor):
    """A line of fdata, its counts multiplied."""
    words = line.split(' ')
    counts = 2 if len(words) > 4 else 1
    if not words[-1].isdigit() or line.startswith('no_lbr'):
        return line
    return ' '.join(words[:-counts] + [str(factor * int(word)) for word in words[-counts:]])


def summed(bench, case):
    yield 'three times', [times(line, 3) for line in bench.profile(case)], bench.convert(case, 3 * [case.samples])


def of_text(bench, case):
    text = re.sub(r'(\.perf)?\.data$', r'\1.txt', case.samples)
    if case.samples.endswith('.basic.perf.data'):
        text = case.samples.replace('.perf.data', '.txt')
    if os.path.exists(text):
        yield 'its text', bench.profile(case), bench.convert(case, [text])


def attrs_of(data):
    """Where the descriptions of the events are, in a file and in a pipe."""
    size, attr_size, begin, length = struct.unpack_from('<4Q', data, 8)
    if size > 16:
        return list(range(begin, begin + length, attr_size))
    found, at = [], size
    while at + 8 <= len(data):
        kind, _, record = struct.unpack_from('<IHH', data, at)
        if kind == 64:  # PERF_RECORD_HEADER_ATTR
            found.append(at + 8)
        at += record
        if kind in (66, 71) or not record:  # what follows is as long as no header says
            break
    return found


def injected(bench, case):
    """perf inject --itrace writes stacks of all branches, and no kind of branch that was asked for."""
    with open(case.samples, 'rb') as file:
        data = bytearray(file.read())
    changed = 0
    for at in attrs_of(data) if data[:8] == b'PERFILE2' else []:
        asked, = struct.unpack_from('<Q', data, at + 72)
        if asked & 8:  # PERF_SAMPLE_BRANCH_ANY
            struct.pack_into('<Q', data, at + 72, asked & (1 << 17 | 1 << 19))  # these two show the layout of a sample
            changed += 1
    if changed:
        path = bench.path('data')
        with open(path, 'wb') as file:
            file.write(data)
        yield 'no kind of branch', bench.profile(case), bench.convert(case, [path])


def aggregated(bench, case):
    """Counts of a recording, in the binary's own addresses, are pre-aggregated records."""
    counts = bench.write('preagg', [line + '\n' for line in bench.convert(case, form='preagg')])
    yield 'pre-aggregated first', bench.profile(case), bench.convert(case, [counts])


def moved(bench, case):
    """Another process, at another address."""
    def move(found):
        address = int(found[0], 16)
        return '%x' % (address + DISTANCE) if 1 << 32 <= address < 1 << 63 else found[0]
    lines, pid = read(case.samples), None
    for i, line in enumerate(lines):
        pid = pid or line.split()[0]
        lines[i] = re.sub(r'\b%s\b' % pid, '4242', re.sub(r'(?<=0x)[0-9a-f]+|\b[0-9a-f]{9,}\b', move, line))
    there = bench.write('moved', lines)
    yield 'elsewhere', bench.profile(case), bench.convert(case, [there])
    yield 'here and elsewhere', [times(line, 2) for line in bench.profile(case)], bench.convert(case, [case.samples, there])


def side_file(bench, case):
    def extract():
        side = os.path.join(bench.folder, 'side.' + re.sub('/', '.', case.binary[1:]), os.path.basename(case.binary))
        os.makedirs(os.path.dirname(side))
        run('extract', '-o', side, case.binary)
        return side
    side = bench.once(('side', case.binary), extract)
    for form in ('fdata', 'yaml') if case.layout == 'hashed' else ('fdata',):
        yield 'side file, ' + form, bench.profile(case, form), bench.convert(case, binary=side, form=form)


def threads(bench, case):
    for count in THREADS:
        yield '%d threads' % count, bench.profile(case), bench.convert(case, options=['--threads=%d' % count])


def functions_of(line):
    return set(re.findall(r'(?:^| )1 (\S+) [0-9a-f]+', line))


def transcoded(bench, case):
    """The table in each layout: only functions that are named may differ."""
    def rewrite(layout):
        folder = bench.path(layout)
        os.mkdir(folder)
        path = os.path.join(folder, os.path.basename(case.binary))
        told = run('transcode', '-v', '--layout=' + layout, '-o', path, case.binary).stderr
        named = re.search(r'changed: .* became empty\n((?: {10}\S.*\n)+)', told)
        return path, {line.strip() for line in named[1].splitlines()} if named else set()
    for layout in set(LAYOUTS) - {case.layout}:
        path, named = bench.once((layout, case.binary), lambda: rewrite(layout))
        # Only one layout shows the blocks that BOLT inserted, and first blocks that became empty.
        all_tell = ['--restore=names,plt', '--threads=2']
        seen, expected = bench.convert(case, binary=path, options=all_tell), bench.convert(case, options=all_tell)
        if case.samples.endswith(BLOCKS):
            yield 'as %s, does any differ?' % layout, [str(bool(named))], [str(seen != expected)]
        seen, expected = ([line for line in lines if not functions_of(line) & named] for lines in (seen, expected))
        yield 'as ' + layout, expected, seen


def is_text(case):
    return case.kind in ('preagg', 'text')


Relation = namedtuple('Relation', 'check allows')
RELATIONS = {
    'shuffled': Relation(shuffled, is_text),
    'split': Relation(split, is_text),
    'summed': Relation(summed, lambda case: True),
    'text of perf.data': Relation(of_text, lambda case: case.kind == 'data'),
    'injected': Relation(injected, lambda case: case.kind == 'data'),
    'aggregated': Relation(aggregated, lambda case: True),
    'load addresses': Relation(moved, lambda case: case.kind == 'text'),
    'side file': Relation(side_file, lambda case: case.layout),
    'threads': Relation(threads, lambda case: True),
    'transcoded': Relation(transcoded, lambda case: case.layout),
}


# ---- cases ----

def cases(bench):
    folders = {name: os.path.join(INPUTS, name) for name in os.listdir(INPUTS) if os.path.isdir(os.path.join(INPUTS, name))}
    folders['demo'] = os.path.join(SOURCE, 'inputs/demo')
    for folder, path in sorted(folders.items()):
        names = sorted(name for name in os.listdir(path) if os.path.isfile(os.path.join(path, name)))
        layouts = {}
        for name in names:
            if name.endswith(SAMPLES):
                binary = os.path.join(path, binary_of(folder, name))
                assert is_elf(binary)
                if binary not in layouts:
                    layouts[binary] = layout_of(BATCONV, binary)
                samples = os.path.join(path, name)
                force = ('--force',) if '.made.' in name else ()
                yield Case(folder, binary, samples, kind_of(samples), force, layouts[binary])
    # Real samples are of the executed code.
    for binary in ('demo/demo.bolt', 'sqlite/sq.b22'):
        folder, name = binary.split('/')
        path, made = os.path.join(folders[folder], name), bench.path(name + BLOCKS)
        with open(made, 'w') as out:
            subprocess.run([sys.executable, os.path.join(SOURCE, 'scripts/traces-from-bat.py'), path, '--distinct', '20000',
                            '--seed', '1'], stdout=out, stderr=subprocess.DEVNULL, check=True)
        yield Case(folder, path, made, 'preagg', ('--force',), layout_of(BATCONV, path))


def difference(expected, seen):
    if expected == seen:
        return None
    missing, more = Counter(expected) - Counter(seen), Counter(seen) - Counter(expected)
    shown = ['- ' + line for line in list(missing)[:2]] + ['+ ' + line for line in list(more)[:2]]
    return '%d lines missing, %d more: %s' % (sum(missing.values()), sum(more.values()), '; '.join(shown) or 'another order')


def check(bench, name, case):
    """(how many were compared, mistakes, how many lines)."""
    compared, wrong, lines = 0, [], 0
    try:
        for what, expected, seen in RELATIONS[name].check(bench, case):
            told = difference(expected, seen)
            compared, lines = compared + 1, lines + len(seen)
            if told:
                wrong.append('%s: %s: %s: %s' % (os.path.basename(case.samples), name, what, told))
    except (RuntimeError, subprocess.TimeoutExpired) as why:
        wrong.append('%s: %s: %s' % (os.path.basename(case.samples), name, why))
    return name, compared, wrong, lines


def main(args):
    begin, (number, of) = time.monotonic(), chosen(args)
    words = [arg for arg in args if not arg.startswith('--')]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        everything = list(cases(bench))[number::of]
        jobs = [(name, case) for case in everything for name, relation in RELATIONS.items() if relation.allows(case) and
                (not words or any(word in name or word in os.path.basename(case.samples) for word in words))]
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            results = list(pool.map(lambda job: check(bench, *job), jobs))
    wrong = [line for _, _, lines, _ in results for line in lines]
    for line in wrong[:20]:
        print(line)
    for name in RELATIONS:
        own = [result for result in results if result[0] == name]
        compared = sum(result[1] for result in own)
        print('%-18s %3d files, %4d comparisons, %7d lines' % (name, len(own), compared, sum(result[3] for result in own)))
        if not compared and not words and of == 1:
            wrong.append(name)
            print('%s: nothing was compared' % name)
    print('%d sample files, %d comparisons, %d wrong; %.0f s' %
          (len(everything), sum(result[1] for result in results), len(wrong), time.monotonic() - begin))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
