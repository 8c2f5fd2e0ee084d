/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/kernel_summary.h"
#include "src/cli/summary.h"
#include "src/output/json.h"

static void write_binary(struct json *json, const struct summary *summary)
{
	const struct binary *binary = conversion_binary(summary->conversion);
	char id[2 * BUILD_ID_MAX + 1];

	build_id_format(&binary->image.build_id, id);
	json_open(json, "binary", '{');
	json_string(json, "path", summary->conversion->options.binary);
	json_string(json, "machine", machine_name(binary->image.machine));
	json_string(json, "build_id", id);
	json_string(json, "bat_layout",
		    binary->kind == BINARY_UNTOUCHED ? "none" : bat_layout_name(binary->bat.layout));
	json_number(json, "fragments", binary->bat.fragment_count);
	json_number(json, "cold_fragments", binary->parents.cold);
	json_number(json, "parents_repaired", binary->parents.repaired);
	json_number(json, "parents_unknown", binary->parents.unknown);
	json_bool(json, "stripped", binary->functions.stripped);
	json_string(json, "debug_file", binary->debug.path ? binary->debug.path : "");
	json_close(json, '}');
}

static void write_input_binary(struct json *json, const struct conversion *c)
{
	const struct input_file *found = c->found_input.taken;

	json_open(json, "input_binary", '{');
	json_string(json, "path", c->options.input ? c->options.input : "");
	json_string(json, "found", found ? input_where_key(found->where) : "");
	json_close(json, '}');
}

static void write_perf_data(struct json *json, const struct perf_data_report *perf)
{
	json_bool(json, "pipe", perf->pipe);
	json_number(json, "records", perf_data_records(perf));
	json_number(json, "unknown_records", perf->unknown_records);
	json_number(json, "unknown_type", perf->unknown_type);
	json_bool(json, "unfinished", perf->unfinished);
	json_number(json, "lost_events", perf->lost_events);
	json_number(json, "lost_samples", perf->lost_samples);
	json_number(json, "late_events", perf->late_events);
	json_number(json, "trace_records", perf->trace_records);
}

static void write_end(struct json *json, const struct reader_report *report)
{
	json_bool(json, "truncated", report->packed_cut || report->cut || report->perf.truncated);
	json_number(json, "truncated_at", report->packed_cut ? report->packed_cut_at
					  : report->cut      ? report->cut_at
							     : report->perf.truncated_at);
}

