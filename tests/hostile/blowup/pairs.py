"""Kinds of pairs: a binary and the input that llvm-bolt read, which refer to each other many times."""
from binaries import FRAMES, TABLES, bat_cold_one_parent, bat_nested, bat_one_fragment, nops, with_bat
from files import CODE, FUNC, LOCAL_FUNC, RET, bat_hashed, data, pack, program, uleb

def call(at, to):
    return b'\xe8' + pack('<i', to - at - 5)


def pair(output, rows, table, code, functions, samples):
    return {'binary': with_bat(output, rows, table).bytes(), 'input': program(code, functions).bytes(), 'samples': samples}


def folded(n):
    """Functions that are one body in the output, each called from a location of its own."""
    size = 5 * n + 16 & ~15
    callers = CODE + 16 * n
    calls = b''.join(call(callers + 5 * i, CODE) for i in range(n)).ljust(size, RET)
    names = [(f'f{i}', CODE, 16, FUNC) for i in range(n)] + [('main', callers, size, FUNC)]
    table = bat_hashed([(CODE, 1, [], [(0, 0, 1, 0)]), (callers, 1, [], [(0, 0, 1, 0)] + [(5 * i, 5 * i, i + 2, i) for i in range(1, n)])])
    code = nops(16) * n + b''.join(call(callers + 5 * i, CODE + 16 * i) for i in range(n)).ljust(size, RET)
    functions = [(f'f{i}', CODE + 16 * i, 16, FUNC) for i in range(n)] + [('main', callers, size, FUNC)]
    return pair(nops(16) * n + calls, names, table, code, functions,
                b''.join(b'T %x %x %x 1\n' % (callers + 5 * i, CODE, CODE + 14) for i in range(n)))


def inlined(n, callees=1):
    """One block calls many functions, all of which were inlined, and these call others, which the output calls there."""
    size = 5 * n + 16 & ~15
    body = 16 * n
    leaves = [(f'leaf{i}', CODE + size + 16 * i, 16, FUNC) for i in range(n)]
    calls = b''.join(call(CODE + 5 * i, leaves[i][1]) for i in range(n)).ljust(size, RET)
    table = bat_hashed([(CODE, 1, [], [(0, 0, 1, 0)])])
    large, end = [], CODE + size + body
    for i in range(callees):
        large.append((f'large{i}', end + 4096 * i, 4096, FUNC))
    # The first of them calls the next ones, in code that is long.
    chain = [call(large[0][1] + 5 * i, large[(i + 1) % callees][1]) for i in range(min(callees, 32))] if large else []
    bodies = b''.join((b''.join(chain) if not i else b'').ljust(4095, b'\x90') + RET for i in range(callees))
    own = b''.join(call(CODE + 5 * i, large[i % callees if callees > 32 else 0][1]) for i in range(n)).ljust(size, RET)
    return pair(calls + nops(16) * n + bodies, [('f', CODE, size, FUNC)] + leaves + large, table,
                own + nops(16) * n + bodies, [('f', CODE, size, FUNC)] + leaves + large,
                b'B 1 %x 5 0\n' % CODE + b''.join(b'T %x %x %x 1\n' % (CODE + 5 * i, leaves[i][1], leaves[i][1] + 14) for i in range(n)))


def inlined_chain(n):
    return inlined(n, 32)


def blocks_one_function(n):
    files = bat_one_fragment(n)
    return {**files, 'input': program(nops(4 * n + 16 & ~15), [('f', CODE, 4 * n, FUNC)]).bytes()}


def cold_parts(n):
    files = bat_cold_one_parent(n)
    return {**files, 'input': program(nops(32 * n), [('f', CODE, 32 * n, FUNC)]).bytes()}


def nested(n):
    files = bat_nested(n)
    rows = [(f'f{i}', CODE + i, 65536 - i, FUNC) for i in range(n)]
    return {**files, 'input': program(b'\x90' * 65520 + RET * 16, rows).bytes()}


def one_name(n):
    """Local functions of one name, which are distinguished by their order."""
    rows = [('f', CODE + 16 * i, 16, LOCAL_FUNC) for i in range(n)]
    table = bat_hashed([(CODE + 16 * i, 1, [], [(0, 0, 1, 0)]) for i in range(n)])
    return pair(nops(16 * n), rows, table, nops(16 * n), rows,
                b''.join(b'T %x %x %x 1\n' % (CODE + 16 * i + 14, CODE + 16 * i, CODE + 16 * i + 14) for i in range(n)))


