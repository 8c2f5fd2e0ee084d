#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pair.py BATCONV CC: two builds of a small program, whose profile is known by hand, carried from one to the other, with lines of
source and without."""
import os
import re
import subprocess
import sys
import tempfile

OLD = r'''
#include <stdio.h>
static int table[64];
__attribute__((noinline)) int kept(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += table[i & 63] ^ i;
	return sum;
}
__attribute__((noinline)) int changed(int n)
{
	int sum = 7;
	for (int i = 0; i < n; i++) {
		if (i % 100 == 99)
			printf("rare %d\n", i);
		sum = sum * 31 + table[sum & 63];
	}
	return sum;
}
__attribute__((noinline)) int removed(int n)
{
	return printf("%d\n", n * 3);
}
__attribute__((noinline)) int before(int n)
{
	unsigned hash = 5381;
	while (n-- > 0)
		hash = (hash << 5 ^ hash >> 27) + table[n & 15] * 40503u;
	if (hash % 7 == 3)
		printf("seven %u\n", hash);
	return (int)hash;
}
static int (*const handlers[])(int) = {kept, changed, before, removed};
__attribute__((noinline)) int dispatch(int which, int n)
{
	return handlers[which & 3](n) + 1;
}
int main(int argc, char **argv)
{
	return kept(argc) + changed(argc) + removed(argc) + before(argc) + (argc > 9 ? dispatch(argc, argv[1][0]) : 0);
}
'''
NEW = OLD.replace('static int table', 'static int more[3], table').replace('''	int sum = 7;
''', '''	int sum = 7 + n / 3;
	more[1] += n;
''').replace('int removed(', 'int arrived(').replace('removed(argc)', 'arrived(argc) + more[2]').replace('before(', 'after(').replace('before,', 'after,').replace('removed}', 'arrived}').replace('''	return handlers''', '''	if (n > 7)
		printf("many %d\\n", n);
	return handlers''')

OTHER = 'int main(int argc, char **argv) { return argc > 2 && **argv; }'

failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def run(*words, code=0):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check('%s: exit code %d: %s' % (' '.join(words), done.returncode, done.stderr), done.returncode == code)
    return done


def build(cc, text, name):
    with open(name + '.c', 'w') as f:
        f.write(text)
    run(cc, '-O1', '-g', '-fno-inline', '-no-pie', '-o', name, name + '.c')
    run('objcopy', '-g', name, name + '.plain')


def records(path):
    """(from name, from offset, to name, to offset) -> count, without the head."""
    found = {}
    for line in open(path):
        w = line.split(' ')
        if len(w) == 8:
            found[w[1], w[2], w[4], w[5]] = int(w[7])
    return found


def within(found, name):
    return {key: count for key, count in found.items() if key[0] == name == key[2] and key[3] != '0'}


def entered(found, name):
    return sum(count for key, count in found.items() if key[2] == name and key[3] == '0')


def old_profile(batconv):
    """By samples at each instruction: as many in kept() as it would have in 1000 rounds, and so on."""
    text = run('objdump', '-d', '--no-show-raw-insn', 'old').stdout
    function, rows = None, []
    for line in text.split('\n'):
        head = re.match(r'[0-9a-f]+ <(.*)>:', line)
        function = head.group(1) if head else function
        insn = re.match(r' +([0-9a-f]+):\t', line)
        if insn and function in ('kept', 'changed', 'removed', 'before', 'main'):
            rows.append('S %s %d' % (insn.group(1), {'kept': 5000, 'changed': 3000, 'removed': 40, 'before': 2000, 'main': 10}[function]))
    with open('old.preagg', 'w') as f:
        f.write('E cycles\n' + '\n'.join(rows) + '\n')
    run(batconv, 'old', 'old.preagg', '-o', 'old.fdata')
    return records('old.fdata')


def indirect_calls(batconv):
    """Callees of one location share how often it runs, each under its new name, and one that is gone gets nothing."""
    text = run('objdump', '-d', '--no-show-raw-insn', 'old').stdout
    begin = int(re.search(r'([0-9a-f]+) <dispatch>:', text).group(1), 16)
    body = text[text.index('<dispatch>:'):]
    found = re.search(r'([0-9a-f]+):\t(?:call|blr|jalr) .*[*x(a]', body)
    site = '%x' % (int(found.group(1), 16) - begin)
    with open('calls.fdata', 'w') as f:
        f.write('0 [unknown] 0 1 dispatch 0 0 100\n1 dispatch %s 1 before 0 0 25\n1 dispatch %s 1 kept 0 0 75\n' % (site, site))
    for suffix in ('', '.plain'):
        run(batconv, 'carry', 'old' + suffix, 'new' + suffix, 'calls.fdata', '-o', 'new.fdata')
        calls = {key[2]: count for key, count in records('new.fdata').items() if key[0] == 'dispatch' and key[3] == '0'}
        check('%s: callees: %s' % (suffix, calls), calls.get('kept') == 75 and calls.get('after') == 25)
    # No count, and the largest.
    for counts in ('0', '0'), ('18446744073709551615', '1'), ('18446744073709551615', '18446744073709551615'):
        with open('edge.fdata', 'w') as f:
            f.write('0 [unknown] 0 1 dispatch 0 0 100\n1 dispatch %s 1 before 0 0 %s\n1 dispatch %s 1 kept 0 0 %s\n' % (site, counts[0], site, counts[1]))
        run(batconv, 'carry', 'old', 'new', 'edge.fdata', '-o', 'new.fdata')
        calls = {key[2]: count for key, count in records('new.fdata').items() if key[0] == 'dispatch' and key[3] == '0'}
        check('counts %s: %s' % (counts, calls), bool(calls) == (counts != ('0', '0')) and max(calls.values(), default=0) < 1 << 64)
    run(batconv, 'carry', 'old', 'old', 'calls.fdata', '-o', 'again.fdata')
    again = records('again.fdata')
    check('the same build has the same calls: %s' % again, records('calls.fdata').items() <= again.items())


def hostile(batconv, cc):
    """A function of one instruction over and over, which has too many alignments, and thousands that are alike: in 20 s and 1 GB."""
    for name, more in ('h1', 0), ('h2', 1):
        body = '.globl main\nmain:\n  addl $1, %%eax\n%s  je main\n%s  ret\n.type main,@function\n.size main, .-main\n' % (
            '  addl $1, %eax\n' * (100000 + more), '  addl $1, %eax\n' * 100000)
        for i in range(3000):
            body += '.globl f%d\n.type f%d,@function\nf%d: je 1f\n  nop\n%s1: ret\n.size f%d, .-f%d\n' % (i, i, i, '  incl %eax\n' * more, i, i)
        with open(name + '.s', 'w') as f:
            f.write('.text\n' + body)
        run(cc, '-nostdlib', '-no-pie', '-Wl,-e,main', '-o', name, name + '.s')
    with open('h.fdata', 'w') as f:
        f.write('0 [unknown] 0 1 main 0 0 9\n' + ''.join('0 [unknown] 0 1 f%d 0 0 %d\n' % (i, i + 1) for i in range(3000)))
    with open(batconv, 'rb') as program:  # which is larger and slower under ASan
        limits = 'ulimit -t 200' if b'__asan_init' in program.read() else 'ulimit -t 20; ulimit -v 1000000'
    run('sh', '-c', limits + '; exec "$@"', 'sh', batconv, 'carry', 'h1', 'h2', 'h.fdata', '-o', 'h2.fdata')


def main():
    batconv, cc = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        build(cc, OLD, 'old')
        build(cc, NEW, 'new')
        build(cc, OTHER, 'other')
        before = old_profile(batconv)
        check('the profile of the old build has branches', len(within(before, 'changed')) > 3)

        for suffix in ('', '.plain'):
            run(batconv, 'carry', 'old' + suffix, 'new' + suffix, 'old.fdata', '-o', 'new.fdata')
            after = records('new.fdata')
            check('%s: kept() has the same branches: %s' % (suffix, after), within(after, 'kept') == within(before, 'kept'))
            share = entered(after, 'changed') / max(1, entered(before, 'changed'))
            check('%s: changed() is entered as often: %s' % (suffix, share), 0.9 < share < 1.1)
            most = max(within(after, 'changed').values(), default=0) / max(within(before, 'changed').values())
            check('%s: the loop of changed() runs as often: %s' % (suffix, most), 0.9 < most < 1.1)
            most = max(within(after, 'after').values(), default=0) / max(within(before, 'before').values())
            check('%s: what was before() is after() now: %s' % (suffix, most), 0.9 < most < 1.1)
            check('%s: removed() is gone' % suffix, not within(after, 'removed') and not entered(after, 'removed'))

        # The same build: all of it.
        told = run(batconv, 'carry', 'old', 'old', 'old.fdata', '-o', 'again.fdata').stderr
        check('all is carried: ' + told, 'carried   100.0 %' in told)
        check('the same build has the same branches', records('again.fdata') == before)
        # Samples of the old build, and what they become.
        run(batconv, 'carry', 'old', 'new', 'old.preagg', '-o', 'samples.fdata')
        run(batconv, 'carry', 'old', 'new', 'old.fdata', '-o', 'new.fdata')
        check('samples are converted first', records('samples.fdata') == records('new.fdata'))
        told = run(batconv, 'carry', '--no-lines', '--stats=json', 'old', 'new', 'old.fdata', '-o', 'no-lines.fdata').stderr
        check('no lines: ' + told, '"has_lines": false' in told)
        check('lines are all that differs', open('no-lines.fdata').read() == open('new.fdata').read() or '"lines": {"functions": 0' in told)
        indirect_calls(batconv)
        # Refused: the wrong way round, another program.
        os.unlink('new.fdata')
        told = run(batconv, 'carry', 'new', 'old', 'old.fdata', '-o', 'new.fdata', code=3).stderr
        check('the wrong way round: ' + told, 'hint: it is of old' in told)
        run(batconv, 'carry', 'old', 'other', 'old.fdata', '-o', 'new.fdata', code=3)
        check('nothing is written then', not os.path.exists('new.fdata'))
        if os.uname().machine == 'x86_64':
            hostile(batconv, cc)
    for line in failures:
        print('pair.py: ' + line)
    return bool(failures)


if __name__ == '__main__':
    sys.exit(main())
