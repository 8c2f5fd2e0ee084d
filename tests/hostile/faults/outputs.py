#!/usr/bin/env python3
"""Where output cannot go: outputs.py [--every] [--only=NAME]

For every command: stdout is full, closed, or has lost its reader; stderr is full or closed; the output's directory is missing or
not writable; the output is a directory; the disk is full.  The old output must stay, and one line must say why.  The disk is a
small tmpfs in a namespace of its own; where the system forbids that, it says so and leaves it out.
"""
import os
import shutil
import signal
import subprocess
import sys

from bench import Bench, complaint, is_sanitizer, one_line
from faults import Sweep, arguments
from subjects import SUBJECTS, load

NOBODY = 65534
FULL = 'No space left on device'


def shell(text):
    return ['sh', '-c', text + ' "$@"', 'sh']


def to_stdout(bench, subject):
    return bool(bench.good(subject).stdout)


def start(bench, subject, folder, before=(), **more):
    if not subject.stdin:
        return bench.start(subject, folder, before, **more)
    with open(os.path.join(bench.inputs, subject.stdin), 'rb') as file:
        return bench.start(subject, folder, before, **{'stdin': file, **more})


def run(bench, subject, before=(), words=None, folder=None, **more):
    folder = folder or bench.folder(subject)
    own = subject._replace(words=words) if words else subject
    return bench.finish(own, folder, start(bench, own, folder, before, **more))


def unharmed(bench, subject, got):
    """All but the lines on stderr, which nobody reads."""
    good = bench.good(subject)
    if is_sanitizer(got.stderr):
        return 'sanitizer'
    if got.code != good.code:
        return 'exit %d' % got.code
    return None if got.files == good.files and got.listing == good.listing else 'not the same output'


def failed(bench, subject, got, pattern):
    """Exit 1 and one line.  There may be lines before it where a line is no failure."""
    if is_sanitizer(got.stderr):
        return 'sanitizer'
    if got.code != 1:
        return 'exit %d' % got.code
    if got.files != bench.old(subject):
        return 'the old output is gone'
    if got.listing != bench.good(subject).listing:
        return 'left behind: %s' % ' '.join(got.listing)
    return None if one_line(got.stderr, pattern) else 'not one line that says why'


def streams(sweep, subject):
    bench = sweep.bench
    writes = to_stdout(bench, subject)
    for fault, before, pattern in (('stdout is full (/dev/full)', shell('exec >/dev/full;'), FULL), ('stdout is closed', shell('exec >&-;'), 'Bad file descriptor'),
                                   ('stdout lost its reader, SIGPIPE ignored', None, 'Broken pipe')):
        if before:
            got = run(bench, subject, before)
        else:
            got = lost_reader(bench, subject, ignored=True)
        sweep.add(fault, subject, '', got, failed(bench, subject, got, pattern) if writes else unharmed(bench, subject, got))
    got = lost_reader(bench, subject, ignored=False)
    wrong = unharmed(bench, subject, got)
    if writes:
        wrong = None if got.code == -signal.SIGPIPE and got.files == bench.old(subject) and got.listing == bench.good(subject).listing else 'exit %d' % got.code
    sweep.add('stdout lost its reader', subject, '', got, wrong)
    for fault, text in (('stderr is closed', 'exec 2>&-;'), ('stderr is full', 'exec 2>/dev/full;')):
        got = run(bench, subject, shell(text))
        sweep.add(fault, subject, '', got, unharmed(bench, subject, got))


def lost_reader(bench, subject, ignored):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return run(bench, subject, shell("trap '' PIPE;") if ignored else (), stdout=writer)
    finally:
        os.close(writer)


