#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A recording in parts, as perf record --switch-output leaves one: split_recording.py RECORDING PARTS PREFIX [HOST]

Each part has as many samples; all other records stay between the samples where they are, so what was mapped at the start
is in PREFIX1 alone. Each part says that it was recorded on HOST, by one command line.
"""
import struct
import sys

SAMPLE = 9
HOSTNAME, OS_RELEASE, CPU_DESC, CPU_ID, COMMAND = 3, 4, 8, 9, 11


def text(value):
    data = value.encode() + b'\0'
    data += bytes(-len(data) % 64)
    return struct.pack('<I', len(data)) + data


def facts(host):
    return {HOSTNAME: text(host), OS_RELEASE: text('6.1.0'), CPU_DESC: text('A processor'), CPU_ID: text('A,1,2'),
            COMMAND: struct.pack('<I', 2) + text('perf') + text('record')}


def records(data):
    at = 0
    while at < len(data):
        kind, _, size = struct.unpack_from('<IHH', data, at)
        yield kind, data[at:at + size]
        at += size


def part(file, data, features):
    """The same header and events, other records and features."""
    begin = struct.unpack_from('<Q', file, 40)[0]
    head = bytearray(file[:begin])
    struct.pack_into('<Q', head, 48, len(data))
    bits = sum(1 << bit for bit in features)
    struct.pack_into('<4Q', head, 72, *(bits >> 64 * i & (1 << 64) - 1 for i in range(4)))
    table, body, at = b'', b'', begin + len(data) + 16 * len(features)
    for _, content in sorted(features.items()):
        table += struct.pack('<QQ', at + len(body), len(content))
        body += content
    return bytes(head) + data + table + body


def read(path):
    """The file, its records and its features."""
    with open(path, 'rb') as stream:
        file = stream.read()
    begin, size = struct.unpack_from('<QQ', file, 40)
    bits, at, features = struct.unpack_from('<4Q', file, 72), begin + size, {}
    for bit in range(256):
        if bits[bit // 64] >> bit % 64 & 1:
            offset, length = struct.unpack_from('<QQ', file, at)
            features[bit] = file[offset:offset + length]
            at += 16
    return file, list(records(file[begin:begin + size])), features


def main(path, count, prefix, host='here'):
    file, all_records, features = read(path)
    features.update(facts(host))
    parts, done = [b''] * int(count), 0
    each = -(-sum(kind == SAMPLE for kind, _ in all_records) // len(parts))
    for kind, record in all_records:
        parts[min(done // each, len(parts) - 1)] += record
        done += kind == SAMPLE
    for i, data in enumerate(parts):
        with open('%s%d' % (prefix, i + 1), 'wb') as out:
            out.write(part(file, data, features))


if __name__ == '__main__':
    main(*sys.argv[1:])
