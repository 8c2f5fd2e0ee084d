/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A BOLTed binary of five functions, put together by hand: no ELF file.
 *
 *   0x1000  hot        moved; entries at 0, 10, 1c*, 20, 2c*, 30   (* branch)
 *                      which came from 0, 20, 2c , 40, 4e , 60
 *   0x1100  plain      not touched
 *   0x1200  ext@PLT
 *   0x1300  hot.cold   cold part of hot; entries 0, 8*, 10 from 80, 8a, 90
 *   0x1400  other      moved; entries 0, 8*, 10 from 0, c, 18
 *   0x1500  lost.cold  a cold part of nobody knows what
 *
 * Every byte is a nop (x86-64), except for what tests put there. */
#ifndef TESTS_SUPPORT_TINY_BINARY_H
#define TESTS_SUPPORT_TINY_BINARY_H

#include "src/elf/binary.h"

#define TINY_BASE      0x1000
#define TINY_SIZE      0x1000
#define TINY_FUNCTIONS 6

struct tiny_binary {
	uint8_t code[TINY_SIZE];
	struct segment segment;
	struct function functions[TINY_FUNCTIONS];
	struct bat_fragment fragments[4];
	uint32_t fragment_of[TINY_FUNCTIONS];
	struct binary binary; /* points into the rest; not to be closed */
};

void tiny_binary_init(struct tiny_binary *tiny);
void tiny_binary_fini(struct tiny_binary *tiny);

/* A jump of five bytes: e9 and the distance. */
void tiny_binary_jump(struct tiny_binary *tiny, uint64_t from, uint64_t to);

#endif
