/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any side file is refused, or it is the large file, whose parts make the same again. */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sparse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct file_map *large)
{
	struct sparse_part parts[2] = {{0, large->size / 3},
				       {large->size / 2, large->size - large->size / 2}};
	struct file_map again;
	struct bc_error err;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert(out && sparse_write(large, parts, 2, out, &err));
	assert(!fclose(out));
	assert(sparse_map((const uint8_t *)text, size, &again, &err));
	assert(again.size == large->size);
	assert(again.digest.size == large->digest.size);
	assert(!memcmp(again.digest.data, large->digest.data, large->digest.size));
	assert(!memcmp(again.data, large->data, (size_t)parts[0].size));
	assert(!memcmp(again.data + parts[1].offset, large->data + parts[1].offset,
		       (size_t)parts[1].size));
	file_unmap(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct file_map large;
	struct bc_error err;

	if (!sparse_is(data, size))
		return 0;
	if (!sparse_map(data, size, &large, &err)) {
		assert(err.code == BC_FORMAT || err.code == BC_UNSUPPORTED || err.code == BC_NOMEM);
		return 0;
	}
	if (large.size < 1 << 20)
		check_again(&large);
	file_unmap(&large);
	return 0;
}
