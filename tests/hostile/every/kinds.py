"""Every kind of file that a command reads or writes, small, and what no command reads: kinds.make()."""
import gzip
import lzma
import os
import shutil
import struct
import subprocess
import sys

import names

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.join(HERE, '../../support')

# The demo's samples were recorded while it ran here.
BASE = 0x55e11c269000


class Kind:
    """A file of some kind.  `valid`: some command takes it; such a file is also given cut."""

    def __init__(self, name, path, valid=True):
        self.name, self.path, self.valid = name, path, valid

    def is_file(self):
        return os.path.isfile(self.path)

    def state(self):
        """What changes when somebody writes to it."""
        if not os.path.lexists(self.path):
            return None
        paths = [self.path]
        if os.path.isdir(self.path):
            paths += sorted(os.path.join(self.path, name) for name in os.listdir(self.path))
        return [(path, st.st_ino, st.st_size, st.st_mtime_ns, st.st_mode) for path in paths for st in [os.lstat(path)]]


class Maker:
    def __init__(self, batconv, inputs, source, folder):
        self.batconv, self.inputs, self.source, self.folder = batconv, inputs, source, folder
        self.demo = os.path.join(source, 'inputs/demo')
        self.kinds = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def add(self, name, data, valid=True):
        path = self.path(name)
        with open(path, 'wb') as file:
            file.write(data)
        self.kinds.append(Kind(name, path, valid))
        return path

    def read(self, *path):
        with open(os.path.join(*path), 'rb') as file:
            return file.read()

    def run(self, *arguments, codes=(0,), stdin=b''):
        """What the program prints; it must work, or nothing here would test anything."""
        done = subprocess.run([self.batconv, *arguments], input=stdin, capture_output=True, timeout=120)
        if done.returncode not in codes:
            sys.exit('batconv %s: exit %d\n%s' % (' '.join(arguments), done.returncode, done.stderr.decode()))
        return done.stdout

    def script(self, *words):
        subprocess.run([sys.executable, *words], check=True, capture_output=True)


def section_headers(data):
    """For a 64-bit ELF file: (offset of the header, name, fields)."""
    at, = struct.unpack_from('<Q', data, 40)
    count, names = struct.unpack_from('<HH', data, 60)
    heads = [struct.unpack_from('<IIQQQQIIQQ', data, at + 64 * i) for i in range(count)]
    strings = heads[names][4]
    for i, head in enumerate(heads):
        name = strings + head[0]
        yield at + 64 * i, bytes(data[name:data.index(b'\0', name)]).decode(), head


def stripped(data):
    """Its symbol table is no symbol table any more."""
    data = bytearray(data)
    for at, name, _ in list(section_headers(data)):
        if name == '.symtab':
            struct.pack_into('<I', data, at + 4, 0)  # SHT_NULL
    return data


def without_table(data):
    """What BOLT says of itself stays, the table is a section of no meaning."""
    data = bytearray(data)
    for at, name, head in list(section_headers(data)):
        if name == '.note.bolt_bat':
            struct.pack_into('<II', data, at, 0, 1)  # no name, SHT_PROGBITS
            data[head[4]:head[4] + head[5]] = bytes(head[5])
    return data


def shared_library(data):
    """A program is a library except for a flag, DF_1_PIE."""
    data = bytearray(data)
    for _, name, head in list(section_headers(data)):
        if name == '.dynamic':
            for at in range(head[4], head[4] + head[5], 16):
                tag, value = struct.unpack_from('<QQ', data, at)
                if tag == 0x6ffffffb:
                    struct.pack_into('<Q', data, at + 8, value & ~0x08000000)
    return data


def relocatable(data):
    """ET_REL without segments."""
    data = bytearray(data)
    struct.pack_into('<H', data, 16, 1)
    struct.pack_into('<Q', data, 32, 0)
    struct.pack_into('<HH', data, 54, 0, 0)
    return data


