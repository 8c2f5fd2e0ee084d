/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compressed data in chunks of any size, with little room or much, gives the same bytes and the
 * same verdict as all of it at once, and never more than its limit. */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 1 << 18 };
static const struct unpack_limit limit = {ROOM / 4, 64};

struct result {
	uint8_t at[ROOM];
	size_t size;
	bool ok, whole;
	enum bc_code code;
};

/* Chunks of `in` bytes, and `out` bytes of room. */
static void run(const uint8_t *data, size_t size, size_t in, size_t out, struct result *result)
{
	struct bc_error err = {0};
	struct unpack *unpack = unpack_create(packing_of(data, size), limit, &err);

	assert(unpack);
	*result = (struct result){.ok = true};
	for (size_t at = 0; result->ok && result->size < ROOM;) {
		size_t piece = size - at < in ? size - at : in;
		size_t capacity = ROOM - result->size < out ? ROOM - result->size : out;
		struct unpack_step step = {.in = data + at,
					   .in_size = piece,
					   .last = at + piece == size,
					   .out = result->at + result->size,
					   .capacity = capacity};
		result->ok = unpack_step(unpack, &step, &err);
		at += piece - step.in_size;
		result->size += step.got;
		if (at == size && step.got < capacity && step.last)
			break;
	}
	assert(unpack_taken(unpack) <= size);
	result->whole = unpack_is_whole(unpack);
	result->code = result->ok ? BC_OK : err.code;
	assert(result->ok || err.code == BC_FORMAT || err.code == BC_UNSUPPORTED);
	unpack_destroy(unpack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct result once, pieces;

	if (packing_of(data, size) == PACKING_NONE)
		return 0;
	run(data, size, size, ROOM, &once);
	run(data, size, 1u + data[size - 1] % 61u, 1u + data[size - 1] * 7u, &pieces);
	if (once.code == BC_UNSUPPORTED || pieces.code == BC_UNSUPPORTED || once.size == ROOM ||
	    pieces.size == ROOM)
		return 0; /* stopped somewhere on the way */
	assert(once.ok == pieces.ok && once.code == pieces.code);
	if (once.ok)
		assert(once.whole == pieces.whole && once.size == pieces.size &&
		       !memcmp(once.at, pieces.at, once.size));
	return 0;
}
