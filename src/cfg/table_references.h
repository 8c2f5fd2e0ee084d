/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Jump tables that x86-64 code refers to, of all functions: where one begins, another
 * ends.  By a lea that is relative to the instruction, or by an address that is
 * scaled by 8,
 *
 *   lea TABLE(%rip), %a     jmp *TABLE(,%index,8)     mov TABLE(,%index,8), %a
 *
 * and by the first word there, which leads to code.  All code is looked through for
 * these bytes, and not decoded: what only looks like such an instruction has two or
 * three bytes of it, and hardly ever leads to such data.
 */
#ifndef CFG_TABLE_REFERENCES_H
#define CFG_TABLE_REFERENCES_H

#include "src/cfg/relocs.h"
#include "src/elf/functions.h"

/* Ascending, each once; of other machines none.  False when out of memory. */
BC_MUST_USE bool table_references_find(const struct image *image,
				       const struct function_table *functions,
				       struct address_vec *out);

/* The first above an address; UINT64_MAX: there is none. */
uint64_t table_reference_above(const struct address_vec *references, uint64_t address);

#endif
