/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bat/layout.h"
#include "tests/support/build_bat.h"
#include "tests/support/random_bat.h"

static void what_was_encoded_is_decoded(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		enum bat_layout layout = seed % BAT_LAYOUT_COUNT;
		struct bat_table t, again;
		struct bat_error err;
		uint8_t *bytes, *same;
		size_t size, same_size;

		random_bat(&t, layout, 1 + (uint32_t)seed % 40, 9, seed);
		assert_true(bat_encode(&t, layout, &bytes, &size, &err));
		assert_true(bat_decode_as(layout, bytes, size, &again, &err));
		if (!bat_same_table(&t, &again))
			fail_msg("seed %u", (unsigned)seed);
		assert_true(bat_encode(&again, layout, &same, &same_size, &err));
		assert_int_equal(size, same_size);
		assert_memory_equal(bytes, same, size);
		free(bytes);
		free(same);
		bat_free(&t);
		bat_free(&again);
	}
}

/* Whatever else a layout leaves out, it translates alike. */
static void check_same_meaning(const struct bat_table *a, const struct bat_table *b)
{
	assert_int_equal(a->fragment_count, b->fragment_count);
	for (uint32_t i = 0; i < a->fragment_count; i++) {
		const struct bat_fragment *f = &a->fragments[i];
		const struct bat_fragment *g = &b->fragments[i];

		assert_true(f->address == g->address && f->cold == g->cold &&
			    f->parent == g->parent);
		for (uint32_t offset = 0; offset < 200; offset++)
			assert_int_equal(bat_translate(a, f, offset, true),
					 bat_translate(b, g, offset, true));
	}
}

static void layouts_convert_into_each_other(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		enum bat_layout from = seed % BAT_LAYOUT_COUNT;
		struct bat_table t;

		random_bat(&t, from, 12, 9, seed);
		for (unsigned to = 0; to < BAT_LAYOUT_COUNT; to++) {
			struct bat_table again;
			struct bat_error err;
			uint8_t *bytes;
			size_t size;

			assert_true(bat_encode(&t, (enum bat_layout)to, &bytes, &size, &err));
			assert_true(bat_decode_as((enum bat_layout)to, bytes, size, &again, &err));
			check_same_meaning(&t, &again);
			bat_free(&again);
			free(bytes);
		}
		bat_free(&t);
	}
}

static void encoding_is_canonical(void **state)
{
	struct build_bat b = {.size = 0};
	struct bat_table t;
	struct bat_error err;
	uint8_t *bytes;
	size_t size;

	/* Two entries that could be equal but are not stored so. */
	(void)state;
	build_padded_uleb(&b, 1, 2);
	build_uleb(&b, 0x40);
	build_uleb(&b, 2);
	build_uleb(&b, 0);
	build_uleb(&b, 0);
	build_sleb(&b, 0);
	build_uleb(&b, 3);
	build_sleb(&b, 3 << 1 | 1);
	build_uleb(&b, 0);
	assert_true(bat_decode_as(BAT_LAYOUT_EQUAL, b.data, b.size, &t, &err));
	assert_true(bat_encode(&t, BAT_LAYOUT_EQUAL, &bytes, &size, &err));
	b.size = 0;
	build_uleb(&b, 1);
	build_uleb(&b, 0x40);
	build_uleb(&b, 2);
	build_uleb(&b, 2);
	build_u8(&b, 2);
	build_uleb(&b, 0);
	build_uleb(&b, 3);
	build_uleb(&b, 0);
	assert_int_equal(size, b.size);
	assert_memory_equal(bytes, b.data, size);
	free(bytes);
	bat_free(&t);
}

static void orphans_cannot_change_the_layout(void **state)
{
	struct bat_table t;
	struct bat_error err;
	uint8_t *bytes = NULL;
	size_t size;

	(void)state;
	random_bat(&t, BAT_LAYOUT_HASHED, 5, 5, 3);
	for (uint32_t i = 0; i < t.fragment_count; i++)
		if (t.fragments[i].cold)
			t.fragments[i].parent = BAT_NO_PARENT;
	assert_true(t.fragment_count > t.hot_count);
	assert_true(bat_encode(&t, BAT_LAYOUT_HASHED, &bytes, &size, &err));
	free(bytes);
	for (unsigned i = 0; i < BAT_LAYOUT_HASHED; i++) {
		assert_false(bat_encode(&t, (enum bat_layout)i, &bytes, &size, &err));
		assert_int_equal(err.code, BAT_ERROR_UNENCODABLE);
		assert_non_null(strstr(err.text, "it has no parent"));
	}
	bat_free(&t);
}

static void fixed_has_one_fragment_per_address(void **state)
{
	struct bat_fragment fragments[] = {
		{.address = 0x10, .parent = 0},
		{.address = 0x10, .parent = 0, .cold = true},
	};
	struct bat_entry none;
	uint32_t nothing;
	struct bat_table t = {.layout = BAT_LAYOUT_DELTA,
			      .fragments = fragments,
			      .fragment_count = 2,
			      .hot_count = 1,
			      .entries = &none,
			      .secondary = &nothing};
	struct bat_error err;
	uint8_t *bytes;
	size_t size;

	(void)state;
	assert_false(bat_encode(&t, BAT_LAYOUT_FIXED, &bytes, &size, &err));
	assert_int_equal(err.code, BAT_ERROR_UNENCODABLE);
	assert_non_null(strstr(err.text, "0x10: another begins there"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_encoded_is_decoded),
		cmocka_unit_test(layouts_convert_into_each_other),
		cmocka_unit_test(encoding_is_canonical),
		cmocka_unit_test(orphans_cannot_change_the_layout),
		cmocka_unit_test(fixed_has_one_fragment_per_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
