/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/dwarf_places.h"

#ifdef BATCONV_HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "src/base/sort.h"
#include "src/base/strings.h"
#include "src/base/vec.h"
#include "src/elf/libdw.h"

/* What is used of libdw, by the types of its own header. */
struct libdw {
	__typeof__(dwarf_nextcu) *nextcu;
	__typeof__(dwarf_offdie) *offdie;
	__typeof__(dwarf_ranges) *ranges;
	__typeof__(dwarf_getsrc_die) *getsrc;
	__typeof__(dwarf_linesrc) *linesrc;
	__typeof__(dwarf_lineno) *lineno;
	__typeof__(dwarf_getscopes) *getscopes;
	__typeof__(dwarf_getscopes_die) *getscopes_die;
	__typeof__(dwarf_dieoffset) *dieoffset;
	__typeof__(dwarf_tag) *tag;
	__typeof__(dwarf_diename) *diename;
	__typeof__(dwarf_attr) *attr;
	__typeof__(dwarf_attr_integrate) *attr_integrate;
	__typeof__(dwarf_formstring) *formstring;
	__typeof__(dwarf_formudata) *formudata;
	__typeof__(dwarf_getsrcfiles) *getsrcfiles;
	__typeof__(dwarf_filesrc) *filesrc;
};

static const struct libdw_function symbols[] = {
	{"dwarf_nextcu", offsetof(struct libdw, nextcu)},
	{"dwarf_offdie", offsetof(struct libdw, offdie)},
	{"dwarf_ranges", offsetof(struct libdw, ranges)},
	{"dwarf_getsrc_die", offsetof(struct libdw, getsrc)},
	{"dwarf_linesrc", offsetof(struct libdw, linesrc)},
	{"dwarf_lineno", offsetof(struct libdw, lineno)},
	{"dwarf_getscopes", offsetof(struct libdw, getscopes)},
	{"dwarf_getscopes_die", offsetof(struct libdw, getscopes_die)},
	{"dwarf_dieoffset", offsetof(struct libdw, dieoffset)},
	{"dwarf_tag", offsetof(struct libdw, tag)},
	{"dwarf_diename", offsetof(struct libdw, diename)},
	{"dwarf_attr", offsetof(struct libdw, attr)},
	{"dwarf_attr_integrate", offsetof(struct libdw, attr_integrate)},
	{"dwarf_formstring", offsetof(struct libdw, formstring)},
	{"dwarf_formudata", offsetof(struct libdw, formudata)},
	{"dwarf_getsrcfiles", offsetof(struct libdw, getsrcfiles)},
	{"dwarf_filesrc", offsetof(struct libdw, filesrc)},
};

/* [start, end) is code of the unit. */
struct unit_range {
	Dwarf_Addr start, end;
	Dwarf_Die unit;
};
DEFINE_VEC(unit_range_vec, struct unit_range);
DEFINE_VEC(place_vec, struct source_place);
DEFINE_VEC(places_vec, struct source_places);

struct dwarf_places {
	struct libdw dw;
	Dwarf *dwarf;
	bool inlines;
	struct unit_range_vec units; /* by ascending start */
	struct strings addresses;    /* that were looked up, by their bytes ... */
	struct places_vec found;     /* ... and by their number what was found */
	struct place_vec at_hand;
};

/* ---- which unit ---- */

static int by_start(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* What a linker dropped stays in DWARF, at 0 or 1. */
static bool add_unit(struct dwarf_places *p, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = p->dw.ranges(unit, at, &base, &start, &end)) > 0)
		if (start > 1 && end > start && !unit_range_vec_push(&p->units, (struct unit_range){start, end, *unit}))
			return false;
	return true;
}

static bool list_units(struct dwarf_places *p)
{
	Dwarf_Off at = 0, next;
	size_t header;

	for (; !p->dw.nextcu(p->dwarf, at, &next, &header, NULL, NULL, NULL); at = next) {
		Dwarf_Die unit;
		if (p->dw.offdie(p->dwarf, at + header, &unit) && !add_unit(p, &unit))
			return false;
	}
	if (p->units.len)
		qsort(p->units.at, p->units.len, sizeof(*p->units.at), by_start);
	return true;
}

DEFINE_SEARCH(units_above, struct unit_range, uint64_t, item->start <= key)

static Dwarf_Die *unit_at(struct dwarf_places *p, uint64_t at)
{
	size_t above = units_above(p->units.at, p->units.len, at);

	return above && at < p->units.at[above - 1].end ? &p->units.at[above - 1].unit : NULL;
}

/* ---- which places ---- */

