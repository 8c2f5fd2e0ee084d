/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "bat/layout.h"
#include "tests/support/random_bat.h"

enum { ROOM = 256 };

struct edges {
	uint32_t from[ROOM], to[ROOM];
	size_t count;
};

static void add_edge(void *ctx, uint32_t from, uint32_t to)
{
	struct edges *e = ctx;

	assert_true(e->count < ROOM);
	e->from[e->count] = from;
	e->to[e->count++] = to;
}

/* Blocks at 0, 4, 8 (twice: an empty one first), 0x10; branches at 2, 6, 0x14. */
static const struct bat_entry entries[] = {
	{0x0, 0x00 << 1}, {0x2, 0x02 << 1 | 1}, {0x4, 0x40 << 1},  {0x6, 0x42 << 1 | 1},
	{0x8, 0x80 << 1}, {0x8, 0x88 << 1},     {0x10, 0x20 << 1}, {0x14, 0x24 << 1 | 1},
};

static const struct {
	const char *name;
	uint32_t from, to;
	size_t count;
	uint32_t edges[5][2];
} traces[] = {
	{"one block", 0, 2, 0, {{0}}},
	{"backwards", 9, 2, 0, {{0}}},
	{"nowhere", 4, 4, 0, {{0}}},
	{"to the next block", 0, 4, 1, {{0x00, 0x40}}},
	{"to its branch", 0, 7, 1, {{0x00, 0x40}}},
	{"from behind a branch", 3, 5, 1, {{0x00, 0x40}}},
	{"through an empty block", 4, 0xc, 2, {{0x40, 0x80}, {0x80, 0x88}}},
	{"from it", 8, 0x10, 1, {{0x88, 0x20}}},
	{"to the end", 0, 0x100, 4, {{0x00, 0x40}, {0x40, 0x80}, {0x80, 0x88}, {0x88, 0x20}}},
};

static void traces_follow_the_blocks(void **state)
{
	struct bat_entry copy[sizeof(entries) / sizeof(*entries)];
	struct bat_fragment f = {.entry_count = sizeof(entries) / sizeof(*entries)};
	struct bat_table t = {.fragments = &f,
			      .fragment_count = 1,
			      .hot_count = 1,
			      .entries = copy,
			      .entry_count = f.entry_count};

	(void)state;
	memcpy(copy, entries, sizeof(copy));
	for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++) {
		struct edges e = {.count = 0};
		size_t count = bat_fallthroughs(&t, &f, traces[i].from, traces[i].to, add_edge, &e);

		if (count != traces[i].count || e.count != count)
			fail_msg("%s: %zu edges", traces[i].name, count);
		for (size_t n = 0; n < count; n++)
			if (e.from[n] != traces[i].edges[n][0] || e.to[n] != traces[i].edges[n][1])
				fail_msg("%s: edge %zu", traces[i].name, n);
	}
}

static void nothing_before_the_first_block(void **state)
{
	struct bat_entry copy[] = {{4, 9 << 1 | 1}, {8, 10 << 1}};
	struct bat_fragment f = {.entry_count = 2};
	struct bat_table t = {.fragments = &f, .entries = copy};
	struct edges e = {.count = 0};

	(void)state;
	assert_int_equal(bat_fallthroughs(&t, &f, 0, 9, add_edge, &e), 0);
	assert_int_equal(bat_fallthroughs(&t, &f, 5, 9, add_edge, &e), 0);
	f.entry_count = 0;
	assert_int_equal(bat_fallthroughs(&t, &f, 5, 9, add_edge, &e), 0);
}

/* The definition of docs/bat-format.md, word by word. */
static void scan(const struct bat_table *t, const struct bat_fragment *f, uint32_t from,
		 uint32_t to, struct edges *out)
{
	const struct bat_entry *e = t->entries + f->first_entry;
	int64_t start = -1;
	int64_t end = -1;

	for (uint32_t i = 0; i < f->entry_count; i++) {
		start = e[i].output <= from ? (int64_t)i : start;
		end = e[i].output <= to ? (int64_t)i : end;
	}
	while (start >= 0 && bat_entry_is_branch(e[start]))
		start--;
	if (from >= to || start < 0 || end < 0 || e[start].output >= e[end].output)
		return;
	for (int64_t at = start; at != end;) {
		int64_t next = at + 1;

		while (next != end && bat_entry_is_branch(e[next]))
			next++;
		if (bat_entry_is_branch(e[next]))
			return;
		add_edge(out, e[at].input >> 1, e[next].input >> 1);
		at = next;
	}
}

static void random_tables_agree_with_a_scan(void **state)
{
	uint64_t random = 2;

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct bat_table t;

		random_bat(&t, (enum bat_layout)(seed % BAT_LAYOUT_COUNT), 8, 10, seed);
		for (uint32_t n = 0; n < 20 * t.fragment_count; n++) {
			const struct bat_fragment *f = &t.fragments[n % t.fragment_count];
			uint32_t from = random_below(&random, 700);
			uint32_t to = random_below(&random, 900);
			struct edges expected = {.count = 0};
			struct edges found = {.count = 0};

			scan(&t, f, from, to, &expected);
			assert_int_equal(bat_fallthroughs(&t, f, from, to, add_edge, &found),
					 expected.count);
			assert_memory_equal(expected.from, found.from,
					    expected.count * sizeof(uint32_t));
			assert_memory_equal(expected.to, found.to,
					    expected.count * sizeof(uint32_t));
		}
		bat_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traces_follow_the_blocks),
		cmocka_unit_test(nothing_before_the_first_block),
		cmocka_unit_test(random_tables_agree_with_a_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
