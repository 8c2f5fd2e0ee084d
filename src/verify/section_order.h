/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the numbers that fragments have in a section to those in a table, and the
 * bytes of findings. */
#ifndef VERIFY_SECTION_ORDER_H
#define VERIFY_SECTION_ORDER_H

#include "src/verify/findings.h"
#include "src/elf/binary.h"

struct section_order {
	uint32_t *hot, *cold; /* index in the table of the Nth of the stored table;
				 with BAT_FEATURE_HOT_ADDRESSES all are in `hot`      */
};

/* False when out of memory. */
BC_MUST_USE bool section_order_make(const struct bat_table *table, struct section_order *out);
void section_order_free(struct section_order *order);

/* The index in the table of the fragment that a field belongs to, or NO_INDEX. */
uint32_t section_order_fragment(const struct section_order *order, const struct bat_field *field);

/* Set the byte of each finding that has a fragment and no byte. */
BC_MUST_USE bool findings_locate(struct findings *findings, const struct binary *subject);

#endif
