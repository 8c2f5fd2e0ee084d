/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Commands and their options as tables.  An option is one row: its names, its help, what becomes of
 * a file that it names, and the field that its value is read into.  A command line is read once, by
 * these rows: into the struct of the command, into the operands, and into the list of files that
 * are kept apart.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "src/base/attr.h"
#include "src/base/sandbox.h"
#include "src/base/say.h"
#include "src/base/text.h"
#include "src/cli/file_conflicts.h"
#include "src/base/response.h"
#include "src/figures/advice.h"

/* What the process exits with. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,       /* input or output failed; nothing was written        */
	EXIT_USAGE = 2,        /* the command line is wrong                          */
	EXIT_CHECK_FAILED = 3, /* a check failed                                      */
	EXIT_PARTIAL = 4,      /* done, but part of the input was unreadable         */
};

struct option_row;
struct command_line;

/* Reads the value of an option, NULL if it has none.  Returns NULL; OPTION_WRONG, for "--NAME takes
 * TAKES, not 'VALUE'"; or another text that is before the value. */
typedef const char *option_reader(struct command_line *line, const struct option_row *row,
				  const char *value);
extern const char OPTION_WRONG[], OPTION_NOMEM[];

struct option_row {
	int letter;       /* of the short form; 0: there is none */
	const char *name; /* the long form; NULL: there is none */
	const char *arg; /* what its argument is called, or NULL; in brackets if it can be left out;
			    after a ':' the words that it can be, with commas; of a text the words
			    that completion offers */
	enum file_role role;
	const char *help; /* NULL: nothing shows it: a former option, which its command refuses, or
			     another name of one */
	size_t at; /* where its field is in the struct of the command: INTO() and its like set this
		      and `read` */
	option_reader *read;
	const char *takes; /* what a value must be, for messages: "a number"; NULL: one of the words
			      of arg */
	uint64_t least, most;    /* of a number; most is 0: any */
	unsigned value;          /* of INTO_SET() */
	enum advice_place place; /* what advice expects of the file */
	bool of_samples;         /* it is about samples, or the binary that ran for them */
};

/* In a row of a file whose struct of arguments is `struct arguments`: where a value goes, read as
 * the field's type says.
 *
 * bool           true; of an option that can be switched off (perf2bolt's), the switch
 * const char *   the value; struct text: the same
 * uint64_t       a decimal number from `least` to `most`
 * struct number  the same, and that it was given
 * struct percent a number from 0 to 100, and that it was given
 * enum           the index of the value among the words of the row's argument
 * struct words   all values, of an option that can be repeated */
#define INTO(field) INTO_OF(struct arguments, field)
#define INTO_OF(type, field)                                                                       \
	.at = offsetof(type, field), .read = _Generic(((type *)0)->field,                          \
					     bool: option_flag,                                    \
					     const char *: option_text,                            \
					     struct text: option_view,                             \
					     uint64_t: option_number,                              \
					     struct number: option_given_number,                   \
					     struct percent: option_percent,                       \
					     unsigned: option_word,                                \
					     struct words: option_words)
#define INTO_BY(field, reader)    .at = offsetof(struct arguments, field), .read = (reader)
#define INTO_SET(field, constant) INTO_BY(field, option_set), .value = (constant)

struct number {
	bool given;
	uint64_t is;
};
struct percent {
	bool given;
	double is; /* 0 to 100 */
};
DEFINE_VEC(words, const char *);
DEFINE_VEC(mark_vec, size_t);

/* An option as it was given. */
struct given_option {
	const struct option_row *row;
	const char *value; /* or NULL */
};
DEFINE_VEC(given_option_vec, struct given_option);

option_reader option_switch, /* into a struct number: 1, or 0 if it is switched off */
	option_flag, option_unset, option_set, option_text, option_view, option_number,
	option_given_number, option_percent,
	option_share, /* into a struct percent: above 0, with or without a % */
	option_size, option_memory, option_word, option_words,
	option_keyword;       /* the one word of the row: sets a bool */
option_reader option_nothing; /* the option changes nothing */

/* How many operands there must be, and the messages if there are not. */
struct operand_count {
	size_t least, most;
	const char *too_few,
		*too_many; /* of too many the first is named; NULL: there is no limit */
};
#define ONE_BINARY {1, 1, "no binary given", "one binary at a time, not also"}

/* LLVM's programs have words, messages and exit codes of their own: 0, or 1 for whatever went
 * wrong. */
struct llvm_program {
	const char *unsupported; /* what is said of an option that it does not have */
	const char *page;        /* which says which options there are */
	bool ignores;            /* options of llvm-bolt that do nothing to a profile */
	struct say_words words;  /* what its messages begin with */
};

