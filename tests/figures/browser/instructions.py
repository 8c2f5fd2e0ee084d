"""Instructions on the page compared with those of llvm-objdump, their source lines compared with those of eu-addr2line."""
import functools
import os
import re
import shutil
import subprocess

import embedded
import words


def objdump():
    """The llvm-objdump of the release that batconv loads, as releases print some instructions otherwise; or None."""
    version = subprocess.run([os.environ['BATCONV'], 'version'], capture_output=True, text=True, check=True).stdout
    release = re.search(r'libLLVM\D*(\d+)', version)
    return shutil.which('llvm-objdump-' + release[1]) if release else None


def unpacked(listing, files):
    """[kind, ...] in order: ('insn', address, size, text), ('source', file, line), ('more', bytes)"""
    found, at, i = [], None, 0
    while i < len(listing):
        one = listing[i]
        if isinstance(one, dict):
            found.append(('more', one['more']))
        elif isinstance(one, list) and len(one) == 1:
            at = one[0]
        elif isinstance(one, list):
            found.append(('source', files[one[0]], one[1]))
        else:
            i += 1
            found.append(('insn', at, one, listing[i]))
            at += one
        i += 1
    return found


@functools.lru_cache(maxsize=4)
def disassembled(binary):
    """{address: mnemonic and, of a direct branch, where it leads} of a whole binary"""
    out = subprocess.run([objdump(), '-d', '--no-show-raw-insn', binary], capture_output=True, text=True, check=True).stdout
    found = re.findall(r'^ *([0-9a-f]+):\s+(.*)$', out, re.M)
    return {int(at, 16): gist(text) for at, text in found}


def gist(text):
    """The mnemonic; of a branch the target, too, which is before the name of a function."""
    mnemonic, *operands = text.split(None, 1)
    branches = re.match(r'(j|call|loop|b$|b\.|bl$|[ct]bn?z|adrp|b(eq|ne|lt|ge|gt|le)u?z?$)', mnemonic)
    target = re.search(r'\b0x([0-9a-f]+)( <|$)', operands[0]) if branches and operands and '#' not in operands[0] else None
    return (mnemonic, int(target[1], 16) if target else None)


def beside(run, name, insns, binary):
    """Each instruction is where llvm-objdump has one, and is that one; none is left out between them."""
    theirs = disassembled(binary)
    run.equal('%s: %s' % (name, binary), [(hex(at), text, theirs.get(at)) for _, at, _, text in insns if theirs.get(at) != gist(text)][:5], [])
    inside = {at + i for _, at, size, _ in insns for i in range(1, size)}
    run.equal('%s: %s, places of instructions' % (name, binary), sorted(map(hex, inside & theirs.keys())), [])


def sources(run, name, places, binary):
    """`places`: [(address, file:line)].  Where eu-addr2line knows no line, there is none to compare with."""
    out = subprocess.run(['eu-addr2line', '-e', binary, *[hex(at) for at, _ in places]], capture_output=True, text=True, check=True).stdout
    theirs = [':'.join(line.split(' ')[0].split(':')[:2]) for line in out.splitlines()]  # elfutils 0.191 adds the column
    wrong = [(hex(at), place, other) for (at, place), other in zip(places, theirs)
             if os.path.normpath(place) != os.path.normpath(other) and not other.endswith((':0', ':?'))]
    run.equal('%s: source lines' % name, wrong[:5], [])


def with_source(listing):
    """[(address, file:line)]"""
    place, found = None, []
    for one in listing:
        if one[0] == 'source':
            place = '%s:%d' % one[1:]
        elif one[0] == 'insn' and place:
            found.append((one[1], place))
    return found


def shown(listing):
    """What the page has of one binary, as text."""
    def text(one):
        if one[0] == 'more':
            return '… and %s more byte%s' % (words.count(one[1]), 's' * (one[1] != 1))
        return '%s:%d' % one[1:] if one[0] == 'source' else '0x%x%s' % (one[1], one[3])
    return [text(one) for one in listing]


def check(run, name, path, binary, program, wants_sources=False):
    """All listings of a page in its data, and those of three functions on the page."""
    data = embedded.data_of(path)
    code = data['code']
    if not code['has_instructions']:
        run.check('%s: no instructions, but there is libLLVM' % name, not objdump())
        return
    insns, places = {binary: [], program: []}, {binary: [], program: []}
    for one in code['listings']:
        for _, *sides in one['blocks']:
            for listing, of in zip(sides, (binary, program)):
                listing = unpacked(listing or [], code['files'])
                insns[of] += [part for part in listing if part[0] == 'insn']
                places[of] += with_source(listing)
    for of in filter(None, (binary, program)):
        if objdump():
            beside(run, name, insns[of], of)
        if shutil.which('eu-addr2line') and places[of]:
            sources(run, name, places[of], of)
    run.check('%s: %d instructions compared' % (name, sum(map(len, insns.values()))), all(len(insns[of]) > 100 for of in filter(None, (binary, program))))
    run.check('%s: %d source lines compared' % (name, sum(map(len, places.values()))), sum(map(len, places.values())) > 100 or not wants_sources)
    page = run.open(path)
    for one in code['listings'][:3]:
        page.click('#function-row-%d' % one['row'])
        wanted = [['+0x%x' % start, *[shown(unpacked(listing, code['files'])) for listing in sides if listing is not None]] for start, *sides in one['blocks']]
        got = page.eval('''[...document.querySelectorAll("#listing .asm-block")].map(e => [e.querySelector("h4 .mono").textContent,
            ...[...e.querySelectorAll(".asm-lines")].map(l => [...l.children].map(c => c.textContent))])''')
        run.equal('%s: instructions of row %d' % (name, one['row']), got, wanted)
        told = page.text('#listing > p')
        if len(one['blocks']) < one['ran']:
            run.check('%s: what is left out: %s' % (name, told), told.startswith('The %d hottest of %s blocks' % (len(one['blocks']), words.count(one['ran'])))
                      and words.percent(one['percent']) in told)
        else:
            run.check('%s: all blocks: %s' % (name, told), told.startswith('All %d block' % one['ran']))
    first = code['listings'][0]
    page.click('#function-row-%d' % first['row'])
    page.click('tr[data-block] .to-listing')
    run.check('%s: a block leads to its instructions' % name, page.eval('(b => b.top >= 0 && b.top < innerHeight)(document.querySelector(".asm-block").getBoundingClientRect())'))
    beyond = {row for row in range(len(data['functions']['rows']))} - {one['row'] for one in code['listings']} & {f['row'] for f in code['functions']}
    behind = [row for row in beyond if row >= code['listings_of'] and row in {f['row'] for f in code['functions']}]
    if behind:
        page.eval('document.querySelector("#functions-grid").scrollTop = 28 * %d' % behind[0])
        page.settle()
        page.click('#function-row-%d' % behind[0])
        run.equal('%s: a function without' % name, page.text('#no-listing'),
                  'The instructions are not in this page: those of the hottest %s functions of %s are; more did not fit.' % (words.count(code['listings_of']), words.count(code['all'])))
    run.close(page, name)
