/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/summary.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "src/base/file.h"
#include "src/base/say.h"
#include "src/base/counts.h"
#include "src/figures/advice.h"
#include "src/flow/conversion.h"

/* ---- the binary that llvm-bolt is to read ---- */

struct bolt_reads bolt_reads_of(const struct conversion *conversion)
{
	const struct pair *pair = conversion_pair(conversion);

	if (pair)
		return (struct bolt_reads){conversion->options.input, bolt_input_of(&pair->image)};
	if (conversion_binary(conversion)->kind == BINARY_UNTOUCHED)
		return (struct bolt_reads){conversion->options.binary,
					   bolt_input_of(&conversion_binary(conversion)->image)};
	return (struct bolt_reads){0};
}

void bolt_reads_each(const struct bolt_reads *reads, bolt_limit_fn *each, void *ctx)
{
	for (int limit = 0; reads->path && limit < BOLT_LIMIT_COUNT; limit++)
		if (bolt_input_has(&reads->input, (enum bolt_limit)limit))
			each(ctx, reads->path, bolt_limit_text((enum bolt_limit)limit));
}

static const char *const symbol_words[] = {[BOLT_SYMBOLS_NONE] = "none",
					   [BOLT_SYMBOLS_DATA] = "data",
					   [BOLT_SYMBOLS_FUNCTIONS] = "functions"};
static const char *const debug_words[] = {[BOLT_DEBUG_NONE] = "none",
					  [BOLT_DEBUG_PLAIN] = "plain",
					  [BOLT_DEBUG_COMPRESSED] = "compressed"};

FIGURE_READER(symbols_of, struct bolt_reads, figure_string(symbol_words[it->input.symbols]))
FIGURE_READER(debug_of, struct bolt_reads, figure_string(debug_words[it->input.debug]))

static void write_limits(struct json *json, const struct figure_row *row, const void *at)
{
	const struct bolt_reads *reads = at;

	json_open(json, row->key, '[');
	for (int limit = 0; limit < BOLT_LIMIT_COUNT; limit++) {
		if (!bolt_input_has(&reads->input, (enum bolt_limit)limit))
			continue;
		json_open(json, NULL, '{');
		json_string(json, "limit", bolt_limit_key((enum bolt_limit)limit));
		json_string(json, "text", bolt_limit_text((enum bolt_limit)limit));
		json_close(json, '}');
	}
	json_close(json, ']');
}

static const struct figure_row reads_rows[] = {
	{"file", NULL, VALUE(struct bolt_reads, path)},
	FIGURES(struct bolt_reads, input., relocations, build_id, kernel, go),
	{"symbols", .read = symbols_of},
	{"debug_info", .read = debug_of},
	{"limits", .write = write_limits},
	{0},
};

void bolt_reads_json(const struct bolt_reads *reads, struct json *json, const char *key)
{
	if (reads->path)
		figures_json_object(reads_rows, reads, json, key);
}

void bolt_reads_write(struct json *json, const struct figure_row *row, const void *conversion)
{
	const struct bolt_reads reads = bolt_reads_of(conversion);

	bolt_reads_json(&reads, json, row->key);
}

/* ---- hardware traces ---- */

FIGURE_READER(kind_of, struct perf_trace_report, figure_string(perf_trace_name(it)))

const struct figure_row trace_rows[] = {
	{"trace", BEGIN, IF(struct perf_trace_report, found)},
	{"kind", .read = kind_of},
	FIGURES(struct perf_trace_report, , buffers, bytes, snapshots, truncated, partial,
		collisions),
	FIGURES(struct perf_trace_report, , operations, branches, unattributed, gaps, damaged,
		bad_bytes, unknown_packets),
	FIGURES(struct perf_trace_report, , queues, conditional, indirect, dropped, overflows,
		late),
	{END},
	{0},
};

void trace_tell(const struct perf_trace_report *trace, char *line, size_t size)
{
	char read[160] = "";

	if (trace->kind == PERF_TRACE_ARM_SPE)
		snprintf(read, sizeof(read),
			 ": %" PRIu64 " operation%s sampled, of which %" PRIu64 " %s",
			 trace->operations, plural(trace->operations), trace->branches,
			 trace->branches == 1 ? "is a branch" : "are branches");
	else if (trace->decoded)
		snprintf(read, sizeof(read),
			 ", of %" PRIu64 " %s: %" PRIu64 " branch%s taken or not, %" PRIu64
			 " address%s where others led",
			 trace->queues,
			 trace->queues == 1 ? "processor or thread" : "processors or threads",
			 trace->conditional, trace->conditional == 1 ? "" : "es", trace->indirect,
			 trace->indirect == 1 ? "" : "es");
	snprintf(line, size, "%" PRIu64 " byte%s of a trace (%s) in %" PRIu64 " buffer%s%s",
		 trace->bytes, plural(trace->bytes), perf_trace_name(trace), trace->buffers,
		 plural(trace->buffers), read);
}

/* ---- what became of them ---- */

static uint64_t lost_answers(const struct flow_walk_report *walked)
{
	return walked->answers - walked->sums.walked;
}

static void write_lost(struct json *json, const struct figure_row *row, const void *of)
{
	const struct flow_walk_report *walked = of;

	json_open(json, row->key, '{');
	for (size_t i = 0; i < LOSS_COUNT; i++)
		json_number(json, walk_loss_key((enum walk_loss)i), walked->sums.lost[i]);
	json_close(json, '}');
}

static void write_lost_files(struct json *json, const struct figure_row *row, const void *of)
{
	const struct flow_walk_report *walked = of;

	json_open(json, row->key, '[');
	for (size_t i = 0; i < walked->files.len; i++) {
		const struct lost_file *file = &walked->files.at[i];
		char id[2 * BUILD_ID_MAX + 1];
		build_id_format(&file->id, id);
		json_open(json, NULL, '{');
		json_string(json, "path", file->path);
		json_string(json, "build_id", id);
		json_string(json, "reason", walk_loss_key(file->loss));
		json_number(json, "outcomes", file->answers);
		json_close(json, '}');
	}
	json_close(json, ']');
}

