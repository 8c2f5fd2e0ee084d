/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers of a table: what LLVM reads in them, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bat/cursor.h"

static const struct {
	const char *name;
	uint8_t bytes[12];
	size_t size;
	bool is_signed, good;
	uint64_t value;
} numbers[] = {
	{"0", {0}, 1, false, true, 0},
	{"127", {0x7f}, 1, false, true, 127},
	{"2^64 - 1",
	 {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
	 10,
	 false,
	 true,
	 UINT64_MAX},
	{"2^64", {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}, 10, false, false, 0},
	{"a bit behind the 64th",
	 {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01},
	 11,
	 false,
	 false,
	 0},
	{"without end", {0x80, 0x80}, 2, false, false, 0},
	{"nothing", {0}, 0, false, false, 0},
	{"-1", {0x7f}, 1, true, true, UINT64_MAX},
	{"-64", {0x40}, 1, true, true, (uint64_t)-64},
	{"63", {0x3f}, 1, true, true, 63},
	{"-128", {0x80, 0x7f}, 2, true, true, (uint64_t)-128},
	{"-1 in twelve bytes",
	 {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
	 12,
	 true,
	 true,
	 UINT64_MAX},
	{"-2^63",
	 {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f},
	 10,
	 true,
	 true,
	 UINT64_C(1) << 63},
	{"2^63", {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 10, true, false, 0},
	{"-1 that ends as if positive",
	 {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0},
	 11,
	 true,
	 false,
	 0},
};

static void numbers_are_llvms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		const uint8_t *bytes = numbers[i].bytes;
		struct bat_error err;
		struct bat_cursor c = {bytes, bytes, bytes + numbers[i].size, &err};
		uint64_t value = 0;
		bool good = numbers[i].is_signed ? cursor_sleb(&c, "x", &value) :
						   cursor_uleb(&c, "x", &value);

		if (good != numbers[i].good || value != numbers[i].value)
			fail_msg("%s", numbers[i].name);
		assert_ptr_equal(c.pos, good ? c.end : c.begin);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_llvms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
