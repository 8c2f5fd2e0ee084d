#!/usr/bin/env python3
"""Runs the command line as a user does: run.py FOLDER [--update] [NAME...]

Each case is a directory with `cmd` (a shell script; lines that begin with # say where the
expectations come from) and what it must leave: `stdout`, `stderr` (both empty if there is no
such file) and `exit` (0). Exit 77 is a case that says why it cannot run here: skipped, and a
failure with BATCONV_REQUIRE_PEERS=1. Every case runs in an empty directory of its own, with these set:

    batconv    the program          inputs   unpacked inputs          source   this repository

Paths in the output are written as $inputs, $source and $batconv.
"""
import os
import subprocess
import sys
import tempfile

TIMEOUT = float(os.environ.get('BATCONV_TEST_TIMEOUT', 900)) # seconds: for what hangs, not for what a busy machine delays


def run(case):
    env = {'PATH': os.environ['PATH'], 'LC_ALL': 'C', 'BATCONV_NO_INPUT': '1', 'PYTHONDONTWRITEBYTECODE': '1', 'batconv': os.environ['BATCONV'],
           'inputs': os.environ['INPUTS'].rstrip('/'), 'source': os.environ['SOURCE']}
    for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'GCOV_ERROR_FILE', 'GCOV_PREFIX'):
        if name in os.environ:
            env[name] = os.environ[name]
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(['sh', os.path.join(case, 'cmd')], cwd=folder, env=env, timeout=TIMEOUT,
                                  stdin=subprocess.DEVNULL, capture_output=True)
        except subprocess.TimeoutExpired:
            return {'stdout': '', 'stderr': '', 'exit': 'longer than %d s\n' % TIMEOUT}

    def plain(data):
        text = data.decode('utf-8', 'backslashreplace')
        for name in ('inputs', 'source', 'batconv'):
            text = text.replace(env[name], '$' + name)
        return text
    return {'stdout': plain(done.stdout), 'stderr': plain(done.stderr), 'exit': '%d\n' % done.returncode}


def expected(case, name):
    path = os.path.join(case, name)
    if os.path.exists(path):
        with open(path) as file:
            return file.read()
    return '0\n' if name == 'exit' else ''


def update(case, got):
    for name, text in got.items():
        path = os.path.join(case, name)
        if text != ('0\n' if name == 'exit' else ''):
            with open(path, 'w') as file:
                file.write(text)
        elif os.path.exists(path):
            os.remove(path)


def main(args):
    rewrite = '--update' in args
    folder, *names = [a for a in args if a != '--update']
    cases = sorted(n for n in os.listdir(folder) if os.path.exists(os.path.join(folder, n, 'cmd')))
    failed = skipped = 0
    for name in names or cases:
        case = os.path.join(os.path.abspath(folder), name)
        got = run(case)
        for _ in range(3):
            # gcc 12's leak checker itself crashes now and then on a busy machine ("Tracer caught signal"): no result
            if 'LeakSanitizer has encountered a fatal error' not in got['stdout'] + got['stderr']:
                break
            got = run(case)
        if got['exit'] == '77\n' and os.environ.get('BATCONV_REQUIRE_PEERS') != '1':
            skipped += 1
            print('skipped in part: %s: %s' % (name, got['stdout'].strip()))
            continue
        if rewrite:
            update(case, got)
            continue
        for part, text in got.items():
            want = expected(case, part)
            if text != want:
                failed += 1
                print('%s: %s differs\n--- expected\n%s--- got\n%s' % (name, part, want, text))
    print('%d cases, %d failed, %d skipped' % (len(names or cases), failed, skipped))
    return 1 if failed or not cases else 77 if skipped else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
