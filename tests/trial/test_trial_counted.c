/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/trial/counted.h"

#include <string.h>

#include "tests/support/cmocka.h"

/* Reads a text as one file of callgrind. */
static bool read_text(const char *text, struct run_counts *sum, struct bc_error *err)
{
	struct file_stream stream = {
		.name = "text", .fd = -1, .memory = (const uint8_t *)text, .size = strlen(text)};

	return counted_read(&stream, sum, err);
}

/* Code of no file: jumps and calls count as they are listed, costs after a call elsewhere. */
static void test_unknown(void **state)
{
	static const char text[] =
		"# callgrind format\nversion: 1\n\nevents: Dr Ir I1mr\n\nob=???\nfn=f\n"
		"0x1000 0 9 10 2\n"
		"jcnd=4/10 0x1010 0\n0x1000 0\n"
		"jump=3 0x1010 0\n0x1004 0\n"
		"0x1040 0 0 5\n"
		"cfn=g\ncalls=7 0x2000\n0x1040 0 100 1000 50\n"
		"totals: 1 2 3\n";
	struct run_counts sum = {0};
	struct bc_error err;

	(void)state;
	assert_true(read_text(text, &sum, &err));
	assert_int_equal(sum.instructions, 15);
	assert_int_equal(sum.unknown, 15);
	assert_int_equal(sum.taken, 4 + 3 + 7);
	assert_int_equal(sum.line_misses, 2);
	assert_int_equal(sum.lines, 0);
}

/* Columns that are not there are 0, and a second file is added. */
static void test_sums(void **state)
{
	struct run_counts sum = {0};
	struct bc_error err;

	(void)state;
	assert_true(read_text("events: Ir\nob=/no/such/file\n0x10 0 3\n", &sum, &err));
	assert_true(read_text("events: Ir\nob=/no/such/file\n0x10 0 4\n", &sum, &err));
	assert_int_equal(sum.instructions, 7);
	assert_int_equal(sum.line_misses, 0);
}

static void test_bad(void **state)
{
	static const char *const bad[] = {"0xg 1 2\n",
					  "events: Ir\n0x10 0 x\n",
					  "jcnd=a/b 0x1 0\n",
					  "calls= 0x1\n",
					  "0x11111111111111111 0 1\n",
					  "events: Ir\n0x10 0 99999999999999999999\n"};
	struct run_counts sum = {0};
	struct bc_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_false(read_text(bad[i], &sum, &err));
		assert_int_equal(err.code, BC_FORMAT);
		assert_non_null(strstr(err.text, "no line of callgrind"));
	}
}

/* A shell that counts: the difference of two runs is that of their rounds alone, and a branch is an
 * instruction. */
static void test_of_valgrind(void **state)
{
	static const char *const scripts[] = {"i=0; while [ $i -lt 100 ]; do i=$((i+1)); done",
					      "i=0; while [ $i -lt 200 ]; do i=$((i+1)); done",
					      "i=0; while [ $i -lt 300 ]; do i=$((i+1)); done"};
	struct run_counts counted[3];
	struct bc_error err;

	(void)state;
	for (int i = 0; i < 3; i++) {
		const char *const words[] = {"{}", "-c", scripts[i]};
		struct workload workload = {.command = {words, 3}, .timeout = 120};
		if (!counted_run(&workload, "/bin/sh", &counted[i], &err) &&
		    err.code == BC_NOTFOUND) {
			print_message("no valgrind here\n");
			skip();
		}
		assert_true(counted[i].taken > 0 && counted[i].taken < counted[i].instructions / 2);
		assert_true(counted[i].lines > counted[i].pages && counted[i].pages > 0);
		assert_true(counted[i].line_misses >= counted[i].lines / 2);
	}
	uint64_t first = counted[1].instructions - counted[0].instructions;
	uint64_t second = counted[2].instructions - counted[1].instructions;
	assert_true(first > 100 * 50);
	assert_true(second > first - first / 20 && second < first + first / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_of_valgrind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
