/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "src/base/file.h"
#include "src/cli/commands.h"
#include "src/cli/mapped_programs.h"
#include "src/cli/maps_add.h"
#include "src/cli/maps_print.h"
#include "src/cli/print.h"
#include "src/cli/recordings_option.h"
#include "src/cli/sandbox_option.h"
#include "src/cli/time_option.h"
#include "src/cli/warnings.h"
#include "src/addrspace/executable.h"
#include "src/addrspace/open.h"

enum { OPT_PID = 256, OPT_ADD, OPT_LIST, OPT_ID, OPT_TIME, OPT_PROCESS, OPT_ALL, OPT_RAW,
       OPT_EXECUTABLE, OPT_JSON };

static const struct option_row rows[] = {
	{OPT_PID, "pid", "PID", NO_FILE, "capture the maps of a running process"},
	{OPT_ADD, "add", "FILE", FILE_UPDATED, "add all maps to the snapshot file FILE (.bcmaps)"},
	{OPT_LIST, "list", NULL, NO_FILE, "list the maps: process, id, time, regions"},
	{OPT_PROCESS, "process", "PID", NO_FILE, "only maps of this process"},
	{OPT_ID, "id", "N", NO_FILE, "only the map of this id"},
	{OPT_TIME, "time", "T", NO_FILE, "only the map of each process at this time,\n" TIME_HELP},
	{OPT_EXECUTABLE, "executable", NULL, NO_FILE, "keep only executable regions, which is enough for samples"},
	{OPT_ALL, "all", NULL, NO_FILE, "all regions (default: executable ones)"},
	{OPT_RAW, "raw", NULL, NO_FILE, "print text that batconv can read again"},
	{OPT_JSON, "json", NULL, NO_FILE, "one JSON object per map"},
	NEW_RECORDING_ROW,
	SANDBOX_ROW,
	{'h', "help", NULL, NO_FILE, "show this help"},
};

struct arguments {
	const char *add;
	uint64_t pid, process, id, time;
	bool has_pid, has_process, has_id, has_time, list, all, raw, executable, json, help;
	bool partial; /* something of an input could not be read */
	bool elsewhere; /* something was recorded on another machine */
	uint64_t bytes; /* of all inputs */
	struct recording_marks marks;
};

/* How many regions may be shown or added: REGIONS_TIMES for each byte of input, and REGIONS_ALWAYS
 * besides. */
#define REGIONS_TIMES 2
#define REGIONS_ALWAYS (UINT64_C(1) << 21)
#define JSON_WORK 8

static const char *apply_option(void *arguments, int id, const char *value)
{
	struct arguments *args = arguments;
	struct text text = text_of(value ? value : "");

	switch (id) {
	case OPT_PID:
		args->has_pid = text_dec(text, &args->pid) && args->pid <= INT32_MAX;
		return args->has_pid ? NULL : "--pid takes a process id, not";
	case OPT_PROCESS:
		args->has_process = text_dec(text, &args->process) && args->process <= UINT32_MAX;
		return args->has_process ? NULL : "--process takes a process id, not";
	case OPT_ID:
		args->has_id = text_dec(text, &args->id) && args->id <= UINT32_MAX;
		return args->has_id ? NULL : "--id takes a number, not";
	case OPT_TIME:
		args->has_time = time_parse(text, &args->time);
		return args->has_time ? NULL : "--time takes seconds, or a number and s, ms, us or ns, not";
	case OPT_ADD: args->add = value; break;
	case OPT_LIST: args->list = true; break;
	case OPT_ALL: args->all = true; break;
	case OPT_RAW: args->raw = true; break;
	case OPT_EXECUTABLE: args->executable = true; break;
	case OPT_JSON: args->json = true; break;
	case OPTION_NEW_RECORDING: recording_marks_add(&args->marks); break;
	case 'h': args->help = true; break;
	}
	return NULL;
}

static bool is_chosen(const struct arguments *args, const struct snapshots *all,
		      const struct snapshot *s)
{
	if ((args->has_process && s->pid != args->process) || (args->has_id && s->id != args->id))
		return false;
	return !args->has_time || snapshots_at(all, s->pid, args->time) == s;
}

/* Refuses to write out more regions than the input's size can justify.  A child shares the regions
 * of its parent, so that a small recording can stand for any number of them.  A region takes some
 * times as much work in JSON as a line of text. */
static bool check_regions(const struct arguments *args, const struct snapshots *all, struct bc_error *err)
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
	       bc_fail(err, BC_UNSUPPORTED, "%" PRIu64 " regions in all maps together, more than the limit of %" PRIu64
		       " for %" PRIu64 " bytes of input%s",
		       regions, limit, args->bytes, args->add ? "" : ": choose with --process, --id or --time");
}

