/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/table_json.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/vec.h"

#define INPUT_MOST (UINT32_MAX >> 1)

/* NOLINTBEGIN(clang-analyzer-core.NullDereference): room is made before the first push */
DEFINE_VEC(fragment_vec, struct bat_fragment);
DEFINE_VEC(entry_vec, struct bat_entry);
DEFINE_VEC(block_vec, struct bat_block);
DEFINE_VEC(offset_vec, uint32_t);
DEFINE_VEC(parent_vec, uint64_t);
/* NOLINTEND(clang-analyzer-core.NullDereference) */

#define NO_ADDRESS UINT64_MAX

struct building {
	struct json_reader *in;
	enum bat_layout layout;
	bool has_layout;
	struct fragment_vec fragments;
	struct parent_vec parents; /* per fragment: "parent", or NO_ADDRESS */
	struct parent_vec stored;  /* per fragment: the stored parent given, or NO_ADDRESS */
	struct entry_vec entries;
	struct block_vec blocks;
	struct offset_vec secondary;
};

static void building_free(struct building *b)
{
	fragment_vec_free(&b->fragments);
	parent_vec_free(&b->parents);
	parent_vec_free(&b->stored);
	entry_vec_free(&b->entries);
	block_vec_free(&b->blocks);
	offset_vec_free(&b->secondary);
}

static bool fail_nomem(struct building *b)
{
	b->in->failed = true;
	return bc_fail_nomem(b->in->err);
}

static bool read_u32(struct building *b, uint32_t most, uint32_t *out)
{
	uint64_t value;

	if (!json_whole(b->in, most, &value))
		return false;
	*out = (uint32_t)value;
	return true;
}

static bool read_entry_field(struct building *b, struct text key, struct bat_entry *entry,
			     bool *branch, struct bat_block *block)
{
	if (text_is(key, "output"))
		return read_u32(b, UINT32_MAX, &entry->output);
	if (text_is(key, "input"))
		return read_u32(b, INPUT_MOST, &entry->input);
	if (text_is(key, "branch"))
		return json_boolean(b->in, branch);
	if (text_is(key, "hash"))
		return json_hex_value(b->in, NULL, &block->hash);
	if (text_is(key, "block"))
		return read_u32(b, UINT32_MAX, &block->index);
	return json_skip(b->in);
}

static bool read_entry(struct building *b, const struct bat_fragment *f)
{
	struct bat_entry entry = {UINT32_MAX, UINT32_MAX};
	struct bat_block block = {0, 0};
	bool branch = false;
	struct text key;
	unsigned seen = 0;

	if (!json_enter(b->in, '{'))
		return false;
	while (json_member(b->in, &key) && key.at) {
		seen |= text_is(key, "output") ? 1 : text_is(key, "input") ? 2 : 0;
		if (!read_entry_field(b, key, &entry, &branch, &block))
			return false;
	}
	if (b->in->failed)
		return false;
	if (seen != 3)
		return json_fail(b->in, "an entry without \"output\" and \"input\"");
	if (f->entry_count && entry.output < b->entries.at[b->entries.len - 1].output)
		return json_fail(b->in,
				 "the entry's output offset %" PRIu32 " is below the one before it",
				 entry.output);
	entry.input = entry.input << 1 | branch;
	if (branch)
		block = (struct bat_block){0, 0};
	return (entry_vec_push(&b->entries, entry) && block_vec_push(&b->blocks, block)) ||
	       fail_nomem(b);
}

static bool read_entries(struct building *b, struct bat_fragment *f)
{
	bool more;

	f->first_entry = (uint32_t)b->entries.len;
	if (!json_enter(b->in, '['))
		return false;
	while (json_element(b->in, &more) && more) {
		if (b->entries.len == UINT32_MAX)
			return json_fail(b->in, "more than 2^32 entries");
		if (!read_entry(b, f))
			return false;
		f->entry_count++;
	}
	return !b->in->failed;
}

static bool read_secondary(struct building *b, struct bat_fragment *f)
{
	uint32_t offset;
	bool more;

	f->first_secondary = (uint32_t)b->secondary.len;
	if (!json_enter(b->in, '['))
		return false;
	while (json_element(b->in, &more) && more) {
		if (!read_u32(b, UINT32_MAX, &offset))
			return false;
		if (!offset_vec_push(&b->secondary, offset))
			return fail_nomem(b);
		f->secondary_count++;
	}
	return !b->in->failed;
}

