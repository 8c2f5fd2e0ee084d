/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often blocks run, compared with Gauss's elimination with all blocks at once; loops that are
 * left seldom or never; graphs that no compiler makes. */
#include "src/flow/probabilities.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

enum { MOST = 24 };

static void assert_near(double a, double b)
{
	assert_true(fabs(a - b) <= 1e-6 * fmax(1, fabs(b)));
}

/* Solves (I - P') x = e by pivots. */
static void solve_dense(const struct probable_edge *edges, size_t count, uint32_t n, double *x)
{
	double m[MOST][MOST + 1] = {{0}};

	for (uint32_t i = 0; i < n; i++)
		m[i][i] = 1;
	m[0][n] = 1;
	for (size_t i = 0; i < count; i++)
		m[edges[i].to][edges[i].from] -= edges[i].probability;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t best = k;
		for (uint32_t i = k + 1; i < n; i++)
			best = fabs(m[i][k]) > fabs(m[best][k]) ? i : best;
		for (uint32_t j = 0; j <= n; j++) {
			double t = m[k][j];
			m[k][j] = m[best][j];
			m[best][j] = t;
		}
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = n + 1; i != k && j-- > k;)
				m[i][j] -= m[i][k] / m[k][k] * m[k][j];
	}
	for (uint32_t i = 0; i < n; i++)
		x[i] = m[i][n] / m[i][i];
}

static void test_random(void **state)
{
	struct prng random = {7};
	struct probable_edge edges[3 * MOST];
	double runs[MOST], expected[MOST];

	(void)state;
	for (int turn = 0; turn < 2000; turn++) {
		uint32_t n = 1 + (uint32_t)(prng_next(&random) % MOST);
		size_t count = 0;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t successors = (uint32_t)(prng_next(&random) % 4);
			for (uint32_t k = 0; k < successors; k++)
				edges[count++] = (struct probable_edge){
					i, (uint32_t)(prng_next(&random) % n), 0.99 / successors};
		}
		solve_dense(edges, count, n, expected);
		assert_int_equal(probabilities_solve(edges, count, n, runs), PROBABILITIES_SOLVED);
		for (uint32_t i = 0; i < n; i++)
			assert_near(runs[i], expected[i]);
	}
}

static void test_loops(void **state)
{
	/* 0 -> 1 <-> 1 -> 2 */
	struct probable_edge loop[] = {{0, 1, 1}, {1, 1, 0.999}, {1, 2, 0.001}};
	/* A loop with two entries: 0 -> 1, 0 -> 2, 1 <-> 2, 2 -> 3 */
	struct probable_edge two[] = {
		{0, 1, 0.5}, {0, 2, 0.5}, {1, 2, 1}, {2, 1, 0.5}, {2, 3, 0.5}};
	/* A function that is its own loop. */
	struct probable_edge whole[] = {{0, 1, 1}, {1, 0, 0.75}};
	double runs[4];

	(void)state;
	assert_int_equal(probabilities_solve(loop, 3, 3, runs), PROBABILITIES_SOLVED);
	assert_near(runs[1], 1000);
	assert_near(runs[2], 1);
	loop[1].probability = 1;
	loop[2].probability = 0;
	assert_int_equal(probabilities_solve(loop, 3, 3, runs), PROBABILITIES_SOLVED);
	assert_near(runs[1], LOOP_UNKNOWN);
	assert_int_equal(probabilities_solve(two, 5, 4, runs), PROBABILITIES_SOLVED);
	assert_near(runs[1], 1.5);
	assert_near(runs[2], 2);
	assert_near(runs[3], 1);
	assert_int_equal(probabilities_solve(whole, 2, 2, runs), PROBABILITIES_SOLVED);
	assert_near(runs[0], 4);
	assert_near(runs[1], 4);
	/* A block that nothing leads to. */
	assert_int_equal(probabilities_solve(NULL, 0, 2, runs), PROBABILITIES_SOLVED);
	assert_near(runs[0], 1);
	assert_near(runs[1], 0);
}

/* Each block leads to many others, anywhere: no order of elimination keeps that sparse. */
static void test_too_much(void **state)
{
	enum { BLOCKS = 3000, EACH = 8 };
	struct prng random = {3};
	struct probable_edge *edges = calloc((size_t)BLOCKS * EACH, sizeof(*edges));
	double *runs = calloc(BLOCKS, sizeof(*runs));

	(void)state;
	assert_non_null(edges);
	assert_non_null(runs);
	for (uint32_t i = 0; i < BLOCKS * EACH; i++)
		edges[i] = (struct probable_edge){i / EACH, (uint32_t)(prng_next(&random) % BLOCKS),
						  0.9 / EACH};
	assert_int_equal(probabilities_solve(edges, (size_t)BLOCKS * EACH, BLOCKS, runs),
			 PROBABILITIES_TOO_MUCH);
	free(edges);
	free(runs);
}

/* A long row of loops in each other is no trouble. */
static void test_long(void **state)
{
	enum { BLOCKS = 200000 };
	struct probable_edge *edges = calloc((size_t)BLOCKS * 2, sizeof(*edges));
	double *runs = calloc(BLOCKS, sizeof(*runs));
	size_t count = 0;

	(void)state;
	assert_non_null(edges);
	assert_non_null(runs);
	for (uint32_t i = 0; i + 1 < BLOCKS; i++) {
		edges[count++] = (struct probable_edge){i, i + 1, 0.75};
		edges[count++] = (struct probable_edge){i, i - i % 8, 0.25};
	}
	assert_int_equal(probabilities_solve(edges, count, BLOCKS, runs), PROBABILITIES_SOLVED);
	assert_near(runs[BLOCKS - 1], 1);
	free(edges);
	free(runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
