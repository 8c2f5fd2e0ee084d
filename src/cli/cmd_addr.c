/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "src/base/lines.h"
#include "src/cli/addr.h"
#include "src/cli/commands.h"
#include "src/cli/debug_option.h"
#include "src/cli/print.h"
#include "src/cli/sandbox_option.h"
#include "src/cli/say.h"
#include "src/cli/time_option.h"
#include "src/cli/warnings.h"
#include "src/addrspace/open.h"
#include "src/addrspace/load_choice.h"
#include "src/pair/pair.h"

enum {
	OPT_BINARY = 256, OPT_INPUT, OPT_PID, OPT_MAPS, OPT_PERF, OPT_TIME, OPT_PROCESS, OPT_ID,
	OPT_IMAGE, OPT_BASE, OPT_FROM, OPT_RETURN, OPT_EXPLAIN, OPT_SOURCE, OPT_JSON,
};

static const struct option_row rows[] = {
	{OPT_BINARY, "binary", "BIN", FILE_READ, "the binary that the addresses belong to (required)"},
	{OPT_INPUT, "input", "INPUT", FILE_READ, "the binary that llvm-bolt read to write BIN, to show\naddresses in it"},
	{OPT_FROM, "from", "KIND:run,vaddr,offset,func,input", NO_FILE, "kind of ADDRESS: run (default), vaddr, offset,\n"
	 "func (NAME+0xOFFSET in BIN) or input (NAME+0xOFFSET in INPUT)"},
	{OPT_PID, "pid", "PID", NO_FILE, "take the mappings of this running process"},
	{OPT_MAPS, "maps", "FILE", FILE_READ, "take the mappings in FILE (/proc/PID/maps text, .bcmaps)"},
	{OPT_PERF, "perf", "FILE", FILE_READ, "take the mappings in a recording (perf.data, perf script)"},
	{OPT_BASE, "base", "ADDR", NO_FILE, "the load address: run-time address minus vaddr"},
	{OPT_PROCESS, "process", "PID", NO_FILE, "which process, if several mapped BIN"},
	{OPT_TIME, "time", "T", NO_FILE, "mappings at this time (default: the last ones),\n" TIME_HELP},
	{OPT_ID, "id", "N", NO_FILE, "mappings with this id"},
	{OPT_IMAGE, "image", "NAME", NO_FILE, "the name of BIN in the mappings, if it differs"},
	{OPT_RETURN, "return", NULL, NO_FILE, "ADDRESS is a return address: look up the call before it"},
	{OPT_EXPLAIN, "explain", NULL, NO_FILE, "show the formulas with their numbers"},
	{OPT_SOURCE, "source", NULL, NO_FILE, "show source lines, from the DWARF of INPUT or else BIN"},
	{OPT_JSON, "json", NULL, NO_FILE, "one JSON object per address"},
	DEBUG_DIR_ROW,
	SANDBOX_ROW,
	{'h', "help", NULL, NO_FILE, "show this help"},
};

struct arguments {
	const char *binary, *input, *maps, *perf, *image;
	uint64_t pid, process, time, id, base;
	bool has_pid, has_process, has_time, has_id, has_base;
	bool before, explain, source, json, help;
	enum addr_kind from;
	struct debug_dir_vec debug_dirs;
	bool nomem;
	bool partial; /* something of an input could not be read */
};

static bool parse_number(const char *value, uint64_t most, bool *has, uint64_t *out)
{
	*has = text_dec(text_of(value), out) && *out <= most;
	return *has;
}

/* Returns what is wrong with the value, or NULL. */
static const char *apply_option(struct arguments *args, int id, const char *value)
{
	switch (id) {
	case OPT_BINARY: args->binary = value; break;
	case OPT_INPUT: args->input = value; break;
	case OPT_MAPS: args->maps = value; break;
	case OPT_PERF: args->perf = value; break;
	case OPT_IMAGE: args->image = value; break;
	case OPT_RETURN: args->before = true; break;
	case OPT_EXPLAIN: args->explain = true; break;
	case OPT_SOURCE: args->source = true; break;
	case OPT_JSON: args->json = true; break;
	case OPTION_DEBUG_DIR: args->nomem |= !debug_dir_vec_push(&args->debug_dirs, value); break;
	case 'h': args->help = true; break;
	case OPT_FROM:
		return addr_kind_parse(text_of(value), &args->from)
			       ? NULL : "--from takes run, vaddr, offset, func or input, not";
	case OPT_PID:
		return parse_number(value, INT32_MAX, &args->has_pid, &args->pid)
			       ? NULL : "--pid takes a process id, not";
	case OPT_PROCESS:
		return parse_number(value, UINT32_MAX, &args->has_process, &args->process)
			       ? NULL : "--process takes a process id, not";
	case OPT_ID:
		return parse_number(value, UINT32_MAX, &args->has_id, &args->id)
			       ? NULL : "--id takes a number, not";
	case OPT_TIME:
		args->has_time = time_parse(text_of(value), &args->time);
		return args->has_time ? NULL : "--time takes seconds, or a number and s, ms, us or ns, not";
	case OPT_BASE:
		args->has_base = text_hex(text_of(value), &args->base);
		return args->has_base ? NULL : "--base takes a hexadecimal address, not";
	}
	return NULL;
}

