/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests whose peer can be missing: instead of tests/support/cmocka.h. */
#ifndef TESTS_SUPPORT_SKIP_H
#define TESTS_SUPPORT_SKIP_H

#include "tests/support/cmocka.h"

/* Ends a test whose peer is missing.  ctest says then that the program was skipped, and why; with
 * BATCONV_REQUIRE_PEERS=1 it is a failure.  cmocka's own skip() would be taken for a success. */
void test_skip(const char *why);

/* The exit code of a program: 77 if nothing failed and something was skipped. */
int test_ended(int failed);

#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
	test_ended(_cmocka_run_group_tests(#tests, tests, sizeof(tests) / sizeof((tests)[0]),      \
					   setup, teardown))

#endif
