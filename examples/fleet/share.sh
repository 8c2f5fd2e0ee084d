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

say() { echo "batconv-fleet: $*" >&2; }
fail() { say "$*"; exit 1; }

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
	local try code
	files_of "$1"
	if [ ${#files[@]} = 0 ]; then
		why="$1: an empty directory"
		return 1
	fi
	for try in 1 2 3; do
		code=0
		# shellcheck disable=SC2086 # words
		why=$("$BATCONV" convert -q --threads="${THREADS:-1}" $OPTIONS --format=preagg "$BINARY" "${files[@]}" -o "$2" 2>&1) || code=$?
		case $code in 0 | 2 | 3 | 4 | 126 | 127) break ;; esac
		[ $try = 3 ] || say "$1: exit $code: tried again"
	done
	return $code
}

# told RECORDING: `why` as one line that begins with the recording
told() {
	local line=${why//$'\n'/; }
	line=${line//batconv: /}
	[[ $line == "$1"* ]] || line="$1: $line"
	printf '%s\n' "$line"
}

# make_share LIST DIR: each recording of LIST by itself, so that what is used does not depend on what it is read with
make_share() {
	local name weight code read=0 bad=0 cut=0
	mkdir "$2/each" && touch "$2/bad" "$2/cut" "$2/each/list" || return
	while IFS=$'\t' read -r name weight; do
		code=0
		convert_recording "$name" "$2/each/$read" || code=$?
		case $code in
		0) ;;
		4) told "$name" >>"$2/cut" && cut=$((cut + 1)) || return ;;
		1 | 3) told "$name" >>"$2/bad" && bad=$((bad + 1)) || return ;;
		*) say "$name: batconv ended with $code: $why"; return 1 ;;
		esac
		if [ $code = 0 ] || [ $code = 4 ]; then
			printf '%s\t%s\n' "$2/each/$read" "${weight:-1}" >>"$2/each/list" || return
		fi
		read=$((read + 1))
	done <"$1"
	make_shard "$2" || { by_name "$1" "$2/each" <"$2/each/said"; return 1; }
	rm -r "$2/each" && echo "$read $((read - bad)) $bad $cut" >"$2/counts"
}

# make_shard DIR: what DIR/each/list names becomes DIR/shard, if there is a sample of the binary.  One digest of its code for
# all of them; --force, as each was held against it before.
make_shard() {
	[ -s "$1/each/list" ] || return 0
	"$BATCONV" merge -q --files-from="$1/each/list" -o "$1/each/all" 2>"$1/each/said" || return
	[ ! -s "$1/each/all" ] || "$BATCONV" convert -q --force --threads="${THREADS:-1}" --shard "$BINARY" "$1/each/all" -o "$1/shard"
}

# by_name LIST EACH: messages about the files of EACH, told of the recordings
by_name() {
	LIST=$1 EACH=$2/ awk '
		BEGIN { while ((getline name <ENVIRON["LIST"]) > 0) { sub(/\t.*/, "", name); names[count++] = name } }
		{
			out = ""
			while (at = index($0, ENVIRON["EACH"])) {
				out = out substr($0, 1, at - 1)
				$0 = substr($0, at + length(ENVIRON["EACH"]))
				match($0, /^[0-9]+/)
				out = out names[substr($0, 1, RLENGTH) + 0]
				$0 = substr($0, RLENGTH + 1)
			}
			print out $0
		}' >&2
}

# merge_shards DIR: those that DIR/shards names become DIR/shard
merge_shards() {
	[ ! -s "$1/shards" ] || "$BATCONV" merge -q --shard --require-shards --files-from="$1/shards" -o "$1/shard" || return
	rm -f "$1/shards"
}

# join_shares DIR: the shares whose directories stdin names, one a line, become one in DIR
join_shares() {
	local share list
	mapfile -t list
	for share in "${list[@]}"; do
		[ ! -e "$share/shard" ] || echo "$share/shard"
	done >"$1/shards" &&
		merge_shards "$1" &&
		cat_all bad "${list[@]}" | LC_ALL=C sort >"$1/bad" &&
		cat_all cut "${list[@]}" | LC_ALL=C sort >"$1/cut" &&
		cat_all counts "${list[@]}" |
		awk '{ read += $1; used += $2; bad += $3; cut += $4 } END { print read + 0, used + 0, bad + 0, cut + 0 }' >"$1/counts"
}

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
	local read used bad cut code=0
	read -r read used bad cut <"$1/counts"
	[ "$read" = "$2" ] || fail "$read of $2 recordings are there: nothing was written"
	if [ "$bad" -gt "$(may_be_bad "$read")" ]; then
		sed 's/^/batconv-fleet: bad: /' "$1/bad" >&2
		fail "$bad of $read recordings are bad, and MAX_BAD is $MAX_BAD: nothing was written"
	fi
	[ -e "$1/shard" ] || fail "none of $read recordings has a sample to be used: nothing was written"
	mv "$1/shard" "$1/merged.zst"
	# shellcheck disable=SC2086 # words
	"$BATCONV" convert -q --format="$FORMAT" $FINAL_OPTIONS "$BINARY" "$1/merged.zst" -o "$1/profile.$FORMAT" || code=$?
	[ $code = 0 ] || [ $code = 4 ] || fail "the merged samples: batconv ended with $code: nothing was written"
	rm "$1/counts"
	echo "recordings: $read read, $used used ($cut of them cut short), $bad left out as bad" >"$1/summary"
}
