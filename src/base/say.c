/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/base/text.h"

enum { LINE_MAX_SIZE = 8192 };

static const char red[] = "\033[1;31m", magenta[] = "\033[1;35m", plain[] = "\033[0m";

static bool has_color(FILE *out)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return (!none || !*none) && terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
	       isatty(fileno(out)) == 1;
}

BC_PRINTF(2, 0)
static void format_line(char line[LINE_MAX_SIZE], const char *fmt, va_list args)
{
	vsnprintf(line, LINE_MAX_SIZE, fmt, args);
	make_printable(line);
}

void say(FILE *out, const char *fmt, ...)
{
	char line[LINE_MAX_SIZE];
	va_list args;

	va_start(args, fmt);
	format_line(line, fmt, args);
	va_end(args);
	fprintf(out, "batconv: %s\n", line);
}

/* A line after a word that says what kind of message it is. */
BC_PRINTF(4, 0)
static void say_kind(FILE *out, const char *kind, const char *color, const char *fmt, va_list args)
{
	bool colored = has_color(out);
	char line[LINE_MAX_SIZE];

	format_line(line, fmt, args);
	fprintf(out, "batconv: %s%s:%s %s\n", colored ? color : "", kind, colored ? plain : "",
		line);
}

void say_error(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_kind(out, "error", red, fmt, args);
	va_end(args);
}

void say_warning(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_kind(out, "warning", magenta, fmt, args);
	va_end(args);
}

/* ---- what a user must know even with --quiet ---- */

void warn(const struct warnings *to, const char *fmt, ...)
{
	char line[LINE_MAX_SIZE];
	va_list args;

	va_start(args, fmt);
	format_line(line, fmt, args);
	va_end(args);
	to->each(to->ctx, line);
}

void warn_by_line(void *out, const char *text)
{
	say_warning(out, "%s", text);
}