FIGURE_READER(more_files, struct flow_walk_report, figure_number(it->more_files))

const struct figure_row walk_rows[] = {
	{"outcomes", NULL, VALUE(struct flow_walk_report, answers)},
	{"decoded", NULL, VALUE(struct flow_walk_report, sums.walked)},
	{"lost", .write = write_lost},
	FIGURE(struct flow_walk_report, , branches),
	{"distinct_branches", NULL, VALUE(struct flow_walk_report, rows)},
	FIGURES(struct flow_walk_report, sums., mismatches, loops, gaps),
	{"files", .write = write_lost_files},
	{"more_files", .read = more_files},
	{0},
};

/* ---- a kernel: where it was, and the executed code in its modules ---- */

#define MOVED_SIZE 20

/* NULL: the binary is no kernel, or the input is of no recording. */
static const struct kernel_place *place_of(const struct conversion *c, size_t number)
{
	const struct kernel_space *kernel = &c->aggregate.space.kernel;

	return kernel->image && !kernel->options.in_place && number < c->aggregate.kernels.len &&
			       c->inputs.at[number].format != INPUT_PREAGG ?
		       &c->aggregate.kernels.at[number] :
		       NULL;
}

/* How far the kernel of an input moved: "0x1c400000", "-0x200000". */
static const char *kernel_moved(const struct conversion *c, size_t number, char text[MOVED_SIZE])
{
	const struct kernel_place *place = place_of(c, number);
	uint64_t moved = place ? place->moved : 0;
	bool down = moved >> 63;

	snprintf(text, MOVED_SIZE, "%s0x%" PRIx64, down ? "-" : "", down ? 0 - moved : moved);
	return text;
}

static const char *kernel_told(const struct conversion *c, size_t number)
{
	static const char *const words[] = {[KERNEL_NOT_TOLD] = "not recorded",
					    [KERNEL_HIDDEN] = "hidden",
					    [KERNEL_TOLD] = "recorded"};
	const struct kernel_place *place = place_of(c, number);

	return place ? words[place->told] : "no kernel";
}

/* By name, most samples first.  Out of memory: none. */
static struct kernel_module_vec kernel_modules(const struct conversion *c)
{
	struct kernel_module_vec modules = {0};
	struct bc_error ignored;

	if (!kernel_space_modules(&c->aggregate.space.kernel, &modules, &ignored))
		kernel_module_vec_free(&modules);
	return modules;
}

static void print_kernel(const char *path, const struct conversion *c, size_t number, FILE *out)
{
	const struct kernel_place *place = place_of(c, number);

	if (place && place->told == KERNEL_TOLD) {
		char moved[MOVED_SIZE];
		say_row(out, "", "%s: the kernel had moved by %s from where its file has it", path,
			kernel_moved(c, number, moved));
	}
}

static void print_modules(const struct conversion *c, FILE *out)
{
	BC_AUTO(kernel_module_vec_free) struct kernel_module_vec modules = kernel_modules(c);

	if (modules.len)
		say_row(out, "", "samples in modules of the kernel:");
	for (size_t i = 0; i < modules.len; i++)
		say_row(out, "", "%12" PRIu64 " %.*s", modules.at[i].samples,
			(int)modules.at[i].name.len, modules.at[i].name.at);
}

/* ---- text: rows that show what was read, how much of it is used, what was lost and why; with
 * -v each row has all that is known about it ---- */

#define REASONS_NAMED 3
#define REASONS_SIZE  400

static const struct figure_row yaml_rows[] = {
	{"functions", "YAML: {} function{:s}\n", VALUE(struct yaml_report, functions)},
	{"without_hashes",
	 "{} of them without hashes, with {counts_without_hashes/counts:.1} % of the counts: llvm-bolt takes these with "
	 "-profile-ignore-hash only\n",
	 VALUE(struct yaml_report, unhashed), .any = true},
	{"counts", NULL, VALUE(struct yaml_report, count)},
	{"counts_without_hashes", NULL, VALUE(struct yaml_report, unhashed_count)},
	{"without_blocks", "{} of those without blocks: their control flow is not known\n",
	 VALUE(struct yaml_report, blockless), .any = true},
	FIGURE(struct yaml_report, , lost),
	{0},
};

/* Adds to a line, as far as it has room. */
BC_PRINTF(3, 4) static void add(char *line, size_t size, const char *fmt, ...)
{
	size_t length = strlen(line);
	va_list args;

	va_start(args, fmt);
	vsnprintf(line + length, size - length, fmt, args);
	va_end(args);
}

/* Adds "195 in the kernel, 161 in other files of the process": the reasons of one kind with the
 * most drops, each without what its text has in parentheses. */
static void add_reasons(char *line, size_t size, const struct ledger_words *words,
			const struct ledger *ledger, enum drop_kind kind)
{
	bool named[LEDGER_REASONS] = {false};
	size_t count = 0;

	for (size_t i = 0; i < words->reason_count; i++)
		count += words->reasons[i].kind == kind && ledger->dropped[i];
	for (size_t n = 0; n < count && n < REASONS_NAMED; n++) {
		size_t most = 0;
		uint64_t dropped = 0;
		for (size_t i = 0; i < words->reason_count; i++)
			if (words->reasons[i].kind == kind && !named[i] &&
			    ledger->dropped[i] > dropped) {
				most = i;
				dropped = ledger->dropped[i];
			}
		const char *text = words->reasons[most].text, *end = strstr(text, " (");
		named[most] = true;
		add(line, size, "%s%" PRIu64 " %.*s", n ? ", " : "", dropped,
		    (int)(end ? (size_t)(end - text) : strlen(text)), text);
	}
	if (count > REASONS_NAMED)
		add(line, size, " and for %zu more reasons", count - REASONS_NAMED);
}

