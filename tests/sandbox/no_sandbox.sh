#!/bin/sh
# --sandbox on a kernel that has neither Landlock nor seccomp: silent, and everything is as without it.
. "$(dirname "$0")/lib"

"$BATCONV" "$demo/demo.bolt" "$demo/demo.perf.txt" -o plain 2>plain.said || fails "plain: exit $?"
LD_PRELOAD=$SHIM "$BATCONV" --sandbox "$demo/demo.bolt" "$demo/demo.perf.txt" -o sandboxed 2>sandboxed.said ||
	fails "sandboxed: exit $?"
cmp plain sandboxed || status=1
sed 's/sandboxed$/plain/' sandboxed.said | cmp plain.said - || status=1
LD_PRELOAD=$SHIM "$BATCONV" -v --sandbox "$demo/demo.bolt" "$demo/demo.perf.txt" -o out 2>&1 |
	grep -qx 'batconv: sandbox: Landlock no, seccomp no' || fails '-v: does not say that there is none'
exit $status
