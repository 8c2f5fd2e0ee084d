#!/usr/bin/env python3
"""maps --add of many processes at once: each one's maps are there afterwards, whatever the file was called, and a
process that was killed holds up nobody.

By hand: each process adds one map of its own pid, so the pids that `maps --list` shows are those that were added.
"""
import fcntl
import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BATCONV = os.path.abspath(os.environ['BATCONV'])
AT_ONCE, ROUNDS = 20, 10
FILE = 'all.bcmaps'
wrong = []


def check(what, is_so):
    if not is_so:
        wrong.append(what)


def write_map(pid):
    with open('maps.%d' % pid, 'w', encoding='ascii') as file:
        file.write('# batconv-maps pid=%d id=0 time=%d\n' % (pid, pid))
        file.write('55e4a0b0b000-55e4a0bf6000 r-xp 0000b000 fe:00 1312 /srv/app\n')


def start(name, pid):
    return subprocess.Popen([BATCONV, 'maps', '--add=' + name, 'maps.%d' % pid], stderr=subprocess.PIPE, text=True)


def listed(name=FILE):
    done = subprocess.run([BATCONV, 'maps', '--list', name], capture_output=True, text=True)
    check('%s cannot be read: %s' % (name, done.stderr), done.returncode == 0)
    return [int(line.split()[1].rstrip(',')) for line in done.stdout.splitlines()]


def tidy(what):
    """Temporary files, which only SIGKILL may leave, are called FILE.XXXXXX."""
    left = [name for name in os.listdir() if name.startswith(FILE + '.')]
    check('%s: left behind: %s' % (what, left), not left)


def remove(prefix=FILE):
    for name in os.listdir():
        if name.startswith(prefix):
            os.unlink(name)


def all_are_there(names, rounds):
    """Each round begins without a file; every name is another one of the same file."""
    for turn in range(rounds):
        remove()
        runs = [start(names[pid % len(names)], pid) for pid in range(1, AT_ONCE + 1)]
        codes = [run.wait(60) for run in runs]
        told = ''.join(run.communicate()[1] for run in runs)
        what = '%s, round %d' % (names[-1], turn)
        check('%s: exit %s: %s' % (what, codes, told), codes == [0] * AT_ONCE and not told)
        found = listed()
        check('%s: %d of %d: %s' % (what, len(found), AT_ONCE, found), sorted(found) == list(range(1, AT_ONCE + 1)))
        tidy(what)
        print('%s: %d of %d' % (what, len(found), AT_ONCE))


def killed_in_the_middle(rounds):
    """Any of them, at any moment: the file is whole, and those that say so have added theirs."""
    choose = random.Random(1)
    killed = 0
    for turn in range(rounds):
        remove()
        runs = {}
        for pid in range(1, AT_ONCE + 1):
            runs[pid] = start(FILE, pid)
            if pid % 2:
                time.sleep(choose.random() / 200)
                runs[pid].kill()
        codes = {pid: run.wait(60) for pid, run in runs.items()}
        for run in runs.values():
            run.communicate()
        killed += sum(code == -signal.SIGKILL for code in codes.values())
        check('killed, round %d: exit %s' % (turn, codes), set(codes.values()) <= {0, -signal.SIGKILL})
        found = set(listed())
        check('killed, round %d: lost %s' % (turn, [pid for pid, code in codes.items() if not code and pid not in found]),
              all(code or pid in found for pid, code in codes.items()))
    check('nobody was killed in time', killed > 0)
    print('%d of %d killed' % (killed, rounds * AT_ONCE))


def holder():
    """A process that has the lock until it is killed."""
    run = subprocess.Popen([sys.executable, '-c', 'import fcntl, sys, time\nfile = open(sys.argv[1], "r+b")\n'
                            'fcntl.flock(file, fcntl.LOCK_EX)\nprint("locked", flush=True)\ntime.sleep(60)\n', FILE],
                           stdout=subprocess.PIPE, text=True)
    run.stdout.readline()
    return run


