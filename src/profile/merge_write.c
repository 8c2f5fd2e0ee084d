/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/profile/fdata.h"
#include "src/profile/preagg.h"
#include "src/profile/yaml_items.h"

/* ---- what an input counts for ---- */

struct weighed {
	struct source source, *from;
	const struct merge *merge;
	const struct merge_input *input;
	struct merge_worker *worker;
};

/* count * to / all, to the nearest, half up.  count <= all. */
static uint64_t scale(uint64_t count, uint64_t to, exact_sum all)
{
	exact_sum product = (exact_sum)count * to, whole = product / all, rest = product % all;

	return (uint64_t)whole + (rest >= all - rest);
}

static bool weigh(const struct merge *merge, const struct merge_input *input,
		  struct merge_worker *worker, struct profile_item *item, struct bc_error *err)
{
	const struct merge_options *options = &merge->options;

	for (int i = 0; i < 2; i++) {
		uint64_t *sum = &item->sum[i];
		/* Mispredictions are scaled as their counts are, of which they are a part. */
		exact_sum all = input->sums[0] > input->sums[1] ? input->sums[0] : input->sums[1];
		if (options->scaled && *sum)
			*sum = scale(*sum, options->scale_to, all);
		if (!__builtin_mul_overflow(*sum, input->weight, sum))
			continue;
		if (!options->saturate)
			return bc_fail(
				err, BC_FORMAT,
				"%s: a count times its weight is 2^64 or more; --saturate limits it",
				input_name(input->path));
		*sum = UINT64_MAX;
		worker->saturated++;
	}
	return true;
}

static void count_in(struct merge_worker *worker, const struct profile_item *item)
{
	worker->in[0] += item->sum[0];
	worker->in[1] += item->sum[1];
}

bool weighed_item(const struct merge *merge, const struct merge_input *input,
		  struct merge_worker *worker, struct profile_item *item, struct bc_error *err)
{
	if (!weigh(merge, input, worker, item, err))
		return false;
	count_in(worker, item);
	return true;
}

/* Do its items count as they are?  Then its sums are known without adding up those of each item
 * again. */
static bool weighed_as_it_is(const struct merge *merge, const struct merge_input *input)
{
	return input->weight == 1 && !merge->options.scaled;
}

static bool weighed_next(struct source *source, struct profile_item *out, struct bc_error *err)
{
	struct weighed *w = (struct weighed *)(void *)source; /* its first member */

	while (w->from->next(w->from, out, err)) {
		bool counted = out->sum[0] || out->sum[1];
		if (!weigh(w->merge, w->input, w->worker, out, err))
			return false;
		/* What has no count of its own to lose stays: there is more to it. */
		if (w->merge->options.scaled && counted && !out->sum[0] && !out->sum[1] &&
		    !(w->input->head.kind == KIND_YAML && yaml_item_is_more(out))) {
			w->worker->scaled_to_zero++;
			continue;
		}
		count_in(w->worker, out);
		return true;
	}
	return false;
}

static void weighed_close(struct source *source)
{
	struct weighed *w = (struct weighed *)(void *)source;

	source_close(w->from);
	free(w);
}

/* A source of the items of `input` that count, which `from` has as they are; it is taken, also on
 * failure. What comes out is added to the worker's sums, except for weighed_as_it_is().  NULL:
 * BC_NOMEM, or from is NULL and err is set */
static struct source *weighed_open(struct source *from, const struct merge *merge,
				   const struct merge_input *input, struct merge_worker *worker,
				   struct bc_error *err)
{
	if (!from || weighed_as_it_is(merge, input))
		return from;
	struct weighed *w = malloc(sizeof(*w));

	if (w) {
		*w = (struct weighed){{weighed_next, weighed_close}, from, merge, input, worker};
		return &w->source;
	}
	bc_fail_nomem(err);
	source_close(from);
	return NULL;
}

/* ---- items of any kind as text ---- */

struct record_writer {
	const struct profile_head *head;
	const struct preagg_returns *returns;
	struct emit out;
	struct yaml_output yaml;
};

