/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Build-ids that are known only when mappings were given and matched by name: do they
 * say the same?
 */
#ifndef ADDRSPACE_LATE_BUILD_IDS_H
#define ADDRSPACE_LATE_BUILD_IDS_H

#include "src/addrspace/image_space.h"

/* Compare those of files that were mapped when their build-id was not known yet.  What was
 * counted cannot be taken back, and what was not is gone.  A file of another name that has the
 * binary's build-id, beside one that has both, is only counted: BOLTed builds of one input share their build-id.
 *
 * BC_MISMATCH  a file of the binary's name is of another build, or one of another name
 *              is the binary; the text says which
 * BC_NOMEM */
BC_MUST_USE bool late_build_ids_check(struct image_space *space, const struct file_id *files,
				size_t count, struct bc_error *err);

#endif
