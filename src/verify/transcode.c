/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/transcode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/say.h"

/* Entries of one output offset: [first, end). */
struct group {
	uint32_t first, end;
};

static struct group group_at(const struct bat_entry *entries, uint32_t count, uint32_t first)
{
	struct group g = {first, first + 1};

	while (g.end < count && entries[g.end].output == entries[first].output)
		g.end++;
	return g;
}

static bool has_block(const struct bat_entry *entries, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (!bat_entry_is_branch(entries[i]))
			return true;
	return false;
}

/* For entries with the same output offset the last one is kept.  A trace that begins at that
 * offset begins with the last one, too.  So the change shows in traces that begin in an
 * earlier block, or in the block of a branch. */
static bool matters(const struct bat_entry *entries, struct group g, bool block_before)
{
	return has_block(entries, g.first, g.end - 1) &&
	       (block_before || bat_entry_is_branch(entries[g.end - 1]));
}

static bool changes(const struct binary *binary, uint32_t fragment)
{
	const struct bat_fragment *f = &binary->bat.fragments[fragment];
	const struct bat_entry *entries = binary->bat.entries + f->first_entry;
	uint64_t size = binary_fragment_size(binary, fragment);
	bool block_before = false;

	for (uint32_t i = 0; i < f->entry_count;) {
		struct group g = group_at(entries, f->entry_count, i);
		if (size && entries[i].output >= size)
			return false; /* there is no code from here on */
		if (matters(entries, g, block_before))
			return true;
		block_before |= has_block(entries, g.first, g.end);
		i = g.end;
	}
	return false;
}

/* The hot fragment of a fragment's function; the fragment itself if that is not known. */
static uint32_t function_of(const struct bat_table *bat, uint32_t fragment)
{
	uint32_t parent = bat->fragments[fragment].parent;

	return parent == BAT_NO_PARENT ? fragment : parent;
}

bool fallthrough_changes(const struct binary *binary, enum bat_layout layout,
			 struct changed_vec *out)
{
	const struct bat_table *bat = &binary->bat;

	if (!bat_layout_has(bat->layout, BAT_FEATURE_BLOCKS) ||
	    bat_layout_has(layout, BAT_FEATURE_BLOCKS))
		return true;
	uint8_t *seen = calloc(bat->fragment_count + (size_t)1, 1);
	bool ok = seen;
	for (uint32_t i = 0; ok && i < bat->fragment_count; i++) {
		uint32_t function = function_of(bat, i);
		if (seen[function] || !changes(binary, i))
			continue;
		seen[function] = 1;
		ok = changed_vec_push(
			out, (struct changed_function){binary_fragment_owner(binary, function),
						       bat->fragments[function].address});
	}
	free(seen);
	return ok;
}

#define HEADER 20 /* with the owner's name, padded */

static bool fail(const struct bat_error *from, enum bc_code code, struct bc_error *err)
{
	return from->code == BAT_ERROR_NOMEM ? bc_fail_nomem(err) :
					       bc_fail(err, code, "%s", from->text);
}

static void put_u32(uint8_t *at, uint64_t value)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A note does not name its layout.  So the written table is read again: it must be recognized
 * as the layout that it has. */
static bool is_recognized(enum bat_layout layout, const uint8_t *desc, size_t size,
			  struct bc_error *err)
{
	struct bat_table again;
	struct bat_error why;

	if (!bat_decode_offsets(desc, size, &again, &why))
		return fail(&why, BC_FORMAT, err);
	bool same = again.layout == layout || !again.fragment_count;
	bat_free(&again);
	return same || bc_fail(err, BC_FORMAT, "the table would be taken for layout %s",
			       bat_layout_name(again.layout));
}

bool note_write(const struct bat_table *table, enum bat_layout layout, struct note_bytes *out,
		struct bc_error *err)
{
	struct bat_error why;
	uint8_t *desc;
	size_t size;

	if (!bat_encode(table, layout, &desc, &size, &why))
		return fail(&why, BC_UNSUPPORTED, err);
	size_t padded = (size + 3) & ~(size_t)3;
	uint8_t *data = calloc(1, HEADER + padded);
	bool ok = data ? is_recognized(layout, desc, size, err) : bc_fail_nomem(err);
	if (ok) {
		put_u32(data, sizeof(BAT_NOTE_OWNER));
		put_u32(data + 4, size);
		put_u32(data + 8, BAT_NOTE_TYPE);
		memcpy(data + 12, BAT_NOTE_OWNER, sizeof(BAT_NOTE_OWNER));
		memcpy(data + HEADER, desc, size);
		*out = (struct note_bytes){data, HEADER + padded};
	} else {
		free(data);
	}
	free(desc);
	return ok;
}

