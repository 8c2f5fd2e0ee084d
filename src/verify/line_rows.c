/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/line_rows.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/verify/dwarf_file.h"

/* ---- looking up ---- */

DEFINE_SEARCH(spans_up_to, struct line_span, uint64_t, item->start <= key)
DEFINE_SEARCH(gaps_up_to, struct line_gap, uint64_t, item->start <= key)
DEFINE_SEARCH(rows_up_to, struct line_row, uint64_t, item->address <= key)

/* How many spans before the position of an address are looked at: in sound files few lie over each
 * other. */
#define SPANS_MOST 64

void line_rows_free(struct line_rows *rows)
{
	line_row_vec_free(&rows->rows);
	line_span_vec_free(&rows->spans);
	line_gap_vec_free(&rows->gaps);
	line_unit_vec_free(&rows->units);
	file_number_vec_free(&rows->files);
	line_use_vec_free(&rows->uses);
	*rows = (struct line_rows){0};
}

size_t line_rows_at(const struct line_rows *rows, uint64_t address, const struct line_row **out,
		    size_t most)
{
	size_t at = spans_up_to(rows->spans.at, rows->spans.len, address), count = 0;

	for (int steps = 0;
	     at && steps < SPANS_MOST && count < most && rows->spans.at[at - 1].reach > address;
	     steps++) {
		const struct line_span *span = &rows->spans.at[--at];
		if (address >= span->end)
			continue;
		const struct line_row *first = &rows->rows.at[span->first];
		out[count++] = &first[rows_up_to(first, span->count, address) - 1];
	}
	return count;
}

const struct line_row *line_rows_maybe(const struct line_rows *rows, uint64_t address)
{
	size_t at = gaps_up_to(rows->gaps.at, rows->gaps.len, address);

	for (int steps = 0; at && steps < SPANS_MOST; steps++)
		if (address < rows->gaps.at[--at].end)
			return &rows->rows.at[rows->gaps.at[at].row];
	return NULL;
}

uint64_t line_rows_next(const struct line_rows *rows, uint64_t address, uint64_t end)
{
	size_t at = spans_up_to(rows->spans.at, rows->spans.len, address);

	if (at < rows->spans.len && rows->spans.at[at].start < end)
		end = rows->spans.at[at].start;
	for (int steps = 0; at && steps < SPANS_MOST && rows->spans.at[at - 1].reach > address;
	     steps++) {
		const struct line_span *span = &rows->spans.at[--at];
		if (address >= span->end)
			continue;
		const struct line_row *first = &rows->rows.at[span->first];
		size_t next = rows_up_to(first, span->count, address);
		uint64_t change = next < span->count ? first[next].address : span->end;
		if (change < end)
			end = change;
	}
	return end;
}

#define PURPOSE "line tables"

#ifdef BATCONV_HAVE_LIBDW

#include <inttypes.h>
#include <stdio.h>

struct rows_reader {
	const struct image *image;
	struct dwarf_file file;
	struct strings *paths;
	struct line_rows *out;
	size_t longest;         /* string in .debug_line_str */
	struct number_set uses; /* that were noted */
};

static void note_bad(struct rows_reader *r, const char *section, uint64_t at, const char *why)
{
	if (!r->out->bad_tables++)
		snprintf(r->out->bad, sizeof(r->out->bad), "%s, byte %" PRIu64 ": %s", section, at,
			 why);
}

/* ---- how much work libdw will have ---- */

static size_t longest_string(struct bytes b)
{
	size_t longest = 0;

	while (b.size) {
		const uint8_t *end = memchr(b.data, 0, b.size);
		size_t size = end ? (size_t)(end - b.data) : b.size;
		longest = size > longest ? size : longest;
		b = bytes_from(b, size + 1);
	}
	return longest;
}

/* Passes the entries of a table of directories or of files of version 5.  Returns how many there
 * are; libdw makes a string of each. */
