/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Snapshots are refused with the byte, or can be looked up, and are the same when
 * they are written and read again.  The input is tried as a whole file and as the
 * content of its frame, which a checksum would guard from all that a fuzzer does.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/bcmaps.h"
#include "tests/hostile/fuzz/support/check_snapshots.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct snapshots *all)
{
	struct snapshots again;
	struct bc_error err = {0};
	uint8_t *file;
	size_t size;

	check_snapshots(all);
	assert(bcmaps_write(all, &file, &size, &err));
	assert(bcmaps_read((struct bytes){file, size}, &again, &err));
	assert(again.all.len == all->all.len);
	check_same_snapshots(all, &again, all->all.len, true);
	snapshots_free(&again);
	free(file);
}

static void check_error(const struct bc_error *err)
{
	assert(err->code == BC_FORMAT || err->code == BC_UNSUPPORTED);
	assert(*err->text && !strchr(err->text, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, size};
	struct snapshots all;
	struct bc_error err = {0};

	if (bcmaps_read(bytes, &all, &err)) {
		check(&all);
		snapshots_free(&all);
	} else {
		check_error(&err);
	}
	if (bcmaps_read_content(bytes, &all, &err)) {
		check(&all);
		snapshots_free(&all);
	} else {
		check_error(&err);
	}
	return 0;
}
