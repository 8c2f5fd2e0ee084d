/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any bytes as an ELF file with debug information: it is refused with one line, or spans ascend,
 * rows ascend in their span, what is found of an address holds it, files and uses are of listed
 * units.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <string.h>

#include "src/verify/line_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_span(const struct line_rows *rows, const struct line_span *span, uint64_t reach)
{
	const struct line_row *found[8];

	assert(span->start < span->end && span->reach >= reach && span->reach >= span->end);
	assert(span->count && span->first <= rows->rows.len &&
	       span->count <= rows->rows.len - span->first);
	for (size_t i = 0; i < span->count; i++) {
		const struct line_row *row = &rows->rows.at[span->first + i];
		assert(i ? row->address >= row[-1].address : row->address == span->start);
		assert(row->address <= span->end);
	}
	size_t count = line_rows_at(rows, span->start, found, 8);
	for (size_t i = 0; i < count; i++)
		assert(found[i]->address <= span->start);
	assert(line_rows_next(rows, span->start, span->end) > span->start);
	line_rows_maybe(rows, span->end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strings paths = {0};
	struct image image;
	struct line_rows rows;
	struct bc_error err;

	if (size > 1 << 16 || !image_open((struct bytes){data, size}, &image, &err))
		return 0;
	if (!line_rows_read(&image, &paths, &rows, &err)) {
		assert(err.code == BC_FORMAT || err.code == BC_UNSUPPORTED);
		assert(*err.text && !strchr(err.text, '\n'));
	} else {
		for (size_t i = 0; i < rows.spans.len; i++) {
			assert(i == 0 || rows.spans.at[i].start >= rows.spans.at[i - 1].start);
			check_span(&rows, &rows.spans.at[i], i ? rows.spans.at[i - 1].reach : 0);
		}
		for (size_t i = 0; i < rows.units.len; i++)
			assert(rows.units.at[i].first_file +
				       (uint64_t)rows.units.at[i].file_count <=
			       rows.files.len);
		for (size_t i = 0; i < rows.uses.len; i++)
			assert(rows.uses.at[i].unit < rows.units.len &&
			       (i == 0 || rows.uses.at[i].unit >= rows.uses.at[i - 1].unit));
		line_rows_free(&rows);
	}
	image_close(&image);
	strings_free(&paths);
	return 0;
}