static uint64_t pass_entries(struct dwarf_cursor *h, bool wide)
{
	uint8_t forms[255];
	unsigned formats = (unsigned)dwarf_take(h, 1);

	for (unsigned i = 0; i < formats; i++) {
		dwarf_take_leb(h);
		uint64_t form = dwarf_take_leb(h);
		forms[i] = form < 256 ? (uint8_t)form : 0;
	}
	uint64_t count = dwarf_take_leb(h);
	for (uint64_t i = 0; i < count && !h->cut; i++) {
		for (unsigned k = 0; k < formats && !h->cut; k++) {
			const uint8_t *end;
			switch (forms[k]) {
			case DW_FORM_string:
				end = h->rest.size ? memchr(h->rest.data, 0, h->rest.size) : NULL;
				h->cut |= !end;
				h->rest = end ? bytes_from(h->rest,
							   (uint64_t)(end - h->rest.data) + 1) :
						(struct bytes){NULL, 0};
				break;
			case DW_FORM_line_strp: dwarf_take(h, wide ? 8 : 4); break;
			case DW_FORM_udata: dwarf_take_leb(h); break;
			case DW_FORM_data1:
			case DW_FORM_data2:
			case DW_FORM_data4:
			case DW_FORM_data8:
				dwarf_take(h, forms[k] == DW_FORM_data1 ? 1 :
					      forms[k] == DW_FORM_data2 ? 2 :
					      forms[k] == DW_FORM_data4 ? 4 :
									  8);
				break;
			case DW_FORM_data16:
				dwarf_take(h, 8);
				dwarf_take(h, 8);
				break;
			default: /* no compiler writes it, and what it leads to is not counted */
				h->cut = true;
			}
		}
		if (!formats)
			h->cut = true; /* entries without bytes */
	}
	return count;
}

/* Counts what reading one table takes: its rows, and the paths that libdw makes of its files. *bad:
 * it cannot be read. */
static bool spend_table(struct rows_reader *r, uint64_t at, const char **bad)
{
	struct dwarf_cursor h = {bytes_from(r->file.line, at), false};
	bool wide = false;
	uint64_t size = dwarf_take(&h, 4), strings;

	if (size == UINT32_MAX) {
		wide = true;
		size = dwarf_take(&h, 8);
	}
	if (h.cut || size > h.rest.size) {
		*bad = "the table does not fit into the section";
		return true;
	}
	h.rest = bytes_first(h.rest, size);
	uint64_t version = dwarf_take(&h, 2);
	if (version >= 5)
		dwarf_take(&h, 2);
	uint64_t header = dwarf_take(&h, wide ? 8 : 4);
	if (header > h.rest.size) {
		*bad = "the header does not fit into the table";
		return true;
	}
	h.rest = bytes_first(h.rest, header);
	uint64_t longest = longest_string(h.rest);
	if (version < 5) {
		strings = h.rest.size /
			  4; /* a name of one letter and three numbers take five bytes */
	} else {
		dwarf_take(&h, 5);
		for (uint64_t codes = dwarf_take(&h, 1); codes > 1; codes--)
			dwarf_take(&h, 1);
		strings = pass_entries(&h, wide);
		strings += pass_entries(&h, wide);
		longest = r->longest > longest ? r->longest : longest;
		if (h.cut) {
			*bad = "the table of files cannot be read";
			return true;
		}
	}
	/* A row of one byte takes some 120 bytes of libdw, and 32 afterwards. */
	return work_spend(r->image->work, WORK_LINES, 24 * size) &&
	       work_spend(r->image->work, WORK_LINE_FILES, strings * (longest + 1));
}

/* ---- reading ---- */

static const char *string_of(struct rows_reader *r, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;

	return r->file.dw.dwarf_attr(die, name, &attr) ? r->file.dw.dwarf_formstring(&attr) : NULL;
}

static bool number_of(struct rows_reader *r, Dwarf_Die *die, unsigned name, Dwarf_Word *out)
{
	Dwarf_Attribute attr;

	return r->file.dw.dwarf_attr(die, name, &attr) && !r->file.dw.dwarf_formudata(&attr, out);
}

struct path {
	char at[4096];
	size_t size;
};

/* Paths are compared: "./", "//" and "NAME/../" say nothing.  What is longer than a path can be is
 * cut. */
static void add_parts(struct path *to, const char *path)
{
	while (*path) {
		size_t part = strcspn(path, "/"), whole = part + (path[part] == '/'),
		       before = to->size;
		bool up = part == 2 && !memcmp(path, "..", 2),
		     nothing = !part || (part == 1 && *path == '.');
		const char *from = path;
		path += whole;
		if (nothing && (part || to->size))
			continue;
		if (up && before && !(before == 1 && *to->at == '/')) {
			for (before--; before && to->at[before - 1] != '/';)
				before--;
			if (memcmp(to->at + before, "../", 3) != 0) {
				to->size = before;
				continue;
			}
		}
		if (whole > sizeof(to->at) - to->size)
			whole = sizeof(to->at) - to->size;
		memcpy(to->at + to->size, from, whole);
		to->size += whole;
	}
}

