/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/merge/fdata.h"
#include "src/merge/text_input.h"
#include "src/merge/yaml_input.h"

#define LOOK ((size_t)4096) /* bytes that tell the kind */

void merge_input_free(struct merge_input *input)
{
	free(input->why);
	merge_head_free(&input->head);
	temporary_close(&input->spool);
	preagg_returns_free(&input->returns);
	fid_vec_free(&input->fids);
}

/* ---- the file ---- */

static bool copy_all(struct file_stream *from, struct temporary *to, struct bc_error *err)
{
	char buffer[65536];

	for (;;) {
		ssize_t got = read(from->fd, buffer, sizeof(buffer));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bc_fail_errno(err, "%s: cannot read", from->name);
		if (!got)
			return true;
		if (!temporary_append(to, buffer, (size_t)got, err))
			return false;
	}
}

static bool reopen(const struct merge_input *input, struct file_stream *out, struct bc_error *err)
{
	static const uint8_t nothing;

	*out = (struct file_stream){.name = input_name(input->path), .size = input->spool.size, .fd = -1};
	if (input->spool.fd < 0) {
		out->memory = input->spool.memory ? input->spool.memory : &nothing;
		return true;
	}
	out->fd = fcntl(input->spool.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return (out->fd >= 0 && lseek(out->fd, 0, SEEK_SET) == 0) || bc_fail_errno(err, "%s: cannot read again", out->name);
}

/* What can be read only once is copied first. */
static bool open_stream(struct merge_input *input, struct merge_shared *shared, struct file_stream *out,
			struct bc_error *err)
{
	struct stat st;

	if (!input->spooled) {
		if (!stream_open(input->path, out, err))
			return false;
		if (out->fd != STDIN_FILENO && fstat(out->fd, &st) == 0 && S_ISREG(st.st_mode))
			goto opened;
		input->spooled = true;
		bool ok = copy_all(out, &input->spool, err);
		stream_close(out);
		if (!ok)
			return false;
	}
	if (!reopen(input, out, err))
		return false;
opened:
	out->on_read = shared->progress.show;
	out->ctx = shared->progress.ctx;
	return true;
}

/* ---- lines ---- */

struct line_reader {
	struct source source;
	struct file_stream stream;
	bool is_shard;
	struct shard shard;
	struct text_input in;
	struct merge_head head;
	struct preagg_returns returns, *wanted; /* wanted: it, or NULL */
	bool records; /* the head is over */
	struct key keys[2]; /* in turn, so that the one before is there still */
	unsigned turn;
	const struct merge_input *expected; /* what the first look found; or NULL */
	uint64_t count;
	merge_sum sums[2];
};

static void line_close(struct source *source)
{
	struct line_reader *r = (struct line_reader *)(void *)source; /* its first member */

	text_input_free(&r->in);
	stream_close(&r->stream);
	merge_head_free(&r->head);
	preagg_returns_free(&r->returns);
	key_free(&r->keys[0]);
	key_free(&r->keys[1]);
	free(r);
}

/* false: *why it cannot be, or out of memory */
static bool take_fdata(struct line_reader *r, struct text line, struct key *key, struct merge_item *item,
		       bool *is_record, const char **why)
{
	bool is_head = false;

	*why = NULL;
	*is_record = false;
	if (!r->records && !fdata_head(line, &r->head, &is_head))
		return false;
	if (is_head)
		return true;
	r->records = *is_record = true;
	if (!fdata_parse(line, r->head.mode, key, item, why))
		return false;
	if (r->head.mode == MODE_OPEN && !item->key[0])
		r->head.mode = MODE_BRANCHES;
	return true;
}

/* A file that is longer or shorter now, or has other counts, was written to meanwhile. */
static bool check_end(const struct line_reader *r, struct bc_error *err)
{
	const struct merge_input *was = r->expected;

	if (!was || (was->records == r->count && was->sums[0] == r->sums[0] && was->sums[1] == r->sums[1]))
		return false;
	return bc_fail(err, BC_FORMAT, "%s: was changed while it was merged", r->stream.name);
}

static bool line_next(struct source *source, struct merge_item *out, struct bc_error *err)
{
	struct line_reader *r = (struct line_reader *)(void *)source;
	struct key *key = &r->keys[r->turn ^= 1];
	bool is_record = false;
	const char *why;
	struct text line;

	while (!is_record) {
		if (!text_input_line(&r->in, &line, err))
			return err->code == BC_OK && check_end(r, err);
		bool ok = r->head.kind == MERGE_FDATA
				  ? take_fdata(r, line, key, out, &is_record, &why)
				  : preagg_take(line, &r->head, r->wanted, key, out, &is_record, &why);
		if (!ok)
			return why && !key->failed ? text_input_fail(&r->in, why, err) : bc_fail_nomem(err);
	}
	r->count++;
	r->sums[0] += out->sum[0];
	r->sums[1] += out->sum[1];
	return true;
}

static enum merge_kind kind_of(struct text start)
{
	return text_starts(start, "---") ? MERGE_YAML
	       : fdata_fits(start)       ? MERGE_FDATA
					 : MERGE_PREAGG;
}

/* Open it and find out what it is. */
static struct line_reader *open_lines(struct merge_input *input, struct merge_shared *shared, struct bc_error *err)
{
	struct line_reader *r = calloc(1, sizeof(*r));
	struct text start;

	if (!r) {
		bc_fail_nomem(err);
		return NULL;
	}
	r->source = (struct source){line_next, line_close};
	r->wanted = &r->returns;
	r->stream.fd = -1;
	if (!open_stream(input, shared, &r->stream, err) ||
	    !shard_look(&r->stream, &r->is_shard, &r->shard, err) || !text_input_init(&r->in, &r->stream, err) ||
	    !text_input_peek(&r->in, LOOK, &start, err))
		goto failed;
	r->head.kind = kind_of(start);
	if (r->head.kind != MERGE_PREAGG || preagg_can_be(start))
		return r;
	bc_fail(err, BC_FORMAT, "%s: is neither fdata nor YAML nor pre-aggregated records", r->stream.name);
failed:
	line_close(&r->source);
	return NULL;
}

/* ---- the first look ---- */

/* Is the key behind all before it? */
static bool goes_on(struct merge_item *last, const struct merge_item *item, bool *first)
{
	bool ok = *first || merge_item_compare(last, item) < 0;

	*first = false;
	*last = *item;
	return ok;
}

static bool look_at_lines(struct line_reader *r, struct merge_input *input, struct bc_error *err)
{
	struct merge_item item, last = {0};
	bool first = true;

	while (line_next(&r->source, &item, err))
		input->in_order &= goes_on(&last, &item, &first);
	if (err->code != BC_OK)
		return false;
	input->records = r->count;
	memcpy(input->sums, r->sums, sizeof(r->sums));
	if (r->head.kind == MERGE_PREAGG && !r->head.mode)
		r->head.kind = MERGE_NOTHING;
	return true;
}

struct yaml_look {
	struct merge_input *input;
	struct merge_shared *shared;
	struct run_writer writer;
	struct item_list list;
	struct key key, last; /* last: the name of the function before */
};

static bool take_function(struct yaml_look *l, const struct yaml_function *function, struct bc_error *err)
{
	struct text name = {(const char *)function->name.at, function->name.size};
	struct merge_item bad;
	uint64_t ignored = 0;
	uint32_t number;

	item_list_clear(&l->list);
	if (!strings_intern(&l->shared->names.names, name, &number) ||
	    !fid_vec_push(&l->input->fids, function->fid << 32 | number) ||
	    !yaml_function_items(function, &l->key, &l->list))
		return bc_fail_nomem(err);
	switch (item_list_settle(&l->list, l->shared->saturate, &ignored, &bad)) {
	case ITEMS_FIT: break;
	case ITEMS_DISAGREE:
		return bc_fail(err, BC_FORMAT, "%s: function '%s': a block is there twice, and not the same",
			       input_name(l->input->path), (const char *)bad.key);
	case ITEMS_OVERFLOW:
		return bc_fail(err, BC_FORMAT, "%s: function '%s': counts of one place add up to 2^64 or more (--saturate)",
			       input_name(l->input->path), (const char *)bad.key);
	}
	l->shared->saturated += ignored;
	for (size_t i = 0; i < l->list.items.len; i++) {
		const struct merge_item *item = &l->list.items.at[i];
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
		const struct merge_item name = {.key = function->name.at, .size = function->name.size};
		const struct merge_item last = {.key = l->last.at, .size = l->last.size};
		l->input->in_order &= first || merge_item_compare(&last, &name) < 0;
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

static bool look_at_yaml(struct line_reader *r, struct merge_input *input, struct merge_shared *shared,
			 struct bc_error *err)
{
	struct yaml_look look = {.input = input, .shared = shared};
	struct text begin = {r->in.buffer + r->in.begin, r->in.end - r->in.begin};
	struct yaml_input *yaml = yaml_input_open(&r->stream, begin, err);
	const char *why = NULL;

	bool ok = yaml && (run_begin(&look.writer, shared->file) || bc_fail_nomem(err)) &&
		  yaml_input_head(yaml, &r->head, err) && take_functions(&look, yaml, err) &&
		  run_end(&look.writer, &input->run, err);
	if (ok && !yaml_fids_settle(&input->fids, &why))
		ok = bc_fail(err, BC_FORMAT, "%s: %s", input_name(input->path), why);
	run_abandon(&look.writer);
	item_list_free(&look.list);
	key_free(&look.key);
	key_free(&look.last);
	yaml_input_close(yaml);
	return ok;
}

/* No memory, and no room for temporary files, is nothing that the input can help. */
static bool is_own_fault(const struct merge_input *input, const struct merge_shared *shared,
			 const struct bc_error *err)
{
	return err->code == BC_NOMEM || shared->file->failed || input->spool.failed;
}

/* Is there what the shard says? */
static bool check_shard(const struct line_reader *r, const struct merge_input *input, struct bc_error *err)
{
	const struct shard *says = &r->shard;
	bool empty = r->head.kind == MERGE_NOTHING;

	if (!r->is_shard)
		return true;
	if ((!empty && says->kind != r->head.kind) || (r->head.mode && says->mode != r->head.mode))
		return bc_fail(err, BC_FORMAT, "%s: is a shard of something else than it says", r->stream.name);
	if (says->records != input->records || says->sums[0] != input->sums[0] || says->sums[1] != input->sums[1])
		return bc_fail(err, BC_FORMAT, "%s: has not the records that its end tells of: it was damaged, or is several shards",
			       r->stream.name);
	return true;
}

/* A shard knows its build, where its text does not. */
static void take_shard(const struct line_reader *r, struct merge_input *input)
{
	input->is_shard = r->is_shard;
	input->shard = r->shard;
	if (r->is_shard && !input->head.id.size)
		input->head.id = r->shard.id;
	if (r->is_shard && !input->head.mode)
		input->head.mode = r->shard.mode;
	if (r->is_shard && !input->head.kind)
		input->head.kind = r->shard.kind;
}

bool merge_input_look(struct merge_input *input, struct merge_shared *shared, struct bc_error *err)
{
	struct line_reader *r = open_lines(input, shared, err);

	input->in_order = true;
	bool ok = r && (r->head.kind == MERGE_YAML ? look_at_yaml(r, input, shared, err) : look_at_lines(r, input, err));
	ok = ok && check_shard(r, input, err);
	if (ok) {
		input->head = r->head;
		r->head = (struct merge_head){0};
		input->returns = r->returns;
		r->returns = (struct preagg_returns){0};
		take_shard(r, input);
	}
	if (r)
		line_close(&r->source);
	if (ok || is_own_fault(input, shared, err))
		return ok;
	input->why = strdup(err->text);
	err->code = input->why ? BC_OK : BC_NOMEM;
	return false;
}

struct source *merge_input_open(struct merge_input *input, struct merge_shared *shared, struct bc_error *err)
{
	if (input->head.kind == MERGE_YAML)
		return yaml_named_open(shared->file, input->run, &input->fids, &shared->names, shared->saturate,
				       &shared->saturated, err);
	struct line_reader *r = open_lines(input, shared, err);
	if (!r)
		return NULL;
	r->expected = input;
	r->wanted = NULL; /* they are known */
	return &r->source;
}
