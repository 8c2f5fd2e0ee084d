#!/usr/bin/env python3
"""What is merged does not depend on how: merge.py [KIND...]

Of each kind of profile some inputs are made, and their sum in plain code here (YAML: by merge itself, and held against
PyYAML's reading of it).  Then each of many ways must give the same bytes: inputs in another order, lines in another
order, other memory, threads and fan-in, trees of any shape, compressed inputs, stdin, lists.  Every cut of an input is noticed
that is not at the end of a line.
"""
import collections
import gzip
import lzma
import os
import random
import resource
import subprocess
import sys
import tempfile

BATCONV = os.path.abspath(os.environ['BATCONV'])
INPUTS, SOURCE = os.environ['INPUTS'], os.environ['SOURCE']
DEMO = os.path.join(SOURCE, 'inputs/demo')
INPUT_COUNT, WAYS = 7, 50
wrong = []


def check(what, is_so):
    if not is_so:
        wrong.append(what)


def run(*words, stdin=b'', codes=(0,)):
    done = subprocess.run([BATCONV, *words], input=stdin, capture_output=True, timeout=300)
    if done.returncode not in codes:
        sys.exit('batconv %s: exit %d\n%s' % (' '.join(words), done.returncode, done.stderr.decode()[:2000]))
    return done.stdout


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)
    return path


# ---- the inputs of each kind, each a list of lines after a head

def split(lines, numbers, random_):
    """Lines over several inputs, some in several, with other counts."""
    inputs = [[] for _ in range(INPUT_COUNT)]
    for line in lines:
        fields = line.rsplit(b' ', numbers)
        for which in random_.sample(range(INPUT_COUNT), random_.randint(1, 3)):
            values = sorted(random_.randrange(1, 1 << random_.choice([3, 20, 40, 56])) for _ in range(numbers))
            inputs[which].append(b' '.join([fields[0]] + [b'%d' % v for v in values]))
    return inputs


def add_up(inputs, numbers):
    sums = collections.defaultdict(lambda: [0] * numbers)
    for lines in inputs:
        for line in lines:
            fields = line.rsplit(b' ', numbers)
            for i, value in enumerate(fields[1:]):
                sums[fields[0]][i] += int(value)
    return {b' '.join([key] + [b'%d' % v for v in values]) for key, values in sums.items()}


def fdata(random_):
    lines = run('-q', INPUTS + '/sqlite/sq.b22', INPUTS + '/sqlite/b22.preagg').splitlines()
    odd = [b'1 a\\ b 1 0 [unknown] 0 0 1', b'0 [unknown] 0 1 a\\\\ 2 0 1', b'0 [unknown] 0 0 [unknown] 0 0 1',
           b'2 x 5 1 x 5 0 1', b'0 lib.so 5 1 x 5 0 1', b'1 x ffffffffffffffff 1 y 5 0 1']
    return lines[:1], split(lines[1:800] + odd, 2, random_), 2


def basic(random_):
    lines = run('-q', '--basic', DEMO + '/demo.bolt', DEMO + '/demo.basic.perf.data').splitlines()
    return lines[:1], split(lines[1:], 1, random_), 1


def memory(random_):
    lines = [b'4 f%d %x 4 data/%d %x 1' % (i % 7, i, i % 5, i % 3) for i in range(200)]
    return [b'boltedcollection'], split(lines, 1, random_), 1


def traces(random_):
    lines = run('-q', '--format=preagg', INPUTS + '/sqlite/sq.b22', INPUTS + '/sqlite/lbr.b22.data').splitlines()
    lines = [line for line in lines if line[:1] == b'T'][:1500]
    return [], split(lines + [b'f 10 20 1', b'r 10 20 1', b'F 10 20 1', b'T X:0 10 20 1', b'T ab12:5 ab12:10 ab12:20 1'], 1, random_), 1


def plain(random_):
    lines = run('-q', '--format=preagg', DEMO + '/demo.bolt', DEMO + '/demo.basic.perf.data').splitlines()
    return [line for line in lines if line[:1] == b'E'], split([line for line in lines if line[:1] == b'S'], 1, random_), 1


