/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/labels.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/search.h"
#include "src/elf/extents.h"

struct wanted {
	const struct function *functions;
	uint64_t address;
};
DEFINE_SEARCH(chosen_above, uint32_t, struct wanted, key.functions[*item].address <= key.address)
DEFINE_SEARCH(first_label_from, struct label, uint64_t, item->address < key)

const struct function *chosen_inside(const struct chosen *chosen, uint64_t address)
{
	const struct function *functions = chosen->functions->at;
	size_t above = chosen_above(chosen->at, chosen->count, (struct wanted){functions, address});

	if (!above)
		return NULL;
	const struct function *f = &functions[chosen->at[above - 1]];
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
	return first_label_from(labels->at, labels->len, address);
}

bool labels_have(const struct label_vec *labels, uint64_t address)
{
	size_t i = labels_from(labels, address);

	return i < labels->len && labels->at[i].address == address;
}
