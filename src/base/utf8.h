/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes the UTF-8 character at s takes, or 0 if it is none, or a control
 * character.  Looks no further than a zero byte. */
size_t utf8_length(const unsigned char *s);

/* Nothing but UTF-8; control characters may be in it. */
bool utf8_is(const char *string);

#endif
