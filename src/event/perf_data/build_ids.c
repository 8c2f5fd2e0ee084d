/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_data/build_ids.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "src/event/perf_data/cursor.h"

/* s32 pid, u8 id[20], u8 size, 3 bytes reserved, path */
#define ID_BYTES 20
#define MISC_HAS_SIZE (1u << 15) /* else the size is 20 */

void perf_build_ids_free(struct perf_build_ids *table)
{
	for (size_t i = 0; i < table->all.len; i++)
		free(table->all.at[i].path);
	perf_build_id_vec_free(&table->all);
	table->sorted = false;
}

static bool is_user(uint16_t misc)
{
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_USER || mode == PERF_RECORD_MISC_CPUMODE_UNKNOWN;
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

bool perf_build_ids_add(struct perf_build_ids *table, uint16_t misc, struct bytes body,
			struct bc_error *err)
{
	struct perf_cursor c = perf_cursor(body);
	struct perf_build_id entry = {.pid = cursor_u32(&c)};
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
	table->sorted = false;
	return push(table, entry, path) || bc_fail_nomem(err);
}

static int compare_paths(const void *a, const void *b)
{
	const struct perf_build_id *x = a, *y = b;

	return strcmp(x->path, y->path);
}

void perf_build_ids_sort(struct perf_build_ids *table)
{
	struct perf_build_id_vec *all = &table->all;

	if (table->sorted)
		return;
	if (all->len)
		qsort(all->at, all->len, sizeof(*all->at), compare_paths);
	for (size_t i = 1; i < all->len; i++)
		if (!strcmp(all->at[i].path, all->at[i - 1].path) &&
		    (all->at[i - 1].ambiguous ||
		     !build_id_equal(&all->at[i].id, &all->at[i - 1].id)))
			all->at[i].ambiguous = all->at[i - 1].ambiguous = true;
	table->sorted = true;
}

static int compare_text(struct text a, const char *string)
{
	size_t len = strlen(string);
	int order = memcmp(a.at, string, a.len < len ? a.len : len);

	return order ? order : (a.len > len) - (a.len < len);
}

const struct build_id *perf_build_ids_find(struct perf_build_ids *table, struct text path)
{
	perf_build_ids_sort(table);
	size_t low = 0, high = table->all.len;
	while (low < high) { /* the last entry of the path: it knows all before */
		size_t mid = low + (high - low) / 2;
		if (compare_text(path, table->all.at[mid].path) >= 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || !path.len || compare_text(path, table->all.at[low - 1].path))
		return NULL;
	const struct perf_build_id *entry = &table->all.at[low - 1];
	return entry->ambiguous || !entry->id.size ? NULL : &entry->id;
}
