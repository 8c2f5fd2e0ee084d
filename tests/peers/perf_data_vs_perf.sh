#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the reader delivers of perf.data is what perf script prints of it: for the
# files of tests/support/perf_cases.c, and for recordings made here.
# The reader's side comes from tests/peers/perf_data_tool.c: PERF_DATA_TOOL, or next to BATCONV.
. "$(dirname "$0")/../lib.sh"
own_folder
set -eu
tool=${PERF_DATA_TOOL:-$(dirname "$BATCONV")/tests/perf_data_tool}
need perf linux-perf
[ -x "$tool" ] || { echo "no $tool"; exit 1; }

# Lines of perf script as the tool prints them: perf.data -> stdout
their_lines() {
	script() {
		perf script -f -G -F "$1" --show-task-events --show-mmap-events -i "$2" 2>err </dev/null
	}
	{ script pid,event,ip,brstack "$1" || script pid,event,ip "$1"; } | python3 -c '
import re, sys
def number(text): return "%x" % int(text, 16)
for line in sys.stdin:
	record = re.search(r"PERF_RECORD_(\w+)(.*)", line)
	if not record:
		words = line.split()
		if not words: continue
		if len(words) < 3: words.append("0")
		stack = ["/".join(entry.split("/")[:3]) for entry in words[3:]]
		print("SAMPLE", int(words[0]) & 0xffffffff, words[1], words[2], *stack)
		continue
	kind, rest = record.groups()
	if kind in ("MMAP", "MMAP2"):
		m = re.match(r"\s*(-?\d+)/\s*(-?\d+): \[(\w+)\((\w+)\) @ (\w+)[^]]*\]: (\S+) (.*)", rest)
		print("MAP", int(m[1]) & 0xffffffff, number(m[3]) + "+" + number(m[4]), "@" + number(m[5]), "x" if "x" in m[6] else "-", m[7])
	elif kind == "COMM" and rest.startswith(" exec"):
		print("EXEC", re.search(r":(\d+)/\d+$", rest.strip())[1])
	elif kind in ("FORK", "EXIT"):
		m = re.match(r"\((\d+):(\d+)\):\((\d+):(\d+)\)", rest)
		print("FORK", m[3], m[1]) if kind == "FORK" else print("EXIT", m[1], m[2])
'
}

# Without build-ids, which perf script does not show.
our_lines() {
	"$tool" --dump "$@" | sed -E '/^MAP /s/ [0-9a-f]{40}$//'
}

compare() { # NAME FILE [MORE FILES]
	name=$1
	shift
	if [ "$#" = 1 ]; then shown=$1; else shown=$(dirname "$1"); fi
	their_lines "$shown" >theirs
	our_lines "$@" >ours
	# Records of one time on two processors are in no order.
	case $name in threads*) for f in ours theirs; do sort -o $f $f; done ;; esac
	if cmp -s ours theirs && [ -s ours ]; then
		echo "$name: $(wc -l <ours) lines are equal"
	else
		diff ours theirs | head -6
		fail "$name: differs"
	fi
}

for case in $("$tool" --cases); do
	"$tool" --build "$case" >"$case.data"
	compare "built $case" "$case.data"
done

cat >load.sh <<'LOAD'
i=0
while [ $i -lt 20 ]; do /bin/true; (exit 0); i=$((i + 1)); done
(seq 30000 | md5sum) & (seq 30000 | sha1sum) & wait
LOAD
record() { # NAME OPTIONS
	name=$1
	shift
	if perf record -q -F 2000 -o "$name.data" "$@" sh load.sh >/dev/null 2>err; then
		compare "recorded $name" "$name.data"
	else
		echo "recorded $name: perf cannot ($(head -1 err))"
	fi
}
record plain -e cpu-clock
record user -e cpu-clock:u
record compressed -e cpu-clock -z
record two -e cpu-clock,page-faults -d
record buildid-mmap -e cpu-clock --buildid-mmap
record chains -e cpu-clock -g -d
record timeless -e cpu-clock --no-timestamp
record registers -e cpu-clock --intr-regs --user-regs -W
if perf record -q -e cpu-clock -z -o - sh load.sh 2>err >pipe.data; then
	compare "recorded pipe" pipe.data
fi
if perf record -q -e cpu-clock --threads -o threads.data sh load.sh >/dev/null 2>err; then
	compare "threads" threads.data/data threads.data/data.*
fi
finish