def waits(run):
    try:
        run.wait(0.3)
        return False
    except subprocess.TimeoutExpired:
        return True


def a_lock_dies_with_its_process():
    remove()
    start(FILE, 1).wait(60)
    owner, run = holder(), start('link', 2)
    check('a lock did not hold', waits(run))
    owner.kill()
    owner.wait()
    check('the lock of a killed process', run.wait(60) == 0 and sorted(listed()) == [1, 2])
    run.communicate()
    owner.communicate()


def replaced_while_waiting():
    """Whoever waited for a file that was replaced meanwhile adds to the new one."""
    remove()
    start(FILE, 1).wait(60)
    start('other', 3).wait(60)
    with open(FILE, 'r+b') as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        run = start(FILE, 2)
        check('a lock did not hold', waits(run))
        os.rename('other', FILE)
    check('replaced while waiting', run.wait(60) == 0 and sorted(listed()) == [2, 3])
    run.communicate()


def other_names():
    """Descriptors and hard links: the file of a descriptor is replaced as by its name; names part, both whole."""
    remove()
    start(FILE, 1).wait(60)
    with open(FILE, 'r+b') as file:
        done = subprocess.run([BATCONV, 'maps', '--add=/dev/fd/%d' % file.fileno(), 'maps.2'], pass_fds=[file.fileno()])
    check('/dev/fd', done.returncode == 0 and sorted(listed()) == [1, 2])
    os.link(FILE, 'hard')
    check('a hard link', start('hard', 3).wait(60) == 0 and sorted(listed('hard')) == [1, 2, 3] and sorted(listed()) == [1, 2])


def refused(what, name, want, user=None):
    program = BATCONV if user is None else os.path.abspath(shutil.copy(BATCONV, 'program'))  # theirs may be out of its reach
    run = subprocess.run([program, 'maps', '--add=' + name, 'maps.1'], capture_output=True, text=True, timeout=60,
                         user=user, group=user)
    lines = run.stderr.splitlines()
    check('%s: exit %d: %s' % (what, run.returncode, run.stderr),
          run.returncode == 1 and len(lines) == 1 and lines[0].startswith('batconv: error: ') and want in lines[0])


def refusals():
    remove()
    start(FILE, 1).wait(60)
    os.mkdir('folder')
    os.mkfifo('fifo')
    refused('a folder', 'folder', 'folder: no snapshots (.bcmaps): it is not replaced')
    refused('a FIFO', 'fifo', 'no snapshots (.bcmaps): it is not replaced')
    refused('no folder', 'none/file', 'none/file')
    with open(FILE, 'rb') as file, gzip.open('packed', 'wb') as packed:
        packed.write(file.read())
    refused('a compressed file', 'packed', 'packed: no snapshots (.bcmaps): it is not replaced')
    user = 65534 if os.getuid() == 0 else None
    os.chmod('folder', 0o555)
    refused('a folder that is read-only', 'folder/new', 'cannot create a temporary file in its directory: Permission denied', user)
    os.chmod(FILE, 0o444)
    refused('a file that is read-only', FILE, FILE + ': cannot open for writing: Permission denied', user)
    tidy('refusals')


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.chdir(folder)
        for pid in range(1, AT_ONCE + 1):
            write_map(pid)
        os.symlink(FILE, 'link')
        os.symlink('./link', 'links')
        os.symlink(folder, 'here')
        all_are_there([FILE], ROUNDS)
        all_are_there([FILE, './' + FILE, os.path.join(folder, FILE), 'here/' + FILE, 'links', 'link'], ROUNDS)
        killed_in_the_middle(3)
        remove()
        a_lock_dies_with_its_process()
        replaced_while_waiting()
        other_names()
        refusals()
        os.chdir('/')
    for line in wrong:
        print('WRONG: ' + line)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
