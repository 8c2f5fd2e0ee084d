/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/summary.h"

#include <inttypes.h>
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

/* ---- traces of the processor ---- */

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

static void walk_print(const struct flow_walk_report *walked, bool all, FILE *out)
{
	if (!walked->answers && !all)
		return;
	say(out,
	    "hardware traces: %" PRIu64 " branch outcomes, %" PRIu64
	    " followed through the code, %" PRIu64 " lost (%.1f %%)",
	    walked->answers, walked->sums.walked, lost_answers(walked),
	    percent_of(lost_answers(walked), walked->answers));
	for (size_t i = 0; i < LOSS_COUNT; i++)
		if (all || walked->sums.lost[i])
			say(out, "  %12" PRIu64 " (%4.1f %%) %s", walked->sums.lost[i],
			    percent_of(walked->sums.lost[i], walked->answers),
			    walk_loss_words((enum walk_loss)i));
	for (size_t i = 0; all && i < walked->files.len; i++)
		say(out, "  %12" PRIu64 " (%4.1f %%) %s: %s", walked->files.at[i].answers,
		    percent_of(walked->files.at[i].answers, walked->answers),
		    walk_loss_words(walked->files.at[i].loss), walked->files.at[i].path);
	if (walked->sums.mismatches || walked->sums.loops || walked->sums.gaps || all)
		say(out,
		    "  the way was lost %" PRIu64
		    " time%s as trace and code did not agree, %" PRIu64
		    " time%s in loops of code, %" PRIu64 " time%s in gaps of the trace",
		    walked->sums.mismatches, plural(walked->sums.mismatches), walked->sums.loops,
		    plural(walked->sums.loops), walked->sums.gaps, plural(walked->sums.gaps));
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

/* ---- a kernel: where it was, and what ran in its modules ---- */

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
		say(out, "%s: the kernel had moved by %s from where its file has it", path,
		    kernel_moved(c, number, moved));
	}
}

static void print_modules(const struct conversion *c, FILE *out)
{
	BC_AUTO(kernel_module_vec_free) struct kernel_module_vec modules = kernel_modules(c);

	if (modules.len)
		say(out, "samples in modules of the kernel:");
	for (size_t i = 0; i < modules.len; i++)
		say(out, "  %12" PRIu64 " %.*s", modules.at[i].samples, (int)modules.at[i].name.len,
		    modules.at[i].name.at);
}

/* ---- text ---- */

static const struct figure_row yaml_rows[] = {
	{"functions", "YAML: {} function{:s}\n", VALUE(struct yaml_report, functions)},
	{"without_hashes",
	 "  {} of them without hashes, with {counts_without_hashes/counts:.1} % of the counts: llvm-bolt takes these with "
	 "-profile-ignore-hash only\n",
	 VALUE(struct yaml_report, unhashed), .any = true},
	{"counts", NULL, VALUE(struct yaml_report, count)},
	{"counts_without_hashes", NULL, VALUE(struct yaml_report, unhashed_count)},
	{"without_blocks", "  {} of those without blocks: their control flow is not known\n",
	 VALUE(struct yaml_report, blockless), .any = true},
	FIGURE(struct yaml_report, , lost),
	{0},
};

void found_input_say(const struct found_input *found, FILE *out)
{
	if (found->taken)
		say(out, "%s: the input, found by its build-id %s (--no-input: go without)",
		    found->taken->path, input_where_words(found->taken->where));
}

static void say_limit(void *out, const char *path, const char *text)
{
	say_warning(out, "%s: %s", path, text);
}

static void print_binary(const struct summary *summary, FILE *out)
{
	const struct binary *binary = conversion_binary(summary->conversion);
	const struct bat_table *bat = &binary->bat;
	const struct bat_parents *parents = &binary->parents;
	char id[2 * BUILD_ID_MAX + 1];

	build_id_format(&binary->image.build_id, id);
	const char *id_word = *id ? ", build-id " : "";
	if (binary->kind == BINARY_UNTOUCHED)
		say(out, "%s: %s, not BOLTed: the profile is for this binary itself%s%s",
		    summary->conversion->options.binary, machine_name(binary->image.machine),
		    id_word, id);
	else
		say(out, "%s: %s, BAT layout %s, %u fragment%s (%u cold)%s%s",
		    summary->conversion->options.binary, machine_name(binary->image.machine),
		    bat_layout_name(bat->layout), bat->fragment_count, plural(bat->fragment_count),
		    parents->cold, id_word, id);
	if (parents->repaired || parents->unknown)
		say(out, "%s: parents of cold fragments: %u taken from the symbols, %u unknown",
		    summary->conversion->options.binary, parents->repaired, parents->unknown);
	if (binary->debug.path)
		say(out, "%s: names of functions from %s", summary->conversion->options.binary,
		    binary->debug.path);
	if (binary->functions.stripped &&
	    binary->kind != BINARY_UNTOUCHED) /* else it is a limit of llvm-bolt */
		say_warning(
			out,
			"%s: stripped: functions are named by address, which llvm-bolt will not match",
			summary->conversion->options.binary);
	const struct bolt_reads reads = bolt_reads_of(summary->conversion);
	bolt_reads_each(&reads, say_limit, out);
}

