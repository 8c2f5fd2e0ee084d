#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folded stacks of a BOLTed program -> the same with functions, addresses and lines of its input.

    translate_folded.py BOLTED INPUT < FOLDED

A stack is a line FRAME;FRAME;...;FRAME COUNT, its innermost frame last.  A frame 0x... is a vaddr of BOLTED,
every other one stays as it is.
"""
import sys

import batconv


def text(name, location):
    return '%s %s:%d' % (name, location.file, location.line) if location.file else name


def frames(location):
    """For one address: the function, then what was inlined into it, the innermost call last."""
    where = ' 0x%x' % location.vaddr if location.vaddr is not None else '+0x%x' % location.offset
    calls = [text(call.function or '[inlined]', call) for call in reversed(location.inlined)]
    return [text(location.function + where, location)] + calls


def translated(translator, stack):
    names = stack.split(';')
    locations = [(i, int(name, 16)) for i, name in enumerate(names) if name.startswith('0x')]
    # Frames of other code between them are no matter: all but the innermost of the whole stack are return addresses.
    inner = len(locations) and locations[-1][0] == len(names) - 1
    addresses = [at for _, at in reversed(locations)] if inner else [0] + [at for _, at in reversed(locations)]
    found = translator.translate(addresses, stack=True)[0 if inner else 1:]
    out = {i: frames(location) for (i, _), location in zip(reversed(locations), found) if location}
    return ';'.join(frame for i, name in enumerate(names) for frame in out.get(i, [name]))


def translate(bolted, program, lines):
    with batconv.Translator(bolted, program, lines=True, inlines=True) as translator:
        for number, line in enumerate(lines, 1):
            stack, space, count = line.rstrip('\n').rpartition(' ')
            if not space or not count.isdigit():
                raise ValueError('line %d: ends in no count' % number)
            try:
                print(translated(translator, stack), count)
            except (ValueError, OverflowError):
                raise ValueError('line %d: a frame that is no address of 64 bits' % number) from None


def main():
    if len(sys.argv) != 3:
        print('usage: translate_folded.py BOLTED INPUT < FOLDED', file=sys.stderr)
        return 2
    try:
        translate(*sys.argv[1:], sys.stdin)
    except (batconv.Error, ValueError) as why:
        print('translate_folded.py: %s' % why, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
