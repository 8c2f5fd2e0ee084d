/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Bounds the work by the size of the file.  Each byte that is read is counted as often as it
 * is read, and the sum may be some times the size of the file.  For sound files each byte is
 * read about once; a file whose n entries all refer to the same n bytes is refused.
 *
 * Each kind of work has a count of its own, so that whether a file is refused, and with
 * which message, does not depend on which thread comes first.
 */
#ifndef BASE_WORK_H
#define BASE_WORK_H

#include <stdatomic.h>
#include <stdint.h>

#include "src/base/error.h"

/* The most that may be read of a file of n bytes: WORK_TIMES * n + WORK_ALWAYS. */
#define WORK_TIMES  8
#define WORK_ALWAYS (UINT64_C(1) << 20)

enum work_kind {
	WORK_SECTIONS,      /* bytes of sections that are read                       */
	WORK_SEGMENTS,      /* bytes of segments                                     */
	WORK_SECTION_NAMES, /* characters                                            */
	WORK_SYMBOL_NAMES,  /* characters, of the symbol table and of relocations    */
	WORK_NAMES_MADE,    /* characters of names that are not in the file as such  */
	WORK_PLT,           /* symbols that PLT entries are looked for among         */
	WORK_CALL_SITES,    /* bytes of tables of call sites                         */
	WORK_CFI,           /* bytes of call frame instructions, and rules of rows      */
	WORK_JUMP_TABLES,   /* bytes of jump tables, and instructions on the way back to them */
	WORK_BLOCK_MAP,     /* bytes of code in blocks of the compiler's map                */
	WORK_TIES,  /* bytes of code that is compared with the other binary's, and its instructions,
		       as often as they are looked at */
	WORK_DEBUG, /* bytes of debug information, decompressed                     */
	WORK_LINES, /* bytes of line tables, each 24 times: as rows they take as much memory */
	WORK_LINE_FILES,  /* characters of the paths of line tables                       */
	WORK_ENTRIES,     /* entries of .debug_info, and how deep each is                 */
	WORK_SCOPES,      /* entries of .debug_info, how deep each is, and their attributes  */
	WORK_RANGES,      /* ranges of addresses, and ranges of code that they cover         */
	WORK_EXPRESSIONS, /* operations of expressions, each 32 times                     */
	WORK_KINDS,
};

struct work {
	uint64_t size; /* of the file */
	uint64_t most;
	atomic_uint_least64_t done[WORK_KINDS];
};

void work_begin(struct work *work, uint64_t size);

/* Count work of a kind.  False: it is too much now, or was before.  NULL: nothing is counted. */
BC_MUST_USE bool work_spend(struct work *work, enum work_kind kind, uint64_t amount);

/* True: nothing was too much.  Else BC_FORMAT, and which limit it is. */
BC_MUST_USE bool work_check(const struct work *work, struct bc_error *err);

/* For a function that failed because of too much work or too little memory: fill the error with the
 * one or the other.  Returns false. */
bool work_fail(const struct work *work, struct bc_error *err);

#endif
