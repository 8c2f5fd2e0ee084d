"""Copies of the repository that mutants are built in, so that nobody's own build is touched: Tree."""
import json
import os
import re
import shlex
import shutil
import subprocess
import time

# A swap of arguments of other types is no mutant: the compiler reports it, and -Werror stops it.
STRICT = ['-Werror=incompatible-pointer-types', '-Werror=int-conversion']
COVERAGE = '--coverage -fprofile-update=atomic'


def sources(root):
    """What git knows of, and what was just written."""
    done = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], cwd=root, check=True,
                          capture_output=True)
    return sorted({name for name in done.stdout.decode().split('\0') if name and os.path.lexists(os.path.join(root, name))})


def copy_changed(source, target):
    """A file that is as it was keeps its time: nothing is built again because of it."""
    if os.path.islink(source):
        if not os.path.islink(target):
            os.symlink(os.readlink(source), target)
        return
    with open(source, 'rb') as file:
        data = file.read()
    if os.path.exists(target):
        with open(target, 'rb') as file:
            if file.read() == data:
                return
    with open(target, 'wb') as file:
        file.write(data)
    shutil.copymode(source, target)


class Tree:
    """root: the copy.  build: where it is built, as the preset dev is, but without -g.  `coverage`: counts lines;
    `sanitize`: a sanitizer looks on."""

    def __init__(self, root, coverage=False, sanitize=False):
        self.root, self.build = root, os.path.join(root, 'build')
        self.coverage, self.sanitize = coverage, sanitize

    def make(self, source, jobs, targets=()):
        wanted = sources(source)
        for name in wanted:
            target = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            copy_changed(os.path.join(source, name), target)
        for folder, _, names in os.walk(self.root):
            if folder == self.root:
                continue
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.root)
                if not path.startswith('build/') and path not in wanted and '__pycache__' not in path:
                    os.remove(os.path.join(self.root, path))
        self.configure()
        self.ninja(targets, jobs)
        subprocess.run([os.path.join(self.root, 'inputs/unpack'), os.path.join(self.build, 'inputs')], check=True)

    def configure(self):
        flags = '-O1 -g1' if self.sanitize else '-O0'
        words = ['cmake', '-S', self.root, '-B', self.build, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Debug',
                 '-DCMAKE_C_FLAGS=-w ' + (COVERAGE if self.coverage else ''), '-DCMAKE_C_FLAGS_DEBUG=' + flags,
                 '-DBATCONV_HARDENING=OFF', '-DBATCONV_WERROR=OFF', '-DPYTHON=/usr/bin/python3',
                 '-DBATCONV_SANITIZE=' + ('address,undefined' if self.sanitize else ''),
                 '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON']
        if shutil.which('ld.gold') and not self.sanitize:
            words += ['-DCMAKE_%s_LINKER_FLAGS=-fuse-ld=gold' % kind for kind in ('EXE', 'SHARED', 'MODULE')]
        self.run(words)
        self.commands = {}
        with open(os.path.join(self.build, 'compile_commands.json')) as file:
            for row in json.load(file):
                self.commands.setdefault(os.path.relpath(row['file'], self.root), row)
        self.users = {}

    def run(self, words):
        done = subprocess.run(words, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise SystemExit('%s\n%s' % (shlex.join(words), done.stdout.decode('utf-8', 'replace')[-3000:]))

    def ninja(self, targets, jobs):
        self.run(['ninja', '-C', self.build, '-j', str(jobs), *targets])

    def try_ninja(self, targets):
        return subprocess.run(['ninja', '-C', self.build, '-j1', *targets], capture_output=True).returncode == 0

    def path(self, name):
        return os.path.join(self.root, name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), 'w') as file:
            file.write(text)

    def user(self, name):
        """A file that is compiled, and has this one in it."""
        if name in self.commands:
            return name
        if name not in self.users:
            line = '#include "%s"' % name
            self.users[name] = next((c for c in sorted(self.commands) if line in self.read(c)), None)
        return self.users[name]

    def compile(self, name, output):
        """The bytes of an optimized object, or None: it does not compile."""
        user = self.user(name)
        if not user:
            return None
        row = self.commands[user]
        words = [word for word in shlex.split(row['command']) if word != '-w']
        words[words.index('-o') + 1] = output
        if subprocess.run(words + STRICT + ['-O2'], cwd=row['directory'], capture_output=True).returncode:
            return None
        with open(output, 'rb') as file:
            return file.read()


def lines_of_gcov(folder, build, root):
    """{file: lines that were run} of the counts that a test left below `folder`."""
    found = {}
    data = []
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith('.gcda'):
                notes = os.path.join(build, os.path.relpath(os.path.join(at, name), folder + build))[:-5] + '.gcno'
                if not os.path.exists(os.path.join(at, name[:-5] + '.gcno')):
                    os.symlink(notes, os.path.join(at, name[:-5] + '.gcno'))
                data.append(os.path.join(at, name))
    if not data:
        return found
    done = subprocess.run(['gcov', '--stdout', '--json-format', *data], cwd=build, capture_output=True)
    for text in done.stdout.decode('utf-8', 'replace').splitlines():
        for file in json.loads(text)['files']:
            name = os.path.relpath(os.path.join(build, file['file']), root)
            if re.match(r'(src|bat|lib)/', name):
                found.setdefault(name, set()).update(l['line_number'] for l in file['lines'] if l['count'])
    return found


def check_rows(root, rows):
    """1 if the text of some row is not in its file, exactly once."""
    wrong = 0
    for name, path, text, _ in rows:
        full = os.path.join(root, path)
        count = 0
        if os.path.exists(full):
            with open(full) as file:
                count = file.read().count(text)
        if count != 1:
            print('%s: %s: %d places have the text' % (path, name, count))
            wrong += 1
    print('%d rows, %d without their text' % (len(rows), wrong))
    return 1 if wrong else 0


def try_row(tree, row, find):
    """Whether find() finds the change that a row is."""
    name, path, before, after = row
    text, begin = tree.read(path), time.monotonic()
    if text.count(before) != 1:
        print('%s: %s: %d places have the text' % (path, name, text.count(before)), flush=True)
        return False
    tree.write(path, text.replace(before, after))
    try:
        if not tree.try_ninja(['batconv']):
            raise SystemExit('%s: %s: it does not compile' % (path, name))
        said = find(tree)
    finally:
        tree.write(path, text)
    print('%-9s %s: %s; %.0f s%s' % ('found' if said else 'NOT FOUND', path, name, time.monotonic() - begin,
                                     said and '\n          ' + said[:200] or ''), flush=True)
    return bool(said)


def seeded(root, args, rows, tree, prepare, find):
    """The command line of a script that tries whether a check finds changes of the source.  Each row is (name, file, text, other text).
    args: words that a row or its file must have one of, --list, or --rows: only whether each text is in its file.
    `tree` is where they are built; prepare(tree) is called when it is, and find(tree) for each change: what was found first, or None."""
    words = [arg for arg in args if not arg.startswith('--')]
    if '--rows' in args:
        return check_rows(root, rows)
    chosen = [row for row in rows if not words or any(word in text for word in words for text in row[:2])]
    if '--list' in args:
        for name, path, _, _ in chosen:
            print('%s: %s' % (path, name))
        return 0
    tree.make(root, os.cpu_count(), ['batconv'])
    prepare(tree)
    found = [try_row(tree, row, find) for row in chosen]
    print('%d changes, %d found' % (len(found), sum(found)))
    return 0 if found and all(found) else 1
