#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Build-ids of real Go programs compared with readelf: of Debian's pup (stripped, Go's own linker: no GNU id) and fzf (stripped,
# linked by gcc: a GNU id, too), of processes that run them, and of what a Go compiler makes, if there is one.
. "$(dirname "$0")/../lib.sh"
own_folder
need pup pup
need fzf fzf

# The ids as readelf shows them; Go's are 83 bytes of text in hexadecimal there.
gnu_id() { LC_ALL=C readelf -nW "$1" 2>/dev/null | sed -n 's/.*Build ID: *//p'; }
go_id() {
	LC_ALL=C readelf -nW "$1" 2>/dev/null | sed -n 's/.*GO BUILDID.*description data: //p' |
		python3 -c 'import sys; print(bytes.fromhex(sys.stdin.read()).decode())'
}
field() { python3 -c 'import json, sys; print(json.load(sys.stdin).get(sys.argv[1], ""))' "$1"; }

# check BINARY
check() {
	gnu=$(gnu_id "$1") go=$(go_id "$1")
	"$BATCONV" image "$1" >text || fail "$1: exit $?"
	grep -q "^build-id     ${gnu:-none}\$" text || { head -4 text; fail "$1: GNU id is not $gnu"; }
	grep -qF "Go build-id  $go" text || { head -4 text; fail "$1: Go id is not $go"; }
	"$BATCONV" inspect "$1" | grep -qF "Go build-id  $go" || fail "$1: inspect"
	[ "$("$BATCONV" image --json "$1" | field go_build_id)" = "$go" ] || fail "$1: JSON"
	# pprof's mappings: GNU's where there is one, else Go's.  The maps are text without any.
	readelf -lW "$1" 2>/dev/null | awk '$1 == "LOAD" && /R E/ { print $2, $3, $6 }' | {
		read -r offset vaddr size
		page=$((vaddr & ~4095))
		printf '%x-%x r-xp %08x fe:00 1 %s\n' $page $((page + (vaddr - page + size + 4095) / 4096 * 4096)) \
			$((offset - (vaddr - page))) "$(realpath "$1")"
		printf '1 p0 %x\n' "$vaddr" >stacks
	} >here.maps
	"$BATCONV" stacks -q --functions --format=pprof --maps=here.maps stacks | gzip -dc | protoc --decode_raw |
		grep -qF "6: \"${gnu:-$go}\"" || fail "$1: pprof"
	echo "$(basename "$1"): GNU ${gnu:-none}, Go $go"
}

for program in pup fzf; do
	check "$(command -v "$program")"
done
# Debian 13's pup has a GNU id, too.
[ -z "$(gnu_id "$(command -v pup)")" ] || leave_out 'pup has a GNU id here: no program that has Go'"'"'s alone'
[ -n "$(gnu_id "$(command -v fzf)")" ] || fail 'fzf has no GNU id: another program is needed here'

# maps of a process: it waits for its input.  Its file is deleted, so that only memory shows them.
if [ "$(id -u)" = 0 ]; then
	mkfifo input
	cp "$(command -v pup)" gone
	./gone <input >/dev/null &
	exec 3>input
	while ! "$BATCONV" maps --pid=$! 2>/dev/null | grep -q /gone; do sleep 0.1; done
	"$BATCONV" maps --pid=$! >here
	grep -F "Go $(go_id gone)" here | grep -q '^    build-id' || { cat here; fail 'maps of a process'; }
	rm gone
	"$BATCONV" maps --pid=$! --add=all.bcmaps || fail "--add: exit $?"
	"$BATCONV" maps all.bcmaps >deleted
	gnu=$(gnu_id "$(command -v pup)")
	grep -qF -e "Go $(go_id "$(command -v pup)")" -e "build-id ${gnu:-Go}" deleted || { cat deleted; fail 'maps of a deleted file'; }
	exec 3>&-
	wait
fi

if command -v go >/dev/null; then
	printf 'package main\nfunc main() { println("x") }\n' >x.go
	export GOCACHE="$dir/cache" GOFLAGS=-mod=mod GOTOOLCHAIN=local
	go build -o plain x.go && go build -ldflags='-s -w' -o bare x.go &&
		go build -ldflags='-B 0x0123456789abcdef' -o both x.go || fail 'go build'
	check ./plain && check ./bare && check ./both
fi
finish
