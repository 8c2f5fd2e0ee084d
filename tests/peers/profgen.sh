#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --format=profgen compared with llvm-profgen 22: of the input's own run it has the same ranges and branches, and of the run on the
# BOLTed binary llvm-profgen makes the same profile for the compiler, byte for byte, as of the run of the input.  For basic
# samples it makes one that is near to that.
. "$(dirname "$0")/../lib.sh"
own_folder
llvm=/usr/lib/llvm-22/bin
need $llvm/llvm-profgen llvm-22
compiled=$INPUTS/compiled

# script PREAGG: a sample of perf script for each trace, and before it how often: its end is the next branch's source
script() {
	awk '$1 == "T" || $1 == "R" {
		from = $2 == "X:0" ? 1 : $2; end = $4
		if ($3 == "X:0") next
		print $5
		if (end == "X:0" || end ~ /^ffff/) printf " %s 0x%s/0x%s/P/-/-/0\n", $3, from, $3
		else printf " %s 0x%s/0x1/P/-/-/0 0x%s/0x%s/P/-/-/0\n", $3, end, from, $3
	}' "$1"
}

# profile BINARY RAW: the compiler's, as text
profile() {
	quietly $llvm/llvm-profgen --binary="$compiled/$1" --unsymbolized-profile="$2" --format=text -o "$2.prof" || fail "$2: llvm-profgen"
	[ -s "$2.prof" ] || fail "$2: an empty profile"
}

for p in sorts sorts.exec demo; do
	script "$compiled/$p.preagg" >perf.txt
	quietly $llvm/llvm-profgen --binary="$compiled/$p" --perfscript=perf.txt --skip-symbolization -o theirs || fail "$p"
	"$BATCONV" -q "$compiled/$p" "$compiled/$p.preagg" --format=profgen -o own || fail "$p"
	# One more than ours is the PLT entry that has no section of its own to llvm-profgen (.plt.got).
	python3 "$SOURCE/tests/support/profgen.py" --instructions=99.99 --branches=99.99 theirs own || fail "$p: not llvm-profgen's"
	profile $p theirs
	"$BATCONV" -q --input="$compiled/$p" "$compiled/$p.bolt" "$compiled/$p.bolt.preagg" --format=profgen -o bolted || fail "$p.bolt"
	for ours in own bolted; do
		profile $p $ours
		cmp theirs.prof $ours.prof || fail "$p: $ours"
	done
	echo "$p: $(grep -c '^[^ ]' own.prof) functions, $(wc -l <own.prof) lines"
done

# similar TRUTH PROFILE PERCENT
similar() {
	$llvm/llvm-profdata overlap --sample "$1.prof" "$2.prof" |
		awk -v least="$3" -v name="$2" '/similarity/ { print name, $NF; seen = 1; if ($NF + 0 < least) bad = 1 } END { exit bad || !seen }' || fail "$2"
}

# For each 7th, each 97th instruction, where there are no branch stacks: the executed code is inferred.
plain() { # PROGRAM PERIOD PERCENT
	p=$compiled/$1
	"$BATCONV" -q "$p" "$p.preagg" --format=profgen -o truth && profile "$1" truth
	input=
	for b in "$1" "$1.bolt"; do
		"$SOURCE/scripts/samples-from-traces" "$compiled/$b" "$compiled/$b.preagg" "$2" >samples
		[ "$b" = "$1" ] || input=--input=$p
		"$BATCONV" -q ${input:+"$input"} "$compiled/$b" samples --format=profgen -o "$b.$2" || fail "$b"
		profile "$1" "$b.$2"
		similar truth "$b.$2" "$3"
	done
}
plain demo 7 99
plain demo 97 98.5
plain sorts 97 95
plain sorts.exec 997 93

# What llvm-bolt does beyond moving code.
"$BATCONV" -q --input="$compiled/demo" "$compiled/demo.p1" "$compiled/demo.p1.preagg" --format=profgen -o p1 || fail demo.p1
profile demo p1
$llvm/llvm-profdata overlap --sample theirs.prof p1.prof | awk '/similarity|sample overlap/ { print; if ($NF + 0 < 96) bad = 1 } END { exit bad }' || fail "demo.p1"
finish
