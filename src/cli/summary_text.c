/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <string.h>

#include "src/base/file.h"
#include "src/cli/input_option.h"
#include "src/cli/kernel_summary.h"
#include "src/cli/say.h"
#include "src/cli/summary.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
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
		say(out, "%s: %s, not BOLTed: the profile is for this binary itself%s%s", summary->conversion->options.binary,
		    machine_name(binary->image.machine), id_word, id);
	else
		say(out, "%s: %s, BAT layout %s, %u fragment%s (%u cold)%s%s", summary->conversion->options.binary,
		    machine_name(binary->image.machine), bat_layout_name(bat->layout),
		    bat->fragment_count, plural(bat->fragment_count), parents->cold, id_word, id);
	if (parents->repaired || parents->unknown)
		say(out, "%s: parents of cold fragments: %u taken from the symbols, %u unknown",
			summary->conversion->options.binary, parents->repaired, parents->unknown);
	if (binary->debug.path)
		say(out, "%s: names of functions from %s", summary->conversion->options.binary, binary->debug.path);
	if (binary->functions.stripped)
		say(out, "%s: warning: stripped: functions are named by address, which "
			"llvm-bolt will not match",
			summary->conversion->options.binary);
}

static void print_perf_data(const char *path, const struct reader_report *report, bool verbose,
			    FILE *out)
{
	const struct perf_data_report *perf = &report->perf;
	uint64_t count = perf_data_records(perf);

	say(out, "%s: perf.data%s, %" PRIu64 " record%s%s", path,
	    perf->pipe ? " from a pipe" : "", count, plural(count),
		report->timeless ? "; no time stamps: mappings are taken in stream order" : "");
	if (verbose && *perf->info.cmdline)
		say(out, "%s: recorded on %s by: %s", path, perf->info.hostname,
			perf->info.cmdline);
	if (perf->lost_events || perf->lost_samples)
		say(out, "%s: the recorder lost %" PRIu64 " record%s and %" PRIu64 " sample%s",
			path, perf->lost_events, plural(perf->lost_events), perf->lost_samples,
		    plural(perf->lost_samples));
	if (perf->late_events)
		say(out, "%s: %" PRIu64 " process event%s came after later samples, which "
			"could not know of them",
			path, perf->late_events, plural(perf->late_events));
}

/* Says how an input continues the recording of the input before it. */
static void print_continuation(const char *path, const char *before, enum continuation continuation, FILE *out)
{
	if (continuation == CONTINUATION_OF_LAST)
		say(out, "%s: goes on where %s ended: the same recording, so its processes are known", path, before);
	else if (continuation == CONTINUATION_GOES_BACK)
		say(out, "%s: begins before %s ends: taken for a recording of its own (give the parts of one in the "
			 "order of their times)", path, before);
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
	    report->timeless && report->format != INPUT_PREAGG
		    ? "; no time stamps: mappings are taken in stream order" : "");
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
			print_continuation(path, input_name(summary->conversion->options.samples[i - 1]),
					   inputs->at[i].continuation, out);
	}
}

static void print_maps(const struct summary *summary, FILE *out)
{
	uint64_t given = summary->conversion->aggregate.given;

	if (summary->maps && summary->maps->len)
		say(out, "%s%s: %" PRIu64 " sample%s of processes of which no mapping of the binary was recorded: placed by "
			 "the maps that were given", input_name(summary->maps->at[0].path),
		    summary->maps->len > 1 ? " and others" : "", given, plural(given));
}

static void print_reasons(const struct ledger_words *words, const struct ledger *ledger, bool all,
			  FILE *out)
{
	for (size_t i = 0; i < words->reason_count; i++)
		if (all || ledger->dropped[i])
			say(out, "  %12" PRIu64 " (%4.1f %%) %s", ledger->dropped[i],
				percent(ledger->dropped[i], ledger->read), words->reasons[i].text);
}

static void print_ledger(const struct ledger_words *words, const struct ledger *ledger, bool all,
			 FILE *out)
{
	if (!ledger->read && !all)
		return;
	say(out, "%s: %" PRIu64 " read, %" PRIu64 " kept, %" PRIu64 " dropped (%.1f %%)",
		words->text, ledger->read, ledger->kept, ledger_dropped(ledger),
		percent(ledger_dropped(ledger), ledger->read));
	print_reasons(words, ledger, all, out);
}

static void print_check(const struct conversion *conversion, FILE *out)
{
	const struct build_check *check = &conversion->check;

	if (check->checked)
		say(out, "build check: %.2f %% of %" PRIu64
			" %s disagree with the binary's code (limit %.0f %%)",
			build_check_rate(check), check->checked,
			conversion->basic ? "addresses" : "branches", BUILD_CHECK_LIMIT_PERCENT);
}

