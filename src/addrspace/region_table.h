/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The mappings of a .bcmaps file, each once and named by a number. */
#ifndef ADDRSPACE_REGION_TABLE_H
#define ADDRSPACE_REGION_TABLE_H

#include "src/addrspace/map_set.h"
#include "src/base/map.h"

/* Zeroed means empty. */
struct region_table {
	struct mapping_vec all; /* by number */
	struct map numbers;     /* of mappings, to their indices */
};

void region_table_free(struct region_table *table);

/* The number of a mapping, which is kept if it is new.  False when out of memory. */
BC_MUST_USE bool region_table_intern(struct region_table *table, const struct mapping *mapping,
				     uint32_t *out);

#endif
