#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# batconv in perf2bolt's role compared with perf2bolt 22: exit codes, profiles, and the lines that scripts read; and that
# docs/perf2bolt.md has every option that perf2bolt shows.
. "$(dirname "$0")/../lib.sh"
own_folder
perf2bolt=/usr/lib/llvm-22/bin/perf2bolt
need $perf2bolt bolt-22
need perf linux-perf
ln -s "$BATCONV" perf2bolt

# Lines that are not batconv's: the list of docs/perf2bolt.md, "What it prints".
perf_at_work='spawning perf|waiting for perf|parsing|parse |matched build-id'
of_the_binary='BOLT version|creating new program header|forcing -jump-tables|processing ending on|unknown control flow'
warnings='PERF2BOLT-WARNING|BOLT is estimated|the output profile is empty'
ours='^PERF2BOLT-WARNING: the samples may be of another build' # perf2bolt does not compare samples with code
lines() {
	case $1 in
	*.err) grep -E "$warnings" "$1" | grep -v "$ours" ;;
	*) grep -vE "$perf_at_work|$of_the_binary|BOLT-WARNING: Running" "$1" | sed 's/ to [a-z.]*$//' ;;
	esac
}

# `beside` ARGUMENT...: the same exit code, profile and lines on stdout and on stderr. In basic profiles the order is
# perf2bolt's own; of samples in cold code it makes several locations of one, so the number of objects can differ.
beside() {
	rm -f ours theirs
	./perf2bolt "$@" -o ours >ours.log 2>ours.err
	our_code=$?
	$perf2bolt "$@" -o theirs >theirs.log 2>theirs.err
	[ $our_code = $? ] || fail "$*: exit codes"
	[ $our_code = 0 ] || return
	for log in log err; do
		lines ours.$log >ours.lines
		lines theirs.$log >theirs.lines
		case $* in *-ba*) sed -i '/: wrote/d' ours.lines theirs.lines ;; esac
		diff theirs.lines ours.lines || fail "$*: lines"
	done
	grep -h 'wrote\|mismatching\|density >=' ours.log
	case $* in
	*-ba*) "$SOURCE/scripts/compare-fdata" --basic "$1" theirs ours || fail "$*" ;;
	*) cmp theirs ours || fail "$*" ;;
	esac
}
beside "$demo/demo.bolt" -p "$demo/demo.perf.data"
beside "$demo/demo.bolt" -pa -p "$demo/demo.preagg"
beside "$demo/demo.bolt" -ba -p "$demo/demo.basic.perf.data"
beside "$demo/demo" -pa -p "$demo/demo.preagg"
# Branches made up by hand, on no branch instruction: a few of them are converted, as perf2bolt does.
printf 'T 7022 714d 7153 4\nT 7154 7172 7178 2\nB 700d 7213 2 0\n' >made
beside "$demo/demo.bolt" -pa -p made
for b in b19 b22; do
	beside "$sqlite/sq.$b" --pa --perfdata "$sqlite/$b.preagg"
	beside "$sqlite/sq.$b" -p="$sqlite/lbr.$b.data"
	beside "$sqlite/sq.$b" -p "$sqlite/lbr.$b.data" -max-samples=300
	beside "$sqlite/sq.$b" -ba -p "$sqlite/ip.$b.data"
done
for samples in "$INPUTS"/aarch64/*.preagg "$INPUTS"/riscv64/*.preagg; do
	case $samples in *made*) continue ;; esac
	survives $perf2bolt "${samples%.preagg}" -pa -p "$samples" -o again ||
		{ leave_out "perf2bolt 22 crashes on $(basename "${samples%.preagg}")"; continue; }
	beside "${samples%.preagg}" -pa -p "$samples"
done
beside "$sqlite/sq" -p "$sqlite/lbr.input.data"
beside "$sqlite/sq" -pa -p "$sqlite/input.preagg"
beside "$sqlite/sq.b22" -p nope
beside "$sqlite/sq.b22" -p "$sqlite/lbr.b22.data" -frob
beside nope -p "$sqlite/lbr.b22.data"

# What is printed at the end, and which functions are looked at.
moved="$sqlite/sq.b22 -pa -p $sqlite/b22.preagg" input="$sqlite/sq -pa -p $sqlite/input.preagg -strict=0"
printf 'sqlite3DbFree/1\nsqlite3P.*\n' >names
while read -r options; do
	# shellcheck disable=SC2086  # a list of words
	beside $moved $options
done <<'END'
-show-density
-show-density -profile-density-cutoff-hot=900000 -profile-density-threshold=3
-impute-trace-fall-through
-lite=0
-funcs=sqlite3VdbeExec
-funcs=sqlite3.*/1,balance.*
-funcs=sqlite3.*/sqlite3.c/1
-funcs-file=names
-funcs-file-no-regex=names
-funcs-no-regex=sqlite3DbFree,sqlite3DbFree/1
-skip-funcs=sqlite3.*
-skip-funcs-file=names
-skip-funcs=sqlite3.* -max-funcs=50
-funcs=sqlite3.* -max-funcs=50
-max-funcs=0
-max-funcs=1
-max-funcs=100
-max-funcs=100 -lite=0
-max-funcs=1000
END
for options in '' -max-funcs=100 '-skip-funcs=sqlite3.*' -funcs=sqlite3VdbeExec; do
	# shellcheck disable=SC2086
	beside $input $options
