/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/file.h"
#include "src/base/output.h"
#include "src/cli/options.h"
#include "src/cli/sample_options.h"
#include "src/base/say.h"
#include "src/cli/operands.h"
#include "src/elf/binary.h"
#include "src/address/resolver.h"
#include "src/samples/file_kind.h"

/* It is a binary's name in all other commands. */
#define FORMER_INPUT "--input is written --functions=input now"

enum input_kind { KIND_AUTO, KIND_RAW, KIND_PERF };

DEFINE_VEC(given_vec, struct given_binary);

struct arguments {
	struct words debug_dirs, binaries;
	struct map_file_vec maps;
	const char *output;
	enum stack_format format;
	enum input_kind kind;
	bool functions, input, lines, inlines, quiet;
	bool partial;       /* something of an input could not be read */
	const bool *begins; /* by file of stacks: a new recording */
};

static const char *read_functions(struct command_line *line, const struct option_row *row,
				  const char *of)
{
	struct arguments *args = line->arguments;

	(void)row;
	args->functions = true;
	args->input = of && !strcmp(of, "input");
	return !of || args->input || !strcmp(of, "binary") ? NULL : OPTION_WRONG;
}

/* Lines and inlined calls are those of functions. */
static const char *read_lines(struct command_line *line, const struct option_row *row,
			      const char *value)
{
	struct arguments *args = line->arguments;

	args->functions = true;
	return option_flag(line, row, value);
}

static const char *refuse_input(struct command_line *line, const struct option_row *row,
				const char *value)
{
	(void)line;
	(void)row;
	(void)value;
	return FORMER_INPUT;
}

static const struct option_row rows[] = {
	OUTPUT_ROW,
	{0, "format", "FORMAT:text,json,folded,pprof", NO_FILE,
	 "text (default), json, folded (for flame graphs) or pprof", INTO(format)},
	{0, "maps", "FILE", FILE_READ,
	 "maps: .bcmaps or text of /proc/PID/maps; for processes of\n"
	 "which a recording has no mappings; repeatable",
	 INTO_BY(maps, option_maps), .place = PLACE_MAPS},
	{0, "binary", "BIN", FILE_READ,
	 "the file to use for mappings with its name or build-id;\n"
	 "repeatable",
	 INTO(binaries), .place = PLACE_IMAGE},
	{0, "functions", "[OF]:binary,input", NO_FILE,
	 "show functions: binary (default), those of BIN and of the\n"
	 "mapped files; input, for a BOLTed binary those of the\nbinary that llvm-bolt read",
	 INTO_BY(functions, read_functions)},
	{0, "input", "[INPUT]", NO_FILE, NULL, .read = refuse_input},
	{0, "lines", NULL, NO_FILE, "show functions and source lines, from DWARF",
	 INTO_BY(lines, read_lines)},
	{0, "inlines", NULL, NO_FILE, "show functions and inlined calls, from DWARF",
	 INTO_BY(inlines, read_lines)},
	{0, "input-format", "KIND:auto,raw,perf", NO_FILE, "auto (default), raw or perf",
	 INTO(kind)},
	NEW_RECORDING_ROW,
	DEBUG_DIR_ROW,
	SANDBOX_ROW,
	QUIET_ROW("print only errors"),
	COMMON_ROWS,
};

/* Distinguishes raw stacks from a recording.  A pipe cannot be read twice: it is taken for raw
 * stacks. */
