/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/unit_order.h"

#include <stdlib.h>

#include "src/base/sort.h"

struct named_unit {
	uint32_t name, unit;
};

static bool named_unit_less(const struct named_unit *a, const struct named_unit *b)
{
	return a->name != b->name ? a->name < b->name : a->unit < b->unit;
}
DEFINE_SORT(sort_named_units, struct named_unit, named_unit_less)

static bool all_in_place(const struct line_unit_vec *in, const struct line_unit_vec *out)
{
	for (size_t i = 0; i < in->len; i++)
		if (in->at[i].name != out->at[i].name)
			return false;
	return true;
}

/* To be freed; NULL: no memory. */
static struct named_unit *by_name(const struct line_unit_vec *units)
{
	struct named_unit *named = malloc(units->len * sizeof(*named));

	for (size_t i = 0; named && i < units->len; i++)
		named[i] = (struct named_unit){units->at[i].name, (uint32_t)i};
	if (named)
		sort_named_units(named, units->len);
	return named;
}

/* From two lists by name; false if the names differ. */
static bool join(const struct named_unit *in, const struct named_unit *out, size_t count, struct unit_order *order)
{
	for (size_t i = 0; i < count; i++) {
		if (in[i].name != out[i].name)
			return false;
		order->output_of[in[i].unit] = out[i].unit;
		order->input_of[out[i].unit] = in[i].unit;
	}
	return true;
}

bool unit_order_find(const struct line_rows *in, const struct line_rows *out, struct unit_order *order)
{
	size_t count = in->units.len;

	*order = (struct unit_order){.same_units = count == out->units.len && all_in_place(&in->units, &out->units)};
	if (order->same_units || count != out->units.len)
		return true;
	struct named_unit *ins = by_name(&in->units), *outs = by_name(&out->units);
	order->output_of = malloc(count * sizeof(*order->output_of));
	order->input_of = malloc(count * sizeof(*order->input_of));
	bool ok = ins && outs && order->output_of && order->input_of;
	if (ok)
		order->same_units = join(ins, outs, count, order);
	if (!order->same_units)
		unit_order_free(order);
	free(ins);
	free(outs);
	return ok;
}

void unit_order_free(struct unit_order *order)
{
	free(order->output_of);
	free(order->input_of);
	*order = (struct unit_order){0};
}
