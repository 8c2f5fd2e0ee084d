/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Parents of cold fragments, from the symbol table.
 *
 * BOLT puts the symbols f.cold.0, f.cold.1, ... of a local function right
 * before f; those of global functions stand together behind all local symbols,
 * under a FILE symbol that has nothing to do with them.  Other tools may have
 * rewritten the symbol table since.
 */
#include "bat/fail.h"
#include "bat/fragment_names.h"
#include "bat/offset_set.h"

#include <stdlib.h>

/* Reasons to take an f for f.cold.N, best first.  Every cold fragment is tried
 * with the best reason before any is tried with the next. */
enum reason {
	SAME_FILE,   /* stands under the same FILE symbol                       */
	IS_GLOBAL,   /* stands under none, but f.cold.N does                    */
	IS_NEAREST,  /* in the symbol table                                     */
	IS_OPPOSITE, /* nearest on the other side                               */
	REASON_COUNT
};

struct repair {
	const struct bat_table *table;
	struct bat_fragment_names names;
	struct bat_offset_set taken; /* by the fragments of each function       */
	uint32_t *parents; /* of every fragment: found, or BAT_NO_PARENT        */
	uint8_t *checks;   /* of every fragment: how often can_belong_to() was asked      */
};

/* A limit that is large enough for real tables: a cold fragment with thousands
 * of names would otherwise take the time of as many fragments. */
enum { MAX_CHECKS = 16 };

static uint32_t distance(const struct bat_fragment_name *a,
			 const struct bat_fragment_name *b)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a range that is not empty has one side at least */
	return a->order > b->order ? a->order - b->order : b->order - a->order;
}

/* The symbols f nearest to an f.cold.N in the symbol table, and the last f. */
struct around {
	const struct bat_fragment_name *near, *far; /* the nearest f, and the
	                                               nearest one on the other
	                                               side; can be NULL        */
	const struct bat_fragment_name *last;
};

static bool look_around(const struct repair *r, const struct bat_fragment_name *cold,
			struct around *out)
{
	const struct bat_fragment_name *begin, *end, *before, *behind;

	bat_fragment_names_find(&r->names, cold, &begin, &end);
	if (begin == end)
		return false;
	behind = begin;
	for (size_t count = (size_t)(end - begin); count;) {
		size_t half = count / 2;

		if (behind[half].order > cold->order) {
			count = half;
		} else {
			behind += half + 1;
			count -= half + 1;
		}
	}
	before = behind == begin ? NULL : behind - 1;
	behind = behind == end ? NULL : behind;
	if (!behind || (before && distance(before, cold) < distance(behind, cold)))
		*out = (struct around){ before, behind, end - 1 };
	else
		*out = (struct around){ behind, before, end - 1 };
	return true;
}

/* The name of the hot fragment that `reason` leads to, or NULL. */
static const struct bat_fragment_name *candidate(const struct repair *r,
					   const struct bat_fragment_name *cold,
					   enum reason reason)
{
	struct around f;

	if (!look_around(r, cold, &f))
		return NULL;
	switch (reason) {
	case SAME_FILE:
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): as in distance() */
		if (f.near->file == cold->file)
			return f.near;
		return f.far && f.far->file == cold->file ? f.far : NULL;
	case IS_GLOBAL:
		return cold->file && !f.last->file ? f.last : NULL;
	case IS_NEAREST:
		return f.near;
	case IS_OPPOSITE:
	case REASON_COUNT:
		break;
	}
	return f.far;
}

/* The key of N in the set of what is taken: a function has one f.cold.N for
 * each N. */
static uint32_t number_key(const struct bat_fragment_name *cold)
{
	return UINT32_C(1) << 31 | cold->number;
}

/* How many entries of the fragment, counted from the first, certainly have code.
 * The entries behind them are of blocks that were never emitted, at address 0,
 * and in BAT_LAYOUT_HASHED of deleted blocks, at the end of the fragment.  A table does
 * not say where a fragment ends: the last output offset is taken for its end. */
static uint32_t count_emitted(const struct bat_table *table,
			   const struct bat_fragment *f)
{
	const struct bat_entry *e = table->entries + f->first_entry;
	uint32_t count = f->entry_count;
	uint32_t end;

	while (count && (uint32_t)(f->address + e[count - 1].output) == 0)
		count--;
	if (!count || table->layout != BAT_LAYOUT_HASHED)
		return count;
	end = e[count - 1].output;
	while (count && e[count - 1].output == end)
		count--;
	return count;
}

static void take_inputs(struct repair *r, uint32_t fragment, uint32_t hot)
{
	const struct bat_fragment *f = &r->table->fragments[fragment];
	const struct bat_entry *e = r->table->entries + f->first_entry;
	uint32_t count = count_emitted(r->table, f);

	for (uint32_t i = 0; i < count; i++)
		bat_offset_set_add(&r->taken, hot, bat_entry_input(e[i]));
}

/* Can this cold fragment belong to the function of that hot one?  Not if another
 * fragment of the function has one of its input offsets, or its N. */
static bool can_belong_to(struct repair *r, const struct bat_fragment_name *cold,
		    uint32_t hot)
{
	const struct bat_fragment *f = &r->table->fragments[cold->fragment];
	const struct bat_entry *e = r->table->entries + f->first_entry;
	uint32_t count = count_emitted(r->table, f);

	if (r->checks[cold->fragment] == MAX_CHECKS)
		return false;
	r->checks[cold->fragment]++;
	if (cold->number != BAT_NO_NUMBER &&
	    bat_offset_set_has(&r->taken, hot, number_key(cold)))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (bat_offset_set_has(&r->taken, hot, bat_entry_input(e[i])))
			return false;
	return true;
}

