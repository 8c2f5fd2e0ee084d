#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# convert --from-compiler of programs that clang 22 writes here, by profiles of samples that are written by hand: what is warned of, and that
# llvm-bolt 22 leaves functions alone of which nothing is known.
. "$(dirname "$0")/../lib.sh"
own_folder
llvm=/usr/lib/llvm-22/bin
need $llvm/clang clang-22
need $llvm/llvm-bolt bolt-22
map='-O2 -fbasic-block-address-map -mllvm -pgo-analysis-map=all -Wl,-q'

# program COUNT ENTRIES: main calls COUNT functions 1000 times each, which the compiler's profile has ENTRIES times; `programN`
program() {
	{
		for i in $(seq "$1"); do echo "__attribute__((noinline)) int f$i(int x) { return x % 3 ? x + $i : x * x; }"; done
		echo 'int main(int argc, char **argv) {'
		echo ' int sum = argc;'
		echo ' for (int i = 0; i < 1000; i++)'
		printf ' sum +='
		for i in $(seq "$1"); do printf ' f%s(i) +' "$i"; done
		printf ' 1;\n return sum == 7;\n}\n'
	} >program.c
	{
		echo 'main:100000:1'
		for i in 1 2 3; do echo " $i: 1000"; done
		for i in $(seq "$1"); do printf '%s\n' "f$i:3000:$2" " 0: $2"; done
	} >counts
	# shellcheck disable=SC2086 # words
	$llvm/clang $map -g -fprofile-sample-use=counts program.c -o program 2>log || { cat log; fail 'clang'; }
	"$BATCONV" convert -v --from-compiler=program -o program.fdata 2>told || { cat told; fail "convert: exit $?"; }
}
older='warning: .* called more often than they were entered'
program 30 1000
! grep warning: told | grep -v 'debug information: llvm-bolt removes it' || fail 'calls that agree with the entries: a warning'
program 30 10
grep -q "$older" told || { cat told; fail '30 functions that are called too often: no warning'; }
program 8 10
grep -q ' 8 (.*have more calls than entries' told || { cat told; fail '8 functions that are called too often: not told'; }
! grep -q "$older" told || { cat told; fail 'a warning of so few functions'; }

# unknown() has no map, rare() one without a count.  Both are called by what has counts; llvm-bolt would reorder and split them by the calls.
cat >unknown.c <<'END'
int unknown(int x) { if (x % 5 == 1) return x * 3; for (int i = 0; i < x % 7; i++) x ^= i * x; return x; }
END
cat >known.c <<'END'
int unknown(int);
__attribute__((noinline)) int rare(int x) { if (x % 5 == 1) return x * 3; for (int i = 0; i < x % 7; i++) x += unknown(i); return x; }
int main(int argc, char **argv) {
	int sum = argc;
	for (int i = 0; i < 1000; i++)
		sum += unknown(i) + (i % 10 == 9 ? rare(i) : i % 3);
	return sum == 7;
}
END
printf '%s\n' main:9000:1 ' 2: 1000' ' 3: 1000' ' 3.1: 100' >counts
# shellcheck disable=SC2086
$llvm/clang -O2 -c unknown.c -o unknown.o && $llvm/clang $map -g -fprofile-sample-use=counts known.c unknown.o -o known || fail 'clang'
"$BATCONV" convert --from-compiler=known -o known.fdata 2>told || { cat told; fail "convert: exit $?"; }
grep -q ' main ' known.fdata || fail 'main has no records'
! grep -E ' (unknown|rare) ' known.fdata || fail 'records of functions without a count'
quietly $llvm/llvm-bolt known -data known.fdata -o known.bolt -reorder-blocks=ext-tsp -reorder-functions=cdsort -split-functions -split-all-cold || fail 'llvm-bolt'
grep -q '^BOLT-INFO: 1 out of .* have non-empty execution profile' log || { cat log; fail 'llvm-bolt has a profile of other functions than main'; }
finish
