#!/usr/bin/env python3
"""batconv record, for real: record.py LOAD LIBRARY [WORD...]

LOAD is load.c, whose functions have known weights, LIBRARY the same as a shared object.  Where the system refuses perf_event_open, the
test is skipped (exit 77).  Samples are those of cpu-clock, which every machine has.  WORD: only cases whose name has one of them.
"""
import glob
import gzip
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BATCONV = os.path.abspath(os.environ['BATCONV'])
LOAD, LIBRARY = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
WORDS = sys.argv[3:]
ROOT = os.geteuid() == 0
wrong, left_out = [], []


def fail(text):
    wrong.append(text)
    print('    WRONG:', text)


def check(what, is_so, more=''):
    if not is_so:
        fail('%s %s' % (what, more))


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        lines = [line for line in self.err.splitlines() if line.startswith('{')]
        self.stats = json.loads(lines[-1]) if lines else None

    def binary(self, name):
        return next((b for b in self.stats['binaries'] if os.path.basename(b['path']).startswith(name)), None)


def environment(arguments):
    """LeakSanitizer starts a process, which the sandbox does not let it."""
    more = ':detect_leaks=0' if '--sandbox' in arguments else ''
    return dict(os.environ, ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + more)


def record(*arguments, json_stats=True, user=False, **options):
    words = [BATCONV, 'record', '-e', 'cpu-clock'] + ['--stats=json'] * json_stats + list(arguments)
    if user:
        words = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] + words
    result = Result(subprocess.run(words, capture_output=True, text=True, timeout=300, check=False,
                                   env=environment(arguments), **options))
    if result.stats:
        balances(result.stats)
    return result


def balances(stats):
    """Nothing is lost without a name: by kind, and what the binaries have in addition to what was kept."""
    for kind in 'samples', 'branches':
        ledger = stats[kind]
        check(kind, ledger['read'] == ledger['kept'] + sum(ledger['dropped'].values()), 'do not add up: %s' % ledger)
    handed = sum(b['samples'] for b in stats['binaries']) + stats['few_samples'] + stats['other_layout_samples'] + stats['forgotten_samples']
    check('kept samples', stats['samples']['kept'] == handed, 'are %d, in files %d' % (stats['samples']['kept'], handed))


def start(*arguments):
    return subprocess.Popen([BATCONV, 'record', '-e', 'cpu-clock', '--stats=json', *arguments], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, env=environment(arguments))


def ended(process, code=0):
    _, err = process.communicate(timeout=60)
    check('exit code', process.returncode == code, '%s: %s' % (process.returncode, err))
    lines = [line for line in err.splitlines() if line.startswith('{')]
    return json.loads(lines[-1]) if lines else None


