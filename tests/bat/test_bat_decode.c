/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bat/layout.h"
#include "include/bat/bat.h"
#include "tests/support/build_bat.h"

/* One hot function at 0x1000 with entries 0 -> 0, 5 -> 5 (branch), 9 -> 0x20,
 * one cold fragment below it, at 0x800, with entry 0 -> 0x9. */
static void build_delta(struct build_bat *b)
{
	b->size = 0;
	build_uleb(b, 1);
	build_uleb(b, 0x1000);
	build_uleb(b, 3);
	build_uleb(b, 0);
	build_sleb(b, 0);
	build_uleb(b, 5);
	build_sleb(b, 5 << 1 | 1);
	build_uleb(b, 4);
	build_sleb(b, (0x20 << 1) - (5 << 1 | 1));
	build_uleb(b, 1);
	build_uleb(b, (uint64_t)0x800 - 0x1009);
	build_uleb(b, 0);
	build_uleb(b, 1);
	build_uleb(b, 0);
	build_sleb(b, 0x9 << 1);
}

static void build_equal(struct build_bat *b)
{
	b->size = 0;
	build_uleb(b, 1);
	build_uleb(b, 0x1000);
	build_uleb(b, 3);
	build_uleb(b, 2);
	build_u8(b, 0x2);
	build_uleb(b, 0);
	build_uleb(b, 5);
	build_uleb(b, 4);
	build_sleb(b, (0x20 << 1) - (5 << 1 | 1));
	build_uleb(b, 1);
	build_uleb(b, (uint64_t)0x800 - 0x1009);
	build_uleb(b, 0);
	build_uleb(b, 1);
	build_uleb(b, 0);
	build_sleb(b, 0x9 << 1);
}

static void build_hashed(struct build_bat *b)
{
	b->size = 0;
	build_uleb(b, 1);
	build_uleb(b, 0x1000);
	build_u64(b, 0x1122334455667788);
	build_uleb(b, 4);
	build_uleb(b, 2);
	build_uleb(b, 3);
	build_uleb(b, 2);
	build_u8(b, 0x2);
	build_uleb(b, 0);
	build_u64(b, 0xa0);
	build_uleb(b, 3);
	build_uleb(b, 5);
	build_uleb(b, 4);
	build_sleb(b, (0x20 << 1) - (5 << 1 | 1));
	build_u64(b, 0xa1);
	build_uleb(b, (uint64_t)1 - 3);
	build_uleb(b, 0x20);
	build_uleb(b, 0x8);
	build_uleb(b, 1);
	build_uleb(b, (uint64_t)0x800 - 0x1009);
	build_uleb(b, 0);
	build_uleb(b, 0x9);
	build_uleb(b, 1);
	build_uleb(b, 1);
	build_u8(b, 0);
	build_uleb(b, 0);
	build_u64(b, 0xa2);
	build_uleb(b, 2);
}

static void build_fixed(struct build_bat *b)
{
	b->size = 0;
	build_u32(b, 2);
	build_u64(b, 0x800);
	build_u32(b, 1);
	build_u32(b, 0);
	build_u32(b, 0x9);
	build_u64(b, 0x1000);
	build_u32(b, 3);
	build_u32(b, 0);
	build_u32(b, 0);
	build_u32(b, 5);
	build_u32(b, 5 | 0x80000000);
	build_u32(b, 9);
	build_u32(b, 0x20);
	build_u32(b, 1);
	build_u64(b, 0x800);
	build_u64(b, 0x1000);
}

static void (*const builders[])(struct build_bat *) = {
	[BAT_LAYOUT_FIXED] = build_fixed,
	[BAT_LAYOUT_DELTA] = build_delta,
	[BAT_LAYOUT_EQUAL] = build_equal,
	[BAT_LAYOUT_HASHED] = build_hashed,
};

