/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Items of any kind as text. */
#ifndef MERGE_RECORD_H
#define MERGE_RECORD_H

#include "src/base/emit.h"
#include "src/profile/preagg.h"
#include "src/merge/yaml_items.h"

struct record_writer {
	const struct profile_head *head;
	const struct preagg_returns *returns;
	struct emit out;
	struct yaml_output yaml;
};

/* false: out of memory */
BC_MUST_USE bool record_begin(struct record_writer *writer, const struct profile_head *head,
			      const struct preagg_returns *returns, struct yaml_names *names, FILE *file);
void record_put(struct record_writer *writer, const struct profile_item *item);
/* Also after an error: it frees what the writer holds.  false: out of memory */
BC_MUST_USE bool record_end(struct record_writer *writer);

/* Is it there for more than its counts: what others lie in? */
bool record_is_more(enum profile_kind kind, const struct profile_item *item);

/* What messages call a record. */
void record_describe(const struct profile_head *head, const struct profile_item *item, char *out, size_t size);

#endif
