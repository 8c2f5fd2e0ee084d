#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The commands of docs/production.md, as they are there: a program that runs already is recorded twice, by its number.
# Where branches cannot be recorded, with what the page says to take then.
. "$(dirname "$0")/../lib.sh"
own_folder
need perf linux-perf
need pidof sysvinit-utils
perf record -q -e cpu-clock:u -o tried.data true >perf.log 2>&1 || skip "perf cannot record here: $(tail -n 1 perf.log)"
branches='-e cycles:u -j any,u'
perf record -q -e cycles:u -j any,u -o tried.data true >perf.log 2>&1 || branches='-e cpu-clock:u'

mkdir bin work
bolt=$(command -v llvm-bolt || find /usr/lib/llvm-*/bin/llvm-bolt 2>/dev/null | sort -V | tail -n 1)
ln -s "$BATCONV" bin/batconv
[ -z "$bolt" ] || ln -s "$bolt" bin/llvm-bolt
PATH=$PWD/bin:$PATH
cp "$demo/demo" work/prog && cp "$demo/demo.bolt" work/prog.bolt
cd work || exit 1
./prog.bolt 2000000000 >/dev/null 2>&1 &
service=$!
trap 'kill $service 2>/dev/null' EXIT
awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on' "$SOURCE/docs/production.md" |
	{ [ -n "$bolt" ] && cat || grep -v '^llvm-bolt'; } |
	sed "s/-e cycles:u -j any,u/$branches/; s/\$(pidof -s prog.bolt)/$service/; s/-F 199/-F 1999/; s/sleep 60/sleep 1/; s/batconv record/batconv record -F 1999/" >../commands
grep '^perf record' ../commands | sed 's/perf.data/second.data/' >../second
[ "$(wc -l <../second)" = 1 ] || fail 'the page has another number of recordings'
quietly sh -eux ../second || fail "perf record -p: exit $?"
quietly sh -eux ../commands || fail "a command of the page: exit $?"
[ "$(wc -l <prog.fdata)" -gt 10 ] || fail "prog.fdata has $(wc -l <prog.fdata) lines"
grep -q '^blocks' ../log || grep -q 'blocks' ../log || { cat ../log; fail 'no overlap was printed'; }
# batconv record left what the first conversion read, and llvm-bolt took that.
[ "$(find counts -name "prog.bolt.*.zst" | wc -l)" = 1 ] || fail 'no shard of prog.bolt'
[ -n "$bolt" ] && { [ -s prog.bolt2 ] || fail 'no prog.bolt2'; } || leave_out 'no llvm-bolt'
# What the page keeps of a release is enough.
batconv -q prog.side perf.data --input=prog -o again.fdata && cmp prog.fdata again.fdata || fail 'the side file gives another profile'
echo "prog.fdata: $(wc -l <prog.fdata) lines, with $branches"
finish