static bool write_fdata_head(const struct profile_head *head, struct emit *out)
{
	struct text *events = profile_set_sorted(&head->events);

	if (events)
		fdata_write_head(head->mode == MODE_PLAIN, head->bolted, events,
				 profile_set_size(&head->events), out);
	bool ok = events;
	free(events);
	return ok;
}

static void write_fdata(const struct profile_item *item, struct emit *out)
{
	struct fdata_line line = fdata_of_item(item);

	fdata_write(&line, out);
}

static bool write_preagg_head(const struct profile_head *head, struct emit *out)
{
	struct text *events = profile_set_sorted(&head->events);

	for (size_t i = 0; events && i < profile_set_size(&head->events); i++)
		preagg_write_event(events[i], out);
	bool ok = events;
	free(events);
	return ok;
}

static void write_preagg(const struct profile_item *item, enum profile_mode mode,
			 const struct preagg_returns *returns, struct emit *out)
{
	struct preagg_record record = preagg_of_item(item, mode, returns);

	preagg_write(&record, out);
}

/* false: out of memory */
static bool record_begin(struct record_writer *writer, const struct profile_head *head,
			 const struct preagg_returns *returns, struct merge *merge, FILE *file)
{
	writer->head = head;
	writer->returns = returns;
	emit_init(&writer->out, file);
	writer->yaml = (struct yaml_output){
		.out = &writer->out,
		.names = &merge->names,
		.external = yaml_release_knows_extern(merge->options.yaml_for)};
	switch (head->kind) {
	case KIND_FDATA: return write_fdata_head(head, &writer->out);
	case KIND_PREAGG: return write_preagg_head(head, &writer->out);
	case KIND_YAML: return yaml_output_head(&writer->yaml, head);
	case KIND_NOTHING: break;
	}
	return true;
}

static void record_put(struct record_writer *writer, const struct profile_item *item)
{
	switch (writer->head->kind) {
	case KIND_FDATA: write_fdata(item, &writer->out); break;
	case KIND_PREAGG:
		write_preagg(item, writer->head->mode, writer->returns, &writer->out);
		break;
	case KIND_YAML: yaml_output_item(&writer->yaml, item); break;
	case KIND_NOTHING: break;
	}
}

/* Also after an error: it frees what the writer holds.  false: out of memory */
static bool record_end(struct record_writer *writer)
{
	bool ok = writer->head->kind != KIND_YAML || yaml_output_end(&writer->yaml, writer->head);

	emit_flush(&writer->out);
	return ok;
}

static void describe_yaml(const struct profile_item *item, char *out, size_t size)
{
	struct key_parts key = key_parts(item);
	struct text name = key_take_name(&key);

	if (key_take_byte(&key) == YAML_FUNCTION)
		snprintf(out, size, "function '%.200s'", name.at);
	else
		snprintf(out, size, "function '%.200s', block %" PRIu64, name.at,
			 key_take_number(&key));
}

/* What messages call a record. */
static void record_describe(const struct profile_head *head, const struct profile_item *item,
			    char *out, size_t size)
{
	static const struct preagg_returns none;
	struct profile_item bare = {.key = item->key, .size = item->size};
	struct emit text;

	if (head->kind == KIND_YAML) {
		describe_yaml(item, out, size);
		return;
	}
	emit_init(&text, NULL);
	if (head->kind == KIND_FDATA)
		write_fdata(&bare, &text);
	else
		write_preagg(&bare, head->mode, &none, &text);
	/* Without the newline, and what is counted. */
	size_t length = text.used ? text.used - 1 : 0;
	while (length && text.at[length - 1] != ' ')
		length--;
	snprintf(out, size, "'%.*s...'", (int)(length < 200 ? length : 200), text.at);
	emit_free(&text);
}

/* ---- sources in order become one in order: equal items are added up ---- */

struct kway {
	bool saturate;
	uint64_t saturated;
	enum item_fault fault; /* why kway_run() failed, or ITEMS_FIT: err shows */
	struct key bad;        /* of which key; for key_free() */
};

