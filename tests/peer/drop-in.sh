#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# batconv in perf2bolt's place beside perf2bolt 22: exit codes, profiles, and the lines that scripts read; and that
# docs/perf2bolt.md has every option that perf2bolt shows.
. "$(dirname "$0")/lib"
perf2bolt=/usr/lib/llvm-22/bin/perf2bolt
need $perf2bolt bolt-22
need perf linux-perf
ln -s "$BATCONV" perf2bolt

# Lines that are not batconv's are those about perf at work.
lines() {
	grep '^PERF2BOLT: ' "$1" | grep -vE 'spawning|waiting|parse |parsing|matched|Starting' | sed 's/ to [a-z.]*$//'
}

# beside ARGUMENT...: the same exit code, profile and lines. In basic profiles the order is perf2bolt's own.
beside() {
	rm -f ours theirs
	./perf2bolt "$@" -o ours >ours.log 2>&1
	our_code=$?
	$perf2bolt "$@" -o theirs >theirs.log 2>&1
	[ $our_code = $? ] || fail "$*: exit codes"
	lines ours.log >ours.lines
	lines theirs.log >theirs.lines
	diff theirs.lines ours.lines || fail "$*: lines"
	grep -h 'wrote\|mismatching' ours.lines
	case $* in
	*-ba*) "$SOURCE/scripts/compare-fdata" --basic "$1" theirs ours || fail "$*" ;;
	*) [ ! -e theirs ] || cmp theirs ours || fail "$*" ;;
	esac
}
beside "$demo/demo.bolt" -p "$demo/demo.perf.data"
beside "$demo/demo.bolt" -pa -p "$demo/demo.preagg"
beside "$demo/demo.bolt" -ba -p "$demo/demo.basic.perf.data"
beside "$demo/demo" -pa -p "$demo/demo.preagg"
for b in b19 b22; do
	beside "$sqlite/sq.$b" --pa --perfdata "$sqlite/$b.preagg"
	beside "$sqlite/sq.$b" -p="$sqlite/lbr.$b.data"
	beside "$sqlite/sq.$b" -p "$sqlite/lbr.$b.data" -max-samples=300
done
beside "$sqlite/sq" -p "$sqlite/lbr.input.data"
beside "$sqlite/sq" -pa -p "$sqlite/input.preagg"
beside "$sqlite/sq.b22" -p nope
beside "$sqlite/sq.b22" -p "$sqlite/lbr.b22.data" -frob
beside nope -p "$sqlite/lbr.b22.data"

for shown in $($perf2bolt --help-hidden | sed -n 's/^  --*\([a-z-]*\)[= ].*/\1/p'); do
	grep -qE "^\|.*\`--?${shown}[=\` ]" "$SOURCE/docs/perf2bolt.md" || fail "docs/perf2bolt.md: no $shown"
done
finish
