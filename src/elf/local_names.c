/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/local_names.h"

#include <elf.h>
#include <stdlib.h>

/* How often a name was seen; open addressing. */
struct counter {
	uint64_t hash;
	const char *name; /* NULL: free */
	const char *file; /* "" if it is a plain name */
	uint32_t count;
};

struct counters {
	struct counter *at;
	size_t capacity; /* a power of two, never more than half full */
};

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3u; /* FNV-1a */
	return hash;
}

static uint32_t count_name(struct counters *counters, const char *name, const char *file)
{
	uint64_t hash = hash_text(hash_text(0xcbf29ce484222325u, name) ^ '/', file);
	size_t mask = counters->capacity - 1;
	size_t slot = (size_t)(hash ^ hash >> 32) & mask;
	struct counter *c = &counters->at[slot];

	while (c->name &&
	       (c->hash != hash || strcmp(c->name, name) || strcmp(c->file, file))) {
		slot = (slot + 1) & mask;
		c = &counters->at[slot];
	}
	*c = (struct counter){hash, name, file, c->count + 1};
	return c->count;
}

static size_t count_local(const struct symbol_table *table)
{
	size_t count = 0;

	for (size_t i = 0; i < table->count; i++)
		count += table->at[i].local;
	return count;
}

bool local_names_number(struct symbol_table *table, struct bc_error *err)
{
	struct counters counters = {NULL, 16};

	while (counters.capacity < 4 * count_local(table)) /* two names each */
		counters.capacity *= 2;
	counters.at = calloc(counters.capacity, sizeof(*counters.at));
	if (!counters.at)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < table->count; i++) {
		struct symbol *s = &table->at[i];
		if (!s->local || !*s->name)
			continue;
		s->number = count_name(&counters, s->name, "");
		if (s->type == STT_FUNC && *table->files[s->file])
			s->file_number = count_name(&counters, s->name, table->files[s->file]);
	}
	free(counters.at);
	return true;
}