struct next_item {
	struct profile_item item;
	struct source *source;
};

/* A heap of sources by their next item, the least first.  Heads stay where they are; what moves are
 * pointers. */
struct heap {
	struct next_item **at;
	size_t len;
};

static void sink(struct heap *heap, size_t from)
{
	struct next_item *head = heap->at[from];

	for (size_t child; (child = 2 * from + 1) < heap->len; from = child) {
		if (child + 1 < heap->len &&
		    profile_item_compare(&heap->at[child + 1]->item, &heap->at[child]->item) < 0)
			child++;
		if (profile_item_compare(&head->item, &heap->at[child]->item) <= 0)
			break;
		heap->at[from] = heap->at[child];
	}
	heap->at[from] = head;
}

/* A source at the top, or next to it, continues, or is over. */
static bool advance(struct heap *heap, size_t at, struct bc_error *err)
{
	struct next_item *head = heap->at[at];

	if (!head->source->next(head->source, &head->item, err)) {
		if (err->code != BC_OK)
			return false;
		heap->at[at] = heap->at[--heap->len];
	}
	if (at < heap->len)
		sink(heap, at);
	return true;
}

static bool fill(struct heap *heap, struct next_item *heads, struct source *const *sources,
		 size_t count, struct bc_error *err)
{
	for (size_t i = 0; i < count; i++) {
		heads[i].source = sources[i];
		if (sources[i]->next(sources[i], &heads[i].item, err))
			heap->at[heap->len++] = &heads[i];
		else if (err->code != BC_OK)
			return false;
	}
	for (size_t i = heap->len / 2; i-- > 0;)
		sink(heap, i);
	return true;
}

static bool fail_kway(struct kway *how, enum item_fault fault, const struct profile_item *item,
		      struct bc_error *err)
{
	how->fault = fault;
	how->bad.size = 0;
	if (!key_reserve(&how->bad, item->size))
		return bc_fail_nomem(err);
	memcpy(how->bad.at, item->key, item->size);
	how->bad.size = item->size;
	return bc_fail(err, BC_MISMATCH, "two records of one location do not match");
}

/* Where next to the top an item has the top's key; or 0. */
static size_t find_equal(const struct heap *heap)
{
	for (size_t at = 1; at < 3 && at < heap->len; at++)
		if (profile_item_equal(&heap->at[at]->item, &heap->at[0]->item))
			return at;
	return 0;
}

/* Add to the top all that have its key.  Its source does not move, so that the key is there. */
static bool add_equal(struct kway *how, struct heap *heap, struct bc_error *err)
{
	struct profile_item *item = &heap->at[0]->item;

	for (size_t at; (at = find_equal(heap));) {
		const struct profile_item *other = &heap->at[at]->item;
		if (!profile_item_agrees(item, other))
			return fail_kway(how, ITEMS_DISAGREE, item, err);
		if (!profile_item_add(item, other, how->saturate, &how->saturated))
			return fail_kway(how, ITEMS_OVERFLOW, item, err);
		if (!advance(heap, at, err))
			return false;
	}
	return true;
}

/* Each source has each key once.  put(ctx, item, err) gets them.  The sources stay open. */
static bool kway_run(struct kway *how, struct source *const *sources, size_t count,
		     bool (*put)(void *ctx, const struct profile_item *item, struct bc_error *err),
		     void *ctx, struct bc_error *err)
{
	struct next_item *heads = malloc((count + 1) * sizeof(*heads));
	struct heap heap = {malloc((count + 1) * sizeof(*heap.at)), 0};
	bool ok = heads && heap.at ? fill(&heap, heads, sources, count, err) : bc_fail_nomem(err);

	while (ok && heap.len)
		ok = add_equal(how, &heap, err) && put(ctx, &heap.at[0]->item, err) &&
		     advance(&heap, 0, err);
	free(heap.at);
	free(heads);
	return ok;
}

/* ---- what is merged ---- */

