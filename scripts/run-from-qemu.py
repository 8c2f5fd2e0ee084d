#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The whole way of a program's run, for tests/support/pt_data.py: run-from-qemu.py [--base=HEX] [--part=FILE...] BINARY COMMAND...

COMMAND is qemu-x86_64 or qemu-aarch64 and its program; one thread.  For BINARY, which it loads at --base (0: where it says), and for each FILE while the
program has mapped it, every branch is written, taken or not.  The output has a line for each distinct step, a blank line, and the numbers of
the steps in order:

  KIND FROM TO NEXT   at FROM, of which the next instruction is NEXT, it went to TO:
    c conditional branch   j k direct jump, call   J K indirect jump, call   r return   s system call   i ISB   b begin (FROM 0)
    TO is outside of what is written: the next step is e, where it came back (FROM 0)
  m START SIZE OFFSET FILE   the system call before mapped a file
"""
import os
import re
import struct
import subprocess
import sys
import tempfile


def kind_of_word(word):
    """For an instruction of AArch64."""
    if word & 0x7c000000 == 0x14000000:
        return 'k' if word >> 31 else 'j'
    if word & 0xff000000 == 0x54000000 or word & 0x7c000000 == 0x34000000:
        return 'c'
    if word & 0xfe000000 == 0xd6000000:
        return {0: 'J', 1: 'K', 2: 'r'}.get(word >> 21 & 7, '-')
    return 's' if word & 0xffe0001f == 0xd4000001 else 'i' if word & 0xfffff0ff == 0xd50330df else '-'


def classify_words(data, bias, low, high):
    """As classify(), of a file for AArch64."""
    code = {}
    at, = struct.unpack_from('<Q', data, 32)
    size, count = struct.unpack_from('<HH', data, 54)
    for i in range(count):
        kind, flags, offset, vaddr, _, file_size = struct.unpack_from('<IIQQQQ', data, at + size * i)
        for place in range(vaddr, vaddr + file_size - 3, 4) if kind == 1 and flags & 1 else ():
            if low <= place < high:
                code[place + bias] = kind_of_word(struct.unpack_from('<I', data, offset + place - vaddr)[0]), place + bias + 4
    return code


def classify(path, bias, low=0, high=1 << 64):
    """{address: (kind, address of the next instruction)}"""
    code, last = {}, None
    with open(path, 'rb') as file:
        data = file.read()
    if struct.unpack_from('<H', data, 18)[0] == 183:
        return classify_words(data, bias, low, high)
    text = subprocess.run(['objdump', '-d', path], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        row = re.match(r'\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*(?:\t?(?:(?:notrack|bnd|repz|cs|ds|data16) )*(\w+)\s*(.*))?$', line)
        if not row or not low <= int(row[1], 16) < high:
            continue
        at, size, name, operand = int(row[1], 16) + bias, len(row[2].split()), row[3], row[4]
        if not name:  # more bytes of the same instruction
            code[last] = (code[last][0], at + size)
            continue
        kind = '-'
        if name.startswith('ret'):
            kind = 'r'
        elif name.startswith('call'):
            kind = 'K' if '*' in operand else 'k'
        elif name.startswith('jmp'):
            kind = 'J' if '*' in operand else 'j'
        elif name.startswith('j') or name.startswith('loop'):
            kind = 'c'
        elif name == 'syscall':
            kind = 's'
        code[at] = (kind, at + size)
        last = at
    return code


def steps(log, code, parts):
    """The steps of a run."""
    before, files, out, current = None, {}, [], dict(code)
    for line in log:
        opened = re.search(r' open(?:at)?\((?:AT_FDCWD,)?"([^"]+)".*\) = (\d+)$', line)
        if opened:
            files[opened[2]] = opened[1]
        mapped = re.search(r' mmap\((?:0x0*)?(\w+),(\d+),PROT_EXEC\S*,(\d+),(?:0x)?(\w+)\) = 0x0*(\w+)$', line)
        if mapped and files.get(mapped[3]) in parts:
            path, start, offset = files[mapped[3]], int(mapped[5], 16), int(mapped[4], 16)
            out.append(('m', start, int(mapped[2]), offset, path))
            current.update(classify(path, start - offset, offset, offset + int(mapped[2])))
        gone = re.search(r' munmap\(0x0*(\w+),(\d+)\) = 0$', line)
        if gone and any(step[0] == 'm' and step[1] == int(gone[1], 16) for step in out):
            current = dict(code)
        if not line.startswith('Trace'):
            continue
        pc = int(line.split('/')[1], 16)
        kind, following = current.get(before, (None, None))
        if before is None:
            out.append(('b', 0, pc, 0))
        elif kind is None:
            if pc in current:
                out.append(('e', 0, pc, 0))
        elif kind == 's' and out and out[-1][0] == 'm':
            out.insert(-1, (kind, before, pc, following))
        elif kind != '-':
            out.append((kind, before, pc, following))
        elif pc not in (before, following):
            sys.exit('run-from-qemu.py: %x leads to %x without a branch' % (before, pc))
        before = pc
    kind, following = current.get(before, (None, None))
    if kind == 's':
        out.append((kind, before, 0, following))
    return out


def main(argv):
    base, parts = 0, []
    while argv[0].startswith('--'):
        name, _, value = argv.pop(0)[2:].partition('=')
        if name == 'base':
            base = int(value, 16)
        else:
            parts.append(value)
    code = classify(argv[0], base)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'log')
        subprocess.run(['setarch', '-R', argv[1], '-seed', '1', '-singlestep', '-d', 'nochain,exec,strace', '-D', path] + argv[2:],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        with open(path) as log:
            run = steps(log, code, parts)
    numbers, order = {}, []
    for step in run:
        order.append(numbers.setdefault(step, len(numbers)))
    for step in numbers:
        print(step[0], *('%x' % word if isinstance(word, int) else word for word in step[1:]))
    print()
    for at in range(0, len(order), 40):
        print(*order[at:at + 40])


if __name__ == '__main__':
    main(sys.argv[1:])
