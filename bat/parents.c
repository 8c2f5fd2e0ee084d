/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Parents of cold fragments, from the symbol table.
 *
 * BOLT puts the symbols f.cold.0, f.cold.1, ... of a local function right
 * before f; those of global functions are together after all local symbols,
 * under a FILE symbol that has nothing to do with them.  Other tools may have
 * rewritten the symbol table since.
 */
#include "bat/layout.h"

#include <stdlib.h>
#include <string.h>

/* ---- names of fragments ---- */

/*
 * The names that the symbol table gives to a table's fragments.  A fragment has
 * one for each symbol at its address.
 */

/* One symbol at the beginning of a fragment. */
struct bat_fragment_name {
	const char *name;     /* the function's, `length` characters: of a cold   */
	size_t length;        /* fragment without .cold.N, .cold or .warm         */
	uint32_t fragment;    /* index in the table                               */
	uint32_t order, file; /* as in struct bat_symbol                       */
	uint32_t number;      /* N of .cold.N, or BAT_NO_NUMBER                */
	uint32_t distance;    /* for the user of the names: 0 at first         */
};

#define BAT_NO_NUMBER UINT32_MAX

struct bat_fragment_names {
	struct bat_fragment_name *hot;  /* by name, then by order              */
	struct bat_fragment_name *cold; /* in the order of the symbols         */
	size_t hot_count, cold_count;
};

/* Cut the .N at the end of a name, of at most nine digits, and keep N. */
static void cut_number(struct bat_fragment_name *n)
{
	size_t digits = 0;
	uint64_t number = 0;
	uint64_t power = 1; /* of ten */

	while (digits < n->length && digits < 9 && n->name[n->length - 1 - digits] >= '0' &&
	       n->name[n->length - 1 - digits] <= '9') {
		number += power * (uint64_t)(n->name[n->length - 1 - digits] - '0');
		power *= 10;
		digits++;
	}
	if (digits && digits < n->length && n->name[n->length - 1 - digits] == '.') {
		n->length -= digits + 1;
		n->number = (uint32_t)number;
	}
}

/* Cut the suffix that BOLT appended to the name of a cold fragment.  Returns
 * false if there is none.  Only the last suffix is BOLT's: f.cold.cold.0 is a
 * part of the function that GCC named f.cold. */
static bool cut_suffix(struct bat_fragment_name *n)
{
	static const char *const suffixes[] = {".cold", ".warm"};

	cut_number(n);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t length = strlen(suffixes[i]);

		if (n->length > length &&
		    !memcmp(n->name + n->length - length, suffixes[i], length)) {
			n->length -= length;
			return true;
		}
	}
	return false;
}

/* Add the name that a symbol gives to a fragment.  As long as the arrays are
 * NULL, names are only counted. */
static void add(struct bat_fragment_names *names, const struct bat_table *table,
		const struct bat_fragment *f, const struct bat_symbol *symbol)
{
	struct bat_fragment_name name = {
		.name = symbol->name,
		.length = strlen(symbol->name),
		.fragment = (uint32_t)(f - table->fragments),
		.order = symbol->order,
		.file = symbol->file,
		.number = BAT_NO_NUMBER,
	};
	size_t *count = f->cold ? &names->cold_count : &names->hot_count;
	struct bat_fragment_name *array = f->cold ? names->cold : names->hot;

	if (f->cold && !cut_suffix(&name))
		return;
	if (array)
		array[*count] = name;
	++*count;
}

/* Two fragments can begin at one address: a hot and a cold one. */
static void add_all(struct bat_fragment_names *names, const struct bat_table *table,
		    const struct bat_symbol *symbols, size_t count)
{
	names->hot_count = 0;
	names->cold_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct bat_fragment *f = bat_find_exact(table, symbols[i].address);

		if (!f)
			continue;
		add(names, table, f, &symbols[i]);
		if (f > table->fragments && f[-1].address == f->address)
			add(names, table, f - 1, &symbols[i]);
	}
}