KINDS = {'fdata': fdata, 'basic': basic, 'memory': memory, 'traces': traces, 'plain': plain}


# ---- the ways

def packed(path, data, random_):
    how = random_.choice(['', '', '.gz', '.xz', '.zst'])
    if how == '.zst':
        data = subprocess.run(['zstd', '-q', '-c'], input=data, capture_output=True, check=True).stdout
    data = gzip.compress(data) if how == '.gz' else lzma.compress(data) if how == '.xz' else data
    return write(path + how, data)


def options(random_):
    return ['-q', '--memory=%s' % random_.choice(['1', '1K', '20K', '64M']), '--fan-in=%d' % random_.choice([2, 3, 5, 256]),
            '--threads=%d' % random_.choice([1, 2, 3, 8])]


def merged(paths, random_):
    """By one run, or by a tree of them."""
    paths = list(paths)
    random_.shuffle(paths)
    while len(paths) > 2 and random_.random() < 0.7:
        count = random_.randint(1, len(paths) - 1)
        name = paths[0] + '.t%d' % random_.randrange(1 << 30)
        shard = random_.choice([[], ['--shard']])
        run('merge', *options(random_), *shard, '-o', name, *paths[:count])
        paths = paths[count:] + [name]
    way = random_.randrange(3)
    if way == 0:
        return run('merge', *options(random_), *paths[1:], '-', stdin=open(paths[0], 'rb').read())
    if way == 1:
        return run('merge', *options(random_), '--files-from=-', stdin=''.join(p + '\n' for p in paths).encode())
    return run('merge', *options(random_), '--null', '--files-from=-', paths[0], stdin='\0'.join(paths[1:]).encode())


def check_kind(name, folder, random_):
    head, inputs, numbers = KINDS[name](random_)
    texts = [b''.join(line + b'\n' for line in head + lines) for lines in inputs]
    paths = [write('%s/%s.%d' % (folder, name, i), text) for i, text in enumerate(texts)]
    truth = run('merge', '-q', *paths)
    lines = truth.splitlines()
    check(name + ': the head', lines[:len(head)] == head)
    check(name + ': the sum', set(lines[len(head):]) == add_up(inputs, numbers) and
          len(lines) - len(head) == len(add_up(inputs, numbers)))
    check(name + ': a fixed point', run('merge', '-q', '-', stdin=truth) == truth)
    for way in range(WAYS):
        shuffled = []
        for i, of in enumerate(inputs):
            of = list(of)
            if random_.random() < 0.5:
                random_.shuffle(of)
            text = b''.join(line + b'\n' for line in head + of)
            shuffled.append(packed('%s/%s.%d.%d' % (folder, name, way, i), text, random_))
        check('%s: way %d' % (name, way), merged(shuffled, random_) == truth)
    check_once(name, truth, folder)
    check_cuts(name, texts[0][:2000].rpartition(b'\n')[0] + b'\n', folder)
    check_weights(name, paths, random_)


def check_cuts(name, text, folder):
    for size in range(1, len(text), 7):
        if text[size - 1:size] == b'\n':
            continue
        path = write(folder + '/cut', text[:size])
        done = subprocess.run([BATCONV, 'merge', '-q', path], capture_output=True)
        check('%s: cut at %d: exit %d' % (name, size, done.returncode), done.returncode == 1 and not done.stdout)


def check_once(name, truth, folder):
    """A file is read once, if all goes well, and stdin always twice: what comes out is the same, whatever is in it."""
    lines = truth.splitlines(True)
    record = next(line for line in lines[1:] if line[:1] not in b'E')
    ends = [b'', record, record.replace(record.split()[-1], b'7') + lines[-1], b'R 10 20 30 1\n', b'R b0 20 30 1\n', b'E late\n',
            b'# nothing\n', b'boltedcollection\n', b'no_lbr\n', b'4 a 0 4 b 0 5\n', b'junk\n', b'junk', b'\0\n']
    for end in ends:
        path = write(folder + '/once', truth + end)
        for options_ in (['--memory=1'], []):
            once, twice = (subprocess.run([BATCONV, 'merge', *options_, where], input=truth + end, capture_output=True)
                           for where in (path, '-'))
            check('%s: read once, with %r %s' % (name, end, options_), once.returncode == twice.returncode and
                  once.stdout == twice.stdout and
                  once.stderr.replace(path.encode(), b'<stdin>').split(b', 0 run')[0] == twice.stderr.split(b', 0 run')[0])


