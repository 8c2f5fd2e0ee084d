/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The rule that bounds work by the size of a file: a byte that many refer to is counted as
 * often as it is read for them, and all that is read together is at most some times what
 * the file has.  Sound files read each byte about once, as what refers to it is as large
 * as itself; a file whose n entries all lead to the same n bytes is refused.
 *
 * Each kind of work has a count of its own, so that whether a file is refused, and with
 * which message, does not depend on which thread comes first.
 */
#ifndef BASE_WORK_H
#define BASE_WORK_H

#include <stdatomic.h>
#include <stdint.h>

#include "src/base/error.h"

/* What may be read of a file of n bytes: n times the first, and the second. */
#define WORK_TIMES 8
#define WORK_ALWAYS (UINT64_C(1) << 20)

enum work_kind {
	WORK_SECTIONS,      /* bytes of sections that are read                       */
	WORK_SEGMENTS,      /* bytes of segments                                     */
	WORK_SECTION_NAMES, /* characters                                            */
	WORK_SYMBOL_NAMES,  /* characters, of the symbol table and of relocations    */
	WORK_NAMES_MADE,    /* characters of names that are not in the file as such  */
	WORK_PLT,           /* symbols that PLT entries are looked for among         */
	WORK_CALL_SITES,    /* bytes of tables of call sites                         */
	WORK_JUMP_TABLES,   /* bytes of jump tables, and instructions on the way back to them */
	WORK_KINDS,
};

struct work {
	uint64_t most;
	atomic_uint_least64_t done[WORK_KINDS];
};

void work_begin(struct work *work, uint64_t size);

/* Count some.  False: it is too much, now or before.  NULL counts nothing. */
BC_MUST_USE bool work_spend(struct work *work, enum work_kind kind, uint64_t amount);

/* True: nothing was too much.  Else BC_FORMAT, and which limit it is. */
BC_MUST_USE bool work_check(const struct work *work, struct bc_error *err);

/* What a function that fails of too much work or of too little memory failed of; returns false. */
bool work_fail(const struct work *work, struct bc_error *err);

#endif
