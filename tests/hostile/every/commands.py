"""The commands as the program lists them, and where a file can be in each: commands.ask()."""
import os
import re
import subprocess

# A word of a usage line that is no file, and something that fits there.
NO_FILES = {'ADDRESS': '0x55e11c270022', 'LAYOUT': 'fixed', 'PROGRAM': 'true', 'WORKLOAD': '-- true {}'}

# What fits in the other positions, by the word there, or by command and word.
GOOD = {'PROG': 'demo', 'NEW': 'demo', 'SAMPLES': 'perf.data', 'STACKS': 'perf.data', 'INPUT': 'demo', 'JSON': 'table.json',
        ('merge', 'INPUT'): 'profile.fdata', ('overlap', 'A'): 'profile.fdata', ('overlap', 'B'): 'profile.fdata',
        ('stale', 'PROFILE'): 'profile.yaml', ('carry', 'OLD'): 'demo', ('carry', 'PROFILE'): 'profile.fdata', ('record', '--replay'): 'rings',
        ('report', 'PROFILE'): 'profile.fdata', ('encode', 'FILE'): 'table.json', ('maps', 'FILE'): 'maps.bcmaps'}
GOOD_ANYWHERE = 'demo.bolt'

# What a position needs in addition, so that the file there is used: (command, position) -> arguments; else that of the command.  After
# an option that ends with = is a kind.
BESIDE = {('addr', '--input'): ['--base=55e11c269000', '--source'],
          ('addr', '--binary'): ['--base=55e11c269000'],
          ('addr', 'stdin'): ['--base=55e11c269000'],
          'compare': ['--rounds=1'],
          ('convert', '--for'): ['--input=', 'demo'],
          'optimize': ['--quiet', '--budget=0.05', '--profile=', 'profile.fdata'],
          ('optimize', '--profile'): ['--quiet', '--budget=0.05'],
          ('record', '--replay'): ['--bin=', 'demo.bolt'],
          ('stacks', '--binary'): ['--functions'],
          ('stacks', 'STACKS'): ['--maps=', 'maps.bcmaps', '--binary=', 'demo.bolt'],
          ('stacks', 'stdin'): ['--maps=', 'maps.bcmaps', '--binary=', 'demo.bolt']}
# ... and what is in an operand then.
INSTEAD = {('stacks', '--maps'): {'STACKS': 'raw.stacks'}, ('convert', '--maps'): {'SAMPLES': 'plain.script.txt'}}
# An option that replaces operands.
WITHOUT = {('convert', '--bin'): ['OPTIMIZED'], ('record', '--replay'): ['PROGRAM'], **{(name, '--from-compiler'): ['OPTIMIZED', 'SAMPLES'] for name in ('convert', 'quality', 'report')}}

# What is written with exit code 3, by the documentation: docs/compare.md, docs/stats.md, docs/record.md.
WRITTEN_WHEN_WANTING = {('compare', '--page'), ('convert', '--stats-file'), ('record', '--save-rings'), ('record', '--metrics')}

# Commands whose output is for programs, which have rules of their own for names; and such options of other commands.
NO_TEXT = {'heatmap': None, 'carry': None, 'report': None, 'convert': None, 'perf2bolt': None, 'llvm-bolt-heatmap': None, 'encode': None, 'extract': None, 'transcode': None, 'maps': ['--raw'],
           'merge': None}

# Commands whose output has times, so that no two runs print the same.
TIMED = {'compare', 'optimize'}

# The llvm-bolt that optimize runs, and the folder that it works in: this stays, to be continued in.
FAKE_LLVM_BOLT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support/fake_llvm_bolt')
WORKED_IN = {'optimize': r'\.optimize$'}

# What is next to a file that is written, by command.
BESIDE_OUTPUT = {'optimize': r'\.bolt$',
                 'heatmap': r'^(out|target.*)(-\d+|\.csv|-section-hotness\.csv)$',
                 'perf2bolt': r'^(out|target.*)(-\d+|\.csv|-section-hotness\.csv)$', # of -heatmap
                 'llvm-bolt-heatmap': r'^(out|target.*)(-\d+|\.csv|-section-hotness\.csv)$'}

# Options without an argument that are not tried: help, a line that changes, what writes nothing, and one that runs perf.
NOT_TRIED = {'--dry-run', '--help', '--progress', '-spe'}

# Names that batconv can be called by, which have perf2bolt's kind of options.
PERF2BOLT_NAMES = ['perf2bolt', 'llvm-bolt-heatmap']


class Option:
    """short: -x or None.  role: what becomes of a file that it names, as its row in the program says: 'read', 'written', 'updated', ..."""

    def __init__(self, name, short, word, optional, role):
        self.name, self.short, self.word, self.optional, self.role = name, short, word, optional, role

    def takes_file(self):
        return self.word in ('FILE', 'BIN', 'BINARY', 'INPUT', 'JSON', 'NEW', 'OLD', 'SAMPLES', 'STACKS', 'PROFILE')

    def writes(self):
        return self.role in ('written', 'updated')

    def reads(self):
        return self.role != 'written'


