#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What batconv-fleet reads of the directory that it continues in is data: of this user alone, and no part of it is executed.
# As root also against a directory that another user (65534) has made.
set -eu
export LC_ALL=C
demo=$SOURCE/inputs/demo
fleet=$SOURCE/examples/fleet
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
chmod 755 .
failed=0
wrong() { printf 'wrong: %s\n' "$*"; failed=1; }

# says EXIT TEXT COMMAND...: and nothing was executed, and nothing deleted
says() {
	local want=$1 text=$2 code=0
	shift 2
	"$@" >said 2>&1 </dev/null || code=$?
	[ $code = "$want" ] || { wrong "$*: exit $code, not $want"; cat said; }
	grep -qF -- "$text" said || { wrong "$*: nothing said of '$text'"; cat said; }
	[ -z "$(find . -name 'INJECTED*')" ] || { wrong "$*: executed"; find . -name 'INJECTED*' -delete; }
	[ -e victim/file ] || { wrong "$*: deleted"; touch victim/file; }
}

"$SOURCE/tests/profile/fleet/cut_recording.py" "$demo/demo.perf.data" 2 .
mkdir victim
touch victim/file
printf '%s\0' "$work"/*.data >list
export LIST=list BINARY=$demo/demo.bolt OUT=out FILES=1
says 0 'done: ' "$fleet/batconv-fleet" parallel
cp -a out good
for setting in plan/settings settings; do
	grep -qvE '^[A-Z0-9_]+=' "good/$setting" && wrong "$setting: is not of lines NAME=VALUE"
done

# again: the directory, with one setting changed, and one task and the result still to be made
again() {
	rm -rf out
	cp -a good out
	rm -rf out/result out/map/0 out/part/*
	: "${1:+$(printf '%s\n' "$2" >>"out/$1")}"
}

# A line that a shell would execute, of this user: an error that names it, or a value.
# shellcheck disable=SC2016 # it is to be expanded by nobody
for line in 'touch INJECTED' 'TASKS=1; touch INJECTED' 'TASKS=x[$(touch INJECTED)]' 'PATH=/nowhere' 'IFS=x' 'a b=c' 'TASKS=09' '=x' 'OPTIONS[$(touch INJECTED)]=x'; do
	again plan/settings "$line"
	says 1 'plan/settings: line 7' "$fleet/batconv-fleet" status
	says 1 'plan/settings: line 7' "$fleet/batconv-fleet-step" out map 0
	again settings "$line"
	says 1 'out/settings: line 5' "$fleet/batconv-fleet-step" out map 0
done
# shellcheck disable=SC2016
for line in 'OPTIONS=$(touch INJECTED)`touch INJECTED`;touch INJECTED\0\c' 'BATCONV=nowhere;touch INJECTED'; do
	again plan/settings "$line"
	says 1 '1 of 2 tasks' "$fleet/batconv-fleet" status
	"$fleet/batconv-fleet-step" out map 0 >/dev/null 2>&1 || :
	[ ! -e INJECTED ] || wrong "$line: executed"
done

# Others can write to it.
again '' ''
chmod o+w out/plan/settings
says 1 'others can write to it' "$fleet/batconv-fleet" status
chmod o-w out/plan/settings
chmod o+w out
says 1 'anybody can write there' "$fleet/batconv-fleet" status
says 1 'anybody can write there' "$fleet/batconv-fleet-step" out map 0
says 1 'anybody can write there' "$fleet/batconv-fleet" parallel
chmod o-w out

# With any mask, it continues.
(
	umask 002
	again '' ''
	rm -rf out
	says 0 'done: ' "$fleet/batconv-fleet" parallel
	says 0 'done: ' "$fleet/batconv-fleet" status
)

if [ "$(id -u)" = 0 ]; then
	again '' ''
	printf 'touch INJECTED\n' >out/plan/settings
	chown 65534 out/plan/settings
	says 1 'is of another user' "$fleet/batconv-fleet" status
	says 1 'is of another user' "$fleet/batconv-fleet-step" out map 0
	again '' ''
	rm -r out/part out/map
	ln -s "$work/victim" out/part
	ln -s "$work/victim" out/map
	printf 'touch INJECTED\n' >out/plan/settings
	chown -hR 65534 out
	says 1 'is of another user' "$fleet/batconv-fleet" status
	says 1 'is of another user' "$fleet/batconv-fleet" parallel
	says 1 'is of another user' "$fleet/batconv-fleet" slurm
	says 1 'is of another user' "$fleet/batconv-fleet-step" out part 0
else
	echo 'left out: directories of another user: this is not root'
fi
again '' ''
says 0 'done: ' "$fleet/batconv-fleet" parallel
cmp out/result/profile.fdata good/result/profile.fdata || wrong 'another profile'
exit $failed
