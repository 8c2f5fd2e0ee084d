#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Pseudo-probes in YAML compared with perf2bolt's, of programs by clang -fpseudo-probe-for-profiling: recorded runs, and made-up traces through
# every block.  The same lines, but where perf2bolt finds none: above 4 GiB.
. "$(dirname "$0")/../lib.sh"
own_folder
llvm=/usr/lib/llvm-22/bin
need $llvm/perf2bolt bolt-22
need perf linux-perf
probed=$INPUTS/probed compiled=$INPUTS/compiled

theirs() { # BINARY OPTION...: theirs.yaml
	quietly $llvm/perf2bolt "$@" -o theirs.yaml -profile-format=yaml -profile-write-pseudo-probes || exit 1
	sed -i 's|^\(  binary-name: *\).*|\1x|' theirs.yaml
}
ours() { # BINARY SAMPLES: ours.yaml.  Made-up traces are none of the code.
	"$BATCONV" -q --force --compat=perf2bolt --profile-write-pseudo-probes "$1" "$2" --format=yaml --without-hashes -o ours.yaml || fail "$1: exit $?"
	sed -i 's|^\(  binary-name: *\).*|\1x|' ours.yaml
}
same() { # BINARY SAMPLES [--pa]
	theirs "$1" ${3:+"$3"} -p "$2"
	ours "$1" "$2"
	probes=$(grep -c 'probes: ' ours.yaml)
	echo "$(basename "$2"): $probes blocks with probes, $(grep -c 'cnt: 0, pp' ours.yaml) with call probes alone"
	[ "$probes" -gt 0 ] || fail "$2: no probes"
	"$SOURCE/scripts/compare-yaml" --no-extern theirs.yaml ours.yaml || fail "$2"
}

# higher SAMPLES: of walk, for walk.high, whose addresses are those after a 24000
higher() {
	awk '{ for (i = 2; i <= 4; i++) if ($i ~ /^[0-9a-f][0-9a-f][0-9a-f][0-9a-f]$/) $i = "24000" $i; print }' "$1"
}

for binary in walk walk.bolt walk.p1 walk.high; do
	samples=$probed/${binary%.high}.preagg
	[ "$binary" != walk.high ] || { higher "$samples" >high.preagg; samples=high.preagg; }
	same "$probed/$binary" "$samples" --pa
done
same "$probed/libtwist.so" "$probed/libtwist.preagg" --pa
same "$probed/libtwist.bolt.so" "$probed/libtwist.bolt.preagg" --pa
for binary in probes probes.bolt; do
	same "$compiled/$binary" "$compiled/$binary.preagg" --pa
done
same "$probed/walk.bolt" "$probed/walk.bolt.data"
same "$compiled/probes.bolt" "$probed/probes.bolt.data"
for binary in "$probed/walk.bolt" "$probed/walk.p1" "$probed/libtwist.bolt.so" "$compiled/probes.bolt"; do
	for seed in 1 2; do
		python3 "$SOURCE/scripts/traces-from-bat.py" --distinct 300 --seed $seed "$binary" >made.preagg || exit 1
		same "$binary" made.preagg --pa
	done
done

theirs "$probed/walk.high.bolt" --pa -p "$probed/walk.high.bolt.preagg"
ours "$probed/walk.high.bolt" "$probed/walk.high.bolt.preagg"
echo "above 4 GiB: $(grep -c 'probes: ' theirs.yaml) blocks with probes by perf2bolt, $(grep -c 'probes: ' ours.yaml) here"
[ "$(grep -c 'probes: ' theirs.yaml)" = 0 ] || fail 'perf2bolt finds probes above 4 GiB: not what docs/conversion.md says'
ours "$probed/walk.bolt" "$probed/walk.bolt.preagg" && mv ours.yaml low.yaml
ours "$probed/walk.high.bolt" "$probed/walk.high.bolt.preagg"
python3 "$SOURCE/tests/support/same_probes.py" low.yaml ours.yaml || fail 'above 4 GiB: not the probes of the same code below'
finish
