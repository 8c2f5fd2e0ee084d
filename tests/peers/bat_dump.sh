#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# batconv dump compared with llvm-bat-dump 16, which reads layout fixed: every entry, every parent, 4000 translated addresses.
# llvm-bat-dump names a cold fragment itself, batconv the function it belongs to: offsets are compared.
. "$(dirname "$0")/../lib.sh"
own_folder
need llvm-bat-dump-16 bolt-16
for b in b16 b17 b15; do
	bin=$sqlite/sq.$b
	[ -e "$bin" ] || continue
	llvm-bat-dump-16 --dump-all "$bin" >theirs.raw 2>&1 || { fail "llvm-bat-dump on $b"; continue; }
	grep -E '^(Function Address|0x)' theirs.raw | sed 's/Function Address: /@/; s/^\(0x[0-9a-f]*\) -> \([0-9a-f]*\)$/\1 cold \2/' >theirs
	"$BATCONV" dump --json "$bin" | python3 -c '
import json, sys
table = json.load(sys.stdin)
for f in table["fragments"]:
    print("@" + f["address"])
    for e in f["entries"]:
        print("%#x -> %#x%s" % (e["output"], e["input"], " (branch)" if e["branch"] else ""))
for f in table["fragments"]:
    if f["part"] == "cold":
        print("%s cold %s" % (f["address"], f["hot_address"][2:]))' | sed 's/ 0x0$/ 0x0/' >ours
	cmp -s theirs ours && [ -s ours ] || { diff theirs ours | head -n 5; fail "$b: dumps differ"; }
	echo "$b: $(wc -l <ours) lines are equal"
done
"$BATCONV" dump --json "$sqlite/sq.b16" | python3 -c '
import json, random, sys
random.seed(1)
fragments = json.load(sys.stdin)["fragments"]
for _ in range(4000):
    f = random.choice(fragments)
    print("%#x" % (int(f["address"], 16) + random.randrange(f["size"])))' >addresses
# shellcheck disable=SC2046  # a list
llvm-bat-dump-16 $(sed 's/^/--translate=/' addresses) "$sqlite/sq.b16" 2>&1 | sed -n 's/^\(0x[0-9a-f]*\) -> .* + /\1 /p' >theirs
# shellcheck disable=SC2046
"$BATCONV" dump $(sed 's/^/--translate=/' addresses) "$sqlite/sq.b16" | sed 's/ -> .* + / /' >ours
cmp -s theirs ours && [ -s ours ] || { diff theirs ours | head -n 5; fail 'translations differ'; }
echo "$(wc -l <ours) translations are equal"
finish
