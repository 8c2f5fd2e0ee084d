#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""perf.data with traces of Arm SPE: spe_data.py TEXT OUT [WORD...]

TEXT is what perf script --itrace=bl --show-mmap-events -F pid,ip,brstack printed (inputs/aarch64/*.spe.txt): each of its entries becomes
packets again, as a processor writes them.  The newest perf prints the same text of OUT (tests/peers/spe.sh).

pipe        as perf record -o - writes it
cpu         buffers of processors (3 and 5, in turn), not of the thread
context     the kernel writes the thread into each record
nobody      with `cpu`: nothing says what runs on the processors
switch      the recording says when which thread runs where; each hundredth record is of another thread
times       records have times, operations time stamps, and a clock shows that a tick is 1.25 ns
unstamped   records have times, operations none
old         AUXTRACE_INFO as perf before 6.13 writes it
alone       without the targets of the branches before
no-target   branches that were not taken have target 0, as on some processors
wide        each record has 64 bytes, padded at several positions
loads       a load after each third branch
only-loads  and no branch
pieces=N    AUXTRACE records of N bytes, which cut records and packets
snapshots   each chunk begins with the last third of the one before, as snapshots of a ring buffer do
lost        each hundredth record is cut, and the five after it are missing, as of a buffer that was full, which the kernel reports by a flag
gap         each tenth chunk is missing, which nothing reports
collisions  the kernel reports collisions
bytes=HEX   these bytes are in the middle of the trace, for nothing
later       another program is mapped at the same address when half has run, and the mapping is in front of all chunks
kind=N      traces of another kind (1: Intel PT, 3: Arm ETM), of zeros
"""
import re
import struct
import sys

PID = 4242
MMAP2, COMM, EXIT, AUX, ITRACE_START, SWITCH_CPU_WIDE = 10, 3, 4, 11, 12, 15
ATTR, FINISHED_ROUND, AUXTRACE_INFO, AUXTRACE, TIME_CONV, FEATURE = 64, 68, 70, 71, 79, 80
IP, TID, TIME, CPU, IDENTIFIER = 1, 2, 4, 1 << 7, 1 << 16
MIDR = 0x410fd490
FIRST_TICK, TICKS = 1 << 40, 40  # of the first record, and to the next


def attrs(times):
    """The event of the trace, and the one of processes."""
    sample_type = IP | TID | CPU | IDENTIFIER | (TIME if times else 0)
    for kind, config, flags in (8, 1 | 1 << 34, 1 << 1 | 1 << 5), (1, 9, 1 << 1 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 23 | 1 << 24 | 1 << 26):
        yield struct.pack('<IIQQQQQ', kind, 128, config, 1, sample_type, 4, flags | 1 << 18) + bytes(80)


def ns(tick):
    """By the clock of the recording: shift 2, mult 5, zero 1000."""
    return 1000 + (tick >> 2) * 5 + ((tick & 3) * 5 >> 2)


def padded(text, size):
    raw = text.encode() + b'\0'
    return raw + bytes(-len(raw) % size)


def branches(text):
    """(from, to, mispredicted, taken, the target before or 0, the type)"""
    for line in text.splitlines():
        entry = re.search(r' 0x([0-9a-f]+)/0x([0-9a-f]+)/([MP])(N?)/-/-/\d+/(\w*)/-(?:\s+0x0/0x([0-9a-f]+)/)?', line)
        if entry:
            yield int(entry[1], 16), int(entry[2], 16), entry[3] == 'M', not entry[4], int(entry[6] or '0', 16), entry[5]


def address(number, value):
    """At EL0 of the normal world."""
    return bytes([0xb0 | number]) + struct.pack('<Q', value & (1 << 56) - 1 | 1 << 63)


def spe_record(branch, words, number, tid):
    """The packets of a branch, as those of a Neoverse are ordered."""
    start, to, wrong, taken, before, kind = branch
    conditional, call, back = kind.startswith('COND'), 'CALL' in kind, 'RET' in kind
    events = 2 | (0 if taken else 0x40) | (0x80 if wrong else 0) | (0x100 if number % 50 == 0 else 0)
    fill = bytes(5) if 'wide' in words else b''
    data = address(0, start) + fill
    if 'context' in words:
        data += b'\x64' + struct.pack('<I', tid)
    data += bytes([0x4a, conditional | back << 1 | (1 if call else 2 if back else 3) << 3])
    data += b'\x42' + bytes([events]) if events < 256 else b'\x52' + struct.pack('<H', events)
    data += b'\x99' + struct.pack('<H', 3) + b'\x98' + struct.pack('<H', 1 + number % 40)
    data += address(1, 0 if 'no-target' in words and not taken else to)
    if before and 'alone' not in words:
        data += address(4, before)
    return finish(data, words, number)


def load(words, number, tid):
    data = address(0, 0x5500000900) + (b'\x64' + struct.pack('<I', tid) if 'context' in words else b'')
    data += b'\x49\0\x52' + struct.pack('<H', 0x16) + b'\x99' + struct.pack('<H', 4) + b'\xb2' + struct.pack('<Q', 0xff0e3703096b28) + b'\x43\0'
    return finish(data, words, number)


def finish(data, words, number):
    end = b'\x71' + struct.pack('<Q', FIRST_TICK + TICKS * number) if 'times' in words else b'\x01'
    if 'wide' in words:
        data += bytes(64 - len(data) - len(end))
    return data + end


class Buffer:
    """For a processor or a thread: its bytes, and where records begin."""

    def __init__(self, cpu, tid):
        self.cpu, self.tid, self.data, self.last, self.full, self.missing = cpu, tid, bytearray(), 0, [], 0
        self.ends = []  # of records

    def add(self, data, number, words):
        """A record; with `lost`, some are not there."""
        self.missing -= 1
        if 'lost' in words and number % 100 == 50:
            self.missing = 6
            self.data += data[:11]
            self.full.append(len(self.data))
        elif self.missing <= 0:
            self.data += data
            self.ends.append(len(self.data))

    def pieces(self, words, size):
        """(position, bytes, flags)"""
        data = bytes(self.data) + bytes(-len(self.data) % 8)
        cuts = range(size, len(data), size) if size else self.ends[len(self.ends) // 2:][:1]
        ends = sorted(set(cuts) | set(self.full) | {len(data)})
        for number, (at, end) in enumerate(zip([0] + ends, ends)):
            part, flags = data[at:end], (8 if 'collisions' in words else 0) | (1 if end in self.full else 0)
            if number % 10 == 9 and 'gap' in words:
                continue
            if 'snapshots' in words:
                before = min(at, (size or at) // 3)
                at, part, flags = at - before, data[at - before:at] + part, flags | 2
            yield at, part, flags


class Recording:
    def __init__(self, times):
        self.records, self.times, self.attrs, self.index, self.more = bytearray(), times, list(attrs(times)), [], {}

    def put(self, kind, body, misc=0, behind=b''):
        if behind:
            self.index.append((len(self.records), len(body) + 8))
        self.records += struct.pack('<IHH', kind, misc, 8 + len(body)) + body + behind

    def event(self, kind, body, time, cpu=0, misc=2, tid=PID):
        self.put(kind, body + struct.pack('<II', tid, tid) + (struct.pack('<Q', time) if self.times else b'') + struct.pack('<IIQ', cpu, 0, 1), misc)

    def write(self, path, pipe):
        features = {6: struct.pack('<I', 64) + padded('aarch64', 64), 7: struct.pack('<II', 8, 8)} | self.more
        if pipe:
            head = b'PERFILE2' + struct.pack('<Q', 16)
            for number, data in enumerate(self.attrs):
                head += struct.pack('<IHH', ATTR, 0, 8 + 128 + 8) + data + struct.pack('<Q', number + 1)
            for bit, feature in features.items():
                head += struct.pack('<IHHQ', FEATURE, 0, 16 + (len(feature) + 7) // 8 * 8, bit) + feature + bytes(-len(feature) % 8)
            data = head + self.records
        else:
            start = 104 + 16 + 144 * 2
            features[18] = struct.pack('<Q', len(self.index)) + b''.join(struct.pack('<QQ', start + at, size) for at, size in self.index)
            events = b''.join(data + struct.pack('<QQ', 104 + 8 * i, 8) for i, data in enumerate(self.attrs))
            head = b'PERFILE2' + struct.pack('<8Q4Q', 104, 144, 120, 288, start, len(self.records), 0, 0, sum(1 << bit for bit in features), 0, 0, 0)
            data, at = head + struct.pack('<QQ', 1, 2) + events + self.records, start + len(self.records) + 16 * len(features)
            for bit in sorted(features):
                data += struct.pack('<QQ', at, len(features[bit]))
                at += len(features[bit])
            data += b''.join(features[bit] for bit in sorted(features))
        with open(path, 'wb') as file:
            file.write(data)


def fill(text, words):
    """The buffers, and when which thread ran: (tick, cpu, tid)"""
    per_cpu = 'cpu' in words
    buffers = [Buffer(3, -1), Buffer(5, -1)] if per_cpu else [Buffer(-1, PID)]
    switches = []
    for number, branch in enumerate(branches(text)):
        buffer, tid = buffers[number // 100 % len(buffers)], PID
        if 'switch' in words:
            if number % 100 == 99:
                tid = 77
            if not switches or switches[-1][1:] != (buffer.cpu, tid):
                switches.append((FIRST_TICK + TICKS * number - 10, buffer.cpu, tid))
        if 'only-loads' not in words:
            buffer.add(spe_record(branch, words, number, tid), number, words)
        buffer.last = FIRST_TICK + TICKS * number
        if 'only-loads' in words or 'loads' in words and number % 3 == 0:
            buffer.add(load(words, number, tid), 1, words)
    return buffers, switches


def main(text, out, *words):
    with open(text) as file:
        text = file.read()
    value = {name: given for name, _, given in (word.partition('=') for word in words)}
    buffers, switches = fill(text, value)
    recording = Recording('times' in value or 'unstamped' in value)
    if 'times' in value:
        recording.put(TIME_CONV, struct.pack('<QQQQQBB6x', 2, 5, 1000, 0, 0, 1, 0))
    info = [8, int('cpu' in value)] if 'old' in value else [2, 4, 8, len(buffers)]
    for buffer in buffers if 'old' not in value else []:
        info += [0x1010101010101010, max(buffer.cpu, 0), 3, MIDR, 8, 256]
    recording.put(AUXTRACE_INFO, struct.pack('<II', int(value.get('kind', 4)), 0) + struct.pack('<%dQ' % len(info), *info))
    begin, end = ns(FIRST_TICK) - 1000, ns(max(buffer.last for buffer in buffers)) + 1000
    recording.event(COMM, struct.pack('<II', PID, PID) + padded('demo', 8), begin, misc=0x2000)
    for start, size, offset, path in re.findall(r'MMAP2 .*\[0x(\w+)\(0x(\w+)\) @ (\w+) .*\]: r-xp (.*)', text):
        recording.event(MMAP2, struct.pack('<IIQQQIIQQII', PID, PID, int(start, 16), int(size, 16), int(offset, 16), 8, 1, 1234, 0, 5, 2) +
                        padded(path.strip(), 8), begin + 1)
        if 'later' in value:
            recording.event(MMAP2, struct.pack('<IIQQQIIQQII', PID, PID, int(start, 16), int(size, 16), int(offset, 16), 8, 1, 77, 0, 5, 2) +
                            padded('/srv/other', 8), (begin + end) // 2)
    for buffer in buffers if 'nobody' not in value else []:
        recording.event(ITRACE_START, struct.pack('<II', PID, PID), begin + 2, max(buffer.cpu, 0))
    for tick, cpu, tid in switches:
        other = PID + 77 - tid
        recording.event(SWITCH_CPU_WIDE, struct.pack('<II', tid, tid), ns(tick) - 1, max(cpu, 0), 0x2002, other)
        recording.event(SWITCH_CPU_WIDE, struct.pack('<II', other, other), ns(tick), max(cpu, 0), 2, tid)
    for buffer in buffers:
        if 'bytes' in value:
            middle = len(buffer.data) // 2
            buffer.data[middle:middle] = bytes.fromhex(value['bytes'])
        if 'kind' in value:
            buffer.data = bytearray(len(buffer.data))
    recording.event(EXIT, struct.pack('<IIIIQ', PID, 1, PID, 1, end - 1), end - 1)
    reference = 0
    for index, buffer in enumerate(buffers):
        for at, part, flags in buffer.pieces(value, int(value.get('pieces', 0))):
            reference += 1
            recording.event(AUX, struct.pack('<QQQ', at, len(part), flags), end + reference, max(buffer.cpu, 0))
            recording.put(AUXTRACE, struct.pack('<QQQIIiI', len(part), at, reference, index, buffer.tid & 0xffffffff, buffer.cpu, 0), behind=part)
        recording.put(FINISHED_ROUND, b'')
    recording.write(out, 'pipe' in value)


if __name__ == '__main__':
    main(*sys.argv[1:])
