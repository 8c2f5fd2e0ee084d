#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many small recordings out of one: cut_recording.py RECORDING COUNT FOLDER

Each has the head and all that is no sample, and as many samples as the others: FOLDER/1.data and so on.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from split_recording import SAMPLE, facts, part, read  # noqa: E402


def main(path, count, folder):
    file, records, features = read(path)
    samples = [record for kind, record in records if kind == SAMPLE]
    first = next(i for i, (kind, _) in enumerate(records) if kind == SAMPLE)
    before = b''.join(record for _, record in records[:first])
    after = b''.join(record for kind, record in records[first:] if kind != SAMPLE)
    for i in range(count):
        share = samples[i * len(samples) // count:(i + 1) * len(samples) // count]
        features.update(facts('host%d' % i))
        with open('%s/%d.data' % (folder, i + 1), 'wb') as out:
            out.write(part(file, before + b''.join(share) + after, features))


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
