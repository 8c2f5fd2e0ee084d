/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Source lines and inlined calls from DWARF, by libdw, of a file or of the debug file that
 * belongs to it.  libdw is loaded when first needed and found where it is installed; a build
 * without its headers knows no lines.
 */
#ifndef ADDRESS_DEBUG_LINES_H
#define ADDRESS_DEBUG_LINES_H

#include "src/base/address.h"
#include "src/elf/debug_file.h"

/* Where in the source an address is, in one function of those that were inlined into each
 * other there. */
struct source_place {
	const char *function; /* NULL: not known; mangled if it has such a name */
	const char *file;     /* NULL: not known */
	uint32_t line;        /* 0: not known */
};

/* Innermost first; the last one is the function that the code belongs to, the others were
 * inlined.  Strings live as long as what they were read from. */
struct source_places {
	const struct source_place *at;
	size_t count;
};

struct debug_lines;

/* libdw asks debuginfod servers for what it does not find: a look-up of an address must not become
 * a download.  For programs of their own: it changes the environment. */
void debug_lines_stay_offline(void);

/* Can source lines be had at all?  BC_UNSUPPORTED: built without libdw, or it is not installed. */
BC_MUST_USE bool debug_lines_can(struct bc_error *err);

/* dirs     where debug files are looked for, too; NULL: nowhere else
 * inlines  find inlined calls, too: else there is one location, the line of the instruction,
 *          without a function
 *
 * BC_UNSUPPORTED  built without libdw, or it is not installed
 *                 or what the file names as its debug file is no regular file
 * BC_IO           libdw does not take the file
 * BC_NOMEM */
BC_MUST_USE bool debug_lines_open(const char *path, const struct debug_dirs *dirs, bool inlines,
				  struct debug_lines **out, struct bc_error *err);
void debug_lines_close(struct debug_lines *source);

/* The first debug file that has the right name and is of another build, in words; NULL: none. */
const char *debug_lines_refused(const struct debug_lines *source);

/* The locations of a vaddr; of count 0 if none is known, as of a file without DWARF.  They live as
 * long as the source.  BC_NOMEM */
BC_MUST_USE bool debug_lines_find(struct debug_lines *source, struct vaddr at,
				  struct source_places *out, struct bc_error *err);

/* Before all addresses of a function are looked up, in their order: reads its inlined calls at
 * once, where each look-up would search the unit for them.  What it reads replaces that of the
 * function before.  at: the beginning of the function.  BC_NOMEM */
BC_MUST_USE bool debug_lines_read(struct debug_lines *source, struct vaddr at, uint64_t size,
				  struct bc_error *err);

/* Has the file, or the debug file that belongs to it, any debug information? */
bool debug_lines_has(const struct debug_lines *source);

#endif
