"""What two programs are asked: the command lines of the matrix, more for every sample file, each command with each kind of file, the cases
of the second count, and help."""
import copy
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ('hostile/every', 'count/recount', 'hostile/matrix'):
    sys.path.insert(0, os.path.join(HERE, '../..', folder))
import commands  # noqa: E402
import every  # noqa: E402
import kinds  # noqa: E402
import plan  # noqa: E402
from corpus import Corpus, kind_of  # noqa: E402

# Names that the program can be called by.
NAMES = ['batconv', *commands.PERF2BOLT_NAMES, 'merge-fdata']

# What each sample file is converted to, and with what.  {} is the binary, {input} its input, {samples} the file.
SAMPLES = ['convert -o out --stats=json {} {samples}', 'convert -o out --compat=perf2bolt {} {samples}',
           'convert -o out -w yaml --without-hashes {} {samples}', 'convert -o out --format=preagg {} {samples}',
           'convert -o out --shard {} {samples}', 'convert -o out --basic --force --no-infer {} {samples}',
           'convert -o out --impute-fall-throughs --verbose --threads=2 {} {samples}', 'perf2bolt -o out -p {samples} {PA} -w yaml {}',
           'quality --json {} {samples}', 'heatmap -o out {} {samples}', 'overlap --json --bin={} {samples} {samples}', 'merge -o out {samples}',
           'inspect --json {} {samples}']
# ... and with the input, if there is one.
WITH_INPUT = ['convert -o out --input={input} -w yaml --profgen=profgen --stats-file=stats {} {samples}',
              'convert -o out --input={input} --restore=none --profgen=profgen {} {samples}',
              'convert -o out --input={input} --basic --force -w yaml --profgen=profgen {} {samples}',
              'convert -o out --input={input} -w yaml --hashes={} {} {samples}',
              'quality --input={input} --json {} {samples}', 'quality --input={input} {} {samples}',
              'report --input={input} --json -o out {} {samples}', 'report --input={input} -o out {} {samples}']
# What a recording is asked for, too.
RECORDING = ['maps --list {samples}', 'maps --json {samples}', 'maps --raw {samples}', 'stacks -o out {samples}',
             'stacks --functions=input --inlines --binary={} -o out {samples}',
             'addr --binary={} --perf={samples} --from=vaddr --explain {entry}']
# Profiles of a pair, by the other name of merge.
MERGED = ['merge-fdata {branches.fdata} {plain.fdata}', 'merge-fdata {branches.fdata} {branches.input.fdata} -o out',
          'merge-fdata --print=functions {branches.fdata}']


class Case:
    """A command line.  name: of what it is about.  made: as in plan.Cell, things in `folder`."""

    def __init__(self, name, words, made=(), folder=None):
        self.name, self.words, self.made, self.folder = name, words, dict(made), folder

    def makes(self):
        """{output: the file that later cases read}"""
        return {output: os.path.join(self.folder, thing) for output, thing in self.made.items() if thing}

    def needs(self):
        return [word for word in self.words if self.folder and word.startswith(self.folder + '/')]

    def run(self, programs, folder, timeout):
        """(exit code, stdout, stderr); programs: where NAMES are"""
        words = [os.path.join(programs, os.path.basename(self.words[0])), *self.words[1:]]
        done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        return done.returncode, done.stdout, done.stderr


class KindCase:
    """A file of a kind in a position of a command: a run of tests/hostile/every."""

    def __init__(self, run):
        self.name, self.words, self.made, self.planned = run.kind.name, [run.text()], {}, run

    def makes(self):
        return {}

    def needs(self):
        return []

    def run(self, programs, folder, timeout):
        run = copy.copy(self.planned)
        run.place, command = copy.copy(run.place), copy.copy(run.place.command)
        command.program = [os.path.join(programs, os.path.basename(command.program[0])), *command.program[1:]]
        run.place.command = command
        every.TIMEOUT = timeout
        code, out, err, _ = every.execute(run, folder)
        if code is None:
            raise subprocess.TimeoutExpired(run.text(), timeout)
        return code, out, err


