/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Source lines from DWARF, by libdw.  libdw is loaded when first needed and found
 * where it is installed; a build without its headers knows no lines.
 */
#ifndef SYMBOLIZE_SOURCE_H
#define SYMBOLIZE_SOURCE_H

#include "src/base/address.h"
#include "src/base/error.h"

struct source;

/* BC_UNSUPPORTED  built without libdw, or it is not installed
 * BC_IO           libdw does not take the file
 * BC_NOMEM */
BC_MUST_USE bool source_open(const char *path, struct source **out, struct bc_error *err);
void source_close(struct source *source);

/* The file and line of a vaddr.  *file lives as long as the source.  False: none
 * is known. */
bool source_find(struct source *source, struct vaddr at, const char **file, unsigned *line);

#endif
