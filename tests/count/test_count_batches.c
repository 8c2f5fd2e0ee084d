/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Batches counted by any number of threads: every sample once, in the maps of
 * its moment, and what it lies in given back by the thread that took it. */
#include "src/count/batches.h"

#include <pthread.h>
#include <stdlib.h>

#include "tests/support/cmocka.h"
#include "tests/support/find_row.h"

#define SAMPLES  20000
#define BLOCK    300 /* samples in one block of memory */
#define OLD_BASE UINT64_C(0x550000000000)
#define NEW_BASE UINT64_C(0x560000000000)
#define VADDR    UINT64_C(0x1000)
#define SIZE     UINT64_C(0x1000)
#define DISTINCT 16

/* Branches of samples, gone when nobody holds them. */
struct block {
	struct event_memory memory; /* first, for block_of() */
	struct branch branches[BLOCK][2];
	unsigned holders;
	pthread_t thread;
};

static void hold(struct event_memory *memory)
{
	struct block *block = (struct block *)memory;

	assert_true(pthread_equal(block->thread, pthread_self()));
	block->holders++;
}

static void release(struct event_memory *memory)
{
	struct block *block = (struct block *)memory;

	assert_true(pthread_equal(block->thread, pthread_self()));
	assert_true(block->holders);
	if (!--block->holders)
		for (size_t i = 0; i < BLOCK; i++)
			block->branches[i][0].from = block->branches[i][1].from = 0;
}

struct bench {
	struct totals totals;
	struct sample_counter own;
	struct batches *batches;
	struct map_set *maps;
	struct block *block;
	size_t block_used;
	struct block *blocks[SAMPLES / BLOCK + 4];
	size_t block_count;
};

static void map_at(struct bench *bench, uint64_t base)
{
	const struct mapping mapping = {base + VADDR, base + VADDR + SIZE, VADDR, FILE_IMAGE, 0};

	assert_true(map_set_replace(&bench->maps, OLD_BASE, NEW_BASE + VADDR + SIZE, &mapping));
}

static void begin(struct bench *bench, unsigned threads)
{
	struct bc_error err = {0};

	*bench = (struct bench){0};
	counts_init(&bench->totals.traces);
	counts_init(&bench->totals.basic);
	bench->own.totals = &bench->totals;
	assert_true(batches_start(threads, &bench->own, &bench->batches, &err));
	map_at(bench, OLD_BASE);
}

static void leave_block(struct bench *bench)
{
	if (bench->block)
		release(&bench->block->memory);
	bench->block = NULL;
}

static void finish(struct bench *bench)
{
	leave_block(bench);
	for (size_t i = 0; i < bench->block_count; i++) {
		assert_int_equal(bench->blocks[i]->holders, 0);
		free(bench->blocks[i]);
	}
	map_set_release(bench->maps);
	sample_counter_free(&bench->own);
	counts_free(&bench->totals.traces);
	counts_free(&bench->totals.basic);
}

static struct branch *room(struct bench *bench)
{
	if (!bench->block || bench->block_used == BLOCK) {
		leave_block(bench);
		bench->block = calloc(1, sizeof(*bench->block));
		assert_non_null(bench->block);
		bench->block->memory = (struct event_memory){hold, release};
		bench->block->thread = pthread_self();
		bench->block->holders = 1; /* the reader itself */
		bench->block_used = 0;
		bench->blocks[bench->block_count++] = bench->block;
	}
	return bench->block->branches[bench->block_used++];
}

/* A sample whose newest branch is 1000 + 16 n -> 1800 and whose older one is
 * 1900 -> 1000 + 16 n - 8, all plus base. */
static void sample(struct bench *bench, uint64_t base, unsigned n)
{
	struct bc_error err = {0};
	struct branch *branches = room(bench);
	struct process_view view = process_view_of(bench->maps);

	branches[0] = (struct branch){base + VADDR + 16 * n, base + VADDR + 0x800, n & 1};
	branches[1] = (struct branch){base + VADDR + 0x900, base + VADDR + 16 * n - 8, 0};
	const struct sample sample = {.has_stack = true, .branches = branches, .branch_count = 2};
	assert_true(batches_add_stack(bench->batches, &view, &sample, (struct stack_use){0},
				      &bench->block->memory, &err));
}

static void drain(struct bench *bench)
{
	struct bc_error err = {0};

	assert_true(batches_drain(bench->batches, &err));
}

static void collect(struct bench *bench)
{
	struct bc_error err = {0};

	assert_true(batches_collect(bench->batches, &err));
	assert_true(sample_counter_flush(&bench->own, &err));
	assert_true(counts_settle(&bench->totals.traces, 1));
	batches_stop(bench->batches);
}

