/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/checks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/base/strings.h"
#include "src/verify/debug_entries.h"

/* For one kind and one function, or one unit outside of functions, that many findings are added,
 * the rest is counted. */
#define TOLD_MOST 3

DEFINE_SEARCH(places_before, struct entry_place, uint64_t, item->at < key)

/* An expression of a location list: its number, and where it holds. */
struct numbered_range {
	uint32_t expression;
	struct address_range range;
};
DEFINE_VEC(numbered_range_vec, struct numbered_range);

static bool numbered_less(const struct numbered_range *a, const struct numbered_range *b)
{
	return a->expression != b->expression ? a->expression < b->expression :
						a->range.start < b->range.start;
}
DEFINE_SORT(sort_numbered, struct numbered_range, numbered_less)

/* The first entries of the units that were compared. */
struct unit_pair {
	uint64_t in, out;
};
DEFINE_VEC(unit_pair_vec, struct unit_pair);

static bool unit_arange_less(const struct unit_arange *a, const struct unit_arange *b)
{
	return a->unit != b->unit ? a->unit < b->unit : a->start < b->start;
}
DEFINE_SORT(sort_unit_aranges, struct unit_arange, unit_arange_less)
DEFINE_SEARCH(unit_aranges_before, struct unit_arange, uint64_t, item->unit < key)

/* So many attributes that are looked at count as one that is read. */
#define LOOKED_AT 32

/* One of both binaries. */
struct side {
	struct debug_reader *reader;
	struct debug_unit unit;
	struct entry_place_vec places;
	struct debug_value_vec values;
	struct address_range_vec ranges;
	struct debug_locations locations;
	struct numbered_range_vec numbered;
};

struct scoping {
	const struct code_map *map;
	const struct scope_files *files;
	struct findings *findings;
	struct scopes_summary sum;
	struct side in, out;
	size_t entry;      /* number of the one that is compared */
	size_t paired;     /* how many of the unit are the same in both, from the first one on */
	size_t files_unit; /* number of the input's unit in the line tables */
	struct debug_unit_vec
		units_out; /* the output's, by that number: where their order is another one */
	struct strings expressions;
	struct unit_pair_vec units;
	/* What was reported of the unit outside of functions, and of the function. */
	struct told {
		unsigned told;
		uint64_t rest, bytes; /* that are only counted, and of how much code */
		struct finding_location location;
	} of_unit[FINDING_KIND_COUNT], of_function[FINDING_KIND_COUNT];
	uint16_t depth; /* of the function's entry; 0: of none */
};

/* ---- findings ---- */

static void close_told(struct scoping *s, struct told *told, const char *of)
{
	for (int kind = 0; kind < FINDING_KIND_COUNT; kind++) {
		char bytes[40] = "";
		if (told[kind].bytes)
			snprintf(bytes, sizeof(bytes), "; %" PRIu64 " bytes", told[kind].bytes);
		if (told[kind].rest)
			findings_add(s->findings, (enum finding_kind)kind, told[kind].location,
				     "and %" PRIu64 " more of this %s%s", told[kind].rest, of,
				     bytes);
		told[kind] = (struct told){0};
	}
}

static void close_function(struct scoping *s)
{
	if (s->depth)
		close_told(s, s->of_function, "function");
	s->depth = 0;
}

/* The entry that is compared: what it is, its name, and its byte in the output. */
static void entry_text(struct scoping *s, char *out, size_t size)
{
	const struct entry_place *place = &s->out.places.at[s->entry];
	unsigned tag;
	const char *name = debug_entry_name(s->out.reader, s->out.unit.of_types, place->at, &tag),
		   *plain = tag_name(place->tag);
	char number[24];

	if (!plain)
		snprintf(number, sizeof(number), "tag 0x%x", (unsigned)place->tag);
	size_t skip = name && place->tag == TAG_COMPILE_UNIT && strlen(name) > 30 ?
			      strlen(name) - 30 :
			      0; /* the end of a path is what distinguishes files */
	snprintf(out, size, "%s%s%.30s, %s byte %" PRIu64, plain ? plain : number, name ? " " : "",
		 name ? name + skip : "", s->out.unit.of_types ? ".debug_types" : ".debug_info",
		 place->at);
}

/* address, input: NO_OFFSET if not known; bytes: of code, 0 if it is not of some */
BC_PRINTF(6, 7)
static void tell(struct scoping *s, enum finding_kind kind, uint64_t address, uint64_t input,
		 uint64_t bytes, const char *fmt, ...)
{
	struct finding_location location = NO_LOCATION;
	struct told *told = s->depth ? &s->of_function[kind] : &s->of_unit[kind];
	char entry[100], text[160];
	va_list args;

	location.address = address;
	location.function = address == NO_OFFSET && input == NO_OFFSET ?
				    NULL :
				    code_map_owner(s->map, address, input);
	if (told->told >= TOLD_MOST) {
		if (!told->rest++)
			told->location = location;
		told->bytes += bytes;
		return;
	}
	told->told++;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	entry_text(s, entry, sizeof(entry));
	findings_add(s->findings, kind, location, "%s: %s", entry, text);
}

static const char *attribute_text(unsigned name, char *buffer, size_t size)
{
	const char *known = attribute_name(name);

	if (known)
		return known;
	snprintf(buffer, size, "attribute 0x%x", name);
	return buffer;
}

