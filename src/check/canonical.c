/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "src/check/checks.h"
#include "src/check/section_order.h"

struct search {
	const struct binary *subject;
	const struct section_order *order;
	struct findings *findings;
	uint64_t found;      /* fields that say why the encodings differ      */
	uint64_t equal;      /* EqualElems of the fragment that is read       */
	uint64_t difference; /* the first byte that differs; NO_OFFSET: none   */
	struct bat_field at_difference;
};

static uint64_t uleb_size(uint64_t value)
{
	uint64_t size = 1;

	for (; value >= 0x80; value >>= 7)
		size++;
	return size;
}

static uint64_t sleb_size(uint64_t value)
{
	uint64_t magnitude = value >> 63 ? ~value : value;
	uint64_t size = 1;

	for (; magnitude >= 0x40; magnitude >>= 7)
		size++;
	return size;
}

static uint64_t shortest(const struct bat_field *f)
{
	switch (f->encoding) {
	case BAT_ULEB:
		return uleb_size(f->stored);
	case BAT_SLEB:
		return sleb_size(f->stored);
	case BAT_U32:
	case BAT_U64:
	case BAT_BITS:
		break;
	}
	return f->size;
}

static void find(struct search *s, enum finding_kind kind, const struct bat_field *f,
		 const char *what)
{
	struct finding_location location = section_order_location(s->order, s->subject, f);

	findings_add(s->findings, kind, location, "%s %s", f->name, what);
	s->found++;
}

static bool look(void *ctx, const struct bat_field *f)
{
	struct search *s = ctx;

	if (f->size != shortest(f))
		find(s, FINDING_NUMBER_PADDED, f, "has bytes that add nothing");
	if (!strcmp(f->name, "EqualElems"))
		s->equal = f->stored;
	else if (f->encoding == BAT_BITS && s->equal % 8 &&
		 s->subject->desc.data[f->byte + f->size - 1] >> s->equal % 8)
		find(s, FINDING_MASK_BITS, f, "has bits behind the last entry");
	if (s->difference - f->byte < f->size)
		s->at_difference = *f;
	return true;
}

static uint64_t first_difference(struct bytes a, struct bytes b)
{
	uint64_t at = 0, common = a.size < b.size ? a.size : b.size;

	while (at < common && a.data[at] == b.data[at])
		at++;
	return at == common && a.size == b.size ? NO_OFFSET : at;
}

static bool search_fields(struct search *s)
{
	struct bytes desc = s->subject->desc;
	struct bat_error err;

	if (!bat_fields(s->subject->bat.layout, desc.data, desc.size, look, s, &err))
		return false; /* cannot happen: the table was decoded */
	if (s->difference != NO_OFFSET && !s->found)
		find(s, FINDING_NOT_CANONICAL, &s->at_difference, "is the first field that BOLT "
		     "would have written differently");
	return true;
}

bool check_canonical(const struct binary *subject, struct findings *findings)
{
	BC_AUTO(section_order_free) struct section_order order = {0};
	struct search search = {.subject = subject, .order = &order, .findings = findings};
	struct bytes again = {NULL, 0};
	struct bat_error err;
	uint8_t *data;

	if (!section_order_make(&subject->bat, &order) ||
	    !bat_encode(&subject->bat, subject->bat.layout, &data, &again.size, &err))
		return false;
	again.data = data;
	search.difference = first_difference(subject->desc, again);
	free(data);
	return search_fields(&search);
}
