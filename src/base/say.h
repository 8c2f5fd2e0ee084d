/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines of a summary.  Names in them come from users and recordings: make_printable()
 * has the last word, as in the messages of errors. */
#ifndef BASE_SAY_H
#define BASE_SAY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "src/base/attr.h"
#include "src/base/error.h"
#include "src/base/text.h"

/* What messages and progress begin with. */
#define SAY_NAME "batconv: "

/* "batconv: TEXT\n": progress, and sums of one line. */
BC_PRINTF(2, 3) void say(FILE *out, const char *fmt, ...);

/* "LABEL     TEXT\n": a row of a summary.  An empty label: more about the row before. */
BC_PRINTF(3, 4) void say_row(FILE *out, const char *label, const char *fmt, ...);
/* What a row without a label begins with. */
#define SAY_CONTINUED "          "

/* "batconv: error: TEXT\n" and so on, as compilers have them: the word is in color if `out` is a
 * terminal, and the environment has no NO_COLOR.
 *
 * error    why the command failed: one a failure
 * hint     what the user can do about the error before: one at most
 * warning  the command succeeded, and its result is not all that was asked for
 * note     what the user should know, and nothing is wrong; or more of the message before
 */
BC_PRINTF(2, 3) void say_error(FILE *out, const char *fmt, ...);
BC_PRINTF(2, 3) void say_hint(FILE *out, const char *fmt, ...);
BC_PRINTF(2, 3) void say_warning(FILE *out, const char *fmt, ...);
BC_PRINTF(2, 3) void say_note(FILE *out, const char *fmt, ...);

/* When words are in color; COLOR_AUTO: as above. */
enum say_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
void say_set_color(enum say_color when);

/* What messages begin with under another program's name, as its own do: never in color. */
struct say_words {
	const char *error;
	const char *refused; /* an error: inputs that do not belong together */
	const char *warning, *hint, *note;
};
void say_as(const struct say_words *words);

/* A word alone, in green, magenta or red where the words above have their colors. */
enum say_mood { SAY_GOOD, SAY_DOUBTFUL, SAY_BAD };
void print_mood(const char *word, enum say_mood mood, FILE *out);

/* stderr with a buffer, for a text of many words such as JSON, each of which would be a write of
 * its own; stderr itself where there is no memory or no file descriptor.  To be ended. */
FILE *buffered_stderr(void);
void buffered_stderr_end(FILE *out);

/* The error, and its hint if there is one. */
void say_failure(FILE *out, const struct bc_error *err);

/* An error "FIRSTREST" and a note in a signal handler: to stderr, never in color. */
void say_error_in_handler(const char *first, const char *rest);
void say_note_in_handler(const char *text);

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
