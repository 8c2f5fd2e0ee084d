/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The encoder of tests/support against the decoder: each bit alone, and many
 * random combinations. */
#include "tests/support/cmocka.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/perf_data/perf_events.h"
#include "tests/support/build_perf.h"
#include "tests/support/prng.h"

#define ALL_BITS      25
#define ROUNDS        100000
#define MOST_BRANCHES 40

static bool has(const struct build_attr *attr, uint64_t bit)
{
	return attr->sample_type & bit;
}

static struct perf_attr as_parsed(const struct build_attr *attr)
{
	struct build_perf b = {0};
	struct perf_attr out;

	put_attr(&b, attr);
	assert_true(perf_attr_parse(build_perf_bytes(&b), &out));
	build_perf_free(&b);
	return out;
}

static void assert_branches(const struct build_sample *want, const struct perf_sample *got)
{
	struct branch scratch[MOST_BRANCHES];
	const struct branch *branches = perf_branches(got, scratch);

	assert_int_equal(got->branch_count, want->branch_count);
	for (size_t i = 0; i < got->branch_count; i++) {
		assert_true(branches[i].from == want->branches[i].from);
		assert_true(branches[i].to == want->branches[i].to);
		assert_true(branches[i].flags == want->branches[i].flags);
	}
}

static void assert_sample(const struct build_attr *attr, const struct build_sample *want,
			  const struct perf_sample *got)
{
	assert_true(got->ip == (has(attr, PERF_SAMPLE_IP) ? want->ip : 0));
	assert_int_equal(got->pid, has(attr, PERF_SAMPLE_TID) ? want->pid : 0);
	assert_int_equal(got->tid, has(attr, PERF_SAMPLE_TID) ? want->tid : 0);
	assert_true(got->time == (has(attr, PERF_SAMPLE_TIME) ? want->time : 0));
	assert_true(got->addr == (has(attr, PERF_SAMPLE_ADDR) ? want->addr : 0));
	assert_true(got->period == (has(attr, PERF_SAMPLE_PERIOD) ? want->period : 0));
	assert_true(got->id == (has(attr, PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? want->id : 0));
	assert_true(got->data_src == (has(attr, PERF_SAMPLE_DATA_SRC) ? want->data_src : 0));
	assert_int_equal(got->has_stack, has(attr, PERF_SAMPLE_BRANCH_STACK));
	if (got->has_stack)
		assert_branches(want, got);
}

/* The body in memory of its exact size, so that a step beyond it is seen. */
static uint8_t *exact_copy(const struct build_perf *b, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	if (size)
		memcpy(copy, b->data, size);
	return copy;
}

static void check(const struct build_attr *attr, const struct build_sample *sample)
{
	struct perf_attr parsed = as_parsed(attr);
	struct perf_sample_layout layout;
	struct perf_sample out;
	struct build_perf b = {0};

	perf_sample_layout(&parsed, &layout);
	put_sample_body(&b, attr, sample);
	uint8_t *copy = exact_copy(&b, b.size);
	assert_true(perf_sample_parse(&layout, (struct bytes){copy, b.size}, &out));
	assert_sample(attr, sample, &out);
	assert_true(perf_sample_time(&layout, (struct bytes){copy, b.size}) == out.time);
	free(copy);
	build_perf_free(&b);
}

/* Cut anywhere, it is refused; but an empty stack can be without its index. */
static void check_cuts(const struct build_attr *attr, const struct build_sample *sample)
{
	struct perf_attr parsed = as_parsed(attr);
	struct perf_sample_layout layout;
	struct perf_sample out;
	struct build_perf b = {0};

	perf_sample_layout(&parsed, &layout);
	put_sample_body(&b, attr, sample);
	for (size_t size = 0; size < b.size; size++) {
		uint8_t *copy = exact_copy(&b, size);
		assert_false(perf_sample_parse(&layout, (struct bytes){copy, size}, &out));
		free(copy);
	}
	build_perf_free(&b);
}

static void fill_branches(struct prng *p, struct branch branches[MOST_BRANCHES])
{
	for (size_t i = 0; i < MOST_BRANCHES; i++)
		branches[i] = (struct branch){prng_next(p), prng_next(p), prng_next(p)};
}

/* None, of 128 to 512 bits, with predicates. */
static const struct build_vectors *random_vectors(struct prng *p)
{
	static const struct build_vectors kinds[] = {
		{0, 0, 0, 0},  {16, 2, 0, 0}, {16, 4, 8, 1},
		{32, 8, 8, 1}, {0, 8, 3, 1},  {1, 1, 1, 2},
	};
	size_t kind = (size_t)prng_below(p, BC_COUNT(kinds) + 2);

	return kind < BC_COUNT(kinds) ? &kinds[kind] : NULL;
}

static struct build_sample random_sample(struct prng *p, const struct branch *branches)
{
	return (struct build_sample){
		.pid = (uint32_t)prng_next(p),
		.tid = (uint32_t)prng_next(p),
		.cpu = (uint32_t)prng_below(p, 64),
		.ip = prng_next(p),
		.time = prng_next(p),
		.addr = prng_next(p),
		.id = prng_next(p),
		.stream_id = prng_next(p),
		.period = prng_next(p),
		.read_count = prng_below(p, 4),
		.callchain_count = prng_below(p, 20),
		.raw_size = 4 + 8 * (uint32_t)prng_below(p, 10),
		.branches = branches,
		.branch_count = prng_below(p, MOST_BRANCHES),
		.hw_index = prng_next(p),
		.no_user_regs = prng_below(p, 4) == 0,
		.no_intr_regs = prng_below(p, 4) == 0,
		.user_vectors = random_vectors(p),
		.intr_vectors = random_vectors(p),
		.stack_size = 8 * prng_below(p, 8),
		.data_src = prng_next(p),
		.aux_size = 8 * prng_below(p, 8),
	};
}

static struct build_attr random_attr(struct prng *p, uint64_t sample_type)
{
	return (struct build_attr){
		.type = PERF_TYPE_RAW,
		.sample_type = sample_type,
		.read_format = prng_below(p, 32),
		.branch_sample_type = prng_below(p, 1u << 20),
		.regs_user = prng_next(p),
		.regs_intr = prng_next(p) & prng_next(p),
		.flags = prng_below(p, 2) ? PERF_ATTR_SAMPLE_ID_ALL : 0,
	};
}

static void test_each_bit_alone(void **state)
{
	struct prng p = {1};
	struct branch branches[MOST_BRANCHES];

	(void)state;
	fill_branches(&p, branches);
	for (unsigned bit = 0; bit < ALL_BITS; bit++)
		for (int i = 0; i < 200; i++) {
			struct build_attr attr = random_attr(&p, UINT64_C(1) << bit);
			struct build_sample sample = random_sample(&p, branches);
			sample.branch_count++;
			check(&attr, &sample);
			check_cuts(&attr, &sample);
		}
}

static void test_random_combinations(void **state)
{
	struct prng p = {2};
	struct branch branches[MOST_BRANCHES];

	(void)state;
	fill_branches(&p, branches);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t type = prng_next(&p) & ((UINT64_C(1) << ALL_BITS) - 1);
		struct build_attr attr = random_attr(&p, i % 2 ? type : type & prng_next(&p));
		struct build_sample sample = random_sample(&p, branches);
		check(&attr, &sample);
		if (i % 1000 == 0 && sample.branch_count)
			check_cuts(&attr, &sample);
	}
}

