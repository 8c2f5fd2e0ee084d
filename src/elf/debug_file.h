/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Files with the debug information of a binary, which are apart from it and are found by
 * what the binary says: its build-id, .gnu_debuglink, .gnu_debugaltlink.  Looked for are
 *
 *   /usr/lib/debug/.build-id/ab/cdef.debug
 *   the name of the link next to the binary and below .debug/ there,
 *   and below /usr/lib/debug/ in a directory of the binary's name; without a link NAME.debug
 *   of an alternative link: the name as it is, or next to the file, and in .dwz/
 *
 *
 * and, before all of these, below each directory that the user named: .build-id/ab/cdef.debug,
 * the name of the link, NAME.debug.
 *
 * A file that is found is the binary's: by its build-id, or, without one, by its checksum.
 */
#ifndef ELF_DEBUG_FILE_H
#define ELF_DEBUG_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/build_id.h"
#include "src/base/file.h"
#include "src/elf/image.h"

#define DEBUG_FILE_ROOT "/usr/lib/debug"

/* Directories with debug files, in the order in which they are looked through. */
struct debug_dirs {
	const char *const *at;
	size_t count;
};

struct debug_name {
	enum named_by by;              /* NAMED_BY_DEBUGLINK or NAMED_BY_ALTLINK          */
	const char *of;                /* the file whose debug information it is          */
	const char *link;              /* what the link says; NULL: there is none         */
	struct build_id id;            /* that the file must have; .size 0: any           */
	uint32_t crc;                  /* of the whole file, where there is no id; 0: any */
	const struct debug_dirs *dirs; /* NULL: none                            */
	struct bc_error *refused;      /* NULL, or set to the first file that has the name and
					* is of another build                        */
};

/* A descriptor, and the path for free(); or -1: err is BC_OK if there is no such file.
 * BC_UNSUPPORTED: what is there is no regular file.  BC_NOMEM */
int debug_file_open(const struct debug_name *name, char **path, struct bc_error *err);

/*
 * The symbol table of a stripped binary, out of the debug file that belongs to it
 * (debug_file.h): a file with the binary's section headers, of which those that are in
 * memory have no bytes, and with the symbols that were stripped.
 *
 * Two binaries that BOLT made of one input share its build-id, so that the id does not
 * say all: a debug file of whose code sections one has another address or size than the
 * binary's is of another build, too.
 */

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
 * BC_UNSUPPORTED  what is there is no regular file
 * BC_NOMEM */
BC_MUST_USE bool debug_symbols_open(const struct image *binary, const char *path,
				    const struct debug_dirs *dirs, struct debug_symbols *out,
				    struct bc_error *err);

/* Take `file` for the debug file of a binary; it must outlive *out.  false and BC_OK: it is none,
 * or of another build (out->refused).  BC_NOMEM */
BC_MUST_USE bool debug_symbols_take(const struct image *binary, struct bytes file, const char *path,
				    struct debug_symbols *out, struct bc_error *err);
void debug_symbols_close(struct debug_symbols *symbols);

#endif
