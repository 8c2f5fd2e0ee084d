#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Types of branches as perf2bolt 23 uses them: the same profile from perf.data and from its own PERFTEXT, with types and
# without.  Debian 12 lacks that release, so no run of the tests requires it; PERF2BOLT_23 names it.
. "$(dirname "$0")/../lib.sh"
own_folder
BATCONV_REQUIRE_PEERS=
perf2bolt=${PERF2BOLT_23:-/usr/lib/llvm-23/bin/perf2bolt}
need "$perf2bolt" bolt-23
need perf linux-perf
typed=$sqlite/typed.b22.data untyped=$dir/untyped.data
python3 "$SOURCE/tests/support/branch_flags.py" untyped "$typed" "$untyped"
as_perf2bolt() { # SAMPLES
	"$BATCONV" -q --compat=perf2bolt "$sqlite/sq.b22" "$1" -o ours || fail "batconv on $1: exit $?"
}

# 23 reads an entry of eight parts, one blank between, and of others silently every second entry: as later releases of perf
# print them.
mkdir bin
PERF=$(command -v perf)
export PERF
# shellcheck disable=SC2016  # for that script
printf '#!/bin/sh\n"$PERF" "$@" | sed "%s"\n' \
	's@\(/[PM-]/[-X]/[-A]/[0-9]*/\)\([A-Z_][A-Z_]*\) *@\1\2/- @g; s@\(/[PM-]/[-X]/[-A]/[0-9]*/\) *\( 0x\|$\)@\1-/-\2@g; s/  *0x/ 0x/g; s/ *$//' >bin/perf
chmod +x bin/perf
for samples in "$typed" "$untyped"; do
	quietly env PATH="$dir/bin:$PATH" "$perf2bolt" "$sqlite/sq.b22" -p "$samples" -o told || fail 23
	as_perf2bolt "$samples"
	cmp told ours || fail "23 on $samples"
	quietly env PATH="$dir/bin:$PATH" "$perf2bolt" "$sqlite/sq.b22" -p "$samples" \
		-profile-format=perfscript -o perftext
	head -c 9 perftext | grep -q PERFTEXT && as_perf2bolt perftext && cmp told ours || fail "PERFTEXT of $samples"
done
quietly env PATH="$dir/bin:$PATH" "$perf2bolt" "$sqlite/sq.b22" -p "$typed" -o told
cmp told "$sqlite/expected/typed.b22.fdata" || fail 'perf2bolt 23 writes something else than inputs/sqlite/expected'
finish
