/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any text is refused with one line that has a byte, or it is a table, which encodes
 * to bytes that decode to the same one, or is refused by the encoder for a reason.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/verify/table_json.h"
#include "tests/support/build_bat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_encoding(const struct bat_table *table)
{
	struct bat_table again;
	struct bat_error err;
	uint8_t *bytes;
	size_t size;

	if (!bat_encode(table, table->layout, &bytes, &size, &err)) {
		assert(err.code == BAT_ERROR_UNENCODABLE || err.code == BAT_ERROR_NOMEM);
		return;
	}
	if (bat_decode_as(table->layout, bytes, size, &again, &err)) {
		assert(again.fragment_count == table->fragment_count);
		assert(again.hot_count == table->hot_count);
		bat_free(&again);
	} else {
		/* Indices of no hot function, block offsets at 2^32: text can say so. */
		assert(err.code == BAT_ERROR_FORMAT);
	}
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bat_table table;
	struct bc_error err;
	int ends[2];

	if (packing_of(data, size) != PACKING_NONE)
		return 0; /* that is for fuzz_unpack */
	/* What a pipe holds without a reader. */
	if (size > 60000)
		return 0;
	assert(!pipe(ends));
	assert(write(ends[1], data, size) == (ssize_t)size);
	close(ends[1]);
	struct file_stream stream = {.name = "text", .fd = ends[0]};
	if (table_json_read(&stream, &table, &err)) {
		check_encoding(&table);
		bat_free(&table);
	} else {
		assert(err.code == BC_NOMEM ||
		       (err.code == BC_FORMAT && strstr(err.text, ", byte ")));
		assert(!strchr(err.text, '\n'));
	}
	close(ends[0]);
	return 0;
}
