"""Pages of data that no program in inputs/ gives: nothing in them, little in them, or names that want to be markup."""
import copy
import os

import embedded

EVIL = '<script>alert(1)</script>'
NAMES = [EVIL, '<img src=x onerror=alert(2)>', '</script><script>alert(3)</script>', '"><b>bold</b>', 'a\u202egnp.exe', 'new\nline\u0001', '&lt;', '']


def base_data(run):
    folder = os.path.join(run.inputs, 'sqlite')
    path = run.report('base', os.path.join(folder, 'sq.b22'), [os.path.join(folder, 'lbr.b22.data')], '--input=' + os.path.join(folder, 'sq'),
                      '--against=' + os.path.join(folder, 'b22.preagg'))
    return embedded.data_of(path)


def show(run, name, data, **how):
    path = os.path.join(run.folder, name + '.html')
    embedded.write_page(run.template, data, path)
    page = run.open(path, **how)
    run.picture(page, name)
    run.check('%s: wider than the window' % name, page.eval('document.documentElement.scrollWidth <= document.documentElement.clientWidth'))
    return page


def hostile(run):
    """Names that are markup are text, in every position where a name is; nothing runs, and the policy of the page lets nothing in."""
    data = base_data(run)
    for i, name in enumerate(NAMES):
        data['functions']['rows'][i][0] = name
        data['functions']['rows'][i][1] = name + '()' if i % 2 else None
        data['overlap']['movers'][i][0] = name
        data['sections'].append({'name': name, 'begin': 2 ** 33 + 4096 * i, 'end': 2 ** 33 + 4096 * i + 64, 'bytes_run': 1, 'touched': 1})
    data['code']['functions'][0]['calls'] = [[0, name, 5] for name in NAMES]
    data['code']['files'] = NAMES
    for i, block in enumerate(data['code']['functions'][0]['blocks'][:8]):
        block[-2:] = [i, 7]
    first = data['code']['functions'][0]['blocks'][0][0]
    data['code']['listings'] = [{'row': data['code']['functions'][0]['row'], 'ran': 1, 'percent': 100, 'blocks': [
        [first, [[4096], *[item for name in NAMES for item in (1, 'call 0x1 <%s>' % name)]], [*[[i, 9] for i in range(len(NAMES))], {'more': 3}]]]}]
    data['optimized'], data['input'], data['against'], data['samples'] = EVIL, NAMES[1], NAMES[2], NAMES[:4]
    data['overlap']['b'] = EVIL
    for ledger in data['words'].values():
        for key in ledger.get('reasons', {}):
            ledger['reasons'][key] = EVIL
    data['quality']['verdicts'][0]['text'] = EVIL
    for width in (400, 1600):
        page = show(run, 'hostile-%d' % width, data, width=width)
        plain = page.eval('document.querySelectorAll("script, img, b, iframe").length')
        for row in range(len(NAMES)):
            page.eval('document.querySelector("#function-row-%d").click()' % row)
            page.settle()
        page.eval('document.querySelector("#function-row-0").click()')
        page.settle()
        run.equal('hostile: shown as it is', page.text('#detail-title'), EVIL)
        run.equal('hostile: title', page.eval('document.querySelector("h1").textContent'), 'script>')
        run.check('hostile: in the table', EVIL in page.texts('.rows .name'))
        run.check('hostile: in calls', EVIL in page.texts('.edge.call code'))
        run.check('hostile: in files', EVIL + ':7' in page.texts('.source code'))
        run.check('hostile: in instructions', 'call 0x1 <%s>' % EVIL in page.texts('.asm-text'))
        run.check('hostile: in sources of instructions', EVIL + ':9' in page.texts('.asm-source'))
        run.check('hostile: direction marks are seen', 'a\\u{202e}gnp.exe()' not in page.texts('.rows .name') and 'a\\u{202e}gnp.exe' in page.texts('.rows .name'))
        run.equal('hostile: scripts and pictures', page.eval('document.querySelectorAll("body script:not([type]), img, iframe").length'), 1)
        run.check('hostile: elements', plain >= 2)
        run.close(page, 'hostile')
    page = show(run, 'policy', data)
    refused = page.eval('''new Promise(done => {
        const refused = [];
        addEventListener('securitypolicyviolation', e => refused.push(e.effectiveDirective));
        const image = new Image(); image.src = 'https://example.invalid/a.png';
        fetch('https://example.invalid/b').catch(() => 0);
        const script = document.createElement('script'); script.textContent = 'window.ran = 1'; document.body.append(script);
        setTimeout(() => done([refused.sort(), window.ran ?? 0]), 300); })''')
    run.equal('what the policy refuses', refused, [['connect-src', 'img-src', 'script-src-elem'], 0])
    page.close()