static bool is_raw(const char *path, bool *out, struct bc_error *err)
{
	char start[FILE_KIND_LOOK];
	size_t got;
	struct stat st;

	bool there = strcmp(path, "-") && stat(path, &st) == 0;
	*out = !strcmp(path, "-") || (there && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
	if (*out || (there && S_ISDIR(st.st_mode)))
		return true;
	if (!file_peek(path, start, sizeof(start), &got, err))
		return false;
	*out = file_kind_of((struct text){start, got}, NULL) == FILE_STACKS;
	return true;
}

static bool read_maps(struct arguments *args, struct snapshots *out, struct bc_error *err)
{
	bool ok = maps_option_read(&args->maps, out, err);

	for (size_t i = 0; ok && i < args->maps.len; i++)
		args->partial |= tell_loss(args->maps.at[i].path, &args->maps.at[i].report);
	return ok;
}

static bool open_binaries(const struct arguments *args, struct given_vec *out, struct bc_error *err)
{
	struct debug_dirs dirs = (struct debug_dirs){args->debug_dirs.at, args->debug_dirs.len};

	for (size_t i = 0; i < args->binaries.len; i++) {
		struct given_binary given = {.path = args->binaries.at[i]};
		if (!binary_open_debug(given.path, &dirs, &given.binary, err))
			return false;
		if (!given_vec_push(out, given)) {
			binary_close(&given.binary);
			return bc_fail_nomem(err);
		}
	}
	return true;
}

static bool take_stack(void *ctx, const struct stack *stack, struct bc_error *err)
{
	return stack_writer_add(ctx, stack, err);
}

static bool resolve_recording(struct arguments *args, struct resolver *resolver, const char *path,
			      struct bc_error *err)
{
	struct reader_report report;

	if (!resolver_recording(resolver, path, &report, err))
		return false;
	const struct perf_trace_report *trace = &report.perf.trace;
	if (trace->found && trace->kind != PERF_TRACE_ARM_SPE &&
	    perf_data_has_only_traces(&report.perf))
		return bc_fail(err, BC_UNSUPPORTED,
			       "%s: has a hardware trace (%s), which has branches and no call stacks",
			       path, perf_trace_name(trace)) ||
		       bc_hint(err,
			       "record call stacks with 'perf record -g', or make a profile: batconv BINARY SAMPLES -o prog.fdata");
	args->partial |= tell_loss(path, &report);
	return true;
}

static bool resolve_all(struct arguments *args, struct resolver *resolver,
			const struct words *files, struct bc_error *err)
{
	for (size_t i = 0; i < files->len; i++) {
		bool raw = args->kind == KIND_RAW;
		if (args->kind == KIND_AUTO && !is_raw(files->at[i], &raw, err))
			return false;
		resolver->new_recording = args->begins[i];
		if (!(raw ? resolver_raw_file(resolver, files->at[i], err) :
			    resolve_recording(args, resolver, files->at[i], err)))
			return false;
	}
	return true;
}

/* Did any input have a stack, or a sample with an address? */
static bool check_any(const struct resolver *resolver, const struct words *files,
		      struct bc_error *err)
{
	if (resolver->counts.stacks)
		return true;
	bc_fail(err, BC_MISMATCH, "%s: has no call stack and no sample with an address%s",
		input_name(files->at[0]), files->len > 1 ? ", nor has any other input" : "");
	return bc_hint(err, "run: batconv inspect %s", files->at[0]);
}

static bool write_all(struct arguments *args, struct resolver *resolver, const struct words *files,
		      struct bc_error *err)
{
	struct stack_writer writer = {.format = args->format,
				      .lines = args->lines,
				      .files = &resolver->snapshots->files,
				      .pprof = {.lines = args->lines, .inlines = args->inlines}};
	struct output output;

	if (!output_open(args->output, &output, err))
		return false;
	writer.out = output.file;
	resolver->take = take_stack;
	resolver->ctx = &writer; // cppcheck-suppress autoVariables ; taken back below
	bool ok = resolve_all(args, resolver, files, err) && check_any(resolver, files, err) &&
		  stack_writer_finish(&writer, err);
	resolver->ctx = NULL;
	stack_writer_free(&writer);
	return output_end(&output, ok, err);
}

static void report(const struct stack_counts *counts)
{
	fprintf(stderr,
		SAY_NAME "%" PRIu64 " stack%s, %" PRIu64 " frame%s: %" PRIu64
			 " of the kernel, %" PRIu64 " unknown",
		counts->stacks, plural(counts->stacks), counts->frames, plural(counts->frames),
		counts->kernel, counts->unknown);
	if (counts->given)
		fprintf(stderr, "; %" PRIu64 " stack%s by the maps that were given", counts->given,
			plural(counts->given));
	if (counts->no_map)
		fprintf(stderr, "; %" PRIu64 " stack%s of which no map is known", counts->no_map,
			plural(counts->no_map));
	if (counts->no_address)
		fprintf(stderr, "; %" PRIu64 " sample%s without an address left out",
			counts->no_address, plural(counts->no_address));
	fputc('\n', stderr);
	if (counts->impossible)
		say_warning(stderr,
			    "%" PRIu64 " frame%s no code address, as without frame pointers: "
			    "build with -fno-omit-frame-pointer, or record with --call-graph lbr",
			    counts->impossible, counts->impossible == 1 ? " has" : "s have");
}

/* Warns of debug files that belong to another build. */
static void tell_refused(const struct libraries *libraries)
{
	for (size_t i = 0; i < libraries->len; i++) {
		const char *refused = libraries->at[i] ? library_refused(libraries->at[i]) : NULL;
		if (refused)
			say_warning(stderr, "%s", refused);
	}
}

static int run(struct arguments *args, const struct words *files)
{
	struct debug_dirs dirs = (struct debug_dirs){args->debug_dirs.at, args->debug_dirs.len};
	struct snapshots snapshots = {0};
	struct given_vec given = {0};
	struct resolver resolver;
	struct bc_error err = {0};

	bool ok = read_maps(args, &snapshots, &err) && open_binaries(args, &given, &err);
	resolver_init(&resolver, &snapshots);
	resolver.libraries.given = given.at;
	resolver.libraries.given_count = given.len;
	resolver.libraries.open_mapped = args->functions;
	resolver.libraries.dirs = &dirs;
	resolver.libraries.inlines = args->inlines;
	resolver.options =
		(struct frame_options){args->functions, args->input, args->lines || args->inlines};
	if (resolver.options.lines)
		debug_lines_stay_offline();
	ok = ok && (!resolver.options.lines || debug_lines_can(&err)) &&
	     write_all(args, &resolver, files, &err);
	if (ok)
		tell_refused(&resolver.libraries);
	if (ok && !args->quiet)
		report(&resolver.counts);
	resolver_free(&resolver);
	for (size_t i = 0; i < given.len; i++)
		binary_close(&given.at[i].binary);
	given_vec_free(&given);
	snapshots_free(&snapshots);
	if (!ok)
		return fail(&err);
	return args->partial ? EXIT_PARTIAL : EXIT_DONE;
}

static int check(struct command_line *line)
{
	return new_recordings(line, 0);
}

static int run_stacks(struct command_line *line)
{
	struct arguments *args = line->arguments;

	args->begins = line->begins;
	return run(args, &line->operands);
}

static void finish(void *arguments)
{
	struct arguments *args = arguments;

	map_file_vec_free(&args->maps);
}

const struct command stacks_command = {
	.name = "stacks",
	.args = "[OPTION]... STACKS...",
	.help = "resolve call stacks to libraries, offsets, functions and lines\n\n"
		"STACKS are raw stacks (TIME MAP ADDRESS..., see batconv-stacks(1)), which need\n"
		"--maps, or recordings with their own mappings: perf.data, or what\n"
		"perf script --show-mmap-events prints.  '-' is raw stacks on stdin.",
	.examples = "batconv stacks perf.data\n"
		    "batconv stacks --functions=input --binary=prog.bolt perf.data\n"
		    "batconv stacks --format=folded perf.data -o prog.folded  # for a flame graph",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_STACKS, PLACE_STACKS},
	.count = {1, 0, "no stacks given", NULL},
	.size = sizeof(struct arguments),
	.finish = finish,
	.check = check,
	.run = run_stacks,
};
