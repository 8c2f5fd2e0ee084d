/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/quality/flat.h"

#include "src/base/count_table.h"
#include "src/base/sort.h"
#include "src/profile/entries.h"

void flat_free(struct flat_profile *profile)
{
	strings_free(&profile->names);
	flat_function_vec_free(&profile->functions);
	flat_record_vec_free(&profile->records);
	*profile = (struct flat_profile){0};
}

static bool is_plt_name(struct text name)
{
	return text_ends(name, "@PLT");
}

bool flat_function(struct flat_profile *profile, struct text name, uint32_t *number)
{
	struct flat_function_vec *functions = &profile->functions;

	if (!functions->len && !flat_function_vec_push(functions, (struct flat_function){0}))
		return false;
	if (!strings_intern(&profile->names, name, number))
		return false;
	while (functions->len <= *number)
		if (!flat_function_vec_push(functions, (struct flat_function){.plt = is_plt_name(name)}))
			return false;
	return true;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_places(const struct flat_record *a, const struct flat_record *b)
{
	int order = compare(a->owner, b->owner);

	order = order ? order : compare(a->from_at, b->from_at);
	order = order ? order : compare(a->site, b->site);
	order = order ? order : compare((uint64_t)a->kind, (uint64_t)b->kind);
	order = order ? order : compare(a->from, b->from);
	order = order ? order : compare(a->to, b->to);
	return order ? order : compare(a->to_at, b->to_at);
}

static bool record_less(const struct flat_record *a, const struct flat_record *b)
{
	return compare_places(a, b) < 0;
}
DEFINE_SORT(sort_records, struct flat_record, record_less)

static void unify(struct flat_record_vec *records)
{
	size_t kept = 0;

	for (size_t i = 0; i < records->len; i++) {
		struct flat_record *last = kept ? &records->at[kept - 1] : NULL;
		if (last && !compare_places(last, &records->at[i]))
			last->count = count_add_saturating(last->count, records->at[i].count);
		else
			records->at[kept++] = records->at[i];
	}
	records->len = kept;
}

static void count_record(struct flat_profile *profile, size_t index)
{
	const struct flat_record *record = &profile->records.at[index];
	struct flat_function *owner = &profile->functions.at[record->owner];

	if (!owner->count++)
		owner->first = index;
	if (record->kind != FLAT_ENTRY)
		owner->samples = count_add_saturating(owner->samples, record->count);
	struct flat_function *to = &profile->functions.at[record->to];
	if (record->kind != FLAT_EDGE && record->to && !record->to_at && !to->known)
		to->executed = count_add_saturating(to->executed, record->count);
}

bool flat_settle(struct flat_profile *profile)
{
	if (!profile->functions.len && !flat_function_vec_push(&profile->functions, (struct flat_function){0}))
		return false;
	if (profile->records.len)
		sort_records(profile->records.at, profile->records.len);
	unify(&profile->records);
	for (size_t i = 0; i < profile->records.len; i++)
		count_record(profile, i);
	return true;
}

/* ---- of a profile that was converted ---- */

struct taking {
	const struct profile *from;
	struct flat_numbers numbers;
	struct flat_profile *out;
};

/* Gives a function of the binary its number: one for each name. */
static bool take_function(const struct taking *t, const struct function *function, uint32_t *number)
{
	*number = FLAT_OUTSIDE;
	if (!function)
		return true;
	struct name_number name = functions_name_number(&t->from->binary->functions, function);
	uint32_t *known = flat_numbers_of(&t->numbers, name);
	if (!*known && !flat_function(t->out, text_of(function->printed), known))
		return false;
	*number = *known;
	t->out->functions.at[*number].number = name;
	t->out->functions.at[*number].plt |= function->kind == FUNCTION_PLT;
	return true;
}

static bool take_record(const struct taking *t, const struct record *record)
{
	struct flat_record flat = {.from_at = record->from.offset, .to_at = record->to.offset, .count = record->count};

	if (!take_function(t, record->from.function, &flat.from) || !take_function(t, record->to.function, &flat.to))
		return false;
	flat.owner = record->kind == RECORD_ENTRY ? flat.to : flat.from;
	flat.kind = record->kind == RECORD_ENTRY    ? FLAT_ENTRY
		    : record->kind == RECORD_SAMPLE ? FLAT_SAMPLE
		    : record_is_internal(record)    ? FLAT_EDGE
						    : FLAT_CALL;
	return flat_record_vec_push(&t->out->records, flat);
}

bool flat_take(const struct profile *from, struct flat_profile *out, struct bc_error *err)
{
	struct taking t = {.from = from, .out = out};
	bool ok = flat_numbers_make(&t.numbers, &from->binary->functions);

	*out = (struct flat_profile){.plain = from->basic};
	for (size_t i = 0; ok && i < from->record_count; i++) {
		struct record record = profile_record(from, i);
		ok = take_record(&t, &record);
	}
	flat_numbers_free(&t.numbers);
	return (ok && flat_settle(out)) || bc_fail_nomem(err);
}
