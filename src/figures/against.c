/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/against.h"

#include <math.h>

#include "src/base/sort.h"
#include "src/figures/cells.h"
#include "src/figures/part.h"

#define MOVERS_SHOWN 100

/* ---- movers ---- */

static bool moved_more(const struct overlap_mover *a, const struct overlap_mover *b)
{
	double x = fabs(a->b - a->a), y = fabs(b->b - b->a);

	return x > y;
}

static void write_mover(struct json *json, const struct overlap_mover *mover)
{
	json_open(json, NULL, '[');
	json_text(json, NULL, mover->name);
	json_real(json, NULL, mover->a);
	json_real(json, NULL, mover->b);
	json_close(json, ']');
}

/* Those who lost stand at the beginning, those who gained at the end. */
bool movers_write(struct json *json, const char *key, const struct overlap *overlap, size_t room)
{
	const struct overlap_mover_vec *all = &overlap->movers;
	struct page_part part = {.room = room, .base = json->base};
	size_t first = 0, end = all->len;
	bool ok = true, added = true;

	json_open(json, key, '[');
	for (size_t i = 0; ok && added && i < MOVERS_SHOWN && first < end; i++) {
		const struct overlap_mover *mover = &all->at[first];
		if (moved_more(&all->at[end - 1], mover))
			mover = &all->at[--end];
		else
			first++;
		if (!part_begin(&part))
			return false;
		write_mover(&part.json, mover);
		ok = part_end(&part, 0, json, &added);
	}
	json_close(json, ']');
	return ok;
}

/* ---- heat of records ---- */

struct moved_start {
	uint32_t index, offset;
};
DEFINE_VEC(block_start_vec, struct moved_start);

static bool start_less(const struct moved_start *a, const struct moved_start *b)
{
	return a->index < b->index;
}
DEFINE_SORT(sort_starts, struct moved_start, start_less)
DEFINE_SEARCH(starts_before, struct moved_start, uint64_t, item->index < key)

struct placing {
	const struct report_subject *subject;
	const struct code_parts *parts;
	const struct flat_profile *profile;
	const uint32_t *numbers; /* in the binary, of the profile's functions; NULL: they have them */
	struct code_piece_vec pieces;
	struct input_function input;
	struct block_start_vec starts; /* of blocks by their number */
	struct heat_edge_vec edges;
};

static void placing_free(struct placing *p)
{
	code_piece_vec_free(&p->pieces);
	input_block_vec_free(&p->input.blocks);
	block_start_vec_free(&p->starts);
	heat_edge_vec_free(&p->edges);
}

static const struct function *function_of(const struct placing *p, uint32_t number)
{
	if (!p->numbers)
		return subject_function(p->subject, p->profile->functions.at[number].number);
	return p->numbers[number] == NO_NAME ? NULL : subject_function(p->subject, (struct name_number){p->numbers[number]});
}

/* Makes ready what leads from the function's offsets, or numbers of blocks, to places. */
static bool load(struct placing *p, const struct function *function)
{
	p->starts.len = 0;
	if (!subject_pair(p->subject) && !code_parts_pieces(p->parts, function, &p->pieces))
		return false;
	if (!p->profile->by_block)
		return true;
	if (!blocks_of(p->subject->sources->code.blocks, function, &p->input))
		return false;
	for (size_t i = 0; i < p->input.blocks.len; i++) {
		const struct input_block *block = &p->input.blocks.at[i];
		if (!block_start_vec_push(&p->starts, (struct moved_start){block->index, block->offset}))
			return false;
	}
	if (p->starts.len)
		sort_starts(p->starts.at, p->starts.len);
	return true;
}

/* The offset in the input function that a record comes from.  false: not known */
static bool offset_of(const struct placing *p, const struct flat_record *record, uint64_t *offset)
{
	*offset = record->from_at;
	if (!p->profile->by_block)
		return true;
	size_t at = starts_before(p->starts.at, p->starts.len, record->from_at);
	if (at == p->starts.len || p->starts.at[at].index != record->from_at)
		return false;
	*offset = p->starts.at[at].offset;
	return true;
}

/* Adds a count at an address and an offset of it, unless they lead out of memory. */
static bool add_at(struct placing *p, uint64_t address, uint64_t offset, uint64_t count)
{
	uint64_t at = address + offset;

	return at < address || at == UINT64_MAX || heat_add(&p->edges, 1, at, at, count);
}

static bool add_record(struct placing *p, const struct function *function, const struct flat_record *record)
{
	const struct pair *pair = subject_pair(p->subject);
	const struct function *input = pair ? pair_input_of(pair, function) : NULL;
	uint64_t offset;

	if (!record->from || !offset_of(p, record, &offset))
		return true;
	if (pair)
		return !input || add_at(p, input->address, offset, record->count);
	const struct code_piece *piece = code_piece_at(&p->pieces, offset);
	return !piece || add_at(p, piece->address, offset - piece->input, record->count);
}

static bool add_function(struct placing *p, uint32_t number)
{
	const struct flat_function *flat = &p->profile->functions.at[number];
	const struct function *function = flat->samples ? function_of(p, number) : NULL;

	if (!function)
		return true;
	if (!load(p, function))
		return false;
	for (size_t i = 0; i < flat->count; i++)
		if (!add_record(p, function, &p->profile->records.at[flat->first + i]))
			return false;
	return true;
}

static bool write_heat(struct json *json, const char *key, struct placing p, size_t room)
{
	BC_AUTO(heat_free) struct heat heat = {0};
	bool ok = true;

	for (uint32_t i = 1; ok && i < p.profile->functions.len; i++)
		ok = add_function(&p, i);
	ok = ok && heat_of_edges(&p.edges, 1, &heat) && cells_write(json, key, &heat, room);
	placing_free(&p);
	return ok;
}

bool record_heats_write(struct json *json, const char *key, const struct report_subject *subject,
			const struct code_parts *parts, const struct flat_profile *other, const struct same_names *same, size_t room)
{
	const struct flat_profile *mine = &subject->sources->flat;

	if (other->by_block && !subject->sources->code.blocks) {
		json_null(json, key);
		return true;
	}
	json_open(json, key, '{');
	json_string(json, "at", subject_pair(subject) ? "input" : "output");
	bool ok = write_heat(json, "this", (struct placing){.subject = subject, .parts = parts, .profile = mine}, room) &&
		  write_heat(json, "other", (struct placing){.subject = subject, .parts = parts, .profile = other, .numbers = same->binary}, room);
	json_close(json, '}');
	return ok;
}
