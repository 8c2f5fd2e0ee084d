/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The optimised binary: its image, its functions and its BAT, and the way from
 * a vaddr in it to a place in the input binary.
 */
#ifndef ELF_BINARY_H
#define ELF_BINARY_H

#include "include/bat/bat.h"
#include "src/base/file.h"
#include "src/elf/functions.h"

struct binary {
	struct file_map file;
	struct image image;
	struct bat_table bat;
	struct bat_parents parents; /* what became of the cold fragments' parents */
	struct function_table functions;
	uint32_t *fragment_of; /* per function: its fragment, or NO_FRAGMENT */
	bool plain; /* BOLT never touched it: no BAT, and primary names are printed */
	bool lost;  /* BOLT wrote it without a BAT: nothing leads back to the input */
};
#define NO_FRAGMENT UINT32_MAX

/* What of a binary is wanted, beyond what every conversion needs. */
struct binary_needs {
	bool plain_will_do; /* a binary without a BAT section is its own input binary */
	bool any_will_do;   /* nor is one that BOLT wrote without a table refused */
	bool blocks;        /* hashes and numbers of blocks: most of a large BAT */
};

/* Open the file and read what a conversion needs.
 *
 * BC_NOTFOUND   no BAT section
 * BC_UNSUPPORTED, BC_FORMAT, BC_IO, BC_NOMEM
 * The text has the path. */
BC_MUST_USE bool binary_open(const char *path, struct binary *out, struct bc_error *err);

BC_MUST_USE bool binary_open_for(const char *path, struct binary_needs needs, struct binary *out,
				 struct bc_error *err);

/* *has: the file is an ELF file with a BAT section.  BC_IO, BC_NOMEM */
BC_MUST_USE bool binary_has_bat(const char *path, bool *has, struct bc_error *err);

/* The same as binary_open() with .plain_will_do. */
BC_MUST_USE bool binary_open_plain(const char *path, struct binary *out, struct bc_error *err);
void binary_close(struct binary *binary);

/* The same for bytes in memory, which must outlive the binary. */
BC_MUST_USE bool binary_open_bytes(struct bytes file, struct binary *out, struct bc_error *err);

/* Where a vaddr of the optimised binary lies. */
struct place {
	const struct function *function;      /* NULL: in none                    */
	const struct bat_fragment *fragment;  /* NULL: BOLT did not touch it      */
	uint32_t offset;                      /* from the beginning of `function` */
};

/* near: a function that may well hold it, or NULL. */
struct place binary_place(const struct binary *binary, struct vaddr at,
			  const struct function *near);

/* Where it lies in the input binary. */
struct input_place {
	const struct function *function; /* that has the input function's name;
	                                    NULL: none                         */
	uint32_t offset;                 /* in the input function; 0 for none  */
};

/* Translate a place.  is_source: the address of a branch instruction.
 * False: in a cold fragment whose parent is not known, or all is lost. */
bool binary_translate(const struct binary *binary, struct place place, bool is_source,
		      struct input_place *out);

/* The function that stands for a place in the input binary: of a cold fragment
 * the parent.  NULL: in none, or of unknown parent. */
const struct function *binary_owner(const struct binary *binary, struct place place);

#endif
