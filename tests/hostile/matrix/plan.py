"""Which command lines there are with a pair: plan() and plan_turns()."""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../every'))
import commands  # noqa: E402

# Command lines that operands do not show.  The words in braces are things of the pair: its files, what was made of its samples, and kinds,
# which have no word.  What is after > is a new thing.  A line with a thing that the pair lacks is left out.
LINES = {
    'addr': ['--from=vaddr --binary={bolted} {addresses}', '--from=vaddr --json --binary={bolted} --input={input} {addresses}'],
    'carry': ['{input} {input} {branches.input.fdata}', '--stats=json {input} {input} {branches.input.yaml}'],
    'convert': ['--format=preagg {bolted} {branches} >branches.preagg', '--shard {bolted} {plain} >plain.shard', '{bolted} {recording}', '{bolted} {plain}',
                '--format=yaml --profile-write-pseudo-probes --input={input} {bolted} {branches} {probes}',
                '{input} {input.branches}', '{input} {input.plain}', '--input={input} --for={input} {bolted} {branches}'],
    'diff': ['{bolted} {other}'],
    'dump': ['{bolted}', '--json {bolted} >table'],
    'encode': ['{table}'],
    'inspect': ['{bolted} {input} {branches} {plain} {branches.fdata} {plain.fdata} {branches.preagg} {plain.shard} {table}',
                '{branches.input.yaml} {plain.yaml}'],
    'maps': ['{recording}'],
    'merge': ['--stats=json {branches.fdata} {branches.input.fdata}', '{branches.yaml} {branches.input.yaml}', '{branches} {branches.preagg}',
              '{plain.shard}'],
    'overlap': ['{branches.fdata} {branches.input.fdata}', '{branches.yaml} {branches.input.fdata}', '--bin={bolted} {branches} {plain}'],
    'quality': ['{input} {input.branches}', '{input} {input.plain}'],
    'record': ['-q --replay={rings} --bin={bolted}', '--stats=json --replay={rings} --bin={bolted}', '-q --replay={input.rings} --bin={input}'],
    'report': ['{input} {input.branches}', '{input} {input.plain}'],
    'stale': ['{branches.yaml} {bolted}', '--json {branches.input.yaml} {bolted}', '{branches.input.yaml} {input}', '{bolted} {branches.yaml}',
              '{branches.input.fdata} {input}', '--json {input} {branches.fdata}'],
    'verify': ['{bolted}', '--input={input} {bolted}', '--dwarf --input={lines} {bolted}'],
    'stacks': ['--functions --binary={bolted} {recording}'],
}
# Commands that take nothing of a pair, and those that print times.
NO_LINES = {'version', 'help', 'compare', 'doctor', 'optimize'}
# What is before the samples or the binary.
BESIDE = {'convert': ['-o', 'out', '--stats=json'], 'perf2bolt': ['-pa'], 'llvm-bolt-heatmap': ['-pa'], 'transcode': ['--layout=fixed']}
# What a conversion writes, things of the pair: what is needed for it, and the option.
MADE = {'fdata': ('samples', None), 'stats': ('samples', '--stats-file=stats'), 'yaml': ('hashes', '--yaml=yaml'),
        'profgen': ('input', '--profgen=profgen')}

# What an option gets in its turn, by the word in its help, or by command and option.
VALUES = {'N': ['7'], 'PERCENT': ['50'], 'SIZE': ['1M'], 'SIZE,...': ['4K,64K'], 'LAYOUT': ['delta', 'equal', 'hashed'],
          'FORM': ['text', 'none'], 'RELEASE': ['22'], 'SEVERITY': ['error', 'note'], 'PROGRAM': ['perf2bolt'], 'TOTAL': ['1000000'], 'OF': ['input'], 'WHEN': ['never'],
          'GLOB': ['*'], 'P': ['50'], 'RULE,...': ['none', 'names,entries', 'inserted,plt,sites', 'original,ignored,folded', 'removed,tails', 'inlined'], 'FORMAT': ['auto'],
          ('convert', '--format'): ['yaml', 'preagg', 'profgen'], ('convert', '--input-format'): ['preagg'],
          ('record', '--mmap-pages'): ['8'], ('record', '--freq'): ['1000'], ('record', '--count'): ['1000'],
          ('record', '--until'): ['enough'],
          ('heatmap', '--min-address'): ['4096'], ('heatmap', '--max-address'): ['0x500000'],
          ('stacks', '--format'): ['json', 'folded', 'pprof']}
# Words of options that need something else with each pair, or what no pair has.
NO_VALUE = {'KIND', 'KEY', 'TIME', 'DIR', 'NAME', 'ID', 'T', 'PID', 'PID,...', 'FROM,TO', 'ADDR', 'ADDRESS', 'FILE', 'BIN', 'INPUT', 'NEW', 'PROFILE',
            'PATH', 'SAMPLES', 'PROG', 'EVENT', 'N|SIZE'}
# Options that have no turn: the runs or a line have them, they want what no pair has or other programs (--hashes, --from-compiler), or they change the
# files of inputs/.
NO_TURN = {'--threads', '--in-place', '--no-progress', '--new-recording', '--null', '--max-bad', '-ps', '--profile-write-pseudo-probes',
           '--hashes', '--from-compiler', '--force-map', '--dwarf', *commands.NOT_TRIED,
           ('record', '--all')}  # tests/record has those that record
