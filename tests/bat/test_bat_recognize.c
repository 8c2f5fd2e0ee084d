/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Are random tables of every layout recognized as what they are?
 *
 *   test_bat_recognize [tables per layout]
 *
 * Tables of one or two functions can truly be read in two ways.  These have six
 * or more, as every binary has that was linked with a C library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "bat/layout.h"
#include "tests/support/build_bat.h"
#include "tests/support/random_bat.h"

static unsigned long table_count = 5000;

static void check(enum bat_layout layout, uint64_t seed)
{
	struct bat_table t, again;
	struct bat_error err;
	uint8_t *bytes;
	size_t size;

	random_bat(&t, layout, 6 + (uint32_t)(seed % 20), 5, seed);
	assert_true(bat_encode(&t, layout, &bytes, &size, &err));
	if (!bat_decode(bytes, size, &again, &err))
		fail_msg("%s, seed %llu: %s", bat_layout_name(layout), (unsigned long long)seed,
			 err.text);
	if (again.layout != layout)
		fail_msg("%s, seed %llu: taken for %s", bat_layout_name(layout),
			 (unsigned long long)seed, bat_layout_name(again.layout));
	assert_true(bat_same_table(&t, &again));
	bat_free(&again);
	bat_free(&t);
	free(bytes);
}

static void layouts_are_told_apart(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < table_count; seed++)
		for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++)
			check((enum bat_layout)i, seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_are_told_apart),
	};

	if (getenv("BATCONV_RANDOM_TABLES")) /* scripts/nightly: more of them */
		table_count = strtoul(getenv("BATCONV_RANDOM_TABLES"), NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
