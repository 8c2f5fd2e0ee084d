/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/sorter.h"

#include <stdlib.h>

#include "src/base/sort.h"

/* ---- lists ---- */

#define CHUNK ((size_t)256 << 10)

struct item_chunk {
	struct item_chunk *next;
	size_t used, room;
	uint8_t at[];
};

static void free_chunks(struct item_chunk *chunk)
{
	while (chunk) {
		struct item_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
}

void item_list_free(struct item_list *list)
{
	free_chunks(list->chunks);
	profile_item_vec_free(&list->items);
	free(list->order);
	*list = (struct item_list){0};
}

void item_list_clear(struct item_list *list)
{
	if (list->chunks) {
		free_chunks(list->chunks->next);
		list->chunks->next = NULL;
		list->chunks->used = 0;
	}
	list->items.len = list->settled = 0;
	list->bytes = 0;
}

static uint8_t *take_room(struct item_list *list, size_t size)
{
	struct item_chunk *chunk = list->chunks;

	if (!chunk || size > chunk->room - chunk->used) {
		size_t room = size > CHUNK ? size : CHUNK;
		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		*chunk = (struct item_chunk){.next = list->chunks, .room = room};
		list->chunks = chunk;
	}
	uint8_t *at = chunk->at + chunk->used;
	chunk->used += size;
	return at;
}

/* Sorting must not run out of memory. */
static bool keep_room(struct item_list *list)
{
	if (list->room >= list->items.cap)
		return true;
	struct keyed_item *order = realloc(list->order, list->items.cap * sizeof(*order));
	if (!order)
		return false;
	list->order = order;
	list->room = list->items.cap;
	return true;
}

bool item_list_push(struct item_list *list, const struct profile_item *item)
{
	uint8_t *key = take_room(list, item->size);
	struct profile_item own = *item;

	if (!key)
		return false;
	memcpy(key, item->key, item->size);
	own.key = key;
	list->bytes += item->size + sizeof(own) + sizeof(struct keyed_item);
	return profile_item_vec_push(&list->items, own) && keep_room(list);
}

/* ---- order ----
 * By eight bytes of each key at a time: they are fetched once, lie side by side while they are compared, and where they
 * are equal the next eight tell. */

#define PART sizeof(uint64_t)
#define DEEPEST ((size_t)512) /* bytes of keys that are taken so */
#define AHEAD ((size_t)8)     /* so many keys before it is wanted one is fetched */
#define FEW ((size_t)4)       /* of so many keys the rest is compared as it is */

static uint64_t part_of(const struct keyed_item *item, size_t from)
{
	size_t left = item->size > from ? item->size - from : 0;
	uint64_t part = 0;

	if (left >= PART)
		memcpy(&part, item->key + from, PART);
	else if (left)
		memcpy(&part, item->key + from, left);
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? part : __builtin_bswap64(part);
}

static bool part_less(const struct keyed_item *a, const struct keyed_item *b)
{
	return a->part < b->part;
}
DEFINE_SORT(sort_parts, struct keyed_item, part_less)

static bool item_less(const struct keyed_item *a, const struct keyed_item *b)
{
	const struct profile_item x = {.key = a->key, .size = a->size}, y = {.key = b->key, .size = b->size};

	return profile_item_compare(&x, &y) < 0;
}
DEFINE_SORT(sort_items, struct keyed_item, item_less)

/* How many at the front have one part; *ended: of some key it is the last. */
static size_t count_equal(const struct keyed_item *at, size_t count, size_t from, bool *ended)
{
	size_t same = 0;

	for (*ended = false; same < count && at[same].part == at[0].part; same++)
		*ended |= at[same].size <= from + PART;
	return same;
}

/* All have the same `from` bytes in front. */
static void sort_from(struct keyed_item *at, size_t count, size_t from)
{
	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			__builtin_prefetch(at[i + AHEAD].key + from);
		at[i].part = part_of(&at[i], from);
	}
	sort_parts(at, count);
	for (size_t same; count; at += same, count -= same) {
		bool ended;
		same = count_equal(at, count, from, &ended);
		if (same > 1 && (ended || same <= FEW || from >= DEEPEST))
			sort_items(at, same);
		else if (same > 1)
			sort_from(at, same, from + PART);
	}
}

static void sort_list(struct item_list *list)
{
	uint32_t count = (uint32_t)list->items.len;

	for (uint32_t i = 0; i < count; i++) {
		const struct profile_item *item = &list->items.at[i];
		list->order[i] = (struct keyed_item){0, item->key, (uint32_t)item->size, i};
	}
	sort_from(list->order, count, 0);
}

/* The last parts that were compared are at hand, and of equal keys they are equal: most keys need not be fetched. */
static bool is_same(const struct keyed_item *a, const struct keyed_item *b)
{
	const struct profile_item x = {.key = a->key, .size = a->size}, y = {.key = b->key, .size = b->size};

	return a->part == b->part && profile_item_equal(&x, &y);
}

enum item_fault item_list_settle(struct item_list *list, bool saturate, uint64_t *saturated, struct profile_item *bad)
{
	struct keyed_item *order = list->order;
	size_t kept = 0;

