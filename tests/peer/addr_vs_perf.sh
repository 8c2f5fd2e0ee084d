#!/bin/sh
# Every sample of a plain and of BOLTed programs: function + offset as perf script has it.
# perf takes the address of a mapping for the one of .text; where that is wrong (two text segments whose distance in
# memory is not the one in the file) it names other functions than nm does, and the difference is counted as perf's.
set -eu
command -v perf >/dev/null || { echo "no perf"; [ -z "${BATCONV_REQUIRE_PEERS-}" ] && exit 77; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$SOURCE/tests/layouts/make-layouts" "$folder/programs" 2>/dev/null
cd "$folder"
perf record -q -e cpu-clock -F 100 -o try.data true >try.log 2>&1 || { echo "perf cannot record here"; exit 77; }
for program in bfd-pie bfd-exec bfd-static-pie lld-pie mold-pie bolt-bfd-pie bolt-bfd-exec bolt-bfd-huge bolt-lld-pie; do
	[ -f "programs/$program" ] || continue
	perf record -q -e cpu-clock:u -F 4000 -o perf.data "programs/$program" >/dev/null 2>&1
	perf script -i perf.data -F ip,sym,symoff,dso >perf.txt 2>/dev/null
	"$SOURCE/tests/support/addr_vs_perf.py" "$BATCONV" "$folder/programs/$program" perf.data perf.txt
done
