/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/completion.h"

#include "src/base/text.h"

#include <string.h>

/* cmake/completion/code.SHELL: what is the same for all commands, as bytes of the program. */
extern const unsigned char completion_bash[], completion_zsh[], completion_fish[];
extern const size_t completion_bash_size, completion_zsh_size, completion_fish_size;

struct script {
	const struct completed_command *commands;
	size_t count;
	const char *main_name;
	FILE *out;
};

/* With what the value of an option is completed. */
enum value_kind { VALUE_NONE, VALUE_OTHER, VALUE_FILE, VALUE_FOLDER, VALUE_WORD, VALUE_LIST };

/* The words that a row's value can be or begin with, with commas between; NULL: any text. */
static const char *value_words(const struct option_row *row)
{
	const char *colon = row->arg ? strchr(row->arg, ':') : NULL;

	return colon ? colon + 1 : NULL;
}

static enum value_kind value_kind(const struct option_row *row)
{
	struct text arg = option_argument(row);

	if (!row->arg)
		return VALUE_NONE;
	if (value_words(row))
		return text_ends(arg, ",...") ? VALUE_LIST : VALUE_WORD;
	if (row->role == FOLDER_USED || text_is(arg, "DIR"))
		return VALUE_FOLDER;
	return row->role == NO_FILE ? VALUE_OTHER : VALUE_FILE;
}

static bool value_is_optional(const struct option_row *row)
{
	return row->arg && option_argument_is_optional(row);
}

/* The allowed words of a row's value, with blanks between. */
static void put_words(const struct option_row *row, FILE *out)
{
	for (const char *c = value_words(row); c && *c; c++)
		putc(*c == ',' ? ' ' : *c, out);
}

/* Text as one line, with a '\' before each character of `special`, and `quote` for each "'". */
static void put_escaped(struct text text, const char *special, const char *quote, FILE *out)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i] == '\n' ? ' ' : text.at[i];
		if (c == '\'' && quote) {
			fputs(quote, out);
			continue;
		}
		if (strchr(special, c))
			putc('\\', out);
		putc(c, out);
	}
}

/* The first paragraph of the command's help. */
static void put_summary(const struct completed_command *it, const char *special, const char *quote,
			FILE *out)
{
	if (it->is_program)
		fprintf(out, "take the command line of %s", it->command->name);
	else
		put_escaped(command_summary(it->command), special, quote, out);
}

/* The rows of a command that its help shows: the next one from number `at` on, or NULL. */
static const struct option_row *shown_row(const struct command *command, size_t at)
{
	while (at < command->option_count && !command->options[at].help)
		at++;
	return at < command->option_count ? &command->options[at] : NULL;
}

#define FOR_EACH_SHOWN_ROW(row, command)                                                           \
	for (const struct option_row *row = shown_row((command), 0); row;                          \
	     row = shown_row((command), (size_t)(row - (command)->options) + 1))

static void put_names(const struct script *it)
{
	for (size_t i = 0; i < it->count; i++)
		fprintf(it->out, "%s%s", i ? " " : "", it->commands[i].command->name);
}

/* What a command takes in addition to its options. */
enum command_takes { OPERANDS_NONE, OPERANDS_FILES, OPERANDS_COMMAND };

static enum command_takes command_operands(const struct command *command)
{
	if (command->operands != NO_FILE && command->operands != STDIN_READ)
		return OPERANDS_FILES;
	return command->run || command->option_count ? OPERANDS_NONE :
						       OPERANDS_COMMAND; /* of "help" */
}

/* ---- bash: tables as functions ---- */

static void bash_options(const struct command *command, FILE *out)
{
	fprintf(out, "\t%s) echo '", command->name);
	FOR_EACH_SHOWN_ROW(row, command)
	{
		if (row->letter)
			fprintf(out, "-%c ", row->letter);
		if (row->name)
			fprintf(out, "--%s%s ", row->name,
				row->arg && !value_is_optional(row) ? "=" : "");
	}
	fputs("' ;;\n", out);
}

static void bash_values(const struct command *command, FILE *out)
{
	static const char *const names[] = {
		[VALUE_OTHER] = "other", [VALUE_FILE] = "file", [VALUE_FOLDER] = "folder",
		[VALUE_WORD] = "words",  [VALUE_LIST] = "list",
	};

	FOR_EACH_SHOWN_ROW(row, command)
	{
		if (!row->arg)
			continue;
		putc('\t', out);
		if (row->letter)
			fprintf(out, "'%s -%c'%s", command->name, row->letter,
				row->name ? " | " : "");
		if (row->name)
			fprintf(out, "'%s --%s'", command->name, row->name);
		fprintf(out, ") echo '%s%s", value_is_optional(row) ? "joined " : "",
			names[value_kind(row)]);
		if (value_words(row))
			putc(' ', out);
		put_words(row, out);
		fputs("' ;;\n", out);
	}
}

