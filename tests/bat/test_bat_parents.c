/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
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

#define STATICS BATCONV_SOURCE_DIR "/tests/support/data/statics/"

enum { HOT = 4, COLD = 4, ROOM = 1024 };

/* Hot fragments at 0x1000, 0x1100 ..., cold ones at 0x2000, 0x2100 ..., each
 * with one entry at output offset 0, as LLVM 18 would write them. */
static void make_table(struct bat_table *t, const uint32_t hot_inputs[HOT],
		       const uint32_t cold_inputs[COLD])
{
	struct build_bat b = {.size = 0};
	uint64_t last = 0;
	struct bat_error err;

	for (unsigned cold = 0; cold < 2; cold++) {
		build_uleb(&b, HOT);
		for (unsigned i = 0; i < HOT; i++) {
			uint64_t address = (cold ? 0x2000u : 0x1000u) + i * 0x100u;
			uint32_t input = cold ? cold_inputs[i] : hot_inputs[i];

			build_uleb(&b, address - last);
			last = address;
			if (cold)
				build_uleb(&b, i != 0);
			build_uleb(&b, 1);
			build_uleb(&b, 0);
			build_sleb(&b, (int64_t)input << 1);
		}
	}
	assert_true(bat_decode_as(BAT_LAYOUT_DELTA, b.data, b.size, t, &err));
}

struct example {
	const char *name;
	uint32_t hot_inputs[HOT], cold_inputs[COLD];
	struct bat_symbol symbols[12];
	uint32_t parents[COLD]; /* hot fragments; COLD represents unknown */
};

#define F(hot, name, order, file)  {0x1000 + (hot) * 0x100, name, order, file}
#define C(cold, name, order, file) {0x2000 + (cold) * 0x100, name, order, file}

static const struct example examples[] = {
	{"every form of suffix",
	 {0, 0, 0, 0},
	 {8, 8, 8, 8},
	 {F(0, "a", 10, 0), F(1, "b", 11, 0), F(2, "c.cold", 12, 0), F(3, "d.part.0", 13, 0),
	  C(0, "d.part.0.cold.1", 1, 1), C(1, "c.cold.cold.0", 2, 1), C(2, "b.warm", 3, 1),
	  C(3, "a.cold", 4, 1)},
	 {3, 2, 1, 0}},
	{"without symbols", {0}, {8, 8, 8, 8}, {{0, "", 0, 0}}, {COLD, COLD, COLD, COLD}},
	{"names without a suffix say nothing",
	 {0},
	 {8, 8, 8, 8},
	 {F(0, "a", 1, 0), C(0, "a", 2, 0), C(1, "a.cold.x", 3, 0), C(2, "a.colder", 4, 0),
	  C(3, ".cold.0", 5, 0)},
	 {COLD, COLD, COLD, COLD}},
	{"equal names in two files",
	 {0, 0, 0, 0},
	 {8, 8, 8, 8},
	 {F(0, "f", 3, 1), F(1, "f", 7, 5), F(2, "g", 4, 1), C(0, "f.cold.0", 6, 5),
	  C(1, "f.cold.0", 2, 1)},
	 {1, 0, COLD, COLD}},
	{"a global one of that name; its cold part stands in the last file",
	 {0, 0, 0, 0},
	 {8, 8, 8, 8},
	 {F(0, "f", 3, 1), F(1, "f", 30, 0), C(0, "f.cold.0", 20, 15), C(1, "f.cold.0", 2, 1)},
	 {1, 0, COLD, COLD}},
	{"no files: the nearest",
	 {0, 0, 0, 0},
	 {8, 8, 16, 8},
	 {F(0, "f", 4, 0), F(1, "f", 9, 0), C(0, "f.cold.0", 7, 0), C(1, "f.cold.0", 2, 0),
	  C(2, "f.cold.1", 8, 0)},
	 {1, 0, 1, COLD}},
	{"the nearest owns that input offset",
	 {0, 8, 0, 0},
	 {8, 9, 9, 9},
	 {F(0, "f", 1, 0), F(1, "f", 9, 0), C(0, "f.cold.0", 8, 0)},
	 {0, COLD, COLD, COLD}},
	{"nobody can own it",
	 {8, 8, 8, 8},
	 {8, 8, 8, 8},
	 {F(0, "f", 1, 0), F(1, "f", 9, 0), C(0, "f.cold.0", 8, 0)},
	 {COLD, COLD, COLD, COLD}},
	{"one f.cold.0 for each f",
	 {0, 0, 0, 0},
	 {8, 9, 10, 11},
	 {F(0, "f", 1, 0), F(1, "f", 9, 0), C(0, "f.cold.0", 8, 0), C(1, "f.cold.0", 7, 0),
	  C(2, "f.cold.0", 6, 0)},
	 {1, 0, COLD, COLD}},
	{"names that go on with what stands before the suffix's point",
	 {0, 0, 0, 0},
	 {8, 9, 10, 11},
	 {F(0, "f", 1, 0), F(1, "f$a", 2, 0), F(2, "f-b", 3, 0), F(3, "f#", 4, 0),
	  C(0, "f.cold.0", 5, 0), C(1, "f$a.cold.0", 6, 0), C(2, "f-b.cold.0", 7, 0),
	  C(3, "f#.cold.0", 8, 0)},
	 {0, 1, 2, 3}},
	{"two names of one function",
	 {0, 0, 0, 0},
	 {8, 9, 10, 11},
	 {F(0, "f", 3, 1), F(0, "alias", 5, 1), C(0, "f.cold.0", 2, 1), C(0, "alias.cold.0", 4, 1)},
	 {0, COLD, COLD, COLD}},
};

