/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdlib.h>

#include "src/base/output.h"
#include "src/cli/options.h"
#include "src/cli/sample_options.h"
#include "src/base/say.h"
#include "src/cli/operands.h"
#include "src/elf/binary.h"
#include "src/figures/overlap.h"

struct arguments {
	const char *output, *bin;
	bool json;
	struct percent min;
};

static const struct option_row rows[] = {
	{0, "bin", "BIN", FILE_READ,
	 "the binary that ran: samples are converted for it first, and\na local function is known by both of its names",
	 INTO(bin), .place = PLACE_BINARY},
	{0, "min", "PERCENT", NO_FILE, "exit code 3 if a share is below PERCENT", INTO(min),
	 .takes = "a number from 0 to 100"},
	JSON_ROW("as JSON"),
	OUTPUT_ROW,
	SANDBOX_ROW,
	COMMON_ROWS,
};

/* One profile can be of the program before llvm-bolt and the other one of what it made. */
static bool unify_names(const char *path, const struct flat_profile profiles[2],
			struct same_names *out, struct bc_error *err)
{
	BC_AUTO(binary_close) struct binary binary = {0};

	return binary_open_debug(path, &(struct debug_dirs){0}, &binary, err) &&
	       (same_names_take(&binary, NULL, &profiles[0], &profiles[1], out) ||
		bc_fail_nomem(err));
}

static void tell_likely_names(const struct flat_profile profiles[2])
{
	struct text of[2];
	size_t likely = same_names_likely(&profiles[0], &profiles[1], of);

	if (likely)
		say_warning(
			stderr,
			"%zu local function%s may be in both profiles under two names (%.*s, %.*s), as before and after llvm-bolt: "
			"--bin=OPTIMIZED, the BOLTed binary, shows which are the same",
			likely, plural(likely), (int)of[0].len, of[0].at, (int)of[1].len, of[1].at);
}

static int compare(const struct arguments *args, const char *const *paths,
		   const struct flat_profile profiles[2], bool partial)
{
	BC_AUTO(overlap_free) struct overlap overlap = {0};
	BC_AUTO(same_names_free) struct same_names same = {0};
	struct overlap_report report = {
		&overlap, {paths[0], paths[1]}, args->min.given, args->min.is, false};
	struct output output;
	struct bc_error err;

	if ((args->bin && !unify_names(args->bin, profiles, &same, &err)) ||
	    !overlap_take(&profiles[0], &profiles[1], same.own, &overlap, &err) ||
	    !output_open(args->output, &output, &err))
		return fail(&err);
	overlap_judge(&report);
	(args->json ? overlap_json : overlap_text)(&report, output.file);
	if (!output_commit(&output, &err))
		return fail(&err);
	if (!args->bin)
		tell_likely_names(profiles);
	overlap_tell_min(&report, stderr);
	return report.failed ? EXIT_CHECK_FAILED : partial ? EXIT_PARTIAL : EXIT_DONE;
}

static int run_overlap(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	const char *const *paths = line->operands.at;
	struct flat_profile profiles[2] = {0};
	struct bc_error err = {0};
	bool partial = false;

	bool ok = profile_input_read(paths[0], args->bin, false, &profiles[0], &partial, &err) &&
		  profile_input_read(paths[1], args->bin, false, &profiles[1], &partial, &err);
	int code = ok ? compare(args, paths, profiles, partial) : fail(&err);
	for (int i = 0; i < 2; i++)
		flat_free(&profiles[i]);
	return code;
}

const struct command overlap_command = {
	.name = "overlap",
	.args = "[OPTION]... A B",
	.help = "say how much two profiles have in common\n\n"
		"A and B are profiles (fdata or BOLT's YAML; '-' is stdin), or with --bin samples.\n"
		"For functions, blocks and calls: the sum of the smaller of both shares; then the\n"
		"functions whose shares grew and shrank most.\n"
		"Exit code 3: a share is below --min, or samples are of another build.",
	.examples =
		"batconv overlap last.fdata prog.fdata                    # two profiles\n"
		"batconv overlap --min=80 last.fdata prog.fdata           # a gate for CI: exit code 3\n"
		"batconv overlap --bin=prog.bolt last.fdata perf.data     # a profile and new samples",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_MEASURED, PLACE_MEASURED},
	.count = {2, 2, "two profiles are needed", "two profiles are enough, not also"},
	.size = sizeof(struct arguments),
	.run = run_overlap,
};
