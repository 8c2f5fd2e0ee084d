/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/merge.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/sort.h"

/* A thread with less to sort in would write many short runs. */
#define WORKER_MEMORY ((size_t)16 << 20)

/* How many have that much; at least one. */
static unsigned threads_with_memory(const struct merge_options *options)
{
	size_t most = options->memory / WORKER_MEMORY;
	unsigned threads = parallel_threads();

	return !most ? 1 : most < threads ? (unsigned)most : threads;
}

static unsigned choose_threads(const struct merge_options *options, size_t count)
{
	unsigned threads = options->threads ? options->threads : threads_with_memory(options);

	return !count ? 1 : count < threads ? (unsigned)count : threads;
}

void merge_init(struct merge *merge, const struct merge_options *options,
		struct merge_input *inputs, size_t count)
{
	*merge = (struct merge){.options = *options,
				.inputs = inputs,
				.given = inputs,
				.count = count,
				.threads = choose_threads(options, count)};
	for (unsigned i = 0; i < merge->threads; i++)
		merge->workers[i] = (struct merge_worker){.items = temporary_in(options->tmpdir),
							  .runs = temporary_in(options->tmpdir),
							  .progress = options->progress,
							  .saturate = options->saturate};
	merge->report.inputs = count;
	for (size_t i = 0; i < count; i++)
		inputs[i].spool = temporary_in(options->tmpdir);
}

void merge_free(struct merge *merge)
{
	for (size_t i = 0; i < merge->count; i++)
		merge_input_free(&merge->inputs[i]);
	for (unsigned i = 0; i < merge->threads; i++) {
		sorter_free(&merge->workers[i].sorter);
		strings_free(&merge->workers[i].names);
		temporary_close(&merge->workers[i].items);
		temporary_close(&merge->workers[i].runs);
	}
	yaml_names_free(&merge->names);
	free(merge->apart);
	merge->apart = NULL;
}

struct sorter merge_sorter(const struct merge *merge, struct merge_worker *worker)
{
	return (struct sorter){.file = &worker->runs,
			       .memory = merge->options.memory / merge->threads,
			       .saturate = worker->saturate};
}

/* ---- several threads ---- */

struct loop {
	struct merge *merge;
	merge_each_fn *each;
	void *ctx;
	atomic_bool failed;
	struct bc_error err; /* of the first that failed */
};

static void run_round(void *ctx, size_t number, unsigned worker)
{
	struct loop *loop = ctx;
	struct bc_error err = {0};

	if (atomic_load(&loop->failed) ||
	    loop->each(loop->ctx, number, &loop->merge->workers[worker], &err))
		return;
	if (!atomic_exchange(&loop->failed, true))
		loop->err = err;
}

bool merge_each(struct merge *merge, size_t count, merge_each_fn *each, void *ctx,
		struct bc_error *err)
{
	struct loop loop = {.merge = merge, .each = each, .ctx = ctx};

	parallel_for(merge->threads, count, run_round, &loop);
	*err = loop.err;
	return !loop.failed;
}

/* llvm-bolt flips the last bit: of an id with it and one without it the input is the same. */
struct build_id merge_identity(const struct merge_input *input)
{
	struct build_id id = input->head.id;

	if (id.size && input->head.kind != KIND_PREAGG)
		id.data[id.size - 1] &= 0xfe;
	return id;
}

static bool refuse_other(struct merge_input *input, const struct merge_options *options)
{
	bool code = input->head.kind == KIND_PREAGG;
	struct build_id id = merge_identity(input),
			wanted = code ? options->expect_code : options->expect;
	char has[2 * BUILD_ID_MAX + 1], text[512];

	if (!code && wanted.size)
		wanted.data[wanted.size - 1] &= 0xfe;
	if (!id.size || (code && !wanted.size) || build_id_same(&id, &wanted))
		return true;
	build_id_format(&id, has);
	snprintf(text, sizeof(text), "%.200s: is of another build, %s", input_name(input->path),
		 has);
	input->other_build = true;
	input->why = strdup(text);
	return input->why;
}

static bool refuse(struct merge_input *input, const char *why)
{
	char text[512];

	snprintf(text, sizeof(text), "%.300s: %s", input_name(input->path), why);
	input->why = strdup(text);
	return input->why;
}

/* What an input that is well formed can lack: then `why` is set.  false: out of memory */
static bool check_input(const struct merge_options *options, struct merge_input *input)
{
	if (options->require_shards && !input->is_shard)
		return refuse(input, "is no shard (--require-shards)");
	if (options->scaled && input->is_shard && input->shard.scaled)
		return refuse(input, "was scaled already, and must be scaled only once");
	return (!options->expect.size && !options->expect_code.size) ||
	       refuse_other(input, options);
}

