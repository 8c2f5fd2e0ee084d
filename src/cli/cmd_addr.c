/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <inttypes.h>
#include <string.h>

#include "src/base/lines.h"
#include "src/address/query.h"
#include "src/cli/options.h"
#include "src/base/say.h"
#include "src/cli/operands.h"
#include "src/cli/sample_options.h"
#include "src/samples/open.h"
#include "src/samples/loads.h"
#include "src/code/pair.h"

struct arguments {
	const char *binary, *input, *maps, *perf, *image;
	struct number pid, process, time, id, base;
	bool before, explain, source, json, no_input;
	enum addr_kind from;
	struct words debug_dirs;
	bool partial; /* something of an input could not be read */
};

static const char *read_base(struct command_line *line, const struct option_row *row,
			     const char *value)
{
	struct number *base = option_field(line, row);

	base->given = true;
	return text_hex(text_of(value), &base->is) ? NULL : OPTION_WRONG;
}

static const struct option_row rows[] = {
	{0, "binary", "BIN", FILE_READ, "the binary that the addresses belong to (required)",
	 INTO(binary), .place = PLACE_IMAGE},
	{0, "input", "INPUT", FILE_READ,
	 "the binary that llvm-bolt read to write BIN, to show\naddresses in it", INTO(input),
	 .place = PLACE_INPUT},
	NO_INPUT_ROW,
	{0, "from", "KIND:run,vaddr,offset,func,input", NO_FILE,
	 "kind of ADDRESS: run (default), vaddr, offset,\n"
	 "func (NAME+0xOFFSET in BIN) or input (NAME+0xOFFSET in INPUT)",
	 INTO(from)},
	{0, "pid", "PID", NO_FILE, "take the mappings of this running process", INTO(pid),
	 .takes = "a process id", .most = INT32_MAX},
	{0, "maps", "FILE", FILE_READ, "take the mappings in FILE (/proc/PID/maps text, .bcmaps)",
	 INTO(maps), .place = PLACE_MAPS},
	{0, "perf", "FILE", FILE_READ, "take the mappings in a recording (perf.data, perf script)",
	 INTO(perf), .place = PLACE_RECORDING},
	{0, "base", "ADDR", NO_FILE, "the load address: run-time address minus vaddr",
	 INTO_BY(base, read_base), .takes = "a hexadecimal address"},
	{0, "process", "PID", NO_FILE, "which process, if several mapped BIN", INTO(process),
	 .takes = "a process id", .most = UINT32_MAX},
	{0, "time", "T", NO_FILE, "mappings at this time (default: the last ones),\n" TIME_HELP,
	 INTO_BY(time, option_time), .takes = TIME_TAKES},
	{0, "id", "N", NO_FILE, "mappings with this id", INTO(id), .takes = "a number",
	 .most = UINT32_MAX},
	{0, "image", "NAME", NO_FILE, "the name of BIN in the mappings, if it differs",
	 INTO(image)},
	{0, "return", NULL, NO_FILE, "ADDRESS is a return address: look up the call before it",
	 INTO(before)},
	{0, "explain", NULL, NO_FILE, "show the formulas with their numbers", INTO(explain)},
	{0, "source", NULL, NO_FILE, "show source lines, from the DWARF of INPUT or else BIN",
	 INTO(source)},
	JSON_ROW("one JSON object per address"),
	DEBUG_DIR_ROW,
	SANDBOX_ROW,
	COMMON_ROWS,
};

static int check(struct command_line *line)
{
	const struct arguments *args = line->arguments;

	if (!args->binary)
		return usage_error(line->command, "no --binary given", NULL);
	if (args->pid.given + !!args->maps + !!args->perf + args->base.given > 1)
		return usage_error(line->command,
				   "only one of --pid, --maps, --perf and --base can be given",
				   NULL);
	return args->input && args->no_input ? usage_error(line->command, BOTH_INPUTS, NULL) :
					       EXIT_DONE;
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
	uint64_t until = args->time.given ? args->time.is : UINT64_MAX;

	if (args->pid.given)
		return maps_open_process((uint32_t)args->pid.is, &where->snapshots, err);
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
		.pid = args->process.given ? (uint32_t)args->process.is : LOAD_CHOICE_ANY,
		.id = args->id.given ? (uint32_t)args->id.is : LOAD_CHOICE_ANY,
		.time = args->time.given ? args->time.is : UINT64_MAX,
	};

	if (args->base.given)
		return loaded_at_base(&context->process, args->base.is) || bc_fail_nomem(err);
	if (!args->pid.given && !args->maps && !args->perf)
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
	say_warning(
		stderr,
		"%s: its mappings in this process lead to different bases, which batconv maps prints: "
		"each run-time address is taken by its own mapping",
		args->binary);
	return true;
}

