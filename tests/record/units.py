#!/usr/bin/env python3
"""The unit for systemd and the DaemonSet of examples/fleet, as they are: units.py LOAD

Their commands run for some seconds with the rights that they ask for, and no others: they must count LOAD, write at SIGHUP, and end at SIGTERM.
systemd-analyze and a parser of YAML look at the files where they are installed.  No cluster is needed, and none is sent anything.
Needs root, as it gives rights away; exit 77 without, or where the system refuses perf_event_open.
"""
import configparser
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BATCONV, SOURCE, LOAD = os.path.abspath(os.environ['BATCONV']), os.environ['SOURCE'], os.path.abspath(sys.argv[1])
UNIT, SET = (os.path.join(SOURCE, 'examples/fleet/batconv-record.' + end) for end in ('service', 'yaml'))
LARGEST = 256  # processors of a machine that the unit and the DaemonSet fit
wrong, left_out = [], []


def check(what, is_so, more=''):
    if not is_so:
        wrong.append('%s: %s' % (what, more))


def run(words, pre, folder):
    """Starts it, and the load next to it; a shard of the load must be there after SIGHUP, and its end is a good one."""
    with open('errors', 'wb') as errors:
        environment = dict(os.environ, PATH=os.getcwd() + ':' + os.environ['PATH'],
                           ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0')  # it may not trace itself with these rights
        recorder = subprocess.Popen(pre + words, stderr=errors, stdout=subprocess.DEVNULL, env=environment)
    # A busy machine takes a while until the load has the 100 samples of a shard, with half a percent for all of them: each try is longer.
    load = subprocess.Popen([LOAD, '300000'])
    found = []
    for seconds in (1, 2, 4, 8, 15, 30):
        time.sleep(seconds)
        if recorder.poll() is None:
            recorder.send_signal(signal.SIGHUP)
        for _ in range(30):
            found = glob.glob(folder + '/load.*.zst')
            if found or recorder.poll() is not None:
                break
            time.sleep(0.1)
        if found or recorder.poll() is not None:
            break
    with open('/proc/%d/status' % recorder.pid, encoding='ascii') as file:
        rights = next((line.split()[1] for line in file if line.startswith('CapEff')), 'none')
    recorder.send_signal(signal.SIGTERM)
    code = recorder.wait(timeout=60)
    load.kill()
    load.wait()
    with open('errors', encoding='utf-8') as file:
        told = file.read()
    check(words[0], code in (0, 4) and found, 'exit %d, shards %s, rights %s: %s' % (code, os.listdir(folder), rights, told))
    whole = glob.glob(folder + '/*.zst')
    done = subprocess.run([BATCONV, 'inspect', *whole], capture_output=True, text=True, check=False)
    check('whole', done.returncode == 0 and len(whole) >= 1, done.stderr)
    print('%s: exit %d, %d shards, CapEff %s' % (os.path.basename(words[0]), code, len(whole), rights))


def number(text, what):
    """In seconds, or bytes."""
    found = re.fullmatch(r'([0-9.]+) *([A-Za-z]*)', text)
    units = {'': 1, 's': 1, 'min': 60, 'm': 0.001, 'k': 1 << 10, 'K': 1 << 10, 'M': 1 << 20, 'Mi': 1 << 20, 'G': 1 << 30, 'Gi': 1 << 30}
    check(what, found, text)
    return float(found[1]) * units[found[2]]


def defaults():
    """What the program takes without options, as its help says."""
    told = subprocess.run([BATCONV, 'record', '--help'], capture_output=True, text=True, check=True).stdout
    rows = re.split(r'\n +(?:-.,? )?(?=--)', told)
    found = {row.split('=')[0]: re.search(r'\(default: ([0-9]+[MKG]?)(?: seconds)?[,)]', row) for row in rows if '=' in row}
    return {name: number(value[1], name) for name, value in found.items() if value}


def limits(place, words, memory, stop, processors):
    """What systemd or a cluster gives must be more than what the program takes for itself; `processors` is how many it may use."""
    given = defaults()
    given.update((word.split('=')[0], number(word.split('=')[1], word)) for word in words if re.fullmatch('--(memory|stop-timeout|max-overhead|mmap-pages)=.*', word))
    # Rings belong to the program, and docs/record-root.md promises 16 MiB more than --memory for all else.
    rings = LARGEST * (given['--mmap-pages'] + 1) * 4096
    check(place + ' memory', given['--memory'] + (16 << 20) + rings <= memory, 'at most %d of %d bytes' % (given['--memory'] + (16 << 20) + rings, memory))
    # Half a second more, and what was read before is counted first.
    check(place + ' stop', given['--stop-timeout'] + 5 <= stop, 'at most %g of %g s' % (given['--stop-timeout'], stop))
    # What is not allowed to run is no budget: samples would be lost.
    check(place + ' overhead', given['--max-overhead'] / 100 * LARGEST <= processors, '%g %% of %d processors, and %g are allowed' % (given['--max-overhead'], LARGEST, processors))


def only(rights):
    return ','.join('+' + name.lower().replace('cap_', '') for name in rights)


def unit():
    with open(UNIT, encoding='utf-8') as file:
        text = file.read()
    if shutil.which('systemd-analyze'):
        with open('batconv-record.service', 'w', encoding='utf-8') as file:
            file.write(text.replace('/usr/bin/batconv', BATCONV))
        done = subprocess.run(['systemd-analyze', 'verify', '--man=no', './batconv-record.service'], capture_output=True, text=True, check=False)
        check('systemd-analyze', done.returncode == 0 and not done.stderr, done.stderr)
    else:
        left_out.append('unit: no systemd-analyze')
    keys = configparser.ConfigParser(strict=True, interpolation=None, delimiters='=')
    keys.optionxform = str
    keys.read_string(text)
    service = keys['Service']
    rights = service['AmbientCapabilities'].split()
    check('rights', service['CapabilityBoundingSet'].split() == rights, rights)
    words = shlex.split(service['ExecStart'])
    check('ExecStart', words[0] == '/usr/bin/batconv' and words[-1] == '/var/lib/batconv/' and service['StateDirectory'] == 'batconv', words)
    limits('unit', words, number(service['MemoryMax'], 'MemoryMax'), number(service['TimeoutStopSec'], 'TimeoutStopSec'), float(service['CPUQuota'][:-1]) / 100)
    # With fewer, other users' calls that hang could have all of them.
    with open(os.path.join(SOURCE, 'src/record/file_calls.h'), encoding='utf-8') as file:
        threads = int(re.search(r'#define FILE_CALLS_MOST (\d+)', file.read())[1])
    check('unit threads', int(service['TasksMax']) >= threads + 2, '%s, and %d are wanted' % (service['TasksMax'], threads + 2))
    os.mkdir('state')
    os.chown('state', 65534, 65534)
    pre = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--inh-caps=-all,' + only(rights), '--ambient-caps=-all,' + only(rights),
           '--bounding-set=-all,' + only(rights), '--no-new-privs']
    shutil.copy(BATCONV, 'batconv')
    run([os.path.abspath('batconv'), *words[1:-1], 'state/'], pre, 'state')


