/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "src/address/maps_print.h"
#include "src/base/say.h"
#include "src/samples/snapshots.h"
#include "src/samples/open.h"
#include "src/base/file.h"
#include "src/cli/options.h"
#include "src/cli/sample_options.h"
#include "src/cli/operands.h"

struct arguments {
	const char *add;
	struct number pid, process, id, time;
	bool list, all, raw, executable, json;
	bool partial;       /* something of an input could not be read */
	bool elsewhere;     /* something was recorded on another machine */
	uint64_t bytes;     /* of all inputs */
	const bool *begins; /* by file: a new recording */
};

static const struct option_row rows[] = {
	{0, "pid", "PID", NO_FILE, "capture the maps of a running process", INTO(pid),
	 .takes = "a process id", .most = INT32_MAX},
	{0, "add", "FILE", FILE_UPDATED, "add all maps to the snapshot file FILE (.bcmaps)",
	 INTO(add)},
	{0, "list", NULL, NO_FILE, "list the maps: process, id, time, regions", INTO(list)},
	{0, "process", "PID", NO_FILE, "only maps of this process", INTO(process),
	 .takes = "a process id", .most = UINT32_MAX},
	{0, "id", "N", NO_FILE, "only the map of this id", INTO(id), .takes = "a number",
	 .most = UINT32_MAX},
	{0, "time", "T", NO_FILE, "only the map of each process at this time,\n" TIME_HELP,
	 INTO_BY(time, option_time), .takes = TIME_TAKES},
	{0, "executable", NULL, NO_FILE,
	 "keep only executable regions, which is enough for samples", INTO(executable)},
	{0, "all", NULL, NO_FILE, "all regions (default: executable ones)", INTO(all)},
	{0, "raw", NULL, NO_FILE, "print text that batconv can read again", INTO(raw)},
	JSON_ROW("one JSON object per map"),
	NEW_RECORDING_ROW,
	SANDBOX_ROW,
	COMMON_ROWS,
};

/* How many regions may be shown or added: REGIONS_TIMES for each byte of input, and REGIONS_ALWAYS
 * in addition. */
#define REGIONS_TIMES  2
#define REGIONS_ALWAYS (UINT64_C(1) << 21)
#define JSON_WORK      8

static bool is_chosen(const struct arguments *args, const struct snapshots *all,
		      const struct snapshot *s)
{
	if ((args->process.given && s->pid != args->process.is) ||
	    (args->id.given && s->id != args->id.is))
		return false;
	return !args->time.given || snapshots_at(all, s->pid, args->time.is) == s;
}

/* Refuses to write out more regions than the input's size can justify.  A child shares the regions
 * of its parent, so that a small recording can represent any number of them.  A region takes some
 * times as much work in JSON as a line of text. */
static bool check_regions(const struct arguments *args, const struct snapshots *all,
			  struct bc_error *err)
{
	uint64_t limit = args->bytes * REGIONS_TIMES + REGIONS_ALWAYS, regions = 0;

	if (args->list && !args->add)
		return true;
	if (args->json)
		limit /= JSON_WORK;
	for (size_t i = 0; i < all->all.len; i++)
		if (args->add || is_chosen(args, all, &all->all.at[i]))
			regions += map_set_count(all->all.at[i].maps);
	return regions <= limit ||
	       bc_fail(err, BC_UNSUPPORTED,
		       "%" PRIu64 " regions in all maps together, more than the limit of %" PRIu64
		       " for %" PRIu64 " bytes of input%s",
		       regions, limit, args->bytes,
		       args->add ? "" : ": choose with --process, --id or --time");
}

static int show(const struct arguments *args, const struct snapshots *all)
{
	BC_AUTO(maps_printer_free)
	struct maps_printer printer = {.files = &all->files,
				       .out = stdout,
				       .form = args->raw  ? MAPS_RAW :
					       args->json ? MAPS_JSON :
							    MAPS_TEXT,
				       .all = args->all,
				       .elsewhere = args->elsewhere};
	struct bc_error err;
	bool any = false, ok = true;

	if (!check_regions(args, all, &err))
		return fail(&err);
	for (size_t i = 0; ok && i < all->all.len; i++) {
		const struct snapshot *s = &all->all.at[i];
		if (!is_chosen(args, all, s))
			continue;
		any = true;
		if (args->list)
			maps_print_head(s, stdout);
		else
			ok = maps_print(&printer, s);
	}
	if (!ok) {
		bc_fail_nomem(&err);
		return fail(&err);
	}
	if (!any)
		say_error(stderr, "no such map");
	return any && !printer.disagree ? EXIT_DONE : EXIT_CHECK_FAILED;
}

