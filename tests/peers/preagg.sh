#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What --format=preagg writes is read by perf2bolt 22, and by 21 and 23 where there is one: the profile of the samples
# themselves.  Recordings without a misprediction and with some, with types of branches and without; a shared library, whose
# addresses 23 takes for inside with its id only, and 21 and 22 with any.  PERF2BOLT_21 and _23 name those that Debian 12 lacks.
. "$(dirname "$0")/../lib.sh"
own_folder
need /usr/lib/llvm-22/bin/perf2bolt bolt-22
need /usr/lib/llvm-22/bin/llvm-bolt bolt-22
need gcc gcc
need perf linux-perf
# shellcheck disable=SC2034  # told() names it
PERF2BOLT_22=/usr/lib/llvm-22/bin/perf2bolt
PERF2BOLT_21=${PERF2BOLT_21:-/usr/lib/llvm-21/bin/perf2bolt}
PERF2BOLT_23=${PERF2BOLT_23:-/usr/lib/llvm-23/bin/perf2bolt}
flags() { python3 "$SOURCE/tests/support/branch_flags.py" "$@"; }

# `told` RELEASE WHAT BINARY WANT: it makes WANT of `kept`
told() {
	program=
	eval "program=\${PERF2BOLT_$1-}"
	rm -f told
	quietly "$program" "$3" --pa -p kept -o told || fail "$1 on $2"
	cmp told "$4" || fail "$1 on $2"
}

# kept LETTERS BINARY SAMPLES OPTION...: 22 and 23 make of the counts what batconv makes of the samples, and so does batconv
kept() {
	letters=$1 binary=$2 samples=$3
	shift 3
	"$BATCONV" -q --format=preagg "$@" "$binary" "$samples" -o kept || fail "--format=preagg of $samples: exit $?"
	[ "$(cut -c1 kept | sort -u | tr -d '\n')" = "$letters" ] || fail "$samples: records $(cut -c1 kept | sort -u | tr -d '\n')"
	for options in '' --compat=perf2bolt; do
		"$BATCONV" -q "$@" $options "$binary" "$samples" -o want
		"$BATCONV" -q "$@" $options "$binary" kept -o again && cmp want again || fail "$options $samples"
	done
	told 22 "$samples" "$binary" want
	[ ! -x "$PERF2BOLT_23" ] || told 23 "$samples" "$binary" want
}

# by_21 BINARY SAMPLES: it knows fewer edges, so it is held against itself
by_21() {
	[ -x "$PERF2BOLT_21" ] || return 0
	"$BATCONV" -q --format=preagg "$1" "$2" -o kept
	quietly "$PERF2BOLT_21" "$1" -p "$2" -o itself || fail "21 on $2"
	told 21 "$2" "$1" itself
}

for b in b19 b22 input; do
	binary=$sqlite/sq$([ $b = input ] || echo ".$b")
	kept BT "$binary" "$sqlite/lbr.$b.data"
	by_21 "$binary" "$sqlite/lbr.$b.data"
	flags mispredicted "$sqlite/lbr.$b.data" "wrong.$b.data"
	kept BFfr "$binary" "wrong.$b.data"
	by_21 "$binary" "wrong.$b.data"
done
kept BRTr "$sqlite/sq.b22" "$sqlite/typed.b22.data"
flags mispredicted "$sqlite/typed.b22.data" wrong.typed.data
kept BFfr "$sqlite/sq.b22" wrong.typed.data
kept RTr "$demo/demo.bolt" "$demo/demo.preagg"

# A library: made traces through its table.
cat >work.c <<'EOF'
static long odd(long n) { return n * 3 + 1; }
__attribute__((noinline)) long step(long n) { return n & 1 ? odd(n) : n / 2; }
long work(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += step(i) > 7 ? i & 3 : 2;
	return sum;
}
EOF
gcc -O1 -fPIC -shared -Wl,-q,--build-id work.c -o libwork.input &&
	quietly /usr/lib/llvm-22/bin/llvm-bolt libwork.input -o libwork.so -reorder-blocks=reverse -enable-bat || fail 'a library'
python3 "$SOURCE/scripts/traces-from-bat.py" --distinct 40 --seed 1 libwork.so >made.preagg || fail 'traces-from-bat.py'
awk '$1 == "T" { $6 = 1 } { print }' made.preagg >wrong.preagg
kept BFRT libwork.so made.preagg --force
lines=$(wc -l <want)
kept BFr libwork.so wrong.preagg --force
[ "$lines" -gt 20 ] || fail "a library: $lines lines"
grep -qE '^T [0-9a-f]{40}:[0-9a-f]+ ' kept && fail 'T with mispredictions'
for release in 21 23; do
	[ -x "$(eval "echo \$PERF2BOLT_$release")" ] || echo "left out: no perf2bolt of LLVM $release (PERF2BOLT_$release names one)"
done
finish
