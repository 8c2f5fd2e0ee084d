#!/usr/bin/env python3
"""Addresses in binaries of many layouts: check_layouts.py CHECK_ADDRESSES BATCONV FOLDER [MORE...]

 1. CHECK_ADDRESSES: 100,000 addresses of each, all ways and back.
 2. Against readelf (segments, sections), nm (symbols) and, if installed, eu-addr2line (functions, source lines).
 3. Against the kernel: of a running process, the bytes of its memory at run-time addresses are those of the file at
    the offsets that batconv says; and the base by every mapping agrees.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys

COUNT, FACTS, READS = 100000, 150, 60
checker, batconv, folder, *more = [os.path.realpath(a) for a in sys.argv[1:]]
random.seed(1)


def output(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def is_elf(path):
    with open(path, 'rb') as file:
        return file.read(4) == b'\x7fELF'


def files_of(folder):
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    return [p for p in paths if os.path.isfile(p) and is_elf(p)]


def segments_of(path):
    """(offset, vaddr, file size) of the executable LOAD lines of readelf."""
    found = []
    for line in output('readelf', '-lW', path).splitlines():
        words = line.split()
        if words[:1] == ['LOAD'] and 'E' in ''.join(words[6:-1]):
            found.append((int(words[1], 16), int(words[2], 16), int(words[4], 16)))
    return found


def sections_of(path):
    found = []
    for line in output('readelf', '-SW', path).splitlines():
        match = re.match(r'\s*\[\s*\d+\] (\S+)\s+\S+\s+([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) \S+\s+(\S*A\S*)\s', line)
        if match and int(match[4], 16):
            found.append((match[1], int(match[2], 16), int(match[4], 16)))
    return found


def sample(segments, count):
    picked = []
    for _ in range(count):
        offset, vaddr, size = random.choice(segments)
        at = random.randrange(size)
        picked.append((vaddr + at, offset + at))
    return picked


def chains(path, addresses, *options):
    text = ''.join('%x\n' % a for a in addresses)
    done = subprocess.run([batconv, 'addr', '--json', '--binary', path, *options], input=text, capture_output=True,
                          text=True)
    assert done.returncode in (0, 3), done.stderr
    return [json.loads(line)['locations'] for line in done.stdout.splitlines()]


def check_facts(path):
    sections = sections_of(path)
    picked = sample(segments_of(path), FACTS)
    answers = chains(path, [vaddr for vaddr, _ in picked], '--from=vaddr')
    for (vaddr, offset), places in zip(picked, answers):
        chain = places[0]
        assert int(chain['offset'], 16) == offset, (path, hex(vaddr), chain)
        holding = [name for name, start, size in sections if 0 <= vaddr - start < size]
        assert chain.get('section') == (holding[0] if holding else None), (path, hex(vaddr), chain, holding)
    # The way back from the file.
    back = chains(path, [offset for _, offset in picked], '--from=offset')
    for (vaddr, offset), places in zip(picked, back):
        assert int(places[0]['vaddr'], 16) == vaddr, (path, hex(offset), places)


def check_symbols(path):
    """What nm says of functions; and eu-addr2line of functions and lines."""
    symbols = {}
    for line in output('nm', '-S', '--defined-only', path).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in 'tTwWi':
            symbols.setdefault(int(words[0], 16), (int(words[1], 16), set()))[1].add(words[3])
    picked = random.sample(sorted(symbols), min(FACTS, len(symbols)))
    inside = [at + random.randrange(max(1, symbols[at][0])) for at in picked]
    agreed = 0
    for at, address, places in zip(picked, inside, chains(path, inside, '--from=vaddr')):
        function = places[0].get('function')
        assert function and int(function['offset'], 16) <= address - at, (path, hex(address), places)
        if int(function['offset'], 16) == address - at:  # else a symbol inside of another
            assert function['function'].split('/')[0] in symbols[at][1], (path, hex(address), places, symbols[at])
            agreed += 1
    assert agreed >= 0.9 * len(picked), (path, agreed, len(picked))
    return agreed


def check_lines(path):
    if not shutil.which('eu-addr2line'):
        return None
    main = [line.split() for line in output('nm', '-S', path).splitlines() if line.endswith(' main')][0]
    addresses = [int(main[0], 16) + i for i in range(int(main[1], 16))]
    theirs = output('eu-addr2line', '-e', path, *[hex(a) for a in addresses]).splitlines()
    done = subprocess.run([batconv, 'addr', '--from=vaddr', '--binary', path, '--json', '--source'],
                          input=''.join('%x\n' % a for a in addresses), capture_output=True, text=True)
    if 'source lines need' in done.stderr or 'without libdw' in done.stderr:
        return None
    known = 0
    for their, line in zip(theirs, done.stdout.splitlines()):
        chain = json.loads(line)['locations'][0]
        ours = '%s:%d' % (chain['source'], chain['line']) if 'source' in chain else '??:0'
        assert ours == ':'.join(their.split(':')[:2]), (path, line, their)
        known += ours != '??:0'
    return known


def check_memory(path):
    """The bytes that a process has at an address and that the file has at its offset."""
    with subprocess.Popen([path, 'wait'], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b'ready\n'
            pid = str(process.pid)
            shown = json.loads(output(batconv, 'maps', '--json', '--pid', pid))
            loads = [i for i in shown['images'] if i['path'] == path][0]['loads']
            assert len(loads) == 1 and loads[0]['agrees'], (path, loads)
            base = int(loads[0]['base'], 16)
            runs = [vaddr + base for vaddr, _ in sample(segments_of(path), READS)]
            answers = chains(path, runs, '--pid', pid)
            with open(path, 'rb') as file, open('/proc/%s/mem' % pid, 'rb', 0) as memory:
                for run, places in zip(runs, answers):
                    file.seek(int(places[0]['offset'], 16))
                    memory.seek(run)
                    size = 1
                    assert memory.read(size) == file.read(size), (path, hex(run), places)
            # And from there back to the process.
            back = chains(path, [int(p[0]['offset'], 16) for p in answers], '--from=offset', '--pid', pid)
            assert [int(p[0]['run'], 16) for p in back] == runs
            # Addresses of another library are said to be of that one.
            other = [r for r in shown['regions'] if r['path'].startswith('/') and r['path'] != path]
            if other:
                place = chains(path, [int(other[0]['start'], 16)], '--pid', pid)[0][0]
                assert place['mapping']['path'] == other[0]['path'] and 'vaddr' not in place, place
        finally:
            process.kill()


layouts = files_of(folder)
not_compared = False
others = [p for place in more for p in (files_of(place) if os.path.isdir(place) else [place])]
if '--quick' not in sys.argv:
    sys.stdout.flush()
    subprocess.run([checker, str(COUNT)] + layouts + others, check=True)
for path in layouts:
    check_facts(path)
    agreed = check_symbols(path)
    lines = check_lines(path)
    not_compared |= lines is None
    check_memory(path)
    print('%-18s readelf: %d addresses, nm: %d symbols, eu-addr2line: %s, memory: %d bytes' % (
        os.path.basename(path), FACTS, agreed, 'not compared' if lines is None else '%d lines' % lines, READS))
for path in others:
    check_facts(path)
if not_compared:
    print('skipped in part: source lines: no eu-addr2line (apt install elfutils), or built without libdw')
    sys.exit(1 if os.environ.get('BATCONV_REQUIRE_PEERS') == '1' else 77)
