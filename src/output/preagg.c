/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/preagg.h"

#include <stdlib.h>

#include "src/base/emit.h"

static void emit_place(struct emit *out, uint64_t at)
{
	emit_char(out, ' ');
	if (at == TRACE_EXTERNAL)
		emit_string(out, "X:");
	emit_hex(out, at);
}

static void emit_count(struct emit *out, uint64_t count)
{
	emit_char(out, ' ');
	emit_dec(out, count);
}

/* A branch without a fall-through is a B record, which always has its
 * mispredictions.  On T and R they are optional, and perf2bolt 22 refuses them:
 * they are written only if there are any. */
static void emit_trace(struct emit *out, const struct count_row *row, bool is_return)
{
	struct trace trace = trace_of(row->key);
	bool branch_only = trace.to == TRACE_BR_ONLY && !is_return;

	emit_char(out, branch_only ? 'B' : is_return ? 'R' : 'T');
	emit_place(out, trace.branch);
	emit_place(out, trace.from);
	if (!branch_only)
		emit_place(out, trace.to);
	emit_count(out, row->count);
	if (branch_only || row->extra)
		emit_count(out, row->extra);
	emit_char(out, '\n');
}

/* A fall-through alone: by what is known of how it was reached. */
static void emit_run(struct emit *out, const struct count_row *row)
{
	struct trace trace = trace_of(row->key);

	emit_char(out, trace.branch == TRACE_FT_ONLY       ? 'F'
		       : trace.branch == TRACE_FT_EXTERNAL ? 'f'
							   : 'r');
	emit_place(out, trace.from);
	emit_place(out, trace.to);
	emit_count(out, row->count);
	emit_char(out, '\n');
}

static void emit_row(struct emit *out, const struct aggregate *aggregate,
		     const struct count_row *row, bool basic)
{
	uint64_t branch = trace_of(row->key).branch;

	if (basic) {
		emit_char(out, 'S');
		emit_place(out, row->key[0]);
		emit_count(out, row->count);
		emit_char(out, '\n');
	} else if (branch >= TRACE_FT_RETURN) {
		emit_run(out, row);
	} else {
		emit_trace(out, row, returns_has(&aggregate->returns, branch));
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct count_row *x = *(const struct count_row *const *)a;
	const struct count_row *y = *(const struct count_row *const *)b;

	for (size_t i = 0; i < COUNT_KEY_WORDS; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	return 0;
}

static const struct count_row **sorted_rows(const struct counts *counts, size_t *count)
{
	const struct count_row **rows = malloc((counts_used(counts) + 1) * sizeof(const struct count_row *));

	*count = 0;
	for (size_t shard = 0; rows && shard < COUNTS_SHARDS; shard++) {
		const struct count_table *table = &counts->shards[shard];
		for (size_t i = 0; i < table->capacity; i++)
			if (table->rows[i].count)
				rows[(*count)++] = &table->rows[i];
	}
	if (rows && *count)
		qsort(rows, *count, sizeof(const struct count_row *), compare_rows);
	return rows;
}

bool preagg_write(const struct aggregate *aggregate, bool basic, FILE *file, struct bc_error *err)
{
	const struct totals *totals = &aggregate->totals;
	struct emit out;
	size_t count;
	const struct count_row **rows =
		sorted_rows(basic ? &totals->basic : &totals->traces, &count);

	if (!rows)
		return bc_fail_nomem(err);
	emit_init(&out, file);
	for (size_t i = 0; basic && i < aggregate->events.len; i++) {
		emit_string(&out, "E ");
		emit_string(&out, aggregate->events.at[i]);
		emit_char(&out, '\n');
	}
	for (size_t i = 0; i < count; i++)
		emit_row(&out, aggregate, rows[i], basic);
	emit_flush(&out);
	free(rows);
	return true;
}