static void every_layout_means_the_same(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++) {
		struct build_bat b;
		struct bat_table t;
		struct bat_error err;
		const struct bat_fragment *cold, *hot;
		const struct bat_entry *e;

		builders[i](&b);
		assert_true(bat_decode(b.data, b.size, &t, &err));
		assert_int_equal(t.layout, i);
		assert_int_equal(t.fragment_count, 2);
		assert_int_equal(t.hot_count, 1);
		assert_int_equal(t.entry_count, 4);
		cold = &t.fragments[0];
		hot = &t.fragments[1];
		assert_true(cold->cold && cold->address == 0x800);
		assert_int_equal(cold->parent, 1);
		assert_true(cold->stored_hot == (i == BAT_LAYOUT_FIXED ? 0x1000 : 0));
		assert_true(!hot->cold && hot->address == 0x1000);
		assert_int_equal(hot->parent, 1);
		e = t.entries + hot->first_entry;
		assert_int_equal(e[1].output, 5);
		assert_int_equal(bat_entry_input(e[1]), 5);
		assert_true(bat_entry_is_branch(e[1]));
		assert_int_equal(e[2].output, 9);
		assert_int_equal(bat_entry_input(e[2]), 0x20);
		assert_false(bat_entry_is_branch(e[2]));
		assert_int_equal(t.entries[cold->first_entry].input, 0x9 << 1);
		bat_free(&t);
	}
}

static void hashed_tells_more(void **state)
{
	struct build_bat b;
	struct bat_table t;
	struct bat_error err;
	const struct bat_fragment *hot;

	(void)state;
	build_hashed(&b);
	assert_true(bat_decode(b.data, b.size, &t, &err));
	hot = &t.fragments[1];
	assert_true(hot->hash == 0x1122334455667788);
	assert_int_equal(hot->block_count, 4);
	assert_int_equal(hot->secondary_count, 2);
	assert_int_equal(t.secondary[0], 0x20);
	assert_int_equal(t.secondary[1], 0x28);
	assert_true(t.blocks[0].hash == 0xa0 && t.blocks[0].index == 3);
	assert_true(t.blocks[1].hash == 0 && t.blocks[1].index == 0);
	assert_true(t.blocks[2].hash == 0xa1 && t.blocks[2].index == 1);
	bat_free(&t);
}

/* A byte of a good descriptor, another value, and what is said about it. */
static const struct {
	enum bat_layout layout;
	size_t byte;
	uint8_t value;
	const char *text;
} damages[] = {
	{BAT_LAYOUT_FIXED, 3, 0xff,
	 "NumFragments, byte 0: 4278190082 fragments do not fit in the 76 bytes left"},
	{BAT_LAYOUT_FIXED, 12, 9, "NumEntries, byte 12: 9 entries do not fit in the 64 bytes left"},
	{BAT_LAYOUT_FIXED, 25, 0x08, "OutputAddress, byte 24: 0x800 does not ascend from 0x800"},
	{BAT_LAYOUT_FIXED, 44, 10, "OutputOffset, byte 52: 0x9 decreases from 0xa"},
	{BAT_LAYOUT_FIXED, 60, 2, "NumCold, byte 60: 2 pairs do not fit in the 16 bytes left"},
	{BAT_LAYOUT_FIXED, 60, 0, "end, byte 64: 16 bytes are left over"},
	{BAT_LAYOUT_FIXED, 64, 1, "ColdAddress, byte 64: no fragment begins at 0x801"},
	{BAT_LAYOUT_DELTA, 0, 2, "NumEntries, byte 11: "},
	{BAT_LAYOUT_DELTA, 0, 99, "NumFuncs, byte 0: 99 functions do not fit"},
	{BAT_LAYOUT_DELTA, 3, 40, "NumEntries, byte 3: 40 entries do not fit in the 21 bytes left"},
	{BAT_LAYOUT_DELTA, 21, 1, "HotIndex, byte 21: 1 is not below the 1 hot functions"},
	{BAT_LAYOUT_EQUAL, 4, 4, "EqualElems, byte 4: 4 of 3 entries"},
	{BAT_LAYOUT_HASHED, 12, 99, "NumSecEntryPoints, byte 12: 99 entry points do not fit"},
	{BAT_LAYOUT_HASHED, 14, 4, "EqualElems, byte 14: 4 of 3 entries"},
};

static void errors_name_byte_and_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		struct build_bat b;
		struct bat_table t;
		struct bat_error err;

		builders[damages[i].layout](&b);
		assert_true(damages[i].byte < b.size);
		b.data[damages[i].byte] = damages[i].value;
		if (bat_decode_as(damages[i].layout, b.data, b.size, &t, &err))
			fail_msg("damage %zu went unseen", i);
		assert_int_equal(err.code, BAT_ERROR_FORMAT);
		if (!strstr(err.text, damages[i].text))
			fail_msg("damage %zu: %s", i, err.text);
	}
}

