/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * .eh_frame_hdr: the sorted table by which an unwinder finds the FDE of an address.  It finds the header by the segment
 * PT_GNU_EH_FRAME, and searches nothing else:
 *
 *   u8 version 1, u8 encodings of the address of .eh_frame, of the count and of the table, then these
 */
#ifndef ELF_EH_FRAME_HDR_H
#define ELF_EH_FRAME_HDR_H

#include "src/base/vec.h"
#include "src/elf/eh_frame.h"

struct eh_frame_hdr_entry {
	uint64_t code, fde; /* vaddrs: where the FDE's code begins, and the FDE */
};
DEFINE_VEC(eh_frame_hdr_vec, struct eh_frame_hdr_entry);

struct eh_frame_hdr {
	bool present;      /* there is the segment */
	uint64_t address;  /* its vaddr */
	uint64_t eh_frame; /* where it says that .eh_frame is; 0: it does not */
	bool has_table;
	struct eh_frame_hdr_vec entries; /* as stored */
	const char *bad;   /* what is damaged; NULL: nothing */
};

/* False: out of memory. */
BC_MUST_USE bool eh_frame_hdr_read(const struct image *image, struct eh_frame_hdr *out);
void eh_frame_hdr_free(struct eh_frame_hdr *header);

#endif