# Commands that exit with 3 although nothing is wrong: what was compared differs.
FINDS = {'verify', 'diff', 'addr', 'maps', 'overlap'}


class Cell:
    """One command line: `words`, and `also`, for which an option in turn makes room.  shape: what it has in common with those of other
    pairs.  made: file (or stdout) -> the thing of the pair that it is, or None.  turn: options that can be refused.
    codes, wrong, ledgers, seconds: of its runs."""

    def __init__(self, pair, command, shape, words, made=(), also=(), turn=()):
        self.pair, self.command, self.shape, self.words = pair, command, shape, words
        self.made, self.also, self.turn = dict(made), list(also), list(turn)
        self.codes, self.wrong, self.ledgers, self.seconds = [], [], [], 0.0

    def line(self, *options):
        return [*self.command.program, *options, *self.turn, *self.also, *self.words]

    def needs(self):
        """Things that other command lines make."""
        return [word for word in self.words if word.startswith(self.pair.folder + '/')]

    def turned(self, turn):
        return Cell(self.pair, self.command, self.shape, self.words, {'out': None} if 'out' in self.made else (), turn=turn)

    def worked(self):
        return bool(self.codes) and self.codes[0] in (0, 3)

    def may_exit(self, code):
        """Nothing is damaged here."""
        return code == 0 or code == 3 and self.command.name in FINDS or code in (1, 2, 3, 4) and bool(self.turn)


def has(command, option):
    return any(one.name == option for one in command.options)


def takes_samples(command):
    return command.operands == ['OPTIMIZED', 'SAMPLES'] or '-p' in command.required


def by_threads(cell):
    """Samples that several threads count."""
    return takes_samples(cell.command) and has(cell.command, '--threads') and not cell.turn


def turns(command):
    """All options in turn, as words."""
    for option in command.options:
        if option.word and option.name not in NO_TURN:
            values = VALUES.get((command.name, option.name), VALUES.get(option.word))
            if values is None and option.word not in NO_VALUE:
                sys.exit('%s %s=%s: VALUES has nothing for it' % (command.name, option.name, option.word))
            yield from ([option.name + '=' + value] for value in values or [])
    yield from ([flag] for flag in command.flags() if not {flag, (command.name, flag)} & NO_TURN)


def of_samples(pair, command, kind, given):
    """kind: branches or plain; given: whether it gets the input."""
    shape, made, also = kind + '.input' * given, {}, []
    words = BESIDE.get(command.name, []) + ['--input=' + pair.input] * given
    words += ['--json'] * (given and has(command, '--json'))
    words += ['-p', pair.samples[kind], pair.bolted] if '-p' in command.required else [pair.bolted, pair.samples[kind]]
    if command.name == 'convert':
        there = {'samples': True, 'hashes': pair.layout == 'hashed', 'input': given}
        made = {thing if option else 'out': shape + '.' + thing for thing, (needed, option) in MADE.items() if there[needed]}
        also = [option for needed, option in MADE.values() if option and there[needed]]
    return Cell(pair, command, shape, words, made, also)


def of_line(pair, command, line):
    words, made = [], {}
    for word in line.split():
        name = re.search(r'\{(.*)\}', word)
        if name and name[1] not in pair.things:
            return None
        if word.startswith('>'):
            made['stdout'] = word[1:]
        else:
            words += [word.replace(name[0], thing) for thing in pair.things[name[1]]] if name else [word]
    return Cell(pair, command, line, words, made)


def cells_of(pair, command):
    if takes_samples(command):
        for kind in pair.samples:
            for given in (False, True)[:1 + has(command, '--input')]:
                yield of_samples(pair, command, kind, given)
    elif command.operands[:1] == ['BINARY'] and command.name not in LINES:
        for given in ([], ['--input=' + pair.input])[:1 + has(command, '--input')]:
            yield Cell(pair, command, ''.join(given)[:8], given + BESIDE.get(command.name, []) + [pair.bolted])
    elif command.name not in LINES:
        sys.exit('%s %s: LINES has nothing for it' % (command.name, ' '.join(command.operands)))
    yield from filter(None, (of_line(pair, command, line) for line in LINES.get(command.name, [])))


def with_output(cell):
    if '-o' in cell.command.required:
        cell.words = ['-o', 'out'] + cell.words
        cell.made['out'] = None
    return cell


def plan(pair, found):
    """All but those of the options in turn.  Commands that make things of the pair come first."""
    cells = []
    for command in sorted(found, key=lambda one: one.name not in ('convert', 'dump')):
        for cell in map(with_output, cells_of(pair, command)):
            pair.things.update((thing, [os.path.join(pair.folder, thing)]) for thing in cell.made.values() if thing)
            cells.append(cell)
    return cells


def plan_turns(cells, found):
    """For each option the cells in which it is tried until it works: one of each shape."""
    shapes = collections.defaultdict(lambda: collections.defaultdict(list))
    for cell in cells:
        shapes[cell.command.name][cell.shape].append(cell)
    for command in found:
        own = list(shapes[command.name].values())
        for number, option in enumerate(turns(command) if own else ()):
            yield [cells[number % len(cells)].turned(option) for cells in own[number % len(own):] + own[:number % len(own)]]
