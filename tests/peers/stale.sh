#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# stale compared with llvm-bolt 22 -v=1: as many stale functions and functions that are gone, as many blocks that are found again, in each way,
# and as often entered; of YAML and of fdata. Profiles: of Lua, and made of the table of another build, of every block of it.
. "$(dirname "$0")/../lib.sh"
own_folder
bolt=/usr/lib/llvm-22/bin/llvm-bolt
need $bolt bolt-22
need gcc gcc

# `told` NAME PROFILE BUILD HASHES: the figures of both
told() {
	quietly $bolt "$3" -data "$2" -infer-stale-profile -v=1 -no-threads -o out || { fail "$1: llvm-bolt: exit $?"; return; }
	"$BATCONV" stale "$2" "$3" ${4:+--hashes="$4"} --json -o stale.json || fail "$1: exit $?"
	python3 - "$1" <<-'END' || fail "$1: llvm-bolt has other figures"
	import json, re, sys
	log, ours = open('log').read(), json.load(open('stale.json'))['binaries'][0]
	def number(pattern):
	    found = re.search(pattern, log)
	    return tuple(map(int, found.groups())) if found else (0,) * re.compile(pattern).groups
	functions, blocks = ours['functions'], ours['blocks']
	theirs = {'stale': log.count('function hash mismatch'), 'missing': number(r'profile for (\d+) objects was ignored')[0]}
	mine = {'stale': functions['stale']['count'], 'missing': functions['missing']['count']}
	# llvm-bolt prints nothing of blocks where it infers the counts of no function in the end.
	for way, words in (('exact', 'an exact'), ('call', 'a call'), ('loose', 'a loose')) if 'inferred profile for' in log else ():
	    found = number(r'found %s match for .* of basic blocks \((\d+) out of (\d+) stale\) .* samples \((\d+) out of (\d+) stale\)' % words)
	    theirs[way] = found
	    mine[way] = (blocks[way]['count'], blocks['all']['count'], blocks[way]['samples'], blocks['all']['samples'])
	print(sys.argv[1], functions['exact']['count'], mine)
	if theirs != mine or ours['matched_by'] != 'hashes':
	    print(' ' * len(sys.argv[1]), theirs)
	sys.exit(theirs != mine)
	END
}

# profile_of TABLE PROFILE: YAML of every block of a build that has a table
profile_of() {
	"$BATCONV" dump --json "$1" -o table.json || fail "table of $1: exit $?"
	python3 - "$2" <<-'END'
	import json, sys
	with open(sys.argv[1], 'w') as out:
	    out.write("---\nheader:\n  profile-version: 1\n  binary-name: 'x'\n  binary-build-id: '<unknown>'\n  profile-flags: [ lbr ]\n"
	              "  profile-origin: test\n  profile-events: ''\n  dfs-order: false\n  hash-func: xxh3\nfunctions:\n")
	    number = 0
	    for f in json.load(open('table.json'))['fragments']:
	        if f['part'] != 'hot' or not f.get('function'):
	            continue
	        number += 1
	        blocks = sorted({(e['block'], e['hash']) for e in f['entries'] if not e['branch'] and int(e.get('hash', '0'), 16)})
	        out.write("  - name: '%s'\n    fid: %d\n    hash: %s\n    exec: 7\n    nblocks: %d\n    blocks:\n" %
	                  (f['function'], number, f['hash'], f['blocks']))
	        for bid, value in blocks:
	            out.write('      - bid: %d\n        insns: 1\n        hash: %s\n        exec: %d\n' % (bid, value, 7 + bid))
	    out.write('...\n')
	END
}

hashes() { # BUILD HASHES
	"$BATCONV" extract --hashes --llvm-bolt=$bolt "$1" -o "$2" || fail "hashes of $1: exit $?"
}

next=$INPUTS/next
# A real profile of another build of Lua, and the profile of the build itself.
told Lua "$next/luas.yaml" "$next/luap" "$next/luap.hashes"
profile_of "$next/luap.hashes" own.yaml
told 'Lua itself' own.yaml "$next/luap" "$next/luap.hashes"

# fdata: llvm-bolt -v=2 names the functions whose branches it cannot make.
quietly $bolt "$next/luap" -data "$next/luas.fdata" -v=2 -no-threads -o out || fail "llvm-bolt, fdata: exit $?"
theirs=$(grep -c 'profile branches match only' log)
ours=$("$BATCONV" stale "$next/luas.fdata" "$next/luap" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["binaries"][0]["functions"]["stale"]["count"])')
[ "$theirs" = "$ours" ] || fail "fdata: $ours functions, in llvm-bolt $theirs"
[ "$ours" -gt 200 ] || fail "fdata: $ours functions"

# Programs of one source by two compilers, and two programs for AArch64.
for pair in "compiled/demo $demo/demo" "aarch64/sorts aarch64/sorts.exec" "compiled/probes $INPUTS/compiled/demo"; do
	old=$INPUTS/${pair% *} new=${pair#* }
	case $new in /*) ;; *) new=$INPUTS/$new ;; esac
	hashes "$old" old
	hashes "$new" new
	profile_of old old.yaml
	told "${pair% *} on ${new##*/}" old.yaml "$new" new
done

# Names that link-time optimization gave numbers: one that is exact, one that is stale, two at a time; one that another function has now.
cat >lto.c <<'END'
#define NAMED(name) __asm__(name) __attribute__((noinline, noipa))
int same(int) NAMED("same.lto_priv." A);
int other(int) NAMED("other.constprop." A);
int first(int) NAMED("twin.llvm.1" A);
int second(int) NAMED("twin.llvm.2" A);
int gone(int) NAMED("gone." A);
int left(int) NAMED("turn.llvm." LEFT);
int right(int) NAMED("turn.llvm." RIGHT);
int same(int x) { for (int i = 0; i < x; i++) if (x % 3 == i) return i; return x; }
int other(int x) { return x > 4 ? x * EXTRA : x / 7; }
int first(int x) { while (x > 9) x -= x / 2; return x; }
int second(int x) { while (x > 9) x -= x / EXTRA; return x ^ EXTRA; }
int left(int x) { return x % 11 > 3 ? x - 5 : x * 9; }
int right(int x) { while (x & 1) x >>= 1; return x + 12; }
int gone(int x) { return x > 1 ? x * 2 : 3; }
int main(int argc, char **argv) { (void)argv; return same(argc) + other(argc) + first(argc) + second(argc) + gone(argc) + left(argc) + right(argc); }
END
gcc -O1 -Wl,-q '-DA="1"' '-DLEFT="1"' '-DRIGHT="2"' -DEXTRA=3 lto.c -o lto.old &&
	gcc -O1 -Wl,-q '-DA="2"' '-DLEFT="3"' '-DRIGHT="1"' -DEXTRA=x%5 lto.c -o lto.new || fail 'gcc'
hashes ./lto.old old
hashes ./lto.new new
profile_of old old.yaml
told 'names of LTO' old.yaml ./lto.new new
finish
