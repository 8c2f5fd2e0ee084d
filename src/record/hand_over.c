/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/hand_over.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/count/returns.h"
#include "src/count/stack.h"
#include "src/profile/preagg.h"

/* Traces that are delivered at a time. */
#define DELIVERED 1024

struct recorded_counts {
	struct count_rows rows; /* addresses are vaddrs; sorted, each key once */
	size_t count;
	struct returns returns;
	const char *event;
	bool library, plain;
	uint64_t padding, padding_branches; /* samples, and branches with both ends in the file,
					       that lie in no segment */
};

void recorded_counts_free(struct recorded_counts *counts)
{
	if (!counts)
		return;
	free(counts->rows.at);
	returns_free(&counts->returns);
	free(counts);
}

/* ---- of one file ---- */

static bool settle_types(struct run_file *file)
{
	bool ok = true;

	for (size_t i = 0; ok && i < file->types.waiting.capacity; i++) {
		struct count_row row = file->types.waiting.rows[i];
		if (!row.count)
			continue;
		(void)branch_types_settle(&file->types, row.key);
		file->branches += row.count;
		ok = count_table_add(&file->traces, row.key, row.count, row.extra);
	}
	if (ok)
		count_table_free(&file->types.waiting);
	return ok;
}

static struct trace_end place(const struct run_file *file, struct trace_end end)
{
	struct vaddr at;

	if (!trace_end_is(end, TRACE_END_VADDR))
		return end;
	return run_file_vaddr(file, end.word, &at) ? trace_end_at(at) :
						     trace_end_of(TRACE_END_EXTERNAL);
}

/* waits: the rows wait for the types of branches, and are what these show so far. */
static void add_traces(const struct run_file *file, const struct count_table *table, bool waits,
		       struct recorded_counts *to)
{
	for (size_t i = 0; i < table->capacity; i++) {
		struct count_row row = table->rows[i];
		if (!row.count)
			continue;
		if (waits)
			(void)branch_types_settle(&file->types, row.key);
		const struct trace trace = trace_of(row.key);
		const struct trace placed = {place(file, trace.branch), place(file, trace.from),
					     place(file, trace.to)};
		if (trace_is_external(&placed)) {
			bool inside = trace_end_is(trace.branch, TRACE_END_VADDR) &&
				      trace_end_is(trace.from, TRACE_END_VADDR);
			to->padding_branches += inside ? row.count : 0;
			continue;
		}
		trace_key(&placed, row.key);
		to->rows.at[to->count++] = row;
	}
}

static void add_plain(const struct run_file *file, struct recorded_counts *to)
{
	for (size_t i = 0; i < file->plain.capacity; i++) {
		struct count_row row = file->plain.rows[i];
		struct vaddr at;
		if (!row.count)
			continue;
		if (!run_file_vaddr(file, row.key[0], &at)) {
			to->padding += row.count;
			continue;
		}
		row.key[0] = at.v;
		to->rows.at[to->count++] = row;
	}
}

static bool add_return(const struct run_file *file, uint64_t offset, struct recorded_counts *to)
{
	struct vaddr at;

	return !run_file_vaddr(file, offset, &at) || returns_add(&to->returns, trace_end_at(at));
}

static bool add_returns(const struct run_file *file, struct recorded_counts *to)
{
	const struct number_set *inside = &file->types.inside;
	bool ok = !inside->has_zero || add_return(file, 0, to);

	for (size_t i = 0; ok && i < inside->capacity; i++)
		ok = !inside->at[i] || add_return(file, inside->at[i], to);
	return ok;
}

/* ---- of files with the same code ---- */

struct same_code {
	struct run_file **files;
	size_t count;
	uint64_t samples;
};

static struct recorded_counts *count_together(const struct same_code *same, const char *event)
{
	struct recorded_counts *counts = calloc(1, sizeof(*counts));
	struct count_rows spare = {0};
	size_t room = 1;
	bool ok = counts;

	for (size_t i = 0; i < same->count; i++)
		room += same->files[i]->traces.used + same->files[i]->types.waiting.used +
			same->files[i]->plain.used;
	if (ok)
		counts->rows = (struct count_rows){malloc(room * sizeof(struct count_row)), room};
	ok = ok && counts->rows.at;
	for (size_t i = 0; ok && i < same->count; i++) {
		add_traces(same->files[i], &same->files[i]->traces, false, counts);
		add_traces(same->files[i], &same->files[i]->types.waiting, true, counts);
		add_plain(same->files[i], counts);
		ok = add_returns(same->files[i], counts);
	}
	if (!ok) {
		recorded_counts_free(counts);
		return NULL;
	}
	counts->event = event;
	counts->library = same->files[0]->facts.library;
	counts->plain = !same->files[0]->traces.used && !same->files[0]->types.waiting.used;
	counts->count = count_rows_unify(&counts->rows, counts->count, &spare);
	free(spare.at);
	return counts;
}

