#!/usr/bin/env python3
"""All taken branches of a program under qemu-user, as llvm-bolt's pre-aggregated text (T and R lines).

traces-from-qemu.py [--max-steps N] QEMU_COMMAND... -- BINARY [ARGUMENT...] >OUT
Example: traces-from-qemu.py qemu-aarch64 -L /usr/aarch64-linux-gnu -- ./demo 100 >demo.preagg
AArch64 and RISC-V 64.  Addresses outside BINARY are X:0.  The program's own output is dropped.
Written for qemu 7.2 (-singlestep) and later (-one-insn-per-tb).
"""
import collections
import os
import struct
import subprocess
import sys
import tempfile


def segments(path):
    data = open(path, 'rb').read()
    kind, machine = struct.unpack_from('<HH', data, 16)
    at, = struct.unpack_from('<Q', data, 32)
    size, number = struct.unpack_from('<HH', data, 54)
    code = []
    for i in range(number):
        what, flags, offset, vaddr, _, filesz = struct.unpack_from('<IIQQQQ', data, at + i * size)
        if what == 1 and flags & 1:
            code.append((vaddr, data[offset:offset + filesz]))
    return kind == 3, machine, code


def main(argv):
    limit = 1 << 62
    if argv[:1] == ['--max-steps']:
        limit, argv = int(argv[1]), argv[2:]
    cut = argv.index('--')
    emulator, program = argv[:cut], argv[cut + 1:]
    pie, machine, code = segments(program[0])
    base = None if pie else 0  # of a PIE: the first address of the first page table that qemu prints
    short = {}

    def fetch(a):  # length, whether it is a return, whether it always branches; None outside
        if a not in short:
            short[a] = None
            for start, text in code:
                if start <= a < start + len(text):
                    low, = struct.unpack_from('<H', text, a - start)
                    word = low if machine == 243 and low & 3 != 3 else struct.unpack_from('<I', text, a - start)[0]
                    if machine == 243:
                        if low & 3 == 3:  # jal, jalr
                            always = word & 0x7f in (0x6f, 0x67)
                        else:  # c.j, c.jr, c.jalr
                            always = low & 0xe003 == 0xa001 or low & 0xe07f == 0x8002 and low & 0xf80 != 0
                        short[a] = (4 if low & 3 == 3 else 2, word in (0x8082, 0x8067), always)
                    else:
                        back = word & 0xfffffc1f == 0xd65f0000 or word in (0xd65f0bff, 0xd65f0fff)
                        short[a] = (4, back, word & 0x7c000000 == 0x14000000 or word >> 25 == 0x6b)  # b, bl, br...
        return short[a]

    step = '-singlestep' if 'version 7' in subprocess.run(
        [emulator[0], '--version'], capture_output=True, text=True).stdout else '-one-insn-per-tb'
    pipe = tempfile.mktemp()
    os.mkfifo(pipe)
    run = subprocess.Popen([emulator[0], step, '-d', 'exec,nochain,page', '-D', pipe] + emulator[1:] + program,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    traces = collections.Counter()
    last, open_trace, steps, left = None, None, 0, set()
    with open(pipe) as log:
        for line in log:
            if not line.startswith('Trace'):
                if base is None and line[:16].isalnum() and line[16:17] == '-':
                    base = int(line[:16], 16)
                continue
            now = int(line.split('/', 2)[1], 16) - base
            insn = fetch(now)
            if insn is None:
                now = None
            else:
                steps += 1
            if last is not None or now is not None:
                if last is None or now is None or fetch(last)[2] or now != last + fetch(last)[0]:
                    if open_trace:
                        traces[open_trace + (last,)] += 1
                    if last is None:  # back from a library: a return if it was left right before this location
                        back = now in left
                    else:
                        back = fetch(last)[1]
                        if now is None:
                            left.add(last + fetch(last)[0])
                    open_trace = last, now, back
            last = now
            if steps >= limit:
                run.kill()
                break
    run.wait()
    os.unlink(pipe)
    name = lambda a: 'X:0' if a is None else '%x' % a
    for (source, target, back, end), count in sorted(traces.items(), key=lambda t: [(-1 if x is None else x) for x in t[0]]):
        print('R' if back else 'T', name(source), name(target), name(end), count)


main(sys.argv[1:])
