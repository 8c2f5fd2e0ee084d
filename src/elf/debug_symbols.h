/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The symbol table of a stripped binary, out of the debug file that belongs to it
 * (debug_file.h): a file with the binary's section headers, of which those that are in
 * memory have no bytes, and with the symbols that were stripped.
 *
 * Two binaries that BOLT made of one input share its build-id, so that the id does not
 * say all: a debug file of whose code sections one has another place or size than the
 * binary's is of another build, too.
 */
#ifndef ELF_DEBUG_SYMBOLS_H
#define ELF_DEBUG_SYMBOLS_H

#include "src/base/file.h"
#include "src/elf/debug_file.h"
#include "src/elf/image.h"

/* Zeroed: none. */
struct debug_symbols {
	struct file_map map;
	struct image image;   /* sections only: no segments are looked at */
	uint32_t *section_of; /* per section of it: which of the binary's that is, or UINT32_MAX */
	char *path;           /* NULL: there is none */
	struct bc_error refused; /* BC_MISMATCH: a file was found, and is of another build */
};

/* Look for the debug file of a binary: dirs, and where debug_file.h says.  That there is none,
 * or that it cannot be used, is no error.
 *
 * BC_UNSUPPORTED  what stands there is no regular file
 * BC_NOMEM */
BC_MUST_USE bool debug_symbols_open(const struct image *binary, const char *path, const struct debug_dirs *dirs,
				    struct debug_symbols *out, struct bc_error *err);

/* Take `file` for the debug file of a binary; it must outlive *out.  false and BC_OK: it is none, or
 * of another build (out->refused).  BC_NOMEM */
BC_MUST_USE bool debug_symbols_take(const struct image *binary, struct bytes file, const char *path,
				    struct debug_symbols *out, struct bc_error *err);
void debug_symbols_close(struct debug_symbols *symbols);

#endif