/* Later bits add fields after those that are known. */
static void test_unknown_bits_come_last(void **state)
{
	struct build_attr attr = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_DATA_SRC};
	struct build_sample sample = {.ip = 7, .data_src = 8};
	struct perf_attr parsed = as_parsed(&attr);
	struct perf_sample_layout layout;
	struct build_perf b = {0};
	struct perf_sample out;

	(void)state;
	parsed.sample_type |= UINT64_C(1) << 25 | UINT64_C(1) << 40;
	perf_sample_layout(&parsed, &layout);
	put_sample_body(&b, &attr, &sample);
	put_zeros(&b, 32);
	assert_true(perf_sample_parse(&layout, build_perf_bytes(&b), &out));
	assert_sample(&attr, &sample, &out);
	build_perf_free(&b);
}

/* The kernel writes a length of 0 and no index; perf writes both. */
static void test_empty_stack_with_and_without_index(void **state)
{
	struct build_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_DATA_SRC,
		.branch_sample_type = 1u << 17,
	};
	struct build_sample sample = {.ip = 7, .data_src = 8};

	(void)state;
	check(&attr, &sample);
	sample.no_hw_index = true;
	check(&attr, &sample);
}

/* Bit 2 of the ABI: vectors are between the registers and what comes after them. */
static void test_data_behind_vectors(void **state)
{
	static const struct build_vectors avx512 = {32, 8, 8, 1};
	struct build_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_DATA_SRC |
			       PERF_SAMPLE_REGS_INTR,
		.regs_user = 0xff0fff,
		.regs_intr = 3,
	};
	struct build_sample sample = {
		.ip = 7, .data_src = 0x68100142, .user_vectors = &avx512, .intr_vectors = &avx512};
	struct perf_attr parsed = as_parsed(&attr);
	struct perf_sample_layout layout;
	struct build_perf b = {0};
	struct perf_sample out;

	(void)state;
	check(&attr, &sample);
	check_cuts(&attr, &sample);
	/* More vectors than the record has bytes. */
	perf_sample_layout(&parsed, &layout);
	put_sample_body(&b, &attr, &sample);
	memset(b.data + 8 + 8 + 20 * 8, 0xff, 8);
	assert_false(perf_sample_parse(&layout, build_perf_bytes(&b), &out));
	build_perf_free(&b);
}

