/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/llvm_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/base/counts.h"
#include "src/base/output.h"
#include "src/base/say.h"
#include "src/base/strings.h"
#include "src/base/text.h"
#include "src/base/vec.h"
#include "src/profile/merge_list.h"
#include "src/figures/merge_summary.h"
#include "src/profile/merge.h"
#include "src/profile/yaml_items.h"

/* ---- -print: functions of a merged YAML profile by one of their counts ---- */

enum merge_print { PRINT_NONE, PRINT_EXEC, PRINT_BRANCHES };

struct printed_function {
	char *name;
	uint64_t count;
};
DEFINE_VEC(printed_vec, struct printed_function);

struct merge_printer {
	enum merge_print what;
	uint64_t seen; /* functions of YAML */
	struct printed_vec functions;
};

static const char *const words[] = {"none", "exec", "branches"};

/* "none", "exec" or "branches". */
static bool merge_print_parse(const char *word, enum merge_print *out)
{
	for (size_t i = 0; i < BC_COUNT(words); i++)
		if (!strcmp(word, words[i])) {
			*out = (enum merge_print)i;
			return true;
		}
	return false;
}

static void merge_printer_free(struct merge_printer *printer)
{
	for (size_t i = 0; i < printer->functions.len; i++)
		free(printer->functions.at[i].name);
	printed_vec_free(&printer->functions);
}

static bool add_function(struct merge_printer *p, struct text name, uint64_t count)
{
	char *copy = strndup(name.at, name.len);

	if (copy && printed_vec_push(&p->functions, (struct printed_function){copy, count}))
		return true;
	free(copy);
	return false;
}

/* A merge_observer's function; ctx is a struct merge_printer. */
static bool merge_print_take(void *ctx, enum profile_kind kind, const struct profile_item *item)
{
	struct merge_printer *p = ctx;

	if (kind != KIND_YAML)
		return true;
	struct key_parts key = key_parts(item);
	struct text name = key_take_name(&key);
	uint8_t part = key_take_byte(&key);
	bool is_function = part == YAML_FUNCTION && key.at == key.end;
	p->seen += is_function;
	if (p->what == PRINT_NONE)
		return true;
	if (is_function)
		return add_function(p, name, p->what == PRINT_EXEC ? item->sum[0] : 0);
	if (part == YAML_FUNCTION) /* an unknown key */
		return true;
	key_take_number(&key);
	if (p->what == PRINT_BRANCHES && key_take_byte(&key) == YAML_BLOCK_SUCCESSOR) {
		uint64_t *count = &p->functions.at[p->functions.len - 1].count;
		*count = count_add_saturating(*count, item->sum[0]);
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct printed_function *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count) :
				      strcmp(x->name, y->name);
}

static void merge_print(struct merge_printer *p, FILE *out)
{
	if (!p->functions.len)
		return;
	qsort(p->functions.at, p->functions.len, sizeof(*p->functions.at), compare);
	fprintf(out, "Functions sorted by %s count:\n",
		p->what == PRINT_EXEC ? "execution" : "total branch");
	for (size_t i = 0; i < p->functions.len; i++) {
		print_name(text_of(p->functions.at[i].name), out);
		fprintf(out, " : %" PRIu64 "\n", p->functions.at[i].count);
	}
}

/* ---- the command ---- */

struct arguments {
	struct merge_list list;
	const char *output; /* or NULL */
	enum merge_print print;
	bool quiet, version;
	char *tmpdir;
};

/* ---- the merge ---- */

/* Says what was merged, in merge-fdata's words. */
static void tell(const struct merge *merge, const struct merge_printer *printer)
{
	if (merge_kind_of(merge) == KIND_FDATA)
		fprintf(stderr, "Using legacy profile format.\nProfile from %zu files merged.\n",
			merge->count);
	if (merge_kind_of(merge) != KIND_YAML)
		return;
	for (size_t i = 0; i < merge->count; i++) {
		fputs("Merging data from ", stderr);
		print_name(text_of(input_name(merge->inputs[i].path)), stderr);
		fputs("...\n", stderr);
	}
	fprintf(stderr, "Data for %" PRIu64 " unique objects successfully merged.\n",
		printer->seen);
}

/* Writes the merged profile.  With -q, merge-fdata does not write YAML, but does write fdata; so do
 * we. */
static bool write_result(const struct arguments *args, struct merge *merge,
			 struct merge_printer *printer, struct bc_error *err)
{
	bool nowhere = args->quiet && merge_kind_of(merge) == KIND_YAML;
	struct output out;
	enum profile_kind kind;

	if (!output_open(nowhere ? "/dev/null" : args->output, &out, err))
		return false;
	if (!output_end(&out, merge_write_whole(merge, NULL, &out, &kind, err), err))
		return false;
	tell(merge, printer);
	merge_print(printer, stderr);
	return true;
}

static bool merge_once(const struct arguments *args, struct merge *merge, struct bc_error *err)
{
	struct merge_printer printer = {.what = args->print};

	merge->options.observer = (struct merge_observer){merge_print_take, &printer};
	bool ok = merge_look(merge, err) && merge_check(merge, true, err) &&
		  write_result(args, merge, &printer, err);
	merge_printer_free(&printer);
	return ok;
}

