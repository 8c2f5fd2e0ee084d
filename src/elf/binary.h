/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A binary as llvm-bolt left it: its file, its image, its functions and its BAT.
 * Conversions, checks, dumps and addresses all look at this; where there is no BAT,
 * or a BAT without a binary, its kind says so.
 *
 * src/elf/binary_open.h opens one; what stands below are the steps of that.
 * src/elf/translate.h is the way from a vaddr in it to the input binary.
 */
#ifndef ELF_BINARY_H
#define ELF_BINARY_H

#include "include/bat/bat.h"
#include "src/base/file.h"
#include "src/elf/debug_symbols.h"
#include "src/elf/functions.h"

enum binary_kind {
	BINARY_BOLTED,    /* llvm-bolt wrote it, with a BAT */
	BINARY_UNTOUCHED, /* llvm-bolt did not write it: it is its own input binary, and
	                     its functions are printed by their primary names */
	BINARY_LOST,      /* llvm-bolt wrote it without a BAT: its addresses cannot be translated */
	BINARY_SECTION,   /* the section of a BAT alone: no image, so no functions */
};

#define NO_FRAGMENT UINT32_MAX
#define NO_FUNCTION UINT32_MAX

/* Immutable once it is open.  What it does not have is all zero. */
struct binary {
	enum binary_kind kind;
	bool numbers_by_address; /* local functions are numbered as perf2bolt has it: local_names.h */
	struct file_map map; /* of the file, if it was mapped here */
	struct bytes file;   /* all of it; of bytes in memory borrowed */
	struct image image;
	struct bytes section; /* the note, its header included */
	struct bytes desc;    /* what the BAT is decoded from */
	struct bat_table bat; /* with parents repaired */
	struct bat_parents parents; /* what became of the cold fragments' parents */
	uint32_t *stored_parents;   /* per fragment: before that; NULL: not kept */
	struct debug_symbols debug; /* of a stripped file, if they were looked for and found */
	struct function_table functions;
	uint32_t *fragment_of; /* per function: the first fragment that begins where it
	                          does, or NO_FRAGMENT */
	uint32_t *function_of; /* per fragment: the function that begins where it does, or
	                          NO_FUNCTION */
};

void binary_close(struct binary *binary);

/* The function at the beginning of a fragment, or NULL. */
const struct function *binary_fragment_function(const struct binary *binary, uint32_t fragment);

/* The name of the input function that a fragment came from, as profiles have it;
 * NULL: not known. */
const char *binary_fragment_owner(const struct binary *binary, uint32_t fragment);

/* The size of a fragment in bytes; 0: not known. */
uint64_t binary_fragment_size(const struct binary *binary, uint32_t fragment);

/*
 * The steps of opening, in their order.  The texts of their errors have no path.
 */

/* From the file: image and kind.  Errors as of image_open(). */
BC_MUST_USE bool binary_take_image(struct binary *binary, struct bc_error *err);

/* The same, and a file that is a bare note is a BINARY_SECTION, with its section. */
BC_MUST_USE bool binary_take_image_or_section(struct binary *binary, struct bc_error *err);

/* section and desc.  BC_NOTFOUND: no BAT section.  BC_FORMAT: a damaged one. */
BC_MUST_USE bool binary_find_note(struct binary *binary, struct bc_error *err);

/* The debug file of a binary without symbols, to `debug`.  Errors as of debug_symbols_open(). */
BC_MUST_USE bool binary_find_debug(struct binary *binary, const char *path, const struct debug_dirs *dirs,
				   struct bc_error *err);

/* Functions, of which a BINARY_SECTION has none.  Errors as of functions_build().  Needs
 * neither the note nor `bat`, which the caller decodes from desc: one can be done while
 * the other is. */
BC_MUST_USE bool binary_build_functions(struct binary *binary, struct bc_error *err);

/* stored_parents, from `bat`: for checks.  BC_NOMEM */
BC_MUST_USE bool binary_keep_parents(struct binary *binary, struct bc_error *err);

/* Last, from `bat` and functions: parents, fragment_of, function_of, and which name is
 * printed.  BC_NOMEM */
BC_MUST_USE bool binary_settle(struct binary *binary, struct bc_error *err);

#endif
