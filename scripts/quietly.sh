# shellcheck shell=sh
# Scripts that source this do not fail without a word.
# shellcheck disable=SC2154  # they set dir

# quietly COMMAND...: what it says is in $dir/log.  If it fails, the end of that is shown: on stderr, as $(...) keeps stdout.
quietly() {
	"$@" >"$dir/log" 2>&1 || {
		code=$?
		tail -n 60 "$dir/log" >&2
		return $code
	}
}

# Where bash ends at the first command that fails (set -e), it names that command; sh has no trap for it.
if [ -n "${BASH_VERSION-}" ]; then
	case $- in
	*e*)
		# shellcheck disable=SC3041,SC3047,SC3054  # of bash
		set -E
		# shellcheck disable=SC3047,SC3054
		trap 'echo "${BASH_SOURCE[0]}: line $LINENO: exit $?: $BASH_COMMAND" >&2' ERR
		;;
	esac
fi
