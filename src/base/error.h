/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Errors.  A function that fails fills the struct of its caller and returns false; there
 * is nothing to free.  The text is made where the error is found.
 *
 * This is the error type of the program.  libbat has struct bat_error, which knows fields
 * of a table; where src calls libbat, its text is copied.  libbatconv copies these errors
 * to its public struct batconv_error.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

#include "src/base/attr.h"

enum bc_code {
	BC_OK,
	BC_NOMEM,       /* out of memory                                        */
	BC_IO,          /* the system refused to open, read or write            */
	BC_FORMAT,      /* the input is damaged                                 */
	BC_UNSUPPORTED, /* the input is fine, but not of a kind handled here    */
	BC_NOTFOUND,    /* what was asked for is not in the input               */
	BC_MISMATCH,    /* inputs that do not belong together                   */
	BC_EXISTS,      /* somebody else made the file first                    */
};

struct bc_error {
	enum bc_code code;
	char text[768];      /* one line, no newline, cut if longer; names from files are in
				it as make_printable() leaves them */
	unsigned short hint; /* where text[] has the hint, a string of its own after the line;
				0: there is none */
};

/* Fill `err`; returns false, so that callers can `return bc_fail(...)`. */
BC_PRINTF(3, 4)
bool bc_fail(struct bc_error *err, enum bc_code code, const char *fmt, ...);

/* The same for a failed system call: appends ": " and strerror(errno).  BC_IO, or BC_NOMEM for
 * ENOMEM. */
BC_PRINTF(2, 3)
bool bc_fail_errno(struct bc_error *err, const char *fmt, ...);

/* Out of memory. */
bool bc_fail_nomem(struct bc_error *err);

/* Adds to the error what the user can do: a command after "run: ", or a sentence.  A hint that
 * text[] has no room for is cut or left out.  Returns false. */
BC_PRINTF(2, 3)
bool bc_hint(struct bc_error *err, const char *fmt, ...);

/* The hint, or NULL. */
const char *bc_error_hint(const struct bc_error *err);

/* Put "PREFIX: " before the text that is there; the hint stays. */
bool bc_fail_prefix(struct bc_error *err, const char *prefix);

#endif