def add_binaries(make):
    bolted, plain = make.read(make.demo, 'demo.bolt'), make.read(make.demo, 'demo')
    make.add('demo.bolt', bolted)
    make.add('demo', plain)
    make.add('stripped', stripped(plain))
    make.add('bolted-stripped', stripped(bolted))
    make.add('bolted-no-table', without_table(bolted))
    make.add('library.so', shared_library(plain))
    make.add('object.o', relocatable(plain))
    make.add('aarch64', make.read(make.inputs, 'aarch64/sorts.b22'))
    make.add('mapped', make.read(make.inputs, 'next/luap')) # with the compiler's map and counts
    make.add('elf32', b'\x7fELF\1\1\1' + bytes(9) + struct.pack('<HHI', 3, 3, 1) + bytes(80), valid=False)
    make.script(os.path.join(SUPPORT, 'kernel.py'), 'elf', make.batconv, make.path('demo.bolt'), make.path('vmlinux'))
    make.kinds.append(Kind('vmlinux', make.path('vmlinux')))
    make.run('extract', '--note', '-o', make.path('note'), make.path('demo.bolt'))
    make.run('extract', '-o', make.path('side'), make.path('demo.bolt'))
    make.kinds += [Kind('note', make.path('note')), Kind('side', make.path('side'))]


def perf_text(script):
    """What perf2bolt 23 asks perf script for, PERFTEXT: the text cut into parts, whose sizes are before them."""
    mmaps = b''.join(b'demo ' + line.replace(b' PERF', b' 1.0: PERF', 1).lstrip() + b'\n'
                     for line in script.splitlines() if b'MMAP2' in line)
    samples = b''.join(line.replace(line.split()[1], b'', 1) + b'\n'
                       for line in script.splitlines() if b'RECORD' not in line)
    head = b'PERFTEXT;BUILDIDS=0;MMAP=%d;MAIN=%d;TASK=0;MEM=0;\n' % (len(mmaps), len(samples))
    return head + mmaps + samples


def add_samples(make):
    """Recordings of the demo, in each form that perf has."""
    script = b'\n'.join(make.read(make.demo, 'demo.perf.txt').split(b'\n')[:16]) + b'\n'
    basic = b'\n'.join(make.read(make.demo, 'demo.basic.txt').split(b'\n')[:60]) + b'\n'
    made = make.path('made')
    os.mkdir(made)
    make.script(os.path.join(make.source, 'tests/peers/recordings/made.py'), make.path('demo.bolt'),
                os.path.join(make.demo, 'demo.perf.txt'), made)
    for form in ('pipe', 'folder', 'unknown'):
        make.script(os.path.join(SUPPORT, 'made_perf_data.py'), form, made + '/two-bases.data', made + '/' + form)
    make.add('perf.data', make.read(make.source, 'tests/hostile/fuzz/corpus/perf_data/real-lbr'))
    make.script(os.path.join(make.source, 'tests/record/rings.py'), make.path('perf.data'), made + '/rings', '--rings=2', '--per-round=2')
    make.add('rings', make.read(made, 'rings'))
    make.add('basic.perf.data', make.read(make.source, 'tests/hostile/fuzz/corpus/perf_data/real-basic'))
    make.add('processes.perf.data', make.read(made, 'all.data'))
    make.add('pipe.perf.data', make.read(made, 'pipe'))
    make.add('unknown.perf.data', make.read(made, 'unknown'))
    make.add('compressed.perf.data', make.read(make.source, 'tests/hostile/fuzz/corpus/perf_data/compressed'))
    shutil.move(made + '/folder', make.path('folder.perf.data'))
    make.kinds.append(Kind('folder.perf.data', make.path('folder.perf.data')))
    with open(made + '/spe.txt', 'wb') as file:
        file.write(b'\n'.join(make.read(make.inputs, 'aarch64/sorts.b22.spe.txt').split(b'\n')[:160]) + b'\n')
    for name, words in ('spe', ['times', 'pieces=333']), ('spe.pipe', ['pipe', 'cpu', 'context', 'loads', 'wide']):
        make.script(os.path.join(SUPPORT, 'spe_data.py'), made + '/spe.txt', made + '/' + name, *words)
        make.add(name + '.perf.data', make.read(made, name))
    with open(made + '/pt.run', 'wb') as file:
        file.write(make.read(make.inputs, 'pt/ways.b22.run'))
    for name, words in ('pt', ['cycles', 'cpu', 'returns', 'pieces=4444']), ('pt.pipe', ['pipe', 'times', 'overflow=999']):
        make.script(os.path.join(SUPPORT, 'pt_data.py'), 'write', made + '/pt.run', made + '/' + name, 'files=' + os.path.join(make.inputs, 'pt'),
                    'program=ways.b22', *words)
        make.add(name + '.perf.data', make.read(made, name))
    with open(made + '/etm.run', 'wb') as file:
        file.write(make.read(make.inputs, 'etm/ways.b22.run'))
    for name, words in ('etm', ['raw', 'ete', 'times', 'returns']), ('etm.pipe', ['pipe', 'cpu', 'shared', 'context', 'times', 'aside', 'overflow=999']):
        make.script(os.path.join(SUPPORT, 'etm_data.py'), made + '/etm.run', made + '/' + name, 'files=' + os.path.join(make.inputs, 'etm'),
                    'program=ways.b22', 'at=5500000000', *words)
        make.add(name + '.perf.data', make.read(made, name))
    make.add('script.txt', script)
    make.add('basic.script.txt', basic)
    make.add('plain.script.txt', b''.join(line for line in script.splitlines(True) if b'PERF_RECORD' not in line))
    chains = subprocess.run([sys.executable, os.path.join(SUPPORT, 'chain_samples.py'), make.path('basic.script.txt')],
                            check=True, capture_output=True).stdout
    make.add('chains.script.txt', chains)
    make.add('perftext', perf_text(script))
    for form in ('data', 'text'):
        make.script(os.path.join(SUPPORT, 'kernel.py'), form, make.path('vmlinux'), made + '/two-bases.data',
                    make.path('kernel.' + form), '0x1c400000', 'modules')
        make.kinds.append(Kind('kernel.' + form, make.path('kernel.' + form)))
    shutil.rmtree(made)


