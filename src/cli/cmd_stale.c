/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "src/base/json.h"
#include "src/base/output.h"
#include "src/base/counts.h"
#include "src/cli/options.h"
#include "src/cli/operands.h"
#include "src/figures/staleness.h"

struct arguments {
	const char *output, *hashes;
	bool json;
	struct percent min;
};

static const struct option_row rows[] = {
	{0, "hashes", "FILE", FILE_READ,
	 "llvm-bolt's hashes of BINARY, which has none of its own: the\noutput of 'extract --hashes', or what llvm-bolt -enable-bat\nwrote of it",
	 INTO(hashes)},
	{0, "min-exact", "PERCENT", NO_FILE,
	 "exit code 3 if less than PERCENT of the samples are in exact\nfunctions", INTO(min),
	 .takes = "a number from 0 to 100"},
	JSON_ROW("as JSON"),
	OUTPUT_ROW,
	SANDBOX_ROW,
	COMMON_ROWS,
};

static int take_build(const struct arguments *args, const struct old_profile *profile,
		      const char *path, struct staleness *out)
{
	BC_AUTO(new_build_close) struct new_build build = {0};
	struct bc_error err = {0};

	return new_build_open(path, args->hashes, &build, &err) &&
			       staleness_take(profile, &build, out, &err) ?
		       EXIT_DONE :
		       fail(&err);
}

static int write_report(const struct arguments *args, struct stale_report *report)
{
	struct output output;
	struct bc_error err;

	stale_judge(report);
	if (!output_open(args->output, &output, &err))
		return fail(&err);
	(args->json ? stale_json : stale_text)(report, output.file);
	if (!output_commit(&output, &err))
		return fail(&err);
	stale_tell_min(report, stderr);
	return report->failed ? EXIT_CHECK_FAILED : EXIT_DONE;
}

static int compare_all(const struct arguments *args, const struct words *paths,
		       const struct old_profile *profile)
{
	struct staleness *builds = calloc(paths->len, sizeof(*builds));
	struct stale_report report = {.profile = paths->at[0],
				      .builds = builds,
				      .count = paths->len - 1,
				      .has_min = args->min.given,
				      .min = args->min.is};
	struct bc_error err;
	int code = builds ? EXIT_DONE : (bc_fail_nomem(&err), fail(&err));

	for (size_t i = 1; code == EXIT_DONE && i < paths->len; i++)
		code = take_build(args, profile, paths->at[i], &builds[i - 1]);
	if (code == EXIT_DONE)
		code = write_report(args, &report);
	for (size_t i = 0; builds && i < report.count; i++)
		staleness_free(&builds[i]);
	free(builds);
	return code;
}

static int run_stale(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	BC_AUTO(old_profile_free) struct old_profile profile = {0};
	struct bc_error err = {0};

	operands_profile_first(line);
	return old_profile_read(line->operands.at[0], &profile, &err) ?
		       compare_all(args, &line->operands, &profile) :
		       fail(&err);
}

static int check(struct command_line *line)
{
	const struct arguments *args = line->arguments;

	if (args->hashes && line->operands.len > 2)
		return usage_error(line->command,
				   "--hashes is of one binary, and there is another one,",
				   line->operands.at[2]);
	return EXIT_DONE;
}

const struct command stale_command = {
	.name = "stale",
	.args = "[OPTION]... PROFILE BINARY...",
	.help = "say how much of a profile fits a new build\n\n"
		"PROFILE is of an earlier build: BOLT's YAML, or fdata; '-' is stdin.  BINARY is the\n"
		"new build, with its hashes (--hashes), or alone, which shows less; or what\n"
		"llvm-bolt -enable-bat wrote of it.  Functions are exact, stale or missing; of stale\n"
		"ones it says how many blocks llvm-bolt -infer-stale-profile finds again.  From a file\n"
		"with profiles of several programs, each BINARY gets its own.\n"
		"Exit code 3: less is exact than --min-exact asks for, or FILE has hashes of another\nbinary.",
	.examples =
		"batconv stale last.yaml prog.bolt                        # the new build, BOLTed\n"
		"batconv stale last.yaml prog --hashes=prog.hashes        # ... and before that\n"
		"batconv stale --min-exact=90 last.yaml prog.bolt         # a gate for CI: exit code 3",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_PROFILE, PLACE_IMAGE},
	.count = {2, 0, "a profile and a binary are needed", NULL},
	.size = sizeof(struct arguments),
	.check = check,
	.run = run_stale,
};
