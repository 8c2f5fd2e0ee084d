#!/usr/bin/env python3
"""Names in inputs are names, not orders: what a recording or a binary names is opened if it is a regular file.

What is named is in turn a regular file, a FIFO, a device, a directory, a socket, a link to nothing, a link to a FIFO and
one to a device.  It is named by a recording, by maps, by snapshots and by a binary's links to debug files, and each
command that reads these is run, with --sandbox, too, where it has that.  Each run must end in time with the expected
exit code, and nothing but the regular file may have been opened: the kernel reports every open() (inotify), and the
regular file shows that it does.

Also: docs/security.md has the list of src/base/file.c, and no other file of the program opens files than those
that are listed here.
"""
import ctypes
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

BATCONV = os.path.abspath(os.environ['BATCONV'])
SOURCE = os.path.abspath(os.environ['SOURCE'])
DEMO = os.path.join(SOURCE, 'inputs/demo')
TIMEOUT = float(os.environ.get('BATCONV_TEST_TIMEOUT', 60))
KINDS = ('regular', 'fifo', 'device', 'folder', 'socket', 'dangling', 'to-fifo', 'to-device')
LIBC = ctypes.CDLL(None, use_errno=True)
IN_OPEN = 0x20

# Who may open files, and whose names these are.
OPENERS = {
    'src/base/file.c': 'the user: operands and options; inputs: the list of docs/security.md',
    'src/base/output.c': 'the user: outputs, and the file of maps --add',
    'src/base/sandbox.c': 'the user: outputs, to allow them (O_PATH)',
    'src/trial/workload.c': 'the user: the stdin of a workload; numbers: /proc/PID/stat',
    'src/trial/step.c': 'the user: files of a step, words of its command, and its folder',
    'src/trial/optimize.c': 'a folder of its own: the program that llvm-bolt wrote',
    'src/trial/counted.c': 'a folder of its own, in $TMPDIR: what valgrind wrote',
    'src/samples/proc.c': 'numbers: /proc/PID/maps and mem',
    'src/elf/binary.c': 'the user: a folder of binaries',
    'src/profile/merge_list.c': 'the user: a folder of profiles',
    'src/cli/file_conflicts.c': 'the user: a folder of shards, for the names in it',
    'src/profile/shard_list.c': 'the user: a folder of shards',
    'src/flow/bolt_job.c': 'a folder of its own, in $TMPDIR: what llvm-bolt printed, and to empty it',
    'src/cli/progress.c': 'the user: a recording that is a folder, for the sizes of what is in it',
    'src/elf/code_files.c': 'the user: the directory of a binary, and those of --debug-dir',
    'src/figures/advice.c': 'the user: a directory in the place of samples, for what is in it',
    'src/record/perf_open.c': 'itself: settings of the kernel, in /proc and /sys',
    'src/record/proc_files.c': 'numbers: /proc/PID and what is in it',
    'src/record/live.c': 'the user: the cgroups below the one of --cgroup',
    'src/record/shard_folder.c': 'the user: the directory of the shards',
    'src/cli/cmd_record.c': 'the user: the directory of a cgroup',
    'src/profile/sorter.c': 'the user: files without a name, in the folder of --tmpdir or of the output',
    'src/cli/main.c': '/dev/null in the place of a closed descriptor',
    'lib/capture/own_maps.c': '/proc/self/maps',
}


# ---- what can have a name ----

def make(kind, path):
    """Something at the path; what to watch there, or None where nothing is."""
    beside = path + '.target'
    for old in (path, beside):
        if os.path.isdir(old) and not os.path.islink(old):
            shutil.rmtree(old)
        elif os.path.lexists(old):
            os.remove(old)
    if kind == 'regular':
        shutil.copyfile(path + '.good', path)
    elif kind == 'fifo':
        os.mkfifo(path)
    elif kind == 'device':
        return make_device(path)
    elif kind == 'folder':
        os.mkdir(path)
    elif kind == 'socket':
        with socket.socket(socket.AF_UNIX) as s:
            folder = os.open(os.path.dirname(path), os.O_RDONLY)  # the name of a socket must be short
            s.bind('/proc/self/fd/%d/%s' % (folder, os.path.basename(path)))
            os.close(folder)
    elif kind == 'dangling':
        os.symlink('nowhere', path)
        return None
    else:
        os.symlink(os.path.basename(beside), path)
        if kind == 'to-fifo':
            os.mkfifo(beside)
        elif not make_device(beside):
            return None
        return beside
    return path


