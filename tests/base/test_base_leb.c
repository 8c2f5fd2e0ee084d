/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * LEB128 has two readers: src/base/bytes.h for all formats, and libbat's for its own.
 * Both take and refuse the same bytes, and what they refuse is the same everywhere.
 */
#include "src/base/bytes.h"

#include <string.h>

#include "bat/cursor.h"
#include "src/base/attr.h"
#include "src/elf/eh_frame.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

/* What libbat makes of the bytes: BAT_CAUSE_END is a cut number, BAT_CAUSE_WIDE a wide one. */
static enum leb128 read_by_bat(const uint8_t *data, size_t size, bool is_signed, uint64_t *out,
			       size_t *length)
{
	struct bat_error err = {.code = BAT_OK};
	struct bat_cursor cursor = {.begin = data, .pos = data, .end = data + size, .err = &err};
	bool read = is_signed ? cursor_sleb(&cursor, "a field", out) :
				cursor_uleb(&cursor, "a field", out);

	*length = (size_t)(cursor.pos - data);
	if (read)
		return LEB128_READ;
	assert_true(err.cause == BAT_CAUSE_END || err.cause == BAT_CAUSE_WIDE);
	return err.cause == BAT_CAUSE_END ? LEB128_CUT : LEB128_WIDE;
}

static enum leb128 check(const uint8_t *data, size_t size, bool is_signed, uint64_t *value)
{
	const uint8_t *at = data;
	uint64_t theirs = 0;
	size_t length = 0;

	*value = 0;
	enum leb128 result = leb128_read(&at, data + size, is_signed, value);
	assert_int_equal(result, read_by_bat(data, size, is_signed, &theirs, &length));
	assert_int_equal(at - data, length);
	assert_int_equal(*value, theirs);

	struct eh_cursor eh = {.left = {data, size}, .address = 0x1000};
	assert_int_equal(eh_take_leb(&eh, is_signed), *value);
	assert_int_equal(!eh.bad, result == LEB128_READ);
	assert_int_equal(eh.address, 0x1000 + length);
	return result;
}

/* Bytes that are mostly continued, and are mostly 0, 1 or all ones, up to fourteen. */
static void both_readers_agree(void **state)
{
	static const uint8_t likely[] = {0x80, 0x80, 0x81, 0xff, 0xff, 0,    1,
					 2,    0x3f, 0x40, 0x7e, 0x7f, 0xfe, 0xc0};
	struct prng prng = {5};
	size_t results[3] = {0};

	(void)state;
	for (unsigned round = 0; round < 300000; round++) {
		uint8_t data[14];
		size_t size = prng_below(&prng, sizeof(data) + 1);
		for (size_t i = 0; i < size; i++)
			data[i] = prng_below(&prng, 8) ?
					  likely[prng_below(&prng, i < 9 ? 5 : BC_COUNT(likely))] :
					  (uint8_t)prng_next(&prng);
		uint64_t value;
		results[check(data, size, round & 1, &value)]++;
	}
	for (size_t i = 0; i < BC_COUNT(results); i++)
		assert_true(results[i] > 1000);
}

struct number {
	const char *bytes;
	size_t size;
	enum leb128 result;
	uint64_t value;
	bool is_signed;
};

#define NUMBER(bytes, ...) {bytes, sizeof(bytes) - 1, __VA_ARGS__}
#define NINE               "\xff\xff\xff\xff\xff\xff\xff\xff\xff" /* the lowest 63 bits */

static void numbers_as_dwarf_has_them(void **state)
{
	/* clang-format off */
	static const struct number numbers[] = {
		NUMBER("\x00", LEB128_READ, 0, false),
		NUMBER("\xe5\x8e\x26", LEB128_READ, 624485, false),
		NUMBER("\xc0\xbb\x78", LEB128_READ, (uint64_t)-123456, true),
		NUMBER("\x7f", LEB128_READ, UINT64_MAX, true),
		NUMBER(NINE "\x01", LEB128_READ, UINT64_MAX, false),
		NUMBER(NINE "\x02", LEB128_WIDE, 0, false),
		NUMBER(NINE "\x81\x80\x80\x00", LEB128_READ, UINT64_MAX, false),
		NUMBER(NINE "\x81\x80\x80\x01", LEB128_WIDE, 0, false),
		NUMBER("\x85\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", LEB128_READ, 5, false),
		NUMBER(NINE "\x00", LEB128_READ, INT64_MAX, true),
		NUMBER(NINE "\x7f", LEB128_READ, UINT64_MAX, true),
		NUMBER(NINE "\x01", LEB128_WIDE, 0, true),
		NUMBER(NINE "\xff\x7f", LEB128_READ, UINT64_MAX, true),
		NUMBER(NINE "\xff\x00", LEB128_WIDE, 0, true),
		NUMBER(NINE "\x80\x7f", LEB128_WIDE, 0, true),
		NUMBER("", LEB128_CUT, 0, false),
		NUMBER("\x80", LEB128_CUT, 0, true),
		NUMBER(NINE, LEB128_CUT, 0, false),
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < BC_COUNT(numbers); i++) {
		uint64_t value;
		assert_int_equal(check((const uint8_t *)numbers[i].bytes, numbers[i].size,
				       numbers[i].is_signed, &value),
				 numbers[i].result);
		assert_int_equal(value, numbers[i].value);
	}
}

static void what_was_written_is_read(void **state)
{
	struct byte_vec bytes = {0};
	struct prng prng = {9};

	(void)state;
	for (unsigned round = 0; round < 1000; round++) {
		uint64_t number = prng_next(&prng) >> prng_below(&prng, 64);
		bytes.len = 0;
		assert_true(leb_put_u(&bytes, number) && leb_put_zigzag(&bytes, (int64_t)number) &&
			    leb_put_zigzag(&bytes, -(int64_t)(number >> 1)));
		struct leb_reader reader = {
			.begin = bytes.at, .at = bytes.at, .end = bytes.at + bytes.len};
		assert_int_equal(leb_u(&reader), number);
		assert_int_equal(leb_zigzag(&reader), number);
		assert_int_equal(leb_zigzag(&reader), -(int64_t)(number >> 1));
		assert_null(reader.wrong);
		assert_ptr_equal(reader.at, reader.end);
		assert_int_equal(leb_u(&reader), 0);
		assert_string_equal(reader.wrong, "the data ends in a number");
	}
	byte_vec_free(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_readers_agree),
		cmocka_unit_test(numbers_as_dwarf_has_them),
		cmocka_unit_test(what_was_written_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
