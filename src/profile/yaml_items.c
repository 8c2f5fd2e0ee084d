/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/yaml_items.h"

#include <stdlib.h>

#include "src/base/sort.h"

static bool fid_less(const uint64_t *a, const uint64_t *b)
{
	return *a < *b;
}
DEFINE_SORT(sort_fids, uint64_t, fid_less)

/* The number is in the upper half, the number of the name in the lower one. */
DEFINE_SEARCH(fids_below, uint64_t, uint64_t, *item >> 32 < key)

void yaml_names_free(struct yaml_names *names)
{
	strings_free(&names->names);
	free(names->fids);
	*names = (struct yaml_names){0};
}

static uint64_t swapped(uint64_t pair)
{
	return pair << 32 | pair >> 32;
}

/* Does one number have two names, or one name two numbers?  Equal pairs are none of its concern. */
static bool contradict(uint64_t *pairs, size_t count)
{
	bool found = false;

	for (int turn = 0; turn < 2; turn++) {
		for (size_t i = 1; i < count; i++)
			found |= pairs[i] >> 32 == pairs[i - 1] >> 32 && pairs[i] != pairs[i - 1];
		for (size_t i = 0; i < count; i++)
			pairs[i] = swapped(pairs[i]);
		if (count)
			sort_fids(pairs, count);
	}
	return found;
}

bool yaml_fids_settle(struct fid_vec *fids, const char **why)
{
	*why = NULL;
	sort_fids(fids->at, fids->len);
	for (size_t i = 1; i < fids->len; i++)
		if (fids->at[i] == fids->at[i - 1])
			*why = "a function is there twice";
	if (!*why && contradict(fids->at, fids->len))
		*why = "two functions have one number (fid), or one name";
	return !*why;
}

void yaml_fids_renumber(struct fid_vec *fids, const uint32_t *numbers)
{
	for (size_t i = 0; i < fids->len; i++)
		fids->at[i] = (fids->at[i] >> 32) << 32 | numbers[(uint32_t)fids->at[i]];
}

static bool gather(const struct fid_vec *const *files, size_t count, struct fid_vec *all)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < files[i]->len; k++)
			if (!fid_vec_push(all, files[i]->at[k]))
				return false;
	sort_fids(all->at, all->len);
	return true;
}

/* Only names that a file of these has: others may have been left out. */
static bool number_anew(struct yaml_names *names, const struct fid_vec *all)
{
	struct text *sorted = profile_set_sorted(&names->names);
	uint32_t number = 0, which;

	for (size_t i = 0; i < all->len; i++)
		names->fids[(uint32_t)all->at[i]] = 1;
	for (size_t i = 0; sorted && i < profile_set_size(&names->names); i++)
		if (strings_intern(&names->names, sorted[i], &which) && names->fids[which])
			names->fids[which] = ++number;
	bool ok = sorted;
	free(sorted);
	return ok;
}

bool yaml_names_settle(struct yaml_names *names, const struct fid_vec *const *files, size_t count,
		       bool *anew, struct bc_error *err)
{
	struct fid_vec all = {0};

	free(names->fids);
	names->fids = calloc((size_t)names->names.len + 1, sizeof(*names->fids));
	bool ok = names->fids && gather(files, count, &all);
	*anew |= ok && contradict(all.at, all.len);
	for (size_t i = 0; ok && !*anew && i < all.len; i++)
		names->fids[(uint32_t)all.at[i]] = (uint32_t)(all.at[i] >> 32);
	ok = ok && (!*anew || number_anew(names, &all));
	fid_vec_free(&all);
	return ok || bc_fail_nomem(err);
}

uint32_t yaml_names_fid(struct yaml_names *names, struct text name)
{
	uint32_t number;

	/* All names are there: nothing is added. */
	return strings_intern(&names->names, name, &number) ? names->fids[number] : 0;
}

/* ---- callees by name ---- */

struct named {
	struct source source, *run;
	const struct fid_vec *fids;
	const struct yaml_names *names;
	bool saturate;
	uint64_t *saturated;
	struct profile_item ahead; /* the first item of the next function */
	bool has_ahead;
	struct item_list function;
	size_t given;
	struct key key;
};

