/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Every allocation of the library fails once: the error is BAT_ERROR_NOMEM, nothing
 * leaks, nothing changes.  The library's allocating files are compiled into
 * this one with allocators that fail on demand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

static unsigned long allowed; /* allocations until one fails */

static bool may_allocate(void)
{
	return allowed && allowed--;
}

static void *failing_malloc(size_t size)
{
	return may_allocate() ? malloc(size) : NULL;
}

static void *failing_calloc(size_t count, size_t size)
{
	return may_allocate() ? calloc(count, size) : NULL;
}

static void *failing_realloc(void *old, size_t size)
{
	return may_allocate() ? realloc(old, size) : NULL;
}

#define malloc  failing_malloc
#define calloc  failing_calloc
#define realloc failing_realloc
#include "bat/layout.h"
#include "bat/encode.c"
#include "bat/decode.c"
#include "bat/parents.c"
#include "bat/recognize.c"
#undef malloc
#undef calloc
#undef realloc

#include "tests/support/build_bat.h"
#include "tests/support/random_bat.h"

/* Encode, decode, repair; false as soon as one of them fails. */
static bool do_all(const struct bat_table *table, const struct bat_symbol *symbols, size_t count,
		   struct bat_error *err)
{
	struct bat_table again;
	struct bat_parents parents;
	uint8_t *bytes;
	size_t size;
	bool done;

	if (!bat_encode(table, table->layout, &bytes, &size, err))
		return false;
	done = bat_decode(bytes, size, &again, err);
	free(bytes);
	if (!done)
		return false;
	done = bat_fix_parents(&again, symbols, count, &parents, err);
	if (!done)
		assert_true(bat_same_table(table, &again));
	bat_free(&again);
	return done;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++) {
		struct bat_table t;
		struct bat_symbol symbols[2];
		struct bat_error err;
		unsigned long limit = 0;

		random_bat(&t, (enum bat_layout)i, 20, 5, 2);
		symbols[0] = (struct bat_symbol){t.fragments[0].address, "f", 1, 1};
		symbols[1] = (struct bat_symbol){t.fragments[1].address, "g", 2, 1};
		while (allowed = limit, !do_all(&t, symbols, 2, &err)) {
			assert_int_equal(err.code, BAT_ERROR_NOMEM);
			assert_string_equal(err.text, "out of memory");
			limit++;
		}
		assert_in_range(limit, 8, 30);
		bat_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
