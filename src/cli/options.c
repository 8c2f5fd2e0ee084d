/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/options.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "src/base/parallel.h"
#include "src/cli/say.h"
#include "src/cli/similar.h"

#define MAX_OPTIONS 64

/* The tables that getopt_long() reads, made from the rows of a command. */
struct getopt_tables {
	struct option longs[MAX_OPTIONS + 1];
	char shorts[3 * MAX_OPTIONS + 4];
};

static int argument_kind(const struct option_row *row)
{
	return !row->arg ? no_argument : option_argument_is_optional(row) ? optional_argument : required_argument;
}

static void make_tables(const struct command *command, struct getopt_tables *tables)
{
	char *s = tables->shorts;

	if (command->operands == IN_ORDER_READ)
		*s++ = '-';
	*s++ = ':'; /* tell a missing argument from an unknown option */
	for (size_t i = 0; i < command->option_count && i < MAX_OPTIONS; i++) {
		const struct option_row *row = &command->options[i];
		int kind = argument_kind(row);
		tables->longs[i] = (struct option){row->name, kind, NULL, row->id};
		if (row->id > 255)
			continue;
		*s++ = (char)row->id;
		for (int colons = 0; colons < kind; colons++)
			*s++ = ':';
	}
	*s = 0;
}

static int next(const struct command *command, int argc, char **argv, const char **value)
{
	struct getopt_tables tables = {0};

	make_tables(command, &tables);
	opterr = 0;
	int id = getopt_long(argc, argv, tables.shorts, tables.longs, NULL);
	*value = optarg;
	return id;
}

struct text option_argument(const struct option_row *row)
{
	struct text arg = text_of(row->arg ? row->arg : "-");

	arg = text_first(arg, text_find(arg, ':'));
	return option_argument_is_optional(row) ? text_first(text_from(arg, 1), arg.len - 2) : arg;
}

bool option_argument_is_optional(const struct option_row *row)
{
	return row->arg && *row->arg == '[';
}

void option_name(const struct option_row *row, char name[OPTION_NAME])
{
	if (row->id <= 255)
		snprintf(name, OPTION_NAME, "-%c", row->id);
	else
		snprintf(name, OPTION_NAME, "--%s", row->name);
}

const struct option_row *option_scan(const struct command *command, int argc, char **argv, int *id,
				     const char **value)
{
	static const struct option_row operand = {OPTION_OPERAND, "operand", "FILE", FILE_READ, ""};

	*id = next(command, argc, argv, value);
	if (*id == OPTION_OPERAND)
		return &operand;
	for (size_t i = 0; *id != OPTION_END && i < command->option_count; i++)
		if (command->options[i].id == *id)
			return &command->options[i];
	*id = *id == OPTION_END ? OPTION_END : OPTION_BAD;
	return NULL;
}

/* The word in which getopt_long() met the unknown letter `optopt`: argv[optind] while more of the word follows, else
 * the one before. */
static const char *unknown_word(int argc, char **argv)
{
	const char *before = argv[optind - 1];
	bool ends = *before == '-' && before[strlen(before) - 1] == optopt;

	return ends || optind >= argc ? before : argv[optind];
}

/* "-p", "--nl=1": is it an option of this command? */
static bool has_option(const struct command *command, const char *word)
{
	const char *name = word + strspn(word, "-");
	size_t length = strcspn(name, "=");

	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];
		if (length == 1 && row->id == name[0])
			return true;
		if (row->name && strlen(row->name) == length && !memcmp(row->name, name, length))
			return true;
	}
	return false;
}

/* Reports an option of the program of LLVM that does the same as the command, as in "batconv -p perf.data prog".
 * False, and nothing is printed: the word is none. */
static bool tell_program(const struct command *command, const char *word)
{
	const struct command *program = command->program ? command->program() : NULL;

	if (!program || !has_option(program, word))
		return false;
	const char *name = program->name;
	say(stderr, "%s is an option of %s: run 'batconv %s ...' with %s's options, or batconv %s %s", word, name, name, name,
	    command->name, command->args);
	return true;
}

/* Reports a file whose name was read as options, as in "batconv -data prog".  False, and nothing is printed: there is none. */
static bool tell_file(const char *word)
{
	if (access(word, F_OK) != 0)
		return false;
	say(stderr, "%s is read as options, as it begins with '-': write ./%s for the file", word, word);
	return true;
}

/* Reports an unknown long option, and the nearest known one.  Of "--outptu=x", "outptu" is
 * compared. */
