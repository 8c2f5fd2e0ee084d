#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# examples/fleet without a cluster, on the recordings of inputs/demo: every way gives the bytes of one run over all
# recordings; tasks that are killed, bad recordings and damaged shards do no harm.
set -eu
export LC_ALL=C
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
fleet=$SOURCE/examples/fleet
demo=$SOURCE/inputs/demo
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
wrong() { echo "wrong: $*"; failed=1; }

# gives EXIT WAY [NAME=VALUE...]: what batconv-fleet says is in `said`
gives() {
	local want=$1 way=$2 code=0
	shift 2
	env "$@" "$fleet/batconv-fleet" "$way" >said 2>&1 </dev/null || code=$?
	[ $code = "$want" ] || { wrong "$way $*: exit $code, not $want"; cat said; }
	[ -z "$(find . -name '.tmp.*')" ] || wrong "$way $*: left $(find . -name '.tmp.*')"
}

said() { grep -q -- "$1" said || { wrong "nothing said of '$1'"; cat said; }; }

# same OUT TRUTH: its result is what one run made, TRUTH.preagg and TRUTH.fdata
same() {
	zstd -dcq "$1/result/merged.zst" | cmp - "$2.preagg" || wrong "$1: samples"
	cmp "$1/result/profile.fdata" "$2.fdata" || wrong "$1: profile"
}

# truth NAME RECORDING...
truth() {
	local name=$1
	shift
	"$BATCONV" -q --format=preagg "$BINARY" "$@" -o "$name.preagg"
	"$BATCONV" -q "$BINARY" "$@" -o "$name.fdata"
}

mkdir side r
export BINARY=$work/side/demo.bolt BATCONV LIST=list FILES=2 # demo.switch.* have no build-ids: names count
"$BATCONV" extract -o side/demo.bolt "$demo/demo.bolt"
"$here/cut_recording.py" "$demo/demo.perf.data" 7 r
ls r/*.data >list
truth whole r/*.data

# Every way
gives 0 parallel OUT=o1 PARTS=2
same o1 whole
said '7 read, 7 used'
gives 0 parallel OUT=o1
gives 2 parallel OUT=o1 FILES=3
said FILES=
mkdir bin
printf '#!/bin/sh\necho another program of this name\n' >bin/parallel
chmod +x bin/parallel
sort -r list >list.reverse
gives 0 parallel OUT=o2 LIST=list.reverse PATH="$work/bin:$PATH" # by xargs
same o2 whole
if parallel --version 2>/dev/null | grep -q ^GNU; then
	gives 0 pipe OUT=o3
	same o3 whole
else
	echo 'skipped: pipe: no GNU parallel'
fi

# As an engine does it that sends twins, in any order, to several reduces
step() { "$fleet/batconv-fleet-step" "$@"; }
head -n 3 list | step map-lines >lines
tail -n +4 list | step map-lines >>lines
cat lines lines | sort -r | step reduce-lines >reduced
step o4 final-lines 7 <reduced
same o4 whole
rm -r o4/result
head -n 1 lines | step o4 final-lines 7 2>said && wrong 'lines are missing'
said '3 of 7 recordings are there'
sed 's/.\{99\}$//' lines | step reduce-lines >reduced 2>said && wrong 'a line is cut'
[ ! -s reduced ] || wrong 'a cut line became a share'

# Bad ones: all are named, and nothing is written, or they are left out
cp r/1.data good.data
head -c 9000 "$demo/demo.perf.data" >r/cut
echo rubbish >r/rubbish
head -c 50 r/2.data >r/header
ls r/*.data r/cut r/rubbish r/header >list.bad
gives 1 parallel OUT=o5 LIST=list.bad
said "bad: .*/r/rubbish: "
said "bad: .*/r/header: truncated: the header"
[ ! -e o5/result ] || wrong 'a result of bad recordings'
gives 0 parallel OUT=o5 LIST=list.bad MAX_BAD=20%
said '10 read, 8 used (1 of them cut short), 2 left out as bad'
truth most r/*.data r/cut || [ $? = 4 ]
same o5 most
[ "$(wc -l <o5/result/bad) $(wc -l <o5/result/cut)" = '2 1' ] || wrong 'lists of bad and of cut ones'
gives 1 parallel OUT=o6 LIST=list.bad MAX_BAD=1
cp good.data r/rubbish # what was bad is tried again
gives 0 parallel OUT=o6 LIST=list.bad MAX_BAD=1
said '10 read, 9 used'
printf 'r/1.data\nr/nothing\nr/nowhere\n' >list.missing
gives 1 parallel OUT=o7 LIST=list.missing
said 'r/nothing: cannot be read'
said 'r/nowhere: cannot be read'
[ ! -e o7 ] || wrong 'a folder for a list that is wrong'
ln r/1.data twin
printf 'r/1.data\ntwin\n' >list.twins
gives 2 parallel OUT=o7 LIST=list.twins
said 'twice'
printf 'r/1.data\t0\nr/2.data\t1.5\n' >list.weights
gives 1 parallel OUT=o7 LIST=list.weights
said 'line 1:'
said 'line 2:'
gives 1 parallel OUT=o7 BINARY=list
rm twin r/rubbish r/cut r/header

# One whose samples are all dropped has no shard, and fits the others
mkdir few
"$here/cut_recording.py" "$demo/demo.perf.data" 60 few
truth one few/1.data 2>said || [ $? = 3 ] || wrong 'few/1.data: no profile can be made of it'
[ ! -s one.preagg ] || wrong 'few/1.data was to be without a record'
truth three few/1.data few/30.data few/31.data
printf 'few/%d.data\n' 1 30 31 >list.few
gives 0 parallel OUT=o10 LIST=list.few FILES=1
same o10 three

# Weights, and a recording in parts
mkdir parts
cp "$demo"/demo.switch.[123] parts
printf '%s\t3\nparts\t2\n' "$demo/demo.basic.perf.data" >list.weights
gives 0 parallel OUT=o8 LIST=list.weights
"$BATCONV" -q --format=preagg "$BINARY" "$demo/demo.basic.perf.data" -o one
"$BATCONV" -q --format=preagg "$BINARY" parts/* -o three
"$BATCONV" merge -q --weight=3 one --weight=2 three -o weighted.preagg
"$BATCONV" -q "$BINARY" weighted.preagg -o weighted.fdata
same o8 weighted
printf 'r/1.data\nparts\n' >list.kinds
gives 1 parallel OUT=o7 LIST=list.kinds
said '/parts and .*/r/1.data do not fit: branches and basic samples'
rm -r o7