static const struct debug_value *find_value(const struct debug_value_vec *values, unsigned name)
{
	for (size_t i = 0; i < values->len; i++)
		if (values->at[i].name == name)
			return &values->at[i];
	return NULL;
}

/* ---- ranges ---- */

/* Does the input have code there?  For what a linker leaves out, addresses begin at 0. */
static bool covers_known_code(const struct scoping *s)
{
	bool known = !s->in.ranges.len;

	for (size_t i = 0; !known && i < s->in.ranges.len; i++)
		known = code_map_fate(s->map, s->in.ranges.at[i].start) != FATE_UNKNOWN;
	return known;
}

/* Reports ranges that differ.  Returns whether they do. */
static bool tell_ranges(struct scoping *s, const struct ranges_compared *r)
{
	bool differ = true;

	if (r->wrong.bytes)
		tell(s, FINDING_SCOPE_WRONG, r->wrong.output, r->wrong.input, r->wrong.bytes,
		     "input 0x%" PRIx64 ": not in it, output: in it; %" PRIu64 " bytes",
		     r->wrong.input, r->wrong.bytes);
	else if (r->nothing.bytes && covers_known_code(s))
		tell(s, FINDING_SCOPE_WRONG, r->nothing.output, NO_OFFSET, r->nothing.bytes,
		     "the output has it cover %" PRIu64 " bytes from 0x%" PRIx64
		     " on, where there is no code",
		     r->nothing.bytes, r->nothing.output);
	else if (r->lost.bytes)
		tell(s, FINDING_SCOPE_LOST, r->lost.output, r->lost.input, r->lost.bytes,
		     "input 0x%" PRIx64 ": in it, output: not in it; %" PRIu64 " bytes",
		     r->lost.input, r->lost.bytes);
	else if (r->old.bytes && !r->folded)
		tell(s, FINDING_SCOPE_WRONG, r->old.output, r->old.input, r->old.bytes,
		     "the output has it cover %" PRIu64 " bytes from 0x%" PRIx64
		     " on, the original body, where nothing runs",
		     r->old.bytes, r->old.output);
	else
		differ = false;
	return differ;
}

static bool compare_ranges(struct scoping *s)
{
	bool bad_in, bad_out;
	struct ranges_compared r;
	uint64_t empty_in = 0, empty_out = 0, empty_at = 0;

	if (!debug_ranges(s->in.reader, &s->in.unit, s->in.places.at[s->entry].at, &s->in.ranges,
			  &bad_in) ||
	    !debug_ranges(s->out.reader, &s->out.unit, s->out.places.at[s->entry].at,
			  &s->out.ranges, &bad_out))
		return false;
	if (bad_in)
		return true;
	for (size_t i = 0; i < s->in.ranges.len; i++)
		empty_in += s->in.ranges.at[i].start == s->in.ranges.at[i].end;
	s->sum.scopes += empty_in < s->in.ranges.len;
	if (bad_out) {
		s->sum.scopes_different++;
		tell(s, FINDING_DWARF_DAMAGED, NO_OFFSET, NO_OFFSET, 0,
		     "libdw cannot read which code it covers");
		return true;
	}
	for (size_t i = 0; i < s->out.ranges.len; i++)
		if (s->out.ranges.at[i].start == s->out.ranges.at[i].end && !empty_out++)
			empty_at = s->out.ranges.at[i].start;
	ranges_normalize(&s->in.ranges);
	ranges_normalize(&s->out.ranges);
	if (!code_map_compare(s->map, &s->in.ranges, &s->out.ranges, &r))
		return false;
	if (tell_ranges(s, &r)) {
		s->sum.scopes_different++;
	} else if (empty_out > empty_in && r.tied) {
		s->sum.scopes_different++;
		tell(s, FINDING_SCOPE_LOST, NO_OFFSET, s->in.ranges.at[0].start, 0,
		     "the output has %" PRIu64
		     " empty range%s that the input has not, the first at 0x%" PRIx64,
		     empty_out - empty_in, plural(empty_out - empty_in), empty_at);
	} else if (r.folded) {
		s->sum.scopes_folded++;
	} else if (s->in.ranges.len) {
		s->sum.scopes_equal += r.tied != 0;
		s->sum.scopes_gone += !r.tied;
	}
	return true;
}

/* ---- addresses ---- */

/* For two jumps at the end of a block llvm-bolt turns the condition round, so that either can be
 * the other's. */
#define TAIL_CALLS_APART 16

static bool is_tail_call(const struct scoping *s)
{
	return find_value(&s->in.values, ATTRIBUTE_CALL_TAIL_CALL) ||
	       find_value(&s->in.values, ATTRIBUTE_GNU_TAIL_CALL);
}

