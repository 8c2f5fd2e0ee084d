/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/parallel.h"
#include "src/cli/llvm_options.h"
#include "src/cli/operands.h"
#include "src/base/say.h"

#define MAX_OPTIONS 64
enum {
	LONG_OPTION = 256,
	/* and the number of the row: what getopt_long() returns */ OPERAND_GIVEN = 1
};

/* ---- readers of values ---- */

const char OPTION_WRONG[] = "", OPTION_NOMEM[] = "out of memory";

const char *option_nothing(struct command_line *line, const struct option_row *row,
			   const char *value)
{
	(void)line;
	(void)row;
	(void)value;
	return NULL;
}

const char *option_help(struct command_line *line, const struct option_row *row, const char *value)
{
	(void)row;
	(void)value;
	line->help = !line->off;
	return NULL;
}

const char *option_sandbox(struct command_line *line, const struct option_row *row,
			   const char *value)
{
	(void)row;
	(void)value;
	line->sandbox = true;
	return NULL;
}

const char *option_new_recording(struct command_line *line, const struct option_row *row,
				 const char *value)
{
	(void)row;
	(void)value;
	return mark_vec_push(&line->marks, line->operands.len) ? NULL : OPTION_NOMEM;
}

const char *option_flag(struct command_line *line, const struct option_row *row, const char *value)
{
	(void)value;
	*(bool *)option_field(line, row) = !line->off;
	return NULL;
}

const char *option_unset(struct command_line *line, const struct option_row *row, const char *value)
{
	(void)value;
	*(bool *)option_field(line, row) = line->off;
	return NULL;
}

const char *option_switch(struct command_line *line, const struct option_row *row,
			  const char *value)
{
	(void)value;
	*(struct number *)option_field(line, row) = (struct number){true, !line->off};
	return NULL;
}

const char *option_set(struct command_line *line, const struct option_row *row, const char *value)
{
	(void)value;
	*(unsigned *)option_field(line, row) = line->off ? 0 : row->value;
	return NULL;
}

const char *option_text(struct command_line *line, const struct option_row *row, const char *value)
{
	*(const char **)option_field(line, row) = value;
	return NULL;
}

const char *option_view(struct command_line *line, const struct option_row *row, const char *value)
{
	*(struct text *)option_field(line, row) = text_of(value);
	return NULL;
}

const char *option_words(struct command_line *line, const struct option_row *row, const char *value)
{
	return words_push(option_field(line, row), value) ? NULL : OPTION_NOMEM;
}

static bool parse_number(const struct option_row *row, const char *value, uint64_t *out)
{
	return text_dec(text_of(value), out) && *out >= row->least &&
	       (!row->most || *out <= row->most);
}

const char *option_number(struct command_line *line, const struct option_row *row,
			  const char *value)
{
	return parse_number(row, value, option_field(line, row)) ? NULL : OPTION_WRONG;
}

const char *option_given_number(struct command_line *line, const struct option_row *row,
				const char *value)
{
	struct number *number = option_field(line, row);

	number->given = true;
	return parse_number(row, value, &number->is) ? NULL : OPTION_WRONG;
}

/* Returns what follows the number, or NULL if there is none. */
static const char *read_percent(const struct option_row *row, struct command_line *line,
				const char *value)
{
	struct percent *percent = option_field(line, row);
	char *end;

	percent->given = true;
	percent->is = strtod(value, &end);
	return *value >= '0' && *value <= '9' && percent->is <= 100 ? end : NULL;
}

const char *option_percent(struct command_line *line, const struct option_row *row,
			   const char *value)
{
	const char *end = read_percent(row, line, value);

	return end && !*end ? NULL : OPTION_WRONG;
}

const char *option_share(struct command_line *line, const struct option_row *row, const char *value)
{
	const struct percent *percent = option_field(line, row);
	const char *end = read_percent(row, line, value);

	return end && percent->is > 0 && (!*end || !strcmp(end, "%")) ? NULL : OPTION_WRONG;
}

const char *option_size(struct command_line *line, const struct option_row *row, const char *value)
{
	uint64_t number;

	if (!parse_number(row, value, &number) || number > SIZE_MAX)
		return OPTION_WRONG;
	*(size_t *)option_field(line, row) = (size_t)number;
	return NULL;
}

