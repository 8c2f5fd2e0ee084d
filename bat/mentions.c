/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/mentions.h"

#include <stdlib.h>
#include <string.h>

/* Cut what BOLT appended to the name of a cold fragment.  Only the last suffix
 * is BOLT's: f.cold.cold.0 is a part of the function that GCC named f.cold. */
static bool cut_suffix(struct bat_mention *m)
{
	static const char *const suffixes[] = { ".cold", ".warm" };
	size_t digits = 0;
	uint64_t number = 0;
	uint64_t place = 1;

	while (digits < m->length && digits < 9 &&
	       m->name[m->length - 1 - digits] >= '0' &&
	       m->name[m->length - 1 - digits] <= '9') {
		number += place * (uint64_t)(m->name[m->length - 1 - digits] - '0');
		place *= 10;
		digits++;
	}
	if (digits && digits < m->length &&
	    m->name[m->length - 1 - digits] == '.') {
		m->length -= digits + 1;
		m->number = (uint32_t)number;
	}
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t length = strlen(suffixes[i]);

		if (m->length > length &&
		    !memcmp(m->name + m->length - length, suffixes[i], length)) {
			m->length -= length;
			return true;
		}
	}
	return false;
}

/* Add a mention of fragment `index`, or only count it while there is no
 * memory. */
static void add(struct bat_mentions *m, const struct bat_table *table,
		const struct bat_fragment *f, const struct bat_symbol *symbol)
{
	struct bat_mention mention = {
		.name = symbol->name,
		.length = strlen(symbol->name),
		.fragment = (uint32_t)(f - table->fragments),
		.order = symbol->order,
		.file = symbol->file,
		.number = BAT_NO_NUMBER,
	};
	size_t *count = f->cold ? &m->cold_count : &m->hot_count;
	struct bat_mention *array = f->cold ? m->cold : m->hot;

	if (f->cold && !cut_suffix(&mention))
		return;
	if (array)
		array[*count] = mention;
	++*count;
}

static void add_all(struct bat_mentions *m, const struct bat_table *table,
		    const struct bat_symbol *symbols, size_t count)
{
	m->hot_count = 0;
	m->cold_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct bat_fragment *f =
			bat_find_exact(table, symbols[i].address);

		if (!f)
			continue;
		add(m, table, f, &symbols[i]);
		if (f > table->fragments && f[-1].address == f->address)
			add(m, table, f - 1, &symbols[i]);
	}
}

static int compare_name(const struct bat_mention *a,
			const struct bat_mention *b)
{
	size_t shorter = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->name, b->name, shorter);

	return order ? order
		     : (a->length > b->length) - (a->length < b->length);
}

static int compare_name_order(const void *pa, const void *pb)
{
	const struct bat_mention *a = pa;
	const struct bat_mention *b = pb;
	int order = compare_name(a, b);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

bool bat_mentions_init(struct bat_mentions *m, const struct bat_table *table,
		       const struct bat_symbol *symbols, size_t count)
{
	*m = (struct bat_mentions){ 0 };
	add_all(m, table, symbols, count);
	m->hot = calloc(m->hot_count + 1, sizeof(*m->hot));
	m->cold = calloc(m->cold_count + 1, sizeof(*m->cold));
	if (!m->hot || !m->cold) {
		bat_mentions_fini(m);
		return false;
	}
	add_all(m, table, symbols, count);
	qsort(m->hot, m->hot_count, sizeof(*m->hot), compare_name_order);
	return true;
}

void bat_mentions_fini(struct bat_mentions *m)
{
	free(m->hot);
	free(m->cold);
	*m = (struct bat_mentions){ 0 };
}

/* How many hot mentions stand before `name` (or up to it, if `after`). */
static size_t bound(const struct bat_mentions *m,
		    const struct bat_mention *name, bool after)
{
	size_t low = 0;
	size_t high = m->hot_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_name(&m->hot[middle], name);

		if (order < 0 || (after && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void bat_mentions_find(const struct bat_mentions *m,
		       const struct bat_mention *cold,
		       const struct bat_mention **begin,
		       const struct bat_mention **end)
{
	*begin = m->hot + bound(m, cold, false);
	*end = m->hot + bound(m, cold, true);
}
