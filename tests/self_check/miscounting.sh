#!/bin/sh
# A contradiction is told, exits 1, and leaves every file as it was: by a build whose second count is off by one a sample.
. "$(dirname "$0")/lib"

for form in fdata yaml preagg; do
	echo before >out
	"$BATCONV" --self-check --format=$form --stats-file=stats "$demo/demo.bolt" "$demo/demo.perf.txt" -o out >stdout 2>stderr
	[ $? = 1 ] || fails "$form: not exit 1"
	[ "$(cat out)" = before ] || fails "$form: the old output is gone"
	[ ! -s stdout ] || fails "$form: wrote to stdout"
	grep -q '^batconv: .*/demo.bolt: self-check: samples read: 120, should be 240; this is a bug' stderr ||
		fails "$form: said $(cat stderr)"
	rm stdout stderr out
	[ -z "$(ls -A)" ] || fails "$form: left $(ls -A)"
done
exit $status
