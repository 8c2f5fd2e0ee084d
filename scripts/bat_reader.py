"""Reads ELF files and .note.bolt_bat of every layout, independently of libbat: for scripts that check it."""
import collections
import struct
import sys

M64, M32 = (1 << 64) - 1, (1 << 32) - 1
TYPES = {0: 'NOTYPE', 1: 'OBJECT', 2: 'FUNC', 10: 'FUNC'}
Symbol = collections.namedtuple('Symbol', 'index name address size type local file')


class Bad(Exception):
    pass


class Elf:
    def __init__(self, path):
        self.data = data = open(path, 'rb').read()
        if data[:6] != b'\x7fELF\2\1':
            sys.exit(path + ': not a little-endian 64-bit ELF file')
        self.machine, = struct.unpack_from('<H', data, 18)
        at, = struct.unpack_from('<Q', data, 40)
        number, names = struct.unpack_from('<HH', data, 60)
        heads = [struct.unpack_from('<IIQQQQIIQQ', data, at + 64 * i) for i in range(number)]
        strings = heads[names][4]
        self.sections, self.heads = {}, heads
        for h in heads:
            name = data[strings + h[0]:data.index(b'\0', strings + h[0])].decode()
            self.sections[name] = h
        self.code = [(h[3], h[3] + h[5], h[4]) for h in heads if h[1] == 1 and h[2] & 4]
        self.functions = {}  # address -> size
        self.function_names = []  # (name, address)
        if '.symtab' in self.sections:
            h = self.sections['.symtab']
            names = heads[h[6]][4]
            for name, info, _, shndx, value, size in struct.iter_unpack('<IBBHQQ', data[h[4]:h[4] + h[5]]):
                if info & 15 in (2, 10) and 0 < shndx < 0xff00:
                    self.function_names.append((data[names + name:data.index(b'\0', names + name)].decode(), value))
                    self.functions[value] = max(size, self.functions.get(value, 0))

    def symbols(self):
        """Those in memory that have a name, in the order of .symtab; `file` of a local one is the FILE that it is under."""
        h = self.sections.get('.symtab')
        if not h:
            return
        names, file = self.heads[h[6]][4], ''
        entries = struct.iter_unpack('<IBBHQQ', self.data[h[4]:h[4] + h[5]])
        for index, (name, info, _, shndx, value, size) in enumerate(entries):
            text = self.data[names + name:self.data.index(b'\0', names + name)].decode('utf-8', 'surrogateescape')
            if info & 15 == 4:
                file = text
            elif text and value and info & 15 in TYPES and 0 < shndx < len(self.heads):
                section = self.heads[shndx]
                if section[2] & 2 and section[3] <= value and value + size <= section[3] + section[5]:
                    local = info >> 4 == 0
                    yield Symbol(index, text, value, size, TYPES[info & 15], local, file if local else '')

    def note(self):
        h = self.sections.get('.note.bolt_bat')
        if not h:
            sys.exit('the binary has no .note.bolt_bat')
        namesz, descsz = struct.unpack_from('<II', self.data, h[4])
        start = h[4] + 12 + (namesz + 3 & ~3)
        return self.data[start:start + descsz]

    def bytes_at(self, address, n):
        for start, end, offset in self.code:
            if start <= address < end:
                return self.data[offset + address - start:offset + min(address + n, end) - start]
        return b''


def read_fixed(b):
    at = 4
    number, = struct.unpack_from('<I', b, 0)
    fragments = []
    for _ in range(number):
        address, entries = struct.unpack_from('<QI', b, at)
        at += 12
        if entries * 8 > len(b) - at:
            raise Bad
        fragments.append((address, None, [(o, i >> 31, i & M32 >> 1)
                                        for o, i in struct.iter_unpack('<II', b[at:at + 8 * entries])]))
        at += 8 * entries
    cold, = struct.unpack_from('<I', b, at)
    at += 4
    if at + 16 * cold != len(b):
        raise Bad
    parents = dict(struct.iter_unpack('<QQ', b[at:]))
    return [(a, parents.get(a), e) for a, _, e in fragments]


def read_leb(b, equal_hot, equal_cold, hashes):
    at = 0

    def uleb():
        nonlocal at
        value = shift = 0
        while True:
            byte = b[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & M64
            if shift > 63:
                raise Bad

    def sleb():
        nonlocal at
        value = shift = 0
        while True:
            byte = b[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if byte & 64 else value
            if shift > 70:
                raise Bad

    fragments, running = [], 0
    for cold in (False, True):
        index = 0
        number = uleb()
        if number > len(b) - at:
            raise Bad
        for _ in range(number):
            address = running = running + uleb() & M64
            skew = secondary = 0
            parent = None
            if cold:
                index = index + uleb() & M64
                if index >= len(fragments):
                    raise Bad
                parent = fragments[index][0]
                if hashes:
                    skew = uleb()
            else:
                if hashes:
                    at += 8
                    uleb()
                    secondary = uleb()
            entries = uleb()
            if entries > len(b) - at:
                raise Bad
            same = uleb() if (equal_cold if cold else equal_hot) else 0
            if same > entries:
                raise Bad
            mask = b[at:at + (same + 7) // 8]
            at += len(mask)
            value, table = 0, []
            for j in range(entries):
                running = running + uleb() & M64
                offset = running - address & M32
                if j < same:
                    value = (offset + skew) << 1 | mask[j >> 3] >> (j & 7) & 1
                else:
                    value = value + sleb() & M64
                if hashes and not value & 1:
                    at += 8
                    uleb()
                table.append((offset, value & 1, value >> 1))
            for _ in range(secondary):
                uleb()
            fragments.append((address, parent, table))
    if at != len(b):
        raise Bad
    return fragments


def read_bat(b):
    """The layout's name and its fragments: (address, address of the parent or None, entries), each entry
    (output offset, 1 if a branch, input offset)."""
    readers = [('hashed', lambda: read_leb(b, True, True, True)), ('delta', lambda: read_leb(b, False, False, False)),
               ('equal', lambda: read_leb(b, True, False, False)), ('fixed', lambda: read_fixed(b))]
    for name, reader in readers:
        try:
            return name, reader()
        except (Bad, IndexError, struct.error):
            pass
    sys.exit('unrecognized BAT layout')