/* Options of one subject, in help: from the option of this name to the next group. */
struct option_group {
	const char *first, *title;
};

struct command {
	const char *name;
	const char *args;     /* what follows the options, for the usage line */
	const char *help;     /* one sentence, then more */
	const char *examples; /* command lines that work with files of these names, one a line,
				 most with a comment; NULL: none */
	const struct option_group *groups; /* the last one has no title; NULL: one group */
	const struct option_row *options;
	size_t option_count;
	enum file_role operands;
	struct operand_count count;
	enum advice_place
		places[2]; /* of the first operand, and of all others: what advice expects */
	const char *advised_output; /* the -o of a command line that advice proposes; NULL:
				       none is needed */
	bool stops_at_operand; /* the first operand ends the options: what follows it is a program's
				*/
	bool takes_program;    /* words after -- are a program's, no operands */
	bool enters_sandbox;   /* itself, as its outputs are known later */
	size_t size;           /* of its struct of arguments */
	void (*prepare)(struct command_line *); /* sets what is not zero at first; or NULL */
	bool (*operand)(struct command_line *,
			const char *word);   /* also sees each operand, between the options; false:
						out of memory */
	int (*check)(struct command_line *); /* what the values are together: EXIT_DONE, or what to
						exit with after a message; or NULL */
	int (*run)(struct command_line *);
	void (*finish)(
		void *arguments); /* frees what its readers own, except for struct words; or NULL */
	bool (*add_files)(
		struct command_line *,
		struct bc_error *); /* adds files in addition to those that options name; or NULL */
	bool adds_stdout;           /* add_files does, if it is an output */
	void (*show_help)(struct command_line *, FILE *out); /* NULL: command_help() */
	const struct llvm_program
		*llvm; /* it is one of LLVM's programs; NULL: a command of batconv */
	/* LLVM's program that does the same, or NULL: messages about unknown options know its
	 * options. */
	const struct command *(*program)(void);
};
#define COMMAND_OPTIONS(rows) .options = (rows), .option_count = BC_COUNT(rows)

/* One a file, cmd_*.c; main.c has the order of them. */
extern const struct command convert_command, addr_command, inspect_command, image_command,
	maps_command, stacks_command, verify_command, dump_command, encode_command,
	transcode_command, extract_command, diff_command, merge_command, quality_command,
	doctor_command, compare_command, optimize_command, overlap_command, stale_command,
	carry_command, heatmap_command, report_command, record_command, version_command;

/* A command line that is read. */
struct command_line {
	const struct command *command;
	const char *called;              /* the first word */
	void *arguments;                 /* the struct of the command */
	struct given_option_vec options; /* in their order; all values are borrowed */
	struct words operands;           /* in their order */
	struct words program;            /* of takes_program: the words after -- */
	struct mark_vec marks; /* for each --new-recording, how many operands are before it */
	bool *begins;          /* of new_recordings() */
	struct named_files files;
	bool help, sandbox;
	bool off; /* the option that is being read is switched off: an LLVM program's -option=false
		   */
};

/* The field of a row. */
static inline void *option_field(const struct command_line *line, const struct option_row *row)
{
	return (char *)line->arguments + row->at;
}

/* Reads a command line and checks all of it: options, files that must be apart, the number of
 * operands, and what the command checks.  EXIT_DONE, or what to exit with after a message; `line`
 * is to be freed either way. */
int command_line_read(struct command_line *line, const struct command *command, int argc,
		      char **argv);
void command_line_free(struct command_line *line);

/* Response files that words of the command line came from: no output may replace one of them.
 * For all command lines that are read from now on, which `files` must outlive. */
void command_line_made_of(const struct argument_vec *files);

/* Reads it and runs the command.  Returns what to exit with. */
int command_run(const struct command *command, int argc, char **argv);

/* What an option's argument is called, without its words and brackets; "-" if it takes none. */
struct text option_argument(const struct option_row *row);

/* May the argument be left out? */
bool option_argument_is_optional(const struct option_row *row);

/* Is the word after this one the value of an option? */
bool option_wants_next(const struct command *command, const char *word);

/* What messages call an option: "-o", "--maps"; of one of LLVM's programs "-maps". */
void option_name(const struct command *command, const struct option_row *row,
		 char name[OPTION_NAME]);

/* What its value must be: "a number", "text, json or none". */
void option_takes(const struct option_row *row, char *out, size_t size);