static int unknown_long(const struct command *command, const char *word)
{
	size_t length = strcspn(word + 2, "=");
	char name[OPTION_NAME];
	struct similar similar = {.word = name};

	if (length < sizeof(name)) {
		memcpy(name, word + 2, length);
		name[length] = '\0';
		for (size_t i = 0; i < command->option_count; i++)
			if (command->options[i].help)
				similar_try(&similar, command->options[i].name);
	}
	if (!similar.best)
		return usage_error(command, "unknown option", word);
	say(stderr, "unknown option '--%s': did you mean '--%s'?", name, similar.best);
	return EXIT_USAGE;
}

int option_next(const struct command *command, int argc, char **argv, const char **value)
{
	int at = optind ? optind : 1;

	int id = next(command, argc, argv, value);
	if (id != '?' && id != ':')
		return id;
	/* After an error, a long option is the word before argv[optind]; of a group of short ones,
	 * optopt is the letter. */
	const char *word = argv[optind - 1];
	const char *what = id == ':' ? "no argument given to" : "unknown option";
	if (optind > at && !strncmp(word, "--", 2)) {
		if (id == '?' && !optopt) {
			if (!tell_program(command, word))
				unknown_long(command, word);
			return OPTION_BAD;
		}
		if (id == '?')
			what = "no argument is taken by";
	} else {
		const char *letters = unknown_word(argc, argv), letter[] = {'-', (char)optopt, '\0'};
		if (id == '?' && (tell_program(command, letters) || tell_file(letters)))
			return OPTION_BAD;
		/* A word whose first letter is none was meant as a whole: -data. */
		word = id == '?' && letters[0] == '-' && letters[1] == optopt ? letters : letter;
		usage_error(command, what, word);
		return OPTION_BAD;
	}
	usage_error(command, what, word);
	return OPTION_BAD;
}

int options_apply(const struct command *command, int argc, char **argv,
		  const char *(*apply)(void *arguments, int id, const char *value), void *arguments)
{
	const char *value;

	for (int id; (id = option_next(command, argc, argv, &value)) != OPTION_END;) {
		const char *wrong = id == OPTION_BAD ? NULL : apply(arguments, id, value);
		if (id == OPTION_BAD)
			return EXIT_USAGE;
		if (wrong)
			return usage_error(command, wrong, value);
	}
	return EXIT_DONE;
}

static void option_help(const struct option_row *row, FILE *out)
{
	char left[64], letter[8] = "    ";
	struct text arg = option_argument(row);

	if (row->id <= 255)
		snprintf(letter, sizeof(letter), "-%c, ", row->id);
	if (!row->arg)
		snprintf(left, sizeof(left), "%s--%s", letter, row->name);
	else
		snprintf(left, sizeof(left), option_argument_is_optional(row) ? "%s--%s[=%.*s]" : "%s--%s=%.*s", letter,
			 row->name, (int)arg.len, arg.at);
	fprintf(out, "  %-30s ", left);
	for (const char *c = row->help; *c; c++) {
		putc(*c, out);
		if (*c == '\n')
			fprintf(out, "%33s", "");
	}
	putc('\n', out);
}

void command_help(const struct command *command, FILE *out)
{
	fprintf(out, "usage: batconv %s%s%s\n\n%s\n", command->name, *command->args ? " " : "",
		command->args, command->help);
	if (command->option_count)
		fputs("\noptions:\n", out);
	for (size_t i = 0; i < command->option_count; i++)
		if (command->options[i].help)
			option_help(&command->options[i], out);
}

const char *role_name(enum file_role role)
{
	static const char *const names[] = {"none", "read", "read-list", "written", "updated", "operands-updated",
					    "folder", "read", "stdin"};

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
		option_name(row, name);
		struct text arg = option_argument(row);
		fprintf(out, "%s %s %.*s %s\n", command->name, name, (int)arg.len, arg.at, role_name(row->role));
	}
}

int usage_error(const struct command *command, const char *what, const char *word)
{
	const char *space = command ? " " : "", *name = command ? command->name : "";

	if (word)
		say(stderr, "%s '%s'; see 'batconv%s%s --help'", what, word, space, name);
	else
		say(stderr, "%s; see 'batconv%s%s --help'", what, space, name);
	return EXIT_USAGE;
}

const char *threads_option(const char *value, unsigned *out)
{
	uint64_t threads;

	if (!text_dec(text_of(value), &threads) || !threads || threads > PARALLEL_MOST)
		return "--threads takes a number from 1 to 64, not";
	*out = (unsigned)threads;
	return NULL;
}
