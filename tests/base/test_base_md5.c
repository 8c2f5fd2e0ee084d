/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The examples of RFC 1321, of which a GUID is the first half, and lengths around the end of a
 * block. */
#include "src/base/digest.h"

#include "tests/support/cmocka.h"

static void examples(void **state)
{
	(void)state;
	assert_int_equal(md5_guid(text_of("")), 0x04b2008fd98c1dd4);
	assert_int_equal(md5_guid(text_of("a")), 0xa8b6f1c0b975c10c);
	assert_int_equal(md5_guid(text_of("abc")), 0xb04fd23c98500190);
	assert_int_equal(md5_guid(text_of("message digest")), 0x8d93b77c7d696bf9);
	assert_int_equal(
		md5_guid(text_of(
			"12345678901234567890123456789012345678901234567890123456789012345678901234567890")),
		0x55c9e32ba2f4ed57);
}

/* What LLVM has for `main`. */
static void main_function(void **state)
{
	(void)state;
	assert_int_equal(md5_guid(text_of("main")), 0xdb956436e78dd5fa);
}

static void around_a_block(void **state)
{
	static const struct {
		size_t length;
		uint64_t guid;
	} all[] = {
		{55, 0x2f515ce220443604},  {56, 0x8ef017bad5728a66},  {63, 0xf7a2068120cac27d},
		{64, 0xd5b292d8814fbbc1},  {65, 0x74d002230532c91b},  {119, 0x43a4c8685f7a34ab},
		{120, 0xe96d09987f6698fb}, {128, 0x0072e86e1ab69cd6}, {199, 0x4d2f14fcee612fd3},
	};
	char text[200];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_int_equal(md5_guid((struct text){text, all[i].length}), all[i].guid);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples),
		cmocka_unit_test(main_function),
		cmocka_unit_test(around_a_block),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