static struct text name_of(const struct named *n, uint64_t fid)
{
	size_t first = fids_below(n->fids->at, n->fids->len, fid);

	if (!fid || first == n->fids->len || n->fids->at[first] >> 32 != fid)
		return (struct text){"", 0};
	return strings_at(&n->names->names, (uint32_t)n->fids->at[first]);
}

/* The key of a call with its callee by name; others as they are. */
static struct profile_item with_name(struct named *n, const struct profile_item *item)
{
	struct key_parts parts = key_parts(item);
	struct profile_item out = *item;

	key_take_name(&parts);
	if (key_take_byte(&parts) != YAML_BLOCK)
		return out;
	key_take_number(&parts);
	if (key_take_byte(&parts) != YAML_BLOCK_CALL)
		return out;
	key_take_number(&parts);
	size_t size = (size_t)(parts.at - item->key);
	key_take_byte(&parts);
	struct text name = name_of(n, key_take_number(&parts));
	uint64_t disc = key_take_number(&parts);
	n->key.size = 0;
	key_bytes(&n->key, item->key, size);
	key_byte(&n->key, name.len ? CALLEE_NAMED : CALLEE_UNKNOWN);
	if (name.len)
		key_name(&n->key, name);
	key_number(&n->key, disc);
	key_bytes(&n->key, parts.at, (size_t)(parts.end - parts.at)); /* an unknown key */
	out.key = n->key.at;
	out.size = n->key.size;
	return out;
}

/* Is it of the function that the list is of? */
static bool is_of_function(const struct named *n, const struct profile_item *item)
{
	const uint8_t *name = n->function.items.len ? n->function.items.at[0].key : item->key;
	size_t size = strlen((const char *)name) + 1;

	return size <= item->size && !memcmp(name, item->key, size);
}

static bool read_function(struct named *n, struct bc_error *err)
{
	struct profile_item bad;

	item_list_clear(&n->function);
	n->given = 0;
	err->code = BC_OK;
	while (n->has_ahead && is_of_function(n, &n->ahead)) {
		struct profile_item item = with_name(n, &n->ahead);
		if (n->key.failed || !item_list_push(&n->function, &item))
			return bc_fail_nomem(err);
		n->has_ahead = n->run->next(n->run, &n->ahead, err);
		if (err->code != BC_OK)
			return false;
	}
	enum item_fault fault = item_list_settle(&n->function, n->saturate, n->saturated, &bad);
	return fault == ITEMS_FIT ||
	       bc_fail(err, BC_FORMAT,
		       "calls of function '%s' add up to 2^64 or more; --saturate limits them",
		       (const char *)bad.key);
}

static bool named_next(struct source *source, struct profile_item *out, struct bc_error *err)
{
	struct named *n = (struct named *)(void *)source; /* its first member */

	err->code = BC_OK;
	if (n->given == n->function.settled && (!n->has_ahead || !read_function(n, err)))
		return false;
	*out = *item_list_at(&n->function, n->given++);
	return true;
}

static void named_close(struct source *source)
{
	struct named *n = (struct named *)(void *)source;

	source_close(n->run);
	item_list_free(&n->function);
	key_free(&n->key);
	free(n);
}

struct source *yaml_named_open(struct run run, const struct fid_vec *fids,
			       const struct yaml_names *names, bool saturate, uint64_t *saturated,
			       struct bc_error *err)
{
	struct named *n = malloc(sizeof(*n));

	if (!n) {
		bc_fail_nomem(err);
		return NULL;
	}
	*n = (struct named){.source = {named_next, named_close},
			    .run = run_open(run, err),
			    .fids = fids,
			    .names = names,
			    .saturate = saturate,
			    .saturated = saturated};
	if (n->run)
		n->has_ahead = n->run->next(n->run, &n->ahead, err);
	if (n->run && (n->has_ahead || err->code == BC_OK))
		return &n->source;
	named_close(&n->source);
	return NULL;
}

