/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/page_heat.h"

#include <math.h>

#include "src/base/counts.h"
#include "src/base/sort.h"
#include "src/elf/binary.h"
#include "src/figures/shown_code.h"

#define FOOTPRINT_HELD_PERCENT 99 /* of the executed code */

/* Bytes of the page for each part. */
#define ROOM_SECTIONS   ((size_t)30000)
#define ROOM_HEAT       ((size_t)150000)
#define REGIONS_SHOWN   400
#define ROOM_OTHER_HEAT ((size_t)60000)

/* ---- cells ---- */

DEFINE_VEC(letter_vec, char);

/* Bytes that become base64 as they come. */
struct base64 {
	struct letter_vec letters;
	uint32_t bits; /* that are no letter yet */
	unsigned count;
};

static bool put_byte(struct base64 *out, uint8_t byte)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	out->bits = out->bits << 8 | byte;
	out->count += 8;
	while (out->count >= 6) {
		out->count -= 6;
		if (!letter_vec_push(&out->letters, alphabet[out->bits >> out->count & 63]))
			return false;
	}
	return true;
}

static bool put_number(struct base64 *out, uint64_t value)
{
	while (value > 127) {
		if (!put_byte(out, (uint8_t)(value | 128)))
			return false;
		value >>= 7;
	}
	return put_byte(out, (uint8_t)value);
}

/* Ends the last letter, and fills its group of four. */
static bool put_end(struct base64 *out)
{
	unsigned missing = out->count ? 6 - out->count : 0;
	size_t letters = out->letters.len;

	if (missing && !put_byte(out, 0))
		return false;
	out->letters.len = letters + !!missing; /* one byte was more than the letter needs */
	while (out->letters.len % 4)
		if (!letter_vec_push(&out->letters, '='))
			return false;
	return true;
}

static bool put_run(struct base64 *out, const struct heat_run *run, uint64_t gap)
{
	bool many = run->count > 1;

	return put_number(out, gap << 1 | many) && (!many || put_number(out, run->count)) &&
	       put_number(out, run->hits);
}

/* Encodes cells until they are too many.  Returns false when out of memory. */
static bool encode(const struct heat *heat, size_t room, struct base64 *out, bool *fits)
{
	uint64_t at = heat->runs.len ? heat->runs.at[0].first : 0;

	*out = (struct base64){.letters = out->letters};
	out->letters.len = 0;
	for (size_t i = 0; i < heat->runs.len && out->letters.len + 4 <= room; i++) {
		const struct heat_run *run = &heat->runs.at[i];
		if (!put_run(out, run, run->first - at))
			return false;
		at = run->first + run->count;
	}
	*fits = out->letters.len + 4 <= room;
	return put_end(out);
}

static void write_object(struct json *json, const char *key, const struct heat *heat,
			 const struct letter_vec *letters)
{
	const struct heat_run *first = heat->runs.at,
			      *last = first + heat->runs.len - !!heat->runs.len;
	uint64_t most = 0;

	for (size_t i = 0; i < heat->runs.len; i++)
		most = heat->runs.at[i].hits > most ? heat->runs.at[i].hits : most;
	json_open(json, key, '{');
	json_number(json, "cell", heat->bucket);
	json_number(json, "wanted", CELL_WANTED);
	json_based(json, "begin", heat->runs.len ? first->first * heat->bucket : 0);
	json_based(json, "end",
		   heat->runs.len ? heat_product(last->first + last->count, heat->bucket) : 0);
	json_number(json, "cells", heat->buckets);
	json_number(json, "sum", heat->hits);
	json_number(json, "max", most);
	json_letters(json, "data", (struct text){letters->at, letters->len});
	json_close(json, '}');
}

