/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Of a file that somebody else may change or make, what tells what it is: the headers of an ELF
 * file, the names of its sections, and its small notes.  They are read into memory of our own,
 * and are all that image_open_map() and the kind of a binary take; the rest of it is zeros.
 */
#ifndef ELF_HEAD_H
#define ELF_HEAD_H

#include "src/base/file.h"

/* The most that is read of one table: of what is run, no file comes near. */
#define HEAD_TABLE_MOST ((uint64_t)1 << 20)

/* Also of a file that is no ELF file, of which its beginning is read.
 *
 * BC_FORMAT, BC_UNSUPPORTED  tables that lie outside the file, or are larger than that
 * BC_IO, BC_NOMEM
 * The texts have the name. */
BC_MUST_USE bool head_read(int fd, const char *name, struct file_map *out, struct bc_error *err);

#endif
