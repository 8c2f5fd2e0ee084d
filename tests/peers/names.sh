#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Names with bytes that a form cannot hold: merge-fdata, a YAML parser and llvm-bolt read what batconv writes, and
# the parser the very name that the binary has.  perf2bolt's is compared where all three can read it, too.
. "$(dirname "$0")/../lib.sh"
own_folder
bolt=/usr/lib/llvm-22/bin
need $bolt/perf2bolt bolt-22
need $bolt/merge-fdata bolt-22
python3 -c 'import yaml' 2>/dev/null || skip 'no yaml in python3 (apt install python3-yaml)'

# name BYTES: both binaries with this name, written as in Python, instead of `compile`
name() {
	python3 - "$1" "$demo/demo.bolt" "$demo/demo" <<'P'
import ast, sys
new = ast.literal_eval("b'%s'" % sys.argv[1])
assert len(new) == 7
for source, target in zip(sys.argv[2:], ('optimized', 'input')):
    content = open(source, 'rb').read()
    assert content.count(b'\0compile\0') == 1
    for end in b'\0', b'.cold.0\0':
        content = content.replace(b'\0compile' + end, b'\0' + new + end)
    open(target, 'wb').write(content)
P
	chmod +x optimized input
}

# has NAME PROFILE: does a YAML parser find it, as the very bytes?
has() {
	python3 - "$1" "$2" <<'P'
import ast, sys, yaml
name = ast.literal_eval("b'%s'" % sys.argv[1])
with open(sys.argv[2], 'rb') as file:
    names = [function['name'].encode() for function in yaml.safe_load(file)['functions']]
assert len(names) >= 20
print(['no', 'yes'][name in names])
P
}

dropped() { # STATS: does all add up, are there branches, traces?
	python3 -c 'import json, sys
s = json.load(open(sys.argv[1]))
print(all(s[k]["read"] == s[k]["kept"] + sum(s[k]["dropped"].values()) for k in ("samples", "branches", "traces")),
      s["branches"]["dropped"]["unnameable"] > 0, s["traces"]["dropped"]["unnameable"] > 0)' "$1"
}

# try NAME WHAT-IS-SEEN
try() {
	name "$1"
	"$BATCONV" --stats=none --stats-file=fdata.json optimized "$demo/demo.preagg" -o o.fdata || fail "$1: fdata"
	"$BATCONV" --stats=none --stats-file=yaml.json --format=yaml --without-hashes optimized "$demo/demo.preagg" -o o.yaml || fail "$1: yaml"
	$bolt/merge-fdata o.fdata o.fdata >merged 2>log || { cat log; fail "$1: merge-fdata refuses the fdata"; }
	quietly "$bolt/perf2bolt" optimized -pa -p "$demo/demo.preagg" -o p.fdata -w p.yaml || fail "$1: perf2bolt"
	LC_ALL=C sort o.fdata >ours
	LC_ALL=C sort p.fdata >theirs
	same=no
	cmp -s ours theirs && same=yes
	seen="fdata as perf2bolt's: $same, in the YAML: $(has "$1" o.yaml), functions: $(functions $bolt/llvm-bolt input o.fdata) $(functions $bolt/llvm-bolt input o.yaml), left out: $(dropped fdata.json), $(dropped yaml.json)"
	echo "$1: $seen"
	[ "$seen" = "$2" ] || fail "$1: not $2"
}
all='left out: True False False, True False False'
plain="fdata as perf2bolt's: yes, in the YAML: yes, functions: 18 18, $all"
try 'compile' "$plain"
try '\x01\x7f\x0d\x09\xc3\xa9e' "$plain" # not printable; UTF-8
try 'e"\x27 #\\e' "$plain" # what is itself elsewhere only
try 'ex\xc2\x85ute' "$plain" # a line break to YAML
try 'e\xe2\x80\xa8ute' "$plain" # likewise
try 'e\xef\xbb\xbfute' "$plain" # a byte order mark
# A newline: merge-fdata refuses such a file of perf2bolt's.
try 'exe\x0aute' "fdata as perf2bolt's: no, in the YAML: yes, functions: 17 18, left out: True True True, True False False"
! $bolt/merge-fdata p.fdata p.fdata >merged 2>log || fail "merge-fdata takes perf2bolt's fdata with a newline in a name"
# No UTF-8: perf2bolt cuts the name, and llvm-bolt finds no such function.
for bytes in 'exe\xffute' 'e\xed\xa0\x80\xc0\xafe' 'execut\xc3'; do
	try "$bytes" "fdata as perf2bolt's: yes, in the YAML: no, functions: 18 17, left out: True False False, True True True"
	[ "$(has "$bytes" p.yaml)" = no ] || fail "$bytes: perf2bolt writes it"
done
# Both forms at once are of one conversion: what one cannot hold is in none.
"$BATCONV" -q --without-hashes optimized "$demo/demo.preagg" -o o.fdata -w o.yaml
[ "$(functions $bolt/llvm-bolt input o.fdata) $(functions $bolt/llvm-bolt input o.yaml)" = '17 17' ] || fail 'both at once'
finish
