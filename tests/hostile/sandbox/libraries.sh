#!/bin/sh
# `batconv version` says which libraries are there, and what needs one that is not says so: of this build ($FOUND: what it was
# built with), of one without libseccomp and libdw ($BARE), and where libdw cannot be loaded.
. "$(dirname "$0")/../../lib.sh"
own_folder

# says PROGRAM LIBRARY PATTERN: a line of its version; as JSON null, where it is none
says() {
	"$1" version >said || fail "version: exit $?"
	grep -qxE "$2: $3" said || { fail "$1 version: $2 is not $3:"; grep "$2" said >&2; }
	"$1" version --json | grep -qE "\"$(echo "$2" | tr '[:upper:]' '[:lower:]')\": (\"[^\"]+\"|null)[,}]" || fail "$2 is not in the JSON"
	case $3 in
	n*) "$1" version --json | grep -qF "\"$2\": null" || fail "$2: not null" ;;
	*) "$1" version --json | grep -qE "\"$2\": \"$3\"" || fail "$2: not $3 in the JSON" ;;
	esac
}
number='[0-9]+(\.[0-9]+)+'
no_seccomp='not built in \(--sandbox denies no system calls\)'
for library in libyaml zstd lzma zlib; do
	says "$BATCONV" $library "$number"
done
case " $FOUND" in *" libseccomp "*) says "$BATCONV" libseccomp "$number" ;; *) says "$BATCONV" libseccomp "$no_seccomp" ;; esac
case " $FOUND" in *" libdw "*) says "$BATCONV" libdw "$number" ;; *) says "$BATCONV" libdw 'not built in' ;; esac
says "$BARE" libseccomp "$no_seccomp"
says "$BARE" libdw 'not built in'
says "$BARE" zlib "$number"

# What needs them.
program=$demo/demo.bolt samples=$demo/demo.perf.data
without_lines() { # PROGRAM WHY LINES-NEED
	"$1" report "$program" "$samples" -o page.html 2>said || { fail "report: exit $?"; cat said; }
	grep -qx "batconv: warning: the page has no source lines: libdw: $2" said || { fail 'report does not say that it has no lines:'; cat said >&2; }
	[ -s page.html ] || fail 'no page'
	"$1" addr --source --binary="$demo/demo" --from=vaddr 1100 >out 2>said && fail 'addr --source: exit 0'
	grep -q "^batconv: error: .*source lines$3" said || { fail 'addr --source does not say why:'; cat said >&2; }
	"$1" stacks --lines --binary="$demo/demo.bolt" "$demo/demo.basic.perf.data" >out 2>said && fail 'stacks --lines: exit 0'
	grep -q "^batconv: error: .*source lines$3" said || { fail 'stacks --lines does not say why:'; cat said >&2; }
}
without_lines "$BARE" 'not built in' ': this build is without libdw$'
"$BARE" -q --sandbox "$program" "$samples" -o got 2>said || { fail "--sandbox: exit $?"; cat said; }
grep -q 'warning: --sandbox: this build is without libseccomp: ' said || fail '--sandbox does not say that libseccomp is missing'
case " $FOUND" in
*" libdw "*)
	"$BATCONV" report "$program" "$samples" -o page.html 2>said || { fail "report: exit $?"; cat said; }
	grep 'source lines' said && fail 'report misses libdw'
	mkdir broken
	echo 'no library' >broken/libdw.so.1
	LD_LIBRARY_PATH=$PWD/broken${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
	says "$BATCONV" libdw 'none found: .*libdw.so.1.*'
	without_lines "$BATCONV" 'none found: .*libdw.so.1.*' ' need libdw.so.1: .*; install it (Debian: libdw1, Fedora: elfutils-libs)'
	;;
esac
finish
