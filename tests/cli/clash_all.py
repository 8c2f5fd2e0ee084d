#!/usr/bin/env python3
"""No input is an output: every command, every two files that it can be given.

`batconv help --options` prints what the tables of options say: COMMAND OPTION VALUE ROLE.  So a new command or option
takes part by being there.  For each command, and for the names perf2bolt and llvm-bolt-heatmap, each thing that is read is given the same file
as each thing that is written, under several names; then each two things that are written.  Each must be refused with
one line that names both, with exit code 2 (those names: 1), and no file may have changed.  What is needed in addition to
these two is not given: files are looked at before anything else.
"""
import os
import re
import subprocess
import sys
import tempfile
from collections import namedtuple
from itertools import combinations

BATCONV = os.path.abspath(os.environ['BATCONV'])
BYTES = b'boltedcollection\n'
OTHER = 99 # a descriptor; above those that a caller may leave open

# What values are called that name no file.  A value of another name must have a role.
NO_FILES = {'ADDR', 'ADDRESS', 'COMMAND', 'DIR', 'EVENT', 'FORM', 'FORMAT', 'FROM,TO', 'GLOB', 'HOW', 'ID', 'KEY', 'KIND', 'LAYOUT', 'N', 'N|SIZE', 'NAME', 'OF', 'OPTIONS', 'P', 'PID', 'PID,...', 'PERCENT', 'PROGRAM', 'RELEASE',
            'RULE,...', 'SEVERITY', 'SIZE', 'SIZE,...', 'T', 'TIME', 'TOTAL',
            'WHEN'}
# Values of perf2bolt's and llvm-bolt-heatmap's options have no names.  The file of -perf-script-events is not looked at, nor are
# llvm-bolt-heatmap's -w and -heatmap.
NAMES = {'perf2bolt', 'llvm-bolt-heatmap'}
PERF2BOLT_NO_FILES = {'-profile-format', '-pid', '-max-samples', '-itrace', '-perfdata-jobs', '-pj', '-v', '-w', '-heatmap',
                      '-perf-script-events', '-block-size', '-line-size', '-min-address', '-max-address',
                      '-heatmap-cdf-pct', '-profile-density-cutoff-hot', '-profile-density-threshold', '-funcs',
                      '-funcs-no-regex', '-skip-funcs', '-max-funcs', '-debug-dir'}
ROLES = {'none', 'read', 'read-list', 'written', 'updated', 'operands-updated', 'folder', 'stdin'}

# label: what messages call it; words(PATH): what names the file; of one that is stdin or stdout, which, and how it is
# shown; directory: it can be one with a recording
Thing = namedtuple('Thing', 'label words stream shown folder', defaults=(None, None, False))


def rows():
    done = subprocess.run([BATCONV, 'help', '--options'], capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


def commands():
    """Those that the overview names, except the two that read and write no file."""
    text = subprocess.run([BATCONV, 'help'], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r'^  (\w+) ', text, re.M)) - {'help', 'version'}


def check_table(table):
    wrong = []
    seen = {command for command, *_ in table}
    for command in (commands() | NAMES) ^ seen:
        wrong.append('%s: in one of the overview and help --options' % command)
    for command, option, value, role in table:
        name = '%s %s' % (command, option)
        if role not in ROLES:
            wrong.append('%s: no role of this test: %s' % (name, role))
        if option == 'operands':
            if role == 'none' and command != 'record': # a program and its words
                wrong.append('%s: operands have no role' % command)
        elif value == '-':
            if role not in ('none', 'operands-updated'):
                wrong.append('%s: takes no value, and has a role' % name)
        elif role == 'none' and not (option in PERF2BOLT_NO_FILES if command in NAMES else value in NO_FILES):
            wrong.append('%s: is %s a file? It has no role' % (name, value))
    # Each option of --help has its row.
    for command in sorted(seen - NAMES):
        text = subprocess.run([BATCONV, 'help', command], capture_output=True, text=True, check=True).stdout
        options = {line.split()[0].rstrip(',').split('=')[0].split('[')[0]
                   for line in text.split('\noptions:\n')[1].splitlines() if line.lstrip().startswith('-') and line[:8].strip()}
        known = {option for c, option, *_ in table if c == command} - {'operands'}
        if options != known:
            wrong.append('%s: --help and help --options differ: %s' % (command, sorted(options ^ known)))
    return wrong


