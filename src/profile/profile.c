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

/* Further back than this, a record has left the processor's cache: to look at it takes
 * longer than to add up in the end. */
#define RECENT_RECORDS ((size_t)1 << 14)

static bool same_places(const struct packed_record *a, const struct packed_record *b)
{
	return a->owner_from == b->owner_from && a->to == b->to;
}

static void add_up(struct packed_record *to, const struct packed_record *record)
{
	to->count = count_add_saturating(to->count, record->count);
	to->mispredicted = count_add_saturating(to->mispredicted, record->mispredicted);
}

static bool push(struct record_batch *batch, const struct packed_record *record)
{
	uint64_t hash = count_mix(count_mix(0, record->owner_from), record->to);
	uint32_t *place = &batch->recent[hash % RECENT_PLACES];
	struct record_vec *records = &batch->records;

	if (records->len - *place <= RECENT_RECORDS && *place < records->len &&
	    same_places(&records->at[*place], record)) {
		add_up(&records->at[*place], record);
		return true;
	}
	*place = (uint32_t)records->len;
	return record_vec_push(records, *record);
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
	return push(batch, &packed);
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
	struct record_vec *batches;
	size_t batch_count, total;
	unsigned threads;
	struct ranks ranks;
	size_t *starts; /* where the next record of each owner goes */
	struct part {
		size_t begin, end; /* its owners */
		size_t first, kept; /* its records, each place once in the end */
	} parts[PARALLEL_MOST];
};

