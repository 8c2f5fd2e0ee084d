/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Raw call stacks as text, one a line, as a sampler leaves them: nothing was looked
 * up yet.
 *
 *   TIME MAP ADDRESS ADDRESS ...
 *   81234567890 m3 7f0012345678 55e4a0b0c010 55e4a0b0b0ff
 *
 * TIME is in ns.  MAP says against which map of the process the addresses are to be
 * read: m3 is the map of id 3, p77 the map of process 77 at that time, p77m3 its map
 * of id 3.  Addresses are hexadecimal, innermost first: the first is that of an
 * instruction, the others are return addresses.  # begins a comment.
 */
#ifndef ADDRESS_RAW_H
#define ADDRESS_RAW_H

#include "src/base/address.h"
#include "src/base/text.h"
#include "src/base/vec.h"

DEFINE_VEC(address_list, uint64_t);

#define RAW_ANY UINT32_MAX /* of pid and map: not said */

struct raw_stack {
	uint64_t time;
	uint32_t pid, map;
	struct address_list addresses; /* kept from line to line */
};

enum raw_line { RAW_STACK, RAW_NOTHING, RAW_BAD };

/* *wrong says what, for RAW_BAD; "out of memory" is a NULL. */
enum raw_line raw_stack_parse(struct text line, struct raw_stack *out, const char **wrong);

#endif
