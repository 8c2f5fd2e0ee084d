/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A list in a page that may take so many bytes: values are added while they fit. */
#ifndef FIGURES_PART_H
#define FIGURES_PART_H

#include <stdlib.h>

#include "src/base/attr.h"
#include "src/base/json.h"

struct page_part {
	size_t room;      /* bytes that are left */
	uint64_t base;    /* as of the list's json */
	struct json json; /* the next value is written here, between part_begin() and part_end() */
	char *text;
	size_t size;
};

/* false: out of memory */
BC_MUST_USE bool part_begin(struct page_part *part);

/* Adds the value to a list if there is room for it and for `more` bytes elsewhere, which are taken from the room, too.  *added: it was.
 * false: out of memory */
BC_MUST_USE bool part_end(struct page_part *part, size_t more, struct json *list, bool *added);

#endif
