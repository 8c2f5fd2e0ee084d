/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Damage to what the table says. */
#include "tests/support/mutate_find.h"

#include <stdlib.h>

static void drop_entries(struct bat_table *t, uint32_t fragment)
{
	t->fragments[fragment].entry_count = 0;
	t->fragments[fragment].block_count = 0;
}

static bool table_empty(const struct world *w, struct bat_table *t)
{
	(void)w;
	for (uint32_t i = 0; i < t->fragment_count; i++)
		drop_entries(t, i);
	return true;
}

static bool table_empty_map(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	if (i != NO_INDEX)
		drop_entries(t, i);
	return i != NO_INDEX;
}

static bool table_hot_start(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	if (i == NO_INDEX || hashed(t))
		return false;
	t->fragments[i].first_entry++;
	t->fragments[i].entry_count--;
	return true;
}

/* Makes the last entry of a fragment, if it is a block, one that was never emitted. */
static bool table_never_emitted(const struct world *w, struct bat_table *t)
{
	(void)w;
	for (uint32_t i = 1; i < t->fragment_count; i++) {
		struct bat_entry *e = entries_of(t, i) + t->fragments[i].entry_count - 1;
		if (t->fragments[i].entry_count > 2 && !bat_entry_is_branch(*e)) {
			e->output = (uint32_t)-t->fragments[i].address;
			return true;
		}
	}
	return false;
}

static bool table_outside(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	if (i == NO_INDEX)
		return false;
	entries_of(t, i)[t->fragments[i].entry_count - 1].output =
		(uint32_t)w->subject.functions.at[w->subject.function_of[i]].extent + 0x10000;
	return true;
}

static void set_input(struct bat_table *t, uint32_t entry, uint32_t input)
{
	t->entries[entry].input = input << 1 | (t->entries[entry].input & 1);
	if (t->blocks && !(t->entries[entry].input & 1))
		t->blocks[entry].hash =
			(t->blocks[entry].hash & ~UINT64_C(0xffff)) | (input & 0xffff);
}

static bool table_input_twice(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!hashed(t) || !find_pair(w, t, &p))
		return false;
	set_input(t, p.b, bat_entry_input(t->entries[p.a]));
	return true;
}

/* The same without indices: one of two neighbors gets the other one's offset, so that branches
 * after it come from the block that it was. */
static bool table_twice_unhashed(const struct world *w, struct bat_table *t)
{
	(void)w;
	for (uint32_t i = 0; i < t->fragment_count && !hashed(t); i++) {
		struct bat_entry *e = entries_of(t, i);
		for (uint32_t k = 3; k < t->fragments[i].entry_count; k++) {
			if (!bat_entry_is_branch(e[k]) || bat_entry_is_branch(e[k - 1]) ||
			    !bat_entry_is_branch(e[k - 2]) || bat_entry_is_branch(e[k - 3]) ||
			    !e[k - 3].input || e[k - 3].input >= e[k - 1].input ||
			    e[k - 1].output - e[k - 3].output !=
				    bat_entry_input(e[k - 1]) - bat_entry_input(e[k - 3]))
				continue;
			e[k - 3].input = e[k - 1].input;
			return true;
		}
	}
	return false;
}

static bool table_block_copied(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!find_pair(w, t, &p))
		return false;
	set_input(t, p.b, bat_entry_input(t->entries[p.a]));
	if (hashed(t))
		t->blocks[p.b].index = t->blocks[p.a].index;
	return true;
}

static bool table_branch_astray(const struct world *w, struct bat_table *t)
{
	(void)w;
	for (uint32_t i = 0; i < t->fragment_count && !hashed(t); i++) {
		struct bat_entry *e = entries_of(t, i);
		for (uint32_t k = 1; k < t->fragments[i].entry_count; k++) {
			if (!bat_entry_is_branch(e[k]) || bat_entry_is_branch(e[k - 1]) ||
			    !e[k - 1].input)
				continue;
			e[k].input = 1; /* input 0, which is the first block's */
			return true;
		}
	}
	return false;
}

static bool table_more_blocks(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	if (i != NO_INDEX)
		t->fragments[i].block_count++;
	return i != NO_INDEX && hashed(t);
}

static bool table_fewer_blocks(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	if (i != NO_INDEX)
		t->fragments[i].block_count--;
	return i != NO_INDEX && hashed(t);
}

static bool table_no_block(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);
	uint32_t last = i == NO_INDEX ? 0 : t->fragments[i].entry_count - 1;

	if (i == NO_INDEX || !hashed(t) || bat_entry_is_branch(entries_of(t, i)[last]))
		return false;
	t->fragments[i].entry_count--;
	return true;
}

