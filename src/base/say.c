/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/say.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/base/text.h"

enum { LINE_MAX_SIZE = 8192 };

struct kind {
	const char *word, *color; /* of SGR */
	size_t at;                /* where struct say_words has it */
};

static const struct kind error = {"error", "1;31", offsetof(struct say_words, error)},
			 refused = {"error", "1;31", offsetof(struct say_words, refused)},
			 warning = {"warning", "1;35", offsetof(struct say_words, warning)},
			 hint = {"hint", "1;36", offsetof(struct say_words, hint)},
			 note = {"note", "1", offsetof(struct say_words, note)};

static enum say_color color_when;
static const struct say_words *theirs; /* or NULL */

void say_set_color(enum say_color when)
{
	color_when = when;
}

void say_as(const struct say_words *words)
{
	theirs = words;
}

/* NULL: it is ours. */
static const char *their_word(const struct kind *kind)
{
	return theirs ? *(const char *const *)(const void *)((const char *)theirs + kind->at) :
			NULL;
}

static bool has_color(FILE *out)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
	int descriptor = out == stdout ? STDOUT_FILENO : fileno(out); /* see sink_stdout() */

	if (color_when != COLOR_AUTO)
		return color_when == COLOR_ALWAYS;
	return (!none || !*none) && terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
	       isatty(descriptor) == 1;
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

void print_mood(const char *word, enum say_mood mood, FILE *out)
{
	static const char *const colors[] = {
		[SAY_GOOD] = "1;32", [SAY_DOUBTFUL] = "1;35", [SAY_BAD] = "1;31"};

	if (has_color(out))
		fprintf(out, "\033[%sm%s\033[0m", colors[mood], word);
	else
		fputs(word, out);
}

static void say_line(FILE *out, const struct kind *kind, const char *line)
{
	if (their_word(kind))
		fprintf(out, "%s%s\n", their_word(kind), line);
	else if (has_color(out))
		fprintf(out, SAY_NAME "\033[%sm%s:\033[0m %s\n", kind->color, kind->word, line);
	else
		fprintf(out, SAY_NAME "%s: %s\n", kind->word, line);
}

BC_PRINTF(3, 0)
static void say_kind(FILE *out, const struct kind *kind, const char *fmt, va_list args)
{
	char line[LINE_MAX_SIZE];

	format_line(line, fmt, args);
	say_line(out, kind, line);
}

void say_error(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_kind(out, &error, fmt, args);
	va_end(args);
}

void say_warning(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_kind(out, &warning, fmt, args);
	va_end(args);
}

void say_hint(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_kind(out, &hint, fmt, args);
	va_end(args);
}

void say_note(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_kind(out, &note, fmt, args);
	va_end(args);
}

FILE *buffered_stderr(void)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !out)
		close(fd);
	return out ? out : stderr;
}

void buffered_stderr_end(FILE *out)
{
	if (out != stderr)
		fclose(out);
}

void say_failure(FILE *out, const struct bc_error *err)
{
	say_line(out, err->code == BC_MISMATCH ? &refused : &error, err->text);
	if (bc_error_hint(err))
		say_line(out, &hint, bc_error_hint(err));
}

/* ---- in signal handlers ---- */

/* One write, so that lines of other threads are not within the line. */
static void say_now(const struct kind *kind, const char *first, const char *rest)
{
	const char *their = their_word(kind);
	const char *const words[] = {their ? their : SAY_NAME,
				     their ? "" : kind->word,
				     their ? "" : ": ",
				     first,
				     rest,
				     "\n"};
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
	say_now(&error, first, rest);
}

void say_note_in_handler(const char *text)
{
	say_now(&note, text, "");
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
	say_line(out, &warning, text);
}
