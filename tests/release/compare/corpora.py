"""Pairs in folders that a user names: find().

A binary is an ELF file, samples are called *.preagg, *.data or *.txt, each may be packed as .xz.  The input of a binary that llvm-bolt
wrote is the first file of its command line, with or without .in; a binary that is nobody's input is its own.  Samples belong to
    X.p1.few.preagg, X.p1.preagg   the binary X.p1
    cte.b16.preagg, lbr.b16.data   the only binary of the folder, or else of all, whose name ends with .b16
    cte.in.preagg, lbr.input.data  the input of what cte.* or lbr.* are of
"""
import lzma
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../hostile/matrix'))
import pairs  # noqa: E402
from pairs import SAMPLES, Pair, bolt_options, is_elf, kind_of, layout_of  # noqa: E402


def unpack(folder, target):
    """The binaries and samples right in a folder."""
    for name in sorted(os.listdir(folder)):
        path, plain = os.path.join(folder, name), re.sub(r'\.xz$', '', name)
        if not os.path.isfile(path):
            continue
        with (lzma.open(path) if plain != name else open(path, 'rb')) as file:
            start = file.read(4)
            if start != b'\x7fELF' and not plain.endswith(SAMPLES):
                continue
            os.makedirs(target, exist_ok=True)
            with open(os.path.join(target, plain), 'wb') as copy:
                copy.write(start)
                shutil.copyfileobj(file, copy)


def input_names(path):
    """What the input of a binary can be called."""
    words = (bolt_options(path) or '').split()[1:]
    told = next((os.path.basename(word) for word in words if not word.startswith('-')), None)
    return [told, re.sub(r'\.in$', '', told)] if told else []


class Corpora:
    def __init__(self, folders, scratch):
        self.folders = []  # unpacked, each {name: path} of its binaries and [path] of its samples
        for folder in self.all_folders(folders):
            target = os.path.join(scratch, 'corpus', os.path.basename(folder))
            while os.path.exists(target):
                target += '+'
            unpack(folder, target)
            if os.path.isdir(target):
                paths = [os.path.join(target, name) for name in sorted(os.listdir(target))]
                binaries = {os.path.basename(path): path for path in paths if is_elf(path)}
                self.folders.append((binaries, [path for path in paths if not is_elf(path)]))
        self.binaries = [path for binaries, _ in self.folders for path in binaries.values()]

    @staticmethod
    def all_folders(folders):
        found = {os.path.realpath(root): None for folder in folders for root, _, _ in os.walk(folder)}
        return list(found)

    def input_of(self, path):
        beside = sorted(self.binaries, key=lambda one: os.path.dirname(one) != os.path.dirname(path))
        return next((one for name in input_names(path) for one in beside if os.path.basename(one) == name), path)

    def owner_of(self, samples, own, beside):
        """own: the binaries next to the samples.  `beside`: the other samples there."""
        words = re.sub(r'\.\w+$', '', os.path.basename(samples)).split('.')
        for length in range(len(words), 0, -1):
            if '.'.join(words[:length]) in own:
                return own['.'.join(words[:length])]
        for word in reversed(words):
            for among in (own.values(), self.binaries):
                ends = [path for path in among if path.endswith('.' + word) and word not in ('in', 'input')]
                if len(ends) == 1:
                    return ends[0]
        if words[-1] in ('in', 'input'):
            start = ''.join(word + '.' for word in words[:-1])
            owners = [self.owner_of(one, own, []) for one in beside if one != samples and os.path.basename(one).startswith(start)]
            return next((self.input_of(owner) for owner in owners if owner), None)
        return None


def usefulness(samples):
    """What counts as the branches of a binary comes last: the file with the shortest name, of those that have any."""
    with open(samples, 'rb') as file:
        branches = kind_of(samples) == 'preagg' and bool(re.search(rb'^[TR] ', file.read(1 << 16), re.M))
    return branches, -len(os.path.basename(samples))


def find(batconv, folders, scratch):
    """(the pairs, the samples that are of no binary)"""
    corpora = Corpora(folders, scratch)
    inputs = {corpora.input_of(path) for path in corpora.binaries if corpora.input_of(path) != path}
    found = [Pair(os.path.relpath(path, scratch), path, corpora.input_of(path), layout_of(batconv, path),
                  '%s.made' % path) for path in corpora.binaries if path not in inputs]
    owners, nobodys = pairs.by_binary(found), []
    for binaries, samples in corpora.folders:
        for file in sorted(samples, key=usefulness):
            pair, prefix = owners.get(corpora.owner_of(file, binaries, samples), (None, ''))
            if pair:
                pair.add_file(file, prefix)
            else:
                nobodys.append(file)
    return pairs.in_order(found), nobodys