static void compare_address(struct scoping *s, unsigned name, uint64_t in, uint64_t out,
			    bool behind)
{
	uint64_t expected = 0;
	bool known;
	char buffer[24];

	s->sum.addresses++;
	if (code_map_leads(s->map, in, behind, out, &expected, &known)) {
		s->sum.addresses_equal++;
		return;
	}
	if (code_map_folded(s->map, in - behind)) {
		s->sum.addresses_folded++;
		return;
	}
	if (!known ||
	    (is_tail_call(s) && out - expected + TAIL_CALLS_APART <= 2 * TAIL_CALLS_APART)) {
		s->sum.addresses_gone++;
		return;
	}
	s->sum.addresses_wrong++;
	tell(s, FINDING_SCOPE_ADDRESS, expected, in, 0,
	     "%s, input: 0x%" PRIx64 ", output: 0x%" PRIx64 "%s",
	     attribute_text(name, buffer, sizeof(buffer)), in, out,
	     out == in ? ", as in the input" : "");
}

/* ---- expressions ---- */

/* What an entry of the input that an expression names is in the output: 0 if it is none of this
 * unit.  An entry of the output represents itself. */
static uint64_t entry_of(const struct scoping *s, const struct side *side, uint64_t at)
{
	size_t i = places_before(side->places.at, s->paired, at);

	return i < s->paired && side->places.at[i].at == at ? s->out.places.at[i].at : 0;
}

static uint64_t operand_of(const struct scoping *s, const struct side *side,
			   const struct debug_operation *operation, int i)
{
	uint64_t number = operation->numbers[i], expected;
	bool known = false;

	switch ((enum operand_kind)operation->kinds[i]) {
	case OPERAND_NUMBER: return number;
	case OPERAND_ADDRESS:
		if (side == &s->in)
			(void)code_map_leads(s->map, number, false, UINT64_MAX, &expected, &known);
		return known ? expected : number;
	case OPERAND_ENTRY: return entry_of(s, side, number);
	}
	return number;
}

struct text_buffer {
	char at[4096];
	size_t size;
};

static void put(struct text_buffer *to, const void *from, size_t size)
{
	if (size > sizeof(to->at) - to->size)
		size = sizeof(to->at) - to->size;
	if (size)
		memcpy(to->at + to->size, from, size);
	to->size += size;
}

/* The number of an expression, in terms of the output.  For one that is very long the beginning. */
static bool number_expression(struct scoping *s, const struct side *side,
			      const struct debug_location *location, uint32_t *out)
{
	struct text_buffer text;

	text.size = 0;
	for (size_t i = 0; i < location->count && text.size < sizeof(text.at); i++) {
		const struct debug_operation *operation =
			&side->locations.operations.at[location->first + i];
		uint64_t numbers[2] = {operand_of(s, side, operation, 0),
				       operand_of(s, side, operation, 1)};
		put(&text, &operation->code, 1);
		put(&text, operation->kinds, sizeof(operation->kinds));
		put(&text, numbers, sizeof(numbers));
		put(&text, &operation->bytes.size, sizeof(operation->bytes.size));
		put(&text, operation->bytes.data, operation->bytes.size);
	}
	return strings_intern(&s->expressions, (struct text){text.at, text.size}, out);
}

/* One operation of the text of a numbered expression. */
struct numbered_operation {
	uint8_t code, kinds[2];
	uint64_t numbers[2];
	struct text bytes;
};

/* Takes one from the text.  False: there is none. */
static bool take_operation(struct text *text, struct numbered_operation *out)
{
	uint64_t size;
	const size_t head = 3 + sizeof(out->numbers) + sizeof(size);

	if (text->len < head)
		return false;
	out->code = (uint8_t)text->at[0];
	memcpy(out->kinds, text->at + 1, sizeof(out->kinds));
	memcpy(out->numbers, text->at + 3, sizeof(out->numbers));
	memcpy(&size, text->at + 3 + sizeof(out->numbers), sizeof(size));
	size = size < text->len - head ? size : text->len - head;
	out->bytes = (struct text){text->at + head, (size_t)size};
	text->at += head + size;
	text->len -= head + (size_t)size;
	return true;
}

static void operand_text(uint8_t kind, uint64_t number, char *out, size_t size)
{
	if (kind == OPERAND_ENTRY && !number)
		snprintf(out, size, "no entry of this unit");
	else if (kind == OPERAND_ENTRY)
		snprintf(out, size, "entry %" PRIu64, number);
	else if (kind == OPERAND_ADDRESS)
		snprintf(out, size, "0x%" PRIx64, number);
	else
		snprintf(out, size, "%" PRId64, (int64_t)number);
}

/* The operations of an expression, for people, from where it differs from another one on. */
static void expression_text(const struct scoping *s, uint32_t number, uint32_t other, char *out,
			    size_t size)
{
	struct text text = strings_at(&s->expressions, number),
		    beside = strings_at(&s->expressions, other), before = text;
	struct numbered_operation operation, same;
	size_t used = 0;
	bool cut = false;

	while (take_operation(&text, &operation) && take_operation(&beside, &same) &&
	       operation.code == same.code &&
	       !memcmp(operation.numbers, same.numbers, sizeof(same.numbers)) &&
	       operation.bytes.len == same.bytes.len &&
	       !memcmp(operation.bytes.at, same.bytes.at, same.bytes.len)) {
		before = text;
		cut = true;
	}
	snprintf(out, size, cut ? "..." : "nothing");
	used = cut ? 3 : 0;
	while (take_operation(&before, &operation) && used + 1 < size) {
		char name[40], operands[2][28];
		operation_text(operation.code, name, sizeof(name));
		operand_text(operation.kinds[0], operation.numbers[0], operands[0],
			     sizeof(operands[0]));
		operand_text(operation.kinds[1], operation.numbers[1], operands[1],
			     sizeof(operands[1]));
		bool first = operation.numbers[0] || operation.kinds[0] || operation.numbers[1] ||
			     operation.kinds[1],
		     second = operation.numbers[1] || operation.kinds[1];
		int wrote =
			snprintf(out + used, size - used, "%s%s%s%s%s%s%s", used ? " " : "", name,
				 first ? "(" : "", first ? operands[0] : "", second ? ", " : "",
				 second ? operands[1] : "", first ? ")" : "");
		used += wrote > 0 ? (size_t)wrote : 0;
	}
	if (used + 1 >= size)
		memcpy(out + size - 4, "...", 4);
}

