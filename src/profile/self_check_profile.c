/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/self_check_profile.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t place_word(const struct binary *binary, const struct input_place *place)
{
	if (!place->function)
		return 0;
	return ((uint64_t)(place->function - binary->functions.at) + 1) << 32 | place->offset;
}

void self_check_record(struct check_sum *pushed, const struct binary *binary,
		       const struct record *record)
{
	check_sum_add(pushed, check_hash(place_word(binary, &record->from),
					 place_word(binary, &record->to), record->kind),
		      record->count, record->count ? record->mispredicted : 0);
}

/* How far into each input function the table leads, and where BOLT left it alone, its size. */

static uint64_t emitted_end(const struct bat_table *bat, const struct bat_fragment *f, uint64_t size)
{
	const struct bat_entry *entries = bat->entries + f->first_entry;
	uint64_t most = f->entry_count ? entries[0].output : size; /* before the first: unchanged */

	for (uint32_t i = 0; i < f->entry_count; i++) {
		uint64_t next = i + 1 < f->entry_count ? entries[i + 1].output : size;
		uint64_t length = next > entries[i].output ? next - entries[i].output : 1;
		uint64_t end = bat_entry_input(entries[i]) + (length < size ? length : size);
		if (entries[i].output < size && end > most)
			most = end;
	}
	return most;
}

static uint64_t *input_ends(const struct binary *binary)
{
	const struct function_table *functions = &binary->functions;
	uint64_t *ends = calloc(functions->count + 1, sizeof(*ends));

	for (size_t i = 0; ends && i < functions->count; i++) {
		const struct function *f = &functions->at[i];
		struct place begin = binary_place(binary, (struct vaddr){f->address}, f);
		const struct function *owner = binary_owner(binary, begin);
		uint64_t size = function_extent(functions, f);
		uint64_t end = begin.fragment ? emitted_end(&binary->bat, begin.fragment, size) : size;
		if (owner && end > ends[owner - functions->at])
			ends[owner - functions->at] = end;
	}
	return ends;
}

static bool is_inside(const struct binary *binary, const uint64_t *ends, struct input_place place,
		      struct bc_error *err)
{
	if (!place.function || place.offset < ends[place.function - binary->functions.at])
		return true;
	return bc_fail(err, BC_BUG, "self-check: offset 0x%" PRIx32 " lies outside the input function %.200s",
		       place.offset, place.function->printed);
}

/* Below 0, 0 or above, as the profile orders what it lists; NULL comes first. */
static int by_name(const struct function *a, const struct function *b, bool printed)
{
	if (a == b || !a || !b)
		return (a != NULL) - (b != NULL);
	int order = printed ? strcmp(a->printed, b->printed) : strcmp(a->primary, b->primary);

	return order ? order : (a->address > b->address) - (a->address < b->address);
}

static const struct function *listed_under(const struct record *record)
{
	return record->kind == RECORD_ENTRY ? record->to.function : record->from.function;
}

static int compare_records(const struct record *a, const struct record *b)
{
	int order = by_name(listed_under(a), listed_under(b), false);

	if (order)
		return order;
	if ((a->kind == RECORD_ENTRY) != (b->kind == RECORD_ENTRY))
		return a->kind == RECORD_ENTRY ? 1 : -1;
	if (a->from.offset != b->from.offset)
		return a->from.offset < b->from.offset ? -1 : 1;
	order = by_name(a->to.function, b->to.function, true);
	return order ? order : (a->to.offset > b->to.offset) - (a->to.offset < b->to.offset);
}

static bool check_records(const struct profile *profile, const uint64_t *ends, struct check_sum *sum,
			  struct bc_error *err)
{
	struct record last = {0};

	for (size_t i = 0; i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		if (!listed_under(&record))
			return bc_fail(err, BC_BUG, "self-check: record %zu is of no function", i);
		if (i && compare_records(&last, &record) >= 0)
			return bc_fail(err, BC_BUG, "self-check: record %zu does not belong behind the one before", i);
		if (!record.count)
			return bc_fail(err, BC_BUG, "self-check: record %zu counts nothing", i);
		if (!is_inside(profile->binary, ends, record.from, err) ||
		    !is_inside(profile->binary, ends, record.to, err))
			return false;
		self_check_record(sum, profile->binary, &record);
		last = record;
	}
	return true;
}

static bool check_accesses(const struct profile *profile, const uint64_t *ends,
			   const struct ledger *ledger, struct bc_error *err)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->accesses.len; i++) {
		const struct access *a = &profile->accesses.at[i];
		if (!is_inside(profile->binary, ends, (struct input_place){a->function, a->offset}, err))
			return false;
		if (a->data_offset >= a->data->size)
			return bc_fail(err, BC_BUG, "self-check: offset 0x%" PRIx64 " lies outside the data %.200s",
				       a->data_offset, a->data->name);
		sum += a->count;
	}
	return check_same(sum, ledger->kept, "accesses to memory in the profile", err);
}

/* A branch that is kept is one record, a fall-through that is kept one or more. */
static bool check_total(const struct profile *profile, const struct check_sum *sum,
			const struct ledgers *ledgers, struct bc_error *err)
{
	uint64_t kept = profile->basic ? ledgers->samples.kept : ledgers->branches.kept + ledgers->traces.kept;

	if (profile->basic)
		return check_same(sum->plain, kept, "samples in the profile", err);
	return sum->plain >= kept ||
	       check_fails(sum->plain, kept, "branches and fall-throughs in the profile", err);
}

/* A fall-through counts for each of its edges: sums of more than that could wrap. */
#define COUNTS_MOST (UINT64_C(1) << 40)

bool self_check_profile(const struct self_check *check, const struct profile *profile,
			const struct check_sum *pushed, const struct ledgers *ledgers, struct bc_error *err)
{
	struct check_sum sum = {0};

	if (!check->on)
		return true;
	bool moderate = !check->overflow && check->samples < COUNTS_MOST &&
			check->branches < COUNTS_MOST && check->runs < COUNTS_MOST;
	uint64_t *ends = input_ends(profile->binary);
	if (!ends)
		return bc_fail_nomem(err);
	bool ok = check_records(profile, ends, &sum, err) &&
		  (!moderate || (check_sum_same(&sum, pushed, "records of the profile", err) &&
				 check_total(profile, &sum, ledgers, err))) &&
		  check_accesses(profile, ends, &ledgers->memory, err);
	free(ends);
	return ok;
}
