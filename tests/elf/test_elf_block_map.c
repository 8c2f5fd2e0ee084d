/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections of SHT_LLVM_BB_ADDR_MAP, put together by hand as block_map.h has them: each version and
 * feature, and what is damaged. tests/peers/block-map.sh compares what clang writes with
 * llvm-readobj. */
#include "src/elf/block_map.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"

static struct byte_vec bytes;

static void put(uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		assert_true(byte_vec_push(&bytes, (uint8_t)(value >> 8 * i)));
}

static void put_u(uint64_t value)
{
	assert_true(leb_put_u(&bytes, value));
}

static void put_head(unsigned version, unsigned features)
{
	put(version, 1);
	put(features, version < 5 ? 1 : 2);
}

static void put_numbers(const uint64_t *at, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_u(at[i]);
}
#define PUT(...)                                                                                   \
	put_numbers((const uint64_t[]){__VA_ARGS__},                                               \
		    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static struct section section = {.name = {".llvm_bb_addr_map", 17}, .type = 0x6fff4c0a};

static bool begin(struct block_map *map, struct bc_error *err)
{
	static struct image image;

	section.size = bytes.len;
	image = (struct image){
		.file = {bytes.at, bytes.len}, .sections = &section, .section_count = 1};
	assert_ptr_equal(block_map_section(&image, NULL), &section);
	assert_null(block_map_section(&image, &section));
	return block_map_open(&image, &section, map, err);
}

/* Reads all functions; the last one stays in *out. */
static size_t read_all(struct map_function *out)
{
	struct block_map map;
	struct bc_error err;
	size_t count = 0;

	assert_true(begin(&map, &err));
	while (block_map_next(&map, out))
		count++;
	assert_true(block_map_check(&map, &err));
	return count;
}

static void assert_damaged(const char *text)
{
	struct map_function function = {0};
	struct block_map map;
	struct bc_error err;

	assert_true(begin(&map, &err));
	while (block_map_next(&map, &function))
		;
	assert_false(block_map_check(&map, &err));
	assert_int_equal(err.code, BC_FORMAT);
	assert_string_equal(err.text, text);
	map_function_free(&function);
	bytes.len = 0;
}

static void assert_block(const struct map_block *block, uint64_t address, uint32_t size,
			 uint32_t id, uint32_t is)
{
	assert_int_equal(block->address, address);
	assert_int_equal(block->size, size);
	assert_int_equal(block->id, id);
	assert_int_equal(block->is, is);
}

/* Version 2: blocks with gaps between them, counts, frequencies and probabilities; then one more
 * function. */
static void test_counts(void **state)
{
	struct map_function f = {0};

	(void)state;
	put_head(2, MAP_ENTRY_COUNT | MAP_FREQUENCIES | MAP_PROBABILITIES);
	put(0x401000, 8);
	PUT(2, 7, 0, 5, MAP_FALLS_THROUGH, 3, 11, 0x80, MAP_RETURNS);
	PUT(1234567, 16384, 2, 3, 1u << 31, 7, 0, 8192, 0);
	put_head(2, MAP_ENTRY_COUNT);
	put(0x500000, 8);
	PUT(0, 9);
	bytes.len -= 11 + 1;
	assert_int_equal(read_all(&f), 1);
	assert_int_equal(f.entry_count, 1234567);
	assert_int_equal(f.blocks.len, 2);
	assert_block(&f.blocks.at[0], 0x401000, 5, 7, MAP_FALLS_THROUGH);
	assert_block(&f.blocks.at[1], 0x401010, 0x80, 3, MAP_RETURNS);
	assert_int_equal(f.blocks.at[1].frequency, 8192);
	assert_int_equal(f.blocks.at[0].successors, 2);
	assert_int_equal(f.blocks.at[1].successors, 0);
	assert_int_equal(f.successors.at[0].id, 3);
	assert_int_equal(f.successors.at[0].probability, MAP_PROBABILITY_ONE);
	assert_int_equal(f.successors.at[1].probability, 0);
	put_head(2, MAP_ENTRY_COUNT);
	put(0x500000, 8);
	PUT(0, 9);
	assert_int_equal(read_all(&f), 2);
	assert_int_equal(f.entry_count, 9);
	assert_int_equal(f.blocks.len, 0);
	assert_int_equal(f.ranges.at[0].address, 0x500000);
	map_function_free(&f);
	bytes.len = 0;
}

/* Version 5 with all that there is: ranges, ends of calls, hashes, counts of after the link. */
static void test_all_features(void **state)
{
	struct map_function f = {0};

	(void)state;
	put_head(5, 255 & ~MAP_NO_BLOCKS);
	PUT(2);
	put(0x1000, 8);
	PUT(1, 0, 0, 2, 5, 6, 4, MAP_TAIL_CALLS);
	put(0x1122334455667788, 8);
	put(0x2000, 8);
	PUT(1, 1, 2, 0, 0, MAP_LANDING_PAD | MAP_JUMPS_INDIRECT);
	put(1, 8);
	PUT(77, 100, 55, 1, 1, 1u << 30, 44, 50, 22, 0);
	assert_int_equal(read_all(&f), 1);
	assert_int_equal(f.ranges.len, 2);
	assert_int_equal(f.ranges.at[1].first, 1);
	assert_block(&f.blocks.at[0], 0x1000, 15, 0, MAP_TAIL_CALLS);
	assert_block(&f.blocks.at[1], 0x2002, 0, 1, MAP_LANDING_PAD | MAP_JUMPS_INDIRECT);
	assert_int_equal(f.blocks.at[0].frequency, 100);
	assert_int_equal(f.blocks.at[0].successors, 1);
	assert_int_equal(f.successors.at[0].id, 1);
	assert_int_equal(f.successors.at[0].probability, MAP_PROBABILITY_ONE / 2);
	assert_int_equal(f.blocks.at[1].frequency, 50);
	assert_int_equal(f.entry_count, 77);
	bytes.len = 0;

	/* Blocks are left out; only their number is there. */
	put_head(5, MAP_NO_BLOCKS | MAP_ENTRY_COUNT | MAP_FREQUENCIES);
	put(0x3000, 8);
	PUT(1000000, 3);
	assert_int_equal(read_all(&f), 1);
	assert_int_equal(f.ranges.at[0].count + f.blocks.len, 0);
	assert_int_equal(f.entry_count, 3);
	map_function_free(&f);
	bytes.len = 0;
}

static void test_versions(void **state)
{
	struct map_function f = {0};
	struct block_map map;
	struct bc_error err;

	(void)state;
	for (unsigned version = 2; version <= 5; version++) {
		put_head(version, 0);
		put(0x1000 * version, 8);
		PUT(1, 0, 0, 4, MAP_RETURNS);
	}
	assert_int_equal(read_all(&f), 4);
	assert_int_equal(f.blocks.at[0].address, 0x5000);
	bytes.len = 0;
	assert_int_equal(read_all(&f), 0);
	map_function_free(&f);
	section.type = 0x6fff4c08;
	assert_false(begin(&map, &err));
	assert_int_equal(err.code, BC_UNSUPPORTED);
	section.type = 0x6fff4c0a;
	section.flags = SHF_COMPRESSED;
	assert_false(begin(&map, &err));
	assert_int_equal(err.code, BC_UNSUPPORTED);
	section.flags = 0;
}

static void put_one(unsigned version, unsigned features, uint64_t id, uint64_t offset,
		    uint64_t size, uint64_t is)
{
	put_head(version, features);
	put(0x1000, 8);
	PUT(1, id, offset, size, is);
}

static void test_damaged(void **state)
{
	(void)state;
	put_head(1, 0);
	assert_damaged(".llvm_bb_addr_map, byte 1: a version that is not known: 2 to 5 are");
	put_head(6, 0);
	assert_damaged(".llvm_bb_addr_map, byte 1: a version that is not known: 2 to 5 are");
	put_head(5, 256);
	assert_damaged(".llvm_bb_addr_map, byte 3: a feature that is not known");
	put_head(2, MAP_CALL_ENDS);
	assert_damaged(".llvm_bb_addr_map, byte 2: a feature that this version does not have");
	put_head(3, MAP_HASHES);
	assert_damaged(".llvm_bb_addr_map, byte 2: a feature that this version does not have");
	put_head(4, MAP_POST_LINK);
	assert_damaged(".llvm_bb_addr_map, byte 2: a feature that this version does not have");
	put_head(2, MAP_RANGES);
	PUT(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	assert_damaged(".llvm_bb_addr_map, byte 3: a function without ranges");
	put_head(2, 0);
	put(0, 7);
	assert_damaged(".llvm_bb_addr_map, byte 2: the section ends in a function");
	put_one(2, 0, UINT64_C(1) << 32, 0, 1, 1);
	assert_damaged(".llvm_bb_addr_map, byte 16: a number that is too large");
	put_one(2, 0, 0, UINT32_MAX, UINT32_MAX, 1);
	assert_damaged(".llvm_bb_addr_map, byte 23: a function of 4 GiB or more");
	put_one(2, 0, 0, 0, 1, 32);
	assert_damaged(".llvm_bb_addr_map, byte 15: a kind of block that is not known");
	put_head(2, 0);
	put(0x1000, 8);
	PUT(1000000, 0, 0, 1, 1);
	assert_damaged(".llvm_bb_addr_map, byte 13: a count that is larger than the data");
	put_one(2, MAP_PROBABILITIES, 0, 0, 1, 1);
	PUT(UINT64_MAX / 2);
	assert_damaged(".llvm_bb_addr_map, byte 24: a count that is larger than the data");
	put_one(2, MAP_ENTRY_COUNT, 0, 0, 1, 1);
	assert_damaged(".llvm_bb_addr_map, byte 15: the data ends in a number");
}

static void free_bytes(void)
{
	byte_vec_free(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_all_features),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_damaged),
	};

	atexit(free_bytes);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
