/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which unit of the output's .debug_info is which of the input.  llvm-bolt writes the units again, and some of a Rust
 * program behind all others (16 keeps the order, 19 and 22 do not): units of one name are in the same order in both.
 */
#ifndef VERIFY_UNIT_ORDER_H
#define VERIFY_UNIT_ORDER_H

#include "src/verify/line_rows.h"

struct unit_order {
	uint32_t *output_of; /* by number of the unit in the input's line_rows.units; NULL: all are where they are in the input, ... */
	uint32_t *input_of;  /* the reverse */
	bool same_units;     /* ... or the names differ, and which is which is not known */
};

/* Both have numbers of paths of the same set.  False when out of memory. */
BC_MUST_USE bool unit_order_find(const struct line_rows *in, const struct line_rows *out, struct unit_order *order);
void unit_order_free(struct unit_order *order);

/* The number of a unit in the other binary. */
static inline uint32_t unit_of_output(const struct unit_order *order, uint32_t input)
{
	return order->output_of ? order->output_of[input] : input;
}

static inline uint32_t unit_of_input(const struct unit_order *order, uint32_t output)
{
	return order->input_of ? order->input_of[output] : output;
}

#endif
