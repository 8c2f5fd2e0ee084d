#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Types of branches: perf's text says the same as perf.data; perf2bolt 22 knows none (returns-23.sh has 23).
. "$(dirname "$0")/../lib.sh"
own_folder
need perf linux-perf
typed=$sqlite/typed.b22.data untyped=$dir/untyped.data
python3 "$SOURCE/tests/support/branch_flags.py" untyped "$typed" "$untyped"
as_perf2bolt() { # SAMPLES
	"$BATCONV" -q --compat=perf2bolt "$sqlite/sq.b22" "$1" -o ours || fail "batconv on $1: exit $?"
}

# perf's text is perf.data in other words.
for samples in "$typed" "$untyped"; do
	perf script -i "$samples" --show-mmap-events --show-task-events -F pid,ip,brstack >text || fail "perf script: exit $?"
	as_perf2bolt "$samples" && mv ours want
	as_perf2bolt text && cmp ours want || fail "text of $samples"
done
grep -c '/RET' text | grep -qx 0 || fail 'there are types in the text of a recording without'

# 22 knows no types: it writes the same of both, and so is --compat=perf2bolt of the one without.
have 22 && {
	for samples in "$typed" "$untyped"; do
		quietly /usr/lib/llvm-22/bin/perf2bolt "$sqlite/sq.b22" -p "$samples" -o told || fail 22
		as_perf2bolt "$untyped"
		cmp told ours || fail "22 on $samples"
	done
	# A return's bytes inside an instruction of a function that was ignored.
	printf 'B %s b3c0 1 0\n' 20326 2034f 203bd 203ea >inside
	quietly /usr/lib/llvm-22/bin/perf2bolt "$sqlite/sq.b22" --pa -p inside -o told
	"$BATCONV" -q --force --compat=perf2bolt "$sqlite/sq.b22" inside -o ours
	cmp told ours && [ "$(wc -l <ours)" = 5 ] || fail 'inside an instruction'
}
finish