static void print_perf_data(const char *path, const struct reader_report *report, bool verbose,
			    FILE *out)
{
	const struct perf_data_report *perf = &report->perf;
	uint64_t count = perf_data_records(perf);

	say(out, "%s: perf.data%s, %" PRIu64 " record%s%s", path, perf->pipe ? " from a pipe" : "",
	    count, plural(count),
	    !report->timeless   ? "" :
	    perf->trace.decoded ? "; no time stamps: what a process has mapped in the end counts" :
				  "; no time stamps: mappings are taken in stream order");
	if (verbose && *perf->info.cmdline)
		say(out, "%s: recorded on %s by: %s", path, perf->info.hostname,
		    perf->info.cmdline);
	if (perf->trace.found) {
		char line[256];
		trace_tell(&perf->trace, line, sizeof(line));
		say(out, "%s: %s", path, line);
	}
	if (perf->lost_events || perf->lost_samples)
		say(out, "%s: the recorder lost %" PRIu64 " record%s and %" PRIu64 " sample%s",
		    path, perf->lost_events, plural(perf->lost_events), perf->lost_samples,
		    plural(perf->lost_samples));
	if (perf->late_events)
		say(out,
		    "%s: %" PRIu64 " process event%s came after later samples, which "
		    "could not know of them",
		    path, perf->late_events, plural(perf->late_events));
}

/* Says how an input continues the recording of the input before it. */
static void print_continuation(const char *path, const char *before, enum continuation continuation,
			       FILE *out)
{
	if (continuation == CONTINUATION_OF_LAST)
		say(out,
		    "%s: continues where %s ended: the same recording, so its processes are known",
		    path, before);
	else if (continuation == CONTINUATION_GOES_BACK)
		say(out,
		    "%s: begins before %s ends: taken for a recording of its own (give the parts of one in the "
		    "order of their times)",
		    path, before);
}

/* Pre-aggregated records are of no process, so time stamps would say nothing. */
static void print_text(const char *path, const struct reader_report *report, FILE *out)
{
	if (reader_report_is_empty(report) && !report->lines) {
		say(out, "%s: is empty", path);
		return;
	}
	say(out, "%s: %s, %" PRIu64 " line%s%s", path, input_format_name(report->format),
	    report->lines, plural(report->lines),
	    report->timeless && report->format != INPUT_PREAGG ?
		    "; no time stamps: mappings are taken in stream order" :
		    "");
}

static void print_inputs(const struct summary *summary, bool verbose, FILE *out)
{
	const struct report_vec *inputs = &summary->conversion->inputs;

	for (size_t i = 0; i < inputs->len; i++) {
		const char *path = input_name(summary->conversion->options.samples[i]);
		if (inputs->at[i].format == INPUT_PERF_DATA)
			print_perf_data(path, &inputs->at[i], verbose, out);
		else
			print_text(path, &inputs->at[i], out);
		print_kernel(path, summary->conversion, i, out);
		if (i)
			print_continuation(path,
					   input_name(summary->conversion->options.samples[i - 1]),
					   inputs->at[i].continuation, out);
	}
}

static void print_maps(const struct summary *summary, FILE *out)
{
	uint64_t given = summary->conversion->aggregate.given;

	if (summary->maps && summary->maps->len)
		say(out,
		    "%s%s: %" PRIu64
		    " sample%s of processes of which no mapping of the binary was recorded: placed by "
		    "the maps that were given",
		    input_name(summary->maps->at[0].path),
		    summary->maps->len > 1 ? " and others" : "", given, plural(given));
}

