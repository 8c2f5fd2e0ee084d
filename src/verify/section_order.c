/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/section_order.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/verify/checks.h"

bool section_order_make(const struct bat_table *table, struct section_order *out)
{
	size_t size = (table->fragment_count + (size_t)1) * sizeof(uint32_t);
	struct section_order order = {malloc(size), malloc(size)};
	size_t hot = 0, cold = 0;

	if (!order.hot || !order.cold) {
		section_order_free(&order);
		return false;
	}
	for (uint32_t i = 0; i < table->fragment_count; i++) {
		if (table->fragments[i].cold &&
		    !bat_layout_has(table->layout, BAT_FEATURE_HOT_ADDRESSES))
			order.cold[cold++] = i;
		else
			order.hot[hot++] = i;
	}
	*out = order;
	return true;
}

void section_order_free(struct section_order *order)
{
	free(order->hot);
	free(order->cold);
	*order = (struct section_order){NULL, NULL};
}

uint32_t section_order_fragment(const struct section_order *order, const struct bat_field *field)
{
	if (field->fragment == BAT_NO_INDEX)
		return NO_INDEX;
	return (field->cold ? order->cold : order->hot)[field->fragment];
}

/* Where a field is. */
static struct finding_location section_order_location(const struct section_order *order,
						      const struct binary *subject,
						      const struct bat_field *field)
{
	uint32_t fragment = section_order_fragment(order, field);
	struct finding_location location = NO_LOCATION;

	if (fragment != NO_INDEX)
		location = location_of(subject, fragment, NO_INDEX);
	location.entry = field->entry;
	location.byte = field->byte;
	return location;
}

/* A finding whose byte is wanted, by its fragment and entry. */
struct wanted {
	uint64_t key;
	struct finding *finding;
};

struct locating {
	const struct section_order *order;
	struct wanted *wanted; /* sorted by key */
	size_t count;
};

static uint64_t key_of(uint32_t fragment, uint32_t entry)
{
	return (uint64_t)fragment << 32 | (uint32_t)(entry + 1);
}

static int by_key(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* An entry begins with its OutputOffset, a fragment with its address. */
static bool begins(const struct bat_field *f)
{
	if (f->entry != BAT_NO_INDEX)
		return !strcmp(f->name, "OutputOffset");
	return !strcmp(f->name, "Address") || !strcmp(f->name, "OutputAddress");
}

DEFINE_SEARCH(first_wanted, struct wanted, uint64_t, item->key < key)

static bool locate(void *ctx, const struct bat_field *f)
{
	struct locating *l = ctx;

	if (f->fragment == BAT_NO_INDEX || !begins(f))
		return true;
	uint64_t key = key_of(section_order_fragment(l->order, f), f->entry);
	for (size_t i = first_wanted(l->wanted, l->count, key);
	     i < l->count && l->wanted[i].key == key; i++)
		l->wanted[i].finding->location.byte = f->byte;
	return true;
}

bool findings_locate(struct findings *findings, const struct binary *subject)
{
	BC_AUTO(section_order_free) struct section_order order = {0};
	struct bat_error err;
	struct locating l = {.order = &order};

	if (!findings->len)
		return true;
	l.wanted = malloc(findings->len * sizeof(*l.wanted));
	if (!l.wanted || !section_order_make(&subject->bat, &order)) {
		free(l.wanted);
		return false;
	}
	for (size_t i = 0; i < findings->len; i++) {
		struct finding *f = &findings->at[i];
		if (f->location.fragment != NO_INDEX && f->location.byte == NO_OFFSET)
			l.wanted[l.count++] =
				(struct wanted){key_of(f->location.fragment, f->location.entry), f};
	}
	qsort(l.wanted, l.count, sizeof(*l.wanted), by_key);
	bool ok = !l.count || bat_fields(subject->bat.layout, subject->desc.data,
					 subject->desc.size, locate, &l, &err);
	free(l.wanted);
	return ok;
}

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
	case BAT_ENCODING_ULEB: return uleb_size(f->stored);
	case BAT_ENCODING_SLEB: return sleb_size(f->stored);
	case BAT_ENCODING_U32:
	case BAT_ENCODING_U64:
	case BAT_ENCODING_BITS: break;
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
	else if (f->encoding == BAT_ENCODING_BITS && s->equal % 8 &&
		 s->subject->desc.data[f->byte + f->size - 1] >> s->equal % 8)
		find(s, FINDING_MASK_BITS, f, "has bits after the last entry");
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
		find(s, FINDING_NOT_CANONICAL, &s->at_difference,
		     "is the first field that BOLT "
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
