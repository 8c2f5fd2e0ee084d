/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* bash: two tables as functions, and the code that looks words up in them. */
#include "src/cli/completion.h"

/* Uses nothing of the package bash-completion, which may be missing.  COMP_WORDS has '=' as a word
 * of its own, unless somebody took '=' out of COMP_WORDBREAKS. */
static const char code[] =
	"# Is $1 one of the words behind it?\n"
	"_batconv_has()\n"
	"{\n"
	"	local word wanted=$1\n"
	"	shift\n"
	"	for word; do\n"
	"		[[ $word == \"$wanted\" ]] && return 0\n"
	"	done\n"
	"	return 1\n"
	"}\n"
	"\n"
	"# Files and folders as COMPREPLY, a line each.\n"
	"_batconv_files()\n"
	"{\n"
	"	compopt -o filenames 2>/dev/null\n"
	"	mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$2\")\n"
	"}\n"
	"\n"
	"# COMPREPLY for a value: _batconv_reply KIND PREFIX WORD; what stands before the value stays in front.  Files alone are left to\n"
	"# readline, which knows names with newlines.\n"
	"_batconv_reply()\n"
	"{\n"
	"	local kind=$1 prefix=$2 word=$3 done=''\n"
	"	case $kind in\n"
	"	file)\n"
	"		[[ -z $prefix ]] && compopt -o filenames -o default 2>/dev/null && return\n"
	"		_batconv_files -f \"$word\"\n"
	"		;;\n"
	"	folder)\n"
	"		[[ -z $prefix ]] && compopt -o filenames -o dirnames 2>/dev/null && return\n"
	"		_batconv_files -d \"$word\"\n"
	"		;;\n"
	"	list*)\n"
	"		[[ $word == *,* ]] && done=${word%,*},\n"
	"		mapfile -t COMPREPLY < <(compgen -P \"$done\" -W \"${kind#list }\" -- \"${word##*,}\") ;;\n"
	"	words*) mapfile -t COMPREPLY < <(compgen -W \"${kind#words }\" -- \"$word\") ;;\n"
	"	esac\n"
	"	COMPREPLY=(\"${COMPREPLY[@]/#/$prefix}\")\n"
	"}\n"
	"\n"
	"_batconv()\n"
	"{\n"
	"	local command=${1##*/} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"	local first=0 joined=0 kind options i\n"
	"	COMPREPLY=()\n"
	"	command=${command%%-[0-9]*}\n"
	"	if [[ $command != perf2bolt && $command != merge-fdata && $command != llvm-bolt-heatmap ]]; then\n"
	"		command=$_batconv_main\n"
	"		# shellcheck disable=SC2086  # a list of words\n"
	"		_batconv_has \"${COMP_WORDS[1]}\" $_batconv_commands && command=${COMP_WORDS[1]} first=1\n"
	"		if ((COMP_CWORD == 1)); then\n"
	"			command=$_batconv_main\n"
	"			first=0\n"
	"		fi\n"
	"	fi\n"
	"	for ((i = first + 1; i < COMP_CWORD; i++)); do\n"
	"		if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
	"			_batconv_reply \"$(_batconv_operands \"$command\")\" '' \"$word\"\n"
	"			return\n"
	"		fi\n"
	"	done\n"
	"	if [[ $word == = ]]; then\n"
	"		word='' joined=1\n"
	"	elif [[ $before == = ]]; then\n"
	"		before=${COMP_WORDS[COMP_CWORD - 2]} joined=1\n"
	"	fi\n"
	"	if [[ $word == -*=* ]]; then\n"
	"		kind=$(_batconv_value \"$command\" \"${word%%=*}\")\n"
	"		_batconv_reply \"${kind#joined }\" \"${word%%=*}=\" \"${word#*=}\"\n"
	"		return\n"
	"	fi\n"
	"	kind=$(_batconv_value \"$command\" \"$before\")\n"
	"	# A value that can be left out stands behind a '='.\n"
	"	[[ $joined == 0 && $kind == joined* ]] && kind=''\n"
	"	kind=${kind#joined }\n"
	"	if [[ -n $kind ]]; then\n"
	"		_batconv_reply \"$kind\" '' \"$word\"\n"
	"	elif [[ $word == -* ]]; then\n"
	"		options=$(_batconv_options \"$command\")\n"
	"		mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
	"		[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
	"	elif ((COMP_CWORD == 1)) && [[ $command == \"$_batconv_main\" ]] && compgen -W \"$_batconv_commands\" -- \"$word\" >/dev/null; then\n"
	"		_batconv_files -f \"$word\"\n"
	"		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W \"$_batconv_commands\" -- \"$word\")\n"
	"	else\n"
	"		_batconv_reply \"$(_batconv_operands \"$command\")\" '' \"$word\"\n"
	"	fi\n"
	"}\n"
	"complete -F _batconv batconv perf2bolt merge-fdata llvm-bolt-heatmap\n";

