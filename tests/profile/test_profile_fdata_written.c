/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order of records and how each is written: docs/conversion.md, section 5.
 * Which function is first is worked out from the names by hand. */
#include "src/profile/fdata.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"
#include "tests/support/tiny_binary.h"

static struct tiny_binary tiny;

static struct input_place place(int function, uint32_t offset)
{
	if (function < 0)
		return (struct input_place){0};
	return (struct input_place){&tiny.functions[function], offset};
}

static struct record branch(int from, uint32_t from_offset, int to, uint32_t to_offset,
			    uint64_t count, uint64_t wrong)
{
	enum record_kind kind = from < 0 ? RECORD_ENTRY : RECORD_BRANCH;

	return (struct record){kind, place(from, from_offset), place(to, to_offset), count, wrong,
			       0};
}

static struct record sample(int function, uint32_t offset, uint64_t count)
{
	return (struct record){RECORD_SAMPLE, place(function, offset), place(-1, 0), count, 0, 0};
}

static char *written(const struct profile *profile, const struct fdata_header *header)
{
	char *text = NULL;
	size_t size;
	struct bc_error err = {0};
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_true(fdata_write_profile(profile, header, 2, out, &err));
	fclose(out);
	return text;
}

/* Write the records, spread over three batches in a random order. */
static void gives(struct record *records, size_t count, bool basic,
		  const struct fdata_header *header, const char *lines)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct record_batch batches[3] = {0};
		struct prng random = {seed};
		struct profile profile;
		struct bc_error err = {0};

		for (size_t i = count; i > 1; i--) {
			size_t other = prng_below(&random, i);
			struct record swap = records[i - 1];
			records[i - 1] = records[other];
			records[other] = swap;
		}
		for (size_t i = 0; i < count; i++)
			assert_true(record_push(&batches[prng_below(&random, 3)], &tiny.binary,
						&records[i]));
		struct record_vec all[] = {batches[0].records, batches[1].records,
					   batches[2].records};
		assert_true(profile_build(&tiny.binary, basic, all, 3, 2, &profile, &err));
		char *text = written(&profile, header);
		assert_string_equal(text, lines);
		free(text);
		profile_free(&profile);
	}
}

static int setup(void **state)
{
	(void)state;
	tiny_binary_init(&tiny);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tiny_binary_fini(&tiny);
	return 0;
}

/* Functions by name, entry records last, then by source and target, unknown
 * ones first. */
static void order(void **state)
{
	/* clang-format off */
	struct record records[] = {
		branch(4, 0x10, -1, 0, 1, 0),
		branch(4, 0x10, 0, 2, 2, 0),
		branch(4, 0x10, 1, 0, 3, 1),
		branch(4, 0x10, 4, 0x9, 4, 0),
		branch(4, 0x10, 4, 0x10, 5, 0),
		branch(4, 0xff, 0, 0, 6, 0),
		branch(-1, 0, 4, 1, 7, 7),
		branch(0, 0xabcdef, 4, 0, 8, 0),
		branch(-1, 0, 2, 0, 9, 0),
	};
	/* clang-format on */

	(void)state;
	gives(records, BC_COUNT(records), false, &(struct fdata_header){0},
	      "boltedcollection\n"
	      "0 [unknown] 0 1 ext@PLT 0 0 9\n"
	      "1 hot abcdef 1 other 0 0 8\n"
	      "1 other 10 0 [unknown] 0 0 1\n"
	      "1 other 10 1 hot 2 0 2\n"
	      "1 other 10 1 other 9 0 4\n"
	      "1 other 10 1 other 10 0 5\n"
	      "1 other 10 1 plain 0 1 3\n"
	      "1 other ff 1 hot 0 0 6\n"
	      "0 [unknown] 0 1 other 1 7 7\n");
}

