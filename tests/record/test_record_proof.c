/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The proof: of this machine's kernel what it can, and of rings that a processor with branch stacks
 * would have written, made of the exact run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/proof.h"
#include "tests/support/cmocka.h"
#include "tests/support/played_machine.h"
#include "tests/support/prng.h"

#define DEPTH 32
#define SEED  20

static struct proof_counts exact;
static struct prng numbers;
static bool wrong_targets, one_way; /* what the played processor does wrong */

/* One of the branches that begin at `next`, as often as they are taken. */
static const struct proof_branch *branch_at(uint64_t next)
{
	uint64_t all = 0;

	for (size_t i = 0; i < exact.branches.len; i++)
		all += exact.branches.at[i].from == next ? exact.branches.at[i].count : 0;
	if (!all)
		return NULL;
	uint64_t left = prng_below(&numbers, all);
	for (size_t i = 0; i < exact.branches.len; i++) {
		const struct proof_branch *it = &exact.branches.at[i];
		if (it->from != next)
			continue;
		if (left < it->count)
			return it;
		left -= it->count;
	}
	return NULL;
}

/* Any branch of the exact run, as often as it is taken. */
static const struct proof_branch *any_branch(void)
{
	uint64_t left = prng_below(&numbers, exact.taken);

	for (size_t i = 0; i < exact.branches.len; i++) {
		if (left < exact.branches.at[i].count)
			return &exact.branches.at[i];
		left -= exact.branches.at[i].count;
	}
	return NULL;
}

/* A PERF_RECORD_SAMPLE: address, process, time and, if the event has one, a stack. */
static size_t put_sample(uint8_t *to, bool stack, uint64_t time)
{
	const struct proof_branch *way[DEPTH];
	size_t count = 0;

	for (const struct proof_branch *it = one_way ? &exact.branches.at[0] : any_branch();
	     it && count < DEPTH; it = one_way ? it : branch_at(it->next))
		way[count++] = it;
	uint64_t words[5 + 3 * DEPTH] = {0, way[count - 1]->to, 0, time};
	size_t used = 4;
	words[2] = 12 | UINT64_C(12) << 32; /* process and thread */
	if (stack) {
		words[used++] = count;
		for (size_t i = count; i--; used += 3) { /* the newest first */
			words[used] = way[i]->from;
			words[used + 1] = way[i]->to + (wrong_targets && i % 8 == 0);
		}
	}
	struct perf_event_header header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
					   (uint16_t)(used * sizeof(*words))};
	memcpy(words, &header, sizeof(header));
	memcpy(to, words, used * sizeof(*words));
	return used * sizeof(*words);
}

static void fill(struct perf_event_mmap_page *page, uint8_t *data, size_t size,
		 const struct perf_event_attr *attr)
{
	bool stack = attr->sample_type & PERF_SAMPLE_BRANCH_STACK;

	for (uint64_t time = 1; page->data_head + 1024 <= size; time++)
		page->data_head += put_sample(data + page->data_head, stack, time);
}

static void play(bool wrong, bool stuck, struct proof *out)
{
	struct played_machine machine = played_intel;
	struct bc_error err;

	machine.fill = fill;
	machine.cycles = ENOENT;
	wrong_targets = wrong;
	one_way = stuck;
	play_machine(&machine);
	if (!proof_run(&played_kernel, 100, 60, out, &err))
		fail_msg("%s", err.text);
	assert_int_equal(played_open_now(), 0);
}

/* Two rounds are the same, each part runs about twice as long as the one before it, and every
 * branch lies in the program. */
static void test_exact(void **state)
{
	struct proof_counts again;
	struct bc_error err;
	uint64_t sum = 0;

	(void)state;
	assert_true(proof_exact(&again, &err));
	assert_int_equal(again.instructions, exact.instructions);
	assert_int_equal(again.taken, exact.taken);
	assert_int_equal(again.branches.len, exact.branches.len);
	for (size_t i = 0; i < exact.branches.len; i++) {
		const struct proof_branch *it = &exact.branches.at[i];
		assert_memory_equal(it, &again.branches.at[i], sizeof(*it));
		assert_in_range(it->from, proof_begin(), proof_end() - 1);
		assert_in_range(it->to, proof_begin(), proof_end() - 1);
		sum += it->count;
	}
	assert_int_equal(sum, exact.taken);
	for (unsigned i = 1; i < PROOF_PARTS; i++) {
		assert_true(exact.parts[i] > exact.parts[i - 1] * 17 / 10);
		assert_true(exact.parts[i] < exact.parts[i - 1] * 23 / 10);
	}
	proof_counts_free(&again);
}

static void test_stacks(void **state)
{
	struct proof proof;

	(void)state;
	play(false, false, &proof);
	const struct proof_way *way = &proof.ways[SAMPLING_STACKS];
	assert_true(way->ran && way->stacks);
	assert_true(way->samples >= 100);
	assert_true(way->branches > 10 * way->samples);
	assert_int_equal(way->impossible, 0);
	assert_true(way->agreement > 90 && way->agreement <= 100);
	assert_true(proof_way_holds(way));
	assert_false(proof.ways[SAMPLING_COUNTERS].ran);
	assert_non_null(strstr(proof.ways[SAMPLING_COUNTERS].why, "does not have the event"));
	assert_true(proof.ways[SAMPLING_TIMER].ran);
	assert_false(proof.ways[SAMPLING_TIMER].stacks);
	proof_free(&proof);
}

/* A processor that records wrong targets, and one that records one branch alone. */
static void test_wrong(void **state)
{
	struct proof proof;

	(void)state;
	play(true, false, &proof);
	const struct proof_way *way = &proof.ways[SAMPLING_STACKS];
	assert_in_range(way->impossible, way->branches / 10, way->branches / 6);
	assert_false(proof_way_holds(way));
	proof_free(&proof);
	play(false, true, &proof);
	assert_true(proof.ways[SAMPLING_STACKS].agreement < PROOF_LEAST);
	assert_false(proof_way_holds(&proof.ways[SAMPLING_STACKS]));
	proof_free(&proof);
}

/* What this machine has: nothing that is sampled may be wrong. */
static void test_here(void **state)
{
	struct bc_error err;
	struct proof proof;

	(void)state;
	if (!proof_run(&perf_kernel_linux, 400, 60, &proof, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < PROOF_WAYS; i++) {
		const struct proof_way *way = &proof.ways[i];
		if (!way->ran) {
			assert_true(*way->why);
			continue;
		}
		assert_true(way->samples > 0);
		if (way->samples >= 400 && !proof_way_holds(way))
			fail_msg("%s: %.1f %%", way->event, way->agreement);
	}
	proof_free(&proof);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_here),
	};
	struct bc_error err;

	numbers = (struct prng){SEED};
	if (!proof_exact(&exact, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return err.code == BC_NOMEM ? 1 : 77;
	}
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	proof_counts_free(&exact);
	return failed;
}
