"""Pages of programs in inputs/."""
import json
import os
import urllib.parse

import embedded
import instructions
import words

WIDTHS = (400, 1600)
NARROW_TABLE = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth'


def sqlite(run):
    folder = os.path.join(run.inputs, 'sqlite')
    return [os.path.join(folder, name) for name in ('sq.b22', 'lbr.b22.data', 'sq', 'b22.preagg')]


def look_up(value, path):
    for key in path.split('.'):
        value = value[int(key)] if isinstance(value, list) else value.get(key)
        if value is None:
            return None
    return value


def figures(run):
    """Figures and verdicts are those of quality --json, with and without --input, of branches and of basic samples."""
    binary, samples, program, _ = sqlite(run)
    plain = samples.replace('lbr', 'ip')
    demo = [os.path.join(run.source, 'inputs/demo', name) for name in ('demo.bolt', 'demo.preagg')]
    for name, args in (('input', (binary, [samples], '--input=' + program)), ('alone', (binary, [samples])),
                       ('plain', (binary, [plain])), ('inferred', (binary, [plain], '--input=' + program)), ('demo', (demo[0], [demo[1]])), ('unbolted', (program, [samples.replace('b22', 'input')]))):
        quality = run.quality(*args)
        path = run.report(name, *args)
        run.check('%s: the page is below 1 MB' % name, os.path.getsize(path) < 1000000)
        run.equal('%s: what the page has of quality' % name, embedded.data_of(path)['quality'], quality)
        page = run.open(path)
        shown = page.eval('[...document.querySelectorAll("[data-figure]")].map(e => [e.dataset.figure, e.textContent, e.dataset.rest ?? null])')
        for figure, text, rest in shown:
            value = look_up(quality, figure)
            wanted = '–' if value is None else words.figure(figure, value) if rest is None else words.rest(value, int(rest))
            run.equal('%s: %s' % (name, figure), text, wanted)
        told = {figure for figure, _, rest in shown if rest is None}
        run.equal('%s: zero as a largest figure' % name, [text for text in page.texts('.card:not([data-overlap]) .big') if text.startswith(('0.0 %', '0.00 %'))], [])
        wanted = {'build.mismatch_percent', 'kept.percent', 'density.density', 'coverage.percentiles.2.functions', 'coverage.percentiles.2.bytes'}
        wanted |= {'flow.' + key for key in quality.get('flow', {}) if key != 'blocks'}
        wanted |= {'inferred.percent', 'inferred.reassigned_percent', 'inferred.solved.samples'} if quality.get('inferred', {}).get('branches') else set()
        wanted |= {'gain.' + key for key in ('expected_percent', 'low_percent', 'high_percent', 'whole_percent', 'more_percent') if 'gain' in quality}
        run.equal('%s: figures that are not shown' % name, wanted - told, set())
        for verdict in quality['verdicts']:
            card = '.card[data-about=%s]' % verdict['about']
            run.check('%s: verdict on %s' % (name, verdict['about']), verdict['verdict'] in page.text(card + ' .badge'))
            run.equal('%s: sentence on %s' % (name, verdict['about']), page.text(card + ' .sentence'), verdict['text'] + '.')
        ledgers(run, name, page, quality)
        run.close(page, name)


def compiler(run):
    """For the compiler's counts: figures are those of quality --json; what is not known of them has no card."""
    source = '--from-compiler=' + os.path.join(run.inputs, 'next/luap')
    path = os.path.join(run.folder, 'compiler.html')
    run.batconv('report', '-o', path, source)
    quality = json.loads(run.batconv('quality', '--json', source))
    run.equal('compiler: what the page has of quality', embedded.data_of(path)['quality'], quality)
    page = run.open(path)
    run.check('compiler: the head tells', 'the compiler’s' in page.text('.facts'))
    run.equal('compiler: cards', page.eval('[...document.querySelectorAll(".card[data-about]")].map(e => e.dataset.about)'), ['build', 'kept', 'coverage', 'flow'])
    for verdict in quality['verdicts']:
        run.equal('compiler: sentence on %s' % verdict['about'], page.text('.card[data-about=%s] .sentence' % verdict['about']), verdict['text'] + '.')
    run.equal('compiler: the command', page.text('.command code'), quality['next']['command'])
    run.close(page, 'compiler')