static int parse(const struct command *command, int argc, char **argv, struct arguments *args)
{
	const char *value;

	for (int id; (id = option_next(command, argc, argv, &value)) != OPTION_END;) {
		const char *wrong = id == OPTION_BAD ? NULL : apply_option(args, id, value);
		if (id == OPTION_BAD)
			return EXIT_USAGE;
		if (wrong)
			return usage_error(command, wrong, value);
	}
	if (args->help)
		return EXIT_DONE;
	if (!args->binary)
		return usage_error(command, "no --binary given", NULL);
	if (args->has_pid + !!args->maps + !!args->perf + args->has_base > 1)
		return usage_error(command, "only one of --pid, --maps, --perf and --base can be given", NULL);
	return EXIT_DONE;
}

/* The process that the addresses are of, with its maps. */
struct where {
	struct snapshots snapshots;
	struct maps maps;
};

static void where_free(struct where *where)
{
	snapshots_free(&where->snapshots);
	maps_free(&where->maps);
}

static bool open_maps(struct arguments *args, struct where *where, struct bc_error *err)
{
	const char *path = args->perf ? args->perf : args->maps;
	struct reader_report report;
	uint64_t until = args->has_time ? args->time : UINT64_MAX;

	if (args->has_pid)
		return maps_open_process((uint32_t)args->pid, &where->snapshots, err);
	if (!maps_open(path, until, &where->snapshots, &report, err))
		return false;
	args->partial = tell_loss(path, &report);
	return true;
}

static bool locate(struct arguments *args, struct where *where, struct addr_context *context,
		   struct bc_error *err)
{
	const struct image *image = &context->subject.binary.image;
	struct load_choice choice = {
		.image = image,
		.name = args->image ? args->image : args->binary,
		.pid = args->has_process ? (uint32_t)args->process : LOAD_CHOICE_ANY,
		.id = args->has_id ? (uint32_t)args->id : LOAD_CHOICE_ANY,
		.time = args->has_time ? args->time : UINT64_MAX,
	};

	if (args->has_base)
		return loaded_at_base(&context->process, args->base) || bc_fail_nomem(err);
	if (!args->has_pid && !args->maps && !args->perf)
		return image->position_independent || loaded_at_base(&context->process, 0) ||
		       bc_fail_nomem(err);
	if (!open_maps(args, where, err) ||
	    !load_choose(&where->snapshots, &choice, &where->maps, &context->process.path,
		       &context->process.loads, err))
		return false;
	context->process.maps = &where->maps;
	context->process.files = &where->snapshots.files;
	return true;
}

/* Warns if mappings lead to different bases.  Each run-time address is then translated by the
 * mapping that it lies in. */
static bool tell_contradiction(const struct arguments *args, const struct addr_context *context)
{
	if (loads_agree(&context->process.loads))
		return false;
	say(stderr, "%s: its mappings in this process lead to different bases, of which batconv maps tells: "
	    "each run-time address is taken by its own mapping", args->binary);
	return true;
}

/* Whether the input is the one that llvm-bolt read, as convert has it. */
static bool check_input(const struct arguments *args, struct addr_context *context, struct bc_error *err)
{
	return !args->input || pair_check(args->input, &context->subject.binary, err);
}

static bool open_source(const struct arguments *args, const struct debug_dirs *dirs, struct addr_context *context,
			struct bc_error *err)
{
	context->source_is_input = args->input != NULL;
	if (!args->source)
		return true;
	debug_lines_stay_offline();
	return debug_lines_open(args->input ? args->input : args->binary, dirs, false, &context->source, err);
}

/* Warns of debug files that belong to another build.  The search for source lines meets the same
 * files again: what it refused is told only if nothing else was. */
