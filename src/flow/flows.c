/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "src/flow/steps.h"

static void add(uint64_t *counts, uint32_t block, uint64_t count)
{
	if (block != NO_BLOCK)
		counts[block] = count_add_saturating(counts[block], count);
}

static void count_records(const struct pass *pass, struct flows *flows)
{
	for (size_t i = pass->begin; i < pass->end; i++) {
		struct record record = pass_record(pass, i);
		if (record.kind != RECORD_BRANCH)
			continue;
		uint32_t source = code_block_at(pass->code, record.from.offset);
		add(flows->out, source, record.count);
		if (!record_is_internal(&record))
			continue;
		add(flows->on, source, record.count);
		add(flows->in, code_block_from(pass->code, record.to.offset), record.count);
	}
}

static void count_entries(const struct pass *pass, struct flows *flows)
{
	uint32_t function = (uint32_t)(pass->function - pass->binary->functions.at);
	const struct entry *entry;

	for (size_t left = entries_of(&pass->entries, function, &entry); left; left--, entry++)
		add(flows->in, code_block_from(pass->code, entry->offset), entry->count);
}

bool flows_count(const struct pass *pass, struct flows *out)
{
	size_t blocks = pass->code->blocks.len;

	*out = (struct flows){calloc(blocks, sizeof(*out->in)), calloc(blocks, sizeof(*out->out)), calloc(blocks, sizeof(*out->on))};
	if (!out->in || !out->out || !out->on) {
		flows_free(out);
		return false;
	}
	count_records(pass, out);
	count_entries(pass, out);
	return true;
}

void flows_free(struct flows *flows)
{
	free(flows->in);
	free(flows->out);
	free(flows->on);
	*flows = (struct flows){0};
}
