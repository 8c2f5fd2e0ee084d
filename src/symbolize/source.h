/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Source lines and inlined calls from DWARF, by libdw, of a file or of the debug file that
 * belongs to it.  libdw is loaded when first needed and found where it is installed; a build
 * without its headers knows no lines.
 */
#ifndef SYMBOLIZE_SOURCE_H
#define SYMBOLIZE_SOURCE_H

#include "src/elf/debug_file.h"
#include "src/symbolize/dwarf_places.h"

struct source;

/* libdw asks debuginfod servers for what it does not find: a look-up of an address must not become
 * a download.  For programs of their own: it changes the environment. */
void source_stay_offline(void);

/* dirs     where debug files are looked for, too; NULL: nowhere else
 * inlines  find inlined calls, too (dwarf_places.h)
 *
 * BC_UNSUPPORTED  built without libdw, or it is not installed
 *                 or what the file names as its debug file is no regular file
 * BC_IO           libdw does not take the file
 * BC_NOMEM */
BC_MUST_USE bool source_open(const char *path, const struct debug_dirs *dirs, bool inlines, struct source **out,
			     struct bc_error *err);
void source_close(struct source *source);

/* The first debug file that has the right name and is of another build, in words; NULL: none. */
const char *source_refused(const struct source *source);

/* The places of a vaddr; of count 0 if none is known, as of a file without DWARF.  They live as
 * long as the source.  BC_NOMEM */
BC_MUST_USE bool source_find(struct source *source, struct vaddr at, struct source_places *out,
			     struct bc_error *err);

#endif
