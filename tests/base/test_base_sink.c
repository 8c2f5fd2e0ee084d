/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"

/* Written by hand: a pipe without a reader would be a signal; /dev/full is full. */
static void the_first_failure_is_kept(void **state)
{
	struct sink *sink;
	FILE *file = sink_open(open("/dev/full", O_WRONLY), &sink);

	(void)state;
	assert_non_null(file);
	assert_int_equal(sink_failed(sink), 0);
	fputs("lost", file);
	assert_int_equal(fflush(file), EOF);
	assert_int_equal(sink_failed(sink), ENOSPC);
	errno = 0;
	fputs("not tried", file);
	assert_int_equal(fflush(file), EOF);
	assert_int_equal(sink_failed(sink), ENOSPC);
	fclose(file);
}

static void memory_holds_all(void **state)
{
	struct memory_sink memory = {0};
	FILE *file = sink_memory(&memory);

	(void)state;
	assert_non_null(file);
	for (int i = 0; i < 100000; i++)
		fprintf(file, "%06d\n", i);
	assert_int_equal(fclose(file), 0);
	assert_false(memory.failed);
	assert_int_equal(memory.len, 700000);
	assert_memory_equal(memory.at + 7 * 99999, "099999\n", 7);
	free(memory.at);
}

static void empty_memory_is_none(void **state)
{
	struct memory_sink memory = {0};
	FILE *file = sink_memory(&memory);

	(void)state;
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	assert_false(memory.failed);
	assert_null(memory.at);
	assert_int_equal(memory.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_failure_is_kept),
		cmocka_unit_test(memory_holds_all),
		cmocka_unit_test(empty_memory_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