/* The printed name is what is written, and orders functions and targets. */
static void two_names(void **state)
{
	/* clang-format off */
	struct record records[] = {
		branch(0, 1, 1, 0, 1, 0),
		branch(1, 1, 0, 0, 2, 0),
		branch(4, 1, 0, 0, 3, 0),
		branch(4, 1, 1, 0, 4, 0),
	};
	/* clang-format on */

	(void)state;
	tiny.functions[0].primary = "b/1";
	tiny.functions[0].printed = "b/y.c/1";
	tiny.functions[1].primary = "c/1";
	tiny.functions[1].printed = "a/x.c/1";
	gives(records, BC_COUNT(records), false, &(struct fdata_header){0},
	      "boltedcollection\n"
	      "1 a/x.c/1 1 1 b/y.c/1 0 0 2\n"
	      "1 b/y.c/1 1 1 a/x.c/1 0 0 1\n"
	      "1 other 1 1 a/x.c/1 0 0 4\n"
	      "1 other 1 1 b/y.c/1 0 0 3\n");
}

static void equal_records(void **state)
{
	/* clang-format off */
	struct record records[] = {
		branch(0, 1, 1, 0, 1, 1),
		branch(0, 1, 1, 0, 2, 0),
		branch(0, 1, 1, 0, 4, 3),
		branch(0, 1, 1, 0, 0, 0), /* none at all */
		branch(0, 2, 1, 0, 0, 0),
		branch(1, 3, 1, 4, UINT64_MAX, 0),
		branch(1, 3, 1, 4, 7, 0),
	};
	/* clang-format on */

	(void)state;
	gives(records, BC_COUNT(records), false, &(struct fdata_header){0},
	      "boltedcollection\n"
	      "1 hot 1 1 plain 0 4 7\n"
	      "1 plain 3 1 plain 4 0 18446744073709551615\n");
}

/* Two functions of one printed name are one in text: no two lines have equal locations. */
static void one_name(void **state)
{
	/* clang-format off */
	struct record records[] = {
		branch(0, 1, 4, 0, 1, 0),
		branch(1, 1, 4, 0, 2, 1),
		branch(1, 0, 4, 0, 5, 0),
		branch(4, 1, 0, 0, 3, 0),
		branch(4, 1, 1, 0, 4, 2),
	};
	/* clang-format on */

	(void)state;
	tiny.functions[0].printed = tiny.functions[1].printed = "a/x.c/1";
	gives(records, BC_COUNT(records), false, &(struct fdata_header){0},
	      "boltedcollection\n"
	      "1 a/x.c/1 0 1 other 0 0 5\n"
	      "1 a/x.c/1 1 1 other 0 1 3\n"
	      "1 other 1 1 a/x.c/1 0 2 7\n");
}

/* Blanks separate fields: within a name they are escaped. */
static void names_with_blanks(void **state)
{
	struct record records[] = {branch(0, 1, 1, 0, 1, 0)};

	(void)state;
	tiny.functions[0].primary = tiny.functions[0].printed = "operator new";
	tiny.functions[1].primary = tiny.functions[1].printed = "a\\b  c";
	gives(records, 1, false, &(struct fdata_header){0},
	      "boltedcollection\n"
	      "1 operator\\ new 1 1 a\\\\b\\ \\ c 0 0 1\n");
}

static void basic(void **state)
{
	const char *const events[] = {"cycles:u:", "instructions:"};
	struct record records[] = {sample(4, 0x10, 1), sample(4, 2, 2), sample(1, 0, 3),
				   sample(4, 2, 10)};

	(void)state;
	gives(records, BC_COUNT(records), true, &(struct fdata_header){events, 2},
	      "no_lbr cycles:u: instructions:\n"
	      "1 other 2 12\n"
	      "1 other 10 1\n"
	      "1 plain 0 3\n");
}

static void empty(void **state)
{
	(void)state;
	gives(NULL, 0, false, &(struct fdata_header){0}, "boltedcollection\n");
	gives(NULL, 0, true, &(struct fdata_header){0}, "no_lbr\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(order, setup, teardown),
		cmocka_unit_test_setup_teardown(two_names, setup, teardown),
		cmocka_unit_test_setup_teardown(one_name, setup, teardown),
		cmocka_unit_test_setup_teardown(equal_records, setup, teardown),
		cmocka_unit_test_setup_teardown(names_with_blanks, setup, teardown),
		cmocka_unit_test_setup_teardown(basic, setup, teardown),
		cmocka_unit_test_setup_teardown(empty, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
