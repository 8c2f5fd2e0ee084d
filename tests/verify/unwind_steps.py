#!/usr/bin/env python3
"""The findings of `verify --unwind` compared with what a program does, stepped instruction by instruction:

    steps.py STEPS INPUT OUTPUT MOST [ARGUMENT]...

STEPS is tests/verify/unwind_steps.c, built. Prints: instructions of the output that ran and whose rule for the CFA was wrong, and how many of these verify finds; findings at addresses that
ran, and how many of these were wrong when they ran. What the input's own rules get wrong (stepped, too) is left out. Fails if there is one that only the one or the other has.
"""
import json
import os
import re
import subprocess
import sys

BATCONV = os.environ['BATCONV']


def steps(tool, most, program, arguments):
    done = subprocess.run([tool, most, program] + arguments, stdout=subprocess.PIPE, env={**os.environ, 'STEPS_RAN': '1'})
    text = done.stdout.decode()
    if done.returncode == 77 or re.search(r'^\d{1,3} instructions ran', text, re.M):
        print('skipped: a program cannot be stepped here')
        sys.exit(1 if os.environ.get('BATCONV_REQUIRE_PEERS') == '1' else 77)
    return {int(a, 16) for a in re.findall('^wrong ([0-9a-f]+)', text, re.M)}, {int(a, 16) for a in re.findall('^ran ([0-9a-f]+)', text, re.M)}, text.splitlines()


def main():
    tool, given, output, most = sys.argv[1:5]
    arguments = sys.argv[5:]
    wrong, ran, lines = steps(tool, most, os.path.abspath(output), arguments)
    of_input = steps(tool, most, os.path.abspath(given), arguments)[0]
    report = json.loads(subprocess.run([BATCONV, 'verify', '--json', '--unwind', '--limit=100000', '--input=' + given, output], stdout=subprocess.PIPE).stdout)
    found = set()
    for f in report['findings']:
        run = re.search(r'(CFA|[a-z0-9]+), .*; (\d+) instruction', f['detail'])
        if f['id'].startswith('unwind') and run and run[1] == 'CFA':
            at, left = int(str(f['address']), 16), int(run[2])
            # the instructions of a finding follow each other; of those that ran:
            for address in sorted(a for a in ran if a >= at):
                if not left or address > at + 15 * int(run[2]):
                    break
                if address in wrong or address == at:
                    found.add(address)
                left -= 1
    only_ran, only_found = sorted(wrong - found), sorted(a for a in found if a in ran and a not in wrong)
    print('%s: %s' % (os.path.basename(output), [line for line in lines if 'ran,' in line][0]))
    print('wrong when they ran: %d, found by verify: %d; findings at what ran: %d, wrong then: %d; wrong in the input: %d'
          % (len(wrong), len(wrong & found), len([a for a in found if a in ran]), len([a for a in found if a in wrong]), len(of_input)))
    for text, which in (('not found', only_ran), ('found, and right when it ran', only_found)):
        if which:
            print(text + ':', ' '.join('%x' % a for a in which[:20]))
    sys.exit(1 if only_ran or only_found else 0)


if __name__ == '__main__':
    main()
