/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which layout a table is of: one, none, or two that cannot be distinguished. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "include/bat/bat.h"

static void unrecognized_says_how_far_each_got(void **state)
{
	static const uint8_t bytes[] = {0x01, 0x80, 0x20, 0x07};
	struct bat_table t;
	struct bat_error err;

	(void)state;
	assert_false(bat_decode(bytes, sizeof(bytes), &t, &err));
	assert_int_equal(err.code, BAT_ERROR_FORMAT);
	assert_string_equal(err.text,
			    "unrecognized BAT layout: "
			    "fixed: NumFragments, byte 0: 119570433 fragments do not fit in "
			    "the 0 bytes left; "
			    "delta: NumEntries, byte 3: 7 entries do not fit in the 0 bytes "
			    "left; "
			    "equal: NumEntries, byte 3: 7 entries do not fit in the 0 bytes "
			    "left; "
			    "hashed: NumFuncs, byte 0: 1 functions do not fit in the 3 bytes "
			    "left");
	assert_int_equal(err.byte, 3);
	assert_string_equal(err.field, "NumEntries");
}

/* The likeliest mistake: the section's bytes instead of the descriptor's. */
static void a_note_is_told(void **state)
{
	static const uint8_t note[] = {5, 0,   0,   0,   2,   0, 0, 0, 1, 0, 0,
				       0, 'B', 'O', 'L', 'T', 0, 0, 0, 0, 0, 0};
	static const char begin[] = "a whole note, and no descriptor, which begins "
				    "at its byte 20: fixed: ";
	struct bat_table t;
	struct bat_error err;

	(void)state;
	assert_false(bat_decode(note, sizeof(note), &t, &err));
	assert_int_equal(err.code, BAT_ERROR_FORMAT);
	assert_memory_equal(err.text, begin, strlen(begin));
	assert_true(bat_decode(note + 20, 2, &t, &err));
	bat_free(&t);
	assert_false(bat_decode(note, 16, &t, &err));
	assert_memory_equal(err.text, "unrecognized", 12);
}

static void empty_tables_are_not_ambiguous(void **state)
{
	static const uint8_t zeros[8];
	struct bat_table t;
	struct bat_error err;

	(void)state;
	for (size_t size = 2; size <= 8; size += 6) {
		assert_true(bat_decode(zeros, size, &t, &err));
		assert_int_equal(t.fragment_count, 0);
		assert_null(bat_find(&t, 0));
		bat_free(&t);
	}
	assert_false(bat_decode(zeros, 0, &t, &err));
}

static void two_fits_are_an_error(void **state)
{
	/* One function at 0x400000.  delta: four entries, 0 -> 1 first; equal:
	 * four entries, of which two have no InputOffset. */
	static const uint8_t bytes[] = {0x01, 0x80, 0x80, 0x80, 0x02, 0x04, 0x02, 0x00,
					0x1e, 0x3c, 0x14, 0xf3, 0x14, 0x1b, 0x35, 0x00};
	struct bat_table t;
	struct bat_error err;

	(void)state;
	assert_false(bat_decode(bytes, sizeof(bytes), &t, &err));
	assert_int_equal(err.code, BAT_ERROR_AMBIGUOUS);
	assert_non_null(strstr(err.text, "delta"));
	assert_non_null(strstr(err.text, "equal"));
	assert_true(bat_decode_as(BAT_LAYOUT_DELTA, bytes, sizeof(bytes), &t, &err));
	bat_free(&t);
	assert_true(bat_decode_as(BAT_LAYOUT_EQUAL, bytes, sizeof(bytes), &t, &err));
	bat_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unrecognized_says_how_far_each_got),
		cmocka_unit_test(a_note_is_told),
		cmocka_unit_test(empty_tables_are_not_ambiguous),
		cmocka_unit_test(two_fits_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
