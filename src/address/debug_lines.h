/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Source lines and inlined calls from DWARF, by libdw, of a file or of the debug file that
 * belongs to it.  libdw is loaded when first needed and found where it is installed; a build
 * without its headers knows no lines.
 */
#ifndef ADDRESS_DEBUG_LINES_H
#define ADDRESS_DEBUG_LINES_H

#include "src/elf/debug_file.h"
#include "src/address/dwarf_places.h"

struct debug_lines;

/* libdw asks debuginfod servers for what it does not find: a look-up of an address must not become
 * a download.  For programs of their own: it changes the environment. */
void debug_lines_stay_offline(void);

/* The version of libdw, which is loaded for it.  NULL: there is none, and err says why (BC_UNSUPPORTED). */
const char *debug_lines_library(struct bc_error *err);

/* Can source lines be had at all?  BC_UNSUPPORTED: built without libdw, or it is not installed. */
BC_MUST_USE bool debug_lines_can(struct bc_error *err);

/* dirs     where debug files are looked for, too; NULL: nowhere else
 * inlines  find inlined calls, too (dwarf_places.h)
 *
 * BC_UNSUPPORTED  built without libdw, or it is not installed
 *                 or what the file names as its debug file is no regular file
 * BC_IO           libdw does not take the file
 * BC_NOMEM */
BC_MUST_USE bool debug_lines_open(const char *path, const struct debug_dirs *dirs, bool inlines, struct debug_lines **out,
			     struct bc_error *err);
void debug_lines_close(struct debug_lines *source);

/* The first debug file that has the right name and is of another build, in words; NULL: none. */
const char *debug_lines_refused(const struct debug_lines *source);

/* The places of a vaddr; of count 0 if none is known, as of a file without DWARF.  They live as
 * long as the source.  BC_NOMEM */
BC_MUST_USE bool debug_lines_find(struct debug_lines *source, struct vaddr at, struct source_places *out,
			     struct bc_error *err);

#endif
