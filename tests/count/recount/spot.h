/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where a vaddr lies, and which location of the input binary that is: by the function table
 * and the fragments as they are in the binary, without its indices.
 */
#ifndef TESTS_COUNT_RECOUNT_SPOT_H
#define TESTS_COUNT_RECOUNT_SPOT_H

#include "src/elf/binary.h"

struct spot {
	const struct function *function;     /* NULL: in none */
	const struct bat_fragment *fragment; /* NULL: BOLT left it alone */
	uint32_t offset;
};

struct spot spot_of(const struct binary *binary, uint64_t at);

/* A location of the input binary. */
struct home {
	const struct function *function; /* that has its name; NULL: in none */
	uint32_t offset;
};

/* The function of the input binary; NULL: none, or it is in doubt. */
const struct function *spot_owner(const struct binary *binary, const struct spot *spot);

/* False: it is in doubt.  is_source: the address of a branch. */
bool spot_home(const struct binary *binary, const struct spot *spot, bool is_source,
	       struct home *out);

#endif