static bool read_part(struct building *b, bool *cold)
{
	struct text part;

	if (!json_text_value(b->in, &part))
		return false;
	*cold = text_is(part, "cold");
	return *cold || text_is(part, "hot") ||
	       json_fail(b->in, "\"part\" is neither hot nor cold");
}

/* The members of an object in "fragments". */
struct reading {
	struct bat_fragment f;
	uint64_t hash, parent, stored;
	bool has_address, has_entries, has_secondary;
};

/* Refuses a list that is there twice, because nobody can know which of the two is meant. */
static bool once(struct building *b, bool *seen, const char *name)
{
	bool again = *seen;

	*seen = true;
	return !again || json_fail(b->in, "a fragment with two lists of \"%s\"", name);
}

static bool read_field(struct building *b, struct text key, struct reading *r)
{
	bool null = false;

	if (text_is(key, "address"))
		return r->has_address = json_hex_value(b->in, NULL, &r->f.address);
	if (text_is(key, "part"))
		return read_part(b, &r->f.cold);
	if (text_is(key, "hash"))
		return json_hex_value(b->in, NULL, &r->hash);
	if (text_is(key, "blocks"))
		return read_u32(b, UINT32_MAX, &r->f.block_count);
	if (text_is(key, "entry_points"))
		return once(b, &r->has_secondary, "entry_points") && read_secondary(b, &r->f);
	if (text_is(key, "parent"))
		return json_hex_value(b->in, &null, &r->parent);
	if (text_is(key, "hot_address"))
		return json_hex_value(b->in, NULL, &r->stored);
	if (text_is(key, "hot_index"))
		return json_whole(b->in, UINT32_MAX, &r->stored);
	if (text_is(key, "entries"))
		return once(b, &r->has_entries, "entries") && read_entries(b, &r->f);
	return json_skip(b->in);
}

static bool read_fragment(struct building *b)
{
	struct reading r = {.parent = NO_ADDRESS, .stored = NO_ADDRESS};
	struct text key;

	if (!json_enter(b->in, '{'))
		return false;
	while (json_member(b->in, &key) && key.at) {
		if (!read_field(b, key, &r))
			return false;
	}
	if (b->in->failed)
		return false;
	if (!r.has_address || !r.has_entries)
		return json_fail(b->in, "a fragment without \"address\" and \"entries\"");
	if (!r.f.cold)
		r.f.hash = r.hash;
	return (fragment_vec_push(&b->fragments, r.f) && parent_vec_push(&b->parents, r.parent) &&
		parent_vec_push(&b->stored, r.stored)) ||
	       fail_nomem(b);
}

static bool read_layout(struct building *b)
{
	struct text name;

	if (!json_text_value(b->in, &name))
		return false;
	for (unsigned i = 0; bat_layout_name((enum bat_layout)i); i++) {
		if (text_is(name, bat_layout_name((enum bat_layout)i))) {
			b->layout = (enum bat_layout)i;
			return b->has_layout = true;
		}
	}
	return json_fail(b->in, "no such layout");
}

static bool read_fragments(struct building *b)
{
	bool more;

	if (!json_enter(b->in, '['))
		return false;
	while (json_element(b->in, &more) && more) {
		if (!read_fragment(b))
			return false;
	}
	return !b->in->failed;
}

static bool read_document(struct building *b)
{
	struct text key, format;
	uint64_t version;

	if (!json_enter(b->in, '{'))
		return false;
	while (json_member(b->in, &key) && key.at) {
		bool ok = true;
		if (text_is(key, "format"))
			ok = json_text_value(b->in, &format) &&
			     (text_is(format, "batconv-bat") ||
			      json_fail(b->in, "not a table of batconv dump"));
		else if (text_is(key, "version"))
			ok = json_whole(b->in, UINT32_MAX, &version) &&
			     (version == 1 ||
			      json_fail(b->in,
					"version %" PRIu64
					" of the table: this batconv reads version 1",
					version));
		else if (text_is(key, "layout"))
			ok = read_layout(b);
		else if (text_is(key, "fragments"))
			ok = read_fragments(b);
		else
			ok = json_skip(b->in);
		if (!ok)
			return false;
	}
	return !b->in->failed && json_finish(b->in) &&
	       (b->has_layout || json_fail(b->in, "no \"layout\""));
}

/* Sort fragments by address, a hot one before a cold one, and keep the index that each had in
 * the file. */
struct order {
	const struct bat_fragment *f;
	uint32_t number;
};

static int by_address(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->f->address != y->f->address)
		return x->f->address < y->f->address ? -1 : 1;
	if (x->f->cold != y->f->cold)
		return x->f->cold ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