def guides(run):
    """What to do now is what quality says; cache lines and pages are those of the heat; an address of the page can name a function."""
    binary, samples, program, _ = sqlite(run)
    path = run.report('guides', binary, [samples], '--input=' + program)
    data, told = embedded.data_of(path), run.quality(binary, [samples], '--input=' + program)['next']
    page = run.open(path)
    run.equal('what to do now', page.text('.next'), told['text'][0].upper() + told['text'][1:] + '.')
    run.equal('the command', page.text('.command code'), told['command'])
    run.equal('words of the command that are cut in two', page.eval('[...document.querySelectorAll(".command .word")].filter(e => e.getClientRects().length > 1 || e.offsetHeight > 30).length'), 0)
    run.check('it is on top', page.eval('document.querySelector("main").firstElementChild.id') == 'next')
    for side in ('output', 'input'):
        cells = embedded.cells_of(data['heat'][side])
        for one in data['heat']['footprint']:
            sums = {}
            for at, value in cells.items():
                sums[at // one['unit']] = sums.get(at // one['unit'], 0) + value
            held = 0
            for n, value in enumerate(sorted(sums.values(), reverse=True), 1):
                held += value
                if 100 * held >= 99 * sum(sums.values()):
                    break
            run.equal('units of %d bytes of the %s' % (one['unit'], side), one[side], {'all': len(sums), 'held': n})
            for key in ('all', 'held'):
                shown = page.eval('[...document.querySelectorAll("[data-footprint=\'%d %s\'] td")].map(e => e.textContent)' % (one['unit'], key))
                run.equal('shown units of %d bytes' % one['unit'], shown[side == 'output'], words.count(one[side][key]))

    names = [row[0] for row in data['functions']['rows']]
    page.click('#function-row-1')
    run.equal('the address of a choice', page.eval('decodeURIComponent(location.hash)'), '#function=' + names[1])
    run.equal('the link to it', page.eval('decodeURIComponent(document.querySelector("#function-link").hash)'), '#function=' + names[1])
    page.eval('location.hash = "#function=%s"' % urllib.parse.quote(names[7]))
    page.settle()
    run.equal('another address', page.text('#detail-title'), data['functions']['rows'][7][1] or names[7])
    run.close(page, 'guides')
    for name, title in ((names[5], data['functions']['rows'][5][1] or names[5]), ('no such function', None), ('%', None)):
        page = run.chromium.page()
        page.path = path
        page.open('file://' + urllib.parse.quote(path) + '#function=' + (name if name == '%' else urllib.parse.quote(name)))
        run.equal('opened at %s' % name, page.text('#detail-title'), title)
        run.close(page, 'opened at a function')


def ledgers(run, name, page, quality):
    """Where samples went: each number, and their sum."""
    for kind in ('samples', 'branches', 'traces'):
        ledger = quality['kept'][kind]
        rows = page.eval('[...document.querySelectorAll("[data-ledger=%s] tr[data-reason]")].map('
                         'e => [e.dataset.reason, e.querySelector("td").textContent])' % kind)
        wanted = [['kept', ledger['kept']]] + [[drop['reason'], drop['count']] for drop in ledger['dropped']] if ledger['read'] else []
        run.equal('%s: flow of %s' % (name, kind), rows, [[reason, words.count(n)] for reason, n in wanted])
        drawn = page.eval('document.querySelectorAll("[data-ledger=%s] .flow-link").length' % kind)
        run.equal('%s: ribbons of %s' % (name, kind), drawn, len([n for _, n in wanted if n]))


def heat(run):
    """Heat: blocks read one by one with the keyboard add up to what is in the file; sizes of blocks; zoom by keys and by dragging; names."""
    demo = [os.path.join(run.source, 'inputs/demo', name) for name in ('demo.bolt', 'demo.preagg', 'demo')]
    path = run.report('heat', demo[0], [demo[1]], '--input=' + demo[2])
    data = embedded.data_of(path)
    page = run.open(path)
    for side in ('output', 'input'):
        cells = embedded.cells_of(data['heat'][side])
        run.equal('heat of the %s: sum' % side, sum(cells.values()), data['heat'][side]['sum'])
        for size in (64, 1024, 2097152):
            blocks = {}
            for at, value in cells.items():
                blocks[at // size * size] = blocks.get(at // size * size, 0) + value
            page.eval('(e => { e.value = "%d"; e.dispatchEvent(new Event("change")); })(document.querySelector("#block-size"))' % size)
            page.eval('document.querySelector("#heat-%s").focus()' % side)
            page.key('Escape')
            page.key('Home')
            seen = {}
            for _ in range(3 * len(blocks) + 3):
                value = page.eval('(e => e && [document.querySelector("#heat-readout .where").textContent, e.dataset.value])'
                                  '(document.querySelector("#heat-readout .much"))')
                at = int(value[0].split(' ')[0], 16) // size * size
                seen[at] = int(value[1])
                before = value
                page.key('n')
                if page.eval('document.querySelector("#heat-readout .where").textContent') == before[0]:
                    break
            run.equal('heat of the %s by %d bytes' % (side, size), sorted(seen.items() ^ {(at, n) for at, n in blocks.items() if n or at in seen}), [])
    page.eval('(e => { e.value = "0"; e.dispatchEvent(new Event("change")); })(document.querySelector("#block-size"))')
    moves(run, page)
    pointed(run, page)
    run.close(page, 'heat')


def window(page, side='output'):
    page.settle()
    return [float(n) for n in page.eval('(d => [d.from, d.to, d.block])(document.querySelector("#heat-%s").dataset)' % side)]


def pointed(run, page):
    """What is shown of the block under the pointer, and the parts that one can go to by name."""
    for across in (0.45, 0.5, 0.75):
        page.hover('#heat-output canvas', across, 0.4)
        run.check('pointed at: %s' % page.text('#heat-readout'), page.text('#heat-readout .where').startswith('0x'))
    run.check('a function is named', page.eval('document.querySelectorAll("#heat-readout .who code").length') > 0)
    page.eval('document.activeElement.blur()')
    page.mouse('mouseMoved', 5, 5)
    page.settle()
    run.check('nothing is pointed at', page.text('#heat-readout').startswith('Point at'))
    whole = window(page)
    names = page.texts('#go-section option')
    page.eval('(e => { e.value = "%d"; e.dispatchEvent(new Event("change")); })(document.querySelector("#go-section"))' % (names.index('.text.cold') - 1))
    cold = window(page)
    run.check('one section is shown', cold[0] > whole[0] and cold[1] - cold[0] < whole[1] - whole[0])
    page.eval('document.querySelector("#heat-output").focus()')
    page.key('Escape')


def moves(run, page):
    """Zoom and moves of the output's track."""
    page.eval('document.querySelector("#heat-output").focus()')
    page.key('Escape')
    whole = window(page)
    page.key('ArrowUp')
    page.key('+')
    near = window(page)
    run.check('up zooms in', near[1] - near[0] < whole[1] - whole[0] and near[2] <= whole[2])
    page.key('PageDown')
    run.check('page down moves on', window(page)[0] > near[0])
    page.key('0')
    run.equal('0 shows all', window(page), whole)
    page.drag('#heat-output canvas', 0.3, 0.5, 0.3)
    run.equal('dragging over a fifth shows it', page.eval('Math.round(10 * parseFloat(document.querySelector(".overview .thumb").style.width))'), 200)
    dragged = window(page)
    page.wheel('#heat-output canvas', -400, ctrl=True)
    run.check('the wheel with Ctrl zooms in', window(page)[1] - window(page)[0] < dragged[1] - dragged[0])
    page.click('.track:not(.mirrored) .tools button:nth-child(3)')
    run.equal('Whole shows all', window(page), whole)
    page.click('.track:not(.mirrored) .tools button:nth-child(2)')
    run.check('+ zooms in', window(page)[1] - window(page)[0] < whole[1] - whole[0])
    page.key('Escape')
    first = page.eval('document.activeElement.id')
    page.eval('document.querySelector("#heat-output").focus()')
    page.key('Escape')
    page.key('Home')
    page.key('n')
    where = page.text('#heat-readout .where')
    page.key('ArrowRight')
    run.check('right is the next block', int(page.text('#heat-readout .where').split(' ')[0], 16) == int(where.split(' ')[2], 16) or first)
    page.key('ArrowLeft')
    run.equal('left is the block before', page.text('#heat-readout .where'), where)
    page.key('Enter')
    run.check('Enter chooses the function', page.text('#detail-title') in page.text('#heat-readout .who'))


def table(run):
    """The table of functions: all rows, sorted by each column both ways, searched, moved through with keys; blocks of a chosen function."""
    binary, samples, program, other = sqlite(run)
    path = run.report('table', binary, [samples], '--input=' + program, '--against=' + other)
    data = embedded.data_of(path)
    functions = [dict(zip(data['functions']['columns'], row)) for row in data['functions']['rows']]
    page = run.open(path)
    run.equal('rows', page.eval('document.querySelector("#functions-grid").getAttribute("aria-rowcount")'), str(len(functions) + 1))
    run.check('only what can be seen is there', page.eval('document.querySelectorAll(".rows .row").length') < 60)
    first = 'document.querySelector("#function-row-0 .name").textContent'
    keys = {'samples': lambda f: f['samples'], 'hot_size': lambda f: f['size'] - f['cold_size'], 'cold_size': lambda f: f['cold_size'],
            'density': lambda f: f['executed'] / f['size'] if f['size'] and f['executed'] is not None else None}
    for column, key in keys.items():
        page.click('[data-column=%s] button' % column)
        down = page.eval('document.querySelector("[data-column=%s]").getAttribute("aria-sort")' % column)
        names = [page.eval(first)]
        page.click('[data-column=%s] button' % column)
        names.append(page.eval(first))
        if down == 'ascending':
            names.reverse()
        known = [f for f in functions if key(f) is not None] # what is not known is at the end
        best = max(known, key=key)
        worst = [f for f in known if key(f) == min(map(key, known))]
        run.equal('the first by %s' % column, names[0], best['plain'] or best['name'])
        run.check('the last by %s: %s' % (column, names[1]), names[1] in [f['plain'] or f['name'] for f in worst])
    page.click('[data-column=samples] button')
    page.eval('document.querySelector("#functions-search").focus()')
    page.type('BTREE')
    wanted = [f for f in functions if 'btree' in f['name'].lower()]
    run.check('there are some', len(wanted) > 5)
    run.equal('found', page.text('#functions-found'), '%d of %d' % (len(wanted), len(functions)))
    run.equal('the first that is found', page.eval(first), wanted[0]['name'])
    page.key('Enter')
    page.key('ArrowDown')
    page.key('Enter')
    run.equal('chosen with keys', page.text('#detail-title'), wanted[1]['name'])
    chosen(run, page, data, functions.index(wanted[1]))
    page.eval('(e => { e.value = ""; e.dispatchEvent(new Event("input")); })(document.querySelector("#functions-search"))')
    page.eval('document.querySelector("#functions-grid").focus()')
    page.key('End')
    run.equal('the last row', page.eval('document.querySelector(".row.cursor").id'), 'function-row-%d' % (len(functions) - 1))
    page.key('Home')
    page.click('#function-row-0 .name')
    run.equal('chosen by a click', page.text('#detail-title'), functions[0]['plain'] or functions[0]['name'])
    chosen(run, page, data, 0)
    against(run, page, data)
    run.close(page, 'table')


def chosen(run, page, data, row):
    """The blocks of the chosen function, and that the heat shows it."""
    found = [f for f in data['code']['functions'] if f['row'] == row]
    fragment = data['functions']['rows'][row][data['functions']['columns'].index('fragments')][0]
    begin, end, _ = window(page)
    run.check('the heat shows row %d' % row, begin <= fragment[0] and end >= fragment[0] + fragment[1] - 1)
    if not found:
        run.check('why there are no blocks', 'not in this page' in page.text('#detail'))
        return
    blocks = [dict(zip(data['code']['block_columns'], block)) for block in found[0]['blocks']]
    ran = [(i, block) for i, block in enumerate(blocks) if block['count'] or block['in'] or block['out']]
    shown = page.eval('[...document.querySelectorAll("tr[data-block]")].map(e => [+e.dataset.block, e.children[0].textContent, e.children[2].textContent, e.children[4].textContent])')
    run.equal('blocks of row %d' % row, shown, [[i, '+0x%x' % b['start'], words.count(b['count']), '' if b['address'] is None else '0x%x' % b['address']]
                                               for i, b in ran][:len(shown)])
    run.check('most of the blocks are there', len(shown) == len(ran) or len(shown) > 100)


def against(run, page, data):
    """Overlap: the three figures, and the functions that moved most."""
    for kind in ('functions', 'blocks', 'calls'):
        run.equal('overlap of %s' % kind, page.text('[data-overlap=%s] .big span' % kind), words.percent(data['overlap'][kind]['percent']))
    movers = page.eval('[...document.querySelectorAll(".movers tbody tr")].map(e => [...e.children].slice(0, 4).map(c => c.textContent).concat(e.querySelector(".move").className))')
    run.check('something moved', len(movers) > 3)
    run.equal('what moved', movers, [moved(*mover) for mover in data['overlap']['movers'] if mover[1] != mover[2]][:len(movers)])


def moved(name, here, other):
    """A function that is hotter here than in the other profile has grown."""
    return [name, words.percent(other, 2), words.percent(here, 2), '%s%s' % ('+' if here > other else '−', words.fixed(abs(here - other), 2)),
            'move ' + ('more' if here > other else 'less')]


def truths(run):
    """Sentences that were false once."""
    binary, samples, program, exact = sqlite(run)
    other = os.path.join(run.folder, 'not-bolted.fdata')
    run.batconv('-q', program, os.path.join(os.path.dirname(exact), 'input.preagg'), '-o', other)
    path = run.report('truths', binary, [samples], '--input=' + program, '--against=' + other)
    data = embedded.data_of(path)
    page = run.open(path)

    # Blocks that did not run are not said to be too many for the page.
    idle = [function['row'] for function in data['code']['functions'] if function['idle_blocks'] and not function['more_blocks'] and not function['more_edges']]
    run.check('functions with blocks that did not run: %d' % len(idle), len(idle) > 100)
    run.equal('blocks that ran and are not there', sum(function['more_blocks'] for function in data['code']['functions']), 0)
    page.click('#function-row-%d' % idle[0])
    number = data['code']['functions'][idle[0]]['idle_blocks']
    run.equal('blocks that did not run', page.text('#blocks-left'), '%s other block%s of this function did not run in these samples.' % (words.count(number), 's' * (number != 1)))
    run.check('a page of %d bytes has room' % os.path.getsize(path), 'did not fit' not in page.text('#detail'))

    # Counts of branches are not called samples.
    run.check('the heading of the counts: %s' % page.text('[data-column=samples]'), page.text('[data-column=samples]').startswith('Branches'))
    run.check('the counts of a function', 'branches' + words.count(data['functions']['rows'][idle[0]][2]) in page.text('#detail .facts').replace(' ', ''))
    run.check('the coverage', '99 % of the branches are in ' in page.text('.card[data-about=coverage] .sentence'))

    # The largest figure of a card that is good is not a nought: how much agrees, not that nothing mismatches.
    figures = page.texts('.card.good .big span:first-child')
    run.check('large figures: %s' % figures, len(figures) > 3 and not [figure for figure in figures if figure.startswith('0.0')])
    run.equal('the build', page.text('.card[data-about=build] .big span'), '100.00 %')

    # A function that ran has no density of nought: where it is not known, there is a dash.
    unknown = [row[0] for row in data['functions']['rows'] if row[data['functions']['columns'].index('executed')] is None]
    run.check('functions whose density is not known: %s' % unknown[:9], 3 < len(unknown) < 20)
    for name in unknown[:2] + [data['functions']['rows'][0][0]]:
        page.eval('document.querySelector("#functions-search").value = %r; document.querySelector("#functions-search").dispatchEvent(new Event("input"))' % name)
        page.settle()
        run.equal('density of %s' % name, page.text('#function-row-0 > :nth-child(4)') == '–', name in unknown)
    run.equal('density of nought', page.eval('[...document.querySelectorAll(".rows .row > :nth-child(4)")].filter(e => e.textContent === "0.00").length'), 0)
    page.eval('document.querySelector("#functions-search").value = ""; document.querySelector("#functions-search").dispatchEvent(new Event("input"))')

    # The bar of stability is of the color of a look below its limit, and not above it.
    run.equal('the bar', page.eval('(m => [m.value > m.low, m.optimum > m.low])(document.querySelector(".meter"))'), [True, True])

    # A good flow, and what the worst functions have, are distinguished.
    flow = page.text('.card[data-about=flow]')
    run.check('the worst functions have a heading of their own: %s' % flow,
              flow.index('counts add up as a whole'[1:]) < flow.index('The worst 5 % of 301 functions') < flow.index('100.00 %'))

    # The same function has one name in both profiles, though it is local.
    names = [name for name, *_ in data['overlap']['movers']]
    local = {name.split('/')[0] for name in names if name.count('/') == 2}
    run.check('local functions: %d' % len(local), len(local) > 20)
    run.equal('local functions under two names', [name for name in names if name.count('/') == 1 and name.split('/')[0] in local], [])
    run.close(page, 'truths')

    # So it has on a page of the binary that is not BOLTed.
    bolted = os.path.join(run.folder, 'bolted.fdata')
    run.batconv('-q', binary, exact, '-o', bolted)
    path = run.report('truths-unbolted', program, [os.path.join(os.path.dirname(exact), 'input.preagg')], '--against=' + bolted)
    data = embedded.data_of(path)
    names, own = [name for name, *_ in data['overlap']['movers']], {row[0].split('/')[0] for row in data['functions']['rows'] if row[0].count('/') == 1}
    run.check('local functions of a binary that is not BOLTed: %d of %d' % (len([name for name in names if name.count('/') == 1]), len(names)),
              len([name for name in names if name.count('/') == 1]) > 20)
    run.equal('local functions that stand there under the name of a BOLTed binary', [name for name in names if name.count('/') == 2 and name.split('/')[0] in own], [])

    plain = run.open(run.report('truths-plain', binary, [samples.replace('lbr', 'ip')]))
    run.check('the heading of plain samples', plain.text('[data-column=samples]').startswith('Samples'))
    run.close(plain, 'truths-plain')


def listings(run):
    """Instructions of hot blocks are those that llvm-objdump has there, in both binaries, with the lines of eu-addr2line; what is left out is reported."""
    folder = os.path.join(run.inputs, 'compiled')
    binary, samples, program, _ = sqlite(run)
    for name, output, counts, of, has_lines in (
            ('lines', folder + '/demo.bolt', folder + '/demo.bolt.preagg', folder + '/demo', True),
            ('sqlite', binary, samples, program, False),
            ('aarch64', run.inputs + '/aarch64/sorts.b22', run.inputs + '/aarch64/sorts.b22.preagg', run.inputs + '/aarch64/sorts', False),
            ('riscv64', run.inputs + '/riscv64/sorts.b22', run.inputs + '/riscv64/sorts.b22.preagg', run.inputs + '/riscv64/sorts', False)):
        path = run.report('listings-' + name, output, [counts], '--input=' + of)
        run.check('%s: %d bytes' % (name, os.path.getsize(path)), os.path.getsize(path) < 1000000)
        instructions.check(run, name, path, output, of, has_lines)
    path = run.report('listings-unbolted', folder + '/demo', [folder + '/demo.preagg'])
    instructions.check(run, 'not BOLTed', path, folder + '/demo', None, True)
    page = run.open(path)
    page.click('#function-row-0')
    run.equal('one binary', sorted(set(page.texts('.asm-title'))), ['Binary'])
    run.close(page, 'not BOLTed')


def checks(run):
    """Findings of verify, if they were asked for: how many of each kind, the worst first, where, and what to do; on request all that are there."""
    binary, samples, program, _ = sqlite(run)
    damaged = os.path.join(run.folder, 'damaged') # the first 30 entries of .eh_frame_hdr lead to the FDE of the next one, or of the one before
    with open(binary, 'rb') as file:
        code = bytearray(file.read())
    headers = int.from_bytes(code[32:40], 'little')
    header = next(at for at in range(headers, headers + 56 * code[56], 56) if code[at:at + 4] == b'\x50\xe5\x74\x64')
    table = int.from_bytes(code[header + 8:header + 16], 'little') + 12
    for at in range(table, table + 15 * 16, 16):
        code[at + 4:at + 8], code[at + 12:at + 16] = code[at + 12:at + 16], code[at + 4:at + 8]
    with open(damaged, 'wb') as file:
        file.write(code)
    report = json.loads(run.batconv('verify', '--json', '--unwind', '--input=' + program, damaged, codes=(3,)))
    path = run.report('checks', damaged, [samples], '--input=' + program, '--verify', '--image=sq.b22')
    page = run.open(path)
    order = ['error', 'warning', 'note']
    kinds = page.eval('[...document.querySelectorAll("[data-finding]")].map(e => [e.dataset.finding, e.querySelector(".badge").textContent, +e.querySelector(".big span").dataset.value])')
    run.equal('kinds of findings', {kind: number for kind, _, number in kinds}, report['counts'])
    run.check('errors first', [order.index(severity) for _, severity, _ in kinds] == sorted(order.index(severity) for _, severity, _ in kinds))
    run.check('there are errors', kinds[0][1] == 'error')
    shown = '[...document.querySelectorAll("[data-finding=%s] tbody tr")].map(e => [...e.children].map(c => c.textContent))'
    for kind, _, _ in kinds:
        wanted = [[f.get('function', '–'), f.get('address', '–'), f['detail']] for f in report['findings'] if f['id'] == kind]
        run.equal('the first findings of ' + kind, page.eval(shown % kind), wanted[:10])
        if len(wanted) > 10:
            page.click('[data-finding=%s] button' % kind)
            run.equal('all findings of ' + kind, page.eval(shown % kind), wanted)
        remedy = next(f['remedy'] for f in report['findings'] if f['id'] == kind)
        run.check('what to do about ' + kind, remedy in page.text('[data-finding=%s]' % kind))
    run.check('more than the first ones of one kind', max(report['counts'].values()) > 10)
    run.check('the navigation leads there', page.eval('!!document.querySelector(".nav a[href*=checks]")'))
    run.check('wider than the window', page.eval(NARROW_TABLE))
    run.picture(page, 'checks')
    run.close(page, 'checks')
    page = run.open(run.report('not-checked', binary, [samples]))
    run.check('not asked for', '--verify' in page.text('#checks') and not page.eval('!!document.querySelector(".nav a[href*=checks]")'))
    run.close(page, 'not checked')


def looks(run):
    """At 400 and 1600 px, dark and light: nothing hangs over, text can be read; printed: all of it, without what only a screen needs."""
    binary, samples, program, other = sqlite(run)
    path = run.report('looks', binary, [samples], '--input=' + program, '--against=' + other)
    grounds = {}
    for width in WIDTHS:
        for dark in (False, True):
            what = '%d px, %s' % (width, 'dark' if dark else 'light')
            page = run.open(path, width=width, dark=dark)
            page.eval('document.querySelector("#function-row-0").click()')
            page.settle()
            run.check('%s: wider than the window' % what, page.eval(NARROW_TABLE))
            grounds[dark] = page.eval('getComputedStyle(document.body).backgroundColor')
            for ink, ground in (('ink', 'card'), ('ink-2', 'card'), ('ink-2', 'well'), ('good', 'good-wash'), ('warning', 'warning-wash'), ('bad', 'bad-wash'), ('accent', 'page')):
                run.check('%s: contrast of %s on %s' % (what, ink, ground), contrast(page, ink, ground) >= 4.5)
            run.picture(page, 'looks-%d-%s' % (width, 'dark' if dark else 'light'))
            run.close(page, what)
    run.check('dark is not light', grounds[False] != grounds[True])
    page = run.open(path)
    run.check('loaded in %.1f s' % page.seconds, page.seconds < 10)
    page.look(media='print')
    page.settle()
    run.equal('printed: navigation', page.eval('getComputedStyle(document.querySelector(".nav")).display'), 'none')
    run.equal('printed: rows', page.eval('document.querySelectorAll(".rows .row").length'), 60)
    printed = os.path.join(run.folder, 'page.pdf')
    page.pdf(printed)
    run.check('printed: a file', os.path.getsize(printed) > 20000)
    run.close(page, 'printed')


def labels(run):
    """Names in the heat are whole, or end with an ellipsis within their part; the narrower the window, the fewer."""
    binary, samples, program, _ = sqlite(run)
    page = run.open(run.report('labels', binary, [samples], '--input=' + program))
    page.eval("""(() => { window.drawn = [];
        CanvasRenderingContext2D.prototype.fillText = function (text, x) { this.canvas.style.width && drawn.push([text, x + this.measureText(text).width, parseFloat(this.canvas.style.width)]); };
    })()""")
    many = []
    for width in (1600, 700, 400, 320):
        page.eval('drawn.length = 0')
        page.size(width, 900)
        page.settle()
        page.settle()
        drawn = page.eval('drawn')
        many.append(len(drawn))
        texts = [text for text, *_ in drawn]
        sections = [text for text in texts if text.startswith('.te')]
        run.check('%d px: sections %s' % (width, sections), '.text' in sections and all(text == '.text' or text == '.text.cold' or text.endswith('…') for text in sections))
        run.equal('%d px: what hangs over' % width, [text for text, right, end in drawn if right > end], [])
        run.equal('%d px: an end without a beginning' % width, [text for text in texts if text.endswith('…') and len(text) < 4], [])
    run.check('labels: %s' % many, many[0] > many[2] > 3)
    run.close(page, 'labels')


def contrast(page, ink, ground):
    """For two colors of the page, as WCAG reckons it."""
    def light(name):
        text = page.eval('getComputedStyle(document.documentElement).getPropertyValue("--%s").trim()' % name)
        parts = [int(text[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((light(ink), light(ground)))
    return (high + 0.05) / (low + 0.05)


def tabs(run):
    """The keyboard reaches everything that can be used, in the order of the page, and one sees where it is."""
    binary, samples, program, _ = sqlite(run)
    page = run.open(run.report('tabs', binary, [samples], '--input=' + program))
    reached = []
    for _ in range(60):
        page.key('Tab')
        here = page.eval('''(e => [e.id || e.textContent.slice(0, 30), getComputedStyle(e).outlineStyle !== 'none',
            e.getBoundingClientRect().top + scrollY, e.matches('.skip, .nav a')])(document.activeElement)''')
        if page.eval('document.activeElement === document.body') or reached and here[0] == reached[0][0]:
            break
        reached.append(here)
    names = [name for name, *_ in reached]
    run.check('skip links first: %s' % names[:2], names[0].startswith('Skip to') and names[1].startswith('Skip to'))
    for wanted in ('heat-output', 'heat-input', 'block-size', 'curve-functions', 'functions-search', 'functions-grid'):
        run.check('Tab reaches %s' % wanted, wanted in names)
    run.equal('where one does not see where one is', [name for name, seen, *_ in reached if not seen and name], [])
    tops = [top for _, _, top, fixed in reached if not fixed and top]
    body = [top for top in tops if top > 100]
    run.check('from top to bottom', all(a <= b + 250 for a, b in zip(body, body[1:])))
    page.eval('document.querySelector("#curve-functions").focus()')
    page.key('ArrowRight')
    page.key('ArrowRight')
    run.check('keys on a curve: %s' % page.text('.curve-readout'), page.text('.curve-readout').startswith('the hottest 2 functions hold'))
    run.close(page, 'tabs')


def hostile(run):
    """A binary of which a hot function is called <script>alert(1)</script>: its page shows that name, and nothing runs."""
    evil = '<script>alert(1)</script>'
    binary, samples, _, _ = sqlite(run)
    with open(binary, 'rb') as file:
        code = file.read()
    names = [row[0].split('/')[0].encode() for row in embedded.data_of(run.report('names', binary, [samples]))['functions']['rows']]
    name = next(n for n in names if len(n) >= len(evil) and b'\0' + n + b'\0' in code)
    other = evil.encode().ljust(len(name), b'_')
    bad = os.path.join(run.folder, 'bad')
    with open(bad, 'wb') as file:
        file.write(code.replace(b'\0' + name + b'\0', b'\0' + other + b'\0'))
    page = run.open(run.report('bad', bad, [samples], '--image=sq.b22'))
    page.eval('document.querySelector("#functions-search").focus()')
    page.type('<SCRIPT>')
    run.check('the name is found as it is', page.text('#functions-found').startswith('1 of '))
    page.click('#function-row-0')
    run.check('the name is shown as it is: %s' % page.text('#detail-title'), page.text('#detail-title').startswith(other.decode()))
    run.equal('scripts of the page', page.eval('document.querySelectorAll("script").length'), 2)
    run.close(page, 'a hostile binary')


def comparison(run):
    """compare --page: figures are those of --json in the same call; each round can be read with keys."""
    demo = [os.path.join(run.source, 'inputs/demo', name) for name in ('demo', 'demo.bolt')]
    path = os.path.join(run.folder, 'comparison.html')
    compare = json.loads(run.batconv('compare', '--json', '--page=' + path, '--rounds=20', '--margin=0', *demo, '--', 'true', '{}'))
    data = embedded.data_of(path)
    run.equal('comparison: what the page has of --json', data['compare'], compare)
    page = run.open(path)
    shown = page.eval('[...document.querySelectorAll("[data-figure]")].map(e => [e.dataset.figure, e.textContent])')
    for figure, text in shown:
        run.equal('comparison: %s' % figure, text, words.figure(figure, look_up(compare, figure)))
    wanted = {'rounds', 'binaries.0.cpu_seconds', 'binaries.1.cpu_seconds', 'binaries.1.wall_seconds', 'binaries.1.cpu_ratio.ratio', 'binaries.1.wall_ratio.ratio'}
    wanted |= {'binaries.%d.events.%s.median' % (i, event) for i in (0, 1) for event in compare['binaries'][0]['events']}
    wanted |= {'binaries.1.cpu_ratio.' + end for end in ('low', 'high') if compare['binaries'][1]['cpu_ratio']['low'] and compare['binaries'][1]['cpu_ratio']['high']}
    run.equal('comparison: figures that are not shown', wanted - {figure for figure, _ in shown}, set())
    run.equal('comparison: the verdict', page.text('[data-binary="1"] .badge')[2:], compare['binaries'][1]['verdict'])
    run.equal('comparison: the first binary has none', page.eval('document.querySelectorAll("[data-binary=\\"0\\"] .badge").length'), 0)
    run.equal('comparison: pictures', page.eval('document.querySelectorAll("#rounds canvas").length'), 1)
    page.eval('document.querySelector("#rounds-1").focus()')
    for i, look in enumerate(data['looks'][1]):
        page.key('ArrowRight' if i else 'Home')
        run.equal('comparison: look %d' % i, page.text('#rounds .curve-readout'), words.look(look))
    run.equal('comparison: looks', [look[0] for look in data['looks'][1]], list(range(1, compare['rounds'] + 1)))
    page.hover('#rounds-1 canvas', 0.5)
    run.check('comparison: pointed at', page.text('#rounds .curve-readout').startswith('round '))
    run.check('comparison: wider than the window', page.eval(NARROW_TABLE))
    run.picture(page, 'comparison')
    run.close(page, 'comparison')


PARTS = [figures, truths, compiler, guides, heat, table, listings, checks, looks, labels, tabs, hostile, comparison]
