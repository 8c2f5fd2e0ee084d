/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/measured.h"

#include <string.h>

#include "src/cli/operands.h"
#include "src/cli/progress.h"
#include "src/cli/sample_options.h"

bool measure_samples(struct conversion *conversion, struct quality_sources *sources, struct quality *out, struct bc_error *err)
{
	const struct quality_options how = {DENSITY_CUTOFF, DENSITY_ENOUGH};
	struct conversion_options *options = &conversion->options;
	struct progress progress;

	progress_init(&progress, PROGRESS_AUTO);
	progress_expect(&progress, options->samples, options->sample_count);
	options->progress = (struct input_progress){progress_show, &progress};
	options->force = true;
	options->wants = WANT_RECORDS | WANT_EXECUTED | WANT_GRAPHS | (options->from_compiler ? 0 : WANT_HALVES);
	bool ok = quality_of_samples(&how, conversion, sources, out, err);
	progress_clear(&progress);
	options->progress = (struct input_progress){0};
	if (!ok)
		operands_explain(conversion, err);
	return ok;
}

static bool convert_samples(const char *binary, const char *path, struct flat_profile *out, bool *partial, struct bc_error *err)
{
	BC_AUTO(conversion_free) struct conversion conversion = {
		.options = {.wants = WANT_RECORDS, .binary = binary, .samples = &path, .sample_count = 1}};
	struct summary summary = {.conversion = &conversion};

	sample_options_as_recorded(&conversion.options);
	if (!conversion_run(&conversion, err))
		return false;
	*partial |= conversion.partial;
	summary_warnings(&summary, stderr);
	bool ok = flat_take(&conversion.profile, out, err);
	out->numbered = false; /* the binary is closed now */
	return ok;
}

bool profile_input_read(const char *path, const char *binary, struct flat_profile *out, bool *partial, struct bc_error *err)
{
	bool mine;

	if (flat_read(path, out, &mine, err))
		return true;
	if (mine || err->code == BC_IO || err->code == BC_NOMEM || !strcmp(path, "-"))
		return false;
	flat_free(out);
	if (binary)
		return convert_samples(binary, path, out, partial, err);
	return bc_fail(err, BC_FORMAT, "%s: is neither fdata nor BOLT's YAML; samples are taken with --bin=OPTIMIZED", path);
}
