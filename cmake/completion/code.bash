# Is $1 one of the words behind it?
_batconv_has()
{
	local word wanted=$1
	shift
	for word; do
		[[ $word == "$wanted" ]] && return 0
	done
	return 1
}

# Files and folders as COMPREPLY, a line each.
_batconv_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

# COMPREPLY for a value: _batconv_reply KIND PREFIX WORD; what stands before the value stays in front.  Files alone are left to
# readline, which knows names with newlines.
_batconv_reply()
{
	local kind=$1 prefix=$2 word=$3 done=''
	case $kind in
	file)
		[[ -z $prefix ]] && compopt -o filenames -o default 2>/dev/null && return
		_batconv_files -f "$word"
		;;
	folder)
		[[ -z $prefix ]] && compopt -o filenames -o dirnames 2>/dev/null && return
		_batconv_files -d "$word"
		;;
	list*)
		[[ $word == *,* ]] && done=${word%,*},
		mapfile -t COMPREPLY < <(compgen -P "$done" -W "${kind#list }" -- "${word##*,}") ;;
	words*) mapfile -t COMPREPLY < <(compgen -W "${kind#words }" -- "$word") ;;
	esac
	COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
}

_batconv()
{
	local command=${1##*/} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local first=0 joined=0 kind options i
	COMPREPLY=()
	command=${command%%-[0-9]*}
	if [[ $command != perf2bolt && $command != merge-fdata && $command != llvm-bolt-heatmap ]]; then
		command=$_batconv_main
		# shellcheck disable=SC2086  # a list of words
		_batconv_has "${COMP_WORDS[1]}" $_batconv_commands && command=${COMP_WORDS[1]} first=1
		if ((COMP_CWORD == 1)); then
			command=$_batconv_main
			first=0
		fi
	fi
	for ((i = first + 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			_batconv_reply "$(_batconv_operands "$command")" '' "$word"
			return
		fi
	done
	if [[ $word == = ]]; then
		word='' joined=1
	elif [[ $before == = ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]} joined=1
	fi
	if [[ $word == -*=* ]]; then
		kind=$(_batconv_value "$command" "${word%%=*}")
		_batconv_reply "${kind#joined }" "${word%%=*}=" "${word#*=}"
		return
	fi
	kind=$(_batconv_value "$command" "$before")
	# A value that can be left out stands behind a '='.
	[[ $joined == 0 && $kind == joined* ]] && kind=''
	kind=${kind#joined }
	if [[ -n $kind ]]; then
		_batconv_reply "$kind" '' "$word"
	elif [[ $word == -* ]]; then
		options=$(_batconv_options "$command")
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
		[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
	elif ((COMP_CWORD == 1)) && [[ $command == "$_batconv_main" ]] && compgen -W "$_batconv_commands" -- "$word" >/dev/null; then
		_batconv_files -f "$word"
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$_batconv_commands" -- "$word")
	else
		_batconv_reply "$(_batconv_operands "$command")" '' "$word"
	fi
}
complete -F _batconv batconv perf2bolt merge-fdata llvm-bolt-heatmap