static void write_inputs(struct json *json, const struct summary *summary)
{
	const struct report_vec *inputs = &summary->conversion->inputs;
	char moved[MOVED_SIZE];

	json_open(json, "inputs", '[');
	for (size_t i = 0; i < inputs->len; i++) {
		json_open(json, NULL, '{');
		json_string(json, "path", summary->conversion->options.samples[i]);
		json_string(json, "format", input_format_name(inputs->at[i].format));
		json_string(json, "compression", packing_name(inputs->at[i].packing));
		json_number(json, "lines", inputs->at[i].lines);
		json_number(json, "ignored_lines", inputs->at[i].ignored);
		json_bool(json, "timeless", inputs->at[i].timeless);
		write_end(json, &inputs->at[i]);
		json_bool(json, "continues", inputs->at[i].continuation == CONTINUATION_OF_LAST);
		json_string(json, "kernel", kernel_told(summary->conversion, i));
		json_string(json, "kernel_moved", kernel_moved(summary->conversion, i, moved));
		if (inputs->at[i].format == INPUT_PERF_DATA)
			write_perf_data(json, &inputs->at[i].perf);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_maps(struct json *json, const struct summary *summary)
{
	json_open(json, "maps", '{');
	json_open(json, "files", '[');
	for (size_t i = 0; summary->maps && i < summary->maps->len; i++)
		json_string(json, NULL, summary->maps->at[i].path);
	json_close(json, ']');
	json_number(json, "samples", summary->conversion->aggregate.given);
	json_close(json, '}');
}

static void write_modules(struct json *json, const struct conversion *c)
{
	BC_AUTO(kernel_module_vec_free) struct kernel_module_vec modules = kernel_modules(c);

	json_open(json, "modules", '[');
	for (size_t i = 0; i < modules.len; i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", modules.at[i].name.at);
		json_number(json, "samples", modules.at[i].samples);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_ledger(struct json *json, const struct ledger_words *words,
			 const struct ledger *ledger)
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

static void write_check(struct json *json, const struct build_check *check, bool refused)
{
	json_open(json, "build_check", '{');
	json_number(json, "checked", check->checked);
	json_number(json, "not_branch", check->not_branch);
	json_number(json, "bad_target", check->bad_target);
	json_number(json, "bad_end", check->bad_end);
	json_number(json, "inside", check->inside);
	json_real(json, "rate_percent", build_check_rate(check));
	json_real(json, "limit_percent", BUILD_CHECK_LIMIT_PERCENT);
	json_bool(json, "refused", refused);
	json_close(json, '}');
}

static void write_profgen(struct json *json, const struct ranges *ranges)
{
	json_open(json, "profgen", '{');
	json_number(json, "range_lines", ranges->range_count);
	json_number(json, "branch_lines", ranges->branch_count);
	write_ledger(json, &range_words, &ranges->runs);
	write_ledger(json, &step_words, &ranges->steps);
	json_close(json, '}');
}

static void write_returns(struct json *json, const struct returns_found *found)
{
	json_open(json, "returns", '{');
	json_number(json, "by_type", found->by_type);
	json_number(json, "by_place", found->by_place);
	json_close(json, '}');
}

static void write_restored(struct json *json, const struct restored *restored)
{
#define X(name, key, text) key,
	static const char *const words[] = {RESTORE_RULES(X)};
	static const char *const guards[] = {RESTORE_GUARDS(X)};
#undef X

	json_open(json, "restored", '{');
	for (size_t i = 0; i < BC_COUNT(words); i++)
		json_number(json, words[i], restored->count[i]);
	json_open(json, "guarded", '{');
	for (size_t i = 0; i < BC_COUNT(guards); i++)
		json_number(json, guards[i], restored->guarded[i]);
	json_close(json, '}');
	json_close(json, '}');
}

static void write_share(struct json *json, const char *name, const struct inferred_share *share)
{
	json_open(json, name, '{');
	json_number(json, "functions", share->functions);
	json_number(json, "samples", share->samples);
	json_close(json, '}');
}

void summary_json_inferred(struct json *json, const struct inferred *inferred, bool branches)
{
	json_open(json, "inferred", '{');
	json_bool(json, "branches", branches);
	write_share(json, "solved", &inferred->solved);
	write_share(json, "no_graph", &inferred->no_graph);
	write_share(json, "plt", &inferred->plt);
	write_share(json, "too_much", &inferred->too_much);
	write_share(json, "no_steps", &inferred->no_steps);
	json_number(json, "moved_samples", inferred->moved);
	json_real(json, "percent", inferred_percent(inferred));
	json_real(json, "moved_percent", inferred_moved_percent(inferred));
	json_close(json, '}');
}

static void write_yaml(struct json *json, const struct yaml_report *yaml)
{
	json_open(json, "yaml", '{');
	json_number(json, "functions", yaml->functions);
	json_number(json, "without_hashes", yaml->unhashed);
	json_number(json, "counts", yaml->count);
	json_number(json, "counts_without_hashes", yaml->unhashed_count);
	json_number(json, "without_blocks", yaml->blockless);
	json_number(json, "lost", yaml->lost);
	json_close(json, '}');
}

static void write_warning(void *ctx, const char *text)
{
	json_string(ctx, NULL, text);
}

static void write_messages(struct json *json, const struct summary *summary)
{
	json_open(json, "warnings", '[');
	summary_each_warning(summary, write_warning, json);
	json_close(json, ']');
	json_string(json, "error", summary->refusal ? summary->refusal : "");
}

void summary_json(const struct summary *summary, FILE *out)
{
	const struct conversion *conversion = summary->conversion;
	const struct restored restored = summary_restored(summary);
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "schema", "batconv-stats-1");
	write_binary(&json, summary);
	write_input_binary(&json, conversion);
	write_inputs(&json, summary);
	write_maps(&json, summary);
	json_string(&json, "mode", conversion->basic ? "basic" : "branch");
	write_ledger(&json, &sample_words, &conversion->ledgers.samples);
	write_modules(&json, conversion);
	write_ledger(&json, &branch_words, &conversion->ledgers.branches);
	write_ledger(&json, &trace_words, &conversion->ledgers.traces);
	write_ledger(&json, &memory_words, &conversion->ledgers.memory);
	write_profgen(&json, &conversion->ranges);
	write_returns(&json, &conversion->found);
	write_restored(&json, &restored);
	summary_json_inferred(&json, &conversion->inferred, conversion->profile.of_input);
	write_check(&json, &conversion->check, summary->refusal);
	json_number(&json, "distinct", conversion->distinct);
	json_number(&json, "records", summary_records(summary));
	write_yaml(&json, summary->yaml ? summary->yaml : &(struct yaml_report){0});
	json_bool(&json, "partial", conversion->partial);
	write_messages(&json, summary);
	json_close(&json, '}');
	putc('\n', out);
}