/* ---- a function's items ---- */

static bool push(struct item_list *list, const struct key *key, const uint64_t sum[2],
		 const uint64_t same[2])
{
	return !key->failed &&
	       item_list_push(list,
			      &(struct profile_item){
				      key->at, key->size, {sum[0], sum[1]}, {same[0], same[1]}});
}

static const uint64_t none[2];

static void begin_function(struct key *key, size_t name)
{
	key->size = name;
	key_byte(key, YAML_FUNCTION);
}

static void begin_block(struct key *key, size_t name, const struct yaml_block *block, uint8_t part)
{
	key->size = name;
	key_byte(key, YAML_BLOCK);
	key_number(key, block->bid);
	key_byte(key, part);
}

static void begin_call(const struct yaml_function *f, struct key *key, size_t name,
		       const struct yaml_call *call)
{
	begin_block(key, name, &f->blocks.at[call->block], YAML_BLOCK_CALL);
	key_number(key, call->off);
	key_byte(key, CALLEE_NUMBERED);
	key_number(key, call->fid);
	key_number(key, call->disc);
}

static void begin_successor(const struct yaml_function *f, struct key *key, size_t name,
			    const struct yaml_successor *s)
{
	begin_block(key, name, &f->blocks.at[s->block], YAML_BLOCK_SUCCESSOR);
	key_number(key, s->bid);
}

static bool push_blocks(const struct yaml_function *f, struct key *key, size_t name,
			struct item_list *list)
{
	for (size_t i = 0; i < f->blocks.len; i++) {
		const struct yaml_block *block = &f->blocks.at[i];
		begin_block(key, name, block, YAML_BLOCK_ITSELF);
		if (!push(list, key, (uint64_t[]){block->exec, block->events},
			  (uint64_t[]){block->insns, block->hash}))
			return false;
	}
	return true;
}

static bool push_calls(const struct yaml_function *f, struct key *key, size_t name,
		       struct item_list *list)
{
	for (size_t i = 0; i < f->calls.len; i++) {
		const struct yaml_call *call = &f->calls.at[i];
		begin_call(f, key, name, call);
		if (!push(list, key, (uint64_t[]){call->cnt, call->mis}, none))
			return false;
	}
	return true;
}

static bool push_successors(const struct yaml_function *f, struct key *key, size_t name,
			    struct item_list *list)
{
	for (size_t i = 0; i < f->successors.len; i++) {
		const struct yaml_successor *s = &f->successors.at[i];
		begin_successor(f, key, name, s);
		if (!push(list, key, (uint64_t[]){s->cnt, s->mis}, none))
			return false;
	}
	return true;
}

static bool push_more(const struct yaml_function *f, struct key *key, size_t name,
		      struct item_list *list)
{
	for (size_t i = 0; i < f->more.len; i++) {
		const struct yaml_more *more = &f->more.at[i];
		switch (more->of) {
		case MORE_FUNCTION: begin_function(key, name); break;
		case MORE_BLOCK:
			begin_block(key, name, &f->blocks.at[more->index], YAML_BLOCK_ITSELF);
			break;
		case MORE_CALL: begin_call(f, key, name, &f->calls.at[more->index]); break;
		case MORE_SUCCESSOR:
			begin_successor(f, key, name, &f->successors.at[more->index]);
			break;
		}
		key_bytes(key, f->more_text.at + more->at, more->size);
		if (!push(list, key, none, none))
			return false;
	}
	return true;
}

bool yaml_function_items(const struct yaml_function *f, struct key *key, struct item_list *list)
{
	key->size = 0;
	key_name(key, (struct text){(const char *)f->name.at, f->name.size});
	size_t name = key->size;
	begin_function(key, name);
	return push(list, key, (uint64_t[]){f->exec, f->external},
		    (uint64_t[]){f->hash, f->nblocks}) &&
	       push_blocks(f, key, name, list) && push_calls(f, key, name, list) &&
	       push_successors(f, key, name, list) && push_more(f, key, name, list);
}

