"""What faults are injected into: every command, on small inputs.

Each runs in an empty directory with `in`, a link to the inputs, next to it as ../in. `writes` are the files it writes:
before each run they hold other bytes, the old output.
"""
import collections
import os
import re
import shutil
import struct
import subprocess
import sys

SOURCE = os.environ['SOURCE']
sys.path.insert(0, os.path.join(SOURCE, 'tests/record'))
import rings  # noqa: E402

Subject = collections.namedtuple('Subject', 'name words writes stdin program alone library folder drops', defaults=(None, None, False, False, False, False))


def subject(name, words, writes='', **more):
    """alone: one output may be new while another is old (several binaries).  library: it loads libLLVM.  folder: it writes into
    a directory, too.  drops: what cannot be opened is one of many files; if nothing is left, exit code 3 and one line, or JSON."""""
    return Subject(name, words.split(), writes.split(), **more)


SUBJECTS = [
    subject('perf.data', '-q --threads=1 ../in/demo.bolt ../in/perf.data -o out', 'out'),
    subject('perf.data, 3 threads', '--threads=3 ../in/demo.bolt ../in/perf.data -o out', 'out'),
    subject('perf.data -z', '-q --threads=1 ../in/demo.bolt ../in/zstd.data -o out', 'out'),
    subject('perf.data through a pipe', '-q --threads=1 ../in/demo.bolt - -o out', 'out', stdin='perf.data'),
    subject('recording in a folder', '-q --threads=1 ../in/demo.bolt ../in/folder -o out', 'out'),
    subject('perf script', '--threads=1 ../in/demo.bolt ../in/perf.txt'),
    subject('perf script, three files', '-q --threads=1 ../in/demo.bolt ../in/perf.txt -o out --stats-file=stats -w yaml', 'out stats yaml'),
    subject('summary as JSON', '--threads=1 --stats=json ../in/demo.bolt ../in/perf.txt -o out', 'out'),
    subject('pre-aggregated', '-q --threads=1 ../in/demo.bolt ../in/preagg -o out', 'out'),
    subject('to pre-aggregated', '-q --threads=1 --format=preagg ../in/demo.bolt ../in/perf.data -o out', 'out'),
    subject('yaml', '-q --threads=1 --format=yaml ../in/demo.bolt ../in/perf.data -o out', 'out'),
    subject('plain samples', '-q --threads=1 ../in/demo.bolt ../in/basic.data -o out', 'out'),
    subject('plain samples, text', '-q --threads=1 ../in/demo.bolt ../in/basic.txt -o out', 'out'),
    subject('several binaries', '-q --threads=1 --bin ../in/demo.bolt --bin ../in/again.bolt ../in/both.txt -o .', 'demo.bolt.fdata again.bolt.fdata', alone=True),
    subject('binaries in a folder', '-q --threads=1 --bin ../in/below ../in/both.txt -o .', 'demo.bolt.fdata sub-again.bolt.fdata', alone=True),
    subject('side file', '-q --threads=1 ../in/side ../in/perf.data -o out', 'out'),
    subject('binary without a table', '-q --threads=1 ../in/demo ../in/input.preagg -o out', 'out'),
    subject('perf2bolt', '-p ../in/perf.data ../in/demo.bolt -o out', 'out', program='perf2bolt'),
    subject('perf2bolt, yaml', '-pa -p ../in/preagg ../in/demo.bolt -o out -w yaml', 'out yaml', program='perf2bolt'),
    subject('perf2bolt, chosen', '-pa -p ../in/preagg ../in/demo.bolt -o out -funcs=.* -max-funcs=20', 'out', program='perf2bolt'),
    subject('perf2bolt, heat map', '-pa -p ../in/preagg ../in/demo.bolt -o out --heatmap=map', 'out map map-4096 map-262144 map.csv map-section-hotness.csv', program='perf2bolt'),
    subject('perf2bolt, plain samples', '-nl -p ../in/basic.data ../in/demo.bolt -o out', 'out', program='perf2bolt'),
    subject('verify', 'verify --input ../in/demo ../in/demo.bolt -o out', 'out', library=True),
    subject('verify --json', 'verify --json ../in/demo.bolt', library=True),
    subject('dump', 'dump ../in/demo.bolt'),
    subject('dump --json', 'dump --json ../in/demo.bolt -o out', 'out'),
    subject('dump --raw', 'dump --raw ../in/demo.bolt'),
    subject('dump --summary', 'dump --summary ../in/demo.bolt'),
    subject('extract', 'extract -o out ../in/demo.bolt', 'out'),
    subject('extract --note', 'extract --note -o out ../in/demo.bolt', 'out'),
    subject('encode', 'encode ../in/table.json -o out', 'out'),
    subject('transcode', 'transcode -l fixed -o out ../in/demo.bolt', 'out'),
    subject('diff', 'diff ../in/demo.bolt ../in/changed -o out', 'out'),
    subject('diff --json', 'diff --json ../in/demo.bolt ../in/changed'),
    subject('addr', 'addr --binary ../in/demo.bolt --input ../in/demo --perf ../in/perf.data --explain 55e11c270010'),
    subject('addr, back', 'addr --binary ../in/demo.bolt --input ../in/demo --from input main'),
    subject('addr --json', 'addr --binary ../in/demo.bolt --from vaddr --json', stdin='addresses'),
    subject('image', 'image ../in/demo.bolt'),
    subject('image, several', 'image ../in/demo.bolt ../in/demo', alone=True),
    subject('image --json', 'image --json ../in/demo.bolt'),
    subject('maps', 'maps --list ../in/all.bcmaps'),
    subject('maps --json', 'maps --json --all ../in/all.bcmaps'),
    subject('maps --raw', 'maps --raw ../in/perf.txt'),
    subject('maps --add', 'maps --add all.bcmaps ../in/maps', 'all.bcmaps'),
    subject('stacks', 'stacks --maps ../in/maps ../in/stacks -o out', 'out'),
    subject('stacks --json', 'stacks -q --maps ../in/all.bcmaps --format json ../in/stacks'),
    subject('stacks --pprof', 'stacks -q --maps ../in/maps --format pprof ../in/stacks -o out', 'out'),
    subject('stacks, functions', 'stacks -q --functions=input --binary ../in/demo.bolt --format folded ../in/perf.txt'),
    subject('merge', 'merge -q ../in/a.fdata ../in/b.fdata -o out', 'out'),
    subject('merge, out of order', 'merge -q --memory=4K --fan-in=2 ../in/a.fdata ../in/turned.fdata ../in/b.fdata -o out', 'out'),
    subject('merge, through pipes', 'merge -q - ../in/packed.preagg', stdin='a.preagg'),
    subject('merge, YAML', 'merge -q ../in/a.yaml ../in/b.yaml -o out --stats-file=stats', 'out stats'),
    subject('merge --shard', 'merge --shard -q ../in/a.shard ../in/b.preagg -o out --stats-file=stats', 'out stats'),
    subject('convert --shard', '--shard -q --threads=1 ../in/demo.bolt ../in/perf.data -o out', 'out'),
    subject('merge by build', 'merge -q --group=build ../in/a.yaml ../in/other.yaml -o .', 'aa10.yaml bb10.yaml', alone=True),
    subject('merge-fdata', '../in/a.fdata ../in/b.fdata -o out', 'out', program='merge-fdata'),
    subject('record, a profile', 'record -q --replay ../in/rings --bin ../in/demo.bolt -o out', 'out', folder=True, drops=True),
    subject('record, a shard', 'record --stats=json --replay ../in/rings --bin ../in/demo.bolt -o out.zst', 'out.zst', drops=True),
    subject('record, plain samples', 'record -q --memory=1M --replay ../in/plain.rings --bin ../in/demo.bolt -o out.zst', 'out.zst', drops=True),
    subject('help', 'help'),
    subject('help of a command', 'help maps'),
    subject('version', 'version', library=True),
    subject('functions by libLLVM', '-q --threads=1 ../in/sq ../in/sq.preagg -o out', 'out', library=True),
]

