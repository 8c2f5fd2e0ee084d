"""A directory to run a subject in, again and again, and what a run must have left."""
import collections
import os
import re
import shutil
import subprocess
import tempfile

from subjects import load, make_inputs, save

OLD = b'the output of an earlier run\n'
PATIENCE = 300  # seconds; a run that takes so long hangs

Outcome = collections.namedtuple('Outcome', 'code stdout stderr files listing')


class Bench:
    def __init__(self):
        self.batconv = os.path.abspath(os.environ['BATCONV'])
        self.home = tempfile.TemporaryDirectory(prefix='faults.')
        self.root = os.path.realpath(self.home.name)
        self.inputs = os.path.join(self.root, 'in')
        make_inputs(self.batconv, os.environ['INPUTS'], self.inputs)
        self.known = {}

    def folder(self, subject):
        """An empty one, except for the old outputs."""
        folder = tempfile.mkdtemp(prefix='run.', dir=self.root)
        for name in subject.writes:
            path = os.path.join(folder, name)
            if name.endswith('.bcmaps'):
                shutil.copy(os.path.join(self.inputs, 'all.bcmaps'), path)
            else:
                save(path, OLD)
        return folder

    def words(self, subject):
        program = os.path.join(self.inputs, subject.program) if subject.program else self.batconv
        return [program, *subject.words]

    def start(self, subject, folder, before=(), env=None, **more):
        streams = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'stdin': subprocess.DEVNULL, **more}
        return subprocess.Popen([*before, *self.words(subject)], cwd=folder, env={**environment(), **(env or {})}, **streams)

    def finish(self, subject, folder, job):
        stdout, stderr = job.communicate(timeout=PATIENCE)
        outcome = self.look(subject, folder, job.returncode, stdout, stderr)
        shutil.rmtree(folder)
        return outcome

    def look(self, subject, folder, code, stdout, stderr):
        def bytes_of(name):
            path = os.path.join(folder, name)
            return load(path) if os.path.isfile(path) else None
        return Outcome(code, stdout or b'', (stderr or b'').decode('utf-8', 'replace'), {n: bytes_of(n) for n in subject.writes}, sorted(os.listdir(folder)))

    def run(self, subject, before=(), env=None, folder=None):
        folder = folder or self.folder(subject)
        if not subject.stdin:
            return self.finish(subject, folder, self.start(subject, folder, before, env))
        with open(os.path.join(self.inputs, subject.stdin), 'rb') as file:
            feeder = subprocess.Popen(['cat'], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        job = self.start(subject, folder, before, env, stdin=feeder.stdout)
        feeder.stdout.close()
        outcome = self.finish(subject, folder, job)
        feeder.wait()
        return outcome

    def good(self, subject):
        """What it does when nothing fails."""
        if subject.name not in self.known:
            outcome = self.run(subject)
            assert outcome.code in (0, 3) and not is_sanitizer(outcome.stderr), (subject.name, outcome)
            assert outcome.code == 0 or subject.name.startswith(('diff', 'addr')), (subject.name, outcome)
            self.known[subject.name] = outcome
        return self.known[subject.name]

    def old(self, subject):
        return {name: load(os.path.join(self.inputs, 'all.bcmaps')) if name.endswith('.bcmaps') else OLD
                for name in subject.writes}


def environment():
    env = {**os.environ, 'LC_ALL': 'C'}
    env['ASAN_OPTIONS'] = ':'.join(filter(None, (os.environ.get('ASAN_OPTIONS'), 'verify_asan_link_order=0:allocator_may_return_null=1')))
    suppressions = 'suppressions=%s:print_suppressions=0' % os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lsan.supp')
    env['LSAN_OPTIONS'] = ':'.join(filter(None, (os.environ.get('LSAN_OPTIONS'), suppressions)))
    return env


def is_sanitizer(stderr):
    return 'Sanitizer' in stderr or 'runtime error:' in stderr


def one_line(stderr, pattern):
    """Exactly one error, ours, that says why, and at most one hint.  perf2bolt's own lines can be before it under its name."""
    stderr = re.sub(r'^(PERF2BOLT|BOLT)-WARNING: .*\n', '', stderr, flags=re.M)
    return re.fullmatch(r'batconv: error: .*\n(batconv: hint: .*\n)?|((perf2bolt|merge-fdata|llvm-bolt-heatmap): .*\n){1,2}|PERF2BOLT-ERROR: .*\n', stderr) and \
        re.search(pattern, stderr)


def same(got, good):
    return got.code == good.code and got.stdout == good.stdout and got.files == good.files and got.listing == good.listing


def complaint(bench, subject, got, pattern):
    """None if the run did all that it does without a fault, or failed as it should: exit 1, one line that says why, old
    outputs as they were, nothing next to them, and on stdout no more than the beginning.  Else what is wrong."""
    good, old = bench.good(subject), bench.old(subject)
    if is_sanitizer(got.stderr):
        return 'sanitizer'
    if got.code < 0:
        return 'signal %d' % -got.code
    if got.listing != good.listing:
        return 'left behind: %s' % ' '.join(n for n in got.listing if n not in good.listing)
    if got.code == good.code:
        if got.stderr != good.stderr:
            return 'done, with other words'
        return None if same(got, good) else 'done, but not the same output'
    if got.code == 3 and subject.drops:
        told = got.stderr.count('\n') == 1 and (got.stderr.startswith('{"schema"') or one_line(got.stderr, 'none of the'))
        return None if told and got.files == old else 'nothing left to count, and it is not said'
    if got.code != 1:
        return 'exit %d' % got.code
    if subject.alone:
        if not all(got.files[n] in (old[n], good.files[n]) for n in old):
            return 'a file that is neither old nor new'
        return None if re.search(pattern, got.stderr) else 'no line that says why'
    if got.files != old:
        return 'the old output is gone'
    if not good.stdout.startswith(got.stdout):
        return 'stdout is not the beginning of what it should be'
    return None if one_line(got.stderr, pattern) else 'not one line that says why'
