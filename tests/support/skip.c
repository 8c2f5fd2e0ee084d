/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/skip.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool skipped;

void test_skip(const char *why)
{
	const char *required = getenv("BATCONV_REQUIRE_PEERS");

	printf("skipped in part: %s\n", why);
	fflush(stdout);
	skipped = true;
	if (required && !strcmp(required, "1"))
		fail_msg("what this needs is required here: %s", why);
	skip();
}

int test_ended(int failed)
{
	return failed || !skipped ? failed : 77;
}
