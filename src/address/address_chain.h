/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One address in all its forms:
 *
 *   run-time address -> mapping -> base -> vaddr -> segment -> file offset
 *        vaddr -> section -> function + offset -> BAT fragment
 *        -> function + offset in the input binary -> vaddr in the input binary
 *
 * Every arrow is computed from the one before; what cannot be known is marked as
 * missing, never guessed.
 */
#ifndef ADDRESS_ADDRESS_CHAIN_H
#define ADDRESS_ADDRESS_CHAIN_H

#include "src/samples/loads.h"
#include "src/elf/binary.h"
#include "src/address/places.h"

/* The binaries.  Zeroed means none. */
struct subject {
	struct binary binary;
	struct places places;
	bool has_input;
	struct binary input; /* what BOLT read */
	struct places input_places;
};

/* input: a path, or NULL.  dirs: as of binary_open_debug(), or NULL.  Errors as of
 * binary_open_any(). */
BC_MUST_USE bool subject_open(const char *binary, const char *input, const struct debug_dirs *dirs,
			      struct subject *out, struct bc_error *err);
void subject_close(struct subject *subject);

/* Where the binary is in a process.  Zeroed: nowhere. */
struct loaded_at {
	const struct maps *maps;          /* NULL: only the base is known */
	const struct mapped_files *files; /* of the maps */
	uint32_t path;                    /* of the binary's mappings: a text of the files */
	struct loads loads;
};

struct address_chain {
	/* in a process */
	bool has_run;
	struct run_addr run;
	uint64_t base;                 /* run - vaddr, if both are known */
	const struct mapping *mapping; /* that holds `run`; NULL: in none, or no maps */

	/* in the binary */
	bool has_vaddr; /* false: the mapping is not the binary's, or no part of it */
	struct vaddr vaddr;
	const struct segment *segment; /* NULL: in none */
	bool has_offset;               /* false: no byte of the file, as of .bss */
	struct file_off offset;
	const struct section *section; /* NULL: in none */
	struct output_place place;     /* .function NULL: in none */

	/* in the input binary */
	bool orphan;              /* in a cold fragment whose function is not known, or there is no
				     table to report */
	struct input_place input; /* .function NULL: none */
	bool has_input_vaddr;
	struct vaddr input_vaddr;
};

/* The chain from the vaddr on; a process is for run-time addresses. */
struct address_chain address_chain_of_vaddr(const struct subject *subject, struct vaddr at);

/* The whole chain from a run-time address. */
struct address_chain address_chain_of_run(const struct subject *subject,
					  const struct loaded_at *process, struct run_addr at);

/* Give the chain of a vaddr its run-time address in one of the loads, of which
 * there are process->loads.all.len. */
void address_chain_add_run(struct address_chain *chain, const struct loaded_at *process,
			   size_t load);

/* The base of a load without maps. */
BC_MUST_USE bool loaded_at_base(struct loaded_at *process, uint64_t base);

#endif
