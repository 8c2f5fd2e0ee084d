#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# YAML compared with perf2bolt's, and in llvm-bolt on the input binary: as many functions with a profile as from fdata, and no
# stale one that perf2bolt's own profile has not.
. "$(dirname "$0")/../lib.sh"
own_folder
perf2bolt=/usr/lib/llvm-22/bin/perf2bolt
bolt=/usr/lib/llvm-22/bin/llvm-bolt
need $perf2bolt bolt-22
need $bolt bolt-22
need perf linux-perf

theirs() { # BINARY OPTION... : o.fdata and o.yaml by perf2bolt
	quietly $perf2bolt "$@" -o o.fdata -w o.yaml || exit 1
}

same() { # BINARY SAMPLES [OPTION]
	"$BATCONV" -q --compat=perf2bolt --without-hashes -w ours.yaml "$1" "$2" -o ours.fdata || fail "batconv: exit $?"
	cmp ours.fdata o.fdata || fail "$2: fdata"
	sed -i "s|^\(  binary-name: *\).*|\1$(basename "$1")|" ours.yaml o.yaml
	"$SOURCE/scripts/compare-yaml" --no-extern ${3:+"$3"} o.yaml ours.yaml || fail "$2: yaml"
}

# takes INPUT PROFILE OPTION...: "functions with a profile, stale ones" in llvm-bolt
takes() {
	input=$1 profile=$2
	shift 2
	quietly $bolt "$input" -data "$profile" -o bolted -reorder-blocks=ext-tsp "$@" ||
		{ echo failed; return; }
	with=$(sed -n 's/^BOLT-INFO: \([0-9]*\) out of .* have non-empty execution profile.*/\1/p' log)
	stale=$(sed -n 's/^BOLT-WARNING: \([0-9]*\) (.* invalid (possibly stale) profile.*/\1/p' log)
	echo "$with, ${stale:-0}"
}

expect() { # WHAT WANTED GOT
	echo "$1: functions with a profile, stale: $3"
	[ "$2" = "$3" ] || fail "$1: not $2"
}

theirs "$demo/demo.bolt" --pa -p "$demo/demo.preagg"
same "$demo/demo.bolt" "$demo/demo.preagg"
expect 'demo' "$(takes "$demo/demo" o.fdata)" "$(takes "$demo/demo" ours.yaml)"
theirs "$demo/demo.bolt" -p "$demo/demo.perf.data"
same "$demo/demo.bolt" "$demo/demo.perf.data"
for machine in aarch64 riscv64; do
	for program in demo.b19 demo.b22 sorts.b22 sorts.exec.b22; do
		survives $perf2bolt "$INPUTS/$machine/$program" --pa -p "$INPUTS/$machine/$program.preagg" -o o.fdata ||
			{ leave_out "perf2bolt 22 crashes on $machine/$program"; continue; }
		theirs "$INPUTS/$machine/$program" --pa -p "$INPUTS/$machine/$program.preagg"
		# Here perf2bolt has a graph of .bolt.org.text, taken for a function, that differs from ours.
		same "$INPUTS/$machine/$program" "$INPUTS/$machine/$program.preagg" --hashed
	done
done
for b in b19 b22; do
	theirs "$sqlite/sq.$b" -p "$sqlite/lbr.$b.data"
	same "$sqlite/sq.$b" "$sqlite/lbr.$b.data"
	theirs "$sqlite/sq.$b" --pa -p "$sqlite/$b.preagg"
	same "$sqlite/sq.$b" "$sqlite/$b.preagg"
	# Most functions of these BOLT ignored: without hashes llvm-bolt takes them by name and number of blocks.
	expect "sq.$b" "$(takes "$sqlite/sq" o.yaml)" "$(takes "$sqlite/sq" ours.yaml -profile-ignore-hash)"
	takes "$sqlite/sq" o.fdata -dyno-stats >/dev/null
	grep 'taken branches' log >from.fdata
	takes "$sqlite/sq" ours.yaml -profile-ignore-hash -dyno-stats >/dev/null
	paste from.fdata - <<-END
	$(grep 'taken branches' log)
	END
done
# Basic samples, which perf2bolt's YAML leaves out: the same functions as from fdata.
"$BATCONV" -q --compat=perf2bolt --without-hashes -w ip.yaml "$sqlite/sq.b22" "$sqlite/ip.b22.data" -o ip.fdata || fail "basic: exit $?"
expect 'basic samples' "$(takes "$sqlite/sq" ip.fdata)" "$(takes "$sqlite/sq" ip.yaml -profile-ignore-hash)"
finish
