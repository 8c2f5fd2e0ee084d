# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A share is a directory: what became of some recordings.
#
#   shard   their samples, for batconv merge; missing if there are none
#   counts  how many recordings were read, used, bad, and used but cut short: four numbers
#   bad     the ones left out, and why; a line each
#   cut     the ones used as far as they go, and why
#
# BINARY, BATCONV, OPTIONS and THREADS are what the conversion needs of the environment.
#
# Every name that a system permits will do.  So names in lists end with a zero byte, none is a part of a command that a
# shell reads, of a pattern or of a format, and those that are given to programs begin with / or with a name made here.

# printable TEXT: on one line, as batconv prints names
printable() { printf '%s\n' "${1//[[:cntrl:]]/?}"; }

say() { printable "batconv-fleet: $*" >&2; }
fail() { say "$*"; exit 1; }
wrong() { say "$*"; exit 2; }

# whole_name VARIABLE NAME: sets it to NAME from / on
whole_name() { IFS= read -r -d '' "$1" < <(realpath -zm -- "$2"); }

# make_folder DIR: one that can be written, with those above it
make_folder() { mkdir -p -- "$1" 2>/dev/null && [ -w "$1" ] || fail "$1: is no directory that can be written"; }

# own_folder DIR: in one of another user, or that others can write to, links and settings can be anybody's
own_folder() {
	[ -O "$1" ] || fail "$1: is of another user: take a directory of your own, or run as its owner"
	[ $((8#$(stat -Lc %a -- "$1") & 2)) = 0 ] || fail "$1: anybody can write there: chmod o-w"
}

# print_settings NAME...: the values of these variables, as lines NAME=VALUE; in VALUE \\ is a backslash and \n a newline
print_settings() {
	local name value
	for name; do
		value=${!name//\\/\\\\}
		printf '%s=%s\n' "$name" "${value//$'\n'/\\n}"
	done
}

# write_settings FILE NAME...: no other user can write to it
write_settings() { (umask go-w && rm -f -- "$1.new" && print_settings "${@:2}" >"$1.new" && mv -T -- "$1.new" "$1"); }

# read_settings FILE NAME...: sets these variables to what FILE says, which is data, and of this user
read_settings() {
	local file=$1 fd owner mode line name number=0
	shift
	[ -f "$file" ] && exec {fd}<"$file" || fail "$file: cannot be read"
	read -r owner mode < <(stat -c '%u %a' - <&"$fd")
	[ "$owner" = "$EUID" ] || fail "$file: is of another user, whose settings are not taken"
	[ $((8#$mode & 022)) = 0 ] || fail "$file: others can write to it: chmod go-w"
	while IFS= read -r line || [ -n "$line" ]; do
		number=$((number + 1)) name=${line%%=*}
		[[ $line == *=* && " $* " == *" $name "* && $name != *' '* ]] || fail "$file: line $number: is no setting"
		printf -v "$name" %b "${line#*=}"
		case $name in
		FILES | TASKS | PARTS) [[ ${!name} =~ ^[1-9][0-9]{0,17}$ ]] || fail "$file: line $number: $name: expected a number from 1 on" ;;
		esac
	done <&"$fd"
	exec {fd}<&-
}

# What all runs on a directory have in common, and what one run has
# shellcheck disable=SC2034 # for those that read this file
PLAN_SETTINGS=(BATCONV BINARY SHA256 FILES TASKS OPTIONS)
# shellcheck disable=SC2034
RUN_SETTINGS=(PARTS MAX_BAD FORMAT FINAL_OPTIONS)

# check_file NAME PATH: a file that can be read, as a setting wants it; a pipe will do
check_file() {
	[ -e "$2" ] || fail "$1: $2: there is no such file"
	[ ! -d "$2" ] || fail "$1: $2: is a directory"
	[ -r "$2" ] || fail "$1: $2: cannot be read"
}

# find_batconv: BATCONV as a name from / on
find_batconv() {
	local found
	found=$(type -P -- "${BATCONV:-batconv}" && echo .) || wrong "BATCONV: there is no ${BATCONV:-batconv}"
	whole_name BATCONV "${found%$'\n.'}"
}

# words_of TEXT: sets `words`; quotes and \ keep blanks in a word, and nothing is expanded
words_of() {
	words=()
	[[ $1 =~ ^[[:space:]]*$ ]] || mapfile -d '' -t words < <(xargs printf '%s\0' <<<"$1")
}

# check_settings: of those that any step can be given in the environment
check_settings() {
	local setting inputs
	[[ $MAX_BAD =~ ^[0-9]{1,7}%?$ ]] || wrong "MAX_BAD: expected a number, or one with %, not '$MAX_BAD'"
	[[ $FORMAT =~ ^(fdata|yaml)$ ]] || wrong "FORMAT: expected fdata or yaml, not '$FORMAT'"
	for setting in OPTIONS FINAL_OPTIONS; do
		xargs printf '' <<<"${!setting}" 2>/dev/null || wrong "$setting: a quote without its end: '${!setting}'"
	done
	take_inputs OPTIONS
	[ -z "$inputs" ] || FINAL_OPTIONS+=$inputs
	take_inputs FINAL_OPTIONS
	[ -z "$inputs" ] || FINAL_OPTIONS+=$inputs
}

# take_inputs VARIABLE: takes --input, the binary that llvm-bolt read, out of its options; sets `inputs` to that, with a name
# from / on.  Raw samples know no input: it is for the profile.
take_inputs() {
	local word value rest='' of='' words
	inputs=''
	words_of "${!1}"
	for word in "${words[@]}"; do
		if [ -z "$of" ] && [ "$word" = --input ]; then
			of=1
			continue
		fi
		[ -z "$of" ] || word=--input=$word
		if [ -n "$of" ] || [[ $word == --input=* ]]; then
			of=''
			whole_name value "${word#*=}"
			[ -r "$value" ] || fail "$1: $value: cannot be read"
			inputs+=" --input=$(quoted "$value")"
		else
			rest+=" $(quoted "$word")"
		fi
	done
	[ -z "$of" ] || wrong "$1: --input: no file is given"
	[ -z "$inputs" ] || printf -v "$1" %s "$rest"
}

# quoted TEXT: as a word of words_of
quoted() {
	local i
	for ((i = 0; i < ${#1}; i++)); do printf '\\%s' "${1:i:1}"; done
}

# entries FILE: what it lists, with a zero byte after each: its lines, or what zero bytes part if it has any
entries() {
	if [ "$(tr -dc '\0' <"$1" | head -c 1 | wc -c)" = 0 ]; then
		tr '\n' '\0' <"$1"
	else
		cat <"$1"
	fi
}

count_entries() { tr -dc '\0' <"$1" | wc -c; }

# take_entry ENTRY: sets `name`, and `weight`, which is after the last tab
take_entry() {
	name=${1%$'\t'*} weight=1
	[ "$name" = "$1" ] || weight=${1##*$'\t'}
}

# files_of RECORDING: sets `files`; the parts of a recording are those of its directory, by name
files_of() {
	files=("$1")
	if [ -d "$1" ] && [ ! -e "$1/data" ]; then # perf's own directories have a file data
		mapfile -d '' files < <(find "$1" -type f -print0 | LC_ALL=C sort -z)
	fi
}

# convert_recording RECORDING SAMPLES: batconv's exit code; what it said is in `why`.  What may be the machine's fault is
# tried three times: an input that cannot be read, a signal.
convert_recording() {
	local try code words
	files_of "$1"
	words_of "$OPTIONS"
	if [ ${#files[@]} = 0 ]; then
		why="$1: an empty directory"
		return 1
	fi
	for try in 1 2 3; do
		code=0
		why=$("$BATCONV" convert -q --threads="${THREADS:-1}" "${words[@]}" --format=preagg "$BINARY" "${files[@]}" -o "$2" 2>&1) || code=$?
		case $code in 0 | 2 | 3 | 4 | 126 | 127) break ;; esac
		[ $try = 3 ] || say "$1: exit $code: tried again"
	done
	return $code
}

# reported RECORDING: `why` as one line that begins with the recording
reported() {
	local line=${why//$'\n'/; }
	line=${line//batconv: error: /}
	line=${line//batconv: hint: /}
	[[ $line == "${1//[[:cntrl:]]/?}"* ]] || line="$1: $line"
	printable "$line"
}

# make_share LIST DIR: each recording of LIST by itself, so that what is used does not depend on what it is read with.  Its
# entries end with zero bytes.
make_share() {
	local entry name weight code read=0 bad=0 cut=0
	mkdir "$2/each" && touch "$2/bad" "$2/cut" "$2/each/list" || return
	while IFS= read -r -d '' entry || [ -n "$entry" ]; do # the last one can lack its end
		take_entry "$entry"
		[[ $name == /* ]] || name=$PWD/$name
		code=0
		convert_recording "$name" "$2/each/recording-$read" || code=$?
		case $code in
		0) ;;
		4) reported "$name" >>"$2/cut" && cut=$((cut + 1)) || return ;;
		1 | 3) reported "$name" >>"$2/bad" && bad=$((bad + 1)) || return ;;
		*) say "$name: batconv ended with $code: ${why//$'\n'/; }"; return 1 ;;
		esac
		if [ -s "$2/each/recording-$read" ]; then
			printf 'recording-%s\t%s\0' "$read" "$weight" >>"$2/each/list" || return
		fi
		read=$((read + 1))
	done <"$1"
	make_shard "$2" || { by_name "$1" <"$2/each/said"; return 1; }
	rm -r "$2/each" && echo "$read $((read - bad)) $bad $cut" >"$2/counts"
}

# make_shard DIR: what DIR/each/list names becomes DIR/shard, if there is a sample of the binary.  One digest of its code for
# all of them; --force, as each was held against it before.
make_shard() {
	[ -s "$1/each/list" ] || return 0
	(cd -- "$1/each" && "$BATCONV" merge -q --null --files-from=list -o all 2>said) || return
	[ ! -s "$1/each/all" ] || "$BATCONV" convert -q --force --threads="${THREADS:-1}" --shard "$BINARY" "$1/each/all" -o "$1/shard"
}

# by_name LIST: messages about recording-N on stdin, as of the entry N of LIST
by_name() {
	local line out name weight list
	mapfile -d '' -t list <"$1"
	while IFS= read -r line; do
		out=
		while [[ $line =~ recording-([0-9]+) ]]; do
			take_entry "${list[BASH_REMATCH[1]]-}"
			out+=${line%%"${BASH_REMATCH[0]}"*}$name
			line=${line#*"${BASH_REMATCH[0]}"}
		done
		printable "$out$line"
	done >&2
}

# merge_shards DIR: those that DIR/shards names become DIR/shard
merge_shards() {
	[ ! -s "$1/shards" ] || "$BATCONV" merge -q --shard --require-shards --null --files-from="$1/shards" -o "$1/shard" || return
	rm -f "$1/shards"
}

# join_shares FOLDER DIR: the shares in FOLDER whose directories stdin names, with a zero byte after each, become one in DIR.
# FOLDER is not a part of the names for merge, as there a tab would begin a weight.
join_shares() (
	mapfile -d '' -t list
	cd -- "$1" || exit 2
	for share in "${list[@]}"; do
		[ ! -e "$share/shard" ] || printf '%s\0' "$share/shard"
	done >"$2/shards" &&
		merge_shards "$2" &&
		cat_all bad "${list[@]}" | LC_ALL=C sort >"$2/bad" &&
		cat_all cut "${list[@]}" | LC_ALL=C sort >"$2/cut" &&
		cat_all counts "${list[@]}" |
		awk '{ read += $1; used += $2; bad += $3; cut += $4 } END { print read + 0, used + 0, bad + 0, cut + 0 }' >"$2/counts"
)

# cat_all FILE SHARE...: that file of each
cat_all() {
	local file=$1
	shift
	[ $# = 0 ] || printf "%s/$file\\0" "$@" | xargs -0 cat --
}

# may_be_bad READ: how many; MAX_BAD is a number or a share in percent
may_be_bad() {
	case $MAX_BAD in
	*%) echo $(($1 * ${MAX_BAD%\%} / 100)) ;;
	*) echo "$MAX_BAD" ;;
	esac
}

# finish SHARE RECORDINGS: the profile of a share in the same directory, if it is of all recordings and few enough were bad
finish() {
	local read used bad cut words code=0
	read -r read used bad cut <"$1/counts"
	[ "$read" = "$2" ] || fail "$read of $2 recordings are there: nothing was written"
	if [ "$bad" -gt "$(may_be_bad "$read")" ]; then
		sed 's/^/batconv-fleet: bad: /' "$1/bad" >&2
		fail "$bad of $read recordings are bad, and MAX_BAD is $MAX_BAD: nothing was written"
	fi
	[ -e "$1/shard" ] || fail "none of $read recordings has a sample to be used: nothing was written"
	mv "$1/shard" "$1/merged.zst"
	words_of "$FINAL_OPTIONS"
	"$BATCONV" convert -q --format="$FORMAT" --stats-file="$1/stats" "${words[@]}" "$BINARY" "$1/merged.zst" -o "$1/profile.$FORMAT" || code=$?
	[ $code = 0 ] || [ $code = 4 ] || fail "the merged samples: batconv ended with $code: nothing was written"
	if grep -qs '"mode": *"basic"' "$1/stats" && grep -q '"branches": *false' "$1/stats"; then
		say "llvm-bolt lays out poorly from this profile: the samples are plain, and no branches were inferred: remove ${OUT-OUT}/result and run again with OPTIONS=--input=INPUT, the binary that llvm-bolt read"
	fi
	rm -f "$1/stats"
	rm "$1/counts"
	echo "recordings: $read read, $used used ($cut of them cut short), $bad left out as bad" >"$1/summary"
}
