/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The loads of one image in a process, and whether all its mappings agree on
 * them.  Mostly there is one; a library that was opened in two namespaces has
 * two, and a file that is only read has mappings and no load.
 */
#ifndef ADDRSPACE_LOADS_H
#define ADDRSPACE_LOADS_H

#include "src/base/vec.h"
#include "src/elf/load.h"
#include "src/addrspace/mapped_files.h"
#include "src/addrspace/maps.h"

struct load {
	uint64_t base;         /* run-time address - vaddr */
	uint32_t mappings;     /* that agree on it         */
	uint32_t executable;   /* of those                 */
	uint64_t start, end;   /* of the lowest, of the highest of them */
	bool has_lowest;       /* the lowest segment is mapped, so that ... */
	uint64_t lowest;       /* ... this is the base by it; equal, or ours is wrong */
	bool has_lowest_executable;
	uint64_t lowest_executable; /* the same by the lowest executable segment */
};

DEFINE_VEC(load_vec, struct load);

struct loads {
	struct load_vec all; /* by ascending base */
	uint32_t mappings;   /* of the file; those of no load are the rest */
	uint32_t misfits;    /* executable ones that fit no segment */
};

void loads_free(struct loads *loads);

/* The loads of an image in the mappings of a path (a text of `files`).  *out
 * is set on success only.  False when out of memory. */
BC_MUST_USE bool loads_find(const struct maps *maps, const struct mapped_files *files, uint32_t path,
			    const struct image *image, struct loads *out);

/* The base of a mapping: of those that it allows, one of a load.  False: none. */
bool loads_base(const struct loads *loads, const struct image *image, const struct mapping *mapping,
		uint64_t *out);

/* All ways lead to the same base. */
bool load_agrees(const struct load *load);

#endif
