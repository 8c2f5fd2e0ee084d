#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The commands of docs/first-profile.md, as they are there: a program from its source to its second optimization.
# Where branches cannot be recorded, with what the page says to take then.
. "$(dirname "$0")/../lib.sh"
own_folder
need perf linux-perf
bolt=
for release in 22 19; do
	[ -n "$bolt" ] || bolt=$(command -v llvm-bolt-$release || true)
done
[ -n "$bolt" ] || skip 'no llvm-bolt (apt install bolt-19)'
perf record -q -e cpu-clock:u -o tried.data true >perf.log 2>&1 || skip "perf cannot record here: $(tail -n 1 perf.log)"

mkdir bin work
ln -s "$bolt" bin/llvm-bolt
ln -s "$BATCONV" bin/batconv
PATH=$PWD/bin:$PATH
cp "$demo"/src/* work
cd work || exit 1
branches='-e cycles:u -j any,u'
perf record -q -e cycles:u -j any,u -o ../tried.data true >../perf.log 2>&1 || branches='-e cpu-clock:u -F 2000'
awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on' "$SOURCE/docs/first-profile.md" |
	sed "s/-e cycles:u -j any,u/$branches/; s|-- ./prog[.a-z]*|& 6000000|" >../commands
quietly sh -eux ../commands || fail "a command of the page: exit $?"
[ -x prog.bolt2 ] && [ "$(wc -l <prog.fdata)" -gt 10 ] || fail "prog.fdata has $(wc -l <prog.fdata) lines"
[ "$("$BATCONV" image --json prog.bolt2 | grep -c '"layout"')" = 1 ] || fail 'prog.bolt2 has no table'
./prog 1000 >a 2>&1 && ./prog.bolt2 1000 >b 2>&1 && cmp a b || fail 'the optimized program prints something else'
echo "first.fdata: $(wc -l <first.fdata) lines, prog.fdata: $(wc -l <prog.fdata) lines, with $branches"
finish