/* ---- items as YAML ---- */

/* texts: the key and the value, as scan_unknown() left them */
static void write_unknown_key(struct emit *out, const char *before, const char *texts)
{
	size_t length = strlen(texts);

	emit_string(out, before);
	emit_string(out, texts);
	emit_char(out, ':');
	for (size_t column = length + 1; *before == '\n' && column < 16; column++)
		emit_char(out, ' ');
	emit_char(out, ' ');
	emit_string(out, texts + length + 1);
}

/* ---- the head ---- */

/* A set as one text.  NULL: out of memory */
static char *joined(const struct strings *set, const char *between, const char *last)
{
	struct text *texts = profile_set_sorted(set);
	size_t count = profile_set_size(set), size = strlen(last) + 1;

	for (size_t i = 0; texts && i < count; i++)
		size += texts[i].len + strlen(between);
	char *all = texts ? malloc(size) : NULL;
	if (all) {
		char *end = all;
		for (size_t i = 0; i < count; i++) {
			if (i)
				end = stpcpy(end, between);
			memcpy(end, texts[i].at, texts[i].len);
			end += texts[i].len;
		}
		strcpy(end, last);
	}
	free(texts);
	return all;
}

/* For several values the first in order is written. */
static bool write_unknown(struct yaml_output *o, const struct strings *set, const char *before)
{
	struct text *texts = set->len ? profile_set_sorted(set) : NULL;

	for (size_t i = 0; texts && i < profile_set_size(set); i++) {
		if (i && !strcmp(texts[i].at, texts[i - 1].at)) {
			o->differing++;
			continue;
		}
		write_unknown_key(o->out, before, texts[i].at);
	}
	bool ok = texts || !set->len;
	free(texts);
	return ok;
}

bool yaml_output_head(struct yaml_output *o, const struct profile_head *head)
{
	char *origin = joined(&head->origins, "; ",
			      !head->anew                      ? "" :
			      profile_set_size(&head->origins) ? "; " PROFILE_NUMBERED_ANEW :
								 PROFILE_NUMBERED_ANEW);
	char *events = joined(&head->events, " ", "");
	const char *const all = events;
	const struct yaml_head lines = {
		.binary_name = strings_at(&head->words, head->binary_name).at,
		.origin = origin,
		.id = &head->id,
		.plain = head->mode == MODE_PLAIN,
		.events = &all,
		.event_count = 1,
		.dfs_order = head->dfs_order,
		.hash_func =
			head->has_hash_func ? strings_at(&head->words, head->hash_func).at : NULL};
	bool ok = origin && events && yaml_write_head(&lines, o->out);

	ok = ok && write_unknown(o, &head->unknown, "\n  ");
	yaml_write_begin(o->out);
	free(origin);
	free(events);
	return ok;
}

/* ---- functions ---- */

/* A row stays open for unknown keys. */
static void end_list(struct yaml_output *o)
{
	if (o->list) {
		yaml_end_row(o->out);
		yaml_end_list(o->out);
	}
	o->list = 0;
}

static void write_function(struct yaml_output *o, struct text name, const struct profile_item *item)
{
	const struct yaml_function function = {.fid = yaml_names_fid(o->names, name),
					       .hash = item->same[0],
					       .exec = item->sum[0],
					       .external = o->external ? item->sum[1] : 0,
					       .nblocks = item->same[1]};

	end_list(o);
	yaml_write_function(name.at, &function, o->out);
	o->any = true;
	o->blocks = false;
}

static void write_block(struct yaml_output *o, uint64_t bid, const struct profile_item *item)
{
	const struct yaml_block block = {.bid = bid,
					 .insns = item->same[0],
					 .hash = item->same[1],
					 .exec = item->sum[0],
					 .events = item->sum[1]};

	end_list(o);
	yaml_write_block(&block, !o->blocks, o->out);
	o->blocks = true;
}

static void next_in_list(struct yaml_output *o, enum yaml_list list)
{
	bool first = o->list != list;

	if (first)
		end_list(o);
	else
		yaml_end_row(o->out);
	yaml_begin_row(list, first, o->out);
	o->list = list;
}

