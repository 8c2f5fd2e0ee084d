/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What callgrind writes.  Properties: no error but of format, compression or memory; no page
 * without a line, and 64 lines a page at most.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>

#include "src/trial/counted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct file_stream stream = {.name = "input", .fd = -1, .memory = data, .size = size};
	struct run_counts sum = {0};
	struct bc_error err = {0};

	bool ok = counted_read(&stream, &sum, &err);
	stream_close(&stream); /* it can be compressed */
	if (!ok) {
		assert(err.code == BC_FORMAT || err.code == BC_UNSUPPORTED || err.code == BC_NOMEM);
		return 0;
	}
	assert(sum.pages <= sum.lines && sum.lines <= 64 * sum.pages);
	return 0;
}
