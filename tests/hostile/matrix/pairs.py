"""Pairs of a binary that BOLT wrote and its input, in inputs/, and samples of each: find()."""
import collections
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../count/recount'))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
import spe_data  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../record'))
import rings  # noqa: E402
from corpus import SAMPLES, binary_of, bolt_options, input_of, is_elf, kind_of, layout_of  # noqa: E402

ADDRESSES = 12  # of a pair, for what converts single ones
MACHINES = {62: 'x86-64', 183: 'AArch64', 243: 'RISC-V'}
# What identifies a kind: bytes of the binary, or an option of llvm-bolt.  There must be a pair of each.
KINDS = {'folded': '-icf', 'inlined': '-inline-small-functions', 'promoted': '-indirect-call-promotion', 'split': '-split-functions',
         'C++': b'__gxx_personality_v0', 'Rust': b'rust_eh_personality', 'probes': b'\0.pseudo_probe\0'}


class Pair:
    """folder: what is made of it.  samples: {'branches' and 'plain': a pre-aggregated file, for some 'trace': perf.data}, empty if nothing was
    recorded.
    files: all sample files, (path, is it of the input?).  things: name -> words of a command line."""

    def __init__(self, name, bolted, input_path, layout, folder):
        self.name, self.bolted, self.input, self.layout, self.folder = name, bolted, input_path, layout, folder
        self.options = [word for word in (bolt_options(bolted) or '').split() if word.startswith('-') and word not in ('-o', '-data')]
        with open(bolted, 'rb') as file:
            code = file.read()
        self.kinds = set(self.own_kinds(code))
        self.samples, self.files, self.things = {}, [], {'bolted': [bolted], 'input': [self.input], **{kind: [] for kind in self.kinds}}
        if b'\0.debug_line\0' in code and 'probes' not in self.kinds:  # libdw does not take the discriminators of probes
            self.things['lines'] = [self.input]
        os.mkdir(folder)

    def own_kinds(self, code):
        yield MACHINES[struct.unpack_from('<H', code, 18)[0]]
        for kind, mark in KINDS.items():
            if mark in code if isinstance(mark, bytes) else any(option.startswith(mark) for option in self.options):
                yield kind

    def but_release(self):
        """Two pairs that have this in common differ in the release of BOLT."""
        return self.input, self.layout, tuple(sorted(self.options))

    def add_branches(self, branches, prefix=''):
        """prefix: of the names of what is of the input itself."""
        counts, plain = plain_of(branches), os.path.join(self.folder, prefix + 'plain')
        with open(plain, 'w') as file:
            file.writelines('S %s %d\n' % row for row in counts)
        self.things.update({prefix + 'branches': [branches], prefix + 'plain': [plain]})
        if not prefix:
            inside = [address for address, _ in counts if re.fullmatch('[0-9a-f]+', address)]
            self.samples = {'branches': branches, 'plain': plain}
            self.things['addresses'] = inside[::max(1, len(inside) // ADDRESSES)]

    def add_trace(self, text):
        """perf.data with a trace of Arm SPE, of which perf printed this."""
        self.samples['trace'] = os.path.join(self.folder, 'trace')
        spe_data.main(text, self.samples['trace'], 'cpu', 'times', 'context', 'pieces=1000')
        self.things['trace'] = [self.samples['trace']]

    def add_file(self, file, prefix=''):
        """Samples.  For branches the last file counts."""
        self.files.append((file, bool(prefix)))
        kind = kind_of(file)
        if kind == 'preagg' and '.made.' not in file:
            self.add_branches(file, prefix)
        elif file.endswith('.spe.txt') and not prefix and self.samples:
            self.add_trace(file)
        elif kind == 'data':
            self.things[prefix + 'recording'] = [file]
            self.add_rings(file, prefix)

    def add_rings(self, recording, prefix):
        """Its records as the kernel's rings had them, if it is of one event, and of a file that was called so."""
        made = rings.of_recording(recording)
        if made and os.path.basename(self.input if prefix else self.bolted).encode() in made:
            path = os.path.join(self.folder, prefix + 'rings')
            with open(path, 'wb') as file:
                file.write(made)
            self.things[prefix + 'rings'] = [path]


def plain_of(branches):
    """The starts of the traces: [(address, count)]."""
    counts = collections.Counter()
    with open(branches) as file:
        for words in map(str.split, file):
            if words[0] in 'TR' and len(words) == 5:
                counts[words[2]] += int(words[4])
    return sorted(counts.items())


def by_binary(pairs):
    """{binary: (its pair, the prefix of its samples)}; samples of an input go to its first pair."""
    owners = {pair.bolted: (pair, '') for pair in pairs}
    for pair in pairs:
        owners.setdefault(pair.input, (pair, 'input.'))
    return owners


def find_samples(folder, path, owners):
    for name in sorted(os.listdir(path)):
        file = os.path.join(path, name)
        if name.endswith(SAMPLES) and os.path.isfile(file):
            pair, prefix = owners.get(os.path.normpath(os.path.join(path, binary_of(folder, name))), (None, ''))
            if pair:
                pair.add_file(file, prefix)


def find_pairs(batconv, folder, path, scratch):
    for name in sorted(os.listdir(path)):
        file = os.path.join(path, name)
        if os.path.isfile(file) and is_elf(file) and bolt_options(file) and input_of(file) != file:
            yield Pair('%s/%s' % (folder, name), file, input_of(file), layout_of(batconv, file), os.path.join(scratch, '%s.%s' % (folder, name)))


def in_order(pairs):
    """The largest first, each with another one of the same input."""
    for pair in pairs:
        same = [one.bolted for one in pairs if one.input == pair.input]
        pair.things['other'] = [same[(same.index(pair.bolted) + 1) % len(same)]]
    return sorted(pairs, key=lambda pair: -os.path.getsize(pair.input))


def find(batconv, inputs, source, scratch, few):
    """All of them.  few: of those that differ in the release of BOLT alone, the newest."""
    folders = {name: os.path.join(inputs, name) for name in os.listdir(inputs) if os.path.isdir(os.path.join(inputs, name))}
    folders['demo'] = os.path.join(source, 'inputs/demo')
    pairs = [pair for folder, path in sorted(folders.items()) for pair in find_pairs(batconv, folder, path, scratch)]
    if few:
        pairs = list({pair.but_release(): pair for pair in pairs}.values())
    owners = by_binary(pairs)
    for folder, path in sorted(folders.items()):
        find_samples(folder, path, owners)
    return in_order(pairs)
