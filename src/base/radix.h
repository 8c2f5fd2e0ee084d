/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sorting by a 64-bit key, in linear time and stable. */
#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/attr.h"

struct keyed {
	uint64_t key;
	size_t index; /* of the item that has this key */
};

/* Sort by key; equal keys keep their order.  False when out of memory. */
BC_MUST_USE bool sort_keyed(struct keyed *items, size_t count);

#endif
