/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bytes of a note section around a descriptor. */
#ifndef CHECK_NOTE_WRITE_H
#define CHECK_NOTE_WRITE_H

#include "include/bat/bat.h"
#include "src/base/error.h"

struct note_bytes {
	uint8_t *data; /* the section; free it */
	size_t size;
};

/* Encode a table as a section.  BC_UNSUPPORTED: the layout cannot hold it.
 * BC_FORMAT: it would not be recognised when read.  BC_NOMEM. */
BC_MUST_USE bool note_write(const struct bat_table *table, enum bat_layout layout,
			    struct note_bytes *out, struct bc_error *err);

#endif
