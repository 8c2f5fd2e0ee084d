/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* zsh: a function for each command, which calls _arguments. */
#include "src/cli/completion.h"

#include <string.h>

static const char special[] = "\\:[]";

static const char code[] =
	"_batconv() {\n"
	"  case ${service%%-<->*} in\n"
	"    perf2bolt|merge-fdata|llvm-bolt-heatmap) _batconv_of_${service%%-<->*}; return ;;\n"
	"  esac\n"
	"  if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then\n"
	"    _batconv_commands\n"
	"    _files\n"
	"  elif (( CURRENT > 2 && $+functions[_batconv_of_$words[2]] )); then\n"
	"    local command=$words[2]\n"
	"    shift words\n"
	"    (( CURRENT-- ))\n"
	"    _batconv_of_$command\n"
	"  else\n"
	"    _batconv_of_$_batconv_main\n"
	"  fi\n"
	"}\n\n"
	"_batconv \"$@\"\n";

static void put_words(const struct option_row *row, FILE *out)
{
	for (const char *c = completion_words(row); *c; c++)
		putc(*c == ',' ? ' ' : *c, out);
}

static void put_argument(const struct option_row *row, FILE *out)
{
	struct text name = option_argument(row);

	if (!row->arg)
		return;
	fprintf(out, "%s%.*s:", option_argument_is_optional(row) ? "::" : ":", (int)name.len, name.at);
	switch (option_completed(row)) {
	case COMPLETED_NOTHING:
	case COMPLETED_OTHER: putc(' ', out); break;
	case COMPLETED_FILE: fputs("_files", out); break;
	case COMPLETED_FOLDER: fputs("_files -/", out); break;
	case COMPLETED_WORD:
		putc('(', out);
		put_words(row, out);
		putc(')', out);
		break;
	case COMPLETED_LIST:
		fputs("_sequence compadd - ", out);
		put_words(row, out);
		break;
	}
}

/* form: "-o" or "--output"; sign: how its value can follow, as _arguments has it. */
static void put_form(const struct option_row *row, const char *dashes, const char *name, const char *sign, FILE *out)
{
	fprintf(out, " \\\n    '*%s%s%s[", dashes, name, row->arg ? sign : "");
	completion_text(row->help, strlen(row->help), special, true, out);
	putc(']', out);
	put_argument(row, out);
	putc('\'', out);
}

/* Writes the function of one command.  Short options of batconv can be joined in one word; those of
 * LLVM's programs cannot, and take their value behind a '='. */
static void put_command(const struct command *command, bool llvm, FILE *out)
{
	char letter[3];

	fprintf(out, "_batconv_of_%s() {\n  _arguments %s-S :", command->name, llvm ? "" : "-s ");
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];
		if (!row->help)
			continue;
		if (completion_letter(row, letter))
			put_form(row, "", letter, llvm ? "=" : "+", out);
		if (row->name)
			put_form(row, "--", row->name, option_argument_is_optional(row) ? "=-" : "=", out);
	}
	if (operands_completed(command))
		fputs(" \\\n    '*:file:_files'", out);
	else if (!command->run && !command->option_count)
		fputs(" \\\n    '1:command:_batconv_commands'", out);
	fputs("\n}\n\n", out);
}

void completion_zsh(const struct completion *completion, FILE *out)
{
	fputs("#compdef batconv perf2bolt merge-fdata llvm-bolt-heatmap\n"
	      "# Completion of batconv, perf2bolt, merge-fdata and llvm-bolt-heatmap; 'batconv help --completion=zsh' wrote this.\n\n"
	      "_batconv_commands() {\n  local -a commands=(\n", out);
	for (size_t i = 0; i < completion->command_count; i++) {
		const struct command *command = completion->commands[i];
		fprintf(out, "    '%s:", command->name);
		completion_text(command->help, completion_summary(command), special, true, out);
		fputs("'\n", out);
	}
	for (size_t i = 0; i < completion->program_count; i++)
		fprintf(out, "    '%s:" COMPLETION_OF_PROGRAM "'\n", completion->programs[i]->name, completion->programs[i]->name);
	fprintf(out, "  )\n  _describe -t commands command commands\n}\n\ntypeset -g _batconv_main=%s\n\n", completion->main_command);
	for (size_t i = 0; i < completion->command_count; i++)
		put_command(completion->commands[i], false, out);
	for (size_t i = 0; i < completion->program_count; i++)
		put_command(completion->programs[i], true, out);
	fputs(code, out);
}
