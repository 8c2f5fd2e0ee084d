/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All checks in their order. */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include "src/verify/checks.h"
#include "src/elf/binary.h"

/* How much of a binary's code the table maps, and why not the rest. */

/* X(NAME, "key", "why a function has no map") */
#define UNMAPPED_REASONS(X)                                                                        \
	X(IGNORED, "ignored", "ignored by BOLT: their offsets are the same in the input")          \
	X(ORIGINAL, "original-body",                                                               \
	  "original bodies of functions that BOLT moved: their offsets are those of the input")    \
	X(STUB, "stub", "PLT entries")                                                             \
	X(INSERTED, "inserted", "inserted by BOLT: the input has no such functions")               \
	X(REWRITTEN, "rewritten", "rewritten by BOLT, and not in the table")

enum unmapped_reason {
#define X(name, key, why) UNMAPPED_##name,
	UNMAPPED_REASONS(X)
#undef X
		UNMAPPED_COUNT
};

struct unmapped_info {
	const char *key, *why;
};

extern const struct unmapped_info unmapped_infos[UNMAPPED_COUNT];

struct table_coverage {
	uint64_t executable; /* bytes of executable sections                      */
	uint64_t mapped;     /* bytes of fragments                                */
	uint64_t rewritten;  /* bytes of the sections that BOLT wrote; 0: it wrote
				into the input's own                              */
	uint64_t mapped_functions, fragments;
	struct {
		uint64_t functions, bytes;
	} unmapped[UNMAPPED_COUNT];
};

struct verify_options {
	const char *binary;
	const char *input; /* NULL: not given         */
	bool no_code;      /* decode no instructions  */
	bool unwind;       /* compare what unwinders read; needs the input */
	bool dwarf;        /* compare debug information; needs the input */
	bool dwarf_if_any; /* the same where there is any and it can be read: else report->no_dwarf
			      says why it is not */
	unsigned threads;
	size_t most; /* findings to keep of each kind */
};

enum code_state { CODE_CHECKED, CODE_NOT_ASKED, CODE_PARTLY, CODE_ABSENT, CODE_NONE };

struct verify_report {
	struct binary subject; /* names in findings point into it   */
	bool decoded;          /* subject->bat is what was found    */
	bool linked;           /* coverage is known                 */
	enum code_state code;
	bool named; /* symbols is known */
	struct symbols_summary symbols;
	bool unwound; /* unwind is known */
	struct unwind_summary unwind;
	bool lined; /* lines is known */
	struct lines_summary lines;
	bool scoped; /* scopes is known */
	struct scopes_summary scopes;
	struct bc_error no_dwarf; /* BC_OK: it was compared, or not asked for */
	struct table_coverage coverage;
	struct findings findings;
};

/* True: there are findings, or there is nothing to find.  BC_NOTFOUND: no BAT section.  BC_IO,
 * BC_FORMAT, BC_UNSUPPORTED, BC_NOMEM: the file, the input or what is in them
 * cannot be read. */
BC_MUST_USE bool verify_run(const struct verify_options *options, struct verify_report *out,
			    struct bc_error *err);

/* Verifies a mapped subject: tests damage one in memory. */
BC_MUST_USE bool verify_subject(const struct verify_options *options, struct verify_report *report,
				struct bc_error *err);
void verify_free(struct verify_report *report);

#endif
