/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ways within a function through blocks that llvm-bolt removed: blocks of nops only, or of one
 * jump.  The output leads past them; the input goes through.
 */
#ifndef RESTORE_WAYS_H
#define RESTORE_WAYS_H

#include "src/restore/code.h"

/* The most blocks on a way, and the most that one search visits. */
#define WAY_MOST 16

enum way_kind {
	WAY_AS_IS,  /* it is an edge of the input */
	WAY_ANY,    /* it leaves a block whose jump can lead anywhere */
	WAY_NONE,   /* it is no edge, and there is no way through removed blocks */
	WAY_WITHIN, /* it stays in the block, and begins none: no edge       */
	WAY_FOUND,  /* it leads through blocks that were taken out          */
};

struct way {
	uint32_t blocks[WAY_MOST]; /* in order, without the first and last one */
	uint32_t count;
};

/* Finds the way between two offsets of a function whose code is known. */
enum way_kind way_find(const struct code *code, uint32_t from, uint32_t to, struct way *out);

#endif
