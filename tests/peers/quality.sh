#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# quality compared with perf2bolt 22, for density, and llvm-bolt 22, for the flow of the profile that convert makes.
. "$(dirname "$0")/../lib.sh"
own_folder
bolt=/usr/lib/llvm-22/bin/llvm-bolt
need $bolt bolt-22

# figure KEY FILE: a number of quality --json
figure() {
	sed 's/[,{}]/\n/g' "$2" | sed -n "s/^ *\"$1\": *//p" | head -n 1
}

# bias, deviation, discontinuity and the three gaps in llvm-bolt's words, of which it has one line each
theirs() {
	$bolt "$1" -data "$2" -o /dev/null --print-profile-stats 2>&1 | sed -n \
		-e 's/.*Profile bias score: \(.*\)% StDev: \(.*\)%/\1 \2/p' \
		-e 's/.*CFG discontinuity \(.*\)%; call graph flow conservation gap \(.*\)%; CFG flow conservation gap \(.*\)% (weighted) \(.*\)% (worst); .*/\1 \2 \3 \4/p' |
		tr '\n' ' '
}

ours() {
	for key in bias deviation; do printf '%.4f ' "$(figure ${key}_percent "$1")"; done
	for key in discontinuity call_gap flow_gap worst_gap; do printf '%.2f ' "$(figure ${key}_percent "$1")"; done
}

# flow BINARY SAMPLES INPUT
flow() {
	"$BATCONV" -q "$@" -o profile || fail "convert $*"
	"$BATCONV" quality --json "$@" >ours.json || fail "quality $*"
	want=$(theirs "${3#--input=}" profile) got=$(ours ours.json)
	echo "$* -> $got"
	[ "$got" = "$want" ] || fail "$*: $got, llvm-bolt: $want"
}
flow "$sqlite/sq.b22" "$sqlite/lbr.b22.data" --input="$sqlite/sq"
flow "$sqlite/sq.b22" "$sqlite/b22.preagg" --input="$sqlite/sq"
flow "$sqlite/sq.b19" "$sqlite/lbr.b19.data" --input="$sqlite/sq"

# density BINARY SAMPLES [OPTION]: as perf2bolt prints it
density() {
	quietly /usr/lib/llvm-22/bin/perf2bolt "$1" -p "$2" -o profile --show-density ${3:+"$3"} || fail "perf2bolt $*"
	more=$(sed -n 's/.* better with \(.*\)x more samples.*/\1/p' log)
	"$BATCONV" quality --json "$1" "$2" >ours.json
	got=$(printf '%.1f' "$(figure times_more_samples ours.json)")
	echo "$1 $2 -> $got"
	[ "$got" = "${more:-0.0}" ] || fail "$1 $2: ${got}x, perf2bolt: ${more}x"
}
have 22 && for b in b19 b22; do
	density "$sqlite/sq.$b" "$sqlite/lbr.$b.data"
	density "$sqlite/sq.$b" "$sqlite/$b.preagg" -pa
done

# For basic samples perf2bolt counts nothing in functions that were split, whose graph it does not build: so does batconv under its name.
plain() {
	"$BATCONV" quality --json "$1" "$2" >ours.json
	got=$(printf '%.1f' "$(figure times_more_samples ours.json)")
	ln -sf "$BATCONV" perf2bolt
	for program in ./perf2bolt /usr/lib/llvm-22/bin/perf2bolt; do
		quietly "$program" "$1" -p "$2" -o profile -ba --show-density || fail "$program $*"
		sed -n 's/.* better with \(.*\)x more samples.*/\1/p' log
	done >"$PWD/more"
	echo "$1 $2, plain -> $got, as perf2bolt $(paste -sd " " more)"
	[ "$(uniq more | wc -l)" = 1 ] || fail "$1 $2: not what perf2bolt has"
	! grep -qx "$got" more || fail "$1 $2: nothing of functions that were split"
}
have 22 && plain "$sqlite/sq.b22" "$sqlite/ip.b22.data"
finish
