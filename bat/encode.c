/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/encode.h"
#include "bat/fail.h"

#include <stdlib.h>

bool bat_encode(const struct bat_table *table, enum bat_layout layout,
		uint8_t **data, size_t *size, struct bat_error *err)
{
	struct bat_buffer s = { NULL, 0, 0, false };
	struct bat_error unread = { 0 };
	bool done;

	err = err ? err : &unread;
	*data = NULL;
	*size = 0;
	if (!bat_know_layout(layout, err))
		return false;
	done = layout == BAT_LAYOUT_FIXED
		       ? bat_write_fixed(&s, table, err)
		       : bat_write_leb(&s, table, layout, err);

	if (done && s.failed)
		done = bat_fail_nomem(err);
	if (!done) {
		free(s.data);
		return false;
	}
	*data = s.data;
	*size = s.size;
	return true;
}
