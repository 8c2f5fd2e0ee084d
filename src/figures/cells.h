/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Heat as a page has it: cells of one size, and no more of them than fit.  What adds up in larger cells is what was put
 * in, so that a page can zoom out by itself.
 */
#ifndef FIGURES_CELLS_H
#define FIGURES_CELLS_H

#include "src/base/json.h"
#include "src/figures/heat.h"

#define CELL_WANTED 64 /* bytes */

/* What addresses of a page are counted from: a browser's numbers have 53 bits.  0, or a multiple of all sizes of cells
 * that a page zooms through. */
#define BASE_NEEDED (UINT64_C(1) << 53)
#define BASE_UNIT (UINT64_C(2) << 20)

/* Writes heat of smaller buckets as an object of cells: of CELL_WANTED bytes, or as many times twice of that as makes
 * it fit into `room` characters.  Without cells it is an object, too.  false: out of memory */
BC_MUST_USE bool cells_write(struct json *json, const char *key, const struct heat *heat, size_t room);

#endif