/* The second of two functions, at the address of the first or below it. */
static void the_second_address_ascends(void **state)
{
	static const struct {
		uint64_t delta;
		const char *text;
	} rows[] = {
		{0, "Address, byte 6: 0x1000 does not ascend from 0x1000"},
		{(uint64_t)-1, "Address, byte 6: 0xfff does not ascend from 0x1000"},
		{1, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct build_bat b = {.size = 0};
		struct bat_table t;
		struct bat_error err = {.text = ""};

		build_uleb(&b, 2);
		for (unsigned n = 0; n < 2; n++) {
			build_uleb(&b, n ? rows[i].delta : 0x1000);
			build_uleb(&b, 1);
			build_uleb(&b, 0);
			build_sleb(&b, 0);
		}
		build_uleb(&b, 0);
		bool good = bat_decode_as(BAT_LAYOUT_DELTA, b.data, b.size, &t, &err);
		assert_int_equal(good, !rows[i].text);
		if (good)
			bat_free(&t);
		else if (!strstr(err.text, rows[i].text))
			fail_msg("row %zu: %s", i, err.text);
	}
}

/* Each of them takes a byte at least: as many as there are bytes left can be there. */
static void secondary_entries_may_be_a_byte_each(void **state)
{
	enum { COUNT = 100 };
	struct build_bat b = {.size = 0};
	struct bat_table t;
	struct bat_error err;

	(void)state;
	build_uleb(&b, 1);
	build_uleb(&b, 0x1000);
	build_u64(&b, 1);
	build_uleb(&b, 1);
	build_uleb(&b, COUNT);
	build_uleb(&b, 0); /* NumEntries */
	build_uleb(&b, 0); /* EqualElems */
	for (unsigned i = 0; i < COUNT; i++)
		build_uleb(&b, i + 1);
	build_uleb(&b, 0);
	if (!bat_decode_as(BAT_LAYOUT_HASHED, b.data, b.size, &t, &err))
		fail_msg("%s", err.text);
	assert_int_equal(t.fragments[0].secondary_count, COUNT);
	bat_free(&t);
}

/* Nothing may be read after the end: sanitizers see it in a heap copy. */
static bool decode_copy(enum bat_layout layout, const uint8_t *data, size_t size,
			struct bat_error *err)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct bat_table t;
	bool fits;

	assert_non_null(copy);
	memcpy(copy, data, size);
	fits = bat_decode_as(layout, copy, size, &t, err);
	free(copy);
	if (fits) {
		uint8_t *bytes;
		size_t length;

		assert_true(bat_encode(&t, layout, &bytes, &length, err));
		free(bytes);
		bat_free(&t);
	} else {
		assert_int_equal(err->code, BAT_ERROR_FORMAT);
		assert_true(err->byte <= size && *err->field);
		assert_memory_equal(err->text, err->field, strlen(err->field));
	}
	return fits;
}

static void every_truncation_is_refused(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++) {
		struct build_bat b;
		struct bat_error err;

		builders[i](&b);
		for (size_t size = 0; size < b.size; size++)
			assert_false(decode_copy((enum bat_layout)i, b.data, size, &err));
	}
}

static void every_corruption_is_survived(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++) {
		struct build_bat b;
		struct bat_error err;

		builders[i](&b);
		for (size_t at = 0; at < b.size; at++) {
			uint8_t good = b.data[at];

			for (unsigned value = 0; value < 256; value++) {
				b.data[at] = (uint8_t)value;
				(void)decode_copy((enum bat_layout)i, b.data, b.size, &err);
			}
			b.data[at] = good;
		}
	}
}

