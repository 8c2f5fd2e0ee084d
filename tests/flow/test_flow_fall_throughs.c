/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/layout.h"
#include "src/flow/fall_throughs.h"

#include "tests/support/cmocka.h"
#include "tests/support/random_bat.h"

enum { MOST = 512, TRACES = 40 };

/* Sums by edge, of which some can be of the same locations. */
struct sums {
	uint32_t from[MOST], to[MOST];
	uint64_t count[MOST];
	size_t len;
};

static void add(struct sums *sums, uint32_t from, uint32_t to, uint64_t count)
{
	size_t i = 0;

	while (i < sums->len && (sums->from[i] != from || sums->to[i] != to))
		i++;
	assert_true(i < MOST);
	sums->from[i] = from;
	sums->to[i] = to;
	sums->count[i] = (i < sums->len ? sums->count[i] : 0) + count;
	sums->len += i == sums->len;
}

struct one_trace {
	struct sums *sums;
	uint64_t count;
};

static void add_edge(void *ctx, uint32_t from, uint32_t to)
{
	struct one_trace *trace = ctx;

	add(trace->sums, from, to, trace->count);
}

static void add_edges(void *ctx, uint32_t from, uint32_t to, uint32_t output, uint64_t count)
{
	(void)output;
	assert_true(count > 0);
	add(ctx, from, to, count);
}

static void ignore_edges(void *ctx, uint32_t from, uint32_t to, uint32_t output, uint64_t count)
{
	(void)output;
	(void)ctx;
	assert_true(from < to && count > 0);
}

static void are_equal(const struct sums *a, const struct sums *b)
{
	assert_int_equal(a->len, b->len);
	for (size_t i = 0; i < a->len; i++) {
		struct sums copy = *b;
		add(&copy, a->from[i], a->to[i], 0);
		assert_int_equal(copy.len, b->len);
		for (size_t k = 0; k < b->len; k++)
			if (b->from[k] == a->from[i] && b->to[k] == a->to[i])
				assert_int_equal(b->count[k], a->count[i]);
	}
}

/* One trace at a time and all together give the same edges. */
static void runs_add_up(void **state)
{
	struct fall_throughs falls = {0};
	uint64_t random = 5;
	size_t edges_seen = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct bat_table bat;
		random_bat(&bat, (enum bat_layout)(seed % BAT_LAYOUT_COUNT), 6, 20, seed);
		for (uint32_t f = 0; f < bat.fragment_count; f++) {
			const struct bat_fragment *fragment = &bat.fragments[f];
			struct sums one_by_one = {.len = 0}, together = {.len = 0};
			for (int i = 0; i < TRACES; i++) {
				uint32_t from = random_below(&random, 700),
					 to = random_below(&random, 900);
				bool any;
				struct one_trace trace = {&one_by_one,
							  1 + (random_next(&random) >> 8)};
				size_t wanted = bat_fallthroughs(&bat, fragment, from, to, add_edge,
								 &trace);
				assert_true(fall_throughs_add(&falls, &bat, fragment, from, to,
							      trace.count, &any));
				assert_int_equal(any, wanted > 0);
				edges_seen += wanted;
			}
			fall_throughs_take(&falls, &bat, add_edges, &together);
			are_equal(&one_by_one, &together);
			fall_throughs_take(&falls, &bat, add_edges, NULL); /* nothing is left */
		}
		bat_free(&bat);
	}
	assert_true(edges_seen > 10000);
	fall_throughs_free(&falls);
}

