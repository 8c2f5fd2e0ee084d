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
#include "src/cli/print.h"
#include "src/cli/recordings_option.h"
#include "src/cli/sandbox_option.h"
#include "src/cli/time_option.h"
#include "src/cli/warnings.h"
#include "src/addrspace/executable.h"
#include "src/addrspace/loads.h"
#include "src/addrspace/maps_text.h"
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

/* How many regions are shown or added: so many for each byte of input, and so many more. */
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

/* ---- the images of a map ---- */

/* A file that has code in the map, and where it was loaded. */
struct mapped_image {
	uint32_t number; /* of the file, of its first mapping with code */
	bool opened; /* the file is there, and is what was mapped */
	const char *why_not;
	struct image image; /* borrowed */
	struct loads loads;
};

/* false: out of memory */
static bool mapped_image_open(struct mapped_image *m, struct mapped_programs *programs,
			      const struct mappings_by_path *mappings)
{
	const struct mapped_program *program = mapped_programs_open(programs, m->number);
	uint32_t path = mapped_files_at(programs->files, m->number)->path;

	if (!program)
		return false;
	m->why_not = program->why_not;
	m->opened = !m->why_not;
	m->image = program->image;
	struct maps maps = mappings_of_path(mappings, path);
	return !m->opened || loads_find(&maps, programs->files, path, &m->image, &m->loads);
}

/* Calls show() for each distinct file with executable mappings, in their order.
 * *agree: not if a base does not.  Returns false when out of memory. */
static bool each_image(const struct maps *maps, struct mapped_programs *programs, bool *agree,
		       void (*show)(void *ctx, const struct mapped_image *m), void *ctx)
{
	const struct mapped_files *files = programs->files;
	struct mappings_by_path mappings;
	bool ok = mapped_programs_next_map(programs, maps, &mappings);

	for (size_t i = 0; ok && i < maps->len; i++) {
		const struct mapping *mapping = &maps->at[i];
		uint32_t path = mapped_files_at(files, mapping->file)->path;
		if (!(mapping->flags & MAPPING_EXEC) ||
		    path_kind_of(strings_at(&files->texts, path)) != PATH_FILE ||
		    !mapped_programs_is_new(programs, path))
			continue;
		struct mapped_image m = {.number = mapping->file};
		ok = mapped_image_open(&m, programs, &mappings);
		*agree &= loads_agree(&m.loads) && !m.loads.misfits;
		if (ok)
			show(ctx, &m);
		loads_free(&m.loads);
	}
	mappings_by_path_free(&mappings);
	return ok;
}

/* ---- text ---- */

static const char *verdict(const struct mapped_image *m, const struct load *load)
{
	if (m->loads.misfits)
		return "DISAGREES: executable mappings that fit no segment";
	if (!load_agrees(load))
		return "DISAGREES";
	if (load->has_lowest)
		return "agrees with the lowest segment";
	return load->has_lowest_executable ? "agrees with the lowest executable segment"
					   : "its lowest segment is not in the map";
}

static void print_other_base(uint64_t base, uint64_t other)
{
	printf(" 0x%" PRIx64 ", 0x%" PRIx64 " %s\n", other, other > base ? other - base : base - other,
	       other > base ? "above" : "below");
}

static void print_load(const struct mapped_image *m, const struct load *load)
{
	printf("    base 0x%" PRIx64 " by %" PRIu32 " mappings, %s\n", load->base,
	       load->mappings - load->differing, verdict(m, load));
	if (load->has_lowest && load->lowest != load->base) {
		fputs("        by the lowest segment:", stdout);
		print_other_base(load->base, load->lowest);
	}
	if (load->has_lowest_executable && load->lowest_executable != load->base) {
		fputs("        by the lowest executable segment:", stdout);
		print_other_base(load->base, load->lowest_executable);
	}
	for (uint32_t i = 0; i < load->differing; i++) {
		const struct differing *d = &m->loads.differing.at[load->first_differing + i];
		printf("        by %08" PRIx64 "-%08" PRIx64 ":", d->start, d->end);
		print_other_base(load->base, d->base);
	}
}

/* As recorded, or of the file. */
static struct text gnu_id(const struct mapped_image *m, const struct mapped_files *files)
{
	struct text recorded = mapped_files_build_id(files, m->number);

	if (recorded.len || !m->opened)
		return recorded;
	return (struct text){(const char *)m->image.build_id.data, m->image.build_id.size};
}

static struct text go_id(const struct mapped_image *m, const struct mapped_files *files)
{
	return m->opened ? m->image.go_build_id : mapped_files_go_id(files, m->number);
}

/* Else the ids are those of the file that is here. */
static bool has_recorded_id(const struct mapped_image *m, const struct mapped_files *files)
{
	return mapped_files_build_id(files, m->number).len || mapped_files_go_id(files, m->number).len;
}

static void print_image(void *ctx, const struct mapped_image *m)
{
	const struct mapped_files *files = ctx;
	struct text id = gnu_id(m, files), go = go_id(m, files);

	print_name(mapped_files_path(files, m->number), stdout);
	fputs("\n    build-id ", stdout);
	if (id.len)
		print_bytes(id, stdout);
	if (go.len) {
		fputs(id.len ? ", Go " : "Go ", stdout);
		print_name(go, stdout);
	}
	if ((id.len || go.len) && !has_recorded_id(m, files))
		fputs(", of the file that is here: none was recorded", stdout);
	puts(id.len || go.len ? "" : "not known");
	if (!m->opened)
		printf("    base not known: the file is %s\n", m->why_not);
	for (size_t i = 0; i < m->loads.all.len; i++)
		print_load(m, &m->loads.all.at[i]);
	if (m->opened && !m->loads.all.len)
		puts("    DISAGREES: no mapping fits a segment of the file");
}