static void count_losses(const struct bat_table *t, enum bat_layout layout,
			 struct transcode_losses *losses)
{
	if (!bat_layout_has(t->layout, BAT_FEATURE_BLOCKS) ||
	    bat_layout_has(layout, BAT_FEATURE_BLOCKS))
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
			f->stored_hot = bat_layout_has(t->layout, BAT_FEATURE_HOT_ADDRESSES) ?
						t->fragments[f->parent].address :
						ranks[f->parent];
	}
}

struct stored_key {
	uint64_t key; /* parent << 32 | input offset */
	uint32_t entry;
};

static int by_key(const void *a, const void *b)
{
	const struct stored_key *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static size_t list_blocks(const struct bat_table *t, struct stored_key *out)
{
	size_t count = 0;

	for (uint32_t i = 0; i < t->fragment_count; i++) {
		const struct bat_fragment *f = &t->fragments[i];
		for (uint32_t k = f->first_entry; k < f->first_entry + f->entry_count; k++)
			if (!bat_entry_is_branch(t->entries[k]))
				out[count++] = (struct stored_key){
					(uint64_t)f->parent << 32 | bat_entry_input(t->entries[k]),
					k};
	}
	qsort(out, count, sizeof(*out), by_key);
	return count;
}

/* Number the blocks that the table lists; others are not known. */
static bool number_blocks(struct bat_table *t, struct transcode_losses *losses)
{
	struct stored_key *keys = malloc((t->entry_count + (size_t)1) * sizeof(*keys));

	t->blocks = calloc(t->entry_count + (size_t)1, sizeof(*t->blocks));
	if (!keys || !t->blocks) {
		free(keys);
		return false;
	}
	size_t count = list_blocks(t, keys);
	for (size_t i = 0; i < count; i++) {
		struct bat_fragment *hot = &t->fragments[keys[i].key >> 32];
		t->blocks[keys[i].entry] = (struct bat_block){.hash = keys[i].key & 0xffff,
							      .index = hot->block_count++};
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
	if (bat_layout_has(layout, BAT_FEATURE_BLOCKS) &&
	    !bat_layout_has(table->layout, BAT_FEATURE_BLOCKS) && !number_blocks(table, &losses))
		return bc_fail_nomem(err);
	*out = losses;
	return true;
}

/* ---- what is lost and what changes, for people ---- */

static void print_loss(const char *what, uint32_t count, FILE *out)
{
	if (count)
		say_note(out, "lost: %u %s", count, what);
}

/* At most so many functions are named. */
enum { NAMES_TOLD = 8 };

void fallthrough_changes_text(const struct changed_vec *changed, bool all, FILE *out)
{
	const char *few = changed->len > NAMES_TOLD ? " (-v names them all)" : "";

	if (!changed->len)
		return;
	say_note(out,
		 "changed: fall-throughs of %zu function%s, which skip blocks that became empty%s",
		 changed->len, plural(changed->len), all ? "" : few);
	for (size_t i = 0; i < changed->len && (all || i < NAMES_TOLD); i++)
		if (changed->at[i].name)
			say_row(out, "", "%s", changed->at[i].name);
		else
			say_row(out, "", "0x%" PRIx64, changed->at[i].address);
}

void transcode_losses_text(const struct transcode_losses *losses, FILE *out)
{
	print_loss("hashes of functions", losses->function_hashes, out);
	print_loss("hashes and indices of blocks", losses->block_hashes, out);
	print_loss("secondary entry points", losses->entry_points, out);
	print_loss("entries that share an output offset with a later one", losses->entries, out);
	print_loss("cold fragments of unknown functions", losses->fragments, out);
	if (losses->unknown_hashes)
		say_note(out,
			 "missing: hashes of functions and of %u block%s; fdata needs none, "
			 "YAML profiles of perf2bolt do",
			 losses->unknown_hashes, plural(losses->unknown_hashes));
}
