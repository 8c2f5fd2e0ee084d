/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is mapped in one process: ranges that do not overlap, by ascending
 * address.  Processes share a set after a fork until one of them changes it;
 * samples that wait to be counted share it too.  A change of one of n mappings
 * of a shared set copies O(log n) short parts of it, the rest stays shared.
 *
 * NULL is a set, the empty one.  One thread shares, releases and changes sets;
 * any can look up in a set that has an owner.
 */
#ifndef SAMPLES_MAP_SET_H
#define SAMPLES_MAP_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/address.h"
#include "src/base/attr.h"
#include "src/base/map.h"
#include "src/base/vec.h"

struct mapping {
	uint64_t start, end; /* run-time addresses, [start, end), start < end */
	uint64_t offset; /* of the file at `start`, in what the owner counts: bytes of the file, or
			    vaddrs */
	uint32_t file;  /* a number of the owner's; 0: no file, or none that matters: `offset` means
			   nothing */
	uint32_t flags; /* the owner's */
};

DEFINE_VEC(mapping_vec, struct mapping);

struct map_node;
struct map_set;

/* One more owner. */
struct map_set *map_set_share(struct map_set *set);

/* One owner less. */
void map_set_release(struct map_set *set);

/* Cut [start, end) out of every mapping, and put *insert there, which lies within it and may
 * be one of the set, unless it is NULL.  What remains after the cut keeps its offset in
 * the file.  A set that others own is copied as far as it changes.  start < end.
 * Returns false when out of memory; *set is as it was then, or lacks some of what was
 * in [start, end). */
BC_MUST_USE bool map_set_replace(struct map_set **set, uint64_t start, uint64_t end,
				 const struct mapping *insert);

/* Make *set hold exactly these, which ascend and do not overlap.  What does not differ stays shared
 * with whoever shares it. O(count + differences * log count). Returns false when out of memory;
 * *set then holds some of what it had and some of these. */
BC_MUST_USE bool map_set_update(struct map_set **set, const struct mapping *sorted, size_t count);

/* What is found stays where it is until its set is changed or loses its last owner. */

/* The mapping that holds an address, or NULL. */
const struct mapping *map_set_find(const struct map_set *set, uint64_t at);

/* The first mapping that ends above `at`, or NULL.  For walks: from 0, then from the end
 * of the one before. */
const struct mapping *map_set_above(const struct map_set *set, uint64_t at);

/* How many mappings there are.  O(1). */
size_t map_set_count(const struct map_set *set);

/* About how many bytes of memory it takes, of what others own, too, in equal parts.  O(what it
 * alone owns). */
size_t map_set_memory(const struct map_set *set);

/* About how many bytes a change of [start, end) copies because others own them, too.  O(log n) */
size_t map_set_copied(const struct map_set *set, uint64_t start, uint64_t end);

/* All of them in order, to out[map_set_count(set)]. */
void map_set_list(const struct map_set *set, struct mapping *out);

/* Append the mappings of some files to `out`, in order.  For many sets that share most of what
 * they have: what has none of them is remembered, and not looked through again.
 *
 * wanted   by the number of the file: not 0 for those
 * without  empty before the first set; the sets must live as long as it is used
 *
 * False when out of memory. */
BC_MUST_USE bool map_set_gather(const struct map_set *set, const uint8_t *wanted,
				struct number_set *without, struct mapping_vec *out);

/* Set the mark of each file of the set's mappings, by its number.  For many sets that share most of
 * what they have: `seen`, empty before the first set, has what was looked through; the sets must
 * live as long as it is used.  *looked grows by the mappings that were looked at. False when out of
 * memory. */
BC_MUST_USE bool map_set_mark(const struct map_set *set, uint8_t *marks, struct number_set *seen,
			      uint64_t *looked);

struct renumbered_node {
	const struct map_node *before;
	struct map_node *copy; /* owned */
	unsigned height;
};
DEFINE_VEC(renumbered_vec, struct renumbered_node);

/* What map_set_renumber() has copied.  Begins with `numbers` and else zeroed. */
struct renumbered {
	const uint32_t *numbers; /* by the number of a file: its other number */
	struct renumbered_vec nodes;
	struct map by_node; /* from the node that was copied to the index in `nodes` */
};
void renumbered_free(struct renumbered *done);

/* A copy of a set with other numbers for its files, to *out, whose only owner the caller is; NULL
 * for NULL.  A node that several sets share is copied once, and their copies share it: the sets
 * must live as long as `done`.  False when out of memory. */
BC_MUST_USE bool map_set_renumber(const struct map_set *set, struct renumbered *done,
				  struct map_set **out);

/* All mappings with a file lie in [*start, *end), now and before; both are 0 if there was
 * none.  O(1). */
void map_set_range(const struct map_set *set, uint64_t *start, uint64_t *end);

/*
 * What is mapped where in one process at one moment, in a row: for whoever looks up
 * much, or looks at all of it.
 *
 * A look-up is a binary search over the mappings' starts, which are in an array
 * of their own: 14 steps in 80 KB for 10,000 mappings.  A batch looks first
 * where the address before was.
 */

/* mapping.flags, of processes whose maps are kept whole. */
enum {
	MAPPING_READ = 1,
	MAPPING_WRITE = 2,
	MAPPING_EXEC = 4,
	MAPPING_SHARED = 8,
};

/* Zeroed means empty. */
struct maps {
	struct mapping *at; /* by ascending start, not overlapping */
	size_t len;
	uint64_t *starts; /* at[i].start */
};

/* All mappings of a set.  False when out of memory. */
BC_MUST_USE bool maps_of(const struct map_set *set, struct maps *out);
void maps_free(struct maps *maps);

/* The mapping that holds an address, or NULL.  O(log n). */
const struct mapping *maps_find(const struct maps *maps, struct run_addr at);

/* The same for many: out[i] is the number of the mapping of at[i], or
 * MAPS_NOWHERE.  Any order will do; neighbors are found at once. */
#define MAPS_NOWHERE UINT32_MAX
void maps_find_all(const struct maps *maps, const struct run_addr *at, size_t count, uint32_t *out);

/* The offset in the mapping's file of a run-time address in it. */
static inline struct file_off mapping_offset(const struct mapping *mapping, struct run_addr at)
{
	return (struct file_off){at.v - mapping->start + mapping->offset};
}

#endif