static void assign(struct repair *r, const struct bat_fragment_name *cold,
		   uint32_t hot)
{
	r->parents[cold->fragment] = hot;
	take_inputs(r, cold->fragment, hot);
	if (cold->number != BAT_NO_NUMBER)
		bat_offset_set_add(&r->taken, hot, number_key(cold));
}

static int compare_distance(const void *pa, const void *pb)
{
	const struct bat_fragment_name *a = pa;
	const struct bat_fragment_name *b = pb;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Sort the cold fragments by the distance to the nearest f: those that are near
 * choose first. */
static void sort_cold(struct repair *r)
{
	struct bat_fragment_names *m = &r->names;

	for (size_t i = 0; i < m->cold_count; i++) {
		struct around f;

		m->cold[i].distance = UINT32_MAX;
		if (look_around(r, &m->cold[i], &f))
			m->cold[i].distance = distance(f.near, &m->cold[i]);
	}
	qsort(m->cold, m->cold_count, sizeof(*m->cold), compare_distance);
}

static void find_parents(struct repair *r)
{
	sort_cold(r);
	for (uint32_t i = 0; i < r->table->fragment_count; i++) {
		r->parents[i] = BAT_NO_PARENT;
		if (!r->table->fragments[i].cold)
			take_inputs(r, i, i);
	}
	for (unsigned reason = 0; reason < REASON_COUNT; reason++) {
		for (size_t i = 0; i < r->names.cold_count; i++) {
			const struct bat_fragment_name *cold = &r->names.cold[i];
			const struct bat_fragment_name *hot;

			/* A fragment with two names was decided by the first one. */
			if (r->parents[cold->fragment] != BAT_NO_PARENT)
				continue;
			hot = candidate(r, cold, (enum reason)reason);
			if (hot && can_belong_to(r, cold, hot->fragment))
				assign(r, cold, hot->fragment);
		}
	}
}

static bool stored_agrees(const struct repair *r, const struct bat_fragment_name *cold)
{
	uint32_t stored = r->table->fragments[cold->fragment].parent;
	const struct bat_fragment_name *at, *end;

	bat_fragment_names_find(&r->names, cold, &at, &end);
	while (at < end && at->fragment != stored)
		at++;
	return at < end;
}

/* Most sections store the right parents.  Where they and the names agree for
 * every cold fragment, the entries need not be looked at. */
static bool all_agree(struct repair *r)
{
	if (r->table->layout != BAT_LAYOUT_FIXED && r->table->layout != BAT_LAYOUT_HASHED)
		return false;
	for (uint32_t i = 0; i < r->table->fragment_count; i++)
		r->parents[i] = BAT_NO_PARENT;
	for (size_t i = 0; i < r->names.cold_count; i++) {
		const struct bat_fragment_name *cold = &r->names.cold[i];

		if (!stored_agrees(r, cold))
			return false;
		r->parents[cold->fragment] = r->table->fragments[cold->fragment].parent;
	}
	return true;
}

static bool repair_init(struct repair *r, const struct bat_table *table,
			const struct bat_symbol *symbols, size_t count)
{
	*r = (struct repair){ .table = table };
	r->parents = calloc(table->fragment_count + (size_t)1,
			    sizeof(*r->parents));
	r->checks = calloc(table->fragment_count + (size_t)1,
			   sizeof(*r->checks));
	return r->parents && r->checks &&
	       bat_fragment_names_init(&r->names, table, symbols, count);
}

static void repair_fini(struct repair *r)
{
	bat_offset_set_free(&r->taken);
	bat_fragment_names_free(&r->names);
	free(r->checks);
	free(r->parents);
}

/* Is HotIndex nothing but a count of the cold fragments? */
static bool is_ordinal(const struct bat_table *table)
{
	uint64_t cold = 0;

	if (table->layout != BAT_LAYOUT_DELTA && table->layout != BAT_LAYOUT_EQUAL)
		return false;
	for (uint32_t i = 0; i < table->fragment_count; i++)
		if (table->fragments[i].cold &&
		    table->fragments[i].stored_hot != cold++)
			return false;
	return cold > 0;
}

/* Set the parent of a cold fragment to what the symbols say, and count whether
 * that changed it. */
static void set_parent(struct bat_fragment *f, uint32_t found,
		   struct bat_parents *out)
{
	out->cold++;
	if (found == BAT_NO_PARENT) {
		if (out->ordinal)
			f->parent = BAT_NO_PARENT;
		if (f->parent == BAT_NO_PARENT)
			out->unknown++;
		else
			out->unchecked++;
	} else if (found == f->parent) {
		out->agreed++;
	} else {
		f->parent = found;
		out->repaired++;
	}
}

static bool repair(struct repair *r)
{
	if (all_agree(r))
		return true;
	if (!bat_offset_set_init(&r->taken, r->table->entry_count + r->names.cold_count))
		return false;
	find_parents(r);
	return true;
}

bool bat_fix_parents(struct bat_table *table, const struct bat_symbol *symbols,
		     size_t count, struct bat_parents *out,
		     struct bat_error *err)
{
	struct repair r;

	if (table->hot_count == table->fragment_count) {
		*out = (struct bat_parents){ 0 };
		return true;
	}
	if (!repair_init(&r, table, symbols, count) || !repair(&r)) {
		repair_fini(&r);
		return bat_fail_nomem(err);
	}
	*out = (struct bat_parents){ .ordinal = is_ordinal(table) };
	for (uint32_t i = 0; i < table->fragment_count; i++)
		if (table->fragments[i].cold)
			set_parent(&table->fragments[i], r.parents[i], out);
	repair_fini(&r);
	return true;
}
