#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# merge compared with merge-fdata 22, as sets of lines where that is right; llvm-bolt 22 on merged profiles; and merge-fdata's
# mistakes, each shown (docs/merge.md).
. "$(dirname "$0")/../lib.sh"
own_folder
merge_fdata=/usr/lib/llvm-22/bin/merge-fdata
llvm_bolt=/usr/lib/llvm-22/bin/llvm-bolt
need $merge_fdata bolt-22

# same FILE...: batconv's lines are merge-fdata's
same() {
	"$BATCONV" merge -q "$@" -o ours || { fail "merge $*"; return; }
	$merge_fdata "$@" -o theirs >/dev/null 2>told || { cat told; fail "merge-fdata $*"; }
	LC_ALL=C sort ours >ours.sorted
	LC_ALL=C sort theirs >theirs.sorted
	cmp ours.sorted theirs.sorted || fail "$*"
}

lines=0
for b in b19 b22; do
	"$BATCONV" -q "$sqlite/sq.$b" "$sqlite/$b.preagg" -o $b.fdata
	lines=$((lines + $(wc -l <$b.fdata)))
done
for i in 1 2 3 4; do # four of five lines each
	(head -n 1 b22.fdata; tail -n +2 b22.fdata | awk -v i=$i 'NR % 5 != i') >part$i.fdata
done
same b22.fdata
same b19.fdata b22.fdata # two BOLTed builds of one input
same part1.fdata part2.fdata part3.fdata part4.fdata b19.fdata
"$BATCONV" -q "$demo/demo.bolt" "$demo/demo.basic.perf.data" -o basic.fdata
sed 's/^no_lbr.*/no_lbr/' basic.fdata >basic2.fdata # with its events merge-fdata refuses none, and keeps none
"$BATCONV" merge -q basic2.fdata -o ours && $merge_fdata basic2.fdata -o theirs 2>/dev/null
[ "$(sort ours)" = "$(sort theirs)" ] || fail 'no_lbr'
# Names with blanks and backslashes, as BOLT escapes them, and with a backslash that escapes nothing: each is itself.
printf 'boltedcollection\n' >names1
# shellcheck disable=SC1003  # names that end with a backslash
for name in ax 'a\x' 'a\\x' 'a\ x' 'a\\\x' '\x' 'x\\' 'x\\\ '; do
	printf '%s\n' "1 $name 0 1 b 4 1 5" "1 b 8 1 $name 0 0 7" "1 $name 4 1 $name c 2 3" "0 [unknown] 0 1 $name 0 0 2"
done >>names1
cp names1 names2
same names1
same names1 names2
grep -q '^1 a.x 0 1 b 4 2 10$' ours && [ "$(wc -l <ours)" = "$(wc -l <names1)" ] || fail 'names: a line is lost'
printf '1 a 0 1 b 1 0 0\n1 c 5 1 b 1 3 9\n' >instrumented # no head, counts of 0
same instrumented

# What llvm-bolt makes of it is what it makes of the profile that was cut up.
if [ -x $llvm_bolt ]; then
	cp b22.fdata whole.fdata
	(head -n 1 b22.fdata; tail -n +2 b22.fdata | awk 'NR % 2') >odd.fdata
	(head -n 1 b22.fdata; tail -n +2 b22.fdata | awk 'NR % 2 == 0') >even.fdata
	"$BATCONV" merge -q odd.fdata even.fdata -o merged.fdata
	cmp whole.fdata merged.fdata || fail 'odd and even'
	[ "$(functions $llvm_bolt "$sqlite/sq" merged.fdata)" = "$(functions $llvm_bolt "$sqlite/sq" whole.fdata)" ] || fail 'functions with a profile'
	"$BATCONV" -q --format=yaml "$sqlite/sq.b22" "$sqlite/b22.preagg" -o y1.yaml
	cp y1.yaml y2.yaml
	"$BATCONV" merge -q y1.yaml y2.yaml -o merged.yaml || fail 'YAML'
	for of in y1 merged; do # as many functions, and as many stale ones: those that BOLT ignored have no hash
		quietly $llvm_bolt "$sqlite/sq" -data $of.yaml -o /dev/null || fail "llvm-bolt on $of.yaml"
		grep -o '[0-9]* out of .* functions in the binary\|[0-9]* .* functions have invalid (possibly stale) profile' log >$of.told
	done
	cmp y1.told merged.told || fail "$(cat y1.told merged.told)"
	[ -s y1.told ] || fail 'llvm-bolt tells no functions'
else
	leave_out "no llvm-bolt of LLVM 22 (apt install bolt-22)"
fi

# merge-fdata's mistakes.
printf 'boltedcollection\n1 a 0 1 b 0 1 18446744073709551615\n' >w1
printf 'boltedcollection\n1 a 0 1 b 0 0 2\n' >w2
$merge_fdata w1 w2 2>/dev/null | tail -n 1 | grep -qx '1 a 0 1 b 0 1 1' || fail 'merge-fdata does not wrap any more'
[ -f y1.yaml ] || "$BATCONV" -q --format=yaml "$sqlite/sq.b22" "$sqlite/b22.preagg" -o y1.yaml
calls() { grep -o 'calls:.*' "$1" | grep -o 'cnt: [0-9]*' | awk '{ sum += $2 } END { print sum }'; }
cp y1.yaml y3.yaml
"$BATCONV" merge -q y1.yaml y3.yaml -o ours
$merge_fdata y1.yaml y3.yaml -o theirs 2>/dev/null
[ "$(calls ours)" = $((2 * $(calls y1.yaml))) ] || fail "calls: $(calls ours)"
[ "$(calls theirs)" -lt $((2 * $(calls y1.yaml))) ] || fail 'merge-fdata loses no calls any more'
echo "$lines lines; calls twice: batconv $(calls ours), merge-fdata $(calls theirs), of $(calls y1.yaml)"
finish
