/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages.  Names in them come from users and recordings: make_printable() has the last word, as in the
 * messages of errors. */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "src/base/attr.h"
#include "src/base/text.h"
#include "src/samples/reader.h"

/* "batconv: TEXT\n" */
BC_PRINTF(2, 3) void say(FILE *out, const char *fmt, ...);

/* The text alone; cut if it is longer. */
BC_PRINTF(3, 0) void say_format(char *line, size_t size, const char *fmt, va_list args);

/* "batconv: WHY", or what the adviser says in its place (operands.h), and the exit code. */
int fail(const struct bc_error *err);

/* The same of a file: "batconv: FILE: WHY". */
int fail_file(const char *file, const struct bc_error *err);

/* ---- what a user must know even with --quiet ---- */

/* Takes a line without newline and "batconv: ". */
typedef void warning_fn(void *ctx, const char *text);

struct warnings {
	warning_fn *each;
	void *ctx;
};

BC_PRINTF(2, 3) void warn(const struct warnings *to, const char *fmt, ...);

/* What of an input was not read, and why. */
void warn_of_loss(const char *path, const struct reader_report *report, const struct warnings *to);

/* The same to stderr.  Returns reader_report_is_partial(). */
bool tell_loss(const char *path, const struct reader_report *report);

#endif
