#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The compiler's map of blocks compared with llvm-readobj 22, and 19 where it can: each function, range, block and successor with all that is
# read of it (tests/peers/block_map_tool.c), of a program of inputs/ and of programs that clang 22 and 19 write here, with each feature
# that an option brings. No compiler writes counts of after the link (feature 128): unit test elf_block_map has these.
. "$(dirname "$0")/../lib.sh"
own_folder
tool=${BLOCK_MAP_TOOL:-$(dirname "$BATCONV")/tests/block_map_tool}
clang=/usr/lib/llvm-22/bin/clang++
readobj=/usr/lib/llvm-22/bin/llvm-readobj
need $clang clang-22
need $readobj llvm-22
readobj_19=/usr/lib/llvm-19/bin/llvm-readobj
[ -x $readobj_19 ] || { leave_out 'no llvm-readobj of LLVM 19 (apt install llvm-19)'; readobj_19=; }
blocks=0

# same BINARY READOBJ [FEATURES]: both read the same; the functions of BINARY have these features, in ascending order
same() {
	"$tool" "$1" >ours.all || { fail "$1: exit $?"; return; }
	features=$(sed -n 's/^function \([0-9]*\) .*/\1/p' ours.all | sort -nu | paste -sd, -)
	sed 's/^function [0-9]* /function /' ours.all >ours
	"$2" --elf-output-style=JSON --bb-addr-map "$1" >theirs.json 2>theirs.log || { cat theirs.log; fail "$1: llvm-readobj: exit $?"; return; }
	python3 - >theirs <<-'END' || fail "$1: JSON of llvm-readobj"
	import json
	KINDS = 'HasReturn', 'HasTailCall', 'IsEHPad', 'CanFallThrough', 'HasIndirectBranch'
	for function in (f['Function'] for f in json.load(open('theirs.json'))[0]['BBAddrMap']):
	    counts = function.get('PGO analyses') or {}
	    of_blocks = iter(counts.get('PGO BB entries') or ())
	    print('function', counts.get('FuncEntryCount', 0))
	    for part in function['BB Ranges']:
	        print('range', part['Base Address'])
	        for b in part['BB Entries']:
	            count = next(of_blocks, {})
	            print('block', b['ID'], part['Base Address'] + b['Offset'], b['Size'], sum(b[kind] << bit for bit, kind in enumerate(KINDS)),
	                  count.get('Frequency', 0), *('%d:%d' % (s['ID'], s['Probability']) for s in count.get('Successors', ())))
	    assert next(of_blocks, None) is None
	END
	[ -s theirs.log ] && { cat theirs.log; fail "$1: llvm-readobj complains"; }
	cmp ours theirs || { diff ours theirs | head -n 6; fail "$1: not as $2"; }
	count=$(grep -c '^block' ours)
	[ "$(grep -c '^function' ours)" -gt 0 ] || fail "$1: no function"
	[ "${3-$features}" = "$features" ] || fail "$1: features $features, not $3"
	blocks=$((blocks + count))
	echo "${1##*/}: $(grep -c '^function' ours) functions, $(grep -c '^range' ours) ranges, $count blocks, features $features"
}

same "$INPUTS/next/luap" $readobj 7,39

cat >work.cpp <<'END'
#include <stdexcept>
#include <string>
#include <vector>
static volatile int seed = 7;
extern "C" __attribute__((noinline)) int leaf(int x) { return x > 100 ? x - seed : x * seed; }
__attribute__((noinline)) int pick(int x) {
	switch (x % 9) {
	case 0: return leaf(x) + 1;
	case 1: return x * 3;
	case 2: return x ^ 5;
	case 3: return pick(x - 1);
	case 4: return x / 7;
	case 5: throw std::runtime_error(std::to_string(x));
	case 6: return x << 2;
	default: return -x;
	}
}
template <class T> __attribute__((noinline)) long sum(const std::vector<T> &of) {
	long all = 0;
	for (auto i : of)
		try { all += pick(static_cast<int>(i)); } catch (const std::exception &e) { all += e.what()[0]; }
	return all;
}
int main() {
	std::vector<int> a;
	std::vector<short> b;
	for (int i = 0; i < 100 * seed; i++) {
		a.push_back(i);
		if (i % 3) b.push_back(static_cast<short>(i));
	}
	return sum(a) + sum(b) == 0;
}
END
# program NAME FEATURES OPTION...: by clang 22 of $source_file
source_file=work.cpp
program() {
	name=$1 features=$2
	shift 2
	$clang -O2 $source_file -fbasic-block-address-map "$@" -o "$name" 2>log || { cat log; fail "$name: clang: exit $?"; return; }
	same "$name" $readobj "$features"
}
map='-mllvm -pgo-analysis-map'
printf '%s\n' _Z4picki:9000:700 ' 1: 700' ' 4: 300' main:900:1 ' 3: 700' >counts
# shellcheck disable=SC2086 # two words
{
	program all 7,39 $map=all
	program counted 7,39 $map=all -fprofile-sample-use=counts
	program none 0,32
	program entries 1,33 $map=func-entry-count
	program frequencies 2,34 $map=bb-freq
	program probabilities 4,36 $map=br-prob
	program parts 7,39,47 $map=all -fprofile-sample-use=counts -fbasic-block-sections=all
	program hashes 71,103 $map=all -mllvm -emit-bb-hash
	program left-out 17,49 $map=func-entry-count -mllvm -basic-block-address-map-skip-bb-entries
	program plain 7,39 $map=all -O0
	if [ -x /usr/lib/llvm-22/bin/ld.lld ]; then
		program lto 7,39 $map=all -fprofile-sample-use=counts -flto -fuse-ld=lld -Wl,--lto-basic-block-address-map -Wl,-mllvm,-pgo-analysis-map=all
		sed -n '/^extern "C"/p; /^static volatile/p' work.cpp >leaf.cpp
		echo 'extern "C" int pick(int); int last(int x) { while (x > 9) x = leaf(pick(x)); return x; }' >>leaf.cpp
		source_file=leaf.cpp
		program arm 7,39 $map=all --target=aarch64-linux-gnu -fPIC -shared -nostdlib -fuse-ld=lld
	else
		leave_out 'no lld (apt install lld-22)'
	fi
}
if [ -x /usr/lib/llvm-19/bin/clang++ ]; then
	/usr/lib/llvm-19/bin/clang++ -O2 work.cpp -fbasic-block-address-map -mllvm -pgo-analysis-map=func-entry-count,bb-freq,br-prob -o old || fail 'clang 19'
	same old $readobj 7
	[ -z "$readobj_19" ] || same old $readobj_19 7
else
	leave_out 'no clang of LLVM 19 (apt install clang-19)'
fi
echo "$blocks blocks compared"
finish