/* folder: what the path is relative to; NULL: not known */
static bool intern_path(struct rows_reader *r, const char *folder, const char *path, uint32_t *out)
{
	struct path plain;

	plain.size = 0;
	if (folder && *path != '/') {
		add_parts(&plain, folder);
		if (plain.size && plain.size < sizeof(plain.at) && plain.at[plain.size - 1] != '/')
			plain.at[plain.size++] = '/';
	}
	add_parts(&plain, path);
	return strings_intern(r->paths, (struct text){plain.at, plain.size}, out);
}

/* What libdw says of a damaged table it also says of a sound one with wide discriminators. */
static void note_refused(struct rows_reader *r, const struct line_unit *unit)
{
	char why[200];

	snprintf(
		why, sizeof(why),
		"libdw: %s, or it has discriminators of more than 24 bits, as those of clang's -fpseudo-probe-for-profiling, which libdw does not read",
		r->file.dw.dwarf_errmsg(-1));
	note_bad(r, ".debug_line", unit->table, why);
}

static bool read_rows(struct rows_reader *r, Dwarf_Die *die, const struct line_unit *unit)
{
	struct line_rows *out = r->out;
	Dwarf_Lines *lines;
	size_t count, first = out->rows.len, gap_row = 0;
	uint64_t gap_start = 0;
	bool open_gap = false;

	if (r->file.dw.dwarf_getsrclines(die, &lines, &count)) {
		note_refused(r, unit);
		return true;
	}
	if (!line_row_vec_reserve(&out->rows, out->rows.len + count))
		return false;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = r->file.dw.dwarf_onesrcline(lines, i);
		struct line_row row = {0};
		Dwarf_Addr address = 0;
		Dwarf_Files *files;
		size_t file = 0;
		int number = 0, column = 0;
		unsigned discriminator = 0;
		bool statement = false, end = false;
		if (!line || r->file.dw.dwarf_lineaddr(line, &address) ||
		    r->file.dw.dwarf_lineendsequence(line, &end))
			continue;
		r->file.dw.dwarf_lineno(line, &number);
		r->file.dw.dwarf_linecol(line, &column);
		r->file.dw.dwarf_linebeginstatement(line, &statement);
		r->file.dw.dwarf_linediscriminator(line, &discriminator);
		row = (struct line_row){
			address,
			0,
			(uint32_t)number,
			discriminator,
			(uint16_t)column,
			(uint8_t)((statement ? LINE_STATEMENT : 0) | (end ? LINE_END : 0))};
		bool known =
			!r->file.dw.dwarf_line_file(line, &files, &file) && file < unit->file_count;
		if (known) {
			row.file = out->files.at[unit->first_file + file];
		} else {
			row.file = (uint32_t)file;
			row.flags |= LINE_BAD_FILE;
		}
		if (!line_row_vec_push(&out->rows, row))
			return false;
		if (!end && i + 1 < count)
			continue;
		struct line_span span = {out->rows.at[first].address, address, 0, first,
					 out->rows.len - first};
		if (!end)
			note_bad(r, ".debug_line", unit->table, "a sequence of rows has no end");
		const struct segment *segment =
			image_segment_at(r->image, (struct vaddr){span.start});
		if (segment && segment->executable && span.end > span.start) {
			if (open_gap && gap_start < span.start &&
			    !line_gap_vec_push(&out->gaps,
					       (struct line_gap){gap_start, span.start, gap_row}))
				return false;
			open_gap = span.count > 1;
			gap_start = span.end;
			gap_row = first + span.count - 2;
			if (!line_span_vec_push(&out->spans, span))
				return false;
		} else {
			out->rows.len = first; /* of code that a linker dropped */
		}
		first = out->rows.len;
	}
	return true;
}

static bool read_files(struct rows_reader *r, Dwarf_Die *die, struct line_unit *unit)
{
	const char *folder = string_of(r, die, DW_AT_comp_dir);
	Dwarf_Files *files;
	size_t count;

	unit->first_file = (uint32_t)r->out->files.len;
	if (r->file.dw.dwarf_getsrcfiles(die, &files, &count)) {
		note_refused(r, unit);
		return true;
	}
	for (size_t i = 0; i < count && i < UINT32_MAX; i++) {
		const char *path = r->file.dw.dwarf_filesrc(files, i, NULL, NULL);
		uint32_t number;
		if (!intern_path(r, folder, path ? path : "", &number) ||
		    !file_number_vec_push(&r->out->files, number))
			return false;
	}
	unit->file_count = (uint32_t)(r->out->files.len - unit->first_file);
	return true;
}

