/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/profile/yaml_items.h"
#include "src/profile/fdata.h"

/* ---- the file ---- */

static bool copy_all(struct file_stream *from, struct temporary *to, struct bc_error *err)
{
	char buffer[16384];

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

	*out = (struct file_stream){
		.name = input_name(input->path), .size = input->spool.size, .fd = -1};
	if (input->spool.fd < 0) {
		out->memory = input->spool.memory ? input->spool.memory : &nothing;
		return true;
	}
	out->fd = fcntl(input->spool.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return (out->fd >= 0 && lseek(out->fd, 0, SEEK_SET) == 0) ||
	       bc_fail_errno(err, "%s: cannot read again", out->name);
}

/* What can be read only once is copied first. */
static bool open_stream(struct merge_input *input, struct merge_worker *worker,
			struct file_stream *out, struct bc_error *err)
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
	out->on_read = worker->progress.show;
	out->ctx = worker->progress.ctx;
	return true;
}

/* ---- lines ---- */

static void line_close(struct source *source)
{
	struct line_reader *r = (struct line_reader *)(void *)source; /* its first member */

	text_input_free(&r->in);
	stream_close(&r->stream);
	fdata_input_free(&r->fdata);
	preagg_returns_free(&r->returns);
	key_free(&r->keys[0]);
	key_free(&r->keys[1]);
	free(r);
}

/* false, with BC_OK in `err`: there is no line more */
static bool take_fdata(struct line_reader *r, struct key *key, struct profile_item *item,
		       struct bc_error *err)
{
	struct fdata_line line;

	if (!fdata_input_next(&r->fdata, &line, err))
		return false;
	if (r->fdata.head.mode == MODE_OPEN && !fdata_is_memory(&line))
		r->fdata.head.mode = MODE_BRANCHES;
	return fdata_item(&line, key, item) || bc_fail_nomem(err);
}

static bool take_preagg(struct line_reader *r, struct key *key, struct profile_item *item,
			struct bc_error *err)
{
	bool is_record = false;
	const char *why;
	struct text line;

	for (bool is_first = true; !is_record; is_first = false) {
		/* After what was no record there can be any number of blank lines. */
		if (!is_first)
			text_input_skip_blank(&r->in);
		if (!text_input_line(&r->in, &line, err))
			return false;
		if (!preagg_take(line, &r->fdata.head, r->wanted, key, item, &is_record, &why))
			return why && !key->failed ? text_input_fail(&r->in, why, err) :
						     bc_fail_nomem(err);
	}
	return true;
}

/* A key of a trusted input that is not after the one before. */
static bool check_order(const struct line_reader *r, const struct profile_item *item,
			struct bc_error *err)
{
	const struct key *before = &r->keys[r->turn ^ 1];
	const struct profile_item last = {.key = before->at, .size = before->size};

	return !r->count || profile_item_compare(&last, item) < 0 ||
	       bc_fail(err, BC_FORMAT, "%s: is out of order", r->stream.name);
}

/* Is there what the shard says? */
static bool check_shard(const struct line_reader *r, const struct merge_input *input,
			struct bc_error *err)
{
	const struct shard *says = &r->start.shard;
	bool empty = r->fdata.head.kind == KIND_NOTHING;

	if (!r->start.is_shard)
		return true;
	if ((!empty && says->kind != r->fdata.head.kind) ||
	    (r->fdata.head.mode && says->mode != r->fdata.head.mode))
		return bc_fail(
			err, BC_FORMAT,
			"%s: the records of the shard are not of the kind that its head names",
			r->stream.name);
	if (says->records != input->records || says->sums[0] != input->sums[0] ||
	    says->sums[1] != input->sums[1])
		return bc_fail(
			err, BC_FORMAT,
			"%s: the records of the shard do not add up to what its end says: it was damaged, or is several shards",
			r->stream.name);
	return true;
}

/* What was taken for granted is held against what was there. */
static bool check_trusted(struct line_reader *r, struct bc_error *err)
{
	struct merge_input *input = r->trusted;

	input->records = r->count;
	memcpy(input->sums, r->sums, sizeof(r->sums));
	if (!check_shard(r, input, err))
		return false;
	return (input->head.mode == r->fdata.head.mode &&
		profile_set_size(&input->head.events) == profile_set_size(&r->fdata.head.events)) ||
	       bc_fail(err, BC_FORMAT, "%s: lines of the head follow the records", r->stream.name);
}

/* A file that is longer or shorter now, or has other counts, was written to meanwhile. */
static bool check_expected(const struct line_reader *r, struct bc_error *err)
{
	const struct merge_input *was = r->expected;

	return (was->records == r->count && was->sums[0] == r->sums[0] &&
		was->sums[1] == r->sums[1]) ||
	       bc_fail(err, BC_FORMAT, "%s: was changed while it was merged", r->stream.name);
}

