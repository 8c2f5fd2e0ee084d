/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where one address of a process is: process_view_locate() of its mappings at this moment. */
#ifndef TESTS_SUPPORT_IMAGE_LOCATE_H
#define TESTS_SUPPORT_IMAGE_LOCATE_H

#include "src/samples/image_space.h"

static inline enum located image_space_locate(const struct image_space *space, uint32_t pid,
					      struct run_addr at, struct vaddr *out)
{
	struct process_view view = process_view(space, pid);

	return process_view_locate(&view, at, out);
}

#endif
