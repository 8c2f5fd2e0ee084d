/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdlib.h>

#include "src/base/output.h"
#include "src/cli/commands.h"
#include "src/cli/overlap_print.h"
#include "src/cli/print.h"
#include "src/cli/say.h"

struct arguments {
	const char *output, *bin;
	bool json, has_min;
	double min;
};

static const char *read_min(struct command_line *line, const struct option_row *row, const char *value)
{
	struct arguments *args = line->arguments;
	char *end;

	(void)row;
	args->has_min = true;
	args->min = strtod(value, &end);
	return *value >= '0' && *value <= '9' && !*end && args->min <= 100 ? NULL : OPTION_WRONG;
}

static const struct option_row rows[] = {
	{0, "bin", "BIN", FILE_READ, "the binary that ran: samples are converted for it first", INTO(bin)},
	{0, "min", "PERCENT", NO_FILE, "exit code 3 if a share is below PERCENT", INTO_BY(min, read_min), .takes = "a number from 0 to 100"},
	{0, "json", NULL, NO_FILE, "as JSON", INTO(json)},
	{'o', "output", "FILE", FILE_WRITTEN, "write to FILE (default: stdout)", INTO(output)},
	SANDBOX_ROW,
	HELP_ROW,
};

static void tell_min(const struct overlap_report *report)
{
	for (int i = 0; report->has_min && i < OVERLAP_KIND_COUNT; i++) {
		const struct overlap_share *share = &report->overlap->shares[i];
		if (share->known && share->percent < report->min)
			say(stderr, "overlap of %s is %.4f %%, and --min=%g was asked for", overlap_key((enum overlap_kind)i),
			    share->percent, report->min);
	}
}

static int compare(const struct arguments *args, const char *const *paths, const struct flat_profile profiles[2], bool partial)
{
	BC_AUTO(overlap_free) struct overlap overlap = {0};
	struct overlap_report report = {&overlap, {paths[0], paths[1]}, args->has_min, args->min, false};
	struct output output;
	struct bc_error err;

	if (!overlap_take(&profiles[0], &profiles[1], NULL, &overlap, &err) || !output_open(args->output, &output, &err))
		return fail(&err);
	for (int i = 0; i < OVERLAP_KIND_COUNT; i++)
		report.wanting |= args->has_min && overlap.shares[i].known && overlap.shares[i].percent < args->min;
	(args->json ? overlap_json : overlap_text)(&report, output.file);
	if (!output_commit(&output, &err))
		return fail(&err);
	tell_min(&report);
	return report.wanting ? EXIT_WANTING : partial ? EXIT_PARTIAL : EXIT_DONE;
}

static int run_overlap(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	const char *const *paths = line->operands.at;
	struct flat_profile profiles[2] = {0};
	struct bc_error err = {0};
	bool partial = false;

	bool ok = profile_input_read(paths[0], args->bin, &profiles[0], &partial, &err) &&
		  profile_input_read(paths[1], args->bin, &profiles[1], &partial, &err);
	int code = ok ? compare(args, paths, profiles, partial) : fail(&err);
	for (int i = 0; i < 2; i++)
		flat_free(&profiles[i]);
	return code;
}

const struct command overlap_command = {
	.name = "overlap", .args = "[OPTION]... A B",
	.help = "say how much two profiles have in common\n\n"
	"A and B are profiles (fdata or BOLT's YAML; '-' is stdin), or with --bin samples.\n"
	"For functions, blocks and calls: the sum of the smaller of both shares; then the\n"
	"functions whose shares grew and shrank most.\n"
	"Exit code 3: a share is below --min, or samples are of another build.",
	COMMAND_OPTIONS(rows), .operands = FILE_READ, .count = {2, 2, "two profiles are needed", "two profiles are enough, not also"},
	.size = sizeof(struct arguments), .run = run_overlap,
};