/* At the end of the lines, where err is BC_OK unless something is wrong. */
static void check_end(struct line_reader *r, struct bc_error *err)
{
	if (r->expected)
		(void)!check_expected(r, err);
	else if (r->trusted)
		(void)!check_trusted(r, err);
}

/* Most records, where they are.  false: they must be looked at closer */
static bool take_ahead(struct line_reader *r, struct key *key, struct profile_item *out)
{
	const char *line = text_input_ahead(&r->in);

	if (!line || r->fdata.head.mode != MODE_BRANCHES)
		return false;
	if (r->fdata.head.kind == KIND_FDATA) {
		struct fdata_line read;
		const char *why;
		if (!r->fdata.records ||
		    !fdata_read(&line, r->fdata.head.mode, &r->fdata.names, &read, &why) ||
		    !fdata_item(&read, key, out))
			return false;
	} else if (!preagg_take_record(&line, r->wanted, key, out)) {
		return false;
	}
	text_input_skip(&r->in, line);
	return true;
}

static bool line_next(struct source *source, struct profile_item *out, struct bc_error *err)
{
	struct line_reader *r = (struct line_reader *)(void *)source;
	struct key *key = &r->keys[r->turn ^= 1];

	if (!take_ahead(r, key, out) &&
	    !(r->start.kind == KIND_FDATA ? take_fdata(r, key, out, err) :
					    take_preagg(r, key, out, err))) {
		if (err->code == BC_OK)
			check_end(r, err);
		return false;
	}
	if (r->trusted && r->trusted->in_order && !check_order(r, out, err))
		return false;
	r->count++;
	r->sums[0] += out->sum[0];
	r->sums[1] += out->sum[1];
	return true;
}

struct line_reader *line_reader_open(struct merge_input *input, struct merge_worker *worker,
				     struct bc_error *err)
{
	struct line_reader *r = calloc(1, sizeof(*r));

	if (!r) {
		bc_fail_nomem(err);
		return NULL;
	}
	r->source = (struct source){line_next, line_close};
	r->wanted = &r->returns;
	r->stream.fd = -1;
	r->fdata.in = &r->in;
	bool ok = open_stream(input, worker, &r->stream, err) &&
		  text_input_begin(&r->in, &r->stream, &r->start, err);
	r->fdata.head.kind = r->start.kind;
	if (ok && r->start.kind)
		return r;
	if (ok) {
		const struct foreign *foreign;
		enum file_kind kind = file_kind_of(text_input_rest(&r->in), &foreign);
		if (kind == FILE_UNKNOWN)
			bc_fail(err, BC_FORMAT,
				"%s: is neither fdata nor YAML nor pre-aggregated records",
				r->stream.name);
		else
			bc_fail(err, BC_FORMAT, "%s: is %s, not a profile of BOLT", r->stream.name,
				foreign ? foreign->noun : file_kind_noun(kind));
		bc_hint(err, "convert a recording first: batconv BINARY RECORDING -o prog.fdata");
	}
	line_close(&r->source);
	return NULL;
}

bool line_reader_end(struct line_reader *r, struct merge_input *input, struct bc_error *err)
{
	input->records = r->count;
	memcpy(input->sums, r->sums, sizeof(r->sums));
	if (r->start.kind == KIND_PREAGG && !r->fdata.head.mode)
		r->fdata.head.kind = KIND_NOTHING;
	return check_shard(r, input, err);
}

/* A shard knows its build, where its text does not. */
void line_reader_give(struct line_reader *r, struct merge_input *input)
{
	input->head = r->fdata.head;
	r->fdata.head = (struct profile_head){0};
	input->returns = r->returns;
	r->returns = (struct preagg_returns){0};
	input->memory = TEXT_INPUT_ROOM + stream_memory(&r->stream);
	input->is_shard = r->start.is_shard;
	input->shard = r->start.shard;
	if (r->start.is_shard && !input->head.id.size)
		input->head.id = r->start.shard.id;
	if (r->start.is_shard && !input->head.mode)
		input->head.mode = r->start.shard.mode;
	if (r->start.is_shard && !input->head.kind)
		input->head.kind = r->start.shard.kind;
}

/* ---- an input ---- */

static void free_one(struct merge_input *input)
{
	free(input->why);
	free(input->hint);
	profile_head_free(&input->head);
	temporary_close(&input->spool);
	preagg_returns_free(&input->returns);
	fid_vec_free(&input->fids);
}