/* What is merged: an input in order; a run; what a sorter has in memory. */
struct part {
	enum { PART_INPUT, PART_RUN, PART_MEMORY } kind;
	struct merge_input *input; /* of a run: it is still to be weighed; or NULL */
	struct run run;
	const struct sorter *sorter; /* of PART_MEMORY */
};
DEFINE_VEC(part_vec, struct part);
DEFINE_VEC(input_vec, struct merge_input *);

struct writing {
	struct merge *merge;
	struct input_vec inputs; /* those that are merged */
	struct profile_head head;
	struct preagg_returns returns;
	struct part_vec parts;
	struct kway how;
};

/* ---- sources ---- */

static struct source *open_input(struct merge *merge, struct merge_input *input,
				 struct merge_worker *worker, struct bc_error *err)
{
	return weighed_open(merge_input_open(input, worker, &merge->names, err), merge, input,
			    worker, err);
}

/* All parts are read by one thread. */
static struct source *open_part(struct writing *w, const struct part *part, struct bc_error *err)
{
	struct merge_worker *worker = &w->merge->workers[0];

	switch (part->kind) {
	case PART_INPUT: return open_input(w->merge, part->input, worker, err);
	case PART_RUN: {
		struct source *run = run_open(part->run, err);
		return part->input ? weighed_open(run, w->merge, part->input, worker, err) : run;
	}
	case PART_MEMORY: break;
	}
	return sorter_open_memory(part->sorter, err);
}

typedef bool put_fn(void *ctx, const struct profile_item *item, struct bc_error *err);

/* Merge some of the parts. */
static bool merge_parts(struct writing *w, const struct part *parts, size_t count, put_fn *put,
			void *ctx, struct bc_error *err)
{
	struct source **sources = calloc(count + 1, sizeof(*sources));
	bool ok = sources || bc_fail_nomem(err);

	for (size_t i = 0; ok && i < count; i++) {
		sources[i] = open_part(w, &parts[i], err);
		ok = sources[i];
	}
	ok = ok && kway_run(&w->how, sources, count, put, ctx, err);
	for (size_t i = 0; sources && i < count; i++)
		source_close(sources[i]);
	free(sources);
	return ok;
}

/* ---- levels ---- */

static bool put_in_run(void *ctx, const struct profile_item *item, struct bc_error *err)
{
	return run_put(ctx, item, err);
}

static bool merge_into_run(struct writing *w, const struct part *parts, size_t count,
			   struct part *out, struct bc_error *err)
{
	struct run_writer writer;

	*out = (struct part){.kind = PART_RUN};
	bool ok = run_begin(&writer, &w->merge->workers[0].runs) || bc_fail_nomem(err);
	ok = ok && merge_parts(w, parts, count, put_in_run, &writer, err) &&
	     run_end(&writer, &out->run, err);
	run_abandon(&writer);
	w->merge->report.runs++;
	return ok;
}

/* How many of `count` parts are read side by side: as memory lets, and at least two. */
static size_t together(const struct writing *w, const struct part *parts, size_t count)
{
	const struct merge_options *options = &w->merge->options;
	size_t number = 0;

	for (size_t memory = 0; number < count && number < options->fan_in; number++) {
		bool input = parts[number].kind == PART_INPUT &&
			     parts[number].input->memory > TEXT_INPUT_ROOM;
		memory += input ? parts[number].input->memory :
				  0; /* others take little, and fan_in counts them */
		if (number >= 2 && memory > options->memory)
			break;
	}
	return number;
}

/* Until no more than `most` parts are left. */
static bool reduce(struct writing *w, struct part_vec *parts, size_t most, struct bc_error *err)
{
	while (parts->len > most || together(w, parts->at, parts->len) < parts->len) {
		size_t kept = 0, count;
		for (size_t i = 0; i < parts->len; i += count) {
			struct part merged = parts->at[i];
			count = together(w, &parts->at[i], parts->len - i);
			if (count > 1 && !merge_into_run(w, &parts->at[i], count, &merged, err))
				return false;
			parts->at[kept++] = merged;
		}
		parts->len = kept;
	}
	return true;
}

