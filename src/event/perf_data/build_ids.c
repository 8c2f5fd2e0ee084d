/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_data/build_ids.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/count_table.h"
#include "src/event/perf_data/cursor.h"

/* s32 pid, u8 id[20], u8 size, 3 bytes reserved, path */
#define ID_BYTES 20
#define MISC_HAS_SIZE (1u << 15) /* else the size is 20 */

void perf_build_ids_free(struct perf_build_ids *table)
{
	for (size_t i = 0; i < table->all.len; i++)
		free(table->all.at[i].path);
	perf_build_id_vec_free(&table->all);
	free(table->slots);
	*table = (struct perf_build_ids){0};
}

static bool is_user(uint16_t misc)
{
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_USER || mode == PERF_RECORD_MISC_CPUMODE_UNKNOWN;
}

/* The slot of a path, or the free one where it belongs. */
static uint32_t *slot_of(const struct perf_build_ids *table, struct text path)
{
	uint64_t hash = count_mix(count_seed, path.len);
	uint32_t mask = table->slot_count - 1;

	for (size_t i = 0; i < path.len; i++)
		hash = count_mix(hash, (unsigned char)path.at[i]);
	for (uint32_t i = (uint32_t)(hash ^ hash >> 32) & mask;; i = (i + 1) & mask) {
		uint32_t *slot = &table->slots[i];
		if (!*slot || text_equal(text_of(table->all.at[*slot - 1].path), path))
			return slot;
	}
}

static bool grow_slots(struct perf_build_ids *table)
{
	uint32_t count = table->slot_count ? 2 * table->slot_count : 64;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	free(table->slots);
	table->slots = slots;
	table->slot_count = count;
	for (uint32_t i = 0; i < table->all.len; i++)
		*slot_of(table, text_of(table->all.at[i].path)) = i + 1;
	return true;
}

static bool push(struct perf_build_ids *table, struct perf_build_id entry, struct text path)
{
	entry.path = malloc(path.len + 1);
	if (!entry.path)
		return false;
	memcpy(entry.path, path.at, path.len);
	entry.path[path.len] = '\0';
	if (perf_build_id_vec_push(&table->all, entry))
		return true;
	free(entry.path);
	return false;
}

/* What is said of a file again must be the same. */
static bool put_entry(struct perf_build_ids *table, struct perf_build_id entry, struct text path)
{
	if (table->all.len >= table->slot_count / 4 * 3 && !grow_slots(table))
		return false;
	uint32_t *slot = slot_of(table, path);
	if (!*slot) {
		if (!push(table, entry, path))
			return false;
		*slot = (uint32_t)table->all.len;
	} else if (!build_id_equal(&table->all.at[*slot - 1].id, &entry.id)) {
		table->all.at[*slot - 1].ambiguous = true;
	}
	return true;
}

bool perf_build_ids_add(struct perf_build_ids *table, uint16_t misc, struct bytes body,
			struct bc_error *err)
{
	struct perf_cursor c = perf_cursor(body);
	struct perf_build_id entry = {.ambiguous = false};
	cursor_u32(&c); /* the process; mostly none */
	struct bytes id = cursor_take(&c, ID_BYTES);
	uint32_t size = cursor_u32(&c) & 0xff;
	struct text path = bytes_string(c.rest);

	if (c.failed || !path.len)
		return bc_fail(err, BC_FORMAT, "a damaged build-id entry");
	if (!is_user(misc))
		return true;
	if (!(misc & MISC_HAS_SIZE) || size > ID_BYTES)
		size = ID_BYTES;
	entry.id.size = (uint8_t)size;
	memcpy(entry.id.data, id.data, size);
	return put_entry(table, entry, path) || bc_fail_nomem(err);
}

static int compare_paths(const void *a, const void *b)
{
	const struct perf_build_id *x = a, *y = b;

	return strcmp(x->path, y->path);
}

void perf_build_ids_sort(struct perf_build_ids *table)
{
	if (table->all.len)
		qsort(table->all.at, table->all.len, sizeof(*table->all.at), compare_paths);
	free(table->slots);
	table->slots = NULL;
	table->slot_count = 0;
}

const struct build_id *perf_build_ids_find(const struct perf_build_ids *table, struct text path)
{
	uint32_t slot = table->slot_count && path.len ? *slot_of(table, path) : 0;
	const struct perf_build_id *entry = slot ? &table->all.at[slot - 1] : NULL;

	return !entry || entry->ambiguous || !entry->id.size ? NULL : &entry->id;
}
