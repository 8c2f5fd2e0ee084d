/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * SystemTap's probes (sys/sdt.h): places in code, each a nop, that the notes of
 * .note.stapsdt name.  BOLT keeps these nops, moves the notes with them, and keeps
 * their offsets as it does those of branches.
 */
#ifndef VERIFY_SDT_PROBES_H
#define VERIFY_SDT_PROBES_H

#include "src/elf/image.h"

struct probes {
	uint64_t *at; /* vaddrs, ascending */
	size_t count;
};

/* False: no memory. */
BC_MUST_USE bool probes_read(const struct image *image, struct probes *out);
void probes_free(struct probes *probes);

bool probes_has(const struct probes *probes, uint64_t at);

#endif
