"""ELF files, BAT sections and recordings that are put together part by part, where several headers can describe the same bytes."""
import struct

CODE = 0x401000  # where programs begin
BODY = 4096  # where their code begins in the file: the first thing that is put
NOP, RET = b'\x90', b'\xc3'
ALLOC, EXEC, STRINGS = 2, 4, 3
LOAD, NOTE = 1, 4
FUNC, LOCAL_FUNC, LOCAL_FILE = 0x12, 0x02, 0x04
pack = struct.pack


def uleb(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


class Elf:
    """A program, for x86-64 unless it says so.  Bytes are placed once; sections and segments say which positions are theirs."""

    def __init__(self, kind=2, machine=62):
        self.machine, self.kind, self.at, self.parts = machine, kind, BODY, []
        self.sections, self.segments, self.names, self.name_at = [], [], bytearray(1), {'': 0}

    def put(self, data, align=4096):
        pad = -self.at % align
        self.parts.append(bytes(pad) + data)
        place = (self.at + pad, len(data))
        self.at = place[0] + len(data)
        return place

    def name(self, text):
        """A name, or the end of the one that was put last: give how many characters to leave out."""
        if isinstance(text, int):
            return self.last_name + text
        if text not in self.name_at:
            self.last_name = self.name_at[text] = len(self.names)
            self.names += text.encode() + b'\0'
        return self.name_at[text]

    def section(self, name, place, kind=1, flags=0, address=0, link=0, info=0, entry=0):
        self.sections.append(pack('<IIQQQQIIQQ', self.name(name), kind, flags, address, *place, link, info, 1, entry))
        return len(self.sections)

    def segment(self, place, address, flags=5, kind=LOAD):
        self.segments.append(pack('<IIQQQQQQ', kind, flags, place[0], address, address, place[1], place[1], 4096))

    def symbols(self, rows, strings=None):
        """rows: (name, or its position in `strings`; value; size; info)."""
        table, own = [bytes(24)], bytearray(1)
        for name, value, size, info in rows:
            if isinstance(name, int):
                at = name
            else:
                at = len(own)
                own += name.encode() + b'\0'
            table.append(pack('<IBBHQQ', at, info, 0, 1 if info != LOCAL_FILE else 0xfff1, value, size))
        count = len(self.sections)
        self.section('.symtab', self.put(b''.join(table), 8), 2, link=count + 2, entry=24)
        return self.section('.strtab', self.put(bytes(strings or own), 1), STRINGS)

    def bytes(self):
        count = len(self.sections) + 2
        self.section('.shstrtab', (0, 0), STRINGS)
        names = self.put(bytes(self.names), 1)
        self.sections[-1] = pack('<IIQQQQIIQQ', self.name('.shstrtab'), STRINGS, 0, 0, *names, 0, 0, 1, 0)
        many = count >= 0xff00
        first = pack('<IIQQQQIIQQ', 0, 0, 0, 0, 0, count if many else 0, count - 1 if many else 0, 0, 0, 0)
        table = self.put(first + b''.join(self.sections), 8)
        headers = self.put(b''.join(self.segments), 8)
        head = b'\x7fELF\2\1\1' + bytes(9) + pack(
            '<HHIQQQIHHHHHH', self.kind, self.machine, 1, CODE, headers[0], table[0], 0, 64, 56, len(self.segments), 64,
            0 if many else count, 0xffff if many else count - 1)
        return head + bytes(BODY - len(head)) + b''.join(self.parts)


def program(code, functions, kind=2, machine=62):
    """With .text, which is section 1, and symbols."""
    elf = Elf(kind, machine)
    place = elf.put(code)
    elf.section('.text', place, flags=ALLOC | EXEC, address=CODE)
    elf.segment(place, CODE)
    elf.symbols(functions)
    return elf


def data(elf, name, address, content, flags=ALLOC, kind=1, **more):
    """A section of data that is loaded."""
    place = elf.put(content)
    elf.segment(place, address, 4)
    return elf.section(name, place, kind, flags, address, **more)


def bat_note(content):
    return pack('<III5s3x', 5, len(content), 1, b'BOLT') + content + bytes(-len(content) % 4)


def bat_hashed(hot, cold=()):
    """hot: (address, blocks, secondary entry points, entries); cold: (address, HotIndex, entries).  An entry is an output
    and an input offset, a hash and an index."""
    out, before = bytearray(), 0

    def fragment(address, head, entries, tail=b''):
        nonlocal before
        out.extend(uleb(address - before & (1 << 64) - 1) + head)
        out.extend(uleb(len(entries)) + uleb(0))
        before, last_input, last_index = address, 0, 0
        for output, source, digest, index in entries:
            out.extend(uleb(address + output - before))
            out.extend(sleb(2 * source - last_input) + pack('<Q', digest) + uleb(index - last_index & (1 << 64) - 1))
            before, last_input, last_index = address + output, 2 * source, index
        out.extend(tail)

    out += uleb(len(hot))
    for address, blocks, secondary, entries in hot:
        last, tail = 0, b''
        parts = []
        for entry in secondary:
            parts.append(uleb(entry - last))
            last = entry
        tail = b''.join(parts)
        fragment(address, pack('<Q', 1) + uleb(blocks) + uleb(len(secondary)), entries, tail)
    out += uleb(len(cold))
    last_hot = 0
    for address, hot_index, entries in cold:
        fragment(address, uleb(hot_index - last_hot & (1 << 64) - 1) + uleb(0), entries)
        last_hot = hot_index
    return bytes(out)


def sleb(number):
    out = bytearray()
    while not -64 <= number < 64:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number & 127)
    return bytes(out)