OFTEN = ('perf.data, 3 threads', 'perf.data -z', 'perf.data through a pipe', 'perf script, three files', 'several binaries', 'binaries in a folder',
         'side file', 'merge --shard', 'perf2bolt, yaml', 'dump --json', 'encode', 'maps --add', 'stacks --pprof', 'addr')

MAPS = '''# batconv-maps pid=7 id=1 time=100
7f0000001000-7f0000003000 r-xp 00001000 fe:00 1                          /lib/one.so
# batconv-maps pid=7 id=2 time=200
7f0000001000-7f0000002000 r-xp 00000000 fe:00 2                          /lib/two.so
'''
STACKS = '''150 m1 7f0000001010 7f0000003000 10
250 m2 7f0000001010
250 p7 7f0000001010
150 p8 7f0000001010
'''


def save(path, data):
    with open(path, 'wb') as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def load(path):
    with open(path, 'rb') as file:
        return file.read()


def zstd_frame(data):
    """Data in blocks that are stored as they are: what any decoder of zstd must take."""
    out = b'\x28\xb5\x2f\xfd' + struct.pack('<BQ', 0xe0, len(data))
    for at in range(0, len(data), 1 << 15):
        part = data[at:at + (1 << 15)]
        last = at + len(part) == len(data)
        out += struct.pack('<I', last | len(part) << 3)[:3] + part
    return out


