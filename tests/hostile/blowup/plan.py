"""The command lines that the files of a kind are given to: Plan.  The program is asked for its commands, by what tests/hostile/every
asks it with, so that a new command is tried by being there."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../every'))
import commands  # noqa: E402

# What is made of the files of a kind first, if all that a command line reads is there: profiles and the like are what other
# commands read.
FIRST = [
    ['convert', '--force', '-q', 'binary', 'samples', '-o', 'out.fdata'],
    ['convert', '--force', '-q', '--basic', 'binary', 'recording', '-o', 'out.fdata'],
    ['convert', '--force', '-q', '--format=yaml', 'binary', 'samples', '-o', 'out.yaml'],
    ['convert', '--force', '-q', '--format=preagg', 'binary', 'samples', '-o', 'out.preagg'],
    ['dump', '--json', 'binary', '-o', 'out.json'],
    ['extract', 'binary', '-o', 'out.side'],
    ['maps', '--add=out.bcmaps', 'recording'],
    ['maps', '--add=out.bcmaps', 'maps'],
]

OF_KINDS = ('binary', 'input', 'samples', 'recording', 'maps', 'given', 'profile', 'rings') # the files that kinds have

# What is where a file of tests/hostile/every is (commands.GOOD); of these, what a kind has.
STANDS = {'demo.bolt': ['binary'], 'rings': ['rings'], 'demo': ['input', 'binary'], 'perf.data': ['samples', 'recording'],
          'profile.fdata': ['out.fdata', 'out.yaml', 'out.preagg', 'profile'], 'profile.yaml': ['out.yaml', 'out.fdata', 'profile'], 'table.json': ['out.json'],
          'maps.bcmaps': ['maps', 'recording', 'out.bcmaps']}
# What is in other positions: by command and position, or by position.
PLACES = {('inspect', 'FILE'): ['binary', 'samples', 'recording', 'maps', 'profile', 'rings', 'out.fdata', 'out.yaml'],
          ('convert', 'OPTIMIZED'): ['binary', 'out.side'],
          ('merge', 'INPUT'): ['samples', 'out.fdata', 'out.yaml', 'out.preagg', 'profile'],
          '--maps': ['given', 'maps', 'recording'], '--perf': ['recording'],
          # Lists of files and of names.
          '-perfdata': [], '--files-from': [], ('help', 'COMMAND'): [], '-funcs-file': [], '-funcs-file-no-regex': [], '-skip-funcs-file': []}
WORDS = {**commands.NO_FILES, 'ADDRESS': '401000'}

# What a command needs to get to work, unless one of some options is given: {command: (arguments, options)}.
NEEDS = {'convert': (['--force'], []), 'perf2bolt': (['-force'], []), 'llvm-bolt-heatmap': (['-force'], []), 'record': (['--replay=rings', '--bin=binary'], ['--replay']),
         'addr': (['--from=vaddr'], ['--maps', '--perf', '--base'])}
# Values of options, with which another path through the program lies; {demo} is what is where demo is.
VALUES = {'convert': ['--format=yaml --profile-write-pseudo-probes', '--format=preagg', '--format=profgen', '--stats=json',
                      '--compat=perf2bolt', '--threads=1'],
          'merge': ['--group=build', '--scale-to=1000', '--memory=2M'], 'heatmap': ['--block-size=64', '--block-size=1K,1M'],
          'addr': ['--from=offset', '--perf={perf.data} --process=1'], 'maps': ['--process=1', '--id=1'],
          'dump': ['--function=f', '--translate=401000'],
          'stacks': ['--functions --binary={demo.bolt}', '--functions=input --binary={demo.bolt}', '--format=json', '--format=folded',
                     '--format=pprof'],
          'verify': ['--sample-check=1000', '--sample-check=1000 --json', '--unwind --input={demo}', '--dwarf --input={demo}'], 'transcode': ['--layout=delta', '--layout=hashed']}
# Flags of the named ones that do not choose a way.
NOT_TRIED = {'--sandbox', '--quiet', '--verbose', '--no-progress', '-bolt-info', '-print-options', '-print-all-options', '-show-density'}


class Plan:
    def __init__(self, batconv, folder):
        for name in commands.PERF2BOLT_NAMES:
            os.symlink(batconv, os.path.join(folder, name))
        self.commands = [c for c in commands.ask(batconv, folder)
                         if any(PLACES.get((c.name, place.word)) != [] for place in commands.places(c))]

    def names(self):
        return [command.name for command in self.commands]

    def program(self, name):
        return next(command.program for command in self.commands if command.name == name)

    def lines(self, there):
        """For each command: lines with other files, and of its other ways, of files that are `there`."""
        return [Lines(command, there) for command in self.commands]


class Lines:
    """For one command."""

    def __init__(self, command, there):
        self.command, self.there = command, there
        self.slots = [self.operand(word) for word in command.operands if word != 'PROGRAM']
        if command.name == 'record' and not self.existing(['rings']):
            self.slots.append([]) # nothing is recorded here
        for name in command.required:
            option = command.option(name)
            if not option.writes():
                self.slots.append([f'{name}={value}' for value in self.values(name, option.word)])

    def values(self, place, word):
        if word in WORDS:
            return [WORDS[word]]
        stand = PLACES.get((self.command.name, place)) or PLACES.get(place)
        if stand is None:
            stand = STANDS[self.command.good(word)]
        return self.existing(stand)

    def existing(self, names):
        return [name for name in names if os.path.exists(os.path.join(self.there, name))]

    def operand(self, word):
        values = self.values(word, word)
        if word == 'EXECUTABLE':
            values = values[:1]
        return values

    def line(self, chosen, more=()):
        command = self.command
        needed, unless = NEEDS.get(command.name, ([], []))
        given = [word.split('=')[0] for word in more]
        arguments = [] if set(given) & set(unless) else list(needed)
        if command.program[-1].endswith(tuple(commands.PERF2BOLT_NAMES)) and '-p=samples' in chosen:
            arguments.append('-pa')
        output = next((o for o in command.options if o.name in ('--output', '-o')), None)
        if output and not set(given) & {'--in-place', '--group'}:
            arguments += ['-o', 'new']
        return [command.name] + arguments + list(more) + chosen

    def file_options(self):
        """Each file that an option can read."""
        for option in self.command.options:
            if option.takes_file() and option.reads() and option.name not in self.command.required and not option.writes():
                yield from ([f'{option.name}={value}'] for value in self.values(option.name, option.word))

    def beside(self, chosen, more):
        """The operands, except those that an option replaces."""
        without = commands.WITHOUT.get((self.command.name, more[0].split('=')[0]), [])
        return [value for word, value in zip(self.command.operands, chosen) if word not in without] + chosen[len(self.command.operands):]

    def ways(self):
        yield from ([flag] for flag in self.command.flags() if flag not in NOT_TRIED)
        for words in VALUES.get(self.command.name, []):
            stand = {good: self.existing(names) for good, names in STANDS.items()}
            if all(stand[good] for good in re.findall(r'{(.*?)}', words)):
                yield [re.sub(r'{(.*?)}', lambda found: stand[found[1]][0], word) for word in words.split()]
        for option in self.command.options:
            if option.takes_file() and option.writes() and option.name not in ('--output', '-o', *self.command.required):
                yield [f'{option.name}=new.{option.name.strip("-")}']

    def first(self):
        """Each position with the file that fits it best; no lines: for one of them there is none."""
        if all(self.slots):
            yield self.line([slot[0] for slot in self.slots])

    def others(self, turn):
        """Each position in turn with each other file; each file that an option can read; and each way.  Only the one of a
        number that is given; a pair of binaries is one in any case."""
        first, own = [slot[0] for slot in self.slots], self.command.options
        pair = ['--input=input'] if any(o.name == '--input' for o in own) and self.existing(['input']) else []
        files = [self.line(first[:number] + [other] + first[number + 1:])
                 for number, slot in enumerate(self.slots) for other in slot[1:]]
        options = [self.line(self.beside(first, more), more) for more in self.file_options() if more != pair]
        ways = [self.line(first, more + pair) for more in self.ways()]
        if pair:
            yield self.line(first, pair)
        lines = files + options + ways
        yield from lines if turn is None or not lines else [lines[turn % len(lines)]]
