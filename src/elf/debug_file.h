/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Files with the debug information of a binary, which stand apart from it and are found by
 * what the binary says: its build-id, .gnu_debuglink, .gnu_debugaltlink.  Looked for are
 *
 *   /usr/lib/debug/.build-id/ab/cdef.debug
 *   the name of the link beside the binary and below .debug/ there,
 *   and below /usr/lib/debug/ in a directory of the binary's name; without a link NAME.debug
 *   of an alternative link: the name as it stands, or beside the file, and in .dwz/
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

#define DEBUG_FILE_ROOT "/usr/lib/debug"

/* Directories with debug files, in the order in which they are looked through. */
struct debug_dirs {
	const char *const *at;
	size_t count;
};

struct debug_name {
	enum named_by by;    /* NAMED_BY_DEBUGLINK or NAMED_BY_ALTLINK          */
	const char *of;      /* the file whose debug information it is          */
	const char *link;    /* what the link says; NULL: there is none         */
	struct build_id id;  /* that the file must have; .size 0: any           */
	uint32_t crc;        /* of the whole file, where there is no id; 0: any */
	const struct debug_dirs *dirs; /* NULL: none                            */
	struct bc_error *refused; /* NULL, or set to the first file that has the name and
				   * is of another build                        */
};

/* A descriptor, and the path for free(); or -1: err is BC_OK if there is no such file.
 * BC_UNSUPPORTED: what stands there is no regular file.  BC_NOMEM */
int debug_file_open(const struct debug_name *name, char **path, struct bc_error *err);

#endif
