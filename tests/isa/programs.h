/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs whose instructions are compared: those of inputs/, and what this process itself has
 * loaded. */
#ifndef TESTS_ISA_PROGRAMS_H
#define TESTS_ISA_PROGRAMS_H

#include "src/elf/image.h"

typedef void code_fn(void *ctx, const struct image *image, struct bytes code, uint64_t at);

/* Give each executable section of each program that is a file of ours, or that is mapped here, to
 * `take`; with `paths`, of those files instead.  Returns how many programs there were. */
size_t each_program(char *const *paths, int count, code_fn *take, void *ctx);

/* Random bytes that begin as an instruction of x86-64 may: with prefixes, VEX or EVEX. */
void random_x86(uint64_t random, uint8_t code[16]);

#endif
