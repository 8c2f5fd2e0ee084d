#!/usr/bin/env python3
"""Each command that a command proposes runs to its end: next.py [--part=[K]/N] [--table] [WORD...]

Every command with every pair of binaries in inputs/ (plan.py), and again with wrong files: an input without relocations, a stripped one, one
without a build-id, the binary of another pair, a file that is no ELF file, and a Go program; and inspect with every file of inputs/.  What they print is searched for a next
command: the line `next` of inspect, quality and stale, `run:` of a hint, `next:` of a summary.  It is run as a user runs it, by a shell
in an empty directory, with the files that its words in capitals mean, llvm-bolt included; and then what it proposes itself.

    each ends with exit code 0 (inspect and verify: or 3, for what they find)
    llvm-bolt finds functions of the profile in the program
    nothing is proposed in a loop: there are at most GENERATIONS
    each kind of source and each wrong file gave at least one command

WORD...  only pairs whose name or kind has one of the words
--part=  an N-th of the pairs (tests/hostile/every/parts.py)
--table  each kind of command that was run, and how often

BATCONV, INPUTS and SOURCE are as for tests/cli/run.py.  LLVM_BOLT names the llvm-bolt (default: of the newest LLVM in /usr/lib).
"""
import collections
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import matrix  # noqa: E402
import pairs  # noqa: E402
import plan  # noqa: E402
from matrix import commands, parts  # noqa: E402

BATCONV, INPUTS, SOURCE = (os.path.abspath(os.environ[name]) for name in ('BATCONV', 'INPUTS', 'SOURCE'))
TIMEOUT = 120
GENERATIONS = 4
SHOWN = 40

# Where a command is proposed.  What follows it, after a comma or a colon, is for people.
SOURCES = {
    'inspect': r'^next         (.*)$',
    'figures': r'^next      .*\n          (\S.*)$',
    'error': r'^batconv: hint: run: (.*)$|"hint": "run: ([^"\n]*)"',
    'summary': r'^(?:batconv: )?next: (.*)$',
}
PROGRAMS = {'batconv', 'perf2bolt', 'llvm-bolt', 'llvm-profgen', 'eu-unstrip', 'perf', 'pprof', 'less'}
WANTING = ('batconv inspect ', 'batconv verify ')  # exit code 3 is for what they find
# With samples of another program, or without a name of any function, a command can be refused with exit code 3; so can one with a
# file alone, whose program need not be here.
REFUSED = ('another binary', 'Go', 'stripped', 'a file alone')


# ---- the programs ----

# perf record checks its options only, without the event: no machine of a test has each.
PERF = '''#!/bin/sh
perf=%s
[ "$1" = record ] || exec "$perf" "$@"
shift
for word; do
	shift
	case $before$word in
	-e*) ;;
	*) set -- "$@" "$word" ;;
	esac
	before=
	[ "$word" != -e ] || before=-e
done
exec "$perf" record --dry-run "$@"
'''

def newest(name):
    """From Debian's LLVM, or None."""
    found = glob.glob('/usr/lib/llvm-*/bin/' + name)
    return max(found, key=lambda path: int(re.search(r'llvm-(\d+)', path)[1]), default=None)


def make_programs(folder):
    """A directory for PATH."""
    os.mkdir(folder)
    bolt = os.environ.get('LLVM_BOLT') or newest('llvm-bolt')
    there = {'batconv': BATCONV, 'perf2bolt': BATCONV, 'llvm-bolt-heatmap': BATCONV, 'llvm-bolt': bolt, 'llvm-profgen': newest('llvm-profgen')}
    for name, path in there.items():
        if path:
            os.symlink(path, os.path.join(folder, name))
    perf = shutil.which('perf')
    if perf:
        with open(os.path.join(folder, 'perf'), 'w') as file:
            file.write(PERF % perf)
        os.chmod(os.path.join(folder, 'perf'), 0o755)
    return dict(os.environ, PATH=folder + ':' + os.environ['PATH'], BATCONV_NO_INPUT='1')


# ---- wrong files ----

def relocations_of(path):
    shown = subprocess.run(['readelf', '-SW', path], capture_output=True, text=True, check=True).stdout
    return [name for name in re.findall(r' (\.rela\.\S+)', shown) if name not in ('.rela.dyn', '.rela.plt')]


def copy_of(path, folder, name, *options):
    """As objcopy makes it of a binary."""
    made = os.path.join(folder, name)
    subprocess.run([newest('llvm-objcopy'), *options, path, made], check=True, capture_output=True)
    return made


def wrong_files(pair, other, go):
    """name -> {path of the pair: the one instead}"""
    remove = ['--remove-section=' + name for name in relocations_of(pair.input)]
    lines = {
        'no relocations': {pair.input: copy_of(pair.input, pair.folder, 'no-relocations', *remove)},
        'stripped': {pair.input: copy_of(pair.input, pair.folder, 'stripped', '--strip-all')},
        'no build-id': {pair.input: copy_of(pair.input, pair.folder, 'no-build-id', '--remove-section=.note.gnu.build-id')},
        'another binary': {pair.bolted: other.bolted, pair.input: other.input},
        'no ELF file': {pair.bolted: os.path.join(SOURCE, 'inputs/demo/src/main.c'), pair.input: os.path.join(SOURCE, 'inputs/demo/src/main.c')},
        'samples swapped': {pair.bolted: pair.samples.get('branches', pair.bolted), pair.samples.get('branches'): pair.bolted},
    }
    if go:
        lines['Go'] = {pair.bolted: go, pair.input: go}
    return lines


