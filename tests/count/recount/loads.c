/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/loads.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/count/recount/mistakes.h"
#include "tests/count/recount/names.h"

/* For all that hold it the one that begins last; of those the first. */
static const struct symbol *symbol_at(const struct symbol_table *symbols, uint64_t at)
{
	const struct symbol *found = NULL;

	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *s = &symbols->at[i];
		bool is_data = s->type == STT_OBJECT || s->type == STT_NOTYPE;
		if (is_data && *s->name && at >= s->address && at - s->address < s->size &&
		    (!found || s->address > found->address))
			found = s;
	}
	return found;
}

static const char *take(struct should *should, const struct row *row)
{
	const struct binary *binary = should->count->binary;
	struct spot spot = spot_of(binary, row->key[0]);
	struct home code;

	if (!spot.function)
		return "memory.dropped.code";
	if (!spot_home(binary, &spot, false, &code))
		return "memory.dropped.no_parent";
	const struct symbol *data = symbol_at(&binary->functions.symbols, row->key[1]);
	if (!data)
		return "memory.dropped.unnamed";
	if (!names_can_hold(&should->count->options, code.function->printed) ||
	    !names_can_hold(&should->count->options, data->name))
		return "memory.dropped.unnameable";
	struct load load = {code, data, row->key[1] - data->address, row->count};
	must_have_memory(load_vec_push(&should->loads, load));
	return "memory.kept";
}

static int compare(const void *a, const void *b)
{
	const struct load *x = a, *y = b;
	char x_data[32], y_data[32];
	int order = strcmp(x->code.function->printed, y->code.function->printed);

	if (!order)
		order = (x->code.offset > y->code.offset) - (x->code.offset < y->code.offset);
	if (!order)
		order = strcmp(x->data->name, y->data->name);
	if (!order) {
		snprintf(x_data, sizeof(x_data), "%" PRIu32, x->data->number);
		snprintf(y_data, sizeof(y_data), "%" PRIu32, y->data->number);
		order = strcmp(x_data, y_data);
	}
	return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

void loads_take(struct should *should, struct count *count)
{
	struct load_vec *loads = &should->loads;
	size_t kept = 0;

	for (size_t i = 0; i < count->accesses.len; i++)
		numbers_add(&count->numbers, take(should, &count->accesses.at[i]),
			    count->accesses.at[i].count);
	if (loads->len)
		qsort(loads->at, loads->len, sizeof(*loads->at), compare);
	for (size_t i = 0; i < loads->len; i++)
		if (kept && !compare(&loads->at[kept - 1], &loads->at[i]))
			loads->at[kept - 1].count += loads->at[i].count;
		else
			loads->at[kept++] = loads->at[i];
	loads->len = kept;
}
