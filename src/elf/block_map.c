/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/block_map.h"

#include <elf.h>
#include <inttypes.h>

#define TYPE_BLOCK_MAP     UINT32_C(0x6fff4c0a)
#define TYPE_BLOCK_MAP_OLD UINT32_C(0x6fff4c08) /* without versions: clang 12 to 14 */

enum { VERSION_FIRST = 2, VERSION_LAST = 5 };
#define FEATURES_ALL 255u
#define METADATA_ALL 31u
#define SECTION(map) (int)(map)->section.len, (map)->section.at /* for %.*s */

/* The fewest bytes of a range, a block and a successor. */
enum { RANGE_LEAST = 9, BLOCK_LEAST = 4, SUCCESSOR_LEAST = 2 };

void map_function_free(struct map_function *f)
{
	map_range_vec_free(&f->ranges);
	map_block_vec_free(&f->blocks);
	map_successor_vec_free(&f->successors);
}

const struct section *block_map_section(const struct image *image, const struct section *behind)
{
	for (size_t i = behind ? (size_t)(behind - image->sections) + 1 : 0;
	     i < image->section_count; i++)
		if (image->sections[i].type == TYPE_BLOCK_MAP ||
		    image->sections[i].type == TYPE_BLOCK_MAP_OLD)
			return &image->sections[i];
	return NULL;
}

bool block_map_open(const struct image *image, const struct section *section, struct block_map *out,
		    struct bc_error *err)
{
	struct bytes bytes = image_section_bytes(image, section);

	*out = (struct block_map){.section = text_first(section->name, 64)};
	if (section->type == TYPE_BLOCK_MAP_OLD)
		return bc_fail(err, BC_UNSUPPORTED,
			       "%.*s: of clang 14 or older, which wrote no counts", SECTION(out)) ||
		       bc_hint(err, "build with clang 19 or newer");
	if (section->flags & SHF_COMPRESSED)
		return bc_fail(err, BC_UNSUPPORTED,
			       "%.*s: is compressed, which no linker does to it", SECTION(out)) ||
		       bc_hint(err, "link again without compressing it");
	if (!work_spend(image->work, WORK_SECTIONS, bytes.size))
		return work_fail(image->work, err);
	if (bytes.size)
		out->in =
			(struct leb_reader){bytes.data, bytes.data, bytes.data + bytes.size, NULL};
	return true;
}

bool block_map_check(const struct block_map *map, struct bc_error *err)
{
	if (map->no_memory)
		return bc_fail_nomem(err);
	return !map->in.wrong || bc_fail(err, BC_FORMAT, "%.*s, byte %zu: %s", SECTION(map),
					 (size_t)(map->in.at - map->in.begin), map->in.wrong);
}

/* A number of this many bytes, least significant first. */
static uint64_t take_fixed(struct leb_reader *in, unsigned size)
{
	uint64_t value = 0;

	if ((size_t)(in->end - in->at) < size)
		leb_fail(in, "the section ends in a function");
	for (unsigned i = 0; !in->wrong && i < size; i++)
		value |= (uint64_t)*in->at++ << 8 * i;
	return value;
}

static uint32_t take_u32(struct leb_reader *in)
{
	return (uint32_t)leb_u_below(in, UINT32_MAX);
}

/* How many items follow.  All vectors of a function are shorter than its bytes, but numbers of
 * items have 32 bits. */
static uint32_t take_count(struct leb_reader *in, size_t least)
{
	size_t count = leb_count(in, least);

	if (count < UINT32_MAX)
		return (uint32_t)count;
	leb_fail(in, "a count of 2^32 or more");
	return 0;
}

static bool is_wrong(const struct block_map *map)
{
	return map->in.wrong || map->no_memory;
}

