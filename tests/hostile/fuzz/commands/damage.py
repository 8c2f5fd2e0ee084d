"""Damage to files of any kind, by a seed: damage()."""
import re
import struct

EDGES = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 32, 1 << 47,
         (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 4096]
TEXT_EDGES = [b'0', b'-1', b'7fffffffffffffff', b'8000000000000000', b'ffffffffffffffff', b'18446744073709551615',
              b'18446744073709551616', b'4294967295', b'4294967296', b'0x', b'', b'1e9', b'\x1b[31m', b'\xff']


def looks(data):
    for magic, name in ((b'\x7fELF', 'elf'), (b'PERFILE2', 'perf.data'), (b'PERFTEXT', 'text'), (b'{', 'json'), (b'\x1f\x8b', 'gzip')):
        if data.startswith(magic):
            return name
    return 'binary' if b'\0' in data[:4096] else 'text'


# ---- of any file ----

def flip(rng, data):
    at = rng.randrange(len(data))
    data[at] ^= 1 << rng.randrange(8)


def byte(rng, data):
    data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))


def cut(rng, data):
    del data[rng.randrange(len(data)):]


def leave_out(rng, data):
    at = rng.randrange(len(data))
    del data[at:at + rng.choice((1, 2, 4, 8, rng.randrange(1, 64), rng.randrange(1, len(data) + 1)))]


def double(rng, data):
    at = rng.randrange(len(data))
    part = data[at:at + rng.choice((1, 4, 8, 64, rng.randrange(1, 4096)))]
    data[at:at] = part * rng.choice((1, 1, 2, 100))


def zeros(rng, data):
    at = rng.randrange(len(data))
    size = rng.choice((1, 4, 8, 16, 64, 4096))
    data[at:at + size] = bytes([rng.choice((0, 255))]) * len(data[at:at + size])


def number(rng, data):
    """Of 1, 2, 4 or 8 bytes, where one can be."""
    size = rng.choice((1, 2, 4, 4, 8, 8))
    if len(data) < size:
        return
    at = rng.randrange(len(data) - size + 1) // size * size
    old = int.from_bytes(data[at:at + size], 'little')
    new = rng.choice((rng.choice(EDGES), old + 1, old - 1, len(data), len(data) - 1, old * 2, old ^ 1 << 8 * size - 1))
    data[at:at + size] = (new & (1 << 8 * size) - 1).to_bytes(size, 'little')


def splice(rng, data, other):
    if not other:
        return
    begin, at = rng.randrange(len(other)), rng.randrange(len(data))
    part = other[begin:begin + rng.randrange(1, 4096)]
    data[at:at + (len(part) if rng.random() < 0.7 else 0)] = part


# ---- of one kind ----

def text_number(rng, data):
    places = [m.span() for m in re.finditer(rb'\b(0x)?[0-9a-fA-F]+\b', bytes(data[:1 << 16]))]
    if places:
        begin, end = rng.choice(places)
        data[begin:end] = rng.choice(TEXT_EDGES)


def text_lines(rng, data):
    lines = bytes(data).split(b'\n')
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    how = rng.randrange(4)
    if how == 0:
        lines[a], lines[b] = lines[b], lines[a]
    elif how == 1:
        del lines[a]
    elif how == 2:
        lines[a:a] = [lines[b]] * rng.choice((1, 2, 1000))
    else:
        words = lines[a].split(b' ')
        words[rng.randrange(len(words))] = rng.choice(lines[b].split(b' '))
        lines[a] = b' '.join(words)
    data[:] = b'\n'.join(lines)


def elf_table(data, rng):
    """(offset, size of an entry, count) of the headers of sections or of segments; None: there are none."""
    if len(data) < 64:
        return None
    places = ((40, 64, 60), (32, 56, 56))
    where, size, at_count = rng.choice(places)
    offset, = struct.unpack_from('<Q', data, where)
    count, = struct.unpack_from('<H', data, at_count)
    return (offset, size, count) if count and offset + size * count <= len(data) else None