class Command:
    """roles: of its options, by each of their names."""

    def __init__(self, name, help_text, roles):
        self.name, self.help, self.roles = name, help_text, roles
        usage = help_text.split('\n', 1)[0]
        words = usage.split()[3:]
        self.options = [Option(m[2], m[1], m[4], bool(m[3]), roles[m[2]]) for m in re.finditer(
            r'^  (?:(-\w), |    )(--[\w-]+)(\[)?(?:=([A-Z][A-Z,=.]*))?\]? ', help_text, re.M)]
        self.required = [word for word in re.findall(r'(--?\w[\w-]*)[= ][A-Z]', re.sub(r'\[.*?\]', '', usage))]
        usage = re.sub(r'--?\w[\w-]*[= ][A-Z]+', '', ' '.join(words))
        self.operands = re.findall(r'\b[A-Z][A-Z]*\b', usage.replace('[OPTION]', ''))
        self.reads_stdin = "'-' is" in help_text or 'from stdin' in help_text
        # Exit code 3 comes with what was found.
        self.writes_when_wanting = bool(re.search(r'exit code 3', help_text, re.I))

    def option(self, name):
        return next(o for o in self.options if name in (o.name, o.short))

    def prints_text(self, arguments):
        other = NO_TEXT.get(self.name, [])
        return other is not None and not set(other) & set(arguments)

    def flags(self):
        return [o.name for o in self.options if not o.word and o.name not in NOT_TRIED]

    def good(self, word):
        return GOOD.get((self.name, word)) or GOOD.get(word) or GOOD_ANYWHERE


class Place:
    """Where a file is.  kind: 'operand', 'option', 'stdin'."""

    def __init__(self, command, kind, word, number=0, option=None):
        self.command, self.kind, self.word, self.number = command, kind, word, number
        self.writes = bool(option) and option.writes()
        self.reads = not option or option.reads()

    def may_write(self, code):
        return code in (0, 4) or code == 3 and (self.command.writes_when_wanting or
                                                (self.command.name, self.word) in WRITTEN_WHEN_WANTING)

    def name(self):
        return 'stdin' if self.kind == 'stdin' else self.word

    def label(self):
        return '%s %s' % (self.command.name, self.name())


def places(command):
    for number, word in enumerate(command.operands):
        if word not in NO_FILES:
            yield Place(command, 'operand', word, number)
    for option in command.options:
        if option.takes_file():
            yield Place(command, 'option', option.name, option=option)
    if command.reads_stdin:
        yield Place(command, 'stdin', '-', len(command.operands) - 1)


def roles_of(table):
    """Of 'help --table': command -> name of an option, with its dashes -> role."""
    found = {}
    for row in table.splitlines():
        kind, *fields = row.split('\t')
        if kind == 'option':
            command, *fields = fields
            letter, name, _, _, role = fields[:5]
            found.setdefault(command, {}).update({'-' + letter: role, '--' + name: role})
    return found


def ask(batconv, folder):
    def run(*arguments):
        return subprocess.run([batconv, *arguments], capture_output=True, check=True, timeout=60).stdout.decode()
    roles = roles_of(run('help', '--table'))
    names = re.findall(r'^  (\w[\w-]*) ', run('help'), re.M)
    found = []
    for name in names:
        command = Command(name, run('help', name), roles.get(name, {}))
        command.program = [batconv, name]
        found.append(command)
    found += [Perf2bolt(folder, name, roles[name]) for name in PERF2BOLT_NAMES]
    return found


class Perf2bolt(Command):
    """The words of its options show what they take.  llvm-bolt-heatmap has the same options."""

    def __init__(self, folder, name, roles):
        path = os.path.join(folder, name)
        text = subprocess.run([path, '--help'], capture_output=True, check=True, timeout=60).stdout.decode()
        usage = re.search(r'^USAGE: %s (.*)' % name, text, re.M)[1]
        super().__init__(name, 'usage: batconv %s %s' % (name, usage), roles)
        self.program = [path]
        self.required = ['-p', '-o']
        self.operands = ['EXECUTABLE']
        rows = dict(re.findall(r'^  --([\w-]+)=<value> +- (.*)', text, re.M))
        self.options = [Option('-' + name, None, 'SAMPLES' if 'samples' in what else 'FILE', False, roles.get('--' + name) or roles['-' + name])
                        for name, what in rows.items() if re.search(r'this file|^samples: ', what)]
        self.options += [Option('-p', None, 'SAMPLES', False, roles['-p'])]
        self.flag_rows = re.findall(r'^  --([\w-]+) +- (.*)', text, re.M)

    def flags(self):
        return ['-' + name for name, what in self.flag_rows
                if not name.startswith(('h', 'version')) and 'refused' not in what and '-' + name not in NOT_TRIED]
