/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/sort.h"

#include <stdbool.h>
#include <stdint.h>

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

struct item {
	uint64_t start;
};

DEFINE_SEARCH(first_from, struct item, uint64_t, item->start < key)
DEFINE_SEARCH(first_above, struct item, uint64_t, item->start <= key)

#define MOST 70

static size_t count_before(const struct item *items, size_t count, uint64_t key, bool equal_too)
{
	size_t before = 0;

	while (before < count &&
	       (items[before].start < key || (equal_too && items[before].start == key)))
		before++;
	return before;
}

/* Every key, in arrays of every size, with equal elements: as counting from the front has it. */
static void as_counted_from_the_front(void **state)
{
	struct item items[MOST];
	struct prng prng = {11};

	(void)state;
	for (size_t count = 0; count <= MOST; count++) {
		uint64_t start = 1;
		for (size_t i = 0; i < count; i++)
			items[i].start = start += prng_below(&prng, 3);
		for (uint64_t key = 0; key <= start + 1; key++) {
			assert_int_equal(first_from(items, count, key),
					 count_before(items, count, key, false));
			assert_int_equal(first_above(items, count, key),
					 count_before(items, count, key, true));
		}
	}
}

/* Nothing is read of an array that is empty, and ends of the range are no exceptions. */
static void ends(void **state)
{
	const struct item items[] = {{0}, {UINT64_MAX}, {UINT64_MAX}};

	(void)state;
	assert_int_equal(first_from(NULL, 0, 7), 0);
	assert_int_equal(first_from(items, 3, 0), 0);
	assert_int_equal(first_above(items, 3, 0), 1);
	assert_int_equal(first_from(items, 3, UINT64_MAX), 1);
	assert_int_equal(first_above(items, 3, UINT64_MAX), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_counted_from_the_front),
		cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
