/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines of a summary.  Names in them come from users and recordings: make_printable()
 * has the last word, as in the messages of errors. */
#ifndef BASE_SAY_H
#define BASE_SAY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "src/base/attr.h"
#include "src/base/text.h"

/* "batconv: TEXT\n" */
BC_PRINTF(2, 3) void say(FILE *out, const char *fmt, ...);

/* "batconv: error: TEXT\n" and "batconv: warning: TEXT\n", as compilers have them: the word is
 * in color if `out` is a terminal, and the environment has no NO_COLOR. */
BC_PRINTF(2, 3) void say_error(FILE *out, const char *fmt, ...);
BC_PRINTF(2, 3) void say_warning(FILE *out, const char *fmt, ...);

/* ---- what a user must know even with --quiet ---- */

/* Takes a line without newline and "batconv: warning: ". */
typedef void warning_fn(void *ctx, const char *text);

struct warnings {
	warning_fn *each;
	void *ctx;
};

BC_PRINTF(2, 3) void warn(const struct warnings *to, const char *fmt, ...);

/* Says it on the stream `out`: a warning_fn. */
void warn_by_line(void *out, const char *text);

#endif
