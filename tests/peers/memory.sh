#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Memory events: perf script reads a made recording as batconv does, and perf2bolt writes the same lines where it
# translates nothing: on a binary without BAT that is no PIE.
. "$(dirname "$0")/../lib.sh"
own_folder
perf2bolt=/usr/lib/llvm-22/bin/perf2bolt
need $perf2bolt bolt-22
need perf linux-perf
ln -s "$BATCONV" perf2bolt
binary=$INPUTS/aarch64/sorts.exec
python3 "$SOURCE/tests/support/memory_data.py" "$binary" 0 mem.data merge+10:exchanges merge+10:exchanges \
	merge+4:sorters.1+8 heap:names.0+2 main+8:@7ffe00001000 insertion:exchanges+7 heap+8:completed.0 || exit 1
./perf2bolt "$binary" -p mem.data -o ours >ours.log || fail "batconv: exit $?"
quietly $perf2bolt "$binary" --filter-mem-profile -p mem.data -o theirs || fail "perf2bolt: exit $?"
grep '^4' ours >ours.lines
diff theirs ours.lines || fail 'lines'
wc -l <ours.lines
perf script --show-mmap-events --show-task-events -F pid,event,addr,ip -i mem.data >mem.txt || fail 'perf script'
./perf2bolt "$binary" -p mem.txt -o text >text.log && cmp text ours || fail 'text of perf script'

# llvm-bolt takes the lines, next to branches and next to addresses.
python3 "$SOURCE/tests/support/memory_data.py" "$demo/demo.bolt" 55e11c269000 mem.data main+4:builtins main:given.2+8
"$BATCONV" -q --compat=perf2bolt "$demo/demo.bolt" "$demo/demo.perf.data" mem.data -o branches || fail 'beside branches'
"$BATCONV" -q --compat=perf2bolt --basic "$demo/demo.bolt" mem.data -o addresses || fail 'beside addresses'
[ "$(functions /usr/lib/llvm-22/bin/llvm-bolt "$demo/demo" branches)" = \
	"$(functions /usr/lib/llvm-22/bin/llvm-bolt "$demo/demo" "$demo/expected/demo.perf.fdata")" ] || fail 'llvm-bolt on branches'
[ "$(functions /usr/lib/llvm-22/bin/llvm-bolt "$demo/demo" addresses)" = 1 ] || fail 'llvm-bolt on addresses'
finish
