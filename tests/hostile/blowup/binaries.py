"""Kinds of binaries whose size grows with n and what they ask for with its square."""

from hashlib import md5

from files import (ALLOC, BODY, CODE, EXEC, FUNC, LOCAL_FILE, LOCAL_FUNC, NOTE, RET, Elf, bat_hashed, bat_note, data, pack,
                   program, uleb)

RODATA, FRAMES, TABLES, GOT = 0x10000000, 0x20000000, 0x30000000, 0x40000000


def nops(size, jump_every=16):
    """Code with a jump back to its beginning at the end of each part."""
    return (b'\x90' * (jump_every - 2) + bytes([0xeb, 256 - jump_every])) * (size // jump_every)


def traces(count, step=16, start=CODE):
    return b''.join(b'T %x %x %x 1\n' % (start + i * step + step - 2, start + i * step, start + i * step + step - 2)
                    for i in range(count))


FEW = b'T 401000 401000 401004 1\nT 401003 401008 401009 2\nB 401002 401000 3 0\n'


def with_samples(elf, samples=FEW):
    return {'binary': elf.bytes(), 'samples': samples}


def functions(count, size=16, info=FUNC, name='f%d'):
    return [(name % i if '%' in name else name, CODE + size * i, size, info) for i in range(count)]


def jumps_one_table(n):
    code = (b'\xff\x24\xc5' + pack('<I', RODATA)) * n + RET * 16
    elf = program(code, [('f', CODE, len(code), FUNC)])
    data(elf, '.rodata', RODATA, pack('<Q', CODE + 7) * 4 * n)
    return with_samples(elf, b'T 401000 401007 40100e 5\nF 401007 401015 3\n')


def tables_in_tables(n):
    """Each jump has a table of its own, which begins a word after the one before: at its function's end, which counts
    once only, so that all the words after are looked at to find a second target."""
    code = b''.join(b'\xff\x24\xc5' + pack('<I', RODATA + 8 * i) for i in range(n)) + RET * 16
    elf = program(code, [('f', CODE, len(code), FUNC)])
    data(elf, '.rodata', RODATA, pack('<Q', CODE + len(code)) * 2 * n)
    return with_samples(elf, b'T 401000 401007 40100e 5\nF 401007 401015 3\n')


def jumps_of_parts(n):
    """Parts of one function may lead into each other: each has a jump through the same table."""
    code = (b'\xff\x24\xc5' + pack('<I', RODATA) + RET * 9) * n
    elf = program(code, [('f', CODE, 16, FUNC)] + [(f'f.cold.{i}', CODE + 16 * i, 16, FUNC) for i in range(1, n)])
    data(elf, '.rodata', RODATA, pack('<Q', CODE) * n)
    return with_samples(elf, b''.join(b'F %x %x 1\n' % (CODE + 16 * i, CODE + 16 * i + 7) for i in range(n)))


def jumps_without_writer(n):
    """jmp *%rax, and nothing that writes rax."""
    code = b'\xff\xe0' * n
    return with_samples(program(code, [('f', CODE, len(code), FUNC)]), b'F 401000 401002 3\n')


def fdes_one_lsda(n):
    cie = pack('<I', 0) + b'\1zLR\0\1\x78\x10\2\0\0'
    cie += bytes(-len(cie) % 8 + 4)
    parts, at = [pack('<I', len(cie)) + cie], 4 + len(cie)
    for i in range(n):
        fde = pack('<IQQBQ', at + 4, CODE + 16 * i, 16, 8, TABLES) + bytes(3 + 4)
        parts.append(pack('<I', len(fde)) + fde)
        at += 4 + len(fde)
    sites = (pack('<III', 0, 4, 8) + b'\0') * n
    elf = program(nops(16 * n), functions(n))
    data(elf, '.eh_frame', FRAMES, b''.join(parts) + bytes(4))
    data(elf, '.gcc_except_table', TABLES, b'\xff\xff\3' + uleb(len(sites)) + sites)
    return with_samples(elf, traces(n))


def names_one_string(n, info=LOCAL_FUNC):
    elf = Elf()
    place = elf.put(nops(16 * n))
    elf.section('.text', place, flags=ALLOC | EXEC, address=CODE)
    elf.segment(place, CODE)
    elf.symbols([(1 + i, CODE + 16 * i, 16, info) for i in range(n)], b'\0' + b'a' * n + b'\0')
    return with_samples(elf, traces(n))


def global_names_one_string(n):
    return names_one_string(n, FUNC)


def functions_one_file(n):
    """The name of a local function's file is part of its own."""
    elf = program(nops(16 * n), [('d/' + 'f' * n, 0, 0, LOCAL_FILE)] + functions(n, 16, LOCAL_FUNC))
    return with_samples(elf, traces(n))


def parts_of_files(n):
    """Local functions of one name, and parts of another file's for each."""
    rows = []
    for i in range(n):
        rows += [(f'{i}.c', 0, 0, LOCAL_FILE), ('f', CODE + 16 * i, 16, LOCAL_FUNC)]
    for i in range(n):
        rows += [(f'x{i}.c', 0, 0, LOCAL_FILE), ('f.cold', CODE + 16 * (n + i), 16, LOCAL_FUNC)]
    return with_samples(program(nops(32 * n), rows), traces(n))


def sections_one_name(n):
    elf = program(nops(65536), [('f', CODE, 16, FUNC)])
    elf.name('.' + 'n' * n)
    for i in range(n):
        elf.section(i, (0, 0))
    return with_samples(elf)


def sections_over_each_other(n):
    """All of one address more than the one before has; FDEs ask each time which section that is."""
    elf = program(nops(65536), [('f', CODE, 16, FUNC)])
    for i in range(n):
        elf.section('.b', (0, 0), 8, ALLOC, RODATA, info=0)
        elf.sections[-1] = elf.sections[-1][:32] + pack('<Q', i + 1) + elf.sections[-1][40:]
    cie = pack('<I', 0) + b'\1zR\0\1\x78\x10\1\0' + bytes(3)
    parts, at = [pack('<I', len(cie)) + cie], 4 + len(cie)
    for i in range(n):
        fde = pack('<IQQB', at + 4, RODATA + n + i, 16, 0) + bytes(3)
        parts.append(pack('<I', len(fde)) + fde)
        at += 4 + len(fde)
    data(elf, '.eh_frame', FRAMES, b''.join(parts) + bytes(4))
    return with_samples(elf)


def code_sections_one_place(n):
    elf = program(nops(16 * n), functions(n))
    for i in range(n):
        elf.section('.text.x', (BODY, 16 * n), flags=ALLOC | EXEC, address=0x50000000 + 16 * n * i)
    return with_samples(elf, traces(n))


def code_sections(n):
    """Many short sections of code, and many functions."""
    elf = program(nops(16 * n), functions(n))
    for i in range(n):
        elf.section('.text.x', (BODY + 16 * i, 16), flags=ALLOC | EXEC, address=0x50000000 + 16 * i)
    return with_samples(elf, traces(n))


def relas_one_place(n):
    elf = program(nops(65536), [('f', CODE, 16, FUNC)], 3)
    place = elf.put(pack('<QQq', CODE + 0x200000, 8, CODE + 4) * 40 * n)
    for i in range(n):
        elf.section('.rela.dyn', place, 4, ALLOC, link=2, info=1, entry=24)
    return with_samples(elf)


def text_relas_one_place(n):
    """What ld --emit-relocs leaves: of each section of code those that its relocations are for."""
    elf = program(nops(65536), [('f', CODE, 65536, FUNC)])
    place = elf.put(pack('<QQq', CODE + 4, 1 << 32 | 2, 8) * 40 * n)
    for i in range(n):
        elf.section('.rela.text', place, 4, link=2, info=1, entry=24)
    return with_samples(elf)


def relas_one_name(n):
    elf = program(nops(65536), [('f', CODE, 16, FUNC)], 3)
    strings = elf.section('.dynstr', elf.put(b'\0' + b's' * 24 * n + b'\0'), 3, ALLOC)
    symbols = elf.section('.dynsym', elf.put(bytes(24) + pack('<IBBHQQ', 1, FUNC, 0, 0, 0, 0)), 11, ALLOC, link=strings, entry=24)
    elf.section('.dynamic', elf.put(bytes(16)), 6, ALLOC)
    elf.section('.rela.plt', elf.put(b''.join(pack('<QQq', GOT + 8 * i, 1 << 32 | 7, 0) for i in range(n))), 4, ALLOC, link=symbols, entry=24)
    return with_samples(elf)


def plts_one_slot(n):
    """PLT entries that lead to one word of the GOT, and many symbols at the address of the function that it is for."""
    code = nops(65536)
    elf = program(code, [('f', CODE, 16, LOCAL_FUNC)] * n, 3)
    strings = elf.section('.dynstr', elf.put(b'\0other\0'), 3, ALLOC)
    symbols = elf.section('.dynsym', elf.put(bytes(24) + pack('<IBBHQQ', 1, FUNC, 0, 1, CODE, 16)), 11, ALLOC, link=strings, entry=24)
    elf.section('.dynamic', elf.put(bytes(16)), 6, ALLOC)
    elf.section('.rela.plt', elf.put(pack('<QQq', GOT, 1 << 32 | 7, 0)), 4, ALLOC, link=symbols, entry=24)
    plt = b''.join(b'\xff\x25' + pack('<i', GOT - (FRAMES + 16 * i + 6)) + bytes(10) for i in range(n))
    data(elf, '.plt', FRAMES, plt, ALLOC | EXEC)
    return with_samples(elf)


def plts_one_place(n):
    elf = program(nops(1 << 20), [('f', CODE, 16, FUNC)])
    for _ in range(n):
        elf.section('.plt', (BODY, 1 << 20), flags=ALLOC | EXEC, address=CODE)
    return with_samples(elf)


def notes_one_place(n):
    note = pack('<III4s20s', 4, 20, 5, b'GNU', b'a' * 20)
    elf = program(nops(65536), [('f', CODE, 65536, FUNC)])
    place = elf.put(note * 40 * n)
    for i in range(n):
        elf.section('.note.x', place, 7, ALLOC, FRAMES)
    return with_samples(elf)


def note_segments_one_place(n):
    elf = program(nops(65536), [('f', CODE, 65536, FUNC)])
    place = elf.put(pack('<III4s20s', 4, 20, 5, b'GNU', b'a' * 20) * 40 * n)
    for i in range(min(n, 1100)):
        elf.segment(place, FRAMES, 4, NOTE)
    return with_samples(elf)


def segments_one_place(n):
    code = nops(1024 * n)
    elf = program(code, [(f'f{i}', CODE + i * 0x10000000, len(code), FUNC) for i in range(1000)])
    for i in range(1, 1000):
        elf.segment((BODY, len(code)), CODE + i * 0x10000000)
    return with_samples(elf)


def program_headers(n):
    elf = program(nops(65536), [('f', CODE, 65536, FUNC)])
    place = elf.put(RET * 16)
    for i in range(min(n, 16000)):
        elf.segment(place, RODATA + 4096 * i)
    return with_samples(elf)


def equal_symbols(n):
    return with_samples(program(nops(65536), [(f'n{i}', CODE, 16, FUNC) for i in range(n)]))


def nested_symbols(n):
    return with_samples(program(nops(65536), [(f'n{i}', CODE + i % 60000, 65536 - i % 60000, FUNC) for i in range(n)]))


def slashes_one_name(n):
    """Which name of a function shows its file is looked for in each of its symbols."""
    rows = [('f' * n, CODE, 16, FUNC), ('x.c', 0, 0, LOCAL_FILE)] + [(f'a/{i}', CODE, 16, FUNC) for i in range(n)]
    return with_samples(program(nops(65536), rows))


def traces_one_gap(n):
    """Padding after a function is its own if it is nothing else: asked for each trace that begins in it."""
    code = RET * 16 + b'\x66\x90' * 8 * n + RET * 16
    elf = program(code, [('f', CODE, 16, FUNC), ('g', CODE + len(code) - 16, 16, FUNC)])
    return with_samples(elf, b''.join(b'F %x %x 1\n' % (CODE + 16 + 16 * i, CODE + 18 + 16 * i) for i in range(n)))


def traces_one_function(n):
    """Runs through all blocks of a function."""
    code = b'\x74\0' * n + RET * 16
    elf = program(code, [('f', CODE, len(code), FUNC)])
    return with_samples(elf, b''.join(b'F %x %x 1\n' % (CODE + 2 * (i % 50), CODE + 2 * n - 2 * i // 50) for i in range(n // 4)))


def samples_one_function(n):
    """A basic sample is held against the instructions from its function's beginning on."""
    code = b'\x90' * 65536
    elf = program(code, [('f', CODE, 65536, FUNC)])
    return with_samples(elf, b'E cycles\n' + b''.join(b'S %x 1\n' % (CODE + 65535 - i % 4096) for i in range(n)))


def short_functions(n):
    """Short jumps around each."""
    return with_samples(program(b'\x74\4\xeb\4' * n, functions(n, 4)), traces(n, 4))


def long_names(n):
    """A function whose name is long, and records of it."""
    code = nops(16 * n)
    return with_samples(program(code, [('f' * n, CODE, len(code), FUNC)]), traces(n))


def with_bat(code, rows, table):
    elf = program(code, rows)
    elf.section('.note.bolt_bat', elf.put(bat_note(table)), 7)
    return elf


def bat_cold_one_parent(n):
    """Cold parts of one function, and branches to locations of it that begin no block."""
    cold_at = CODE + 16 * n
    rows = [('f', CODE, 16 * n, FUNC)] + [(f'f.cold.{i}', cold_at + 16 * i, 16, FUNC) for i in range(n)]
    table = bat_hashed([(CODE, 2 * n, [], [(0, 0, 1, 0)])],
                       [(cold_at + 16 * i, 0, [(0, 16 * n + 16 * i, i + 2, i + 1)]) for i in range(n)])
    return with_samples(with_bat(nops(32 * n), rows, table),
                        b''.join(b'T %x %x %x 1\n' % (CODE + 16 * i + 14, cold_at + 16 * i + 4, cold_at + 16 * i + 14) for i in range(n)))


def bat_one_fragment(n):
    """Blocks of one fragment, and runs through all of them."""
    entries = [(4 * i, 4 * i, i + 1, i) for i in range(n)]
    table = bat_hashed([(CODE, n, [4 * i for i in range(1, n)], entries)])
    return with_samples(with_bat(nops(4 * n + 16 & ~15), [('f', CODE, 4 * n, FUNC)], table),
                        b''.join(b'T %x %x %x 1\n' % (CODE + 4 * i, CODE + 4 * i + 4, CODE + 4 * n - 2) for i in range(n // 2)))


def bat_branches(n):
    """After one block nothing but branch entries, each the end of a run: back to the block it is for every one."""
    out = bytearray(uleb(1) + uleb(CODE) + pack('<Q', 1) + uleb(1) + uleb(0) + uleb(n) + uleb(0))
    for i in range(n):
        out += uleb(1 if i else 0) + uleb(0 if not i else 3 if i == 1 else 2)
        if not i:
            out += pack('<Q', 5) + uleb(0)
    out += uleb(0)
    return with_samples(with_bat(nops(n + 16 & ~15), [('f', CODE, n, FUNC)], bytes(out)),
                        b''.join(b'T %x %x %x 1\n' % (CODE + i, CODE + i, CODE + n - 1) for i in range(n)))


def bat_one_input(n):
    """Cold parts whose entries all have the location of another one in the input."""
    cold_at = CODE + 16 * n
    rows = [('f', CODE, 16, FUNC)]
    for i in range(n):
        rows += [('f', CODE, 16, FUNC), (f'f.cold.{i}', cold_at + 16 * i, 16, FUNC)]
    table = bat_hashed([(CODE, 2, [], [(0, 0, 1, 0)])], [(cold_at + 16 * i, 0, [(0, 0, 1, 0)]) for i in range(n)])
    return with_samples(with_bat(nops(32 * n), rows, table), traces(n, start=cold_at))


def bat_nested(n):
    """Functions within each other, and each has a table that ends at its end."""
    size = 65536
    rows = [(f'f{i}', CODE + i, size - i, FUNC) for i in range(n)]
    table = bat_hashed([(CODE + i, 1, [], [(0, 0, 1, 0), (size - n - 16, size - n - 16, 2, 1)]) for i in range(n)])
    return with_samples(with_bat(b'\x90' * (size - 16) + RET * 16, rows, table), traces(n // 4, 4))


def bat_padding(n):
    """Branch entries on padding, after each of which the block's end is looked for."""
    out = bytearray(uleb(1) + uleb(CODE) + pack('<Q', 1) + uleb(1) + uleb(0) + uleb(n) + uleb(0))
    for i in range(n):
        out += uleb(1 if i else 0) + uleb(0 if not i else 3 if i == 1 else 2)
        if not i:
            out += pack('<Q', 5) + uleb(0)
    out += uleb(0)
    return with_samples(with_bat(b'\x90' * n + RET * 16, [('f', CODE, n + 16, FUNC)], bytes(out)), traces(n // 4, 4))


def with_probes(elf, name, probes, samples):
    """Pseudo-probes of functions of one name, for --profile-write-pseudo-probes."""
    guid = md5(name.encode()).digest()[:8]
    elf.section('.pseudo_probe_desc', elf.put(guid + pack('<Q', 1) + uleb(len(name)) + name.encode()))
    elf.section('.pseudo_probe', elf.put(probes(guid)))
    return with_samples(elf, samples)


def probes_one_block(n):
    elf = program(nops(16), [('f', CODE, 16, FUNC)])
    return with_probes(elf, 'f', lambda guid: guid + uleb(n) + uleb(0) + b'\1\x80\0\2\x82\0' * (n // 2), FEW)


def functions_one_tree(n):
    """Functions of one name, and one tree that has a probe in each of them."""
    def probes(guid):
        first = guid + uleb(1) + uleb(n - 1) + b'\1\0' + pack('<Q', CODE)
        return first + (b'\1' + guid + b'\1\0' + b'\1\x80\x10') * (n - 1)
    elf = program(nops(16 * n), functions(n, 16, LOCAL_FUNC, 'f'))
    return with_probes(elf, 'f', probes, traces(n))


def trees_one_function(n):
    """Each inlined into the one before, in one record; and as many records of that function."""
    def probes(guid):
        deep = guid + b'\0\1' + (b'\1' + guid + b'\0\1') * (n - 2) + b'\1' + guid + b'\0\0'
        return deep + (guid + b'\1\0' + b'\1\x80\0') * n
    return with_probes(program(nops(16), [('f', CODE, 16, FUNC)]), 'f', probes, FEW)


MAP = 0x6fff4c0a # SHT_LLVM_BB_ADDR_MAP


def mapped(code, content, functions=None, times=1):
    """A program with the compiler's map of its code, in so many sections over each other."""
    elf = program(code, functions or [('f', CODE, len(code), FUNC)])
    place = elf.put(content)
    for _ in range(times):
        elf.section('.llvm_bb_addr_map', place, MAP)
    return with_samples(elf)


def map_head(features, ranges=None):
    return bytes([5, features, 0]) + (b'' if ranges is None else uleb(ranges))


def map_ranges_one_place(n):
    """Each range is the whole code again, which is calls of itself."""
    code = b''.join(b'\xe8' + pack('<i', -5 * i - 5) for i in range(n))
    content = map_head(15, n) + b''.join(pack('<Q', CODE) + b'\1' + uleb(i) + b'\0' + uleb(len(code)) + b'\x08' for i in range(n))
    return mapped(code, content + uleb(1000) + b''.join(b'\x01\x01' + uleb((i + 1) % n) + uleb(1 << 30) for i in range(n)))


def map_sections_one_place(n):
    code = nops(16 * n)
    content = b''.join(map_head(7) + pack('<Q', CODE + 16 * i) + b'\1\0\0\x10\x01\x05\1\0' for i in range(n))
    return mapped(code, content, functions(n), n)


def map_dense(n):
    """Blocks that lead anywhere: whoever takes one out joins all before it with all after it."""
    code = b'\x90\xc3' * n
    blocks = b''.join(uleb(i) + b'\0\x02\0' for i in range(n))
    ways = b''.join(b'\1\x08' + b''.join(uleb((i * 7919 + k * k * 104729 + k) % n) + uleb(1 << 27) for k in range(8)) for i in range(n))
    return mapped(code, map_head(7) + pack('<Q', CODE) + uleb(n) + blocks + uleb(1000) + ways)


def map_successors_of_one(n):
    """A jump to any of n emptied blocks, which replace each other."""
    code = b'\xff\xe0' + RET * 14
    blocks = b'\0\0\x02\x10' + b''.join(uleb(i + 1) + b'\0\0\x08' for i in range(n))
    ways = b'\1' + uleb(n) + b''.join(uleb(i + 1) + uleb((1 << 31) // n) for i in range(n))
    ways += b''.join(b'\1\1' + uleb(i % n + 1) + uleb(1 << 31) for i in range(1, n + 1))
    return mapped(code, map_head(7) + pack('<Q', CODE) + uleb(n + 1) + blocks + uleb(1000) + ways)


def map_lines(n):
    """Blocks without a branch, each of which falls to the next, and can be entered from the first one."""
    code = b'\xff\xe0' + b'\x90\x50' * n + RET * 14
    blocks = b'\0\0\x02\x10' + b''.join(uleb(i + 1) + b'\0\x02\x08' for i in range(n))
    ways = b'\1' + uleb(n) + b''.join(uleb(i + 1) + uleb((1 << 31) // n) for i in range(n))
    ways += b''.join(b'\1\1' + uleb(i + 1) + uleb(1 << 31) for i in range(1, n)) + b'\1\0'
    return mapped(code, map_head(7) + pack('<Q', CODE) + uleb(n + 1) + blocks + uleb(1000000000) + ways)


KINDS = {
    'map-ranges-one-place': (map_ranges_one_place, 4000), 'map-sections-one-place': (map_sections_one_place, 1000), 'map-dense': (map_dense, 4000),
    'map-successors-of-one': (map_successors_of_one, 20000), 'map-lines': (map_lines, 20000),
    'jumps-one-table': (jumps_one_table, 4000), 'tables-in-tables': (tables_in_tables, 4000),
    'jumps-of-parts': (jumps_of_parts, 2000), 'jumps-without-writer': (jumps_without_writer, 100000),
    'fdes-one-lsda': (fdes_one_lsda, 2000), 'names-one-string': (names_one_string, 6000),
    'global-names-one-string': (global_names_one_string, 6000), 'functions-one-file': (functions_one_file, 4000),
    'parts-of-files': (parts_of_files, 3000), 'sections-one-name': (sections_one_name, 4000),
    'sections-over-each-other': (sections_over_each_other, 4000), 'code-sections-one-place': (code_sections_one_place, 1000),
    'code-sections': (code_sections, 4000), 'relas-one-place': (relas_one_place, 600),
    'text-relas-one-place': (text_relas_one_place, 600), 'relas-one-name': (relas_one_name, 4000),
    'plts-one-slot': (plts_one_slot, 4000), 'plts-one-place': (plts_one_place, 3700),
    'notes-one-place': (notes_one_place, 600), 'note-segments-one-place': (note_segments_one_place, 600),
    'segments-one-place': (segments_one_place, 300), 'program-headers': (program_headers, 1100),
    'equal-symbols': (equal_symbols, 30000), 'nested-symbols': (nested_symbols, 30000),
    'slashes-one-name': (slashes_one_name, 10000), 'traces-one-gap': (traces_one_gap, 10000),
    'traces-one-function': (traces_one_function, 20000), 'samples-one-function': (samples_one_function, 20000),
    'short-functions': (short_functions, 10000), 'long-names': (long_names, 4000),
    'bat-cold-one-parent': (bat_cold_one_parent, 3000), 'bat-one-fragment': (bat_one_fragment, 10000),
    'probes-one-block': (probes_one_block, 40000), 'functions-one-tree': (functions_one_tree, 4000),
    'trees-one-function': (trees_one_function, 20000),
    'bat-branches': (bat_branches, 10000), 'bat-one-input': (bat_one_input, 3000),
    'bat-nested': (bat_nested, 2000), 'bat-padding': (bat_padding, 16000, 5000),
}
