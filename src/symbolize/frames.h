/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From raw addresses to frames: which library, where in its file, and, if it can be
 * opened, which function of it or of the input binary that BOLT read.
 *
 * The innermost address is that of an instruction.  The others are return
 * addresses: they point behind the call, at the next line, block or even function,
 * so they are looked up one byte before.  What is known of a frame is said of the
 * address as it was given.  Nothing is dropped: an address in no region is a frame of
 * the library "[unknown]", one of the kernel of "[kernel]".
 */
#ifndef SYMBOLIZE_FRAMES_H
#define SYMBOLIZE_FRAMES_H

#include "src/addrspace/loads.h"
#include "src/symbolize/libraries.h"

#define FRAME_UNKNOWN "[unknown]"
#define FRAME_KERNEL "[kernel]"

struct frame {
	struct run_addr raw;         /* as given */
	bool is_return;              /* raw - 1 was looked up */
	const struct region *region; /* NULL: in none */
	struct text library;         /* the region's path, "[anon]" for none */
	struct file_off offset;      /* of `raw` in the library's file */
	bool has_vaddr;              /* the library is known and the region part of it */
	struct vaddr vaddr;          /* of `raw` */
	const char *function;        /* NULL: not known */
	uint64_t function_offset;    /* of `raw` */
};

/* Regions of one map with what was found out about them so far. */
struct view {
	struct maps maps; /* owned, with an index */
	struct view_region *regions; /* one per region of the maps */
};

/* Takes the maps over, also when it fails.  False when out of memory. */
BC_MUST_USE bool view_init(struct view *view, struct maps *maps);
void view_free(struct view *view);

struct frame_options {
	bool functions;    /* look for functions */
	bool input;        /* of the input binary: translate by BAT */
};

/* Resolve a stack: `count` addresses, innermost first, into out[0 .. count).
 *
 * view  NULL: no map is known for it, all is unknown
 *
 * BC_NOMEM */
BC_MUST_USE bool frames_resolve(struct libraries *libraries, struct view *view,
				const struct frame_options *options, const uint64_t *addresses,
				size_t count, struct frame *out, struct bc_error *err);

#endif