static void tell_refused(const struct addr_context *context)
{
	const struct bc_error *binary = &context->subject.binary.debug.refused;
	const struct bc_error *input = &context->subject.input.debug.refused;
	const char *source = context->source ? debug_lines_refused(context->source) : NULL;

	if (binary->code)
		say(stderr, "warning: %s", binary->text);
	if (input->code)
		say(stderr, "warning: %s", input->text);
	if (source && !binary->code && !input->code)
		say(stderr, "warning: %s", source);
}

/* Answer one address.  False: it cannot be read; the text says why. */
static bool answer(const struct arguments *args, const struct addr_context *context,
		   struct text text, bool *nowhere, struct bc_error *err)
{
	struct chain_list list = {0};
	struct query query;
	const char *wrong = query_parse(args->from, text, &query);

	if (wrong)
		return bc_fail(err, BC_FORMAT, "%s '%.*s'", wrong, (int)text_first(text, 256).len, text.at);
	bool ok = query_answer(context, &query, &list, err);
	if (ok) {
		(args->json ? answer_json : answer_text)(context, &query, &list, stdout);
		*nowhere |= answer_is_nowhere(&list);
	}
	chain_list_free(&list);
	return ok;
}

static bool answer_stdin(const struct arguments *args, const struct addr_context *context,
			 bool *nowhere, struct bc_error *err)
{
	BC_AUTO(lines_fini) struct lines lines = {0};
	BC_AUTO(stream_close) struct file_stream stream = {.fd = -1};
	struct text text;

	if (!stream_open("-", &stream, err) || !lines_init(&lines, &stream, err))
		return false;
	err->code = BC_OK;
	while (lines_next(&lines, &text, err)) {
		text = text_trim(text);
		if (!text.len || *text.at == '#') {
			lines_skip_blank(&lines);
			continue;
		}
		if (!answer(args, context, text, nowhere, err)) {
			struct bc_error why = *err;
			return bc_fail(err, why.code, "%s: line %" PRIu64 ": %s", stream.name,
				       lines.number, why.text);
		}
	}
	return err->code == BC_OK;
}

static bool answer_all(const struct arguments *args, const struct addr_context *context, int argc,
		       char **argv, bool *nowhere, struct bc_error *err)
{
	if (optind == argc)
		return answer_stdin(args, context, nowhere, err);
	for (int i = optind; i < argc; i++)
		if (!strcmp(argv[i], "-") ? !answer_stdin(args, context, nowhere, err)
					  : !answer(args, context, text_of(argv[i]), nowhere, err))
			return false;
	return true;
}

static int run_addr(const struct command *command, int argc, char **argv)
{
	struct arguments args = {.from = ADDR_RUN};
	struct addr_context context = {0};
	BC_AUTO(where_free) struct where where = {0};
	struct bc_error err = {0};
	bool nowhere = false;

	int usage = parse(command, argc, argv, &args);
	if (usage != EXIT_DONE)
		return usage;
	if (args.help) {
		command_help(command, stdout);
		return EXIT_DONE;
	}
	context.explain = args.explain;
	context.before = args.before;
	struct debug_dirs dirs = debug_dirs_of(&args.debug_dirs);
	bool ok = (!args.nomem || bc_fail_nomem(&err)) &&
		  subject_open(args.binary, args.input, &dirs, &context.subject, &err) &&
		  check_input(&args, &context, &err) && locate(&args, &where, &context, &err) && open_source(&args, &dirs, &context, &err);
	if (ok && args.from == ADDR_RUN && !context.process.loads.all.len)
		ok = bc_fail(&err, BC_MISMATCH, "%s: run-time addresses of a position-independent binary "
			     "need --pid, --maps, --perf or --base", args.binary);
	if (ok) {
		tell_refused(&context);
		nowhere = tell_contradiction(&args, &context);
	}
	ok = ok && answer_all(&args, &context, argc, argv, &nowhere, &err);
	debug_lines_close(context.source);
	loads_free(&context.process.loads);
	subject_close(&context.subject);
	debug_dir_vec_free(&args.debug_dirs);
	if (!ok)
		return fail(&err);
	if (nowhere)
		return EXIT_WANTING;
	return args.partial ? EXIT_PARTIAL : EXIT_DONE;
}

const struct command addr_command = {
	"addr", "[OPTION]... --binary=BIN [ADDRESS]...",
	"convert addresses between run time, ELF file and functions, of the binary and\n"
	"of its input\n\n"
	"Shows all forms of each ADDRESS (read from stdin, one per line, if none is given);\n"
	"for a function and offset of INPUT, every place in BIN.  Exit code 3: an address\n"
	"was not found, the mappings contradict each other, or INPUT is not what llvm-bolt\n"
	"read.",
	rows, BC_COUNT(rows), STDIN_READ, run_addr, NULL,
};
