#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# YAML with --hashes, compared with perf2bolt 22's, as data and in llvm-bolt 22: as many functions re-laid, as many taken branches
# by BOLT's own count, none stale; of programs that are BOLTed and that are not. Hashes are llvm-bolt's of the same program.
. "$(dirname "$0")/../lib.sh"
own_folder
perf2bolt=/usr/lib/llvm-22/bin/perf2bolt
bolt=/usr/lib/llvm-22/bin/llvm-bolt
need $perf2bolt bolt-22
need $bolt bolt-22
need perf linux-perf

# laid INPUT PROFILE: functions with a profile, re-laid, taken branches before and after, stale functions; in log more. The same bytes
# as before have the same result. One thread: of several, llvm-bolt 22 writes one warning into another.
laid() {
	key=laid.$(cat "$1" "$2" | md5sum | cut -c1-32)
	[ -e "$key" ] || { lay "$1" "$2" >"$key"; cp log "$key.log"; }
	cp "$key.log" log
	cat "$key"
}
lay() {
	quietly $bolt "$1" -data "$2" -o bolted -reorder-blocks=ext-tsp -dyno-stats -v=1 -no-threads || { echo "exit $?"; return; }
	sed -n 's/^BOLT-INFO: \([0-9]*\) out of .* have non-empty execution profile.*/\1 functions/p
		s/^BOLT-INFO: basic block reordering modified layout of \([0-9]*\) functions.*/\1 re-laid/p
		s/^ *\([0-9]*\) : taken branches.*/\1 taken/p
		s/^BOLT-WARNING: \([0-9]*\) (.* invalid (possibly stale) profile.*/\1 stale/p' log | paste -sd, -
}

# bodies THEIRS OURS UNKNOWN: the profiles without what llvm-bolt does not use: the order of successors, and those with
# count 0, and to a function's own beginning, to which perf2bolt gives 0; without functions whose jumps llvm-bolt does not understand (UNKNOWN names them), of which perf2bolt's hashes,
# and of a computed goto its edges, are others; and without the count of a landing pad, which perf2bolt leaves out. For
# BOLTed binaries perf2bolt computes hashes of blocks with the addresses that are in that binary, not in the input: of so
# many functions they may differ, as all others are the same.
bodies() {
	python3 - "$@" <<-'END'
	import re, sys, yaml
	unknown = set(sys.argv[3].split())
	def load(path):
	    data = yaml.load(open(path), Loader=getattr(yaml, 'CSafeLoader', yaml.SafeLoader))
	    data['header']['binary-name'] = 'x'
	    data['functions'] = [f for f in data['functions'] if re.sub(r'/[^/]*/(\d+)$', r'/\1', f['name']) not in unknown]
	    for function in data['functions']:
	        for block in function.get('blocks', []):
	            block['succ'] = sorted((s for s in block.get('succ', []) if s['cnt'] and s['bid']), key=lambda s: s['bid'])
	    return data
	theirs, ours = load(sys.argv[1]), load(sys.argv[2])
	of_theirs = {f['name']: {b['bid']: b for b in f.get('blocks', [])} for f in theirs['functions']}
	differ = set()
	for function in ours['functions']:
	    for block in function.get('blocks', []):
	        other = of_theirs.get(function['name'], {}).get(block['bid'])
	        if not other:
	            continue
	        if block['bid'] and 'exec' not in other:
	            block.pop('exec', None)
	        if block['hash'] != other['hash']:
	            differ.add(function['name'])
	            block['hash'] = other['hash']
	for data, name in (theirs, 'theirs.bare'), (ours, 'ours.bare'):
	    yaml.dump(data, open(name, 'w'), Dumper=getattr(yaml, 'CSafeDumper', yaml.SafeDumper))
	print('%d functions, %d left out, of %d the hash of a block differs' % (len(ours['functions']), len(unknown), len(differ)))
	sys.exit(100 * len(differ) > len(ours['functions']))
	END
}

# `beside` INPUT BINARY HASHES SAMPLES [--pa]: both profiles of the same samples
beside() {
	input=$1 binary=$2 hashes=$3 samples=$4 name=$(basename "$2")
	theirs=theirs.$(echo "$binary $samples" | md5sum | cut -c1-32).yaml
	[ -e "$theirs" ] || survives $perf2bolt "$binary" ${5:+"$5"} -p "$samples" -o theirs.fdata -w "$theirs" || { leave_out "perf2bolt 22 crashes on $name"; return; }
	"$BATCONV" -q --compat=perf2bolt --hashes="$hashes" "$binary" "$samples" -o ours.fdata -w ours.yaml || fail "$name: exit $?"
	"$BATCONV" -q --hashes="$hashes" "$binary" "$samples" -o best.fdata -w best.yaml || fail "$name: exit $?"
	their=$(laid "$input" "$theirs")
	unknown=$(sed -n 's/^BOLT-WARNING: failed to post-process indirect branches for \([^(]*\).*/\1/p' log | sed 's|/[^/]*/|/|')
	our=$(laid "$input" ours.yaml)
	about=about.$(cat "$theirs" ours.yaml | md5sum | cut -c1-32)
	if [ ! -e "$about" ]; then
		bodies "$theirs" ours.yaml "$unknown" >"$about" || fail "$name: $(cat "$about")"
		"$SOURCE/scripts/compare-yaml" --no-extern theirs.bare ours.bare >compared || { cat compared; fail "$name: yaml"; }
	fi
	[ "$their" = "$our" ] || fail "$name: in llvm-bolt $our, and with perf2bolt's $their"
	# What is better than perf2bolt's is so in both forms.
	of_fdata=$(laid "$input" best.fdata) of_yaml=$(laid "$input" best.yaml)
	! grep -q 'function hash mismatch' log || fail "$name: $(grep -c 'function hash mismatch' log) hashes of ours are not llvm-bolt's"
	[ "${of_fdata%re-laid*}" = "$(echo "${of_yaml%re-laid*}" | sed 's/1 stale,//')" ] || fail "$name: YAML $of_yaml, fdata $of_fdata"
	echo "$name: $our; by default $of_yaml; $(cat "$about")"
}

table() { # INPUT OPTION...: as `hashes`
	quietly $bolt "$@" -o bolted -enable-bat && "$BATCONV" extract bolted -o hashes || fail "hashes of $1"
}
# SQLite: with the table of all functions, of release 22 and of 19, and with those that a profile has.
table "$sqlite/sq" -lite=0
beside "$sqlite/sq" "$sqlite/sq" hashes "$sqlite/lbr.input.data"
beside "$sqlite/sq" "$sqlite/sq.b22" hashes "$sqlite/lbr.b22.data"
beside "$sqlite/sq" "$sqlite/sq.b22" hashes "$sqlite/b22.preagg" --pa
table "$sqlite/sq" -lite -data "$sqlite/expected/lbr.input.fdata"
beside "$sqlite/sq" "$sqlite/sq" hashes "$sqlite/lbr.input.data"
# The file that extract makes, of all functions and of those with samples, and what perf2bolt's name does by itself.
for samples in '' "$sqlite/lbr.input.data"; do
	"$BATCONV" extract --hashes --llvm-bolt=$bolt "$sqlite/sq" ${samples:+"$samples"} -o hashes || fail "extract --hashes: exit $?"
	beside "$sqlite/sq" "$sqlite/sq" hashes "$sqlite/lbr.input.data"
done
ln -s "$BATCONV" perf2bolt-22
LLVM_BOLT=$bolt ./perf2bolt-22 "$sqlite/sq" -p "$sqlite/lbr.input.data" -o as.fdata -w as.yaml >as.log 2>as.told || fail "as perf2bolt: exit $?"
cmp as.yaml ours.yaml && cmp as.fdata ours.fdata || fail 'as perf2bolt: another profile'
! grep 'warning: THE YAML' as.told || fail 'as perf2bolt: without hashes'
# C++. cx has virtual functions that end with an indirect tail call to themselves: a call of llvm-bolt's, and no successor.
table "$INPUTS/folded/cx" -lite=0
beside "$INPUTS/folded/cx" "$INPUTS/folded/cx" hashes "$INPUTS/folded/cx.preagg" --pa
table "$INPUTS/moved/moved" -lite=0
beside "$INPUTS/moved/moved" "$INPUTS/moved/moved" hashes "$INPUTS/moved/moved.preagg" --pa
beside "$INPUTS/moved/moved" "$INPUTS/moved/moved.p0" hashes "$INPUTS/moved/moved.p0.preagg" --pa
# AArch64
for program in demo sorts; do
	table "$INPUTS/aarch64/$program" -lite=0
	beside "$INPUTS/aarch64/$program" "$INPUTS/aarch64/$program" hashes "$INPUTS/aarch64/$program.preagg" --pa
	beside "$INPUTS/aarch64/$program" "$INPUTS/aarch64/$program.b22" hashes "$INPUTS/aarch64/$program.b22.preagg" --pa
done
finish
