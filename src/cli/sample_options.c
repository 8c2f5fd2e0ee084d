/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/sample_options.h"

#include <stdlib.h>
#include <string.h>

#include "src/samples/open.h"
#include "src/base/attr.h"
#include "src/cli/operands.h"
#include "src/cli/progress.h"
#include "src/figures/summary.h"
#include "src/profile/shard_list.h"

void sample_options_as_recorded(struct conversion_options *options)
{
	options->aggregate.erratum = true;
	options->aggregate.rules = best_rules;
	options->aggregate.rules.infer = false;
}

int sample_operands(const struct command_line *line, const struct words *debug_dirs,
		    struct conversion_options *options)
{
	const struct words *operands = &line->operands;

	if (!operands->len)
		return usage_error(line->command, "no binary given", NULL);
	if (operands->len == 1)
		return usage_error(line->command, "no samples given for", operands->at[0]);
	options->binary = operands->at[0];
	options->samples = operands->at + 1;
	options->sample_count = operands->len - 1;
	options->debug = (struct debug_dirs){debug_dirs->at, debug_dirs->len};
	return EXIT_DONE;
}

int compiler_in_place_of_samples(const struct command_line *line, const char *binary,
				 const struct words *debug_dirs, struct conversion_options *options)
{
	char option[OPTION_NAME];

	if (!binary)
		return options->force_map ?
			       usage_error(line->command,
					   "--force-map is for --from-compiler=BINARY", NULL) :
			       EXIT_DONE;
	if (line->operands.len)
		return usage_error(line->command,
				   "--from-compiler makes the profile without samples: leave out",
				   line->operands.at[0]);
	for (size_t i = 0; i < line->options.len; i++) {
		const struct option_row *row = line->options.at[i].row;
		if (!row->of_samples)
			continue;
		option_name(line->command, row, option);
		return usage_error(line->command,
				   "--from-compiler makes the profile without samples: leave out",
				   option);
	}
	options->binary = binary;
	options->from_compiler = true;
	options->find_input = false;
	options->debug = (struct debug_dirs){debug_dirs->at, debug_dirs->len};
	return EXIT_DONE;
}

const char *option_pids(struct command_line *line, const struct option_row *row, const char *value)
{
	struct pid_vec *pids = option_field(line, row);

	for (struct text rest = text_of(value);;) {
		size_t comma = text_find(rest, ',');
		uint64_t pid;
		if (!text_dec(text_first(rest, comma), &pid) || pid >= NO_PID)
			return OPTION_WRONG;
		if (!pid_vec_push(pids, (uint32_t)pid))
			return OPTION_NOMEM;
		if (comma == rest.len)
			return NULL;
		rest = text_from(rest, comma + 1);
	}
}

/* ---- times ---- */

/* Cuts the unit off the end of a text.  Returns how many decimal digits of a number in this unit
 * make whole nanoseconds. */
static size_t take_unit(struct text *text)
{
	static const struct {
		const char *name;
		size_t digits;
	} units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};

	for (size_t i = 0; i < BC_COUNT(units); i++)
		if (text_ends(*text, units[i].name)) {
			*text = text_first(*text, text->len - strlen(units[i].name));
			return units[i].digits;
		}
	return 9;
}

bool time_parse(struct text text, uint64_t *ns)
{
	size_t digits = take_unit(&text), dot = text_find(text, '.');
	struct text fraction = text_from(text, dot + 1);
	uint64_t whole, part = 0, scale = 1;

	if (!text_dec(text_first(text, dot), &whole) || fraction.len > digits ||
	    (dot < text.len && !text_dec(fraction, &part)))
		return false;
	for (size_t i = 0; i < digits; i++) {
		scale *= 10;
		part *= i < digits - fraction.len ? 10 : 1;
	}
	if (whole > (UINT64_MAX - part) / scale)
		return false;
	*ns = whole * scale + part;
	return true;
}

const char *option_time(struct command_line *line, const struct option_row *row, const char *value)
{
	struct number *time = option_field(line, row);

	time->given = time_parse(text_of(value), &time->is);
	return time->given ? NULL : OPTION_WRONG;
}