const char *option_memory(struct command_line *line, const struct option_row *row,
			  const char *value)
{
	return text_memory(text_of(value), option_field(line, row)) ? NULL : OPTION_WRONG;
}

const char *option_threads(struct command_line *line, const struct option_row *row,
			   const char *value)
{
	uint64_t threads;

	if (!text_dec(text_of(value), &threads) || !threads || threads > PARALLEL_MOST)
		return "--threads takes a number from 1 to 64, not";
	*(unsigned *)option_field(line, row) = (unsigned)threads;
	return NULL;
}

/* The words that an argument can be, or none. */
static struct text words_of(const struct option_row *row)
{
	struct text arg = text_of(row->arg ? row->arg : "");

	return text_behind(arg, text_find(arg, ':'));
}

/* Which of the row's words a value is. */
static const char *read_word(const struct option_row *row, const char *value, unsigned *out)
{
	*out = 0;
	for (struct text rest = words_of(row); rest.len; ++*out) {
		size_t comma = text_find(rest, ',');
		if (text_is(text_first(rest, comma), value))
			return NULL;
		rest = text_behind(rest, comma);
	}
	return OPTION_WRONG;
}

const char *option_word(struct command_line *line, const struct option_row *row, const char *value)
{
	unsigned number;
	const char *wrong = read_word(row, value, &number);

	if (!wrong)
		*(unsigned *)option_field(line, row) = number;
	return wrong;
}

const char *option_color(struct command_line *line, const struct option_row *row, const char *value)
{
	unsigned when;
	const char *wrong = read_word(row, value, &when);

	(void)line;
	if (!wrong)
		say_set_color((enum say_color)when);
	return wrong;
}

const char *option_keyword(struct command_line *line, const struct option_row *row,
			   const char *value)
{
	*(bool *)option_field(line, row) = true;
	return text_is(words_of(row), value) ? NULL : OPTION_WRONG;
}

/* "a, b or c" */
static void list_words(struct text words, char *out, size_t size)
{
	size_t length = 0;

	*out = '\0';
	for (bool first = true; words.len && length < size; first = false) {
		size_t comma = text_find(words, ',');
		const char *between = first ? "" : comma < words.len ? ", " : " or ";
		length += (size_t)snprintf(out + length, size - length, "%s%.*s", between,
					   (int)comma, words.at);
		words = text_behind(words, comma);
	}
}

void option_takes(const struct option_row *row, char *out, size_t size)
{
	if (row->takes)
		snprintf(out, size, "%s", row->takes);
	else
		list_words(words_of(row), out, size);
}

/* Reports a value that an option does not take. */
static int wrong_value(const struct command *command, const struct option_row *row,
		       const char *wrong, const char *value)
{
	char takes[256], text[320];

	if (wrong == OPTION_NOMEM) {
		say_error(stderr, "%s", wrong);
		return EXIT_FAILED;
	}
	option_takes(row, takes, sizeof(takes));
	snprintf(text, sizeof(text), "--%s takes %s, not", row->name, takes);
	return usage_error(command, wrong == OPTION_WRONG ? text : wrong, value);
}

/* ---- rows ---- */

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

void option_name(const struct command *command, const struct option_row *row,
		 char name[OPTION_NAME])
{
	if (row->letter)
		snprintf(name, OPTION_NAME, "-%c", row->letter);
	else
		snprintf(name, OPTION_NAME, "%s%s", command->llvm ? "-" : "--", row->name);
}

const char *option_read(struct command_line *line, const struct option_row *row, const char *value)
{
	const char *wrong = row->read(line, row, value);

	if (wrong)
		return wrong;
	return given_option_vec_push(&line->options, (struct given_option){row, value}) ?
		       NULL :
		       OPTION_NOMEM;
}

/* ---- words ---- */

/* The tables that getopt_long() reads, made from the rows of a command. */
struct getopt_tables {
	struct option longs[MAX_OPTIONS + 1];
	char shorts[3 * MAX_OPTIONS + 4];
};

static int argument_kind(const struct option_row *row)
{
	return !row->arg                        ? no_argument :
	       option_argument_is_optional(row) ? optional_argument :
						  required_argument;
}

