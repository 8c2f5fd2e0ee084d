#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `optimize` with llvm-bolt itself: what is kept, what is not, what is left when it is killed, and the same by hand.
. "$(dirname "$0")/../lib.sh"
own_folder
need gcc gcc
bolt=/usr/lib/llvm-22/bin/llvm-bolt
[ -x "$bolt" ] || skip 'no llvm-bolt of LLVM 22 (apt install bolt-22)'
export LLVM_BOLT="$bolt"

# optimize EXIT ARGUMENT...
optimize() {
	want=$1
	shift
	code=0
	"$BATCONV" optimize --budget=1 "$@" >out 2>err || code=$?
	[ "$code" = "$want" ] || fail "optimize $*: exit $code, not $want: $(cat out err)"
}
says() { # PATTERN
	grep -Eq -e "$1" out err || fail "no '$1' in: $(cat out err)"
}
verdict() { # FOLDER
	sed -n 's/.*"verdict": "\([a-z_]*\)".*/\1/p' "$1/optimize.json"
}

# Whose hot branches are taken, as the compiler was given the wrong hint.
cat >work.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifdef SIZE
#include <sys/stat.h>
#endif
static unsigned seed = 1;
static unsigned next(void) { return seed = seed * 1664525u + 1013904223u; }
__attribute__((noinline)) static int step(unsigned x)
{
	if (__builtin_expect((x & 1023) != 7, 0)) {
		seed ^= x;
		if (x % 3 == 0)
			return x >> 3;
		return x % 5 == 1 ? x & 7 : 1;
	}
	for (int i = 0; i < 3; i++)
		seed += i * x;
	return 2;
}
int main(int count, char **words)
{
	long sum = 0;
	for (int i = 0; i < atoi(words[count - 1]); i++)
		sum += step(next());
#ifdef SIZE
	struct stat st;
	stat("/proc/self/exe", &st);
	sum += st.st_size;
#endif
	printf("%ld\n", sum);
	return 0;
}
END
# With an argument it runs so long that the budget ends before the time can decide: another alignment can make its loop faster.
cat >flat.c <<'END'
int main(int count, char **words)
{
	unsigned x = 1;
	(void)words;
	for (int i = 0; i < (count > 1 ? 300000000 : 3000000); i++)
		x = x * 1664525u + 1013904223u;
	return x == 7;
}
END
gcc -O2 -Wl,-q work.c -o work && gcc -O2 -Wl,-q -DSIZE work.c -o sized && gcc -O2 work.c -o plain && gcc -O1 -Wl,-q flat.c -o flat || fail gcc

# An instrumented copy; kept, and it works.  By hand, with the commands of --dry-run: the same program.
valgrind --version >/dev/null 2>&1 && counted=--counted='{} 50000' || { counted='' && leave_out 'no valgrind'; }
[ -z "$counted" ] || {
	optimize 0 -o made --how=instrument "$counted" ./work -- {} 3000000
	says '^kept'
	[ "$(./made 1000)" = "$(./work 1000)" ] || fail 'what is kept prints something else'
	mv work.optimize first
	optimize 0 -o hand --how=instrument --dry-run ./work -- {} 3000000
	grep -v '^batconv compare' out | sed "s|^batconv|'$BATCONV'|" >script
	sh -e script >log 2>&1 || fail "the commands of --dry-run: $(tail -3 log)"
	cmp made hand || fail 'another program by hand'
	cmp first/profile.fdata work.optimize/profile.fdata || fail 'another profile by hand'
	taken=$(grep -o '"taken_branches": {[^}]*}' first/optimize.json | tr -dc '0-9 ' | awk '{ print ($2 < $1 * 0.95) }')
	[ "$taken" = 1 ] || fail "taken branches: $(grep -o '"taken_branches": {[^}]*}' first/optimize.json)"
	# Already optimal: the loop stays as it is.
	optimize 3 -o none --how=instrument --counted='{}' ./flat -- {} long
	[ "$(verdict flat.optimize)" = no_gain ] && [ ! -e none ] || fail "of what is optimal: $(cat out err)"
	# What ends early, or cannot run under valgrind, has few counts: they prove nothing.
	optimize 3 -o none --how=instrument --counted="sh -c 'case \$0 in *bolted*) exit 3;; esac' {}" ./flat -- {} long
	says 'under valgrind it ends with exit code 3'
	[ ! -e none ] || fail 'kept by the counts of a run that failed'
}
rm -rf work.optimize