static bool number_locations(struct scoping *s, struct side *side)
{
	side->numbered.len = 0;
	for (size_t i = 0; i < side->locations.at.len; i++) {
		const struct debug_location *location = &side->locations.at.at[i];
		if (!location->count) /* an empty expression is no location */
			continue;
		struct numbered_range range = {0, {location->start, location->end}};
		if (!number_expression(s, side, location, &range.expression) ||
		    !numbered_range_vec_push(&side->numbered, range))
			return false;
	}
	if (side->numbered.len)
		sort_numbered(side->numbered.at, side->numbered.len);
	return true;
}

/* Moves the ranges of one expression from a list to side->ranges. */
static bool take_ranges(struct side *side, size_t *at, uint32_t expression)
{
	side->ranges.len = 0;
	for (; *at < side->numbered.len && side->numbered.at[*at].expression == expression; (*at)++)
		if (!address_range_vec_push(&side->ranges, side->numbered.at[*at].range))
			return false;
	ranges_normalize(&side->ranges);
	return true;
}

/* An expression that holds at an address; 0: none.  For what is reported of a difference. */
static uint32_t expression_at(const struct side *side, uint64_t address)
{
	for (size_t i = 0; i < side->numbered.len; i++)
		if (address - side->numbered.at[i].range.start <
		    side->numbered.at[i].range.end - side->numbered.at[i].range.start)
			return side->numbered.at[i].expression;
	return 0;
}

static void tell_location(struct scoping *s, enum finding_kind kind, unsigned name,
			  const struct code_part *part)
{
	uint32_t in = expression_at(&s->in, part->input),
		 out = expression_at(&s->out, part->output);
	char texts[2][48], buffer[24];

	expression_text(s, in, out, texts[0], sizeof(texts[0]));
	expression_text(s, out, in, texts[1], sizeof(texts[1]));
	tell(s, kind, part->output, part->input, part->bytes,
	     "%s, input 0x%" PRIx64 ": %s, output: %s; %" PRIu64 " bytes",
	     attribute_text(name, buffer, sizeof(buffer)), part->input, texts[0], texts[1],
	     part->bytes);
}

static void join_parts(struct code_part *to, const struct code_part *part)
{
	if (!to->bytes)
		*to = *part;
	else
		to->bytes += part->bytes;
}

static bool compare_lists(struct scoping *s, unsigned name)
{
	struct ranges_compared r, all = {0};
	size_t in = 0, out = 0;

	if (!number_locations(s, &s->in) || !number_locations(s, &s->out))
		return false;
	while (in < s->in.numbered.len || out < s->out.numbered.len) {
		uint32_t next =
			in < s->in.numbered.len ? s->in.numbered.at[in].expression : UINT32_MAX;
		if (out < s->out.numbered.len && s->out.numbered.at[out].expression < next)
			next = s->out.numbered.at[out].expression;
		if (!take_ranges(&s->in, &in, next) || !take_ranges(&s->out, &out, next) ||
		    !code_map_compare(s->map, &s->in.ranges, &s->out.ranges, &r))
			return false;
		all.tied += r.tied;
		all.folded |= r.folded;
		join_parts(&all.wrong, &r.wrong);
		join_parts(&all.lost, &r.lost);
		join_parts(&all.nothing, &r.nothing);
	}
	s->sum.lists++;
	if (all.wrong.bytes) {
		s->sum.lists_wrong++;
		tell_location(s, FINDING_LOCATION_WRONG, name, &all.wrong);
	} else if (all.nothing.bytes) {
		s->sum.lists_wrong++;
		tell(s, FINDING_LOCATION_WRONG, all.nothing.output, NO_OFFSET, all.nothing.bytes,
		     "the output has %" PRIu64 " bytes from 0x%" PRIx64
		     " on in its list, where there is no code",
		     all.nothing.bytes, all.nothing.output);
	} else if (all.lost.bytes) {
		s->sum.lists_lost++;
		tell_location(s, FINDING_LOCATION_LOST, name, &all.lost);
	} else if (all.folded || !all.tied) {
		s->sum.lists_gone++;
	} else {
		s->sum.lists_equal++;
	}
	return true;
}