static bool table_index_range(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	t->blocks[p.b].index += 100;
	return true;
}

static bool table_index_twice(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	t->blocks[p.b].index = t->blocks[p.a].index;
	return true;
}

static bool table_index_swapped(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	uint32_t index = t->blocks[p.a].index;
	t->blocks[p.a].index = t->blocks[p.b].index;
	t->blocks[p.b].index = index;
	return true;
}

static bool table_hash(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	t->blocks[p.a].hash ^= 1;
	return true;
}

static bool table_hashes_swapped(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	uint64_t hash = t->blocks[p.a].hash;
	t->blocks[p.a].hash = t->blocks[p.b].hash;
	t->blocks[p.b].hash = hash;
	return true;
}

static bool table_input_shifted(const struct world *w, struct bat_table *t)
{
	struct pair p;

	if (!t->blocks || !find_pair(w, t, &p))
		return false;
	t->entries[p.b].input += 2;
	return true;
}

static bool table_secondary(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	if (i == NO_INDEX || !hashed(t))
		return false;
	free(t->secondary);
	t->secondary = malloc((t->secondary_count + 2) * sizeof(*t->secondary));
	if (!t->secondary)
		return false;
	for (uint32_t k = 0; k < t->fragment_count; k++)
		t->fragments[k].secondary_count = 0;
	t->secondary[0] = 8;
	t->secondary[1] = 4;
	t->fragments[i].first_secondary = 0;
	t->fragments[i].secondary_count = 2;
	return true;
}

static bool table_parent(const struct world *w, struct bat_table *t)
{
	(void)w;
	if (t->layout != BAT_LAYOUT_HASHED && t->layout != BAT_LAYOUT_FIXED)
		return false; /* those that LLVM 18 wrote are all wrong anyway */
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		struct bat_fragment *f = &t->fragments[i];
		if (!f->cold || f->parent == 0)
			continue;
		f->stored_hot = t->layout == BAT_LAYOUT_FIXED ? t->fragments[0].address : 0;
		return !t->fragments[0].cold;
	}
	return false;
}

static bool table_parent_nowhere(const struct world *w, struct bat_table *t)
{
	(void)w;
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		if (t->layout != BAT_LAYOUT_FIXED || !t->fragments[i].cold)
			continue;
		t->fragments[i].stored_hot = 0x10;
		return true;
	}
	return false;
}

static bool table_ordinals(const struct world *w, struct bat_table *t)
{
	uint64_t n = 0;

	if (!hashed(t) || w->subject.parents.cold < 3)
		return false;
	for (uint32_t i = 0; i < t->fragment_count; i++)
		if (t->fragments[i].cold)
			t->fragments[i].stored_hot = n++;
	return true;
}

/* Adds a hot fragment at an address, at its position in the order, with one entry 0 -> 0. */
static bool add_fragment(struct bat_table *t, uint64_t address)
{
	uint32_t at = 0;

	while (at < t->fragment_count && t->fragments[at].address < address)
		at++;
	struct bat_fragment *more = malloc((t->fragment_count + (size_t)1) * sizeof(*more));
	if (!more)
		return false;
	memcpy(more, t->fragments, at * sizeof(*more));
	memcpy(more + at + 1, t->fragments + at, (t->fragment_count - at) * sizeof(*more));
	more[at] = (struct bat_fragment){.address = address,
					 .first_entry = t->fragments[0].first_entry,
					 .entry_count = 1,
					 .block_count = 1,
					 .parent = at};
	/* The rank of every hot function after it grows by one. */
	uint32_t rank = 0;
	for (uint32_t i = 0; i < at; i++)
		rank += !more[i].cold;
	for (uint32_t i = 0; i <= t->fragment_count; i++)
		if (more[i].cold && t->layout != BAT_LAYOUT_FIXED && more[i].stored_hot >= rank)
			more[i].stored_hot++;
	free(t->fragments);
	t->fragments = more;
	t->fragment_count++;
	t->hot_count++;
	return true;
}

static bool table_far_fragment(const struct world *w, struct bat_table *t)
{
	(void)w;
	return t->layout != BAT_LAYOUT_DELTA && t->layout != BAT_LAYOUT_EQUAL &&
	       add_fragment(t, 0x7f0000000000);
}

static bool table_nameless_fragment(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);

	return i != NO_INDEX && t->layout != BAT_LAYOUT_DELTA && t->layout != BAT_LAYOUT_EQUAL &&
	       add_fragment(t, t->fragments[i].address + 1);
}

