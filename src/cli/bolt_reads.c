/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/bolt_reads.h"

#include "src/figures/figure_table.h"

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
