/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/entries.h"

#include "src/base/sort.h"

static bool entry_less(const struct entry *a, const struct entry *b)
{
	return a->function != b->function ? a->function < b->function : a->offset < b->offset;
}
DEFINE_SORT(sort_entries, struct entry, entry_less)

bool entries_add(const struct binary *binary, const struct record *record, struct entry_vec *out)
{
	if (!record->to.function || record_is_internal(record))
		return true;
	struct entry entry = {(uint32_t)(record->to.function - binary->functions.at), record->to.offset, record->count,
			      record->kind == RECORD_ENTRY ? record->count : 0};
	return entry_vec_push(out, entry);
}

void entries_sort(struct entry_vec *entries)
{
	size_t kept = 0;

	sort_entries(entries->at, entries->len);
	for (size_t i = 0; i < entries->len; i++) {
		const struct entry *entry = &entries->at[i];
		struct entry *last = kept ? &entries->at[kept - 1] : NULL;
		if (last && !entry_less(last, entry)) {
			last->count = count_add_saturating(last->count, entry->count);
			last->external = count_add_saturating(last->external, entry->external);
		} else {
			entries->at[kept++] = *entry;
		}
	}
	entries->len = kept;
}

bool entries_collect(const struct profile *profile, struct entry_vec *out)
{
	for (size_t i = 0; i < profile->record_count; i++) {
		struct record record = profile_record(profile, i);
		if (!entries_add(profile->binary, &record, out))
			return false;
	}
	entries_sort(out);
	return true;
}

DEFINE_SEARCH(first_entry_of, struct entry, uint32_t, item->function < key)

size_t entries_of(const struct entry_vec *entries, uint32_t function, const struct entry **out)
{
	size_t first = first_entry_of(entries->at, entries->len, function), end = first;

	while (end < entries->len && entries->at[end].function == function)
		end++;
	*out = entries->len ? &entries->at[first] : NULL;
	return end - first;
}