def waiting(*words):
    """The load, which continues when go() is called."""
    process = subprocess.Popen([*words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.load_pid = int(process.stdout.readline())
    return process


def go(process):
    process.stdin.write('\n')
    process.stdin.close()


def functions(binary, *shards):
    """Samples by function: lines "S ADDRESS COUNT" of the shards, by nm's symbols."""
    done = subprocess.run([BATCONV, 'merge', '-q', *shards], capture_output=True, text=True, check=False)
    check('merge', done.returncode == 0, done.stderr)
    lines = subprocess.run(['nm', '-S', '--defined-only', binary], capture_output=True, text=True, check=True).stdout.splitlines()
    symbols = [(int(words[0], 16), int(words[1], 16), words[3]) for words in map(str.split, lines) if len(words) == 4 and words[2] in 'tT']
    counts = {}
    for words in map(str.split, done.stdout.splitlines()):
        if words[0] != 'S':
            continue
        name = next((name for at, size, name in symbols if at <= int(words[1].split(':')[-1], 16) < at + size), '?')
        counts[name] = counts.get(name, 0) + int(words[2])
    return counts


def weights(binary, *shards, least=100):
    """Are they those of the load?"""
    counts = functions(binary, *shards)
    total = sum(counts.get('weigh_%d' % i, 0) for i in range(1, 8))
    check('samples', total >= least, 'of the load are %d, not %d' % (total, least))
    for i in range(1, 8):
        part, count = 2 ** (i - 1) / 127, counts.get('weigh_%d' % i, 0)
        far = 5 * math.sqrt(total * part * (1 - part)) + 5
        check('weigh_%d' % i, abs(count - total * part) <= far, 'has %d of %d, not about %d' % (count, total, total * part))
    return total


def shards(folder, name='load'):
    return sorted(glob.glob(os.path.join(folder, name + '.*.zst')))


def parts(folder):
    return [name for name in os.listdir(folder) if not name.endswith('.zst')]


# ---- whom ----

def command():
    result = record('-F', '4000', '-o', 'out/', LOAD, '600')
    check('exit', result.code == 0, result.err)
    total = weights(LOAD, *shards('out'))
    check('rate', 1200 < total < 3000, 'of 4 kHz in 0.6 s: %d' % total)
    check('a file', result.binary('load')['shards'] == 1 and len(shards('out')) == 1)


def command_threads_fork_exec():
    result = record('-F', '2000', '-o', 'out/', LOAD, '300', 'thread', 'fork', 'exec')
    check('exit', result.code == 0, result.err)
    total = weights(LOAD, *shards('out'))
    check('rate', 5 * 300 < total < 5 * 800, 'of 2 kHz in 5 times 0.3 s: %d' % total)
    check('programs', result.stats['programs'] >= 3, result.stats['programs'])


def command_dlopen():
    record('-F', '4000', '-o', 'out/', LOAD, '400', 'dl=' + LIBRARY)
    weights(LIBRARY, *shards('out', os.path.basename(LIBRARY)))


def deleted_file():
    for number, option in enumerate((['--sandbox'], [])):
        shutil.copy(LOAD, 'gone')
        result = record(*option, '-F', '4000', '-o', 'out%d/' % number, './gone', '900', 'unlink')
        check('exit', result.code == 0, result.err)
        check('deleted', not os.path.exists('gone'))
        weights(LOAD, *shards('out%d' % number, 'gone'))


def process():
    load = waiting(LOAD, '500', 'wait', 'thread')
    recorder = start('-F', '2000', '-o', 'out/', '-p', str(load.load_pid))
    time.sleep(0.5)
    go(load)
    ended(recorder)
    load.wait()
    weights(LOAD, *shards('out'))


def children_that_exist():
    load = waiting('sh', '-c', 'timeout 60 "$0" 500 wait; exit 0', LOAD)
    recorder = start('-F', '2000', '-o', 'out/', '-p', str(load.pid))
    time.sleep(0.5)
    go(load)
    ended(recorder)
    load.wait()
    weights(LOAD, *shards('out'))


def machine():
    load = subprocess.Popen([LOAD, '700'])
    result = record('-F', '2000', '-a', '--match=*/load', '-o', 'out/', 'sleep', '1.5')
    load.wait()
    check('exit', result.code == 0, result.err)
    weights(LOAD, *shards('out'))


def cgroup():
    roots = [root for root in ('/sys/fs/cgroup', '/sys/fs/cgroup/unified', '/sys/fs/cgroup/perf_event') if os.path.exists(root + '/cgroup.procs')]
    if not roots:
        return left_out.append('cgroup: neither version 2 nor perf_event of version 1 is mounted')
    with open('/proc/self/cgroup', encoding='ascii') as file:
        own = next((line.split(':', 2)[2].strip() for line in file if line.startswith('0::') or ':perf_event:' in line), '/')
    load = subprocess.Popen([LOAD, '700'])
    result = record('-F', '2000', '--cgroup=' + (own.strip('/') or '.'), '-o', 'out/', 'sleep', '1.5')
    load.wait()
    check('exit', result.code == 0, result.err)
    return weights(LOAD, *shards('out'))


def own_cgroup():
    """A new one with another one in it; what runs outside is not counted.  Both are gone afterwards."""
    roots = [root for root in ('/sys/fs/cgroup', '/sys/fs/cgroup/unified') if os.path.exists(root + '/cgroup.controllers')]
    own = roots and '%s/batconv-test-%d' % (roots[0], os.getpid())
    try:
        os.makedirs(own + '/below')
    except (OSError, TypeError) as error:
        return left_out.append('own cgroup: %s' % (error if roots else 'version 2 is not mounted'))
    try:
        outside = subprocess.Popen([LOAD, '900'])
        inside = [subprocess.Popen(['sh', '-c', 'echo $$ >"$0/cgroup.procs" && exec "$1" 900', folder, path])
                  for folder, path in ((own, './' + shutil.copy(LOAD, 'one')), (own + '/below', './' + shutil.copy(LOAD, 'two')))]
        time.sleep(0.2)
        result = record('-F', '2000', '--cgroup=' + os.path.basename(own), '--sandbox', '-o', 'out/', 'sleep', '1.5')
        for process in [outside, *inside]:
            process.wait()
    finally:
        for folder in own + '/below', own:
            os.rmdir(folder)
    check('exit', result.code == 0, result.err)
    check('outside', not result.binary('load'), result.err)
    both = result.stats['samples']['kept'] - result.stats['few_samples']
    return check('inside', both > 200 and len(shards('out', 'one')) + len(shards('out', 'two')) >= 1, result.err)


def overlay():
    """The program lies on an overlay in a namespace of its own, as in a container: its inode there can be another."""
    for name in 'lower', 'upper', 'work', 'merged':
        os.mkdir(name)
    shutil.copy(LOAD, 'lower/load')
    mount = 'mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged'
    done = subprocess.run(['unshare', '-m', 'sh', '-c', mount], capture_output=True, text=True, check=False)
    if done.returncode:
        return left_out.append('overlay: ' + done.stderr.strip())
    result = record('-F', '4000', '-o', 'lower-out/', 'unshare', '-m', 'sh', '-c', mount + ' && exec merged/load 500')
    check('below', result.code == 0, result.err)
    weights(LOAD, *shards('lower-out'))
    # Copied up by a write, and recorded from outside when it runs.
    load = waiting('unshare', '-m', 'sh', '-c', mount + ' && touch merged/load && exec merged/load 500 wait')
    recorder = start('--sandbox', '-F', '2000', '-o', 'upper-out/', '-p', str(load.load_pid))
    time.sleep(0.5)
    go(load)
    ended(recorder)
    load.wait()
    return weights(LOAD, *shards('upper-out'))


def setuid():
    """Root records it; another user may not: it runs to its end, and the message says why nothing was counted."""
    os.chmod('.', 0o777)
    shutil.copy(BATCONV, 'batconv')
    shutil.copy(LOAD, 'raised')
    os.chmod('raised', 0o4755)
    result = record('-F', '4000', '-o', 'root/', './raised', '400')
    check('root', result.code == 0, result.err)
    weights(LOAD, *shards('root', 'raised'))
    result = record('--forward-exit', '-o', 'user/', './raised', '300', user=True, json_stats=False)
    check('user', result.code == 3 and 'that is setuid or that you may not read\nbatconv: hint: record as root' in result.err and 'exit code' not in result.err, result.err)


def mount_namespace():
    """The path of the program is another file outside of its namespace."""
    os.makedirs('inside')
    os.makedirs('place')
    shutil.copy(LOAD, 'inside/load')
    shutil.copy('/bin/true', 'place/load')
    if subprocess.run(['unshare', '-m', 'true'], capture_output=True, check=False).returncode:
        return left_out.append('mount namespace: unshare -m is refused')
    result = record('-F', '4000', '-o', 'out/', 'unshare', '-m', 'sh', '-c', 'mount --bind inside place && exec place/load 500')
    check('exit', result.code == 0, result.err)
    return weights(LOAD, *shards('out'))


def ordinary_user():
    os.chmod('.', 0o777)
    shutil.copy(BATCONV, 'batconv')
    with open('/proc/sys/kernel/perf_event_paranoid', encoding='ascii') as file:
        level = int(file.read())
    if level > 2:
        return left_out.append('ordinary user: kernel.perf_event_paranoid is %d' % level)
    shutil.copy(LOAD, 'load')
    result = record('-F', '4000', '-o', 'out/', './load', '400', user=True)
    check('exit', result.code == 0, result.err)
    weights(LOAD, *shards('out'))
    if level > 0:
        result = record('-a', '-o', 'all/', 'true', user=True, json_stats=False)
        check('refused', result.code == 1 and re.fullmatch(
            r"batconv: error: not allowed to record the whole machine \(kernel.perf_event_paranoid is \d\)\n"
            r"batconv: hint: record as root, or let root run: sysctl kernel.perf_event_paranoid=0.*\n", result.err), result.err)
        check('nothing left', not os.path.exists('all'))
    own = str(os.getpid())  # which is root's
    result = record('-p', own, '-o', 'one/', 'true', user=True, json_stats=False)
    check('refused', result.code == 1 and 'not allowed to record PID ' + own in result.err, result.err)
    return None


def unreadable():
    """The kernel takes the events off a program that the user may not read: it runs on, and is not killed."""
    os.chmod('.', 0o777)
    shutil.copy(BATCONV, 'batconv')
    shutil.copy(LOAD, 'hidden')
    os.chmod('hidden', 0o111)
    began = time.monotonic()
    result = record('--forward-exit', '-o', 'out/', './hidden', '300', user=True, json_stats=False)
    check('exit', result.code == 3 and 'exit code' not in result.err, result.err)
    check('not killed', time.monotonic() - began > 0.3, result.err)
    check('why', 'records no program that is setuid or that you may not read\n' in result.err and 'nothing ran' not in result.err, result.err)
    result = record('-d', '0.2', '-o', 'out/', './hidden', '60000', user=True, json_stats=False)
    check('ended by its duration', result.code == 3 and 'may not read' in result.err and 'exit code' not in result.err, result.err)


# ---- what is written ----

def one_file():
    result = record('-F', '4000', '-o', 'one.zst', LOAD, '400')
    check('exit', result.code == 0 and len(result.stats['binaries']) == 1, result.err)
    weights(LOAD, 'one.zst')
    result = record('-F', '4000', '-o', 'x.fdata', '--bin=' + LOAD, 'sh', '-c', '"$0" 400; exit 0', LOAD)
    check('exit', result.code == 0, result.err)
    with open('x.fdata', encoding='ascii') as file:
        check('profile', re.search(r'^1 weigh_7/1 ', file.read(), re.M))
    result = record('-F', '4000', '-o', 'none.fdata', '--bin=' + BATCONV, LOAD, '200', json_stats=False)
    check('what ran', result.code == 3 and 'asked for (--bin, --match): most were in ' + LOAD in result.err, result.err)
    result = record('-F', '4000', '--min-samples=1000000', '-o', 'few/', LOAD, '200', json_stats=False)
    check('too few', result.code == 3 and 'no shard was written\n' in result.err and not os.path.exists('few'), result.err)
    result = record('-o', 'none.fdata', '--bin=' + LOAD, 'true', json_stats=False)
    check('none of it', result.code == 3 and not os.path.exists('none.fdata'), result.err)
    check('what was asked for', 'in a file that was asked for' in result.err or 'no samples' in result.err, result.err)
    shutil.copy('/bin/true', 'short')
    result = record('-F', '1', '-o', 'none.fdata', './short', json_stats=False)
    check('short', result.code == 3 and (' in ./short; it ran ' in result.err or 'no samples' in result.err), result.err)


def refused_before():
    """What the end would refuse is refused before the command runs."""
    touch = ('sh', '-c', 'touch ran')
    bin_ = '--bin=' + LOAD
    for code, message, words in (
            (1, 'is not BOLTed, so it has no input binary', ('-o', 'x.fdata', bin_, '--input=' + LOAD)),
            (1, 'cannot write: there is no directory nowhere', ('-o', 'nowhere/x.fdata', bin_)),
            (1, 'cannot write: there is no directory nowhere', ('-o', 'nowhere/x.zst', bin_)),
            (2, '--input is for a profile', ('-o', 'x.zst', bin_, '--input=' + LOAD)),
            (2, '--memory takes 1M or more', ('-o', 'out/', '--memory=1')),
            (2, '-e nosuch: no event that can be recorded', ('-o', 'out/', '-e', 'nosuch'))):
        result = record(*words, *touch, json_stats=False)
        check(message, result.code == code and message in result.err and result.err.count('batconv: error: ') == 1, '%d: %s' % (result.code, result.err))
    check('nothing ran', not os.listdir('.'), os.listdir('.'))
    bolted = os.path.join(os.environ.get('INPUTS', ''), 'compiled/sorts.bolt')
    if os.path.exists(bolted):
        for given in '/nowhere', LOAD:
            result = record('-o', 'x.fdata', '--bin=' + bolted, '--input=' + given, *touch, json_stats=False)
            check('input', result.code in (1, 3) and given in result.err and not os.listdir('.'), result.err)


def words():
    """The line that continues is one that convert takes; advice is given only where it helps."""
    result = record('-F', '4000', '-o', 'out/', LOAD, '300', json_stats=False)
    following = re.search(r'^next: batconv (.*)$', result.err, re.M).group(1)
    check('next', '--input' not in following and LOAD in following, result.err)
    done = subprocess.run([BATCONV, *following.split()], capture_output=True, text=True, check=False)
    check('next is taken', done.returncode == 0 and os.path.exists('load.fdata'), done.stderr)
    with open(shards('out')[0], 'rb') as file:
        done = subprocess.run([BATCONV, LOAD, '--input=' + LOAD, '/proc/self/fd/0', '-o', 'no'], stdin=file, capture_output=True, text=True, check=False)
    check('no command of a descriptor', 'leave out --input' in done.stderr and 'run:' not in done.stderr, done.stderr)
    check('plurals', ', of 1 program in ' in result.err, result.err)
    plain = subprocess.run([BATCONV, 'record', '-o', 'out/', './nothing'], capture_output=True, text=True, check=False)
    check('only that', plain.stderr == 'batconv: error: ./nothing: cannot be run: No such file or directory\n', plain.stderr)
    plain = subprocess.run([BATCONV, 'record', '-q', '-o', 'out/', LOAD, '50'], capture_output=True, text=True, check=False)
    check('quiet', not plain.stderr, plain.stderr)


def intervals():
    result = record('-F', '4000', '--interval=300ms', '-o', 'out/', LOAD, '1500')
    found = shards('out')
    check('shards', len(found) >= 4, len(found))
    total = sum(functions(LOAD, *found).values())
    check('sum', total == result.binary('load')['samples'], '%d, not %d' % (total, result.binary('load')['samples']))
    merged = subprocess.run([BATCONV, 'merge', '--shard', '-q', *found, '-o', 'merged.zst'], check=False)
    check('merge', merged.returncode == 0)
    weights(LOAD, 'merged.zst')
    record('-F', '4000', '--interval=200ms', '--keep=2', '-o', 'out/', LOAD, '800')
    check('keep', len(glob.glob('out/*.zst')) == 2, os.listdir('out'))


def others_are_kept():
    """A host whose name ends with that of this one is another; a program can have the host's name."""
    host = re.sub(r'[^A-Za-z0-9._+-]', '_', os.uname().nodename)
    theirs = 'kept/load.123456789abc.www.%s.20200101T000000Z.zst' % host
    own = 'kept/a.%s.b.123456789abc.%s.20200101T000000Z.zst' % (host, host)
    os.mkdir('kept')
    for path in theirs, own, theirs + '.Abc123':
        with open(path, 'w', encoding='ascii'):
            pass
        os.utime(path, (1, 1))
    record('-F', '4000', '--keep=1', '-o', 'kept/', LOAD, '100')
    check('of another host', os.path.exists(theirs) and os.path.exists(theirs + '.Abc123'), os.listdir('kept'))
    check('of this host', not os.path.exists(own), os.listdir('kept'))


def values_of(text):
    """By name and labels, of the text format of Prometheus, as far as it has counters and gauges."""
    check('end', text.endswith('\n'), text[-30:])
    values, family, kind, seen = {}, None, None, set()
    for line in text.splitlines():
        described = re.fullmatch(r'# (TYPE|HELP) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)', line)
        sample = re.fullmatch(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:,?[a-zA-Z_][a-zA-Z0-9_]*="[^"\\\n]*")+\})? (\d+(?:\.\d+)?)', line)
        if described and described.group(1) == 'TYPE':
            family, kind = described.group(2), described.group(3)
            check('a family once', family not in seen and kind == ('counter' if family.endswith('_total') else 'gauge'), line)
            seen.add(family)
        elif described:
            check('help of its family', described.group(2) == family, line)
        else:
            check('a sample of its family', sample and sample.group(1) == family, line)
            name = sample.group(1) + (sample.group(2) or '')
            check('once', name not in values, line)
            values[name] = float(sample.group(3))
    return values


def metrics():
    """While it records and at the end; the file is whole whenever it is read."""
    load = subprocess.Popen([LOAD, '60000'])
    recorder = start('-F', '2000', '--interval=200ms', '--keep=2', '--metrics=file.prom', '-o', 'out/', '-p', str(load.pid))
    while not os.path.exists('file.prom'):
        time.sleep(0.05)
    with open('file.prom', encoding='ascii') as file:
        early = values_of(file.read())
    time.sleep(1)
    recorder.send_signal(signal.SIGTERM)
    stats = ended(recorder)
    load.kill()
    load.wait()
    with open('file.prom', encoding='ascii') as file:
        text = file.read()
    late = values_of(text)
    check('grows', all(late[name] >= value for name, value in early.items() if '_total' in name), (early, late))
    prefix = 'batconv_record_'
    for name, value in (('samples_total', stats['samples']['read']),
                        ('lost_total', stats['lost'] + stats['lost_samples']), ('shards_deleted_total', stats['deleted']),
                        ('shards_total', sum(b['shards'] for b in stats['binaries'])), ('failing', 0)):
        check(name, late[prefix + name] == value, '%s, not %s' % (late[prefix + name], value))
    for reason, count in stats['samples']['dropped'].items():
        check(reason, late['%ssamples_dropped_total{reason="%s"}' % (prefix, reason)] == count)
    kept = late[prefix + 'samples_kept_total']  # with those that were dropped later
    check('kept', stats['samples']['kept'] <= kept <= stats['samples']['read'], kept)
    check('disk', late[prefix + 'shard_bytes_total'] >= 4 * 512, late)
    check('only whole', os.listdir('.') == ['file.prom', 'out'] or os.listdir('.') == ['out', 'file.prom'], os.listdir('.'))
    if shutil.which('promtool'):
        done = subprocess.run(['promtool', 'check', 'metrics'], input=text, capture_output=True, text=True, check=False)
        check('promtool', done.returncode == 0, done.stdout + done.stderr)
    else:
        left_out.append('metrics: no promtool')
    result = record('--metrics=nowhere/file.prom', '-o', 'out/', LOAD, '100', json_stats=False)
    check('a file that cannot be written', result.code == 0 and result.err.count('warning: --metrics: ') == 1, result.err)


def hostile_file_names():
    """What a user can call a program: as a shard of this host, as one that is being written, and what a shell, a terminal, a format
    or a list takes for something else."""
    host = re.sub(r'[^A-Za-z0-9._+-]', '_', os.uname().nodename)
    shard = 'a.0123456789ab.%s.20200101T000000Z' % host
    return [os.fsencode(shard + end) for end in ('', '.zst', '.7.zst', '.zst.Abc123', '.zst.zst')] + [
        b'new\nline\x1b[2J\r', b'%s%n%d%', b'-rf', b'.hidden.zst', b'x' * 251 + b'.zst', b'\xff\xfe\xc3(\xe2\x82', b' blank\t',
        b'\'"$(touch ran)`touch ran`;*?', b'a,b', b'load (deleted)', '\u202etxt.\u0085'.encode()]


def clean_of(text, what):
    """On a terminal, and as lines."""
    check(what, not re.search('[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]', text), repr(text))


def hostile_names():
    """Programs of another user in a directory of root's: one shard is left of each, with a name that says nothing but what it is."""
    os.chmod('.', 0o777)
    os.mkdir('out')
    for name in map(os.fsdecode, hostile_file_names()):
        shutil.copy(LOAD, name)
        run = ['-F', '4000', '--interval=80ms', '--keep=1', '-o', 'out/', 'setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', './' + name]
        result = record('--match=*/' + glob.escape(name), *run, '700')
        check('exit', result.code == 0 and result.stats['deleted'] >= 1, result.err)
        left = os.listdir('out')
        check('left', len(left) == 1 and re.fullmatch(r'[A-Za-z0-9_+][A-Za-z0-9._+-]*\.[0-9a-f]{12}\.[A-Za-z0-9._+-]*\.\d{8}T\d{6}Z(\.\d+)?\.zst', left[0]),
              '%r: %s' % (name, left))
        clean_of(record(*run, '100', json_stats=False).err, 'text')
    check('nothing ran', not os.path.exists('ran'))


def hostile_names_read():
    """A shard under each of these names, for whatever reads shards."""
    result = record('-F', '4000', '-o', 'shard.zst', LOAD, '200')
    check('exit', result.code == 0, result.err)
    truth = functions(LOAD, 'shard.zst')
    os.mkdir('in')
    names = [b'in/' + name for name in hostile_file_names()]
    for name in names:
        shutil.copy('shard.zst', name)
    with open('list', 'wb') as file:
        file.write(b''.join(name + b'\0' for name in names if b'\t' not in name))  # followed by a weight
    together = {name: count * sum(b'\t' not in other for other in names) for name, count in truth.items()}
    for words, counts in [(['merge', '-q', name], truth) for name in names] + [(['merge', '-q', '--null', '--files-from=list'], together)]:
        done = subprocess.run([BATCONV, *words, '-o', 'sum'], capture_output=True, text=True, check=False)
        check('merge', done.returncode == 0 and functions(LOAD, 'sum') == counts, done.stderr)
        clean_of(done.stderr, 'merge')
    for name in names:
        for words in ['convert', LOAD, name, '-o', 'profile'], ['inspect', name], ['merge', name, name], ['convert', '/etc/passwd', name], ['convert', LOAD, name + b'/']:
            done = subprocess.run([BATCONV, *words], capture_output=True, text=True, check=False)
            clean_of(done.stdout + done.stderr, words[0])
            check(words[0], (done.returncode == 0) == (words[-1] in ('profile', name) and words[1] not in (name, '/etc/passwd') or words[0] == 'inspect'),
                  '%r: %d %s' % (name, done.returncode, done.stderr))
    check('nothing ran', not os.path.exists('ran'))


def rings():
    result = record('-F', '4000', '--save-rings=saved', '-o', 'out/', LOAD, '300', 'fork')
    again = record('--replay=saved', '-o', 'again/')
    check('exit', again.code == 0, again.err)
    check('samples', again.stats['samples']['read'] == result.stats['samples']['read'], again.err)
    check('the same', functions(LOAD, *shards('again')) == functions(LOAD, *shards('out')))


# ---- how it ends ----

def exit_codes():
    check('no program', record('-o', 'out/', './nothing', json_stats=False).code == 127)
    check('no right', record('-o', 'out/', '/etc/passwd', json_stats=False).code == 126)
    result = record('-o', 'out/', '--forward-exit', 'sh', '-c', '"$0" 100; exit 9', LOAD)
    check('forwarded', result.code == 9 and result.stats['command_exit'] == 9, result.err)
    check('own', record('-o', 'out/', 'sh', '-c', '"$0" 100; exit 9', LOAD).code == 0)
    result = record('-p', '999999999', '-o', 'out/', json_stats=False)
    check('no process', result.code == 1 and result.err == 'batconv: error: no process 999999999\n', result.err)
    for output in 'nowhere/x.zst', 'nowhere/x.fdata':
        result = record('-o', output, 'touch', 'ran', json_stats=False)
        check('no directory', result.code == 1 and 'there is no directory nowhere' in result.err and not os.path.exists('ran'), result.err)
    result = record('--require-branches', '-o', 'none/', LOAD, '50', json_stats=False)
    check('branches', result.code == 3 and 'gives no branch stacks' in result.err and not os.path.exists('none'), result.err)
    result = record('-p', str(os.getpid()), '-d', '0.2', '-o', 'idle/', json_stats=False)
    check('idle', result.code == 3 and 'no samples' in result.err and not os.path.exists('idle'), result.err)


def command_goes_on():
    """What was recorded ends before the command does, which is not killed for it."""
    load = subprocess.Popen([LOAD, '200'])
    result = record('-o', 'out/', '-p', str(load.pid), 'sh', '-c', 'sleep 0.7; touch done')
    load.wait()
    check('exit', result.code == 0 and result.stats['command_exit'] == 0 and os.path.exists('done'), result.err)
    result = record('-d', '0.3', '-o', 'out/', LOAD, '60000', json_stats=False)
    check('ended by its duration', result.code == 0 and 'exit code' not in result.err, result.err)
    for word in '-a', '--cgroup=.', '-p1':
        result = record(word, '-o', 'x.fdata', 'sleep', '60', json_stats=False)
        check('whose file', result.code == 2 and 'name it with --bin' in result.err, result.err)
    load = subprocess.Popen([LOAD, '200'])
    result = record('-o', 'out/', '-p', str(load.pid), json_stats=False)
    load.wait()
    check('how long', 'until all of it has ended, or Ctrl-C' in result.err, result.err)


def signals():
    for number in signal.SIGTERM, signal.SIGINT:
        recorder = start('-F', '4000', '-o', 'out%d/' % number, LOAD, '60000')
        time.sleep(1)
        recorder.send_signal(number)
        stats = ended(recorder)
        check('ended', stats['command_exit'] == 128 + signal.SIGTERM, stats)
        weights(LOAD, *shards('out%d' % number))
    recorder = start('-F', '4000', '-o', 'hup/', LOAD, '60000')
    for turn in range(3):
        time.sleep(0.7)
        recorder.send_signal(signal.SIGHUP)
        for _ in range(100):
            if len(shards('hup')) > turn:
                break
            time.sleep(0.05)
        check('written', len(shards('hup')) == turn + 1, os.listdir('hup'))
    recorder.send_signal(signal.SIGTERM)
    ended(recorder)


def signals_at_the_end():
    """A command that does not end, and rings that come from a pipe, keep nobody waiting."""
    recorder = start('-F', '4000', '-d', '0.3', '-o', 'deaf/', 'sh', '-c', 'trap "" TERM; "$0" 100; echo $$ >pid; exec sleep 60', LOAD)
    time.sleep(1.5)
    check('waits', recorder.poll() is None)
    for _ in range(2):
        recorder.send_signal(signal.SIGTERM)
        time.sleep(0.2)
    recorder.wait(timeout=30)
    with open('pid', encoding='ascii') as file:
        os.kill(int(file.read()), signal.SIGKILL)
    ended(recorder)
    os.mkfifo('pipe')
    for number in signal.SIGTERM, signal.SIGINT:
        replay = subprocess.Popen([BATCONV, 'record', '--replay=pipe', '-o', 'replayed/'])
        with open('pipe', 'wb'):
            replay.send_signal(number)
            check('replay', replay.wait(timeout=30) == -number, replay.returncode)


def program_stays():
    """Nothing is written over the command."""
    shutil.copy(LOAD, 'load')
    for option in '--save-rings=load', '-o./load':
        result = record(option, *(['-o', 'x.zst'] if option.startswith('--') else []), './load', '50', json_stats=False)
        check('refused', result.code == 2 and 'would replace the command' in result.err, result.err)
    with open('load', 'rb') as one, open(LOAD, 'rb') as other:
        check('as it was', one.read() == other.read())


def killed():
    """At any moment: what has a name is whole."""
    for turn in range(10):
        recorder = start('-F', '4000', '--interval=20ms', '-o', 'out/', 'sh', '-c', ': >begun; exec "$0" 700', LOAD)  # which continues to its end
        while not os.path.exists('begun') and recorder.poll() is None:
            time.sleep(0.01)
        os.unlink('begun')
        time.sleep(0.25 + 0.037 * turn)
        recorder.kill()
        recorder.stderr.close()
        recorder.wait()
    found = shards('out')
    check('shards', len(found) > 4, len(found))
    done = subprocess.run([BATCONV, 'merge', '-q', '--require-shards', '-o', 'all.preagg', *found], capture_output=True, text=True, check=False)
    check('all whole', done.returncode == 0, done.stderr)
    for name in parts('out'):  # of the killed ones, and old
        os.utime(os.path.join('out', name), (1, 1))
    with open('out/load.123456789abc.other.20200101T000000Z.zst.Abc123', 'w', encoding='ascii'):
        pass
    os.utime('out/load.123456789abc.other.20200101T000000Z.zst.Abc123', (1, 1))
    record('-o', 'out/', LOAD, '50')
    check('tidied', parts('out') == ['load.123456789abc.other.20200101T000000Z.zst.Abc123'], parts('out'))


def injector():
    """The program that lets system calls fail or hang, or None."""
    tool = os.path.join(os.environ.get('FAULTS', ''), 'inject')
    if not os.path.exists(tool) or subprocess.run([tool, '--calls=any', '--at=0', '--', '/bin/true'], check=False).returncode:
        return None
    return tool


def hanging_writes():
    """A file that is being written when --stop-timeout has passed is cut off, nothing of it stays, and its samples are dropped as unfinished."""
    tool = injector()
    if not tool:
        return left_out.append('hanging writes: no program can be traced here, or the injector is not built')

    def run(at, *words, program=(LOAD, '300')):
        inject = [tool, '--calls=write', '--under=' + os.getcwd(), '--at=%d' % at, '--hold', '--told=told', '--']
        options = dict(os.environ, ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0')
        what = ' '.join(words)
        for stop in '300ms', '3', '30':  # a machine that is busy may not come to the write in time
            shutil.rmtree(words[-1], ignore_errors=True)
            result = Result(subprocess.run(inject + [BATCONV, 'record', '-e', 'cpu-clock', '-F', '4000', '--stats=json', '--stop-timeout=' + stop, *words, *program],
                                           capture_output=True, text=True, timeout=100, check=False, env=options))
            with open('told', encoding='ascii') as file:
                is_met = file.read().split()[1] == '1'
            if is_met:
                break
        check(what, is_met, 'writes nothing: %s' % result.err)
        check(what, result.code == 1 and result.stats, '%d: %s' % (result.code, result.err))
        if result.stats:
            balances(result.stats)
            unfinished = result.stats['samples']['dropped']['unfinished']
            # The program has 1,200: those that were not counted yet are lost.
            check(what, program[1:] != ('300',) or result.stats['samples']['read'] + result.stats['lost'] > 900, result.stats)
            check(what, unfinished > 0 and 'not ' in result.err and ' %d samples were ' % unfinished in result.err, result.err)
        return result

    run(1, '-o', 'none/')
    check('nothing half', os.listdir('none') == [], os.listdir('none'))
    run(1, '--interval=100ms', '-o', 'early/')  # the first one, while it records
    check('nothing half', os.listdir('early') == [], os.listdir('early'))
    # One shard is there already: it stays, and its samples are kept.
    result = run(2, '-o', 'two/', program=('sh', '-c', '"$0" 200; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done', LOAD))
    kept = [binary for binary in result.stats['binaries'] if binary['shards']]
    check('the first one', len(os.listdir('two')) == len(kept) == 1 and result.stats['samples']['kept'] == kept[0]['samples'], (os.listdir('two'), result.err))
    for path in 'one.zst', 'one.fdata':
        run(1, '-o', path)
        check('nothing half', not [name for name in os.listdir('.') if name.startswith('one')], os.listdir('.'))
    return None


def hanging_files():
    """A call about a mapped file that never returns, of any kind, keeps nobody waiting: others are counted, and the end comes."""
    tool = injector()
    if not tool:
        return left_out.append('hanging files: no program can be traced here, or the injector is not built')
    os.mkdir('slow')
    shutil.copy(LOAD, 'slow/slow')
    options = dict(os.environ, ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0')
    for kind, at, reason in ('stat', 1, 'no_response'), ('read', 1, 'no_response'), ('read', 3, 'no_response'), ('close', 1, None):
        result = Result(subprocess.run([tool, '--calls=' + kind, '--under=%s/slow' % os.getcwd(), '--at=%d' % at, '--hold', '--told=told', '--',
                                        BATCONV, 'record', '-e', 'cpu-clock', '-F', '4000', '--stats=json', '--stop-timeout=30', '-o', os.path.abspath(kind + str(at)) + '/',
                                        'sh', '-c', 'slow/slow 1500 & "$0" 1500 & wait', LOAD], capture_output=True, text=True, timeout=100, check=False, env=options))
        what = '%s %d' % (kind, at)
        check(what, result.code == 0 and result.stats, '%d: %s' % (result.code, result.err))
        balances(result.stats)
        with open('told', encoding='ascii') as file:
            check(what, file.read().split()[1] == '1', 'was not met')
        dropped = {name: count for name, count in result.stats['samples']['dropped'].items() if name in ('no_response', 'unfinished') and count > 50}
        check(what, list(dropped) == ([reason] if reason else []), result.stats['samples'])
        # Both programs have the same code: if both are read, one shard has the samples of both, by the name of the one seen first.
        found = {name: shards(kind + str(at), name) for name in ('load', 'slow')}
        check(what, sum(map(len, found.values())) == 1 and (found['load'] or not reason), '%s: %s' % (os.listdir(kind + str(at)), result.err))
        of_load = weights(LOAD, *found['load'], *found['slow'])
        check(what, of_load > 0.9 * result.stats['samples']['kept'], 'of the load are %d: %s' % (of_load, result.stats['samples']))
    return None


def hanging_file_system():
    """The same for real: a file system that does not respond any more."""
    os.mkdir('mnt')
    helper = subprocess.Popen(['unshare', '-m', sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'hanging_fs.py'), 'mnt', LOAD, '60000'],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        if not helper.stdout.readline():
            return left_out.append('hanging file system: no FUSE, or no mounts')
        helper.stdin.write('\n')
        helper.stdin.flush()
        helper.stdout.readline()
        load = subprocess.Popen([LOAD, '60000'], stdout=subprocess.DEVNULL)
        recorder = start('-a', '-F', '997', '--match=*/load', '--match=*/program', '--stop-timeout=20', '-o', 'out/')
        time.sleep(3)
        recorder.send_signal(signal.SIGTERM)
        stats = ended(recorder)
        load.kill()
        load.wait()
        balances(stats)
        check('no answer', stats['samples']['dropped']['no_response'] > 20, stats['samples'])
        check('others', len(shards('out')) == 1, stats)
    finally:
        helper.stdin.close()
        helper.wait()
    return None


EXECUTES = """
import os, sys
os.open(sys.argv[1], os.O_RDONLY)  # which execve() closes
print(flush=True)
input()
os.execv('/bin/sleep', ['sleep', '60'])
"""


def hanging_exec():
    """What is mapped in a process that hangs in execve(), for a file system, cannot be read: others are recorded."""
    os.mkdir('mnt')
    helper = subprocess.Popen(['unshare', '-m', sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'hanging_fs.py'), 'mnt', LOAD, '60000'],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    other = load = None
    try:
        pid = helper.stdout.readline().strip()
        if not pid:
            return left_out.append('hanging exec: no FUSE, or no mounts')
        other = subprocess.Popen(['nsenter', '-t', pid, '-m', sys.executable, '-c', EXECUTES, os.path.abspath('mnt/program')],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        other.stdout.readline()
        helper.stdin.write('\n')
        helper.stdin.flush()
        helper.stdout.readline()
        other.stdin.write('\n')
        other.stdin.flush()
        time.sleep(0.5)
        load = subprocess.Popen([LOAD, '60000'], stdout=subprocess.DEVNULL)
        recorder = start('-a', '-F', '997', '--match=*/load', '--stop-timeout=20', '-o', 'out/')
        time.sleep(3)
        recorder.send_signal(signal.SIGTERM)
        stats = ended(recorder)
        balances(stats)
        check('others', len(shards('out')) == 1, stats)
    finally:
        helper.stdin.close()
        helper.wait()
        for process in other, load:
            if process:
                process.kill()
                process.wait()
    return None


def faults():
    """A live recording whose system calls fail, are interrupted, or end it: what has a name is whole, and a failure is one line."""
    tool = injector()
    if not tool:
        return left_out.append('faults: no program can be traced here, or the injector is not built')
    words = [BATCONV, 'record', '-q', '-e', 'cpu-clock', '-F', '4000', '--interval=40ms', '-o', 'out/', LOAD, '150']
    options = dict(os.environ, ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0')  # it cannot trace what is traced
    count, whole = 0, 0

    def run(*how):
        shutil.rmtree('out', ignore_errors=True)
        done = subprocess.run([tool, '--told=told', *how, '--', *words], capture_output=True, text=True, timeout=60, check=False, env=options)
        with open('told', encoding='ascii') as file:
            return done, int(file.read().split()[0])

    def look(how, done, codes):
        nonlocal count, whole
        count += 1
        check(how, done.returncode in codes and 'Sanitizer' not in done.stderr and done.stderr.count('\n') <= 3, '%d: %s' % (done.returncode, done.stderr))
        check(how, all(line.startswith('batconv: ') for line in done.stderr.splitlines()), done.stderr)
        found = shards('out') if os.path.isdir('out') else []
        for path in found:
            whole += 1
            merged = subprocess.run([BATCONV, 'merge', '-q', '--require-shards', path, '-o', 'merged'], capture_output=True, text=True, check=False)
            check(how, merged.returncode == 0, '%s: %s' % (path, merged.stderr))
        if -signal.SIGKILL not in codes and os.path.isdir('out'):
            check(how, not parts('out'), 'left behind: %s' % parts('out'))

    here = '--under=' + os.getcwd()
    _, total = run('--calls=any', '--at=0')
    for n in range(1, total, max(1, total // 25)):
        how = ('--calls=any', '--at=%d' % n, '--signal=9')
        look(' '.join(how), run(*how)[0], (-signal.SIGKILL, 0))
    for kind, numbers in ('write', (5, 28)), ('open', (13, 24, 28)), ('rename', (5, 30)), ('thread', (11,)):
        for number in numbers:
            for at in '--at=1', '--at=2', '--at=3', '--from=1', '--from=3':
                how = ('--calls=' + kind, at, '--error=%d' % number, here)
                look(' '.join(how), run(*how)[0], (0, 1, 3, 4, 126))
    for how in ('--calls=any', '--every=5', '--signal=%d' % signal.SIGCHLD), ('--calls=write', '--every=2', '--error=4', here), ('--calls=read', '--every=2', '--error=4', here):
        done, _ = run(*how)
        look(' '.join(how), done, (0,))
        check(' '.join(how), shards('out'), done.stderr)
    print('    %d faults, %d shards' % (count, whole))
    return None


def faults_of_proc():
    """Calls about /proc that fail, end early or are interrupted, each once: what cannot be read has a name, and a failure is one line."""
    tool = injector()
    if not tool:
        return left_out.append('faults of /proc: no program can be traced here, or the injector is not built')
    if b'san.so' in subprocess.run(['ldd', BATCONV], capture_output=True, check=False).stdout:
        return left_out.append('faults of /proc: a sanitizer reads its options there')
    options = dict(os.environ, ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0')
    # Few processes are there, the same each time: a load of two threads, and its child.
    alone = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c', '"$0" 60000 2 & echo; sh -c \'"$0" 60000; :\' "$0" & sleep 0.05; exec "$@"', LOAD]
    if subprocess.run(alone + ['true'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        return left_out.append('faults of /proc: no namespaces')
    count = 0

    def run(whom, *how, seconds='0.1'):
        nonlocal count
        count += 1
        words = [BATCONV, 'record', '-e', 'cpu-clock', '-F', '4000', '-d', seconds, '--match=*/load', '--stats=json', '-o', os.path.abspath('out') + '/', *whom]
        shutil.rmtree('out', ignore_errors=True)
        result = Result(subprocess.run([*alone, tool, '--under=/proc', '--told=told', *how, '--', *words], capture_output=True, text=True, timeout=60, check=False, env=options))
        what = ' '.join((*whom, *how))
        lines = [line for line in result.err.splitlines() if line and not line.startswith('{')]
        check(what, all(line.startswith('batconv: ') for line in lines) and sum('error: ' in line for line in lines) == (result.code == 1), result.err)
        check(what, result.code in (0, 1, 3, 4), '%d: %s' % (result.code, result.err))
        if result.code != 1:
            balances(result.stats)
            samples = result.stats['samples']
            named = samples['kept'] + sum(samples['dropped'][name] for name in ('no_process', 'unread', 'unreadable'))
            check(what, named > 0 or not samples['read'], result.err)
        with open('told', encoding='ascii') as file:
            return result, [int(word) for word in file.read().split()]

    for whom in ('-a',), ('-p', '2'):
        for kind, numbers in ('open', (5, 12, 24, 3, 13)), ('read', (5, 12, 3, 13)), ('list', (5, 12)):
            whole, (total, _) = run(whom, '--calls=' + kind, '--at=0')
            check('no fault', whole.code in (0, 3) and not whole.stats['unreadable_processes'], whole.err)
            for n in range(total):
                for number in numbers if os.environ.get('EVERY') else numbers[n % len(numbers):][:1]:
                    run(whom, '--calls=' + kind, '--at=%d' % (n + 1), '--error=%d' % number)
            for number in numbers[:2]:
                run(whom, '--calls=' + kind, '--from=%d' % (total // 2), '--error=%d' % number)
        for how in ('--every=1', '--short=7'), ('--every=1', '--short=64'), ('--every=2', '--error=4'):
            result, (_, met) = run(whom, '--calls=read', *how, seconds='1')
            check('%s %s' % (whom, how), met and result.code in (0, 3) and not result.stats['unreadable_processes'], result.err)
    # Half of a list is none: who is not in it would be taken to have ended.
    result, _ = run(('-a',), '--calls=list', '--at=2', '--error=5')
    check('half a list', result.code == 1 and '/proc: Input/output error' in result.err, result.err)
    # After losses /proc is read again: where that fails, it is tried again.
    small = ('-a', '-m', '1', '-F', '20000')
    _, (total, _) = run(small, '--calls=open', '--at=0')
    result, (_, met) = run(small, '--calls=open', '--from=%d' % (total + 20), '--error=24', seconds='3')
    check('after losses', met > 1 and result.code in (0, 3, 4), '%d calls: %s' % (met, result.err))
    print('    %d recordings' % count)
    return None


def full_disk():
    result = record('-F', '4000', '-o', 'out/', 'sh', '-c', 'ulimit -f unlimited; "$0" 200', LOAD, json_stats=False,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, -1)))
    check('too large', result.code == 1 and 'File too large' in result.err, result.err)
    check('summary', ' recorded ' in result.err and re.search('[1-9][0-9]* could not be written\n', result.err), result.err)
    check('nothing half', not os.path.exists('out') or not os.listdir('out'))
    if not ROOT or subprocess.run(['unshare', '-m', 'true'], capture_output=True, check=False).returncode:
        return left_out.append('full disk: unshare -m is refused')
    # A file system of its own, filled, and emptied while the recording continues.
    os.mkdir('disk')
    script = '''mount -t tmpfs -o size=1m none disk && head -c 2M /dev/zero >disk/full
        "$1" record -e cpu-clock -F 4000 --interval=200ms -o disk/out/ "$2" 2500 2>errors &
        sleep 1.6; rm disk/full; wait $!; echo $? >code; ls disk/out >list; cp -r disk/out kept'''
    subprocess.run(['unshare', '-m', 'sh', '-c', script, 'sh', BATCONV, LOAD], capture_output=True, check=False)
    with open('errors', encoding='utf-8') as file:
        text = file.read()
    check('told once', text.count('counting continues') == 1 and 'No space left' in text and 'writing continues' in text, text)
    with open('code', encoding='ascii') as file:
        check('exit', file.read() == '0\n', text)
    check('nothing lost', weights(LOAD, *shards('kept')) > 4000, text)
    return None


# ---- load ----

def small_rings():
    result = record('-F', '20000', '-m', '2', '-o', 'out/', LOAD, '500', 'thread', 'fork')
    check('exit', result.code in (0, 4), result.err)
    check('ring', result.stats['ring_bytes'] == 2 * os.sysconf('SC_PAGESIZE'), result.stats)
    weights(LOAD, *shards('out'))


def stopped():
    """The rings run over, and it is reported."""
    recorder = start('-F', '20000', '-m', '2', '-o', 'out/', LOAD, '1500')
    time.sleep(0.4)
    recorder.send_signal(signal.SIGSTOP)
    time.sleep(1)
    recorder.send_signal(signal.SIGCONT)
    stats = ended(recorder, 4)
    check('lost', stats['lost'] > 1000, stats)
    weights(LOAD, *shards('out'))


def lost_at_the_end():
    """No record comes after what is lost last, but the kernel counts it (Linux 6.0)."""
    if tuple(int(n) for n in re.findall(r'\d+', os.uname().release)[:2]) < (6, 0):
        return left_out.append('lost at the end: the kernel is older than 6.0')
    recorder = start('-F', '20000', '-m', '2', '-o', 'out/', LOAD, '700')
    time.sleep(0.4)
    recorder.send_signal(signal.SIGSTOP)
    time.sleep(2)  # the load is done
    recorder.send_signal(signal.SIGCONT)
    stats = ended(recorder, 4)
    check('lost', stats['lost'] > 500, stats)
    return None


def second_signal():
    """The last hand-over waits, here for who reads a FIFO: a second signal ends it at once, as any other command."""
    os.mkfifo('out.zst')
    for first, second in (signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGINT):
        recorder = start('--stats=text', '-F', '4000', '-o', 'out.zst', LOAD, '60000')
        time.sleep(0.6)
        recorder.send_signal(first)
        time.sleep(0.6)
        check('writes', recorder.poll() is None, recorder.returncode)
        recorder.send_signal(second)
        check('ended', recorder.wait(timeout=10) == -second, recorder.returncode)
        told = os.read(recorder.stderr.fileno(), 65536).decode()  # the load can have it open still
        check('told', re.search('ended before all was written: up to [0-9]+ samples are lost\n$', told), told)
        recorder.stderr.close()
    os.rename('out.zst', 'fifo')
    # It has ended by itself, and a profile is written: likewise.
    recorder = start('--stats=text', '-F', '4000', '-o', 'fifo', LOAD, '200')
    time.sleep(0.6)
    children = '/proc/%d/task/%d/children' % (recorder.pid, recorder.pid)
    for _ in range(300):
        with open(children, encoding='ascii') as file:
            if not file.read():
                break
        time.sleep(0.1)
    time.sleep(0.6)
    recorder.send_signal(signal.SIGINT)
    time.sleep(0.6)
    check('writes', recorder.poll() is None, recorder.returncode)
    recorder.send_signal(signal.SIGINT)
    check('ended', recorder.wait(timeout=10) == -signal.SIGINT, recorder.returncode)
    told = os.read(recorder.stderr.fileno(), 65536).decode()
    check('told', 'another signal ends that, too\n' in told and 'samples are lost\n' in told, told)
    recorder.stderr.close()
    os.rename('fifo', 'out.zst')
    check('left behind', os.listdir('.') == ['out.zst'], os.listdir('.'))


def signals_at_once():
    """timeout(1) sends its signal twice, in no time: that is one end."""
    for i in range(15):
        recorder = start('-F', '4000', '-o', 'out%d/' % i, 'sh', '-c', ': >begun; exec "$0" 60000', LOAD)
        while not os.path.exists('begun') and recorder.poll() is None:
            time.sleep(0.01)
        time.sleep(0.3)
        os.unlink('begun')
        recorder.send_signal(signal.SIGTERM)
        recorder.send_signal(signal.SIGTERM)
        stats = ended(recorder)
        check('written', stats and stats['samples']['kept'] and len(os.listdir('out%d' % i)) > 0, stats)


def until_enough():
    """It measures while it records; the exit code is what it says, and quality says the same of the shard."""
    result = record('-F', '4000', '--until=enough', '-d', '8', '-o', 'out.zst', LOAD, '60000')
    got = result.stats['until']
    check('exit', result.code == (0 if got['enough'] else 3), result.err)
    check('ended', got['enough'] or result.stats['seconds'] >= 8, result.stats)
    check('measured', 5 <= result.stats['seconds'] < 60 and 300 <= got['samples'] <= result.binary('load')['samples'], result.stats)
    done = subprocess.run([BATCONV, 'quality', '--json', LOAD, 'out.zst'], capture_output=True, text=True, check=False)
    gain = json.loads(done.stdout).get('gain')
    check('gain', got['enough'] or gain == got.get('gain'), '%s is %s by quality' % (got, gain))


def names_of_options():
    """Files whose names look like options, or have blanks; and no message has the number of a descriptor."""
    for name in 'a b;c.bolt', 'b d (deleted)':
        shutil.copy(LOAD, name)
        result = record('-F', '4000', '-o', 'out/', './' + name, '1500', json_stats=False)
        check('exit', result.code == 0, result.err)
    check('blanks', {name.split('.')[0] for name in os.listdir('out')} >= {'a_b_c', 'b_d'}, os.listdir('out'))
    shutil.copy(LOAD, './-x')
    for words in ('--bin=-x',), ():
        result = record('-F', '4000', *words, '-o', 'x.fdata', './-x', '300', json_stats=False)
        check('exit', result.code == 0 and '/proc/self' not in result.err, result.err)
        with open('x.fdata', encoding='ascii') as file:
            check('profile', re.search(r'^1 weigh_7/1 ', file.read(), re.M), words)


def slow_hand_over():
    """Digesting a large binary takes longer than the rings hold; they are read meanwhile."""
    result = record('-F', '4000', '-m', '8', '--interval=200ms', '-o', 'out/', sys.executable, '-c',
                    'import time\nend = time.process_time() + 1.5\nwhile time.process_time() < end: pass')
    check('lost', result.stats['lost'] * 100 <= result.stats['samples']['read'], result.err)


def many_files():
    os.mkdir('files')
    for number in range(10000):
        with open('files/%d' % number, 'wb') as file:
            file.write(b'\x7fELF')
    load = waiting(LOAD, '500', 'map=files', 'wait')
    recorder = start('-F', '2000', '-o', 'out/', '-p', str(load.load_pid))
    time.sleep(1)
    go(load)
    stats = ended(recorder)
    load.wait()
    check('memory', stats['memory'] < 80 << 20, stats['memory'])
    weights(LOAD, *shards('out'))
    result = record('-F', '2000', '-o', 'again/', LOAD, '500', 'map=files')
    check('exit', result.code == 0, result.err)
    weights(LOAD, *shards('again'))


PACKED = '''
import ctypes, mmap, sys
with open('packed', 'r+b') as file:
    at = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
spin = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(at)) + int(sys.argv[1]))
spin(3000000000)
'''


def packed():
    """Code in a file that begins as a compressed one: nobody's memory is filled with what it says it holds."""
    if os.uname().machine != 'x86_64':
        return left_out.append('packed: the code is that of x86-64')
    data = gzip.compress(bytes(200 << 20), 1)
    data += bytes(-len(data) % 4096)
    with open('packed', 'wb') as file:
        file.write(data + b'\x48\xff\xcf\x75\xfb\xc3' + bytes(4090))  # dec %rdi; jnz; ret
    for words in (), ('--bin=' + LOAD,):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        result = record('-F', '2000', *words, '-o', 'out/', sys.executable, '-c', PACKED, str(len(data)))
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        dropped = result.stats['samples']['dropped']
        check('packed', dropped['excluded' if words else 'no_program'] > 100, dropped)
        check('memory', most == before or most < 150 << 10, '%d KiB' % most)
    return None


def overhead():
    result = record('-F', '4000', '--max-overhead=0.3%', '-o', 'out/', LOAD, '2500', 'exec')
    stats = result.stats
    share = stats['samples']['read'] * 20e-6 / stats['seconds']
    check('overhead', share < 0.006, share)
    check('paused', stats['sampled_seconds'] < 0.9 * stats['seconds'], stats)  # also where others have most of the processors
    weights(LOAD, *shards('out'))


def short_programs():
    """What a program runs right after it began is counted by its own mappings, also where rings are read more often, and mappings less."""
    early = []
    for words in (), ('--max-overhead=50',):
        samples = record('-F', '2000', *words, '-o', 'out/', 'sh', '-c', 'for i in $(seq 100); do "$0" 20; done', LOAD).stats['samples']
        early.append(sum(samples['dropped'][why] for why in ('no_file', 'no_process', 'unread', 'late')) / samples['read'])
    check('early', early[1] < early[0] + 0.05, early)


def left_rights(pid, may):
    """What root's --sandbox keeps, and that nothing new can come; and that the directory needs no right to write to others' files."""
    with open('/proc/%d/status' % pid, encoding='ascii') as file:
        status = dict(line.split(':', 1) for line in file)
    mask = sum(1 << number for number in may.values())
    for row in 'CapEff', 'CapPrm', 'CapAmb', 'CapInh':
        check(row, int(status[row], 16) & ~mask == 0, status[row])
    check('still', int(status['CapEff'], 16) & 1 << 19, status['CapEff'])
    check('no new privileges', status['NoNewPrivs'].strip() == '1' and status['Seccomp'].strip() == '2', status)


def sandbox_of_another_user():
    """What --sandbox keeps suffices for a program of another user that only that user may reach, when it is deleted, too; and the output can be
    in a directory of that user."""
    for number, deleted in enumerate((False, True)):
        os.makedirs('theirs/bin', exist_ok=True)
        shutil.copy(LOAD, 'theirs/bin/load')
        for path, mode in ('theirs/bin/load', 0o700), ('theirs/bin', 0o700), ('theirs', 0o700):
            os.chown(path, 65534, 65534)
            os.chmod(path, mode)
        os.chmod('.', 0o755)
        load = waiting('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', os.path.abspath('theirs/bin/load'), '700', 'wait')
        if deleted:
            os.remove('theirs/bin/load')
        recorder = start('--sandbox', '-F', '2000', '-o', 'theirs/out%d/' % number, '-p', str(load.load_pid))
        time.sleep(0.5)
        left_rights(recorder.pid, {'SYS_PTRACE': 19, 'DAC_READ_SEARCH': 2, 'CHECKPOINT_RESTORE': 40, 'DAC_OVERRIDE': 1})
        go(load)
        ended(recorder)
        load.wait()
        weights(LOAD, *shards('theirs/out%d' % number))
    os.mkdir('foreign')
    os.chown('foreign', 65534, 65534)
    os.chmod('foreign', 0o700)
    result = record('--sandbox', '-F', '4000', '-o', 'foreign/', LOAD, '300')
    check('foreign directory', result.code == 0, result.err)
    weights(LOAD, *shards('foreign'))


def sandbox():
    result = record('--sandbox', '-F', '4000', '--interval=200ms', '-o', 'out/', LOAD, '700', 'thread', 'exec')
    check('exit', result.code == 0, result.err)
    weights(LOAD, *shards('out'))
    load = waiting(LOAD, '700', 'wait')
    recorder = start('--sandbox', '-F', '2000', '-o', 'all/', '-a', '--match=*/load', 'sleep', '1.7')
    time.sleep(0.5)
    go(load)
    ended(recorder)
    load.wait()
    weights(LOAD, *shards('all'))
    recorder = start('--sandbox', '-F', '4000', '-o', 'term/', LOAD, '60000')
    time.sleep(1)
    left_rights(recorder.pid, {'SYS_PTRACE': 19, 'DAC_READ_SEARCH': 2, 'CHECKPOINT_RESTORE': 40, 'KILL': 5})
    recorder.send_signal(signal.SIGTERM)
    ended(recorder)


CASES = [command, command_threads_fork_exec, command_dlopen, deleted_file, process, children_that_exist, one_file, refused_before, words, intervals, metrics, others_are_kept, hostile_names_read, rings,
         exit_codes, command_goes_on, signals, signals_at_the_end, program_stays, killed, hanging_writes, hanging_files, faults, full_disk, small_rings, stopped, lost_at_the_end, second_signal, signals_at_once, until_enough, names_of_options, packed, slow_hand_over, many_files,
         overhead, short_programs]
OF_ROOT = [machine, faults_of_proc, hanging_file_system, hanging_exec, cgroup, own_cgroup, overlay, setuid, mount_namespace, ordinary_user, unreadable, hostile_names, sandbox, sandbox_of_another_user]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        first = record('-o', 'first/', LOAD, '50', json_stats=False)
        if first.code == 1 and re.search('perf_event_open|not allowed|locked memory', first.err):
            print('skipped:', first.err.strip())
            sys.exit(77)
        if not ROOT:
            left_out.append('not root: ' + ', '.join(case.__name__ for case in OF_ROOT))
        for case in CASES + OF_ROOT * ROOT:
            if WORDS and not any(word in case.__name__ for word in WORDS):
                continue
            own = os.path.join(folder, case.__name__)
            os.mkdir(own)
            os.chdir(own)
            os.chmod(folder, 0o755)
            began = time.monotonic()
            case()
            print('%-28s %.1f s' % (case.__name__, time.monotonic() - began), flush=True)
        os.chdir('/')
    for text in left_out:
        print('left out:', text)
    sys.exit(bool(wrong))


main()
