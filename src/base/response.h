/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Response files.  A word @FILE of a command line becomes the words of FILE, as in LLVM's programs:
 *
 *   - Blanks, tabs and line ends separate words.  Words of nothing but quotes are left out.
 *   - A zero byte ends its word: what follows it up to the next blank is left out.
 *   - A backslash keeps the next byte as it is, within quotes, too.  Quotes are ' and ".
 *   - A byte order mark of UTF-8 is left out.  Text of UTF-16 that has one is converted.
 *   - A word of FILE can be @FILE again.  A relative name is relative to the working directory.
 *   - If FILE does not exist, the word stays as it is.
 */
#ifndef BASE_RESPONSE_H
#define BASE_RESPONSE_H

#include <stddef.h>

#include "src/base/error.h"
#include "src/base/vec.h"

/* The most bytes that all response files of a command line have together.  Each counts as
 * RESPONSE_LEAST bytes at least, as small files can name each other many times. */
#define RESPONSE_MOST  ((size_t)64 << 20)
#define RESPONSE_LEAST ((size_t)4096)

DEFINE_VEC(argument_vec, char *);

struct response {
	struct argument_vec words; /* a NULL follows the last one */
	struct argument_vec files; /* the names of the files, borrowed from words */
	struct argument_vec texts; /* what the words of files are in */
};

/* Is the word one of this program's?  Asked of each word in order until one is not: that word and
 * those that follow belong to another program, and stay as they are. */
struct word_owner {
	void *ctx;
	bool (*owns)(void *ctx, const char *word);
};

/* Replaces the response files of argv[1 ..].  response_free() in any case.
 *
 * BC_IO      a file cannot be read
 * BC_FORMAT  a file that contains itself; text that is no UTF-16; more than RESPONSE_MOST bytes
 * BC_NOMEM */
BC_MUST_USE bool response_expand(int argc, char **argv, struct word_owner owner,
				 struct response *out, struct bc_error *err);
void response_free(struct response *response);

/* Which words there are. */
enum word_rule {
	WORDS_OF_LLVM,  /* as above */
	WORDS_OF_SHELL, /* those of nothing but quotes are words, too, and empty */
};

/* Cuts text into words, which are written over it: text[size] can be written to.
 * False: out of memory. */
BC_MUST_USE bool response_words(char *text, size_t size, enum word_rule rule,
				struct argument_vec *out);

/* If the text begins as UTF-16 does, replaces it by UTF-8; leaves out the mark of UTF-8.  *text is
 * of malloc() and has room for a byte more than *size.  BC_FORMAT, BC_NOMEM */
BC_MUST_USE bool response_utf8(char **text, size_t *size, struct bc_error *err);

#endif
