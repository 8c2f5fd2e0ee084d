#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# heatmap compared with llvm-bolt-heatmap 22: both tables byte by byte, and the heat map without its colors, which it carries on from
# one file to the next.  A bucket at address 0 ends no line there, so that those heat maps are left out.  The same of
# batconv under llvm-bolt-heatmap's name, and of perf2bolt --heatmap, which counts no ends of branch stacks.
. "$(dirname "$0")/../lib.sh"
own_folder
heatmap=/usr/lib/llvm-22/bin/llvm-bolt-heatmap perf2bolt=/usr/lib/llvm-22/bin/perf2bolt
need $heatmap bolt-22

plain() {
	sed 's/\x1b\[[0-9;]*m//g' "$1"
}

# compare WHAT: all files of both
compare() {
	compared=0
	for theirs in theirs*; do
		ours=ours${theirs#theirs}
		case $theirs in
		*.csv) cmp "$theirs" "$ours" || fail "$1: $ours" ;;
		*)
			plain "$theirs" >a
			grep -q '^0x0*: [A-Za-z]' a && continue
			 plain "$ours" >b && cmp a b || fail "$1: $ours" ;;
		esac
		compared=$((compared + 1))
	done
	echo "$1: $compared files, $(wc -l <ours.csv) buckets"
	[ "$compared" -ge 2 ] || fail "$1: nothing compared"
}

# same WORDS BINARY SAMPLES OUR-OPTION...: WORDS are llvm-bolt-heatmap's
same() {
	words=$1 binary=$2 samples=$3
	shift 3
	rm -f ours* theirs*
	# shellcheck disable=SC2086  # words
	quietly $heatmap "$binary" -p "$samples" -o theirs $words || { fail "llvm-bolt-heatmap $binary"; return; }
	"$BATCONV" heatmap "$binary" "$samples" -o ours "$@" || fail "heatmap $*"
	compare "$binary $samples $*"
	rm -f ours*
	# shellcheck disable=SC2086  # words
	quietly ./llvm-bolt-heatmap-22 "$binary" -p "$samples" -o ours $words || fail "llvm-bolt-heatmap: ours: $binary"
	compare "llvm-bolt-heatmap $binary $words"
}
ln -s "$BATCONV" llvm-bolt-heatmap-22
same '' "$sqlite/sq.b22" "$sqlite/lbr.b22.data"
same '--block-size=1K,64K,2M --line-size=64 --print-mappings' "$sqlite/sq.b22" "$sqlite/lbr.b22.data" \
	--block-size=1K,64K,2M --line-size=64 --print-mappings
same '--min-address=4194304 --max-address=4300000' "$sqlite/sq.b22" "$sqlite/lbr.b22.data" \
	--min-address=0x400000 --max-address=4300000
same -pa "$sqlite/sq.b22" "$sqlite/b22.preagg"
same -nl "$sqlite/sq.b22" "$sqlite/ip.b22.data" --basic
same '' "$sqlite/sq.b19" "$sqlite/lbr.b19.data"

# also BINARY WORD...: WORDs are perf2bolt's, and ours; the lines on stdout, too.
also() {
	rm -f ours* theirs* profile*
	quietly $perf2bolt "$@" -o profile.theirs --heatmap=theirs || { fail "perf2bolt $*"; return; }
	grep ^HEATMAP: log | sed 's/theirs/ours/' >a
	quietly ./perf2bolt "$@" -o profile.ours --heatmap=ours || fail "ours: perf2bolt $*"
	case $* in *-pa*) ;; *) sed -i '/invalid traces/d' a ;; esac
	mv log ourlog
	grep ^HEATMAP: ourlog | diff a - || fail "perf2bolt $*: lines"
	compare "perf2bolt $*"
	quietly ./perf2bolt "$@" -o profile.without
	cmp profile.without profile.ours || fail "perf2bolt $*: the map changes the profile"
}
# Where the peer does not end.
for size in 1G 3G; do
	if quietly timeout 20 ./llvm-bolt-heatmap-22 "$sqlite/sq.b22" -p "$sqlite/lbr.b22.data" \
		-o large --block-size=$size; then
		[ "$(wc -l <large.csv)" = 2 ] || fail "$size: one bucket"
	else
		fail "--block-size=$size"
	fi
done
# Units of sizes: taken or refused, and as many bytes.
for size in 16kb 16KB 16KiB 16ki 16Kib 1M,2mb 64B 4kk 0x40 4iB; do
	for program in $heatmap ./llvm-bolt-heatmap-22; do
		"$program" "$sqlite/sq.b22" -pa -p "$sqlite/b22.preagg" -o map --block-size=$size 2>/dev/null | grep dumping
	done >log
	[ "$(sort log | uniq -u)" = '' ] || { cat log; fail "--block-size=$size"; }
	case $size in [1-9]*[Mm]* | 16*) [ -s log ] || fail "--block-size=$size: refused" ;; *) [ ! -s log ] || fail "--block-size=$size: taken" ;; esac
done
# Without -o all goes to stdout: what is in the files.
quietly ./llvm-bolt-heatmap-22 "$sqlite/sq.b22" -pa -p "$sqlite/b22.preagg" -o ours
cat ours ours.csv ours-section-hotness.csv ours-4096 ours-262144 >a
./llvm-bolt-heatmap-22 "$sqlite/sq.b22" -pa -p "$sqlite/b22.preagg" 2>log | cmp - a || fail 'stdout'

ln -s "$BATCONV" perf2bolt
also "$sqlite/sq.b22" -p "$sqlite/lbr.b22.data"
also "$sqlite/sq.b22" -p "$sqlite/lbr.b22.data" --block-size=1K,64K,2M -line-size 64 -print-mappings
also "$sqlite/sq.b22" -p "$sqlite/lbr.b22.data" -min-address=4194304 -max-address=4300000
also "$sqlite/sq.b22" -pa -p "$sqlite/b22.preagg"
also "$sqlite/sq.b22" -pa -p "$sqlite/b22.preagg" -min-address=4194304 -max-address=4300000
grep -q 'invalid traces: [1-9]' ourlog || fail 'no invalid traces'
also "$sqlite/sq.b22" -nl -p "$sqlite/ip.b22.data"
also "$sqlite/sq.b19" -p "$sqlite/lbr.b19.data"

# A shared library.
cat >work.c <<'END'
static long odd(long n) { return n * 3 + 1; }
long step(long n) { return n & 1 ? odd(n) : n / 2; }
long work(long n) { long sum = 0; for (long i = 0; i < n; i++) sum += step(i) > 7 ? i & 3 : 2; return sum; }
END
echo 'long work(long n); int main(void) { return work(200000000) == 1; }' >main.c
if gcc -O1 -fPIC -shared -Wl,-q work.c -o libwork.so && gcc main.c ./libwork.so -o main &&
	perf record -q -e cpu-clock -F 1000 -o perf.data ./main 2>perf.log; then
	same -nl ./libwork.so perf.data --basic
else
	leave_out 'perf cannot record here'
fi
finish