def add_aggregated(make):
    """A file for each letter, with locations of the demo."""
    lines = make.read(make.demo, 'demo.preagg').decode().splitlines()
    words = [line.split() for line in lines]
    traces = [w for w in words if w[0] == 'T' and len(w) == 5 and ':' not in w[1]][:20]
    make.add('T.preagg', ''.join(' '.join(w) + '\n' for w in traces).encode())
    make.add('R.preagg', ''.join(' '.join(w) + '\n' for w in words if w[0] == 'R').encode())
    make.add('B.preagg', ''.join('B %s %s %s 1\n' % (w[1], w[2], w[4]) for w in traces).encode())
    for letter in 'Ffr':
        make.add(letter + ('.small' if letter == 'f' else '') + '.preagg',
                 ''.join('%s %s %s %s\n' % (letter, w[2], w[3], w[4]) for w in traces).encode())
    make.add('S.preagg', ''.join('S %s %s\n' % (w[2], w[4]) for w in traces).encode())
    make.add('E.preagg', b'E cycles:u\n')
    make.add('ES.preagg', b'E cycles:u\n' + ''.join('S %s %s\n' % (w[2], w[4]) for w in traces).encode())


def add_processes(make):
    """Maps and stacks of the process in script.txt."""
    maps = make.run('maps', '--raw', make.path('script.txt'))
    make.add('snapshots.maps', maps)
    make.add('proc.maps', b''.join(line + b'\n' for line in maps.splitlines() if not line.startswith(b'#')))
    make.run('maps', '--add=' + make.path('maps.bcmaps'), make.path('script.txt'))
    make.kinds.append(Kind('maps.bcmaps', make.path('maps.bcmaps')))
    make.add('raw.stacks', b'# made\n' + b''.join(b'%d p8467 %x %x ffffffff81000000\n' % (i, BASE + 0x6000 + 16 * i, BASE + 0x6100)
                                                  for i in range(1, 20)))


