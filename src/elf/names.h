/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An arena of strings: they stay where they are until all are freed. */
#ifndef ELF_NAMES_H
#define ELF_NAMES_H

#include <stdint.h>

#include "src/base/work.h"

struct names {
	struct name_block *last; /* NULL: none yet */
	struct work *work;       /* what counts their characters; NULL: nothing does */
};

/* A string of up to four parts, NULL for fewer.  NULL when out of memory, or when it is
 * too much work. */
const char *names_join(struct names *names, const char *a, const char *b, const char *c,
		       const char *d);
void names_free(struct names *names);

/* Room for any 64-bit number. */
struct digits {
	char text[24];
};

/* "/N"; lower-case hexadecimal without 0x. */
struct digits digits_behind_slash(uint32_t number);
struct digits digits_hex(uint64_t number);

#endif
