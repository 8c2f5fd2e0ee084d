/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "src/cli/options.h"
#include "src/cli/heat_output.h"
#include "src/figures/summary.h"
#include "src/cli/operands.h"
#include "src/cli/perf2bolt.h"
#include "src/cli/progress.h"
#include "src/cli/sample_options.h"
#include "src/flow/conversion.h"

struct arguments {
	struct conversion_options conversion;
	struct words debug_dirs;
	struct heat_output output;
};

static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN,
	 "write the heat map to FILE; also writes FILE-SIZE with\n"
	 "larger buckets, FILE.csv and FILE-section-hotness.csv",
	 INTO(output.path)},
	{0, "block-size", "SIZE,...", NO_FILE,
	 "sizes of buckets, each a multiple of the one before\n(default: 64,4K,256K)",
	 INTO_BY(output, option_heat_sizes), .takes = HEAT_SIZES_TAKE},
	{0, "line-size", "N", NO_FILE, "buckets per line (default: 256)", INTO(output.line),
	 .takes = "a number from 1 to 65536", .least = 1, .most = HEAT_LINE_MOST},
	{0, "min-address", "N", NO_FILE, "leave out code that begins below N (default: 0)",
	 INTO_BY(output.min, option_heat_address), .takes = "an address"},
	{0, "max-address", "N", NO_FILE,
	 "... above N (default: 0xffffffff;\nfor a kernel no limit)",
	 INTO_BY(output.max, option_heat_address), .takes = "an address"},
	{0, "print-mappings", NULL, NO_FILE, "print sections in the legend", INTO(output.mappings)},
	SAMPLE_ROWS,
	SANDBOX_ROW,
	COMMON_ROWS,
};

static bool add_files(struct command_line *line, struct bc_error *err)
{
	const struct arguments *args = line->arguments;

	return !args->output.path || output_is_stdout(args->output.path) ||
	       heat_output_name_others(&args->output, "-o", &line->files, err);
}

/* A kernel is above what llvm-bolt-heatmap looks at. */
static void widen(const struct image *image, struct heat_output *output)
{
	if (image_is_kernel(image) && output->max == HEAT_MAX)
		output->max = UINT64_MAX;
}

static bool measure(struct arguments *args, struct conversion *c, struct heat *heat,
		    struct bc_error *err)
{
	if (!conversion_open(c, err) || !conversion_count(c, err) || !kernel_check(c, err))
		return false;
	widen(&conversion_binary(c)->image, &args->output);
	return heat_output_take(&args->output, c, heat, err) &&
	       (heat->buckets || bc_fail(err, BC_MISMATCH, "%s: none of the samples can be used",
					 args->conversion.binary));
}

static bool write_files(const struct arguments *args, const struct heat *heat,
			const struct function_table *functions, struct bc_error *err)
{
	struct output files[HEAT_FILES] = {0};

	bool ok = heat_output_open(&args->output, files, err) &&
		  heat_output_fill(&args->output, heat, functions, files, err);
	return output_end_all(files, HEAT_FILES, ok, err);
}

static int run(struct command_line *line)
{
	struct arguments *args = line->arguments;
	BC_AUTO(conversion_free) struct conversion conversion = {.options = args->conversion};
	BC_AUTO(heat_free) struct heat heat = {0};
	struct progress progress;
	struct bc_error err = {0};

	conversion.options.progress = progress_begin(
		&progress, PROGRESS_AUTO, args->conversion.samples, args->conversion.sample_count);
	bool ok = measure(args, &conversion, &heat, &err);
	progress_clear(&progress);
	heat_output_tell(args->conversion.binary, &heat, stderr);
	if (!ok) {
		operands_explain(&conversion, &err);
		return fail(&err);
	}
	if (!write_files(args, &heat, &conversion_binary(&conversion)->functions, &err))
		return fail(&err);
	tell_inputs(&conversion);
	return conversion.partial ? EXIT_PARTIAL : EXIT_DONE;
}

static void prepare(struct command_line *line)
{
	struct arguments *args = line->arguments;

	heat_output_init(&args->output);
	args->conversion.aggregate.erratum = args->conversion.aggregate.ends = true;
}

static int check(struct command_line *line)
{
	struct arguments *args = line->arguments;
	int code = sample_operands(line, &args->debug_dirs, &args->conversion);

	if (code != EXIT_DONE)
		return code;
	if (!args->output.path || output_is_stdout(args->output.path))
		return usage_error(
			line->command,
			"-o FILE is needed: the other files of the map are written next to it",
			NULL);
	return EXIT_DONE;
}

const struct command heatmap_command = {
	.name = "heatmap",
	.args = "[OPTION]... -o FILE OPTIMIZED SAMPLES...",
	.help = "show where code ran, by address, as llvm-bolt-heatmap does\n\n"
		"Writes a heat map as text (for a terminal with colors), the share of the hottest buckets,\n"
		"and the use of each section.  SAMPLES are as for convert; '-' is stdin.",
	.examples = "batconv heatmap prog.bolt perf.data -o heat\n"
		    "batconv heatmap --block-size=4K prog.bolt perf.data -o heat\n"
		    "batconv heatmap --min-address=0x400000 prog.bolt perf.data -o heat",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_BINARY, PLACE_SAMPLES},
	.advised_output = "prog.heat",
	.size = sizeof(struct arguments),
	.prepare = prepare,
	.add_files = add_files,
	.check = check,
	.run = run,
	.program = perf2bolt_heatmap_command,
};
