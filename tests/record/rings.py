#!/usr/bin/env python3
"""A recording as saved rings (src/record/rings_file.h): rings PERF.DATA OUT [--rings=N] [--per-round=N] [--cut=N] [--host=TEXT]

The kernel's records of PERF.DATA, one event, not compressed, are dealt to N rings (8): in each ring they are in their
order, between rings they are not.  Every N records (500) a round ends.  --cut: parts of N bytes, in the midst of records.
"""
import argparse
import struct
import sys

USER_TYPES = 64
ROUND, END = 0xffffffff, 0xfffffffe


def records_of(data):
    magic, _, _, attrs_at, attrs_size, begin, size = struct.unpack_from('<8sQQQQQQ', data)
    entry, = struct.unpack_from('<Q', data, 16)
    if magic != b'PERFILE2' or attrs_size != entry:
        sys.exit('expected perf.data of one event')
    attr_size, = struct.unpack_from('<I', data, attrs_at + 4)
    records, at = [], begin
    while at < begin + size:
        kind, _, length = struct.unpack_from('<IHH', data, at)
        if kind < USER_TYPES:
            records.append(data[at:at + length])
        at += length
    return data[attrs_at:attrs_at + attr_size], records


def part(ring, data, cut):
    cut = cut or 1 << 20
    return b''.join(struct.pack('<II', ring, len(data[i:i + cut])) + data[i:i + cut] for i in range(0, len(data), cut))


def rings_file(attr, records, rings, per_round, cut, host=b''):
    out = [b'batconv-rings 1\n', struct.pack('<III', len(attr), len(host), rings), attr, host]
    for i in range(0, len(records), per_round):
        batch = records[i:i + per_round]
        for ring in range(rings):
            out.append(part(ring, b''.join(batch[ring::rings]), cut))
        out.append(struct.pack('<II', ROUND, 0))
    out.append(struct.pack('<II', END, 0))
    return b''.join(out)


def of_recording(path, count=8, per_round=500):
    """None: it is no perf.data of one event with the kernel's records as they are."""
    with open(path, 'rb') as file:
        data = file.read()
    attrs_at, attrs_size = struct.unpack_from('<QQ', data, 24) if data[:8] == b'PERFILE2' and len(data) > 104 else (0, 0)
    if not attrs_size or attrs_size != struct.unpack_from('<Q', data, 16)[0]:
        return None
    attr, records = records_of(data)
    types = {struct.unpack_from('<I', record)[0] for record in records}
    return rings_file(attr, records, count, per_round, 0) if 9 in types else None  # PERF_RECORD_SAMPLE


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('recording')
    parser.add_argument('out')
    parser.add_argument('--rings', type=int, default=8)
    parser.add_argument('--per-round', type=int, default=500)
    parser.add_argument('--cut', type=int, default=0)
    parser.add_argument('--host', default='machine x86_64\n')
    args = parser.parse_args()
    with open(args.recording, 'rb') as file:
        attr, records = records_of(file.read())
    with open(args.out, 'wb') as file:
        file.write(rings_file(attr, records, args.rings, args.per_round, args.cut, args.host.encode()))


if __name__ == '__main__':
    main()