/* A unit's line table, unless a unit before has the same one. */
static bool read_table(struct rows_reader *r, Dwarf_Die *die, struct line_unit *unit,
		       const struct line_unit *same)
{
	const char *bad = NULL;

	if (same) {
		unit->first_file = same->first_file;
		unit->file_count = same->file_count;
		return true;
	}
	if (!spend_table(r, unit->table, &bad))
		return false;
	if (bad) {
		note_bad(r, ".debug_line", unit->table, bad);
		return true;
	}
	return read_files(r, die, unit) && (!unit->file_count || read_rows(r, die, unit));
}

/* ---- which files .debug_info names ---- */

static bool note_use(struct rows_reader *r, Dwarf_Die *die, bool call)
{
	struct line_use_vec *uses = &r->out->uses;
	Dwarf_Word file;

	if (!number_of(r, die, call ? DW_AT_call_file : DW_AT_decl_file, &file))
		return true;
	uint32_t number = file < UINT32_MAX ? (uint32_t)file : UINT32_MAX;
	uint64_t key = (uint64_t)r->out->units.len << 33 | (uint64_t)call << 32 | number;
	if (number_set_has(&r->uses, key))
		return true;
	uint64_t at = r->file.dw.dwarf_dieoffset(die);
	return number_set_add(&r->uses, key) &&
	       line_use_vec_push(
		       uses, (struct line_use){(uint32_t)r->out->units.len - 1, number, at, call});
}

static bool read_entries(struct rows_reader *r, Dwarf_Die unit)
{
	struct dwarf_walk walk;

	walk.at[0] = unit;
	walk.depth = 0;
	do {
		Dwarf_Die *die = &walk.at[walk.depth];
		if (!work_spend(r->image->work, WORK_ENTRIES, dwarf_walk_work(&r->file, &walk)) ||
		    !note_use(r, die, false) || !note_use(r, die, true))
			return false;
	} while (dwarf_walk_next(&r->file, &walk));
	return true;
}

struct unit_place {
	uint64_t table;
	uint32_t unit;
	uint64_t entry;
};
DEFINE_VEC(unit_place_vec, struct unit_place);

static bool place_less(const struct unit_place *a, const struct unit_place *b)
{
	return a->table != b->table ? a->table < b->table : a->unit < b->unit;
}
DEFINE_SORT(sort_units, struct unit_place, place_less)

static bool span_less(const struct line_span *a, const struct line_span *b)
{
	return a->start != b->start ? a->start < b->start : a->first < b->first;
}
DEFINE_SORT(sort_spans, struct line_span, span_less)

static bool gap_less(const struct line_gap *a, const struct line_gap *b)
{
	return a->start != b->start ? a->start < b->start : a->row < b->row;
}
DEFINE_SORT(sort_gaps, struct line_gap, gap_less)

static bool list_units(struct rows_reader *r, struct unit_place_vec *places)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	Dwarf_Die die;
	uint8_t type;
	int result;

	while (!(result = r->file.dw.dwarf_get_units(r->file.dwarf, cu, &cu, &version, &type, &die,
						     NULL))) {
		struct line_unit unit = {.at = r->file.dw.dwarf_dieoffset(&die),
					 .table = NO_LINE_TABLE};
		const char *name = string_of(r, &die, DW_AT_name);
		Dwarf_Word table;
		if (!die.addr)
			continue;
		if (number_of(r, &die, DW_AT_stmt_list, &table))
			unit.table = table;
		if (!intern_path(r, NULL, name ? name : "", &unit.name) ||
		    !line_unit_vec_push(&r->out->units, unit) ||
		    !unit_place_vec_push(
			    places, (struct unit_place){unit.table, (uint32_t)r->out->units.len - 1,
							unit.at}) ||
		    !read_entries(r, die))
			return false;
	}
	if (result < 0)
		note_bad(r, ".debug_info",
			 r->out->units.len ? r->out->units.at[r->out->units.len - 1].at : 0,
			 r->file.dw.dwarf_errmsg(-1));
	return true;
}