def daemon_set():
    try:
        import yaml
    except ImportError:
        return left_out.append('DaemonSet: python has no yaml')
    with open(SET, encoding='utf-8') as file:
        whole = yaml.safe_load(file)
    spec = whole['spec']['template']['spec']
    container, = spec['containers']
    check('kind', (whole['apiVersion'], whole['kind']) == ('apps/v1', 'DaemonSet'))
    check('labels', whole['spec']['selector']['matchLabels'].items() <= whole['spec']['template']['metadata']['labels'].items())
    check('hostPID', spec['hostPID'] is True)
    mount, = container['volumeMounts']
    volume, = spec['volumes']
    check('volume', mount['name'] == volume['name'] and container['command'][-1] == mount['mountPath'] + '/', container['command'])
    security = container['securityContext']
    check('rights', security['capabilities']['drop'] == ['ALL'] and security['runAsUser'] == 0 and not security['allowPrivilegeEscalation'])
    check('limits', set(container['resources']['limits']) == {'cpu', 'memory'})
    given = container['resources']['limits']
    limits('DaemonSet', container['command'], number(given['memory'], 'memory'), spec['terminationGracePeriodSeconds'], number(given['cpu'], 'cpu'))
    os.mkdir('node')
    # Its root is read-only, and its directory is the node's.
    place = 'mount -t tmpfs none /var/lib && mkdir /var/lib/batconv && mount --bind node /var/lib/batconv && mount -o remount,ro /var/lib && exec "$@"'
    if subprocess.run(['unshare', '-m', 'true'], capture_output=True, check=False).returncode:
        return left_out.append('DaemonSet: unshare -m is refused')
    rights = only(security['capabilities']['add'])
    pre = ['unshare', '-m', 'sh', '-c', place, 'sh', 'setpriv', '--inh-caps=-all', '--bounding-set=-all,' + rights, '--no-new-privs']
    return run(container['command'], pre, 'node')


def main():
    if os.geteuid():
        print('skipped: not root')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.chdir(folder)
        tried = subprocess.run([BATCONV, 'record', '-q', '-a', '-o', 'tried/', 'true'], capture_output=True, text=True, check=False)
        if tried.returncode == 1:
            print('skipped:', tried.stderr.strip())
            sys.exit(77)
        unit()
        daemon_set()
        os.chdir('/')
    for text in left_out:
        print('left out:', text)
    print('\n'.join(wrong))
    sys.exit(bool(wrong))


main()