	sort_list(list);
	list->settled = list->items.len;
	for (size_t i = 0; i < list->settled; i++) {
		if (!kept || !is_same(&order[kept - 1], &order[i])) {
			order[kept++] = order[i];
			continue;
		}
		struct profile_item *last = &list->items.at[order[kept - 1].index];
		const struct profile_item *item = &list->items.at[order[i].index];
		*bad = *item;
		if (!profile_item_agrees(last, item))
			return ITEMS_DISAGREE;
		if (!profile_item_add(last, item, saturate, saturated))
			return ITEMS_OVERFLOW;
	}
	list->settled = kept;
	return ITEMS_FIT;
}

/* ---- sorters ---- */

/* Of so many keys some must have come twice, or none will be looked for. */
#define TRIED ((size_t)1 << 16)

void sorter_free(struct sorter *sorter)
{
	item_list_free(&sorter->list);
	map_free(&sorter->places);
	run_vec_free(&sorter->runs);
	*sorter = (struct sorter){0};
}

static bool settle(struct sorter *sorter, struct bc_error *err)
{
	sorter->fault = item_list_settle(&sorter->list, sorter->saturate, &sorter->saturated, &sorter->bad);
	return sorter->fault == ITEMS_FIT || bc_fail(err, BC_MISMATCH, "two records of one place do not fit");
}

static bool spill(struct sorter *sorter, struct bc_error *err)
{
	struct run_writer writer;
	struct run run;
	bool ok = run_begin(&writer, sorter->file) || bc_fail_nomem(err);

	for (size_t i = 0; ok && i < sorter->list.settled; i++)
		ok = run_put(&writer, item_list_at(&sorter->list, i), err);
	if (!ok) {
		run_abandon(&writer);
		return false;
	}
	item_list_clear(&sorter->list);
	map_clear(&sorter->places);
	sorter->found = 0;
	sorter->all_new = false;
	return run_end(&writer, &run, err) && (run_vec_push(&sorter->runs, run) || bc_fail_nomem(err));
}

static uint64_t hash_of(uint64_t seed, const struct profile_item *item)
{
	return hash_end(hash_bytes(seed, item->key, item->size));
}

static bool has_key(const struct sorter *sorter, uint32_t place, const struct profile_item *item)
{
	return !profile_item_compare(&sorter->list.items.at[place], item);
}
DEFINE_MAP(places, const struct sorter *, const struct profile_item *, hash_of, has_key);

static bool add_to(struct sorter *sorter, struct profile_item *to, const struct profile_item *item, struct bc_error *err)
{
	sorter->fault = !profile_item_agrees(to, item)                                            ? ITEMS_DISAGREE
			: !profile_item_add(to, item, sorter->saturate, &sorter->saturated) ? ITEMS_OVERFLOW
												: ITEMS_FIT;
	sorter->bad = *to;
	return sorter->fault == ITEMS_FIT || bc_fail(err, BC_MISMATCH, "two records of one place do not fit");
}

/* To the key that is there already.  false: there is none, or *fault: it does not fit */
static bool add_up(struct sorter *sorter, const struct profile_item *item, struct bc_error *err)
{
	uint32_t place;

	err->code = BC_OK;
	if (sorter->all_new || !places_find(&sorter->places, sorter, item, &place))
		return false;
	sorter->found++;
	return add_to(sorter, &sorter->list.items.at[place], item, err);
}

static bool note_place(struct sorter *sorter, const struct profile_item *item)
{
	size_t count = sorter->list.items.len;

	if (count == TRIED && sorter->found < count / 4)
		sorter->all_new = true;
	if (sorter->all_new)
		return true;
	if (!map_reserve(&sorter->places, 1))
		return false;
	places_put(&sorter->places, item, (uint32_t)(count - 1));
	return true;
}

bool sorter_put(struct sorter *sorter, const struct profile_item *item, struct bc_error *err)
{
	if (add_up(sorter, item, err))
		return true;
	if (err->code != BC_OK)
		return false;
	if (!item_list_push(&sorter->list, item) || !note_place(sorter, item))
		return bc_fail_nomem(err);
	bool full = sorter->list.bytes >= sorter->memory || sorter->list.items.len == MAP_NUMBER_MOST;
	return !full || (settle(sorter, err) && spill(sorter, err));
}

bool sorter_end(struct sorter *sorter, bool to_run, struct bc_error *err)
{
	if (!settle(sorter, err))
		return false;
	bool needed = sorter->list.items.len && (to_run || sorter->runs.len);
	return !needed || spill(sorter, err);
}

struct sort_memory {
	struct source source;
	const struct item_list *list;
	size_t at;
};

static bool memory_next(struct source *source, struct profile_item *out, struct bc_error *err)
{
	struct sort_memory *m = (struct sort_memory *)(void *)source; /* its first member */

	err->code = BC_OK;
	if (m->at == m->list->settled)
		return false;
	*out = *item_list_at(m->list, m->at++);
	return true;
}

static void memory_close(struct source *source)
{
	free(source);
}

struct source *sorter_open_memory(const struct sorter *sorter, struct bc_error *err)
{
	struct sort_memory *m = malloc(sizeof(*m));

	if (!m) {
		bc_fail_nomem(err);
		return NULL;
	}
	*m = (struct sort_memory){{memory_next, memory_close}, &sorter->list, 0};
	return &m->source;
}
