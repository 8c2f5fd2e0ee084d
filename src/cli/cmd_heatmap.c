/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/output.h"
#include "src/cli/commands.h"
#include "src/cli/operands.h"
#include "src/cli/print.h"
#include "src/cli/progress.h"
#include "src/cli/sandbox_option.h"
#include "src/cli/warnings.h"
#include "src/quality/heat_write.h"

enum { OPT_BLOCK = 256, OPT_LINE, OPT_MIN, OPT_MAX, OPT_MAPPINGS, OPT_INPUT_FORMAT, OPT_BASIC, OPT_IMAGE };

#define SIZES_MOST 16
#define LINE_MOST 65536

static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN, "write the picture to FILE; beside it FILE-SIZE of larger buckets,\n"
	 "FILE.csv and FILE-section-hotness.csv"},
	{OPT_BLOCK, "block-size", "SIZE,...", NO_FILE, "sizes of buckets, each a multiple of the one before\n(default: 64,4K,256K)"},
	{OPT_LINE, "line-size", "N", NO_FILE, "buckets of a line (default: 256)"},
	{OPT_MIN, "min-address", "N", NO_FILE, "leave out what begins below (default: 0)"},
	{OPT_MAX, "max-address", "N", NO_FILE, "... above (default: 0xffffffff)"},
	{OPT_MAPPINGS, "print-mappings", NULL, NO_FILE, "sections in the legend"},
	{OPT_INPUT_FORMAT, "input-format", "FORMAT", NO_FILE, "auto (default: by content), preagg, perf-script\nor perf-data"},
	{OPT_BASIC, "basic", NULL, NO_FILE, "use sampled addresses, not branch stacks"},
	{OPT_IMAGE, "image", "NAME", NO_FILE, "the binary's name in the recorded mappings, if it was\nrenamed since"},
	SANDBOX_ROW,
	{'h', "help", NULL, NO_FILE, "show this help"},
};

struct arguments {
	struct conversion_options conversion;
	const char *output;
	uint64_t sizes[SIZES_MOST];
	size_t size_count;
	uint64_t line, min, max;
	bool mappings, help;
};

/* 64, 4K, 4KB, 4KiB, 2M, 1G */
static bool parse_size(struct text word, uint64_t *out)
{
	static const char units[] = "kKmMgG";
	size_t digits = 0;
	uint64_t size;

	while (digits < word.len && word.at[digits] >= '0' && word.at[digits] <= '9')
		digits++;
	if (!text_dec(text_first(word, digits), &size))
		return false;
	struct text unit = text_from(word, digits);
	const char *found = unit.len ? strchr(units, unit.at[0]) : NULL;
	unsigned shift = found && *found ? 10 * (unsigned)((found - units) / 2 + 1) : 0;
	struct text rest = text_from(unit, 1);
	if ((unit.len && !shift) || (rest.len && !text_is(rest, "B") && !text_is(rest, "iB")) || size > UINT32_MAX >> shift)
		return false;
	*out = size << shift;
	return *out;
}

static bool parse_sizes(const char *value, struct arguments *args)
{
	args->size_count = 0;
	for (struct text rest = text_of(value);;) {
		size_t comma = text_find(rest, ',');
		uint64_t before = args->size_count ? args->sizes[args->size_count - 1] : 0, size;
		if (args->size_count == SIZES_MOST || !parse_size(text_first(rest, comma), &size) ||
		    (before && (size <= before || size % before)))
			return false;
		args->sizes[args->size_count++] = size;
		if (comma == rest.len)
			return true;
		rest = text_from(rest, comma + 1);
	}
}

static bool parse_address(const char *value, uint64_t *out)
{
	return !strncmp(value, "0x", 2) ? text_hex(text_of(value), out) : text_dec(text_of(value), out);
}

