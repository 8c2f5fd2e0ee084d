/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/checks.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/verify/check_code.h"
#include "src/verify/section_order.h"

/* The entries of the section in stored order, as bat_fields() shows them: the second way to
 * translate, which shares no code with the first. */
struct scan {
	const struct section_order *order;
	struct plain_entry {
		uint32_t fragment, output, input;
		bool branch;
	} *at; /* grouped by fragment, in the order of the section */
	size_t count;
	size_t *first; /* per fragment: its first one      */
	const uint8_t *desc;
	const uint8_t *mask;  /* BranchEntries of this fragment   */
	uint64_t equal, skew; /* EqualElems and ColdInputSkew     */
};

static void scan_output(struct scan *s, const struct bat_field *f)
{
	uint32_t fragment = section_order_fragment(s->order, f);
	struct plain_entry *e = &s->at[s->count++];

	*e = (struct plain_entry){.fragment = fragment, .output = (uint32_t)f->value};
	if (f->entry >= s->equal)
		return;
	e->input = (uint32_t)(f->value + s->skew);
	e->branch = s->mask[f->entry / 8] >> f->entry % 8 & 1;
}

static bool scan_field(void *ctx, const struct bat_field *f)
{
	struct scan *s = ctx;

	if (!strcmp(f->name, "OutputOffset")) {
		scan_output(s, f);
	} else if (!strcmp(f->name, "InputOffset")) {
		s->at[s->count - 1].input = (uint32_t)f->value >> 1;
		s->at[s->count - 1].branch = f->value & 1;
	} else if (!strcmp(f->name, "EqualElems")) {
		s->equal = f->stored;
	} else if (!strcmp(f->name, "ColdInputSkew")) {
		s->skew = f->stored;
	} else if (!strcmp(f->name, "BranchEntries")) {
		s->mask = s->desc + f->byte;
	} else if (!strcmp(f->name, "Address") || !strcmp(f->name, "OutputAddress")) {
		s->equal = s->skew = 0;
		s->first[section_order_fragment(s->order, f)] = s->count;
	}
	return true;
}

/* Translate by going through all entries: the last one that is not after the offset counts.
 * Before the first entry, offsets are unchanged. */
static uint32_t scan_translate(const struct scan *s, uint32_t fragment, uint32_t offset)
{
	uint32_t result = offset;

	for (size_t i = s->first[fragment]; i < s->count && s->at[i].fragment == fragment; i++)
		if (s->at[i].output <= offset)
			result = s->at[i].input + (offset - s->at[i].output);
	return result;
}

static void scan_free(struct scan *s)
{
	free(s->at);
	free(s->first);
}

static bool scan_section(const struct binary *subject, struct section_order *order,
			 struct scan *out)
{
	struct scan s = {.order = order, .desc = subject->desc.data};
	struct bat_error err;

	/* An entry has at least one byte: an equal one is stored as its output offset only. */
	s.at = malloc((subject->desc.size + 1) * sizeof(*s.at));
	s.first = calloc(subject->bat.fragment_count + (size_t)1, sizeof(*s.first));
	if (s.at && s.first && section_order_make(&subject->bat, order) &&
	    bat_fields(subject->bat.layout, subject->desc.data, subject->desc.size, scan_field, &s,
		       &err)) {
		*out = s;
		return true;
	}
	scan_free(&s);
	return false;
}

/* A random address.  So many are taken together, in order, so that code is decoded once for all of
 * them. */
struct drawn {
	uint32_t fragment, offset;
};
#define DRAWN_MOST 65536

static bool drawn_less(const struct drawn *a, const struct drawn *b)
{
	return a->fragment != b->fragment ? a->fragment < b->fragment : a->offset < b->offset;
}
DEFINE_SORT(sort_drawn, struct drawn, drawn_less)

struct sampling {
	const struct binary *subject;
	const struct input *input; /* NULL: none            */
	const struct scan *scan;
	struct decoder decoder;
	uint64_t state; /* of the random numbers */
	struct drawn *drawn;
	struct drawn reached; /* the instruction that was found last */
	struct sample_result result;
};

/* Splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Did BOLT add the jump at an offset?  A jump to the next block that BOLT added has no entry. */
static bool is_added(const struct bat_table *bat, const struct bat_fragment *f, uint32_t offset,
		     const struct insn *insn)
{
	const struct bat_entry *e = bat_entry_at(bat, f, offset);

	return insn->kind == INSN_JUMP && (!e || e->output != offset);
}

/* The beginning of the instruction that an offset is in, found by decoding from the last entry
 * before it, from the beginning of the fragment, or from where an offset before it was. */