def put_in(words, change):
    """Words of a command line with other files, also after a `--option=`."""
    for word in words:
        option, equals, path = word.rpartition('=')
        yield option + equals + change.get(path, path)


# ---- what is proposed ----

def first_part(text):
    """A command without what is said after it."""
    quoted = False
    for i, char in enumerate(text):
        quoted ^= char == "'"
        if not quoted and char in ',:' and text[i + 1:i + 2] == ' ':
            return text[:i]
    return text


def proposed(outputs):
    """(kind of source, command) of what a run printed."""
    for data in outputs:
        text = data.decode('utf-8', 'replace')
        for source, pattern in SOURCES.items():
            for match in re.finditer(pattern, text, re.M):
                command = first_part(match[match.lastindex]).strip()
                if command.split(' ', 1)[0] in PROGRAMS:
                    yield source, command


def fill(command, pair):
    """With the files that the words in capitals mean, or None: the pair has none."""
    ran = re.search(r'batconv (\S+) SAMPLES', command)
    own = pair.samples.get('branches')
    of_input = (pair.things.get('input.branches') or [None])[0]
    samples = own if ran and ran[1] == pair.bolted else of_input if ran and os.path.dirname(ran[1]) in (pair.folder, os.path.dirname(pair.input)) else None
    binary = pair.input if of_input and of_input in command else pair.bolted
    for pattern, value in ((r'\b(BINARY|PROG)\b', binary), (r'\bINPUT\b', pair.input), (r'\bSAMPLES\b', samples), (r'\bDIR/', 'shards/')):
        if re.search(pattern, command) and not value:
            return None
        command = re.sub(pattern, value or '', command)
    return command


class Alone:
    """A file of inputs/ of which `inspect` is asked, as a cell; its pair is the first of its directory, if there is one."""

    samples, things, bolted, input, folder = {}, {}, '', '', ''

    def __init__(self, path, all_pairs):
        self.path = path
        near = [pair for pair in all_pairs if os.path.dirname(pair.bolted) == os.path.dirname(path)]
        self.pair = near[0] if near else self

    def line(self):
        return [BATCONV, 'inspect', self.path]


def all_files(all_pairs):
    """Without those that a pair has."""
    known = {path for pair in all_pairs for path in (pair.bolted, pair.input, *(file for file, _ in pair.files))}
    for top in INPUTS, os.path.join(SOURCE, 'inputs/demo'):
        for folder, _, names in sorted(os.walk(top)):
            paths = (os.path.join(folder, name) for name in sorted(names))
            yield from (Alone(path, all_pairs) for path in paths if path not in known and '/src' not in path and not path.endswith('.xz'))


# ---- following ----

class Failure(Exception):
    pass


class Follower:
    """Runs what is proposed, each command once."""

    def __init__(self, scratch, environment):
        self.scratch, self.environment, self.seen, self.failed = scratch, environment, set(), []
        self.commands, self.labels, self.sources = collections.Counter(), collections.Counter(), collections.Counter()
        self.unable = set()  # errors of llvm-bolt that it has without a profile, too

    def is_unable(self, command, said, folder):
        """Does llvm-bolt fail in the same way without a profile?  Release 19 cannot write inputs/moved, for example."""
        error = re.search(r'^BOLT-ERROR: .*', said, re.M)
        bare = re.sub(r'.*(?=llvm-bolt )| -data \S+', '', command)
        if not error or bare == command:
            return False
        done = subprocess.run(['bash', '-ec', 'ulimit -f 2000000; ' + bare], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT)
        if not done.returncode or error[0] not in (done.stderr + done.stdout).decode('utf-8', 'replace'):
            return False
        self.unable.add(error[0])
        return True

    def run(self, label, command, folder):
        done = subprocess.run(['bash', '-ec', 'ulimit -f 2000000; ' + command], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT)
        said = (done.stderr + done.stdout).decode('utf-8', 'replace')
        if done.returncode and not (done.returncode == 3 and (command.startswith(WANTING) or label in REFUSED)):
            if self.is_unable(command, said, folder):
                return []
            raise Failure('exit %d: %s' % (done.returncode, ' | '.join(said.strip().splitlines()[-3:])))
        none = re.search(r'BOLT-INFO: 0 out of \d+ functions in the binary .*', said)
        if none and label not in REFUSED:
            raise Failure(none[0])
        return [done.stdout, done.stderr]

    def note(self, label, source, command):
        self.labels[label] += 1
        self.sources[source] += 1
        self.commands[' '.join(word if word in PROGRAMS or word in ('&&', ';') or re.match('-[^/]*$', word) else '_' for word in command.split())] += 1

    def follow(self, label, cell, outputs):
        """All generations of what a run proposed."""
        for source, command in proposed(outputs):
            if command in self.seen:
                continue
            self.seen.add(command)
            with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
                self.follow_one(label, cell, [(source, command)], folder)

    def follow_one(self, label, cell, waiting, folder):
        chain = []
        while waiting:
            source, text = waiting.pop()
            command = fill(text, cell.pair)
            if not command or command in chain:
                continue
            chain.append(command)
            self.note(label, source, command)
            try:
                if len(chain) > GENERATIONS:
                    raise Failure('one command proposes the next without end')
                waiting += proposed(self.run(label, command, folder))
            except (Failure, subprocess.TimeoutExpired) as wrong:
                self.failed.append((label, ' '.join(cell.line()), chain, str(wrong)))
                return


