/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/output.h"
#include "src/base/parallel.h"
#include "src/carry/carry.h"
#include "src/cli/operands.h"
#include "src/cli/options.h"
#include "src/cli/sample_options.h"
#include "src/figures/carry_report.h"
#include "src/profile/fdata.h"

struct arguments {
	const char *output;
	bool no_lines;
	enum stats_form stats;
};

static const struct option_row rows[] = {
	OUTPUT_ROW,
	{0, "no-lines", NULL, NO_FILE, "do not look at lines of source", INTO(no_lines)},
	STATS_ROW,
	SANDBOX_ROW,
	COMMON_ROWS,
};

static bool write_profile(const struct profile *profile, FILE *out, struct bc_error *err)
{
	return fdata_write_profile(profile, &(struct fdata_header){0}, parallel_threads(), out,
				   err);
}

/* JSON contains the warnings: stderr has nothing else then. */
static void tell(enum stats_form stats, const struct carry_report *report)
{
	if (stats == STATS_JSON) {
		carry_report_json(report, stderr);
		return;
	}
	if (stats == STATS_TEXT)
		carry_report_text(report, stderr);
	carry_report_warnings(report, &(struct warnings){warn_by_line, stderr});
	if (stats == STATS_TEXT)
		carry_report_next(report, stderr);
}

/* The profile, and what is said of it. */
static int write_all(const struct arguments *args, const struct profile *profile,
		     const struct carry_report *report)
{
	struct output output;
	struct bc_error err;

	if (!output_open(args->output, &output, &err) ||
	    !output_end(&output, write_profile(profile, output.file, &err), &err))
		return fail(&err);
	tell(args->stats, report);
	return EXIT_DONE;
}

static int carry_between(const struct arguments *args, const char *const *paths,
			 struct carry_build *old_build, struct carry_build *new_build)
{
	BC_AUTO(flat_free) struct flat_profile old_profile = {0};
	struct carried_counts carried;
	struct profile profile = {0};
	struct bc_error err = {0};
	bool partial = false;
	const struct carry_job job = {old_build, new_build, &old_profile, args->no_lines,
				      parallel_threads()};
	const struct carry_report report = {&carried, paths[0], paths[1], args->output, &profile};

	if (!profile_input_read(paths[2], paths[0], true, &old_profile, &partial, &err) ||
	    !carry(&job, &profile, &carried, &err))
		return fail(&err);
	int code = write_all(args, &profile, &report);
	profile_free(&profile);
	return code == EXIT_DONE && partial ? EXIT_PARTIAL : code;
}

static int run_carry(struct command_line *line)
{
	BC_AUTO(carry_build_close) struct carry_build old_build = {0}, new_build = {0};
	const char *const *paths = line->operands.at;
	struct bc_error err;

	return carry_build_open(paths[0], &old_build, &err) &&
			       carry_build_open(paths[1], &new_build, &err) ?
		       carry_between(line->arguments, paths, &old_build, &new_build) :
		       fail(&err);
}

const struct command carry_command = {
	.name = "carry",
	.args = "[OPTION]... OLD NEW PROFILE",
	.help = "carry a profile from the build that ran to the next one\n\n"
		"OLD is the build that PROFILE is of, and NEW the next one, which llvm-bolt is to\n"
		"optimize; llvm-bolt wrote neither of them.  PROFILE is fdata, BOLT's YAML, or\n"
		"samples of OLD; '-' is stdin.  Functions are found again by name, or by content if\n"
		"they were renamed; their instructions by source line, if both builds have debug\n"
		"information, and by order.  The counts of these give the branches of NEW.\n"
		"Writes fdata of NEW, and on stderr how much was found again.\n"
		"Exit code 3: PROFILE is not of OLD, or NEW is another program.",
	.examples =
		"batconv carry last/prog prog last.fdata -o prog.fdata    # then llvm-bolt prog -data prog.fdata\n"
		"batconv carry last/prog prog perf.data -o prog.fdata     # samples of last/prog",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_IMAGE, PLACE_ANY},
	.count = {3, 3, "two builds and a profile are needed", "one profile is enough, not also"},
	.size = sizeof(struct arguments),
	.run = run_carry,
};
