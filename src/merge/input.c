/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/input.h"

#include <stdlib.h>
#include <string.h>

#include "src/merge/line_reader.h"
#include "src/merge/yaml_items.h"

void merge_input_drop_next(struct merge_input *input)
{
	if (input->next)
		merge_input_free(input->next);
	free(input->next);
	input->next = NULL;
}

void merge_input_free(struct merge_input *input)
{
	free(input->why);
	profile_head_free(&input->head);
	temporary_close(&input->spool);
	preagg_returns_free(&input->returns);
	fid_vec_free(&input->fids);
	merge_input_drop_next(input);
}

/* ---- the first look ---- */

/* Is the key behind all before it? */
static bool goes_on(struct profile_item *last, const struct profile_item *item, bool *first)
{
	bool ok = *first || profile_item_compare(last, item) < 0;

	*first = false;
	*last = *item;
	return ok;
}

static bool look_at_lines(struct line_reader *r, struct merge_input *input, struct bc_error *err)
{
	struct profile_item item, last = {0};
	bool first = true;

	while (r->source.next(&r->source, &item, err))
		input->in_order &= goes_on(&last, &item, &first);
	if (err->code != BC_OK)
		return false;
	input->records = r->count;
	memcpy(input->sums, r->sums, sizeof(r->sums));
	if (r->head.kind == KIND_PREAGG && !r->head.mode)
		r->head.kind = KIND_NOTHING;
	return true;
}

struct yaml_look {
	struct merge_input *input;
	struct merge_worker *worker;
	struct run_writer writer;
	struct item_list list;
	struct key key, last; /* last: the name of the function before */
};

static bool take_function(struct yaml_look *l, const struct yaml_function *function, struct bc_error *err)
{
	struct text name = {(const char *)function->name.at, function->name.size};
	struct profile_item bad;
	uint64_t ignored = 0;
	uint32_t number;

	item_list_clear(&l->list);
	if (!strings_intern(&l->worker->names, name, &number) ||
	    !fid_vec_push(&l->input->fids, function->fid << 32 | number) ||
	    !yaml_function_items(function, &l->key, &l->list))
		return bc_fail_nomem(err);
	switch (item_list_settle(&l->list, l->worker->saturate, &ignored, &bad)) {
	case ITEMS_FIT: break;
	case ITEMS_DISAGREE:
		return bc_fail(err, BC_FORMAT, "%s: function '%s': a block is there twice, and not the same",
			       input_name(l->input->path), (const char *)bad.key);
	case ITEMS_OVERFLOW:
		return bc_fail(err, BC_FORMAT, "%s: function '%s': counts of one place add up to 2^64 or more (--saturate)",
			       input_name(l->input->path), (const char *)bad.key);
	}
	l->worker->saturated += ignored;
	for (size_t i = 0; i < l->list.settled; i++) {
		const struct profile_item *item = item_list_at(&l->list, i);
		if (!run_put(&l->writer, item, err))
			return false;
		l->input->records++;
		l->input->sums[0] += item->sum[0];
		l->input->sums[1] += item->sum[1];
	}
	return true;
}

static bool take_functions(struct yaml_look *l, struct yaml_input *yaml, struct bc_error *err)
{
	const struct yaml_function *function;
	bool first = true;

	while (yaml_input_next(yaml, &function, err)) {
		const struct profile_item name = {.key = function->name.at, .size = function->name.size};
		const struct profile_item last = {.key = l->last.at, .size = l->last.size};
		l->input->in_order &= first || profile_item_compare(&last, &name) < 0;
		first = false;
		if (!take_function(l, function, err))
			return false;
		l->last.size = 0;
		if (!key_reserve(&l->last, name.size))
			return bc_fail_nomem(err);
		memcpy(l->last.at, name.key, name.size);
		l->last.size = name.size;
	}
	return err->code == BC_OK;
}

static bool look_at_document(struct yaml_input *yaml, struct merge_input *input, struct profile_head *head, struct merge_worker *worker,
			     struct bc_error *err)
{
	struct yaml_look look = {.input = input, .worker = worker};
	const char *why = NULL;

	bool ok = (run_begin(&look.writer, &worker->items) || bc_fail_nomem(err)) && yaml_input_head(yaml, head, err) &&
		  take_functions(&look, yaml, err) && run_end(&look.writer, &input->run, err);
	if (ok && !yaml_fids_settle(&input->fids, &why))
		ok = bc_fail(err, BC_FORMAT, "%s: %s", input_name(input->path), why);
	run_abandon(&look.writer);
	item_list_free(&look.list);
	key_free(&look.key);
	key_free(&look.last);
	return ok;
}

/* Only its build-id tells of which program one of several profiles is. */
static bool add_document(struct merge_input *input, struct bc_error *err)
{
	input->next = malloc(sizeof(*input->next));
	if (!input->next)
		return bc_fail_nomem(err);
	*input->next = (struct merge_input){.path = input->path, .weight = input->weight, .in_order = true, .spool = temporary_in(NULL)};
	return true;
}

static bool look_at_yaml(struct line_reader *r, struct merge_input *input, struct merge_worker *worker,
			 struct bc_error *err)
{
	struct text begin = {r->in.buffer + r->in.begin, r->in.end - r->in.begin};
	struct yaml_input *yaml = yaml_input_open(&r->stream, begin, err);
	bool ok = yaml && look_at_document(yaml, input, &r->head, worker, err), all_known = r->head.id.size;

	for (struct merge_input *to = input; ok && yaml_input_goes_on(yaml); to = to->next) {
		ok = add_document(to, err) && look_at_document(yaml, to->next, &to->next->head, worker, err);
		all_known &= ok && to->next->head.id.size;
	}
	if (ok && input->next && r->is_shard)
		ok = bc_fail(err, BC_FORMAT, "%s: several profiles in one shard", input_name(input->path));
	if (ok && input->next && !all_known)
		ok = bc_fail(err, BC_FORMAT, "%s: one of several profiles has no build-id, and nothing tells of which program it is", input_name(input->path));
	yaml_input_close(yaml);
	return ok;
}

/* No memory, and no room for temporary files, is nothing that the input can help. */
static bool is_own_fault(const struct merge_input *input, const struct merge_worker *worker,
			 const struct bc_error *err)
{
	return err->code == BC_NOMEM || worker->items.failed || input->spool.failed;
}

bool merge_input_look(struct merge_input *input, struct merge_worker *worker, struct bc_error *err)
{
	struct line_reader *r = line_reader_open(input, worker, err);

	input->in_order = true;
	bool ok = r && (r->head.kind == KIND_YAML ? look_at_yaml(r, input, worker, err) : look_at_lines(r, input, err));
	ok = ok && line_reader_check_shard(r, input, err);
	if (ok)
		line_reader_give(r, input);
	if (r)
		source_close(&r->source);
	if (ok || is_own_fault(input, worker, err))
		return ok;
	merge_input_drop_next(input); /* a file is used as a whole or not at all */
	input->why = strdup(err->text);
	err->code = input->why ? BC_OK : BC_NOMEM;
	return false;
}

struct source *merge_input_open(struct merge_input *input, struct merge_worker *worker, const struct yaml_names *names,
				struct bc_error *err)
{
	if (input->head.kind == KIND_YAML)
		return yaml_named_open(input->run, &input->fids, names, worker->saturate, &worker->saturated, err);
	struct line_reader *r = line_reader_open(input, worker, err);
	if (!r)
		return NULL;
	r->expected = input->trusted ? NULL : input;
	r->trusted = input->trusted ? input : NULL;
	r->wanted = NULL; /* they are known */
	return &r->source;
}
