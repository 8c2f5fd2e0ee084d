/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which of many maps is meant, and which file in it is the binary.
 *
 * A file is the binary if its recorded build-id is the binary's, or, if none was
 * recorded or the binary has none, if it has its name (the last part, without " (deleted)"); and if its
 * executable mappings fit the binary's segments.
 */
#ifndef ADDRSPACE_LOAD_CHOICE_H
#define ADDRSPACE_LOAD_CHOICE_H

#include "src/addrspace/loads.h"
#include "src/addrspace/snapshots.h"

#define LOAD_CHOICE_ANY UINT32_MAX

struct load_choice {
	const struct image *image;
	const char *name; /* of the binary; a path with a slash must end so too when
			     two files of its last part are there */
	uint32_t pid;     /* or LOAD_CHOICE_ANY: the only process that has it */
	uint32_t id;      /* of the map, or LOAD_CHOICE_ANY: the one at `time` */
	uint64_t time;    /* ns; UINT64_MAX: the last one */
};

/* The map, the binary's path in it (a text of snapshots->files) and its loads.  The caller
 * frees both.
 *
 * BC_MISMATCH  no such process or map, it has not the binary, or several processes have
 *              it; the text says which
 * BC_UNSUPPORTED  with LOAD_CHOICE_ANY: more than 2^25 mappings of files that may be the binary
 * BC_NOMEM */
BC_MUST_USE bool load_choose(const struct snapshots *snapshots, const struct load_choice *choice,
			   struct maps *maps, uint32_t *path, struct loads *loads,
			   struct bc_error *err);

#endif
