#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Arm ETM and ETE.  tests/support/etm_data.py writes traces of whole runs (inputs/etm/*.run).  First perf reads them, with OpenCSD: PERF_OF_ETM, or perf, if it
# can: it prints the branches of the run.
. "$(dirname "$0")/../lib.sh"
own_folder
mkdir files
for file in ways ways.b22 part.so other.so; do cp "$INPUTS/etm/$file" files; done
for file in demo demo.b22; do cp "$INPUTS/aarch64/$file" files; done
write() { # RUN WORD...
	rm -f x.data*
	run=$1
	shift
	case $run in demo*) set -- at=5500000000 "$@" ;; esac
	python3 "$SOURCE/tests/support/etm_data.py" "$INPUTS/etm/$run.run" x.data files=files program="$run" "$@" || fail "$run $*: not written"
}
ways=$(
	for words in '' ete returns 'returns sync=300' cycles 'cycles aside' 'aside ete' context vmid 'context times' 'times cycles' interrupts=50 speculation=16 \
		'speculation=100 ete returns times cycles aside' 'speculation=20 interrupts=90' overflow=900; do
		echo "ways raw $words"
	done
	sed 's/^/ways /' <<-'EOF'
		returns
		hwid
		old
		ete sync=300
		threads=3 returns
		cpu context
		cpu context times threads=2 hwid
		cpu shared vmid processes=2 speculation=9
	EOF
	echo ways.b22 raw returns
	echo demo returns
	echo demo raw ete times
	echo demo.b22 cycles sync=200
)

# ---- perf ----
no_perf=
perf=${PERF_OF_ETM-$(command -v perf)}
cat >compare.py <<'END'
"""The branches that perf printed are those of the run, except what it does not print: ISB; where a branch led to if the program was interrupted right there; the last one
of what a thread did on a processor, and in front of an overflow.  Where code is mapped later than other code at the same address, it may take the wrong one."""
import sys
from collections import Counter

printed, sources, truth, allowed = Counter(), Counter(), Counter(), int(sys.argv[2])
for line in open('printed.txt'):
    words = line.split()
    if len(words) == 4 and words[1] != '0':
        if words[3] == '0':
            sources[words[0], words[1]] += 1
        elif int(words[1], 16) >> 16 != 0x1000:
            printed[words[0], words[1], words[3]] += 1
for line in open('x.data.truth'):
    words = line.split()
    if len(words) == 3 and int(words[1], 16) >> 16 != 0x1000:
        truth[tuple(words)] += 1
extra = printed - truth
missing = truth - printed
for branch in list(missing):
    missing[branch] -= min(missing[branch], sources[branch[:2]])
count = sum(missing.values())
print('%s: %d branches, %d printed, %d not, %d else' % (sys.argv[1], sum(truth.values()), sum(printed.values()), count, sum(extra.values())))
sys.exit(bool(extra) or count > allowed)
END
write ways raw
if [ -n "$perf" ] && "$perf" script -i x.data -F pid,ip,addr --itrace=b >printed.txt 2>perf.log && grep -q '=>' printed.txt; then
	while read -r run words; do
		# shellcheck disable=SC2086 # words
		write "$run" $words
		"$perf" script -i x.data -F pid,ip,addr --itrace=b >printed.txt 2>perf.log || fail "$run $words: perf: $(cat perf.log)"
		most=4
		case $words in *overflow*) most=40 ;; *threads=* | *processes=*) most=40 ;; esac
		python3 compare.py "$run $words" $most || fail "$run $words: perf prints other branches"
	done <<-EOF
		$ways
	EOF
else
	# Debian 12 and 13 have none, so no run of the tests requires it.
	no_perf='skipped in part: no perf that decodes ETM (of 7, with OpenCSD; PERF_OF_ETM names one)'
	echo "$no_perf"
fi
[ "$failures" != 0 ] || [ -n "$left_out" ] || [ -z "$no_perf" ] || exit 77
finish
