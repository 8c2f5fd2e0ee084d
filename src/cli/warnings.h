/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a user must know even with --quiet. */
#ifndef CLI_WARNINGS_H
#define CLI_WARNINGS_H

#include "src/base/attr.h"
#include "src/event/reader.h"

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
