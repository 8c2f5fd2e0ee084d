/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What released versions of llvm-bolt wrote for one binary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/build_bat.h"
#include "tests/support/read_bolted.h"

static const struct release {
	const char *path;
	enum bat_layout layout;
	uint32_t fragments, hot, entries;
	uint32_t repaired; /* parents; the others are right as stored */
} releases[] = {
	{"sqlite/sq.b15", BAT_LAYOUT_FIXED, 1853, 1853, 0, 0},
	{"sqlite/sq.b16", BAT_LAYOUT_FIXED, 213, 111, 13276, 0},
	{"sqlite/sq.b17", BAT_LAYOUT_FIXED, 213, 111, 13276, 0},
	{"sqlite/sq.b18", BAT_LAYOUT_DELTA, 213, 111, 13276, 102},
	{"sqlite/sq.b19", BAT_LAYOUT_HASHED, 213, 111, 14063, 0},
	{"sqlite/sq.b22", BAT_LAYOUT_HASHED, 213, 111, 14063, 0},
};

/* The name of the function at an address that has one. */
static const char *name_at(const struct bolted *b, uint64_t address)
{
	for (size_t i = 0; i < b->symbol_count; i++)
		if (b->symbols[i].address == address)
			return b->symbols[i].name;
	return "";
}

static void load(const char *name, struct bolted *b, struct bat_table *t)
{
	char path[4096];
	struct bat_error err;

	(void)snprintf(path, sizeof(path), "%s/%s", BATCONV_DATA_DIR, name);
	bolted_read(b, path);
	if (!bat_decode(b->desc, b->desc_size, t, &err))
		fail_msg("%s: %s", name, err.text);
}

static void releases_are_recognized(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		struct bolted b;
		struct bat_table t;

		load(releases[i].path, &b, &t);
		assert_int_equal(t.layout, releases[i].layout);
		assert_int_equal(t.fragment_count, releases[i].fragments);
		assert_int_equal(t.hot_count, releases[i].hot);
		assert_int_equal(t.entry_count, releases[i].entries);
		bat_free(&t);
		bolted_free(&b);
	}
}

static void releases_encode_to_themselves(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		struct bolted b;
		struct bat_table t;
		struct bat_parents parents;
		struct bat_error err;
		uint8_t *bytes;
		size_t size;

		load(releases[i].path, &b, &t);
		for (unsigned repaired = 0; repaired < 2; repaired++) {
			assert_true(bat_encode(&t, t.layout, &bytes, &size, &err));
			assert_int_equal(size, b.desc_size);
			assert_memory_equal(bytes, b.desc, size);
			free(bytes);
			assert_true(bat_fix_parents(&t, b.symbols, b.symbol_count, &parents, &err));
		}
		bat_free(&t);
		bolted_free(&b);
	}
}

/* f.cold.0 belongs to f: no two functions of these binaries share a name. */
static void parents_are_those_of_the_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		struct bolted b;
		struct bat_table t;
		struct bat_parents parents;
		struct bat_error err;

		load(releases[i].path, &b, &t);
		assert_true(bat_fix_parents(&t, b.symbols, b.symbol_count, &parents, &err));
		assert_int_equal(parents.repaired, releases[i].repaired);
		assert_int_equal(parents.agreed, parents.cold - parents.repaired);
		for (uint32_t n = 0; n < t.fragment_count; n++) {
			const struct bat_fragment *f = &t.fragments[n];
			const char *parent, *name;

			if (!f->cold)
				continue;
			name = name_at(&b, f->address);
			parent = name_at(&b, t.fragments[f->parent].address);
			assert_memory_equal(name, parent, strlen(parent));
			assert_string_equal(name + strlen(parent), ".cold.0");
		}
		bat_free(&t);
		bolted_free(&b);
	}
}

/* getCellInfo of SQLite: two entries at output offset 8. */
static void the_code_behind_a_nop_is_translated(void **state)
{
	struct bolted b;
	struct bat_table t;
	const struct bat_fragment *f = NULL;

	(void)state;
	load("sqlite/sq.b19", &b, &t);
	for (size_t i = 0; i < b.symbol_count; i++)
		if (!strcmp(b.symbols[i].name, "getCellInfo"))
			f = bat_find_exact(&t, b.symbols[i].address);
	assert_non_null(f);
	assert_int_equal(bat_translate(&t, f, 8, false), 0x10);
	bat_free(&t);
	bolted_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases_are_recognized),
		cmocka_unit_test(releases_encode_to_themselves),
		cmocka_unit_test(parents_are_those_of_the_names),
		cmocka_unit_test(the_code_behind_a_nop_is_translated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