/* *same: they are, or the input's cannot be read. */
static bool compare_expressions(struct scoping *s, const struct debug_value *in,
				const struct debug_value *out, bool *same)
{
	bool bad_in, bad_out;
	uint32_t numbers[2];
	char texts[2][60], buffer[24];

	if (!debug_locations(s->in.reader, in, &s->in.locations, &bad_in) ||
	    !debug_locations(s->out.reader, out, &s->out.locations, &bad_out))
		return false;
	*same = bad_in;
	if (bad_in)
		return true;
	if (bad_out) {
		tell(s, FINDING_LOCATION_WRONG, NO_OFFSET, NO_OFFSET, 0,
		     "libdw cannot read its %s, and that of the input",
		     attribute_text(in->name, buffer, sizeof(buffer)));
		return true;
	}
	if (in->kind == VALUE_LOCATIONS) {
		*same = true; /* it has counts of its own */
		return compare_lists(s, in->name);
	}
	if (!number_expression(s, &s->in, &s->in.locations.at.at[0], &numbers[0]) ||
	    !number_expression(s, &s->out, &s->out.locations.at.at[0], &numbers[1]))
		return false;
	*same = numbers[0] == numbers[1];
	if (*same)
		return true;
	expression_text(s, numbers[0], numbers[1], texts[0], sizeof(texts[0]));
	expression_text(s, numbers[1], numbers[0], texts[1], sizeof(texts[1]));
	tell(s, FINDING_LOCATION_WRONG, NO_OFFSET, NO_OFFSET, 0, "%s, input: %s, output: %s",
	     attribute_text(in->name, buffer, sizeof(buffer)), texts[0], texts[1]);
	return true;
}

/* ---- attributes ---- */

/* Where an entry covers code, these are compared together. */
static bool is_of_ranges(unsigned name)
{
	return name == ATTRIBUTE_LOW_PC || name == ATTRIBUTE_HIGH_PC || name == ATTRIBUTE_RANGES;
}

static bool covers_code(const struct debug_value_vec *values)
{
	return find_value(values, ATTRIBUTE_HIGH_PC) || find_value(values, ATTRIBUTE_RANGES);
}

/* The address that DW_AT_entry_pc leads to if it is a number: from where the entry begins on. */
static bool entry_address(struct side *side, const struct debug_value *value, size_t entry,
			  uint64_t *out, bool *known)
{
	const struct debug_value *low = find_value(&side->values, ATTRIBUTE_LOW_PC);
	bool bad = false;

	*known = true;
	*out = value->number;
	if (value->kind == VALUE_ADDRESS)
		return true;
	*known = value->kind == VALUE_NUMBER;
	if (low && low->kind == VALUE_ADDRESS) {
		*out += low->number;
		return true;
	}
	if (!debug_ranges(side->reader, &side->unit, side->places.at[entry].at, &side->ranges,
			  &bad))
		return false;
	*known &= !bad && side->ranges.len;
	*out += side->ranges.len ? side->ranges.at[0].start : 0;
	return true;
}

/* The same entry?  For another unit: its tag and name. */
static bool same_target(struct scoping *s, const struct debug_value *in,
			const struct debug_value *out)
{
	size_t i = places_before(s->in.places.at, s->paired, in->number);
	unsigned tags[2];

	if (in->of_types == s->in.unit.of_types && i < s->paired &&
	    s->in.places.at[i].at == in->number)
		return out->of_types == s->out.unit.of_types &&
		       out->number == s->out.places.at[i].at;
	const char *names[] = {
		debug_entry_name(s->in.reader, in->of_types, in->number, &tags[0]),
		debug_entry_name(s->out.reader, out->of_types, out->number, &tags[1])};
	return tags[0] == tags[1] && !names[0] == !names[1] &&
	       (!names[0] || !strcmp(names[0], names[1]));
}

static uint32_t path_of(const struct line_rows *rows, size_t unit, uint64_t file)
{
	const struct line_unit *u = unit < rows->units.len ? &rows->units.at[unit] : NULL;

	return u && file < u->file_count ? rows->files.at[u->first_file + file] : UINT32_MAX;
}

static bool same_file(const struct scoping *s, uint64_t in, uint64_t out)
{
	const uint32_t paths[] = {path_of(s->files->in, s->files_unit, in),
				  path_of(s->files->out,
					  unit_of_output(s->files->order, (uint32_t)s->files_unit),
					  out)};

	return in == out || (paths[0] == paths[1] && paths[0] != UINT32_MAX);
}

static void value_text(const struct debug_value *value, char *out, size_t size)
{
	switch (value->kind) {
	case VALUE_NUMBER: snprintf(out, size, "%" PRIu64, value->number); return;
	case VALUE_ENTRY: snprintf(out, size, "the entry at byte %" PRIu64, value->number); return;
	case VALUE_ADDRESS: snprintf(out, size, "0x%" PRIx64, value->number); return;
	case VALUE_TEXT:
		snprintf(out, size, "\"%.*s\"",
			 (int)(value->bytes.size < 30 ? value->bytes.size : 30),
			 (const char *)value->bytes.data);
		return;
	case VALUE_BYTES: snprintf(out, size, "%zu bytes", value->bytes.size); return;
	case VALUE_EXPRESSION: snprintf(out, size, "an expression"); return;
	case VALUE_LOCATIONS: snprintf(out, size, "a location list"); return;
	case VALUE_RANGES: snprintf(out, size, "a list of ranges"); return;
	case VALUE_OFFSET: snprintf(out, size, "an offset"); return;
	case VALUE_BAD: snprintf(out, size, "what libdw cannot read"); return;
	}
}

