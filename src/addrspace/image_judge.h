/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides which mappings are the binary's, and counts the others. */
#ifndef ADDRSPACE_IMAGE_JUDGE_H
#define ADDRSPACE_IMAGE_JUDGE_H

#include "src/addrspace/image_space.h"

/* Find out what an executable mapping is and count it; *out, which has its range, gets FILE_IMAGE and
 * its vaddr if it is the binary's.
 *
 * near  base of the binary's mapping before in this process, or NULL
 *
 * Errors as of image_match(). */
BC_MUST_USE bool image_judge(struct image_space *space, const uint64_t *near, const struct map_event *event,
			     struct mapping *out, struct bc_error *err);

#endif