static void bash_operands(const struct command *command, FILE *out)
{
	switch (command_operands(command)) {
	case OPERANDS_NONE: break;
	case OPERANDS_FILES: fprintf(out, "\t%s) echo file ;;\n", command->name); break;
	case OPERANDS_COMMAND:
		fprintf(out, "\t%s) echo \"words $_batconv_commands\" ;;\n", command->name);
		break;
	}
}

/* A function NAME that echoes what `each` writes of its first argument, matched by case. */
static void bash_function(const struct script *it, const char *head,
			  void (*each)(const struct command *, FILE *))
{
	fputs(head, it->out);
	for (size_t i = 0; i < it->count; i++)
		each(it->commands[i].command, it->out);
	fputs("\tesac\n}\n\n", it->out);
}

static void bash(const struct script *it)
{
	fputs("_batconv_commands='", it->out);
	put_names(it);
	fprintf(it->out, "'\n_batconv_main=%s\n\n", it->main_name);
	bash_function(it, "_batconv_options()\n{\n\tcase $1 in\n", bash_options);
	bash_function(it,
		      "# What the value of an option is, nothing if it takes none.\n"
		      "_batconv_value()\n{\n\tcase \"$1 $2\" in\n",
		      bash_values);
	bash_function(it, "_batconv_operands()\n{\n\tcase $1 in\n", bash_operands);
	fwrite(completion_bash, 1, completion_bash_size, it->out);
}

/* ---- zsh: a function for each command, which calls _arguments ---- */

static const char zsh_special[] = "\\:[]", zsh_quote[] = "'\\''";

static void zsh_action(const struct option_row *row, FILE *out)
{
	switch (value_kind(row)) {
	case VALUE_FILE: fputs("_files", out); break;
	case VALUE_FOLDER: fputs("_files -/", out); break;
	case VALUE_WORD:
		putc('(', out);
		put_words(row, out);
		putc(')', out);
		break;
	case VALUE_LIST:
		fputs("_sequence compadd - ", out);
		put_words(row, out);
		break;
	case VALUE_NONE:
	case VALUE_OTHER: putc(' ', out); break;
	}
}

/* One form of an option.  `sign`: how _arguments is to take the value, if the option has one. */
static void zsh_form(const struct option_row *row, const char *form, const char *sign, FILE *out)
{
	struct text arg = option_argument(row);

	fprintf(out, " \\\n    '*%s%s[", form, row->arg ? sign : "");
	put_escaped(text_of(row->help), zsh_special, zsh_quote, out);
	putc(']', out);
	if (row->arg) {
		fprintf(out, "%s%.*s:", value_is_optional(row) ? "::" : ":", (int)arg.len, arg.at);
		zsh_action(row, out);
	}
	putc('\'', out);
}

/* Short options of batconv can be joined in one word; those of LLVM's programs cannot, and take
 * their value after a '='. */
static void zsh_command(const struct completed_command *it, FILE *out)
{
	char form[64];

	fprintf(out, "_batconv_of_%s() {\n  _arguments %s-S :", it->command->name,
		it->is_program ? "" : "-s ");
	FOR_EACH_SHOWN_ROW(row, it->command)
	{
		if (row->letter) {
			snprintf(form, sizeof(form), "-%c", row->letter);
			zsh_form(row, form, it->is_program ? "=" : "+", out);
		}
		if (row->name) {
			snprintf(form, sizeof(form), "--%s", row->name);
			zsh_form(row, form, value_is_optional(row) ? "=-" : "=", out);
		}
	}
	switch (command_operands(it->command)) {
	case OPERANDS_NONE: break;
	case OPERANDS_FILES: fputs(" \\\n    '*:file:_files'", out); break;
	case OPERANDS_COMMAND: fputs(" \\\n    '1:command:_batconv_commands'", out); break;
	}
	fputs("\n}\n\n", out);
}

static void zsh(const struct script *it)
{
	fputs("_batconv_commands() {\n  local -a commands=(\n", it->out);
	for (size_t i = 0; i < it->count; i++) {
		fprintf(it->out, "    '%s:", it->commands[i].command->name);
		put_summary(&it->commands[i], zsh_special, zsh_quote, it->out);
		fputs("'\n", it->out);
	}
	fprintf(it->out,
		"  )\n  _describe -t commands command commands\n}\n\ntypeset -g _batconv_main=%s\n\n",
		it->main_name);
	for (size_t i = 0; i < it->count; i++)
		zsh_command(&it->commands[i], it->out);
	fwrite(completion_zsh, 1, completion_zsh_size, it->out);
}

/* ---- fish: a line for each option, if its command is the one of the command line ---- */

static const char fish_special[] = "\\'";

