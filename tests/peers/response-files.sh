#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Response files, @FILE: the words are those of LLVM's programs.  llvm-cxxfilt prints each of its words that is no mangled name as it
# is; inspect names each file that is not there.
. "$(dirname "$0")/../lib.sh"
own_folder
llvm_cxxfilt=$(command -v /usr/lib/llvm-22/bin/llvm-cxxfilt /usr/lib/llvm-19/bin/llvm-cxxfilt /usr/lib/llvm-14/bin/llvm-cxxfilt | head -n 1)
[ -n "$llvm_cxxfilt" ] || skip 'no llvm-cxxfilt (apt install llvm-22)'
export llvm_cxxfilt

python3 - <<'END' || fail 'words'
import os
import random
import subprocess

random.seed(1)
batconv, peer = os.environ['BATCONV'], os.environ['llvm_cxxfilt']
alphabet = ['a', 'b', 'c', '#', '=', '\\', '"', "'", ' ', ' ', '\t', '@', '\r\n', '\0']
wrong = tried = several = 0
REFUSED = ['a word @ alone, which names a directory']
open('inner', 'w').write('x "y z" @none')


def words(command):
    """The words of the file `words`, as the program sees them."""
    done = subprocess.run(command + ['@words', 'last'], capture_output=True, text=True)
    if command[0] == peer:
        return done.stdout.splitlines()
    if done.returncode == 2:
        return REFUSED
    return [line[len('batconv: error: '):line.rindex(': cannot open: ')] for line in done.stderr.splitlines() if line.startswith('batconv: error: ')]


for n in range(400):
    text = ''.join(random.choice(alphabet) for _ in range(random.randrange(1, 24)))
    if n % 3 == 0:
        text += ' @inner'
    with open('words', 'w', newline='') as file:
        file.write(text)
    want = words([peer])
    got = words([batconv, 'inspect'])
    # What the programs print does not show: a word with the end of a line, or none at all, which begins with a zero byte.
    if any(not word or '?' in word for word in got) or got == REFUSED:
        continue
    tried += 1
    several += len(want) > 2
    if got != want:
        wrong += 1
        print('%r: %r, expected %r' % (text, got, want))
print('%d texts, %d of several words, %d wrong' % (tried, several, wrong))
raise SystemExit(wrong or several < 50)
END

# Under LLVM's names, and in every command: the same profile.
if have 22; then
	printf -- '-p "%s" --pa\n-o peer.fdata' "$demo/demo.preagg" >peer.args
	printf -- '-p "%s" --pa\n-o ours.fdata' "$demo/demo.preagg" >ours.args
	/usr/lib/llvm-22/bin/perf2bolt "$demo/demo.bolt" @peer.args >peer.log 2>&1 || { cat peer.log; fail 'perf2bolt 22'; }
	"$batconv" perf2bolt "$demo/demo.bolt" @ours.args >ours.log 2>&1 || { cat ours.log; fail 'batconv perf2bolt'; }
	cmp peer.fdata ours.fdata || fail 'profiles differ'
	printf '@again' >again
	! /usr/lib/llvm-22/bin/perf2bolt "$demo/demo.bolt" @again >peer.log 2>&1 || fail 'perf2bolt 22 takes a file that contains itself'
	! "$batconv" perf2bolt "$demo/demo.bolt" @again >ours.log 2>&1 || fail 'batconv takes a file that contains itself'
	for words in '@nowhere' '@nowhere @nowhere'; do
		# shellcheck disable=SC2086  # cut at the blank
		/usr/lib/llvm-22/bin/merge-fdata $words >peer.log 2>&1
		grep -q "'@nowhere'" peer.log || { cat peer.log; fail 'merge-fdata 22 of a missing file'; }
		# shellcheck disable=SC2086
		"$batconv" merge-fdata $words >ours.log 2>&1
		grep -q '@nowhere: cannot open' ours.log || { cat ours.log; fail 'merge-fdata of a missing file'; }
	done
fi
finish