/* It is not wanted as it is: too little.  What runs no more, and did not since it was offered last,
 * goes. */
static void leave(struct run_files *files, struct run_file *file, struct recorder_stats *stats)
{
	bool idle = !file->mapped && file->offered == file->samples;

	file->offered = file->samples;
	if (idle)
		run_file_drop(files, file, RECORDED_DROP_TOO_FEW, stats);
}

static void refuse(struct run_files *files, struct run_file *file, bool last,
		   struct recorder_stats *stats)
{
	if (last)
		run_file_drop(files, file, RECORDED_DROP_UNFINISHED, stats);
	else
		leave(files, file, stats);
}

static bool offer(struct run_files *files, const struct same_code *same, const char *event,
		  const struct recorded_taker *to, struct recorder_stats *stats,
		  struct bc_error *err)
{
	struct recorded_counts *counts = count_together(same, event);
	const struct run_file *first = same->files[0];
	struct recorded recorded = {.path = first->path,
				    .digest = first->digest,
				    .build_id = first->facts.build_id,
				    .bolted = first->facts.bolted,
				    .samples = same->samples,
				    .counts = counts};

	err->code = BC_OK;
	if (!counts)
		return bc_fail_nomem(err);
	const uint64_t padding = counts->padding, padding_branches = counts->padding_branches;
	recorded.plain = counts->plain;
	for (size_t i = 0; i < same->count; i++)
		recorded.branches += same->files[i]->branches;
	bool taken = to->take(to->ctx, &recorded, err);
	if (taken) {
		recorder_drop_later(stats, RECORDED_DROP_PADDING, padding);
		ledger_move(&stats->branches, BRANCH_DROP_OUTSIDE, padding_branches);
		for (size_t i = 0; i < same->count; i++)
			run_file_clear(same->files[i]);
	} else if (err->code == BC_OK) {
		for (size_t i = 0; i < same->count; i++)
			refuse(files, same->files[i], to->last, stats);
	}
	recorded_counts_free(recorded.counts);
	return taken || err->code == BC_OK;
}

/* ---- all ---- */

static int by_code(const void *a, const void *b)
{
	const struct run_file *const *x = a, *const *y = b;
	int order = memcmp((*x)->digest.data, (*y)->digest.data, sizeof((*x)->digest.data));

	return order ? order : strcmp((*x)->path, (*y)->path);
}

static int by_samples(const void *a, const void *b)
{
	const struct same_code *x = a, *y = b;

	return x->samples != y->samples ? (x->samples < y->samples ? 1 : -1) :
					  by_code(&x->files[0], &y->files[0]);
}

static bool has_counts(const struct run_file *file)
{
	return file->traces.used || file->plain.used || file->types.waiting.used;
}

/* Samples whose rules left nothing to count belong to no shard. */
static void forget_empty(struct run_file *file)
{
	if (!has_counts(file))
		run_file_clear(file);
}

/* It has too few samples to be handed over now. */
static void take_few(struct run_files *files, struct run_file *file,
		     const struct recorded_taker *to, struct recorder_stats *stats)
{
	if (!to->last) {
		leave(files, file, stats);
		return;
	}
	to->few(to->ctx, file->samples);
	run_file_clear(file);
}

/* The files that are handed over now. */
static size_t gather(struct run_files *files, const struct recorded_taker *to,
		     struct recorder_stats *stats, struct run_file **out)
{
	size_t count = 0;

	for (uint32_t i = 0; i < files->len; i++) {
		struct run_file *file = &files->at[i];
		forget_empty(file);
		if (!has_counts(file))
			continue;
		if (file->state != RUN_FILE_COUNTED) /* it was dropped a moment ago */
			run_file_drop(files, file, recorded_drop_of(file), stats);
		else if (file->samples < to->least)
			take_few(files, file, to, stats);
		else if (file->reading && to->last)
			run_file_drop(files, file,
				      run_file_hangs(file) ? RECORDED_DROP_NO_RESPONSE :
							     RECORDED_DROP_UNFINISHED,
				      stats);
		else if (!file->reading)
			out[count++] = file;
	}
	return count;
}

static size_t join(struct run_file **files, size_t count, struct same_code *out)
{
	size_t codes = 0;

	for (size_t i = 0; i < count; i++) {
		if (!i || !build_id_equal(&files[i]->digest, &files[i - 1]->digest))
			out[codes++] = (struct same_code){.files = &files[i]};
		out[codes - 1].count++;
		out[codes - 1].samples += files[i]->samples;
	}
	qsort(out, codes, sizeof(*out), by_samples);
	return codes;
}

