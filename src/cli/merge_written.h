/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a merged profile goes. */
#ifndef CLI_MERGE_WRITTEN_H
#define CLI_MERGE_WRITTEN_H

#include "src/base/output.h"
#include "src/profile/merge.h"

#define MERGE_MEMORY ((size_t)64 << 20)
#define MERGE_FAN_IN ((size_t)256)

/* Returns the directory in which temporary files are made unless the user names one: the directory of the
 * output, where there must be room anyway.
 * directory: the output is a directory.  For free(); NULL: out of memory */
char *merge_tmpdir(const char *output, bool folder);

/* Runs merge_write() into an output.  An output that is written directly, such as a pipe, gets no
 * byte before everything is merged. */
BC_MUST_USE bool merge_write_whole(struct merge *merge, const struct build_id *only, struct output *to,
				   enum profile_kind *kind, struct bc_error *err);

/* The kind of the good inputs, which is one. */
enum profile_kind merge_kind_of(const struct merge *merge);

#endif