/* ---- inputs that are out of order ---- */

static bool sort_all(struct source *from, struct sorter *sorter, struct bc_error *err)
{
	struct profile_item item;
	bool ok = from;

	while (ok && from->next(from, &item, err))
		ok = sorter_put(sorter, &item, err);
	ok = ok && err->code == BC_OK;
	source_close(from);
	return ok;
}

static bool add_runs(const struct sorter *sorter, struct part_vec *parts)
{
	for (size_t i = 0; i < sorter->runs.len; i++)
		if (!part_vec_push(parts,
				   (struct part){.kind = PART_RUN, .run = sorter->runs.at[i]}))
			return false;
	return true;
}

static bool take_fault(struct writing *w, const struct sorter *sorter)
{
	w->merge->report.saturated += sorter->saturated;
	w->merge->report.runs += sorter->runs.len;
	if (sorter->fault == ITEMS_FIT)
		return true;
	w->how.fault = sorter->fault;
	w->how.bad.size = 0;
	if (key_reserve(&w->how.bad, sorter->bad.size))
		memcpy(w->how.bad.at, sorter->bad.key, sorter->bad.size);
	w->how.bad.size = sorter->bad.size;
	return false;
}

/* Its counts must be added up before they are scaled: to one run of its own. */
static bool sort_alone(struct writing *w, struct merge_input *input, struct bc_error *err)
{
	struct merge_worker *worker = &w->merge->workers[0];
	struct sorter sorter = merge_sorter(w->merge, worker);
	struct part_vec parts = {0};

	bool ok = sort_all(merge_input_open(input, worker, &w->merge->names, err), &sorter, err) &&
		  sorter_end(&sorter, true, err);
	ok = take_fault(w, &sorter) && ok;
	ok = ok && (add_runs(&sorter, &parts) || bc_fail_nomem(err)) && reduce(w, &parts, 1, err);
	if (ok && parts.len) {
		parts.at[0].input = input;
		ok = part_vec_push(&w->parts, parts.at[0]) || bc_fail_nomem(err);
	}
	part_vec_free(&parts);
	sorter_free(&sorter);
	return ok;
}

/* An input out of order is sorted with the others that the same worker takes. */
static bool sort_with_others(void *ctx, size_t number, struct merge_worker *worker,
			     struct bc_error *err)
{
	struct writing *w = ctx;
	struct merge_input *input = w->inputs.at[number];

	if (input->taken || input->in_order)
		return true;
	return sort_all(open_input(w->merge, input, worker, err), &worker->sorter, err);
}

static bool end_sorter(void *ctx, size_t number, struct merge_worker *worker, struct bc_error *err)
{
	struct writing *w = ctx;

	(void)worker; /* the one whose sorter it is has this number */
	return sorter_end(&w->merge->workers[number].sorter, false, err);
}

static bool sort_inputs(struct writing *w, struct bc_error *err)
{
	struct merge *merge = w->merge;

	for (unsigned i = 0; i < merge->threads && !merge->trusting; i++)
		merge->workers[i].sorter = merge_sorter(merge, &merge->workers[i]);
	if (!merge->options.scaled)
		return merge_each(merge, w->inputs.len, sort_with_others, w, err) &&
		       merge_each(merge, merge->threads, end_sorter, w, err);
	for (size_t i = 0; i < w->inputs.len; i++)
		if (!w->inputs.at[i]->in_order && !sort_alone(w, w->inputs.at[i], err))
			return false;
	return true;
}

/* What a worker's sorter has. */
static bool add_sorted(struct writing *w, const struct sorter *sorter)
{
	struct part memory = {.kind = PART_MEMORY, .sorter = sorter};

	return add_runs(sorter, &w->parts) &&
	       (!sorter->list.items.len || part_vec_push(&w->parts, memory));
}

