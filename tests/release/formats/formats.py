#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What release 1.0 wrote is read by every later one, and what is promised to be written as it was still is: docs/stability.md.

    formats.py files        kept files of batconv's own: read, written again with the same content, a later version refused
    formats.py documents    kept JSON by the schemas of today, which must refuse none; what would refuse them is found
    formats.py commands     commands, options, their values and findings of verify that 1.0 had are there
    formats.py --make       makes the kept files that are not there (a new format, a new output), and MANIFEST

The kept files are in 1.0/: files/, documents/, whose sums are in MANIFEST and which are never changed, and read/, what is read of them
where there is no other source.  They were made from inputs/demo and inputs/next by the rows below.  Environment: BATCONV, INPUTS, SOURCE.
"""
import copy
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile

BATCONV, INPUTS, SOURCE = (os.path.abspath(os.environ[name]) for name in ('BATCONV', 'INPUTS', 'SOURCE'))
KEPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '1.0')
sys.path.insert(0, os.path.join(SOURCE, 'tests/support'))
import schemas  # pylint: disable=wrong-import-position

wrong = []

# Files of batconv's own: name -> the command that writes it, with OUT.  None: not by a command.
FILES = {
    'shard-2.zst': ['convert', '-q', '--shard', '-o', 'OUT', 'demo/demo.bolt', 'demo/demo.preagg'],
    'shard-1.zst': None,  # by 0.1
    'side-2': ['extract', '-o', 'OUT', 'demo/demo.bolt'],
    'side-1': None,  # made of side-2, as sparse.h says
    'maps-1.bcmaps': ['maps', '--add=OUT', 'demo/demo.perf.data'],
    'rings-1': None,  # by tests/record/rings.py of the records of demo.perf.data
    'capture.maps': None,  # as batconv_capture_maps() and batconv_capture_ring_write() have them: docs/addresses.md
    'capture.stacks': None,
}

# Documents: schema -> the command, and where it writes: an option's file OUT, else that stream.
DOCUMENTS = {
    'stats': (['convert', '-q', '-o', 'profile', '--stats-file=OUT', 'demo/demo.bolt', 'demo/demo.preagg'], None),
    'merge': (['merge', '-o', 'profile', '--stats-file=OUT', 'demo/expected/demo.basic.fdata'], None),
    'record': (['record', '--stats=json', '--replay=kept/files/rings-1', '--bin=demo/demo.bolt', '-o', 'shard'], 'stderr'),
    'bat': (['dump', '--json', 'demo/demo.bolt'], 'stdout'),
    'summary': (['dump', '--json', '--summary', 'demo/demo.bolt'], 'stdout'),
    'diff': (['diff', '--json', 'demo/demo.bolt', 'fixed'], 'stdout'),
    'verify': (['verify', '--json', '--input=demo/demo', 'fixed'], 'stdout'),
    'sarif': (['verify', '--sarif', '--input=demo/demo', 'fixed'], 'stdout'),
    'quality': (['quality', '--json', '--min-density=60', 'demo/demo.bolt', 'demo/demo.preagg'], 'stdout'),
    'doctor': (['doctor', '--json', 'demo/demo'], 'stdout'),
    'compare': (['compare', '--json', '--rounds=1', 'demo/demo', 'demo/demo', '--', 'true', '{}'], 'stdout'),
    'optimize': (['optimize', '--json', '-q', '--keep=always', '--llvm-bolt=fake_llvm_bolt', '--profile=demo/expected/demo.basic.fdata', 'demo/demo'], 'stdout'),
    'overlap': (['overlap', '--json', 'demo/expected/demo.basic.fdata', 'demo/expected/demo.basic.fdata'], 'stdout'),
    'carry': (['carry', '--stats=json', '-o', 'profile', 'demo/demo', 'demo/demo', 'demo/expected/demo.perf.fdata'], 'stderr'),
    'stale': (['stale', '--json', 'inputs/next/luas.fdata', 'inputs/next/luap'], 'stdout'),
    'inspect': (['inspect', '--json', 'demo/demo.bolt'], 'stdout'),
    'addr': (['addr', '--json', '--binary', 'demo/demo.bolt', '--base=0', '7010', '1200'], 'stdout'),
    'image': (['image', '--json', 'demo/demo.bolt'], 'stdout'),
    'maps': (['maps', '--json', 'kept/files/maps-1.bcmaps'], 'stdout'),
    'stacks': (['stacks', '-q', '--format=json', '--functions', '--binary=demo/demo.bolt', '--maps=kept/files/capture.maps',
                'kept/files/capture.stacks'], 'stdout'),
    'version': (['version', '--json'], 'stdout'),
}


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def kept(*name):
    return os.path.join(KEPT, *name)


def run(*command):
    return subprocess.run([BATCONV, *command], capture_output=True, env=dict(os.environ, BATCONV_NO_INPUT='1'), check=False)


def output(*command):
    done = run(*command)
    if done.returncode not in (0, 3):
        wrong.append('%s: exit %d: %s' % (' '.join(command), done.returncode, done.stderr.decode(errors='replace')[:300]))
    return done.stdout


def written(command, stream=None):
    """What a command writes: to the file OUT, or to a stream."""
    if os.path.exists('OUT'):
        os.remove('OUT')
    done = run(*command)
    if done.returncode not in (0, 3):
        wrong.append('%s: exit %d: %s' % (' '.join(command), done.returncode, done.stderr.decode(errors='replace')[:300]))
        return b''
    return getattr(done, stream) if stream else read('OUT')


def unpacked(data):
    """The content of a file that ends in zstd frames, and what is before them: compressed bytes are libzstd's, not ours."""
    at = data.find(b'\x28\xb5\x2f\xfd')
    if at < 0:
        return data
    done = subprocess.run(['zstd', '-dcq'], input=data[at:], capture_output=True, check=False)
    if done.returncode:
        wrong.append('zstd: ' + done.stderr.decode())
    return data[:at] + done.stdout