done
beside "$sqlite/sq.b22" -p "$sqlite/lbr.b22.data" -max-samples=300 -max-funcs=30
beside "$sqlite/sq.b22" -p "$sqlite/lbr.b22.data" -max-samples=3

# Options of llvm-bolt, as scripts leave them on the command line: nothing changes, in either.
for option in -use-old-text -update-debug-sections -enable-bat -no-threads -thread-count=2 -dyno-stats -print-profile-stats \
	-infer-stale-profile -stale-threshold=50 -profile-ignore-hash -reorder-blocks=ext-tsp -reorder-functions=none \
	-split-functions -split-all-cold -jump-tables=move -infer-fall-throughs -time-opts -time-rewrite -hot-data -print-unknown \
	-block-size=64 -trap-old-code -icf=1 -align-blocks -peepholes=all -heatmap=map -profile-write-pseudo-probes; do
	rm -f ours theirs
	quietly ./perf2bolt "$demo/demo.bolt" -pa -p "$demo/demo.preagg" $option -o ours || fail "$option"
	quietly $perf2bolt "$demo/demo.bolt" -pa -p "$demo/demo.preagg" $option -o theirs || fail "$option: perf2bolt"
	cmp theirs ours || fail "$option"
done

# in_order PROGRAM ARGUMENT...: stdout and stderr in one file, or one pipe: the lines of both in the order of the peer's.
their_own="$perf_at_work|$of_the_binary|BOLT-WARNING: (ignoring symbol|split function|Running)"
in_order() {
	program=$1
	shift
	"/usr/lib/llvm-22/bin/$program" "$@" -o theirs >log 2>&1
	grep -vE "$their_own" log | sed 's/ to theirs/ to ours/' >theirs.lines
	"./$program" "$@" -o ours >log 2>&1
	grep -vE '^(perf2bolt|PERF2BOLT-WARNING): (THE|-)' log | diff theirs.lines - || fail "$program $*: the order in a file"
	"./$program" "$@" -o ours 2>&1 | cat >piped
	diff log piped || fail "$program $*: the order in a pipe"
}
ln -s "$BATCONV" llvm-bolt-heatmap
in_order perf2bolt "$demo/demo.bolt" -p "$demo/demo.perf.data"
in_order perf2bolt "$demo/demo.bolt" -ba -p "$demo/demo.basic.perf.data"
in_order perf2bolt "$demo/demo" -pa -p "$demo/demo.preagg"
in_order llvm-bolt-heatmap "$demo/demo.bolt" -pa -p "$demo/demo.preagg"

# What scripts ask the three programs first.
ln -s "$BATCONV" merge-fdata
for program in perf2bolt merge-fdata llvm-bolt-heatmap; do
	for option in --help --help-hidden --help-list --help-list-hidden; do
		"/usr/lib/llvm-22/bin/$program" $option >theirs && ./$program $option >ours || fail "$program $option"
		[ $option != --help ] || [ "$(grep -o "^USAGE: $program" theirs)" = "$(grep -o "^USAGE: $program" ours)" ] || fail "$program: USAGE"
	done
	"/usr/lib/llvm-22/bin/$program" --version | grep -o 'LLVM version [0-9.]*' >theirs
	./$program --version | grep -o 'LLVM version [0-9.]*' | cmp - theirs || fail "$program --version"
done
# merge-fdata's lines on stderr.
quietly ./perf2bolt "$demo/demo.bolt" -p "$demo/demo.perf.data" -o f.fdata -w f.yaml
for words in 'f.fdata' 'f.fdata f.fdata' 'f.yaml f.yaml' '-q f.yaml' '--print=none f.yaml' '--print-options f.fdata'; do
	# shellcheck disable=SC2086  # words
	/usr/lib/llvm-22/bin/merge-fdata $words 2>theirs >/dev/null
	# shellcheck disable=SC2086
	./merge-fdata $words 2>&1 >/dev/null | diff theirs - || fail "merge-fdata $words: stderr"
done

for shown in $($perf2bolt --help-hidden | sed -n 's/^  --*\([a-z-]*\)[= ].*/\1/p'); do
	grep -qE "^\|.*\`--?${shown}[=\` ]" "$SOURCE/docs/perf2bolt.md" || fail "docs/perf2bolt.md: no $shown"
done
finish
