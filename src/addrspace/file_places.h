/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which offsets in the binary's file were mapped as which vaddrs.  The mappings say so, in
 * every process the same, also where what ran had its segments elsewhere in the file.
 */
#ifndef ADDRSPACE_FILE_PLACES_H
#define ADDRSPACE_FILE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A binary has two or three; more than these are not remembered. */
#define FILE_PLACES_MOST 64

struct file_place {
	uint64_t offset, size; /* in the file */
	uint64_t vaddr;        /* of its beginning */
};

/* Zeroed means empty. */
struct file_places {
	struct file_place at[FILE_PLACES_MOST];
	size_t len;
	/* How often a place could be an offset only, and a run-time address only: a recording
	 * has one of the two throughout. */
	uint64_t offsets, addresses;
};

void file_places_note(struct file_places *places, struct file_place place);

/* The vaddr of an offset.  False: it was not mapped. */
bool file_places_find(const struct file_places *places, uint64_t offset, uint64_t *vaddr);

#endif
