#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Processes over time, end to end: perf.data made here by perf record, and made by hand for what needs branch stacks
# (recordings/made.py).  Each is converted as perf.data and as perf script's text of it, to equal bytes.  How many
# samples of which process are the binary's is counted by hand, or in real recordings by perf itself, whose text names the
# file of each sample.  What perf2bolt 22 makes of it is next to it.
. "$(dirname "$0")/../lib.sh"
own_folder
here=$SOURCE/tests/peers/recordings
bolt=/usr/lib/llvm-22/bin/llvm-bolt
perf2bolt=/usr/lib/llvm-22/bin/perf2bolt
need perf linux-perf
need $bolt bolt-22
need gcc gcc

# convert OUT BINARY SAMPLES OPTION...: and the summary in OUT.stats
convert() {
	to=$1 binary=$2 from=$3
	shift 3
	"$BATCONV" -q --compat=perf2bolt --stats-file="$to.stats" "$@" "$binary" "$from" -o "$to" || fail "batconv $* on $from"
}

# inside FILE: how many samples are in functions of the binary or between them
inside() {
	python3 - "$1.stats" <<-'END'
		import json, sys
		samples = json.load(open(sys.argv[1]))['samples']
		print(samples['kept'] + samples['dropped']['no_function'] + samples['dropped']['no_parent'])
	END
}

# as_text FIELDS RECORDING BINARY [OPTION]: text, with the option, and perf.data give one profile
as_text() {
	perf script -f --show-mmap-events --show-task-events -F "$1" -i "$2" >text 2>perf.log || { cat perf.log; fail "perf script on $2"; }
	convert ours "$3" "$2"
	convert from_text "$3" text ${4+"$4"}
	cmp ours from_text || fail "$2: perf.data and its text differ"
	[ -s ours ] || fail "$2: nothing"
	for threads in 1 2 3 8; do
		"$BATCONV" -q --compat=perf2bolt --threads=$threads "$3" "$2" -o again
		cmp ours again || fail "$2: with $threads threads"
	done
}

# 1. By hand.
python3 "$here/made.py" "$demo/demo.bolt" "$demo/demo.perf.txt" . || exit 1
quietly $perf2bolt "$demo/demo.bolt" -p once.data -o one.fdata || exit 1
convert ours "$demo/demo.bolt" once.data
cmp ours one.fdata || fail "once.data: not perf2bolt's"
total() { awk 'NF == 8 { sum += $8 } END { print sum + 0 }' "$1"; }
one=$(total one.fdata)
scaled() { # N: the profile of N such samples
	awk -v n="$1" 'NF == 8 { $7 *= n; $8 *= n } { print }' one.fdata
}
for name in exec fork dlclose pid-reuse two-bases all; do
	sum=$(awk -v name=$name '$1 == name { sum += $3 } END { print sum }' expected)
	as_text pid,ip,brstack $name.data "$demo/demo.bolt"
	scaled "$sum" | cmp - ours || fail "$name: not $sum times the one sample"
	quietly $perf2bolt "$demo/demo.bolt" -p $name.data -o theirs
	echo "$name: $sum samples, batconv $(($(total ours) / one)), perf2bolt $(awk -v a="$(total theirs)" -v b="$one" 'BEGIN { printf "%.1f", a / b }')"
done
awk '$1 == "all"' expected >each
while read -r _ pid count; do
	convert ours "$demo/demo.bolt" all.data --pid="$pid"
	scaled "$count" | cmp - ours || fail "--pid=$pid: not $count times the one sample"
	echo "  pid $pid: $count, batconv $(($(total ours) / one))"
done <each

# 2. Recorded.  perf's text says which file a sample is in: `(path)`.
perf record -q -e cpu-clock -o perf.data true >perf.log 2>&1 || skip "perf cannot record here: $(tail -n 1 perf.log)"
# One source at two levels: two builds, with a build-id each.
for file in family:family.c:1 prog:family.c:2 lib.so::1; do
	level=${file##*:} source=${file#*:} file=${file%%:*}
	source=${source%:*}
	set -- ${source:+"$here/$source"} "$here/work.c"
	case $file in *.so) set -- -shared -fPIC "$@" ;; esac
	gcc -O"$level" -Wl,-q -o "$file.in" "$@" || exit 1
	quietly $bolt "$file.in" -o "$file" -enable-bat -reorder-blocks=ext-tsp -split-functions -no-huge-pages -reorder-functions=hfsort || exit 1
