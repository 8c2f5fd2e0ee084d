#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Which releases of llvm-bolt read which of batconv's outputs: a table, release by format.  Each release that is at hand optimizes the
# program by each; LLVM_BOLT_23 and similar variables name programs that are not in /usr/lib/llvm-N/bin.
. "$(dirname "$0")/../lib.sh"
own_folder

convert() { "$BATCONV" convert -q --no-input "$@" || fail "$*: exit $?"; }
convert "$demo/demo.bolt" "$demo/demo.preagg" -o fdata
convert --format=yaml "$demo/demo.bolt" "$demo/demo.preagg" -o yaml
"$BATCONV" convert -q --format=yaml --input="$demo/demo" --hashes="$demo/demo.bolt" "$demo/demo.bolt" "$demo/demo.preagg" -o hashes || fail "hashes: exit $?"
convert --format=yaml --yaml-for=22 "$demo/demo.bolt" "$demo/demo.preagg" -o yaml-for-22
"$BATCONV" merge -q yaml-for-22 yaml -o merged
"$BATCONV" merge -q --yaml-for=21 yaml-for-22 yaml -o merged-for-21
"$BATCONV" merge -q --yaml-for=22 yaml-for-22 yaml -o merged-for-22
for file in yaml hashes merged; do
	! grep -q extern $file || fail "$file: has extern"
done
for file in yaml-for-22 merged-for-21 merged-for-22; do
	grep -q extern $file || fail "$file: no extern"
done

# takes LLVM_BOLT PROFILE: functions with a profile, and those that are stale
takes() {
	"$1" "$demo/demo" -data "$2" -o bolted -reorder-blocks=ext-tsp >log 2>&1 || { sed -n 's/.*\(unknown key .*\)/\1/p' log; return; }
	with=$(sed -n 's/^BOLT-INFO: \([0-9]*\) out of .* have non-empty execution profile.*/\1/p' log)
	stale=$(sed -n 's/^BOLT-WARNING: \([0-9]*\) (.* invalid (possibly stale) profile.*/\1/p' log)
	echo "$with, ${stale:-0} stale"
}

# expect RELEASE FORMAT GOT
expect() {
	case $1:$2 in
	*:fdata) wanted='18, 0 stale' ;;
	16:*) wanted="unknown key 'dfs-order'" ;; # made of another order of blocks, and of no hashes
	17:*) wanted="unknown key 'hash-func'" ;; # made of other hashes
	18:*-for-2? | 19:*-for-2?) wanted="unknown key 'extern'" ;;
	18:yaml | 18:merged) wanted='18, 2 stale' ;; # of two functions it has other numbers of blocks
	*) wanted='18, 0 stale' ;;
	esac
	[ "$3" = "$wanted" ] || fail "llvm-bolt $1, $2: not $wanted"
}

any=
for release in 16 17 18 19 20 21 22 23 24; do
	bolt=
	eval "bolt=\${LLVM_BOLT_$release-/usr/lib/llvm-$release/bin/llvm-bolt}"
	[ -x "$bolt" ] || continue
	any=1
	for format in fdata yaml hashes yaml-for-22 merged merged-for-21 merged-for-22; do
		got=$(takes "$bolt" $format)
		echo "llvm-bolt $release  $format  $got"
		expect $release $format "$got"
	done
done
[ -n "$any" ] || skip 'no llvm-bolt (apt install bolt-22)'
finish