bool cells_write(struct json *json, const char *key, const struct heat *heat, size_t room)
{
	BC_AUTO(heat_free) struct heat cells = {0};
	struct base64 text = {0};
	bool fits = false;

	bool ok = heat_zoom(heat, CELL_WANTED, &cells) && encode(&cells, room, &text, &fits);
	while (ok && !fits && cells.bucket < UINT64_MAX / 4) {
		struct heat finer = cells;
		ok = heat_zoom(&finer, 2 * finer.bucket, &cells) &&
		     encode(&cells, room, &text, &fits);
		heat_free(&finer);
	}
	if (ok)
		write_object(json, key, &cells, &text.letters);
	letter_vec_free(&text.letters);
	return ok;
}

/* ---- sections ---- */

static void write_section(struct json *json, const struct heat_section *section,
			  const struct heat_section *touched)
{
	json_open(json, NULL, '{');
	json_text(json, "name", section->name);
	json_based(json, "begin", section->begin);
	json_based(json, "end", section->end);
	json_number(json, "bytes_run", section->hits);
	if (touched)
		json_number(json, "touched", touched->touched);
	json_close(json, '}');
}

static bool write_all(struct json *json, const struct heat_sections *sections,
		      const struct heat_sections *touched, size_t room)
{
	struct page_part part = {.room = room, .base = json->base};
	bool ok = true, added = true;

	for (size_t i = 0; ok && added && i < sections->at.len; i++) {
		ok = part_begin(&part);
		if (ok) {
			write_section(&part.json, &sections->at.at[i],
				      touched ? &touched->at.at[i] : NULL);
			ok = part_end(&part, 0, json, &added);
		}
	}
	return ok;
}

static bool sections_write(struct json *json, const char *key, const struct heat *bytes,
			   const struct heat *cells, const struct function_table *functions,
			   size_t room)
{
	BC_AUTO(heat_sections_free) struct heat_sections sections = {0};
	BC_AUTO(heat_sections_free) struct heat_sections touched = {0};

	if (!heat_sections_take(bytes, functions, &sections) ||
	    (cells && !heat_sections_take(cells, functions, &touched)))
		return false;
	json_open(json, key, '[');
	bool ok = write_all(json, &sections, cells ? &touched : NULL, room);
	json_close(json, ']');
	return ok;
}

/* ---- regions ---- */

/* The kind of the code that a function begins with. */
static enum code_place place_of(const struct binary *binary, const struct function *function)
{
	return code_place_of(binary,
			     binary_place(binary, (struct vaddr){function->address}, function));
}

static void join(struct region_vec *regions, const struct code_region *region, size_t *kept)
{
	struct code_region *last = *kept ? &regions->at[*kept - 1] : NULL;

	if (last && last->place == region->place && region->begin >= last->begin)
		last->end = region->end > last->end ? region->end : last->end;
	else
		regions->at[(*kept)++] = *region;
}

/* Leaves out regions shorter than `size`. */
static void coarsen(struct region_vec *regions, uint64_t size)
{
	size_t kept = 0;

	for (size_t i = 0; i < regions->len; i++) {
		struct code_region region = regions->at[i];
		if (region.end - region.begin >= size)
			join(regions, &region, &kept);
	}
	regions->len = kept;
}

static bool starts_section(const struct function_table *table, size_t i)
{
	return !i || table->at[i].section != table->at[i - 1].section;
}

bool regions_take(const struct binary *binary, size_t most, struct region_vec *out)
{
	const struct function_table *table = &binary->functions;

	*out = (struct region_vec){0};
	for (size_t i = 0; i < table->count; i++) {
		const struct function *f = &table->at[i];
		struct code_region region = {f->address, f->address + f->size, place_of(binary, f)};
		struct code_region *last = out->len ? &out->at[out->len - 1] : NULL;
		if (region.end <= region.begin)
			continue;
		if (last && last->place == region.place && !starts_section(table, i))
			last->end = region.end;
		else if (!region_vec_push(out, region))
			return false;
	}
	for (uint64_t size = 64; out->len > most && size; size *= 2)
		coarsen(out, size);
	return true;
}

