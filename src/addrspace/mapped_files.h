/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which programs were mapped how often, to tell a user whose binary was not
 * among them.  Shared libraries do not count: they are in every process.
 */
#ifndef ADDRSPACE_MAPPED_FILES_H
#define ADDRSPACE_MAPPED_FILES_H

#include "src/base/attr.h"
#include "src/base/text.h"

/* Programs beyond this number are not remembered: it is for a message only. */
#define MAPPED_FILES_MAX 256

struct mapped_file {
	char *path;
	uint64_t count;
};

/* Zeroed means empty. */
struct mapped_files {
	struct mapped_file at[MAPPED_FILES_MAX];
	size_t len;
	size_t last; /* counted last: mappings of one file come in a row */
};

void mapped_files_free(struct mapped_files *files);

/* Returns false when out of memory. */
BC_MUST_USE bool mapped_files_count(struct mapped_files *files, struct text path);

/* The names of those that were mapped most, with commas; "none" if empty. */
void mapped_files_most(const struct mapped_files *files, char *out, size_t size);

#endif