struct callee {
	uint64_t off, disc;
	struct text name; /* empty: unknown */
};

static struct callee take_callee(struct key_parts *key)
{
	struct callee callee = {.off = key_take_number(key)};

	if (key_take_byte(key) == CALLEE_NAMED)
		callee.name = key_take_name(key);
	callee.disc = key_take_number(key);
	return callee;
}

static void write_call(struct yaml_output *o, struct key_parts *key,
		       const struct profile_item *item)
{
	struct callee callee = take_callee(key);
	const struct yaml_call call = {
		.off = callee.off,
		.disc = callee.disc,
		.cnt = item->sum[0],
		.mis = item->sum[1],
		.fid = callee.name.len ? yaml_names_fid(o->names, callee.name) : 0};

	next_in_list(o, YAML_CALLS);
	yaml_write_call(&call, o->out);
}

static void write_successor(struct yaml_output *o, struct key_parts *key,
			    const struct profile_item *item)
{
	const struct yaml_successor successor = {
		.bid = key_take_number(key), .cnt = item->sum[0], .mis = item->sum[1]};

	next_in_list(o, YAML_SUCCESSORS);
	yaml_write_successor(&successor, o->out);
}

static bool begins_with(const struct profile_item *item, const struct key *key, size_t size)
{
	return item->size > size && !memcmp(item->key, key->at, size);
}

/* An unknown key of the item that was written last, whose own key it begins with.  If scaling left
 * that out, it is left out as well. */
static void write_more(struct yaml_output *o, const struct profile_item *item, struct key_parts key,
		       const char *before)
{
	const char *texts = (const char *)key.at;

	if (!begins_with(item, &o->last, o->last_item))
		return;
	if (o->last.size > o->last_item && begins_with(item, &o->last, o->last.size)) {
		o->differing++;
		return;
	}
	write_unknown_key(o->out, before, texts);
	o->last.size = o->last_item;
	key_bytes(&o->last, texts, strlen(texts) + 1);
}

static void remember(struct yaml_output *o, const struct profile_item *item)
{
	o->last.size = 0;
	key_bytes(&o->last, item->key, item->size);
	o->last_item = o->last.size;
}

void yaml_output_item(struct yaml_output *o, const struct profile_item *item)
{
	struct key_parts key = key_parts(item);
	struct text name = key_take_name(&key);
	uint64_t bid = 0;
	uint8_t part = 0;
	bool is_function = key_take_byte(&key) == YAML_FUNCTION;

	if (!is_function) {
		bid = key_take_number(&key);
		part = key_take_byte(&key);
	}
	struct key_parts row = key;
	if (!is_function && part == YAML_BLOCK_CALL)
		take_callee(&key);
	else if (!is_function && part == YAML_BLOCK_SUCCESSOR)
		key_take_number(&key);
	if (key.at < key.end) {
		write_more(o, item, key,
			   is_function               ? "\n    " :
			   part == YAML_BLOCK_ITSELF ? "\n        " :
						       ", ");
		return;
	}
	if (is_function)
		write_function(o, name, item);
	else if (part == YAML_BLOCK_ITSELF)
		write_block(o, bid, item);
	else if (part == YAML_BLOCK_CALL)
		write_call(o, &row, item);
	else
		write_successor(o, &row, item);
	remember(o, item);
}

bool yaml_output_end(struct yaml_output *o, const struct profile_head *head)
{
	end_list(o);
	if (!o->any)
		emit_string(o->out, "\n  []");
	bool ok = write_unknown(o, &head->unknown_behind, "\n") && !o->last.failed;
	yaml_write_end(o->out);
	key_free(&o->last);
	return ok;
}

bool yaml_item_is_more(const struct profile_item *item)
{
	struct key_parts key = key_parts(item);

	key_take_name(&key);
	if (key_take_byte(&key) == YAML_FUNCTION)
		return true;
	key_take_number(&key);
	return key_take_byte(&key) == YAML_BLOCK_ITSELF;
}
