/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A profile in memory: counts of branches between locations of the input binary, of basic samples,
 * and of accesses to memory.
 *
 * Records are put into batches, one per thread, as they come; profile_build()
 * brings them into the order in which BOLT's tools write them, and adds up
 * equal ones.  Who needs all records of a function before that groups them.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "src/base/counts.h"
#include "src/base/vec.h"
#include "src/count/ledger.h"
#include "src/elf/binary.h"

enum record_kind {
	RECORD_BRANCH, /* listed under the function it comes from             */
	RECORD_ENTRY,  /* from outside: listed under the function it goes to  */
	RECORD_SAMPLE, /* a basic sample: `from` only                         */
};

struct record {
	enum record_kind kind;
	struct input_place from, to;
	uint64_t count, mispredicted;
	uint64_t unsited; /* of a call's count, from locations of which only the block is known */
};

/* A record as it is stored: both locations in two words that sort as numbers. */
struct packed_record {
	uint64_t owner_from; /* function it is listed under << 33 | entry << 32
				| offset it comes from */
	uint64_t to;         /* function it goes to + 1, or 0 << 32 | offset */
	uint64_t count, mispredicted, unsited;
};
DEFINE_VEC(record_vec, struct packed_record);

/* Records of one thread.  Equal ones often come soon after each other: for each hash the
 * index of the last record is kept, and an equal one is added to that. */
#define RECENT_PLACES ((size_t)1 << 10)

struct record_batch {
	struct record_vec records;
	uint32_t recent[RECENT_PLACES]; /* by hash: the number of a record, which may be another */
};

/* Code read data so often; both have names. */
struct access {
	const struct function *function;
	uint32_t offset; /* in the input function */
	const struct symbol *data;
	uint64_t data_offset;
	uint64_t count;
};
DEFINE_VEC(access_vec, struct access);

struct profile {
	const struct binary *binary; /* borrowed; names come from it */
	bool basic;                  /* of RECORD_SAMPLE */
	bool of_input;               /* inferred: over the graph of the input itself */
	struct packed_record *records;
	size_t record_count;
	struct name_number
		*by_name; /* functions that have records, by printed name: what the words number */
	size_t function_count;
	struct access_vec accesses; /* see memory_convert(); by names and offsets */
};

/* Put a record into a batch.  A count of 0 adds nothing.  Returns false when
 * out of memory. */
BC_MUST_USE bool record_push(struct record_batch *batch, const struct binary *binary,
			     const struct record *record);

/* Records of a batch, and what they show; basic: they are RECORD_SAMPLE. */
struct record record_unpack(const struct packed_record *packed, const struct binary *binary,
			    bool basic);

/* Sorts records of one function, and adds up equal ones.  Returns how many are left. */
size_t records_unify(struct packed_record *records, size_t count);

/* Records by the function that they are listed under. */
struct record_group {
	const struct function *function;
	size_t begin, end; /* in `records` */
};
struct record_groups {
	struct record_group *at; /* by function; each has a record at first */
	size_t count;
	struct packed_record *records;
};

/* Group records that were pushed, which are freed; each location is there once then.  Returns false
 * when out of memory. */
BC_MUST_USE bool record_groups_make(const struct binary *binary, struct record_vec *batches,
				    size_t batch_count, unsigned threads,
				    struct record_groups *out);
void record_groups_free(struct record_groups *groups);

/* Make a profile of records that were pushed, which are freed.
 *
 * Records are ordered by the printed name of the function they are listed
 * under, entry records last, then by source and target, of which unknown ones
 * come first, by printed name and offset.  BC_NOMEM. */
BC_MUST_USE bool profile_build(const struct binary *binary, bool basic, struct record_vec *batches,
			       size_t batch_count, unsigned threads, struct profile *out,
			       struct bc_error *err);
void profile_free(struct profile *profile);

/* Copies a half of a profile of basic samples, each of which is in it by chance (counts.h).  *out:
 * for profile_free().  Returns false when out of memory: there is nothing to free. */
BC_MUST_USE bool profile_half(const struct profile *profile, bool first, struct profile *out);

struct record profile_record(const struct profile *profile, size_t index);

/* How often control came from or went to functions whose numbers are not those of their addresses.
 */
uint64_t profile_renumbered(const struct profile *profile);

/* The function that a record is listed under: its index in by_name. */
size_t profile_owner(const struct profile *profile, size_t index);

/* Text does not distinguish functions of one printed name: the same profile with their records as
 * one function's, added up, so that no two lines have equal locations.  *out borrows from
 * `profile`, and from *own, which is for free().  BC_NOMEM. */
BC_MUST_USE bool profile_one_by_name(const struct profile *profile, struct profile *out,
				     struct packed_record **own, struct bc_error *err);

/* ---- entries ----
 * How often, and where, functions are entered: the records that come from other functions or from
 * outside, by the function they go to. */

struct entry {
	uint32_t function; /* index into the binary's functions */
	uint32_t offset;
	uint64_t count;
	uint64_t external; /* of these, from no function of the binary */
};
DEFINE_VEC(entry_vec, struct entry);

/* Whether a record is a branch within one function; one to the function's own
 * beginning is recursion and none. */
static inline bool record_is_internal(const struct record *record)
{
	return record->kind == RECORD_BRANCH && record->to.function == record->from.function &&
	       record->to.offset != 0;
}

/* Adds the entry that a record shows, if it does.  Returns false when out of memory. */
BC_MUST_USE bool entries_add(const struct binary *binary, const struct record *record,
			     struct entry_vec *out);

/* To be called when all were added: sorts by function and offset, each location once. */
void entries_sort(struct entry_vec *entries);

/* Those of a profile, sorted.  Returns false when out of memory. */
BC_MUST_USE bool entries_collect(const struct profile *profile, struct entry_vec *out);

/* Those of a function: *out, and how many. */
size_t entries_of(const struct entry_vec *entries, uint32_t function, const struct entry **out);

/* ---- names ----
 * Not every format holds every name. */

#define NAMES_ONE_LINE 1u /* fdata: merge-fdata refuses the whole file for a newline in a name */
#define NAMES_UTF8     2u /* YAML is UTF-8: no other byte can be written */

/* Whether rules, a sum of those above, allow a name. */
bool name_is_allowed(const char *name, unsigned rules);

/* Marks functions whose printed name is not allowed in *out, for code_marks_free(); none: all are
 * allowed. Returns false when out of memory. */
BC_MUST_USE bool nameable_find(const struct function_table *functions, const struct image *image,
			       unsigned rules, struct code_marks *out);

/* ---- accesses to memory ---- */

/* Translate counted accesses (vaddr of the code, vaddr of the data), which are sorted
 * by it, and put them into the profile.  The ledger shows what became of them.
 *
 * names  which names may be written: NAMES_ONE_LINE and so on
 *
 * BC_NOMEM */
BC_MUST_USE bool memory_convert(struct count_table *counted, unsigned names,
				struct profile *profile, struct ledger *ledger,
				struct bc_error *err);

#endif
