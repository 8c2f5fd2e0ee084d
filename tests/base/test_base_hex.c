/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/hex.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

/* Every byte at every position, among digits. */
static void every_byte_is_told(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++)
		for (unsigned at = 0; at < 8; at++) {
			uint64_t zero = UINT64_C(0x3030303030303030);
			uint64_t bytes = (zero & ~(UINT64_C(0xff) << 8 * at)) | (uint64_t)c
											<< 8 * at;
			uint64_t want = isxdigit((int)c) ? 0 : UINT64_C(0x80) << 8 * at;
			assert_int_equal(hex_others(bytes), want);
		}
}

/* Numbers of all lengths, with and without something after them. */
static void numbers_are_read(void **state)
{
	struct prng prng = {1};

	(void)state;
	for (int i = 0; i < 200000; i++) {
		char text[32];
		uint64_t number = prng_next(&prng) >> prng_below(&prng, 64), value;
		int digits = snprintf(text, sizeof(text), i & 1 ? "%" PRIx64 : "%" PRIX64, number);
		int more = (int)prng_below(&prng, 10);
		memset(text + digits, "/gG@`\xe1: "[prng_below(&prng, 8)], (size_t)more);
		assert_int_equal(hex_read(text, text + digits + more, &value), digits);
		assert_int_equal(value, number);
	}
}

/* The caller refuses more than 16 digits: it must see them. */
static void long_numbers_are_counted(void **state)
{
	uint64_t value;

	(void)state;
	for (size_t size = 0; size < 60; size++) {
		char text[60];
		memset(text, 'a', size);
		assert_int_equal(hex_read(text, text + size, &value), size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_is_told),
		cmocka_unit_test(numbers_are_read),
		cmocka_unit_test(long_numbers_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
