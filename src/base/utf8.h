/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Characters of UTF-8 (RFC 3629).  Encodings that are longer than needed, surrogates, and numbers
 * above U+10FFFF are no characters. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/text.h"

#define UTF8_LONGEST ((size_t)4) /* bytes of a character */

/* The character that `text` begins with: its length, and which it is; 0 if there is none. */
size_t utf8_character(struct text text, uint32_t *character);

/* How many bytes the character at s takes, or 0 if it is none, or below a blank.  Looks no
 * further than a zero byte. */
size_t utf8_length(const unsigned char *s);

/* Nothing but UTF-8; control characters may be in it. */
bool utf8_is(const char *string);

#endif
