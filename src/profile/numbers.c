/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/numbers.h"

#include "src/base/sort.h"

static bool value_less(const struct counted_number *a, const struct counted_number *b)
{
	return a->value < b->value;
}
DEFINE_SORT(sort_values, struct counted_number, value_less)

static bool more_frequent(const struct counted_number *a, const struct counted_number *b)
{
	return a->count != b->count ? a->count > b->count : a->value > b->value;
}
DEFINE_SORT(sort_by_count, struct counted_number, more_frequent)

static bool value_number_less(const struct value_number *a, const struct value_number *b)
{
	return a->value < b->value;
}
DEFINE_SORT(sort_value_numbers, struct value_number, value_number_less)
DEFINE_SEARCH(values_below, struct value_number, uint64_t, item->value < key)

/* Values of count 1 each become different ones, numbered by how often they are there. */
static bool number_values(struct counted_number_vec *values, struct value_number_vec *by_value)
{
	size_t kept = 0;

	sort_values(values->at, values->len);
	for (size_t i = 0; i < values->len; i++) {
		if (kept && values->at[kept - 1].value == values->at[i].value)
			values->at[kept - 1].count++;
		else
			values->at[kept++] = values->at[i];
	}
	values->len = kept;
	sort_by_count(values->at, values->len);
	for (size_t i = 0; i < values->len; i++)
		if (!value_number_vec_push(by_value, (struct value_number){values->at[i].value, (uint32_t)i}))
			return false;
	sort_value_numbers(by_value->at, by_value->len);
	return true;
}

/* The GUIDs of all names of functions that are wanted, ascending.  *out is empty if none is. */
static bool list_wanted(const struct placed_probes *placed, const bool *wanted, struct value_number_vec *out)
{
	for (size_t i = 0; i < placed->names.len; i++) {
		const struct guid_name *name = &placed->names.at[i];
		if (wanted[name->function] && !value_number_vec_push(out, (struct value_number){name->guid, 0}))
			return false;
	}
	return true;
}

static bool has_value(const struct value_number_vec *numbers, uint64_t guid)
{
	size_t below = values_below(numbers->at, numbers->len, guid);

	return below < numbers->len && numbers->at[below].value == guid;
}

static bool count_guids(const struct placed_probes *placed, const bool *wanted, struct probe_numbers *out)
{
	const struct probe_node_vec *nodes = &placed->section.nodes;
	struct value_number_vec filter = {0};
	bool ok = list_wanted(placed, wanted, &filter), all = !filter.len, counts = true;

	for (size_t i = 0; ok && i < nodes->len; i++) {
		if (nodes->at[i].root == i)
			counts = all || has_value(&filter, nodes->at[i].guid);
		if (counts)
			ok = counted_number_vec_push(&out->guids, (struct counted_number){nodes->at[i].guid, 1});
	}
	value_number_vec_free(&filter);
	return ok && number_values(&out->guids, &out->of_guid);
}

bool probe_numbers_make(const struct placed_probes *placed, const bool *wanted, struct probe_numbers *out)
{
	const struct probe_function_vec *functions = &placed->section.functions;

	*out = (struct probe_numbers){0};
	for (size_t i = 0; i < functions->len; i++)
		if (!counted_number_vec_push(&out->hashes, (struct counted_number){functions->at[i].hash, 1}))
			return false;
	return number_values(&out->hashes, &out->of_hash) && count_guids(placed, wanted, out);
}

void probe_numbers_free(struct probe_numbers *numbers)
{
	counted_number_vec_free(&numbers->guids);
	counted_number_vec_free(&numbers->hashes);
	value_number_vec_free(&numbers->of_guid);
	value_number_vec_free(&numbers->of_hash);
}

static uint32_t number_of(const struct value_number_vec *numbers, uint64_t value)
{
	return numbers->at[values_below(numbers->at, numbers->len, value)].number;
}

uint32_t probe_guid_number(const struct probe_numbers *numbers, uint64_t guid)
{
	return number_of(&numbers->of_guid, guid);
}

uint32_t probe_hash_number(const struct probe_numbers *numbers, const struct placed_probes *placed, uint64_t guid)
{
	return number_of(&numbers->of_hash, probe_function_find(&placed->section, guid)->hash);
}
