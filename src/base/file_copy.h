/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The bytes of a file in memory of this program's own, where they cannot change while they are
 * read.  A mapped file changes with the file: whoever can write it can put another number where
 * one was checked, or end the file before what is read.
 */
#ifndef BASE_FILE_COPY_H
#define BASE_FILE_COPY_H

#include <sys/stat.h>

#include "src/base/file.h"

/* Whether a user other than root and the one who runs this program can write to it: by its owner,
 * and the rights of its group and of all.  Such a file is copied, not mapped. */
bool file_is_anothers(const struct stat *st);

/* A part of a file that is there, and no hole. */
struct file_extent {
	uint64_t begin, end;
};

/* The first one in [from, end).  False: there is none.  Reading a hole takes time, and in a tmpfs
 * memory, too. */
BC_MUST_USE bool file_extent_next(int fd, uint64_t from, uint64_t end, struct file_extent *out);

/* Makes room for a copy, all zeros.  Memory is taken only for the parts that are read.  name: for
 * messages.  BC_NOMEM */
BC_MUST_USE bool file_copy_begin(uint64_t size, struct file_map *out, struct bc_error *err);

/* Reads what is there of [offset, offset + size), which must lie in the copy, and adds it to
 * copy->present.  What the file does not have any more stays zero.  BC_IO, BC_NOMEM */
BC_MUST_USE bool file_copy_read(int fd, const char *name, struct file_map *copy, uint64_t offset,
				uint64_t size, struct bc_error *err);

/* Reads from a place of a file: fewer bytes than `size` only at its end.  -1: errno says why. */
ssize_t file_read_at(int fd, void *to, size_t size, uint64_t offset);

#endif