static bool check_order(const struct building *b, const struct order *order, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (order[i].f->address == order[i - 1].f->address &&
		    (order[i].f->cold == order[i - 1].f->cold ||
		     bat_layout_has(b->layout, BAT_FEATURE_HOT_ADDRESSES)))
			return json_fail(b->in, "two fragments begin at 0x%" PRIx64,
					 order[i].f->address);
	return true;
}

/* The index of the hot fragment at an address, and how many are before it. */
static uint32_t find_hot(const struct bat_table *t, uint64_t address)
{
	const struct bat_fragment *f = bat_find_exact(t, address);

	if (f && f->cold && f > t->fragments && f[-1].address == address)
		f--;
	return f && !f->cold ? (uint32_t)(f - t->fragments) : BAT_NO_PARENT;
}

static bool set_parent(const struct building *b, struct bat_table *t, const uint32_t *ranks,
		       uint32_t i, uint32_t number)
{
	struct bat_fragment *f = &t->fragments[i];
	uint64_t parent = b->parents.at[number], stored = b->stored.at[number];

	f->parent = i;
	if (!f->cold)
		return true;
	f->parent = parent == NO_ADDRESS ? BAT_NO_PARENT : find_hot(t, parent);
	f->stored_hot = stored;
	if (stored != NO_ADDRESS)
		return true;
	if (f->parent == BAT_NO_PARENT)
		return json_fail(b->in, "the cold fragment at 0x%" PRIx64 " has no parent",
				 f->address);
	f->stored_hot =
		bat_layout_has(b->layout, BAT_FEATURE_HOT_ADDRESSES) ? parent : ranks[f->parent];
	return true;
}

static bool fill_table(const struct building *b, const struct order *order, uint32_t *ranks,
		       struct bat_table *t)
{
	uint32_t count = (uint32_t)b->fragments.len;

	for (uint32_t i = 0; i < count; i++) {
		t->fragments[i] = *order[i].f;
		ranks[i] = t->hot_count;
		t->hot_count += !order[i].f->cold;
	}
	t->fragment_count = count;
	for (uint32_t i = 0; i < count; i++)
		if (!set_parent(b, t, ranks, i, order[i].number))
			return false;
	return true;
}

/* bat_decode() makes tables without NULL arrays; so does this. */
static bool have_arrays(struct building *b)
{
	bool ok = (b->entries.at || entry_vec_push(&b->entries, (struct bat_entry){0, 0})) &&
		  (b->blocks.at || block_vec_push(&b->blocks, (struct bat_block){0, 0})) &&
		  (b->secondary.at || offset_vec_push(&b->secondary, 0));

	return ok || fail_nomem(b);
}

static void take_arrays(struct building *b, struct bat_table *t)
{
	t->entries = b->entries.at;
	t->secondary = b->secondary.at;
	b->entries.at = NULL;
	b->secondary.at = NULL;
	if (!bat_layout_has(b->layout, BAT_FEATURE_BLOCKS))
		return;
	t->blocks = b->blocks.at;
	b->blocks.at = NULL;
}

static bool make_table(struct building *b, struct bat_table *out)
{
	size_t count = b->fragments.len;
	struct bat_table t = {.layout = b->layout,
			      .entry_count = (uint32_t)b->entries.len,
			      .secondary_count = (uint32_t)b->secondary.len};
	struct order *order = malloc((count + 1) * sizeof(*order));
	uint32_t *ranks = malloc((count + 1) * sizeof(*ranks));

	t.fragments = malloc((count + 1) * sizeof(*t.fragments));
	bool ok = ((order && ranks && t.fragments) || fail_nomem(b)) && have_arrays(b);
	for (size_t i = 0; ok && i < count; i++)
		order[i] = (struct order){&b->fragments.at[i], (uint32_t)i};
	if (ok) {
		qsort(order, count, sizeof(*order), by_address);
		ok = check_order(b, order, count) && fill_table(b, order, ranks, &t);
	}
	free(order);
	free(ranks);
	if (!ok) {
		free(t.fragments);
		return false;
	}
	take_arrays(b, &t);
	*out = t;
	return true;
}

bool table_json_read(struct file_stream *stream, struct bat_table *out, struct bc_error *err)
{
	struct json_reader *reader = malloc(sizeof(*reader));
	struct building b = {.in = reader};

	if (!reader)
		return bc_fail_nomem(err);
	json_reader_init(reader, stream, err);
	bool ok = read_document(&b) && make_table(&b, out);
	building_free(&b);
	free(reader);
	return ok;
}