static void count_input(struct merge *merge, const struct merge_input *input)
{
	struct merge_report *r = &merge->report;

	r->empty += !input->records;
	r->unchecked += !input->is_shard;
	r->without_identity += !input->head.id.size;
	r->records_in += input->records;
}

static bool look(void *ctx, size_t number, struct merge_worker *worker, struct bc_error *err)
{
	struct merge *merge = ctx;
	struct merge_input *input = &merge->inputs[number];

	input->worker = (unsigned)(worker - merge->workers);
	if (!merge_input_look(input, worker, err) && err->code != BC_OK)
		return false;
	for (struct merge_input *each = input; each; each = each->next) {
		each->worker = input->worker;
		if (!each->why && !check_input(&merge->options, each))
			return bc_fail_nomem(err);
	}
	return true;
}

/* For a file of several profiles the good ones are taken, which --expect wants; if there is none,
 * the first represents all. */
static void take_apart(struct merge *merge, struct merge_input *first, size_t *kept)
{
	size_t before = *kept;
	bool any = false;

	for (const struct merge_input *each = first; each; each = each->next)
		any |= !each->why;
	for (struct merge_input *each = first, *next; each; each = next) {
		struct merge_input one = *each;
		next = each->next;
		one.next = NULL;
		if (each != first)
			free(each);
		if (any ? !one.why : each == first)
			merge->apart[(*kept)++] = one;
		else
			merge_input_free(&one);
	}
	merge->several |= *kept - before > 1;
}

/* Makes each profile of a file an input of its own.  false: out of memory */
static bool set_apart(struct merge *merge)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < merge->count; i++)
		for (const struct merge_input *each = &merge->inputs[i]; each; each = each->next)
			count++;
	if (count == merge->count)
		return true;
	merge->apart = malloc(count * sizeof(*merge->apart));
	if (!merge->apart)
		return false;
	for (size_t i = 0; i < merge->count; i++)
		take_apart(merge, &merge->given[i], &kept);
	merge->inputs = merge->apart;
	merge->count = kept;
	return true;
}

/* The names that one worker found get their numbers among those of all. */
static bool join_names(struct merge *merge, unsigned worker)
{
	struct strings *names = &merge->workers[worker].names;
	uint32_t *numbers = calloc((size_t)names->len + 1, sizeof(*numbers));
	bool ok = numbers;

	for (uint32_t i = 1; ok && i < names->len; i++)
		ok = strings_intern(&merge->names.names, strings_at(names, i), &numbers[i]);
	for (size_t i = 0; ok && i < merge->count; i++)
		if (merge->inputs[i].worker == worker)
			yaml_fids_renumber(&merge->inputs[i].fids, numbers);
	free(numbers);
	strings_free(names);
	return ok;
}

bool merge_look(struct merge *merge, struct bc_error *err)
{
	if (!merge_each(merge, merge->count, look, merge, err))
		return false;
	if (!set_apart(merge))
		return bc_fail_nomem(err);
	for (unsigned i = 0; i < merge->threads; i++)
		if (!join_names(merge, i))
			return bc_fail_nomem(err);
	for (size_t i = 0; i < merge->count; i++) {
		merge->report.bad += merge->inputs[i].why != NULL;
		if (!merge->inputs[i].why)
			count_input(merge, &merge->inputs[i]);
	}
	return true;
}

/* ---- may they be merged? ---- */

static bool too_many(const struct merge *merge)
{
	const struct merge_options *o = &merge->options;
	exact_sum bad = merge->report.bad;

	return o->limited &&
	       (o->percent ? bad * 100 > (exact_sum)o->max_bad * merge->count : bad > o->max_bad);
}

static bool check_bad(const struct merge *merge, struct bc_error *err)
{
	size_t bad = merge->report.bad, others = 0;
	const char *first = NULL, *hint = NULL;

	for (size_t i = 0; i < merge->count; i++) {
		others += merge->inputs[i].why && merge->inputs[i].other_build;
		hint = first ? hint : merge->inputs[i].hint;
		first = first ? first : merge->inputs[i].why;
	}
	if (bad && !merge->options.skip_bad) {
		enum bc_code code = others == bad ? BC_MISMATCH : BC_FORMAT;
		if (bad == 1)
			bc_fail(err, code, "%s", first);
		else
			bc_fail(err, code, "%zu inputs cannot be used; the first: %s", bad, first);
		return hint && bc_hint(err, "%s", hint);
	}
	if (too_many(merge))
		return bc_fail(err, BC_MISMATCH,
			       "%zu of %zu inputs cannot be used, and at most %" PRIu64
			       "%s may be so (--max-bad); the first: %s",
			       bad, merge->count, merge->options.max_bad,
			       merge->options.percent ? " %" : "", first);
	return bad < merge->count ||
	       bc_fail(err, BC_MISMATCH, "none of the inputs can be used; the first: %s", first);
}