static bool add_parts(struct writing *w, struct bc_error *err)
{
	struct merge *merge = w->merge;
	bool ok = sort_inputs(w, err);

	for (unsigned i = 0; i < merge->threads; i++)
		ok = take_fault(w, &merge->workers[i].sorter) && ok;
	for (unsigned i = 0; ok && i < merge->threads; i++)
		ok = add_sorted(w, &merge->workers[i].sorter) || bc_fail_nomem(err);
	for (size_t i = 0; ok && i < w->inputs.len; i++) {
		struct part part = {.kind = PART_INPUT, .input = w->inputs.at[i]};
		if (!part.input->taken && part.input->in_order)
			ok = part_vec_push(&w->parts, part) || bc_fail_nomem(err);
	}
	return ok;
}

/* ---- whom a failure is to be blamed on ---- */

/* The item of a key in one input, added up.  false: it has none */
static bool find_item(struct writing *w, struct merge_input *input, struct profile_item *out)
{
	const struct profile_item wanted = {.key = w->how.bad.at, .size = w->how.bad.size};
	struct bc_error ignored;
	struct source *from =
		merge_input_open(input, &w->merge->workers[0], &w->merge->names, &ignored);
	struct profile_item item;
	bool found = false;
	uint64_t saturated = 0;

	while (from && from->next(from, &item, &ignored)) {
		if (profile_item_compare(&item, &wanted))
			continue;
		if (!found)
			*out = item;
		else
			(void)profile_item_add(out, &item, true, &saturated);
		found = true;
	}
	source_close(from);
	return found;
}

static bool fail_pair(struct writing *w, const struct merge_input *a, const struct merge_input *b,
		      const char *what, struct bc_error *err)
{
	bool other = w->how.fault == ITEMS_DISAGREE;

	return bc_fail(
		err, other ? BC_MISMATCH : BC_FORMAT,
		other ? "%.200s and %.200s do not fit: %s is not the same in both (hash, number of blocks or instructions)" :
			"%.200s and %.200s: the counts of %s add up to 2^64 or more; --saturate limits them",
		input_name(a->path), input_name(b->path), what);
}

/* For sums that do not fit, the first two inputs are named that have the record. */
static bool explain(struct writing *w, struct bc_error *err)
{
	const struct profile_item wanted = {.key = w->how.bad.at, .size = w->how.bad.size};
	const struct merge_input *first = NULL;
	struct profile_item of_first = {0}, item;
	char what[256];

	if (w->how.bad.failed)
		return bc_fail_nomem(err);
	record_describe(&w->head, &wanted, what, sizeof(what));
	for (size_t i = 0; i < w->inputs.len; i++) {
		if (!find_item(w, w->inputs.at[i], &item))
			continue;
		if (first &&
		    (w->how.fault == ITEMS_OVERFLOW || !profile_item_agrees(&of_first, &item)))
			return fail_pair(w, first, w->inputs.at[i], what, err);
		/* What the first does not know, another one that does not fit does. */
		if (!first ||
		    (w->how.fault == ITEMS_DISAGREE && (!of_first.same[0] || !of_first.same[1]))) {
			first = w->inputs.at[i];
			of_first = item;
		}
	}
	return bc_fail(err, BC_FORMAT,
		       "%s: the counts of %s add up to 2^64 or more; --saturate limits them",
		       first ? input_name(first->path) : "an input", what);
}

/* ---- all of it ---- */

static bool choose_inputs(struct writing *w, const struct build_id *only, struct bc_error *err)
{
	for (size_t i = 0; i < w->merge->count; i++) {
		struct merge_input *input = &w->merge->inputs[i];
		struct build_id id = merge_identity(input);
		if (input->why ||
		    (only && (id.size != only->size || memcmp(id.data, only->data, id.size))))
			continue;
		if (!profile_head_join(&w->head, &input->head, err))
			return false;
		if (!preagg_returns_join(&w->returns, &input->returns) ||
		    ((input->records || input->trusted) && !input_vec_push(&w->inputs, input)))
			return bc_fail_nomem(err);
		preagg_returns_free(&input->returns);
	}
	return true;
}