static void take_head(struct leb_reader *in, struct map_function *out)
{
	unsigned version = (unsigned)take_fixed(in, 1);

	if (!in->wrong && (version < VERSION_FIRST || version > VERSION_LAST))
		leb_fail(in, "a version that is not known: 2 to 5 are");
	out->features = (unsigned)take_fixed(in, version < 5 ? 1 : 2);
	if (out->features & ~FEATURES_ALL)
		leb_fail(in, "a feature that is not known");
	if ((out->features & MAP_CALL_ENDS && version < 3) ||
	    (out->features & MAP_HASHES && version < 4) ||
	    (out->features & MAP_POST_LINK && version < 5))
		leb_fail(in, "a feature that this version does not have");
}

/* Returns where the last call of a block ends. */
static uint64_t take_calls(struct leb_reader *in)
{
	uint64_t end = 0;

	for (uint32_t left = take_count(in, 1); left && !in->wrong; left--) {
		end += take_u32(in);
		if (end > UINT32_MAX)
			leb_fail(in, "a block of 4 GiB or more");
	}
	return end;
}

/* *offset: where the block before ends in its range. */
static void take_block(struct block_map *map, struct map_function *out, uint64_t *offset)
{
	struct leb_reader *in = &map->in;
	struct map_block block = {.id = take_u32(in)};

	*offset += take_u32(in);
	block.address = out->ranges.at[out->ranges.len - 1].address + *offset;
	uint64_t size = out->features & MAP_CALL_ENDS ? take_calls(in) : 0;
	size += take_u32(in);
	block.size = (uint32_t)size;
	block.is = take_u32(in);
	*offset += size;
	if (out->features & MAP_HASHES)
		take_fixed(in, 8);
	if (*offset > UINT32_MAX)
		leb_fail(in, "a function of 4 GiB or more");
	if (block.is & ~METADATA_ALL)
		leb_fail(in, "a kind of block that is not known");
	map->no_memory |= !map_block_vec_push(&out->blocks, block);
}

static void take_range(struct block_map *map, struct map_function *out)
{
	struct map_range range = {.address = take_fixed(&map->in, 8),
				  .first = (uint32_t)out->blocks.len};
	uint64_t offset = 0;

	if (out->features & MAP_NO_BLOCKS)
		take_u32(&map->in);
	else
		range.count = take_count(&map->in, BLOCK_LEAST);
	map->no_memory |= !map_range_vec_push(&out->ranges, range);
	for (uint32_t i = 0; i < range.count && !is_wrong(map); i++)
		take_block(map, out, &offset);
}

static void take_counts(struct block_map *map, struct map_function *out, struct map_block *block)
{
	struct leb_reader *in = &map->in;
	bool post_link = out->features & MAP_POST_LINK;

	block->frequency = out->features & MAP_FREQUENCIES ? leb_u(in) : 0;
	if (post_link)
		take_u32(in);
	block->first_successor = (uint32_t)out->successors.len;
	block->successors = out->features & MAP_PROBABILITIES ? take_count(in, SUCCESSOR_LEAST) : 0;
	for (uint32_t i = 0; i < block->successors && !is_wrong(map); i++) {
		struct map_successor to = {.id = take_u32(in)};
		to.probability = take_u32(in);
		if (post_link)
			take_u32(in);
		map->no_memory |= !map_successor_vec_push(&out->successors, to);
	}
}

bool block_map_next(struct block_map *map, struct map_function *out)
{
	struct leb_reader *in = &map->in;

	if (is_wrong(map) || in->at == in->end)
		return false;
	out->ranges.len = out->blocks.len = out->successors.len = 0;
	take_head(in, out);
	uint32_t ranges =
		in->wrong || !(out->features & MAP_RANGES) ? 1 : take_count(in, RANGE_LEAST);
	if (!ranges)
		leb_fail(in, "a function without ranges");
	for (uint32_t i = 0; i < ranges && !is_wrong(map); i++)
		take_range(map, out);
	out->entry_count = !is_wrong(map) && out->features & MAP_ENTRY_COUNT ? leb_u(in) : 0;
	if (out->features & (MAP_FREQUENCIES | MAP_PROBABILITIES))
		for (size_t i = 0; i < out->blocks.len && !is_wrong(map); i++)
			take_counts(map, out, &out->blocks.at[i]);
	return !is_wrong(map);
}