static void regions_write(struct json *json, const char *key, const struct region_vec *regions)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < regions->len; i++) {
		json_open(json, NULL, '[');
		json_based(json, NULL, regions->at[i].begin);
		json_based(json, NULL, regions->at[i].end);
		json_string(json, NULL, code_place_key(regions->at[i].place));
		json_close(json, ']');
	}
	json_close(json, ']');
}

/* ---- footprint ---- */

static const uint64_t units[] = {64, 4096, UINT64_C(2) << 20};

static bool write_one(struct json *json, const char *key, const struct heat *bytes, uint64_t unit)
{
	BC_AUTO(heat_free) struct heat larger = {0};
	BC_AUTO(heat_run_vec_free) struct heat_run_vec hottest = {0};

	if (!bytes) {
		json_null(json, key);
		return true;
	}
	if (!heat_zoom(bytes, unit, &larger) || !heat_hottest(&larger, &hottest))
		return false;
	json_open(json, key, '{');
	json_number(json, "all", larger.buckets);
	json_number(json, "held", heat_working_set(&larger, &hottest, FOOTPRINT_HELD_PERCENT));
	json_close(json, '}');
	return true;
}

bool footprint_write(struct json *json, const char *key, const struct heat *output,
		     const struct heat *input)
{
	bool ok = true;

	json_open(json, key, '[');
	for (size_t i = 0; ok && i < BC_COUNT(units); i++) {
		json_open(json, NULL, '{');
		json_number(json, "unit", units[i]);
		ok = write_one(json, "output", output, units[i]) &&
		     write_one(json, "input", input, units[i]);
		json_close(json, '}');
	}
	json_close(json, ']');
	return ok;
}

/* ---- curves ---- */

/* The points of a curve: numbers that grow by the same factor, from 1 to `all`. */
struct points {
	uint64_t all, next;
	double factor;
};

static struct points points_to(uint64_t all)
{
	return (struct points){all, 1, all > 1 ? exp(log((double)all) / (CURVE_POINTS - 2)) : 2};
}

static void step(struct points *points)
{
	double next = (double)points->next * points->factor;
	uint64_t grown = next < (double)points->all ? (uint64_t)next : points->all;

	if (points->next == points->all)
		points->next = UINT64_MAX;
	else
		points->next = grown > points->next ? grown : points->next + 1;
}

static void write_point(struct json *json, uint64_t count, double percent)
{
	json_open(json, NULL, '[');
	json_number(json, NULL, count);
	json_real(json, NULL, percent);
	json_close(json, ']');
}

/* runs: things of equal value, the most valuable ones first */
static void write_curve(struct json *json, const char *key, const struct heat_run_vec *runs,
			uint64_t unit)
{
	struct points points = {0};
	uint64_t all = 0, count = 0;
	double sum = 0, seen = 0;

	for (size_t i = 0; i < runs->len; i++) {
		all += runs->at[i].count;
		sum += (double)runs->at[i].count * (double)runs->at[i].hits;
	}
	points = points_to(all);
	json_open(json, key, '[');
	for (size_t i = 0; i < runs->len; i++) {
		const struct heat_run *run = &runs->at[i];
		for (; points.next <= all && points.next - count <= run->count; step(&points)) {
			double part = seen + (double)(points.next - count) * (double)run->hits;
			write_point(json, points.next * unit, sum > 0 ? 100 * part / sum : 0);
		}
		count += run->count;
		seen += (double)run->count * (double)run->hits;
	}
	json_close(json, ']');
}

static bool run_more(const struct heat_run *a, const struct heat_run *b)
{
	return a->hits > b->hits;
}
DEFINE_SORT(sort_runs, struct heat_run, run_more)