static bool number_functions(struct writing *w, struct bc_error *err)
{
	const struct fid_vec **files = calloc(w->inputs.len + 1, sizeof(*files));

	if (!files)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < w->inputs.len; i++)
		files[i] = &w->inputs.at[i]->fids;
	bool ok = yaml_names_settle(&w->merge->names, files, w->inputs.len, &w->head.anew, err);
	free(files);
	return ok;
}

struct written {
	struct record_writer writer;
	struct merge_report *report;
	struct merge_observer observer;
};

static bool put_record(void *ctx, const struct profile_item *item, struct bc_error *err)
{
	struct written *written = ctx;

	if (written->observer.take &&
	    !written->observer.take(written->observer.ctx, written->writer.head->kind, item))
		return bc_fail_nomem(err);
	record_put(&written->writer, item);
	written->report->records_out++;
	written->report->out[0] += item->sum[0];
	written->report->out[1] += item->sum[1];
	return true;
}

/* What was counted one by one, by the workers, and those inputs of which that was not needed. */
static void count_inputs(struct writing *w)
{
	struct merge_report *report = &w->merge->report;

	for (unsigned i = 0; i < w->merge->threads; i++) {
		struct merge_worker *worker = &w->merge->workers[i];
		for (int k = 0; k < 2; k++) {
			report->in[k] += worker->in[k];
			worker->in[k] = 0;
		}
		report->saturated += worker->saturated;
		report->scaled_to_zero += worker->scaled_to_zero;
		worker->saturated = worker->scaled_to_zero = 0;
	}
	for (size_t i = 0; i < w->inputs.len; i++) {
		const struct merge_input *input = w->inputs.at[i];
		for (int k = 0; k < 2 && !input->taken && weighed_as_it_is(w->merge, input); k++)
			report->in[k] += input->sums[k];
	}
}

static bool write_all(struct writing *w, FILE *file, struct bc_error *err)
{
	struct merge_report *report = &w->merge->report;
	struct written *written = malloc(sizeof(*written));

	if (!written)
		return bc_fail_nomem(err);
	written->report = report;
	written->observer = w->merge->options.observer;
	bool ok = record_begin(&written->writer, &w->head, &w->returns, w->merge, file) ||
		  bc_fail_nomem(err);
	ok = ok && merge_parts(w, w->parts.at, w->parts.len, put_record, written, err);
	/* Also of what failed: it frees what the writer holds. */
	ok = (record_end(&written->writer) || !ok || bc_fail_nomem(err)) && ok;
	report->differing += written->writer.yaml.differing;
	free(written);
	count_inputs(w);
	report->saturated += w->how.saturated;
	if (ok && !report->saturated &&
	    (report->in[0] != report->out[0] || report->in[1] != report->out[1]))
		ok = bc_fail(
			err, BC_FORMAT,
			"the counts that were read and those that were written do not add up to the same");
	return ok;
}

static bool write_profile(struct merge *merge, const struct build_id *only, FILE *file,
			  enum profile_kind *kind, struct bc_error *err)
{
	struct writing w = {.merge = merge, .how = {.saturate = merge->options.saturate}};

	bool ok = choose_inputs(&w, only, err) && number_functions(&w, err) && add_parts(&w, err) &&
		  reduce(&w, &w.parts, merge->options.fan_in, err) && write_all(&w, file, err);
	if (!ok && w.how.fault != ITEMS_FIT &&
	    !merge->trusting) /* else another look at all of them will show */
		explain(&w, err);
	*kind = w.head.kind;
	for (unsigned i = 0; i < merge->threads; i++)
		sorter_free(&merge->workers[i].sorter);
	part_vec_free(&w.parts);
	input_vec_free(&w.inputs);
	profile_head_free(&w.head);
	preagg_returns_free(&w.returns);
	key_free(&w.how.bad);
	return ok;
}

bool merge_write(struct merge *merge, const struct build_id *only, FILE *file,
		 enum profile_kind *kind, struct bc_error *err)
{
	struct build_id_vec ids = {0};

