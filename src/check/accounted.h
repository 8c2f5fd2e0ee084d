/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Is all code of a function in the output that of blocks that the table lists?
 *
 * llvm-bolt deletes blocks that nothing reaches, most of them nops between others,
 * where it copied or inlined: then NumBlocks exceeds what is listed.  So it does
 * where an entry is missing, but then the block's code is still there, behind a jump
 * or where one leads.
 */
#ifndef CHECK_ACCOUNTED_H
#define CHECK_ACCOUNTED_H

#include "src/elf/binary.h"
#include "src/isa/decoder.h"

/* True if in the code of this fragment a block begins wherever one must: behind
 * jumps, but for nops, and where direct ones within the function lead. */
bool fragment_accounted(const struct binary *subject, struct decoder *decoder, uint32_t fragment);

#endif
