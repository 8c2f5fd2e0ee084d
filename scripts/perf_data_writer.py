"""Writes perf.data with branch stacks or addresses, record by record, as perf record does; perf script reads it.

The layout of the file is that of tools/perf/Documentation/perf.data-file-format.txt, that of the records is
include/uapi/linux/perf_event.h.
"""
import struct

MMAP, MMAP2, COMM, EXIT, FORK, SAMPLE = 1, 10, 3, 4, 7, 9
KERNEL, USER, GUEST_KERNEL, COMM_EXEC = 1, 2, 4, 1 << 13
NO_PID = 0xffffffff
IP, TID, TIME, PERIOD, BRANCH_STACK, IDENTIFIER = 1, 2, 4, 1 << 8, 1 << 11, 1 << 16
BUILD_ID, ARCH, EVENT_DESC, HAS_BRANCH_STACK = 2, 6, 12, 15  # features
HEADER = 104
READ_EXEC, PRIVATE = 5, 2


def padded(text, align):
    raw = text.encode()
    return raw + bytes(align - len(raw) % align)


def code_segments(path):
    """For executable code, in whole pages: (vaddr, offset, size); and whether it can be anywhere."""
    with open(path, 'rb') as file:
        data = file.read()
    kind, = struct.unpack_from('<H', data, 16)
    at, = struct.unpack_from('<Q', data, 32)
    step, count = struct.unpack_from('<HH', data, 54)
    found = []
    for i in range(count):
        head = struct.unpack_from('<IIQQQQQQ', data, at + i * step)
        if head[0] == 1 and head[1] & 1:
            before = head[3] & 4095
            found.append((head[3] - before, head[2] - before, before + head[5] + 4095 & ~4095))
    return found, kind == 3


class PerfData:
    """Times are in ns.  Samples of branches have the newest first, addresses are those of the process.  With several
    events, each sample says by its number which one it is of."""

    def __init__(self, path, events=('branches:u',), branches=True):
        self.file = open(path, 'wb')
        self.events, self.many = events, len(events) > 1
        self.build_ids = []
        sample_type = IP | TID | TIME | PERIOD | (BRANCH_STACK if branches else 0) | (IDENTIFIER if self.many else 0)
        flags = 1 << 1 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 18 | 1 << 23 | 1 << 24
        self.attrs = [struct.pack('<IIQQQQQIIQQQ', 0, 128, 4 + i, 1000, sample_type, 0, flags, 0, 0, 0, 0,
                                  9 if branches else 0) + bytes(48) for i in range(len(events))]
        ids_at = HEADER + 144 * len(events)
        self.start = ids_at + 8 * len(events)
        self.size = 0
        self.file.write(bytes(HEADER))
        for i, attr in enumerate(self.attrs):
            self.file.write(attr + struct.pack('<QQ', ids_at + 8 * i, 8 if self.many else 0))
        self.file.write(struct.pack('<%dQ' % len(events), *range(1, len(events) + 1)))

    def _record(self, kind, misc, body):
        self.file.write(struct.pack('<IHH', kind, misc, len(body) + 8) + body)
        self.size += len(body) + 8

    def _event(self, kind, misc, time, pid, body):
        trailer = struct.pack('<IIQ', pid, pid, time) + (struct.pack('<Q', 1) if self.many else b'')
        self._record(kind, misc, body + trailer)

    def comm(self, time, pid, name, executed=True):
        self._event(COMM, USER | (COMM_EXEC if executed else 0), time, pid,
                    struct.pack('<II', pid, pid) + padded(name, 8))

    def mmap(self, time, pid, start, size, offset, path):
        self._event(MMAP2, USER, time, pid, struct.pack('<IIQQQIIQQII', pid, pid, start, size, offset, 8, 1, 7, 0,
                                                        READ_EXEC, PRIVATE) + padded(path, 8))

    def mmap_kernel(self, start, size, offset, name, misc=KERNEL, pid=NO_PID):
        """The kernel's mapping, or a module's, as the recorder makes it up: without a time."""
        trailer = bytes(24 if self.many else 16)
        self._record(MMAP, misc, struct.pack('<IIQQQ', pid, 0, start, size, offset) + padded(name, 8) + trailer)

    def _task(self, kind, time, pid, parent):
        self._event(kind, 0, time, pid, struct.pack('<IIIIQ', pid, parent, pid, parent, time))

    def fork(self, time, parent, pid):
        self._task(FORK, time, pid, parent)

    def exit(self, time, pid, parent=1):
        self._task(EXIT, time, pid, parent)

    def _sample(self, time, pid, ip, event, more):
        number = struct.pack('<Q', event + 1) if self.many else b''
        self._record(SAMPLE, USER, number + struct.pack('<QIIQQ', ip, pid, pid, time, 1000) + more)

    def sample(self, time, pid, branches, event=0):
        """branches: (from, to, mispredicted), the newest first"""
        stack = [struct.pack('<QQQ', start, to, 1 if wrong else 2) for start, to, wrong in branches]
        self._sample(time, pid, branches[0][1], event, struct.pack('<Q', len(branches)) + b''.join(stack))

    def address(self, time, pid, ip, event=0):
        self._sample(time, pid, ip, event, b'')

    def build_id(self, path, id, misc=USER):
        """id: 20 bytes"""
        self.build_ids.append(struct.pack('<IHHi20sB3x', 0, misc | 1 << 15, 36 + len(padded(path, 64)), -1, id, 20) +
                              padded(path, 64))

    def _features(self):
        def string(text):
            text = padded(text, 64)
            return struct.pack('<I', len(text)) + text
        if self.build_ids:
            yield BUILD_ID, b''.join(self.build_ids)
        yield ARCH, string('x86_64')
        names = b''
        for i, (event, attr) in enumerate(zip(self.events, self.attrs)):
            names += attr + struct.pack('<I', 1 if self.many else 0) + string(event)
            names += struct.pack('<Q', i + 1) if self.many else b''
        yield EVENT_DESC, struct.pack('<II', len(self.events), 128) + names
        yield HAS_BRANCH_STACK, b''

    def close(self):
        features = list(self._features())
        at = self.start + self.size + 16 * len(features)
        for _, data in features:
            self.file.write(struct.pack('<QQ', at, len(data)))
            at += len(data)
        for _, data in features:
            self.file.write(data)
        bits = sum(1 << bit for bit, _ in features)
        self.file.seek(0)
        self.file.write(b'PERFILE2' + struct.pack('<8QQ3Q', HEADER, 144, HEADER, 144 * len(self.events), self.start,
                                                  self.size, 0, 0, bits, 0, 0, 0))
        self.file.close()
