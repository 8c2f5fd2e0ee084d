/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The examples of FIPS 180-4, and chunks of any size. */
#include "src/base/digest.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"

static void digest(const char *text, size_t times, size_t piece, char out[65])
{
	uint8_t bytes[SHA256_SIZE];
	struct sha256 sha;

	sha256_begin(&sha);
	for (size_t i = 0; i < times; i++)
		for (size_t at = 0; at < strlen(text); at += piece)
			sha256_add(&sha, text + at,
				   strlen(text) - at < piece ? strlen(text) - at : piece);
	sha256_end(&sha, bytes);
	for (size_t i = 0; i < SHA256_SIZE; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static void examples(void **state)
{
	static const struct {
		const char *text;
		size_t times;
		const char *is;
	} all[] = {
		{"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{"aaaaaaaaaa", 100000,
		 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
	};
	char got[65];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (size_t piece = 1; piece < 80; piece += 13) {
			digest(all[i].text, all[i].times, piece, got);
			assert_string_equal(got, all[i].is);
		}
}

static void digest_by(bool fast, const uint8_t *data, size_t size, uint8_t out[SHA256_SIZE])
{
	struct sha256 sha;

	sha256_begin(&sha);
	sha.fast &= fast;
	sha256_add(&sha, data, size);
	sha256_end(&sha, out);
}

/* The instructions of the processor, where it has them, and the plain way. */
static void both_ways_are_the_same(void **state)
{
	uint8_t data[1000], fast[SHA256_SIZE], plain[SHA256_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 131 + i / 7);
	for (size_t size = 0; size <= sizeof(data); size++) {
		digest_by(true, data, size, fast);
		digest_by(false, data, size, plain);
		assert_memory_equal(fast, plain, SHA256_SIZE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples),
		cmocka_unit_test(both_ways_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