/* More branch entries after a block, and more blocks in a run, than are walked one by one. */
static void long_ways(void **state)
{
	enum { COUNT = 400, BLOCKS = 3 };
	struct bat_entry entries[COUNT];
	struct bat_fragment f = {.entry_count = COUNT};
	struct bat_table bat = {.fragments = &f, .entries = entries};
	struct fall_throughs falls = {0};

	(void)state;
	for (int all = 0; all < 2; all++) /* each a block, or of each hundred one, after branches */
		for (uint32_t from = 0; from < COUNT; from += 7) {
			uint32_t first, last;
			bool any;
			for (uint32_t i = 0; i < COUNT; i++)
				entries[i] =
					(struct bat_entry){i, i << 1 | (!all && i % 100 != 50)};
			for (uint32_t to = from; to < COUNT; to += 31) {
				struct sums sums = {.len = 0};
				uint32_t wanted =
					bat_trace_blocks(&bat, &f, from, to, &first, &last);
				assert_true(fall_throughs_add(&falls, &bat, &f, from, to, 1, &any));
				assert_int_equal(any, wanted > 0);
				if (wanted && wanted < BLOCKS + 1) {
					fall_throughs_take(&falls, &bat, add_edges, &sums);
					assert_int_equal(sums.len, wanted);
				} else if (wanted) {
					assert_int_equal(falls.first <= first && falls.last >= last,
							 1);
					fall_throughs_take(&falls, &bat, ignore_edges, NULL);
				}
			}
			fall_throughs_free(&falls);
		}
}

/* Counts whose sum is 2^64 - 1, the largest there is. */
static void large_counts(void **state)
{
	struct bat_entry entries[] = {{0, 0}, {4, 4 << 1}, {8, 8 << 1}};
	struct bat_fragment f = {.entry_count = 3};
	struct bat_table bat = {.fragments = &f, .entries = entries};
	struct sums sums = {.len = 0};
	struct fall_throughs falls = {0};
	bool any;

	(void)state;
	assert_true(fall_throughs_add(&falls, &bat, &f, 0, 8, UINT64_MAX - 5, &any));
	assert_true(any);
	assert_true(fall_throughs_add(&falls, &bat, &f, 4, 9, 5, &any));
	assert_true(any);
	fall_throughs_take(&falls, &bat, add_edges, &sums);
	assert_int_equal(sums.len, 2);
	assert_int_equal(sums.count[0], UINT64_MAX - 5);
	assert_int_equal(sums.count[1], UINT64_MAX);
	fall_throughs_free(&falls);
}

/* Blocks of a function that BAT does not have, before and after a fragment. */
static void runs_of_graphs(void **state)
{
	struct block blocks[] = {{.start = 0, .last = 2},
				 {.start = 4, .last = 6},
				 {.start = 8, .last = 10},
				 {.start = 12, .last = 14}};
	const struct graph graph = {.blocks = blocks, .count = 4, .size = 16};
	struct bat_entry entries[] = {{0, 0}, {4, 4 << 1}};
	struct bat_fragment f = {.entry_count = 2};
	struct bat_table bat = {.fragments = &f, .entries = entries};
	struct fall_throughs falls = {0};
	bool any;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct sums of_graph = {.len = 0}, of_fragment = {.len = 0};
		assert_true(fall_throughs_add_blocks(&falls, &graph, 0, 1, 3));
		assert_true(fall_throughs_add_blocks(&falls, &graph, 0, 1, 4));
		assert_true(fall_throughs_add_blocks(&falls, &graph, 2, 3, UINT64_MAX));
		fall_throughs_take(&falls, &bat, add_edges, &of_graph);
		assert_int_equal(of_graph.len, 2); /* nothing ran from the second to the third */
		assert_int_equal(of_graph.from[0], 2);
		assert_int_equal(of_graph.to[0], 4);
		assert_int_equal(of_graph.count[0], 7);
		assert_int_equal(of_graph.from[1], 10);
		assert_int_equal(of_graph.to[1], 12);
		assert_int_equal(of_graph.count[1], UINT64_MAX);
		assert_true(fall_throughs_add(&falls, &bat, &f, 0, 4, 2, &any));
		fall_throughs_take(&falls, &bat, add_edges, &of_fragment);
		assert_int_equal(of_fragment.len, 1);
		assert_int_equal(of_fragment.count[0], 2);
	}
	fall_throughs_free(&falls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_add_up),
		cmocka_unit_test(long_ways),
		cmocka_unit_test(large_counts),
		cmocka_unit_test(runs_of_graphs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
