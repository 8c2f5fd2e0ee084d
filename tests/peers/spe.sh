#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Arm SPE.  First what batconv reads of perf.data compared with what perf prints of it, of each form of recording that tests/support/spe_data.py
# writes: PERF_OF_SPE, or perf, if it is of 6.15 or later.  Then perf2bolt 22 --spe compared with batconv: both read what perf 7.2 printed of the
# traces (inputs/MANIFEST.md); the perf that is installed may know no stacks of SPE, so one that prints this text replaces it.
. "$(dirname "$0")/../lib.sh"
own_folder
arm=$INPUTS/aarch64

# ---- perf, of the same recordings ----
newest=${PERF_OF_SPE-perf} no_perf=
printed() { # RECORDING TEXT
	"$newest" script -i "$1" --show-mmap-events --show-task-events -F pid,ip,brstack --itrace=bl >"$2" 2>perf.log
}
python3 "$SOURCE/tests/support/spe_data.py" "$arm/sorts.spe.txt" x.data times
if printed x.data printed.txt && grep -q ' 0x0/0x' printed.txt; then
	for binary in sorts sorts.b22; do
		text=$arm/$binary.spe.txt
		entries() {
			sed -n 's/^ *\(-*[0-9]*\) .* \(0x[1-9a-f].*\)/\1 \2/p' "$1" | sed 's,/[0-9]*/\([A-Z_]*\)/-,/N/\1/-,; s/ *$//'
		}
		entries "$text" >whole.txt
		for words in '' times pipe-times old 'old cpu times context' 'cpu times context' 'cpu times context pipe' wide 'wide times context cpu' 'loads times' \
			alone 'alone times' collisions 'cpu times switch' 'cpu times switch context'; do
			words=$(echo "$words" | tr - ' ')
			# shellcheck disable=SC2086 # words
			python3 "$SOURCE/tests/support/spe_data.py" "$text" x.data $words || fail "$words: not written"
			printed x.data printed.txt || fail "$binary, $words: $(cat perf.log)"
			entries printed.txt >theirs.txt
			# perf prints what was inserted.  For other threads and without previous targets it is other text.
			case $words in
			*switch*) sed 's/^-*[0-9]* //' theirs.txt >a && sed 's/^-*[0-9]* //' whole.txt | cmp - a || fail "$binary, $words: perf prints another trace" ;;
			*alone*) sed 's/ *0x0.*//' whole.txt | cmp - theirs.txt || fail "$binary, $words: perf prints another trace" ;;
			*) cmp whole.txt theirs.txt || fail "$binary, $words: perf prints another trace" ;;
			esac
			for how in --compat=perf2bolt '' --format=preagg; do
				"$BATCONV" -q $how "$arm/$binary" printed.txt -o of-text || fail "$binary, $words $how: of perf's text"
				"$BATCONV" -q $how "$arm/$binary" x.data -o of-trace || fail "$binary, $words $how: of the trace"
				cmp of-text of-trace || fail "$binary, $words $how: another profile than of perf's text"
			done
			echo "$binary, ${words:-plain}: $(wc -l <theirs.txt) branches, as perf prints them"
		done
	done
else
	# Debian 12 and 13 have none, so no run of the tests requires it.
	no_perf='skipped in part: no perf that prints branches of SPE (6.15 or later; PERF_OF_SPE names one)'
	echo "$no_perf"
fi

# ---- perf2bolt, of perf's text ----
have 22 || finish
perf2bolt=/usr/lib/llvm-22/bin/perf2bolt
mkdir bin
cat >bin/perf <<'END'
#!/bin/sh
case "$*" in
*-F*brstack*--itrace=bl*) sed -n '/PERF_RECORD/d; s/^\( *[0-9]*\)  *[0-9a-f]* /\1 /p' "$text" ;;
*--show-mmap-events*) sed -n '/MMAP2/s/^ *4242/demo 4242 [000]/p' "$text" ;;
*--show-task-events*) sed -n '/COMM\|EXIT/s/^ *4242/demo 4242 [000]/p' "$text" ;;
esac
END
chmod +x bin/perf
PATH=$PWD/bin:$PATH
export PATH text

# both BINARY: theirs, ours under its name, and best, by default
both() {
	python3 "$SOURCE/tests/support/spe_data.py" "$text" x.data times
	$perf2bolt --spe -p x.data "$arm/$1" -o theirs >perf2bolt.log 2>&1 || { cat perf2bolt.log; fail "perf2bolt on $1"; }
	"$BATCONV" perf2bolt --spe -p x.data "$arm/$1" -o ours >batconv.log 2>&1 || { cat batconv.log; fail "batconv perf2bolt on $1"; }
	"$BATCONV" -q --compat=perf2bolt "$arm/$1" "$text" -o compat || fail "batconv --compat on $1"
	cmp ours compat || fail "$1: under perf2bolt's name another profile"
	"$BATCONV" -q "$arm/$1" "$text" -o best || fail "batconv on $1"
}
edges() { # PROFILE INPUT
	python3 "$SOURCE/scripts/fidelity" --input="$arm/$2" "$arm/expected/$2.fdata" "$1" | sed -n 's/^edges *//p'
}
said() { # BINARY INPUT
	echo "$1: perf2bolt $(wc -l <theirs) records, edges $(edges theirs "$2"); batconv $(wc -l <best), $(edges best "$2")"
}
for binary in sorts sorts.b22; do
	text=$arm/$binary.spe.txt
	both $binary
	cmp theirs "$arm/expected/$binary.spe.fdata" || fail "$binary: perf2bolt's profile is not what inputs/ has"
	cmp theirs ours || fail "$binary: not perf2bolt's profile"
	said $binary sorts
	for line in 'read' 'PERF2BOLT: wrote' 'BOLT-INFO: .* functions in the binary'; do
		[ "$(grep "$line.*\(entries\|objects\|profile\)" perf2bolt.log | sed 's/ to .*//')" = \
			"$(grep "$line.*\(entries\|objects\|profile\)" batconv.log | sed 's/ to .*//')" ] || fail "$binary: another line: $line"
	done
done

# Without previous targets: the same.
sed 's| *0x0/.*||' "$arm/sorts.spe.txt" >alone.txt
text=$PWD/alone.txt
both sorts
cmp theirs ours || fail 'alone: not perf2bolt'"'"'s profile'
cmp ours best || fail 'alone: --compat=perf2bolt changes the profile'
said sorts sorts

# At a fixed address perf2bolt takes `no source` for address 0.
text=$arm/sorts.exec.spe.txt
both sorts.exec
grep -q '^0 \[unknown\] 0 1 heap/1 18 ' theirs || fail 'sorts.exec: perf2bolt has no branch from address 0'
! grep '^0 \[unknown\]' ours best || fail 'sorts.exec: a branch from address 0'
grep -v '^0 \[unknown\]' theirs | cmp - ours || fail 'sorts.exec: another difference'
said sorts.exec sorts.exec
[ "$failures" != 0 ] || [ -n "$left_out" ] || [ -z "$no_perf" ] || exit 77
finish