/* Whether the input is the one that llvm-bolt read, as convert has it. */
static bool check_input(const struct arguments *args, struct addr_context *context,
			struct bc_error *err)
{
	struct bc_error doubt = {0};

	bool ok = !args->input || pair_check(args->input, &context->subject.binary, &doubt, err);
	if (doubt.code)
		say_warning(stderr, "%s", doubt.text);
	return ok;
}

static bool open_source(const struct arguments *args, const struct debug_dirs *dirs,
			struct addr_context *context, struct bc_error *err)
{
	context->source_is_input = args->input != NULL;
	if (!args->source)
		return true;
	debug_lines_stay_offline();
	return debug_lines_open(args->input ? args->input : args->binary, dirs, false,
				&context->source, err);
}

/* Warns of debug files that belong to another build.  The search for source lines meets the same
 * files again: what it refused is reported only if nothing else was. */
static void tell_refused(const struct addr_context *context)
{
	const struct bc_error *binary = &context->subject.binary.debug.refused;
	const struct bc_error *input = &context->subject.input.debug.refused;
	const char *source = context->source ? debug_lines_refused(context->source) : NULL;

	if (binary->code)
		say_warning(stderr, "%s", binary->text);
	if (input->code)
		say_warning(stderr, "%s", input->text);
	if (source && !binary->code && !input->code)
		say_warning(stderr, "%s", source);
}

/* Look one address up.  False: it cannot be read; the text says why. */
static bool answer(const struct arguments *args, const struct addr_context *context,
		   struct text text, bool *nowhere, struct bc_error *err)
{
	struct chain_list list = {0};
	struct query query;
	const char *wrong = query_parse(args->from, text, &query);

	if (wrong)
		return bc_fail(err, BC_FORMAT, "%s '%.*s'", wrong, (int)text_first(text, 256).len,
			       text.at);
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

static bool answer_all(const struct arguments *args, const struct addr_context *context,
		       const struct words *addresses, bool *nowhere, struct bc_error *err)
{
	if (!addresses->len)
		return answer_stdin(args, context, nowhere, err);
	for (size_t i = 0; i < addresses->len; i++)
		if (!strcmp(addresses->at[i], "-") ?
			    !answer_stdin(args, context, nowhere, err) :
			    !answer(args, context, text_of(addresses->at[i]), nowhere, err))
			return false;
	return true;
}

static int run_addr(struct command_line *line)
{
	struct arguments *args = line->arguments;
	struct addr_context context = {0};
	BC_AUTO(where_free) struct where where = {0};
	BC_AUTO(found_input_free) struct found_input found_input = {0};
	struct bc_error err = {0};
	bool nowhere = false;

	context.explain = args->explain;
	context.before = args->before;
	struct debug_dirs dirs = {args->debug_dirs.at, args->debug_dirs.len};
	if (!args->input && input_is_sought(args->no_input))
		args->input = found_input_path(args->binary, &dirs, &found_input);
	bool ok = subject_open(args->binary, args->input, &dirs, &context.subject, &err) &&
		  check_input(args, &context, &err) && locate(args, &where, &context, &err) &&
		  open_source(args, &dirs, &context, &err);
	if (ok && args->from == ADDR_RUN && !context.process.loads.all.len)
		ok = bc_fail(&err, BC_MISMATCH,
			     "%s: run-time addresses of a position-independent binary "
			     "need --pid, --maps, --perf or --base",
			     args->binary);
	ok = ok && answer_all(args, &context, &line->operands, &nowhere, &err);
	if (ok) { /* after the addresses: a bad one is reported in one line */
		found_input_tell(&found_input);
		tell_refused(&context);
		nowhere |= tell_contradiction(args, &context);
	}
	debug_lines_close(context.source);
	loads_free(&context.process.loads);
	subject_close(&context.subject);
	if (!ok)
		return fail(&err);
	if (nowhere)
		return EXIT_CHECK_FAILED;
	return args->partial ? EXIT_PARTIAL : EXIT_DONE;
}

const struct command addr_command = {
	.name = "addr",
	.args = "[OPTION]... --binary=BIN [ADDRESS]...",
	.help = "convert addresses between run time, ELF file and functions, of the binary and\n"
		"of its input\n\n"
		"Shows all forms of each ADDRESS (read from stdin, one per line, if none is given);\n"
		"for a function and offset of INPUT, every location in BIN.  Exit code 3: an address\n"
		"was not found, the mappings do not match each other, or INPUT is not what llvm-bolt\n"
		"read.",
	.examples =
		"batconv addr --binary=prog.bolt --pid=PID 0x55e11c270022   # of a process that runs\n"
		"batconv addr --binary=prog.bolt --from=vaddr 0x4003c0\n"
		"batconv addr --binary=prog.bolt --from=input main+0x10",
	COMMAND_OPTIONS(rows),
	.operands = STDIN_READ,
	.size = sizeof(struct arguments),
	.check = check,
	.run = run_addr,
};
