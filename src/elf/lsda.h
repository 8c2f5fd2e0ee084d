/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Exception tables (LSDA, in .gcc_except_table): at which call sites of a function exceptions continue where.  An FDE of
 * .eh_frame (eh_frame.h) points to that of its function:
 *
 *   u8 encoding, start of the landing pads   (ff: the function's)
 *   u8 encoding, uleb                        of the type table (ff: none), which ends that many bytes on
 *   u8 encoding, uleb size of the call sites
 *   call sites: start, size, landing pad (0: none), uleb action (0: only clean-up; else 1 + a byte of the actions)
 *   actions: sleb filter, sleb distance from itself to the next one (0: the last)
 *   type table: pointers to types, number -1 last; of a filter below 0 a list of numbers behind it
 */
#ifndef ELF_LSDA_H
#define ELF_LSDA_H

#include "src/base/vec.h"
#include "src/elf/eh_frame.h"

struct lsda_site {
	struct code_range code; /* vaddrs */
	uint64_t pad;           /* vaddr; 0: none, the exception goes on to the caller */
	uint64_t action;
};
DEFINE_VEC(lsda_site_vec, struct lsda_site);

struct lsda {
	struct lsda_site_vec sites; /* in the order of the table, which is that of addresses unless it is damaged */
	struct eh_cursor actions;   /* behind the call sites */
	uint64_t types;             /* vaddr where the type table ends; 0: none */
	uint8_t type_encoding;
	const char *bad;            /* what is damaged; NULL: nothing */
};

/* Reads the table at a vaddr, of a function that begins at another.  The bytes count as WORK_CALL_SITES: FDEs can share a table.
 * Returns false when out of memory, or when it is too much work (work_fail()). */
BC_MUST_USE bool lsda_read(const struct image *image, uint64_t table, uint64_t function, struct lsda *out);
void lsda_free(struct lsda *lsda);

/* Are the call sites in the order of addresses?  lsda_site_at() needs that. */
bool lsda_ascends(const struct lsda *lsda);

/* The call site that holds an address, or NULL: the table has none, so that an exception there ends the program.  Unwinders ask for the last
 * byte of a call. */
const struct lsda_site *lsda_site_at(const struct lsda *lsda, uint64_t address);

/* What is done at a call site, as words that are equal if it is the same: filters, each followed by the types that it
 * stands for.  Types are vaddrs of what the table points to; 0: any.  Returns how many words there are in `out`, at most `room`; a longer
 * list is cut.  *bad: what is damaged. */
size_t lsda_actions(const struct image *image, const struct lsda *lsda, uint64_t action, uint64_t *out, size_t room, const char **bad);

#endif
