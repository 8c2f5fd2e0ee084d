#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A binary after llvm-strip: with the table kept it works as far as table and segments carry, with one warning; without
# it there is nothing to convert with.  (GNU strip refuses or breaks a BOLTed file.)
. "$(dirname "$0")/../lib.sh"
own_folder
strip=/usr/lib/llvm-22/bin/llvm-strip
need $strip llvm-22
need perf linux-perf

$strip --keep-section=.note.bolt_bat -o stripped "$demo/demo.bolt"
perf record -q -e cpu-clock -F 2000 -o perf.data ./stripped 6000000 >ran 2>perf.log ||
	skip "perf cannot record here: $(tail -n 1 perf.log)"
"$BATCONV" --stats-file=stats stripped perf.data -o stripped.fdata 2>report || fail "exit $?"
python3 "$SOURCE/tests/support/check_stats.py" stats binary.stripped samples.kept
[ "$(grep -c 'warning: stripped' report)" = 1 ] || { cat report; fail 'not one warning'; }
# The same samples under the names of the binary before: the same offsets and counts, if not the same names.
"$BATCONV" -q "$demo/demo.bolt" "$demo/demo.preagg" -o whole.fdata || fail "exit $?"
"$BATCONV" -q stripped "$demo/demo.preagg" -o stripped.fdata || fail "exit $?"
numbers() { awk 'NF == 8 && $1 == 1 && $4 == 1 && $2 == $5 && $2 !~ /PLT/ { print $3, $6, $7, $8 }' "$1" | sort; }
numbers whole.fdata >whole.numbers
numbers stripped.fdata >stripped.numbers
same=$(comm -12 whole.numbers stripped.numbers | grep -c .)
echo "within functions: $(grep -c . whole.numbers) lines, $same of them also after llvm-strip"
[ $((same * 10)) -ge $(($(grep -c . whole.numbers) * 9)) ] || fail 'other offsets'

# The stripped program ran, and the file before llvm-strip is at hand: its segments lie elsewhere in the file.
"$BATCONV" --image=stripped --stats-file=stats.whole "$demo/demo.bolt" perf.data -o unstripped.fdata 2>report ||
	fail "unstripped: exit $?"
kept() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["samples"]["kept"])' "$1"; }
echo "samples kept: $(kept stats) by the stripped file, $(kept stats.whole) by the one before"
[ "$(kept stats)" = "$(kept stats.whole)" ] || { cat report; fail 'samples are lost'; }

# That of LLVM 14, which Debian 12 has, damages the file, although the section is kept.
strip14=/usr/lib/llvm-14/bin/llvm-strip
if [ -x $strip14 ]; then
	$strip14 --keep-section=.note.bolt_bat -o damaged "$demo/demo.bolt"
	"$BATCONV" -q damaged "$demo/demo.preagg" -o none 2>told
	[ $? = 1 ] && [ ! -e none ] && grep -q '^batconv: hint: llvm-strip 14 and its objcopy damage a BOLTed file so: give the file from before$' told ||
		{ cat told; fail 'a file of llvm-strip 14'; }
else
	leave_out 'no llvm-strip 14 (apt install llvm-14)'
fi

$strip -o bare "$demo/demo.bolt"
"$BATCONV" -q bare "$demo/demo.preagg" -o none 2>told
[ $? = 1 ] && [ ! -e none ] && grep -q 'bare: has no table (.note.bolt_bat): llvm-bolt wrote it, and it was stripped since' told || { cat told; fail 'without the table'; }
finish
