/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Items of functions as BOLT's YAML, in the layout that BOLT writes. */
#ifndef MERGE_YAML_OUTPUT_H
#define MERGE_YAML_OUTPUT_H

#include "src/base/emit.h"
#include "src/merge/yaml_names.h"

struct yaml_output {
	struct emit *out;
	struct yaml_names *names;
	bool any, blocks; /* a function; a block of the present one */
	char list;        /* 'c' or 's': calls or successors are being written; 0 */
	uint64_t differing; /* unknown keys of another value than the one that was written */
	struct key last;    /* of the item written last, with the unknown key of it that was written last */
	size_t last_item;   /* bytes of it that are of the item */
};

/* false: out of memory */
BC_MUST_USE bool yaml_output_head(struct yaml_output *output, const struct profile_head *head);
void yaml_output_item(struct yaml_output *output, const struct profile_item *item);
/* Ends the document, and frees what the output holds. */
BC_MUST_USE bool yaml_output_end(struct yaml_output *output, const struct profile_head *head);

#endif
