/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/note_write.h"

#include <stdlib.h>
#include <string.h>

#define HEADER 20 /* with the owner's name, padded */

static bool fail(const struct bat_error *from, enum bc_code code, struct bc_error *err)
{
	return from->code == BAT_NOMEM ? bc_fail_nomem(err) : bc_fail(err, code, "%s", from->text);
}

static void put_u32(uint8_t *at, uint64_t value)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A note does not name its layout.  So the written table is read again: it must be recognised
 * as the layout that it has. */
static bool is_recognised(enum bat_layout layout, const uint8_t *desc, size_t size,
			  struct bc_error *err)
{
	struct bat_table again;
	struct bat_error why;

	if (!bat_decode_offsets(desc, size, &again, &why))
		return fail(&why, BC_FORMAT, err);
	bool same = again.layout == layout || !again.fragment_count;
	bat_free(&again);
	return same || bc_fail(err, BC_FORMAT, "the table would be taken for layout %s",
			       bat_layout_name(again.layout));
}

bool note_write(const struct bat_table *table, enum bat_layout layout, struct note_bytes *out,
		struct bc_error *err)
{
	struct bat_error why;
	uint8_t *desc;
	size_t size;

	if (!bat_encode(table, layout, &desc, &size, &why))
		return fail(&why, BC_UNSUPPORTED, err);
	size_t padded = (size + 3) & ~(size_t)3;
	uint8_t *data = calloc(1, HEADER + padded);
	bool ok = data ? is_recognised(layout, desc, size, err) : bc_fail_nomem(err);
	if (ok) {
		put_u32(data, sizeof(BAT_NOTE_OWNER));
		put_u32(data + 4, size);
		put_u32(data + 8, BAT_NOTE_TYPE);
		memcpy(data + 12, BAT_NOTE_OWNER, sizeof(BAT_NOTE_OWNER));
		memcpy(data + HEADER, desc, size);
		*out = (struct note_bytes){data, HEADER + padded};
	} else {
		free(data);
	}
	free(desc);
	return ok;
}