static void make_tables(const struct command *command, struct getopt_tables *tables)
{
	char *s = tables->shorts;

	*s++ = command->stops_at_operand ? '+' : '-'; /* operands come in their order */
	*s++ = ':'; /* distinguish a missing argument from an unknown option */
	for (size_t i = 0; i < command->option_count && i < MAX_OPTIONS; i++) {
		const struct option_row *row = &command->options[i];
		int kind = argument_kind(row);
		tables->longs[i] = (struct option){row->name, kind, NULL, LONG_OPTION + (int)i};
		if (!row->letter)
			continue;
		*s++ = (char)row->letter;
		for (int colons = 0; colons < kind; colons++)
			*s++ = ':';
	}
	*s = 0;
}

/* The row of what getopt_long() returned; NULL: it is none. */
static const struct option_row *row_of(const struct command *command, int id)
{
	if (id >= LONG_OPTION)
		return &command->options[id - LONG_OPTION];
	for (size_t i = 0; i < command->option_count; i++)
		if (command->options[i].letter == id)
			return &command->options[i];
	return NULL;
}

/* The word in which getopt_long() met the unknown letter `optopt`: argv[optind] while more of the
 * word follows, else the one before. */
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
		if (length == 1 && row->letter == name[0])
			return true;
		if (row->name && strlen(row->name) == length && !memcmp(row->name, name, length))
			return true;
	}
	return false;
}

/* Reports an option of the program of LLVM that does the same as the command, as in "batconv -p
 * perf.data prog". False, and nothing is printed: the word is none. */
static bool tell_program(const struct command *command, const char *word)
{
	const struct command *program = command->program ? command->program() : NULL;

	if (!program || !has_option(program, word))
		return false;
	const char *name = program->name;
	say_error(stderr, "%s is an option of %s", word, name);
	say_hint(stderr, "run 'batconv %s ...' with %s's options, or batconv %s %s", name, name,
		 command->name, command->args);
	return true;
}

/* Reports a file whose name was read as options, as in "batconv -data prog".  False, and nothing is
 * printed: there is none. */
static bool tell_file(const char *word)
{
	if (access(word, F_OK) != 0)
		return false;
	say_error(stderr, "%s is read as options, as it begins with '-'", word);
	say_hint(stderr, "write ./%s for the file", word);
	return true;
}

/* Of "--inp", which begins several options, lists them.  False: it begins none. */
static bool tell_candidates(const struct command *command, const char *word, size_t length)
{
	char names[2048];
	size_t found = 0, used = 0;

	for (size_t i = 0; i < command->option_count && length; i++) {
		const struct option_row *row = &command->options[i];
		if (!row->help || !row->name || strncmp(row->name, word + 2, length) != 0)
			continue;
		found++;
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s--%s",
						 used ? ", " : "", row->name);
	}
	if (!found)
		return false;
	say_error(stderr, "option '--%.*s' is ambiguous", (int)length, word + 2);
	say_hint(stderr, "did you mean one of %s?", names);
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
	if (tell_candidates(command, word, length))
		return EXIT_USAGE;
	if (!similar.best)
		return usage_error(command, "unknown option", word);
	say_error(stderr, "unknown option '--%s'", name);
	say_hint(stderr, "did you mean '--%s'?", similar.best);
	return EXIT_USAGE;
}

/* Reports what getopt_long() could not read: id is '?' or ':'; at: the word that it began with. */
static int bad_option(const struct command *command, int argc, char **argv, int id, int at)
{
	/* After an error, a long option is the word before argv[optind]; of a group of short ones,
	 * optopt is the letter. */
	const char *word = argv[optind - 1];
	const char *what = id == ':' ? "no argument given to" : "unknown option";
	if (optind > at && !strncmp(word, "--", 2)) {
		if (id == '?' && !optopt)
			return tell_program(command, word) ? EXIT_USAGE :
							     unknown_long(command, word);
		return usage_error(command, id == '?' ? "no argument is taken by" : what, word);
	}
	const char *letters = unknown_word(argc, argv), letter[] = {'-', (char)optopt, '\0'};
	if (id == '?' && (tell_program(command, letters) || tell_file(letters)))
		return EXIT_USAGE;
	/* A word whose first letter is none was meant as a whole: -data. */
	return usage_error(command, what,
			   id == '?' && letters[0] == '-' && letters[1] == optopt ? letters :
										    letter);
}