# ---- recordings ----

MMAP2, FORK, EXIT, SAMPLE, ATTR, EVENT_UPDATE, BUILD_ID, ROUND, COMPRESSED = 10, 7, 4, 9, 64, 78, 67, 68, 81
IP, TID, TIME, BRANCH_STACK, IDENTIFIER = 1, 2, 4, 1 << 11, 1 << 16
FLAGS = 1 << 18 | 1 << 8 | 1 << 13


def record(kind, body, misc=2):
    body += bytes(-len(body) % 8)
    return pack('<IHH', kind, misc, len(body) + 8) + body


def attr(sample_type=IP | TID | TIME, config=0, kind=0):
    return pack('<IIQQQQQ', kind, 128, config, 1000, sample_type, 0, FLAGS) + bytes(80)


def mmap2(pid, address, size, path, time, offset=0):
    name = path.encode() + bytes(8 - len(path) % 8)
    return record(MMAP2, pack('<IIQQQIIQQII', pid, pid, address, size, offset, 8, 1, 77, 0, 5, 2) + name + pack('<IIQ', pid, pid, time))


def fork(pid, parent, time):
    return record(FORK, pack('<IIIIQ', pid, parent, pid, parent, time) + pack('<IIQ', parent, parent, time), 0)


def sample(pid, address, time):
    return record(SAMPLE, pack('<QIIQ', address, pid, pid, time))


def recording(records, attrs=None, features=()):
    """attrs: of attrs and the position and size of their ids, from the beginning of the data.  features: (bit, bytes)."""
    attrs = attrs or [(attr(), 0, 0)]
    body, at = b''.join(records), 104 + 144 * len(attrs)
    head = b'PERFILE2' + pack('<8Q', 104, 144, 104, 144 * len(attrs), at, len(body), 0, 0)
    bits = sum(1 << bit for bit, _ in features)
    table, end = b'', at + len(body) + 16 * len(features)
    for bit, content in sorted(features):
        table += pack('<QQ', end, len(content))
        end += len(content)
    rows = b''.join(row + pack('<QQ', at + place, size) for row, place, size in attrs)
    return head + bits.to_bytes(32, 'little') + rows + body + table + b''.join(content for _, content in sorted(features))


def pipe(records):
    return b'PERFILE2' + pack('<Q', 16) + b''.join(records)