static const char *apply_option(void *arguments, int id, const char *value)
{
	struct arguments *args = arguments;

	switch (id) {
	case 'o': args->output = value; break;
	case 'h': args->help = true; break;
	case OPT_BLOCK:
		return parse_sizes(value, args) ? NULL : "--block-size takes sizes such as 64,4K,2M, each a multiple of the one before, not";
	case OPT_LINE:
		return text_dec(text_of(value), &args->line) && args->line && args->line <= LINE_MOST
			       ? NULL : "--line-size takes a number from 1 to 65536, not";
	case OPT_MIN: return parse_address(value, &args->min) ? NULL : "--min-address takes an address, not";
	case OPT_MAX: return parse_address(value, &args->max) ? NULL : "--max-address takes an address, not";
	case OPT_MAPPINGS: args->mappings = true; break;
	case OPT_INPUT_FORMAT:
		return input_format_parse(text_of(value), &args->conversion.format)
			       ? NULL : "--input-format takes auto, preagg, perf-script or perf-data, not";
	case OPT_BASIC: args->conversion.aggregate.mode = MODE_BASIC; break;
	case OPT_IMAGE: args->conversion.image_name = value; break;
	}
	return NULL;
}

/* ---- the files ---- */

enum { FILE_BUCKETS = SIZES_MOST, FILE_SECTIONS, FILE_COUNT };

struct map_names {
	char at[FILE_COUNT][PATH_MAX];
};

static bool make_names(const struct arguments *args, struct map_names *names)
{
	bool fits = strlen(args->output) < PATH_MAX - 32;

	memset(names, 0, sizeof(*names));
	for (size_t i = 0; fits && i < args->size_count; i++)
		snprintf(names->at[i], PATH_MAX, i ? "%s-%" PRIu64 : "%s", args->output, args->sizes[i]);
	if (fits) {
		snprintf(names->at[FILE_BUCKETS], PATH_MAX, "%s.csv", args->output);
		snprintf(names->at[FILE_SECTIONS], PATH_MAX, "%s-section-hotness.csv", args->output);
	}
	return fits;
}

/* Checks that no output replaces an input.  files_check() could not, as the names of the files
 * beside that of -o were not known then. */
static bool files_may_be(const struct arguments *args, const struct map_names *names, struct bc_error *err)
{
	BC_AUTO(named_files_free) struct named_files files = {0};
	bool ok = files_add(&files, OPERAND, FILE_READ, args->conversion.binary);

	for (size_t i = 0; ok && i < args->conversion.sample_count; i++)
		ok = files_add(&files, OPERAND, FILE_READ, args->conversion.samples[i]);
	for (size_t i = 0; ok && i < FILE_COUNT; i++)
		ok = !*names->at[i] || files_add_another(&files, "-o", names->at[i]);
	return ok ? files_are_apart(&files, err) : bc_fail_nomem(err);
}

static bool fill_files(const struct arguments *args, const struct heat *heat, const struct function_table *functions,
		       struct output *files, struct bc_error *err)
{
	BC_AUTO(heat_sections_free) struct heat_sections sections = {0};
	BC_AUTO(heat_run_vec_free) struct heat_run_vec hottest = {0};
	const struct heat_picture how = {&sections, (unsigned)args->line, args->mappings, args->max > HEAT_MAX};

	if (!heat_sections_take(heat, functions, &sections) || !heat_hottest(heat, &hottest))
		return bc_fail_nomem(err);
	heat_write_picture(heat, &how, files[0].file);
	heat_write_buckets(heat, &hottest, files[FILE_BUCKETS].file);
	heat_write_sections(heat, &sections, files[FILE_SECTIONS].file);
	for (size_t i = 1; i < args->size_count; i++) {
		BC_AUTO(heat_free) struct heat larger = {0};
		if (!heat_zoom(heat, args->sizes[i], &larger))
			return bc_fail_nomem(err);
		heat_write_picture(&larger, &how, files[i].file);
	}
	return true;
}

static bool write_files(const struct arguments *args, const struct map_names *names, const struct heat *heat,
			const struct function_table *functions, struct bc_error *err)
{
	struct output files[FILE_COUNT] = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < FILE_COUNT; i++)
		ok = !*names->at[i] || output_open(names->at[i], &files[i], err);
	ok = ok && fill_files(args, heat, functions, files, err);
	if (ok)
		return output_commit_all(files, FILE_COUNT, err);
	for (size_t i = 0; i < FILE_COUNT; i++)
		output_discard(&files[i]);
	return false;
}

