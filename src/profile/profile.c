/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#define NO_FUNCTION UINT32_MAX

/* A place as one word of a key: index of the function, then the offset. */
static uint64_t pack(const struct profile *profile, struct input_place place)
{
	uint64_t index = NO_FUNCTION;

	if (place.function)
		index = (uint64_t)(place.function - profile->binary->functions.at);
	return index << 32 | place.offset;
}

static struct input_place unpack(const struct profile *profile, uint64_t word)
{
	uint32_t index = (uint32_t)(word >> 32);
	const struct function *function = NULL;

	if (index != NO_FUNCTION)
		function = &profile->binary->functions.at[index];
	return (struct input_place){function, (uint32_t)word};
}

bool profile_add(struct profile *profile, const struct record *record)
{
	uint64_t key[COUNT_KEY_WORDS] = {pack(profile, record->from), pack(profile, record->to),
					 record->kind};

	return !record->count ||
	       count_table_add(&profile->records, key, record->count, record->mispredicted);
}

void profile_free(struct profile *profile)
{
	count_table_free(&profile->records);
	*profile = (struct profile){0};
}

/* The function under which a record is listed. */
static const struct function *owner(const struct record *record)
{
	return record->kind == RECORD_ENTRY ? record->to.function : record->from.function;
}

static int compare_names(const struct function *a, const struct function *b,
			 const char *name_a, const char *name_b)
{
	return a == b ? 0 : strcmp(name_a, name_b);
}

static int compare_places(struct input_place a, struct input_place b)
{
	int order = 0;

	if (!a.function || !b.function)
		return !!a.function - !!b.function;
	order = compare_names(a.function, b.function, a.function->printed, b.function->printed);
	return order ? order : (a.offset > b.offset) - (a.offset < b.offset);
}

static int compare_records(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	const struct function *of_x = owner(x), *of_y = owner(y);
	int order = compare_names(of_x, of_y, of_x->primary, of_y->primary);

	if (!order)
		order = (int)x->kind - (int)y->kind;
	if (!order)
		order = compare_places(x->from, y->from);
	return order ? order : compare_places(x->to, y->to);
}

bool profile_sorted(const struct profile *profile, struct record **out, struct bc_error *err)
{
	const struct count_table *table = &profile->records;
	struct record *records = malloc((table->used + 1) * sizeof(*records));
	size_t len = 0;

	if (!records)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < table->capacity; i++) {
		const struct count_row *row = &table->rows[i];
		if (!row->count)
			continue;
		records[len++] = (struct record){
			(enum record_kind)row->key[2], unpack(profile, row->key[0]),
			unpack(profile, row->key[1]), row->count, row->extra};
	}
	qsort(records, len, sizeof(*records), compare_records);
	*out = records;
	return true;
}