done
gcc -O0 -shared -fPIC -o other.so "$here/work.c" && gcc -O1 -o host "$here/host.c" -ldl || exit 1

# recorded NAME BINARY [NEWNAME]: each process's samples as perf counts them.  Text has no build-ids, so it takes the new
# name to find a binary that was renamed.
recorded() {
	as_text pid,event,ip "$1.data" "$2" ${3+"--image=$3"}
	perf script -f -F pid,ip,sym,dso -i "$1.data" 2>/dev/null |
		awk -v file="/$(basename "${3-$2}")" '{ at = index($0, file ")"); gone = index($0, file " (deleted))") }
			at || gone { count[$1]++ } END { for (pid in count) print pid, count[pid] }' | sort -n >each
	[ -s each ] || fail "$1: perf sees no sample in $2"
	said=
	while read -r pid count; do
		convert ours "$2" "$1.data" --pid="$pid"
		n=$(inside ours)
		said="$said $n"
		[ "$n" = "$count" ] || fail "$1: pid $pid: $n samples, perf says $count"
	done <each
	told=
	if [ -x $perf2bolt ]; then
		$perf2bolt "$2" -ba -p "$1.data" -o theirs >perf2bolt.log 2>&1 || told=', perf2bolt gives up'
		[ "$told" ] || told=", perf2bolt $(awk 'NF == 4 { sum += $4 } END { print sum + 0 }' theirs) in functions"
		convert ours "$2" "$1.data"
	fi
	echo "recorded $1: in each process$said$told, batconv $(awk 'NF == 4 { sum += $4 } END { print sum + 0 }' ours)"
}

record() { # NAME OPTION... -- COMMAND
	name=$1
	shift
	perf record -q -F 2000 -o "$name.data" "$@" >ran 2>&1 || { cat ran; fail "perf record $*"; }
}
rounds=100000
record plain -e cpu-clock -- ./family $rounds one
recorded plain family
if perf record -q -z -e cpu-clock -o zstd.data true 2>/dev/null >&2; then
	record zstd -z -e cpu-clock -- ./family $rounds one
	recorded zstd family
fi
record events -e cpu-clock -e task-clock -e page-faults -- ./family $rounds one
recorded events family
for event in cpu-clock task-clock page-faults; do
	n=$(perf script -F event -i events.data 2>/dev/null | grep -c "$event")
	convert ours family events.data --force --event=$event 2>told # there may be no page fault in it
	left=$(python3 "$SOURCE/tests/support/check_stats.py" ours.stats samples.read samples.dropped.other_event |
		awk '{ print $2 }' | tr '\n' ' ')
	[ "$((${left% * } - ${left#* }))" = "$n" ] || fail "--event=$event: $left, perf says $n"
done
record build-ids --buildid-mmap -e cpu-clock -- ./family $rounds one
recorded build-ids family
record fork -e cpu-clock -- ./family $rounds
recorded fork family
record exec -e cpu-clock -- sh -c "./family $rounds one & ./prog $rounds one; wait; exec ./family $rounds one"
recorded exec family
recorded exec prog
record dlclose -e cpu-clock -- ./host ./lib.so ./other.so $rounds
cat ran
recorded dlclose lib.so

# Through a pipe: nothing is known beforehand, nothing follows.
perf record -q -F 2000 -e cpu-clock -o - ./family $rounds one 2>/dev/null >pipe.data
"$BATCONV" -q --compat=perf2bolt family - <pipe.data -o piped || fail 'batconv from a pipe'
recorded pipe family
cmp piped from_text || fail 'a pipe and the same bytes in a file differ'

# The binary goes while it runs: perf, which comes later, finds it renamed, or deleted.
gone() { # NAME COMMAND...
	name=$1
	shift
	cp family running
	./running 100000000 one &
	pid=$!
	sleep 0.1
	"$@"
	record "$name" -e cpu-clock -p $pid -- sleep 0.2
	kill $pid
	wait $pid 2>/dev/null
}
gone deleted rm running
cp family running
recorded deleted running
gone replaced mv prog running
cp family running
recorded replaced running
gone renamed mv running elsewhere
cp family running
recorded renamed running elsewhere
finish