static void remove_fragment(struct bat_table *t, uint32_t i)
{
	t->hot_count -= !t->fragments[i].cold;
	t->fragment_count--;
	memmove(&t->fragments[i], &t->fragments[i + 1],
		(t->fragment_count - i) * sizeof(*t->fragments));
}

static bool table_no_cold(const struct world *w, struct bat_table *t)
{
	if (!w->subject.parents.cold)
		return false;
	for (uint32_t i = t->fragment_count; i-- > 0;)
		if (t->fragments[i].cold)
			remove_fragment(t, i);
	return true;
}

static bool table_no_cold_unhashed(const struct world *w, struct bat_table *t)
{
	return !hashed(t) && table_no_cold(w, t);
}

static bool table_no_cold_hashed(const struct world *w, struct bat_table *t)
{
	return hashed(t) && table_no_cold(w, t);
}

static bool table_no_hot(const struct world *w, struct bat_table *t)
{
	uint32_t i = whole_function(w);
	uint32_t rank = 0;

	if (i == NO_INDEX || t->layout == BAT_LAYOUT_DELTA || t->layout == BAT_LAYOUT_EQUAL)
		return false;
	for (uint32_t k = 0; k < i; k++)
		rank += !t->fragments[k].cold;
	for (uint32_t k = 0; k < t->fragment_count; k++)
		if (t->fragments[k].cold && t->layout != BAT_LAYOUT_FIXED &&
		    t->fragments[k].stored_hot > rank)
			t->fragments[k].stored_hot--;
	remove_fragment(t, i);
	return true;
}

const struct mutation table_mutations[] = {
	{"all maps empty", FINDING_MAPS_EMPTY, ALONE, .table = table_empty},
	{"a map empty", FINDING_MAP_EMPTY, ALONE, .table = table_empty_map},
	{"first entry gone", FINDING_HOT_START, ALONE, .table = table_hot_start},
	{"block never emitted", FINDING_NEVER_EMITTED, ALONE, .table = table_never_emitted},
	{"entry behind the end", FINDING_ENTRY_OUTSIDE, ALONE, .table = table_outside},
	{"two blocks of one input offset", FINDING_INPUT_TWICE, ALONE, .table = table_input_twice},
	{"two blocks of one input offset, no indices", FINDING_INPUT_TWICE, ALSO(BRANCH_ASTRAY),
	 .table = table_twice_unhashed},
	{"a block listed twice", FINDING_BLOCK_COPIED, ALONE, .table = table_block_copied},
	{"branch from another block", FINDING_BRANCH_ASTRAY, ALONE, .table = table_branch_astray},
	{"NumBlocks too large", FINDING_BLOCK_COUNT, ALONE, .table = table_more_blocks},
	{"NumBlocks too small", FINDING_BLOCK_COUNT, ALONE, .table = table_fewer_blocks},
	{"block entry gone", FINDING_BLOCK_COUNT, ALONE, .table = table_no_block},
	{"BBIdx too large", FINDING_BLOCK_INDEX, ALONE, .table = table_index_range},
	{"BBIdx used twice", FINDING_BLOCK_INDEX, ALONE, .table = table_index_twice},
	{"BBIdx swapped", FINDING_BLOCK_ORDER, ALONE, .table = table_index_swapped},
	{"BBHash changed", FINDING_BLOCK_HASH, ALONE, .table = table_hash},
	{"BBHash swapped", FINDING_BLOCK_HASH, ALONE, .table = table_hashes_swapped},
	{"InputOffset of a block shifted", FINDING_BLOCK_HASH, ALONE, .table = table_input_shifted},
	{"secondary entry points descend", FINDING_SECONDARY_ORDER, ALONE,
	 .table = table_secondary},
	{"wrong parent", FINDING_PARENT_WRONG, ALONE, .table = table_parent},
	{"HotAddress of no fragment", FINDING_PARENT_WRONG, ALONE, .table = table_parent_nowhere},
	{"HotIndex counts cold fragments", FINDING_PARENT_WRONG, ALONE, .table = table_ordinals},
	{"fragment in no segment", FINDING_FRAGMENT_NO_CODE, ALONE, .table = table_far_fragment},
	{"fragment without a symbol", FINDING_FRAGMENT_NO_SYMBOL, ALONE,
	 .table = table_nameless_fragment},
	{"cold table gone", FINDING_COLD_MISSING, ALONE, .table = table_no_cold_unhashed},
	{"cold table gone, blocks with it", FINDING_COLD_MISSING, ALSO(BLOCK_COUNT),
	 .table = table_no_cold_hashed, .others = true},
	{"hot function gone", FINDING_HOT_MISSING, ALONE, .table = table_no_hot},
	{.name = NULL},
};
