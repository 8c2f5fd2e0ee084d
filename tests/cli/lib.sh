# shellcheck shell=sh disable=SC2154,SC2034  # run.py sets batconv, inputs, source; cases use what is set here
# Helpers of the cases: . "$source/tests/cli/lib.sh"
# Messages are held to what CONTRIBUTING asks of them, by patterns that were written by hand.
demo=$source/inputs/demo
sqlite=$inputs/sqlite

# refuses EXIT PATTERN ARGUMENT...: batconv says one line, which matches, and exits so; an output file `out` that
# was there before is as it was, and nothing is left beside it.
refuses() {
	want=$1 pattern=$2
	shift 2
	echo before >out
	"$batconv" "$@" >stdout.seen 2>stderr.seen </dev/null
	got=$?
	told "$want" "$got" "$pattern" "$*"
	[ "$(cat out)" = before ] || echo "$*: the old output file is gone"
	[ -z "$(find . -name 'out?*' -o -name '.out*')" ] || echo "$*: left behind: $(ls -A)"
	[ ! -s stdout.seen ] || echo "$*: wrote to stdout"
}

# told EXIT GOT PATTERN WHAT: the exit code (a pattern of sh), and one line in stderr.seen that matches.
told() {
	# shellcheck disable=SC2254  # a pattern
	case $2 in $1) ;; *) echo "$4: exit $2, not $1" ;; esac
	[ "$(wc -l <stderr.seen)" = 1 ] || { echo "$4: not one line:"; cat stderr.seen; }
	grep -qE "^batconv: $3" stderr.seen || { echo "$4: no /$3/ in"; cat stderr.seen; }
}
