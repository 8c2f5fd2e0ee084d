/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bat/layout.h"
#include "tests/support/random_bat.h"

static struct bat_entry entry(uint32_t output, uint32_t input, bool branch)
{
	return (struct bat_entry){output, input << 1 | branch};
}

/* SQLite's getCellInfo has two entries at 8: the first is an alignment nop. */
static void the_last_of_equal_outputs_counts(void **state)
{
	struct bat_entry entries[] = {entry(0, 0, false), entry(8, 0x8, false),
				      entry(8, 0x10, false), entry(0x20, 0x14, true)};
	struct bat_fragment f = {.address = 0x1000, .entry_count = 4};
	struct bat_table t = {.fragments = &f,
			      .fragment_count = 1,
			      .hot_count = 1,
			      .entries = entries,
			      .entry_count = 4};

	(void)state;
	assert_int_equal(bat_translate(&t, &f, 0x8, false), 0x10);
	assert_int_equal(bat_translate(&t, &f, 0xb, false), 0x13);
	assert_int_equal(bat_translate(&t, &f, 0x7, false), 0x7);
	assert_int_equal(bat_translate(&t, &f, 0x22, false), 0x16);
	assert_int_equal(bat_translate(&t, &f, 0x22, true), 0x14);
	assert_int_equal(bat_translate(&t, &f, 0x1f, true), 0x10);
	entries[0].output = 4;
	assert_int_equal(bat_translate(&t, &f, 3, true), 3);
	assert_null(bat_entry_at(&t, &f, 3));
}

/* The definitions again, by looking at everything. */
static const struct bat_fragment *scan_find(const struct bat_table *t, uint64_t address)
{
	const struct bat_fragment *found = NULL;

	for (uint32_t i = 0; i < t->fragment_count; i++)
		if (t->fragments[i].address <= address)
			found = &t->fragments[i];
	return found;
}

static const struct bat_entry *scan_entry(const struct bat_table *t, const struct bat_fragment *f,
					  uint32_t offset)
{
	const struct bat_entry *found = NULL;

	for (uint32_t i = 0; i < f->entry_count; i++)
		if (t->entries[f->first_entry + i].output <= offset)
			found = &t->entries[f->first_entry + i];
	return found;
}

static void check_translation(const struct bat_table *t, const struct bat_fragment *f,
			      uint32_t offset)
{
	const struct bat_entry *e = scan_entry(t, f, offset);

	assert_ptr_equal(bat_entry_at(t, f, offset), e);
	assert_int_equal(bat_translate(t, f, offset, true), e ? e->input >> 1 : offset);
	assert_int_equal(bat_translate(t, f, offset, false),
			 e ? (e->input >> 1) + offset - e->output : offset);
}

static void random_tables_agree_with_a_scan(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct bat_table t;

		random_bat(&t, (enum bat_layout)(seed % BAT_LAYOUT_COUNT), 8, 10, seed);
		for (uint32_t i = 0; i < t.fragment_count; i++) {
			const struct bat_fragment *f = &t.fragments[i];
			uint64_t address = f->address + random_below(&random, 600) - 300;

			assert_ptr_equal(bat_find(&t, address), scan_find(&t, address));
			assert_ptr_equal(bat_find_exact(&t, f->address), f);
			for (unsigned n = 0; n < 20; n++)
				check_translation(&t, f, random_below(&random, 1500));
			check_translation(&t, f, UINT32_MAX);
		}
		bat_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_of_equal_outputs_counts),
		cmocka_unit_test(random_tables_agree_with_a_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
