/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/output.h"

#include <errno.h>
#include <fcntl.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_failure_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
