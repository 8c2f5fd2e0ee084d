/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/transcode.h"

#include <stdlib.h>
#include <string.h>

static void count_losses(const struct bat_table *t, enum bat_layout layout,
			 struct transcode_losses *losses)
{
	if (t->layout != BAT_HASHED || layout == BAT_HASHED)
		return;
	losses->function_hashes = t->hot_count;
	losses->entry_points = t->secondary_count;
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		const struct bat_fragment *f = &t->fragments[i];
		const struct bat_entry *e = t->entries + f->first_entry;
		for (uint32_t k = 0; k < f->entry_count; k++) {
			losses->block_hashes += !bat_entry_is_branch(e[k]);
			losses->entries += k && e[k].output == e[k - 1].output;
		}
	}
}

/* Drop cold fragments without a parent.  map: the new index of each of the others. */
static void drop_orphans(struct bat_table *t, uint32_t *map, struct transcode_losses *losses)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->fragment_count; i++) {
		map[i] = kept;
		if (t->fragments[i].cold && t->fragments[i].parent == BAT_NO_PARENT)
			losses->fragments++;
		else
			t->fragments[kept++] = t->fragments[i];
	}
	t->fragment_count = kept;
	for (uint32_t i = 0; i < kept; i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): parents are fragments, so in map */
		t->fragments[i].parent = map[t->fragments[i].parent];
}

/* Encoding a table in its own layout writes the stored parents: set these to the repaired ones. */
static void store_parents(struct bat_table *t, uint32_t *ranks)
{
	uint32_t rank = 0;

	for (uint32_t i = 0; i < t->fragment_count; i++) {
		ranks[i] = rank;
		rank += !t->fragments[i].cold;
	}
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		struct bat_fragment *f = &t->fragments[i];
		if (f->cold)
			f->stored_hot = t->layout == BAT_FIXED ? t->fragments[f->parent].address
							       : ranks[f->parent];
	}
}

struct block_key {
	uint64_t key; /* parent << 32 | input offset */
	uint32_t entry;
};

static int by_key(const void *a, const void *b)
{
	const struct block_key *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static size_t list_blocks(const struct bat_table *t, struct block_key *out)
{
	size_t count = 0;

	for (uint32_t i = 0; i < t->fragment_count; i++) {
		const struct bat_fragment *f = &t->fragments[i];
		for (uint32_t k = f->first_entry; k < f->first_entry + f->entry_count; k++)
			if (!bat_entry_is_branch(t->entries[k]))
				out[count++] = (struct block_key){
					(uint64_t)f->parent << 32 | bat_entry_input(t->entries[k]), k};
	}
	qsort(out, count, sizeof(*out), by_key);
	return count;
}

/* Number the blocks that the table lists; others are not known. */
static bool number_blocks(struct bat_table *t, struct transcode_losses *losses)
{
	struct block_key *keys = malloc((t->entry_count + (size_t)1) * sizeof(*keys));

	t->blocks = calloc(t->entry_count + (size_t)1, sizeof(*t->blocks));
	if (!keys || !t->blocks) {
		free(keys);
		return false;
	}
	size_t count = list_blocks(t, keys);
	for (size_t i = 0; i < count; i++) {
		struct bat_fragment *hot = &t->fragments[keys[i].key >> 32];
		t->blocks[keys[i].entry] = (struct bat_block){
			.hash = keys[i].key & 0xffff, .index = hot->block_count++};
	}
	losses->unknown_hashes = (uint32_t)count;
	free(keys);
	return true;
}

bool transcode_prepare(struct bat_table *table, enum bat_layout layout,
		       struct transcode_losses *out, struct bc_error *err)
{
	struct transcode_losses losses = {0};
	uint32_t *scratch = malloc((table->fragment_count + (size_t)1) * sizeof(*scratch));

	if (!scratch)
		return bc_fail_nomem(err);
	count_losses(table, layout, &losses);
	drop_orphans(table, scratch, &losses);
	store_parents(table, scratch);
	free(scratch);
	if (layout == BAT_HASHED && table->layout != BAT_HASHED && !number_blocks(table, &losses))
		return bc_fail_nomem(err);
	*out = losses;
	return true;
}