def side_of_version_1(data):
    """A side file without digest and checksum: sparse.h."""
    count, = struct.unpack_from('<Q', data, 24)
    head = 32 + 16 * count
    content = unpacked(data)[head + 32:]
    frame = subprocess.run(['zstd', '-qc', '--no-check'], input=content, capture_output=True, check=True).stdout
    return b'BATCONV-SPARSE1\n' + data[16:head] + frame


def rings_of_version_1():
    sys.path.insert(0, os.path.join(SOURCE, 'tests/record'))
    import rings
    attr, records = rings.records_of(read('demo/demo.perf.data'))
    return rings.rings_file(attr, records[:24], 2, 10, 0, b'machine x86_64\n')


def replayed():
    """The content of the shard that rings become."""
    output('record', '-q', '--replay=kept/files/rings-1', '--bin=demo/demo.bolt', '-o', 'replayed/')
    shards = os.listdir('replayed')
    return unpacked(read(os.path.join('replayed', shards[0]))) if len(shards) == 1 else b'%d shards' % len(shards)


def same(what, one, other):
    if one != other:
        wrong.append('%s: differs (%d bytes, %d)' % (what, len(one), len(other)))


def reading():
    """Each kept file is as good as what it was made of."""
    profile = output('convert', '-q', '-o', '-', 'demo/demo.bolt', 'demo/demo.preagg')
    same('shard-1.zst', output('merge', '-q', '--require-shards', '-o', '-', kept('files', 'shard-1.zst')), read(kept('read', 'shard-1.preagg')))
    same('shard-2.zst', output('merge', '-q', '-o', '-', kept('files', 'shard-2.zst')),
         output('convert', '-q', '--format=preagg', '-o', '-', 'demo/demo.bolt', 'demo/demo.preagg'))
    same('shard-2.zst, converted', output('convert', '-q', '-o', '-', 'demo/demo.bolt', kept('files', 'shard-2.zst')), profile)
    for name in 'side-1', 'side-2':
        same(name, output('dump', '--json', kept('files', name)), output('dump', '--json', 'demo/demo.bolt'))
        same(name + ', converted', output('convert', '-q', '-o', '-', kept('files', name), 'demo/demo.preagg'), profile)
    same('maps-1.bcmaps', output('maps', '--list', kept('files', 'maps-1.bcmaps')), read(kept('read', 'maps-1.list')))
    same('rings-1', replayed(), read(kept('read', 'rings-1.shard')))
    stacks = ['stacks', '-q', '--functions', '--format=folded', '--binary=demo/demo.bolt', '--maps=kept/files/capture.maps']
    same('capture', output(*stacks, 'kept/files/capture.stacks'), read(kept('read', 'capture.folded')))
    # The document that a command reads.
    with open('today.json', 'wb') as file:
        file.write(output('dump', '--json', 'demo/demo.bolt'))
    same('bat.json, encoded', written(['encode', kept('documents', 'bat.json'), '-o', 'OUT']), written(['encode', 'today.json', '-o', 'OUT']))


