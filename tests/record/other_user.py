#!/usr/bin/env python3
"""What another user can do to a recorder that runs as root: other_user.py LOAD OTHER_USER [WORD...]

OTHER_USER (other_user.c) runs as user 65534 while root records the machine, and LOAD (load.c) runs as root.  Each case holds what
docs/record-root.md promises: processor time and memory within their limits, SIGTERM is acted upon at once, and LOAD is counted.  Without
root, or where the system refuses perf_event_open, the test is skipped (exit 77).  WORD: only cases whose name has one of them;
--figures prints what was measured, and fails for nothing.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BATCONV = os.path.abspath(os.environ['BATCONV'])
FIGURES = '--figures' in sys.argv
LOAD, OTHER = map(os.path.abspath, sys.argv[1:3])
WORDS = [word for word in sys.argv[3:] if word != '--figures']
OTHER_UID = 65534
OVERHEAD, SLACK = 0.5, 0.2  # percent of all processors
MEMORY, MORE = 8, 16  # MiB
STOP = 5  # seconds
LARGE = 300 if FIGURES else 3000  # MiB: what is not bounded takes minutes
PROCESSORS = os.sysconf('SC_NPROCESSORS_ONLN')
# A sanitizer's memory and time are not the program's.
MEASURES = b'san.so' not in subprocess.run(['ldd', BATCONV], capture_output=True, check=False).stdout
wrong = []


def check(what, is_so, more=''):
    if not is_so:
        wrong.append('%s: %s' % (what, more))
        print('    WRONG:', what, more)


def as_other(*words):
    """Starts OTHER_USER and waits until it has done what it does once."""
    process = subprocess.Popen(['setpriv', '--reuid=%d' % OTHER_UID, '--regid=%d' % OTHER_UID, '--clear-groups', OTHER, *map(str, words)],
                               stdout=subprocess.PIPE, text=True)
    if process.stdout.readline() != 'ready\n':
        sys.exit('other_user %s: failed' % words[0])
    return process


class Done:
    """A recorder that has ended: what it says, and what the kernel says of it."""

    def __init__(self, process, began, told):
        _, status, usage = os.wait4(process.pid, 0)
        self.ended = time.monotonic()
        process.returncode = os.waitstatus_to_exitcode(status)
        self.code, self.err = process.returncode, process.stderr.read()
        self.cpu = usage.ru_utime + usage.ru_stime
        self.seconds, self.after = self.ended - began, self.ended - told
        self.memory = usage.ru_maxrss / 1024
        lines = [line for line in self.err.splitlines() if line.startswith('{')]
        self.stats = json.loads(lines[-1]) if lines else {}
        self.load = sum(b['samples'] for b in self.stats.get('binaries', []) if os.path.basename(b['path']) == os.path.basename(LOAD))

    def percent(self):
        """For all processors, as --max-overhead is."""
        return 100 * self.cpu / self.seconds / PROCESSORS


def options():
    words = ['-a', '-e', 'cpu-clock', '-F', '199', '--max-overhead=%g' % OVERHEAD, '--memory=%dM' % MEMORY, '--min-samples=20', '--stats=json']
    return words if FIGURES else words + ['--stop-timeout=%d' % STOP]


def record(seconds, *more):
    """Records the machine for a while, and ends that by SIGTERM."""
    began = time.monotonic()
    process = subprocess.Popen([BATCONV, 'record', *options(), *more, '-o', 'out/'], stderr=subprocess.PIPE, text=True)
    time.sleep(seconds)
    told = time.monotonic()
    process.send_signal(signal.SIGTERM)
    return Done(process, began, told)


def hold(name, done):
    """What holds whatever the other user does."""
    print('    %-8s %.2f s of CPU in %.1f s = %.2f %%, %.1f MiB, ended %.1f s after SIGTERM, exit %d, load %d' %
          (name, done.cpu, done.seconds, done.percent(), done.memory, done.after, done.code, done.load))
    if FIGURES:
        return
    check(name + ': exit', done.code in (0, 4), '%d: %s' % (done.code, done.err))
    check(name + ': load', done.load > 0, 'has no samples: %s' % done.err)
    check(name + ': end', done.after < STOP + 1, 'took %.1f s' % done.after)
    if MEASURES:
        check(name + ': CPU', done.percent() <= OVERHEAD + SLACK, '%.2f %%' % done.percent())
        check(name + ': memory', done.memory <= MEMORY + MORE, '%.1f MiB' % done.memory)


def is_held(done):
    return done.load > 0 and (not MEASURES or done.percent() <= OVERHEAD + SLACK)


def attack(name, *words, seconds=12, load_after=False, count=1):
    others = [as_other(*[str(word).replace('%', str(i)) for word in words]) for i in range(count)]
    words = ['sh', '-c', 'sleep 2; exec "$0" 60000', LOAD] if load_after else [LOAD, '60000']
    try:
        # Again, and for longer, if the machine is busy with something else: of 0.5 % in 12 s the digests of what compilers run leave nothing.
        for turn in range(3):
            load = subprocess.Popen(words, stdout=subprocess.DEVNULL)
            try:
                done = record(seconds << turn)
            finally:
                load.kill()
                load.wait()
            if FIGURES or is_held(done):
                break
            print('    %-8s turn %d: %.2f %%, load %d' % (name, turn + 1, done.percent(), done.load))
    finally:
        for process in others:
            process.kill()
            process.wait()
    hold(name, done)
    return done


# ---- the cases ----

def sparse():
    """A file of holes costs nothing: of 3 GB, 8 KB are there."""
    attack('sparse', 'large', 'theirs/a', LARGE)
    if os.path.isdir('/dev/shm') and not os.statvfs('/dev/shm').f_flag & os.ST_NOEXEC:
        path = '/dev/shm/batconv-other-user-%d' % os.getpid()
        try:
            attack('shm', 'large', path, LARGE)
            blocks = os.stat(path).st_blocks * 512
            check('shm: the file', blocks < 1 << 20 or FIGURES, 'has %d bytes' % blocks)
            print('    %-8s the file takes %d KiB of memory' % ('shm', blocks >> 10))
            os.unlink(path)
            attack('exbibyte', 'large', path, 1 << 42)  # more than any address space
        finally:
            if os.path.exists(path):
                os.unlink(path)


def dense():
    """Code that takes more time to digest than there is."""
    done = attack('dense', 'dense', 'theirs/b', 400)
    unfinished = {user.get('uid'): user['dropped'].get('unfinished', 0) for user in done.stats.get('users', [])}
    check('dense: the user', unfinished.get(OTHER_UID, 0) > 0 or FIGURES, unfinished)


def links():
    """The table of files is full of those of one process that sleeps."""
    os.mkdir('theirs/links')
    os.chown('theirs/links', OTHER_UID, OTHER_UID)
    done = attack('links', 'links', 'theirs/links', 4200, load_after=True)
    users = done.stats.get('users', [])
    refused = {user['uid'] for user in users if user['mappings_refused'] > 1000}
    # There may be no time to read all mappings.
    named = any(user['uid'] == OTHER_UID and (user['mappings_refused'] or user['processes_unread']) for user in users)
    check('links: the user', (named and refused <= {OTHER_UID}) or FIGURES, users)


def first():
    """Who maps a program first, and has as many files wait for their digests as it may, does not decide over those who run it."""
    os.mkdir('theirs/first')
    os.chown('theirs/first', OTHER_UID, OTHER_UID)
    attack('first', 'first', 'theirs/first', 300, LOAD, load_after=True)


def maps():
    """16 processes of 32,000 mappings."""
    done = attack('maps', 'maps', 'theirs/c%', 32000, count=16)
    unread = {user.get('uid'): user['processes_unread'] for user in done.stats.get('users', [])}
    check('maps: the user', unread.get(OTHER_UID, 0) > 0 or FIGURES, unread)


def churn():
    """Records are lost all the time."""
    attack('churn', 'churn', 'theirs/d')


def opens():
    """Each sample of a user is in a new file, and to open that takes long."""
    attack('opens', 'opens', 'theirs/e')


def change():
    """A file that changes while it is read."""
    attack('change', 'change', 'theirs/e', seconds=10)


CASES = [sparse, dense, links, first, maps, churn, opens, change]


def main():
    if os.geteuid() != 0:
        print('SKIP: only root records other users')
        return 77
    folder = tempfile.mkdtemp(prefix='batconv-other-user-')
    os.chmod(folder, 0o755)
    os.chdir(folder)
    try:
        probe = subprocess.run([BATCONV, 'record', '-e', 'cpu-clock', '-a', '-d', '0.1', '-q', '-o', 'probe/'], capture_output=True, text=True, check=False)
        if probe.returncode not in (0, 3, 4):
            print('SKIP: recording is refused here: %s' % probe.stderr.strip())
            return 77
        for case in CASES:
            if WORDS and not any(word in case.__name__ for word in WORDS):
                continue
            print(case.__name__)
            os.mkdir('theirs')
            os.chown('theirs', OTHER_UID, OTHER_UID)
            case()
            shutil.rmtree('theirs')
            shutil.rmtree('out', ignore_errors=True)
    finally:
        os.chdir('/')
        shutil.rmtree(folder, ignore_errors=True)
    print('%d wrong' % len(wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
