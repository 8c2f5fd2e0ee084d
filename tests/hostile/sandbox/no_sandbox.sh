#!/bin/sh
# --sandbox on a kernel that has neither Landlock nor seccomp, or in a build without libseccomp: each command says what is not
# given up, and everything else is as without it.
. "$(dirname "$0")/../../lib.sh"
own_folder

seccomp='^batconv: warning: --sandbox: \(no seccomp in this kernel\|this build is without libseccomp\): rights over modes of files, other processes and the network are kept$'
landlock='^batconv: warning: --sandbox: no Landlock in this kernel: the right to write other files is kept$'

# warned FILE: both are said, and nothing else that is not said without it
warned() {
	grep -q "$seccomp" "$1" || fail "$1: nothing of seccomp"
	grep -q "$landlock" "$1" || fail "$1: nothing of Landlock"
	grep -v "$seccomp" "$1" | grep -v "$landlock" | sed 's/sandboxed/plain/' >rest
	cmp plain.said rest || fail "they differ"
}

"$BATCONV" "$demo/demo.bolt" "$demo/demo.perf.txt" -o plain 2>plain.said || { fail "plain: exit $?"; cat plain.said; }
LD_PRELOAD=${SHIM##*/} LD_LIBRARY_PATH=${SHIM%/*} "$BATCONV" --sandbox "$demo/demo.bolt" "$demo/demo.perf.txt" -o sandboxed 2>sandboxed.said ||
	{ fail "sandboxed: exit $?"; cat sandboxed.said; }
cmp plain sandboxed || fail "they differ"
warned sandboxed.said
LD_PRELOAD=${SHIM##*/} LD_LIBRARY_PATH=${SHIM%/*} "$BATCONV" -v --sandbox "$demo/demo.bolt" "$demo/demo.perf.txt" -o out 2>&1 |
	grep -qx 'batconv: sandbox: Landlock no, seccomp no' || fail '-v: does not say that there is none'
# The summary as JSON is alone.
LD_PRELOAD=${SHIM##*/} LD_LIBRARY_PATH=${SHIM%/*} "$BATCONV" --sandbox --stats=json "$demo/demo.bolt" "$demo/demo.perf.txt" -o out 2>json.said
grep -q warning: json.said && fail '--stats=json: a line that is no JSON'

"$BATCONV" dump "$demo/demo.bolt" -o plain 2>plain.said || { fail "dump: exit $?"; cat plain.said; }
LD_PRELOAD=${SHIM##*/} LD_LIBRARY_PATH=${SHIM%/*} "$BATCONV" dump --sandbox "$demo/demo.bolt" -o sandboxed 2>sandboxed.said ||
	{ fail "dump --sandbox: exit $?"; cat sandboxed.said; }
cmp plain sandboxed || fail "they differ"
warned sandboxed.said
finish