static bool read_tables(struct rows_reader *r, const struct unit_place_vec *places)
{
	const struct line_unit *same = NULL;

	for (size_t i = 0; i < places->len; i++) {
		const struct unit_place *place = &places->at[i];
		struct line_unit *unit = &r->out->units.at[place->unit];
		Dwarf_Die die;
		if (unit->table == NO_LINE_TABLE ||
		    !r->file.dw.dwarf_offdie(r->file.dwarf, place->entry, &die))
			continue;
		if (!read_table(r, &die, unit, same && same->table == unit->table ? same : NULL))
			return false;
		same = unit;
	}
	struct line_span_vec *spans = &r->out->spans;
	if (spans->len)
		sort_spans(spans->at, spans->len);
	if (r->out->gaps.len)
		sort_gaps(r->out->gaps.at, r->out->gaps.len);
	for (size_t i = 0; i < spans->len; i++)
		spans->at[i].reach = i && spans->at[i - 1].reach > spans->at[i].end ?
					     spans->at[i - 1].reach :
					     spans->at[i].end;
	return true;
}

bool line_rows_read(const struct image *image, struct strings *paths, struct line_rows *out,
		    struct bc_error *err)
{
	struct rows_reader r = {.image = image, .paths = paths, .out = out};
	struct unit_place_vec places = {0};

	*out = (struct line_rows){0};
	bool ok = dwarf_file_open(image, PURPOSE, false, &r.file, err);
	if (ok) {
		r.longest = longest_string(r.file.line_strings);
		ok = list_units(&r, &places);
		if (ok && places.len)
			sort_units(places.at, places.len);
		ok = (ok && read_tables(&r, &places)) || work_fail(image->work, err);
	}
	unit_place_vec_free(&places);
	number_set_free(&r.uses);
	dwarf_file_close(&r.file);
	if (!ok)
		line_rows_free(out);
	return ok;
}

#else

bool line_rows_read(const struct image *image, struct strings *paths, struct line_rows *out,
		    struct bc_error *err)
{
	struct dwarf_file file;

	(void)paths;
	*out = (struct line_rows){0};
	return dwarf_file_open(image, PURPOSE, false, &file, err);
}

#endif

struct named_unit {
	uint32_t name, unit;
};

static bool named_unit_less(const struct named_unit *a, const struct named_unit *b)
{
	return a->name != b->name ? a->name < b->name : a->unit < b->unit;
}
DEFINE_SORT(sort_named_units, struct named_unit, named_unit_less)

static bool all_in_place(const struct line_unit_vec *in, const struct line_unit_vec *out)
{
	for (size_t i = 0; i < in->len; i++)
		if (in->at[i].name != out->at[i].name)
			return false;
	return true;
}

/* To be freed; NULL: no memory. */
static struct named_unit *by_name(const struct line_unit_vec *units)
{
	struct named_unit *named = malloc(units->len * sizeof(*named));

	for (size_t i = 0; named && i < units->len; i++)
		named[i] = (struct named_unit){units->at[i].name, (uint32_t)i};
	if (named)
		sort_named_units(named, units->len);
	return named;
}

/* From two lists by name; false if the names differ. */
static bool join(const struct named_unit *in, const struct named_unit *out, size_t count,
		 struct unit_order *order)
{
	for (size_t i = 0; i < count; i++) {
		if (in[i].name != out[i].name)
			return false;
		order->output_of[in[i].unit] = out[i].unit;
		order->input_of[out[i].unit] = in[i].unit;
	}
	return true;
}

bool unit_order_find(const struct line_rows *in, const struct line_rows *out,
		     struct unit_order *order)
{
	size_t count = in->units.len;

	*order = (struct unit_order){.same_units = count == out->units.len &&
						   all_in_place(&in->units, &out->units)};
	if (order->same_units || count != out->units.len)
		return true;
	struct named_unit *ins = by_name(&in->units), *outs = by_name(&out->units);
	order->output_of = malloc(count * sizeof(*order->output_of));
	order->input_of = malloc(count * sizeof(*order->input_of));
	bool ok = ins && outs && order->output_of && order->input_of;
	if (ok)
		order->same_units = join(ins, outs, count, order);
	if (!order->same_units)
		unit_order_free(order);
	free(ins);
	free(outs);
	return ok;
}

void unit_order_free(struct unit_order *order)
{
	free(order->output_of);
	free(order->input_of);
	*order = (struct unit_order){0};
}