static size_t count_symbols(const struct example *e)
{
	size_t count = 0;

	while (count < 12 && e->symbols[count].name)
		count++;
	return count;
}

static void examples_hold(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		const struct example *e = &examples[i];
		struct bat_table t;
		struct bat_parents counts;
		struct bat_error err;

		make_table(&t, e->hot_inputs, e->cold_inputs);
		assert_true(bat_fix_parents(&t, e->symbols, count_symbols(e), &counts, &err));
		assert_true(counts.ordinal);
		for (unsigned n = 0; n < COLD; n++) {
			uint32_t parent = t.fragments[HOT + n].parent;
			uint32_t expected = e->parents[n];

			if (parent != (expected == COLD ? BAT_NO_PARENT : expected))
				fail_msg("%s: cold %u has parent %u", e->name, n, parent);
		}
		bat_free(&t);
	}
}

static void a_stored_index_that_means_something_stays(void **state)
{
	const uint32_t hot[HOT] = {0};
	const uint32_t cold[COLD] = {8, 8, 8, 8};
	struct bat_table t;
	struct bat_parents counts;
	struct bat_error err;
	uint8_t *bytes;
	size_t size;

	/* Hashed has no ordinals: 0, 1, 2, 3 are true indices there. */
	(void)state;
	make_table(&t, hot, cold);
	assert_true(bat_encode(&t, BAT_LAYOUT_HASHED, &bytes, &size, &err));
	bat_free(&t);
	assert_true(bat_decode(bytes, size, &t, &err));
	assert_true(bat_fix_parents(&t, NULL, 0, &counts, &err));
	assert_false(counts.ordinal);
	assert_int_equal(counts.unchecked, COLD);
	for (uint32_t i = 0; i < COLD; i++)
		assert_int_equal(t.fragments[HOT + i].parent, i);
	free(bytes);
	bat_free(&t);
}

static size_t load_symbols(const char *path, struct bat_symbol *symbols, char (*names)[64])
{
	FILE *f = fopen(path, "r");
	size_t count = 0;
	unsigned long long address;
	unsigned file, order;

	assert_non_null(f);
	while (count < ROOM &&
	       fscanf(f, "%llx %u %u %63s", &address, &file, &order, names[count]) == 4) {
		symbols[count] = (struct bat_symbol){address, names[count], order, file};
		count++;
	}
	(void)fclose(f);
	return count;
}

static void check_truth(const struct bat_table *t, const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned long long cold, hot;
	uint32_t count = 0;

	assert_non_null(f);
	while (fscanf(f, "%llx %llx", &cold, &hot) == 2) {
		const struct bat_fragment *c = bat_find_exact(t, cold);

		assert_non_null(c);
		assert_true(c->cold && c->parent != BAT_NO_PARENT);
		assert_true(t->fragments[c->parent].address == hot);
		count++;
	}
	(void)fclose(f);
	assert_int_equal(count, t->fragment_count - t->hot_count);
}

static void check_statics(const char *desc_path, const char *symbols_path, const char *parents_path)
{
	static struct bat_symbol symbols[ROOM];
	static char names[ROOM][64];
	size_t count = load_symbols(symbols_path, symbols, names);
	size_t size;
	uint8_t *desc = read_whole(desc_path, &size);
	struct bat_table t;
	struct bat_parents counts;
	struct bat_error err;

	for (unsigned reversed = 0; reversed < 2; reversed++) {
		assert_true(bat_decode(desc, size, &t, &err));
		assert_int_equal(t.layout, BAT_LAYOUT_DELTA);
		assert_true(bat_fix_parents(&t, symbols, count, &counts, &err));
		assert_true(counts.ordinal);
		assert_int_equal(counts.unknown, 0);
		check_truth(&t, parents_path);
		bat_free(&t);
		for (size_t i = 0; i < count / 2; i++) {
			struct bat_symbol swap = symbols[i];

			symbols[i] = symbols[count - 1 - i];
			symbols[count - 1 - i] = swap;
		}
	}
	free(desc);
}

static void statics_of_equal_names_find_their_functions(void **state)
{
	(void)state;
	check_statics(STATICS "split-profile.bat", STATICS "split-profile.symbols",
		      STATICS "split-profile.parents");
	check_statics(STATICS "split-all.bat", STATICS "split-all.symbols",
		      STATICS "split-all.parents");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_hold),
		cmocka_unit_test(a_stored_index_that_means_something_stays),
		cmocka_unit_test(statics_of_equal_names_find_their_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
