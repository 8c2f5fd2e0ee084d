#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""perf.data with traces of Arm's trace units, ETMv4 or ETE: etm_data.py RUN OUT [WORD...]

RUN is the whole way of a program (scripts/run-from-qemu.py, inputs/etm/*.run, also .xz).  OUT is perf.data; OUT.truth gets the taken branches, a line `pid FROM TO`
each, in the order of their threads, ISB as `pid FROM TO isb`.

files=FOLDER   where the program and what it maps lie; PROGRAM is mapped as the words say:
program=NAME   its file; at=HEX: where its vaddr 0 is
ete            the units are ETE, else ETMv4
raw            bytes of one unit as they are (TRBE), else CoreSight's frames
returns        the units keep calls
times          time stamps, of the kernel's own counter; records have times, too
foreign        ... of another counter
cycles         counts of cycles
context        the number of the thread is reported, as a context id; vmid: as a VMID, by a kernel at EL2
speculation=N  so many P0 elements are speculative; some are canceled, some mispredicted
sync=N         a synchronization after so many bytes (4096)
cpu            buffers of two processors, with records of switches; else one for each thread
shared         ... of which the first has the bytes of both
hwid           trace ids are given by AUX_OUTPUT_HW_ID
threads=N      so many threads of a process run the same way, in turn
processes=N    so many processes
interrupts=N   an interrupt after each so many branches
overflow=N     after so many branches some are lost
aside          packets between that say nothing of the way
pipe           as perf record -o - writes it
pieces=N       AUXTRACE records of N bytes
snapshots      each chunk begins with the last third of the one before, as snapshots of a ring buffer do
lost           the 10th chunk ends in the middle of a packet, and the rest of its buffer up to the next synchronization is missing, which the kernel reports
gap            each tenth chunk is missing, which nothing reports
bytes=HEX      these bytes are in the middle of each trace, for nothing
nobody         with `cpu`: nothing says what runs on the processors
old            AUXTRACE_INFO as perf wrote it first
rounds=N       the way is gone N times
bare           OUT alone is written
"""
import os
import struct
import sys

import spe_data
from pt_data import is_taken, load, segments

FIRST_PID = 4242
MMAP2, COMM, EXIT, FORK, AUX, ITRACE_START, SWITCH_CPU_WIDE, HW_ID = 10, 3, 4, 7, 11, 12, 15, 21
FINISHED_ROUND, AUXTRACE_INFO, AUXTRACE, TIME_CONV = 68, 70, 71, 79
FIRST_TICK = 1 << 40
STEP, SYSTEM = 2, 3000  # ticks of a branch, and of a system call or an interrupt
IRQ, CALL = 0x0e, 2


def attrs(times):
    """The event of the trace, and the one of processes."""
    sample_type = spe_data.IP | spe_data.TID | spe_data.CPU | spe_data.IDENTIFIER | (spe_data.TIME if times else 0)
    for kind, config, flags in (8, 0, 1 << 1 | 1 << 5 | 1 << 6), (1, 9, 1 << 1 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 23 | 1 << 24 | 1 << 26):
        yield struct.pack('<IIQQQQQ', kind, 128, config, 1, sample_type, 4, flags | 1 << 18) + bytes(80)


class Unit:
    """The trace unit of a processor."""

    def __init__(self, words, value, cpu, buffer):
        self.words, self.value, self.id, self.cpu, self.buffer = words, value, 0x10 + cpu, cpu, buffer
        self.atoms, self.addresses, self.calls, self.since, self.informed = [], [0, 0, 0], [], 0, False
        self.tick, self.told_tick, self.context, self.told_context = FIRST_TICK, 0, 0, None
        self.depth, self.waiting, self.count = int(value.get('speculation', 0)), 0, 0

    def put(self, data):
        self.buffer.put(self.id, bytes(data))
        self.since += len(data)

    def field(self, number):
        out = bytearray()
        while number > 127:
            out.append(number & 127 | 128)
            number >>= 7
        return bytes(out) + bytes([number])

    # ---- atoms ----
    def flush(self):
        atoms, i = self.atoms, 0
        while i < len(atoms):
            run = next((k for k in range(len(atoms) - i) if not atoms[i + k]), len(atoms) - i)
            four, five = tuple(atoms[i:i + 4]), tuple(atoms[i:i + 5])
            if run >= 4 and (i + run < len(atoms) or run >= 5):
                count = min(run, 23)
                last = atoms[i + count] if i + count < len(atoms) else None
                if last is None:
                    count -= 1
                    last = 1
                self.put([0xc0 | (0 if last else 0x20) | count - 3])
                i += count + 1
            elif five in FIVES:
                self.put([FIVES[five]])
                i += 5
            elif four in FOURS:
                self.put([FOURS[four]])
                i += 4
            elif len(atoms) - i >= 3:
                self.put([0xf8 | atoms[i] | atoms[i + 1] << 1 | atoms[i + 2] << 2])
                i += 3
            elif len(atoms) - i == 2:
                self.put([0xd8 | atoms[i] | atoms[i + 1] << 1])
                i += 2
            else:
                self.put([0xf6 | atoms[i]])
                i += 1
        self.waits(len(atoms))
        self.atoms = []

    def waits(self, count):
        """So many P0 elements more are speculative; those that are deeper than the unit can be are certain."""
        self.waiting = min(self.waiting + count, self.depth)

    def commit(self):
        self.flush()
        if self.waiting:
            self.put(b'\x2d' + self.field(self.waiting))
        self.waiting = 0

    def atom(self, taken):
        self.count += 1
        if self.depth and self.count % 13 == 0:
            self.guess_wrong(taken)
        else:
            self.atoms.append(int(taken))
        if len(self.atoms) == 60:
            self.flush()
        if self.depth and self.count % 29 == 0:
            self.flush()
            if self.waiting > 2:
                self.put(b'\x2d' + self.field(2))
                self.waiting -= 2

    def guess_wrong(self, taken):
        """The processor went another way first."""
        self.flush()
        way = self.count // 13 % 5
        if way == 0:  # mispredicted
            self.put([0xf6 | (not taken)])
            self.put(b'\x95\x04\x30')
            self.push(self.addresses[0] & ~0x1ff | 0x10)
            self.waits(1)
            return
        if way == 1:  # ... with the atom in the packet
            self.put([0x33 if taken else 0x31])
            self.waits(1)
            return
        self.atoms.append(int(taken))
        self.flush()
        wrong = 1 if way == 3 else 3
        self.waits(wrong)
        self.waiting -= wrong
        if way == 2:
            self.put(b'\xf7\xf7\x95\x05\xf6\x2e\x03')
            self.push(self.addresses[0] & ~0x1ff | 0x14)
        elif way == 3:  # canceled, and the one before is mispredicted: which it is not, so twice
            self.put(b'\xf7\x2f\x01\x30')
        else:  # E in front, three canceled, the one before it mispredicted, twice
            self.put(b'\xd8\x3b\x30')

    # ---- addresses ----
    def push(self, address):
        self.addresses = [address] + self.addresses[:2]

    def address(self, to):
        self.flush()
        last = self.addresses[0]
        if to in self.addresses:
            self.put([0x90 + self.addresses.index(to)])
        elif to >> 17 == last >> 17:
            low = to >> 2
            self.put([0x95, low & 127] if to >> 9 == last >> 9 else [0x95, low & 127 | 128, to >> 9 & 255])
        elif to >> 32 == last >> 32:
            self.put([0x9a, to >> 2 & 127, to >> 9 & 127, to >> 16 & 255, to >> 24 & 255])
        else:
            self.put([0x9d, to >> 2 & 127, to >> 9 & 127] + list((to >> 16).to_bytes(6, 'little')))
        self.push(to)

    def context_info(self):
        info, data = 0x30, b''
        if 'vmid' in self.words:
            info, data = info | 0x40, struct.pack('<I', self.context)
        if 'context' in self.words:
            info, data = info | 0x80, data + struct.pack('<I', self.context)
        return bytes([info]) + data

    def synchronize(self, place):
        """In the program at this address, or outside."""
        self.commit()
        self.put(bytes(11) + b'\x80')
        cycles = 'cycles' in self.words
        self.put([1, 9 if cycles else 1, int(cycles)] + ([4] if cycles else []))
        self.addresses, self.calls, self.told_tick, self.informed = [0, 0, 0], [], 0, True
        self.since, self.told_context = 0, None
        if place is not None:
            self.put([0x85, place >> 2 & 127, place >> 9 & 127] + list((place >> 16).to_bytes(6, 'little')))
            self.put(self.context_info())
            self.told_context = self.context
            self.push(place)
        self.stamp()

    def begin(self, place):
        self.commit()
        self.put(b'\x04')
        self.calls = []
        if self.told_context != self.context and self.context % 2:
            self.put(b'\x81' + self.context_info())
        elif self.told_context != self.context:
            self.put([0x82, place >> 2 & 127, place >> 9 & 127, place >> 16 & 255, place >> 24 & 255] if place >> 32 == self.addresses[0] >> 32 else
                     [0x85, place >> 2 & 127, place >> 9 & 127] + list((place >> 16).to_bytes(6, 'little')))
            self.put(self.context_info())
            self.told_context = self.context
            self.push(place)
            return
        self.told_context = self.context
        self.address(place)

    def exception(self, kind, place):
        self.flush()
        self.put([6, kind << 1 | 1])
        self.waits(1)
        self.address(place)
        self.commit()

    def stamp(self):
        if 'times' not in self.words:
            return
        self.flush()
        self.commit()
        changed, size = self.tick ^ self.told_tick, 1
        while size < 9 and changed >> 7 * size:
            size += 1
        low = [self.tick >> 7 * i & 127 | 128 for i in range(min(size, 8))]
        if size < 9:
            low[-1] &= 127
        else:
            low.append(self.tick >> 56)
        cycles = 'cycles' in self.words
        self.put([3 if cycles else 2] + low + ([5] if cycles else []))
        self.told_tick = self.tick

    def step(self, step):
        kind, start, to, following = step[:4]
        self.atom(kind in 'jkJKri' or to != following)
        expected = self.calls[-1] if self.calls and 'returns' in self.words else None
        if kind in 'kK':
            self.calls = (self.calls + [following])[-15:]
        if kind in 'JKr':
            if kind != 'K' and expected == to:
                self.calls.pop()
            else:
                self.address(to)
        if self.count % 40 == 0:
            self.stamp()
        if 'cycles' in self.words and self.count % 7 == 0:
            self.flush()
            self.put([[0x11], [0x0e, 0x85, 0x01], [0x0f]][self.count // 7 % 3])
        if 'aside' in self.words and self.count % 11 == 0:
            self.flush()
            ete = [b'\x88', b'\x09\x02\x01\x02\x03\x04\x05\x06\x07\x80'] if 'ete' in self.words else []
            aside = [b'\x71', b'\x7f', b'\x80'] + ete
            self.put(aside[self.count // 11 % len(aside)])


FOURS = {(0, 1, 1, 1): 0xdc, (0, 0, 0, 0): 0xdd, (0, 1, 0, 1): 0xde, (1, 0, 1, 0): 0xdf}
FIVES = {(0, 1, 1, 1, 1): 0xf5, (0, 0, 0, 0, 0): 0xd5, (0, 1, 0, 1, 0): 0xd6, (1, 0, 1, 0, 1): 0xd7}


class Buffer:
    """For a processor or a thread."""

    def __init__(self, cpu, tid, raw):
        self.cpu, self.tid, self.raw, self.parts, self.syncs = cpu, tid, raw, [], []

    def put(self, number, data):
        self.parts.append((number, data))

    def bytes(self):
        if self.raw:
            return b''.join(data for _, data in self.parts)
        return frames([(number, byte) for number, data in self.parts for byte in data])


def frames(pairs):
    """CoreSight's frames of (trace id, byte)."""
    out, i, of = bytearray(), 0, 0
    while i < len(pairs):
        frame = bytearray(16)
        for at in range(15):
            if at % 2:
                frame[at] = pairs[i][1] if i < len(pairs) else 0
                i += 1
                if frame[15] >> at // 2 & 1 and frame[at - 1] & 1:
                    of = frame[at - 1] >> 1
                continue
            number, byte = pairs[i] if i < len(pairs) else (0, 0)
            following = pairs[i + 1][0] if i + 1 < len(pairs) else 0
            if number != of:
                frame[at] = number << 1 | 1
                of = number
            elif following != of and at < 14 and i < len(pairs):
                frame[at] = following << 1 | 1
                frame[15] |= 1 << at // 2
            else:
                frame[at] = byte & 0xfe
                frame[15] |= (byte & 1) << at // 2
                i += 1
        out += frame
    return bytes(out)


class Thread:
    def __init__(self, pid, tid, steps):
        self.pid, self.tid, self.steps, self.at, self.place = pid, tid, steps, 0, None
        self.truth, self.branches = [], 0


class Writer:
    def __init__(self, run, out, arguments):
        self.value = {name: given for name, _, given in (word.partition('=') for word in arguments)}
        self.words = words = set(self.value)
        self.out, self.steps = out, load(run)
        self.cpus = (0,) if 'raw' in words and 'cpu' not in words else (3, 5)  # perf reads bytes of one unit of a thread only so
        self.recording = spe_data.Recording('times' in words or 'cpu' in words)
        self.recording.attrs = list(attrs(self.recording.times))
        self.recording.more = {
            9: struct.pack('<I', 64) + spe_data.padded('0x00000000410fd490', 64),
            16: struct.pack('<I', 2) + b''.join(struct.pack('<I', kind) + struct.pack('<I', 64) + spe_data.padded(name, 64)
                                                for kind, name in ((8, 'cs_etm'), (1, 'software')))}
        self.program = os.path.abspath(os.path.join(self.value['files'], self.value['program']))
        self.base = int(self.value.get('at', '0'), 16)
        self.tick, self.events = FIRST_TICK, []

    def event(self, tick, kind, body, thread, cpu, misc=2):
        self.events.append((tick, kind, body, thread, cpu, misc))

    def mmap(self, tick, thread, start, size, offset, path, cpu):
        body = struct.pack('<IIQQQIIQQII', thread.pid, thread.tid, start, size, offset, 8, 1, 1234, 0, 5, 2)
        self.event(tick, MMAP2, body + spe_data.padded(path, 8), thread, cpu)

    def start(self, thread, cpu):
        if thread.pid == thread.tid:
            self.event(self.tick, COMM, struct.pack('<II', thread.pid, thread.tid) + b'ways\0\0\0\0', thread, cpu, 0x2000)
            for offset, vaddr, size in segments(self.program):
                start = self.base + (vaddr & ~0xfff)
                end = self.base + (vaddr + size + 0xfff & ~0xfff)
                self.mmap(self.tick + 4, thread, start, end - start, offset & ~0xfff, self.program, cpu)
        else:
            body = struct.pack('<IIIIQ', thread.pid, thread.pid, thread.tid, thread.pid, spe_data.ns(self.tick))
            self.event(self.tick, FORK, body, thread, cpu, 0)
        self.tick += 40

    def switch(self, thread, cpu, comes, tick):
        if 'cpu' in self.words and 'nobody' not in self.words:
            self.event(tick, SWITCH_CPU_WIDE, struct.pack('<II', 0, 0), thread, cpu, 2 if comes else 0x2002)

    def every(self, name, count):
        number = int(self.value.get(name, 0))
        return number and count % number == number - 1

    def slice(self, thread, unit, count):
        """A thread runs so many steps, then up to where it can be interrupted."""
        last = thread.at + count
        self.tick += SYSTEM
        self.switch(thread, unit.cpu, True, self.tick)
        self.tick += SYSTEM
        unit.tick, unit.context = self.tick, thread.tid
        if not unit.informed or unit.since > self.sync_bytes:
            unit.synchronize(None)
        outside = True
        if thread.place is not None:
            unit.begin(thread.place)
            unit.stamp()
            outside = False
        while thread.at < len(thread.steps):
            step = thread.steps[thread.at]
            kind = step[0]
            if thread.at >= last and not outside and kind in 'cjkJKri':
                unit.exception(IRQ, thread.place)
                break
            thread.at += 1
            self.tick += STEP
            unit.tick = self.tick
            if kind == 'm':
                path = os.path.abspath(os.path.join(self.value['files'], step[4]))
                self.mmap(self.tick - SYSTEM // 2, thread, step[1], step[2], step[3], path, unit.cpu)
                continue
            _, start, to, following = step
            if kind in 'be':
                unit.begin(to)
                outside, thread.place = False, to
                continue
            if (is_taken(step) or kind == 'i') and 'bare' not in self.words:
                thread.truth.append((start, to, kind))
            thread.branches += 1
            thread.place = to
            if kind != 's':
                unit.step(step)
                outside = not to
                self.asides(thread, unit, to, kind)
                continue
            unit.exception(CALL, following)
            outside = True
            if not to:
                break
            self.tick += SYSTEM
            unit.tick = self.tick
            if thread.at < len(thread.steps) and thread.steps[thread.at][0] == 'm':
                self.slice_map(thread, unit)
            if thread.at >= last:
                break
            unit.begin(to)
            unit.stamp()
            outside = False
        unit.commit()
        self.tick += SYSTEM
        unit.tick = self.tick
        self.switch(thread, unit.cpu, False, self.tick)

    def slice_map(self, thread, unit):
        step = thread.steps[thread.at]
        thread.at += 1
        path = os.path.abspath(os.path.join(self.value['files'], step[4]))
        self.mmap(self.tick - SYSTEM // 2, thread, step[1], step[2], step[3], path, unit.cpu)

    def asides(self, thread, unit, place, kind):
        """What is between the steps."""
        if unit.since > self.sync_bytes:
            unit.synchronize(place)
        if self.every('interrupts', thread.branches):
            unit.exception(IRQ, place)
            self.tick += SYSTEM
            unit.tick = self.tick
            unit.begin(place)
        if self.every('overflow', thread.branches):
            unit.flush()
            unit.put(b'\0\x05')
            unit.waiting = 0
            for _ in range(30):
                if thread.at + 1 < len(thread.steps) and thread.steps[thread.at][0] in 'cjkJKr':
                    thread.place = thread.steps[thread.at][2]
                    thread.at += 1
            unit.synchronize(None)
            unit.begin(thread.place)

    def run(self):
        words, value = self.words, self.value
        self.sync_bytes = int(value.get('sync', 4096))
        steps = self.steps * int(value.get('rounds', 1))
        threads = []
        for process in range(int(value.get('processes', 1))):
            pid = FIRST_PID + 100 * process
            threads += [Thread(pid, pid + number, steps) for number in range(int(value.get('threads', 1)))]
        for thread in threads:
            self.start(thread, self.cpus[0])
        raw = 'raw' in words
        if 'cpu' in words:
            buffers = [Buffer(cpu, -1, raw) for cpu in self.cpus]
            units = [Unit(words, value, cpu, buffers[0 if 'shared' in words else i]) for i, cpu in enumerate(self.cpus)]
        else:
            buffers = [Buffer(-1, thread.tid, raw) for thread in threads]
            units = [[Unit(words, value, cpu, buffer) for cpu in self.cpus] for buffer in buffers]
            for thread in threads:
                self.event(self.tick, ITRACE_START, struct.pack('<II', thread.pid, thread.tid), thread, self.cpus[0])
        turn, alone = 0, len(threads) == 1 and 'cpu' not in words and raw
        while any(thread.at < len(thread.steps) for thread in threads):
            number = turn % len(threads)
            thread = threads[number]
            unit = units[turn // 2 % 2] if 'cpu' in words else units[number][turn // 3 % len(units[number])]
            if thread.at < len(thread.steps):
                self.slice(thread, unit, len(thread.steps) if alone else 700 + turn * 37 % 500)
            turn += 1
        self.finish(threads, buffers)

    def info(self):
        words = self.words
        config = 1 << 4 if 'cycles' in words else 0
        config |= (1 << 6 if 'context' in words else 0) | (1 << 7 | 1 << 15 if 'vmid' in words else 0) | (1 << 11 if 'times' in words else 0)
        config |= 1 << 12 if 'returns' in words else 0
        out = [0 if 'old' in words else 1, 8 << 32 | len(self.cpus), int('snapshots' in words)]
        for cpu in self.cpus:
            registers = [config, 1 << 31 | 0x7f if 'hwid' in words else 0x10 + cpu, 0x28000ea1, 0x4100fff3 if 'ete' in words else 0x4100f453,
                         0xd0001088 if 'ete' in words else 0x1088, int(self.value.get('speculation', 0)), 0xcc]
            if 'ete' in words:
                registers.append(0x47735a13)
            if 'old' not in words:
                registers.append(2 if 'foreign' in words else 1)
            out += [0x5050505050505050 if 'ete' in words else 0x4040404040404040, cpu] + ([] if 'old' in words else [len(registers)]) + registers
        return struct.pack('<II', 3, 0) + struct.pack('<%dQ' % len(out), *out)

    def finish(self, threads, buffers):
        words, recording = self.words, self.recording
        if 'times' in words:
            recording.put(TIME_CONV, struct.pack('<QQQQQBB6x', 2, 5, 1000, 0, 0, 1, 0))
        recording.put(AUXTRACE_INFO, self.info())
        for thread in threads:
            if thread.pid == thread.tid:
                self.event(self.tick, EXIT, struct.pack('<IIIIQ', thread.pid, 1, thread.pid, 1, spe_data.ns(self.tick)), thread, 0, 0)
        for cpu in self.cpus if 'hwid' in words else ():
            self.event(FIRST_TICK, HW_ID, struct.pack('<Q', 0x10 + cpu), threads[0], cpu, 0)
        for event in sorted(self.events, key=lambda event: event[0]):
            self.record(*event)
        reference = 0
        for index, buffer in enumerate(buffers):
            thread = next((thread for thread in threads if thread.tid == buffer.tid), threads[0])
            for at, part, flags in self.pieces(buffer):
                reference += 1
                self.record(self.tick + 4 * reference, AUX, struct.pack('<QQQ', at, len(part), flags | (0x100 if buffer.raw else 0)), thread, buffer.cpu if buffer.cpu >= 0 else self.cpus[0], 0)
                recording.put(AUXTRACE, struct.pack('<QQQIIiI', len(part), at, 0, index, buffer.tid & 0xffffffff, buffer.cpu, 0), behind=part)
            recording.put(FINISHED_ROUND, b'')
        recording.write(self.out, 'pipe' in words)
        if 'bare' in words:
            return
        with open(self.out + '.truth', 'w') as file:
            for thread in threads:
                file.writelines('%d %x %x%s\n' % (thread.pid, start, to, ' isb' if kind == 'i' else '') for start, to, kind in thread.truth)

    def record(self, tick, kind, body, thread, cpu, misc):
        recording = self.recording
        time = struct.pack('<Q', spe_data.ns(tick)) if recording.times else b''
        recording.put(kind, body + struct.pack('<II', thread.pid, thread.tid) + time + struct.pack('<IIQ', cpu, 0, 1), misc)

    def pieces(self, buffer):
        """(position, bytes, flags)"""
        words, data = self.words, buffer.bytes()
        if 'bytes' in words:
            middle = len(data) // 32 * 16
            data = data[:middle] + bytes.fromhex(self.value['bytes']) + data[middle:]
        if buffer.raw:
            data += b'\x70' * (-len(data) % 16) if 'ete' in words else bytes(-len(data) % 16)
        size = int(self.value.get('pieces', len(data) or 16)) // 16 * 16 or 16
        number, at = 0, 0
        while at < len(data):
            end, flags, number = min(at + size, len(data)), 0, number + 1
            if number == 10 and 'lost' in words:
                flags = 1
            if not (number % 10 == 0 and 'gap' in words):
                begin = at - (size // 48 * 16 if 'snapshots' in words and at else 0)
                yield begin, data[begin:end], flags | (2 if 'snapshots' in words else 0)
            at = end
            if flags & 1:
                # the kernel begins again: with frames a barrier is there, too
                following = end + 16 * 20
                data = data[:end] + (b'' if buffer.raw else b'\xff\xff\xff\x7f' * 4) + data[following:]
                words = words - {'lost'}


if __name__ == '__main__':
    Writer(sys.argv[1], sys.argv[2], sys.argv[3:]).run()
