#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Lines and inlined calls of every address of some functions, in stacks as JSON and as pprof, compared with eu-addr2line and
# llvm-symbolizer: PIE and static addresses, DWARF 4 and 5, debug information in a file of its own, units without
# .debug_aranges.  And what must not be reported: lines of a binary that BOLT wrote, of which DWARF says those of its input.
. "$(dirname "$0")/../lib.sh"
own_folder
need gcc gcc
need eu-addr2line elfutils
symbolizer=/usr/lib/llvm-22/bin/llvm-symbolizer
[ -x $symbolizer ] || { leave_out 'no llvm-symbolizer (apt install llvm-22)'; symbolizer=; }

cat >inl.h <<'END'
static inline __attribute__((always_inline)) long inner(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += i * i % 7;
	return sum;
}
END
cat >inl.c <<'END'
#include "inl.h"
#include <stdio.h>
#include <stdlib.h>
static inline __attribute__((always_inline)) long middle(long n)
{
	return inner(n) +
	       inner(n / 2);
}
__attribute__((noinline)) long work(long n)
{
	return middle(n) * 3;
}
__attribute__((noinline)) long once(long n)
{
	return n < 3 ? n : work(n - 1) + inner(n);
}
int main(int argc, char **argv)
{
	printf("%ld\n", once(argc > 1 ? atol(argv[1]) : 1000));
}
END

# build NAME FLAG...: NAME, and a copy whose symbols and DWARF stay
build() {
	name=$1
	shift
	gcc -O2 "$@" -Wl,--build-id inl.c -o "$name" || fail "gcc $*"
	cp "$name" "$name.whole"
}

check() { python3 "$SOURCE/tests/support/check_lines.py" "$BATCONV" "$1" $symbolizer || fail "$1"; }

build pie -g && check pie
build fixed -g -no-pie && check fixed
build dwarf4 -gdwarf-4 && check dwarf4
build noaranges -g && objcopy --remove-section=.debug_aranges noaranges && check noaranges
build apart -g && objcopy --only-keep-debug apart apart.debug && objcopy --strip-debug apart &&
	objcopy --add-gnu-debuglink=apart.debug apart && check apart
command -v clang >/dev/null && clang -O2 -g -Wl,--build-id inl.c -o byclang && cp byclang byclang.whole && check byclang

# Text and folded stacks of one address, by hand.
at=$(nm pie | awk '$3 == "once" { print $1 }')
printf '1 p0 %x\n' $((0x555555554000 + 0x$at)) >stacks
readelf -lW pie | awk '$1 == "LOAD" && /R E/ { print $2, $3, $6 }' | {
	read -r offset vaddr size
	printf '%x-%x r-xp %08x fe:00 1 %s/pie\n' $((0x555555554000 + vaddr)) $((0x555555554000 + vaddr + (size + 4095) / 4096 * 4096)) \
		$((offset)) "$dir"
} >maps
"$BATCONV" stacks -q --maps=maps --lines --format=folded stacks | grep -qx 'once (inl.c:14) 1' || fail 'folded'
"$BATCONV" stacks -q --maps=maps --lines stacks | grep -qF "once+0x0 $dir/inl.c:14" || fail 'text'

# BOLT keeps DWARF as it was: none of its lines are those of the new code.  With -update-debug-sections they are.
bolt=/usr/lib/llvm-22/bin/llvm-bolt
if [ -x $bolt ]; then
	gcc -O2 -gdwarf-4 -Wl,--build-id,--emit-relocs inl.c -o input # of DWARF 5 BOLT 22 writes wrong file numbers
	for how in '' -update-debug-sections; do
		quietly $bolt input -o bolted -enable-bat -reorder-blocks=ext-tsp $how || fail "llvm-bolt $how"
		at=$(nm bolted | awk '$3 == "once" { print $1 }')
		echo "1 p0 $at" >stacks
		: >maps
		readelf -lW bolted | awk '$1 == "LOAD" && /R E/ { print $2, $3, $6 }' |
			while read -r offset vaddr size; do
				printf '%x-%x r-xp %08x fe:00 1 %s\n' $((vaddr)) $((vaddr + (size + 4095) / 4096 * 4096)) $((offset)) "$dir/bolted"
			done >>maps
		"$BATCONV" stacks -q --maps=maps --lines stacks >got
		case $how in
		'') ! grep -q 'inl\.[ch]:' got || { cat got; fail 'lines of other code'; } ;;
		*) grep -q 'inl\.c:14$' got || { cat got; fail 'lines that BOLT updated'; } ;;
		esac
	done
else
	leave_out 'no llvm-bolt (apt install bolt-22)'
fi

# pprof itself, if there is one.
if command -v go >/dev/null; then
	nm pie | awk '$3 == "work" { print $1 }' >work
	printf '1 p0 %x\n' $((0x555555554000 + 0x$(cat work) + 40)) >stacks
	readelf -lW pie | awk '$1 == "LOAD" && /R E/ { print $2, $3, $6 }' | {
		read -r offset vaddr size
		printf '%x-%x r-xp %08x fe:00 1 %s/pie\n' $((0x555555554000 + vaddr)) \
			$((0x555555554000 + vaddr + (size + 4095) / 4096 * 4096)) $((offset)) "$dir"
	} >maps
	"$BATCONV" stacks -q --maps=maps --lines --inlines --format=pprof -o p.gz stacks
	go tool pprof -list=inner p.gz >list 2>&1
	grep -q "ROUTINE =* inner in $dir/inl.h" list && grep -Eq '^ +1 +1 +[0-9]+:' list || { cat list; fail 'go tool pprof -list'; }
fi
finish