static const char *name_of(const struct libdw *dw, Dwarf_Die *die)
{
	static const unsigned linkage[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
	Dwarf_Attribute attr;

	for (size_t i = 0; i < 2; i++)
		if (dw->attr_integrate(die, linkage[i], &attr) && dw->formstring(&attr))
			return dw->formstring(&attr);
	return dw->diename(die);
}

static Dwarf_Word number_of(const struct libdw *dw, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dw->attr(die, name, &attr) && !dw->formudata(&attr, &value) ? value : 0;
}

static void find_line(const struct libdw *dw, Dwarf_Die *unit, uint64_t at, struct source_place *out)
{
	Dwarf_Line *line = dw->getsrc(unit, at);
	int number = 0;

	if (line && !dw->lineno(line, &number) && number > 0) {
		out->file = dw->linesrc(line, NULL, NULL);
		out->line = out->file ? (uint32_t)number : 0;
	}
}

/* Where an inlined function was called. */
static void find_call(const struct libdw *dw, Dwarf_Die *unit, Dwarf_Die *inlined, struct source_place *out)
{
	Dwarf_Word file = number_of(dw, inlined, DW_AT_call_file), line = number_of(dw, inlined, DW_AT_call_line);
	Dwarf_Files *files;
	size_t count;

	*out = (struct source_place){0};
	if (!line || line > INT32_MAX || dw->getsrcfiles(unit, &files, &count) || file >= count)
		return;
	out->file = dw->filesrc(files, (size_t)file, NULL, NULL);
	out->line = out->file ? (uint32_t)line : 0;
}

/* The blocks and functions around an address, innermost first.  Those around the innermost
 * one are asked for by itself: around an address they go on where it was written, not where
 * it was inlined. */
static int find_scopes(struct dwarf_places *p, Dwarf_Die *unit, uint64_t at, Dwarf_Die **out)
{
	Dwarf_Die *around = NULL, innermost;
	int count = p->dw.getscopes(unit, at, &around);
	bool any = count > 0 && p->dw.offdie(p->dwarf, p->dw.dieoffset(&around[0]), &innermost);

	if (count > 0)
		free(around);
	return any ? p->dw.getscopes_die(&innermost, out) : 0;
}

static bool find_inlines(struct dwarf_places *p, Dwarf_Die *unit, uint64_t at, struct source_place place)
{
	Dwarf_Die *scopes = NULL;
	int count = find_scopes(p, unit, at, &scopes);
	bool ok = true, whole = false;

	for (int i = 0; ok && !whole && i < count; i++) {
		int tag = p->dw.tag(&scopes[i]);
		whole = tag == DW_TAG_subprogram || tag == DW_TAG_entry_point;
		if (!whole && tag != DW_TAG_inlined_subroutine)
			continue;
		place.function = name_of(&p->dw, &scopes[i]);
		ok = place_vec_push(&p->at_hand, place);
		if (!whole)
			find_call(&p->dw, unit, &scopes[i], &place);
	}
	if (count > 0)
		free(scopes);
	return ok && (whole || !(place.line || p->at_hand.len) || place_vec_push(&p->at_hand, place));
}

static bool look_up(struct dwarf_places *p, uint64_t at)
{
	Dwarf_Die *unit = unit_at(p, at);
	struct source_place place = {0};

	p->at_hand.len = 0;
	if (!unit)
		return true;
	find_line(&p->dw, unit, at, &place);
	if (p->inlines)
		return find_inlines(p, unit, at, place);
	return !place.line || place_vec_push(&p->at_hand, place);
}

/* A copy that stays. */
static bool keep(struct dwarf_places *p)
{
	size_t count = p->at_hand.len;
	struct source_place *copy = calloc(count + 1, sizeof(*copy));

	if (!copy)
		return false;
	for (size_t i = 0; i < count; i++)
		copy[i] = p->at_hand.at[i];
	if (places_vec_push(&p->found, (struct source_places){copy, count}))
		return true;
	free(copy);
	return false;
}

bool dwarf_places_find(struct dwarf_places *p, uint64_t at, struct source_places *out, struct bc_error *err)
{
	uint32_t number;

	if (!strings_intern(&p->addresses, (struct text){(const char *)&at, sizeof(at)}, &number))
		return bc_fail_nomem(err);
	if (number > p->found.len && (!look_up(p, at) || !keep(p))) {
		strings_truncate(&p->addresses, number);
		return bc_fail_nomem(err);
	}
	*out = p->found.at[number - 1];
	return true;
}

bool dwarf_places_open(void *library, void *dwarf, bool inlines, struct dwarf_places **out,
		       struct bc_error *err)
{
	struct dwarf_places *p = calloc(1, sizeof(*p));

	if (!p)
		return bc_fail_nomem(err);
	p->dwarf = dwarf;
	p->inlines = inlines;
	if (libdw_find(library, "source lines", symbols, BC_COUNT(symbols), &p->dw, err) && (list_units(p) || bc_fail_nomem(err))) {
		*out = p;
		return true;
	}
	dwarf_places_close(p);
	return false;
}

void dwarf_places_close(struct dwarf_places *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->found.len; i++)
		free((void *)(uintptr_t)p->found.at[i].at);
	places_vec_free(&p->found);
	place_vec_free(&p->at_hand);
	unit_range_vec_free(&p->units);
	strings_free(&p->addresses);
	free(p);
}

#endif