# A profile that is there.
"$BATCONV" merge -q -o work.fdata first/counts/* 2>/dev/null && {
	cmp work.fdata first/profile.fdata || fail 'another profile of the same counts'
	optimize 0 -o again --profile=work.fdata --keep=always ./work -- {} 1000
	rm -rf work.optimize
}

# The next build, by the profile of the last one: what its own profile makes of it, nearly.
[ -z "$counted" ] || {
	sed 's/x & 7 : 1/x \& 15 : 1/; s/"%ld\\n", sum/"%ld\\n", sum * 3 + 1/' work.c >next.c
	gcc -O2 -Wl,-q next.c -o next || fail gcc
	taken_of() { grep -o '"taken_branches": {[^}]*}' "$1/optimize.json" | tr -dc '0-9 ' | awk '{ print $1, $2 }'; }
	optimize 0 --keep=always -o carried --folder=carried.d --profile=work.fdata --profile-of=work "$counted" ./next -- {} 1000
	optimize 0 --keep=always -o fresh --folder=fresh.d --how=instrument "$counted" ./next -- {} 3000000
	cmp -s work next && fail 'the next build is the last one'
	# shellcheck disable=SC2046 # numbers
	set -- $(taken_of carried.d) $(taken_of fresh.d)
	[ $# = 4 ] && [ "$1" = "$3" ] && [ "$2" -lt $((($1 + $4) / 2)) ] || fail "taken branches of the next build: $* (before, carried; before, fresh)"
	optimize 1 -o none --folder=other.d --profile=work.fdata --profile-of=flat ./next
	says 'carry: batconv ended with exit code 3'
}

# Prints something else; has no relocations.
optimize 3 -o none --how=instrument ./sized -- {} 100000
says 'not kept: its output or exit code differs'
optimize 1 -o none --how=instrument ./plain -- {} 100000
says 'no relocations'
[ ! -e none ] || fail 'a program that is not kept is there'

# Odd names.
mkdir -- 'a b' && cp work 'a b/-x' && cp work ./-y
# shellcheck disable=SC2016 # names
optimize 0 --keep=always -o 'a b/o p' --how=instrument --folder='a b/f $d' 'a b/-x' -- {} 1000
[ "$('a b/o p' 1000)" = "$(./work 1000)" ] || fail 'a name with a blank'
optimize 0 --keep=always --how=instrument ./-y -- {} 1000
[ -x ./-y.bolt ] && [ -e ./-y.optimize/optimize.json ] || fail 'a name with a dash'

# Killed in the middle: nothing runs on, nothing is made; then it continues.
for signal in TERM INT KILL; do
	rm -rf go work.optimize killed
	# shellcheck disable=SC2016 # of the inner shell
	set -- "$BATCONV" optimize --budget=1 --keep=always --how=instrument -o killed ./work -- \
		sh -c 'case $0 in *instrumented*) [ -e go ] || { touch here; sleep 98765; };; esac; exec "$0" 1000' {}
	rm -f here
	python3 -c 'import signal, os, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' "$@" >out 2>err &
	pid=$!
	while [ ! -e here ] && kill -0 $pid; do sleep 0.1; done
	kill -$signal $pid
	wait $pid 2>/dev/null
	[ $signal = KILL ] || ! pgrep -f 'sleep 98765' >left || fail "$signal: left: $(cat left)"
	[ $signal != KILL ] || pkill -f '^sleep 98765'
	[ ! -e killed ] || fail "$signal: an output"
	touch go
	"$@" >out 2>err || fail "$signal, then: $(cat out err)"
	grep -q 'instrument .*was done before' err && [ -x killed ] || fail "$signal: not resumed: $(cat err)"
	[ -z "$(find . -maxdepth 1 -name 'killed.*' -o -maxdepth 1 -name '.killed*')" ] || fail "$signal: left $(ls -A)"
done

# A server: one that ends by exit(), and one that SIGTERM just kills.
cat >serve.c <<'END'
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static volatile sig_atomic_t ends;
static void end(int number) { (void)number; ends = 1; }
__attribute__((noinline)) static unsigned work(unsigned x) { for (int i = 0; i < 2000; i++) x = x % 3 ? x * 7 + 1 : x >> 1; return x; }
int main(int count, char **words)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(words[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sigaction action = {.sa_handler = end};
	int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
	unsigned sum = 1;
	if (count > 2)
		sigaction(SIGTERM, &action, NULL);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (void *)&to, sizeof(to)) || listen(fd, 5))
		return 1;
	while (!ends) {
		int who = accept(fd, NULL, NULL);
		if (who < 0)
			continue;
		sum = work(sum);
		close(who);
	}
	exit(sum == 7);
}
END
gcc -O2 -Wl,-q serve.c -o serve || fail gcc
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >load <<END
import socket, time
end = time.monotonic() + 1.5
while time.monotonic() < end:
    for i in range(100):
        socket.create_connection(('127.0.0.1', $port)).close()
END
printf "import socket\nfor i in range(20):\n    socket.create_connection(('127.0.0.1', %s)).close()\n" "$port" >few
for how in 'exit instrument ' 'killed instrument2 '; do
	words=${how%% *} step=${how#* }
	[ "$words" = exit ] && word=' exit' || word=''
	optimize 0 --keep=always -o "served.$words" --folder="serve.$words" --how=instrument --serve="{} $port$word" --ready=tcp:"$port" --load='python3 load' --counted='python3 few' ./serve
	[ -x "served.$words" ] && grep -q "$step" err || fail "$words: $(cat err)"
	if valgrind --version >/dev/null 2>&1; then
		counted=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["counts"]["taken_branches"]["before"])' "serve.$words/optimize.json") && [ "$counted" -gt 20000 ] || fail "$words: not counted: $(cat "serve.$words/optimize.json")"
	fi
	grep -q ' work/1 .* [1-9][0-9]*$' "serve.$words/profile.fdata" || fail "$words: no counts: $(cat "serve.$words/profile.fdata")"
done
! pgrep -f "serve $port" >left || fail "servers are left: $(cat left)"

# Branch stacks: taken where the processor has them, else one line says what they need, and nothing is written.
if "$BATCONV" record -q --require-branches -o probe.lbr/ ./work 1000000 2>err; then
	optimize 0 --keep=always --how=lbr --folder=lbr -o stacks ./work -- {} 20000000
	[ -s lbr/profile.fdata ] || fail "lbr: no profile: $(cat err)"
else
	optimize 1 --how=lbr --folder=lbr -o stacks ./work -- {} 1000
	says "^batconv: error: record: batconv ended with exit code [13]: [^:]* [(]lbr/record.log[)]$"
	[ ! -e stacks ] || fail "lbr: wrote $(ls)"
fi

# Basic samples, twice, with a page; where the system lets it record.
"$BATCONV" record -q --basic -o probe/ ./work 1000 2>err || { leave_out "no samples: $(tail -1 err)"; finish; }
optimize 0 --keep=always --how=basic --rounds=2 --folder=basic -o sampled ./work -- {} 20000000
for file in profile.fdata profile2.fdata report.html compare.html verify.json optimize.json bolted/work bolted2/work; do
	[ -s "basic/$file" ] || fail "basic: no $file: $(cat out err)"
done
grep -q 'convert.* --input=./work' basic/optimize.json || fail 'the second round has no input'
finish
