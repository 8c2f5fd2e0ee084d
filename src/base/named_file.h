/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Files that an input names, not the user: a stranger's recording says which files were
 * mapped, a stranger's binary where its debug information is.  The program
 * opens such a file through this function only, and only if it is a regular file, for reading.
 * A FIFO or a device is not opened; if one takes the name of a file at the last
 * moment, it is opened without waiting and closed again.
 *
 * docs/security.md has the same list: who names files, and which command opens them.
 */
#ifndef BASE_NAMED_FILE_H
#define BASE_NAMED_FILE_H

#include "src/base/error.h"

enum named_by {
	NAMED_BY_MAPPING,   /* a path in a recording, in maps, or of a process */
	NAMED_BY_BUILD_ID,  /* below the system's directory of debug files        */
	NAMED_BY_INPUT_ID,  /* beside a BOLTed binary, and where debug files lie */
	NAMED_BY_DEBUGLINK, /* .gnu_debuglink: where the debug file is         */
	NAMED_BY_ALTLINK,   /* .gnu_debugaltlink: what debug files share       */
	NAMED_BY_FOLDER,    /* an entry of a directory that the user named        */
	NAMED_BY_COUNT,
};

/* What names the file, in words: of the message, and of the list in docs/security.md. */
const char *named_by_words(enum named_by by);

/* Links are followed.
 * BC_IO           it cannot be opened
 * BC_UNSUPPORTED  it is there, and no regular file */
BC_MUST_USE bool named_file_open(const char *path, enum named_by by, int *fd, struct bc_error *err);

#endif