def writing():
    for name, command in FILES.items():
        if command:
            same(name + ', written', unpacked(written(command)), unpacked(read(kept('files', name))))


def later(name, old, new, *command):
    """A file of a later version is refused in one line that names the version, and a hint at most."""
    data = read(kept('files', name))
    if data.count(old) < 1:
        wrong.append('%s: has no %r' % (name, old))
        return
    with open(name, 'wb') as file:
        file.write(data.replace(old, new, 1))
    done = run(*command)
    said = done.stderr.decode(errors='replace')
    first, *hint = said.splitlines() or ['']
    if done.returncode != 1 or 'version' not in first or len(hint) > 1 or not all('hint: ' in line for line in hint) or os.path.exists('x'):
        wrong.append('%s of a later version: exit %d: %s' % (name, done.returncode, said))


def files():
    reading()
    writing()
    later('shard-2.zst', b'batconv-shard 2', b'batconv-shard 3', 'merge', '-q', '-o', 'x', 'shard-2.zst')
    later('side-2', b'BATCONV-SPARSE2', b'BATCONV-SPARSE3', 'convert', '-q', '-o', 'x', 'side-2', 'demo/demo.preagg')
    later('rings-1', b'batconv-rings 1', b'batconv-rings 2', 'record', '-q', '--replay=rings-1', '--bin=demo/demo.bolt', '-o', 'x')
    later('maps-1.bcmaps', b'BCMAPS\r\n\x01', b'BCMAPS\r\n\x02', 'maps', 'maps-1.bcmaps')
    return '%d files' % len(FILES)


def changes(schema, document):
    """What must not happen to a schema within a version: a key that becomes required, another type, another version."""
    needs = copy.deepcopy(schema)
    needs['required'] = needs.get('required', []) + ['a_new_key']
    yield 'a new key is required', needs
    for key in document.keys() & schema['properties'].keys():
        other = copy.deepcopy(schema)
        other['properties'][key] = {'enum': ['no such value']}
        yield '%s becomes another type' % key, other
        gone = copy.deepcopy(schema)
        del gone['properties'][key]
        yield '%s is gone' % key, gone


def documents():
    try:
        import jsonschema
    except ImportError:
        print('skipped: no python3-jsonschema')
        sys.exit(1 if os.environ.get('BATCONV_REQUIRE_PEERS') else 77)
    known = schemas.names(SOURCE)
    wrong.extend('schema %s: no document of it is kept: formats.py --make' % name for name in sorted(known - {name[:-5] for name in os.listdir(kept('documents'))}))
    count = 0
    for name in sorted(known & set(DOCUMENTS)):
        schema = schemas.load(SOURCE, name)
        # Closed: a key that the schema does not have any more is missing in the output.
        validator = jsonschema.Draft7Validator(schemas.closed(schema))
        for document in schemas.documents(read(kept('documents', name + '.json')).decode()):
            count += 1
            for why in list(validator.iter_errors(document))[:3]:
                wrong.append('schema %s refuses a document of 1.0: %s: %s' % (name, '/'.join(map(str, why.absolute_path)), why.message[:200]))
            for what, changed in changes(schema, document):
                if jsonschema.Draft7Validator(schemas.closed(changed)).is_valid(document):
                    wrong.append('schema %s: not found: %s' % (name, what))
            # A later release adds keys, which the schema of this one lets through.
            if not jsonschema.Draft7Validator(schema).is_valid(dict(document, a_key_of_a_later_release=1)):
                wrong.append('schema %s refuses keys of later releases' % name)
    return '%d documents of %d schemas' % (count, len(known))


def option_rows(text):
    """(command, letter, name) -> whether it takes a value, and its words; commands have neither."""
    found = {}
    for line in text.splitlines():
        row = line.split('\t')
        if row[0] in ('command', 'program'):
            found[row[1], '', ''] = (row[0], set())
        elif row[0] == 'option':
            found[row[1], row[2], row[3]] = (('no value' if not row[4] else 'value that can be left out' if row[5] == '1' else 'value'), set(row[7].split()))
    return found


