/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the compiler knew of the blocks of each function, as clang -fbasic-block-address-map and
 * -mllvm -pgo-analysis-map leave it in sections of type SHT_LLVM_BB_ADDR_MAP, which are not loaded:
 * entries of functions one after the other, with nothing between them.
 *
 *   u8 version (2 to 5), features: u8, of version 5 u16; [MAP_RANGES: number of ranges, else one]
 *   each range: u64 address, number of blocks, and unless MAP_NO_BLOCKS each block: id; offset from
 *           the end of the block before; [MAP_CALL_ENDS: their number, the end of each call from
 *           the one before]; size, of MAP_CALL_ENDS from the last of these; what it is
 *           (map_block.is); [MAP_HASHES: u64, not llvm-bolt's]
 *   [MAP_ENTRY_COUNT: how often the function was entered]
 *   [MAP_FREQUENCIES, MAP_PROBABILITIES: of each block of all ranges: its frequency;
 *           [MAP_POST_LINK: its count]; the number of its successors, and of each: id, probability,
 *           [MAP_POST_LINK: its count]]
 *
 * Numbers without a size are ULEB128; in brackets is what a feature adds.  Ends of calls,
 * hashes and the counts of MAP_POST_LINK are read past; the rest tests/peers/block-map.sh compares
 * with llvm-readobj.  The addresses are those of the file that was linked. llvm-bolt copies the
 * sections as they are: in its output they describe the code of its input.
 */
#ifndef ELF_BLOCK_MAP_H
#define ELF_BLOCK_MAP_H

#include "src/base/bytes.h"
#include "src/base/vec.h"
#include "src/elf/image.h"

enum map_feature {
	MAP_ENTRY_COUNT = 1 << 0,
	MAP_FREQUENCIES = 1 << 1,
	MAP_PROBABILITIES = 1 << 2,
	MAP_RANGES = 1 << 3,
	MAP_NO_BLOCKS = 1 << 4,
	MAP_CALL_ENDS = 1 << 5, /* since version 3 */
	MAP_HASHES = 1 << 6,    /* since version 4 */
	MAP_POST_LINK = 1 << 7, /* since version 5 */
};

enum map_block_is {
	MAP_RETURNS = 1,
	MAP_TAIL_CALLS = 2,
	MAP_LANDING_PAD = 4,
	MAP_FALLS_THROUGH = 8,
	MAP_JUMPS_INDIRECT = 16,
};

struct map_block {
	uint64_t address;
	uint64_t frequency; /* in addition to that of the function's first block */
	uint32_t id;        /* once in a function; in any order */
	uint32_t size;      /* 0: it was emptied, and its successor runs instead */
	uint32_t is;        /* enum map_block_is */
	uint32_t first_successor, successors;
};
DEFINE_VEC(map_block_vec, struct map_block);

struct map_range {
	uint64_t address;
	uint32_t first, count; /* blocks */
};
DEFINE_VEC(map_range_vec, struct map_range);

#define MAP_PROBABILITY_ONE (UINT32_C(1) << 31)
struct map_successor {
	uint32_t id;          /* of a block */
	uint32_t probability; /* of MAP_PROBABILITY_ONE */
};
DEFINE_VEC(map_successor_vec, struct map_successor);

struct map_function {
	unsigned features;           /* enum map_feature */
	uint64_t entry_count;        /* 0 without the feature, too */
	struct map_range_vec ranges; /* one at least */
	struct map_block_vec blocks;
	struct map_successor_vec successors;
};

void map_function_free(struct map_function *function);

/* Reads functions one after the other, from any that begins at `at`. */
struct block_map {
	struct leb_reader in;
	struct text section; /* its name, for messages */
	bool no_memory;
};

/* The section after one of an image, or the first; NULL: there is no other. */
const struct section *block_map_section(const struct image *image, const struct section *behind);

/* Begins to read a section, which counts as work (work.h).  BC_UNSUPPORTED: it is compressed or of
 * clang 14 or older; BC_FORMAT */
BC_MUST_USE bool block_map_open(const struct image *image, const struct section *section,
				struct block_map *out, struct bc_error *err);

/* Reads the next function into *out, which may hold another.  False: the end; or it is damaged,
 * which block_map_check() shows.  Takes time and memory by the bytes of this function. */
bool block_map_next(struct block_map *map, struct map_function *out);

/* BC_FORMAT: what is wrong, and at which byte of the section; BC_NOMEM */
BC_MUST_USE bool block_map_check(const struct block_map *map, struct bc_error *err);

#endif