static uint64_t count_of(const struct bench *bench, uint64_t branch, uint64_t from, uint64_t to,
			 uint64_t *wrong)
{
	const struct trace trace = trace_of_words(branch, from, to);
	uint64_t key[COUNT_KEY_WORDS];

	trace_key(&trace, key);
	const struct count_row *row = find_row(&bench->totals.traces, key);
	*wrong = row ? row->extra : 0;
	return row ? row->count : 0;
}

/* n = 1 .. 16 in turn: each has 20000 / 16 samples of both its traces; odd ones
 * are mispredicted. */
static void check(const struct bench *bench)
{
	uint64_t wrong, each = SAMPLES / DISTINCT;

	for (uint64_t n = 1; n <= DISTINCT; n++) {
		assert_int_equal(
			count_of(bench, VADDR + 16 * n, VADDR + 0x800, TRACE_BR_ONLY, &wrong),
			each);
		assert_int_equal(wrong, n & 1 ? each : 0);
		assert_int_equal(
			count_of(bench, VADDR + 0x900, VADDR + 16 * n - 8, VADDR + 16 * n, &wrong),
			each);
		assert_int_equal(wrong, 0);
	}
	assert_int_equal(counts_used(&bench->totals.traces), 2 * DISTINCT);
	assert_int_equal(bench->own.ledgers.samples.read, SAMPLES);
	assert_int_equal(bench->own.ledgers.samples.kept, SAMPLES);
	assert_int_equal(bench->own.ledgers.branches.read, 2 * SAMPLES);
	assert_int_equal(bench->own.ledgers.traces.read, SAMPLES);
	assert_int_equal(ledger_dropped(&bench->own.ledgers.branches), 0);
	assert_true(bench->own.branches_seen);
}

static const unsigned threads[] = {1, 2, 3, 8};

static void every_sample_counts_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(threads); i++) {
		struct bench bench;
		begin(&bench, threads[i]);
		for (unsigned n = 0; n < SAMPLES; n++)
			sample(&bench, OLD_BASE, 1 + n % DISTINCT);
		drain(&bench);
		collect(&bench);
		check(&bench);
		finish(&bench);
	}
}

/* The binary moves every 1000 samples, while those before may still wait. */
static void maps_are_those_of_the_moment(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(threads); i++) {
		struct bench bench;
		uint64_t base = OLD_BASE;
		begin(&bench, threads[i]);
		for (unsigned n = 0; n < SAMPLES; n++) {
			if (n % 1000 == 999) {
				base ^= OLD_BASE ^ NEW_BASE;
				map_at(&bench, base);
			}
			sample(&bench, base, 1 + n % DISTINCT);
		}
		drain(&bench);
		collect(&bench);
		check(&bench);
		finish(&bench);
	}
}

/* Two processes in turn with the same maps, of which only one has mapped the binary. */
static void views_are_those_of_the_process(void **state)
{
	struct branch branch = {0x10, 0x20, 0};
	const struct sample outside = {.has_stack = true, .branches = &branch, .branch_count = 1};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(threads); i++) {
		struct bench bench;
		struct bc_error err = {0};
		begin(&bench, threads[i]);
		struct process_view with = process_view_of(bench.maps), without = with;
		without.has_image = false;
		for (unsigned n = 0; n < 300; n++) {
			(void)room(&bench);
			assert_true(batches_add_stack(bench.batches, n % 3 ? &with : &without,
						      &outside, (struct stack_use){0},
						      &bench.block->memory, &err));
		}
		drain(&bench);
		collect(&bench);
		assert_int_equal(bench.own.ledgers.samples.read, 300);
		assert_int_equal(bench.own.ledgers.samples.kept, 200);
		assert_int_equal(bench.own.ledgers.samples.dropped[SAMPLE_DROP_NO_PROCESS], 100);
		finish(&bench);
	}
}

static void drained_batches_go_on(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench, 3);
	for (unsigned n = 0; n < SAMPLES; n++) {
		sample(&bench, OLD_BASE, 1 + n % DISTINCT);
		if (n % 7000 != 6999)
			continue;
		drain(&bench);
		leave_block(&bench);
		for (size_t i = 0; i < bench.block_count; i++)
			assert_int_equal(bench.blocks[i]->holders, 0);
	}
	drain(&bench);
	collect(&bench);
	check(&bench);
	finish(&bench);
}

/* As after an error of the reader: batches wait, nothing leaks or hangs. */
static void stopped_in_the_middle(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench, 2);
	for (unsigned n = 0; n < 3000; n++)
		sample(&bench, OLD_BASE, 1);
	batches_stop(bench.batches);
	finish(&bench);
	batches_stop(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_counts_once),
		cmocka_unit_test(maps_are_those_of_the_moment),
		cmocka_unit_test(views_are_those_of_the_process),
		cmocka_unit_test(drained_batches_go_on),
		cmocka_unit_test(stopped_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
