/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The file with the code of what was mapped, by its recorded path and build-id, perhaps on another machine.  Looked for are
 *
 *   below each directory that the user named: .build-id/ab/cdef and the same with .debug, the recorded path, the name alone
 *   the recorded path
 *   .build-id/ab/cdef and the same with .debug below /usr/lib/debug and /usr/lib
 *   ~/.debug/.build-id/ab/cdef/elf, which perf record leaves
 *   BUILD-ID/executable in the cache of debuginfod clients
 *
 * A file with a build-id other than the recorded one, or without code, is another file.  Where no build-id was recorded, the
 * name must do.
 */
#ifndef ELF_CODE_FILE_H
#define ELF_CODE_FILE_H

#include "src/elf/debug_file.h"

struct code_file {
	struct file_map map;
	struct image image;
	char *path;
};

/* What of it could not be found, or be used. */
enum code_file_found {
	CODE_FILE_OPEN,
	CODE_FILE_NOT_THERE,   /* no file has the name or the build-id */
	CODE_FILE_OTHER_BUILD, /* the file of that path is of another build */
	CODE_FILE_NO_CODE,     /* ... is damaged, of another kind or machine, or has no code in it */
	CODE_FILE_NO_MEMORY,
};

/* Opens it.  machine: that it must be of.
 *
 * path  as recorded, absolute, without " (deleted)"
 * id    .size 0: not recorded */
enum code_file_found code_file_open(const char *path, const struct build_id *id, enum machine machine, const struct debug_dirs *dirs,
				    struct code_file *out);
void code_file_close(struct code_file *file);

/* The directory of debuginfod's cache; false: there is none, or its path is too long. */
bool debuginfod_cache(char *root, size_t size);

#endif
