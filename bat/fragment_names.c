/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/fragment_names.h"

#include <stdlib.h>
#include <string.h>

/* Cut the .N at the end of a name, of at most nine digits, and keep N. */
static void cut_number(struct bat_fragment_name *n)
{
	size_t digits = 0;
	uint64_t number = 0;
	uint64_t power = 1; /* of ten */

	while (digits < n->length && digits < 9 &&
	       n->name[n->length - 1 - digits] >= '0' &&
	       n->name[n->length - 1 - digits] <= '9') {
		number += power * (uint64_t)(n->name[n->length - 1 - digits] - '0');
		power *= 10;
		digits++;
	}
	if (digits && digits < n->length &&
	    n->name[n->length - 1 - digits] == '.') {
		n->length -= digits + 1;
		n->number = (uint32_t)number;
	}
}

/* Cut the suffix that BOLT appended to the name of a cold fragment.  Returns
 * false if there is none.  Only the last suffix is BOLT's: f.cold.cold.0 is a
 * part of the function that GCC named f.cold. */
static bool cut_suffix(struct bat_fragment_name *n)
{
	static const char *const suffixes[] = { ".cold", ".warm" };

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
		const struct bat_fragment *f =
			bat_find_exact(table, symbols[i].address);

		if (!f)
			continue;
		add(names, table, f, &symbols[i]);
		if (f > table->fragments && f[-1].address == f->address)
			add(names, table, f - 1, &symbols[i]);
	}
}

static int compare_name(const struct bat_fragment_name *a,
			const struct bat_fragment_name *b)
{
	size_t shorter = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->name, b->name, shorter);

	return order ? order
		     : (a->length > b->length) - (a->length < b->length);
}

static int compare_name_order(const void *pa, const void *pb)
{
	const struct bat_fragment_name *a = pa;
	const struct bat_fragment_name *b = pb;
	int order = compare_name(a, b);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

bool bat_fragment_names_init(struct bat_fragment_names *names, const struct bat_table *table,
		       const struct bat_symbol *symbols, size_t count)
{
	*names = (struct bat_fragment_names){ 0 };
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

void bat_fragment_names_free(struct bat_fragment_names *names)
{
	free(names->hot);
	free(names->cold);
	*names = (struct bat_fragment_names){ 0 };
}

/* How many names of hot fragments stand before `name`; with `after`, those that
 * are equal to it, too. */
static size_t bound(const struct bat_fragment_names *names,
		    const struct bat_fragment_name *name, bool after)
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

void bat_fragment_names_find(const struct bat_fragment_names *names,
		       const struct bat_fragment_name *cold,
		       const struct bat_fragment_name **begin,
		       const struct bat_fragment_name **end)
{
	*begin = names->hot + bound(names, cold, false);
	*end = names->hot + bound(names, cold, true);
}