const char *option_duration(struct command_line *line, const struct option_row *row,
			    const char *value)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}, {"d", 86400}};
	char *end;
	double number = *value >= '0' && *value <= '9' ? strtod(value, &end) : -1;

	for (size_t i = 0; number > 0 && i < BC_COUNT(units); i++) {
		double ns = number * units[i].seconds * 1e9;
		if (strcmp(end, units[i].unit) != 0 || ns < 1e6 || ns > 3.2e17)
			continue;
		*(uint64_t *)option_field(line, row) = (uint64_t)ns;
		return NULL;
	}
	return OPTION_WRONG;
}

/* ---- --maps ---- */

static bool read_next(struct map_file *file, struct carried *carried, struct snapshots *out,
		      struct bc_error *err)
{
	struct snapshots one = {0};

	if (!maps_open_next(file->path, UINT64_MAX, carried, &one, &file->report, err))
		return false;
	bool ok = snapshots_merge(out, &one, err);
	snapshots_free(&one);
	return ok;
}

bool maps_option_read(struct map_file_vec *files, struct snapshots *out, struct bc_error *err)
{
	BC_AUTO(carried_free) struct carried carried = {0};

	for (size_t i = 0; i < files->len; i++)
		if (!(i ? read_next(&files->at[i], &carried, out, err) :
			  maps_open_next(files->at[i].path, UINT64_MAX, &carried, out,
					 &files->at[i].report, err)))
			return false;
	return snapshots_index(out, err);
}

bool maps_option_partial(const struct map_file_vec *files)
{
	bool partial = false;

	for (size_t i = 0; i < files->len; i++)
		partial |= reader_report_is_partial(&files->at[i].report);
	return partial;
}

const char *option_maps(struct command_line *line, const struct option_row *row, const char *value)
{
	return map_file_vec_push(option_field(line, row), (struct map_file){.path = value}) ?
		       NULL :
		       OPTION_NOMEM;
}

/* ---- --no-input ---- */

bool input_is_sought(bool no_input)
{
	const char *variable = getenv("BATCONV_NO_INPUT");

	return !no_input && (!variable || !*variable);
}

/* ---- what quality, report and overlap measure ---- */

bool measure_samples(struct conversion *conversion, struct quality_sources *sources,
		     struct quality *out, struct bc_error *err)
{
	const struct quality_options how = {DENSITY_CUTOFF, DENSITY_ENOUGH};
	struct conversion_options *options = &conversion->options;
	struct progress progress;

	options->progress =
		progress_begin(&progress, PROGRESS_AUTO, options->samples, options->sample_count);
	options->force = true;
	options->wants = WANT_RECORDS | WANT_EXECUTED | WANT_GRAPHS |
			 (options->from_compiler ? 0 : WANT_HALVES);
	bool ok = quality_of_samples(&how, conversion, sources, out, err);
	progress_clear(&progress);
	options->progress = (struct input_progress){0};
	if (!ok)
		operands_explain(conversion, err);
	return ok;
}

static bool convert_samples(const char *binary, const char *path, bool infer,
			    struct flat_profile *out, bool *partial, struct bc_error *err)
{
	BC_AUTO(conversion_free)
	struct conversion conversion = {.options = {.wants = WANT_RECORDS,
						    .binary = binary,
						    .samples = &path,
						    .sample_count = 1}};
	struct summary summary = {.conversion = &conversion};

	sample_options_as_recorded(&conversion.options);
	conversion.options.aggregate.rules.infer = infer;
	if (!conversion_run(&conversion, err))
		return false;
	*partial |= conversion.partial;
	summary_warnings(&summary, stderr);
	bool ok = flat_take(&conversion.profile, out, err);
	out->numbered = false; /* the binary is closed now */
	return ok;
}

bool profile_input_read(const char *path, const char *binary, bool infer, struct flat_profile *out,
			bool *partial, struct bc_error *err)
{
	bool mine = false, is_folder = shard_list_is_folder(path);

	if (!is_folder && flat_read(path, out, &mine, err))
		return true;
	if (!is_folder &&
	    (mine || err->code == BC_IO || err->code == BC_NOMEM || !strcmp(path, "-")))
		return false;
	flat_free(out);
	if (binary)
		return convert_samples(binary, path, infer, out, partial, err);
	return bc_fail(err, BC_FORMAT, "%s: is neither fdata nor BOLT's YAML", path) ||
	       bc_hint(err, "for samples, name their binary: --bin=OPTIMIZED");
}
