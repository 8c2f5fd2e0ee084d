/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/debug_lines.h"

#include <stdlib.h>

#include "src/base/sort.h"
#include "src/base/strings.h"
#include "src/base/vec.h"
#include "src/elf/libdw.h"

#define PURPOSE "source lines"

void debug_lines_stay_offline(void)
{
	unsetenv("DEBUGINFOD_URLS");
}

bool debug_lines_can(struct bc_error *err)
{
	struct libdw dw;

	return libdw_load(PURPOSE, &dw, err);
}

#ifdef BATCONV_HAVE_LIBDW

#include <errno.h>
#include <string.h>

/* [start, end) is code of the unit. */
struct unit_range {
	Dwarf_Addr start, end;
	Dwarf_Die unit;
};
DEFINE_VEC(unit_range_vec, struct unit_range);
DEFINE_VEC(place_vec, struct source_place);

/* [start, end) is code of a call that was inlined. */
struct inlined_range {
	Dwarf_Addr start, end;
	uint32_t depth; /* in other inlined calls */
	const char *function;
	struct source_place call; /* without a function */
};
DEFINE_VEC(inlined_range_vec, struct inlined_range);
DEFINE_VEC(active_vec, uint32_t);

/* The inlined calls of one function. */
struct inlined_calls {
	Dwarf_Addr start, end; /* the function; 0: none is known */
	const char *function;
	struct inlined_range_vec ranges; /* by start, outer ones first */
	size_t next;                     /* those before it begin at or before `at` */
	struct active_vec active;        /* of these those that may reach `at`, by depth */
	Dwarf_Addr at;                   /* the last one that was asked for */
};
DEFINE_VEC(places_vec, struct source_places);

/* What was found of an address is kept: the addresses of a profile repeat. */
struct dwarf_places {
	const struct libdw *dw;
	Dwarf *dwarf; /* NULL: the file has no DWARF */
	bool inlines;
	struct unit_range_vec units; /* by ascending start */
	struct strings addresses;    /* that were looked up, by their bytes ... */
	struct places_vec found;     /* ... and by their number what was found */
	struct place_vec at_hand;
	struct inlined_calls calls; /* of the function that was read last */
};

/* ---- which unit: by the ranges of its own, as not every compiler writes .debug_aranges ---- */

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

	while ((at = p->dw->dwarf_ranges(unit, at, &base, &start, &end)) > 0)
		if (start > 1 && end > start &&
		    !unit_range_vec_push(&p->units, (struct unit_range){start, end, *unit}))
			return false;
	return true;
}

