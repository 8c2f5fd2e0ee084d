/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Is all code of a function in the output that of blocks that the table lists?
 *
 * llvm-bolt deletes blocks that nothing reaches: most are nops between other blocks, left
 * over where it copied or inlined code.  Then NumBlocks is larger than the number of blocks
 * listed.  It is so, too, if an entry is missing; but then the code of the block is still
 * there, behind a jump or at the target of one.
 */
#ifndef CHECK_ACCOUNTED_H
#define CHECK_ACCOUNTED_H

#include "src/elf/binary.h"
#include "src/isa/decoder.h"

/* True if in the code of this fragment a block begins wherever one must: behind
 * jumps, but for nops, and where direct ones within the function lead. */
bool fragment_accounted(const struct binary *subject, struct decoder *decoder, uint32_t fragment);

#endif
