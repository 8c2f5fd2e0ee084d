/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The loads of one image in a process, and whether all its mappings agree on
 * them.  Mostly there is one; a library that was opened in two namespaces has
 * two, and a file that is only read has mappings and no load.
 *
 * Mappings of one base are of one load.  So may be others, or bases that differ
 * would make loads of their own and never mismatch: a load has each vaddr once.
 * Mappings that have none of a load's vaddrs are what it lacks, at another base;
 * those that have some are another load, or what was read of the file.
 */
#ifndef SAMPLES_LOADS_H
#define SAMPLES_LOADS_H

#include "src/samples/map_set.h"
#include "src/samples/snapshots.h"
#include "src/base/vec.h"
#include "src/elf/load.h"

struct load {
	uint64_t base;       /* run-time address - vaddr, by most of its mappings */
	uint32_t mappings;   /* that it has                                       */
	uint32_t executable; /* of those                                          */
	uint64_t start, end; /* of the lowest, of the highest of them             */
	bool has_lowest;     /* the lowest segment is mapped, so that ...         */
	uint64_t lowest;     /* ... this is the base by it                        */
	bool has_lowest_executable;
	uint64_t lowest_executable; /* the same by the lowest executable segment    */
	size_t first_differing;     /* differing.at[first_differing ...] are of it  */
	uint32_t differing;         /* its mappings that lead to another base       */
};

/* A mapping that leads to another base than most of its load. */
struct differing {
	uint64_t start, end, base;
};

/* A base, and how many mappings allow it. */
struct base {
	uint64_t base;
	uint32_t mappings;
	bool of_load; /* some mapping of a load leads to it */
};

DEFINE_VEC(load_vec, struct load);
DEFINE_VEC(differing_vec, struct differing);
DEFINE_VEC(base_vec, struct base);

struct loads {
	struct load_vec all;            /* by ascending base */
	struct differing_vec differing; /* those of a load after each other */
	struct base_vec bases;          /* ascending; of all loads, also those that differ */
	uint32_t mappings;              /* of the file; those of no load are the rest */
	uint32_t misfits;               /* executable ones that fit no segment */
};

void loads_free(struct loads *loads);

/* The loads of an image in the mappings of a path (a text of `files`), which ascend.
 * *out is set on success only.  False when out of memory. */
BC_MUST_USE bool loads_find(const struct maps *maps, const struct mapped_files *files,
			    uint32_t path, const struct image *image, struct loads *out);

/* The base of a mapping: of those that it allows, one of a load.  False: none. */
bool loads_base(const struct loads *loads, const struct image *image, const struct mapping *mapping,
		uint64_t *out);

/* Do all mappings of the load, and its lowest segment, give the same base? */
bool load_agrees(const struct load *load);

/* All loads do. */
bool loads_agree(const struct loads *loads);

/*
 * Which of many maps is meant, and which file in it is the binary.
 *
 * A file is the binary if its recorded build-id is the binary's, or, if none was
 * recorded or the binary has none, if it has its name (the last part, without " (deleted)"); and if
 * its executable mappings fit the binary's segments.
 */

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