/* Counts that are larger than 2^64 bytes, and larger than the record. */
static void test_counts_that_cannot_be(void **state)
{
	static const struct {
		uint64_t bit, read_format;
	} fields[] = {
		{PERF_SAMPLE_READ, PERF_FORMAT_GROUP},
		{PERF_SAMPLE_CALLCHAIN, 0},
		{PERF_SAMPLE_BRANCH_STACK, 0},
		{PERF_SAMPLE_STACK_USER, 0},
		{PERF_SAMPLE_AUX, 0},
	};
	static const uint64_t counts[] = {
		UINT64_MAX, UINT64_MAX / 8 + 1, UINT64_MAX / 24 + 1, UINT64_MAX / 8 + 3, 9, 1000,
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(fields); i++)
		for (size_t j = 0; j < BC_COUNT(counts); j++) {
			struct perf_attr attr = {.sample_type = fields[i].bit,
						 .read_format = fields[i].read_format};
			struct perf_sample_layout layout;
			struct build_perf b = {0};
			struct perf_sample out;
			perf_sample_layout(&attr, &layout);
			put_u64(&b, counts[j]);
			uint8_t *copy = exact_copy(&b, b.size);
			assert_false(
				perf_sample_parse(&layout, (struct bytes){copy, b.size}, &out));
			free(copy);
			build_perf_free(&b);
		}
}

static void test_branches_of_unaligned_records(void **state)
{
	struct branch branches[3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
	struct build_attr attr = {.sample_type = PERF_SAMPLE_BRANCH_STACK};
	struct build_sample sample = {.branches = branches, .branch_count = 3};
	struct perf_attr parsed = as_parsed(&attr);
	struct perf_sample_layout layout;

	(void)state;
	perf_sample_layout(&parsed, &layout);
	for (size_t shift = 0; shift < 8; shift++) {
		struct build_perf b = {0};
		struct perf_sample out;
		put_zeros(&b, shift);
		put_sample_body(&b, &attr, &sample);
		assert_true(
			perf_sample_parse(&layout, bytes_from(build_perf_bytes(&b), shift), &out));
		assert_branches(&sample, &out);
		build_perf_free(&b);
	}
}

static void test_trailers(void **state)
{
	struct prng p = {3};

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct build_attr attr = random_attr(&p, prng_next(&p));
		struct build_sample id = random_sample(&p, NULL);
		struct perf_attr parsed = as_parsed(&attr);
		struct perf_sample_layout layout;
		struct build_perf b = {0};
		perf_sample_layout(&parsed, &layout);
		put_zeros(&b, 8 * prng_below(&p, 4));
		size_t before = b.size;
		put_trailer(&b, &attr, &id);
		bool all = attr.flags & PERF_ATTR_SAMPLE_ID_ALL;
		struct perf_trailer out = perf_trailer_parse(&layout, build_perf_bytes(&b));
		assert_int_equal(layout.end_size, b.size - before);
		assert_int_equal(out.pid, all && has(&attr, PERF_SAMPLE_TID) ? id.pid : 0);
		assert_int_equal(out.tid, all && has(&attr, PERF_SAMPLE_TID) ? id.tid : 0);
		assert_true(out.time == (all && has(&attr, PERF_SAMPLE_TIME) ? id.time : 0));
		assert_true(
			out.id ==
			(all && has(&attr, PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? id.id : 0));
		if (b.size > before) {
			out = perf_trailer_parse(
				&layout, bytes_first(build_perf_bytes(&b), layout.end_size - 1u));
			assert_true(!out.time && !out.id && !out.pid);
		}
		build_perf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_bit_alone),
		cmocka_unit_test(test_random_combinations),
		cmocka_unit_test(test_unknown_bits_come_last),
		cmocka_unit_test(test_empty_stack_with_and_without_index),
		cmocka_unit_test(test_data_behind_vectors),
		cmocka_unit_test(test_counts_that_cannot_be),
		cmocka_unit_test(test_branches_of_unaligned_records),
		cmocka_unit_test(test_trailers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
