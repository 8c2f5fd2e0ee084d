/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The code of one file as a walk meets it: from an address straight on to the first instruction that can lead elsewhere, or that
 * a trace has an answer for.  Each block is decoded once, when the walk comes to its address first; blocks can overlap.  A block remembers the blocks that
 * came next, so that a walk hardly ever looks one up.
 *
 * Addresses are vaddrs of the file.  For one thread.
 */
#ifndef SAMPLES_WALK_BLOCKS_H
#define SAMPLES_WALK_BLOCKS_H

#include "src/base/map.h"
#include "src/base/vec.h"
#include "src/elf/image.h"
#include "src/isa/decoder.h"

/* What stands at the end of a block. */
enum block_end {
	ENDS_CONDITIONAL,   /* a branch that leads to `target`, or on */
	ENDS_JUMP,          /* to `target` */
	ENDS_CALL,          /* of `target` */
	ENDS_JUMP_INDIRECT, /* through a register or memory; also a direct jump that Intel PT tells the target of (JMPABS) */
	ENDS_CALL_INDIRECT,
	ENDS_RETURN,
	ENDS_SYSTEM, /* a system call or the like */
	ENDS_SYNC,   /* AArch64 ISB */
	ENDS_WAIT,   /* AArch64 WFI, WFE, WFIT, WFET */
	ENDS_CUT,    /* nothing: the code goes on in the next block */
	ENDS_NEVER,  /* an instruction that goes nowhere, or none that is known, or the code of the file */
};

struct walk_block {
	uint64_t start;
	uint64_t target;  /* direct: where it leads; indirect: where it led the last time, if `taken` is set */
	uint32_t length;  /* bytes from the start to the instruction at the end */
	uint32_t taken;   /* 1 + the number of the block that begins at `target`; 0: not known yet */
	uint32_t through; /* the same of the block behind */
	uint8_t size;     /* bytes of the instruction at the end; 0: there is none */
	uint8_t end;      /* enum block_end */
};
DEFINE_VEC(walk_block_vec, struct walk_block);

/* About how many bytes a block has at most: what a trace can ask for with one address. */
#define WALK_BLOCK_BYTES 512

struct walk_blocks {
	const struct image *image; /* borrowed, as is this: */
	struct decoder *decoder;
	struct walk_block_vec all;
	struct map by_start;
	uint64_t answered; /* questions of this code that had an answer */
};

void walk_blocks_free(struct walk_blocks *blocks);

/* The number of the block that begins at an address.  False when out of memory. */
BC_MUST_USE bool walk_blocks_at(struct walk_blocks *blocks, uint64_t vaddr, uint32_t *number);

/* Does an instruction of a block begin at an address? */
bool walk_block_has(const struct walk_blocks *blocks, const struct walk_block *block, uint64_t vaddr);

/* Where the code behind a block begins. */
static inline uint64_t walk_block_next(const struct walk_block *block)
{
	return block->start + block->length + block->size;
}

#endif
