#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# As transcode.sh, with perf2bolt 18, whose own sections have wrong parents: with the true ones, in layout delta, its profile
# is the one that perf2bolt 16 makes of the same table in layout fixed.  Debian 12 has 16 and not 18, Debian 13 has 18 and
# not 16, and so transcode-18.sha256 is between: of the sorted lines, equal to the byte, that either of them writes.
# No run of the tests can require both.
. "$(dirname "$0")/../lib.sh"
own_folder
BATCONV_REQUIRE_PEERS=
eighteen=${PERF2BOLT_18:-/usr/lib/llvm-18/bin/perf2bolt}
need "$eighteen" bolt-18

read_by_18() { # BINARY OUT
	quietly "$eighteen" "$1" --pa -p p18 -o raw || fail "perf2bolt 18 does not read $1"
	LC_ALL=C sort raw >"$2"
}

plain 18 >p18
"$BATCONV" transcode -q --layout delta -o b18.delta "$sqlite/sq.b18" || fail 'transcode to delta'
read_by_18 b18.delta a
sha256sum <a | cmp - "$SOURCE/tests/peers/transcode-18.sha256" || fail 'delta, parents repaired: not as perf2bolt 16 has it of fixed'
echo "delta, parents repaired: $(wc -l <a) lines are those of perf2bolt 16"
read_by_18 "$sqlite/sq.b18" b
! cmp -s a b || fail '18 gives the same with wrong parents'
finish
