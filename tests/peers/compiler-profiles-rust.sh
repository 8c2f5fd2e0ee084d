#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The commands of docs/compiler-profiles.md for Rust, as they are there, where there is a rustc: its options are those of a nightly
# toolchain, which any takes with RUSTC_BOOTSTRAP=1.  Few machines record branches, so perf here takes basic samples, of which the
# executed code is inferred.  The profile is one of the program's own functions, rustc takes it, and what it makes prints the same.
. "$(dirname "$0")/../lib.sh"
own_folder
llvm=/usr/lib/llvm-22/bin
need $llvm/llvm-profgen llvm-22
need $llvm/llvm-bolt bolt-22
need perf linux-perf
PATH=$PATH:$HOME/.cargo/bin
# No peer of ours, and 500 MB: not even CI has to have it.
rustc --version >version 2>&1 || { echo "skipped: no rustc"; exit 77; }
perf record -q -e cpu-clock:u -o try.data -- true >log 2>&1 || { echo "skipped: perf cannot record here"; exit 77; }

mkdir bin
ln -s $llvm/llvm-bolt $llvm/llvm-profgen bin/
ln -s "$BATCONV" bin/batconv
cat >bin/perf <<PERF
#!/bin/sh
# perf record ... -o FILE -- ./PROGRAM
while [ "\$1" != -- ]; do
	[ "\$1" != -o ] || out=\$2
	shift
done
exec $(command -v perf) record -q -e cpu-clock:u -F 1999 -o "\$out" "\$@"
PERF
chmod +x bin/perf
PATH=$PWD/bin:$PATH
export RUSTC_BOOTSTRAP=1

awk '/^## / { here = /^## 3. Rust/ } /^```/ { on = here && !on; next } on' "$SOURCE/docs/compiler-profiles.md" >commands
[ "$(grep -c '^rustc' commands)" = 2 ] || fail "section 3: not a whole loop"
cp "$SOURCE/tests/peers/compiler-profiles.rs" prog.rs
quietly sh -eux ./commands || { fail "section 3: a command of the page: exit $?"; finish; }

$llvm/llvm-profdata show --sample prog.prof >shown 2>&1 || { cat shown; fail "not a profile"; }
grep -q 'parse' shown || { head -n 40 shown; fail "no function of the program in its profile"; }
./prog 1000 >a && ./prog.next 1000 >b && cmp a b || fail "the optimized program prints something else"
cmp -s prog prog.next && fail "the profile changed nothing"
echo "$(cat version): $(grep -c '^Function' shown) functions in the profile"
finish
