#!/usr/bin/env bash
# The program as one file: what it cannot have is what docs/install.md lists, and each says so in one line that names the remedy; all
# else is as in the dynamic one.   static.sh PROGRAM
set -u
. "$(dirname "$0")/../../lib.sh"
program=${1-}
[ -n "$program" ] || skip 'this build has no libraries to link a program of one file with'
own_folder

! readelf -lW "$program" | grep -q INTERP || fail 'it asks for a program interpreter'
! readelf -dW "$program" | grep -q NEEDED || fail 'it needs libraries'
readelf -hW "$program" | grep -q 'Type: *DYN' || fail 'it is bound to an address'

# Every library of `version` is there or one of the two.
none='this batconv is one static file, which loads no libraries: install a package, or build it'
"$program" version >said || fail "version: exit $?"
for library in libLLVM libdw; do
	grep -qxF "$library: $none" said || { fail "version does not say why there is no $library:"; cat said; }
done
[ "$(grep -c "$none" said)" = 2 ] || fail 'version has other libraries that a static program lacks'
[ "$(grep -cE '^[A-Za-z]+: [0-9.]+$' said)" = 5 ] || { fail 'version lacks one of five libraries:'; cat said; }

# lacks PURPOSE ARGUMENT...: one line, and no success
lacks() {
	purpose=$1
	shift
	"$program" "$@" >out 2>said && fail "$*: exit 0"
	[ "$(wc -l <said)" = 1 ] && grep -q "^batconv: error: .*$purpose need libdw.so.1: $none" said || { fail "$*:"; cat said; }
}
lacks 'source lines' addr --source --binary="$demo/demo" --from=vaddr 1100
lacks 'source lines' stacks --lines --binary="$demo/demo.bolt" "$demo/demo.basic.perf.data"
lacks 'line tables' verify -q --dwarf --input="$inputs/lines/g4" "$inputs/lines/g4.b22"
"$program" report "$demo/demo.bolt" "$demo/demo.perf.data" -o page.html 2>said || { fail "report: exit $?"; cat said; }
grep -q "no source lines: libdw: .*$none" said || { fail 'report does not say that it has no lines:'; cat said; }
grep -q "no instructions: libLLVM: $none" said || { fail 'report does not say that it has no instructions:'; cat said; }

# The same bytes as of the dynamic one.
for form in perf.txt perf.data preagg; do
	for with in "$batconv" "$program"; do
		"$with" -q --sandbox "$demo/demo.bolt" "$demo/demo.$form" --input="$demo/demo" -o "out.$([ "$with" = "$program" ] && echo one || echo dynamic)" 2>said || fail "$with, demo.$form: exit $?"
		[ ! -s said ] || { fail "$with --sandbox:"; cat said; }
	done
	cmp out.one out.dynamic || fail "demo.$form: another profile"
done
for with in "$batconv" "$program"; do
	"$with" dump --demangle "$inputs/lines/g4.b22" >"names.$([ "$with" = "$program" ] && echo one || echo dynamic)" 2>&1
done
grep -q 'work(int, int)' names.one || { fail 'no name is demangled:'; head names.one; }
cmp names.one names.dynamic || { fail 'other names:'; diff names.*; }
finish