static void touch_all(struct build *b)
{
	for (size_t i = 0; i < b->batch_count; i++) {
		const struct record_vec *batch = &b->batches[i];
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
static void renumber_targets(void *ctx, size_t i, unsigned worker)
{
	struct build *b = ctx;
	struct record_vec *batch = &b->batches[i];

	(void)worker;
	for (size_t r = 0; r < batch->len; r++) {
		uint64_t to = batch->at[r].to;
		if (to)
			batch->at[r].to = ((uint64_t)b->ranks.rank_of[(to >> 32) - 1] + 1) << 32 |
					  (uint32_t)to;
	}
}

/* ...and by primary name where they are listed. */
static void renumber_owners(void *ctx, size_t i, unsigned worker)
{
	const uint64_t rest = (UINT64_C(1) << OWNER_SHIFT) - 1;
	struct build *b = ctx;
	struct record_vec *batch = &b->batches[i];

	(void)worker;
	for (size_t r = 0; r < batch->len; r++) {
		uint64_t rank = b->ranks.rank_of[owner_of(&batch->at[r])];
		batch->at[r].owner_from = rank << OWNER_SHIFT | (batch->at[r].owner_from & rest);
	}
}

/* Where each owner's records begin. */
static void count_owners(struct build *b)
{
	size_t sum = 0;

	for (size_t i = 0; i < b->batch_count; i++)
		for (size_t r = 0; r < b->batches[i].len; r++)
			b->starts[owner_of(&b->batches[i].at[r])]++;
	for (size_t i = 0; i < b->ranks.count; i++) {
		size_t here = b->starts[i];
		b->starts[i] = sum;
		sum += here;
	}
}

/* Each thread gets about as many records, those of some of the owners. */
static void cut_parts(struct build *b)
{
	size_t owner = 0;

	for (unsigned i = 0; i < b->threads; i++) {
		size_t least = (size_t)((double)b->total / b->threads * (i + 1));
		struct part *part = &b->parts[i];
		*part = (struct part){owner, owner, owner < b->ranks.count ? b->starts[owner] : b->total, 0};
		while (owner < b->ranks.count && (i + 1 == b->threads || b->starts[owner] < least))
			owner++;
		part->end = owner;
	}
}

static bool packed_less(const struct packed_record *a, const struct packed_record *b)
{
	return a->owner_from != b->owner_from ? a->owner_from < b->owner_from : a->to < b->to;
}
DEFINE_SORT(sort_packed, struct packed_record, packed_less)

/* Put each record of a part behind those of its owner that came before. */
static void distribute(struct build *b, const struct part *part)
{
	for (size_t i = 0; i < b->batch_count; i++) {
		const struct record_vec *batch = &b->batches[i];
		for (size_t r = 0; r < batch->len; r++) {
			uint64_t owner = owner_of(&batch->at[r]);
			if (owner - part->begin < part->end - part->begin)
				b->profile->records[b->starts[owner]++] = batch->at[r];
		}
	}
}

/* Returns how many records are left. */
static size_t add_up_equal(struct packed_record *records, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct packed_record *last = kept ? &records[kept - 1] : NULL;
		if (last && same_places(last, &records[i]))
			add_up(last, &records[i]);
		else
			records[kept++] = records[i];
	}
	return kept;
}

static void order_part(void *ctx, size_t index, unsigned worker)
{
	struct build *b = ctx;
	struct part *part = &b->parts[index];
	size_t at = part->first;

	(void)worker;
	distribute(b, part); /* each start is the owner's end then */
	for (size_t owner = part->begin; owner < part->end; owner++) {
		sort_packed(b->profile->records + at, b->starts[owner] - at);
		at = b->starts[owner];
	}
	part->kept = add_up_equal(b->profile->records + part->first, at - part->first);
}

/* Close the gaps between parts. */
static void join_parts(struct build *b)
{
	struct packed_record *records = b->profile->records;
	size_t count = 0;

	for (unsigned i = 0; i < b->threads; i++) {
		const struct part *part = &b->parts[i];
		if (count != part->first)
			memmove(records + count, records + part->first, part->kept * sizeof(*records));
		count += part->kept;
	}
	b->profile->record_count = count;
}

static uint32_t *copy_order(const struct ranks *ranks)
{
	uint32_t *copy = malloc((ranks->count + 1) * sizeof(*copy));

	if (copy)
		memcpy(copy, ranks->touched, ranks->count * sizeof(*copy));
	return copy;
}

static bool order_records(struct build *b)
{
	struct ranks *ranks = &b->ranks;

	touch_all(b);
	if (!rank_by_name(ranks, true) || !(b->profile->by_printed = copy_order(ranks)))
		return false;
	b->profile->function_count = ranks->count;
	parallel_for(b->threads, b->batch_count, renumber_targets, b);
	if (!rank_by_name(ranks, false) || !(b->profile->by_primary = copy_order(ranks)))
		return false;
	parallel_for(b->threads, b->batch_count, renumber_owners, b);
	b->starts = calloc(ranks->count + 1, sizeof(*b->starts));
	b->profile->records = malloc((b->total + 1) * sizeof(*b->profile->records));
	if (!b->starts || !b->profile->records)
		return false;
	count_owners(b);
	cut_parts(b);
	parallel_for(b->threads, b->threads, order_part, b);
	join_parts(b);
	return true;
}

bool profile_build(const struct binary *binary, bool basic, struct record_vec *batches,
		   size_t batch_count, unsigned threads, struct profile *out,
		   struct bc_error *err)
{
	size_t functions = binary->functions.count;
	struct build b = {.profile = out, .batches = batches, .batch_count = batch_count,
			  .threads = threads < PARALLEL_MOST ? threads : PARALLEL_MOST};

	*out = (struct profile){.binary = binary, .basic = basic};
	b.ranks.functions = binary->functions.at;
	b.ranks.touched = malloc((functions + 1) * sizeof(uint32_t));
	b.ranks.rank_of = malloc((functions + 1) * sizeof(uint32_t));
	if (b.ranks.rank_of)
		memset(b.ranks.rank_of, 0xff, (functions + 1) * sizeof(uint32_t));
	bool ok = b.ranks.touched && b.ranks.rank_of && order_records(&b);
	free(b.ranks.touched);
	free(b.ranks.rank_of);
	free(b.starts);
	for (size_t i = 0; i < batch_count; i++)
		record_vec_free(&batches[i]);
	if (ok)
		return true;
	profile_free(out);
	return bc_fail_nomem(err);
}