/* ---- all of it ---- */

static bool measure(const struct arguments *args, struct conversion *c, struct heat *heat, struct bc_error *err)
{
	const struct conversion_options *options = &args->conversion;
	struct heat_options how = {args->sizes[0], args->min, args->max, 0, false};

	if (!conversion_begin(options, c, err) || !conversion_read(options, c, err) || !conversion_settle(options, c, err))
		return false;
	how.threads = c->threads;
	how.zero_counts = true;
	for (size_t i = 0; i < c->inputs.len; i++)
		how.zero_counts &= c->inputs.at[i].format == INPUT_PREAGG;
	if (!heat_take(&c->aggregate, c->basic, &how, heat, err))
		return false;
	return heat->buckets || bc_fail(err, BC_MISMATCH, "%s: none of the samples can be used", options->binary);
}

static int run(struct arguments *args, const struct map_names *names)
{
	BC_AUTO(conversion_free) struct conversion conversion = {0};
	BC_AUTO(heat_free) struct heat heat = {0};
	struct progress progress;
	struct bc_error err = {0};

	progress_init(&progress, PROGRESS_AUTO);
	progress_expect(&progress, args->conversion.samples, args->conversion.sample_count);
	args->conversion.progress = (struct input_progress){progress_show, &progress};
	bool ok = measure(args, &conversion, &heat, &err);
	progress_clear(&progress);
	if (!ok) {
		operands_explain(&args->conversion, &err);
		return err.code == BC_MISMATCH ? (fail(&err), EXIT_WANTING) : fail(&err);
	}
	if (!write_files(args, names, &heat, &conversion.binary.functions, &err))
		return fail(&err);
	for (size_t i = 0; i < conversion.inputs.len; i++)
		(void)tell_loss(input_name(args->conversion.samples[i]), &conversion.inputs.at[i]);
	return conversion.partial ? EXIT_PARTIAL : EXIT_DONE;
}

static int run_heatmap(const struct command *command, int argc, char **argv)
{
	struct arguments args = {.sizes = {64, 4096, 262144}, .size_count = 3, .line = 256, .max = HEAT_MAX};
	struct map_names *names;
	struct bc_error err;

	args.conversion.aggregate.erratum = args.conversion.aggregate.ends = true;
	int code = options_apply(command, argc, argv, apply_option, &args);
	if (code != EXIT_DONE)
		return code;
	if (args.help) {
		command_help(command, stdout);
		return EXIT_DONE;
	}
	if (argc - optind < 2)
		return usage_error(command, argc == optind ? "no binary given" : "no samples given for", argc == optind ? NULL : argv[optind]);
	if (!args.output || output_is_stdout(args.output))
		return usage_error(command, "a file must be given, beside which others are written: -o FILE", NULL);
	args.conversion.binary = argv[optind];
	args.conversion.samples = (const char *const *)&argv[optind + 1];
	args.conversion.sample_count = (size_t)(argc - optind - 1);
	names = malloc(sizeof(*names));
	if (!names || !make_names(&args, names))
		code = (fprintf(stderr, "batconv: %s\n", names ? "-o: too long a path" : "out of memory"), EXIT_FAILED);
	else
		code = files_may_be(&args, names, &err) ? run(&args, names) : files_refuse(command, &err);
	free(names);
	return code;
}

const struct command heatmap_command = {
	"heatmap", "[OPTION]... -o FILE OPTIMIZED SAMPLES...",
	"show where code ran, by address, as llvm-bolt-heatmap does\n\n"
	"A picture in text (for a terminal with colors), which buckets hold how much, and how\n"
	"each section was used.  SAMPLES are what convert takes; '-' is stdin.",
	rows, BC_COUNT(rows), FILE_READ, run_heatmap,
};