def check_weights(name, paths, random_):
    copies = [write(paths[0] + '.c%d' % i, open(paths[0], 'rb').read()) for i in range(3)]
    check(name + ': weights', run('merge', '-q', paths[1], '--weight=3', paths[0]) == run('merge', '-q', paths[1], *copies))
    listed = '%s\t3\n%s\n' % (paths[0], paths[1])
    check(name + ': weights in a list', run('merge', '-q', '--files-from=-', stdin=listed.encode()) ==
          run('merge', '-q', paths[1], *copies))
    # For what is scaled each input counts alike, however often it was recorded.
    heavy = write(paths[0] + '.h', run('merge', '-q', '--weight=7', paths[0]))
    check(name + ': scaled', run('merge', '-q', '--scale-to=1000000', paths[0], paths[1]) ==
          run('merge', '-q', '--scale-to=1000000', paths[1], heavy))


# ---- more keys than are looked for one by one while they are sorted, and keys that differ late

def check_many(folder, random_):
    deep = [b'1 %s%d %x' % (b'd' * random_.choice([1, 7, 8, 500, 511, 512, 513, 2000]), i % 3, i % 50) for i in range(600)]
    short = [b'1 %s 0' % (b'p' * i) for i in range(1, 40)]
    wide = [b'1 f%06d %x' % (i % 30000, i % 7) for i in range(100000)]
    lines = [b'%s %s 1 %d' % (place, random_.choice(deep[:9]), random_.randrange(1, 100)) for place in deep + short + wide]
    head = [b'boltedcollection']
    texts = []
    for part in (lines, lines[::2], lines[:700]):
        part = list(part)
        random_.shuffle(part)
        texts.append(part)
    paths = [write('%s/many.%d' % (folder, i), b''.join(line + b'\n' for line in head + part)) for i, part in enumerate(texts)]
    truth = run('merge', '-q', *paths)
    check('many: the sum', set(truth.splitlines()[1:]) == add_up(texts, 2))
    ordered = [write(path + '.s', run('merge', '-q', path)) for path in paths]
    check('many: in order', run('merge', '-q', *ordered) == truth)
    for size in ('1M', '8M', '1G'):
        check('many: by ' + size, run('merge', '-q', '--memory=' + size, *paths[::-1]) == truth)


def check_apart(folder):
    """No output may be an input: to find that out does not take time by the square of their number."""
    path = write(folder + '/a', b'1 f 0 1 g 0 0 1\n')

    def seconds(count):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run('merge', '-q', *[path] * count, '-o', path, codes=(2,))
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    few, many = max(seconds(10000), 0.02), seconds(40000)
    check('apart: %.2f s for 10,000 files, %.2f s for 40,000' % (few, many), many < 9 * few)


# ---- YAML

def check_names(folder):
    """Each input is held against each output: in a time that grows with the number of names, not with its square."""
    write(folder + '/names', b''.join(b'/nowhere/%d\n' % i for i in range(100000)))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([BATCONV, 'merge', '-q', '--files-from=' + folder + '/names', '-o', folder + '/out'], capture_output=True)
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    check('names: exit %d' % done.returncode, done.returncode == 1 and b'100000 inputs cannot be used; the first: /nowhere/0: cannot open' in done.stderr)
    check('names: %.1f s for 100000' % took, took < 5)
    for levels, code in (190, 0), (900, 1):
        os.makedirs('%s/%d/%s' % (folder, levels, 'd/' * levels))
        write('%s/%d/%sx' % (folder, levels, 'd/' * min(levels, 100)), b'boltedcollection\n1 a 0 1 b 0 0 1\n')
        done = subprocess.run([BATCONV, 'merge-fdata', '%s/%d' % (folder, levels)], capture_output=True)
        check('%d directories in each other: exit %d' % (levels, done.returncode), done.returncode == code)


