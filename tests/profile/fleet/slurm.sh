#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# examples/fleet on a Slurm cluster of this machine, with faults: slurm.sh [TASKS]
# TASKS (40) recordings, one a task.  From the tasks every tenth is killed at its first try, half of these with all processes
# below Slurm; all are canceled after a quarter; some are sent twice; a node is killed and comes back.  The result
# is byte for byte that of one run over all recordings, and no process and no file is left.  Names can be any.
# Skipped, with the reason, where Slurm is not installed or cannot run.  Environment: BATCONV, INPUTS, FLEET_FOLDER (for
# all that is made; best on a tmpfs).
set -eu
export LC_ALL=C
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
SOURCE=${SOURCE:-$(cd "$here/../../.." && pwd)}
REAL=$(realpath "${BATCONV:-$SOURCE/build/release/batconv}")
INPUTS=$(realpath "${INPUTS:-$SOURCE/build/release/inputs}")
tasks=${1:-40}
fleet=$SOURCE/examples/fleet local=$SOURCE/scripts/slurm-local
PATH=$PATH:/usr/sbin:/sbin

MOST=900 # seconds that any step may take

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "wrong: $*"; exit 1; }

"$REAL" version >/dev/null || fail "no batconv: BATCONV=PROGRAM, or build the release preset"
for tool in slurmctld slurmd sbatch munged; do
	command -v $tool >/dev/null || skip "no $tool (scripts/setup fleet)"
done
place=${FLEET_FOLDER:-/dev/shm}
[ -d "$place" ] && [ -w "$place" ] && [ "$(df -P "$place" | awk 'NR == 2 { print $4 }')" -gt 200000 ] || place=${TMPDIR:-/tmp}
work=$(mktemp -d "$place/fleet.XXXXXX")
cluster=$work/slurm
clean_up() {
	[ ! -s "$cluster/slurm.conf" ] || "$local" stop "$cluster" || true
	[ -z "${driver-}" ] || kill "$driver" 2>/dev/null || true
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
began=$(date +%s)

"$local" start "$cluster" 2 4 2>told || skip "$(tail -n 1 told)"
eval "$("$local" env "$cluster")"
timeout 60 srun -n 1 true 2>told || skip "Slurm runs no task here: $(tail -n 1 told)"

# The first conversion of every tenth recording kills itself, or its whole task.
cat >batconv <<'P'
#!/bin/sh
case "$*" in
convert*--format=preagg*0.data\ -o*)
	for last; do :; done
	name=$(echo "$*" | sed 's:.*/\([0-9]*\)\.data .*:\1:')
	if mkdir "$WORK/tried.$name" 2>/dev/null; then
		[ $((name / 10 % 2)) = 0 ] || kill -KILL "$SLURM_TASK_PID"
		kill -KILL $$
	fi
	;;
esac
exec "$REAL" "$@"
P
chmod +x batconv
mkdir r
"$here/cut_recording.py" "$INPUTS/sqlite/lbr.b22.data" "$tasks" r
find "$work/r" -name '*.data' >list
"$REAL" extract -o side "$INPUTS/sqlite/sq.b22"
export WORK=$work REAL BATCONV=$work/batconv BINARY=$work/side LIST=$work/list OUT=$work/out FILES=1 PARTS=4

# one run over all, in a directory of names as the list's order has no say in it
sort list | xargs -d '\n' "$REAL" -q --format=preagg "$BINARY" -o whole.preagg
"$REAL" -q "$BINARY" whole.preagg -o whole.fdata

same() {
	zstd -dcq "$1/result/merged.zst" | cmp - whole.preagg || fail "$1: samples"
	cmp "$1/result/profile.fdata" whole.fdata || fail "$1: profile"
	[ -z "$(find "$1" -name '.tmp.*')" ] || fail "left: $(find "$1" -name '.tmp.*')"
}

tasks_done() { find out/map -mindepth 1 -maxdepth 1 -not -name '.tmp.*' 2>/dev/null | wc -l; }

# await SECONDS WHAT COMMAND...
await() {
	local left=$(($1 * 5)) what=$2
	shift 2
	until "$@"; do
		[ $((left -= 1)) -gt 0 ] || fail "$what: $(squeue -h -o '%i %j %t %r' | head -n 5)"
		sleep 0.2
	done
}
has_done() { [ "$(tasks_done)" -ge "$1" ]; }
is_idle() { [ -z "$(squeue -h)" ]; }
is_busy() { ! is_idle || [ -e out/result ]; }
# Tasks that fail all at once leave an idle cluster, in which nothing more happens.
has_done_or_failed() { has_done "$1" || is_idle; }
fleet_run() { timeout $MOST "$fleet/batconv-fleet" slurm "$@"; }
last_words() { find out/log -name '*.log' -exec tail -qn 1 {} + | sort | uniq -c | sort -rn | head -n 3; }

