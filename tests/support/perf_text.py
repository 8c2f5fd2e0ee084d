"""Reads perf script text of one process in a plain way, for scripts that check batconv."""
import re

MAP = re.compile(r'\[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*\]: r-xp .*/([^/\n]+)$')


def base_of(elf, path, name):
    """Run-time address less vaddr, from the first mapping of a file that holds a code section."""
    for line in open(path):
        found = MAP.search(line)
        if not found or found[4] != name:
            continue
        start, size, offset = int(found[1], 16), int(found[2], 16), int(found[3], 16)
        for address, _, at in elf.code:
            if offset <= at < offset + size:
                return start - offset + at - address
    raise SystemExit('%s: no mapping of %s' % (path, name))


def addresses(path):
    """The sampled address of each line `pid event: ip`."""
    for line in open(path):
        fields = line.split()
        if len(fields) == 3 and fields[0].isdigit() and fields[1].endswith(':') and 'RECORD' not in line:
            yield int(fields[2], 16)


def stacks(path):
    """The stack of each sample, newest first: (from, to) pairs."""
    for line in open(path):
        stack = [tuple(int(x, 16) for x in field.split('/')[:2]) for field in line.split() if field.startswith('0x')
                 and field.count('/') >= 5]
        if stack:
            yield stack