def candidates(n):
    """Each of these local functions can be each of those, the last of which is long; and their tables lead to its end."""
    rows = [('f', CODE + 16 * i, 16, LOCAL_FUNC) for i in range(n)]
    table = bat_hashed([(CODE + 16 * i, 1, [], [(0, 0, 1, 0), (8, 15 * n, 2, 1)]) for i in range(n)])
    old = [('f', CODE + i, 1, LOCAL_FUNC) for i in range(30)] + [('f', CODE + 30, 16 * n - 30, LOCAL_FUNC)]
    return pair(nops(16 * n), rows, table, b'\x90' * 30 + nops(16 * n - 30), old,
                b''.join(b'T %x %x %x 1\n' % (CODE + 16 * i + 14, CODE + 16 * i, CODE + 16 * i + 14) for i in range(n)))


def taken_out(n):
    """For a function with many blocks that do nothing, two are left, with branches from each location to each."""
    hops = b'\x74\0' * n
    code = hops.ljust(2 * n + 16 & ~15, RET)
    table = bat_hashed([(CODE, 2, [], [(0, 0, 1, 0), (2 * n - 2, 2 * n - 2, 2, n - 1)])])
    rows = [('f', CODE, len(code), FUNC)]
    return pair(code, rows, table, code, rows,
                b''.join(b'B %x %x 1 0\n' % (CODE + 2 * (i % n), CODE + 2 * n - 2 * (i // 7 % n)) for i in range(n)))


def samples_of_output(n):
    """Basic samples: the branches of the input are inferred from them."""
    files = blocks_one_function(n)
    return {**files, 'samples': b'E cycles\n' + b''.join(b'S %x %d\n' % (CODE + 4 * i, 1 + i % 977) for i in range(n))}


def frames(starts, program_of_fde, tables=b''):
    """A section .eh_frame: FDEs with one program."""
    cie = pack('<I', 0) + b'\1' + (b'zLR\0' if tables else b'zR\0') + b'\1\x78\x10' + (b'\2\0\0' if tables else b'\1\0') + b'\x0c\7\x08\x90\1'
    cie += bytes(-len(cie) % 4)
    parts = [pack('<I', len(cie)) + cie]
    at = len(parts[0])
    for start, size in starts:
        fde = pack('<IQQ', at + 4, start, size) + (b'\x08' + pack('<Q', TABLES) if tables else b'\0') + program_of_fde
        fde += bytes(-len(fde) % 4)
        parts.append(pack('<I', len(fde)) + fde)
        at += len(parts[-1])
    return b''.join(parts) + bytes(4)


def with_frames(n, program_of_fde, tables=b'', starts=None):
    """Functions of one block in both binaries, and FDEs of all code with one program; `tables` is the exception table of each."""
    rows = [(f'f{i}', CODE + 16 * i, 16, FUNC) for i in range(n)]
    table = bat_hashed([(CODE + 16 * i, 1, [], [(0, 0, 1, 0)]) for i in range(n)])
    section = frames(starts or [(CODE + 8, 16 * n)], program_of_fde, tables) # within a function: it is none by itself
    output, source = with_bat(nops(16 * n), rows, table), program(nops(16 * n), rows)
    for elf in (output, source):
        data(elf, '.eh_frame', FRAMES, section)
        if tables:
            data(elf, '.gcc_except_table', TABLES, tables)
    return {'binary': output.bytes(), 'input': source.bytes(), 'samples': b'T 401000 401000 40100e 1\n'}


def rows_one_fde(n):
    """One FDE describes all functions, with a row for each: each function asks for all of them."""
    return with_frames(n, b''.join(b'\x50\x0e' + bytes([16 + i % 64]) for i in range(n)))


def rules_of_rows(n):
    """Rows that each have many rules, and are remembered."""
    return with_frames(16, b''.join(b'\5' + bytes([reg, 1]) for reg in range(32, 64)) + b''.join(b'\x0a\x41\x0e' + bytes([16 + i % 64]) + b'\x0b' for i in range(n)))


def call_sites_one_table(n):
    sites = (pack('<III', 0, 4, 8) + b'\1') * n
    return with_frames(n, b'', b'\xff\0' + uleb(len(sites) + 16) + b'\3' + uleb(len(sites)) + sites + b'\1\x7f' * 4,
                       [(CODE + 16 * i, 16) for i in range(n)])


def one_function(out, code, blocks):
    """One function in both, whose rules differ at its beginning, so that both codes are followed."""
    size = max(len(out), len(code)) + 16 & ~15
    row = [('f', CODE, size, FUNC)]
    output = with_bat(out.ljust(size, RET), row, bat_hashed([(CODE, len(blocks), [], blocks)]))
    source = program(code.ljust(size, RET), row)
    for elf, rule in ((output, b'\x0e\x10'), (source, b'')):
        data(elf, '.eh_frame', FRAMES, frames([(CODE, size)], rule))
    return {'binary': output.bytes(), 'input': source.bytes(), 'samples': b'T 401000 401000 401001 1\n'}


def one_block(n):
    """Each instruction of the output is a block, and each is the input's first one, which is long and has nothing of it."""
    return one_function(b'\x92' * n, b'\x91' * n, [(i, 0, 1, 0) for i in range(n)])


def leaders(n):
    """Jumps to each instruction, in a loop that forgets one register in each round."""
    moves = bytes.fromhex('4d89f7 4d89ee 4d89e5 4989ec 4889dd 4889c3 50') # mov r14,r15 ... rbx,rbp; rax,rbx; push
    code = moves + b'\x74\0' * n
    code += b'\x0f\x84' + pack('<i', -len(code) - 6)
    return one_function(code, code, [(0, 0, 1, 0)])


def many_leaders(n):
    """The same in functions that are small enough to be followed."""
    count, each = max(n // 4000, 1), 4000
    moves = bytes.fromhex('4d89f7 4d89ee 4d89e5 4989ec 4889dd 4889c3 50')
    code = moves + b'\x74\0' * each
    code += b'\x0f\x84' + pack('<i', -len(code) - 6)
    size = len(code) + 16 & ~15
    rows = [(f'f{i}', CODE + size * i, size, FUNC) for i in range(count)]
    all_code = code.ljust(size, RET) * count
    output = with_bat(all_code, rows, bat_hashed([(CODE + size * i, 1, [], [(0, 0, 1, 0)]) for i in range(count)]))
    source = program(all_code, rows)
    for elf, rule in ((output, b'\x0e\x10'), (source, b'')):
        data(elf, '.eh_frame', FRAMES, frames([(CODE + size * i, size) for i in range(count)], rule))
    return {'binary': output.bytes(), 'input': source.bytes(), 'samples': b'T 401000 401000 401001 1\n'}


def with_debug(n, line, units, abbreviations, **sections):
    """Functions of one block in both binaries; debug information of both, with another length of the last padding."""
    rows = [(f'f{i}', CODE + 16 * i, 16, FUNC) for i in range(16)]
    table = bat_hashed([(CODE + 16 * i, 1, [], [(0, 0, 1, 0)]) for i in range(16)])
    output, source = with_bat(nops(256), rows, table), program(nops(256), rows)
    for elf, more in (output, b'\0'), (source, b''):
        for name, content in ('line', line + more), ('info', units), ('abbrev', abbreviations), *sections.items():
            elf.section('.debug_' + name, elf.put(content), 1, 0, 0)
    return {'binary': output.bytes(), 'input': source.bytes(), 'samples': b'T 401000 401000 40100e 1\n'}


UNIT = b'\1\x11\0\x10\x17\0\0'  # an abbreviation: a unit with the byte of its line table


def debug_units(count, abbreviation=1):
    content = pack('<HIB', 4, 0, 8) + uleb(abbreviation) + pack('<I', 0)
    return (pack('<I', len(content)) + content) * count


def line_table(folder, files, rows):
    head = bytes([1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + folder + b'\0\0' + b'a\0\1\0\0' * files + b'\0'
    content = pack('<HI', 4, len(head)) + head + b'\0\x09\2' + pack('<Q', CODE) + rows + b'\2\1\0\1\1'
    return pack('<I', len(content)) + content


def files_one_folder(n):
    """Paths of n letters."""
    return with_debug(n, line_table(b'f' * n, n, b'\1'), debug_units(1), UNIT + b'\0')


def rows_of_one_byte(n):
    return with_debug(n, line_table(b'f', 1, b'\x20' * n), debug_units(1), UNIT + b'\0')


def units_one_table(n):
    return with_debug(n, line_table(b'f', n, b'\x20' * n), debug_units(n), UNIT + b'\0')


def units_one_abbreviations(n):
    """A table of n abbreviations, of which each unit has the last one."""
    table = b''.join(uleb(i + 2) + UNIT[1:] for i in range(n)) + b'\0'
    return with_debug(n, line_table(b'f', 1, b'\1'), debug_units(n, n + 1), table)


def with_entries(n, abbreviations, entries, **sections):
    """A unit with these entries in it, with a line table of one row."""
    table = UNIT[:3].replace(b'\0', b'\1') + UNIT[3:] + abbreviations + b'\0'
    content = pack('<HIB', 4, 0, 8) + uleb(1) + pack('<I', 0) + entries + b'\0'
    files = with_debug(n, line_table(b'f', 1, b'\1'), pack('<I', len(content)) + content, table, **sections)
    return files


def attributes_without_bytes(n):
    """Entries of one byte, with n flags each."""
    return with_entries(n, b'\2\x34\0' + b'\x3f\x19' * n + b'\0\0', b'\2' * n)


def attributes_one_entry(n):
    """An entry with n attributes of different names, none of which takes a byte."""
    return with_entries(n, b'\2\x34\0' + b''.join(uleb(0x2100 + i) + b'\x19' for i in range(n)) + b'\0\0', b'\2')


def references_one_entry(n):
    """An entry with n references to an entry of another unit with n attributes, none of which is a name."""
    own = pack('<HIB', 4, 0, 8) + b'\2'
    content = pack('<HIB', 4, 0, 8) + uleb(1) + pack('<I', 0) + b'\3' + pack('<I', 11) * n + b'\0'
    table = UNIT[:3].replace(b'\0', b'\1') + UNIT[3:] + b'\2\x11\0' + b'\x3f\x19' * n + b'\0\0' + b'\3\x34\0' + b'\x49\x10' * n + b'\0\0\0'
    units = b''.join(pack('<I', len(unit)) + unit for unit in (own, content))
    return with_debug(n, line_table(b'f', 1, b'\1'), units, table)


def scopes_one_list(n):
    """Blocks that cover one list of n ranges."""
    ranges = b''.join(pack('<QQ', CODE + i % 255, CODE + i % 255 + 1) for i in range(n)) + bytes(16)
    return with_entries(n, b'\2\x0b\0\x55\x17\0\0', (b'\2' + bytes(4)) * n, ranges=ranges)


def scopes_all_code(n):
    """Blocks that cover all code, in which each function is a part."""
    return with_entries(n, b'\2\x0b\0\x11\1\x12\7\0\0', (b'\2' + pack('<QQ', CODE, 1 << 20)) * n)


def variables_one_list(n):
    """Variables with one location list."""
    places = b''.join(pack('<QQH', i, i + 1, 1) + bytes([0x50 + i % 32]) for i in range(n)) + bytes(16)
    return with_entries(n, b'\2\x34\0\2\x17\0\0', (b'\2' + bytes(4)) * n, loc=places)


def expressions_over_each_other(n):
    """Location lists that begin a few bytes after each other, and hold long expressions: each byte of them is an operation."""
    places = (b'\x96' * 15 + b'\x97' + b'\x96' * 10) * n
    return with_entries(n, b'\2\x34\0\2\x17\0\0', b''.join(b'\2' + pack('<I', 26 * i) for i in range(n)), loc=places)


def entries_one_name(n):
    return with_entries(n, b'\2\x34\0\3\x0e\0\0', (b'\2' + bytes(4)) * n, str=b'v' * n + b'\0')


KINDS = {
    'pair-one-block': (one_block, 16000), 'pair-leaders': (leaders, 40000), 'pair-many-leaders': (many_leaders, 40000),
    'pair-rows': (rows_one_fde, 8000), 'pair-rules': (rules_of_rows, 30000), 'pair-call-sites': (call_sites_one_table, 3000),
    'pair-line-files': (files_one_folder, 20000), 'pair-line-rows': (rows_of_one_byte, 30000), 'pair-line-units': (units_one_table, 8000),
    'pair-attributes': (attributes_without_bytes, 20000), 'pair-attributes-one': (attributes_one_entry, 100000),
    'pair-references': (references_one_entry, 30000), 'pair-scopes': (scopes_one_list, 8000), 'pair-scopes-code': (scopes_all_code, 20000),
    'pair-variables': (variables_one_list, 8000), 'pair-expressions': (expressions_over_each_other, 8000), 'pair-entry-names': (entries_one_name, 20000),
    'pair-abbreviations': (units_one_abbreviations, 8000), 'pair-folded': (folded, 4000), 'pair-inlined': (inlined, 2000), 'pair-inlined-chain': (inlined_chain, 2000),
    'pair-blocks': (blocks_one_function, 8000), 'pair-cold-parts': (cold_parts, 3000), 'pair-nested': (nested, 2000), 'pair-one-name': (one_name, 4000),
    'pair-candidates': (candidates, 4000), 'pair-taken-out': (taken_out, 8000), 'pair-samples': (samples_of_output, 4000),
}
