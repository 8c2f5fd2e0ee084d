/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/parallel.h"
#include "src/base/sort.h"

#define OWNER_SHIFT 33
#define ENTRY_BIT (UINT64_C(1) << 32)

static uint64_t index_of(const struct binary *binary, const struct function *function)
{
	return (uint64_t)(function - binary->functions.at);
}

/* Rows of `recent`: the table stays in a processor's own cache. */
#define RECENT_ROWS ((size_t)3 << 12)

/* As many go past the table, if it did not make a quarter of those before it equal. */
#define DIRECT_RECORDS (8 * RECENT_ROWS)

static bool flush_recent(struct record_batch *batch)
{
	for (size_t i = 0; i < batch->recent.capacity; i++) {
		const struct count_row *row = &batch->recent.rows[i];
		struct packed_record record = {row->key[0], row->key[1], row->count, row->extra};
		if (row->count && !record_vec_push(&batch->older, record))
			return false;
	}
	if (batch->pushed < batch->recent.used + batch->recent.used / 3)
		batch->direct = DIRECT_RECORDS;
	batch->pushed = 0;
	count_table_clear(&batch->recent);
	return true;
}

static bool push_recent(struct record_batch *batch, const struct packed_record *record)
{
	const uint64_t key[COUNT_KEY_WORDS] = {record->owner_from, record->to};

	batch->pushed++;
	return (batch->recent.used < RECENT_ROWS || flush_recent(batch)) &&
	       count_table_add(&batch->recent, key, record->count, record->mispredicted);
}

bool record_push(struct record_batch *batch, const struct binary *binary,
		 const struct record *record)
{
	bool entry = record->kind == RECORD_ENTRY;
	const struct function *owner = entry ? record->to.function : record->from.function;
	struct packed_record packed = {
		.owner_from = index_of(binary, owner) << OWNER_SHIFT | (entry ? ENTRY_BIT : 0) |
			      record->from.offset,
		.count = record->count,
		.mispredicted = record->mispredicted,
	};

	if (!record->count)
		return true;
	if (record->to.function)
		packed.to = (index_of(binary, record->to.function) + 1) << 32 | record->to.offset;
	if (!batch->direct)
		return push_recent(batch, &packed);
	batch->direct--;
	return record_vec_push(&batch->older, packed);
}

static void record_batch_free(struct record_batch *batch)
{
	count_table_free(&batch->recent);
	record_vec_free(&batch->older);
}

struct record profile_record(const struct profile *profile, size_t index)
{
	const struct packed_record *packed = &profile->records[index];
	const struct function *functions = profile->binary->functions.at;
	struct record record = {.count = packed->count, .mispredicted = packed->mispredicted};
	uint64_t to = packed->to >> 32;

	if (packed->owner_from & ENTRY_BIT) {
		record.kind = RECORD_ENTRY;
	} else {
		record.kind = profile->basic ? RECORD_SAMPLE : RECORD_BRANCH;
		record.from.function = &functions[profile->by_primary[packed->owner_from >> OWNER_SHIFT]];
		record.from.offset = (uint32_t)packed->owner_from;
	}
	if (to) {
		record.to.function = &functions[profile->by_printed[to - 1]];
		record.to.offset = (uint32_t)packed->to;
	}
	return record;
}

size_t profile_owner(const struct profile *profile, size_t index)
{
	return (size_t)(profile->records[index].owner_from >> OWNER_SHIFT);
}

void profile_free(struct profile *profile)
{
	free(profile->records);
	free(profile->by_primary);
	free(profile->by_printed);
	access_vec_free(&profile->accesses);
	*profile = (struct profile){0};
}

/* Which functions have records, and where each stands by name. */
struct ranks {
	const struct function *functions;
	uint32_t *touched; /* indices of functions, in some order of names */
	uint32_t *rank_of; /* function -> its place in `touched` */
	size_t count;
};

#define UNTOUCHED UINT32_MAX

static void touch(struct ranks *ranks, uint64_t function)
{
	if (ranks->rank_of[function] != UNTOUCHED)
		return;
	ranks->rank_of[function] = 0;
	ranks->touched[ranks->count++] = (uint32_t)function;
}

struct named {
	const char *name;
	uint32_t function;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->function > y->function) - (x->function < y->function);
}

/* Order `touched` by one of the names. */
static bool rank_by_name(struct ranks *ranks, bool printed)
{
	struct named *named = malloc((ranks->count + 1) * sizeof(*named));

	if (!named)
		return false;
	for (size_t i = 0; i < ranks->count; i++) {
		const struct function *f = &ranks->functions[ranks->touched[i]];
		named[i] = (struct named){printed ? f->printed : f->primary, ranks->touched[i]};
	}
	qsort(named, ranks->count, sizeof(*named), compare_named);
	for (size_t i = 0; i < ranks->count; i++) {
		ranks->touched[i] = named[i].function;
		ranks->rank_of[named[i].function] = (uint32_t)i;
	}
	free(named);
	return true;
}

struct build {
	struct profile *profile;
	struct record_batch *batches;
	size_t batch_count, total;
	struct ranks ranks;
	size_t *starts; /* of each owner's records; starts[owners] is the end */
};

static void touch_all(struct build *b)
{
	for (size_t i = 0; i < b->batch_count; i++) {
		const struct record_vec *batch = &b->batches[i].older;
		b->total += batch->len;
		for (size_t r = 0; r < batch->len; r++) {
			touch(&b->ranks, batch->at[r].owner_from >> OWNER_SHIFT);
			if (batch->at[r].to)
				touch(&b->ranks, (batch->at[r].to >> 32) - 1);
		}
	}
}

static uint64_t owner_of(const struct packed_record *record)
{
	return record->owner_from >> OWNER_SHIFT;
}

