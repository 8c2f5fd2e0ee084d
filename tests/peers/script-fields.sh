#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The demo's recording as perf script prints it with each list of fields of script-fields.tsv: the profile of the text is that of the
# recording ("same"), it is of basic samples ("plain"), or the refusal has the words of the second column.  Fields that were not recorded
# perf refuses itself.  Where brstackoff prints offsets ("offsets"), these branches are lost, as no entry says so: of files that perf has not read.  PERF_OF_SPE names a later perf, which prints other forms.
. "$(dirname "$0")/../lib.sh"
own_folder
need perf linux-perf
list=$SOURCE/tests/peers/script-fields.tsv
tab=$(printf '\t')
"$BATCONV" -q --no-input "$demo/demo.bolt" "$demo/demo.perf.data" -o want || exit
cp "$demo/demo.perf.data" recording

check() { # PERF FIELDS... EXPECTED is set
	perf=$1
	shift
	timeout 60 "$perf" script -f --show-mmap-events --show-task-events -i recording "$@" >text 2>perf.log </dev/null || { refused=$((refused + 1)); return; }
	"$BATCONV" -q --no-input "$demo/demo.bolt" text -o got 2>why
	code=$?
	case $code,$expected in
	0,offsets) [ "$(wc -l <got)" -le "$(wc -l <want)" ] || fail "$perf $*: more records" ;;
	0,same) cmp -s got want || fail "$perf $*: another profile" ;;
	0,plain) head -n 1 got | grep -q no_lbr || fail "$perf $*: no plain samples" ;;
	[13],same | [13],plain) fail "$perf $*: exit $code: $(tail -n 1 why)" ;;
	[13],*) grep -q "$expected" why || fail "$perf $*: $(tail -n 1 why)" ;;
	*) fail "$perf $*: exit $code" ;;
	esac
	checked=$((checked + 1))
}

for perf in perf ${PERF_OF_SPE:+"$PERF_OF_SPE"}; do
	checked=0 refused=0
	while IFS="$tab" read -r fields expected; do
		# shellcheck disable=SC2086  # options of perf, apart by blanks
		check "$perf" $fields
	done <"$list"
	echo "$($perf --version): $checked lists read as expected, $refused refused by perf"
	[ $checked -ge 30 ] || fail "$perf: only $checked lists"
done
finish