static int run_merge_fdata(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	const struct merge_options options = {.memory = MERGE_MEMORY,
					      .fan_in = MERGE_FAN_IN,
					      .tmpdir = args->tmpdir,
					      .yaml_for = UINT64_MAX /* all keys of the inputs */};
	struct bc_error err = {0};
	struct merge merge;

	merge_init(&merge, &options, args->list.inputs.at, args->list.inputs.len);
	bool ok = merge_once(args, &merge, &err) ||
		  (merge_forget_threads(&merge, &err) && merge_once(args, &merge, &err));
	merge_free(&merge);
	if (!ok)
		say_failure(stderr, &err);
	return ok ? EXIT_DONE : EXIT_FAILED;
}

/* ---- the command line ---- */

static const char *read_print(struct command_line *line, const struct option_row *row,
			      const char *value)
{
	return merge_print_parse(value, option_field(line, row)) ? NULL : OPTION_WRONG;
}

static const char *read_version(struct command_line *line, const struct option_row *row,
				const char *value)
{
	line->help = true;
	return option_flag(line, row, value);
}

static const struct option_row rows[] = {
	{'o', NULL, "file", FILE_WRITTEN, "write to this file (default: stdout)", INTO(output)},
	{'q', NULL, NULL, NO_FILE, "of YAML: print no merged profile", INTO(quiet)},
	{0, "print", "what:exec,branches,none", NO_FILE,
	 "of YAML: print functions and their counts to stderr, by exec or branches; or none",
	 INTO_BY(print, read_print)},
	{0, "help", NULL, NO_FILE, "show these options", .read = option_help},
	{'h', NULL, NULL, NO_FILE, NULL, .read = option_help},
	{0, "help-hidden", NULL, NO_FILE, "the same", .read = option_help},
	{0, "help-list", NULL, NO_FILE, "the same", .read = option_help},
	{0, "help-list-hidden", NULL, NO_FILE, "the same", .read = option_help},
	{0, "print-options", NULL, NO_FILE, "ignored: no options are printed",
	 .read = option_nothing},
	{0, "print-all-options", NULL, NO_FILE, "ignored: no options are printed",
	 .read = option_nothing},
	{0, "version", NULL, NO_FILE, "print the version", INTO_BY(version, read_version)},
};

/* Lists the inputs, and keeps them apart from the output. */
static bool list_inputs(struct command_line *line, struct bc_error *err)
{
	struct arguments *args = line->arguments;
	bool ok = true;

	for (size_t i = 0; ok && i < line->operands.len; i++)
		ok = merge_list_add_below(&args->list, line->operands.at[i], err);
	for (size_t i = 0; ok && i < args->list.inputs.len; i++)
		ok = files_add(&line->files, OPERAND, FILE_READ, args->list.inputs.at[i].path) ||
		     bc_fail_nomem(err);
	return ok;
}

static int check(struct command_line *line)
{
	struct arguments *args = line->arguments;
	struct bc_error err;

	if (!args->list.inputs.len)
		return usage_error(line->command, "no input given", NULL);
	args->tmpdir = merge_tmpdir(args->output, false);
	if (args->tmpdir)
		return EXIT_DONE;
	bc_fail_nomem(&err);
	return files_refuse(line->command, &err);
}

static void finish(void *arguments)
{
	struct arguments *args = arguments;

	merge_list_free(&args->list);
	free(args->tmpdir);
}

static void show_help(struct command_line *line, FILE *out)
{
	const struct arguments *args = line->arguments;

	if (args->version) {
		fprintf(out, "batconv " BATCONV_VERSION " (as merge-fdata)\n  LLVM version %s\n",
			llvm_release_called(line->called)->version);
		return;
	}
	fputs("USAGE: merge-fdata [OPTION]... FILE...\n\n"
	      "add profiles up, as 'batconv merge' does; this is batconv under merge-fdata's name\n\n"
	      "FILE is a profile, several with commas, or a directory: every file below it.\n\n"
	      "options:\n",
	      out);
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		if (!rows[i].help)
			continue;
		struct text arg = option_argument(&rows[i]);
		char left[32];
		if (rows[i].name)
			snprintf(left, sizeof(left), "--%s", rows[i].name);
		else
			snprintf(left, sizeof(left), "-%c", rows[i].letter);
		if (rows[i].arg)
			snprintf(left + strlen(left), sizeof(left) - strlen(left), "%s<%.*s>",
				 rows[i].name ? "=" : " ", (int)arg.len, arg.at);
		fprintf(out, "  %-19s %s\n", left, rows[i].help);
	}
}

const struct command *merge_fdata_command(void)
{
	static const struct llvm_program llvm = {
		.unsupported = "unsupported merge-fdata option",
		.page = "docs/merge.md",
		.words = {"merge-fdata: ", "merge-fdata: ", "WARNING: ", "merge-fdata: ",
			  "merge-fdata: "}};
	static const struct command command = {
		.name = "merge-fdata",
		.args = "[OPTION]... FILE...",
		.help = "",
		COMMAND_OPTIONS(rows),
		.operands = FILE_READ,
		.size = sizeof(struct arguments),
		.add_files = list_inputs,
		.check = check,
		.run = run_merge_fdata,
		.finish = finish,
		.show_help = show_help,
		.llvm = &llvm,
	};

	return &command;
}