def named_by(option, role):
    if option.startswith('--'):
        return lambda path: ['%s=%s' % (option, path)]
    if role == 'read-list':
        return lambda path: [option, 'nothing,%s,nothing' % path]
    return lambda path: [option, path]


def fixed(words):
    return lambda path: words


def inputs(command, option, role):
    words = named_by(option, role)
    if role == 'none':
        return
    if option == 'operands':
        yield Thing('operand', fixed(['-']), 'stdin', '<stdin>')
        if role == 'read':
            yield Thing('operand', lambda path: [path], folder=True)
            yield Thing('operand', fixed(['/dev/stdin']), 'stdin', '/dev/stdin')
        if role == 'read' and command not in NAMES: # which take one
            yield Thing('operand', lambda path: ['nothing', path])
        if role == 'stdin':
            yield Thing('operand', fixed([]), 'stdin', '<stdin>')
    elif role in ('read', 'read-list', 'updated'):
        yield Thing(option, words, folder=role != 'updated')
    elif role == 'operands-updated':
        yield Thing('operand', lambda path: [option, path])


def outputs(option, role):
    words = named_by(option, role)
    if role in ('written', 'updated'):
        yield Thing(option, words)
    if role == 'operands-updated':
        yield Thing('operand', lambda path: [option, path])
    if role == 'written':
        yield Thing(option, fixed(words('-')), 'stdout', '<stdout>')
        yield Thing(option, fixed(words('/dev/stdout')), 'stdout', '/dev/stdout')


def things(table, command):
    """(read, written): lists of things."""
    own = [(option, role) for name, option, _, role in table if name == command]
    read = [thing for option, role in own for thing in inputs(command, option, role)]
    written = [thing for option, role in own for thing in outputs(option, role)]
    label = '-o' if ('-o', 'written') in own and command not in NAMES else 'output'
    return read, written + [Thing(label, fixed([]), 'stdout', '<stdout>')]


class Bench:
    def __init__(self, folder):
        self.folder = folder
        os.mkdir(os.path.join(folder, 'sub'))
        os.mkdir(os.path.join(folder, 'recording'))
        for name in ('file', 'recording/data', 'recording/data.1'):
            with open(self.path(name), 'wb') as file:
                file.write(BYTES)
        os.symlink('file', self.path('link'))
        os.symlink('sub/../link', self.path('links'))
        os.link(self.path('file'), self.path('hard'))
        os.symlink('new', self.path('dangling'))
        for name in NAMES:
            os.symlink(BATCONV, self.path(name))
        self.before = self.state()

    def path(self, name):
        return os.path.join(self.folder, name)

    def state(self):
        found = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                content = None
                if not os.path.islink(path):
                    with open(path, 'rb') as file:
                        content = file.read()
                found[path] = (content, os.lstat(path).st_ino, os.lstat(path).st_mode)
        return found

    def run(self, command, words, stdin=None, stdout=None):
        program = [self.path(command)] if command in NAMES else [BATCONV, command]
        opened = [os.open(self.path(name), flags) if name else None
                  for name, flags in ((stdin, os.O_RDONLY), (stdout, os.O_WRONLY | os.O_APPEND), ('file', os.O_RDWR))]
        os.dup2(opened[2], OTHER)
        done = subprocess.run(program + words, cwd=self.folder, stderr=subprocess.PIPE, pass_fds=[OTHER], timeout=60,
                              stdin=subprocess.DEVNULL if opened[0] is None else opened[0],
                              stdout=subprocess.DEVNULL if opened[1] is None else opened[1])
        for fd in opened + [OTHER]:
            if fd is not None:
                os.close(fd)
        return done.returncode, done.stderr.decode()


SPELLINGS = ('file', './file', 'sub/../file', 'link', 'links', 'hard', '/dev/fd/%d' % OTHER, '/proc/self/fd/%d' % OTHER, 'ABSOLUTE')
NEW = ('new', './new', 'sub/../new', 'dangling', 'ABSOLUTE')


