#!/usr/bin/env python3
"""Does scripts/compare-builds see what differs?  With a few binaries of inputs/ the program is compared with itself, and with itself run by a
script that changes a byte, an exit code or a file of some commands.

BATCONV, INPUTS and SOURCE are as for tests/cli/run.py.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

BATCONV, SOURCE = os.path.abspath(os.environ['BATCONV']), os.environ['SOURCE']
SUBSET = ['--part=matrix,samples,help', '--only=^moved/moved.p1: ', '--only=^batconv help convert$']
START = '#!/bin/bash\n(exec -a "$0" %s "$@")\ncode=$?\n%s\nexit $code\n'

# What the script does after a command, what then differs and nothing else, and in how many cases at least.
CHANGES = {
    'extract': ('printf X | dd of=out bs=1 seek=1 conv=notrunc status=none', {'out'}, 1),
    'convert': ('[ ! -f profgen ] || echo >>profgen', {'profgen'}, 5),
    'report': ('rm -f out', {'out'}, 5),
    'dump': (': >left', {'left'}, 2),
    'verify': ('echo', {'stdout'}, 2),
    'quality': ('echo >&2', {'stderr'}, 5),
    'inspect': ('code=3', {'exit code'}, 3),
    'help': ('echo', {'stdout'}, 1),
}
failed = 0


def compare(new, *options):
    """Without options the subset."""
    done = subprocess.run([sys.executable, os.path.join(SOURCE, 'scripts/compare-builds'), *(SUBSET if not options else ()), '--limit=1000', *options, BATCONV, new],
                          capture_output=True, text=True)
    if done.stderr:
        sys.exit('compare-builds: ' + done.stderr)
    return done.returncode, done.stdout


def check(what, is_so, out):
    global failed
    if not is_so:
        failed += 1
        print('%s: not as it must be:\n%s' % (what, out[-2000:]))


def behind(folder, commands):
    path = os.path.join(folder, '-'.join(commands))
    with open(path, 'w') as file:
        file.write(START % (shlex.quote(BATCONV), '\n'.join('[ "$1" != %s ] || { %s; }' % (name, CHANGES[name][0]) for name in commands)))
    os.chmod(path, 0o755)
    return path


def check_changes(folder):
    code, out = compare(behind(folder, CHANGES))
    found = [(name, set(outputs.split(', '))) for name, outputs in
             re.findall(r'^(?:moved/moved.p1: )?batconv (\w+).*\n    differs: (.*)', out, re.M)]
    for name, (_, outputs, least) in CHANGES.items():
        own = [one for command, one in found if command == name]
        check(name, code == 1 and len(own) >= least and all(one == outputs for one in own), out)
    check('nothing else', {name for name, _ in found} == set(CHANGES) and re.search(r' %d differ;' % len(found), out), out)


def check_allowed(folder):
    """The rows, and whether they allow what differs."""
    for row, expected in ((': batconv verify :: stdout :: ^$ :: an empty line', True), ('batconv verify :: stdout :: X :: other lines', False),
                          ('batconv dump :: stdout :: ^$ :: another command', False), ('batconv verify :: out :: ^$ :: another output', False)):
        allowed, saved = (os.path.join(folder, name) for name in ('rows', row))
        with open(allowed, 'w') as file:
            file.write('# on purpose\n' + row + '\n')
        code, out = compare(behind(folder, ['verify']), '--only=^moved/moved.p1: batconv verify ', '--part=matrix', '--allow=' + allowed, '--save=' + saved)
        check(row, code == (not expected) and ('but nothing differs so' in out) == (not expected), out)
        check('--save', os.path.exists(os.path.join(saved, '1/stdout.new')) == (not expected), out)


def main():
    code, out = compare(BATCONV)
    count = int(re.search(r'^(\d+) compared, .* 0 differ;', out, re.M)[1])
    check('the program and itself', code == 0 and count > 80, out)
    with tempfile.TemporaryDirectory() as folder:
        check_changes(folder)
        check_allowed(folder)
    print('%d cases of itself, %d changes, %d failed' % (count, len(CHANGES), failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
