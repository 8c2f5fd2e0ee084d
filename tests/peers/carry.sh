#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# carry compared with llvm-bolt 22 -infer-stale-profile on releases of real programs: taken branches of the next binary, by valgrind.
. "$(dirname "$0")/../lib.sh"
own_folder
llvm=/usr/lib/llvm-22/bin
need $llvm/llvm-bolt bolt-22
need valgrind valgrind

bolt() { # PROFILE OPTION...
	profile=$1
	shift
	quietly $llvm/llvm-bolt new -data "$profile" -o "by-$profile" "$@" -reorder-blocks=ext-tsp -reorder-functions=cdsort -split-functions || fail "$pair: $profile: llvm-bolt: exit $?"
}

# gains PROGRAM OLD NEW LEAST WORK...: LEAST is the least share of the gain of a profile of its own, in percent
gains() {
	pair="$1 $2, $3"
	old=$INPUTS/releases/$1-$2
	new=$INPUTS/releases/$1-$3
	least=$4
	shift 4
	cp "$new" new
	"$BATCONV" extract --hashes --llvm-bolt=$llvm/llvm-bolt "$old" -o old.hashes || fail "$pair: hashes: exit $?"
	"$BATCONV" convert -q "$old" "$old.preagg" --no-input -o old.fdata -w stale --hashes=old.hashes || fail "$pair: old: exit $?"
	"$BATCONV" carry "$old" new old.fdata -o carried 2>said || fail "$pair: carry: exit $?"
	"$BATCONV" convert -q new "$new.preagg" --no-input -o fresh || fail "$pair: new: exit $?"
	bolt stale -infer-stale-profile
	bolt carried
	bolt fresh
	"$BATCONV" compare -q --rounds=0 --counted --json -o counts ./new ./by-stale ./by-carried ./by-fresh -- {} "$@" || fail "$pair: compare: exit $?"
	python3 - "$pair" "$least" <<-'END' || fail "$pair: carried gains too little"
	import json, sys
	binaries = json.load(open('counts'))['binaries']
	none, stale, carried, fresh = (binary['counts']['taken_branches'] for binary in binaries)
	share = lambda taken: 100 * (none - taken) / (none - fresh)
	print('%s: none %d, llvm-bolt %d (%.1f), carried %d (%.1f), fresh %d' % (sys.argv[1], none, stale, share(stale), carried, share(carried), fresh))
	sys.exit(share(carried) < float(sys.argv[2]) or share(carried) < share(stale) - 1 or carried > none)
	END
}

cp "$INPUTS"/releases/work.* .
gains pulldown 0.5.3 0.8.0 80 work.md
gains zstd 1.4.8 1.5.7 85 -3 -c -q work.words
gains lua 5.4.2 5.4.7 92 work.lua
gains mujs 1.3.2 1.3.6 86 work.js
finish