/* "2896 of 3840 used; excluded: 473 outside the binary's functions, ..." */
static void add_used(char *line, size_t size, const struct ledger_words *words,
		     const struct ledger *ledger)
{
	add(line, size, "%" PRIu64 " of %" PRIu64 " used", ledger->kept, ledger->read);
	if (!ledger_dropped_as(ledger, words, DROP_EXCLUDED))
		return;
	add(line, size, "; excluded: ");
	add_reasons(line, size, words, ledger, DROP_EXCLUDED);
}

/* All reasons that dropped something: the JSON has those that dropped nothing, too. */
static void print_reasons(const struct ledger_words *words, const struct ledger *ledger, FILE *out)
{
	uint64_t excluded = ledger_dropped_as(ledger, words, DROP_EXCLUDED),
		 lost = ledger_dropped_as(ledger, words, DROP_LOST);

	if (!ledger->read)
		return;
	say_row(out, "",
		"%s: %" PRIu64 " read, %" PRIu64 " used, %" PRIu64 " excluded (%.1f %%), %" PRIu64
		" lost (%.1f %%)",
		words->text, ledger->read, ledger->kept, excluded,
		percent_of(excluded, ledger->read), lost, percent_of(lost, ledger->read));
	for (size_t i = 0; i < words->reason_count; i++)
		if (ledger->dropped[i])
			say_row(out, "", "%12" PRIu64 " (%4.1f %%) %s: %s", ledger->dropped[i],
				percent_of(ledger->dropped[i], ledger->read),
				words->reasons[i].kind == DROP_LOST ? "lost" : "excluded",
				words->reasons[i].text);
}

void found_input_say(const struct found_input *found, FILE *out)
{
	if (found->taken)
		say_note(out, "input binary: %s, found by its build-id %s (--no-input: go without)",
			 found->taken->path, input_where_words(found->taken->where));
}

static void print_binary(const struct summary *summary, bool verbose, FILE *out)
{
	const struct conversion *c = summary->conversion;
	const struct binary *binary = conversion_binary(c);
	const struct bat_table *bat = &binary->bat;
	const struct bat_parents *parents = &binary->parents;
	const struct input_file *found = c->found_input.taken;
	const char *machine = machine_name(binary->image.machine);
	char id[2 * BUILD_ID_MAX + 1];

	if (binary->kind == BINARY_UNTOUCHED)
		say_row(out, "binary", "%s: %s, not BOLTed: the profile is for this binary itself",
			c->options.binary, machine);
	else if (found)
		say_row(out, "binary",
			"%s: %s, BOLTed (BAT of %s); input binary: %s, found by its build-id %s",
			c->options.binary, machine, bat_layout_releases(bat->layout), found->path,
			input_where_words(found->where));
	else
		say_row(out, "binary", "%s: %s, BOLTed (BAT of %s); input binary: %s",
			c->options.binary, machine, bat_layout_releases(bat->layout),
			c->options.input ? c->options.input : "not given");
	if (!verbose)
		return;
	build_id_format(&binary->image.build_id, id);
	say_row(out, "", "build-id %s", *id ? id : "none");
	if (binary->kind != BINARY_UNTOUCHED)
		say_row(out, "", "BAT layout %s, %u fragment%s (%u cold)",
			bat_layout_name(bat->layout), bat->fragment_count,
			plural(bat->fragment_count), parents->cold);
	if (parents->repaired || parents->unknown)
		say_row(out, "", "parents of cold fragments: %u taken from the symbols, %u unknown",
			parents->repaired, parents->unknown);
	if (binary->debug.path)
		say_row(out, "", "names of functions from %s", binary->debug.path);
}

/* ---- samples ---- */

static void print_perf_data(const char *path, const struct reader_report *report, FILE *out)
{
	const struct perf_data_report *perf = &report->perf;
	uint64_t count = perf_data_records(perf);

	say_row(out, "", "%s: perf.data%s, %" PRIu64 " record%s%s", path,
		perf->pipe ? " from a pipe" : "", count, plural(count),
		!report->timeless ?
			"" :
		perf->trace.decoded ?
			"; no time stamps: what a process has mapped in the end counts" :
			"; no time stamps: mappings are taken in stream order");
	if (*perf->info.cmdline)
		say_row(out, "", "%s: recorded on %s by: %s", path, perf->info.hostname,
			perf->info.cmdline);
	if (perf->trace.found) {
		char line[256];
		trace_tell(&perf->trace, line, sizeof(line));
		say_row(out, "", "%s: %s", path, line);
	}
	if (perf->late_events)
		say_row(out, "",
			"%s: %" PRIu64 " process event%s came after later samples, which "
			"could not know of them",
			path, perf->late_events, plural(perf->late_events));
}

/* Says how an input continues the recording of the input before it. */
static void print_continuation(const char *path, const char *before, enum continuation continuation,
			       FILE *out)
{
	if (continuation == CONTINUATION_OF_LAST)
		say_row(out, "",
			"%s: continues where %s ended: the same recording, so its processes are known",
			path, before);
	else if (continuation == CONTINUATION_GOES_BACK)
		say_row(out, "",
			"%s: begins before %s ends: taken for a recording of its own (give the parts of one in the "
			"order of their times)",
			path, before);
}

/* Pre-aggregated records are of no process, so time stamps would say nothing. */
static void print_text(const char *path, const struct reader_report *report, FILE *out)
{
	if (reader_report_is_empty(report) && !report->lines)
		say_row(out, "", "%s: is empty", path);
	else
		say_row(out, "", "%s: %s, %" PRIu64 " line%s%s", path,
			input_format_name(report->format), report->lines, plural(report->lines),
			report->timeless && report->format != INPUT_PREAGG ?
				"; no time stamps: mappings are taken in stream order" :
				"");
}

