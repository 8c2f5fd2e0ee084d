/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/count/ledger.h"
#include "tests/support/ledger_balances.h"

#include <string.h>

#include "tests/support/cmocka.h"

static void balance(void **state)
{
	struct ledger ledger = {.read = 10, .kept = 4};

	(void)state;
	assert_false(ledger_balances(&ledger));
	ledger.dropped[0] = 5;
	ledger.dropped[LEDGER_REASONS - 1] = 1;
	assert_int_equal(ledger_dropped(&ledger), 6);
	assert_true(ledger_balances(&ledger));
	ledger.kept++;
	assert_false(ledger_balances(&ledger));
	assert_true(ledger_balances(&(struct ledger){0}));
}

static void sum(void **state)
{
	struct ledger a = {.read = 10, .kept = 4, .dropped = {1, 2, 3}};
	const struct ledger b = {.read = 3, .kept = 1, .dropped = {2, 0, 0}};

	(void)state;
	ledger_add(&a, &b);
	assert_int_equal(a.read, 13);
	assert_int_equal(a.kept, 5);
	assert_int_equal(a.dropped[0], 3);
	assert_int_equal(a.dropped[2], 3);
	assert_true(ledger_balances(&a));
}

/* Every reason has words, and no two of a ledger have the same key. */
static void words(void **state)
{
	const struct ledger_words *const all[] = {&sample_words, &branch_words, &trace_words};
	const size_t counts[] = {SAMPLE_DROP_COUNT, BRANCH_DROP_COUNT, TRACE_DROP_COUNT};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(all[i]->reason_count, counts[i]);
		for (size_t r = 0; r < counts[i]; r++) {
			assert_true(strlen(all[i]->reasons[r].key) &&
				    strlen(all[i]->reasons[r].text));
			for (size_t before = 0; before < r; before++)
				assert_string_not_equal(all[i]->reasons[r].key,
							all[i]->reasons[before].key);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(balance),
		cmocka_unit_test(sum),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