static int compare_name(const struct bat_fragment_name *a, const struct bat_fragment_name *b)
{
	size_t shorter = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->name, b->name, shorter);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int compare_name_order(const void *pa, const void *pb)
{
	const struct bat_fragment_name *a = pa;
	const struct bat_fragment_name *b = pb;
	int order = compare_name(a, b);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

static void bat_fragment_names_free(struct bat_fragment_names *names)
{
	free(names->hot);
	free(names->cold);
	*names = (struct bat_fragment_names){0};
}

/* Collect the names of all fragments.  Left out are symbols at other addresses,
 * and symbols of cold fragments that do not end with .cold.N, .cold or .warm.
 * The characters stay the caller's and must live as long as the result.
 * Returns false when out of memory. */
static bool bat_fragment_names_init(struct bat_fragment_names *names, const struct bat_table *table,
				    const struct bat_symbol *symbols, size_t count)
{
	*names = (struct bat_fragment_names){0};
	add_all(names, table, symbols, count);
	names->hot = calloc(names->hot_count + 1, sizeof(*names->hot));
	names->cold = calloc(names->cold_count + 1, sizeof(*names->cold));
	if (!names->hot || !names->cold) {
		bat_fragment_names_free(names);
		return false;
	}
	add_all(names, table, symbols, count);
	qsort(names->hot, names->hot_count, sizeof(*names->hot), compare_name_order);
	return true;
}

/* How many names of hot fragments are before `name`; with `after`, those that
 * are equal to it, too. */
static size_t bound(const struct bat_fragment_names *names, const struct bat_fragment_name *name,
		    bool after)
{
	size_t low = 0;
	size_t high = names->hot_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_name(&names->hot[middle], name);

		if (order < 0 || (after && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The names of hot fragments that are equal to a cold fragment's function name:
 * *begin up to *end, by order. */
static void bat_fragment_names_find(const struct bat_fragment_names *names,
				    const struct bat_fragment_name *cold,
				    const struct bat_fragment_name **begin,
				    const struct bat_fragment_name **end)
{
	*begin = names->hot + bound(names, cold, false);
	*end = names->hot + bound(names, cold, true);
}

/* ---- which offsets have code ---- */

/*
 * A set of pairs of a hot fragment and an input offset of its function: the
 * offsets whose code some fragment of the function already has.
 *
 * No two fragments of one input function translate to the same input offset.  A
 * cold fragment with an offset that is already in the set is therefore part of
 * another function.
 */

struct bat_offset_set {
	uint64_t *slots; /* open addressing; 0: the slot is free               */
	size_t mask;     /* number of slots, a power of two, minus 1           */
	uint64_t seed;   /* differs from table to table                        */
};

/* Make a set for at most `count` pairs.  Returns false when out of memory. */
static bool bat_offset_set_init(struct bat_offset_set *set, size_t count)
{
	size_t slots = 16;

	/* At least half of the slots stay free, so that every search ends soon. */
	while (slots / 2 < count)
		slots *= 2;
	set->slots = calloc(slots, sizeof(*set->slots));
	set->mask = slots - 1;
	/* An address that changes from run to run: whoever wrote the section
	 * could not make all pairs collide. */
	set->seed = (uint64_t)(uintptr_t)set->slots * 0xc2b2ae3d27d4eb4fu;
	return set->slots;
}

static void bat_offset_set_free(struct bat_offset_set *set)
{
	free(set->slots);
}

/* The slot that holds the pair, or the free slot where it belongs. */
static uint64_t *find_slot(const struct bat_offset_set *set, uint64_t pair)
{
	uint64_t hash = (pair ^ set->seed) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(hash ^ hash >> 32) & set->mask;

	while (set->slots[i] && set->slots[i] != pair)
		i = (i + 1) & set->mask;
	return &set->slots[i];
}

/* Never 0. */
static uint64_t pair_of(uint32_t hot, uint32_t offset)
{
	return ((uint64_t)hot + 1) << 32 | offset;
}

/* `hot` is the index of a hot fragment.  `offset` is an input offset of its
 * function; numbers with the highest bit set are free for other uses. */
static void bat_offset_set_add(struct bat_offset_set *set, uint32_t hot, uint32_t offset)
{
	uint64_t pair = pair_of(hot, offset);

	*find_slot(set, pair) = pair;
}

static bool bat_offset_set_has(const struct bat_offset_set *set, uint32_t hot, uint32_t offset)
{
	return *find_slot(set, pair_of(hot, offset));
}

/* ---- parents ---- */

/* Reasons to take an f for f.cold.N, best first.  Every cold fragment is tried
 * with the best reason before any is tried with the next. */
enum reason {
	SAME_FILE,   /* is under the same FILE symbol                       */
	IS_GLOBAL,   /* is under none, but f.cold.N does                    */
	IS_NEAREST,  /* in the symbol table                                     */
	IS_OPPOSITE, /* nearest on the other side                               */
	REASON_COUNT
};

struct repair {
	const struct bat_table *table;
	struct bat_fragment_names names;
	struct bat_offset_set taken; /* by the fragments of each function       */
	uint32_t *parents;           /* of every fragment: found, or BAT_NO_PARENT        */
	uint8_t *checks; /* of every fragment: how often can_belong_to() was asked      */
};

/* A limit that is large enough for real tables: a cold fragment with thousands
 * of names would otherwise take the time of as many fragments. */
enum { MAX_CHECKS = 16 };

static uint32_t distance(const struct bat_fragment_name *a, const struct bat_fragment_name *b)
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
		*out = (struct around){before, behind, end - 1};
	else
		*out = (struct around){behind, before, end - 1};
	return true;
}

/* The name of the hot fragment that `reason` leads to, or NULL. */
static const struct bat_fragment_name *
candidate(const struct repair *r, const struct bat_fragment_name *cold, enum reason reason)
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
	case IS_GLOBAL: return cold->file && !f.last->file ? f.last : NULL;
	case IS_NEAREST: return f.near;
	case IS_OPPOSITE:
	case REASON_COUNT: break;
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
 * The entries after them are of blocks that were never emitted, at address 0,
 * and in BAT_LAYOUT_HASHED of deleted blocks, at the end of the fragment.  A table does
 * not say where a fragment ends: the last output offset is taken for its end. */
static uint32_t count_emitted(const struct bat_table *table, const struct bat_fragment *f)
{
	const struct bat_entry *e = table->entries + f->first_entry;
	uint32_t count = f->entry_count;
	uint32_t end;

	while (count && (uint32_t)(f->address + e[count - 1].output) == 0)
		count--;
	if (!count || !bat_layout_features(table->layout)->hashed)
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
static bool can_belong_to(struct repair *r, const struct bat_fragment_name *cold, uint32_t hot)
{
	const struct bat_fragment *f = &r->table->fragments[cold->fragment];
	const struct bat_entry *e = r->table->entries + f->first_entry;
	uint32_t count = count_emitted(r->table, f);

	if (r->checks[cold->fragment] == MAX_CHECKS)
		return false;
	r->checks[cold->fragment]++;
	if (cold->number != BAT_NO_NUMBER && bat_offset_set_has(&r->taken, hot, number_key(cold)))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (bat_offset_set_has(&r->taken, hot, bat_entry_input(e[i])))
			return false;
	return true;
}

static void assign(struct repair *r, const struct bat_fragment_name *cold, uint32_t hot)
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
	if (bat_layout_features(r->table->layout)->wrong_parents)
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
	*r = (struct repair){.table = table};
	r->parents = calloc(table->fragment_count + (size_t)1, sizeof(*r->parents));
	r->checks = calloc(table->fragment_count + (size_t)1, sizeof(*r->checks));
	return r->parents && r->checks && bat_fragment_names_init(&r->names, table, symbols, count);
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

	if (!bat_layout_features(table->layout)->wrong_parents)
		return false;
	for (uint32_t i = 0; i < table->fragment_count; i++)
		if (table->fragments[i].cold && table->fragments[i].stored_hot != cold++)
			return false;
	return cold > 0;
}

/* Set the parent of a cold fragment to what the symbols say, and count whether
 * that changed it. */
static void set_parent(struct bat_fragment *f, uint32_t found, struct bat_parents *out)
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

bool bat_fix_parents(struct bat_table *table, const struct bat_symbol *symbols, size_t count,
		     struct bat_parents *out, struct bat_error *err)
{
	struct repair r;

	if (table->hot_count == table->fragment_count) {
		*out = (struct bat_parents){0};
		return true;
	}
	if (!repair_init(&r, table, symbols, count) || !repair(&r)) {
		repair_fini(&r);
		return bat_fail_nomem(err);
	}
	*out = (struct bat_parents){.ordinal = is_ordinal(table)};
	for (uint32_t i = 0; i < table->fragment_count; i++)
		if (table->fragments[i].cold)
			set_parent(&table->fragments[i], r.parents[i], out);
	repair_fini(&r);
	return true;
}
