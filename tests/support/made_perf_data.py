#!/usr/bin/env python3
"""Other forms of a perf.data that tests/peers/recordings/made.py wrote, for the command line: made_perf_data.py FORM IN OUT

pipe       as perf record writes to a pipe: attrs as records, no tables
directory     as perf record --threads leaves it: every second sample in a file of another thread
cut N      all that is whole up to the N-th sample, and half of that one
events     every third sample is of another event, `other:u`
unknown    before each sample a record of a type that nobody writes, 200 and 61 in turn
id HEX     a build-id table that gives /made/demo.bolt this id
renamed HEX  the same, and the binary's mappings have another name
late PATH=HEX...  a build-id table after 1.3 MB: in a pipe it comes too late.  All of these files are mapped, by other
           processes than the first; PATH! where none of the binary's segments is
injected PATH=HEX...  a pipe's, with build-ids as records, as perf inject -b leaves it: after the mappings of those files
injected-known HEX PATH=HEX...  the same, and the mappings of /made/demo.bolt have this id in them
late-renamed PATH=HEX...  the same, and the binary's mappings have another name
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../scripts'))
from perf_data_writer import MMAP2, SAMPLE, PerfData  # noqa: E402

THROTTLE = 5  # says nothing about samples
KIND_BUILD_ID, FINISHED_ROUND = 67, 68


class Recording:
    def __init__(self, path):
        with open(path, 'rb') as file:
            self.data = file.read()
        self.start, self.size = struct.unpack_from('<QQ', self.data, 40)
        self.attr = self.data[104:232]
        self.records = []  # (kind, bytes)
        at = self.start
        while at < self.start + self.size:
            kind, _, size = struct.unpack_from('<IHH', self.data, at)
            self.records.append((kind, self.data[at:at + size]))
            at += size

    def samples(self):
        return [i for i, (kind, _) in enumerate(self.records) if kind == SAMPLE]

    def first(self, kind):
        return next(data for one, data in self.records if one == kind)

    def joined(self, numbers):
        return b''.join(self.records[i][1] for i in numbers)


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)


def again(recording, perf, rewrite=lambda data: data):
    """The records through the writer, which adds its own tables."""
    for kind, data in recording.records:
        data = rewrite(data) if kind == MMAP2 else data
        perf._record(kind, struct.unpack_from('<H', data, 4)[0], data[8:])
    perf.close()


def pipe(recording, out):
    attr = struct.pack('<IHH', 64, 0, 8 + len(recording.attr)) + recording.attr
    write(out, b'PERFILE2' + struct.pack('<Q', 16) + attr + recording.joined(range(len(recording.records))))


def folder(recording, out):
    os.mkdir(out)
    away = set(recording.samples()[1::2])
    kept = recording.joined(i for i in range(len(recording.records)) if i not in away)
    header = bytearray(recording.data[:recording.start])
    struct.pack_into('<Q', header, 48, len(kept))
    struct.pack_into('<4Q', header, 72, 0, 0, 0, 0)  # without features
    write(out + '/data', header + kept)
    write(out + '/data.0', recording.joined(sorted(away)))


def cut(recording, out, number):
    last = recording.samples()[int(number)]
    whole = recording.start + len(recording.joined(range(last)))
    write(out, recording.data[:whole + len(recording.records[last][1]) // 2])


def events(recording, out):
    perf = PerfData(out, ('branches:u', 'other:u'))
    samples = 0
    for kind, data in recording.records:
        if kind != SAMPLE:
            perf._record(kind, struct.unpack_from('<H', data, 4)[0], data[8:] + struct.pack('<Q', 1))
            continue
        perf._record(kind, 2, struct.pack('<Q', 2 if samples % 3 == 2 else 1) + data[8:])
        samples += 1
    perf.close()


def unknown(recording, out):
    perf = PerfData(out)
    samples = 0
    for kind, data in recording.records:
        if kind == SAMPLE:
            perf._record(61 if samples % 2 else 200, 7, bytes(8 * (samples % 5)))
            samples += 1
        perf._record(kind, struct.unpack_from('<H', data, 4)[0], data[8:])
    perf.close()


def with_id(recording, out, hexa):
    perf = PerfData(out)
    perf.build_id('/made/demo.bolt', bytes.fromhex(hexa))
    again(recording, perf)


def renamed(recording, out, hexa):
    perf = PerfData(out)
    perf.build_id('/made/newer.xyz', bytes.fromhex(hexa))
    again(recording, perf, lambda data: data.replace(b'/made/demo.bolt', b'/made/newer.xyz'))


def identify(recording, perf, ids):
    """Each of the files is mapped, where the first one is, and has its id in the table."""
    start, size, offset = struct.unpack_from('<QQQ', recording.first(MMAP2), 16)
    for pid, one in enumerate(ids, 900001):
        path, _, hexa = one.partition('=')
        away = 1 << 30 if path.endswith('!') else 0
        path = path.rstrip('!')
        perf.build_id(path, bytes.fromhex(hexa))
        perf.mmap(1, pid, start, size, offset + away, path)


def injected_known(recording, out, known, *ids):
    def with_own(data):
        misc = struct.unpack_from('<H', data, 4)[0] | 1 << 14
        return data[:4] + struct.pack('<H', misc) + data[6:40] + struct.pack('<B3x20s', 20, bytes.fromhex(known)) + data[64:]
    injected(recording, out, *ids, rewrite=with_own)


def injected(recording, out, *ids, rewrite=lambda data: data):
    scratch = out + '.scratch'
    perf = PerfData(scratch)
    identify(recording, perf, ids)
    records = [struct.pack('<I', KIND_BUILD_ID) + record[4:] for record in perf.build_ids]
    again(recording, perf, rewrite)
    recording = Recording(scratch)
    os.remove(scratch)
    last = recording.samples()[-1]
    rounds = struct.pack('<IHH', FINISHED_ROUND, 0, 8) * 2  # the mappings are given to who takes them
    recording.records.insert(last, (KIND_BUILD_ID, rounds + b''.join(records)))
    pipe(recording, out)


def late(recording, out, *ids, rewrite=lambda data: data):
    perf = PerfData(out)
    identify(recording, perf, ids)
    for _ in range(20):
        perf._record(THROTTLE, 0, bytes(65520))
    again(recording, perf, rewrite)


def late_renamed(recording, out, *ids):
    late(recording, out, *ids, rewrite=lambda data: data.replace(b'/made/demo.bolt', b'/made/newer.xyz'))


FORMS = {'pipe': pipe, 'folder': folder, 'cut': cut, 'events': events, 'unknown': unknown, 'id': with_id,
         'renamed': renamed, 'late': late, 'late-renamed': late_renamed, 'injected': injected, 'injected-known': injected_known}


def main(form, source, out, *more):
    FORMS[form](Recording(source), out, *more)


if __name__ == '__main__':
    main(*sys.argv[1:])
