"""Names that nobody should see as they are, in each position where a file can have a name: add(); and hidden(), which finds
what of them reached an output."""
import os
import re
import struct

# ESC, newline, CR, DEL, C1 as a character and as a byte, no UTF-8, right to left.
HOSTILE = [b'\x1b', b'\n', b'\r', b'\x7f', b'\xc2\x9b', b'\x9b', b'\xff', b'\xe2\x80\xae']
FILE = os.fsdecode(b'-'.join([b'a'] + HOSTILE))


def hidden(data, allowed='\n\t'):
    """The first thing in an output that is no text for people, or None.  These tests know the characters by themselves."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return data[error.start:error.start + 20]
    for bad in re.finditer('[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]', text):
        if bad[0] not in allowed:
            return text[bad.start():bad.start() + 20].encode()
    return None


def spoil(data, begin, size, is_name):
    """Names in a table of strings, each with something else of HOSTILE within; their lengths stay."""
    at, turn = begin, 0
    while at < begin + size:
        end = data.index(b'\0', at)
        name = bytes(data[at:end])
        bad = HOSTILE[turn % len(HOSTILE)]
        if len(name) > len(bad) and is_name(name):
            data[at + 1:at + 1 + len(bad)] = bad
            turn += 1
        at = end + 1
    return turn


def binary(data, sections):
    """Its symbols, its sections but those that are known by name, and a build-id of Go."""
    data = bytearray(data)
    heads = {name: (at, head) for at, name, head in sections(data)}
    spoiled = 0
    go = struct.pack('<III4s', 4, 16, 4, b'Go') + b'a\x1b/b\n/c\x9b/d\x7f\xe2\x80\xae'
    at, head = heads['.comment']
    assert head[5] >= len(go)
    data[head[4]:head[4] + len(go)] = go
    struct.pack_into('<I', data, at + 4, 7)  # SHT_NOTE
    struct.pack_into('<Q', data, at + 32, len(go))
    for table, is_name in (('.strtab', lambda name: True),
                           ('.shstrtab', lambda name: not re.search(rb'note|bolt|eh_|sym|str|rela|dyn', name))):
        spoiled += spoil(data, heads[table][1][4], heads[table][1][5], is_name)
    assert spoiled > 20
    return data


def line(data, names):
    """In text of lines a name has no newline."""
    bad = b''.join(HOSTILE).replace(b'\n', b'')
    for name in names:
        assert name in data
        data = data.replace(name, name[:-2] + bad + name[-2:])
    return data


def recording(data, names):
    """The same in perf.data, where lengths must stay."""
    for number, name in enumerate(names):
        assert name in data
        bad = b''.join(HOSTILE[number % 3:])[:len(name) - 3]
        data = data.replace(name, name[:1] + bad + name[1 + len(bad):])
    return data


def add(make, sections):
    """Every kind whose name begins with `hostile`: what is printed of it must be text."""
    bolted = make.read(make.path('demo.bolt'))
    script = make.read(make.path('script.txt'))
    data = make.read(make.path('perf.data'))
    make.add('hostile.bolt', binary(bolted, sections), valid=False)
    make.add('hostile.script.txt', line(script, [b'/srv/demo/demo.bolt']), valid=False)
    make.add('hostile-comm.script.txt', line(script, [b'8467 PERF_RECORD_MMAP2']), valid=False)
    make.add('hostile.perf.data', recording(data, [b'/usr/lib/x86_64-linux-gnu/libc.so.6', b'ld-linux-x86-64.so.2']), valid=False)
    maps = line(make.read(make.path('proc.maps')), [b'/srv/demo/']).replace(b'demo.bolt', b'demo\\012.bolt')
    make.add('hostile.maps', maps, valid=False)
    make.run('maps', '--add=' + make.path('hostile.bcmaps'), make.path('hostile.maps'))
    make.add('hostile.bcmaps', make.read(make.path('hostile.bcmaps')), valid=False)
    table = make.read(make.path('table.json'))
    make.add('hostile.json', table.replace(b'": "', b'": "\xe2\x80\xae\\u001b\xc2\x9b'), valid=False)
    for kind in ('demo.bolt', 'perf.data', 'hostile.maps'):
        make.add(FILE + kind, make.read(make.path(kind)), valid=False)
