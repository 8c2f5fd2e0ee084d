/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Items are brought into order: in memory, and by runs in temporary files where they are too many.
 */
#ifndef PROFILE_SORTER_H
#define PROFILE_SORTER_H

#include <stdio.h>

#include "src/base/attr.h"
#include "src/base/emit.h"
#include "src/base/error.h"
#include "src/base/map.h"
#include "src/base/vec.h"
#include "src/profile/item.h"

/* Where items come from, one after the other. */
struct source {
	/* The next item, valid until the next call.  False at the end, with BC_OK in `err`, and on
	 * errors. */
	bool (*next)(struct source *source, struct profile_item *out, struct bc_error *err);
	void (*close)(struct source *source); /* and free it */
};

static inline void source_close(struct source *source)
{
	if (source)
		source->close(source);
}

/* Bytes that are kept for a while: a few in memory, more in an unnamed file, which is gone with the
 * program however it ends. */
struct temporary {
	const char *folder; /* of the file; borrowed */
	int fd;             /* -1: all is in memory still */
	uint8_t *memory;
	size_t room;
	uint64_t size;
	bool failed; /* what went wrong was this file's fault, and no input's */
};

static inline struct temporary temporary_in(const char *folder)
{
	return (struct temporary){.folder = folder, .fd = -1};
}

/* What is there is forgotten; it can be used again. */
void temporary_close(struct temporary *file);

/* Put bytes after its end.  BC_IO, BC_NOMEM */
BC_MUST_USE bool temporary_append(struct temporary *file, const void *data, size_t size,
				  struct bc_error *err);

/* Exactly so many bytes from `at` on, which are there.  BC_IO */
BC_MUST_USE bool temporary_read(const struct temporary *file, uint64_t at, void *to, size_t size,
				struct bc_error *err);

/* A stream that appends; its errors are in *why and in ferror().  NULL: out of memory */
FILE *temporary_stream(struct temporary *file, struct bc_error *why);

/* A run: items in a temporary file, one after the other.  For a key only what the one before does
 * not begin with is there. */
struct run {
	struct temporary *file; /* borrowed */
	uint64_t begin, end;    /* bytes of it */
};
DEFINE_VEC(run_vec, struct run);

struct run_writer {
	struct run run;
	struct key last;
	uint8_t *buffer;
	size_t used;
};

/* false: out of memory */
BC_MUST_USE bool run_begin(struct run_writer *writer, struct temporary *file);
/* BC_IO, BC_NOMEM */
BC_MUST_USE bool run_put(struct run_writer *writer, const struct profile_item *item,
			 struct bc_error *err);
/* For an unfinished one, too. */
BC_MUST_USE bool run_end(struct run_writer *writer, struct run *out, struct bc_error *err);
void run_abandon(struct run_writer *writer);

/* A source that reads a run.  NULL: BC_NOMEM */
struct source *run_open(struct run run, struct bc_error *err);

/* Items with keys of their own, to be brought into order. */
DEFINE_VEC(profile_item_vec, struct profile_item);

struct keyed_item {
	uint64_t part; /* of the key; after its end are zeros */
	const uint8_t *key;
	uint32_t size, index; /* of the item */
};
struct item_chunk; /* keys: they stay where they are */

struct item_list {
	struct profile_item_vec items; /* as they came */
	struct item_chunk *chunks;
	struct keyed_item *order; /* of all of them */
	size_t room;
	size_t settled; /* how many there are in order; 0 until they are */
	size_t bytes;   /* of memory */
};

void item_list_free(struct item_list *list);

/* Forget the items; some of the memory is kept. */
void item_list_clear(struct item_list *list);

/* Put an item after the others; its key, of less than 2^32 bytes, is copied.  false: out of
 * memory, or 2^32 items */
BC_MUST_USE bool item_list_push(struct item_list *list, const struct profile_item *item);

enum item_fault { ITEMS_FIT, ITEMS_DISAGREE, ITEMS_OVERFLOW };

/* Bring them into order and add up equal ones; no more are put to them then.  saturate, *saturated:
 * as profile_item_add().  *bad: of which key, where they do not fit. */
enum item_fault item_list_settle(struct item_list *list, bool saturate, uint64_t *saturated,
				 struct profile_item *bad);

/* The items in order, each key once, after item_list_settle().  They lie where they came: who goes
 * from one to the next has those fetched that it comes to soon. */
static inline const struct profile_item *item_list_at(const struct item_list *list, size_t at)
{
	const struct keyed_item *order = list->order;

	if (list->settled - at > 8) {
		__builtin_prefetch(&list->items.at[order[at + 8].index]);
		__builtin_prefetch(order[at + 8].key);
		__builtin_prefetch(order[at + 8].key + order[at + 8].size - 1);
	}
	return &list->items.at[order[at].index];
}

/* Items in any order: equal ones are added up as they come, and the others sorted in memory, and in
 * runs of a temporary file where that is too little. */
struct sorter {
	struct temporary *file;
	size_t memory; /* bytes of items at a time */
	bool saturate;
	uint64_t saturated;
	struct item_list list;
	struct map
		places; /* where each key of the list is in it, as long as looking for them pays */
	size_t found;   /* keys that were there already */
	bool all_new;   /* hardly any is: they are put after the others, and equal ones found when
			   all are sorted */
	struct run_vec runs; /* of what was put so far except for the list */
	enum item_fault
		fault; /* why sorter_put() or sorter_end() failed, or ITEMS_FIT: err shows */
	struct profile_item bad; /* of which key */
};

void sorter_free(struct sorter *sorter);

BC_MUST_USE bool sorter_put(struct sorter *sorter, const struct profile_item *item,
			    struct bc_error *err);

/* All was put: what is in memory is in order, too, and stays there if there are no runs; spill: it
 * is put into a run in any case. */
BC_MUST_USE bool sorter_end(struct sorter *sorter, bool spill, struct bc_error *err);

/* What is in memory, after sorter_end().  NULL: BC_NOMEM */
struct source *sorter_open_memory(const struct sorter *sorter, struct bc_error *err);

#endif