bool hand_over(struct run_files *files, const struct processes *processes, const char *event,
	       const struct recorded_taker *to, struct recorder_stats *stats, struct bc_error *err)
{
	struct run_file **all = calloc(files->len + 1, sizeof(struct run_file *));
	struct same_code *codes = calloc(files->len + 1, sizeof(*codes));
	bool ok = all && codes && run_files_mark(files, processes);
	if (!ok)
		bc_fail_nomem(err);
	size_t count = ok ? gather(files, to, stats, all) : 0;
	for (size_t i = 0; ok && i < count; i++)
		ok = settle_types(all[i]) || bc_fail_nomem(err);
	if (ok && count) {
		qsort(all, count, sizeof(struct run_file *), by_code);
		count = join(all, count, codes);
	}
	bool whole = ok;
	for (size_t i = 0; ok && i < count; i++) {
		struct bc_error why = {0};
		if (offer(files, &codes[i], event, to, stats, &why))
			continue;
		if (whole)
			*err = why;
		whole = false;
		ok = why.code != BC_NOMEM;
	}
	free(all);
	free(codes);
	return whole;
}

bool counts_so_far(const struct run_files *files, const struct build_id *digest, const char *event,
		   struct recorded_counts **out, uint64_t *samples, struct bc_error *err)
{
	struct run_file **found = calloc(files->len + 1, sizeof(struct run_file *));
	struct same_code same = {.files = found};

	*out = NULL;
	for (uint32_t i = 0; found && i < files->len; i++) {
		struct run_file *file = &files->at[i];
		if (file->state != RUN_FILE_COUNTED || file->reading || !has_counts(file) ||
		    !build_id_equal(&file->digest, digest))
			continue;
		found[same.count++] = file;
		same.samples += file->samples;
	}
	if (same.count)
		*out = count_together(&same, event);
	*samples = same.samples;
	bool ok = found && (*out || !same.count);
	free(found);
	return ok || bc_fail_nomem(err);
}

/* ---- what a taker does with it ---- */

bool recorded_shard(const struct recorded *recorded, FILE *to, struct bc_error *err)
{
	const struct recorded_counts *counts = recorded->counts;
	const struct preagg_profile profile = {.rows = counts->rows.at,
					       .count = counts->count,
					       .whole = true,
					       .basic = counts->plain,
					       .returns = &counts->returns,
					       .events = &counts->event,
					       .event_count = *counts->event ? 1 : 0,
					       .file = counts->library ? &recorded->build_id :
									 NULL};

	return preagg_write_shard(&profile, recorded->digest, to, err);
}

static bool deliver_traces(const struct recorded_counts *counts, const struct event_sink *sink,
			   struct bc_error *err)
{
	struct trace_record *records = malloc(DELIVERED * sizeof(*records));
	bool ok = records || bc_fail_nomem(err);

	for (size_t i = 0; ok && i < counts->count;) {
		size_t used = 0;
		for (; used < DELIVERED && i < counts->count; i++) {
			const struct count_row *row = &counts->rows.at[i];
			const struct trace trace = trace_of(row->key);
			bool returns = trace_has_branch(&trace) &&
				       returns_has(&counts->returns, trace.branch);
			uint64_t mispredicted = trace_has_branch(&trace) ? row->extra : 0;
			records[used++] =
				(struct trace_record){trace, row->count, mispredicted, returns};
		}
		const struct event event = {.kind = EVENT_TRACES, .traces = {records, used}};
		ok = event_deliver(sink, &event, err);
	}
	free(records);
	return ok;
}

static bool deliver_plain(const struct recorded_counts *counts, const struct event_sink *sink,
			  struct bc_error *err)
{
	struct address_record *records = malloc((counts->count + 1) * sizeof(*records));
	const struct event name = {.kind = EVENT_NAME, .name = text_of(counts->event)};

	if (!records)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < counts->count; i++)
		records[i] = (struct address_record){{counts->rows.at[i].key[0]},
						     counts->rows.at[i].count};
	const struct event event = {.kind = EVENT_ADDRESSES, .addresses = {records, counts->count}};
	bool ok = event_deliver(sink, &name, err) && event_deliver(sink, &event, err);
	free(records);
	return ok;
}

bool recorded_deliver(const struct recorded_counts *counts, const struct event_sink *sink,
		      struct bc_error *err)
{
	const struct event begin = {.kind = EVENT_BEGIN};
	bool ok = event_deliver(sink, &begin, err) &&
		  (counts->plain ? deliver_plain : deliver_traces)(counts, sink, err);

	return event_end(sink, ok, err);
}
