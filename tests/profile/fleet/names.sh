#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# examples/fleet with names that a shell, GNU parallel, perl or printf would take for something else: of the programs
# themselves, the list, the recordings, the binary, the output, TMPDIR, batconv and its options.  No part of a name is
# executed, and the result is that of one run.  Slurm: slurm.sh.
# shellcheck disable=SC2016,SC2163 # nothing of these names is to be expanded; what is exported is NAME=VALUE
set -eu
export LC_ALL=C
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
demo=$SOURCE/inputs/demo
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/hostile.sh"
cd "$work"
failed=0
wrong() { printf 'wrong: %q\n' "$*"; failed=1; }

# gives EXIT WAY [NAME=VALUE...]: in the directory of odd names; what is said is in `said`
gives() {
	local want=$1 way=$2 code=0
	shift 2
	(cd "./$name" && export "$@" && "$work/$name/-fleet/batconv-fleet" "$way") >said 2>&1 </dev/null || code=$?
	[ $code = "$want" ] || { wrong "$way: exit $code, not $want"; cat said; }
	if [ -n "$(find . -name 'INJECTED*')" ]; then
		wrong "$way: a part of a name was executed"
		find . -name 'INJECTED*' -delete
	fi
	[ -z "$(find . -name '.tmp.*')" ] || wrong "$way: files are left"
}

said() { grep -q -- "$1" said || { wrong "nothing said of '$1'"; cat said; }; }

# same OUT: the result of all recordings
same() {
	zstd -dcq <"$1/result/merged.zst" | cmp - whole.preagg || wrong "$1: samples"
	cmp "$1/result/profile.fdata" whole.fdata || wrong "$1: profile"
}

mkdir -p "./$name/-fleet" "./$name/$name r/$name" plain
"$here/cut_recording.py" "$demo/demo.perf.data" 5 plain
"$BATCONV" -q --format=preagg "$demo/demo.bolt" plain/*.data -o whole.preagg
"$BATCONV" -q "$demo/demo.bolt" plain/*.data -o whole.fdata
for file in batconv-fleet batconv-fleet-step share.sh; do cp "$SOURCE/examples/fleet/$file" "./$name/-fleet"; done
printf '#!/bin/sh\nexec "$REAL" "$@"\n' >"./$name/-batconv $name"
chmod +x "./$name/-batconv $name"
cp "$demo/demo.bolt" "./$name/-binary $name"
for i in 1 2 3; do cp plain/$i.data "./$name/$name r/-$i $name"; done
cp plain/4.data "./$name/-4 $name"
cp plain/5.data "./$name/$name r/$name/-5" # a directory is one recording
mkdir "./$name/-tmp $name"
export REAL=$BATCONV BATCONV="./-batconv $name" BINARY="-binary $name" LIST="-list $name" TMPDIR="-tmp $name" FILES=2

# names with newlines, and relative ones; the tab in them is none before a weight, as one follows
(
	cd "./$name"
	find "./$name r" -mindepth 1 -maxdepth 1 -printf '%p\t1\0'
	printf '%s\t01\0' "-4 $name"
) >"./$name/-list $name"

gives 0 parallel OUT="-o1 $name" PARTS=2
same "$name/-o1 $name"
said '5 read, 5 used'
gives 0 parallel OUT="-o1 $name"
gives 0 status OUT="-o1 $name"
mkdir bin
printf '#!/bin/sh\necho another program of this name\n' >bin/parallel
chmod +x bin/parallel
gives 0 parallel OUT="-o2 $name" PATH="$work/bin:$PATH" # by xargs
same "$name/-o2 $name"
if parallel --version 2>/dev/null | grep -q ^GNU; then
	gives 0 pipe OUT="-o3 $name"
	same "$name/-o3 $name"
else
	echo 'skipped: pipe: no GNU parallel'
fi
gives 0 parallel OUT='-o;touch INJECTED;'
same "$name/-o;touch INJECTED;"

# A name in an option, in the form that words have
quoted=
for ((i = 0; i < ${#name}; i++)); do quoted+=\\${name:i:1}; done
mkdir "./$name/-debug $name"
gives 0 parallel OUT=o4 FINAL_OPTIONS="--stats=json '--stats-file=-stats '$quoted" OPTIONS="--debug-dir=\"-debug \"$quoted  --threads=1"
grep -q batconv-stats <"./$name/-stats $name" || wrong 'no file of an option'
same "$name/o4"
gives 2 parallel OUT=o5 OPTIONS="--event='cycles"
said 'OPTIONS: a quote without its end'
gives 1 parallel OUT=o5 OPTIONS='--threads=1 --input=prog'
said 'OPTIONS: .*/prog: cannot be read'
gives 2 parallel OUT=o5 OPTIONS='--threads=1 --input'
said 'OPTIONS: --input: no file is given'

# What is reported of a recording is one line, whatever its name
printf rubbish >"./$name/-bad $name"
(cat "./$name/$LIST" && printf '%s\t1\0' "-bad $name") >"./$name/list.bad"
gives 1 parallel OUT=o6 LIST=list.bad
grep -v '^batconv-fleet: ' said && wrong 'not one line on a bad recording'
said 'bad: .*-bad .*: '
gives 0 parallel OUT=o6 LIST=list.bad MAX_BAD=1
same "$name/o6"
[ "$(wc -l <"$name/o6/result/bad")" = 1 ] || wrong 'not one line in the list of bad ones'

# Lines: blanks at either end are of the name, a newline is none, and each half of the name is reported to be missing
cp plain/1.data ' first '
printf ' first \n' >"./$name/list.lines"
ln ' first ' "./$name"
gives 0 parallel OUT=o7 LIST=list.lines
cp plain/1.data $'two\nlines'
printf '%s\n' "$work/two
lines" >"./$name/list.newline"
gives 1 parallel OUT=o8 LIST=list.newline
said 'two: cannot be read'
said 'lines: cannot be read'
[ ! -e "./$name/o8" ] || wrong 'a folder for a list that is wrong'

# Numbers
gives 2 parallel OUT=o9 MAX_BAD='a[$(touch INJECTED)]%'
gives 2 parallel OUT=o9 FILES='a[$(touch INJECTED)]'
for number in 'a[$(touch INJECTED)]' -1 08; do
	(cd "./$name" && "./-fleet/batconv-fleet-step" "-o1 $name" map "$number") >said 2>&1 && wrong "task $number"
	said 'expected a number from 0 on'
done
code=0
(cd "./$name" && MAX_BAD='a[$(touch INJECTED)]%' ./-fleet/batconv-fleet-step o10 final-lines 1) >said 2>&1 </dev/null || code=$?
[ $code = 2 ] || wrong "MAX_BAD: exit $code"
said 'MAX_BAD: expected'
[ -z "$(find . -name 'INJECTED*')" ] || wrong 'a part of a number was executed'

exit $failed
