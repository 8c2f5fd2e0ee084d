#!/bin/bash
# Programs at fixed addresses (type EXEC) whose segments agree modulo the page size only: Linux runs them, perf2bolt
# converts them, and every command here reads them.  Linked at odd addresses with the linkers that there are, BOLTed
# into 2 MiB pages; RISC-V's are linked at 0x10000 by default.  A library of that kind is refused: ld.so refuses it.
. "$(dirname "$0")/../lib.sh"
own_folder
bolt=/usr/lib/llvm-22/bin
have 22 || finish
need gcc gcc
options='-reorder-blocks=ext-tsp -reorder-functions=cdsort -split-functions -split-all-cold -enable-bat'

# check NAME INPUT: $NAME.bolt and made traces of it
check() {
	"$SOURCE/scripts/traces-from-bat.py" "$1.bolt" --distinct 2000 --seed 5 >"$1.preagg" ||
		fail "$1: no traces"
	"$BATCONV" convert -q --force "$1.bolt" "$1.preagg" -o got 2>err || fail "$1: $(cat err)"
	if survives "$bolt/perf2bolt" "$1.bolt" --pa -p "$1.preagg" -o expected; then
		[ "$(wc -l <expected)" -gt 100 ] || fail "$1: perf2bolt has only $(wc -l <expected) lines: $(tail -n 1 survives.log)"
		cmp expected got || fail "$1: not perf2bolt's profile"
	else
		leave_out "perf2bolt 22 crashes on $1.bolt"
	fi
	"$BATCONV" verify -q --input="$2" "$1.bolt" || fail "$1: verify"
	"$BATCONV" image "$1.bolt" >shown || fail "$1: image"
	grep -q 'aligned by pages' shown || fail "$1: its segments agree, this tests nothing"
	"$BATCONV" image --json "$1.bolt" | grep -q '"aligned": *false' && fail "$1: image --json"
	"$BATCONV" dump "$1.bolt" >/dev/null || fail "$1: dump"
	"$BATCONV" dump --json "$1.bolt" >table.json && "$BATCONV" encode table.json -o note &&
		"$BATCONV" extract --note "$1.bolt" -o whole && cmp note whole || fail "$1: encode"
}

# on NAME FLAG...: a program for this machine; its own addresses, by nm, are found by addr
on() {
	name=$1
	shift
	gcc -O2 -fno-reorder-blocks-and-partition -no-pie -Wl,-q "$@" -o "$name" "$SOURCE/inputs/promoted/src/promoted.c" ||
		{ fail "$name: gcc"; return; }
	# shellcheck disable=SC2086  # a list of words
	quietly "$bolt/llvm-bolt" "$name" -data "$SOURCE/inputs/promoted/promoted.fdata" $options -o "$name.bolt" ||
		{ fail "$name: llvm-bolt"; return; }
	[ "$("./$name.bolt" 500)" = "$("./$name" 500)" ] || fail "$name: does not run"
	check "$name" "$name"
	address=$(nm "$name.bolt" | sed -n 's/ [tT] classify$//p')
	"$BATCONV" addr --binary="$name.bolt" --from=vaddr "0x$address" | grep -q classify || fail "$name: addr"
}

[ "$(uname -m)" = x86_64 ] || skip "programs for x86-64"
on low -Wl,-Ttext-segment=0x10000
on odd -Wl,-Ttext-segment=0x410000
on odder -Wl,-Ttext-segment=0x7ff000 -Wl,-z,max-page-size=4096
on large -Wl,-Ttext-segment=0x650000 -Wl,-z,max-page-size=0x10000

xz -dc "$SOURCE/inputs/riscv64/expected/sorts.exec.fdata.xz" >riscv.fdata
# shellcheck disable=SC2086  # a list of words
quietly "$bolt/llvm-bolt" "$INPUTS/riscv64/sorts.exec" -data riscv.fdata $options -o riscv.bolt || fail "riscv: llvm-bolt"
check riscv "$INPUTS/riscv64/sorts.exec"

# The same segments in a file of type DYN.
printf '\3' | dd of=odd.bolt bs=1 seek=16 conv=notrunc 2>/dev/null
"$BATCONV" dump odd.bolt >/dev/null 2>err && fail "a library that ld.so refuses is read"
grep -q 'differ modulo its alignment' err || fail "$(cat err)"
finish