fleet_run 2>said || { cat said; fail 'the first run'; }
await $MOST 'a quarter' has_done_or_failed $((tasks / 4))
has_done $((tasks / 4)) || { last_words; fail "the cluster is idle, and $(tasks_done) of $tasks tasks are done"; }
fleet_run 2>said && fail 'sent while others are at work'
grep -q 'are at work on' said || { cat said; fail 'jobs at work are not told'; }
scancel --user="$(id -un)"
await 60 'the end of what was canceled' is_idle
[ ! -e out/result ] || [ "$(tasks_done)" = "$tasks" ] || fail 'a result of a part'
echo "canceled when $(tasks_done) of $tasks tasks were done"

timeout $MOST "$fleet/batconv-fleet" slurm --wait 2>said &
driver=$!
await 60 'tasks of the second run' is_busy
seq 0 $((tasks / 20)) >twins
seq $((tasks * 3 / 4)) $((tasks * 3 / 4 + tasks / 20)) >>twins
sbatch --parsable --array="0-$(($(wc -l <twins) - 1))" --output=/dev/null \
	"$fleet/batconv-fleet.sbatch" "$fleet" "$OUT" map "$work/twins" >twins.id
lost=$(squeue -h -t R -w n1 -o %A | wc -l)
"$local" kill-node "$cluster" n1
echo "node n1 killed, with $lost tasks, when $(tasks_done) were done"
(sleep $((tasks < 200 ? 2 : 15)); exec "$local" start-node "$cluster" n1) &
wait "$driver" || { cat said; fail 'the second run'; }
driver=
wait
await 120 'the end of the twins' is_idle
same out
tries=$(find out/log -name 'map-*.log' | wc -l)
echo "$tasks tasks, $tries tries with those of Slurm, $(find . -maxdepth 1 -name 'tried.*' | wc -l) planned failures: the bytes of one run"

# A shard that was damaged since is reported, and made again when it is taken away.
rm -r out/result out/part/*
truncate -s -9 out/map/3/shard
timeout $MOST "$fleet/batconv-fleet" slurm --wait 2>said && fail 'a damaged shard is taken'
grep -q 'map/3/shard: ' said || { cat said; fail 'a damaged shard is not named'; }
[ ! -e out/result ] || fail 'a result of a damaged shard'
rm -r out/map/3
fleet_run --wait 2>said || { cat said; fail 'the third run'; }
same out

# Names that Slurm, a shell and others would take for something else: of the programs, the binary, the recordings and OUT.
. "$here/hostile.sh"
mkdir "./$name" "./$name/-fleet $name" "./$name/-tmp"
cp "$fleet"/* "./$name/-fleet $name"
cp side "./$name/-side $name"
for i in 1 2 3 4 5; do cp "r/$i.data" "./$name/-$i $name"; done
(cd "./$name" && printf '%s\t1\0' "-"[1-5]*) >"./$name/-list $name"
for way in parallel slurm; do
	(
		cd "./$name"
		export BINARY="-side $name" LIST="-list $name" OUT="-$way $name" TMPDIR=-tmp BATCONV="$REAL" FILES=2 PARTS=2
		[ $way = slurm ] && set -- --wait || set --
		timeout $MOST "./-fleet $name/batconv-fleet" $way "$@"
	) 2>said || { cat said; fail "$way with such names"; }
done
cmp <"./$name/-slurm $name/result/merged.zst" - "./$name/-parallel $name/result/merged.zst" || fail 'such names: samples'
cmp <"./$name/-slurm $name/result/profile.fdata" - "./$name/-parallel $name/result/profile.fdata" || fail 'such names: profile'
[ -n "$(find "./$name/-slurm $name/log" -name 'map-*_0.log')" ] || fail 'such names: no log'
[ -z "$(find . -name 'INJECTED*')" ] || fail 'a part of a name was executed'

"$local" stop "$cluster"
for process in /proc/[0-9]*; do
	! tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qxF "SLURM_CONF=$cluster/slurm.conf" ||
		[ "${process#/proc/}" = $$ ] || [ ! -s "$process/cmdline" ] || echo "$process: $(tr '\0' ' ' <"$process/cmdline")"
done >left
[ ! -s left ] || { cat left; fail 'processes are left'; }
echo "ok, $(($(date +%s) - began)) s"
