/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/heat_output.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "src/base/say.h"
#include "src/figures/heat.h"

void heat_output_init(struct heat_output *output)
{
	*output = (struct heat_output){
		.sizes = {64, 4096, 262144}, .size_count = 3, .line = 256, .max = HEAT_MAX};
}

/* ---- options ---- */

/* Reads a size: 64, 4K, 4kb, 4Ki, 4KiB, 2M, 1G. */
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
	struct text rest = text_from(unit, shift ? 1 : 0);
	rest = text_from(rest, text_starts(rest, "i") ? 1 : 0);
	if ((unit.len && !shift) || (rest.len && !text_is(rest, "B") && !text_is(rest, "b")) ||
	    size > UINT32_MAX >> shift)
		return false;
	*out = size << shift;
	return *out;
}

bool heat_parse_sizes(const char *value, struct heat_output *output)
{
	output->size_count = 0;
	for (struct text rest = text_of(value);;) {
		size_t comma = text_find(rest, ',');
		uint64_t before = output->size_count ? output->sizes[output->size_count - 1] : 0,
			 size;
		if (output->size_count == HEAT_SIZES ||
		    !parse_size(text_first(rest, comma), &size) ||
		    (before && (size <= before || size % before)))
			return false;
		output->sizes[output->size_count++] = size;
		if (comma == rest.len)
			return true;
		rest = text_from(rest, comma + 1);
	}
}

const char *option_heat_sizes(struct command_line *line, const struct option_row *row,
			      const char *value)
{
	return heat_parse_sizes(value, option_field(line, row)) ? NULL : OPTION_WRONG;
}

const char *option_heat_address(struct command_line *line, const struct option_row *row,
				const char *value)
{
	uint64_t *out = option_field(line, row);
	bool ok = !strncmp(value, "0x", 2) ? text_hex(text_of(value), out) :
					     text_dec(text_of(value), out);

	return ok ? NULL : OPTION_WRONG;
}

/* ---- files ---- */

/* Makes the name of the file of a number.  Returns false if no file has that number. */
static bool file_name(const struct heat_output *output, size_t number, char name[PATH_MAX])
{
	if (number == 0)
		snprintf(name, PATH_MAX, "%s", output->path);
	else if (number < output->size_count)
		snprintf(name, PATH_MAX, "%s-%" PRIu64, output->path, output->sizes[number]);
	else if (number == HEAT_FILE_BUCKETS)
		snprintf(name, PATH_MAX, "%s.csv", output->path);
	else if (number == HEAT_FILE_SECTIONS)
		snprintf(name, PATH_MAX, "%s-section-hotness.csv", output->path);
	else
		return false;
	return number == 0 || !output_is_stdout(output->path);
}

bool heat_output_name_others(const struct heat_output *output, const char *option,
			     struct named_files *files, struct bc_error *err)
{
	char name[PATH_MAX];

	if (strlen(output->path) >= PATH_MAX - 32)
		return bc_fail(err, BC_IO, "%s: too long a path", option);
	for (size_t i = 1; i < HEAT_FILES; i++)
		if (file_name(output, i, name) && !files_add_another(files, option, name))
			return bc_fail_nomem(err);
	return true;
}

bool heat_output_open(const struct heat_output *output, struct output files[HEAT_FILES],
		      struct bc_error *err)
{
	char name[PATH_MAX];

	for (size_t i = 0; i < HEAT_FILES; i++)
		if (file_name(output, i, name) && !output_open(name, &files[i], err))
			return false;
	return true;
}

/* ---- limits ---- */

static bool fail_large(const struct heat_output *output, size_t number, const char *what,
		       uint64_t count, uint64_t most, struct bc_error *err)
{
	char name[PATH_MAX];

	if (!file_name(output, number, name) || output_is_stdout(name))
		snprintf(name, sizeof(name), "<stdout>");
	return bc_fail(err, BC_UNSUPPORTED,
		       "%s: %" PRIu64 " %s of a heat map are more than the limit of %" PRIu64, name,
		       count, what, most) ||
	       bc_hint(err,
		       "give larger buckets (--block-size), shorter lines (--line-size) or fewer addresses (--min-address, --max-address)");
}

/* Is it small enough to be written?  Each bucket is a line of a table, and each cell a letter with
 * its color. */
static bool check_size(const struct heat_output *output, const struct heat *heat,
		       struct bc_error *err)
{
	uint64_t cells = 0;

	if (heat->buckets > HEAT_BUCKETS_MOST)
		return fail_large(output, 0, "buckets", heat->buckets, HEAT_BUCKETS_MOST, err);
	for (size_t i = 0; i < output->size_count; i++) {
		BC_AUTO(heat_free) struct heat larger = {0};
		if (i && !heat_zoom(heat, output->sizes[i], &larger))
			return bc_fail_nomem(err);
		cells += heat_picture_cells(i ? &larger : heat, (unsigned)output->line);
		if (cells > HEAT_CELLS_MOST)
			return fail_large(output, i, "cells", cells, HEAT_CELLS_MOST, err);
	}
	return true;
}

bool heat_output_fill(const struct heat_output *output, const struct heat *heat,
		      const struct function_table *functions, struct output files[HEAT_FILES],
		      struct bc_error *err)
{
	BC_AUTO(heat_sections_free) struct heat_sections sections = {0};
	BC_AUTO(heat_run_vec_free) struct heat_run_vec hottest = {0};
	const struct heat_picture how = {&sections, (unsigned)output->line, output->mappings,
					 output->max > HEAT_MAX};
	FILE *first = files[0].file, *buckets = files[HEAT_FILE_BUCKETS].file,
	     *hotness = files[HEAT_FILE_SECTIONS].file;

	if (!check_size(output, heat, err))
		return false;
	if (!heat_sections_take(heat, functions, &sections) || !heat_hottest(heat, &hottest))
		return bc_fail_nomem(err);
	heat_write_picture(heat, &how, first);
	heat_write_buckets(heat, &hottest, buckets ? buckets : first);
	heat_write_sections(heat, &sections, hotness ? hotness : first);
	for (size_t i = 1; i < output->size_count; i++) {
		BC_AUTO(heat_free) struct heat larger = {0};
		if (!heat_zoom(heat, output->sizes[i], &larger))
			return bc_fail_nomem(err);
		heat_write_picture(&larger, &how, files[i].file ? files[i].file : first);
	}
	return true;
}

bool heat_output_take(const struct heat_output *output, const struct conversion *c,
		      struct heat *heat, struct bc_error *err)
{
	struct heat_options how = {output->sizes[0], &conversion_binary(c)->image, output->min,
				   output->max, true};

	for (size_t i = 0; i < c->inputs.len; i++)
		how.zero_counts &= c->inputs.at[i].format == INPUT_PREAGG;
	return heat_take(&c->aggregate, c->basic, &how, heat, err);
}

void heat_output_tell(const char *binary, const struct heat *heat, FILE *out)
{
	if (heat->elsewhere)
		say_warning(out,
			    "what was counted %" PRIu64
			    " time%s is not in the heat map: it begins where %s has no segment",
			    heat->elsewhere, plural(heat->elsewhere), binary);
}
