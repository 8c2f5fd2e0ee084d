"""Which sample file belongs to which binary, and what is made of them: the cases of recount.py."""
import os
import re
import subprocess
import sys

SAMPLES = ('.data', '.preagg', '.txt')
FORMS = ('fdata', 'preagg', 'yaml')
LAYOUTS = ('fixed', 'delta', 'equal', 'hashed')


class Case:
    """Samples of a binary, and how they are converted.  `source`: the input binary, which must have all locations."""

    def __init__(self, binary, samples, options=(), source=None, forms=FORMS):
        self.binary, self.samples, self.options, self.source = binary, samples, tuple(options), source
        self.forms = forms

    def name(self):
        parts = [os.path.basename(path) for path in (self.binary, *self.samples)]
        return ' '.join([*parts, *self.options])


def binary_of(folder, name):
    """The binary that a sample file of inputs/ is of, by their names."""
    if folder == 'demo':
        return 'demo.bolt'
    if folder == 'sqlite':
        release = re.match(r'(?:lbr\.|ip\.|typed\.)?(b\d+|input)\.', name)[1]
        return 'sq' if release == 'input' else 'sq.' + release
    binary = re.match(r'(.*?)(\.made)?\.(preagg|data|spe\.txt)$', name)[1]
    if folder == 'probed':
        return {'libtwist': 'libtwist.so', 'libtwist.bolt': 'libtwist.bolt.so', 'probes.bolt': '../compiled/probes.bolt'}.get(binary, binary)
    return binary


def is_elf(path):
    with open(path, 'rb') as file:
        return file.read(4) == b'\x7fELF'


def bolt_options(path):
    """With what llvm-bolt wrote it, as it says there itself, or None: it did not."""
    with open(path, 'rb') as file:
        told = re.search(rb'\0BOLT revision: .*?, command line: ([^\0]*)\0', file.read())
    return told and told[1].decode()


def input_of(path):
    """The binary that llvm-bolt read, or the very same: X.bolt, X.b22 or X.p1 was X, libX.bolt.so was libX.so."""
    start, end = re.fullmatch(r'(.*?)(\.so)?', path).groups(default='')
    while bolt_options(path) and '.' in os.path.basename(start):
        start = start.rpartition('.')[0]
        if os.path.exists(start + end):
            return start + end
    return path


def layout_of(batconv, path):
    """That of its table, or None: BOLT never touched it."""
    done = subprocess.run([batconv, 'dump', '--summary', path], capture_output=True, text=True)
    return next((layout for layout in LAYOUTS if layout in done.stdout.split()), None)


def kind_of(samples):
    """data (perf.data), text (of perf script) or preagg."""
    with open(samples, 'rb') as file:
        start = file.read(1 << 16)
    if start.startswith(b'PERFILE2'):
        return 'data'
    return 'text' if b'PERF_RECORD' in start else 'preagg'


