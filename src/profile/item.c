/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/item.h"

#include <stdlib.h>

#include "src/base/sort.h"

const char *profile_kind_name(enum profile_kind kind)
{
	static const char *const names[] = {[KIND_NOTHING] = "empty",
					    [KIND_FDATA] = "fdata",
					    [KIND_YAML] = "yaml",
					    [KIND_PREAGG] = "preagg"};

	return names[kind];
}

void profile_head_free(struct profile_head *head)
{
	strings_free(&head->events);
	strings_free(&head->words);
	strings_free(&head->origins);
	strings_free(&head->unknown);
	strings_free(&head->unknown_behind);
	*head = (struct profile_head){0};
}

bool profile_head_inferred(const struct profile_head *head)
{
	uint32_t ignored;

	return strings_find(&head->origins, text_of(PROFILE_INFERRED), &ignored);
}

static struct text word_of(const struct profile_head *head, uint32_t number)
{
	return strings_at(&head->words, number);
}

static const char *yaml_conflict(const struct profile_head *a, const struct profile_head *b)
{
	if (a->dfs_order != b->dfs_order)
		return "blocks are in another order (dfs-order)";
	if (!text_equal(word_of(a, a->hash_func), word_of(b, b->hash_func)))
		return "cannot merge profiles with different hash functions (hash-func)";
	return NULL;
}

const char *profile_head_conflict(const struct profile_head *a, const struct profile_head *b)
{
	if (!a->kind || !b->kind)
		return NULL;
	if (a->kind != b->kind)
		return "profiles of two kinds";
	if (a->mode && b->mode && a->mode != b->mode)
		return a->kind == KIND_FDATA ?
			       "one is of branches, the other of basic samples (no_lbr)" :
			       "branches and basic samples";
	if (a->kind == KIND_FDATA && a->bolted != b->bolted)
		return "cannot mix profile with and without boltedcollection: one is of samples of a BOLTed binary, the other of its input; "
		       "convert the first with --input";
	return a->kind == KIND_YAML ? yaml_conflict(a, b) : NULL;
}

static bool set_join(struct strings *to, const struct strings *from)
{
	uint32_t ignored;

	for (uint32_t i = 1; i < from->len; i++)
		if (!strings_intern(to, strings_at(from, i), &ignored))
			return false;
	return true;
}

static bool text_less(const struct text *a, const struct text *b)
{
	return text_compare(*a, *b) < 0;
}
DEFINE_SORT(sort_texts, struct text, text_less)

struct text *profile_set_sorted(const struct strings *set)
{
	size_t count = profile_set_size(set);
	struct text *texts = malloc((count + 1) * sizeof(*texts));

	if (!texts)
		return NULL;
	for (size_t i = 0; i < count; i++)
		texts[i] = strings_at(set, (uint32_t)i + 1);
	sort_texts(texts, count);
	return texts;
}

/* For several names and ids the least is taken, as it is the same in any order; none is more than
 * all. */
static bool take_least(struct profile_head *to, const struct profile_head *from)
{
	struct text name = word_of(from, from->binary_name), own = word_of(to, to->binary_name);

	if (from->id.size &&
	    (!to->id.size ||
	     text_compare((struct text){(const char *)from->id.data, from->id.size},
			  (struct text){(const char *)to->id.data, to->id.size}) < 0))
		to->id = from->id;
	if (!name.len || (own.len && text_compare(name, own) >= 0))
		return true;
	return strings_intern(&to->words, name, &to->binary_name);
}

bool profile_head_join(struct profile_head *to, const struct profile_head *from,
		       struct bc_error *err)
{
	bool first = !to->kind;

	if (!from->kind)
		return true;
	to->kind = from->kind;
	to->mode = to->mode ? to->mode : from->mode;
	to->bolted = from->bolted;
	to->dfs_order = from->dfs_order;
	to->anew |= from->anew;
	if (first && !strings_intern(&to->words, word_of(from, from->hash_func), &to->hash_func))
		return bc_fail_nomem(err);
	to->has_hash_func |= from->has_hash_func;
	return (take_least(to, from) && set_join(&to->events, &from->events) &&
		set_join(&to->origins, &from->origins) && set_join(&to->unknown, &from->unknown) &&
		set_join(&to->unknown_behind, &from->unknown_behind)) ||
	       bc_fail_nomem(err);
}

bool profile_set_add_words(struct strings *set, struct text words, const char *between)
{
	uint32_t ignored;

	for (size_t end; words.len; words = text_from(words, end + 1)) {
		for (end = 0; end < words.len && !strchr(between, words.at[end]); end++)
			;
		if (end && !strings_intern(set, text_first(words, end), &ignored))
			return false;
	}
	return true;
}