static void print_guarded(const struct restored *restored, FILE *out)
{
#define X(name, key, text) text,
	static const char *const texts[] = {RESTORE_GUARDS(X)};
#undef X

	say(out, "as llvm-bolt left it, as nothing better is certain:");
	for (size_t i = 0; i < BC_COUNT(texts); i++)
		say(out, "  %12" PRIu64 " %s", restored->guarded[i], texts[i]);
}

static void print_restored(const struct restored *restored, bool all, FILE *out)
{
#define X(name, key, text) text,
	static const char *const texts[] = {RESTORE_RULES(X)};
#undef X
	uint64_t sum = 0;

	for (size_t i = 0; i < BC_COUNT(texts); i++)
		sum += restored->count[i];
	if (!sum && !all)
		return;
	say(out, "as the input has it, not as llvm-bolt left it (--restore):");
	for (size_t i = 0; i < BC_COUNT(texts); i++)
		if (all || restored->count[i])
			say(out, "  %12" PRIu64 " %s", restored->count[i], texts[i]);
}

static void print_yaml(const struct yaml_report *yaml, FILE *out)
{
	say(out, "YAML: %zu function%s", yaml->functions, plural(yaml->functions));
	if (yaml->unhashed)
		say(out, "  %zu of them without hashes, with %.1f %% of the counts: llvm-bolt takes these with -profile-ignore-hash only",
		    yaml->unhashed, percent(yaml->unhashed_count, yaml->count));
	if (yaml->blockless)
		say(out, "  %zu of those without blocks: their control flow is not known",
			yaml->blockless);
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
	if (c->aggregate.options.rules.infer && conversion_wants(c, WANT_COUNTS))
		how = bolted ? "; to infer them, convert the output with --input=PROG, the binary that llvm-bolt read"
			     : "; to infer them, convert the output";
	else if (c->aggregate.options.rules.infer && bolted && !c->options.input)
		how = "; --input=PROG, the binary that llvm-bolt read, infers them";
	say(out, "no branch stacks: %s (record with -j any,u for branches%s)",
	    c->profile.of_input ? "branches are inferred from addresses" : "a basic profile of addresses", how);
}

static void print_share(const char *why, const struct inferred_share *share, FILE *out)
{
	if (share->functions)
		say(out, "  %" PRIu64 " function%s with %" PRIu64 " samples: only the number of entries is written, because %s", share->functions,
		    plural(share->functions), share->samples, why);
}

static void print_inferred(const struct conversion *c, FILE *out)
{
	const struct inferred *i = &c->inferred;

	if (c->not_inferred.code)
		say(out, "no branches are inferred: %s", c->not_inferred.text);
	if (!c->profile.of_input || !c->ledgers.samples.kept)
		return;
	say(out, "inferred: branches of %" PRIu64 " function%s from %" PRIu64 " samples (%.1f %%); %.1f %% of these are counted in "
	    "another block than where they were taken, so that as much enters each block as leaves it", i->solved.functions, plural(i->solved.functions), i->solved.samples, inferred_percent(i), inferred_moved_percent(i));
	if (i->plt.samples)
		say(out, "  %" PRIu64 " samples in PLT entries: the callers give the counts of these calls", i->plt.samples);
#define X(share, text) print_share(text, &i->share, out);
	INFERRED_REASONS(X)
#undef X
}

struct restored summary_restored(const struct summary *summary)
{
	struct restored restored = summary->conversion->restored;

	if (summary->yaml)
		restored.count[RESTORE_SITES] = summary->yaml->unsited;
	return restored;
}

size_t summary_records(const struct summary *summary)
{
	const struct conversion *c = summary->conversion;

	if (conversion_wants(c, WANT_COUNTS))
		return c->preagg.count;
	return conversion_wants(c, WANT_RECORDS) ? c->profile.record_count : c->ranges.range_count + c->ranges.branch_count;
}

void summary_text(const struct summary *summary, bool verbose, FILE *out)
{
	const struct conversion *conversion = summary->conversion;
	const struct restored restored = summary_restored(summary);

	print_binary(summary, out);
	found_input_say(&conversion->found_input, out);
	print_inputs(summary, verbose, out);
	print_maps(summary, out);
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
	print_restored(&restored, verbose, out);
	if (verbose && summary->conversion->options.input)
		print_guarded(&restored, out);
	print_inferred(conversion, out);
	print_check(conversion, out);
	if (verbose)
		say(out, "%zu distinct %s", conversion->distinct,
			conversion->basic ? "addresses" : "traces");
	if (summary->yaml)
		print_yaml(summary->yaml, out);
	if (summary->output)
		say(out, "%zu record%s written to %s", summary_records(summary),
		    plural(summary_records(summary)),
		    strcmp(summary->output, "-") ? summary->output : "<stdout>");
}