static void padding_is_accepted_as_by_llvm(void **state)
{
	struct build_bat b = {.size = 0};
	struct bat_table t;
	struct bat_error err;

	(void)state;
	build_padded_uleb(&b, 1, 20);
	build_padded_uleb(&b, 0x1000, 3);
	build_padded_uleb(&b, 1, 1);
	build_uleb(&b, 0);
	build_u8(&b, 0x80); /* an InputOffset of 0, padded beyond 64 bits */
	for (unsigned i = 0; i < 12; i++)
		build_u8(&b, 0x80);
	build_u8(&b, 0);
	build_uleb(&b, 0);
	assert_true(bat_decode_as(BAT_LAYOUT_DELTA, b.data, b.size, &t, &err));
	assert_true(t.fragments[0].address == 0x1000);
	assert_int_equal(t.entries[0].input, 0);
	bat_free(&t);
}

/* LLVM 18 with more cold than hot fragments, LLVM 19 with hot functions after
 * cold ones. */
static void hot_index_may_leave_the_hot_table(void **state)
{
	struct build_bat b = {.size = 0};
	struct bat_table t;
	struct bat_error err;

	(void)state;
	build_uleb(&b, 1);
	build_uleb(&b, 0x1000);
	build_uleb(&b, 0);
	build_uleb(&b, 2);
	for (unsigned i = 0; i < 2; i++) {
		build_uleb(&b, 0x100);
		build_uleb(&b, i);
		build_uleb(&b, 0);
	}
	assert_true(bat_decode_as(BAT_LAYOUT_DELTA, b.data, b.size, &t, &err));
	assert_int_equal(t.fragments[1].parent, 0);
	assert_true(t.fragments[2].stored_hot == 1);
	assert_true(t.fragments[2].parent == BAT_NO_PARENT);
	bat_free(&t);

	b.size = 0;
	build_uleb(&b, 1);
	build_uleb(&b, 0x1000);
	build_u64(&b, 0);
	for (unsigned i = 0; i < 4; i++)
		build_uleb(&b, 0);
	build_uleb(&b, 1);
	build_uleb(&b, (uint64_t)-0x100);
	build_uleb(&b, 1);
	for (unsigned i = 0; i < 3; i++)
		build_uleb(&b, 0);
	assert_true(bat_decode_as(BAT_LAYOUT_HASHED, b.data, b.size, &t, &err));
	assert_true(t.fragments[0].cold);
	assert_int_equal(t.fragments[0].parent, 1);
	bat_free(&t);
}

static void equal_outputs_keep_the_first(void **state)
{
	struct build_bat b = {.size = 0};
	struct bat_table t;
	struct bat_error err;

	(void)state;
	build_u32(&b, 1);
	build_u64(&b, 0x1000);
	build_u32(&b, 3);
	build_u32(&b, 8);
	build_u32(&b, 8);
	build_u32(&b, 8);
	build_u32(&b, 16);
	build_u32(&b, 9);
	build_u32(&b, 17);
	build_u32(&b, 0);
	assert_true(bat_decode(b.data, b.size, &t, &err));
	assert_int_equal(t.entry_count, 2);
	assert_int_equal(t.entries[0].input, 8 << 1);
	assert_int_equal(t.entries[1].input, 17 << 1);
	bat_free(&t);
}

static void addresses_have_64_bits(void **state)
{
	struct build_bat b = {.size = 0};
	struct bat_table t;
	struct bat_error err;

	(void)state;
	build_u32(&b, 2);
	build_u64(&b, 0x7fff00001000);
	build_u32(&b, 0);
	build_u64(&b, 0xffffffff80001000);
	build_u32(&b, 0);
	build_u32(&b, 1);
	build_u64(&b, 0xffffffff80001000);
	build_u64(&b, 0x7fff00001000);
	assert_true(bat_decode(b.data, b.size, &t, &err));
	assert_true(t.fragments[1].address == 0xffffffff80001000);
	assert_int_equal(t.fragments[1].parent, 0);
	bat_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_layout_means_the_same),
		cmocka_unit_test(hashed_tells_more),
		cmocka_unit_test(errors_name_byte_and_field),
		cmocka_unit_test(the_second_address_ascends),
		cmocka_unit_test(secondary_entries_may_be_a_byte_each),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(every_corruption_is_survived),
		cmocka_unit_test(padding_is_accepted_as_by_llvm),
		cmocka_unit_test(hot_index_may_leave_the_hot_table),
		cmocka_unit_test(equal_outputs_keep_the_first),
		cmocka_unit_test(addresses_have_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