static int show(const struct arguments *args, const struct snapshots *all)
{
	BC_AUTO(mapped_programs_free) struct mapped_programs programs = {.files = &all->files, .elsewhere = args->elsewhere};
	struct bc_error err;
	bool agree = true, any = false, ok = true;

	if (!check_regions(args, all, &err))
		return fail(&err);
	for (size_t i = 0; ok && i < all->all.len; i++) {
		const struct snapshot *s = &all->all.at[i];
		BC_AUTO(maps_free) struct maps maps = {0};
		if (!is_chosen(args, all, s))
			continue;
		any = true;
		if (args->list) {
			maps_print_head(s);
			continue;
		}
		ok = maps_of(s->maps, &maps);
		if (ok && args->raw)
			maps_print_raw(s, &maps, &all->files);
		else if (ok)
			ok = (args->json ? maps_print_json : maps_print_text)(s, &maps, &programs, args->all, &agree);
	}
	if (!ok) {
		bc_fail_nomem(&err);
		return fail(&err);
	}
	if (!any)
		fputs("batconv: no such map\n", stderr);
	return any && agree ? EXIT_DONE : EXIT_WANTING;
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

	return report->format == INPUT_PERF_DATA && *host && uname(&own) == 0 && strcmp(host, own.nodename) != 0;
}

static bool read_all(struct arguments *args, char **files, int count, struct snapshots *out,
		     struct bc_error *err)
{
	BC_AUTO(carried_free) struct carried carried = {0};
	struct reader_report report = {0};

	for (int i = args->has_pid ? -1 : 0; i < count; i++) {
		struct snapshots one = {0};
		carried.new_recording = i >= 0 && args->marks.begins[i];
		uint64_t until = args->has_time ? args->time : UINT64_MAX;
		bool ok = i < 0 ? maps_open_process((uint32_t)args->pid, &one, err)
				: maps_open_next(files[i], until, count > 1 ? &carried : NULL, &one, &report, err);
		args->bytes += report.bytes;
		args->elsewhere |= ok && i >= 0 && is_elsewhere(&report);
		args->partial |= ok && i >= 0 && tell_loss(files[i], &report);
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

static int run(struct arguments *args, char **files, int count)
{
	BC_AUTO(snapshots_free) struct snapshots all = {0};
	struct bc_error err = {0};

	if (!read_all(args, files, count, &all, &err))
		return fail(&err);
	int code;
	if (!args->add)
		code = show(args, &all);
	else
		code = check_regions(args, &all, &err) && maps_add(args->add, &all, &err) ? EXIT_DONE : fail(&err);
	return code == EXIT_DONE && args->partial ? EXIT_PARTIAL : code;
}

/* What is wrong with the options together, or NULL. */
static const char *two_forms(const struct arguments *args)
{
	int forms = args->list + args->raw + args->json;

	if (forms > 1)
		return "one of --list, --raw and --json at a time";
	return forms && args->add ? "--add shows nothing, so not with --list, --raw or --json" : NULL;
}

static int run_maps(const struct command *command, int argc, char **argv)
{
	struct arguments args = {0};

	recording_marks_begin(&args.marks, argc, argv);
	int code = options_apply(command, argc, argv, apply_option, &args);
	if (code == EXIT_DONE && args.help)
		command_help(command, stdout);
	else if (code == EXIT_DONE && two_forms(&args))
		code = usage_error(command, two_forms(&args), NULL);
	else if (code == EXIT_DONE && optind == argc && !args.has_pid)
		code = usage_error(command, "no maps given: a FILE or --pid", NULL);
	else if (code == EXIT_DONE)
		code = recording_marks_settle(&args.marks, command, argv + optind, (size_t)(argc - optind));
	if (code == EXIT_DONE && !args.help)
		code = run(&args, argv + optind, argc - optind);
	recording_marks_free(&args.marks);
	return code;
}

const struct command maps_command = {
	"maps", "[OPTION]... [FILE]...",
	"show, check and collect the memory maps of processes\n\n"
	"FILE is text of /proc/PID/maps, a snapshot file (.bcmaps), perf.data or text of\n"
	"perf script --show-mmap-events; '-' is text or snapshots on stdin.\n"
	"Computes the load address of each file from every mapping and from the lowest\n"
	"segment.  Exit code 3: they do not agree.",
	rows, BC_COUNT(rows), FILE_READ, run_maps, NULL,
};
