#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Recordings without a sample: their head says which kind of profile comes of them, as perf2bolt has it.
. "$(dirname "$0")/../lib.sh"
own_folder
perf2bolt=/usr/lib/llvm-22/bin/perf2bolt
need $perf2bolt bolt-22
need perf linux-perf

record() { # BRANCHES OUT
	python3 - "$SOURCE/scripts" "$demo/demo.bolt" "$2" "$1" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
from perf_data_writer import PerfData, code_segments
data = PerfData(sys.argv[3], branches=sys.argv[4] == 'branches')
data.comm(1, 7, 'demo')
for vaddr, offset, size in code_segments(sys.argv[2])[0]:
    data.mmap(2, 7, 0x555555554000 + vaddr, size, offset, sys.argv[2])
data.exit(3, 7)
data.close()
P
}

record branches any.data
record addresses ip.data
"$BATCONV" -q --force "$demo/demo.bolt" any.data -o ours && $perf2bolt "$demo/demo.bolt" -p any.data -o theirs >log 2>&1 || { cat log; fail 'branches'; }
echo "no sample with branches: $(cat ours)"
cmp ours theirs || fail 'an empty recording with branches'
[ "$(cat ours)" = boltedcollection ] || fail 'branches: no boltedcollection'
# A basic profile begins with no_lbr alone (docs/conversion.md, section 6).
"$BATCONV" -q --force "$demo/demo.bolt" ip.data -o ours || fail 'addresses'
[ "$(cat ours)" = no_lbr ] || fail "an empty recording of addresses: $(cat ours)"
# Samples decide where there are any: what was recorded without a stack is a basic profile, too.
"$BATCONV" -q --ignore-build-id "$demo/demo.bolt" any.data "$demo/demo.basic.perf.data" -o ours || fail 'both'
head -n 1 ours | grep -q '^no_lbr cpu-clock:' || fail "an empty recording and one of addresses: $(head -n 1 ours)"
"$BATCONV" -q --force --pid=1 "$demo/demo.bolt" "$demo/demo.perf.data" -o ours && [ "$(cat ours)" = boltedcollection ] ||
	fail 'all samples left out'
finish