def make_device(path):
    """Like /dev/null; where that is not allowed a link to it, of which nothing can be said as others open it, too."""
    try:
        os.mknod(path, 0o20666, os.makedev(1, 3))
        return path
    except OSError:
        os.symlink('/dev/null', path)
        return None


class Watch:
    def __init__(self, path):
        self.fd = LIBC.inotify_init1(os.O_NONBLOCK)
        if self.fd < 0 or LIBC.inotify_add_watch(self.fd, path.encode(), IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), path)

    def opened(self):
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            data = b''
        os.close(self.fd)
        return bool(data)


# ---- who names it ----

def read(path):
    with open(path, 'rb') as file:
        return file.read()


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, timeout=60, **more).stdout


def prepare(folder):
    """The inputs that name FOLDER/demo.bolt."""
    named = os.path.join(folder, 'demo.bolt')
    shutil.copyfile(DEMO + '/demo.bolt', named + '.good')
    script = read(DEMO + '/demo.perf.txt').replace(b'/srv/demo/demo.bolt', named.encode())
    write('script.txt', script)
    write('plain.txt', b''.join(line for line in script.splitlines(True) if b'PERF_RECORD' not in line))
    make('regular', named)
    write('maps.txt', run(BATCONV, 'maps', '--raw', 'script.txt'))
    run(BATCONV, 'maps', '--add=maps.bcmaps', 'maps.txt')
    start = int(re.search(rb'^([0-9a-f]+)-\S+ r-xp', read('maps.txt'), re.M)[1], 16)
    write('raw', b'99999999999999 p8467 %x\n' % (start + 0x16))
    return named


def runs(named):
    """(words, exit codes with a regular file, with something else); 3: the C library of this system is not the recorder's"""
    binary = DEMO + '/demo.bolt'
    for maps in ('script.txt', 'maps.txt', 'maps.bcmaps'):
        yield ['maps', maps], (0, 3), (0, 3)
        yield ['maps', '--json', maps], (0, 3), (0, 3)
        yield ['stacks', '-q', '--functions', '--maps=' + maps, 'raw'], (0,), (0,)
        yield ['addr', '--binary=' + binary, '--maps=' + maps, '1000'], (3,), (3,)
    yield ['inspect', 'script.txt'], (0,), (0,)
    yield ['stacks', '-q', '--functions', 'script.txt'], (0,), (0,)
    yield ['stacks', '-q', '--functions=input', '--format=pprof', 'script.txt'], (0,), (0,)
    yield ['addr', '--binary=' + binary, '--perf=script.txt', '1000'], (3,), (3,)
    yield ['convert', '-q', '-o', 'out', binary, 'script.txt'], (0,), (0,)
    for maps in ('script.txt', 'maps.txt', 'maps.bcmaps'):
        yield ['convert', '-q', '-o', 'out', '--maps=' + maps, binary, 'plain.txt'], (0,), (0,)
    yield ['convert', '-q', '-o', 'out.d', '--bin=' + binary, 'script.txt'], (0,), (0,)


# Those that look at what is mapped: they open the regular file.
READERS = ('maps', 'stacks', 'inspect')


def debug_programs(folder):
    """(program, what it names, options, what is shown of it): by .gnu_debuglink, of lines and of functions, and by .gnu_debugaltlink."""
    write('prog.c', b'int main(int argc, char **argv)\n{\n\t(void)argv;\n\treturn 3 * argc;\n}\n')
    run('gcc', '-g', '-O1', '-o', 'prog', 'prog.c')
    link, alt = (os.path.join(folder, name) for name in ('prog.debug', 'shared.alt'))
    run('objcopy', '--only-keep-debug', 'prog', link)
    run('objcopy', '-g', '--add-gnu-debuglink=' + link, 'prog', 'by-link')
    os.rename(link, link + '.good')
    names = os.path.join(folder, 'names.debug')
    run('objcopy', '--only-keep-debug', 'prog', names)
    run('strip', '-o', 'stripped', 'prog')
    run('objcopy', '--add-gnu-debuglink=' + names, 'stripped')
    os.rename(names, names + '.good')
    write('alt', b'shared.alt\0' + bytes(range(20)))
    run('objcopy', '--add-section=.gnu_debugaltlink=alt', 'prog', 'by-alt')
    shutil.copyfile('prog', alt + '.good')
    at = next(line.split()[0] for line in run('nm', 'prog').decode().splitlines() if line.endswith(' T main'))
    return at, [('by-link', link, ['--source'], b'prog.c:'), ('by-alt', alt, ['--source'], b'prog.c:'),
                ('stripped', names, [], b'function  main'), ('stripped', names, ['--debug-dir=.'], b'function  main')]


# ---- the runs ----