static bool fail_pair(const struct merge_input *a, const struct merge_input *b, const char *why,
		      struct bc_error *err)
{
	return bc_fail(err, BC_MISMATCH, "%.250s and %.250s do not fit: %s", input_name(a->path),
		       input_name(b->path), why);
}

/* Every input is held against the first that says what it says. */
static bool check_heads(const struct merge *merge, struct bc_error *err)
{
	const struct merge_input *kind = NULL, *mode = NULL;

	for (size_t i = 0; i < merge->count; i++) {
		const struct merge_input *input = &merge->inputs[i];
		if (input->why || !input->head.kind)
			continue;
		kind = kind ? kind : input;
		mode = mode ? mode : input->head.mode ? input : NULL;
		const char *why = profile_head_conflict(&kind->head, &input->head);
		if (why)
			return fail_pair(kind, input, why, err);
		why = mode ? profile_head_conflict(&mode->head, &input->head) : NULL;
		if (why)
			return fail_pair(mode, input, why, err);
	}
	return true;
}

static bool check_identities(const struct merge *merge, struct bc_error *err)
{
	const struct merge_input *first = NULL;

	for (size_t i = 0; i < merge->count; i++) {
		const struct merge_input *input = &merge->inputs[i];
		struct build_id id = merge_identity(input),
				has = first ? merge_identity(first) : id;
		if (input->why || !id.size)
			continue;
		if (!build_id_same(&id, &has))
			return fail_pair(first, input, "they are of two builds", err) ||
			       bc_hint(err, "--group=build -o DIR keeps them apart");
		first = first ? first : input;
	}
	return true;
}

static bool id_less(const struct build_id *a, const struct build_id *b)
{
	return a->size != b->size ? a->size < b->size : memcmp(a->data, b->data, a->size) < 0;
}
DEFINE_SORT(sort_ids, struct build_id, id_less)
DEFINE_UNIFY(unify_ids, struct build_id, !id_less(last, item), (void)0)

bool merge_identities(const struct merge *merge, struct build_id_vec *ids)
{
	for (size_t i = 0; i < merge->count; i++)
		if (!merge->inputs[i].why &&
		    !build_id_vec_push(ids, merge_identity(&merge->inputs[i])))
			return false;
	sort_ids(ids->at, ids->len);
	ids->len = unify_ids(ids->at, ids->len);
	return true;
}

struct shard merge_shard(const struct merge *merge, const struct build_id *only)
{
	struct shard shard = {.scaled = merge->options.scaled};

	for (size_t i = 0; i < merge->count; i++) {
		const struct merge_input *input = &merge->inputs[i];
		struct build_id id = merge_identity(input);
		if (input->why || (only && !build_id_same(&id, only)))
			continue;
		shard.kind = shard.kind ? shard.kind : input->head.kind;
		shard.mode = shard.mode ? shard.mode : input->head.mode;
		shard.id = shard.id.size ? shard.id : id;
		shard.scaled |= input->is_shard && input->shard.scaled;
	}
	return shard;
}

/* With several programs, only a build-id shows which one an input is of. */
static bool check_known(const struct merge *merge, struct bc_error *err)
{
	for (size_t i = 0; i < merge->count; i++) {
		const struct merge_input *input = &merge->inputs[i];
		if (!input->why && input->head.kind && !input->head.id.size)
			return bc_fail(
				err, BC_MISMATCH,
				"%s: has no build-id, and other inputs are profiles of several programs",
				input_name(input->path));
	}
	return true;
}

bool merge_check(struct merge *merge, bool together, struct bc_error *err)
{
	if (merge->several && merge->options.shard && together)
		return bc_fail(err, BC_UNSUPPORTED,
			       "a shard has one profile, and inputs have several") ||
		       bc_hint(err, "--group=build -o DIR keeps them apart");
	return check_bad(merge, err) && check_heads(merge, err) &&
	       (merge->several ? check_known(merge, err) :
				 !together || check_identities(merge, err));
}

