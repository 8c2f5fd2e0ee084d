/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records in the order of their time, and the blocks that they lie in. */
#include "tests/support/cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "src/samples/perf_data/deliver.h"
#include "tests/support/build_perf.h"
#include "tests/support/prng.h"

/* What was delivered: its time, and the number in its body. */
struct delivered {
	uint64_t *times, *numbers;
	size_t count, capacity, refuse_at;
};

static bool take(void *ctx, uint64_t time, const struct perf_record *record, struct bc_error *err)
{
	struct delivered *d = ctx;

	if (d->count == d->refuse_at)
		return bc_fail(err, BC_MISMATCH, "enough");
	assert_true(d->count < d->capacity);
	assert_int_equal(record->type, 9);
	assert_int_equal(record->misc, 2);
	assert_int_equal(record->body.size, 8);
	d->times[d->count] = time;
	d->numbers[d->count++] = le64(record->body.data);
	return true;
}

struct bench {
	struct perf_pool pool;
	struct perf_framer framer;
	struct perf_order order;
	struct delivered got;
	uint64_t put;
};

static void bench_init(struct bench *bench, size_t capacity)
{
	*bench = (struct bench){0};
	bench->got.times = calloc(capacity, sizeof(uint64_t));
	bench->got.numbers = calloc(capacity, sizeof(uint64_t));
	bench->got.capacity = capacity;
	bench->got.refuse_at = SIZE_MAX;
	assert_non_null(bench->got.times);
	assert_non_null(bench->got.numbers);
	perf_order_init(&bench->order, &bench->pool, (struct perf_deliver){&bench->got, take},
			PERF_ORDER_PLAIN, PERF_ORDER_ROUNDS);
}

static void bench_fini(struct bench *bench)
{
	perf_order_fini(&bench->order);
	perf_framer_fini(&bench->framer, &bench->pool);
	assert_int_equal(bench->pool.in_use, 0);
	perf_pool_fini(&bench->pool);
	free(bench->got.times);
	free(bench->got.numbers);
}

/* A record with the next number, framed and inserted. */
static bool put(struct bench *bench, uint64_t time)
{
	struct build_perf b = {0};
	struct perf_record record;
	struct bc_error err;
	uint64_t extra;
	size_t room;

	size_t begin = begin_record(&b, 9, 2);
	put_u64(&b, bench->put++);
	end_record(&b, begin);
	uint8_t *to = perf_framer_room(&bench->framer, &bench->pool, &room);
	assert_non_null(to);
	assert_true(room >= b.size);
	memcpy(to, b.data, b.size);
	perf_framer_add(&bench->framer, b.size);
	build_perf_free(&b);
	assert_int_equal(perf_framer_next(&bench->framer, &record, &extra), PERF_FRAME_WHOLE);
	return perf_order_put(&bench->order, time, &record, &err);
}

static void flush(struct bench *bench)
{
	struct bc_error err;

	assert_true(perf_order_flush(&bench->order, UINT64_MAX, &err));
}

static void assert_sorted(const struct bench *bench)
{
	for (size_t i = 1; i < bench->got.count; i++) {
		assert_true(bench->got.times[i - 1] <= bench->got.times[i]);
		if (bench->got.times[i - 1] == bench->got.times[i])
			assert_true(bench->got.numbers[i - 1] < bench->got.numbers[i]);
	}
}

static void test_random_times_come_out_sorted(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct prng p = {seed};
		size_t count = prng_below(&p, 2000);
		struct bench bench;
		bench_init(&bench, count + 1);
		for (size_t i = 0; i < count; i++)
			assert_true(put(&bench, 1 + prng_below(&p, 1 + seed * 10)));
		flush(&bench);
		assert_int_equal(bench.got.count, count);
		assert_sorted(&bench);
		bench_fini(&bench);
	}
}

/* As perf record writes: per round, each buffer's records in a row, some of them
 * newer than the first of the next round. */
static void test_rounds(void **state)
{
	struct prng p = {5};
	struct bench bench;
	struct bc_error err;
	size_t most = 0;

	(void)state;
	bench_init(&bench, 100000);
	for (uint64_t round = 0; round < 300; round++) {
		for (int buffer = 0; buffer < 4; buffer++) {
			uint64_t time = 1000 * (round + 1) + prng_below(&p, 100);
			for (size_t i = prng_below(&p, 50); i; i--)
				assert_true(put(&bench, time += prng_below(&p, 20)));
		}
		size_t waits = (size_t)bench.put - bench.got.count;
		most = waits > most ? waits : most;
		assert_true(perf_order_round(&bench.order, &err));
	}
	assert_true(most < 3 * 4 * 50);
	flush(&bench);
	assert_int_equal(bench.got.count, bench.put);
	assert_sorted(&bench);
	bench_fini(&bench);
}

/* Nothing waits for longer than there is room. */
static void test_room_is_bounded(void **state)
{
	struct bench bench;
	size_t records = 400000;

	(void)state;
	bench_init(&bench, records + 1);
	struct perf_order_limit most = bench.order.most;
	for (size_t i = 0; i < records; i++) {
		assert_true(put(&bench, 1000 + i));
		assert_true(bench.put - bench.got.count <= most.records);
		assert_true(bench.pool.in_use <= most.blocks + 1);
	}
	assert_true(bench.got.count > records / 2);
	assert_true(put(&bench, 5)); /* far too late, but it comes */
	flush(&bench);
	assert_int_equal(bench.got.count, records + 1);
	bench_fini(&bench);
}

/* Records that remain must not keep all blocks. */
static void test_blocks_are_bounded(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 100000);
	bench.order.most.blocks = 2;
	bench.order.most.records = 50000;
	for (size_t i = 0; i < 90000; i++) {
		assert_true(put(&bench, i % 1000 ? i : UINT64_MAX - 1));
		assert_true(bench.pool.in_use <= 4);
	}
	flush(&bench);
	assert_int_equal(bench.got.count, 90000);
	bench_fini(&bench);
}

static void test_part_of_it(void **state)
{
	static const uint64_t times[] = {5, 3, 9, 3, 7};
	struct bench bench;
	struct bc_error err;

	(void)state;
	bench_init(&bench, 10);
	for (size_t i = 0; i < BC_COUNT(times); i++)
		assert_true(put(&bench, times[i]));
	assert_true(perf_order_flush(&bench.order, 5, &err));
	assert_int_equal(bench.got.count, 3);
	assert_int_equal(bench.got.numbers[0], 1);
	assert_int_equal(bench.got.numbers[1], 3);
	assert_int_equal(bench.got.numbers[2], 0);
	assert_true(put(&bench, 6));
	flush(&bench);
	assert_int_equal(bench.got.count, 6);
	assert_sorted(&bench);
	bench_fini(&bench);
}

static void test_refusal_stops_and_leaks_nothing(void **state)
{
	struct bench bench;
	struct bc_error err;

	(void)state;
	bench_init(&bench, 10);
	bench.got.refuse_at = 2;
	for (uint64_t i = 0; i < 5; i++)
		assert_true(put(&bench, 10 - i));
	assert_false(perf_order_flush(&bench.order, UINT64_MAX, &err));
	assert_int_equal(err.code, BC_MISMATCH);
	assert_int_equal(bench.got.count, 2);
	bench_fini(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_times_come_out_sorted),
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_room_is_bounded),
		cmocka_unit_test(test_blocks_are_bounded),
		cmocka_unit_test(test_part_of_it),
		cmocka_unit_test(test_refusal_stops_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
