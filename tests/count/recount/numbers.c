/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/numbers.h"

#include <stdio.h>
#include <string.h>

#include "tests/count/recount/mistakes.h"

const struct number *numbers_find(const struct numbers *numbers, const char *name)
{
	for (size_t i = 0; i < numbers->count; i++)
		if (!strcmp(numbers->at[i].name, name))
			return &numbers->at[i];
	return NULL;
}

uint64_t numbers_get(const struct numbers *numbers, const char *name)
{
	const struct number *number = numbers_find(numbers, name);

	return number ? number->value : 0;
}

void numbers_add(struct numbers *numbers, const char *name, uint64_t value)
{
	const struct number *found = numbers_find(numbers, name);

	if (found) {
		numbers->at[found - numbers->at].value += value;
		return;
	}
	must_have_memory(numbers->count < NUMBERS_MOST && strlen(name) < NUMBER_NAME);
	struct number *number = &numbers->at[numbers->count++];
	snprintf(number->name, sizeof(number->name), "%s", name);
	number->value = value;
}

void numbers_merge(struct numbers *to, const struct numbers *from)
{
	for (size_t i = 0; i < from->count; i++)
		numbers_add(to, from->at[i].name, from->at[i].value);
}

uint64_t numbers_dropped(const struct numbers *numbers, const char *ledger)
{
	char prefix[NUMBER_NAME];
	uint64_t sum = 0;
	int length = snprintf(prefix, sizeof(prefix), "%s.dropped.", ledger);

	for (size_t i = 0; i < numbers->count; i++)
		if (!strncmp(numbers->at[i].name, prefix, (size_t)length))
			sum += numbers->at[i].value;
	return sum;
}