def compressed(recording):
    """The records of a recording in COMPRESSED records of its own, a frame in each."""
    start, size = struct.unpack_from('<QQ', recording, 40)
    records = b''
    for at in range(start, start + size, 30000):
        frame = zstd_frame(recording[at:min(at + 30000, start + size)])
        frame += b'\x50\x2a\x4d\x18' + struct.pack('<I', -len(frame) % 8) + bytes(-len(frame) % 8)
        records += struct.pack('<IHH', 81, 0, 8 + len(frame)) + frame
    header = bytearray(recording[:start])
    struct.pack_into('<Q', header, 48, len(records))
    struct.pack_into('<4Q', header, 72, 0, 0, 0, 0)  # without features
    return bytes(header) + records


def make_inputs(batconv, inputs, folder):
    """All inputs of the subjects, in `folder`."""
    os.mkdir(folder)
    demo = os.path.join(SOURCE, 'inputs/demo')
    for name, source in (('demo', 'demo'), ('demo.bolt', 'demo.bolt'), ('again.bolt', 'demo.bolt'), ('perf.data', 'demo.perf.data'),
                         ('perf.txt', 'demo.perf.txt'), ('preagg', 'demo.preagg'),
                         ('basic.data', 'demo.basic.perf.data'), ('basic.txt', 'demo.basic.txt')):
        shutil.copy(os.path.join(demo, source), os.path.join(folder, name))
    for name, source in (('sq', 'sq'), ('sq.preagg', 'input.preagg')):
        shutil.copy(os.path.join(inputs, 'sqlite', source), os.path.join(folder, name))

    def path(name):
        return os.path.join(folder, name)

    def run(*words):
        return subprocess.run([batconv, *words], cwd=folder, check=True, stdout=subprocess.PIPE).stdout
    recording = load(path('perf.data'))
    save(path('rings'), rings.of_recording(path('perf.data')))
    save(path('plain.rings'), rings.of_recording(path('basic.data'), 2, 50))
    save(path('zstd.data'), compressed(recording))
    text = load(path('perf.txt'))
    save(path('both.txt'), text + text.replace(b'demo.bolt', b'again.bolt').replace(b'8467', b'9467'))
    os.makedirs(path('below/sub'))
    shutil.copy(path('demo.bolt'), path('below'))
    shutil.copy(path('demo.bolt'), path('below/sub/again.bolt'))
    os.mkdir(path('folder'))
    save(path('folder/data'), recording)
    run('extract', '-o', 'side', 'demo.bolt')
    table = run('dump', '--json', 'demo.bolt')
    save(path('table.json'), table)
    save(path('changed.json'), table.replace(b'"input": 348', b'"input": 349', 1))
    run('encode', 'changed.json', '-o', 'changed')
    run('-q', '--format=preagg', '--force', 'demo', 'preagg', '-o', 'input.preagg')
    save(path('maps'), MAPS)
    run('maps', '--add', 'all.bcmaps', 'maps')
    save(path('stacks'), STACKS)
    save(path('addresses'), '# a comment\n7010\n\n99999\n')
    os.symlink(os.path.abspath(batconv), path('perf2bolt'))
    for form in ('fdata', 'yaml', 'preagg'):
        save(path('a.' + form), run('-q', '--format=' + form, 'demo.bolt', 'perf.data'))
        save(path('b.' + form), run('-q', '--format=' + form, 'demo.bolt', 'preagg'))
    head, *lines = load(path('a.fdata')).splitlines(True)
    save(path('turned.fdata'), head + b''.join(reversed(lines)))
    run('merge', '-q', '--shard', 'a.preagg', '-o', 'a.shard')
    save(path('packed.preagg'), zstd_frame(load(path('b.preagg'))))
    by_build = load(path('a.yaml')).decode()
    for name, id_ in (('a.yaml', 'aa10'), ('other.yaml', 'bb10')):
        save(path(name), re.sub('(binary-build-id: ).*', r'\g<1>' + id_, by_build))
    save(path('b.yaml'), re.sub('(binary-build-id: ).*', r'\g<1>aa11', load(path('b.yaml')).decode()))
    os.symlink(os.path.abspath(batconv), path('merge-fdata'))