def commands():
    old, new = option_rows(read(kept('documents', 'commands.tsv')).decode()), option_rows(output('help', '--table').decode())
    for key, (takes, words) in old.items():
        name = ' '.join(filter(None, (key[0], '-' + key[1] if key[1] else '', '--' + key[2] if key[2] else '')))
        if key not in new:
            wrong.append('%s: 1.0 had it' % name)
        elif new[key][0] != takes and not (takes == 'value' and new[key][0] == 'value that can be left out'):
            wrong.append('%s: took: %s, takes: %s' % (name, takes, new[key][0]))
        elif words - new[key][1]:
            wrong.append('%s: took %s' % (name, ' '.join(sorted(words - new[key][1]))))
    ids = [{rule['id'] for rule in json.loads(text)['runs'][0]['tool']['driver']['rules']}
           for text in (read(kept('documents', 'sarif.json')), output('verify', '--sarif', 'demo/demo.bolt'))]
    wrong.extend('verify: the finding %s is no more' % one for one in sorted(ids[0] - ids[1]))
    return '%d commands and options, %d findings' % (len(old), len(ids[0]))


def manifest():
    found = {}
    for folder in 'documents', 'files':
        for name in os.listdir(kept(folder)):
            found[folder + '/' + name] = hashlib.sha256(read(kept(folder, name))).hexdigest()
    return ''.join('%s  %s\n' % (found[name], name) for name in sorted(found)).encode()


def check_manifest():
    if manifest() != read(kept('MANIFEST')):
        wrong.append('1.0/MANIFEST has other sums than the kept files: they are never changed; new ones are made by formats.py --make')


def keep(path, make):
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = make()
        with open(path, 'wb') as file:
            file.write(data)


CAPTURED = '''\
# batconv-maps pid=77 id=3 time=1000
55e11c269000-55e11c26a000 r--p 00000000 fe:00 7                          /srv/demo.bolt
55e11c26a000-55e11c26c000 r-xp 00001000 fe:00 7                          /srv/demo.bolt
55e11c26f000-55e11c272000 r-xp 00006000 fe:00 7                          /srv/demo.bolt
7f0000000000-7f0000001000 r-xp 00000000 fe:00 8                          /usr/lib/x86_64-linux-gnu/libc.so.6
'''


def make():
    for name, command in FILES.items():
        if command:
            keep(kept('files', name), lambda command=command: written(command))
    keep(kept('files', 'shard-1.zst'), lambda: read(os.path.join(SOURCE, 'tests/hostile/fuzz/corpus/shard/raw-1')))
    keep(kept('files', 'side-1'), lambda: side_of_version_1(read(kept('files', 'side-2'))))
    keep(kept('files', 'rings-1'), rings_of_version_1)
    keep(kept('files', 'capture.maps'), CAPTURED.encode)
    keep(kept('files', 'capture.stacks'), b'2000 p77m3 55e11c270010 55e11c270020 7f0000000100\n2001 p77m3 55e11c270e81\n2002 p77 10\n'.strip)
    for name, (command, stream) in DOCUMENTS.items():
        keep(kept('documents', name + '.json'), lambda command=command, stream=stream: written(command, stream))
    keep(kept('documents', 'commands.tsv'), lambda: output('help', '--table'))
    keep(kept('read', 'shard-1.preagg'), lambda: output('merge', '-q', '--require-shards', '-o', '-', kept('files', 'shard-1.zst')))
    keep(kept('read', 'maps-1.list'), lambda: output('maps', '--list', kept('files', 'maps-1.bcmaps')))
    keep(kept('read', 'rings-1.shard'), replayed)
    keep(kept('read', 'capture.folded'), lambda: output('stacks', '-q', '--functions', '--format=folded', '--binary=demo/demo.bolt',
                                                         '--maps=kept/files/capture.maps', 'kept/files/capture.stacks'))
    with open(kept('MANIFEST'), 'wb') as file:
        file.write(manifest())
    return 'made'


def main():
    work = {'files': files, 'documents': documents, 'commands': commands, '--make': make}.get(sys.argv[1] if len(sys.argv) == 2 else '')
    if not work:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.symlink(os.path.join(SOURCE, 'inputs/demo'), 'demo')
        os.symlink(INPUTS, 'inputs')
        os.symlink(KEPT, 'kept')
        os.symlink(os.path.join(SOURCE, 'tests/support/fake_llvm_bolt'), 'fake_llvm_bolt')
        output('transcode', '-q', '-l', 'fixed', '-o', 'fixed', 'demo/demo.bolt')
        said = work()
        if work is not make:
            check_manifest()
        os.chdir('/')
    print('\n'.join(wrong) or said)
    return 1 if wrong else 0


sys.exit(main())
