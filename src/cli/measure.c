/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/measure.h"

#include "src/cli/operands.h"
#include "src/cli/progress.h"

bool measure_samples(struct conversion *conversion, struct quality_sources *sources, struct quality *out, struct bc_error *err)
{
	const struct quality_options how = {DENSITY_CUTOFF, DENSITY_ENOUGH};
	struct conversion_options *options = &conversion->options;
	struct progress progress;

	progress_init(&progress, PROGRESS_AUTO);
	progress_expect(&progress, options->samples, options->sample_count);
	options->progress = (struct input_progress){progress_show, &progress};
	options->force = true;
	options->wants = WANT_RECORDS | WANT_EXECUTED | WANT_GRAPHS;
	bool ok = quality_of_samples(&how, conversion, sources, out, err);
	progress_clear(&progress);
	options->progress = (struct input_progress){0};
	if (!ok)
		operands_explain(conversion, err);
	return ok;
}
