"""Kinds of recordings and maps whose size grows with n and what they ask for with its square; and compressed ones."""
import os
import random
import subprocess

from binaries import nops
from files import (ATTR, BODY, BRANCH_STACK, BUILD_ID, CODE, COMPRESSED, EVENT_UPDATE, EXIT, FUNC, IDENTIFIER, IP, ROUND, TID, TIME, attr, fork, mmap2,
                   SAMPLE, pack, pipe, program, record, recording, sample)

PROGRAM = '/x/binary'
RINGS_ROUND, RINGS_END = 0xffffffff, 0xfffffffe
NO_PID = 0xffffffff


def binary():
    return program(nops(65536), [('f', CODE, 65536, FUNC)]).bytes()


def with_binary(content):
    return {'binary': binary(), 'recording': content}


def first():
    return mmap2(1, CODE & ~0xfff, 0x10000, PROGRAM, 1, BODY)


def fork_chain(n):
    rows = [first()]
    for i in range(n):
        rows.append(fork(i + 2, i + 1, 2 * i + 2))
        rows.append(mmap2(i + 2, 0x7f0000000000 + i * 4096, 4096, '/l.so', 2 * i + 3))
    return with_binary(recording(rows))


def fork_chain_many_files(n):
    rows = [first()]
    for i in range(n):
        rows.append(fork(i + 2, i + 1, 2 * i + 2))
        rows.append(mmap2(i + 2, 0x7f0000000000 + i * 4096, 4096, f'/nowhere/{i}', 2 * i + 3))
    return with_binary(recording(rows))


def samples_between_maps(n):
    """A map of its own for each sample."""
    rows = [first()]
    for i in range(n):
        rows.append(mmap2(1, 0x7f0000000000 + i * 8192, 4096, '/l.so', 2 * i + 3))
        rows.append(sample(1, CODE, 2 * i + 4))
    return with_binary(recording(rows))


def mappings_any_base(n):
    """The program, mapped at n addresses that have no base in common; of a shared library each is one."""
    rows = [mmap2(1, 0x7f0000000000 + i * 0x21000, 0x10000, PROGRAM, i + 1, BODY) for i in range(n)]
    return {'binary': program(nops(65536), [('f', CODE, 65536, FUNC)], 3).bytes(), 'recording': recording(rows)}


