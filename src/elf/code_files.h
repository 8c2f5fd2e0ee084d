/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Files with code, found by their build-id.
 *
 * Files that can be the binary that llvm-bolt read: llvm-bolt gives to what it writes the build-id
 * of what it read with a mark, so that the one follows from the other.  Looked for are
 *
 *   .build-id/ab/cdef, the same with .debug, and files of any name, in each directory that the user
 *   named files of any name in the directory of the binary
 *   .build-id/ab/cdef, the same with .debug, below /usr/lib/debug and /usr/lib
 *   BUILD-ID/executable in the cache of debuginfod clients: $DEBUGINFOD_CACHE_PATH, else
 *   $XDG_CACHE_HOME/debuginfod_client, else ~/.cache/debuginfod_client
 *
 * Of a directory INPUT_FILES_LOOKED_AT files are looked at, those first whose names begin as the
 * binary's does; one with more than INPUT_FILES_NAMES entries is passed over.  Debug files, which
 * have no code, are not meant.
 */
#ifndef ELF_CODE_FILES_H
#define ELF_CODE_FILES_H

#include "src/base/vec.h"
#include "src/elf/debug_file.h"

enum { INPUT_FILES_LOOKED_AT = 256, INPUT_FILES_NAMES = 16384, INPUT_FILES_MOST = 8 };

enum input_where { INPUT_IN_FOLDER, INPUT_BESIDE, INPUT_BY_BUILD_ID, INPUT_IN_CACHE };

/* "in the directory of --debug-dir", "next to the binary", ... */
const char *input_where_words(enum input_where where);
/* The same for programs: "debug-dir", "same-directory", "build-id", "cache". */
const char *input_where_key(enum input_where where);

struct input_file {
	char *path;
	enum input_where where;
};
DEFINE_VEC(input_file_vec, struct input_file);

struct input_files {
	struct input_file_vec all; /* at most INPUT_FILES_MOST, each once, in the order above */
	struct bc_error unread;    /* BC_IO: the first one that by its name can be the input, and
				      cannot be opened */
};

/* Finds them.  None: also of a binary that llvm-bolt did not write with a BAT, that has no build-id
 * or cannot be read. Zeroed or filled, *out is to be freed.  BC_NOMEM */
BC_MUST_USE bool input_files_find(const char *output, const struct debug_dirs *dirs,
				  struct input_files *out, struct bc_error *err);
void input_files_free(struct input_files *files);

/*
 * The file with the code of what was mapped, by its recorded path and build-id, perhaps on another
 * machine.  Looked for are
 *
 *   below each directory that the user named: .build-id/ab/cdef and the same with .debug, the
 *   recorded path, the name alone the recorded path
 *   .build-id/ab/cdef and the same with .debug below /usr/lib/debug and /usr/lib
 *   ~/.debug/.build-id/ab/cdef/elf, which perf record leaves
 *   BUILD-ID/executable in the cache of debuginfod clients
 *
 * A file with a build-id other than the recorded one, or without code, is another file.  Where no
 * build-id was recorded, the name must do.
 */

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
	CODE_FILE_NO_CODE, /* ... is damaged, of another kind or machine, or has no code in it */
	CODE_FILE_NO_MEMORY,
};

/* Opens it.  machine: that it must be of.
 *
 * path  as recorded, absolute, without " (deleted)"
 * id    .size 0: not recorded */
enum code_file_found code_file_open(const char *path, const struct build_id *id,
				    enum machine machine, const struct debug_dirs *dirs,
				    struct code_file *out);
void code_file_close(struct code_file *file);

#endif
