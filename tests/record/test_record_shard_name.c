/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of shards: whatever programs and hosts are called, whose shard a name is of is certain. */
#include <stdio.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/record/shard_name.h"
#include "tests/support/cmocka.h"

#define LONG50 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct build_id digest = {
	32, {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23}};

/* One of which is a part of the other, or begins with what a digest looks like. */
static const char *const hosts[] = {"vm",
				    "www.example.com",
				    "example.com",
				    "com",
				    "0123456789ab.example.com",
				    "a.0123456789ab.example.com",
				    "0123456789ab",
				    "0123456789ab.0123456789ab",
				    "20200101T000000Z",
				    "",
				    "h\n%/\xff",
				    LONG50 LONG50};

static const char *const programs[] = {
	"/srv/prog",
	"a.0123456789ab.vm.20200101T000000Z.zst",
	"a.0123456789ab.vm.20200101T000000Z.zst.Abc123",
	"/x/a.0123456789ab.example.com.20200101T000000Z.7.zst",
	".0123456789ab.vm.20200101T000000Z",
	"-rf",
	"..",
	"/",
	"new\nline\r\x1b[2J",
	"100%s%n.zst",
	"\xff\xfe\xc3(\xe2\x82",
	"/srv/blank name (deleted)",
	LONG50 LONG50 LONG50 LONG50 LONG50 "12345",
};

static void only_own_host(void **state)
{
	(void)state;
	for (size_t h = 0; h < BC_COUNT(hosts); h++) {
		char host[SHARD_HOST_SIZE], name[SHARD_NAME_SIZE], unfinished[SHARD_NAME_SIZE + 8];
		shard_host(hosts[h], host);
		for (size_t p = 0; p < BC_COUNT(programs); p++) {
			struct shard_name parts = {programs[p], digest, host, 1577836800,
						   (unsigned)(p % 3) * 499};
			shard_name_format(&parts, name);
			snprintf(unfinished, sizeof(unfinished), "%s.aB3dE6", name);
			for (size_t i = 0; i < BC_COUNT(hosts); i++) {
				char other[SHARD_HOST_SIZE];
				shard_host(hosts[i], other);
				assert_int_equal(shard_name_is(text_of(name), other), i == h);
				assert_int_equal(
					shard_name_is_unfinished(text_of(unfinished), other),
					i == h);
				assert_false(shard_name_is_unfinished(text_of(name), other));
				assert_false(shard_name_is(text_of(unfinished), other));
			}
		}
	}
}

static void only_plain_letters(void **state)
{
	(void)state;
	for (size_t p = 0; p < BC_COUNT(programs); p++) {
		char host[SHARD_HOST_SIZE], name[SHARD_NAME_SIZE];
		shard_host("h\n%/\xff", host);
		assert_string_equal(host, "h____");
		shard_name_format(&(struct shard_name){programs[p], digest, host, 0, 999}, name);
		assert_true(strlen(name) + strlen(".XXXXXX") <= 255);
		assert_true(*name != '.' && *name != '-');
		for (const char *at = name; *at; at++)
			assert_non_null(
				strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				       "0123456789._+-",
				       *at));
	}
}

static void written(void **state)
{
	char name[SHARD_NAME_SIZE], host[SHARD_HOST_SIZE];

	(void)state;
	shard_host("0123456789ab.example.com", host);
	assert_string_equal(host, "0123456789ab_example.com");
	shard_name_format(&(struct shard_name){"/srv/a b (deleted)", digest, "vm", 1577836800, 0},
			  name);
	assert_string_equal(name, "a_b.0123456789ab.vm.20200101T000000Z.zst");
	shard_name_format(&(struct shard_name){"/", digest, "vm", -1, 1}, name);
	assert_string_equal(name, "_.0123456789ab.vm.19700101T000000Z.1.zst");
	shard_name_format(&(struct shard_name){"x", digest, "vm", INT64_MAX, 0}, name);
	assert_string_equal(name, "x.0123456789ab.vm.99991231T235959Z.zst");
}

static void none(void **state)
{
	static const char *const names[] = {
		"",
		".zst",
		"a.0123456789ab.vm.20200101T000000Z",
		"a.0123456789ab.vm.20200101T000000Z.zst.zst",
		"a.0123456789ab.vm.20200101T000000Z..zst",
		"a.0123456789ab.vm.20200101T000000Z.0.zst",
		"a.0123456789ab.vm.20200101T000000Z.01.zst",
		"a.0123456789ab.vm.20200101T000000Z.1000.zst",
		"a.0123456789ab.vm.20200101T000000Z.1.2.zst",
		"a.0123456789ab.vm.2020010T000000Z.zst",
		"a.0123456789ab.vm.20200101t000000Z.zst",
		"a.0123456789AB.vm.20200101T000000Z.zst",
		"a.123456789ab.vm.20200101T000000Z.zst",
		"a0123456789ab.vm.20200101T000000Z.zst",
		".0123456789ab.vm.20200101T000000Z.zst",
		"0123456789ab.vm.20200101T000000Z.zst",
		"a.0123456789ab.vm2.20200101T000000Z.zst",
		"a.0123456789ab..vm.20200101T000000Z.zst",
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(names); i++)
		assert_false(shard_name_is(text_of(names[i]), "vm"));
	assert_true(shard_name_is(text_of("a.0123456789ab.vm.20200101T000000Z.12.zst"), "vm"));
	assert_false(shard_name_is_unfinished(text_of("a.0123456789ab.vm.20200101T000000Z.12.zst"),
					      "vm"));
	assert_false(shard_name_is_unfinished(text_of("Abc123"), "vm"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_own_host),
		cmocka_unit_test(only_plain_letters),
		cmocka_unit_test(written),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