static int nomem(void)
{
	say_error(stderr, "%s", OPTION_NOMEM);
	return EXIT_FAILED;
}

static int read_option(struct command_line *line, const struct option_row *row, const char *value)
{
	const char *wrong = option_read(line, row, value);

	return wrong ? wrong_value(line->command, row, wrong, value) : EXIT_DONE;
}

static int read_operand(struct command_line *line, const char *word)
{
	return words_push(&line->operands, word) &&
			       (!line->command->operand || line->command->operand(line, word)) ?
		       EXIT_DONE :
		       nomem();
}

static int read_program_word(struct command_line *line, const char *word)
{
	return words_push(&line->program, word) ? EXIT_DONE : nomem();
}

/* getopt_long().  In musl the operand `-` ends the options, as `--` does everywhere, and optind is
 * after argc where the last option lacks its argument. */
static int next_word(int argc, char **argv, const struct getopt_tables *tables)
{
	int id = getopt_long(argc, argv, tables->shorts, tables->longs, NULL);

	optind = optind < argc ? optind : argc;
	if (id != -1 || tables->shorts[0] != '-' || optind >= argc ||
	    strcmp(argv[optind], "-") != 0 || !strcmp(argv[optind - 1], "--"))
		return id;
	optarg = argv[optind++];
	return OPERAND_GIVEN;
}

static int read_words(struct command_line *line, int argc, char **argv)
{
	const struct command *command = line->command;
	struct getopt_tables tables = {0};
	int code = EXIT_DONE;

	make_tables(command, &tables);
	opterr = 0;
	optind = 0; /* getopt starts again */
	for (int id, at = 1; code == EXIT_DONE && (id = next_word(argc, argv, &tables)) != -1;
	     at = optind) {
		if (id == '?' || id == ':')
			code = bad_option(command, argc, argv, id, at);
		else if (id == OPERAND_GIVEN)
			code = read_operand(line, optarg);
		else
			code = read_option(line, row_of(command, id), optarg);
	}
	for (; code == EXIT_DONE && optind < argc; optind++)
		code = command->takes_program ? read_program_word(line, argv[optind]) :
						read_operand(line, argv[optind]);
	return code;
}

bool option_wants_next(const struct command *command, const char *word)
{
	char called[] = "", value[] = "", *words[] = {called, (char *)(uintptr_t)word, value, NULL};
	struct getopt_tables tables = {0};
	int id;

	make_tables(command, &tables);
	opterr = 0;
	optind = 0;
	do
		id = next_word(3, words, &tables);
	while (id != -1 && optind < 2); /* of several letters */
	return optind > 2;
}

/* ---- the whole of it ---- */

/* Adds stdout, under the name of -o if the command has an -o for an output. */
static bool add_stdout(const struct command *command, struct named_files *files)
{
	const char *option = OUTPUT;

	for (size_t i = 0; i < command->option_count; i++)
		if (command->options[i].letter == 'o' && command->options[i].role == FILE_WRITTEN)
			option = "-o";
	return files_add(files, option, FILE_WRITTEN, "-");
}

/* Adds the files that options name.  *operands: what becomes of the operands. */
static bool add_options(struct command_line *line, enum file_role *operands)
{
	char name[OPTION_NAME];

	for (size_t i = 0; i < line->options.len; i++) {
		const struct given_option *given = &line->options.at[i];
		if (given->row->role == OPERANDS_UPDATED)
			*operands = FILE_UPDATED;
		option_name(line->command, given->row, name);
		if (given->value && !files_add(&line->files, name, given->row->role, given->value))
			return false;
	}
	return true;
}

static bool add_operands(struct command_line *line, enum file_role role)
{
	if (role == STDIN_READ && !line->operands.len)
		return files_add(&line->files, OPERAND, role, "-");
	for (size_t i = 0; i < line->operands.len; i++)
		if (!files_add(&line->files, OPERAND, role, line->operands.at[i]))
			return false;
	return true;
}

