/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A section of SHT_LLVM_BB_ADDR_MAP.  Any bytes are refused, or they are functions: each with a
 * range, blocks that ascend in their range, and no more of all than there are bytes for.  What is
 * read again from the location of a function is the same function; its probabilities can be solved,
 * or are too much, and no block runs less often than never. */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>

#include "src/elf/block_map.h"
#include "src/flow/probabilities.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_ranges(const struct map_function *f)
{
	uint32_t blocks = 0;

	assert(f->ranges.len);
	for (size_t i = 0; i < f->ranges.len; i++) {
		const struct map_range *range = &f->ranges.at[i];
		assert(range->first == blocks && !(range->count && f->features & MAP_NO_BLOCKS));
		for (uint64_t end = 0; blocks < range->first + range->count; blocks++) {
			const struct map_block *block = &f->blocks.at[blocks];
			assert(block->address - range->address >= end);
			end = block->address - range->address + block->size;
			assert(end <= UINT32_MAX);
		}
	}
	assert(blocks == f->blocks.len);
}

static void check_blocks(const struct map_function *f)
{
	uint32_t successors = 0;

	for (size_t i = 0; i < f->blocks.len; i++) {
		const struct map_block *block = &f->blocks.at[i];
		assert(!block->successors || block->first_successor == successors);
		successors += block->successors;
	}
	assert(successors == f->successors.len);
}

/* Takes the ids for numbers of blocks. */
static void check_flow(const struct map_function *f)
{
	struct probable_edge_vec edges = {0};
	double *runs = calloc(f->blocks.len + 1, sizeof(*runs));

	assert(runs);
	for (uint32_t i = 0; i < f->blocks.len; i++)
		for (uint32_t k = 0; k < f->blocks.at[i].successors; k++) {
			const struct map_successor *to =
				&f->successors.at[f->blocks.at[i].first_successor + k];
			double share =
				(double)to->probability / UINT32_MAX / f->blocks.at[i].successors;
			assert(probable_edge_vec_push(
				&edges, (struct probable_edge){i, to->id % (uint32_t)f->blocks.len,
							       share}));
		}
	if (probabilities_solve(edges.at, edges.len, (uint32_t)f->blocks.len, runs) ==
	    PROBABILITIES_SOLVED)
		for (size_t i = 0; i < f->blocks.len; i++)
			assert(runs[i] >= 0);
	probable_edge_vec_free(&edges);
	free(runs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct section section = {.name = {"map", 3}, .type = 0x6fff4c0a, .size = size};
	struct image image = {.file = {data, size}, .sections = &section, .section_count = 1};
	struct map_function f = {0}, again = {0};
	struct block_map map, at;
	struct bc_error err;

	assert(block_map_open(&image, &section, &map, &err));
	for (at = map; block_map_next(&map, &f); at = map) {
		size_t bytes = (size_t)(map.in.at - at.in.at);
		assert(f.ranges.len <= bytes / 9 + 1 && f.blocks.len <= bytes / 4 &&
		       f.successors.len <= bytes / 2);
		check_ranges(&f);
		check_blocks(&f);
		check_flow(&f);
		assert(block_map_next(&at, &again) && at.in.at == map.in.at &&
		       again.entry_count == f.entry_count);
	}
	if (!block_map_check(&map, &err))
		assert(err.code == BC_FORMAT || err.code == BC_NOMEM);
	else
		assert(map.in.at == map.in.end);
	map_function_free(&f);
	map_function_free(&again);
	return 0;
}
