/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any descriptor gives a report.  What decodes under a layout can be walked field by
 * field to its last byte, and what cannot be walked does not decode.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>

#include "bat/layout.h"
#include "src/verify/verify.h"
#include "src/elf/binary.h"
#include "tests/hostile/fuzz/support/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool add_size(void *ctx, const struct bat_field *f)
{
	uint64_t *next = ctx;

	assert(f->byte == *next);
	*next += f->size;
	return true;
}

static void check_walks(const uint8_t *data, size_t size)
{
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++) {
		struct bat_table table;
		struct bat_error err;
		uint64_t next = 0;
		bool walked = bat_fields((enum bat_layout)i, data, size, add_size, &next, &err);
		assert(!walked || next == size);
		if (bat_decode_as((enum bat_layout)i, data, size, &table, &err)) {
			assert(walked);
			bat_free(&table);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t header[20] = {5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'B', 'O', 'L', 'T'};
	struct verify_options options = {.binary = "note", .threads = 1, .most = 3};
	struct verify_report report = {.code = CODE_NONE};
	size_t padded = (size + 3) & ~(size_t)3;
	struct bc_error err;

	if (size > 1 << 20)
		return 0;
	check_walks(data, size);
	uint8_t *note = calloc(1, sizeof(header) + padded + 1);
	assert(note);
	memcpy(note, header, sizeof(header));
	for (unsigned i = 0; i < 4; i++)
		note[4 + i] = (uint8_t)(size >> 8 * i);
	if (size)
		memcpy(note + sizeof(header), data, size);
	struct bytes bytes = {note, sizeof(header) + padded};
	assert(binary_map_bytes(bytes, &report.subject, &err));
	assert(verify_subject(&options, &report, &err));
	assert(report.decoded || report.findings.len == 1);
	for (size_t i = 0; i < report.findings.len; i++)
		assert(report.findings.at[i].location.byte == NO_OFFSET ||
		       report.findings.at[i].location.byte <= size);
	verify_free(&report);
	free(note);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_bat(data, size, most, seed);
}