static int check_count(const struct command_line *line)
{
	const struct operand_count *count = &line->command->count;
	const struct words *operands = &line->operands;

	if (operands->len < count->least)
		return usage_error(line->command, count->too_few, NULL);
	if (count->too_many && operands->len > count->most)
		return usage_error(line->command, count->too_many, operands->at[count->most]);
	return EXIT_DONE;
}

static const struct argument_vec *response_files;

void command_line_made_of(const struct argument_vec *files)
{
	response_files = files;
}

static bool add_response_files(struct named_files *files)
{
	for (size_t i = 0; response_files && i < response_files->len; i++)
		if (!files_add(files, "@", FILE_READ, response_files->at[i]))
			return false;
	return true;
}

static int check_files(struct command_line *line)
{
	enum file_role operands = line->command->operands;
	struct bc_error err;

	if ((!line->command->adds_stdout && !add_stdout(line->command, &line->files)) ||
	    !add_options(line, &operands) || !add_operands(line, operands) ||
	    !add_response_files(&line->files))
		return nomem();
	if (line->command->add_files && !line->command->add_files(line, &err))
		return files_refuse(line->command, &err);
	return files_are_apart(&line->files, &err) ? EXIT_DONE : files_refuse(line->command, &err);
}

int command_line_read(struct command_line *line, const struct command *command, int argc,
		      char **argv)
{
	*line = (struct command_line){
		.command = command, .called = argv[0], .arguments = calloc(1, command->size + 1)};
	if (!line->arguments)
		return nomem();
	if (command->prepare)
		command->prepare(line);
	int code = command->llvm ? llvm_words_read(line, argc, argv) : read_words(line, argc, argv);
	if (code != EXIT_DONE || line->help)
		return code;
	code = check_files(line);
	if (code == EXIT_DONE)
		code = check_count(line);
	return code == EXIT_DONE && command->check ? command->check(line) : code;
}

void command_line_free(struct command_line *line)
{
	if (line->arguments) {
		for (size_t i = 0; i < line->command->option_count; i++)
			if (line->command->options[i].read == option_words)
				words_free(option_field(line, &line->command->options[i]));
		if (line->command->finish)
			line->command->finish(line->arguments);
	}
	free(line->arguments);
	free(line->begins);
	given_option_vec_free(&line->options);
	words_free(&line->operands);
	words_free(&line->program);
	mark_vec_free(&line->marks);
	named_files_free(&line->files);
}

int command_run(const struct command *command, int argc, char **argv)
{
	BC_AUTO(command_line_free) struct command_line line;

	if (command->llvm)
		say_as(&command->llvm->words);
	int code = command_line_read(&line, command, argc, argv);

	if (code == EXIT_DONE && line.help) {
		if (command->show_help)
			command->show_help(&line, stdout);
		else
			command_help(command, stdout);
		return EXIT_DONE;
	}
	if (code != EXIT_DONE)
		return code;
	if (line.sandbox && !command->enters_sandbox && !sandbox_option(&line.files))
		return nomem();
	if (!command->llvm)
		operands_remember(&line);
	return command->run(&line);
}

int new_recordings(struct command_line *line, size_t first)
{
	size_t count = line->operands.len;

	line->begins = calloc(count + 1, sizeof(*line->begins));
	if (!line->begins)
		return nomem();
	for (size_t i = 0; i < line->marks.len; i++) {
		size_t at = line->marks.at[i];
		if (at <= first || at >= count)
			return usage_error(line->command,
					   "--new-recording is written between two sample files",
					   NULL);
		line->begins[at - first] = true;
	}
	return EXIT_DONE;
}

/* ---- what is printed ---- */

#define HELP_WIDTH 100

static void print_option(const struct option_row *row, FILE *out)
{
	char left[64], letter[8] = "    ";
	struct text arg = option_argument(row);

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	if (!row->arg)
		snprintf(left, sizeof(left), "%s--%s", letter, row->name);
	else
		snprintf(left, sizeof(left),
			 option_argument_is_optional(row) ? "%s--%s[=%.*s]" : "%s--%s=%.*s", letter,
			 row->name, (int)arg.len, arg.at);
	int column = fprintf(out, "  %-30s ", left);
	for (const char *c = row->help; *c;) {
		int word = (int)strcspn(c + 1, " \n") + 1;
		if (*c == '\n' || (*c == ' ' && column + word > HELP_WIDTH))
			column = fprintf(out, "\n%33s%.*s", "", word - 1, c + 1) - 1;
		else
			column += fprintf(out, "%.*s", word, c);
		c += word;
	}
	putc('\n', out);
}

