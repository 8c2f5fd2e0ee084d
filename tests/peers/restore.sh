#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is brought back by default, compared with perf2bolt 22: with --restore=none, too, the profile is its, line by line; by default
# llvm-bolt calls no more functions stale than with perf2bolt's, and finds as many.
. "$(dirname "$0")/../lib.sh"
own_folder
perf2bolt=/usr/lib/llvm-22/bin/perf2bolt
bolt=/usr/lib/llvm-22/bin/llvm-bolt
need $perf2bolt bolt-22
need $bolt bolt-22
moved=$INPUTS/moved

# stale PROFILE: how many functions llvm-bolt says are; those that it ignored have no hashes in YAML
stale() {
	quietly $bolt "$moved/moved" -data "$1" -o bolted -reorder-blocks=ext-tsp -profile-ignore-hash || { echo failed; return; }
	count=$(sed -n 's/^BOLT-WARNING: \([0-9]*\) (.* invalid (possibly stale) profile.*/\1/p' log)
	echo "${count:-0}"
}

for p in p0 p1 r0; do
	quietly $perf2bolt "$moved/moved.$p" --pa -p "$moved/moved.$p.preagg" -o theirs -w theirs.yaml || fail "perf2bolt on $p"
	"$BATCONV" -q --restore=none "$moved/moved.$p" "$moved/moved.$p.preagg" -o ours || fail "batconv on $p"
	cmp theirs ours || fail "$p: --restore=none is not perf2bolt's"
	"$BATCONV" -q "$moved/moved.$p" "$moved/moved.$p.preagg" -o ours --without-hashes -w ours.yaml || fail "batconv on $p"
	for form in '' .yaml; do
		theirs=$(stale theirs$form) ours=$(stale ours$form)
		echo "$p$form: stale functions with perf2bolt's $theirs, with batconv's $ours"
		[ "$ours" = 0 ] || fail "$p$form: stale functions"
	done
done
finish
