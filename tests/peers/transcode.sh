#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sections that batconv wrote for a release of BOLT, read by its perf2bolt: the profile is that of the original section.
# transcode-18.sh has what needs perf2bolt 18.
. "$(dirname "$0")/../lib.sh"
own_folder

# read_by RELEASE BINARY SAMPLES OUT
read_by() {
	quietly "/usr/lib/llvm-$1/bin/perf2bolt" "$2" --pa -p "$3" -o "$4.raw" || { fail "perf2bolt $1 does not read $2"; return; }
	LC_ALL=C sort "$4.raw" >"$4"
}

# to LAYOUT FROM TO
to() {
	"$BATCONV" transcode -q --layout "$1" -o "$3" "$2" || fail "transcode $2 to $1"
}

# note_same WHAT A B: their sections are equal; where they are in the file can differ
note_same() {
	"$BATCONV" extract --note -o one "$2" && "$BATCONV" extract --note -o two "$3" && cmp one two || fail "$1"
}

same() { # WHAT A B
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		echo "$1: $(wc -l <"$2") lines are equal"
	else
		fail "$1: $(diff "$2" "$3" | grep -c '^[<>]') lines differ"
	fi
}

for v in 16 18 19 22; do
	plain $v >p$v
done

to hashed "$sqlite/sq.b16" b16.hashed
to fixed b16.hashed b16.fixed
if have 16; then
	read_by 16 "$sqlite/sq.b16" p16 a
	read_by 16 b16.fixed p16 b
	same '16: fixed -> hashed -> fixed' a b
fi

for v in 19 22; do
	to hashed "$sqlite/sq.b$v" b$v.hashed
	cmp "$sqlite/sq.b$v" b$v.hashed || fail "hashed -> hashed changes sq.b$v"
	# delta holds no entries that share an offset: all others come back.
	to delta b$v.hashed b$v.delta
	to hashed b$v.delta b$v.again
	to delta b$v.again b$v.delta2
	note_same "$v: delta -> hashed -> delta" b$v.delta b$v.delta2
	have $v || continue
	read_by $v "$sqlite/sq.b$v" p$v a
	read_by $v b$v.hashed p$v b
	same "$v: hashed" a b
	read_by $v b$v.again p$v b
	echo "$v: hashed -> delta -> hashed: $(diff a b | grep -c '^[<>]') of $(wc -l <a) lines differ"
done

# 22 reads what 16 and 18 wrote, with their true parents, as batconv does.
for v in 16 18; do
	to hashed "$sqlite/sq.b$v" b$v.hashed
	have 22 || continue
	read_by 22 b$v.hashed p$v a
	"$BATCONV" -q "$sqlite/sq.b$v" p$v -o b || fail "batconv on sq.b$v"
	"$SOURCE/scripts/fidelity" --blocks 99.99 --calls 99.99 a b || fail "22 on sq.b$v as hashed"
done

# 18: its own section, with the true parents.
to delta "$sqlite/sq.b18" b18.delta
to delta b18.hashed b18.again
note_same '18: delta -> hashed -> delta' b18.delta b18.again
if have 16; then
	to fixed "$sqlite/sq.b18" b18.fixed
	read_by 16 b18.fixed p18 a
	sha256sum <a | cmp - "$SOURCE/tests/peers/transcode-18.sha256" || fail '18 as fixed: 16 makes another profile of it than 18 of delta'
fi
finish
