/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Numbers under the names that the summary as JSON has for them, such as
 * "samples.dropped.kernel": what should be there, and what is.
 */
#ifndef TESTS_COUNT_RECOUNT_NUMBERS_H
#define TESTS_COUNT_RECOUNT_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#define NUMBERS_MOST 96
#define NUMBER_NAME  64

struct number {
	char name[NUMBER_NAME];
	uint64_t value;
};

/* Zeroed means that all are 0. */
struct numbers {
	struct number at[NUMBERS_MOST];
	size_t count;
};

void numbers_add(struct numbers *numbers, const char *name, uint64_t value);

/* NULL: it was never added to, so it is 0. */
const struct number *numbers_find(const struct numbers *numbers, const char *name);
uint64_t numbers_get(const struct numbers *numbers, const char *name);

/* All of `from`. */
void numbers_merge(struct numbers *to, const struct numbers *from);

/* The sum of LEDGER.dropped.* */
uint64_t numbers_dropped(const struct numbers *numbers, const char *ledger);

#endif