static void print_head(const struct snapshot *s)
{
	printf("process %" PRIu32 ", map %" PRIu32 ", time %" PRIu64 ".%09" PRIu64 ", %zu regions\n",
	       s->pid, s->id, s->time / 1000000000, s->time % 1000000000, map_set_count(s->maps));
}

static bool print_map(const struct snapshot *s, const struct maps *maps,
		      struct mapped_programs *programs, bool all, bool *agree)
{
	const struct mapped_files *files = programs->files;

	print_head(s);
	for (size_t i = 0; i < maps->len; i++)
		if (all || maps->at[i].flags & MAPPING_EXEC)
			maps_text_print_mapping(&maps->at[i], files, stdout);
	puts("images:");
	return each_image(maps, programs, agree, print_image, (void *)(uintptr_t)files);
}

static void print_raw(const struct snapshot *s, const struct maps *maps,
		      const struct mapped_files *files)
{
	struct maps_head head = {s->pid, s->id, s->time};

	maps_text_write_head(&head, stdout);
	for (size_t i = 0; i < maps->len; i++)
		maps_text_write_mapping(&maps->at[i], files, stdout);
}

/* ---- JSON ---- */

struct json_context {
	struct json *json;
	const struct mapped_files *files;
};

static void json_load(struct json *json, const struct mapped_image *m, const struct load *load)
{
	json_open(json, NULL, '{');
	json_hex(json, "base", load->base);
	json_number(json, "mappings", load->mappings - load->differing);
	json_bool(json, "agrees", load_agrees(load) && !m->loads.misfits);
	if (load->has_lowest)
		json_hex(json, "lowest", load->lowest);
	if (load->has_lowest_executable)
		json_hex(json, "lowest_executable", load->lowest_executable);
	if (load->differing)
		json_open(json, "differing", '[');
	for (uint32_t i = 0; i < load->differing; i++) {
		const struct differing *d = &m->loads.differing.at[load->first_differing + i];
		json_open(json, NULL, '{');
		json_hex(json, "start", d->start);
		json_hex(json, "end", d->end);
		json_hex(json, "base", d->base);
		json_close(json, '}');
	}
	if (load->differing)
		json_close(json, ']');
	json_close(json, '}');
}

static void json_image(void *ctx, const struct mapped_image *m)
{
	struct json_context *c = ctx;
	struct json *json = c->json;
	struct text go = go_id(m, c->files);

	json_open(json, NULL, '{');
	json_text(json, "path", mapped_files_path(c->files, m->number));
	json_bytes(json, "build_id", gnu_id(m, c->files));
	if (go.len)
		json_text(json, "go_build_id", go);
	if (go.len || gnu_id(m, c->files).len)
		json_string(json, "build_id_of", has_recorded_id(m, c->files) ? "map" : "file");
	if (!m->opened)
		json_string(json, "not_opened", m->why_not);
	json_open(json, "loads", '[');
	for (size_t i = 0; i < m->loads.all.len; i++)
		json_load(json, m, &m->loads.all.at[i]);
	json_close(json, ']');
	json_close(json, '}');
}

static void json_mapping(struct json *json, const struct mapping *m, const struct mapped_files *files)
{
	const char flags[] = {m->flags & MAPPING_READ ? 'r' : '-', m->flags & MAPPING_WRITE ? 'w' : '-',
			      m->flags & MAPPING_EXEC ? 'x' : '-', m->flags & MAPPING_SHARED ? 's' : 'p', 0};

	json_open(json, NULL, '{');
	json_hex(json, "start", m->start);
	json_hex(json, "end", m->end);
	json_string(json, "flags", flags);
	json_hex(json, "offset", m->offset);
	json_number(json, "inode", mapped_files_at(files, m->file)->inode);
	json_text(json, "path", mapped_files_path(files, m->file));
	json_bytes(json, "build_id", mapped_files_build_id(files, m->file));
	if (mapped_files_go_id(files, m->file).len)
		json_text(json, "go_build_id", mapped_files_go_id(files, m->file));
	json_close(json, '}');
}

static bool json_map(const struct snapshot *s, const struct maps *maps,
		     struct mapped_programs *programs, bool all, bool *agree)
{
	const struct mapped_files *files = programs->files;
	struct json json = {.out = stdout};
	struct json_context context = {&json, files};

	json_open(&json, NULL, '{');
	json_number(&json, "pid", s->pid);
	json_number(&json, "id", s->id);
	json_number(&json, "time", s->time);
	json_open(&json, "regions", '[');
	for (size_t i = 0; i < maps->len; i++)
		if (all || maps->at[i].flags & MAPPING_EXEC)
			json_mapping(&json, &maps->at[i], files);
	json_close(&json, ']');
	json_open(&json, "images", '[');
	if (!each_image(maps, programs, agree, json_image, &context))
		return false;
	json_close(&json, ']');
	json_close(&json, '}');
	putchar('\n');
	return true;
}

/* ---- what to show ---- */

static bool is_chosen(const struct arguments *args, const struct snapshots *all,
		      const struct snapshot *s)
{
	if ((args->has_process && s->pid != args->process) || (args->has_id && s->id != args->id))
		return false;
	return !args->has_time || snapshots_at(all, s->pid, args->time) == s;
}

/* What forked shares what it had: a small recording can stand for any number of regions.  JSON of
 * one takes some times as long as its line of text. */
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
			print_head(s);
			continue;
		}
		ok = maps_of(s->maps, &maps);
		if (ok && args->raw)
			print_raw(s, &maps, &all->files);
		else if (ok)
			ok = (args->json ? json_map : print_map)(s, &maps, &programs, args->all, &agree);
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

/* What tells no host may be of this one. */
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
	rows, BC_COUNT(rows), FILE_READ, run_maps,
};
