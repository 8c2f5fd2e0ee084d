#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Intel PT.  tests/support/pt_data.py writes traces of whole runs (inputs/pt/*.run); here libipt and perf read them first: packets, branch outcomes and
# branches are those of the run.  Then recordings of a real processor (inputs/pt/perf.data*), which have no programs: batconv finds the packets
# that libipt finds, and has the branch outcomes of libipt.
# The tool is tests/peers/pt_judge.c: PT_JUDGE, or next to BATCONV.
. "$(dirname "$0")/../lib.sh"
judge=${PT_JUDGE:-$(dirname "$BATCONV")/tests/pt_judge}
own_folder
write() { # RUN FOLDER WORD...
	rm -f x.data*
	run=$1
	case $2 in demo) folder=$SOURCE/inputs/demo ;; *) folder=$INPUTS/$2 ;; esac
	shift 2
	python3 "$SOURCE/tests/support/pt_data.py" write "$INPUTS/pt/$run.run" x.data files="$folder" program="$run" "$@" || fail "$run $*: not written"
}
# The ways that are written: RUN, the folder of its program, words
ways=$(
	sed 's/^/ways pt /' <<-'EOF'
		times
		times returns
		times returns long
		times long deferred
		cycles returns long deferred
		times interrupts=50 returns
		times ptwrite=40
		times overflow=900 returns
		times psb=300 returns
		times threads=3 returns
		times cpu returns
		cycles cpu returns processes=2 threads=2
	EOF
	echo ways.b22 pt times returns long
	echo demo demo at=4000000000 filter times returns
	echo demo demo at=4000000000 filter cycles long psb=500
	echo demo.bolt demo at=4000000000 filter cycles returns
)

# ---- libipt ----
if [ -x "$judge" ]; then
	same_answers() { # TRACE WHAT
		"$judge" packets "$1" >packets.txt 2>judge.log || fail "$2: packets: $(cat judge.log)"
		"$judge" answers "$1" >ours.txt && "$judge" queries "$1" >theirs.txt 2>judge.log || fail "$2: answers: $(cat judge.log)"
		cmp ours.txt theirs.txt || fail "$2: libipt answers something else"
	}
	while read -r run folder words; do
		# shellcheck disable=SC2086 # words
		write "$run" "$folder" $words
		: >got.txt
		for trace in x.data.[0-9]; do
			same_answers "$trace" "$run $words"
			case $words in
			*cpu* | *overflow*) ;; # libipt walks one thread; what is the last in front of an overflow is not reported
			*) "$judge" branches "$trace" "$trace.images" >>got.txt 2>judge.log || fail "$run $words: branches: $(cat judge.log)" ;;
			esac
		done
		case $words in
		*cpu* | *overflow*) ;;
		*) cut -d' ' -f2- x.data.truth | cmp - got.txt || fail "$run $words: libipt walks another way" ;;
		esac
		echo "$run $words: $(cat packets.txt), $(wc -l <x.data.truth) branches, as libipt reads them"
	done <<-EOF
		$ways
	EOF
	for recording in "$INPUTS"/pt/perf.data*; do
		rm -f x.data*
		python3 "$SOURCE/tests/support/pt_data.py" buffers "$recording" x.data
		for trace in x.data.[0-9]; do
			same_answers "$trace" "$recording"
			echo "$(basename "$recording"): $(cat packets.txt), $(wc -l <ours.txt) answers, as libipt has them"
		done
	done
else
	leave_out 'no libipt when this was built (apt install libipt-dev)'
fi

# ---- perf ----
if perf=${PERF_OF_PT-$(command -v perf)} && [ -n "$perf" ]; then
	while read -r run folder words; do
		# shellcheck disable=SC2086 # words
		write "$run" "$folder" $words
		"$perf" script -i x.data --itrace=b -F pid,ip,addr >perf.txt 2>perf.log || fail "$run $words: $(cat perf.log)"
		sed -n 's/^ *\([0-9]*\) *\([1-9a-f][0-9a-f]*\) => *\([1-9a-f][0-9a-f]*\) *$/\1 \2 \3/p' perf.txt | sort >theirs.txt
		sort x.data.truth | cmp - theirs.txt || fail "$run $words: perf prints other branches"
		echo "$run $words: $(wc -l <theirs.txt) branches, as perf prints them"
	done <<-EOF
		$ways
	EOF
else
	leave_out 'no perf (apt install linux-perf)'
fi
finish
