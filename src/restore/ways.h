/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ways within a function that go through blocks which llvm-bolt took out: nothing but nops, or a jump to a
 * jump.  Its output leads past them; the input goes through.
 */
#ifndef RESTORE_WAYS_H
#define RESTORE_WAYS_H

#include "src/restore/code.h"

/* Longer ways are not looked for; more blocks than this are not looked at for one. */
#define WAY_MOST 16

enum way_kind {
	WAY_AS_IS,  /* it is an edge of the input, or nothing better is known */
	WAY_WITHIN, /* it stays in the block, and begins none: no edge       */
	WAY_FOUND,  /* it leads through blocks that were taken out          */
};

struct way {
	uint32_t blocks[WAY_MOST]; /* in order, without the first and last one */
	uint32_t count;
};

/* From an offset to an offset of a function whose code is known. */
enum way_kind way_find(const struct code *code, uint32_t from, uint32_t to, struct way *out);

#endif