def places(sweep, subject):
    bench = sweep.bench
    if subject.writes != ['out']:
        return

    def instead(target):
        return [target if w == 'out' else w for w in subject.words]

    def add(fault, target, pattern, prepare=None, **more):
        folder = bench.folder(subject)
        if prepare:
            prepare(folder)
        got = run(bench, subject, words=instead(target), folder=folder, **more)
        wrong = failed(bench, subject, got._replace(listing=[n for n in got.listing if n != 'place']), pattern)
        sweep.add(fault, subject, target, got, wrong)

    def below(mode):
        def prepare(folder):
            os.mkdir(os.path.join(folder, 'place'))
            os.chmod(os.path.join(folder, 'place'), mode)
            os.chmod(folder, 0o755)
        return prepare
    add("the output's directory is not there", 'place/out', 'there is no directory place/')
    if not subject.folder:
        add('the output is a directory', 'place', 'is a directory', below(0o755))
    add('a file is where a directory should be', 'out/out', 'Not a directory')
    if os.getuid():
        add("the output's directory is not writable", 'place/out', 'Permission denied', below(0o555))
    elif nobody_can_run(bench):
        add("the output's directory is not writable", 'place/out', 'Permission denied', below(0o755), user=NOBODY, group=NOBODY)
    links(sweep, subject, instead)


def links(sweep, subject, instead):
    """What is no regular file is written, not replaced; a link stays one."""
    bench = sweep.bench
    folder = bench.folder(subject)
    good = bench.good(subject).files['out']
    os.symlink('out', os.path.join(folder, 'link'))
    os.mkfifo(os.path.join(folder, 'fifo'))
    code = bench.good(subject).code
    job = start(bench, subject._replace(words=instead('link')), folder)
    job.communicate()
    wrong = None
    if job.returncode != code or not os.path.islink(os.path.join(folder, 'link')) or load(os.path.join(folder, 'out')) != good:
        wrong = 'not through the link'
    reader = subprocess.Popen(['cat', 'fifo'], cwd=folder, stdout=subprocess.PIPE)
    job = start(bench, subject._replace(words=instead('fifo')), folder)
    stdout, stderr = job.communicate()
    if job.returncode != code or reader.communicate()[0] != good:
        wrong = 'not through the FIFO'
    got = bench.look(subject, folder, job.returncode, stdout, stderr)
    shutil.rmtree(folder)
    sweep.add('the output is a link, a FIFO', subject, '', got, wrong)


def nobody_can_run(bench):
    os.chmod(bench.root, 0o755)
    try:
        return subprocess.run([bench.batconv, 'help'], user=NOBODY, group=NOBODY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def small_disk(sweep):
    """In a namespace of its own: returns why not, or None."""
    why = subprocess.run(['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs -o size=8k none /tmp'], stdin=subprocess.DEVNULL, capture_output=True)
    if why.returncode:
        return why.stderr.decode().strip() or 'unshare -rm is not permitted'
    for subject in sweep.subjects():
        if not subject.writes or subject.alone:
            continue
        for size in range(4, 33, 4 if sweep.options.every else 12):
            on_small_disk(sweep, subject, size)
    return None


def on_small_disk(sweep, subject, more):
    """So many KiB are left next to the old outputs."""
    bench = sweep.bench
    folder = bench.folder(subject)
    kept = os.path.join(folder, 'kept')
    # The inputs are ../in from the disk, too.
    script = ('mkdir disk in && mount --bind ../in in && mount -t tmpfs -o size=%dk none disk && cp %s disk/ && cd disk && '
              '{ "$@"; code=$?; } && cd .. && cp -r disk kept; exit $code' % (4 * len(subject.writes) + more, ' '.join(subject.writes)))
    job = start(bench, subject, folder, ['unshare', '-rm', 'sh', '-c', script, 'sh'])
    stdout, stderr = job.communicate()
    got = bench.look(subject, kept, job.returncode, stdout, stderr)
    shutil.rmtree(folder)
    sweep.add('the disk is full', subject, '%d KiB' % more, got, complaint(bench, subject, got, FULL))


def main():
    sweep = Sweep(Bench(), arguments())
    for subject in SUBJECTS:
        if sweep.options.only in (None, subject.name):
            sweep.bench.good(subject)
            streams(sweep, subject)
            if not subject.library:
                places(sweep, subject)
    why = small_disk(sweep)
    wrong = sweep.table()
    if why:
        print('the disk is full: not tried here: %s' % why)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