# The input is of the profile, in either kind of options; without it what llvm-bolt makes of basic samples is reported.
cp "$demo/demo" "$demo/demo.bolt" .
"$BATCONV" -q --no-input --input-format=perf-data --format=preagg demo.bolt "$demo/demo.basic.perf.data" -o inferred.preagg
"$BATCONV" -q --input=demo demo.bolt inferred.preagg -o inferred.fdata
echo "$demo/demo.basic.perf.data" >list.plain
export BATCONV_NO_INPUT=1
gives 0 parallel OUT=o11 LIST=list.plain BINARY=demo.bolt OPTIONS='--threads=1 --input demo --input-format=perf-data'
same o11 inferred
! grep -q uses said || wrong 'inferred branches are used badly'
gives 0 parallel OUT=o12 LIST=list.plain BINARY=demo.bolt FINAL_OPTIONS=--input=demo
same o12 inferred
rm -r o12/result
gives 0 parallel OUT=o12 LIST=list.plain BINARY=demo.bolt
said "llvm-bolt lays out poorly from this profile: .*: remove $work/o12/result .* OPTIONS=--input=INPUT"
rm -r o12/result
gives 0 parallel OUT=o12 LIST=list.plain BINARY=demo.bolt OPTIONS=--input=demo
same o12 inferred
[ "$(ls o12/result)" = "$(printf '%s\n' bad cut merged.zst profile.fdata summary)" ] || wrong "o12/result: $(ls o12/result)"
# No line is the shell's own, or of a program that it starts.
for settings in LIST=nothing LIST=side BINARY=nothing OUT=/proc/none OUT=list TMPDIR=/proc/none; do
	gives 1 parallel OUT=o13 "$settings"
	! grep -v '^batconv' said || wrong "$settings: more than a line of its own"
	[ ! -e o13 ] || wrong "$settings: something was made"
done
for words in 'map-lines' "$work/o13 map 0" '/proc/none final-lines 1'; do
	# shellcheck disable=SC2086 # words
	TMPDIR=/proc/none "$fleet/batconv-fleet-step" $words </dev/null >said 2>&1 && wrong "$words: exit 0"
	! grep -v '^batconv-fleet: ' said || wrong "$words: more than a line of its own"
done
gives 2 status OUT=
said 'batconv-fleet status'
"$fleet/batconv-fleet" --help >said || wrong '--help'
said LIST
"$fleet/batconv-fleet-step" --help >said || wrong 'batconv-fleet-step --help'
said final-lines
env -u BINARY "$fleet/batconv-fleet-step" wash </dev/null >said 2>&1 && wrong 'a step that there is none of: exit 0'
said "^batconv-fleet: no step 'wash'"

# A conversion that is killed is tried again; a task that is killed leaves nothing that counts
cat >bin/killed <<'P'
#!/bin/sh
# The first conversion of all kills itself, the second one its task.
parent() { sed -n 's/^PPid:[^0-9]*//p' "/proc/$1/status"; }
is_step() { tr '\0' ' ' <"/proc/$1/cmdline" | grep -q '^bash .*batconv-fleet-step'; }
if [ "$1" = convert ]; then
	if mkdir "$WORK/try1" 2>/dev/null; then
		kill -KILL $$
	elif mkdir "$WORK/try2" 2>/dev/null; then
		task=$PPID
		while is_step "$(parent "$task")"; do task=$(parent "$task"); done
		kill -KILL "$task"
	fi
fi
exec "$REAL" "$@"
P
chmod +x bin/killed
code=0
env WORK="$work" REAL="$BATCONV" BATCONV="$work/bin/killed" OUT=o9 JOBS=1 "$fleet/batconv-fleet" parallel >said 2>&1 </dev/null || code=$?
[ $code = 1 ] || { wrong "a killed task: exit $code"; cat said; }
said 'exit 137: tried again'
said '3 of 4 tasks are done'
gives 0 parallel OUT=o9 WORK="$work" REAL="$BATCONV" BATCONV="$work/bin/killed"
same o9 whole

# A shard that was damaged since
rm -r o9/result o9/part/*
truncate -s -9 o9/map/1/shard
gives 1 parallel OUT=o9 WORK="$work" REAL="$BATCONV" BATCONV="$work/bin/killed"
said 'map/1/shard: '
[ ! -e o9/result ] || wrong 'a result of a damaged shard'
rm -r o9/map/1
gives 0 parallel OUT=o9 WORK="$work" REAL="$BATCONV" BATCONV="$work/bin/killed"
same o9 whole

exit $failed
