#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A shared library as the optimized binary: built, BOLTed, run by a program, sampled, converted; checked by a linear scan
# of its table, and taken by llvm-bolt.
. "$(dirname "$0")/../lib.sh"
own_folder
bolt=/usr/lib/llvm-22/bin/llvm-bolt
need $bolt bolt-22
need gcc gcc
need perf linux-perf

cat >work.c <<'EOF'
static long odd(long n) { return n * 3 + 1; }
long step(long n) { return n & 1 ? odd(n) : n / 2; }
long work(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += step(i) > 7 ? i & 3 : 2;
	return sum;
}
EOF
echo 'long work(long n); int main(void) { return work(200000000) == 1; }' >main.c
gcc -O1 -fPIC -shared -Wl,-q work.c -o libwork.input && gcc main.c ./libwork.input -o main || exit 1
quietly $bolt libwork.input -o libwork.so -reorder-blocks=reverse -enable-bat || exit 1
gcc main.c ./libwork.so -o main || exit 1
perf record -q -e cpu-clock -F 1000 -o perf.data ./main 2>perf.log || skip "perf cannot record here: $(tail -n 1 perf.log)"
perf script --show-mmap-events --show-task-events -F pid,event,ip -i perf.data >perf.txt 2>/dev/null
"$BATCONV" -q libwork.so perf.data -o perf.fdata || fail "exit $?"
python3 "$SOURCE/tests/support/check_basic.py" libwork.so libwork.input perf.txt perf.fdata || fail 'by a linear scan'
n=$(functions $bolt libwork.input perf.fdata)
echo "$n functions"
[ "$n" -ge 1 ] || fail 'llvm-bolt found no profile'
finish