static void print_inputs(const struct summary *summary, FILE *out)
{
	const struct conversion *c = summary->conversion;
	const struct report_vec *inputs = &c->inputs;

	for (size_t i = 0; i < inputs->len; i++) {
		const char *path = input_name(c->options.samples[i]);
		if (inputs->at[i].format == INPUT_PERF_DATA)
			print_perf_data(path, &inputs->at[i], out);
		else
			print_text(path, &inputs->at[i], out);
		print_kernel(path, c, i, out);
		if (i)
			print_continuation(path, input_name(c->options.samples[i - 1]),
					   inputs->at[i].continuation, out);
	}
}

static void print_maps(const struct summary *summary, FILE *out)
{
	uint64_t given = summary->conversion->aggregate.given;

	if (summary->maps && summary->maps->len)
		say_row(out, "",
			"%s%s: %" PRIu64
			" sample%s of processes of which no mapping of the binary was recorded: placed by "
			"the maps that were given",
			input_name(summary->maps->at[0].path),
			summary->maps->len > 1 ? " and others" : "", given, plural(given));
}

/* "LBR (branch stacks)": what the branches of the profile come from. */
static const char *source_words(const struct conversion *c)
{
	if (c->profile.of_input)
		return "basic (no LBR): branches are inferred";
	if (c->basic)
		return "basic (no LBR)";
	for (size_t i = 0; i < c->inputs.len; i++)
		if (c->inputs.at[i].perf.trace.found)
			return perf_trace_name(&c->inputs.at[i].perf.trace);
	return c->ledgers.samples.read ? "LBR" : "counted branches";
}

static void add_check(char *line, size_t size, const struct conversion *c)
{
	const struct disagreement worst = build_check_worst(&c->check);

	if (c->check.checked && !c->options.from_compiler)
		add(line, size, "; build check: %" PRIu64 " of %" PRIu64 " %s match",
		    worst.compared - worst.differ, worst.compared,
		    build_check_words(&c->check, c->basic));
}

static void print_samples(const struct summary *summary, bool verbose, FILE *out)
{
	const struct conversion *c = summary->conversion;
	const struct ledger *samples = &c->ledgers.samples;
	const struct build_check *check = &c->check;
	char line[PATH_MAX + REASONS_SIZE] = "";

	if (c->options.from_compiler)
		return;
	if (c->inputs.len == 1)
		add(line, sizeof(line), "%s", input_name(c->options.samples[0]));
	else
		add(line, sizeof(line), "%zu files", c->inputs.len);
	add(line, sizeof(line), ": %s", source_words(c));
	if (samples->read) {
		add(line, sizeof(line), "; ");
		add_used(line, sizeof(line), &sample_words, samples);
	}
	add_check(line, sizeof(line), c);
	say_row(out, "samples", "%s", line);
	if (!verbose)
		return;
	print_inputs(summary, out);
	print_maps(summary, out);
	print_reasons(&sample_words, samples, out);
	print_modules(c, out);
	if (check->checked)
		say_row(out, "",
			"build check, mismatches: %" PRIu64 " on no branch, %" PRIu64
			" to another target, %" PRIu64
			" fall-throughs that end on no branch, %" PRIu64
			" inside an instruction (limit %.0f %%)",
			check->not_branch, check->bad_target, check->bad_end, check->inside,
			BUILD_CHECK_LIMIT_PERCENT);
	say_row(out, "", "%zu distinct %s", c->distinct, c->basic ? "addresses" : "traces");
}

static void print_walk(const struct flow_walk_report *walked, bool verbose, FILE *out)
{
	if (!walked->answers)
		return;
	say_row(out, "trace",
		"%" PRIu64 " of %" PRIu64 " branch outcomes followed through the code",
		walked->sums.walked, walked->answers);
	if (!verbose)
		return;
	for (size_t i = 0; i < LOSS_COUNT; i++)
		if (walked->sums.lost[i])
			say_row(out, "", "%12" PRIu64 " (%4.1f %%) lost: %s", walked->sums.lost[i],
				percent_of(walked->sums.lost[i], walked->answers),
				walk_loss_words((enum walk_loss)i));
	for (size_t i = 0; i < walked->files.len; i++)
		say_row(out, "", "%12" PRIu64 " (%4.1f %%) lost: %s: %s",
			walked->files.at[i].answers,
			percent_of(walked->files.at[i].answers, walked->answers),
			walk_loss_words(walked->files.at[i].loss), walked->files.at[i].path);
	say_row(out, "",
		"%" PRIu64 " mismatch%s of trace and code, %" PRIu64
		" loop%s without an end, %" PRIu64 " gap%s in the trace",
		walked->sums.mismatches, walked->sums.mismatches == 1 ? "" : "es",
		walked->sums.loops, plural(walked->sums.loops), walked->sums.gaps,
		plural(walked->sums.gaps));
}

static void print_branches(const struct conversion *c, bool verbose, FILE *out)
{
	const struct ledgers *l = &c->ledgers;
	const struct ledger *ledger = l->branches.read ? &l->branches : &l->traces;
	const struct ledger_words *words = l->branches.read ? &branch_words : &trace_words;

	if (ledger->read && !c->basic) {
		char line[REASONS_SIZE] = "";
		add_used(line, sizeof(line), words, ledger);
		say_row(out, l->branches.read ? "branches" : "traces", "%s", line);
	}
	if (!verbose)
		return;
	print_reasons(&branch_words, &l->branches, out);
	print_reasons(&trace_words, &l->traces, out);
	print_reasons(&memory_words, &l->memory, out);
	print_reasons(&range_words, &c->ranges.runs, out);
	print_reasons(&step_words, &c->ranges.steps, out);
}

