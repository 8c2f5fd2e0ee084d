#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The chain that batconv is a link of: compile, llvm-bolt -enable-bat, run under perf, convert, and llvm-bolt again on
# the first binary, which must accept the profile: functions found, none stale.
. "$(dirname "$0")/../lib.sh"
own_folder
bolt=/usr/lib/llvm-22/bin/llvm-bolt
need $bolt bolt-22
need gcc gcc
need perf linux-perf

# 1. From the source to a second optimized binary, with samples taken here.
gcc -std=gnu11 -O2 -fno-reorder-blocks-and-partition -Wl,-q "$demo"/src/*.c -o program || exit 1
quietly $bolt program -o program.bolt -data "$demo/expected/demo.preagg.fdata" -reorder-blocks=ext-tsp \
	-reorder-functions=hfsort -split-functions -split-all-cold -enable-bat -no-huge-pages || exit 1
perf record -q -e cpu-clock -F 2000 -o perf.data ./program.bolt 6000000 >ran 2>perf.log ||
	skip "perf cannot record here: $(tail -n 1 perf.log)"
perf script --show-mmap-events --show-task-events -F pid,event,ip -i perf.data >perf.txt 2>/dev/null
for samples in perf.txt perf.data; do
	"$BATCONV" -q --stats-file=stats program.bolt $samples -o $samples.fdata || fail "batconv on $samples"
	n=$(functions $bolt program $samples.fdata)
	echo "taken here, $samples: $(grep -c '^1' $samples.fdata) lines, $n functions"
	[ "$n" -ge 1 ] || fail "llvm-bolt found a profile for $n functions"
	./bolted 6000000 2>/dev/null | cmp - ran || fail 'the second binary behaves otherwise'
done
cmp perf.txt.fdata perf.data.fdata || fail 'text and perf.data differ'
# With call chains, as perf script prints them by default: addresses are in the chains only, as offsets in files.
perf record -q -e cpu-clock -F 2000 -g -o chains.data ./program.bolt 6000000 >/dev/null 2>perf.log ||
	skip "perf cannot record here: $(tail -n 1 perf.log)"
perf script --show-mmap-events --show-task-events -i chains.data >chains.txt 2>/dev/null
for samples in chains.txt chains.data; do
	"$BATCONV" -q program.bolt $samples -o $samples.fdata || fail "batconv on $samples"
done
cmp chains.txt.fdata chains.data.fdata || fail 'text and perf.data with call chains differ'
echo "call chains: $(grep -c '^1' chains.txt.fdata) lines"
python3 "$SOURCE/tests/support/check_basic.py" program.bolt program perf.txt perf.txt.fdata || fail 'by a linear scan'

# 2. Recorded branches: as many functions as with what perf2bolt 22 made of the same samples.
beside() { # OPTIMIZED INPUT SAMPLES PERF2BOLT'S
	"$BATCONV" -q "$1" "$3" -o ours || { fail "batconv on $3"; return; }
	theirs=$(functions $bolt "$2" "$4")
	n=$(functions $bolt "$2" ours)
	echo "$(basename "$3"): $n functions, $theirs with perf2bolt's"
	[ "$n" -gt 0 ] && [ "$n" -ge "$theirs" ] || fail "fewer than with perf2bolt's"
}
beside "$demo/demo.bolt" "$demo/demo" "$demo/demo.preagg" "$demo/expected/demo.preagg.fdata"
beside "$demo/demo.bolt" "$demo/demo" "$demo/demo.perf.data" "$demo/expected/demo.perf.fdata"
for b in b19 b22; do
	beside "$sqlite/sq.$b" "$sqlite/sq" "$sqlite/$b.preagg" "$sqlite/expected/preagg.$b.fdata"
	beside "$sqlite/sq.$b" "$sqlite/sq" "$sqlite/lbr.$b.data" "$sqlite/expected/lbr.$b.fdata"
done

# 3. Basic profiles: llvm-bolt refuses perf2bolt's (its first two lines are the wrong way round), and takes ours;
# merge-fdata takes both.
"$BATCONV" -q "$sqlite/sq.b22" "$sqlite/ip.b22.data" -o ours || fail 'batconv on ip.b22.data'
n=$(functions $bolt "$sqlite/sq" ours)
echo "ip.b22.data: $n functions"
[ "$n" -gt 50 ] || fail 'the basic profile is not accepted'
! $bolt "$sqlite/sq" -data "$sqlite/expected/ip.b22.fdata" -o bolted >bolt.log 2>&1 ||
	fail "perf2bolt's basic profile is accepted: mend docs/conversion.md, section 6"
grep -q 'no valid profile data found' bolt.log || fail 'refused for another reason'
/usr/lib/llvm-22/bin/merge-fdata ours ours -o merged 2>merge.log || { cat merge.log; fail 'merge-fdata'; }
finish
