#!/usr/bin/env python3
"""A file in the wrong position, and files that do not fit each other: the message names the right file, and its command works.

Each kind of file that batconv, perf, BOLT or LLVM writes is put into each position of each command.  Where the position does not take it,
there is one error: it names that file, what it is, and what the position takes; and where its hint is a command ("run: ..."), that command
is run, and exits with 0. A pattern is of both, "ERROR; HINT".  The same for files of the right kinds that do not fit: a list, with the sentence of each.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

BATCONV = os.path.abspath(os.environ['BATCONV'])
SOURCE = os.path.abspath(os.environ['SOURCE'])
INPUTS = os.path.abspath(os.environ['INPUTS'])
DEMO = os.path.join(SOURCE, 'inputs/demo')
MOVED = os.path.join(INPUTS, 'moved')
TIMEOUT = float(os.environ.get('BATCONV_TEST_TIMEOUT', 60))

# What a message calls each file; the files are made by make_files().
NOUNS = {
    'bolted': 'a binary', 'side': 'a side file of a binary', 'note': 'a BAT section alone', 'perf.data': 'a recording', 'fdata': r'a profile \(fdata\)',
    'yaml': r'a profile \(YAML\)', 'bcmaps': 'a file of maps', 'maps.txt': 'a file of maps', 'stacks.txt': 'a file of raw call stacks', 'json': 'a JSON file',
    'resolved': r'a list of resolved call stacks \(batconv stacks\)', 'frames': r'a list of resolved call stacks \(batconv stacks\)',
    'folded': r'a list of resolved call stacks \(batconv stacks\)', 'folded.lines': r'a list of resolved call stacks \(batconv stacks\)',
    'chains': r'a list of resolved call stacks \(batconv stacks\)',
    'pprof': 'a profile of pprof', 'ranges': r'a profile for llvm-profgen \(--format=profgen\)', 'compiler': 'a profile for the compiler',
    'page': r'a page \(HTML\)', 'heat': 'a heat map', 'listing': 'a table as text', 'perf-report': 'what perf report, annotate or stat prints',
    'rings': r'a file of saved rings \(batconv record --save-rings\)',
    'perf-stat': 'what perf report, annotate or stat prints', 'empty': 'empty', 'folder': 'a directory',
    'recordings': r'a directory of recordings \(one.data\), not a recording',
}
BINARIES = {'bolted', 'side'}
PROFILES = {'fdata', 'yaml'}
SAMPLES = {'perf.data', 'empty'}
# What each position takes, and what a message calls that.
PLACES = {
    'binary': ('the binary that was sampled', BINARIES),
    'input': ('the binary that llvm-bolt read', {'bolted'}),
    'table': ('a BOLTed binary or its table', BINARIES | {'note'}),
    'image': ('a binary', BINARIES),
    'samples': ('samples', SAMPLES),
    'profile': ('a profile', PROFILES | {'empty'}),
    'measured': ('a profile or samples', PROFILES | SAMPLES),
    'maps': ('maps or a recording', {'bcmaps', 'maps.txt'} | SAMPLES),
    'stacks': ('raw call stacks or a recording', {'stacks.txt'} | SAMPLES),
    'json': ("JSON of 'batconv dump --json'", {'json'}),
}
# A command line for each position: @ is the file.
LINES = [
    ('binary', '@ perf.data -o out'), ('samples', 'bolted @ -o out'), ('samples', 'bolted perf.data @ -o out'), ('input', 'bolted perf.data --input=@ -o out'),
    ('binary', 'heatmap @ perf.data -o out'), ('samples', 'heatmap bolted @ -o out'), ('binary', 'report @ perf.data -o out'),
    ('samples', 'report bolted @ -o out'), ('measured', 'report bolted perf.data --against=@ -o out'), ('input', 'report bolted perf.data --input=@ -o out'),
    ('binary', 'quality @ perf.data'), ('samples', 'quality bolted @'), ('profile', 'quality @'), ('table', 'extract @ -o out'), ('table', 'verify @'),
    ('input', 'verify bolted --input=@'), ('table', 'dump @'), ('table', 'transcode --layout=hashed @ -o out'), ('table', 'diff @ bolted'),
    ('table', 'diff bolted @'), ('image', 'image @'), ('measured', 'overlap @ fdata'), ('measured', 'overlap fdata @'), ('profile', 'merge @ -o out'),
    ('profile', 'merge fdata @ -o out'), ('json', 'encode @ -o out'), ('maps', 'maps --list @'), ('stacks', 'stacks @'), ('maps', 'stacks --maps=@ stacks.txt'),
    ('maps', 'bolted perf.data --maps=@ -o out'),
    ('image', 'addr --binary=@ 400000'), ('maps', 'addr --binary=bolted --maps=@ 400000'),
]
# Files of the right kinds that do not fit each other, or words that are meant otherwise.
FITS = [
    ('bolted perf.data stacks.txt -o out', 1, 'stacks.txt: is a file of raw call stacks, not samples; run: batconv stacks --maps=perf.data stacks.txt'),
    ('perf.data bolted -o out', 1, 'perf.data: is a recording, and bolted is a binary: swap them; run: batconv bolted perf.data -o prog.fdata'),
    ('heatmap perf.data bolted -o out', 1, 'perf.data: is a recording, and bolted is a binary: swap them; run: batconv heatmap bolted perf.data -o prog.heat'),
    ('report perf.data bolted -o out', 1, 'perf.data: is a recording, and bolted is a binary: swap them; run: batconv report bolted perf.data -o prog.html'),
    ('quality perf.data bolted', 1, 'perf.data: is a recording, and bolted is a binary: swap them; run: batconv quality bolted perf.data'),
    ('"per cent.data" bolted -o out', 1, "per cent.data: is a recording, and bolted is a binary: swap them; run: batconv bolted 'per cent.data' -o prog.fdata"),
    ('demo perf.data --input=bolted -o out', 1, 'bolted: llvm-bolt wrote it, and did not write demo: swap them; run: batconv bolted perf.data --input=demo -o prog.fdata'),
    ('moved moved.preagg --input=moved -o out', 1,
     'moved: is not BOLTed, so it has no input binary: leave out --input; run: batconv moved moved.preagg -o prog.fdata'),
    ('moved.p1 moved.preagg --input=moved.p0 -o out', 3,
     'moved.p0: llvm-bolt wrote it, and --input takes what llvm-bolt read to write moved.p1; run: batconv moved.p1 moved.preagg -o prog.fdata'),
    ('-q demo perf.data -o out', 3, 'demo: the samples are of .*/demo.bolt, which llvm-bolt made from this binary .*: give that file, not this one'),
    ('-q bolted first.data -o out', 3, 'bolted: the samples are of .*/demo, which llvm-bolt read to write this binary .*: give that file, not this one'),
    ('-q arm perf.data -o out', 3, 'arm: is a program of aarch64, and the samples were recorded on x86_64: they are of another program; run: batconv inspect perf.data'),
    ('-q bolted counters.data -o out', 3, 'counters.data: was written by perf stat, which counts events and keeps no samples: perf record does'),
    ('-q bolted nothing.data -o out', 3, 'nothing.data: has no samples: perf was killed before it wrote one, or what it recorded was idle or too short; record again'),
    ('bolted fdata -o out', 1, r'fdata: is a profile \(fdata\), not samples; run: batconv quality fdata'),
    ('demo fdata -o out', 1, r'fdata: is a profile \(fdata\), not samples; run: llvm-bolt demo -data fdata -o demo.bolt -enable-bat -reorder-blocks=ext-tsp -reorder-functions=cdsort -split-functions'),
    ('bolted perf.data -o nodir/out', 1, 'nodir/out: cannot write: there is no directory nodir/'),
    ('bolted perf.data --input=demo --shard -o out', 2, 'raw counts .--shard, --format=preagg. are those of the binary that ran; --input is for their conversion to a profile; see .*'),
    ('bolted -data perf.data', 2, "unknown option '-data'; see 'batconv convert --help'"),
    ('merge first.fdata own.fdata -o out', 3, r'first.fdata and own.fdata do not fit: cannot mix profile with and without boltedcollection: '
     'one is of samples of a BOLTed binary, the other of its input; convert the first with --input'),
    ('verify demo', 1, 'demo: .*it is not BOLTed.*'),
    ('verify lost', 1, 'lost: .*--enable-bat.*'),
    ('verify instrumented', 1, 'instrumented: .*instrument.*'),
    ('verify stripped', 1, 'stripped: .*strip.*'),
    ('dump demo', 1, 'demo: .*it is not BOLTed.*'),
    ('dump lost', 1, 'lost: .*--enable-bat.*'),
    ('dump instrumented', 1, 'instrumented: .*instrument.*'),
    ('dump stripped', 1, 'stripped: .*strip.*'),
]




def batconv(*words):
    subprocess.run([BATCONV, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIMEOUT)


def make_files():
    """One of each kind, named by it."""
    shutil.copy(os.path.join(DEMO, 'demo.bolt'), 'bolted')
    shutil.copy(os.path.join(DEMO, 'demo'), 'demo')
    shutil.copy(os.path.join(DEMO, 'demo.perf.data'), 'perf.data')
    shutil.copy('perf.data', 'per cent.data')
    for name in ('moved', 'moved.p0', 'moved.p1', 'moved.preagg'):
        shutil.copy(os.path.join(MOVED, name), name)
    shutil.copy(os.path.join(INPUTS, 'aarch64/demo'), 'arm')
    batconv('-q', 'bolted', 'perf.data', '-o', 'fdata')
    batconv('-q', 'bolted', 'perf.data', '--format=yaml', '-o', 'yaml')
    batconv('-q', 'moved', 'moved.preagg', '-o', 'own.fdata')
    batconv('-q', 'moved.p0', os.path.join(MOVED, 'moved.p0.preagg'), '-o', 'first.fdata')
    batconv('extract', 'bolted', '-o', 'side')
    batconv('extract', '--note', 'bolted', '-o', 'note')
    batconv('dump', '--json', 'bolted', '-o', 'json')
    batconv('dump', 'bolted', '-o', 'listing')
    batconv('maps', '--add=bcmaps', 'perf.data')
    batconv('-q', 'bolted', 'perf.data', '--input=demo', '--format=profgen', '-o', 'ranges')
    batconv('report', 'bolted', 'perf.data', '-o', 'page')
    batconv('heatmap', 'bolted', 'perf.data', '-o', 'heat')
    subprocess.run([sys.executable, os.path.join(SOURCE, 'tests/record/rings.py'), 'perf.data', 'rings'], check=True)
    files = {
        'maps.txt': '# batconv-maps 1\n# pid 7\n400000-401000 r-xp 00000000 08:01 42 /srv/prog\n',
        'stacks.txt': '7 p5 400010 400020\n', 'compiler': 'main:184019:0\n 4: 534\n 5: 3\n', 'empty': '',
        'perf-report': "# To display the perf.data header info, please use --header/--header-only options.\n#\n    18.77%  prog\n",
        'perf-stat': ' Performance counter stats for \'./prog\':\n\n  1,234 cycles\n',
    }
    for name, content in files.items():
        with open(name, 'w') as file:
            file.write(content)
    os.mkdir('folder')
    os.mkdir('recordings')
    shutil.copy('perf.data', 'recordings/one.data')
    batconv('stacks', '--format=pprof', 'perf.data', '-o', 'pprof')
    batconv('stacks', 'perf.data', '-o', 'resolved')
    batconv('stacks', '--lines', '--inlines', '--binary=bolted', 'perf.data', '-o', 'frames')
    batconv('stacks', '--format=folded', 'perf.data', '-o', 'folded')
    batconv('stacks', '--format=folded', '--lines', '--binary=bolted', 'perf.data', '-o', 'folded.lines')
    with open('chains', 'w') as file:
        file.write('_start;main;operator new(unsigned long) 12\n')
    # Names of sections show what llvm-bolt did.
    data = open('bolted', 'rb').read()
    for name, bat, info in (('lost', b'.note.other_bat', b'.note.bolt_info'), ('stripped', b'.note.other_bat', b'.note.other_info'),
                            ('instrumented', b'.bolt.instr.own', b'.note.bolt_info')):
        with open(name, 'wb') as file:
            file.write(data.replace(b'.note.bolt_bat', bat[:14]).replace(b'.note.bolt_info', info[:15]))
    make_recordings()


def make_recordings():
    """first.data: of the input, by its build-id; counters.data: of perf stat record, which has counters and no samples; nothing.data: of perf, killed early."""
    data = open('perf.data', 'rb').read()
    ids = [re.search(rb'Build ID: ([0-9a-f]+)', subprocess.run(['readelf', '-n', name], check=True, stdout=subprocess.PIPE).stdout)[1] for name in ('bolted', 'demo')]
    bolted, own = (bytes.fromhex(one.decode()) for one in ids)
    path, other = b'/srv/demo/demo.bolt\0', b'/srv/demo/demo\0\0\0\0\0\0'
    assert bolted in data and path in data
    with open('first.data', 'wb') as file:
        file.write(data.replace(bolted, own).replace(path, other))
    size = 16  # PERF_RECORD_STAT_ROUND is 77; 75 and 76 are those of perf stat record
    records = b''.join(kind.to_bytes(4, 'little') + (0).to_bytes(2, 'little') + size.to_bytes(2, 'little') + bytes(size - 8) for kind in (75, 76))
    round_end = (68).to_bytes(4, 'little') + (0).to_bytes(2, 'little') + (8).to_bytes(2, 'little')  # PERF_RECORD_FINISHED_ROUND
    for name, contents in (('counters.data', records), ('nothing.data', round_end)):
        with open(name, 'wb') as file:
            file.write(b'PERFILE2' + (16).to_bytes(8, 'little') + contents)


def run(line, program=BATCONV):
    """A line of words after the program; what is in out before stays if it fails."""
    with open('out', 'w') as file:
        file.write('before')
    return subprocess.run('%s %s' % (shlex.quote(program), line), shell=True, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)


def check(line, code, pattern, commands):
    got = run(line)
    told = re.fullmatch(r'batconv: error: (.*)\n(?:batconv: hint: (.*)\n)?', got.stderr)
    if got.returncode != code:
        return ['%s: exit %d, not %d: %s' % (line, got.returncode, code, got.stderr.strip())]
    if not told or not re.fullmatch(pattern, '; '.join(filter(None, told.groups()))):
        return ['%s: no /%s/ in\n  %s' % (line, pattern, got.stderr.strip())]
    if got.stdout or open('out').read() != 'before':
        return ['%s: there is output' % line]
    if (told[2] or '').startswith('run: '):
        commands.setdefault(told[2].removeprefix('run: '), line)
    return []


def each_place():
    """(line, exit code, pattern) of each kind of file in each position that does not take it."""
    for place, line in LINES:
        noun, takes = PLACES[place]
        option = re.search(r'(--[a-z]+)=@', line)
        for kind, name in NOUNS.items():
            if kind in takes or (line.startswith('verify') and option and kind == 'side'):
                continue
            if kind == 'recordings' and 'perf.data' in takes:
                yield line.replace('@', kind), 1, '%s: is %s(; run: .*)?' % (kind, name)
                continue
            if line.startswith('merge'): # of many files each that is none has a line
                yield line.replace('@', kind), 1, '%s: is (a directory|neither fdata nor YAML nor pre-aggregated records|[^;]*, not a profile of BOLT)(; (--skip-bad .*|name the files in it|convert a recording first: batconv BINARY RECORDING -o prog\.fdata))?' % re.escape(kind)
                continue
            what = 'a directory' if kind == 'recordings' else name
            says = 'and %s takes %s' % (option[1], noun) if option else 'not %s' % noun
            says = '(is %s, %s|is %s, and no samples follow it: give both, or a profile|is %s, and .* is .*: swap them)' % (what, says, what, what) if not option else 'is %s, %s' % (what, says)
            yield line.replace('@', kind), 1, '%s: %s(; run: .*)?' % (re.escape(kind), says.replace(', not', ',? ?not'))


def run_commands(commands):
    """Each command that a message named exits with 0; those of LLVM and others where they are installed."""
    wrong, left_out = [], set()
    programs = {'batconv': BATCONV, 'llvm-bolt': '/usr/lib/llvm-22/bin/llvm-bolt', 'llvm-profgen': '/usr/lib/llvm-22/bin/llvm-profgen'}
    for command, line in commands.items():
        program, _, words = command.partition(' ')
        if not os.path.exists(programs.get(program, '')):
            left_out.add(program)
            continue
        got = run(words, programs[program])
        if got.returncode:
            wrong.append('%s\n  told to run: %s\n  exit %d: %s' % (line, command, got.returncode, got.stderr.strip()))
    if left_out:
        print('not run, as they are not here: %s' % ', '.join(sorted(left_out)))
    return wrong


def inspected():
    """What inspect says of each file is a kind of its schema."""
    with open(os.path.join(SOURCE, 'docs/schema/inspect.schema.json')) as file:
        kinds = set(json.load(file)['properties']['kind']['enum'])
    for name in NOUNS.keys() - {'empty', 'folder', 'recordings'}:
        kind = json.loads(run('inspect --json ' + name).stdout)['kind']
        if kind not in kinds:
            yield '%s: %s is no kind of docs/schema/inspect.schema.json' % (name, kind)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_files()
        commands, wrong, count = {}, [], 0
        for line, code, pattern in [*each_place(), *FITS]:
            wrong += check(line, code, pattern, commands)
            count += 1
        wrong += run_commands(commands)
        wrong += inspected()
        os.chdir('/')
    print('\n'.join(wrong[:80]))
    print('%d command lines, %d commands told, %d wrong' % (count, len(commands), len(wrong)))
    return 1 if wrong or count < 400 else 0


if __name__ == '__main__':
    sys.exit(main())