static bool list_units(struct dwarf_places *p)
{
	Dwarf_Off at = 0, next;
	size_t header;

	for (; !p->dw->dwarf_nextcu(p->dwarf, at, &next, &header, NULL, NULL, NULL); at = next) {
		Dwarf_Die unit;
		if (p->dw->dwarf_offdie(p->dwarf, at + header, &unit) && !add_unit(p, &unit))
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

/* ---- which locations ---- */

static const char *name_of(const struct libdw *dw, Dwarf_Die *die)
{
	static const unsigned linkage[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
	Dwarf_Attribute attr;

	for (size_t i = 0; i < 2; i++)
		if (dw->dwarf_attr_integrate(die, linkage[i], &attr) && dw->dwarf_formstring(&attr))
			return dw->dwarf_formstring(&attr);
	return dw->dwarf_diename(die);
}

static Dwarf_Word number_of(const struct libdw *dw, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dw->dwarf_attr(die, name, &attr) && !dw->dwarf_formudata(&attr, &value) ? value : 0;
}

static void find_line(const struct libdw *dw, Dwarf_Die *unit, uint64_t at,
		      struct source_place *out)
{
	Dwarf_Line *line = dw->dwarf_getsrc_die(unit, at);
	int number = 0;

	if (line && !dw->dwarf_lineno(line, &number) && number > 0) {
		out->file = dw->dwarf_linesrc(line, NULL, NULL);
		out->line = out->file ? (uint32_t)number : 0;
	}
}

/* Where an inlined function was called. */
static void find_call(const struct libdw *dw, Dwarf_Die *unit, Dwarf_Die *inlined,
		      struct source_place *out)
{
	Dwarf_Word file = number_of(dw, inlined, DW_AT_call_file),
		   line = number_of(dw, inlined, DW_AT_call_line);
	Dwarf_Files *files;
	size_t count;

	*out = (struct source_place){0};
	if (!line || line > INT32_MAX || dw->dwarf_getsrcfiles(unit, &files, &count) ||
	    file >= count)
		return;
	out->file = dw->dwarf_filesrc(files, (size_t)file, NULL, NULL);
	out->line = out->file ? (uint32_t)line : 0;
}

/* The blocks and functions around an address, innermost first.  Those around the innermost
 * one are asked for by itself: around an address they continue where it was written, not where
 * it was inlined. */
static int find_scopes(struct dwarf_places *p, Dwarf_Die *unit, uint64_t at, Dwarf_Die **out)
{
	Dwarf_Die *around = NULL, innermost;
	int count = p->dw->dwarf_getscopes(unit, at, &around);
	bool any = count > 0 &&
		   p->dw->dwarf_offdie(p->dwarf, p->dw->dwarf_dieoffset(&around[0]), &innermost);

	if (count > 0)
		free(around);
	return any ? p->dw->dwarf_getscopes_die(&innermost, out) : 0;
}

static bool find_inlines(struct dwarf_places *p, Dwarf_Die *unit, uint64_t at,
			 struct source_place place)
{
	Dwarf_Die *scopes = NULL;
	int count = find_scopes(p, unit, at, &scopes);
	bool ok = true, whole = false;

	for (int i = 0; ok && !whole && i < count; i++) {
		int tag = p->dw->dwarf_tag(&scopes[i]);
		whole = tag == DW_TAG_subprogram || tag == DW_TAG_entry_point;
		if (!whole && tag != DW_TAG_inlined_subroutine)
			continue;
		place.function = name_of(p->dw, &scopes[i]);
		ok = place_vec_push(&p->at_hand, place);
		if (!whole)
			find_call(p->dw, unit, &scopes[i], &place);
	}
	if (count > 0)
		free(scopes);
	return ok &&
	       (whole || !(place.line || p->at_hand.len) || place_vec_push(&p->at_hand, place));
}

/* ---- all inlined calls of a function, read at once ---- */

#define INLINED_DEEPEST 64
#define INLINED_MOST    ((size_t)1 << 20)

static bool add_ranges(struct dwarf_places *p, Dwarf_Die *unit, Dwarf_Die *die, uint32_t depth)
{
	struct inlined_range range = {.depth = depth, .function = name_of(p->dw, die)};
	Dwarf_Addr base;
	ptrdiff_t at = 0;

	find_call(p->dw, unit, die, &range.call);
	while ((at = p->dw->dwarf_ranges(die, at, &base, &range.start, &range.end)) > 0)
		if (range.end > range.start && p->calls.ranges.len < INLINED_MOST &&
		    !inlined_range_vec_push(&p->calls.ranges, range))
			return false;
	return true;
}

/* Adds the calls below an entry, of which blocks are no calls of their own. */
static bool add_inlined(struct dwarf_places *p, Dwarf_Die *unit, Dwarf_Die *of, uint32_t depth)
{
	Dwarf_Die die;
	bool ok = true;

	if (depth >= INLINED_DEEPEST || p->dw->dwarf_child(of, &die))
		return true;
	do {
		int tag = p->dw->dwarf_tag(&die);
		bool call = tag == DW_TAG_inlined_subroutine;
		if (call)
			ok = add_ranges(p, unit, &die, depth);
		if (ok && (call || tag == DW_TAG_lexical_block))
			ok = add_inlined(p, unit, &die, depth + 1);
	} while (ok && !p->dw->dwarf_siblingof(&die, &die));
	return ok;
}

static bool range_less(const struct inlined_range *a, const struct inlined_range *b)
{
	return a->start != b->start ? a->start < b->start : a->depth < b->depth;
}
DEFINE_SORT(sort_ranges, struct inlined_range, range_less)

static bool read_calls(struct dwarf_places *p, uint64_t start, uint64_t size)
{
	Dwarf_Die *unit = unit_at(p, start), *scopes = NULL;
	int count = unit ? p->dw->dwarf_getscopes(unit, start, &scopes) : 0;
	struct inlined_calls *calls = &p->calls;
	bool ok = true;

	calls->ranges.len = calls->active.len = calls->next = 0;
	calls->end = calls->at = calls->start = start;
	for (int i = 0; ok && i < count; i++) {
		if (p->dw->dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
			continue;
		calls->function = name_of(p->dw, &scopes[i]);
		ok = add_inlined(p, unit, &scopes[i], 0);
		calls->end = start + size;
		break;
	}
	if (count > 0)
		free(scopes);
	sort_ranges(calls->ranges.at, calls->ranges.len);
	return ok;
}

/* Sets the calls around an address; quickly where addresses ascend. */
static bool go_to(struct inlined_calls *calls, Dwarf_Addr at)
{
	size_t kept = 0;

	if (at < calls->at)
		calls->next = calls->active.len = 0;
	calls->at = at;
	for (; calls->next < calls->ranges.len && calls->ranges.at[calls->next].start <= at;
	     calls->next++)
		if (calls->ranges.at[calls->next].end > at &&
		    !active_vec_push(&calls->active, (uint32_t)calls->next))
			return false;
	for (size_t i = 0; i < calls->active.len; i++)
		if (calls->ranges.at[calls->active.at[i]].end > at)
			calls->active.at[kept++] = calls->active.at[i];
	calls->active.len = kept;
	return true;
}

static bool find_known(struct dwarf_places *p, Dwarf_Addr at, struct source_place place)
{
	struct inlined_calls *calls = &p->calls;

	if (!go_to(calls, at))
		return false;
	for (size_t i = calls->active.len; i-- > 0;) {
		const struct inlined_range *range = &calls->ranges.at[calls->active.at[i]];
		place.function = range->function;
		if (!place_vec_push(&p->at_hand, place))
			return false;
		place = range->call;
	}
	place.function = calls->function;
	return place_vec_push(&p->at_hand, place);
}

static bool look_up(struct dwarf_places *p, uint64_t at)
{
	Dwarf_Die *unit = unit_at(p, at);
	struct source_place place = {0};

	p->at_hand.len = 0;
	if (!unit)
		return true;
	find_line(p->dw, unit, at, &place);
	if (p->inlines && at >= p->calls.start && at < p->calls.end)
		return find_known(p, at, place);
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

static bool find_places(struct dwarf_places *p, uint64_t at, struct source_places *out)
{
	uint32_t number;

	if (!strings_intern(&p->addresses, (struct text){(const char *)&at, sizeof(at)}, &number))
		return false;
	if (number > p->found.len && (!look_up(p, at) || !keep(p))) {
		strings_truncate(&p->addresses, number);
		return false;
	}
	*out = p->found.at[number - 1];
	return true;
}

static void close_places(struct dwarf_places *p)
{
	for (size_t i = 0; i < p->found.len; i++)
		free((void *)(uintptr_t)p->found.at[i].at);
	places_vec_free(&p->found);
	place_vec_free(&p->at_hand);
	inlined_range_vec_free(&p->calls.ranges);
	active_vec_free(&p->calls.active);
	unit_range_vec_free(&p->units);
	strings_free(&p->addresses);
}

/* ---- which file ---- */

struct debug_lines {
	struct libdw dw;
	Dwfl_Callbacks callbacks;
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t bias; /* libdw's address - vaddr */
	struct dwarf_places places;
	uint64_t dwarf_bias;   /* libdw's address - DWARF's */
	struct bc_error wrong; /* of the files that libdw asked for */
	const struct debug_dirs *dirs;
	struct bc_error refused; /* a debug file of another build */
};

static void take_id(const void *bytes, ssize_t size, struct build_id *out)
{
	if (!bytes || size <= 0 || size > BUILD_ID_MAX)
		return;
	out->size = (uint8_t)size;
	memcpy(out->data, bytes, out->size);
}

/* Which build-id the file that libdw asks for must have. */
static void wanted_id(const struct debug_lines *source, Dwfl_Module *module, bool is_alt,
		      struct build_id *out)
{
	const unsigned char *bits = NULL;
	const void *alt_bits = NULL;
	const char *ignored;
	GElf_Addr at;

	if (!is_alt) {
		int size = source->dw.dwfl_module_build_id(module, &bits, &at);
		take_id(bits, size, out);
		return;
	}
	Dwarf *dwarf = source->dw.dwfl_module_getdwarf(module, &at);
	if (dwarf)
		take_id(alt_bits,
			source->dw.dwelf_dwarf_gnu_debugaltlink(dwarf, &ignored, &alt_bits), out);
}

/* libdw asks for a file with more debug information.  Its own way to look for one would
 * open whatever has the name, and ask servers.  A link without a checksum is of the kind
 * that debug files have to what they share. */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *module_name,
			  Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
			  char **path)
{
	struct debug_lines *source = *userdata;
	bool is_alt = link && !crc;
	struct debug_name name = {.by = is_alt ? NAMED_BY_ALTLINK : NAMED_BY_DEBUGLINK,
				  .of = file ? file : module_name,
				  .link = link,
				  .crc = crc,
				  .dirs = source->dirs,
				  .refused = &source->refused};

	(void)base;
	wanted_id(source, module, is_alt, &name.id);
	return source->wrong.code ? -1 : debug_file_open(&name, path, &source->wrong);
}

/* Where it fails, errno is ENOMEM if that is the reason: libdw has no number for it that all of its
 * versions share. */
static bool report(struct debug_lines *source, const char *path)
{
	struct libdw *dw = &source->dw;
	GElf_Addr bias;
	void **userdata;

	source->callbacks = (Dwfl_Callbacks){
		.find_debuginfo = find_debuginfo,
		.section_address = dw->dwfl_offline_section_address,
	};
	errno = 0;
	/* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): it does not follow what memcpy wrote in libdw_load() */
	source->dwfl = dw->dwfl_begin(&source->callbacks);
	if (!source->dwfl)
		return false;
	dw->dwfl_report_begin(source->dwfl);
	source->module = dw->dwfl_report_offline(source->dwfl, path, path, -1);
	dw->dwfl_report_end(source->dwfl, NULL, NULL);
	if (!source->module || !dw->dwfl_module_getelf(source->module, &bias) ||
	    !dw->dwfl_module_info(source->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		return false;
	*userdata = source;
	source->bias = bias;
	/* Looks for the debug file now, before libdw does: libdw would open files that it must
	 * not.  That there is none is no error. */
	return dw->dwfl_module_getdwarf(source->module, &bias) || errno != ENOMEM;
}

static bool has_debug_files(const struct debug_lines *source, struct bc_error *err)
{
	if (source->wrong.code)
		*err = source->wrong;
	return !source->wrong.code;
}

/* What libdw finds no memory for it leaves out: errno shows, which was 0 before. */
static bool had_memory(struct bc_error *err)
{
	return errno != ENOMEM || bc_fail_nomem(err);
}

/* A file without DWARF has no locations, which is no error. */
static bool open_places(struct debug_lines *source, bool inlines, struct bc_error *err)
{
	GElf_Addr bias = 0;
	Dwarf *dwarf = source->dw.dwfl_module_getdwarf(source->module, &bias);

	source->dwarf_bias = bias;
	source->places =
		(struct dwarf_places){.dw = &source->dw, .dwarf = dwarf, .inlines = inlines};
	errno = 0;
	return !dwarf || ((list_units(&source->places) || bc_fail_nomem(err)) && had_memory(err));
}

bool debug_lines_open(const char *path, const struct debug_dirs *dirs, bool inlines,
		      struct debug_lines **out, struct bc_error *err)
{
	struct debug_lines *source = calloc(1, sizeof(*source));

	if (!source)
		return bc_fail_nomem(err);
	source->dirs = dirs;
	if (libdw_load(PURPOSE, &source->dw, err) &&
	    (report(source, path) ||
	     (errno == ENOMEM ? bc_fail_nomem(err) :
				bc_fail(err, BC_IO, "%s: libdw cannot read it", path))) &&
	    has_debug_files(source, err) && open_places(source, inlines, err)) {
		*out = source;
		return true;
	}
	debug_lines_close(source);
	return false;
}

void debug_lines_close(struct debug_lines *source)
{
	if (!source)
		return;
	close_places(&source->places);
	if (source->dwfl)
		source->dw.dwfl_end(source->dwfl);
	free(source);
}

const char *debug_lines_refused(const struct debug_lines *source)
{
	return source->refused.code ? source->refused.text : NULL;
}

bool debug_lines_find(struct debug_lines *source, struct vaddr at, struct source_places *out,
		      struct bc_error *err)
{
	*out = (struct source_places){0};
	errno = 0;
	return !source->places.dwarf ||
	       ((find_places(&source->places, at.v + source->bias - source->dwarf_bias, out) ||
		 bc_fail_nomem(err)) &&
		had_memory(err));
}

bool debug_lines_read(struct debug_lines *source, struct vaddr at, uint64_t size,
		      struct bc_error *err)
{
	errno = 0;
	return !source->places.dwarf ||
	       ((read_calls(&source->places, at.v + source->bias - source->dwarf_bias, size) ||
		 bc_fail_nomem(err)) &&
		had_memory(err));
}

bool debug_lines_has(const struct debug_lines *source)
{
	return source->places.units.len;
}

#else

bool debug_lines_open(const char *path, const struct debug_dirs *dirs, bool inlines,
		      struct debug_lines **out, struct bc_error *err)
{
	(void)path;
	(void)dirs;
	(void)inlines;
	(void)out;
	return debug_lines_can(err);
}

void debug_lines_close(struct debug_lines *source)
{
	(void)source;
}

const char *debug_lines_refused(const struct debug_lines *source)
{
	(void)source;
	return NULL;
}

bool debug_lines_find(struct debug_lines *source, struct vaddr at, struct source_places *out,
		      struct bc_error *err)
{
	(void)source;
	(void)at;
	(void)err;
	*out = (struct source_places){0};
	return true;
}

bool debug_lines_read(struct debug_lines *source, struct vaddr at, uint64_t size,
		      struct bc_error *err)
{
	(void)source;
	(void)at;
	(void)size;
	(void)err;
	return true;
}

bool debug_lines_has(const struct debug_lines *source)
{
	(void)source;
	return false;
}

#endif