static void print_ledger(const struct ledger_words *words, const struct ledger *ledger, bool all,
			 FILE *out)
{
	if (!ledger->read && !all)
		return;
	say(out, "%s: %" PRIu64 " read, %" PRIu64 " kept, %" PRIu64 " dropped (%.1f %%)",
	    words->text, ledger->read, ledger->kept, ledger_dropped(ledger),
	    percent_of(ledger_dropped(ledger), ledger->read));
	for (size_t i = 0; i < words->reason_count; i++)
		if (all || ledger->dropped[i])
			say(out, "  %12" PRIu64 " (%4.1f %%) %s", ledger->dropped[i],
			    percent_of(ledger->dropped[i], ledger->read), words->reasons[i].text);
}

static void print_check(const struct conversion *conversion, FILE *out)
{
	const struct build_check *check = &conversion->check;

	if (check->checked && !conversion->options.from_compiler)
		say(out,
		    "build check: %.2f %% of %" PRIu64
		    " %s do not match the binary's code (limit %.0f %%)",
		    build_check_rate(check),
		    build_check_rate(check) > 0 && check->mismatched ? check->outcomes :
								       check->checked,
		    build_check_words(check, conversion->basic), BUILD_CHECK_LIMIT_PERCENT);
}

#define X(name, key, text)                                                                         \
	{key, "  {:12} " text "\n", VALUE(struct restored, skipped[GUARD_##name])},
static const struct figure_row guard_rows[] = {RESTORE_GUARDS(X){0}};
#undef X
#define X(name, key, text)                                                                         \
	{key, "  {:12} " text "\n", VALUE(struct restored, count[RESTORE_##name]), .any = true},
static const struct figure_row rule_rows[] = {RESTORE_RULES(X){0}};
#undef X

static struct restored summary_restored(const struct summary *summary)
{
	struct restored restored = summary->conversion->restored;

	if (summary->yaml)
		restored.count[RESTORE_SITES] = summary->yaml->unsited;
	return restored;
}

static void print_restored(const struct summary *summary, bool all, FILE *out)
{
	const struct restored restored = summary_restored(summary);
	uint64_t sum = 0;

	for (size_t i = 0; i < RESTORE_COUNT; i++)
		sum += restored.count[i];
	if (sum || all) {
		say(out, "as the input has it, not as llvm-bolt left it (--restore):");
		figures_text(rule_rows, &restored, all, SAY_NAME, out);
	}
	if (all && summary->conversion->options.input) {
		say(out, "as llvm-bolt left it, as nothing better is certain:");
		figures_text(guard_rows, &restored, all, SAY_NAME, out);
	}
}

/* Says that the profile is of addresses, where no option asked for that but the samples have no
 * branch stacks. */
static void print_mode(const struct summary *summary, FILE *out)
{
	const struct conversion *c = summary->conversion;

	bool bolted = conversion_binary(c)->kind == BINARY_BOLTED;
	const char *how = "";

	if (!c->basic || c->options.aggregate.mode == MODE_BASIC)
		return;
	if (c->ledgers.branches.read && !c->ledgers.samples.kept)
		return; /* there are some, and all were left out */
	if (c->aggregate.options.rules.infer && conversion_wants(c, WANT_COUNTS))
		how = bolted ?
			      "; to infer them, convert the output with --input=PROG, the binary that llvm-bolt read" :
			      "; to infer them, convert the output";
	say(out, "no branch stacks: %s (record with -j any,u for branches%s)",
	    c->profile.of_input ? "branches are inferred from addresses" :
				  "a basic profile of addresses",
	    how);
}

static void print_share(const char *why, const struct inferred_share *share, FILE *out)
{
	if (share->functions)
		say(out,
		    "  %" PRIu64 " function%s with %" PRIu64
		    " sample%s: only the number of entries is written, because %s",
		    share->functions, plural(share->functions), share->samples,
		    plural(share->samples), why);
}

static void print_inferred(const struct conversion *c, FILE *out)
{
	const struct inferred *i = &c->inferred;

	if (c->not_inferred.code)
		say(out, "no branches are inferred: %s", c->not_inferred.text);
	if (!c->profile.of_input || !c->ledgers.samples.kept)
		return;
	say(out,
	    "inferred: branches of %" PRIu64 " function%s from %" PRIu64
	    " sample%s (%.1f %%); %.1f %% of these are counted in "
	    "another block than where they were taken, so that as much enters each block as leaves it",
	    i->solved.functions, plural(i->solved.functions), i->solved.samples,
	    plural(i->solved.samples), inferred_percent(i), inferred_moved_percent(i));
	if (i->plt.samples)
		say(out,
		    "  %" PRIu64
		    " sample%s in PLT entries: the callers give the counts of these calls",
		    i->plt.samples, plural(i->plt.samples));
#define X(share, text) print_share(text, &i->share, out);
	INFERRED_REASONS(X)
#undef X
}

static void print_compiler(const struct conversion *c, FILE *out)
{
	const struct compiler_counts *f = &c->compiler;

	if (!c->options.from_compiler || !f->functions)
		return;
	say(out,
	    "the compiler's map: %" PRIu64 " of %" PRIu64
	    " functions; %.1f %% of the bytes of code have no map: the profile has nothing of them",
	    f->mapped, f->functions, percent_of(f->unmapped_bytes, f->code_bytes));
	say(out, "  %12" PRIu64 " (%4.1f %%) with a count%s", f->counted,
	    compiler_counted_percent(f),
	    f->forced ? ": each is taken to be entered as often as any other" : "");
	if (f->counted)
		say(out, "  %12" PRIu64 " (%4.1f %% of these) with more calls than entries",
		    f->undercounted, compiler_undercounted_percent(f));
	if (f->no_code)
		say(out,
		    "  %12" PRIu64
		    " whose code cannot be read in whole or in part: what was not read has no counts",
		    f->no_code);
	if (f->unsolved)
		say(out,
		    "  %12" PRIu64
		    " with a control flow beyond the limit of the solver: counted by the compiler's frequencies, if the map has them",
		    f->unsolved);
}

static size_t summary_records(const struct summary *summary)
{
	const struct conversion *c = summary->conversion;

	if (conversion_wants(c, WANT_COUNTS))
		return c->preagg.count;
	return conversion_wants(c, WANT_RECORDS) ? c->profile.record_count :
						   c->ranges.range_count + c->ranges.branch_count;
}

void summary_text(const struct summary *summary, bool verbose, FILE *out)
{
	const struct conversion *conversion = summary->conversion;

	print_binary(summary, out);
	found_input_say(&conversion->found_input, out);
	print_inputs(summary, verbose, out);
	print_maps(summary, out);
	walk_print(&conversion->walked, verbose && conversion->walked.answers, out);
	print_mode(summary, out);
	print_ledger(&sample_words, &conversion->ledgers.samples, verbose, out);
	print_modules(conversion, out);
	print_ledger(&branch_words, &conversion->ledgers.branches, verbose, out);
	print_ledger(&trace_words, &conversion->ledgers.traces, verbose, out);
	print_ledger(&memory_words, &conversion->ledgers.memory, verbose, out);
	if (conversion_wants(conversion, WANT_RANGES) || verbose) {
		print_ledger(&range_words, &conversion->ranges.runs, verbose, out);
		print_ledger(&step_words, &conversion->ranges.steps, verbose, out);
	}
	print_restored(summary, verbose, out);
	print_inferred(conversion, out);
	print_compiler(conversion, out);
	print_check(conversion, out);
	if (verbose)
		say(out, "%zu distinct %s", conversion->distinct,
		    conversion->basic ? "addresses" : "traces");
	if (summary->yaml)
		figures_text(yaml_rows, summary->yaml, false, SAY_NAME, out);
	if (summary->output)
		say(out, "%zu record%s written to %s", summary_records(summary),
		    plural(summary_records(summary)),
		    strcmp(summary->output, "-") ? summary->output : "<stdout>");
}

void summary_next(const struct summary *summary, FILE *out)
{
	const struct conversion *c = summary->conversion;
	const bool into_file = summary->format && !strcmp(summary->format, "fdata") &&
			       strcmp(summary->output, "-") != 0;
	const struct outcome_files files = {c->options.binary,
					    NULL,
					    c->options.samples,
					    c->options.sample_count,
					    into_file ? summary->output : NULL,
					    .bolt = NULL};
	struct advice next;

	if (!summary->output || !c->basic || !c->ledgers.samples.kept ||
	    conversion_wants(c, WANT_COUNTS) || c->options.input ||
	    conversion_binary(c)->kind != BINARY_BOLTED || !c->aggregate.options.rules.infer)
		return;
	advise_outcome(OUTCOME_ADDRESSES, false, &files, &next);
	say(out, "%s", next.sentence);
	if (*next.command)
		say(out, "next: %s", next.command);
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
FIGURE_READER(is_truncated, struct reader_report,
	      figure_flag(it->packed_cut || it->cut || it->perf.truncated))
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
	{"llvm_bolt", .write = bolt_reads_write, CONVERSION},
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
