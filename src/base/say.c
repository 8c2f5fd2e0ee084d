/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/say.h"

#include <stdarg.h>

#include "src/base/attr.h"
#include "src/base/text.h"

BC_PRINTF(3, 0)
static void say_format(char *line, size_t size, const char *fmt, va_list args)
{
	vsnprintf(line, size, fmt, args);
	make_printable(line);
}

void say(FILE *out, const char *fmt, ...)
{
	char line[8192];
	va_list args;

	va_start(args, fmt);
	say_format(line, sizeof(line), fmt, args);
	va_end(args);
	fprintf(out, "batconv: %s\n", line);
}

/* ---- what a user must know even with --quiet ---- */

void warn(const struct warnings *to, const char *fmt, ...)
{
	char line[8192];
	va_list args;

	va_start(args, fmt);
	say_format(line, sizeof(line), fmt, args);
	va_end(args);
	to->each(to->ctx, line);
}

void warn_by_line(void *out, const char *text)
{
	say(out, "%s", text);
}