static uint32_t instruction_at(struct sampling *s, struct drawn drawn, struct bytes code)
{
	const struct bat_fragment *f = &s->subject->bat.fragments[drawn.fragment];
	const struct bat_entry *e = bat_entry_at(&s->subject->bat, f, drawn.offset);
	uint32_t at = e && e->output <= drawn.offset ? e->output : 0;

	if (s->reached.fragment == drawn.fragment && s->reached.offset <= drawn.offset &&
	    s->reached.offset > at)
		at = s->reached.offset;
	for (size_t size; at < drawn.offset; at += (uint32_t)size) {
		size = code_length(&s->decoder, bytes_from(code, at), f->address + at);
		if (!size || at + size > drawn.offset)
			break;
	}
	s->reached = (struct drawn){drawn.fragment, at};
	return at;
}

static void compare(struct sampling *s, uint32_t fragment, struct bytes code, uint32_t offset,
		    uint32_t input)
{
	const struct bat_fragment *f = &s->subject->bat.fragments[fragment];
	struct insn here, there;

	if (!s->input || s->input->of[fragment] == NO_FUNCTION)
		return;
	struct bytes original = bytes_from(input_code_of(s->input, s->input->of[fragment]), input);
	uint64_t at = s->input->functions.at[s->input->of[fragment]].address + input;
	code = bytes_from(code, offset);
	if (!decoder_next(&s->decoder, code, f->address + offset, &here))
		return;
	if (is_added(&s->subject->bat, f, offset, &here)) {
		s->result.added++;
		return;
	}
	s->result.compared++;
	s->result.same += decoder_next(&s->decoder, original, at, &there) &&
			  same_instruction(s->decoder.machine, code, &here, original, &there);
}

static struct bytes fragment_code(const struct sampling *s, uint32_t fragment)
{
	const struct bat_fragment *f = &s->subject->bat.fragments[fragment];

	return bytes_first(image_bytes_at(&s->subject->image, (struct vaddr){f->address}),
			   binary_fragment_size(s->subject, fragment));
}

static void take_one(struct sampling *s, struct drawn drawn)
{
	const struct bat_table *bat = &s->subject->bat;
	struct bytes code = fragment_code(s, drawn.fragment);
	uint32_t offset = instruction_at(s, drawn, code);
	uint32_t input = bat_translate(bat, &bat->fragments[drawn.fragment], offset, false);

	s->result.addresses++;
	s->result.differ += input != scan_translate(s->scan, drawn.fragment, offset);
	compare(s, drawn.fragment, code, offset, input);
}

/* Takes up to DRAWN_MOST addresses.  A fragment without code has none. */
static void take_some(struct sampling *s, uint64_t count)
{
	size_t taken = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint32_t fragment =
			(uint32_t)(next_random(&s->state) % s->subject->bat.fragment_count);
		size_t size = fragment_code(s, fragment).size;
		if (size)
			s->drawn[taken++] =
				(struct drawn){fragment, (uint32_t)(next_random(&s->state) % size)};
	}
	if (taken)
		sort_drawn(s->drawn, taken);
	s->reached.fragment = UINT32_MAX;
	for (size_t i = 0; i < taken; i++)
		take_one(s, s->drawn[i]);
}

static bool run(struct sampling *s, uint64_t count, struct findings *findings)
{
	struct block_starts starts = {0};

	s->drawn =
		malloc((count < DRAWN_MOST ? (size_t)count + 1 : DRAWN_MOST) * sizeof(*s->drawn));
	if (!s->drawn || !block_starts_make(&s->subject->bat, &starts)) {
		free(s->drawn);
		findings->nomem = true;
		return false;
	}
	code_decoder_open(s->subject->image.machine, &s->decoder);
	while (s->subject->bat.fragment_count && count) {
		uint64_t part = count < DRAWN_MOST ? count : DRAWN_MOST;
		take_some(s, part);
		count -= part;
	}
	decoder_close(&s->decoder);
	block_starts_free(&starts);
	free(s->drawn);
	return true;
}

bool sample_check(const struct binary *subject, struct input *input, uint64_t count, uint64_t seed,
		  struct sample_result *out, struct findings *findings)
{
	BC_AUTO(section_order_free) struct section_order order = {0};
	struct scan scan;
	struct sampling s = {.subject = subject, .input = input, .scan = &scan, .state = seed};

	if ((input && !input_match(subject, input)) || !scan_section(subject, &order, &scan)) {
		findings->nomem = true;
		return false;
	}
	bool ok = run(&s, count, findings);
	scan_free(&scan);
	*out = s.result;
	return ok;
}