def entry_of(path):
    with open(path, 'rb') as file:
        return '%x' % int.from_bytes(file.read(32)[24:], 'little')


class Planner:
    """programs: the folder with the names of the older program, which is asked.  found: its commands."""

    def __init__(self, programs):
        self.batconv = os.path.join(programs, 'batconv')
        self.programs = programs
        self.found = [command for command in commands.ask(self.batconv, programs) if command.name not in plan.NO_LINES]

    def case(self, name, words, **more):
        """words: with a command or a name of the program in front"""
        first = [os.path.join(self.programs, words[0])] if words[0] in NAMES else [self.batconv, words[0]]
        return Case(name, first + words[1:], **more)

    def of_help(self):
        names = [command.name for command in self.found] + sorted(plan.NO_LINES)
        lines = [['help'], ['batconv'], ['batconv', '--help'], ['version', '--json'], ['merge-fdata', '--help'], ['no-command']]
        lines += [words for name in names for words in (['help', name], ['batconv', name, '--help'], ['batconv', name])]
        return [self.case('', words) for words in lines]

    def of_matrix(self, pairs):
        """Every line of the matrix, samples by one thread and by as many as there are processors; each option once with each shape."""
        planned = [cell for pair in pairs for cell in plan.plan(pair, self.found)]
        turns = [cell for cells in plan.plan_turns(planned, self.found) for cell in cells]
        for cell in planned + turns:
            yield Case(cell.pair.name, cell.line(), cell.made, cell.pair.folder)
            if plan.by_threads(cell):
                yield Case(cell.pair.name, cell.line('--threads=1'))

    def of_line(self, name, line, files):
        """A line with files instead of their names in braces, or None: one is not there."""
        words = []
        for word in line.split():
            for key, value in files.items():
                word = word.replace('{%s}' % key, value)
            words += [word] if word else []
        return None if any('{' in word for word in words) else self.case(name, words)

    def of_samples(self, pair, file, of_input):
        binary = pair.input if of_input else pair.bolted
        files = {'': binary, 'samples': file, 'PA': '-pa' if kind_of(file) == 'preagg' else '', 'entry': entry_of(binary)}
        lines = list(SAMPLES)
        if kind_of(file) != 'preagg':
            lines += RECORDING
        if binary != pair.input:
            files['input'] = pair.input
            lines += WITH_INPUT
        if '.made.' in file:  # traces that no code can run
            lines = [line.replace('convert ', 'convert --force ') for line in lines]
        return [self.of_line(pair.name, line, files) for line in lines]

    def of_pairs(self, pairs):
        for pair in pairs:
            things = {key: words[0] for key, words in pair.things.items() if words}
            for line in MERGED:
                case = self.of_line(pair.name, line, things)
                if case:
                    case.folder = pair.folder
                    yield case
            for file, of_input in pair.files:
                yield from self.of_samples(pair, file, of_input)

    def of_nobodys(self, files):
        return [self.case('', [*words.split(), file]) for file in files for words in ('inspect --json', 'maps --list')]

    def of_kinds(self, inputs, source, scratch):
        """Files without their last byte are left to tests/hostile/every: they take a quarter of its time."""
        files = kinds.make(self.batconv, inputs, source, scratch)
        planner = every.Planner({name: kind for name, kind in files.items() if not name.endswith('~last')})
        return [KindCase(run) for command in commands.ask(self.batconv, self.programs) for place in commands.places(command)
                for run in planner.runs(place)]

    def of_recount(self, inputs, source, scratch):
        for case in Corpus(inputs, source, scratch).cases:
            for form in case.forms:
                yield self.case('', ['convert', '-o', 'out', '--format=' + form, *case.options, case.binary, *case.samples])
