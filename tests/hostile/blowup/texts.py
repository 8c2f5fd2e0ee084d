"""Kinds of text: lines that say nothing, compressed to nearly nothing, and samples of addresses everywhere."""
from binaries import nops
from files import BODY, CODE, FUNC, pack, program
from recordings import binary, squeezed

BLANK = b'\n' * (1 << 20)


def with_blank_lines(first, n, last=b''):
    """n MiB of blank lines after a line: zstd makes less of them than is let through, so that each MiB has 1 KiB next to it
    that is skipped."""
    filler = pack('<II', 0x184d2a50, 1024) + bytes(1024)
    return squeezed(first) + (squeezed(BLANK) + filler) * n + squeezed(last)


def records(n):
    return {'binary': binary(), 'samples': with_blank_lines(b'T 401000 401000 401004 1\n', n)}


def script(n):
    first = b'x 1 0.5: PERF_RECORD_MMAP2 1/1: [0x401000(0x10000) @ 0x1000 08:01 7 0]: r-xp /x/binary\nx 1 1.0: cycles: 401010\n'
    return {'binary': binary(), 'recording': with_blank_lines(first, n)}


def script_parts(n):
    head = b'PERFTEXT;BUILDIDS=0;MMAP=0;MAIN=%x;TASK=0;MEM=0;\n' % (n << 20)
    return {'binary': binary(), 'recording': with_blank_lines(head, n)}


def raw_stacks(n):
    return {'samples': with_blank_lines(b'1 p1 401000\n', n)}


def maps(n):
    return {'binary': binary(), 'maps': with_blank_lines(b'401000-411000 r-xp 00001000 08:01 77 /x/binary\n', n)}


def profile(n):
    return {'profile': with_blank_lines(b'boltedcollection\n1 f 0 1 f 4 0 1\n', n)}


def profile_of_records(n):
    return {'profile': with_blank_lines(b'T 401000 401000 401004 1\n', n)}


def profile_yaml(n):
    head = (b'---\nheader:\n  profile-version: 1\n  binary-name: \'binary\'\n  profile-flags: [ lbr ]\n  profile-events: \'cycles\'\n'
            b'functions:\n')
    function = (b'  - name: f\n    fid: 1\n    hash: 0x1\n    exec: 1\n    nblocks: 1\n    blocks:\n      - bid: 0\n        insns: 1\n'
                b'        hash: 0x1\n        exec: 1\n...\n')
    return {'profile': with_blank_lines(head, n, function)}


def spread(n):
    """Runs of code, each as long as one can be, and branches, all over 4 GB."""
    step = (1 << 32) // n
    return b''.join(b'F %x %x 1\nT %x %x %x 1\n' % (i * step, i * step + 0xff00, i * step + 1, (i * step * 7) & 0xffffffff,
                                                    (i * step * 7) & 0xffffffff) for i in range(n))


def traces_everywhere(n):
    return {'binary': binary(), 'samples': spread(n)}


def code_everywhere(n):
    """The program has memory at all of these addresses."""
    code = nops(65536)
    elf = program(code, [('f', CODE, 65536, FUNC)])
    elf.segments[0] = pack('<IIQQQQQQ', 1, 5, BODY, CODE, CODE, len(code), (1 << 32) - CODE, 4096)
    return {'binary': elf.bytes(), 'samples': spread(n)}


def samples_everywhere(n):
    """One in each line of a heat map whose lines are as long as they can be, so that the empty lines between them are drawn."""
    files = code_everywhere(1)
    return {**files, 'samples': b'E cycles\n' + b''.join(b'S %x 1\n' % (CODE + i * ((1 << 32) - CODE - 1) // n) for i in range(n))}


KINDS = {
    'blank-records': (records, 40, 8), 'blank-script': (script, 40, 5), 'blank-script-parts': (script_parts, 40, 5),
    'blank-stacks': (raw_stacks, 40, 64), 'blank-maps': (maps, 2, 20), 'blank-profile': (profile, 40, 40),
    'blank-profile-records': (profile_of_records, 40, 48), 'blank-profile-yaml': (profile_yaml, 5, 2),
    'traces-everywhere': (traces_everywhere, 10000), 'code-everywhere': (code_everywhere, 10000, 400),
    'samples-everywhere': (samples_everywhere, 10000),
}
