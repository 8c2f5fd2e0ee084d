/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* fish: a line for each option, with the condition that its command is the one on the line. */
#include "src/cli/completion.h"

#include <string.h>

static const char code[] =
	"# The command of the line, or what runs if it names none.\n"
	"function __batconv_command\n"
	"    set -l words (commandline -opc)\n"
	"    if set -q words[2]; and contains -- $words[2] $__batconv_commands\n"
	"        echo $words[2]\n"
	"    else\n"
	"        echo $__batconv_main\n"
	"    end\n"
	"end\n\n"
	"function __batconv_is\n"
	"    test (__batconv_command) = $argv[1]\n"
	"end\n\n"
	"function __batconv_first\n"
	"    test (count (commandline -opc)) -eq 1\n"
	"end\n\n";

static void put_quoted(const char *text, size_t length, FILE *out)
{
	putc('\'', out);
	completion_text(text, length, "\\'", false, out);
	putc('\'', out);
}

static void put_words(const struct option_row *row, FILE *out)
{
	for (const char *c = completion_words(row); *c; c++)
		putc(*c == ',' ? ' ' : *c, out);
}

static void put_argument(const struct option_row *row, FILE *out)
{
	/* -x: and the next word is its value. */
	const char *kind = option_argument_is_optional(row) ? "-f" : "-x";

	switch (option_completed(row)) {
	case COMPLETED_NOTHING: break;
	case COMPLETED_OTHER: fputs(" -x", out); break;
	case COMPLETED_FILE: fputs(" -r -F", out); break;
	case COMPLETED_FOLDER: fputs(" -x -a '(__fish_complete_directories)'", out); break;
	case COMPLETED_WORD:
		fprintf(out, " %s -a '", kind);
		put_words(row, out);
		putc('\'', out);
		break;
	case COMPLETED_LIST:
		fputs(" -x -a '(__fish_append , ", out);
		put_words(row, out);
		fputs(")'", out);
		break;
	}
}

static void put_options(const struct command *command, const char *program, bool is_command, FILE *out)
{
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];
		if (!row->help)
			continue;
		fprintf(out, "complete -c %s", program);
		if (is_command)
			fprintf(out, " -n '__batconv_is %s'", command->name);
		if (row->letter)
			fprintf(out, " -s %c", row->letter);
		if (row->name)
			fprintf(out, " -l %s", row->name);
		put_argument(row, out);
		fputs(" -d ", out);
		put_quoted(row->help, strlen(row->help), out);
		putc('\n', out);
	}
}

void completion_fish(const struct completion *completion, FILE *out)
{
	fputs("# Completion of batconv, perf2bolt, merge-fdata and llvm-bolt-heatmap; 'batconv help --completion=fish' wrote this.\n\n"
	      "set -g __batconv_commands", out);
	for (size_t i = 0; i < completion->command_count; i++)
		fprintf(out, " %s", completion->commands[i]->name);
	for (size_t i = 0; i < completion->program_count; i++)
		fprintf(out, " %s", completion->programs[i]->name);
	fprintf(out, "\nset -g __batconv_main %s\n\n", completion->main_command);
	fputs(code, out);
	for (size_t i = 0; i < completion->command_count; i++) {
		const struct command *command = completion->commands[i];
		fprintf(out, "complete -c batconv -n __batconv_first -a %s -d ", command->name);
		put_quoted(command->help, completion_summary(command), out);
		putc('\n', out);
		put_options(command, "batconv", true, out);
		if (!operands_completed(command))
			fprintf(out, "complete -c batconv -n '__batconv_is %s' -f\n", command->name);
		if (!command->run && !command->option_count)
			fprintf(out, "complete -c batconv -n '__batconv_is %s' -f -a '$__batconv_commands'\n", command->name);
	}
	for (size_t i = 0; i < completion->program_count; i++) {
		const struct command *program = completion->programs[i];
		fprintf(out, "complete -c batconv -n __batconv_first -a %s -d '" COMPLETION_OF_PROGRAM "'\n", program->name, program->name);
		put_options(program, "batconv", true, out);
		put_options(program, program->name, false, out);
	}
}
