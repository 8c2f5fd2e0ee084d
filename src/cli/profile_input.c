/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/profile_input.h"

#include <string.h>

#include "src/cli/sample_options.h"
#include "src/cli/summary.h"

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
	return flat_take(&conversion.profile, out, err);
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