/* Functions as runs of one. */
static bool list_functions(const struct flat_profile *profile, struct heat_run_vec *out)
{
	for (size_t i = 1; i < profile->functions.len; i++)
		if (profile->functions.at[i].samples &&
		    !heat_run_vec_push(out,
				       (struct heat_run){i, 1, profile->functions.at[i].samples}))
			return false;
	sort_runs(out->at, out->len);
	return true;
}

bool curve_write(struct json *json, const char *key, const struct quality_sources *sources)
{
	BC_AUTO(heat_run_vec_free) struct heat_run_vec functions = {0};
	BC_AUTO(heat_run_vec_free) struct heat_run_vec bytes = {0};

	if (!list_functions(&sources->flat, &functions) || !heat_hottest(&sources->heat, &bytes))
		return false;
	json_open(json, key, '{');
	write_curve(json, "functions", &functions, 1);
	write_curve(json, "bytes", &bytes, HEAT_BUCKET);
	json_close(json, '}');
	return true;
}

/* ---- at the input's locations ---- */

/* Code of the optimized binary from an address on that the input has in one part, or not at all.
 */
struct straight {
	uint64_t size; /* at least 1 */
	bool known;
	uint64_t input; /* where it is there */
};

DEFINE_SEARCH(functions_up_to, struct function, uint64_t, item->address <= key)

/* How far it is to the next function. */
static uint64_t to_next(const struct function_table *table, uint64_t address)
{
	size_t next = functions_up_to(table->at, table->count, address);

	return next < table->count ? table->at[next].address - address : UINT64_MAX;
}

/* Code that lies where it lay.  Original bodies are of the input's functions, whatever the function
 * here is called. */
static void straight_old(const struct pair *pair, uint64_t address,
			 const struct output_place *place, struct straight *out)
{
	struct old_place old = pair_old_place(pair, address);
	const struct function *input = old.input ? old.input : pair_input_of(pair, place->function);

	out->known = input;
	if (input)
		out->input = input->address + (old.input ? old.offset : place->offset);
}

/* Code that BOLT moved, up to the next entry of the table. */
static void straight_moved(const struct pair *pair, const struct output_place *place,
			   struct straight *out)
{
	const struct binary *binary = pair->output;
	const struct bat_entry *entry = bat_entry_at(&binary->bat, place->fragment, place->offset);
	const struct bat_entry *end =
		binary->bat.entries + place->fragment->first_entry + place->fragment->entry_count;
	const struct bat_entry *next =
		entry ? entry + 1 : binary->bat.entries + place->fragment->first_entry;
	const struct function *owner = binary_owner(binary, *place);
	const struct function *input = owner ? pair_input_of(pair, owner) : NULL;

	if (next < end && next->output > place->offset && next->output - place->offset < out->size)
		out->size = next->output - place->offset;
	out->known = input;
	if (input)
		out->input = input->address +
			     (entry ? bat_entry_input(*entry) + (place->offset - entry->output) :
				      place->offset);
}

static struct straight straight_at(const struct pair *pair, uint64_t address,
				   const struct function **near)
{
	const struct function_table *table = &pair->output->functions;
	struct output_place place = binary_place(pair->output, (struct vaddr){address}, *near);
	struct straight out = {.size = to_next(table, address)};

	*near = place.function;
	if (!place.function)
		return out;
	uint64_t left = function_extent(table, place.function) - place.offset;
	out.size = left && left < out.size ? left : out.size;
	if (place.fragment)
		straight_moved(pair, &place, &out);
	else
		straight_old(pair, address, &place, &out);
	return out;
}