/* ---- what was lost ---- */

static void add_lost(char *line, size_t size, const struct ledger_words *words,
		     const struct ledger *ledger)
{
	uint64_t lost = ledger_dropped_as(ledger, words, DROP_LOST);

	if (!lost)
		return;
	add(line, size, "%s%.1f %% of the %s: ", *line ? "; " : "", percent_of(lost, ledger->read),
	    words->text);
	add_reasons(line, size, words, ledger, DROP_LOST);
}

static void add_lost_of_walk(char *line, size_t size, const struct flow_walk_report *walked)
{
	bool first = true;

	if (!lost_answers(walked))
		return;
	add(line, size, "%s%.1f %% of the branch outcomes: ", *line ? "; " : "",
	    percent_of(lost_answers(walked), walked->answers));
	for (size_t i = 0; i < LOSS_COUNT; i++) {
		if (!walked->sums.lost[i])
			continue;
		add(line, size, "%s%" PRIu64 " %s", first ? "" : ", ", walked->sums.lost[i],
		    walk_loss_words((enum walk_loss)i));
		first = false;
	}
}

/* What perf itself could not record. */
static void add_lost_of_perf(char *line, size_t size, const struct report_vec *inputs)
{
	uint64_t records = 0, samples = 0;

	for (size_t i = 0; i < inputs->len; i++) {
		records += inputs->at[i].perf.lost_events;
		samples += inputs->at[i].perf.lost_samples;
	}
	if (records || samples)
		add(line, size, "%s%" PRIu64 " record%s and %" PRIu64 " sample%s by the recorder",
		    *line ? "; " : "", records, plural(records), samples, plural(samples));
}

static bool any_truncated(const struct report_vec *inputs)
{
	for (size_t i = 0; i < inputs->len; i++)
		if (reader_report_is_truncated(&inputs->at[i]))
			return true;
	return false;
}

static void print_lost(const struct conversion *c, FILE *out)
{
	char line[6 * REASONS_SIZE] = "";

	add_lost(line, sizeof(line), &sample_words, &c->ledgers.samples);
	add_lost_of_walk(line, sizeof(line), &c->walked);
	add_lost(line, sizeof(line), &branch_words, &c->ledgers.branches);
	add_lost(line, sizeof(line), &trace_words, &c->ledgers.traces);
	add_lost(line, sizeof(line), &memory_words, &c->ledgers.memory);
	if (conversion_wants(c, WANT_RANGES)) {
		add_lost(line, sizeof(line), &range_words, &c->ranges.runs);
		add_lost(line, sizeof(line), &step_words, &c->ranges.steps);
	}
	add_lost_of_perf(line, sizeof(line), &c->inputs);
	if (any_truncated(&c->inputs))
		add(line, sizeof(line), "%swhat would follow where a file is truncated",
		    *line ? "; " : "");
	say_row(out, "lost", "%s", *line ? line : "nothing");
}

/* ---- the profile ---- */