/* Lines, each after two blanks. */
static void print_indented(const char *lines, FILE *out)
{
	struct text rest = text_of(lines), line;

	while (text_line(&rest, &line))
		fprintf(out, "  %.*s\n", (int)line.len, line.at);
}

static void print_group(const struct command *command, const struct option_row *row, FILE *out)
{
	for (const struct option_group *group = command->groups; group && group->title; group++)
		if (row->name && !strcmp(row->name, group->first))
			fprintf(out, "%s %s:\n", row == command->options ? "" : "\n", group->title);
}

void command_help(const struct command *command, FILE *out)
{
	struct text summary = command_summary(command);

	fprintf(out, "usage: batconv %s%s%s\n\n%.*s\n", command->name, *command->args ? " " : "",
		command->args, (int)summary.len, summary.at);
	if (command->examples) {
		fputs("\nexamples:\n", out);
		print_indented(command->examples, out);
	}
	if (command->help[summary.len])
		fprintf(out, "\n%s\n", command->help + summary.len + 2);
	if (command->option_count)
		fputs("\noptions:\n", out);
	for (size_t i = 0; i < command->option_count; i++)
		if (command->options[i].help) {
			print_group(command, &command->options[i], out);
			print_option(&command->options[i], out);
		}
}

struct text command_summary(const struct command *command)
{
	const char *end = strstr(command->help, "\n\n");

	return (struct text){command->help,
			     end ? (size_t)(end - command->help) : strlen(command->help)};
}

int usage_error(const struct command *command, const char *what, const char *word)
{
	const char *space = command ? " " : "", *name = command ? command->name : "";

	if (command && command->llvm) {
		say_error(stderr, "%s%s%s", word ? word : "", word ? ": " : "", what);
		say_hint(stderr, "see '%s --help'", name);
		return EXIT_FAILED;
	}
	if (word)
		say_error(stderr, "%s '%s'", what, word);
	else
		say_error(stderr, "%s", what);
	say_hint(stderr, "see 'batconv%s%s --help'", space, name);
	return EXIT_USAGE;
}

int files_refuse(const struct command *command, const struct bc_error *err)
{
	if (err->code == BC_MISMATCH && !bc_error_hint(err))
		return usage_error(command, err->text, NULL);
	say_failure(stderr, err);
	return err->code == BC_MISMATCH && !command->llvm ? EXIT_USAGE : EXIT_FAILED;
}

/* ---- --sandbox ---- */

/* Informs the user, who asked for a sandbox, what the sandbox does not keep the program from. */
void sandbox_tell(const struct sandbox *entered, bool writes)
{
	static const char left[] =
		"rights over modes of files, other processes and the network are kept";

	if (entered->calls == CALLS_NOT_BUILT)
		say_warning(stderr, "--sandbox: this build is without libseccomp: %s", left);
	else if (entered->calls == CALLS_NOT_THERE)
		say_warning(stderr, "--sandbox: no seccomp in this kernel: %s", left);
	/* Where no output is a file, seccomp alone forbids to open a file for writing. */
	if (!entered->landlock && (writes || entered->calls != CALLS_LISTED))
		say_warning(
			stderr,
			"--sandbox: no Landlock in this kernel: the right to write other files is kept");
}

bool sandbox_option(const struct named_files *files)
{
	const char **outputs = calloc(files->all.len + 1, sizeof(*outputs));
	size_t count = 0;

	if (!outputs)
		return false;
	for (size_t i = 0; i < files->all.len; i++)
		if (files->all.at[i].written)
			outputs[count++] = files->all.at[i].path;
	struct sandbox entered = sandbox_enter(outputs, count);
	sandbox_tell(&entered, sandbox_writes(outputs, count));
	free(outputs);
	return true;
}
