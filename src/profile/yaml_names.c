/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/yaml_names.h"

#include "src/base/sort.h"
#include "src/profile/sorter.h"
#include "src/profile/yaml_items.h"

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
	if (fids->len)
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
	if (all->len)
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

bool yaml_names_settle(struct yaml_names *names, const struct fid_vec *const *files, size_t count, bool *anew,
		       struct bc_error *err)
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
	if (key_take_byte(&parts) != BLOCK_CALL)
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
	       bc_fail(err, BC_FORMAT, "calls of function '%s' add up to 2^64 or more (--saturate)", (const char *)bad.key);
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
			       const struct yaml_names *names, bool saturate, uint64_t *saturated, struct bc_error *err)
{
	struct named *n = malloc(sizeof(*n));

	if (!n) {
		bc_fail_nomem(err);
		return NULL;
	}
	*n = (struct named){.source = {named_next, named_close}, .run = run_open(run, err), .fids = fids,
			    .names = names, .saturate = saturate, .saturated = saturated};
	if (n->run)
		n->has_ahead = n->run->next(n->run, &n->ahead, err);
	if (n->run && (n->has_ahead || err->code == BC_OK))
		return &n->source;
	named_close(&n->source);
	return NULL;
}
