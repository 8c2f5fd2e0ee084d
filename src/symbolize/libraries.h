/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The files that frames lie in, each opened once: for bases, functions and BAT.
 */
#ifndef SYMBOLIZE_LIBRARIES_H
#define SYMBOLIZE_LIBRARIES_H

#include "src/addrspace/mapped_files.h"
#include "src/elf/binary.h"

struct library {
	bool opened; /* else nothing is known of it */
	const struct binary *binary;
	struct binary own; /* unless it was given */
};

/* A file that the user names for what is mapped under its name or build-id. */
struct given_binary {
	const char *path;
	struct binary binary;
};

struct libraries {
	const struct mapped_files *files; /* borrowed: of the maps */
	struct given_binary *given;    /* borrowed */
	size_t given_count;
	bool open_mapped; /* open files under the path that was mapped */
	struct library **at; /* by the number of the file; NULL: not asked for yet */
	size_t len;
};

void libraries_free(struct libraries *libraries);

/* The library of a mapped file: a given one, or the file of its path if that is wanted,
 * is still there, and has the build-id that was recorded.  NULL: out of memory. */
struct library *libraries_of(struct libraries *libraries, uint32_t file);

#endif
