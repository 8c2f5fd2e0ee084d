#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Command lines of perf2bolt, merge-fdata and llvm-bolt-heatmap as people use them, with their sources (command-lines.tsv): the exit
# codes and files of the genuine tools of 22, where they are installed, and those recorded.
. "$(dirname "$0")/../lib.sh"
own_folder
peer="$SOURCE/tests/peers"
run() {
	python3 "$SOURCE/tests/support/command_lines.py" "$peer/command-lines.tsv" "$BATCONV" "$demo" "$SOURCE/scripts/compare-yaml" "$@" || fail "command lines"
}
if have 22 && command -v perf >/dev/null; then
	run --genuine=/usr/lib/llvm-22/bin
else
	leave_out "no perf (apt install linux-perf)"
	run
fi
finish
