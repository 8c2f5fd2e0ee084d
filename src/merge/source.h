/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where items come from, one after the other. */
#ifndef MERGE_SOURCE_H
#define MERGE_SOURCE_H

#include "src/base/error.h"
#include "src/profile/item.h"

struct source {
	/* The next item, valid until the next call.  False at the end, with BC_OK in `err`, and on
	 * errors. */
	bool (*next)(struct source *source, struct profile_item *out, struct bc_error *err);
	void (*close)(struct source *source); /* and free it */
};

static inline void source_close(struct source *source)
{
	if (source)
		source->close(source);
}

#endif