/* Number functions by printed name where records go to... */
static void renumber_targets(struct build *b)
{
	for (size_t i = 0; i < b->batch_count; i++) {
		struct record_vec *batch = &b->batches[i].older;
		for (size_t r = 0; r < batch->len; r++) {
			uint64_t to = batch->at[r].to;
			if (to)
				batch->at[r].to = ((uint64_t)b->ranks.rank_of[(to >> 32) - 1] + 1) << 32 |
						  (uint32_t)to;
		}
	}
}

/* ...and by primary name where they are listed; count those of each. */
static void renumber_owners(struct build *b)
{
	const uint64_t rest = (UINT64_C(1) << OWNER_SHIFT) - 1;

	for (size_t i = 0; i < b->batch_count; i++) {
		struct record_vec *batch = &b->batches[i].older;
		for (size_t r = 0; r < batch->len; r++) {
			uint64_t rank = b->ranks.rank_of[owner_of(&batch->at[r])];
			batch->at[r].owner_from = rank << OWNER_SHIFT | (batch->at[r].owner_from & rest);
			b->starts[rank + 1]++;
		}
	}
	for (size_t i = 0; i < b->ranks.count; i++)
		b->starts[i + 1] += b->starts[i];
}

/* Put each record behind those of its owner that came before. */
static bool distribute(struct build *b)
{
	struct packed_record *records = malloc((b->total + 1) * sizeof(*records));

	if (!records)
		return false;
	for (size_t i = 0; i < b->batch_count; i++) {
		const struct record_vec *batch = &b->batches[i].older;
		for (size_t r = 0; r < batch->len; r++) {
			const struct packed_record *record = &batch->at[r];
			records[b->starts[owner_of(record)]++] = *record;
		}
		record_batch_free(&b->batches[i]);
	}
	/* Each start has moved to the next one's place. */
	memmove(b->starts + 1, b->starts, b->ranks.count * sizeof(*b->starts));
	b->starts[0] = 0;
	b->profile->records = records;
	return true;
}

static bool packed_less(const struct packed_record *a, const struct packed_record *b)
{
	return a->owner_from != b->owner_from ? a->owner_from < b->owner_from : a->to < b->to;
}
DEFINE_SORT(sort_packed, struct packed_record, packed_less)

static bool same_places(const struct packed_record *a, const struct packed_record *b)
{
	return a->owner_from == b->owner_from && a->to == b->to;
}

/* Owners are sorted in groups, so that a group is worth a thread's while. */
#define GROUP 64

static void sort_group(void *ctx, size_t group, unsigned worker)
{
	struct build *b = ctx;
	size_t end = (group + 1) * GROUP < b->ranks.count ? (group + 1) * GROUP : b->ranks.count;

	(void)worker;
	for (size_t i = group * GROUP; i < end; i++)
		sort_packed(b->profile->records + b->starts[i], b->starts[i + 1] - b->starts[i]);
}

static void add_up_equal(struct profile *profile, size_t total)
{
	struct packed_record *records = profile->records;
	size_t kept = 0;

	for (size_t i = 0; i < total; i++) {
		struct packed_record *last = kept ? &records[kept - 1] : NULL;
		if (last && same_places(last, &records[i])) {
			last->count = count_add_saturating(last->count, records[i].count);
			last->mispredicted =
				count_add_saturating(last->mispredicted, records[i].mispredicted);
		} else {
			records[kept++] = records[i];
		}
	}
	profile->record_count = kept;
}

static uint32_t *copy_order(const struct ranks *ranks)
{
	uint32_t *copy = malloc((ranks->count + 1) * sizeof(*copy));

	if (copy)
		memcpy(copy, ranks->touched, ranks->count * sizeof(*copy));
	return copy;
}

static bool order_records(struct build *b, unsigned threads)
{
	struct ranks *ranks = &b->ranks;

	for (size_t i = 0; i < b->batch_count; i++)
		if (!flush_recent(&b->batches[i]))
			return false;
	touch_all(b);
	if (!rank_by_name(ranks, true) || !(b->profile->by_printed = copy_order(ranks)))
		return false;
	b->profile->function_count = ranks->count;
	renumber_targets(b);
	if (!rank_by_name(ranks, false) || !(b->profile->by_primary = copy_order(ranks)))
		return false;
	b->starts = calloc(ranks->count + 2, sizeof(*b->starts));
	if (!b->starts)
		return false;
	renumber_owners(b);
	if (!distribute(b))
		return false;
	parallel_for(threads, (ranks->count + GROUP - 1) / GROUP, sort_group, b);
	add_up_equal(b->profile, b->total);
	return true;
}

bool profile_build(const struct binary *binary, bool basic, struct record_batch *batches,
		   size_t batch_count, unsigned threads, struct profile *out,
		   struct bc_error *err)
{
	size_t functions = binary->functions.count;
	struct build b = {.profile = out, .batches = batches, .batch_count = batch_count};

	*out = (struct profile){.binary = binary, .basic = basic};
	b.ranks.functions = binary->functions.at;
	b.ranks.touched = malloc((functions + 1) * sizeof(uint32_t));
	b.ranks.rank_of = malloc((functions + 1) * sizeof(uint32_t));
	if (b.ranks.rank_of)
		memset(b.ranks.rank_of, 0xff, (functions + 1) * sizeof(uint32_t));
	bool ok = b.ranks.touched && b.ranks.rank_of && order_records(&b, threads);
	free(b.ranks.touched);
	free(b.ranks.rank_of);
	free(b.starts);
	for (size_t i = 0; i < batch_count; i++)
		record_batch_free(&batches[i]);
	if (ok)
		return true;
	profile_free(out);
	return bc_fail_nomem(err);
}