def one_file_many_names(n):
    """Files that are there, under any number of names."""
    path = '/usr/bin/env' if os.path.exists('/usr/bin/env') else '/bin/sh'
    start, last = os.path.split(path)
    rows = [mmap2(1, 0x7f0000000000 + i * 0x10000, 4096, '%s%s%s' % (start, '/' * (1 + i % 997) + './' * (i // 997), last), i + 1)
            for i in range(n)]
    return with_binary(recording(rows))


def attrs_one_ids(n):
    rows = [first(), b''.join(record(1, pack('<Q', i)) for i in range(n))]
    return with_binary(recording(rows, [(attr(IP | TID | TIME | IDENTIFIER), 0, 16 * n)] * n))


def events_between_samples(n):
    """Through a pipe, an event can be described at any time."""
    rows = [record(ATTR, attr(IP | TID | TIME)), first()]
    for i in range(n):
        rows += [record(ATTR, attr(IP | TID | TIME) + pack('<Q', n - i)), sample(1, CODE, i + 2)]
    return with_binary(pipe(rows))


def names_between_events(n):
    rows = [record(ATTR, attr())]
    for i in range(n):
        rows += [record(ATTR, attr() + pack('<Q', n - i)), record(EVENT_UPDATE, pack('<QQ', 2, 1) + b'name\0')]
    return with_binary(pipe(rows + [first()]))


def event_types(n):
    """Lines that name the events of a type, and events of that type without a name."""
    lines = b'event_type_info\0' + b'a,9,1\n' * 20 * n + b'\0'
    return with_binary(recording([first()], [(attr(config=2, kind=9), 0, 0)] * n, [(129, lines)]))


def features_one_place(n):
    """All feature sections in the same bytes."""
    content = b'\0' * 64 * n
    out = bytearray(recording([first()], features=[(bit, b'') for bit in (2, 3, 4, 5, 11, 12, 13, 27, 129)] + [(6, content)]))
    table = out.index(content) - 16 * 10
    for i in range(10):
        out[table + 16 * i:table + 16 * i + 16] = pack('<QQ', table + 160, len(content))
    return with_binary(bytes(out))


def build_id(path, number, pid=0xffffffff):
    return record(BUILD_ID, pack('<I', pid) + bytes(16) + pack('<I', number) + pack('<I', 20) + path.encode() + b'\0', 2 | 1 << 15)


def build_ids_one_path(n):
    rows = [first()] + [build_id('/l.so', i) for i in range(n)]
    return with_binary(pipe([record(ATTR, attr())] + rows))


def build_ids_between_maps(n):
    rows = [record(ATTR, attr()), first()]
    for i in range(n):
        rows += [build_id(f'/lib/{n - i}', i), mmap2(1, 0x7f0000000000 + i * 4096, 4096, f'/lib/{n - i}', i + 2)]
    return with_binary(pipe(rows))


def rounds_backwards(n):
    """Each record is older than all before it, and a round ends after each."""
    rows = [first()]
    for i in range(n):
        rows += [sample(1, CODE, 2 * n - i), record(ROUND, b'')]
    return with_binary(recording(rows))


def saved_rings(parts, rings=1):
    """parts: (ring, bytes).  Stacks of branches."""
    event = attr(IP | TID | TIME | BRANCH_STACK)
    out = [b'batconv-rings 1\n' + pack('<III', len(event), 0, rings) + event]
    for ring, data in parts + [(RINGS_END, b'')]:
        for at in range(0, len(data) or 1, 1 << 20):
            piece = data[at:at + (1 << 20)]
            out.append(pack('<II', ring, len(piece)) + piece)
    return {'binary': binary(), 'rings': b''.join(out)}


def stack(pid, places, time):
    branches = b''.join(pack('<QQQ', at, at + 8, 0) for at in places)
    return record(SAMPLE, pack('<QIIQQ', places[0], pid, pid, time, len(places)) + branches)


def many_maps(n, pid=1):
    return b''.join(mmap2(pid, 0x7f0000000000 + i * 8192, 4096, PROGRAM, i + 1, BODY) for i in range(n))


def rings_deep_forks(n):
    """Processes that share many mappings and map one more, each with a stack of 32 branches."""
    rows = [fork(i + 2, 1, n + 3 * i) + mmap2(i + 2, 0x600000000000, 4096, PROGRAM, n + 3 * i + 1, BODY) +
            stack(i + 2, [0x600000000010] * 32, n + 3 * i + 2) for i in range(n // 8)]
    return saved_rings([(0, many_maps(n) + b''.join(rows)), (RINGS_ROUND, b'')])


def rings_rounds(n):
    """Rounds with nothing between them, of many processes and files."""
    rows = b''.join(fork(i + 2, 1, n + i) for i in range(n))
    return saved_rings([(0, many_maps(n) + rows), (RINGS_ROUND, b''), (RINGS_ROUND, b'')] + [(RINGS_ROUND, b'')] * (10 * n))


def rings_sweeps(n):
    """/proc was read, again and again."""
    rows = b''.join(fork(i + 2, 1, i + 2) for i in range(n))
    ends = b''.join(record(EXIT, pack('<IIIIQ', NO_PID, NO_PID, NO_PID, NO_PID, 1) + pack('<IIQ', NO_PID, NO_PID, n + i + 2), 0) for i in range(n))
    return saved_rings([(0, first() + rows + ends)])


def rings_many_files(n):
    """More files than are kept, in processes that come and go; a round after each."""
    parts = []
    for i in range(n):
        rows = fork(i + 2, 1, 3 * i + 2) + mmap2(i + 2, 0x600000000000, 4096, f'/nowhere/{i}', 3 * i + 3)
        parts += [(0, rows), (RINGS_ROUND, b'')]
    return saved_rings([(0, first())] + parts)


def rings_wide_stacks(n):
    """Stacks of 2,700 branches, each in another file."""
    maps = b''.join(mmap2(1, 0x7f0000000000 + i * 8192, 4096, f'/x/{i}/binary', i + 1, BODY) for i in range(4000))
    places = [0x7f0000000010 + i * 8192 for i in range(2700)]
    return saved_rings([(0, maps + b''.join(stack(1, places, 5000 + i) for i in range(n // 50)))])


def rings_cut(n):
    """Rings without end, each with a record that is cut."""
    return saved_rings([(ring % 65536, pack('<IHH', SAMPLE, 2, 65528)) for ring in range(10 * n)][:65536], 65536)


def maps_text(n):
    """Text of maps, each of one region more."""
    line = '7f%010x-7f%010x r-xp 00000000 08:01 77 /l.so\n'
    rows = [line % (i * 4096, i * 4096 + 4096) for i in range(n)]
    return {'binary': binary(), 'maps': ''.join(f'# pid {i} id 0 time {i}\n' + rows[i] for i in range(n)).encode()}


def given_maps(n):
    """Maps from outside: each process has those of its parent and the program once more, and there is a sample of each."""
    rows = [first()]
    for i in range(n):
        rows.append(fork(i + 2, i + 1, 2 * i + 2))
        rows.append(mmap2(i + 2, 0x7f0000000000 + i * 0x20000, 0x10000, PROGRAM, 2 * i + 3, BODY))
    samples = ''.join(f'{i + 2} 1.000000: cycles: {CODE + i % 65536:x} f (/x/binary)\n' for i in range(n))
    return {'binary': program(nops(65536), [('f', CODE, 65536, FUNC)], 3).bytes(), 'given': recording(rows), 'samples': samples.encode()}


def many_threads(n):
    rows = [first()]
    for i in range(n):
        rows.append(record(7, pack('<IIIIQ', 1, 1, i + 2, 1, i + 2) + pack('<IIQ', 1, 1, i + 2), 0))
        rows.append(sample(1, CODE + i % 65536, i + 2))
    return with_binary(recording(rows))


# ---- traces of Arm SPE ----

SPE = record(79, pack('<QQQ', 0, 1, 0)) + record(70, pack('<IIQQ', 4, 0, 8, 1))  # a clock of one ns, and which trace it is


def branch(address, time, context=1):
    return (b'\xb0' + pack('<Q', address) + b'\x64' + pack('<I', context) + b'\x4a\x00\xb1' + pack('<Q', CODE + 64) + b'\x71' + pack('<Q', time))


def piece(cpu, data, position=0):
    data += bytes(-len(data) % 8)
    return record(71, pack('<QQQIIiI', len(data), position, 0, 0, 0xffffffff, cpu, 0)) + data


def spe_queues(n):
    """A processor for each chunk, in which something is due before each of as many mappings."""
    rows = [SPE, first()]
    for i in range(n):
        rows.append(mmap2(1, 0x7f0000000000 + i * 8192, 4096, '/l.so', 2 * i + 3))
    for i in range(n):
        rows.append(piece(i, branch(CODE + i, 2 * i + 2) + branch(CODE + i, 2 * n + 2)))
    return with_binary(recording(rows))


def spe_between_maps(n):
    """One processor, and a mapping after each branch."""
    rows = [SPE, first()] + [mmap2(1, 0x7f0000000000 + i * 8192, 4096, '/l.so', 2 * i + 3) for i in range(n)]
    rows.append(piece(0, b''.join(branch(CODE + i % 65536, 2 * i + 2) for i in range(n))))
    return with_binary(recording(rows))


def spe_pieces(n):
    """Chunks of one byte more than nothing, losses in front of all of them, and a thread for each branch."""
    rows = [SPE, first()]
    for i in range(n):
        rows.append(record(11, pack('<QQQIIQ', 64 * i, 64, 3, 1, 1, i), 0))
        rows.append(piece(0, branch(CODE + i % 65536, i + 1, i + 2) + b'\xb0', 64 * i))
    return with_binary(recording(rows))


# ---- traces of Intel PT ----

PT = record(70, pack('<II17Q', 1, 0, 8, 0, 1, 0, 1, 0x400, 0x800, 3, 0, 1, 0x200, 0x3c000, 0, 0, 2, 0, 0))  # a tick is a ns


def pt_ip(head, address):
    return bytes([head | 3 << 5]) + address.to_bytes(6, 'little')


def pt_sync(time):
    """Outside of the program."""
    return b'\2\x82' * 8 + b'\x19' + time.to_bytes(7, 'little') + b'\2\x23'


def pt_begin(address):
    return pt_ip(0x11, address)


def pt_queues(n):
    """A thread for each chunk, in which something is due before each of as many mappings."""
    rows = [PT, first()]
    rows += [record(7, pack('<IIIIQ', 1, 1, i + 2, 1, 2) + pack('<IIQ', 1, 1, 2), 0) for i in range(n)]
    rows += [mmap2(1, 0x7f0000000000 + i * 8192, 4096, '/l.so', 2 * i + 3) for i in range(n)]
    for i in range(n):
        trace = pt_sync(2 * i + 2) + pt_begin(CODE + i) + b'\1' + pt_sync(2 * n + 2) + pt_begin(CODE + i) + b'\1'
        rows.append(of_thread(trace, tid=i + 2))
    return with_binary(recording(rows))


def pt_between_maps(n):
    """One thread, and a mapping after each time it runs."""
    rows = [PT, first()] + [mmap2(1, 0x7f0000000000 + i * 8192, 4096, '/l.so', 8000 * i + 3) for i in range(n)]
    rows.append(of_thread(b''.join(pt_sync(8000 * i + 2) + pt_begin(CODE + i % 65536) + b'\1' for i in range(n))))
    return with_binary(recording(rows))


def of_thread(data, position=0, tid=1):
    data += bytes(-len(data) % 8)
    return record(71, pack('<QQQIIII', len(data), position, 0, 0, tid, 0xffffffff, 0)) + data


def pt_lines(n):
    """Each line of code begins at another address, and all continue to the end of the code."""
    code = b'\x90' * 65536 + b'\xc3'
    trace = pt_sync(1) + b''.join(pt_begin(CODE + i % 65536) + b'\1' for i in range(n))
    return {'binary': program(code, [('f', CODE, len(code), FUNC)]).bytes(), 'recording': recording([PT, first(), of_thread(trace)])}


def pt_circle(n):
    """Code that never asks."""
    code = b'\xeb\0' * 16000 + b'\xe9' + pack('<I', (1 << 32) - 32005) + b'\xc3'
    trace = pt_sync(1) + b''.join(pt_begin(CODE + i % 16000 * 2) + b'\1' for i in range(n))
    return {'binary': program(code, [('f', CODE, len(code), FUNC)]).bytes(), 'recording': recording([PT, first(), of_thread(trace)])}


def pt_targets(n):
    """A jump that leads to itself, and to as many other addresses in turn, as far as bytes go."""
    code = b'\xff\xe0' * 16000
    trace = pt_sync(1) + pt_begin(CODE) + b''.join(b'\x2d' + pack('<H', (CODE + i * 2 % 32000) & 0xffff) for i in range(n))
    return {'binary': program(code, [('f', CODE, len(code), FUNC)]).bytes(), 'recording': recording([PT, first(), of_thread(trace)])}


def pt_pieces(n):
    """Chunks of which each ends within a packet, with a gap after it."""
    rows = [PT, first()]
    for i in range(n):
        rows.append(record(11, pack('<QQQIIQ', 64 * i, 64, 3, 1, 1, i), 0))
        rows.append(of_thread(pt_sync(i + 1) + pt_begin(CODE + i % 65536) + b'\x06\x2d', 64 * i))
    return with_binary(recording(rows))


# ---- traces of ETM and ETE ----

AARCH64, RAW = 183, 0x100  # RAW: of AUX records, no frames
ARM_NOP, ARM_RET, ARM_BR, ARM_HERE, ARM_NEXT = (pack('<I', word) for word in (
    0xd503201f, 0xd65f03c0, 0xd61f0000, 0x14000000, 0x54000020))  # br x0; b .; b.eq .+4
ETM_ON, ETM_TAKEN, ETM_AGAIN, ETM_LEAVES = b'\x04', b'\xf7', b'\x90', b'\x06\x1d'
ETM_CONTEXT = b'\x81\xb0'  # in front of its number
ETM_SYNC = bytes(11) + b'\x80\1\1\0'
ETM_BARRIER = b'\xff\xff\xff\x7f'


def etm(ete=False, depth=0, units=1):
    """Which trace this is: units of the trace ids from 1 on, which have times and contexts.  A tick is a ns."""
    words = [1, 8 << 32 | units, 0]
    for i in range(units):
        registers = [1 << 6 | 1 << 11, i + 1, 0x28000ea1, 0x4100fff3 if ete else 0x4100f453, 0x1088, depth, 0xcc] + [0x47735a13] * ete + [1]
        words += [0x5050505050505050 if ete else 0x4040404040404040, i, len(registers), *registers]
    return record(79, pack('<QQQ', 0, 1, 0)) + record(70, pack('<II%dQ' % len(words), 3, 0, *words))


def etm_address(address):
    return bytes([0x9d, address >> 2 & 127, address >> 9 & 127]) + (address >> 16).to_bytes(6, 'little')


def etm_short(address):
    return bytes([0x95, address >> 2 & 127 | 128, address >> 9 & 255])


def etm_time(time):
    return b'\2' + bytes(time >> 7 * i & 127 | 128 for i in range(8)) + bytes([time >> 56])


ETM_BEGIN = ETM_SYNC + etm_time(3) + ETM_ON + etm_address(CODE)


def etm_raw(trace, code=ARM_NOP * 16384, **more):
    """For one unit and one thread."""
    raw = record(11, pack('<QQQIIQ', 0, len(trace), RAW, 1, 1, 1), 0)
    return etm_files([etm(**more), first(), raw, of_thread(trace)], code)


def etm_files(rows, code=ARM_NOP * 16384):
    code += ARM_RET
    return {'binary': program(code, [('f', CODE, len(code), FUNC)], machine=AARCH64).bytes(), 'recording': recording(rows)}


def etm_frames(streams):
    """Bytes of trace ids, 1 and more, that are as long as each other: of each id one in turn, seven in a frame."""
    pairs = [byte for of_all in zip(*streams.values()) for byte in zip(streams, of_all)]
    pairs += [(0, 0)] * (-len(pairs) % 7)
    return b''.join(b''.join(bytes([number << 1 | 1, byte]) for number, byte in pairs[i:i + 7]) + b'\1\0' for i in range(0, len(pairs), 7))


def etm_sources(n):
    """As many units as there are numbers, in one buffer: no two bytes of one of them are side by side."""
    trace = etm_frames({i: ETM_BEGIN + ETM_TAKEN * (n // 8) for i in range(1, 112)})
    return etm_files([etm(units=111), first(), of_thread(trace)], ARM_HERE)


def etm_queues(n):
    """Threads whose buffers have bytes of seven units, and mappings before what each of them did last."""
    rows = [etm(units=7), first()]
    rows += [record(7, pack('<IIIIQ', 1, 1, i + 2, 1, 2) + pack('<IIQ', 1, 1, 2), 0) for i in range(n)]
    rows += [mmap2(1, 0x7f0000000000 + i * 8192, 4096, '/l.so', 2 * i + 3) for i in range(n)]
    for i in range(n):
        trace = ETM_BEGIN + ETM_TAKEN + etm_time(2 * i + 4) + ETM_TAKEN + etm_time(2 * n + 4) + ETM_TAKEN
        rows.append(of_thread(etm_frames({k: trace for k in range(1, 8)}), tid=i + 2))
    return etm_files(rows, ARM_HERE)


def etm_between_maps(n):
    """One thread, and a mapping after each branch."""
    rows = [etm(), first()] + [mmap2(1, 0x7f0000000000 + i * 8192, 4096, '/l.so', 2 * i + 3) for i in range(n)]
    trace = ETM_BEGIN + b''.join(etm_time(2 * i + 4) + ETM_TAKEN for i in range(n))
    rows.append(record(11, pack('<QQQIIQ', 0, len(trace), RAW, 1, 1, 1), 0))
    return etm_files(rows + [of_thread(trace)], ARM_HERE)


def etm_barriers(n):
    """A barrier after each frame, which cuts the bytes of all units; and nothing but barriers."""
    streams = etm_frames({i: ETM_BEGIN + ETM_TAKEN * (n // 400) for i in range(1, 112)})
    trace = b''.join(streams[i:i + 16] + ETM_BARRIER * 4 for i in range(0, len(streams), 16)) + ETM_BARRIER * 4 * n
    return etm_files([etm(units=111), first(), of_thread(trace)])


def etm_syncs(n):
    return etm_raw(ETM_BEGIN + ETM_SYNC * n)


def etm_circle(n):
    """A branch to itself; 24 times for each byte."""
    return etm_raw(ETM_BEGIN + b'\xd4' * 4 * n, ARM_HERE)


def arm_blocks(count):
    """Branches to the next instruction, of which the last one leads to the first."""
    return ARM_NEXT * (count - 1) + pack('<I', 0x54000000 | ((1 << 19) + 1 - count) << 5)


def etm_blocks(n):
    """A loop of many branches, all of them taken."""
    return etm_raw(ETM_BEGIN + b'\xd4' * 4 * n, arm_blocks(16000))


def etm_lines(n):
    """Each line of code begins at another address, and all continue to the end of the code."""
    return etm_raw(ETM_BEGIN + b''.join(ETM_ON + etm_short(CODE + 4 * i % 65536) + ETM_TAKEN for i in range(n)))


def etm_addresses(n):
    """A jump that leads to itself, by the shortest packets, and to as many other addresses in turn; and addresses that nothing asks for."""
    others = b''.join(ETM_TAKEN + etm_short(CODE + 4 * i % 65536) for i in range(n))
    return etm_raw(ETM_BEGIN + (ETM_TAKEN + ETM_AGAIN) * n + others + b'\x92' * 4 * n, ARM_BR * 16384)


def etm_exceptions(n):
    return etm_raw(ETM_BEGIN + (ETM_LEAVES + ETM_AGAIN + ETM_ON + ETM_AGAIN) * 2 * n)


def etm_times(n):
    return etm_raw(ETM_BEGIN + b''.join(b'\2' + bytes([i % 128]) + ETM_TAKEN for i in range(2 * n)), ARM_HERE)


def etm_contexts(n):
    """A thread for each branch, of which the recording knows none."""
    return etm_raw(ETM_BEGIN + b''.join(ETM_CONTEXT + pack('<I', i) + ETM_TAKEN for i in range(1, n)), ARM_HERE)


def etm_guesses(n):
    """As many elements as can wait, none of which is a branch; then one branch after the other that went another way."""
    return etm_raw(ETM_BEGIN + ETM_LEAVES + b''.join(b'\2' + bytes([i % 127 + 1]) for i in range(480)) + b'\x30' * 4 * n + b'\x2e\1' * n, depth=240)


def etm_from(n):
    """ETE: a branch whose address is reported, to which all of the code leads each time; of as much code as may lie between two branch outcomes."""
    return etm_raw(ETM_BEGIN + b'\xb8' + etm_address(CODE + 4 * 59)[1:] + b'\xb0' * 4 * n, arm_blocks(60), ete=True)


def etm_garbage(n):
    """Bytes without sense, after synchronizations, as they are and as frames."""
    noise = random.Random(n).randbytes(8 * n)
    trace = b''.join(ETM_BEGIN + noise[i:i + 400] for i in range(0, len(noise), 400))
    raw = record(11, pack('<QQQIIQ', 0, len(trace), RAW, 1, 2, 1), 0)
    return etm_files([etm(units=111), first(), raw, of_thread(trace, tid=2), of_thread(noise)])


# ---- compressed ----

def squeezed(content):
    return subprocess.run(['zstd', '-q', '-19', '-c'], input=content, stdout=subprocess.PIPE, check=True).stdout


def compressed_records(n):
    """Records that represent many of 8 bytes each, as few bytes as zstd makes of them."""
    frame = squeezed(record(99, b'') * (1 << 20))
    rest = -len(frame) % 8
    skipped = pack('<II', 0x184d2a50, rest) + bytes(rest)
    rows = [first()] + [record(COMPRESSED, frame + skipped)] * n
    return with_binary(recording(rows))


def side_file(n):
    """A small file that looks like one of 8 TiB, with sections as large."""
    size, text = 8 << 40, 4 << 40
    names = b'\0.text\0.note.x\0.shstrtab\0'
    rows = [(0, 0, 0, 0, 0, 0), (1, 1, 6, CODE, 4096, text), (7, 7, 2, 0, 4096, text), (15, 3, 0, 0, 64 + 56, len(names))]
    sections = b''.join(pack('<IIQQQQIIQQ', name, kind, flags, address, offset, length, 0, 0, 1, 0)
                        for name, kind, flags, address, offset, length in rows)
    head = b'\x7fELF\2\1\1' + bytes(9) + pack('<HHIQQQIHHHHHH', 2, 62, 1, CODE, 64, 256, 0, 64, 56, 1, 64, 4, 3)
    head += pack('<IIQQQQQQ', 1, 5, 4096, CODE & ~0xfff, CODE & ~0xfff, text, text, 1) + names
    head += bytes(256 - len(head)) + sections
    out = b'BATCONV-SPARSE1\n' + pack('<QQQQ', size, 1, 0, len(head)) + squeezed(head)
    return {'binary': out, 'samples': b'T 401000 401000 401004 1\nS 401000 1\n' * n}


KINDS = {
    'fork-chain': (fork_chain, 6000, 400), 'fork-chain-many-files': (fork_chain_many_files, 6000, 400),
    'samples-between-maps': (samples_between_maps, 6000, 800), 'mappings-any-base': (mappings_any_base, 8000),
    'one-file-many-names': (one_file_many_names, 4000), 'attrs-one-ids': (attrs_one_ids, 3000),
    'events-between-samples': (events_between_samples, 4000), 'names-between-events': (names_between_events, 4000),
    'event-types': (event_types, 4000), 'features-one-place': (features_one_place, 4000),
    'build-ids-one-path': (build_ids_one_path, 10000), 'build-ids-between-maps': (build_ids_between_maps, 4000),
    'rounds-backwards': (rounds_backwards, 10000), 'maps-text': (maps_text, 6000), 'many-threads': (many_threads, 6000),
    'given-maps': (given_maps, 6000, 800),
    'pt-queues': (pt_queues, 3000, 800), 'pt-between-maps': (pt_between_maps, 6000, 800), 'pt-lines': (pt_lines, 20000), 'pt-circle': (pt_circle, 20000),
    'pt-targets': (pt_targets, 40000), 'pt-pieces': (pt_pieces, 6000),
    'etm-sources': (etm_sources, 3000), 'etm-queues': (etm_queues, 400, 100), 'etm-between-maps': (etm_between_maps, 6000, 800), 'etm-barriers': (etm_barriers, 20000),
    'etm-syncs': (etm_syncs, 20000), 'etm-circle': (etm_circle, 20000), 'etm-blocks': (etm_blocks, 20000), 'etm-lines': (etm_lines, 20000),
    'etm-addresses': (etm_addresses, 20000), 'etm-exceptions': (etm_exceptions, 20000), 'etm-times': (etm_times, 20000), 'etm-contexts': (etm_contexts, 6000),
    'etm-guesses': (etm_guesses, 20000), 'etm-from': (etm_from, 20000), 'etm-garbage': (etm_garbage, 10000),
    'spe-queues': (spe_queues, 4000, 800), 'spe-between-maps': (spe_between_maps, 6000, 800), 'spe-pieces': (spe_pieces, 6000),
    'rings-deep-forks': (rings_deep_forks, 4000), 'rings-rounds': (rings_rounds, 6000), 'rings-sweeps': (rings_sweeps, 10000),
    'rings-many-files': (rings_many_files, 8000), 'rings-wide-stacks': (rings_wide_stacks, 4000), 'rings-cut': (rings_cut, 4000),
    'compressed-records': (compressed_records, 40, 1), 'side-file': (side_file, 1),
}