def check_groups(folder):
    """Outputs that are there already are held against the inputs likewise."""
    text = (b'---\nheader:\n  profile-version: 1\n  binary-build-id: %06x\n  profile-flags: [ lbr ]\nfunctions:\n'
            b'  - name: f\n    fid: 7\n    hash: 0x1\n    exec: 1\n    nblocks: 1\n...\n')
    os.mkdir(folder + '/builds')
    paths = [write('%s/builds/%d' % (folder, i), text % (i % 250 * 2)) for i in range(20000)]
    write(folder + '/inputs', b''.join(path.encode() + b'\n' for path in paths))
    took = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run('merge', '-q', '--group=build', '--files-from=' + folder + '/inputs', '-o', folder + '/groups')
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    check('groups: %d outputs' % len(os.listdir(folder + '/groups')), len(os.listdir(folder + '/groups')) == 250)
    check('groups: %.1f s, %.1f s when they are there' % tuple(took), took[1] < 2 * took[0] + 1)


def yaml_counts(text):
    import yaml
    counts = collections.Counter()
    document = yaml.load(text, getattr(yaml, 'CSafeLoader', yaml.SafeLoader))
    names = {f['fid']: f['name'] for f in document['functions']}
    for f in document['functions']:
        counts[f['name'], 'exec'] += f['exec']
        for b in f.get('blocks', []):
            counts[f['name'], b['bid'], 'exec'] += b.get('exec', 0)
            for c in b.get('calls', []):  # YAML 1.1 takes "off" for false
                counts[f['name'], b['bid'], c[False], names.get(c['fid']), c.get('disc')] += c['cnt']
            for s in b.get('succ', []):
                counts[f['name'], b['bid'], s['bid']] += s['cnt']
    return +counts


def check_yaml(folder, random_):
    lines = open(INPUTS + '/sqlite/b22.preagg', 'rb').read().splitlines(True)
    texts = [run('-q', '--force', '--format=yaml', INPUTS + '/sqlite/sq.b22', '-',
                 stdin=b''.join(random_.sample(lines, 400))) for _ in range(INPUT_COUNT)]
    paths = [write('%s/yaml.%d' % (folder, i), text) for i, text in enumerate(texts)]
    truth = run('merge', '-q', *paths)
    total = collections.Counter()
    for text in texts:
        total.update(yaml_counts(text))
    check('yaml: the sum', yaml_counts(truth) == total)
    check('yaml: a fixed point', run('merge', '-q', '-', stdin=truth) == truth)
    for way in range(20):
        shuffled = [packed('%s/yaml.%d.%d' % (folder, way, i), text, random_) for i, text in enumerate(texts)]
        check('yaml: way %d' % way, merged(shuffled, random_) == truth)
    small = run('-q', '--force', '--format=yaml', INPUTS + '/sqlite/sq.b22', '-', stdin=b''.join(lines[:4]))
    for size in range(1, len(small) - 1):
        done = subprocess.run([BATCONV, 'merge', '-q', write(folder + '/cut', small[:size])], capture_output=True)
        check('yaml: cut at %d: exit %d' % (size, done.returncode), done.returncode == 1 and not done.stdout)


def main(words):
    random_ = random.Random(20)
    with tempfile.TemporaryDirectory() as folder:
        for name in KINDS:
            if not words or name in words:
                check_kind(name, folder, random_)
        if not words or 'many' in words:
            check_many(folder, random_)
        if not words or 'apart' in words:
            check_apart(folder)
        if not words or 'names' in words:
            check_names(folder)
            check_groups(folder)
        if not words or 'yaml' in words:
            check_yaml(folder, random_)
    print('%d wrong' % len(wrong))
    for line in wrong[:20]:
        print(line)
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