/* ---- inputs read once ---- */

/* For an input at least so many bytes must be in order, for the others to be so, too. */
#define BEGINNING ((uint64_t)4096)

/* Inputs of less are added up in memory one after the other, as each that is read side by side
 * takes as much as that; but not if all of them together take more than this part of --memory. */
#define SMALL      ((uint64_t)128 << 10)
#define SMALL_PART 8

static bool is_file(const struct merge_input *input)
{
	struct stat st;

	return strcmp(input->path, "-") != 0 && stat(input->path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_small(const struct merge_worker *worker, const struct line_reader *r)
{
	const struct sorter *sorter = &worker->sorter;

	return r->stream.size < SMALL && !sorter->runs.len &&
	       sorter->list.bytes < sorter->memory / SMALL_PART;
}

/* ---- small ones ---- */

static bool take_small(const struct merge *merge, struct merge_input *input,
		       struct merge_worker *worker, struct line_reader *r, struct bc_error *err)
{
	struct profile_item item;

	while (r->source.next(&r->source, &item, err)) {
		if (!weighed_item(merge, input, worker, &item, err) ||
		    !sorter_put(&worker->sorter, &item, err))
			return false;
	}
	input->taken = true;
	return err->code == BC_OK && line_reader_end(r, input, err);
}

/* ---- large ones ---- */

static bool look_at_beginning(struct line_reader *r, bool *in_order, struct bc_error *err)
{
	struct profile_item item, last = {0};

	*in_order = true;
	while (r->in.next < BEGINNING && r->source.next(&r->source, &item, err)) {
		*in_order &= !last.key || profile_item_compare(&last, &item) < 0;
		last = item;
	}
	return r->in.next >= BEGINNING || err->code == BC_OK;
}

/* Those must be known before the first record is written. */
static bool gather_returns(struct line_reader *r, struct bc_error *err)
{
	struct text lines;

	while (text_input_lines(&r->in, &lines, err))
		if (!preagg_take_returns(lines, &r->returns, &r->keys[0]))
			return bc_fail(err, BC_FORMAT, "%s: an R record is malformed",
				       r->stream.name);
	return err->code == BC_OK;
}

static bool look_at_large(struct merge_input *input, struct line_reader *r, struct bc_error *err)
{
	input->trusted = true;
	return look_at_beginning(r, &input->in_order, err) &&
	       (r->fdata.head.mode || bc_fail(err, BC_FORMAT, "no record yet")) &&
	       (r->start.kind != KIND_PREAGG || gather_returns(r, err));
}

/* ---- all of them ---- */

static bool trust(void *ctx, size_t number, struct merge_worker *worker, struct bc_error *err)
{
	const struct merge *merge = ctx;
	struct merge_input *input = &merge->inputs[number];
	struct line_reader *r = is_file(input) ? line_reader_open(input, worker, err) : NULL;

	if (!r)
		return bc_fail(err, BC_FORMAT, "cannot be trusted");
	bool ok = r->start.kind != KIND_YAML &&
		  (is_small(worker, r) ? take_small(merge, input, worker, r, err) :
					 look_at_large(input, r, err));
	if (ok)
		line_reader_give(r, input);
	source_close(&r->source);
	return ok && check_input(&merge->options, input) && !input->why;
}

bool merge_trust(struct merge *merge, struct bc_error *err)
{
	merge->trusting = true;
	for (unsigned i = 0; i < merge->threads; i++)
		merge->workers[i].sorter = merge_sorter(merge, &merge->workers[i]);
	return merge_each(merge, merge->count, trust, merge, err);
}

void merge_trusted(struct merge *merge)
{
	for (size_t i = 0; merge->trusting && i < merge->count; i++)
		count_input(merge, &merge->inputs[i]);
}

void merge_forget(struct merge *merge)
{
	struct merge_options options = merge->options;
	struct merge_input *inputs = merge->given;
	size_t count = merge->report.inputs;

	merge_free(merge);
	for (size_t i = 0; i < count; i++)
		inputs[i] =
			(struct merge_input){.path = inputs[i].path, .weight = inputs[i].weight};
	merge_init(merge, &options, inputs, count);
}

bool merge_forget_threads(struct merge *merge, const struct bc_error *err)
{
	if (err->code != BC_NOMEM || merge->threads == 1)
		return false;
	for (size_t i = 0; i < merge->count; i++)
		if (!is_file(&merge->inputs[i]))
			return false;
	merge->options.threads = 1;
	merge_forget(merge);
	return true;
}
