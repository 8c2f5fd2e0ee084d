/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/sorter.h"

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

struct memory {
	struct source source;
	const struct item_list *list;
	size_t at;
};

static bool memory_next(struct source *source, struct profile_item *out, struct bc_error *err)
{
	struct memory *m = (struct memory *)(void *)source; /* its first member */

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
	struct memory *m = malloc(sizeof(*m));

	if (!m) {
		bc_fail_nomem(err);
		return NULL;
	}
	*m = (struct memory){{memory_next, memory_close}, &sorter->list, 0};
	return &m->source;
}