def spelled(bench, name, new=False):
    return bench.path('new' if new else 'file') if name == 'ABSOLUTE' else name


def beside(command, pair):
    """Without -o, stdout would be an output twice."""
    if command in NAMES or not any(thing.stream == 'stdout' for thing in pair) or {'-o', 'output'} & {t.label for t in pair}:
        return []
    return ['-o', 'elsewhere']


def give(bench, command, first, first_path, second, second_path, want):
    given = {thing.stream: 'file' for thing in (first, second) if thing.stream}
    # Options first: a thing that is read may be a word among the operands.
    words = beside(command, (first, second)) + second.words(second_path) + first.words(first_path)
    code, text = bench.run(command, words, given.get('stdin'), given.get('stdout'))
    wrong = []
    if code != (1 if command in NAMES else 2):
        wrong.append('exit %d' % code)
    lines = text.splitlines()
    error, hint = (command + ': ', command + ': ') if command in NAMES else ('batconv: error: ', 'batconv: hint: ')
    hinted = ''.join(lines[1:2]).startswith(hint)
    if len(lines) != 1 + hinted or not any(text.startswith(error + message) for message in want):
        wrong.append('no such message: ' + ' / '.join(want) + ', but: ' + text.strip())
    after = bench.state()
    if after != bench.before:
        wrong.append('files differ now')
        bench.before = after
    return ['%s %s: %s' % (command, ' '.join(words), what) for what in wrong]


def replaces(bench, command, read, written):
    """Every name of what is written with the plain name of what is read, and the other way around."""
    wrong, count = [], 0
    pairs = [(SPELLINGS[0], name) for name in SPELLINGS] + [(name, SPELLINGS[0]) for name in SPELLINGS[1:]]
    seen = set()
    for first, second in pairs:
        first, second = spelled(bench, first), spelled(bench, second)
        key = (None if read.stream else first, None if written.stream else second)
        if key in seen:
            continue
        seen.add(key)
        count += 1
        want = "%s '%s' would replace the input '%s'" % (written.label, written.shown or second, read.shown or first)
        wrong += give(bench, command, read, first, written, second, [want])
    return count, wrong


def are_one(bench, command, one, two):
    wrong, count = [], 0
    for new, names in ((False, SPELLINGS), (True, NEW)):
        if new and (one.stream or two.stream):
            continue
        for name in names if not two.stream else names[:1]:
            first, second = spelled(bench, names[0], new), spelled(bench, name, new)
            a, b = "%s '%s'" % (one.label, one.shown or first), "%s '%s'" % (two.label, two.shown or second)
            count += 1
            wrong += give(bench, command, one, first, two, second, ['%s and %s are one file' % pair for pair in ((a, b), (b, a))])
    return count, wrong


def recordings(bench, command, read, written):
    """A directory that is read as perf.data: its files are."""
    wrong = []
    for name in ('recording/data', 'recording/data.1') if read.folder and not written.stream else ():
        want = "%s '%s' would replace the input '%s'" % (written.label, name, name)
        wrong += give(bench, command, read, 'recording', written, name, [want])
    return wrong


def clashes(bench, table, command):
    read, written = things(table, command)
    total, wrong = 0, []
    for r in read:
        for w in written:
            if r.label == w.label: # an option that updates its file
                continue
            count, found = replaces(bench, command, r, w)
            total, wrong = total + count, wrong + found + recordings(bench, command, r, w)
    # What is updated and stdout are among the pairs above; where a profile of perf2bolt is stdout, its report goes to stderr.
    updated = {option for name, option, _, role in table if name == command and role == 'updated'}
    alone = [thing for thing in written if thing.label not in updated | {'output', 'operand'}]
    for one, two in combinations(alone, 2):
        if one.label != two.label:
            count, found = are_one(bench, command, one, two)
            total, wrong = total + count, wrong + found
    return total, wrong


def main():
    table = rows()
    wrong, total = check_table(table), 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.realpath(folder))
        for command in sorted({row[0] for row in table}):
            count, found = clashes(bench, table, command)
            if not count:
                found.append('%s: nothing was tried' % command)
            total, wrong = total + count, wrong + found
    for line in wrong[:10]:
        print(line)
    print('%d command lines, %d wrong' % (total, len(wrong)))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