def add_outputs(make):
    """What the program itself writes."""
    bolted, data = make.path('demo.bolt'), make.path('perf.data')
    mapped, raw = '--maps=' + make.path('maps.bcmaps'), make.path('raw.stacks')
    make.add('profile.fdata', make.run('convert', '-q', bolted, data))
    make.add('profile.yaml', make.run('convert', '-q', '--format=yaml', bolted, data))
    make.add('profile.preagg', make.run('convert', '-q', '--format=preagg', bolted, data))
    for name, binary in ('shard.zst', bolted), ('other.zst', make.path('demo')):  # of the same records, but of two binaries
        make.add(name, make.run('convert', '-q', '--force', '--shard', binary, make.path('profile.preagg')))
    make.run('convert', '-q', '--stats-file=' + make.path('stats.json'), '-o', make.path('unused'), bolted, data)
    os.remove(make.path('unused'))
    make.kinds.append(Kind('stats.json', make.path('stats.json')))
    make.add('table.json', make.run('dump', '--json', bolted))
    make.add('table.txt', make.run('dump', bolted))
    make.add('verify.sarif', make.run('verify', '--sarif', bolted, codes=(0, 3)))
    make.add('maps.json', make.run('maps', '--json', make.path('maps.bcmaps'), codes=(0, 3)))
    for form, end in (('text', 'txt'), ('json', 'json'), ('folded', 'folded'), ('pprof', 'pprof.gz')):
        make.add('stacks.' + end, make.run('stacks', '-q', '--format=' + form, mapped, '--binary=' + bolted, '--functions', raw))
    make.add('stacks.pprof', gzip.decompress(make.read(make.path('stacks.pprof.gz'))))


def add_compressed(make):
    """One of each kind of reader, and what is not worth its name."""
    for name, pack in (('perf.data', gzip.compress), ('script.txt', lzma.compress), ('T.preagg', gzip.compress),
                       ('demo.bolt', lzma.compress), ('table.json', gzip.compress), ('maps.bcmaps', lzma.compress)):
        make.add(name + ('.gz' if pack is gzip.compress else '.xz'), pack(make.read(make.path(name))))
    make.add('compressed.zst', make.read(make.source, 'tests/hostile/fuzz/corpus/unpack/zstd'))
    make.add('bomb.gz', gzip.compress(bytes(30 << 20)), valid=False)


def add_others(make):
    make.add('source.c', make.read(make.demo, 'src/main.c'), valid=False)
    make.add('callgrind.out', b'# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n', valid=False)
    make.add('empty', b'', valid=False)
    make.add('nul', b'\0', valid=False)
    make.add('newline', b'\n', valid=False)
    make.add('long-line', b'x' * 300000, valid=False)
    make.add('long-numbers', b'1 ' * 100000, valid=False)
    make.add('controls', bytes(range(256)) + b'\n' + b'T \x1b[2J\x07 1 2 3\n', valid=False)
    make.add('odd\nname\x1b[31m', make.read(make.demo, 'src/main.c'), valid=False)
    os.mkdir(make.path('directory'))
    os.symlink('loop', make.path('loop'))
    for name in ('directory', 'loop', 'missing', 'empty/below-a-file'):
        make.kinds.append(Kind(name, make.path(name), valid=False))
    # One for each run: see runs.py.
    make.kinds.append(Kind('fifo', None, valid=False))


def cut(make, kind):
    """Cut in the middle, and a byte before the end; of a directory its last file."""
    for name, part in (('half', lambda size: size // 2), ('last', lambda size: size - 1)):
        path = '%s~%s' % (kind.path, name)
        file = path
        if kind.is_file():
            shutil.copyfile(kind.path, path)
        else:
            shutil.copytree(kind.path, path)
            file = os.path.join(path, sorted(os.listdir(path))[-1])
        os.truncate(file, part(os.path.getsize(file)))
        make.kinds.append(Kind('%s~%s' % (kind.name, name), path, valid=False))


def make(batconv, inputs, source, folder):
    maker = Maker(batconv, inputs, source, folder)
    add_binaries(maker)
    add_samples(maker)
    add_aggregated(maker)
    add_processes(maker)
    add_outputs(maker)
    add_compressed(maker)
    names.add(maker, section_headers)
    for kind in [kind for kind in maker.kinds if kind.valid]:
        cut(maker, kind)
    add_others(maker)
    for name in ('demo', 'demo.bolt'):  # which compare and optimize run
        os.chmod(os.path.join(folder, name), 0o755)
    return {kind.name: kind for kind in maker.kinds}
