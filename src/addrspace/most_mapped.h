/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which programs were mapped how often, to tell a user whose binary was not
 * among them.  Shared libraries do not count: they are in every process.
 */
#ifndef ADDRSPACE_MOST_MAPPED_H
#define ADDRSPACE_MOST_MAPPED_H

#include "src/base/attr.h"
#include "src/base/text.h"

/* Programs beyond this number are not remembered: it is for a message only. */
#define MOST_MAPPED_MAX 256

struct mapped_program {
	char *path;
	uint64_t count;
};

/* Zeroed means empty. */
struct most_mapped {
	struct mapped_program at[MOST_MAPPED_MAX];
	size_t len;
	size_t last; /* counted last: mappings of one file come in a row */
};

void most_mapped_free(struct most_mapped *files);

/* Returns false when out of memory. */
BC_MUST_USE bool most_mapped_count(struct most_mapped *files, struct text path);

/* The names of those that were mapped most, with commas; "none" if empty. */
void most_mapped_names(const struct most_mapped *files, char *out, size_t size);

#endif
