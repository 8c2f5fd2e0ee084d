/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branch addresses that some R record has: they are returns in all records. */
#ifndef MERGE_PREAGG_RETURNS_H
#define MERGE_PREAGG_RETURNS_H

#include "src/base/number_set.h"
#include "src/base/strings.h"

/* Of so many files returns are told apart. */
#define PREAGG_RETURNS_FILES ((size_t)64)

/* By what stands before the colon. */
struct preagg_returns {
	struct strings files;
	struct number_set *at; /* of files.len, at least 1 */
	size_t room;
};

void preagg_returns_free(struct preagg_returns *returns);

/* false: out of memory */
BC_MUST_USE bool preagg_returns_add(struct preagg_returns *returns, struct text file, uint64_t at);
BC_MUST_USE bool preagg_returns_join(struct preagg_returns *to, const struct preagg_returns *from);

bool preagg_returns_have(const struct preagg_returns *returns, struct text file, uint64_t at);

#endif
