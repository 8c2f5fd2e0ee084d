#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""perf.data with traces of Intel PT: pt_data.py write RUN OUT [WORD...]
The executed code, as pre-aggregated records:    pt_data.py preagg RUN [BASE [SIZE [TIMES]]]
The bytes of each buffer of perf.data:  pt_data.py buffers PERF.DATA PREFIX

RUN is the whole way of a program (scripts/run-from-qemu.py, inputs/pt/*.run, also .xz).  OUT is perf.data; OUT.truth gets the taken branches, a
line `pid FROM TO` each, in the order of their threads; OUT.N the bytes of each buffer, and OUT.N.images what is mapped from which of them on
(of one process).

files=FOLDER   where the program and what it maps lie; PROGRAM is mapped as the words say:
program=NAME   its file; at=HEX: where its vaddr 0 is
returns        returns are compressed
long           long packets of TNT
deferred       targets are after the bits of the branches after them
psb=N          a PSB after so many bytes (4096)
times          TSC, TMA, MTC and CBR; records have times, too
cycles         ... and CYC
cpu            buffers of two processors, with records of switches; else one for each thread
threads=N      so many threads of a process run the same way, in turn
processes=N    so many processes
interrupts=N   an interrupt after each so many branches
syscalls       the way of a switch to another thread is a system call only
overflow=N     after so many branches some are lost, in which an overflow ends in the program; of every second outside of it
ptwrite=N      a PTWRITE with its address after so many branches
filter         the processor was set to trace the program's own code only, and the recording says so
pipe           as perf record -o - writes it
pieces=N       AUXTRACE records of N bytes
snapshots      each chunk begins with the last third of the one before, as snapshots of a ring buffer do
lost           the 10th chunk ends in the middle of a packet, and the rest of its buffer's way up to the next PSB is missing, which the kernel reports
gap            each tenth chunk is missing, which nothing reports
bytes=HEX      these bytes are between two packets in the middle of each trace, for nothing
nobody         with `cpu`: nothing says what runs on the processors
inside         the chunks are in samples, as perf record --aux-sample writes them
late           AUXTRACE_INFO is after everything
mult=N         the clock's factor, instead of 2
rounds=N       the way is gone N times
bare           OUT alone is written
"""
import lzma
import os
import struct
import sys

FIRST_PID = 4242
MMAP2, COMM, EXIT, FORK, AUX, ITRACE_START, SWITCH_CPU_WIDE, SAMPLE = 10, 3, 4, 7, 11, 12, 15, 9
SAMPLE_AUX = 1 << 20
ATTR, FINISHED_ROUND, AUXTRACE_INFO, AUXTRACE, TIME_CONV, FEATURE = 64, 68, 70, 71, 79, 80
IP, TID, TIME, CPU, IDENTIFIER = 1, 2, 4, 1 << 7, 1 << 16
SHIFT, MULT, ZERO = 3, 2, 5000     # 4 ticks of the counter are a ns
CTC_N, CTC_D, MTC_SHIFT = 100, 2, 3  # 50 ticks of it one of the crystal, of which each 8th is reported
RATIO = 36                         # a cycle is a tick
FIRST_TICK = (1 << 56) + (1 << 40)  # 56 bits of it are reported
STEP, SYSTEM = 6, 3000             # ticks of a branch, and of a system call or an interrupt
KERNEL = 0xffffffff81000000


def ns(tick):
    return ZERO + (tick >> SHIFT) * MULT + ((tick & (1 << SHIFT) - 1) * MULT >> SHIFT)


def load(path):
    """[(kind, from, to, next)] in order; mappings are (m, start, size, offset, file)"""
    with (lzma.open(path, 'rt') if path.endswith('.xz') else open(path)) as file:
        head, _, order = file.read().partition('\n\n')
    steps = []
    for line in head.splitlines():
        words = line.split()
        steps.append((words[0],) + tuple(int(word, 16) for word in words[1:4]) + tuple(words[4:]))
    return [steps[int(number)] for number in order.split()]


def is_taken(step):
    return step[0] in 'jkJKr' or step[0] == 'c' and step[2] != step[3]


class Trace:
    """The packets of one processor or thread."""

    def __init__(self, words):
        self.words, self.data = words, bytearray()
        self.last_ip, self.bits, self.waiting, self.calls = 0, [], [], []
        self.since, self.tick, self.ctc, self.cycle_tick, self.timed = 0, FIRST_TICK, None, FIRST_TICK, 'times' in words or 'cycles' in words
        self.psbs, self.images, self.ends = [], [], []

    # ---- times ----
    def pass_time(self, tick):
        """MTC for each tick of the crystal that is reported, and never within deferred packets."""
        if self.timed and self.ctc is not None:
            told = tick * CTC_D // CTC_N >> MTC_SHIFT
            before = self.tick * CTC_D // CTC_N >> MTC_SHIFT
            if told > before:
                self.flush()
                for value in range(max(before + 1, told - 40), told + 1):
                    self.data += bytes([0x59, value & 255])
        self.tick = tick

    def cycles(self):
        if 'cycles' not in self.words:
            return
        passed, self.cycle_tick = self.tick - self.cycle_tick, self.tick
        out = (passed & 31) << 3 | 3
        passed >>= 5
        data = [out | (4 if passed else 0)]
        while passed:
            data.append((passed & 127) << 1 | (1 if passed > 127 else 0))
            passed >>= 7
        self.data += bytes(data)

    def clocks(self):
        """TSC and TMA."""
        self.data += b'\x19' + (self.tick & (1 << 56) - 1).to_bytes(7, 'little')
        ctc, fast = self.tick * CTC_D // CTC_N, self.tick - self.tick * CTC_D // CTC_N * CTC_N // CTC_D
        self.data += b'\x02\x73' + struct.pack('<HBH', ctc & 0xffff, 0, fast)
        self.ctc, self.cycle_tick = ctc, self.tick

    # ---- packets ----
    def flush(self):
        if self.bits:
            self.cycles()
            value = 1
            for bit in self.bits:
                value = value << 1 | bit
            if len(self.bits) > 6:
                self.data += b'\x02\xa3' + value.to_bytes(6, 'little')
            else:
                self.data.append(value << 1)
            self.ends.append(len(self.data))
        self.bits = []
        waiting, self.waiting = self.waiting, []
        for head, address in waiting:
            self.put_ip(head, address)

    def bit(self, value):
        self.bits.append(value)
        if len(self.bits) == (47 if 'long' in self.words else 6):
            self.flush()

    def put_ip(self, head, address):
        self.cycles()
        if address is None:
            self.data.append(head)
            return
        last, self.last_ip = self.last_ip, address
        if address >> 16 == last >> 16:
            self.data += bytes([head | 1 << 5]) + (address & 0xffff).to_bytes(2, 'little')
        elif address >> 32 == last >> 32:
            self.data += bytes([head | 2 << 5]) + (address & 0xffffffff).to_bytes(4, 'little')
        elif address >> 48 == last >> 48 and address & 4:
            self.data += bytes([head | 4 << 5]) + (address & (1 << 48) - 1).to_bytes(6, 'little')
        elif address & 8:
            self.data += bytes([head | 6 << 5]) + address.to_bytes(8, 'little')
        else:
            self.data += bytes([head | 3 << 5]) + (address & (1 << 48) - 1).to_bytes(6, 'little')

    def tip(self, address):
        if 'deferred' in self.words and self.bits and len(self.waiting) < 5 and 'cycles' not in self.words:
            self.waiting.append((0x0d, address))
            return
        self.flush()
        self.put_ip(0x0d, address)

    def begin(self, address):
        self.flush()
        self.data += b'\x99\x01'
        self.put_ip(0x11, address)
        self.calls = []

    def end(self, address=None):
        self.flush()
        self.put_ip(0x01, address)

    def fup(self, address):
        self.flush()
        self.put_ip(0x1d, address)

    def psb(self, address):
        """In the program at this address, or outside."""
        self.flush()
        self.psbs.append(len(self.data))
        self.data += b'\x02\x82' * 8
        self.last_ip = 0
        if self.timed:
            self.clocks()
            self.data += bytes([2, 3, RATIO, 0])
        if address is not None:
            self.data += b'\x99\x01'
            cycles, self.words = self.words, self.words - {'cycles'}
            self.put_ip(0x1d, address)
            self.words = cycles
        self.data += b'\x02\x23'
        self.since, self.calls = len(self.data), []

    def overflow(self, address):
        """What is not written yet is lost; then the program is at this address, or outside."""
        self.bits, self.waiting, self.calls = [], [], []
        self.data += b'\x02\xf3'
        self.last_ip = 0
        if address is not None:
            self.put_ip(0x1d, address)

    def step(self, step, inside):
        """inside(address): is it traced?"""
        kind, start, to, following = step[:4]
        if kind in 'kK' and not (kind == 'k' and to == following):
            self.calls = (self.calls + [following])[-64:]
        expected = self.calls.pop() if kind == 'r' and self.calls else None
        if not inside(to):
            self.end(to)
        elif kind == 'c':
            self.bit(int(to != following))
        elif kind in 'JK':
            self.tip(to)
        elif kind == 'r':
            if 'returns' in self.words and expected == to:
                self.bit(1)
            else:
                self.flush()
                self.put_ip(0x0d, to)


class Thread:
    def __init__(self, pid, tid, steps):
        self.pid, self.tid, self.steps, self.at, self.place = pid, tid, steps, 0, None
        self.truth, self.branches, self.resumes = [], 0, None


class Recording:
    def __init__(self, words, value):
        self.words, self.records, self.index, self.pipe = words, bytearray(), [], 'pipe' in words
        self.times = 'times' in words or 'cycles' in words or 'cpu' in words
        sample_type = IP | TID | CPU | IDENTIFIER | (TIME if self.times else 0)
        config = 1 | 0x2000 | (0 if 'returns' in words else 0x800)
        if 'times' in words or 'cycles' in words:
            config |= 0x400 | 0x200 | MTC_SHIFT << 14 | (2 if 'cycles' in words else 0)
        self.attrs = []
        for kind, its, flags in (8, config, 1 << 1 | 1 << 5 | 1 << 6), (1, 9, 1 << 1 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 23 | 1 << 24 | 1 << 26):
            inside = SAMPLE_AUX if 'inside' in words and kind == 1 else 0
            self.attrs.append(struct.pack('<IIQQQQQ', kind, 128, its, 1, sample_type | inside, 4, flags | 1 << 18) + bytes(80))
        self.value = value

    def put(self, kind, body, misc=0, behind=b''):
        if behind:
            self.index.append((len(self.records), len(body) + 8))
        self.records += struct.pack('<IHH', kind, misc, 8 + len(body)) + body + behind

    def event(self, kind, body, tick, pid, tid, cpu=0, misc=2):
        time = struct.pack('<Q', ns(tick)) if self.times else b''
        self.put(kind, body + struct.pack('<II', pid, tid) + time + struct.pack('<IIQ', cpu, 0, 1), misc)

    def sample(self, tick, thread, cpu, part):
        time = struct.pack('<Q', ns(tick)) if self.times else b''
        self.put(SAMPLE, struct.pack('<QQII', 2, thread.place or 0, thread.pid, thread.tid) + time + struct.pack('<IIQ', cpu, 0, len(part)) + part, 2)

    def write(self, path):
        def text(word):
            raw = word.encode() + b'\0'
            raw += bytes(-len(raw) % 64)
            return struct.pack('<I', len(raw)) + raw
        features = {6: text('x86_64'), 7: struct.pack('<II', 8, 8), 9: text('GenuineIntel,6,158,9'),
                    16: struct.pack('<I', 2) + struct.pack('<I', 8) + text('intel_pt') + struct.pack('<I', 1) + text('software')}
        if self.pipe:
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


def segments(path):
    """(offset, vaddr, size in the file) of what can be executed"""
    with open(path, 'rb') as file:
        data = file.read()
    at, = struct.unpack_from('<Q', data, 32)
    size, count = struct.unpack_from('<HH', data, 54)
    for i in range(count):
        kind, flags, offset, vaddr, _, file_size = struct.unpack_from('<IIQQQQ', data, at + size * i)
        if kind == 1 and flags & 1:
            yield offset, vaddr, file_size


class Writer:
    def __init__(self, run, out, arguments):
        self.value = {name: given for name, _, given in (word.partition('=') for word in arguments)}
        self.words = set(self.value)
        self.out, self.steps = out, load(run)
        self.recording = Recording(self.words, self.value)
        self.psb_bytes = int(self.value.get('psb', 4096))
        self.program = os.path.abspath(os.path.join(self.value['files'], self.value['program']))
        self.base = int(self.value.get('at', '0'), 16)
        self.ranges = []
        self.tick = FIRST_TICK
        self.events = []  # (tick, function that writes it)
        self.parts = {}

    def inside(self, address):
        return 'filter' not in self.words or any(start <= address < end for start, end in self.ranges)

    def mmap(self, tick, thread, start, size, offset, path, cpu):
        name = path.encode() + b'\0'
        name += bytes(-len(name) % 8)
        body = struct.pack('<IIQQQIIQQII', thread.pid, thread.tid, start, size, offset, 8, 1, 1234, 0, 5, 2) + name
        self.events.append((tick, MMAP2, body, thread, cpu, 2))

    def start(self, thread, cpu, first_of_process):
        if first_of_process:
            self.events.append((self.tick, COMM, struct.pack('<II', thread.pid, thread.tid) + b'ways\0\0\0\0', thread, cpu, 0x2000))
            for offset, vaddr, size in segments(self.program):
                start = self.base + (vaddr & ~0xfff)
                end = self.base + (vaddr + size + 0xfff & ~0xfff)
                self.mmap(self.tick + 1, thread, start, end - start, offset & ~0xfff, self.program, cpu)
        else:
            time = ns(self.tick)
            body = struct.pack('<IIIIQ', thread.pid, thread.pid, thread.tid, thread.pid, time)
            self.events.append((self.tick, FORK, body, thread, cpu, 0))
        self.tick += 40

    def switch(self, thread, cpu, comes, tick):
        if 'cpu' in self.words and 'nobody' not in self.words:
            body = struct.pack('<II', 0, 0) if comes else struct.pack('<II', 0, 0)
            self.events.append((tick, SWITCH_CPU_WIDE, body, thread, cpu, 2 if comes else 0x2002))

    def every(self, name, count):
        number = int(self.value.get(name, 0))
        return number and count % number == number - 1

    def slice(self, thread, trace, cpu, steps):
        """A thread runs so many steps, then up to where it can be interrupted."""
        words, last = self.words, thread.at + steps
        self.switch(thread, cpu, True, self.tick + 500)
        self.tick += SYSTEM
        trace.pass_time(self.tick)
        if len(trace.data) - trace.since > self.psb_bytes or not trace.data:
            trace.psb(None)
        outside = True
        if thread.place is not None and self.inside(thread.place):
            trace.begin(thread.place)
            outside = False
        while thread.at < len(thread.steps):
            step = thread.steps[thread.at]
            kind = step[0]
            if thread.at >= last and not outside and 'syscalls' not in words and kind in 'cjkJKr':
                # an interrupt where the program is
                trace.fup(thread.place)
                trace.end()
                break
            thread.at += 1
            self.tick += STEP
            if kind == 'm':
                path = os.path.abspath(os.path.join(self.value['files'], step[4]))
                self.mmap(self.tick - SYSTEM // 2, thread, step[1], step[2], step[3], path, cpu)
                trace.images.append((len(trace.data), *step[1:4], path))
                trace.pass_time(self.tick)
                trace.begin(thread.place)
                outside = False
                continue
            trace.pass_time(self.tick)
            _, start, to, following = step
            if kind in 'be':
                if self.inside(to):
                    trace.begin(to)
                    outside = False
                thread.place = to
                continue
            if is_taken(step) and 'bare' not in words:
                thread.truth.append((start, to))
            thread.branches += 1
            thread.place = to
            if kind == 's':
                trace.end()
                outside = True
                if not to:
                    break
                if thread.at >= last:
                    break
                self.tick += SYSTEM
                if thread.at < len(thread.steps) and thread.steps[thread.at][0] == 'm':
                    continue
                trace.pass_time(self.tick)
                trace.begin(to)
                outside = False
                continue
            trace.step(step, self.inside)
            outside = not self.inside(to)
            if outside:
                continue
            self.asides(thread, trace, to, kind)
        self.tick += 800
        trace.pass_time(self.tick)
        self.switch(thread, cpu, False, self.tick)

    def asides(self, thread, trace, place, kind):
        """What is between the steps."""
        count = thread.branches
        if len(trace.data) - trace.since > self.psb_bytes:
            trace.psb(place)
        if self.every('interrupts', count):
            trace.fup(place)
            trace.end()
            self.tick += SYSTEM
            trace.pass_time(self.tick)
            trace.begin(place)
        if self.every('ptwrite', count):
            trace.flush()
            trace.data += b'\x02\x92' + struct.pack('<I', count)
            trace.fup(place)
        if self.every('overflow', count) and kind not in 'jk':  # no packet shows these
            self.lose(thread, trace)

    def lose(self, thread, trace):
        """The way from here is lost for some steps, and the last of the ground truth with it, as the branches are in packets that are not written."""
        lost = 0
        while thread.at + 1 < len(thread.steps) and (lost < 30 or thread.steps[thread.at - 1][0] in 'sm'):
            step = thread.steps[thread.at]
            if step[0] == 'm':
                return
            thread.at += 1
            thread.branches += 1
            thread.place = step[2]
            lost += 1
        trace.flush()
        outside = thread.branches & 1
        trace.overflow(None if outside else thread.place)
        if outside:
            trace.begin(thread.place)

    def run(self):
        words, value = self.words, self.value
        for offset, vaddr, size in segments(self.program):
            self.ranges.append((self.base + vaddr, self.base + vaddr + size))
        steps, threads = self.steps * int(value.get('rounds', 1)), []
        for process in range(int(value.get('processes', 1))):
            pid = FIRST_PID + 100 * process
            threads += [Thread(pid, pid + number, steps) for number in range(int(value.get('threads', 1)))]
        for thread in threads:
            self.start(thread, 0, thread.pid == thread.tid)
        if 'cpu' in words:
            traces = [(3, -1, Trace(words)), (5, -1, Trace(words))]
        else:
            traces = [(-1, thread.tid, Trace(words)) for thread in threads]
        for cpu, tid, trace in traces:
            thread = next((thread for thread in threads if thread.tid == tid), threads[0])
            if 'nobody' not in words and 'cpu' not in words:
                self.events.append((self.tick, ITRACE_START, struct.pack('<II', thread.pid, thread.tid), thread, max(cpu, 0), 2))
        turn, alone = 0, len(threads) == 1 and 'cpu' not in words
        while any(thread.at < len(thread.steps) for thread in threads):
            thread = threads[turn % len(threads)]
            cpu, _, trace = traces[turn // 2 % 2] if 'cpu' in words else traces[turn % len(threads)]
            if thread.at < len(thread.steps):
                self.slice(thread, trace, max(cpu, 0), len(steps) if alone else 700 + turn * 37 % 500)
            turn += 1
        self.finish(threads, traces)

    def finish(self, threads, traces):
        words, recording = self.words, self.recording
        if 'times' in words or 'cycles' in words:
            recording.put(TIME_CONV, struct.pack('<QQQ', SHIFT, int(self.value.get('mult', MULT)), ZERO))
        timed = 'times' in words or 'cycles' in words
        text = b''
        if 'filter' in words:
            vaddr = min(start for start, _ in self.ranges) - self.base
            size = max(end for _, end in self.ranges) - self.base - vaddr
            text = ('filter 0x%x/0x%x@%s' % (vaddr, size, self.program)).encode()
        info = [8, SHIFT, int(self.value.get('mult', MULT)), ZERO, int(timed), 0x400, 0x800, 3 if 'cpu' in words else 0, int('snapshots' in words), int('cpu' in words), 0x200, 0x3c000, CTC_N, CTC_D, 2,
                RATIO, len(text)]
        padded = text + bytes(8 - len(text) % 8) if text else b''
        described = struct.pack('<II', 1, 0) + struct.pack('<17Q', *info) + padded
        if 'late' not in words:
            recording.put(AUXTRACE_INFO, described)
        for thread in threads:
            if thread.pid == thread.tid:
                body = struct.pack('<IIIIQ', thread.pid, 1, thread.pid, 1, ns(self.tick))
                self.events.append((self.tick, EXIT, body, thread, 0, 0))
        for tick, kind, body, thread, cpu, misc in sorted(self.events, key=lambda event: event[0]):
            recording.event(kind, body, tick, thread.pid, thread.tid, cpu, misc)
        reference = 0
        for index, (cpu, tid, trace) in enumerate(traces):
            trace.flush()
            thread = next((thread for thread in threads if thread.tid == tid), threads[0])
            data = bytes(trace.data)
            if 'bare' not in words:
                self.tell(index, data, trace)
            if 'bytes' in words:
                middle = next(end for end in trace.ends if 2 * end >= len(data))
                data = data[:middle] + bytes.fromhex(self.value['bytes']) + data[middle:]
            data += bytes(-len(data) % 8)
            for at, part, flags in self.pieces(data, trace):
                reference += 1
                if 'inside' in words:
                    recording.sample(self.tick + reference, thread, max(cpu, 0), part)
                    continue
                recording.event(AUX, struct.pack('<QQQ', at, len(part), flags), self.tick + reference, thread.pid, thread.tid, max(cpu, 0))
                recording.put(AUXTRACE, struct.pack('<QQQIIiI', len(part), at, self.tick + reference, index, tid & 0xffffffff, cpu, 0), behind=part)
            recording.put(FINISHED_ROUND, b'')
        if 'late' in words:
            recording.put(AUXTRACE_INFO, described)
        recording.write(self.out)
        if 'bare' in words:
            return
        with open(self.out + '.truth', 'w') as file:
            for thread in threads:
                file.writelines('%d %x %x\n' % (thread.pid, *branch) for branch in thread.truth)

    def tell(self, index, data, trace):
        with open('%s.%d' % (self.out, index), 'wb') as file:
            file.write(data)
        with open('%s.%d.images' % (self.out, index), 'w') as file:
            for offset, vaddr, size in segments(self.program):
                file.write('0 %x %x %x %s\n' % (self.base + vaddr, size, offset, self.program))
            file.writelines('%d %x %x %x %s\n' % image for image in trace.images)

    def pieces(self, data, trace):
        """(position, bytes, flags)"""
        words, size = self.words, int(self.value.get('pieces', len(data) or 1)) // 8 * 8 or 8
        number, at = 0, 0
        while at < len(data):
            end, flags, number = min(at + size, len(data)), 0, number + 1
            if number == 10 and 'lost' in words:
                flags = 1
            if not (number % 10 == 0 and 'gap' in words):
                begin = at - at // 3 // 8 * 8 if number == 2 and 'snapshots' in words else at - (size // 3 // 8 * 8 if 'snapshots' in words and at else 0)
                yield begin, data[begin:end], flags | (2 if 'snapshots' in words else 0)
            at = end
            if flags & 1:
                following = [psb for psb in trace.psbs if psb >= end + 16]
                if not following:
                    return
                # the kernel begins again; what follows is where it would have been
                data = data[:end] + data[following[0]:] if 'lost' in words else data
                data += bytes(-len(data) % 8)
                words = words - {'lost'}


def preagg(path, base=0, size=1 << 62, times=1):
    """As batconv --format=preagg writes the executed code.  Each line continues after a system call that comes back to where it was; one that begins with a
    signal has no branch."""
    counts, branch = {}, None

    def ours(address):
        return '%x' % (address - base) if address and base <= address < base + size else None

    def close(end):
        if not branch:
            return
        kind, start, to = branch[0], ours(branch[1]), ours(branch[2])
        last = ours(end) if end else None
        if start is None and to is None:
            return
        if start is None and (branch[1] == 0 or kind == 'R'):  # nobody knows which branch led there; or a return from outside
            row = ('F' if branch[1] == 0 else 'r', to, last) if last else None
        elif end is None and kind == 'T':
            row = ('B', start or 'X:0', to or 'X:0')
        else:
            row = (kind, start or 'X:0', to or 'X:0', 'ffffffffffffffff' if end is None else last or 'X:0')
        if row:
            counts[row] = counts.get(row, 0) + 1

    for step in load(path):
        kind = step[0]
        if kind == 'm':
            continue
        _, start, to, following = step
        if kind in 'be':
            close(None)
            branch = ('T', 0, to)
        elif kind == 's':
            if to != following:
                close(None)
                branch = ('T', 0, to) if to else None
        elif is_taken(step):
            close(start)
            branch = ('R' if kind == 'r' else 'T', start, to)
    close(None)
    for row, count in sorted(counts.items()):
        print(*row, count * times, *([0] if row[0] == 'B' else []))


def buffers(path, prefix):
    with open(path, 'rb') as file:
        data = file.read()
    at, end = 16, len(data)
    if struct.unpack_from('<Q', data, 8)[0] != 16:
        at, size = struct.unpack_from('<QQ', data, 40)
        end = at + size
    found = {}
    while at + 8 <= end:
        kind, _, size = struct.unpack_from('<IHH', data, at)
        if kind == AUXTRACE:
            more, position, _, _, tid, cpu, _ = struct.unpack_from('<QQQIIII', data, at + 8)
            found.setdefault((cpu, tid), []).append((position, data[at + size:at + size + more]))
            at += more
        at += size or end
    for number, (_, pieces) in enumerate(sorted(found.items())):
        with open('%s.%d' % (prefix, number), 'wb') as file:
            file.write(b''.join(part for _, part in sorted(pieces)))


if __name__ == '__main__':
    if sys.argv[1] == 'write':
        Writer(sys.argv[2], sys.argv[3], sys.argv[4:]).run()
    elif sys.argv[1] == 'preagg':
        preagg(sys.argv[2], *(int(word, 16) for word in sys.argv[3:]))
    else:
        buffers(sys.argv[2], sys.argv[3])
