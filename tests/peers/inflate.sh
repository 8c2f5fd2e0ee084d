#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# scripts/inflate-perf-data on recordings of branches and of addresses: perf script prints each sample
# three times, in the order of time, and each other record once; batconv counts three times as much.
. "$(dirname "$0")/../lib.sh"
own_folder
need perf linux-perf
text() {
	case $1 in *lbr* | *demo.perf*) fields=time,ip,brstack ;; *) fields=time,ip ;; esac
	perf script -f --ns --show-mmap-events --show-task-events --show-round-events -F $fields -i "$1"
}
# shellcheck disable=SC2016  # a program of awk
in_time='{ gsub(/[:.]/, "", $1); if ($1 + 0 < last) exit 1; last = $1 + 0 }'
try() { # BINARY RECORDING
	name=$(basename "$2")
	"$SOURCE/scripts/inflate-perf-data" "$2" "three.$name" 3 || { fail "$name"; return; }
	text "$2" >one.txt && text "three.$name" >three.txt ||
		{ fail "$name: perf script: exit $?"; return; }
	for of in one three; do
		grep PERF_RECORD_ $of.txt | sed 's/^ *[0-9.]*: //' >$of.records
		grep -v PERF_RECORD_ $of.txt | sed 's/^ *[0-9.]*: *//' | sort >$of.samples
	done
	cmp one.records three.records || fail "$name: other records"
	awk '{ print; print; print }' one.samples | cmp - three.samples ||
		fail "$name: not each sample three times"
	grep '^ *[0-9]' three.txt | awk "$in_time" || fail "$name: the times run backwards"
	"$BATCONV" -q --compat=perf2bolt "$1" "$2" -o one.fdata || fail "$name: batconv: exit $?"
	[ "$(wc -l <one.fdata)" -gt 10 ] || fail "$name: a profile of $(wc -l <one.fdata) lines"
	"$BATCONV" -q --compat=perf2bolt "$1" "three.$name" -o three.fdata ||
		fail "$name, three times: batconv: exit $?"
	"$BATCONV" merge -q --weight=3 one.fdata -o sum.fdata || fail "$name: merge: exit $?"
	cmp sum.fdata three.fdata || fail "$name: not three times the profile"
	echo "$name: $(wc -l <one.samples) samples, $(wc -l <one.records) records"
}
try "$demo/demo.bolt" "$demo/demo.perf.data"
try "$demo/demo.bolt" "$demo/demo.basic.perf.data"
for b in b16 b19 b22; do
	try "$sqlite/sq.$b" "$sqlite/lbr.$b.data"
	try "$sqlite/sq.$b" "$sqlite/ip.$b.data"
done
finish