bool input_heat_take(const struct heat *heat, const struct pair *pair, struct heat *out,
		     uint64_t *lost)
{
	struct heat_edge_vec edges = {0};
	const struct function *near = NULL;
	bool ok = true;

	*lost = 0;
	for (size_t i = 0; ok && i < heat->runs.len; i++) {
		struct heat_run rest = heat->runs.at[i];
		while (ok && rest.count) {
			struct straight code = straight_at(pair, rest.first, &near);
			uint64_t size = code.size < rest.count ? code.size : rest.count;
			bool fits = code.known && code.input <= UINT64_MAX - size;
			if (fits)
				ok = heat_add(&edges, 1, code.input, code.input + size - 1,
					      rest.hits);
			else
				*lost = count_add_saturating(*lost, heat_product(size, rest.hits));
			rest.first += size;
			rest.count -= size;
		}
	}
	ok = ok && heat_of_edges(&edges, 1, out);
	heat_edge_vec_free(&edges);
	return ok;
}

/* ---- all of it ---- */

static bool write_regions(struct json *json, const struct binary *binary)
{
	struct region_vec regions;
	bool ok = regions_take(binary, REGIONS_SHOWN, &regions);

	if (ok)
		regions_write(json, "regions", &regions);
	region_vec_free(&regions);
	return ok;
}

static bool write_input_heat(struct json *json, const struct report_subject *subject)
{
	BC_AUTO(heat_free) struct heat input = {0};
	const struct pair *pair = subject_pair(subject);
	uint64_t lost = 0;

	if (pair)
		return input_heat_take(&subject->sources->bytes, pair, &input, &lost) &&
		       cells_write(json, "input", &input, ROOM_HEAT) &&
		       (json_number(json, "input_lost", lost),
			sections_write(json, "input_sections", &input, NULL, &pair->functions,
				       ROOM_SECTIONS)) &&
		       footprint_write(json, "footprint", &subject->sources->bytes, &input);
	json_null(json, "input");
	json_number(json, "input_lost", 0);
	json_null(json, "input_sections");
	return footprint_write(json, "footprint", &subject->sources->bytes, NULL);
}

static bool write_heat(struct json *json, const struct report_subject *subject)
{
	json_open(json, "heat", '{');
	bool ok = cells_write(json, "output", &subject->sources->bytes, ROOM_HEAT) &&
		  write_input_heat(json, subject);
	json_close(json, '}');
	return ok;
}

bool places_write(struct json *json, const struct report_subject *subject)
{
	const struct quality_sources *sources = subject->sources;
	const struct function_table *functions = &subject_binary(subject)->functions;

	return sections_write(json, "sections", &sources->bytes, &sources->heat, functions,
			      ROOM_SECTIONS) &&
	       write_regions(json, subject_binary(subject)) && write_heat(json, subject) &&
	       curve_write(json, "curve", sources);
}

/* ---- records of two profiles ---- */

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
	const uint32_t
		*numbers; /* in the binary, of the profile's functions; NULL: they have them */
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
	return p->numbers[number] == NO_NAME ?
		       NULL :
		       subject_function(p->subject, (struct name_number){p->numbers[number]});
}

/* Makes ready what leads from the function's offsets, or numbers of blocks, to locations. */
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
		if (!block_start_vec_push(&p->starts,
					  (struct moved_start){block->index, block->offset}))
			return false;
	}
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

static bool add_record(struct placing *p, const struct function *function,
		       const struct flat_record *record)
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

static bool write_record_heat(struct json *json, const char *key, struct placing p, size_t room)
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
			const struct code_parts *parts, const struct flat_profile *other,
			const struct same_names *same)
{
	const struct flat_profile *mine = &subject->sources->flat;

	if (other->by_block && !subject->sources->code.blocks) {
		json_null(json, key);
		return true;
	}
	json_open(json, key, '{');
	json_string(json, "at", subject_pair(subject) ? "input" : "output");
	bool ok = write_record_heat(
			  json, "this",
			  (struct placing){.subject = subject, .parts = parts, .profile = mine},
			  ROOM_OTHER_HEAT) &&
		  write_record_heat(json, "other",
				    (struct placing){.subject = subject,
						     .parts = parts,
						     .profile = other,
						     .numbers = same->binary},
				    ROOM_OTHER_HEAT);
	json_close(json, '}');
	return ok;
}