def emptied(data):
    """What batconv writes of no sample at all."""
    data = copy.deepcopy(data)
    quality = data['quality']
    for kind in ('samples', 'branches', 'traces'):
        quality['kept'][kind] = {'read': 0, 'kept': 0, 'dropped': []}
    quality['kept'].update(percent=0, of=0)
    quality['density'].update(density=0, times_more_samples=0, functions=0, profiled=0)
    quality['coverage'] = {'samples': 0, 'functions': 0, 'bytes': 0, 'percentiles': [{'percent': p, 'functions': 0, 'bytes': 0} for p in (50, 90, 99)]}
    for place in quality['layout'].values():
        place.update(samples=0, percent=0, hottest_percent=0)
    quality.pop('flow', None)
    quality['verdicts'] = [{'about': 'coverage', 'verdict': 'bad', 'text': 'no sample is in a function'}]
    nothing = {'cell': 64, 'wanted': 64, 'begin': 0, 'end': 0, 'cells': 0, 'sum': 0, 'max': 0, 'data': ''}
    data['heat'].update(output=nothing, input=None, input_lost=0, input_sections=None)
    data['curve'] = {'functions': [], 'bytes': []}
    data['functions'].update(all=0, listed=0, samples=0, samples_listed=0, rows=[])
    data['code'].update(listed=0, all=0, functions=[], files=[], listings=[], listings_of=0)
    data.update(overlap=None, against=None, input=None)
    return data