	if (only || !merge->several)
		return write_profile(merge, only, file, kind, err);
	bool ok = merge_identities(merge, &ids) || bc_fail_nomem(err);
	for (size_t i = 0; ok && i < ids.len; i++)
		ok = write_profile(merge, &ids.at[i], file, kind, err);
	build_id_vec_free(&ids);
	return ok;
}

/* ---- where a merged profile goes ---- */

char *merge_tmpdir(const char *output, bool folder)
{
	const char *given = getenv("TMPDIR");
	bool file = output && !output_is_stdout(output) && strncmp(output, "/dev/", 5) != 0;
	char *target = file && !folder ? output_target(output) : NULL;
	char *slash = target ? strrchr(target, '/') : NULL;

	if (slash) {
		slash[slash == target] = '\0';
		return target;
	}
	free(target);
	return strdup(file && folder ? output : given && *given ? given : "/tmp");
}

enum profile_kind merge_kind_of(const struct merge *merge)
{
	for (size_t i = 0; i < merge->count; i++)
		if (!merge->inputs[i].why && merge->inputs[i].head.kind)
			return merge->inputs[i].head.kind;
	return KIND_NOTHING;
}

static bool copy(const struct temporary *from, FILE *to, struct bc_error *err)
{
	char buffer[16384];

	for (uint64_t at = 0; at < from->size; at += sizeof(buffer)) {
		size_t size = from->size - at < sizeof(buffer) ? (size_t)(from->size - at) :
								 sizeof(buffer);
		if (!temporary_read(from, at, buffer, size, err))
			return false;
		fwrite(buffer, 1, size, to);
	}
	return true;
}

typedef bool write_fn(struct merge *merge, const struct build_id *only, struct output *to,
		      enum profile_kind *kind, struct bc_error *err);

static bool write_text(struct merge *merge, const struct build_id *only, struct output *to,
		       enum profile_kind *kind, struct bc_error *err)
{
	return merge_write(merge, only, to->file, kind, err);
}

/* Writes a shard, whose text goes through the stream of the shard. */
static bool write_shard(struct merge *merge, const struct build_id *only, struct output *to,
			enum profile_kind *kind, struct bc_error *err)
{
	const struct merge_report *report = &merge->report, before = *report;
	struct shard shard = merge_shard(merge, only);
	FILE *text = shard_begin(&shard, to->file);

	if (!text)
		return bc_fail_nomem(err);
	bool ok = merge_write(merge, only, text, kind, err);
	if (fclose(text) != 0 && ok)
		ok = bc_fail_errno(err, "%s: cannot write", to->path ? to->path : "<stdout>");
	shard.records = report->records_out - before.records_out;
	for (int i = 0; i < 2; i++)
		shard.sums[i] = report->out[i] - before.out[i];
	if (ok)
		shard_end(&shard, to->file);
	return ok;
}

/* Merges into a temporary file, and copies that to the output when all went well: any record can
 * show that two inputs do not fit together, and a pipe cannot give back what it got. */
static bool write_aside(write_fn *write, struct merge *merge, const struct build_id *only,
			const struct output *to, enum profile_kind *kind, struct bc_error *err)
{
	struct temporary aside = temporary_in(merge->options.tmpdir);
	struct bc_error why;
	struct output there = {.file = temporary_stream(&aside, &why), .path = to->path};

	bool ok = (there.file || bc_fail_nomem(err)) && write(merge, only, &there, kind, err);
	if (there.file && (fclose(there.file) != 0 || why.code) && why.code) {
		*err = why;
		ok = false;
	}
	ok = ok && copy(&aside, to->file, err);
	temporary_close(&aside);
	return ok;
}

bool merge_write_whole(struct merge *merge, const struct build_id *only, struct output *to,
		       enum profile_kind *kind, struct bc_error *err)
{
	write_fn *write = merge->options.shard ? write_shard : write_text;

	return to->temporary ? write(merge, only, to, kind, err) :
			       write_aside(write, merge, only, to, kind, err);
}
