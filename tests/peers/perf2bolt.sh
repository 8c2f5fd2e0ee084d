#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# perf2bolt 22 and batconv side by side on the same samples, by scripts/compare-with-perf2bolt; and that the stored
# expectations in inputs/ are what this perf2bolt writes.
. "$(dirname "$0")/../lib.sh"
own_folder
perf2bolt=/usr/lib/llvm-22/bin/perf2bolt
need $perf2bolt bolt-22
need perf linux-perf

side_by_side() { # BINARY SAMPLES
	echo "== $(basename "$2")"
	"$SOURCE/scripts/compare-with-perf2bolt" "$1" "$2" 22 || fail "$2"
}
for samples in demo.preagg demo.perf.data demo.basic.perf.data; do
	side_by_side "$demo/demo.bolt" "$demo/$samples"
done
for b in b19 b22; do
	for samples in "$b.preagg" "lbr.$b.data" "ip.$b.data"; do
		side_by_side "$sqlite/sq.$b" "$sqlite/$samples"
	done
done
for machine in aarch64 riscv64; do
	sorts=$INPUTS/$machine/sorts.b22
	survives $perf2bolt "$sorts" --pa -p "$sorts.preagg" -o again ||
		{ leave_out "perf2bolt 22 crashes on $machine/sorts.b22"; continue; }
	side_by_side "$sorts" "$sorts.preagg"
done

quietly $perf2bolt "$demo/demo.bolt" --pa -p "$demo/demo.preagg" -o again || exit 1
cmp again "$demo/expected/demo.preagg.fdata" || fail 'perf2bolt writes something else than inputs/demo/expected'
quietly $perf2bolt "$sqlite/sq.b22" --pa -p "$sqlite/b22.preagg" -o again || exit 1
cmp again "$sqlite/expected/preagg.b22.fdata" || fail 'perf2bolt writes something else than inputs/sqlite/expected'

# Basic samples of programs for which batconv infers branches: with --compat it writes perf2bolt's lines, which are in the order of
# a hash table, and no byte of them depends on what it measures by inference.
not_inferred() { # BINARY SAMPLES OPTION...: of perf2bolt
	binary=$1 samples=$2
	shift 2
	quietly $perf2bolt "$binary" -ba "$@" -p "$samples" -o theirs || fail "-ba of $binary"
	"$BATCONV" -q --basic "$binary" "$samples" -o inferred || fail "$binary: exit $?"
	! grep -q no_lbr inferred || fail "$binary: no branches are inferred: nothing is shown"
	"$BATCONV" -q --basic --compat=perf2bolt "$binary" "$samples" -o as_theirs || fail "$binary: exit $?"
	[ "$(head -n 1 theirs)" = "$(head -n 1 as_theirs)" ] || fail "$binary: another first line"
	sed 1d as_theirs | sort >sorted
	sed 1d theirs | sort | cmp - sorted || fail "$binary: other lines than perf2bolt -ba"
	for option in --stats=text --threads=3 --stats-file=figures; do
		"$BATCONV" --basic --compat=perf2bolt $option "$binary" "$samples" -o again 2>seen && cmp again as_theirs || fail "$binary: $option"
	done
}
moved=$INPUTS/moved/moved
for period in 97 1999; do
	"$SOURCE/scripts/samples-from-traces" "$moved" "$moved.preagg" $period >samples || fail samples-from-traces
	not_inferred "$moved" samples -pa
done
not_inferred "$sqlite/sq" "$sqlite/lbr.input.data"

# What --format=preagg keeps, perf2bolt takes: the same profile.
for which in demo sqlite; do
	binary=$demo/demo.bolt samples=$demo/demo.perf.data expected=$demo/expected/demo.perf.fdata
	[ $which = demo ] || binary=$sqlite/sq.b22 samples=$sqlite/lbr.b22.data expected=$sqlite/expected/lbr.b22.fdata
	"$BATCONV" -q --compat=perf2bolt --format=preagg "$binary" "$samples" -o kept || fail "--format=preagg: exit $?"
	quietly $perf2bolt "$binary" --pa -p kept -o again || fail 'perf2bolt on pre-aggregated counts'
	cmp again "$expected" || fail "pre-aggregated counts of $which"
done

# Guessed fall-throughs, and where they differ: docs/conversion.md, section 6.
imputed() { # BINARY SAMPLES LINES
	case $2 in *preagg) flags=--pa ;; *) flags= ;; esac
	quietly $perf2bolt "$1" $flags -p "$2" --impute-trace-fall-through -o told || fail "$2"
	"$BATCONV" -q --compat=perf2bolt --impute-fall-throughs "$1" "$2" -o guessed || fail "$2: exit $?"
	[ "$(diff told guessed | grep -c "^>")" = "$3" ] || { diff told guessed; fail "imputed: $2"; }
}
sed 's/ [0-9a-f]* \([0-9]*\)$/ ffffffffffffffff \1/; 0~3!d' "$sqlite/b22.preagg" | sort -u -k1,4 >mixed.preagg
sed '0~3d' "$sqlite/b22.preagg" >>mixed.preagg
imputed "$demo/demo.bolt" "$demo/demo.perf.data" 0
imputed "$sqlite/sq.b22" "$sqlite/lbr.b22.data" 0
imputed "$sqlite/sq.b22" mixed.preagg 0
imputed "$sqlite/sq" "$sqlite/lbr.input.data" 1
imputed "$sqlite/sq.b19" "$sqlite/lbr.b19.data" 1

# Samples of another build of the same input: perf2bolt converts them, batconv does not.
truth=$sqlite/expected/lbr.input.fdata
quietly $perf2bolt "$sqlite/sq.b22" -p "$sqlite/lbr.b16.data" -o wrong ||
	fail 'perf2bolt refuses samples of another build: mend docs/conversion.md, section 6'
echo '== samples of another build'
"$SOURCE/scripts/fidelity" "$truth" wrong
! "$SOURCE/scripts/fidelity" --blocks 70 "$truth" wrong >seen || fail 'they fit after all'
"$SOURCE/scripts/fidelity" --blocks 90 "$truth" "$sqlite/expected/lbr.b19.fdata" >seen || fail 'the right ones do not'
"$BATCONV" -q --compat=perf2bolt "$sqlite/sq.b22" "$sqlite/lbr.b16.data" -o ours 2>seen
[ $? = 3 ] && [ ! -e ours ] || fail 'batconv converts samples of another build'
finish
