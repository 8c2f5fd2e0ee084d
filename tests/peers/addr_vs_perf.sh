#!/bin/sh
# Every sample of a plain and of BOLTed programs: function + offset as perf script has it.
# perf takes the address of a mapping for the one of .text; where that is wrong (two text segments whose distance in
# memory is not the one in the file) it names other functions than nm does, and the difference is counted as perf's.
. "$(dirname "$0")/../lib.sh"
own_folder
set -eu
need perf linux-perf
"$SOURCE/tests/elf/layouts/make-layouts" programs || [ $? = 77 ] # what it could not link is left out below
perf record -q -e cpu-clock -F 100 -o try.data true >try.log 2>&1 || skip "perf cannot record here: $(tail -n 1 try.log)"
for program in bfd-pie bfd-exec bfd-static-pie lld-pie mold-pie bolt-bfd-pie bolt-bfd-exec bolt-bfd-huge bolt-lld-pie; do
	[ -f "programs/$program" ] || { leave_out "no linker or llvm-bolt for $program"; continue; }
	quietly perf record -q -e cpu-clock:u -F 4000 -o perf.data "programs/$program"
	perf script -i perf.data -F ip,sym,symoff,dso >perf.txt
	"$SOURCE/tests/support/addr_vs_perf.py" "$BATCONV" "$dir/programs/$program" perf.data perf.txt
done
finish
