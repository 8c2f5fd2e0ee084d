# shellcheck shell=sh disable=SC2034  # scripts use what is set here
# Helpers of all shell scripts below tests.  Cases of the command line (tests/cli) have batconv, inputs and source from run.py, other
# scripts BATCONV, INPUTS and SOURCE from ctest; after this both have both.
BATCONV=${BATCONV-${batconv-}} INPUTS=${INPUTS-${inputs-}} SOURCE=${SOURCE-${source-}}
batconv=$BATCONV inputs=${INPUTS%/} source=$SOURCE
demo=$SOURCE/inputs/demo
sqlite=$inputs/sqlite
failures=0
left_out=
. "$SOURCE/scripts/quietly.sh"

# own_folder: a new directory is the current one until the script ends
own_folder() {
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	cd "$dir" || exit 1
	dir=$(pwd -P) # as perf and the kernel have it
}

# ---- what is wrong, and what is not there ----

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# skip WHY: a test without its peer proves nothing: in CI that is a failure
skip() {
	echo "skipped: $*"
	[ "$failures" = 0 ] && [ "${BATCONV_REQUIRE_PEERS-}" != 1 ] || exit 1
	exit 77
}

# leave_out WHY: a part of the test, the others continue; in the end the test is reported as skipped, unless one of them fails
leave_out() {
	case $left_out in *"<$*>"*) return ;; esac
	echo "skipped in part: $*"
	left_out="$left_out<$*>"
}

# need PROGRAM PACKAGE
need() {
	command -v "$1" >/dev/null || skip "no $1 (apt install $2)"
}

# A build without libdw has no verify --dwarf.
need_libdw() {
	case $("$batconv" verify -q --dwarf --input "$inputs/lines/g4" "$inputs/lines/g4.b22" 2>&1) in
	*'this build is without libdw') skip 'this build is without libdw' ;;
	esac
}

# have RELEASE: its perf2bolt; without it what follows is left out
have() {
	[ -x "/usr/lib/llvm-$1/bin/perf2bolt" ] || { leave_out "no perf2bolt of LLVM $1 (apt install bolt-$1)"; return 1; }
}

finish() {
	[ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
	[ -n "$left_out" ] || exit 0
	[ "${BATCONV_REQUIRE_PEERS-}" != 1 ] || exit 1
	exit 77
}

# ---- messages: held to what CONTRIBUTING asks of them, by patterns that were written by hand ----

# refuses EXIT PATTERN ARGUMENT...: batconv says one line, which matches, and exits so; an output file `out` that
# was there before is as it was, and nothing is left next to it.
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

# `told` EXIT GOT PATTERN WHAT: the exit code (a pattern of sh), and what is in stderr.seen: after 0 and 4 one warning, else one error
# and at most one hint. The text matches, with its hint as "TEXT; HINT". Where WHAT has the name of a program of LLVM, as it has them.
told() {
	# shellcheck disable=SC2254  # a pattern
	case $2 in $1) ;; *) echo "$4: exit $2, not $1" ;; esac
	case $2 in 0 | 4) told_kind=warning ;; *) told_kind=error ;; esac
	told_first="^batconv: $told_kind: " told_second='^batconv: hint: '
	for told_by in perf2bolt merge-fdata llvm-bolt-heatmap; do
		case " $4 " in *[\ /]$told_by\ *) told_second="^$told_by: " told_first="^($told_by: |PERF2BOLT-ERROR: |(PERF2BOLT-)?WARNING: )" ;; esac
	done
	awk -v first="$told_first" -v second="$told_second" 'NR == 1 && sub(first, "") { text = $0; next }
		NR == 2 && sub(second, "") { text = text "; " $0; next }
		{ exit bad = 1 }
		END { print text; exit bad || !NR }' stderr.seen >told.seen || { echo "$4: not one $told_kind, or more than a hint:"; cat stderr.seen; }
	grep -qE "^$3" told.seen || { echo "$4: no /$3/ in"; cat stderr.seen; }
	rm -f told.seen
}

# ---- peers ----

# functions BOLT INPUT FDATA: how many functions of INPUT llvm-bolt finds a profile for; none may be stale
functions() {
	quietly "$1" "$2" -data "$3" -o bolted -reorder-blocks=ext-tsp -reorder-functions=hfsort ||
		{ echo 0; return; }
	! grep -i 'stale' log >&2 || { echo 0; return; }
	sed -n 's/^BOLT-INFO: \([0-9]*\) out of .* have non-empty execution profile.*/\1/p' log
}

# plain RELEASE: its traces as B and F lines, which every release takes
plain() {
	awk '$1 == "T" { print "B", $2, $3, $5, 0 }
		$1 == "T" || $1 == "R" || $1 == "r" || $1 == "f" { if ($4 !~ /^f*$/) print "F", $3, $4, $5 }
		$1 == "B" || $1 == "F"' "$sqlite/b$1.preagg" | grep -v 'F.*X:'
}

# survives COMMAND...: is not ended by a signal.  perf2bolt 22 as Debian 13 has it (22.1.8-1~deb13u4) ends with SIGTRAP on
# RISC-V binaries, after the warning `jump past end detected`; that of Debian 12, of the same release, does not.
survives() {
	"$@" >survives.log 2>&1
	[ $? -lt 128 ]
}
