"""What tests that damage bytes share: reading the sections of an ELF file, and bytes one after the other."""
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../hostile/every'))
from parts import chosen  # noqa: E402


class Damaged(Exception):
    pass


class Cursor:
    def __init__(self, data, at, end):
        self.data, self.at, self.end = data, at, end

    def take(self, form):
        size = struct.calcsize(form)
        if self.at + size > self.end:
            raise Damaged('cut')
        value, = struct.unpack_from(form, self.data, self.at)
        self.at += size
        return value

    def leb(self, signed=False):
        value = shift = 0
        while True:
            byte = self.take('<B')
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                if shift > 70:
                    raise Damaged('wide')
                if signed and byte & 64:
                    value -= 1 << shift
                return value if signed else value & (1 << 64) - 1

    def block(self):
        size = self.leb()
        if size > self.end - self.at:
            raise Damaged('cut')
        self.at += size
        return bytes(self.data[self.at - size:self.at])

    def string(self):
        end = self.data.find(b'\0', self.at, self.end)
        if end < 0:
            raise Damaged('string')
        self.at, text = end + 1, bytes(self.data[self.at:end])
        return text


def sections(data):
    """By name: address, where its bytes begin, and how many there are; of several the first."""
    shoff, = struct.unpack_from('<Q', data, 40)
    shnum, strndx = struct.unpack_from('<HH', data, 60)
    headers = [struct.unpack_from('<IIQQQQIIQQ', data, shoff + 64 * i) for i in range(shnum)]
    names, found = headers[strndx][4], {}
    for h in headers:
        found.setdefault(data[names + h[0]:data.index(b'\0', names + h[0])].decode(), (h[3], h[4], h[5]))
    return found


def mutants(data, where, count, seed, argv):
    """Yields copies of the data with one byte changed that is drawn from all bytes in `where`, (at, size) of each section; each section is as likely. (text, section, bytes) of those
    that --part in argv chooses, another choice for each commit."""
    draw, (part, of) = random.Random(seed), chosen(argv)
    for number in range(count):
        name = draw.choice(sorted(where)) if len(where) > 1 else next(iter(where))
        at = where[name][0] + draw.randrange(where[name][1])
        value = draw.choice([data[at] ^ 1 << draw.randrange(8), draw.randrange(256), data[at] + draw.choice((1, -1)) & 255])
        if number % of != part:
            continue
        mutant = bytearray(data)
        mutant[at] = value
        yield '%s, byte %d: %02x -> %02x' % (name, at - where[name][0], data[at], value), name, mutant
