/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/labels.h"

#include <stdlib.h>
#include <string.h>

#include "src/elf/extents.h"

const struct function *chosen_inside(const struct chosen *chosen, uint64_t address)
{
	const struct function *functions = chosen->functions->at;
	size_t low = 0, high = chosen->count; /* the first that begins above lies in here */

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (functions[chosen->at[mid]].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	const struct function *f = &functions[chosen->at[low - 1]];
	return address != f->address && address - f->address < f->size ? f : NULL;
}

/* Assemblers leave names of the compiler's own labels on RISC-V. */
static bool is_private(const struct symbol *s)
{
	return !strncmp(s->name, ".L", 2);
}

/* Up to the first symbol that cannot lie in the function, as its extent goes. */
static bool add_symbols_of(const struct chosen *chosen, uint32_t index, struct label_vec *out)
{
	const struct function_table *table = chosen->functions;
	const struct function *f = &table->at[index];
	uint64_t limit = index + 1 < table->count ? f[1].address : UINT64_MAX;

	for (size_t i = symbols_above(&table->symbols, f->address); i < table->symbols.count; i++) {
		const struct symbol *s = &table->symbols.at[i];
		if (s->address >= limit || (!s->inside && !symbol_is_label(chosen->image, f, s)))
			break;
		if (is_private(s) || (s->inside && s->address - f->address >= f->size))
			continue;
		if (!label_vec_push(out, (struct label){s->address, LABEL_ENTRY}))
			return false;
	}
	return true;
}

bool labels_of_symbols(const struct chosen *chosen, struct label_vec *out)
{
	for (size_t i = 0; i < chosen->count; i++)
		if (!add_symbols_of(chosen, chosen->at[i], out))
			return false;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

void labels_sort(struct label_vec *labels)
{
	if (labels->len)
		qsort(labels->at, labels->len, sizeof(*labels->at), by_address);
}

size_t labels_from(const struct label_vec *labels, uint64_t address)
{
	size_t low = 0, high = labels->len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (labels->at[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
