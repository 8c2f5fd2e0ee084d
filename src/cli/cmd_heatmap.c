/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>

#include "src/cli/commands.h"
#include "src/cli/file_conflicts.h"
#include "src/cli/heat_output.h"
#include "src/cli/kernel_summary.h"
#include "src/cli/operands.h"
#include "src/cli/perf2bolt.h"
#include "src/cli/print.h"
#include "src/cli/progress.h"
#include "src/cli/sample_options.h"
#include "src/cli/sandbox_option.h"
#include "src/cli/warnings.h"
#include "src/convert/kernel_check.h"

enum { OPT_BLOCK = 256, OPT_LINE, OPT_MIN, OPT_MAX, OPT_MAPPINGS };

static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN, "write the picture to FILE; also writes FILE-SIZE with\n"
	 "larger buckets, FILE.csv and FILE-section-hotness.csv"},
	{OPT_BLOCK, "block-size", "SIZE,...", NO_FILE, "sizes of buckets, each a multiple of the one before\n(default: 64,4K,256K)"},
	{OPT_LINE, "line-size", "N", NO_FILE, "buckets per line (default: 256)"},
	{OPT_MIN, "min-address", "N", NO_FILE, "leave out code that begins below N (default: 0)"},
	{OPT_MAX, "max-address", "N", NO_FILE, "... above N (default: 0xffffffff;\nfor a kernel no limit)"},
	{OPT_MAPPINGS, "print-mappings", NULL, NO_FILE, "print sections in the legend"},
	SAMPLE_ROWS,
	SANDBOX_ROW,
	{'h', "help", NULL, NO_FILE, "show this help"},
};

struct arguments {
	struct conversion_options conversion;
	struct debug_dir_vec debug_dirs;
	struct heat_output output;
	bool help;
};

static const char *apply_option(void *arguments, int id, const char *value)
{
	struct arguments *args = arguments;

	switch (id) {
	case 'o': args->output.path = value; break;
	case 'h': args->help = true; break;
	case OPT_BLOCK:
		return heat_parse_sizes(value, &args->output) ? NULL : "--block-size takes sizes from 1 to less than 4G such as 64,4K,2M, each a multiple of the one before, not";
	case OPT_LINE:
		return heat_parse_line(value, &args->output) ? NULL : "--line-size takes a number from 1 to 65536, not";
	case OPT_MIN: return heat_parse_address(value, &args->output.min) ? NULL : "--min-address takes an address, not";
	case OPT_MAX: return heat_parse_address(value, &args->output.max) ? NULL : "--max-address takes an address, not";
	case OPT_MAPPINGS: args->output.mappings = true; break;
	default: return sample_option(&args->conversion, &args->debug_dirs, id, value);
	}
	return NULL;
}

/* Checks that no output replaces an input.  files_check() could not, as the names of the files
 * beside that of -o were not known then. */
static bool files_may_be(const struct arguments *args, struct bc_error *err)
{
	BC_AUTO(named_files_free) struct named_files files = {0};
	bool ok = files_add(&files, OPERAND, FILE_READ, args->conversion.binary) &&
		  files_add(&files, "-o", FILE_WRITTEN, args->output.path);

	for (size_t i = 0; ok && i < args->conversion.sample_count; i++)
		ok = files_add(&files, OPERAND, FILE_READ, args->conversion.samples[i]);
	return ok ? heat_output_name_others(&args->output, "-o", &files, err) && files_are_apart(&files, err) : bc_fail_nomem(err);
}

/* A kernel is above what llvm-bolt-heatmap looks at. */
static void widen(const struct image *image, struct heat_output *output)
{
	if (image_is_kernel(image) && output->max == HEAT_MAX)
		output->max = UINT64_MAX;
}

static bool measure(struct arguments *args, struct conversion *c, struct heat *heat, struct bc_error *err)
{
	if (!conversion_open(c, err) || !conversion_count(c, err) || !kernel_check(c, err))
		return false;
	widen(&conversion_binary(c)->image, &args->output);
	return heat_output_take(&args->output, c, heat, err) &&
	       (heat->buckets || bc_fail(err, BC_MISMATCH, "%s: none of the samples can be used", args->conversion.binary));
}

static bool write_files(const struct arguments *args, const struct heat *heat, const struct function_table *functions,
			struct bc_error *err)
{
	struct output files[HEAT_FILES] = {0};

	if (heat_output_open(&args->output, files, err) && heat_output_fill(&args->output, heat, functions, files, err))
		return output_commit_all(files, HEAT_FILES, err);
	for (size_t i = 0; i < HEAT_FILES; i++)
		output_discard(&files[i]);
	return false;
}

static int run(struct arguments *args)
{
	BC_AUTO(conversion_free) struct conversion conversion = {.options = args->conversion};
	BC_AUTO(heat_free) struct heat heat = {0};
	struct progress progress;
	struct bc_error err = {0};

	progress_init(&progress, PROGRESS_AUTO);
	progress_expect(&progress, args->conversion.samples, args->conversion.sample_count);
	conversion.options.progress = (struct input_progress){progress_show, &progress};
	bool ok = measure(args, &conversion, &heat, &err);
	progress_clear(&progress);
	heat_output_tell(args->conversion.binary, &heat, stderr);
	if (!ok) {
		operands_explain(&conversion, &err);
		return fail(&err);
	}
	if (!write_files(args, &heat, &conversion_binary(&conversion)->functions, &err))
		return fail(&err);
	for (size_t i = 0; i < conversion.inputs.len; i++) {
		(void)tell_loss(input_name(args->conversion.samples[i]), &conversion.inputs.at[i]);
		tell_kernel(&conversion, i);
	}
	return conversion.partial ? EXIT_PARTIAL : EXIT_DONE;
}

static int run_operands(const struct command *command, int argc, char **argv, struct arguments *args)
{
	struct bc_error err;
	int code = sample_operands(command, argc, argv, &args->conversion);

	if (code != EXIT_DONE)
		return code;
	if (!args->output.path || output_is_stdout(args->output.path))
		return usage_error(command, "-o FILE is needed: the other files of the map are written beside it", NULL);
	return files_may_be(args, &err) ? run(args) : files_refuse(command, &err);
}

static int run_heatmap(const struct command *command, int argc, char **argv)
{
	struct arguments args = {0};

	heat_output_init(&args.output);
	args.conversion.aggregate.erratum = args.conversion.aggregate.ends = true;
	int code = options_apply(command, argc, argv, apply_option, &args);
	if (code == EXIT_DONE && args.help)
		command_help(command, stdout);
	else if (code == EXIT_DONE)
		code = run_operands(command, argc, argv, &args);
	debug_dir_vec_free(&args.debug_dirs);
	return code;
}

const struct command heatmap_command = {
	"heatmap", "[OPTION]... -o FILE OPTIMIZED SAMPLES...",
	"show where code ran, by address, as llvm-bolt-heatmap does\n\n"
	"Writes a text picture (for a terminal with colors), the share of the hottest buckets,\n"
	"and the use of each section.  SAMPLES are as for convert; '-' is stdin.",
	rows, BC_COUNT(rows), FILE_READ, run_heatmap, perf2bolt_heatmap_command,
};