# ---- all of them ----

class Bench(matrix.Bench):
    """Once each, and what is proposed is followed."""

    def __init__(self, scratch, follower):
        super().__init__(scratch, None, False)
        self.follower = follower

    def run(self, cell, way):
        code, seen = super().run(cell, way)
        self.follower.follow('right', cell, [seen.get('stdout', b''), seen.get('stderr', b'')])
        return code, seen

    def run_wrong(self, label, cell, change):
        """What the command itself says of wrong files is the business of other tests."""
        words = list(put_in(cell.line(), change))
        if words == cell.line():
            return
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            done = subprocess.run(words, cwd=folder, env=self.follower.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
        self.follower.follow(label, cell, [done.stdout, done.stderr])

    def do_file(self, alone):
        done = subprocess.run(alone.line(), cwd=self.scratch, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
        self.follower.follow('a file alone', alone, [done.stdout, done.stderr])

    def do_pair(self, cells, other, go):
        self.do_all(cells)
        for label, change in wrong_files(cells[0].pair, other, go).items():
            for cell in cells:
                if all(map(os.path.exists, cell.needs())):
                    self.run_wrong(label, cell, change)


def print_failures(failed):
    groups = collections.defaultdict(list)
    for label, line, chain, wrong in failed:
        groups[label, re.sub(r'/\S+|\d+', '_', wrong)].append((line, chain, wrong))
    for (label, _), same in list(groups.items())[:SHOWN]:
        line, chain, wrong = same[0]
        print('%s: %d with: %s' % (label, len(same), line))
        print(''.join('    next: %s\n' % command for command in chain) + '    > ' + wrong)
    if len(groups) > SHOWN:
        print('... and %d more' % (len(groups) - SHOWN))


def not_tested(follower, labels):
    yield from ('nothing was proposed by ' + source for source in SOURCES if not follower.sources[source])
    yield from ('nothing was proposed with: ' + label for label in labels if not follower.labels[label])


def main(args):
    if not newest('llvm-objcopy') or not (os.environ.get('LLVM_BOLT') or newest('llvm-bolt')):
        print('skipped: no llvm-bolt or llvm-objcopy (apt install bolt-22 llvm-22)')
        return 1 if os.environ.get('BATCONV_REQUIRE_PEERS') == '1' else 77
    words = [arg for arg in args if not arg.startswith('--')]
    number, of = parts.chosen(args)
    with tempfile.TemporaryDirectory() as folder:
        for name in commands.PERF2BOLT_NAMES:
            os.symlink(BATCONV, os.path.join(folder, name))
        found = [command for command in commands.ask(BATCONV, folder) if command.name not in plan.NO_LINES]
        all_pairs = pairs.find(BATCONV, INPUTS, SOURCE, folder, False)
        others = {pair.name: next(one for one in all_pairs[i + 1:] + all_pairs if one.input != pair.input) for i, pair in enumerate(all_pairs)}
        chosen = [pair for pair in all_pairs if not words or any(word in name for word in words for name in (pair.name, *pair.kinds))][number::of]
        follower = Follower(folder, make_programs(os.path.join(folder, 'programs')))
        bench = Bench(folder, follower)
        planned = [plan.plan(pair, found) for pair in chosen]
        go = shutil.which('fzf')
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda cells: bench.do_pair(cells, others[cells[0].pair.name], go), planned))
            list(pool.map(bench.do_file, [] if words else list(all_files(all_pairs))[number::of]))
        labels = ['right', 'a file alone', *wrong_files(chosen[0], others[chosen[0].name], go)]
    print_failures(follower.failed)
    wrong = [] if words or of > 1 else list(not_tested(follower, labels))
    for line in wrong + ['llvm-bolt says so without a profile, too: ' + error for error in sorted(follower.unable)]:
        print(line)
    if '--table' in args:
        for command, times in sorted(follower.commands.items()):
            print('%6d  %s' % (times, command))
    print('%d pairs; %d commands that were proposed, by %s, with %s; %d failed' % (
        len(chosen), sum(follower.commands.values()), ', '.join('%s: %d' % pair for pair in sorted(follower.sources.items())),
        ', '.join('%s: %d' % pair for pair in follower.labels.items()), len(follower.failed)))
    return 1 if wrong or follower.failed or not follower.commands else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
