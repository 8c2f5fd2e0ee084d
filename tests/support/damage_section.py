#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damage_section.py ELF SECTION OFFSET HEX OUT: a copy of a 64-bit file with these bytes at an offset of a section."""
import struct
import sys

path, section, offset, data, out = sys.argv[1:]
file = bytearray(open(path, 'rb').read())
table, = struct.unpack_from('<Q', file, 40)
size, count, names = struct.unpack_from('<HHH', file, 58)
headers = [struct.unpack_from('<IIQQQQ', file, table + size * i) for i in range(count)]
for header in headers:
    name = file[headers[names][4] + header[0]:].split(b'\0', 1)[0].decode()
    if name == section:
        data = bytes.fromhex(data)
        at = header[4] + int(offset)
        file[at:at + len(data)] = data
        open(out, 'wb').write(file)
        sys.exit()
sys.exit(f'{path}: no {section}')
