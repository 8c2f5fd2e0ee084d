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
	map_free(&table->by_path);
	*table = (struct perf_build_ids){0};
}

static bool is_user(uint16_t misc)
{
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_USER || mode == PERF_RECORD_MISC_CPUMODE_UNKNOWN;
}

/* The kernel's own entry, not one of a module: perf names the file if it found it. */
static bool is_kernel(uint16_t misc, struct text path)
{
	return (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL &&
	       (text_is(path, PERF_KERNEL_NAME) || text_starts(text_basename(path), "vmlinux"));
}

static uint64_t hash(uint64_t seed, struct text path)
{
	return hash_end(hash_bytes(seed, path.at, path.len));
}

static bool matches(const struct perf_build_id *all, uint32_t number, struct text path)
{
	return text_equal(text_of(all[number].path), path);
}
DEFINE_MAP(by_path, const struct perf_build_id *, struct text, hash, matches);

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

/* A path that has two different build-ids is ambiguous. */
static bool put_entry(struct perf_build_ids *table, struct perf_build_id entry, struct text path)
{
	uint32_t number;

	if (by_path_find(&table->by_path, table->all.at, path, &number)) {
		table->all.at[number].ambiguous |= !build_id_equal(&table->all.at[number].id, &entry.id);
		return true;
	}
	if (!map_reserve(&table->by_path, 1) || !push(table, entry, path))
		return false;
	by_path_put(&table->by_path, path, (uint32_t)table->all.len - 1);
	return true;
}

bool perf_build_ids_add(struct perf_build_ids *table, uint16_t misc, struct bytes body,
			struct bc_error *err)
{
	struct perf_cursor c = perf_cursor(body);
	struct perf_build_id entry = {.ambiguous = false};
	cursor_u32(&c); /* pid, mostly -1 */
	struct bytes id = cursor_take(&c, ID_BYTES);
	uint32_t size = cursor_u32(&c) & 0xff;
	struct text path = bytes_string(c.rest);

	if (c.failed || !path.len)
		return bc_fail(err, BC_FORMAT, "a damaged build-id entry");
	if (is_kernel(misc, path))
		path = text_of(PERF_KERNEL_NAME);
	else if (!is_user(misc))
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
	map_free(&table->by_path);
}

const struct build_id *perf_build_ids_find(const struct perf_build_ids *table, struct text path)
{
	uint32_t number;

	if (text_starts(path, PERF_KERNEL_NAME))
		path = text_of(PERF_KERNEL_NAME);
	if (!by_path_find(&table->by_path, table->all.at, path, &number))
		return NULL;
	const struct perf_build_id *entry = &table->all.at[number];
	return entry->ambiguous || !entry->id.size ? NULL : &entry->id;
}
