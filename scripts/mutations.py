"""Seeded damage to inputs of a conversion, for scripts that give the same to several programs."""
import struct

from bat_reader import Elf

EDGES = (0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 47, (1 << 63) - 1, 1 << 63,
         (1 << 64) - 1)


def number(rng, value, bits):
    how = rng.randrange(5)
    if how == 0:
        value += rng.choice((-1, 1))
    elif how == 1:
        value += rng.randrange(-64, 64)
    elif how == 2:
        value ^= 1 << rng.randrange(bits)
    elif how == 3:
        value = rng.choice(EDGES)
    else:
        value = rng.getrandbits(rng.randrange(1, bits + 1))
    return value & (1 << bits) - 1


def mutate_bat(rng, binary):
    """One to three bytes of the descriptor; half of the time what follows is still cut into the same numbers."""
    elf = Elf(binary)
    data = bytearray(elf.data)
    head = elf.sections['.note.bolt_bat']
    start, size = head[4] + 20, head[5] - 20
    if rng.randrange(10) == 0:  # an honest note that is too short
        struct.pack_into('<I', data, head[4] + 4, rng.randrange(size))
        return bytes(data)
    for _ in range(rng.randrange(1, 4)):
        at = start + rng.randrange(size)
        byte = number(rng, data[at], 8)
        data[at] = data[at] & 0x80 | byte & 0x7f if rng.randrange(2) else byte
    return bytes(data)


def mutate_preagg(rng, text):
    """A line or two: another number more often than something that is none."""
    lines = text.decode().split('\n')
    for _ in range(rng.randrange(1, 3)):
        at = rng.randrange(len(lines) - 1)
        words = lines[at].split(' ')
        word = rng.randrange(1, len(words))
        how = rng.randrange(16)
        if how == 0:
            words[word] = rng.choice(('-1', '1e3', '0x', 'zz', '', '18446744073709551616', '99999999999999999999999'))
        elif how == 1:
            words[0] = rng.choice('BFTRSEfrXQ')
        elif how == 2:
            del words[word]
        elif how == 3:
            words.insert(word, words[word])
        elif how == 4:
            letters = list(lines[at])
            letters[rng.randrange(len(letters))] = chr(rng.randrange(1, 127))
            words = [''.join(letters)]
        elif how == 5:
            words = [lines[at][:rng.randrange(len(lines[at]))]]
        elif how == 6:
            words = ['\0' + lines[at] if rng.randrange(2) else lines[at].replace(' ', '\t')]
        elif word == len(words) - 1:
            words[word] = str(number(rng, int(words[word]), rng.choice((16, 40, 64))))
        else:
            words[word] = '%x' % number(rng, int(words[word].split(':')[-1], 16), rng.choice((12, 16, 32, 64)))
        lines[at] = ' '.join(words)
    return '\n'.join(lines).encode()


def mutate_perf_data(rng, data):
    """Fields of the header, of the attr, or of records; records left out, doubled, resized; the file cut."""
    data = bytearray(data)
    attrs, _, begin, size = struct.unpack_from('<4Q', data, 24)
    records, at = [], begin
    while at < begin + size:
        records.append(at)
        at += struct.unpack_from('<H', data, at + 6)[0]
    for _ in range(rng.randrange(1, 4)):
        how = rng.randrange(16)
        if how == 0:
            where = 8 + 8 * rng.randrange(8)
        elif how == 1:
            where = attrs + 8 * rng.randrange(16)
        elif how == 2:
            return bytes(data[:rng.randrange(len(data))])
        elif how == 3:  # a size
            where = rng.choice(records)
            struct.pack_into('<H', data, where + 6, number(rng, struct.unpack_from('<H', data, where + 6)[0], 16))
            continue
        elif how == 4:  # a type
            struct.pack_into('<I', data, rng.choice(records), rng.choice((1, 2, 3, 4, 5, 7, 9, 10, 64, 68, 81, 255)))
            continue
        elif how == 5:  # after the data: features
            where = begin + size + 8 * rng.randrange((len(data) - begin - size) // 8)
        else:
            where = rng.choice(records)
            where += 8 + 8 * rng.randrange(8)
        if where + 8 <= len(data):
            struct.pack_into('<Q', data, where, number(rng, struct.unpack_from('<Q', data, where)[0], 64))
    return bytes(data)