/* Reads one option into the struct, and notes it.  What is wrong, as option_reader has it. */
const char *option_read(struct command_line *line, const struct option_row *row, const char *value);

/* ---- rows that several commands have ---- */

option_reader option_help, option_color, option_sandbox, option_new_recording, option_threads;
/* clang-format off */
/* For all commands but those of LLVM. */
/* Events that perf has by name, for completion. */
#define EVENT_NAMES "cycles,instructions,branches,branch-brs,cpu-clock,task-clock"

#define COMMON_ROWS \
	{0, "color", "WHEN:auto,always,never", NO_FILE, \
	 "color messages: auto (default), on a terminal without NO_COLOR", .read = option_color}, \
	{'h', "help", NULL, NO_FILE, "show this help", .read = option_help}
#define SANDBOX_ROW \
	{0, "sandbox", NULL, NO_FILE, \
	 "before reading any input, drop the rights to run programs,\nuse the network, and write anywhere but to the outputs", \
	 .read = option_sandbox}
#define NEW_RECORDING_ROW \
	{0, "new-recording", NULL, NO_FILE, \
	 "between two files: the second one starts a new recording", .read = option_new_recording, .of_samples = true}
#define DEBUG_DIR_ROW \
	{0, "debug-dir", "DIR", NO_FILE, \
	 "also look below DIR for debug files of stripped binaries;\nrepeatable", INTO(debug_dirs)}
/* clang-format on */
/* For commands that walk hardware traces. */
/* clang-format off */
#define CODE_DIR_ROW \
	{0, "debug-dir", "DIR", NO_FILE, \
	 "also look below DIR for debug files of stripped binaries,\nand for files that a hardware trace ran through;\n" \
	 "repeatable", INTO(debug_dirs)}
#define THREADS_ROW(field) \
	{0, "threads", "N", NO_FILE, \
	 "number of threads (default: one per processor)", INTO_BY(field, option_threads)}
/* clang-format on */

/* clang-format off */
#define OUTPUT_ROW {'o', "output", "FILE", FILE_WRITTEN, \
	 "write to FILE (default: stdout)", INTO(output)}
/* clang-format on */
#define JSON_ROW(help) {0, "json", NULL, NO_FILE, (help), INTO(json)}

/* For commands that end with a summary. */
enum stats_form { STATS_TEXT, STATS_JSON, STATS_NONE };
/* clang-format off */
#define STATS_ROW \
	{0, "stats", "FORM:text,json,none", NO_FILE, \
	 "summary on stderr: text (default), json or none", INTO(stats)}
#define STATS_FILE_ROW \
	{0, "stats-file", "FILE", FILE_WRITTEN, \
	 "also write the summary as JSON to FILE", INTO(stats_file)}
#define PROGRESS_ROWS(when) \
	{0, "progress", NULL, NO_FILE, \
	 "show progress (default: on a terminal" when ")", INTO_SET(progress, PROGRESS_ALWAYS)}, \
	{0, "no-progress", NULL, NO_FILE, "never show progress", INTO_SET(progress, PROGRESS_NEVER)}
/* clang-format on */
#define QUIET_ROW(help) {'q', "quiet", NULL, NO_FILE, (help), INTO(quiet)}
#define VERBOSE_ROW     {'v', "verbose", NULL, NO_FILE, "print a longer summary", INTO(verbose)}

/* --quiet leaves out the summary, but not as JSON, which was asked for by name. */
static inline enum stats_form stats_if_quiet(enum stats_form form, bool quiet)
{
	return quiet && form == STATS_TEXT ? STATS_NONE : form;
}

/* Sets line->begins[0 .. operands - first): is a --new-recording before this operand?
 * EXIT_DONE, or what to exit with after a message: such an option is not between two of
 * them, or there is no memory.  For the check of a command. */
int new_recordings(struct command_line *line, size_t first);

/* ---- what is printed ---- */

void command_help(const struct command *command, FILE *out);

/* The first paragraph of its help. */
struct text command_summary(const struct command *command);

/* "batconv: error: WHAT 'WORD'", "batconv: hint: see 'batconv COMMAND --help'", and EXIT_USAGE. */
int usage_error(const struct command *command, const char *what, const char *word);

/* What to exit with after files_are_apart() failed, and a message. */
int files_refuse(const struct command *command, const struct bc_error *err);

/* ---- --sandbox ---- */

/* Enter it, with the files that are written.  false: out of memory */
bool sandbox_option(const struct named_files *files);

/* Says which rights could not be given up, if any.
 * writes  some outputs are files */
void sandbox_tell(const struct sandbox *entered, bool writes);

#endif
