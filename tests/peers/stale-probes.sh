#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Pseudo-probes at work: the demo gets a statement more in each branch and loop, is compiled again, and llvm-bolt matches the old profile
# by probes.  It matches as much with batconv's YAML as with perf2bolt's, and nothing by probes with a YAML that has none.
. "$(dirname "$0")/../lib.sh"
own_folder
llvm=/usr/lib/llvm-22/bin
need $llvm/perf2bolt bolt-22
need $llvm/llvm-bolt bolt-22
need $llvm/clang clang-22
compiled=$INPUTS/compiled option=--profile-write-pseudo-probes

mkdir new && cp "$demo"/src/* new/ || exit 1
for file in new/expr.c new/main.c; do
	awk '/^static/ && !told++ { print "extern volatile long watched;" }
		{ print }
		/^\t.*(for|while|if|else|do).*\{$/ { print "\twatched++;" }' "$file" >edited && mv edited "$file"
done
echo 'volatile long watched;' >>new/main.c
[ "$(cat new/*.c | grep -c 'watched++')" -ge 20 ] || fail 'the demo has not the branches that are to be edited'
(cd new && $llvm/clang -std=gnu11 -O2 -gmlt -fdebug-info-for-profiling -fpseudo-probe-for-profiling \
	-funique-internal-linkage-names -fdebug-compilation-dir=. -Wl,-q ./*.c -o ../next) || exit 1

# matched YAML: per way of matching, blocks and samples of stale functions, in percent
matched() {
	quietly $llvm/llvm-bolt next -data "$1" -o bolted -reorder-blocks=ext-tsp \
		--infer-stale-profile --stale-matching-with-pseudo-probes || return
	sed -n 's/^BOLT-INFO: inference found an\{0,1\} \(.*\) match for \([0-9.]*\)% of basic blocks (\(.*\)) responsible for \([0-9.]*\)%.*/\1: \2 % of blocks (\3), \4 % of samples/p' log
}
theirs() { # BINARY OUT
	quietly $llvm/perf2bolt "$1" --pa -p "$1.preagg" -o "$2" -profile-format=yaml -profile-write-pseudo-probes || exit 1
}

theirs "$compiled/probes" input.yaml
theirs "$compiled/probes.bolt" theirs.yaml
"$BATCONV" -q $option "$compiled/probes.bolt" "$compiled/probes.bolt.preagg" --format=yaml --without-hashes -o ours.yaml || fail "exit $?"
"$BATCONV" -q $option --input="$compiled/probes" "$compiled/probes.bolt" "$compiled/probes.bolt.preagg" --format=yaml --without-hashes -o restored.yaml || fail "exit $?"
"$BATCONV" -q "$compiled/probes.bolt" "$compiled/probes.bolt.preagg" --format=yaml --without-hashes -o none.yaml || fail "exit $?"
"$BATCONV" -q --compat=perf2bolt $option "$compiled/probes.bolt" "$compiled/probes.bolt.preagg" --format=yaml --without-hashes -o compat.yaml || fail "exit $?"
for profile in input theirs compat ours restored none; do
	matched $profile.yaml >$profile.matched
	echo "$profile:"
	cat $profile.matched
done

# probes PROFILE: percent of samples of stale functions in blocks that were found by their exact probes
probes() { sed -n 's/^exact pseudo probe: .*, \([0-9]*\)[0-9.]* % of samples/\1/p' "$1.matched"; }
# Which of equally good blocks is a loose match depends on the order of probes, which is perf2bolt's hash.
for profile in theirs compat; do grep -v '^loose' $profile.matched >$profile.certain; done
cmp theirs.certain compat.certain || fail "not as much as with perf2bolt's"
# Blocks that are only a successor are found, too: more of them, and as many of the samples.
found() { sed -n 's/^exact: .* of blocks (\([0-9]*\) out.*/\1/p' "$1.matched"; }
[ "$(found ours)" -gt "$(found theirs)" ] || fail "no more blocks than with perf2bolt's"
for profile in input ours restored; do
	[ "$(probes $profile)" -ge 50 ] || fail "$profile: probes match too little"
done
[ "$(probes none)" = 0 ] || fail 'probes match without probes'
finish
