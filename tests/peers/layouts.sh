#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Layouts that perf2bolt 22 cannot read, compared with the perf2bolt of the same release.  Those releases know neither T nor R
# lines, so they get each trace as a B and an F line (returns as an F line only), and the overlap of both profiles with
# that of the input binary is compared: batconv's must be as good.
. "$(dirname "$0")/../lib.sh"
own_folder
truth=$sqlite/expected/preagg.input.fdata

# measure FILE: "BLOCKS CALLS" in hundredths of a percent
measure() {
	"$SOURCE/scripts/fidelity" "$truth" "$1" | awk 'NR < 3 { printf "%d ", $2 * 100 + 0.5 }'
}

compare() { # RELEASE
	v=$1 b=b$1
	perf2bolt=/usr/lib/llvm-$v/bin/perf2bolt
	have "$v" || return
	plain "$v" >traces
	quietly "$perf2bolt" "$sqlite/sq.$b" --pa -p traces -o theirs || { fail "perf2bolt $v"; return; }
	"$BATCONV" -q --compat=perf2bolt "$sqlite/sq.$b" "$sqlite/$b.preagg" -o ours || { fail "batconv on $b"; return; }
	# shellcheck disable=SC2046  # two numbers each
	set -- $(measure theirs) $(measure ours)
	echo "$v: perf2bolt $1 $2, batconv $3 $4 (blocks, calls; 1/100 %)"
	[ "$3" -ge "$1" ] && [ "$4" -ge "$2" ] || fail "batconv is behind perf2bolt $v"
}
compare 16
compare 19

# No release reads another's: what batconv is for.
plain 19 >traces
for pair in '22 b16' '19 b16' '16 b19'; do
	# shellcheck disable=SC2086
	set -- $pair
	have "$1" || continue
	! "/usr/lib/llvm-$1/bin/perf2bolt" "$sqlite/sq.$2" --pa -p traces -o theirs >perf2bolt.log 2>&1 ||
		fail "perf2bolt $1 reads sq.$2: mend docs/conversion.md, section 6"
done
# perf2bolt 19 sees only the first of several executable mappings: most of what it could count is out of range.
several_mappings() {
	quietly /usr/lib/llvm-19/bin/perf2bolt "$sqlite/sq.b19" -p "$sqlite/lbr.b19.data" -o theirs || return
	"$BATCONV" -q --compat=perf2bolt "$sqlite/sq.b19" "$sqlite/lbr.b19.data" -o ours || fail 'batconv on lbr.b19.data'
	echo "19, several mappings: perf2bolt $(grep -c . theirs) lines, batconv $(grep -c . ours)"
	[ "$(grep -c . ours)" -gt $(($(grep -c . theirs) * 2)) ] || fail 'perf2bolt 19 has them all: mend docs/conversion.md, section 6'
}
! have 19 || several_mappings

# LLVM 18: 102 wrong parents, repaired by the symbols.
"$BATCONV" -q --compat=perf2bolt --stats-file=stats "$sqlite/sq.b18" "$sqlite/b18.preagg" -o ours || fail 'batconv on b18'
python3 "$SOURCE/tests/support/check_stats.py" stats binary.parents_repaired
"$SOURCE/scripts/fidelity" --blocks 99.6 --calls 99.7 "$truth" ours || fail 'b18'
finish
