/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* mremap() */
#include "src/base/packed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "src/base/shard_frames.h"

/* A file that is read from front to back needs no memory for its content, so that its limit only
 * bounds time; a file that is mapped has the limit of side files (sparse.c). */
static const struct unpack_limit of_stream = {UINT64_C(64) << 20, 1024};
static const struct unpack_limit of_memory = {UINT64_C(16) << 20, 256};

#define BUFFER_SIZE ((size_t)64 << 10)

struct packed {
	struct unpack *unpack;
	enum packing packing;
	uint8_t *buffer;
	size_t capacity, begin, end; /* [begin, end) is not decompressed yet */
	bool last;                   /* no more of the file comes behind it */
	struct shard_check shard;
};

struct packed *packed_open(enum packing packing, const void *head, size_t size, struct bc_error *err)
{
	struct packed *packed = calloc(1, sizeof(*packed));

	if (!packed) {
		bc_fail_nomem(err);
		return NULL;
	}
	packed->packing = packing;
	packed->capacity = size > BUFFER_SIZE ? size : BUFFER_SIZE;
	packed->end = size;
	packed->buffer = malloc(packed->capacity);
	packed->unpack = unpack_create(packing, of_stream, err);
	if (packed->buffer && packed->unpack) {
		memcpy(packed->buffer, head, size);
		shard_check_take(&packed->shard, packed->buffer, size);
		return packed;
	}
	packed_close(packed);
	bc_fail_nomem(err);
	return NULL;
}

void packed_close(struct packed *packed)
{
	if (!packed)
		return;
	unpack_destroy(packed->unpack);
	free(packed->buffer);
	free(packed);
}

void *packed_room(struct packed *packed, size_t *capacity)
{
	*capacity = packed->capacity;
	return packed->begin < packed->end || packed->last ? NULL : packed->buffer;
}

void packed_put(struct packed *packed, size_t size)
{
	packed->begin = 0;
	packed->end = size;
	packed->last = !size;
	shard_check_take(&packed->shard, packed->buffer, size);
}

bool packed_take(struct packed *packed, void *to, size_t size, size_t *out, struct bc_error *err)
{
	struct unpack_step step = {.in = packed->buffer + packed->begin, .in_size = packed->end - packed->begin,
				   .last = packed->last, .out = to, .capacity = size};

	bool ok = unpack_step(packed->unpack, &step, err);
	packed->begin = packed->end - step.in_size;
	*out = step.got;
	return ok;
}

bool packed_is_whole(const struct packed *packed)
{
	return unpack_is_whole(packed->unpack);
}

bool packed_check_shard(const struct packed *packed, struct bc_error *err)
{
	return shard_check_end(&packed->shard, err);
}

size_t packed_memory(const struct packed *packed)
{
	return packed->capacity + unpack_memory(packed->unpack);
}

enum packing packed_packing(const struct packed *packed, uint64_t *taken)
{
	*taken = unpack_taken(packed->unpack);
	return packed->packing;
}

static bool fail_cut(const struct unpack *unpack, enum packing packing, struct bc_error *err)
{
	return bc_fail(err, BC_FORMAT, "the %s data ends early, byte %" PRIu64 ": the file was cut", packing_name(packing),
		       unpack_taken(unpack));
}

bool packed_fail_cut(const struct packed *packed, struct bc_error *err)
{
	return fail_cut(packed->unpack, packed->packing, err);
}

/* Memory that can grow.  Pages that were not written to take no memory. */
struct growing {
	uint8_t *at; /* or MAP_FAILED */
	size_t size;
};

static bool grow(struct growing *memory)
{
	size_t size = 2 * memory->size;
	void *at = mremap(memory->at, memory->size, size, MREMAP_MAYMOVE);

	if (at == MAP_FAILED)
		return false;
	*memory = (struct growing){at, size};
	return true;
}

static bool unpack_all(struct unpack *unpack, enum packing packing, struct unpack_step *step,
		       struct growing *memory, struct bc_error *err)
{
	while (step->got == step->capacity) {
		if (step->capacity && !grow(memory))
			return bc_fail_nomem(err);
		step->out = memory->at;
		step->capacity = memory->size;
		if (!unpack_step(unpack, step, err))
			return false;
	}
	return unpack_is_whole(unpack) || fail_cut(unpack, packing, err);
}

bool packed_map(enum packing packing, const void *data, size_t size, const uint8_t **out, size_t *out_size,
		struct bc_error *err)
{
	struct unpack_step step = {.in = data, .in_size = size, .last = true};
	struct growing memory = {.size = (size_t)1 << 20};
	struct unpack *unpack = unpack_create(packing, of_memory, err);

	if (!unpack)
		return false;
	memory.at = mmap(NULL, memory.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool ok = memory.at == MAP_FAILED ? bc_fail_nomem(err)
					  : unpack_all(unpack, packing, &step, &memory, err);
	unpack_destroy(unpack);
	if (ok && step.got && mremap(memory.at, memory.size, step.got, 0) == MAP_FAILED)
		ok = bc_fail_nomem(err);
	if (!ok || !step.got) {
		if (memory.at != MAP_FAILED)
			munmap(memory.at, memory.size);
		memory.at = NULL;
	}
	*out = memory.at;
	*out_size = step.got;
	if (*out)
		(void)mprotect(memory.at, step.got, PROT_READ);
	return ok;
}
