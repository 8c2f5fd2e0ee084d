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

enum kind { ERROR, WARNING, HINT, NOTE };

static const struct {
	const char *word, *color; /* of SGR */
} kinds[] = {
	[ERROR] = {"error", "1;31"},
	[WARNING] = {"warning", "1;35"},
	[HINT] = {"hint", "1;36"},
	[NOTE] = {"note", "1"},
};

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
	fprintf(out, SAY_NAME "%s\n", line);
}

void say_row(FILE *out, const char *label, const char *fmt, ...)
{
	char line[LINE_MAX_SIZE];
	va_list args;

	va_start(args, fmt);
	format_line(line, fmt, args);
	va_end(args);
	fprintf(out, "%-9s %s\n", label, line);
}

static void say_line(FILE *out, enum kind kind, const char *line)
{
	bool colored = has_color(out);

	fprintf(out, SAY_NAME "%s%s%s%s:%s %s\n", colored ? "\033[" : "",
		colored ? kinds[kind].color : "", colored ? "m" : "", kinds[kind].word,
		colored ? "\033[0m" : "", line);
}

BC_PRINTF(3, 0)
static void say_kind(FILE *out, enum kind kind, const char *fmt, va_list args)
{
	char line[LINE_MAX_SIZE];

	format_line(line, fmt, args);
	say_line(out, kind, line);
}

void say_error(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_kind(out, ERROR, fmt, args);
	va_end(args);
}

void say_warning(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_kind(out, WARNING, fmt, args);
	va_end(args);
}

void say_hint(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_kind(out, HINT, fmt, args);
	va_end(args);
}

void say_note(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_kind(out, NOTE, fmt, args);
	va_end(args);
}

void say_failure(FILE *out, const struct bc_error *err)
{
	say_line(out, ERROR, err->text);
	if (bc_error_hint(err))
		say_line(out, HINT, bc_error_hint(err));
}

/* ---- in signal handlers ---- */

/* One write, so that lines of other threads are not within the line. */
static void say_now(enum kind kind, const char *first, const char *rest)
{
	const char *const words[] = {SAY_NAME, kinds[kind].word, ": ", first, rest, "\n"};
	char line[1024];
	size_t length = 0;

	for (size_t i = 0; i < BC_COUNT(words); i++)
		for (const char *c = words[i]; *c && length < sizeof(line); c++)
			line[length++] = *c;
	ssize_t ignored = write(STDERR_FILENO, line, length);
	(void)ignored;
}

void say_error_in_handler(const char *first, const char *rest)
{
	say_now(ERROR, first, rest);
}

void say_note_in_handler(const char *text)
{
	say_now(NOTE, text, "");
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
	say_line(out, WARNING, text);
}