def elf_swap(rng, data):
    """Two headers, or what they point to, swapped."""
    table = elf_table(data, rng)
    if not table:
        return
    offset, size, count = table
    a, b = (offset + size * rng.randrange(count) for _ in range(2))
    begin, end = rng.choice(((0, size), (24, 40), (16, 40), (4, 8)))
    one, other = data[a + begin:a + end], data[b + begin:b + end]
    data[a + begin:a + end], data[b + begin:b + end] = other, one


def elf_field(rng, data):
    table = elf_table(data, rng)
    if not table:
        return
    offset, size, count = table
    at = offset + size * rng.randrange(count) + rng.randrange(size // 8) * 8
    old, = struct.unpack_from('<Q', data, at)
    new = rng.choice((rng.choice(EDGES), old + rng.choice((-4096, -16, -1, 1, 16, 4096)), len(data), rng.randrange(len(data))))
    struct.pack_into('<Q', data, at, new & (1 << 64) - 1)


def elf_inside(rng, data):
    """In the bytes of a section."""
    table = elf_table(data, rng)
    if not table:
        return
    offset, size, count = table
    at = offset + size * rng.randrange(count)
    begin, length = struct.unpack_from('<QQ', data, at + (24 if size == 64 else 8))
    if 0 < length and begin + length <= len(data):
        part = data[begin:begin + length]
        rng.choice((flip, byte, number, zeros))(rng, part)
        data[begin:begin + length] = part


def perf_header(rng, data):
    """A field of the header of perf.data."""
    if len(data) < 104:
        return
    at = 8 * rng.randrange(1, 13)
    old, = struct.unpack_from('<Q', data, at)
    new = rng.choice((rng.choice(EDGES), old + rng.choice((-8, -1, 1, 8)), len(data), struct.unpack_from('<Q', data, 8 * rng.randrange(13))[0]))
    struct.pack_into('<Q', data, at, new & (1 << 64) - 1)


def perf_record(rng, data):
    """A record changed, doubled, left out, or at another one's position."""
    places, at = [], int.from_bytes(data[40:48], 'little')
    while at + 8 <= len(data) and len(places) < 10000:
        size = int.from_bytes(data[at + 6:at + 8], 'little')
        if size < 8 or at + size > len(data):
            break
        places.append((at, at + size))
        at += size
    if not places:
        return
    (begin, end), (b, e) = rng.choice(places), rng.choice(places)
    how = rng.randrange(5)
    if how == 0:
        data[begin:begin] = data[b:e]
    elif how == 1:
        del data[begin:end]
    elif how == 2:
        data[begin:end] = data[b:e]
    elif how == 3:
        struct.pack_into('<I', data, begin, rng.choice((1, 2, 3, 4, 7, 9, 10, 11, 64, 66, 67, 68, 70, 71, 73, 79, 81, 82, 999)))
    else:
        part = data[begin:end]
        rng.choice((flip, byte, number, zeros))(rng, part)
        data[begin:end] = part


ANY = (flip, byte, cut, leave_out, double, zeros, number, number)
OF_KIND = {'elf': (elf_swap, elf_field, elf_inside, elf_inside), 'perf.data': (perf_header, perf_record, perf_record),
           'text': (text_number, text_lines), 'json': (text_number, text_lines)}


def damage(rng, data, other):
    """`other`: a file to take parts of.  One in twenty is as it was."""
    data, own = bytearray(data), OF_KIND.get(looks(data), ())
    for _ in range(0 if rng.random() < 0.05 else rng.choice((1, 1, 2, 2, 3, 4))):
        if not data:
            break
        if own and rng.random() < 0.6:
            rng.choice(own)(rng, data)
        elif rng.random() < 0.15:
            splice(rng, data, other)
        else:
            rng.choice(ANY)(rng, data)
    return bytes(data)
