/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/preagg.h"

#include "src/base/emit.h"
#include "src/elf/load.h"

struct writer {
	struct emit out;
	const struct preagg_profile *profile;
	char id[2 * BUILD_ID_MAX + 1]; /* to stand before addresses; empty: nothing */
};

static void emit_end(struct writer *w, struct trace_end end)
{
	enum trace_end_kind kind = trace_end_kind(end);

	emit_char(&w->out, ' ');
	if (kind == TRACE_END_EXTERNAL) {
		emit_string(&w->out, "X:");
	} else if (*w->id && kind == TRACE_END_VADDR) {
		emit_string(&w->out, w->id);
		emit_char(&w->out, ':');
	}
	emit_hex(&w->out, end.word);
}

static void emit_count(struct writer *w, uint64_t count)
{
	emit_char(&w->out, ' ');
	emit_dec(&w->out, count);
}

/* perf2bolt 22 must have mispredictions on B, and refuses them on T and R. */
static void emit_trace(struct writer *w, const struct count_row *row, bool is_return)
{
	struct trace trace = trace_of(row->key);
	bool branch_only = !trace_has_fall_through(&trace) && !is_return;

	emit_char(&w->out, branch_only ? 'B' : is_return ? 'R' : 'T');
	emit_end(w, trace.branch);
	emit_end(w, trace.from);
	if (!branch_only)
		emit_end(w, trace.to);
	emit_count(w, row->count);
	if (branch_only)
		emit_count(w, row->extra);
	emit_char(&w->out, '\n');
}

/* A fall-through without its branch; the letter says how it was reached. */
static void emit_run(struct writer *w, const struct count_row *row)
{
	struct trace trace = trace_of(row->key);

	emit_char(&w->out, trace_end_is(trace.branch, TRACE_END_NONE)          ? 'F'
			   : trace_end_is(trace.branch, TRACE_END_FT_EXTERNAL) ? 'f'
									       : 'r');
	emit_end(w, trace.from);
	emit_end(w, trace.to);
	emit_count(w, row->count);
	emit_char(&w->out, '\n');
}

static void emit_address(struct writer *w, const struct count_row *row)
{
	emit_char(&w->out, 'S');
	emit_end(w, (struct trace_end){row->key[0]});
	emit_count(w, row->count);
	emit_char(&w->out, '\n');
}

static void emit_row(struct writer *w, const struct count_row *row)
{
	struct trace trace = trace_of(row->key);

	if (w->profile->basic)
		emit_address(w, row);
	else if (!trace_has_branch(&trace))
		emit_run(w, row);
	else
		emit_trace(w, row, returns_has(&w->profile->aggregate->returns, trace.branch));
}

uint64_t preagg_mispredictions(const struct preagg_profile *profile, size_t row)
{
	const struct count_row *at = &profile->counts->rows[row];
	struct trace trace = trace_of(at->key);
	bool is_branch = !profile->basic && trace_has_branch(&trace) && !trace_has_fall_through(&trace);

	return is_branch && !returns_has(&profile->aggregate->returns, trace.branch) ? at->extra : 0;
}

void preagg_write(const struct preagg_profile *profile, FILE *file)
{
	const struct name_vec *events = &profile->aggregate->events;
	struct writer w = {.profile = profile};

	emit_init(&w.out, file);
	if (image_is_library(profile->image))
		build_id_format(&profile->image->build_id, w.id);
	for (size_t i = 0; profile->basic && i < events->len; i++) {
		emit_string(&w.out, "E ");
		emit_string(&w.out, events->at[i]);
		emit_char(&w.out, '\n');
	}
	for (size_t i = 0; i < profile->counts->count; i++)
		emit_row(&w, &profile->counts->rows[i]);
	emit_flush(&w.out);
}