def little(run):
    """No sample, everything dropped, one function, no input, nothing to compare with: the page says so instead of a chart."""
    data = base_data(run)
    empty = emptied(data)
    page = show(run, 'empty', empty, width=400)
    told = page.texts('.empty p:first-child')
    for wanted in ('Nothing was read.', 'No code of this binary was seen to run.', 'No function has a sample.', 'There is nothing to compare with.'):
        run.check('no sample: %s' % wanted, wanted in told)
    run.close(page, 'no sample')

    dropped = copy.deepcopy(empty)
    dropped['quality']['kept']['samples'] = {'read': 1000, 'kept': 0, 'dropped': [{'reason': 'no_process', 'count': 900, 'loss': True},
                                                                              {'reason': 'kernel', 'count': 100, 'loss': False}]}
    dropped['words']['samples']['reasons'] = {'no_process': 'in processes that did not map the binary', 'kernel': 'in the kernel'}
    page = show(run, 'dropped', dropped)
    run.equal('everything dropped: ribbons', page.eval('document.querySelectorAll(".flow-link").length'), 2)
    run.equal('everything dropped: what is lost', page.eval('document.querySelectorAll(".flow-link.flow-warning").length'), 1)
    run.close(page, 'everything dropped')

    one = copy.deepcopy(data)
    row = one['functions']['rows'][0]
    one['functions'].update(all=1, listed=1, samples=row[2], samples_listed=row[2], rows=[row])
    one['code'].update(listed=0, all=1, functions=[])
    one['curve'] = {'functions': [[1, 100]], 'bytes': [[64, 100]]}
    one['heat'].update(input=None, input_lost=0, input_sections=None,
                       output={'cell': 64, 'wanted': 64, 'begin': row[7][0][0] // 64 * 64, 'end': row[7][0][0] // 64 * 64 + 64, 'cells': 1, 'sum': 5, 'max': 5, 'data': 'AAU='})
    one.update(overlap=None, against=None, input=None)
    page = show(run, 'one', one)
    run.check('one function: no input', 'The locations of this code in the input are not known.' in page.texts('.empty p:first-child'))
    page.click('#function-row-0')
    run.check('one function: no blocks', 'Its blocks are not in this page.' in page.texts('#detail .empty p:first-child'))
    page.eval('document.querySelector("#heat-output").focus()')
    page.key('Home')
    page.key('n')
    run.check('one function: its block', page.eval('document.querySelector("#heat-readout .much").dataset.value') in ('0', '5'))
    run.close(page, 'one function')

    without = copy.deepcopy(data)
    without['code'].update(has_instructions=False, listings=[], listings_of=0)
    page = show(run, 'without', without)
    page.click('#function-row-0')
    run.equal('without libLLVM', page.text('#no-listing'), 'The instructions are not in this page: no libLLVM was found when it was made.')
    run.close(page, 'without libLLVM')


def large(run):
    """As much as fits into a page, of a program with huge counts, and a kernel: it is drawn quickly, and numbers beyond 2^53 do no harm."""
    data = base_data(run)
    rows = data['functions']['rows']
    many = []
    for i in range(6000):
        row = list(rows[i % len(rows)])
        row[0] = '_ZN2v88internal%dFunctionNumber%06dEv' % (i, i)
        row[2] = 2 ** 60 // (i + 1)
        many.append(row)
    data['functions'].update(all=60000, listed=len(many), rows=many, samples=2 ** 63, samples_listed=2 ** 62)
    page = show(run, 'large', data)
    run.check('large: drawn in %.1f s' % page.seconds, page.seconds < 15)
    page.eval('(e => { e.value = "number000"; e.dispatchEvent(new Event("input")); })(document.querySelector("#functions-search"))')
    run.equal('large: found', page.text('#functions-found'), '1,000 of 6,000')
    run.close(page, 'large')

    high = base_data(run)
    high['base'] = '0xffffffff80000000'
    page = show(run, 'high', high)
    first = 0xffffffff80000000 + high['sections'][0]['begin']
    run.check('a kernel: %s' % page.text('.track .range'), page.text('.track .range').startswith('0x%x – 0xffffffff' % first))
    page.click('#function-row-0')
    run.check('a kernel: a function', '0x%x' % (0xffffffff80000000 + high['functions']['rows'][0][7][0][0]) in page.text('#detail .facts'))
    run.close(page, 'high addresses')


def compared(run):
    """Pages of batconv compare: each verdict, names that are markup, few rounds, outputs that differ."""
    def binary(name, verdict=None, low=None, high=None, rounds_for_margin=0, taken=1000, **more):
        of = {'binary': name, 'exit_code': 0, 'output_bytes': 7, 'cpu_seconds': 0.1204, 'wall_seconds': 0.121, 'events': {'page_faults': {'median': 12345}},
              'counts': {'instructions': 5000, 'taken_branches': taken, 'line_misses': 0, 'lines': 10, 'pages': 2, 'unknown_instructions': 0}, **more}
        ratio = {'ratio': 0.99, 'low': low, 'high': high}
        return of if verdict is None else {**of, 'output_differs': False, 'cpu_ratio': ratio, 'wall_ratio': ratio, 'verdict': verdict, 'rounds_for_margin': rounds_for_margin,
                                           'events': {'page_faults': {'median': 12000, 'ratio': ratio}}}
    cases = [(binary(EVIL, 'faster', 0.955, 0.97, taken=900), 'faster.'), (binary(NAMES[4], 'slower', 1.02, 1.05), 'slower.'), (binary('s', 'same', 0.996, 1.004), 'the same within 0.4 %.'),
             (binary(NAMES[2], 'undecided', 0.97, 1.015, 60), 'no difference above 3.1 % could be shown; about 40 more rounds would show 1 %.'),
             (binary(NAMES[5], 'undecided', 0, None), 'undecided: too few rounds.')]
    looks = [[1, 1.1, 1.1, 0, None], [2, 0.9, 1, 0, None], [20, 30, 0.99, 0.955, 0.97]]
    compare = {'format': 'batconv-compare', 'version': 1, 'served': True, 'rounds': 20, 'seconds': 7.5, 'margin_percent': 1, 'binaries': [binary(EVIL)] + [of for of, _ in cases],
               'max_loss': 1, 'differ': False, 'worse': True, 'undecided': True, 'failed': True}
    data = {'format': 'batconv-compare-page', 'batconv': '1.0.0', 'compare': compare, 'counted_runs': 3, 'looks': [[]] + [looks] * len(cases)}
    for width in (400, 1600):
        page = show(run, 'compared-%d' % width, data, width=width)
        run.equal('compared: sentences', page.texts('.card .sentence'), [sentence for _, sentence in cases])
        run.equal('compared: looks of verdicts', page.eval('[...document.querySelectorAll(".card")].map(e => e.className)'),
                  ['card', *['card ' + look for look in ('good', 'bad', 'good', 'warning', 'warning')]])
        run.equal('compared: pictures', page.eval('document.querySelectorAll("#rounds canvas").length'), len(cases))
        run.equal('compared: counts of valgrind', page.texts('#counted tbody tr:nth-child(2) td'), ['1,000', '900 (0.900)'] + ['1,000 (1.000)'] * 4)
        run.equal('compared: no ratio to nothing', page.texts('#counted tbody tr:nth-child(3) td'), ['0'] * 6)
        run.equal('compared: events', page.texts('#events tbody td')[:2] + page.texts('#events tbody td')[-1:],
                  ['12,345', '12,000 (0.990; 0.955 to 0.970)', '12,000 (0.990; too few rounds)'])
        run.check('compared: the limit: %s' % page.text('#verdict .lead'), 'slower by more than 1 %' in page.text('#verdict .lead'))
        run.check('compared: direction marks are seen', 'a\\u{202e}gnp.exe' in page.texts('.card h3'))
        run.equal('compared: scripts and pictures', page.eval('document.querySelectorAll("body script:not([type]), img, iframe, b").length'), 1)
        run.close(page, 'compared')
    differ = {**data, 'counted_runs': 0, 'looks': [[], []], 'compare': {**compare, 'rounds': 0, 'differ': True, 'worse': False, 'binaries': [
        {'binary': name, 'exit_code': 0, 'output_bytes': 7 + i, **({'output_differs': True} if i else {})} for i, name in enumerate(('a', 'd'))]}}
    page = show(run, 'differ', differ)
    run.equal('outputs differ: cards', page.texts('.card .sentence'), ['not timed.', 'its output or exit code differs.'])
    run.equal('outputs differ: empty parts', page.texts('.empty p:first-child'), ['There were no rounds.', 'Nothing was counted.'])
    run.close(page, 'outputs differ')


PARTS = [hostile, little, large, compared]
