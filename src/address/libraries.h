/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The files that frames lie in, each opened once: for bases, functions and BAT.
 */
#ifndef ADDRESS_LIBRARIES_H
#define ADDRESS_LIBRARIES_H

#include "src/samples/snapshots.h"
#include "src/elf/binary.h"
#include "src/address/debug_lines.h"

struct library {
	bool opened;      /* else nothing is known of it */
	const char *path; /* of the file that was opened */
	const struct binary *binary;
	struct binary own;          /* unless it was given */
	bool source_asked;          /* for lines: */
	struct debug_lines *source; /* NULL: it has none that are right */
};

/* A file that the user names for what is mapped under its name or build-id. */
struct given_binary {
	const char *path;
	struct binary binary;
};

struct libraries {
	const struct mapped_files *files; /* borrowed: of the maps */
	struct given_binary *given;       /* borrowed */
	size_t given_count;
	bool open_mapped; /* open files under the path that was mapped */
	const struct debug_dirs
		*dirs;       /* where debug files are looked for, too; NULL: nowhere else */
	bool inlines;        /* sources tell inlined calls, too */
	struct library **at; /* by the number of the file; NULL: not asked for yet */
	size_t len;
};

void libraries_free(struct libraries *libraries);

/* The library of a mapped file: a given one, or the file of its path if that is wanted,
 * is still there, and has the build-id that was recorded.  NULL: out of memory. */
struct library *libraries_of(struct libraries *libraries, uint32_t file);

/* A debug file of a library that was found and is of another build, in words; NULL: none. */
const char *library_refused(const struct library *library);

/* Is the DWARF of a binary that of its own code?  What BOLT wrote has that of its input, unless it
 * was told to rewrite it
 * (-update-debug-sections). */
bool libraries_has_lines(const struct binary *binary);

/* The source of an opened library, to *out; NULL if it has no DWARF of its own code, or none
 * that libdw takes.
 *
 * BC_UNSUPPORTED  there is no libdw
 * BC_NOMEM */
BC_MUST_USE bool libraries_source(const struct libraries *libraries, struct library *library,
				  struct debug_lines **out, struct bc_error *err);

#endif
