/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Is a sampled address the beginning of an instruction?  In the binary that ran
 * it always is; in another build of it, often not.  This is what plain samples
 * have in place of branches, see build_check.h.
 */
#ifndef PROFILE_ADDRESS_CHECK_H
#define PROFILE_ADDRESS_CHECK_H

#include "src/elf/binary.h"

enum address_verdict {
	ADDRESS_BEGINS, /* an instruction begins there */
	ADDRESS_INSIDE, /* it is within one            */
	ADDRESS_UNSURE, /* the code cannot be read so far without a disassembler */
};

/* How far the code was read for the last address; zeroed at first. */
struct address_walk {
	const struct function *function;
	uint32_t from, at; /* offsets: where it was read from; an instruction */
};

/* Judge an address by where it lies; place.function is not NULL.  Reads
 * instructions from the last known beginning on: an entry of the fragment, else
 * the function's start.  Addresses that ascend have the code read once. */
enum address_verdict address_check(const struct binary *binary, struct output_place place,
				   struct address_walk *walk);

#endif
