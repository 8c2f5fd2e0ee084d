#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The commands of docs/compiler-profiles.md, as they are there: from the source to the program that clang made with the samples
# of the BOLTed one, by debug information and by pseudo-probes.  That profile is the one of the input's own run, byte for byte, and
# fewer instructions run.  Few machines record branches, so perf here is one that hands out recorded samples (inputs/compiled),
# and the program of which they are instead of the one just built.
. "$(dirname "$0")/../lib.sh"
own_folder
llvm=/usr/lib/llvm-22/bin
need $llvm/clang clang-22
need $llvm/llvm-profgen llvm-22
need $llvm/llvm-bolt bolt-22
need valgrind valgrind

mkdir bin
for program in clang llvm-bolt llvm-profgen; do ln -s $llvm/$program bin/; done
ln -s "$BATCONV" bin/batconv
cat >bin/perf <<'PERF'
#!/bin/sh
# perf record ... -o FILE -- ./PROGRAM, where $RECORDED has the program and its samples
while [ "$1" != -- ]; do
	[ "$1" != -o ] || out=$2
	shift
done
from=$RECORDED${2#./prog}
cp "$from" "$2" && cp "$from.preagg" "$out"
PERF
chmod +x bin/perf
PATH=$PWD/bin:$PATH

# section NUMBER: its commands
section() {
	awk -v section="## $1. " '/^## / { here = index($0, section) == 1 } /^```sh/ { on = here; next } /^```/ { on = 0 } on' \
		"$SOURCE/docs/compiler-profiles.md"
}

# instructions PROGRAM: that it runs.  Debian 12's valgrind cannot read clang's debug information.
instructions() {
	strip -o stripped "$1"
	valgrind --tool=callgrind --callgrind-out-file=counted ./stripped 120 2>&1 >printed | sed -n 's/.*Collected *: //p'
}

# loop SECTION RECORDED: runs the section in a directory of its own
loop() {
	mkdir "$dir/$1" && cd "$dir/$1" || exit 1
	cp "$demo"/src/* .
	section "$1" >commands
	[ "$(grep -c '^clang' commands)" = 2 ] || fail "section $1: not a whole loop"
	quietly env RECORDED="$INPUTS/compiled/$2" sh -eux ./commands || { fail "section $1: a command of the page: exit $?"; return; }
	! grep 'warning:' log | grep -qv 'more samples' || { cat log; fail "section $1: a warning"; }

	batconv -q --format=profgen prog first.data -o own.raw
	llvm-profgen --unsymbolized-profile=own.raw --binary=prog -o own.prof 2>own.log
	[ -s own.prof ] && cmp own.prof prog.prof || fail "section $1: not the profile of the input's own run"

	sed -n '/^clang/{:a; /\\$/{N; ba}; s/prog.next/plain/; s/-fprofile-sample-use=[^ ]*//p}' commands | sh -eu || fail "section $1: without a profile"
	before=$(instructions plain) after=$(instructions prog.next)
	[ "${after:-0}" -gt 100000 ] && [ "$after" -lt "${before:-0}" ] || fail "section $1: $before instructions without a profile, $after with it"
	./plain 120 >a 2>&1 && ./prog.next 120 >b 2>&1 && cmp a b || fail "section $1: the optimized program prints something else"
	echo "section $1: $before instructions without a profile, $after with it"
}

loop 1 demo
loop 2 probes
finish