def has_sandbox(words):
    return '--sandbox' in run(BATCONV, words[0], '--help').decode()


def execute(words, watched):
    """(exit code or None, stderr, whether it was opened)"""
    watch = Watch(watched) if watched else None
    options = os.environ.get('ASAN_OPTIONS', '') + (':detect_leaks=0' if '--sandbox' in words else '')
    try:
        done = subprocess.run([BATCONV] + words, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT,
                              env=dict(os.environ, ASAN_OPTIONS=options))
        code, err = done.returncode, done.stderr.decode(errors='replace')
    except subprocess.TimeoutExpired:
        code, err = None, ''
    return code, err, watch.opened() if watch else None


def check(kind, words, codes, opens, watched):
    code, err, opened = execute(words, watched)
    wrong = []
    if code not in codes:
        wrong.append('did not end' if code is None else 'exit %d, not %s' % (code, codes))
    if opened and kind != 'regular':
        wrong.append('opened')
    if kind == 'regular' and opened is not None and opens != opened:
        wrong.append('the regular file was %sopened' % ('' if opened else 'not '))
    return ['%s: %s: %s %s' % (kind, ' '.join(words), w, err.strip()) for w in wrong]


def check_mapped(folder):
    named = prepare(folder)
    wrong, count = [], 0
    for words, good, bad in runs(named):
        for sandbox in (False, True)[:1 + has_sandbox(words)]:
            for kind in KINDS:
                watched = make(kind, named)
                given = [words[0]] + ['--sandbox'] * sandbox + words[1:]
                wrong += check(kind, given, good if kind == 'regular' else bad, words[0] in READERS, watched)
                count += 1
    return wrong, count


def check_debug(folder):
    wrong, count = [], 0
    at, programs = debug_programs(folder)
    for program, named, options, shown in programs:
        for sandbox in ([], ['--sandbox']):
            words = ['addr', '--binary=' + program, '--from=vaddr'] + options + sandbox + [at]
            if b'without libdw' in subprocess.run([BATCONV] + words, capture_output=True).stderr:
                return wrong, count
            for kind in KINDS:
                watched = make(kind, named)
                wrong += check(kind, words, (0,) if kind in ('regular', 'dangling') else (1,), True, watched)
                count += 1
            make('regular', named)
            if shown not in subprocess.run([BATCONV] + words, capture_output=True).stdout:
                wrong.append('%s: no %s' % (' '.join(words), shown))
    return wrong, count


def check_folder(folder):
    """A recording that is a directory: its parts are named by nobody but the directory."""
    path = os.path.join(folder, 'recording')
    os.mkdir(path)
    shutil.copyfile(DEMO + '/demo.perf.data', path + '/data')
    shutil.copyfile(DEMO + '/demo.perf.data', path + '/data.0.good')
    wrong = []
    for kind in KINDS[1:]:
        watched = make(kind, path + '/data.0')
        # A link to nothing is no part of it.
        wrong += check(kind, ['maps', '--list', path], (0, 1) if kind == 'dangling' else (1,), True, watched)
    return wrong, len(KINDS) - 1


# ---- the lists ----

def check_list():
    code = read(SOURCE + '/src/base/file.c').decode()
    words = re.findall(r'\[NAMED_BY_\w+\] = "(.*?)"', code)
    doc = read(SOURCE + '/docs/security.md').decode()
    listed = re.findall(r'^\| `?(.*?)`? \|', doc[doc.index('| named by |'):].split('\n\n')[0], re.M)[2:]
    return [] if sorted(words) == sorted(listed) and words else ['docs/security.md lists %s, the code %s' % (listed, words)]


def check_openers():
    wrong = []
    for top in ('src', 'lib', 'bat'):
        for folder, _, names in os.walk(os.path.join(SOURCE, top)):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), SOURCE)
                text = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', '', read(os.path.join(SOURCE, path)).decode(), flags=re.S)
                calls = re.findall(r'(?<![\w.>])(open|openat|creat|fopen|freopen|opendir|scandir|mkstemp|popen)\(', text)
                if name.endswith('.c') and calls and path not in OPENERS:
                    wrong.append('%s opens files (%s): by whose names? See src/base/file.c' % (path, calls[0]))
    return wrong


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        wrong, count = check_list() + check_openers(), 0
        for part in (check_mapped, check_debug, check_folder):
            found, runs_done = part(folder)
            wrong, count = wrong + found, count + runs_done
    for line in wrong[:60]:
        print(line)
    print('%d runs, %d wrong' % (count, len(wrong)))
    return 1 if wrong or not count else 0


if __name__ == '__main__':
    sys.exit(main())