static void fish_value(const struct option_row *row, FILE *out)
{
	switch (value_kind(row)) {
	case VALUE_NONE: break;
	case VALUE_OTHER: fputs(" -x", out); break;
	case VALUE_FILE: fputs(" -r -F", out); break;
	case VALUE_FOLDER: fputs(" -x -a '(__fish_complete_directories)'", out); break;
	case VALUE_WORD:
		fprintf(out, " %s -a '", value_is_optional(row) ? "-f" : "-x");
		put_words(row, out);
		putc('\'', out);
		break;
	case VALUE_LIST:
		fputs(" -x -a '(__fish_append , ", out);
		put_words(row, out);
		fputs(")'", out);
		break;
	}
}

static void fish_options(const struct command *command, const char *program, const char *condition,
			 FILE *out)
{
	FOR_EACH_SHOWN_ROW(row, command)
	{
		fprintf(out, "complete -c %s%s", program, condition);
		if (row->letter)
			fprintf(out, " -s %c", row->letter);
		if (row->name)
			fprintf(out, " -l %s", row->name);
		fish_value(row, out);
		fputs(" -d '", out);
		put_escaped(text_of(row->help), fish_special, NULL, out);
		fputs("'\n", out);
	}
}

static void fish_command(const struct completed_command *it, FILE *out)
{
	const char *name = it->command->name;
	char condition[64];

	fprintf(out, "complete -c batconv -n __batconv_first -a %s -d '", name);
	put_summary(it, fish_special, NULL, out);
	fputs("'\n", out);
	snprintf(condition, sizeof(condition), " -n '__batconv_is %s'", name);
	fish_options(it->command, "batconv", condition, out);
	if (it->is_program)
		fish_options(it->command, name, "", out);
	else if (command_operands(it->command) != OPERANDS_FILES)
		fprintf(out, "complete -c batconv%s -f\n", condition);
	if (command_operands(it->command) == OPERANDS_COMMAND)
		fprintf(out, "complete -c batconv%s -f -a '$__batconv_commands'\n", condition);
}

static void fish(const struct script *it)
{
	fputs("set -g __batconv_commands ", it->out);
	put_names(it);
	fprintf(it->out, "\nset -g __batconv_main %s\n\n", it->main_name);
	fwrite(completion_fish, 1, completion_fish_size, it->out);
	for (size_t i = 0; i < it->count; i++)
		fish_command(&it->commands[i], it->out);
}

bool completion_write(const char *shell, const struct completed_command *commands, size_t count,
		      const char *main_name, FILE *out)
{
	static const struct {
		const char *name, *first_line;
		void (*write)(const struct script *);
	} shells[] = {
		{"bash", "# shellcheck shell=bash\n", bash},
		{"zsh", "#compdef batconv perf2bolt merge-fdata llvm-bolt-heatmap\n", zsh},
		{"fish", "", fish},
	};
	struct script script = {commands, count, main_name, out};

	for (size_t i = 0; i < BC_COUNT(shells); i++) {
		if (strcmp(shells[i].name, shell) != 0)
			continue;
		fprintf(out,
			"%s# Completion of batconv, perf2bolt, merge-fdata and llvm-bolt-heatmap; "
			"'batconv help --completion=%s' wrote this.\n\n",
			shells[i].first_line, shell);
		shells[i].write(&script);
		return true;
	}
	return false;
}

/* ---- tables ---- */

static const char *role_name(enum file_role role)
{
	static const char *const names[] = {"none",    "read",    "read-list",
					    "written", "updated", "operands-updated",
					    "folder",  "stdin"};

	return names[role];
}

void command_roles(const struct command *command, FILE *out)
{
	char name[OPTION_NAME];

	fprintf(out, "%s operands - %s\n", command->name, role_name(command->operands));
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];
		if (!row->help)
			continue;
		option_name(command, row, name);
		struct text arg = option_argument(row);
		fprintf(out, "%s %s %.*s %s\n", command->name, name, (int)arg.len, arg.at,
			role_name(row->role));
	}
}

/* As one line. */
static void put_line(struct text text, FILE *out)
{
	for (size_t i = 0; i < text.len; i++)
		putc(text.at[i] == '\n' ? ' ' : text.at[i], out);
	putc('\n', out);
}

void command_table(const struct command *command, const char *kind, FILE *out)
{
	static const char *const kinds[] = {"none", "file", "command"};

	fprintf(out, "%s\t%s\t%s\t", kind, command->name, kinds[command_operands(command)]);
	put_line(command_summary(command), out);
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];
		struct text arg = option_argument(row);
		const char *words = row->arg ? strchr(row->arg, ':') : NULL;
		if (!row->help)
			continue;
		fprintf(out, "option\t%s\t%.1s\t%s\t%.*s\t%d\t%s\t", command->name,
			row->letter ? (char[]){(char)row->letter, '\0'} : "",
			row->name ? row->name : "", row->arg ? (int)arg.len : 0, arg.at,
			row->arg && option_argument_is_optional(row), role_name(row->role));
		for (const char *c = words ? words + 1 : ""; *c; c++)
			putc(*c == ',' ? ' ' : *c, out);
		putc('\t', out);
		put_line(text_of(row->help), out);
	}
}