class Corpus:
    def __init__(self, inputs, source, temporary):
        self.folders = {name: os.path.join(inputs, name) for name in ('sqlite', 'aarch64', 'riscv64')}
        self.folders['demo'] = os.path.join(source, 'inputs/demo')
        self.source, self.temporary = source, temporary
        self.binaries, self.files, self.cases = 0, 0, []
        for folder in sorted(self.folders):
            self.add_folder(folder)
        self.add_made()
        self.add_flags()
        self.add_spe()

    def path(self, folder, name):
        return os.path.join(self.folders[folder], name)

    def files_of(self, folder):
        names = [n for n in sorted(os.listdir(self.folders[folder])) if os.path.isfile(self.path(folder, n))]
        samples = [n for n in names if n.endswith(SAMPLES)]
        return [n for n in names if n not in samples and is_elf(self.path(folder, n))], samples

    def add_folder(self, folder):
        binaries, samples = self.files_of(folder)
        self.binaries += len(binaries)
        self.files += len(samples)
        for name in samples:
            owner = binary_of(folder, name)
            for binary in binaries:
                if binary == owner:
                    self.add_own(folder, binary, self.path(folder, name))
                else:
                    self.add_foreign(folder, binary, owner, self.path(folder, name))
            if owner not in binaries:
                sys.exit('%s/%s: there is no binary that it is of' % (folder, name))

    def add_own(self, folder, binary, samples):
        path, source = self.path(folder, binary), input_of(self.path(folder, binary))
        plain = ['--force'] if '.made.' in samples else []  # made-up traces, which no code can run
        self.cases += [Case(path, [samples], plain, source), Case(path, [samples], ['--basic', '--force'], source),
                       Case(path, [samples], [*plain, '--compat=perf2bolt'], source)]
        if not samples.endswith('.preagg'):
            self.cases += [Case(path, [samples], [option, '--force'], source)
                           for option in ('--keep-newest', '--max-samples=7')]

    def add_foreign(self, folder, binary, owner, samples):
        """Nothing fits there, and each count must be right all the same."""
        if samples.endswith('.spe.txt') and ('.exec' in binary) != ('.exec' in owner):
            return  # nothing can be mapped there: refused
        options = ['--force', '--ignore-build-id', '--image=' + owner]
        self.cases.append(Case(self.path(folder, binary), [samples], options, forms=('fdata',)))

    def make(self, script, *arguments):
        subprocess.run([sys.executable, os.path.join(self.source, 'tests', script), *arguments], check=True,
                       stdout=subprocess.DEVNULL)

    def add_flags(self):
        """Branches that were mispredicted, and types of some alone."""
        folder = os.path.join(self.temporary, 'flags')
        os.mkdir(folder)
        for binary, source, samples in (('demo/demo.bolt', 'demo/demo', 'demo/demo.perf.data'),
                                        ('sqlite/sq.b22', 'sqlite/sq', 'sqlite/typed.b22.data')):
            binary, source, samples = (self.path(*one.split('/')) for one in (binary, source, samples))
            for name, form in (('wrong', ['mispredicted']), ('some', ['untyped', '3'])):
                made = os.path.join(folder, '%s.%s' % (name, os.path.basename(samples)))
                self.make('support/branch_flags.py', *form, samples, made)
                self.files += 1
                self.cases += [Case(binary, [made], options, source) for options in ([], ['--compat=perf2bolt'])]

    def add_spe(self):
        """Traces of Arm SPE as they are: of a thread, of processors on which others ran, too, through a pipe, and with what was lost."""
        folder = os.path.join(self.temporary, 'spe')
        os.mkdir(folder)
        for binary in ('sorts', 'sorts.b22'):
            path = self.path('aarch64', binary)
            for name, words in (('thread', ['times']), ('cpus', ['cpu', 'times', 'switch', 'loads']), ('pipe', ['pipe', 'context', 'cpu']),
                                ('lost', ['lost', 'gap', 'pieces=999', 'alone'])):
                made = os.path.join(folder, '%s.%s.data' % (name, binary))
                self.make('support/spe_data.py', self.path('aarch64', binary + '.spe.txt'), made, *words)
                self.files += 1
                self.cases += [Case(path, [made], options, input_of(path)) for options in ([], ['--compat=perf2bolt'], ['--basic', '--force'])]

    def add_made(self):
        """What no sample file of inputs/ has: processes that come, go and move; two events; loads; a pipe, a directory."""
        demo, source = self.path('demo', 'demo.bolt'), self.path('demo', 'demo')
        parts = [self.path('demo', 'demo.switch.%d' % i) for i in (1, 2, 3)]
        self.files += len(parts)
        self.cases += [Case(demo, parts, options, source) for options in ([], ['--basic'])]

        def made(name):
            return os.path.join(self.temporary, name)
        self.make('peers/recordings/made.py', demo, self.path('demo', 'demo.perf.txt'), self.temporary)
        self.make('support/made_perf_data.py', 'events', made('two-bases.data'), made('events.data'))
        self.make('support/made_perf_data.py', 'pipe', made('all.data'), made('pipe.data'))
        self.make('support/made_perf_data.py', 'folder', made('all.data'), made('folder.data'))
        self.make('support/memory_data.py', demo, '55e11c269000', made('loads.data'), 'main+4:builtins',
                  'main+4:given.2+8', 'main+4:given.2+8', 'main+4:@7000')
        with open(made('expected')) as file:
            pid = next(line.split()[1] for line in file if line.startswith('all '))
        names = sorted(name for name in os.listdir(self.temporary) if name.endswith('.data'))
        self.files += len(names)
        for name in names:
            self.cases += [Case(demo, [made(name)], options, source)
                           for options in ([], ['--basic', '--force'], ['--max-samples=3', '--force'])]
        self.cases += [Case(demo, [made('all.data')], ['--pid=' + pid], source),
                       Case(demo, [made('all.data')], ['--pid=1', '--force'], source),
                       Case(demo, [made('events.data')], ['--event=other:u'], source)]
        self.cases += self.odd_names(made('loads.data'))
        several = [self.path('demo', 'demo.perf.data'), self.path('demo', 'demo.preagg'), made('loads.data'),
                   self.path('demo', 'demo.basic.txt')]
        self.cases += [Case(demo, several, (), source), Case(demo, several, ['--basic', '--force'], source)]

    def odd_names(self, loads):
        """Names that fdata cannot hold, names that YAML cannot, and one that both can; of code and of data."""
        paths = []
        for name in ('demo.bolt', 'demo'):
            with open(self.path('demo', name), 'rb') as file:
                content = file.read()
            for old, new in ((b'execute', b'ex\ncute'), (b'compile', b'comp\xffle'), (b'collatz', b'coll\xc3\xa9z'),
                             (b'builtins', b'built\nns')):
                assert b'\0' + old + b'\0' in content
                content = content.replace(b'\0' + old + b'\0', b'\0' + new + b'\0')
            paths.append(os.path.join(self.temporary, 'odd.' + name))
            with open(paths[-1], 'wb') as file:
                file.write(content)
        image = '--image=demo.bolt'
        return [Case(paths[0], [self.path('demo', 'demo.preagg')], (), paths[1]),
                Case(paths[0], [self.path('demo', 'demo.perf.data')], [image], paths[1]),
                Case(paths[0], [self.path('demo', 'demo.basic.perf.data')], [image, '--basic'], paths[1]),
                Case(paths[0], [loads], [image], paths[1])]