static void put_options(const struct command *command, FILE *out)
{
	char letter[3];

	fprintf(out, "\t%s) echo '", command->name);
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];
		const char *sign = row->arg && !option_argument_is_optional(row) ? "=" : "";
		if (!row->help)
			continue;
		if (completion_letter(row, letter))
			fprintf(out, "%s ", letter);
		if (row->name)
			fprintf(out, "--%s%s ", row->name, sign);
	}
	fputs("' ;;\n", out);
}

static void put_kind(const struct option_row *row, FILE *out)
{
	static const char *const kinds[] = {
		[COMPLETED_OTHER] = "other", [COMPLETED_FILE] = "file", [COMPLETED_FOLDER] = "folder",
		[COMPLETED_WORD] = "words", [COMPLETED_LIST] = "list",
	};

	if (option_argument_is_optional(row))
		fputs("joined ", out);
	fputs(kinds[option_completed(row)], out);
	for (const char *c = completion_words(row); *c; c++) {
		if (c == completion_words(row))
			putc(' ', out);
		putc(*c == ',' ? ' ' : *c, out);
	}
}

static void put_values(const struct command *command, FILE *out)
{
	char letter[3];

	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];
		if (!row->arg || !row->help)
			continue;
		putc('\t', out);
		if (completion_letter(row, letter))
			fprintf(out, "'%s %s'%s", command->name, letter, row->name ? " | " : "");
		if (row->name)
			fprintf(out, "'%s --%s'", command->name, row->name);
		fputs(") echo '", out);
		put_kind(row, out);
		fputs("' ;;\n", out);
	}
}

/* The operand of `help` is a command. */
static void put_operands(const struct command *command, FILE *out)
{
	if (operands_completed(command))
		fprintf(out, "\t%s) echo file ;;\n", command->name);
	else if (!command->run && !command->option_count)
		fprintf(out, "\t%s) echo \"words $_batconv_commands\" ;;\n", command->name);
}

static void put_table(const struct completion *completion, const char *name, const char *what,
		      void (*put)(const struct command *command, FILE *out), FILE *out)
{
	fprintf(out, "%s()\n{\n\tcase %s in\n", name, what);
	for (size_t i = 0; i < completion->command_count; i++)
		put(completion->commands[i], out);
	for (size_t i = 0; i < completion->program_count; i++)
		put(completion->programs[i], out);
	fputs("\tesac\n}\n\n", out);
}

void completion_bash(const struct completion *completion, FILE *out)
{
	fputs("# shellcheck shell=bash\n"
	      "# Completion of batconv, perf2bolt, merge-fdata and llvm-bolt-heatmap; 'batconv help --completion=bash' wrote this.\n\n"
	      "_batconv_commands='", out);
	for (size_t i = 0; i < completion->command_count; i++)
		fprintf(out, "%s%s", i ? " " : "", completion->commands[i]->name);
	for (size_t i = 0; i < completion->program_count; i++)
		fprintf(out, " %s", completion->programs[i]->name);
	fprintf(out, "'\n_batconv_main=%s\n\n", completion->main_command);
	put_table(completion, "_batconv_options", "$1", put_options, out);
	fputs("# What the value of an option is, nothing if it takes none.\n", out);
	put_table(completion, "_batconv_value", "\"$1 $2\"", put_values, out);
	put_table(completion, "_batconv_operands", "$1", put_operands, out);
	fputs(code, out);
}