#define X(name, key, text)                                                                         \
	{key, "{:12} " text "\n", VALUE(struct restored, skipped[GUARD_##name]), .any = true},
static const struct figure_row guard_rows[] = {RESTORE_GUARDS(X){0}};
#undef X
#define X(name, key, text)                                                                         \
	{key, "{:12} " text " [" key "]\n", VALUE(struct restored, count[RESTORE_##name]),         \
	 .any = true},
static const struct figure_row rule_rows[] = {RESTORE_RULES(X){0}};
#undef X

static struct restored summary_restored(const struct summary *summary)
{
	struct restored restored = summary->conversion->restored;

	if (summary->yaml)
		restored.count[RESTORE_SITES] = summary->yaml->unsited;
	return restored;
}

static bool any_of(const uint64_t *counts, size_t count)
{
	while (count && !counts[count - 1])
		count--;
	return count > 0;
}

/* Only what is not 0. */
static void print_restored(const struct summary *summary, FILE *out)
{
	const struct restored restored = summary_restored(summary);

	if (any_of(restored.count, RESTORE_COUNT)) {
		say_row(out, "", "restored to the code of the input binary [rule of --restore]:");
		figures_text(rule_rows, &restored, false, SAY_CONTINUED, out);
	}
	if (any_of(restored.skipped, GUARD_COUNT)) {
		say_row(out, "",
			"left as llvm-bolt changed it, because nothing better is certain:");
		figures_text(guard_rows, &restored, false, SAY_CONTINUED, out);
	}
}

static void print_share(const char *why, const struct inferred_share *share, FILE *out)
{
	if (share->functions)
		say_row(out, "",
			"%" PRIu64 " function%s with %" PRIu64
			" sample%s: only the number of entries is written, because %s",
			share->functions, plural(share->functions), share->samples,
			plural(share->samples), why);
}

static void print_inferred(const struct conversion *c, bool verbose, FILE *out)
{
	const struct inferred *i = &c->inferred;

	if (c->not_inferred.code)
		say_row(out, "inferred", "no branches: %s", c->not_inferred.text);
	if (!c->profile.of_input || !c->ledgers.samples.kept)
		return;
	say_row(out, "inferred",
		"branches of %" PRIu64
		" function%s with %.1f %% of the samples, and their calls of "
		"others; %.1f %% of these samples are reassigned to other blocks",
		i->solved.functions, plural(i->solved.functions), inferred_percent(i),
		inferred_moved_percent(i));
	if (!verbose)
		return;
	if (i->plt.samples)
		say_row(out, "",
			"%" PRIu64
			" sample%s in PLT entries: the callers give the counts of these calls",
			i->plt.samples, plural(i->plt.samples));
#define X(share, text) print_share(text, &i->share, out);
	INFERRED_REASONS(X)
#undef X
}

static void print_compiler(const struct conversion *c, bool verbose, FILE *out)
{
	const struct compiler_counts *f = &c->compiler;

	if (!c->options.from_compiler || !f->functions)
		return;
	say_row(out, "counts",
		"from the compiler's map, which has %" PRIu64 " of %" PRIu64 " functions; %" PRIu64
		" of them (%.1f %%) have a count%s",
		f->mapped, f->functions, f->counted, compiler_counted_percent(f),
		f->forced ? ": each is taken to be entered as often as any other" : "");
	if (!verbose)
		return;
	say_row(out, "",
		"%.1f %% of the bytes of code have no map: the profile has nothing of them",
		percent_of(f->unmapped_bytes, f->code_bytes));
	say_row(out, "",
		"%12" PRIu64
		" (%4.1f %%) of the functions with a count have more calls than entries",
		f->undercounted, compiler_undercounted_percent(f));
	say_row(out, "",
		"%12" PRIu64
		" whose code cannot be read in whole or in part: what was not read has no counts",
		f->no_code);
	say_row(out, "",
		"%12" PRIu64
		" with a control flow beyond the limit of the solver: counted by the compiler's frequencies, if the map has them",
		f->unsolved);
}

static size_t summary_records(const struct summary *summary)
{
	const struct conversion *c = summary->conversion;

	if (summary->next)
		return summary->next->profile->record_count;
	if (conversion_wants(c, WANT_COUNTS))
		return c->preagg.count;
	return conversion_wants(c, WANT_RECORDS) ? c->profile.record_count :
						   c->ranges.range_count + c->ranges.branch_count;
}

static const char *printed_output(const struct summary *summary)
{
	return strcmp(summary->output, "-") ? summary->output : "<stdout>";
}

static void print_profile(const struct summary *summary, bool verbose, FILE *out)
{
	const struct conversion *c = summary->conversion;
	const struct profile *profile = summary->next ? summary->next->profile : &c->profile;
	size_t records = summary_records(summary), functions = profile->function_count;

	if (summary->output && conversion_wants(c, WANT_RECORDS))
		say_row(out, "profile", "%s: %zu record%s, %zu function%s", printed_output(summary),
			records, plural(records), functions, plural(functions));
	else if (summary->output)
		say_row(out, "profile", "%s: %zu record%s", printed_output(summary), records,
			plural(records));
	if (!verbose)
		return;
	if (summary->yaml)
		figures_text(yaml_rows, summary->yaml, false, SAY_CONTINUED, out);
	print_restored(summary, out);
}

static void say_limit(void *out, const char *path, const char *text)
{
	say_warning(out, "%s: %s", path, text);
}

/* The binary that llvm-bolt is to read with the profile. */
static struct bolt_reads reads_of(const struct summary *summary)
{
	const struct carry_report *next = summary->next;

	return next ? (struct bolt_reads){next->new_build,
					  bolt_input_of(&next->profile->binary->image)} :
		      bolt_reads_of(summary->conversion);
}

void summary_doubts(const struct summary *summary, FILE *out)
{
	const struct bolt_reads reads = reads_of(summary);

	bolt_reads_each(&reads, say_limit, out);
	summary_each_doubt(summary, warn_by_line, out);
}

void summary_text(const struct summary *summary, bool verbose, FILE *out)
{
	const struct conversion *c = summary->conversion;

	print_binary(summary, verbose, out);
	print_samples(summary, verbose, out);
	print_walk(&c->walked, verbose, out);
	print_branches(c, verbose, out);
	print_lost(c, out);
	print_inferred(c, verbose, out);
	print_compiler(c, verbose, out);
	if (summary->next)
		carry_report_text(summary->next, out);
	print_profile(summary, verbose, out);
}

/* ---- what to do now ---- */

static enum outcome outcome_of(const struct conversion *c)
{
	const bool bolted = conversion_binary(c)->kind == BINARY_BOLTED;

	return c->basic && bolted && !c->options.input && c->aggregate.options.rules.infer ?
		       OUTCOME_ADDRESSES :
		       OUTCOME_WRITTEN;
}

/* Does llvm-bolt take the file that was written? */
static bool is_for_bolt(const struct summary *summary)
{
	return summary->output && !summary->refusal &&
	       conversion_wants(summary->conversion, WANT_RECORDS) &&
	       !(summary->yaml && summary->yaml->unhashed);
}

void summary_next(const struct summary *summary, FILE *out)
{
	const struct conversion *c = summary->conversion;
	const struct bolt_reads reads = bolt_reads_of(c);
	const struct binary *binary = conversion_binary(c);
	const bool untouched = binary->kind == BINARY_UNTOUCHED;
	const enum outcome outcome = outcome_of(c);
	const bool named = summary->output && strcmp(summary->output, "-") != 0;
	const bool fdata = summary->format && !strcmp(summary->format, "fdata");
	const struct outcome_files files = {
		c->options.binary,
		reads.path,
		c->options.samples,
		c->options.sample_count,
		named && (fdata || outcome == OUTCOME_WRITTEN) ? summary->output : NULL,
		.bolt = reads.path ? &reads.input : NULL,
		.debug = untouched ? binary->debug.path : NULL};
	struct advice next;

	if (summary->next) {
		carry_report_next(summary->next, out);
		return;
	}
	if (!is_for_bolt(summary) || !summary_records(summary) ||
	    (!named && outcome == OUTCOME_WRITTEN))
		return;
	advise_outcome(outcome, false, &files, &next);
	if (outcome == OUTCOME_ADDRESSES)
		say_warning(out, "%s", next.sentence);
	if (*next.command)
		fprintf(out, "next: %s%s\n", next.command,
			reads.path ? "" : "  # INPUT is the binary that llvm-bolt read");
}

/* ---- JSON ---- */

FIGURE_READER(machine_of, enum machine, figure_string(machine_name(*it)))
FIGURE_READER(layout_of, struct binary,
	      figure_string(it->kind == BINARY_UNTOUCHED ? "none" :
							   bat_layout_name(it->bat.layout)))

static const struct figure_row binary_rows[] = {
	{"machine", NULL, VALUE_BY(struct binary, image.machine, machine_of)},
	{"build_id", NULL, VALUE(struct binary, image.build_id)},
	{"bat_layout", .read = layout_of},
	{"fragments", NULL, VALUE(struct binary, bat.fragment_count)},
	{"cold_fragments", NULL, VALUE(struct binary, parents.cold)},
	{"parents_repaired", NULL, VALUE(struct binary, parents.repaired)},
	{"parents_unknown", NULL, VALUE(struct binary, parents.unknown)},
	{"stripped", NULL, VALUE(struct binary, functions.stripped)},
	{"debug_file", NULL, VALUE(struct binary, debug.path)},
	{0},
};

static void write_binary(struct json *json, const struct figure_row *row, const void *conversion)
{
	(void)row;
	figures_json(binary_rows, conversion_binary(conversion), json);
}

FIGURE_READER(where_found, struct conversion,
	      figure_string(it->found_input.taken ? input_where_key(it->found_input.taken->where) :
						    ""))
FIGURE_READER(format_of, struct reader_report, figure_string(input_format_name(it->format)))
FIGURE_READER(compression_of, struct reader_report, figure_string(packing_name(it->packing)))
FIGURE_READER(is_truncated, struct reader_report, figure_flag(reader_report_is_truncated(it)))
FIGURE_READER(truncated_at, struct reader_report,
	      figure_number(it->packed_cut ? it->packed_cut_at :
			    it->cut        ? it->cut_at :
					     it->perf.truncated_at))
FIGURE_READER(continues, struct reader_report,
	      figure_flag(it->continuation == CONTINUATION_OF_LAST))
FIGURE_READER(perf_records, struct perf_data_report, figure_number(perf_data_records(it)))

static const struct figure_row reader_rows[] = {
	{"format", .read = format_of},
	{"compression", .read = compression_of},
	FIGURE(struct reader_report, , lines),
	{"ignored_lines", NULL, VALUE(struct reader_report, ignored)},
	FIGURE(struct reader_report, , timeless),
	{"truncated", .read = is_truncated},
	{"truncated_at", .read = truncated_at},
	{"continues", .read = continues},
	{0},
};

static const struct figure_row perf_rows[] = {
	FIGURE(struct perf_data_report, , pipe),
	{"records", .read = perf_records},
	FIGURES(struct perf_data_report, , unknown_records, unknown_type, unfinished, lost_events,
		lost_samples, late_events, trace_records),
	FIGURES(struct perf_data_report, , traced_samples, traced_bytes),
	{.rows = trace_rows, .at = offsetof(struct perf_data_report, trace)},
	{0},
};

static void write_inputs(struct json *json, const struct figure_row *row, const void *conversion)
{
	const struct conversion *c = conversion;
	char moved[MOVED_SIZE];

	json_open(json, row->key, '[');
	for (size_t i = 0; i < c->inputs.len; i++) {
		json_open(json, NULL, '{');
		json_string(json, "path", c->options.samples[i]);
		figures_json(reader_rows, &c->inputs.at[i], json);
		json_string(json, "kernel", kernel_told(c, i));
		json_string(json, "kernel_moved", kernel_moved(c, i, moved));
		if (c->inputs.at[i].format == INPUT_PERF_DATA)
			figures_json(perf_rows, &c->inputs.at[i].perf, json);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_map_files(struct json *json, const struct figure_row *row, const void *of)
{
	const struct map_file_vec *maps = ((const struct summary *)of)->maps;

	json_open(json, row->key, '[');
	for (size_t i = 0; maps && i < maps->len; i++)
		json_string(json, NULL, maps->at[i].path);
	json_close(json, ']');
}

static void write_modules(struct json *json, const struct figure_row *row, const void *conversion)
{
	BC_AUTO(kernel_module_vec_free)
	struct kernel_module_vec modules = kernel_modules(conversion);

	json_open(json, row->key, '[');
	for (size_t i = 0; i < modules.len; i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", modules.at[i].name.at);
		json_number(json, "samples", modules.at[i].samples);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void ledger_json(struct json *json, const struct ledger *ledger, const struct ledger_words *words)
{
	json_open(json, words->key, '{');
	json_number(json, "read", ledger->read);
	json_number(json, "kept", ledger->kept);
	json_open(json, "dropped", '{');
	for (size_t i = 0; i < words->reason_count; i++)
		json_number(json, words->reasons[i].key, ledger->dropped[i]);
	json_close(json, '}');
	json_close(json, '}');
}

static void write_ledger(struct json *json, const struct figure_row *row, const void *at)
{
	ledger_json(json, at, row->with);
}

static void write_restored(struct json *json, const struct figure_row *row, const void *summary)
{
	const struct restored restored = summary_restored(summary);

	json_open(json, row->key, '{');
	figures_json(rule_rows, &restored, json);
	figures_json_object(guard_rows, &restored, json, "skipped");
	json_close(json, '}');
}

FIGURE_READER(percent_inferred, struct inferred, figure_real(inferred_percent(it)))
FIGURE_READER(percent_moved, struct inferred, figure_real(inferred_moved_percent(it)))

#define SHARE(field)                                                                               \
	{#field, BEGIN}, FIGURES(struct inferred, field., functions, samples),                     \
	{                                                                                          \
		END                                                                                \
	}
const struct figure_row inferred_rows[] = {
	SHARE(solved),
	SHARE(no_cfg),
	SHARE(plt),
	SHARE(too_large),
	SHARE(step_limit),
	{"reassigned_samples", NULL, VALUE(struct inferred, moved)},
	{"percent", .read = percent_inferred},
	{"reassigned_percent", .read = percent_moved},
	{0},
};
#undef SHARE

FIGURE_READER(percent_counted, struct compiler_counts, figure_real(compiler_counted_percent(it)))
FIGURE_READER(percent_contradicted, struct compiler_counts,
	      figure_real(compiler_undercounted_percent(it)))

static const struct figure_row compiler_rows[] = {
	FIGURES(struct compiler_counts, , functions, mapped, countable, counted, undercounted,
		no_code, unsolved, code_bytes, unmapped_bytes, forced),
	{"counted_percent", .read = percent_counted},
	{"undercounted_percent", .read = percent_contradicted},
	{0},
};

FIGURE_READER(check_rate, struct build_check, figure_real(build_check_rate(it)))

static const struct figure_row check_rows[] = {
	FIGURES(struct build_check, , checked, not_branch, bad_target, bad_end, inside, outcomes,
		mismatched),
	{"rate_percent", .read = check_rate},
	{"limit_percent", .fixed = "5.0000"},
	{0},
};

FIGURE_READER(is_refused, struct summary, figure_flag(it->refusal))
FIGURE_READER(refusal_of, struct summary, figure_string(it->refusal ? it->refusal->text : NULL))
FIGURE_READER(hint_of, struct summary,
	      figure_string(it->refusal ? bc_error_hint(it->refusal) : NULL))

static void write_reads(struct json *json, const struct figure_row *row, const void *summary)
{
	const struct bolt_reads reads = reads_of(summary);

	bolt_reads_json(&reads, json, row->key);
}

static void write_carried(struct json *json, const struct figure_row *row, const void *of)
{
	const struct summary *summary = of;

	if (summary->next)
		carry_report_object(summary->next, json, row->key);
}

static void write_yaml(struct json *json, const struct figure_row *row, const void *of)
{
	const struct summary *summary = of;

	figures_json_object(yaml_rows, summary->yaml ? summary->yaml : &(struct yaml_report){0},
			    json, row->key);
}

static void write_warning(void *ctx, const char *text)
{
	json_string(ctx, NULL, text);
}

static void write_warnings(struct json *json, const struct figure_row *row, const void *summary)
{
	json_open(json, row->key, '[');
	summary_each_warning(summary, write_warning, json);
	summary_each_doubt(summary, write_warning, json);
	json_close(json, ']');
}

FIGURE_READER(mode_of, struct conversion, figure_string(it->basic ? "basic" : "branch"))
FIGURE_READER(records_of, struct summary, figure_number(summary_records(it)))

#define CONVERSION THROUGH(struct summary, conversion)
#define LEDGER(field, words)                                                                       \
	{#field, .at = offsetof(struct conversion, field), .write = write_ledger, .with = &words,  \
	 CONVERSION}
static const struct figure_row summary_rows[] = {
	FORMAT_ROWS("batconv-stats"),
	{"binary", BEGIN},
	{"path", NULL, VALUE(struct conversion, options.binary), CONVERSION},
	{"binary", .write = write_binary, CONVERSION},
	{END},
	{"llvm_bolt", .write = write_reads},
	{"input_binary", BEGIN},
	{"path", NULL, VALUE(struct conversion, options.input), CONVERSION},
	{"found", .read = where_found, CONVERSION},
	{END},
	{"inputs", .write = write_inputs, CONVERSION},
	{"maps", BEGIN},
	{"files", .write = write_map_files},
	{"samples", NULL, VALUE(struct conversion, aggregate.given), CONVERSION},
	{END},
	{"trace_decode", BEGIN},
	{.at = offsetof(struct conversion, walked), .rows = walk_rows, CONVERSION},
	{END},
	{"mode", .read = mode_of, CONVERSION},
	LEDGER(ledgers.samples, sample_words),
	{"modules", .write = write_modules, CONVERSION},
	LEDGER(ledgers.branches, branch_words),
	LEDGER(ledgers.traces, trace_words),
	LEDGER(ledgers.memory, memory_words),
	{"profgen", BEGIN},
	{"range_lines", NULL, VALUE(struct conversion, ranges.range_count), CONVERSION},
	{"branch_lines", NULL, VALUE(struct conversion, ranges.branch_count), CONVERSION},
	LEDGER(ranges.runs, range_words),
	LEDGER(ranges.steps, step_words),
	{END},
	{"returns", BEGIN},
	{"by_type", NULL, VALUE(struct conversion, found.by_type), CONVERSION},
	{"by_address", NULL, VALUE(struct conversion, found.by_address), CONVERSION},
	{END},
	{"restored", .write = write_restored},
	{"inferred", BEGIN},
	{"branches", NULL, VALUE(struct conversion, profile.of_input), CONVERSION},
	{.at = offsetof(struct conversion, inferred), .rows = inferred_rows, CONVERSION},
	{END},
	{"compiler", BEGIN},
	{"used", NULL, VALUE(struct conversion, options.from_compiler), CONVERSION},
	{.at = offsetof(struct conversion, compiler), .rows = compiler_rows, CONVERSION},
	{END},
	{"carried", .write = write_carried},
	{"build_check", BEGIN},
	{.at = offsetof(struct conversion, check), .rows = check_rows, CONVERSION},
	{"refused", .read = is_refused},
	{END},
	{"distinct", NULL, VALUE(struct conversion, distinct), CONVERSION},
	{"records", .read = records_of},
	{"yaml", .write = write_yaml},
	{"partial", NULL, VALUE(struct conversion, partial), CONVERSION},
	{"warnings", .write = write_warnings},
	{"error", .read = refusal_of},
	{"hint", .read = hint_of},
	{0},
};

void summary_json(const struct summary *summary, FILE *out)
{
	figures_json_document(summary_rows, summary, out);
}
