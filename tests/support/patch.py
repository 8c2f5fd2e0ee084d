#!/usr/bin/env python3
"""A copy of a BOLTed ELF file with something changed: patch.py FILE OUT CHANGE...

CHANGE: OFFSET=BYTE; second-bat (gives another section the name .note.bolt_bat); no-bat (gives it another); bat-size=N (of the section);
bat-type=N (of the note).
"""
import struct
import sys


def headers(data):
    at, = struct.unpack_from('<Q', data, 40)
    number, names = struct.unpack_from('<HH', data, 60)
    rows = [at + 64 * i for i in range(number)]
    strings, = struct.unpack_from('<Q', data, rows[names] + 24)
    found = {}
    for row in rows:
        name, = struct.unpack_from('<I', data, row)
        found[bytes(data[strings + name:data.index(b'\0', strings + name)]).decode()] = row
    return found


def change(data, what, value):
    rows = headers(data)
    bat = rows['.note.bolt_bat']
    if what == 'second-bat':
        struct.pack_into('<I', data, rows['.comment'], struct.unpack_from('<I', data, bat)[0])
    elif what == 'no-bat':
        struct.pack_into('<I', data, bat, struct.unpack_from('<I', data, rows['.comment'])[0])
    elif what == 'bat-size':
        struct.pack_into('<Q', data, bat + 32, int(value))
    elif what == 'bat-type':
        struct.pack_into('<I', data, struct.unpack_from('<Q', data, bat + 24)[0] + 8, int(value))
    else:
        data[int(what)] = int(value)


def main(source, out, *changes):
    data = bytearray(open(source, 'rb').read())
    for one in changes:
        what, _, value = one.partition('=')
        change(data, what, value)
    with open(out, 'wb') as file:
        file.write(data)


main(*sys.argv[1:])
