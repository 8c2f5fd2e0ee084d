"""Which test runs which line, and how one test is run: Tests."""
import hashlib
import json
import os
import pwd
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import trees

# Those that run the program or its parts, and not the build itself or another program next to it.  The command line's
# cases are a test each.
WANTED = re.compile(r'unit\.|fuzz\.replay\.|api\.(batconv|capture|plugins|examples)$|cli\.(clash-all|advice)$|cli\.goldens\.|'
                    r'sandbox\.none$|merge$|report\.numbers$')
SLOWEST = 30.0  # seconds: a test that takes longer is not run for a mutant
NOBODY = 'nobody'


class Test:
    def __init__(self, name, words, env, targets):
        self.name, self.words, self.env, self.targets = name, words, env, targets


def list_tests(tree, wanted=WANTED, label=None):
    """For a tree that is built; only those of a label of ctest, if it is given."""
    done = subprocess.run(['ctest', '--test-dir', tree.build, '--show-only=json-v1'], check=True, capture_output=True)
    for row in json.loads(done.stdout)['tests']:
        if not wanted.match(row['name']):
            continue
        env = dict(pair.split('=', 1) for p in row['properties'] if p['name'] == 'ENVIRONMENT' for pair in p['value'])
        command = row['command']
        if os.path.basename(command[0]) == 'timed':  # which only notes the time: tests/CMakeLists.txt
            command = command[3:]
        words = command + list(env.values())
        targets = [os.path.relpath(w, tree.build) for w in words if w.startswith(tree.build + '/') and os.path.isfile(w)]
        labels = [label for p in row['properties'] if p['name'] == 'LABELS' for label in p['value']]
        if not label or label in labels:
            yield Test(row['name'], command, env, targets)


class Runner:
    """Runs tests as nobody where root runs this: a mutant may rename what it should not, /dev/null for one."""

    def __init__(self, sanitize=False):
        self.user = pwd.getpwnam(NOBODY) if os.getuid() == 0 else None
        self.sanitize = sanitize

    def folder(self):
        folder = tempfile.mkdtemp(prefix='mutant.')
        if self.user:
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)
        return folder

    def limits(self, seconds):
        def limit():
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP): # ignored by what a script starts with &, or nohup, and tests send them
                signal.signal(number, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if not self.sanitize:
                resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        return limit

    def run(self, test, seconds, extra=None):
        """('passed', 'failed', 'skipped' or 'hang', CPU seconds).  seconds: what it takes without a mutant."""
        folder = self.folder()
        env = {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C.UTF-8', 'HOME': folder, 'TMPDIR': folder, 'PYTHONDONTWRITEBYTECODE': '1',
               'BATCONV_NO_INPUT': '1'}  # as tests/support/timed.c
        env.update(test.env, **(extra or {}))
        ids = {'user': self.user.pw_uid, 'group': self.user.pw_gid, 'extra_groups': []} if self.user else {}
        before = os.times()
        try:
            with subprocess.Popen(test.words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True,
                                  preexec_fn=self.limits(int(5 + 5 * seconds)), **ids) as child:
                try:
                    code = child.wait(timeout=30 + 15 * seconds)
                except subprocess.TimeoutExpired:
                    code = None
                self.end(child)
        finally:
            subprocess.run(['rm', '-rf', folder], check=False)
        after = os.times()
        spent = after.children_user - before.children_user + after.children_system - before.children_system
        if code in (None, -signal.SIGXCPU, 128 + signal.SIGXCPU):
            return 'hang', spent
        return {0: 'passed', 77: 'skipped'}.get(code, 'failed'), spent

    @staticmethod
    def end(child):
        """What it started and left running."""
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def digest(test, tree):
    """For the programs that a test runs, and for what it expects."""
    total = hashlib.sha1(' '.join(test.words).encode())
    paths = [os.path.join(tree.build, t) for t in test.targets]
    paths += [w for w in test.words if w.startswith(tree.root + '/tests/') and os.path.isfile(w)]
    if test.name.startswith('cli.goldens.'):
        folder = os.path.join(tree.root, 'tests/cli', test.words[-1])
        paths += [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    for path in paths:
        with open(path, 'rb') as file:
            total.update(file.read())
    return total.hexdigest()


class Map:
    """rows: {test: {'digest', 'result', 'seconds', 'lines': {file: [line]}}}, kept between runs."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if os.path.exists(path):
            with open(path) as file:
                self.rows = json.load(file)

    def update(self, tree, say, keep=False):
        """Runs the tests that are new or other than they were; keep: those that are new only."""
        runner, tests, started = Runner(), list(list_tests(tree)), time.monotonic()
        kept = {}
        for test in tests:
            mark = digest(test, tree)
            row = self.rows.get(test.name)
            known = row and (keep or row['digest'] == mark)
            kept[test.name] = row if known else self.measure(test, mark, tree, runner)
        self.rows = kept
        with open(self.path, 'w') as file:
            json.dump(self.rows, file)
        say('%d tests, %d lines of code run by a test; %.0f s' % (
            len(tests), len({(f, l) for row in kept.values() for f, lines in row['lines'].items() for l in lines}),
            time.monotonic() - started))

    def try_again(self, tree, say):
        """What fails only because lines are counted (in the sandbox no count can be written) is used all the same."""
        runner = Runner()
        for test in list_tests(tree):
            row = self.rows.get(test.name)
            if row and row['result'] == 'failed':
                row['result'], row['seconds'] = runner.run(test, 200)
        for name, row in self.rows.items():
            if row['result'] != 'passed':
                say('not used: %s: %s without a mutant' % (name, row['result']))
            elif row['seconds'] > SLOWEST:
                say('not used: %s takes %.0f s' % (name, row['seconds']))

    @staticmethod
    def measure(test, mark, tree, runner):
        """One that is not done after some minutes is not run for a mutant anyhow: it is a hang, and remembered as one."""
        counts = runner.folder()
        result, seconds = runner.run(test, SLOWEST, {'GCOV_PREFIX': counts, 'GCOV_ERROR_FILE': '/dev/null'})
        lines = trees.lines_of_gcov(counts, tree.build, tree.root)
        shutil.rmtree(counts, ignore_errors=True)
        return {'digest': mark, 'result': result, 'seconds': seconds, 'lines': {f: sorted(l) for f, l in lines.items()}}

    def seconds(self, name):
        return self.rows[name]['seconds']

    def usable(self, name):
        row = self.rows.get(name)
        return bool(row) and row['result'] == 'passed' and row['seconds'] <= SLOWEST

    def covering(self, path, line):
        """Names of tests, the fastest first.  A line in the middle of a statement has no count of its own: that of the one
        before it counts.  Where no test runs the line (from within the sandbox counts cannot be written): those of the file."""
        of_file = [n for n in self.rows if self.usable(n) and path in self.rows[n]['lines']]
        known = {l for n in of_file for l in self.rows[n]['lines'][path]}
        at = max((l for l in known if line - 4 <= l <= line), default=None)
        names = [n for n in of_file if at in self.rows[n]['lines'][path]] if at else of_file
        return sorted(names, key=self.seconds)