static void drop_next(struct merge_input *input)
{
	for (struct merge_input *next = input->next, *after; next; next = after) {
		after = next->next;
		free_one(next);
		free(next);
	}
	input->next = NULL;
}

void merge_input_free(struct merge_input *input)
{
	free_one(input);
	drop_next(input);
}

/* ---- the first look ---- */

/* Is the key after all before it? */
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
	return err->code == BC_OK && line_reader_end(r, input, err);
}

struct yaml_look {
	struct merge_input *input;
	struct merge_worker *worker;
	struct run_writer writer;
	struct item_list list;
	struct key key, last; /* last: the name of the function before */
};

static bool take_function(struct yaml_look *l, const struct yaml_function *function,
			  struct bc_error *err)
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
		return bc_fail(err, BC_FORMAT,
			       "%s: function '%s': a block is there twice, and not the same",
			       input_name(l->input->path), (const char *)bad.key);
	case ITEMS_OVERFLOW:
		return bc_fail(
			err, BC_FORMAT,
			"%s: function '%s': counts of one location add up to 2^64 or more; --saturate limits them",
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
		const struct profile_item name = {.key = function->name.at,
						  .size = function->name.size};
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

static bool look_at_document(struct yaml_input *yaml, struct merge_input *input,
			     struct profile_head *head, struct merge_worker *worker,
			     struct bc_error *err)
{
	struct yaml_look look = {.input = input, .worker = worker};
	const char *why = NULL;

	bool ok = (run_begin(&look.writer, &worker->items) || bc_fail_nomem(err)) &&
		  yaml_input_head(yaml, head, err) && take_functions(&look, yaml, err) &&
		  run_end(&look.writer, &input->run, err);
	if (ok && !yaml_fids_settle(&input->fids, &why))
		ok = bc_fail(err, BC_FORMAT, "%s: %s", input_name(input->path), why);
	run_abandon(&look.writer);
	item_list_free(&look.list);
	key_free(&look.key);
	key_free(&look.last);
	return ok;
}

/* Only its build-id shows of which program one of several profiles is. */
static bool add_document(struct merge_input *input, struct bc_error *err)
{
	input->next = malloc(sizeof(*input->next));
	if (!input->next)
		return bc_fail_nomem(err);
	*input->next = (struct merge_input){.path = input->path,
					    .weight = input->weight,
					    .in_order = true,
					    .spool = temporary_in(NULL)};
	return true;
}

static bool look_at_yaml(struct line_reader *r, struct merge_input *input,
			 struct merge_worker *worker, struct bc_error *err)
{
	struct yaml_input *yaml = yaml_input_open(&r->stream, text_input_rest(&r->in), err);
	if (yaml)
		yaml_input_refuse_probes(yaml);
	bool ok = yaml && look_at_document(yaml, input, &r->fdata.head, worker, err),
	     all_known = r->fdata.head.id.size;

	for (struct merge_input *to = input; ok && yaml_input_goes_on(yaml); to = to->next) {
		ok = add_document(to, err) &&
		     look_at_document(yaml, to->next, &to->next->head, worker, err);
		all_known &= ok && to->next->head.id.size;
	}
	if (ok && input->next && r->start.is_shard)
		ok = bc_fail(err, BC_FORMAT, "%s: several profiles in one shard",
			     input_name(input->path));
	if (ok && input->next && !all_known)
		ok = bc_fail(
			err, BC_FORMAT,
			"%s: one of several profiles has no build-id, and nothing shows of which program it is",
			input_name(input->path));
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
	bool ok = r && (r->start.kind == KIND_YAML ?
				look_at_yaml(r, input, worker, err) && check_shard(r, input, err) :
				look_at_lines(r, input, err));
	if (ok)
		line_reader_give(r, input);
	if (r)
		source_close(&r->source);
	if (ok || is_own_fault(input, worker, err))
		return ok;
	drop_next(input); /* a file is used as a whole or not at all */
	const char *hint = bc_error_hint(err);
	input->hint = hint ? strdup(hint) : NULL;
	input->why = strdup(err->text);
	err->code = input->why && (!hint || input->hint) ? BC_OK : BC_NOMEM;
	return false;
}

struct source *merge_input_open(struct merge_input *input, struct merge_worker *worker,
				const struct yaml_names *names, struct bc_error *err)
{
	if (input->head.kind == KIND_YAML)
		return yaml_named_open(input->run, &input->fids, names, worker->saturate,
				       &worker->saturated, err);
	struct line_reader *r = line_reader_open(input, worker, err);
	if (!r)
		return NULL;
	r->expected = input->trusted ? NULL : input;
	r->trusted = input->trusted ? input : NULL;
	r->wanted = NULL; /* they are known */
	return &r->source;
}