static bool same_bytes(struct bytes a, struct bytes b)
{
	return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

/* An attribute that both have.  *same: nothing was reported of it. */
static bool compare_value(struct scoping *s, const struct debug_value *in,
			  const struct debug_value *out, bool *same)
{
	uint16_t tag = s->in.places.at[s->entry].tag;
	char texts[2][60], buffer[24];

	*same = true;
	if (in->kind == VALUE_BAD || in->kind == VALUE_OFFSET)
		return true;
	if (in->name == ATTRIBUTE_ENTRY_PC) {
		uint64_t addresses[2];
		bool known[2];
		if (!entry_address(&s->in, in, s->entry, &addresses[0], &known[0]) ||
		    !entry_address(&s->out, out, s->entry, &addresses[1], &known[1]))
			return false;
		if (known[0] && known[1])
			compare_address(s, in->name, addresses[0], addresses[1], false);
		return true;
	}
	if (in->kind == out->kind) {
		switch (in->kind) {
		case VALUE_NUMBER:
			*same = in->number == out->number ||
				((in->name == ATTRIBUTE_DECL_FILE ||
				  in->name == ATTRIBUTE_CALL_FILE) &&
				 same_file(s, in->number, out->number));
			break;
		case VALUE_TEXT:
		case VALUE_BYTES: *same = same_bytes(in->bytes, out->bytes); break;
		case VALUE_ENTRY: *same = same_target(s, in, out); break;
		case VALUE_ADDRESS:
			compare_address(
				s, in->name, in->number, out->number,
				in->name == ATTRIBUTE_CALL_RETURN_PC ||
					(in->name == ATTRIBUTE_LOW_PC && tag == TAG_GNU_CALL_SITE));
			return true;
		case VALUE_EXPRESSION:
		case VALUE_LOCATIONS: return compare_expressions(s, in, out, same);
		case VALUE_RANGES:
		case VALUE_OFFSET:
		case VALUE_BAD: return true;
		}
	} else {
		*same = false;
	}
	if (*same)
		return true;
	value_text(in, texts[0], sizeof(texts[0]));
	value_text(out, texts[1], sizeof(texts[1]));
	tell(s, FINDING_ENTRY_WRONG, NO_OFFSET, NO_OFFSET, 0, "%s, input: %s, output: %s",
	     attribute_text(in->name, buffer, sizeof(buffer)), texts[0], texts[1]);
	return true;
}

/* Attributes that llvm-bolt adds or takes out as it needs them: of units where tables begin, and
 * names of files. */
static bool may_differ(unsigned name, bool of_unit)
{
	switch (name) {
	case ATTRIBUTE_SIBLING:
	case ATTRIBUTE_ENTRY_PC:
	case ATTRIBUTE_GNU_LOCVIEWS: return true;
	case ATTRIBUTE_STMT_LIST:
	case ATTRIBUTE_STR_OFFSETS_BASE:
	case ATTRIBUTE_ADDR_BASE:
	case ATTRIBUTE_RNGLISTS_BASE:
	case ATTRIBUTE_LOCLISTS_BASE:
	case ATTRIBUTE_DWO_NAME:
	case ATTRIBUTE_GNU_DWO_NAME:
	case ATTRIBUTE_GNU_RANGES_BASE:
	case ATTRIBUTE_GNU_ADDR_BASE: return of_unit;
	default: return false;
	}
}

static bool compare_entry(struct scoping *s)
{
	uint64_t at[] = {s->in.places.at[s->entry].at, s->out.places.at[s->entry].at};
	bool different = false;
	char buffer[24];

	if (!debug_values(s->in.reader, &s->in.unit, at[0], &s->in.values) ||
	    !debug_values(s->out.reader, &s->out.unit, at[1], &s->out.values))
		return false;
	s->sum.entries++;
	const struct debug_value_vec *ins = &s->in.values, *outs = &s->out.values;
	/* Each is looked for among the others. */
	if (!work_spend(s->map->subject->image.work, WORK_SCOPES,
			(uint64_t)outs->len * (ins->len + outs->len) / LOOKED_AT))
		return false;
	bool unit = !s->in.places.at[s->entry].depth;
	s->sum.units_split += unit && (find_value(ins, ATTRIBUTE_DWO_NAME) ||
				       find_value(ins, ATTRIBUTE_GNU_DWO_NAME));
	bool covers =
		covers_code(ins) || covers_code(outs) ||
		(unit && (find_value(ins, ATTRIBUTE_LOW_PC) || find_value(outs, ATTRIBUTE_LOW_PC)));
	if (covers && !compare_ranges(s))
		return false;
	for (size_t i = 0; i < ins->len; i++) {
		const struct debug_value *in = &ins->at[i], *out = find_value(outs, in->name);
		bool same;
		if (covers && is_of_ranges(in->name))
			continue;
		if (!out) {
			different |= !may_differ(in->name, unit);
			if (!may_differ(in->name, unit))
				tell(s, FINDING_ENTRY_WRONG, NO_OFFSET, NO_OFFSET, 0,
				     "the output has no %s, and the input has it",
				     attribute_text(in->name, buffer, sizeof(buffer)));
			continue;
		}
		if (in->name == ATTRIBUTE_DWO_NAME || in->name == ATTRIBUTE_GNU_DWO_NAME)
			continue;
		if (!compare_value(s, in, out, &same))
			return false;
		different |= !same;
	}
	for (size_t i = 0; i < outs->len; i++) {
		const struct debug_value *out = &outs->at[i];
		if (find_value(outs, out->name) != out) {
			different = true;
			tell(s, FINDING_ENTRY_WRONG, NO_OFFSET, NO_OFFSET, 0,
			     "the output has %s twice",
			     attribute_text(out->name, buffer, sizeof(buffer)));
			continue;
		}
		if ((covers && is_of_ranges(out->name)) || may_differ(out->name, unit) ||
		    find_value(ins, out->name))
			continue;
		different = true;
		tell(s, FINDING_ENTRY_WRONG, NO_OFFSET, NO_OFFSET, 0,
		     "the output has %s, and the input has it not",
		     out->name ? attribute_text(out->name, buffer, sizeof(buffer)) :
				 "attributes that libdw cannot read");
	}
	s->sum.entries_different += different;
	return true;
}

/* ---- units ---- */

/* How many entries from the first one on are the same in both, by their tags and depths. */
static size_t count_paired(const struct scoping *s)
{
	const struct entry_place_vec *in = &s->in.places, *out = &s->out.places;
	size_t i = 0;

	while (i < in->len && i < out->len && in->at[i].tag == out->at[i].tag &&
	       in->at[i].depth == out->at[i].depth)
		i++;
	return i;
}

/* Errors as of compare_units(). */
static bool compare_unit(struct scoping *s, bool *of_input, struct bc_error *err)
{
	if (!debug_list_entries(s->in.reader, &s->in.unit, &s->in.places) ||
	    !debug_list_entries(s->out.reader, &s->out.unit, &s->out.places))
		return false;
	for (size_t i = 0; i < s->in.places.len; i++) {
		*of_input = !s->in.places.at[i].tag;
		if (*of_input)
			return bc_fail(err, BC_FORMAT,
				       "%s, byte %" PRIu64 ": libdw cannot read the entry there",
				       s->in.unit.of_types ? ".debug_types" : ".debug_info",
				       s->in.places.at[i].at);
	}
	size_t paired = s->paired = count_paired(s);
	if (!unit_pair_vec_push(&s->units, (struct unit_pair){s->in.unit.at, s->out.unit.at}))
		return false;
	for (s->entry = 0; s->entry < paired; s->entry++) {
		const struct entry_place *place = &s->in.places.at[s->entry];
		if (place->depth <= s->depth)
			close_function(s);
		if (place->tag == TAG_SUBPROGRAM && !s->depth)
			s->depth = place->depth;
		if (!compare_entry(s))
			return false;
	}
	close_function(s);
	close_told(s, s->of_unit, "unit");
	if (paired < s->in.places.len || paired < s->out.places.len) {
		s->sum.entries_alone += s->in.places.len - paired;
		findings_add(
			s->findings, FINDING_DWARF_DAMAGED, NO_LOCATION,
			"%s, unit at byte %" PRIu64
			": entries here %zu, in the input %zu; the first %zu are the same, others are not compared",
			s->out.unit.of_types ? ".debug_types" : ".debug_info", s->out.unit.begin,
			s->out.places.len, s->in.places.len, paired);
	}
	return true;
}

/* Those that are not empty.  False: no memory. */
static bool list_output_units(struct scoping *s)
{
	while (debug_next_unit(s->out.reader, &s->out.unit) > 0)
		if (!s->out.unit.empty && !debug_unit_vec_push(&s->units_out, s->out.unit))
			return false;
	return true;
}

/* The output's unit to s->in.unit, as debug_next_unit() returns it. */
static int next_output_unit(struct scoping *s, int in)
{
	const struct unit_order *order = s->files->order;

	if (!order->output_of)
		return debug_next_unit(s->out.reader, &s->out.unit);
	if (in <= 0)
		return 0;
	s->out.unit = s->in.unit; /* an empty one */
	if (s->in.unit.empty)
		return 1;
	/* The line tables have the same units, unless libdw reads them differently. */
	if (s->files_unit >= s->files->in->units.len ||
	    unit_of_output(order, (uint32_t)s->files_unit) >= s->units_out.len)
		return 0;
	s->out.unit = s->units_out.at[unit_of_output(order, (uint32_t)s->files_unit)];
	return 1;
}

/* Returns false for an error, and fills it unless it is that there is no memory or too much work.
 */
static bool compare_units(struct scoping *s, bool *of_input, struct bc_error *err)
{
	if (s->files->order->output_of && !list_output_units(s))
		return false;
	for (;;) {
		int in = debug_next_unit(s->in.reader, &s->in.unit), out = next_output_unit(s, in);
		if (in < 0) {
			*of_input = true;
			return bc_fail(err, BC_FORMAT,
				       ".debug_info: libdw cannot read a unit after byte %" PRIu64,
				       s->in.unit.begin);
		}
		if (out < 0) {
			findings_add(s->findings, FINDING_DWARF_DAMAGED, NO_LOCATION,
				     ".debug_info: libdw cannot read a unit after byte %" PRIu64,
				     s->out.unit.begin);
			return true;
		}
		if (in != out) {
			findings_add(
				s->findings, FINDING_DWARF_DAMAGED, NO_LOCATION,
				".debug_info: the output has %s units than the input; others are not compared",
				in ? "fewer" : "more");
			return true;
		}
		if (!in)
			return true;
		if (s->in.unit.type != s->out.unit.type ||
		    s->in.unit.of_types != s->out.unit.of_types ||
		    s->in.unit.empty != s->out.unit.empty) {
			findings_add(
				s->findings, FINDING_DWARF_DAMAGED, NO_LOCATION,
				".debug_info, byte %" PRIu64
				": a unit of another kind than in the input; units from there on are not compared",
				s->out.unit.begin);
			return true;
		}
		if (!s->in.unit.empty) {
			if (!compare_unit(s, of_input, err))
				return false;
			s->files_unit++;
		}
	}
}

/* ---- .debug_aranges ---- */

static bool ranges_of_unit(const struct unit_arange_vec *all, uint64_t unit,
			   struct address_range_vec *out)
{
	size_t i = unit_aranges_before(all->at, all->len, unit);

	out->len = 0;
	for (; i < all->len && all->at[i].unit == unit; i++)
		if (!address_range_vec_push(
			    out, (struct address_range){all->at[i].start, all->at[i].end}))
			return false;
	ranges_normalize(out);
	return true;
}

static void tell_unit_ranges(struct scoping *s, const struct unit_pair *unit,
			     const struct ranges_compared *r)
{
	const struct code_part *part = r->wrong.bytes   ? &r->wrong :
				       r->nothing.bytes ? &r->nothing :
				       r->lost.bytes    ? &r->lost :
							  NULL;
	struct finding_location location = NO_LOCATION;

	if (!part)
		return;
	location.address = part->output;
	location.function =
		part == &r->nothing ? NULL : code_map_owner(s->map, part->output, part->input);
	findings_add(s->findings, part == &r->lost ? FINDING_SCOPE_LOST : FINDING_SCOPE_WRONG,
		     location,
		     ".debug_aranges, of the unit at .debug_info byte %" PRIu64
		     ": %s; input 0x%" PRIx64 "; %" PRIu64 " bytes",
		     unit->out,
		     part == &r->lost  ? "code is missing that the input has" :
		     part == &r->wrong ? "code that the input has not" :
					 "no code is there",
		     part->input, part->bytes);
}

static bool compare_unit_ranges(struct scoping *s)
{
	BC_AUTO(unit_arange_vec_free) struct unit_arange_vec in = {0};
	BC_AUTO(unit_arange_vec_free) struct unit_arange_vec out = {0};
	bool bad_in, bad_out;

	if (!debug_unit_ranges(s->in.reader, &in, &bad_in) ||
	    !debug_unit_ranges(s->out.reader, &out, &bad_out))
		return false;
	if (bad_in || !in.len)
		return true;
	if (bad_out || !out.len) {
		findings_add(s->findings, bad_out ? FINDING_DWARF_DAMAGED : FINDING_SCOPE_LOST,
			     NO_LOCATION, ".debug_aranges %s",
			     bad_out ? "cannot be read by libdw" : "is missing or empty");
		return true;
	}
	sort_unit_aranges(in.at, in.len);
	sort_unit_aranges(out.at, out.len);
	for (size_t i = 0; i < s->units.len; i++) {
		struct ranges_compared r;
		if (!ranges_of_unit(&in, s->units.at[i].in, &s->in.ranges) ||
		    !ranges_of_unit(&out, s->units.at[i].out, &s->out.ranges))
			return false;
		if (!s->in.ranges.len && !s->out.ranges.len)
			continue;
		if (!code_map_compare(s->map, &s->in.ranges, &s->out.ranges, &r))
			return false;
		s->sum.unit_ranges++;
		tell_unit_ranges(s, &s->units.at[i], &r);
	}
	return true;
}

/* ---- both binaries ---- */

static void side_free(struct side *side)
{
	debug_reader_close(side->reader);
	entry_place_vec_free(&side->places);
	debug_value_vec_free(&side->values);
	address_range_vec_free(&side->ranges);
	debug_locations_free(&side->locations);
	numbered_range_vec_free(&side->numbered);
}

bool check_scopes(const struct code_map *map, const struct scope_files *files,
		  struct scopes_summary *out, struct findings *findings, bool *of_input,
		  struct bc_error *err)
{
	struct scoping s = {.map = map, .files = files, .findings = findings};

	*err = (struct bc_error){0};
	*of_input = true;
	bool ok = debug_reader_open(&map->input->image, true, &s.in.reader, err);
	*of_input = !ok;
	ok = ok && debug_reader_open(&map->subject->image, true, &s.out.reader, err);
	if (ok) {
		ok = compare_units(&s, of_input, err) && compare_unit_ranges(&s);
		if (!ok && err->code == BC_OK) {
			*of_input = !work_check(map->input->image.work, err);
			if (!*of_input)
				(void)work_fail(map->subject->image.work, err);
		}
	}
	*out = s.sum;
	side_free(&s.in);
	side_free(&s.out);
	strings_free(&s.expressions);
	unit_pair_vec_free(&s.units);
	debug_unit_vec_free(&s.units_out);
	return ok;
}