static bool keep_executable(struct snapshots *all, struct bc_error *err)
{
	struct snapshots kept = {0};

	if (!snapshots_executable(all, &kept, err))
		return false;
	snapshots_free(all);
	*all = kept;
	return true;
}

/* Was it recorded on another machine?  A recording that names no host may be of this machine. */
static bool is_elsewhere(const struct reader_report *report)
{
	const char *host = report->perf.info.hostname;
	struct utsname own;

	return report->format == INPUT_PERF_DATA && *host && uname(&own) == 0 &&
	       strcmp(host, own.nodename) != 0;
}

static bool read_all(struct arguments *args, const struct words *files, struct snapshots *out,
		     struct bc_error *err)
{
	BC_AUTO(carried_free) struct carried carried = {0};
	struct reader_report report = {0};

	int count = (int)files->len;

	for (int i = args->pid.given ? -1 : 0; i < count; i++) {
		struct snapshots one = {0};
		carried.new_recording = i >= 0 && args->begins[i];
		uint64_t until = args->time.given ? args->time.is : UINT64_MAX;
		bool ok = i < 0 ? maps_open_process((uint32_t)args->pid.is, &one, err) :
				  maps_open_next(files->at[i], until, count > 1 ? &carried : NULL,
						 &one, &report, err);
		args->bytes += report.bytes;
		args->elsewhere |= ok && i >= 0 && is_elsewhere(&report);
		args->partial |= ok && i >= 0 && tell_loss(files->at[i], &report);
		ok = ok && (!args->executable || keep_executable(&one, err));
		if (ok && !out->all.len) {
			*out = one;
			continue;
		}
		if (ok)
			ok = snapshots_merge(out, &one, err);
		snapshots_free(&one);
		if (!ok)
			return false;
	}
	return true;
}

static int run(struct arguments *args, const struct words *files)
{
	BC_AUTO(snapshots_free) struct snapshots all = {0};
	struct bc_error err = {0};

	if (!read_all(args, files, &all, &err))
		return fail(&err);
	int code;
	if (!args->add)
		code = show(args, &all);
	else
		code = check_regions(args, &all, &err) && maps_add(args->add, &all, &err) ?
			       EXIT_DONE :
			       fail(&err);
	return code == EXIT_DONE && args->partial ? EXIT_PARTIAL : code;
}

/* What is wrong with the options together, or NULL. */
static const char *two_forms(const struct arguments *args)
{
	int forms = args->list + args->raw + args->json;

	if (forms > 1)
		return "one of --list, --raw and --json at a time";
	return forms && args->add ? "--add shows nothing, so not with --list, --raw or --json" :
				    NULL;
}

static int check(struct command_line *line)
{
	const struct arguments *args = line->arguments;

	if (two_forms(args))
		return usage_error(line->command, two_forms(args), NULL);
	if (!line->operands.len && !args->pid.given)
		return usage_error(line->command, "no maps given: a FILE or --pid", NULL);
	return new_recordings(line, 0);
}

static int run_maps(struct command_line *line)
{
	struct arguments *args = line->arguments;

	args->begins = line->begins;
	return run(args, &line->operands);
}

const struct command maps_command = {
	.name = "maps",
	.args = "[OPTION]... [FILE]...",
	.help = "show, check and collect the memory maps of processes\n\n"
		"FILE is text of /proc/PID/maps, a snapshot file (.bcmaps), perf.data or text of\n"
		"perf script --show-mmap-events; '-' is text or snapshots on stdin.\n"
		"Computes the load address of each file from every mapping and from the lowest\n"
		"segment.  Exit code 3: they do not agree.",
	.examples =
		"batconv maps perf.data\n"
		"batconv maps --pid=PID --add=prog.bcmaps                 # of a process that runs",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_MAPS, PLACE_MAPS},
	.size = sizeof(struct arguments),
	.check = check,
	.run = run_maps,
};
