/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks that are found again: by hand, and at random compared with the plain way, which compares
 * each block with each other. */
#include "src/figures/builds.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

#define MOST 24

struct example {
	struct old_block old[MOST];
	size_t old_count;
	struct input_block blocks[MOST];
	size_t count;
	struct call_of_block calls[2 * MOST];
	size_t call_count;
};

static uint64_t hash_of(uint64_t behind, uint64_t before, uint64_t insns, uint64_t kinds,
			uint64_t offset)
{
	return behind << 56 | before << 48 | insns << 32 | kinds << 16 | offset;
}

static uint64_t part(uint64_t hash, unsigned from, unsigned bits)
{
	return hash >> from & ((UINT64_C(1) << bits) - 1);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The plain way. */
static size_t plain_similar(const struct example *e, uint64_t hash)
{
	uint64_t least = UINT64_MAX;
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < e->count; i++) {
		uint64_t other = e->blocks[i].hash;
		if (part(other, 16, 16) != part(hash, 16, 16))
			continue;
		uint64_t distance = (uint64_t)(part(other, 56, 8) != part(hash, 56, 8)) +
				    (part(other, 48, 8) != part(hash, 48, 8));
		distance = distance << 16 | (part(other, 32, 16) != part(hash, 32, 16));
		distance = (distance << 16) + apart(part(other, 0, 16), part(hash, 0, 16));
		if (distance < least) {
			least = distance;
			best = i;
		}
	}
	return best;
}

static uint64_t plain_key(const struct example *e, size_t block)
{
	struct text names[2 * MOST];
	size_t count = 0;

	for (size_t i = 0; i < e->call_count; i++)
		if (e->calls[i].block == block)
			names[count++] = e->calls[i].name;
	return call_key(names, count);
}

static size_t plain_calling(const struct example *e, const struct old_block *old)
{
	uint64_t least = UINT64_MAX;
	size_t best = SIZE_MAX;

	for (size_t i = 0; old->callees && i < e->count; i++) {
		uint64_t distance = apart(part(e->blocks[i].hash, 16, 16), part(old->hash, 16, 16));
		if (plain_key(e, i) == old->callees && distance < least) {
			least = distance;
			best = i;
		}
	}
	return best;
}

static void plain_match(const struct example *e, enum block_fate fates[MOST])
{
	bool taken[MOST] = {0};

	for (size_t i = 0; i < e->old_count; i++) {
		size_t block = plain_similar(e, e->old[i].hash);
		bool same = block != SIZE_MAX &&
			    part(e->blocks[block].hash, 32, 16) == part(e->old[i].hash, 32, 16);
		fates[i] = same && !taken[block] ? BLOCK_EXACT : BLOCK_LOST;
		if (same)
			taken[block] = true;
	}
	for (size_t i = 0; i < e->old_count; i++) {
		size_t called = plain_calling(e, &e->old[i]),
		       block = called != SIZE_MAX ? called : plain_similar(e, e->old[i].hash);
		if (block == SIZE_MAX && !e->old[i].bid && e->count)
			block = 0;
		if (block == SIZE_MAX || taken[block])
			continue;
		taken[block] = true;
		fates[i] = called != SIZE_MAX ? BLOCK_CALL : BLOCK_LOOSE;
	}
}

static void check(struct block_match *match, struct example *e)
{
	const struct input_function function = {.blocks = {e->blocks, e->count, MOST}};
	const struct call_of_block_vec calls = {e->calls, e->call_count, BC_COUNT(e->calls)};
	enum block_fate fates[MOST];

	assert_true(blocks_match(match, e->old, e->old_count, &function, &calls));
	plain_match(e, fates);
	for (size_t i = 0; i < e->old_count; i++)
		assert_int_equal(match->fates.at[i], fates[i]);
}

/* One block for each way, and one that loses what it had to a block that calls the same. */
static void each_way(void **state)
{
	static const char name[] = "callee";
	struct text callee = {name, 6}, again = callee;
	uint64_t callees = call_key(&again, 1);
	struct example e = {
		.old = {{0, hash_of(1, 1, 7, 3, 0), 1, 0},
			{1, hash_of(1, 1, 8, 4, 10), 1, callees},
			{2, hash_of(9, 9, 9, 9, 20), 1, 0},
			{3, hash_of(1, 2, 6, 5, 30), 1, 0},
			{4, hash_of(1, 2, 6, 5, 40), 1, 0}},
		.old_count = 5,
		.blocks = {{.hash = hash_of(2, 2, 7, 3, 4)},
			   {.offset = 4, .hash = hash_of(1, 1, 8, 4, 9)},
			   {.offset = 9, .hash = hash_of(5, 5, 5, 6, 9)},
			   {.offset = 20, .hash = hash_of(1, 2, 1, 5, 31)}},
		.count = 4,
		.calls = {{2, callee}},
		.call_count = 1,
	};
	struct block_match match = {0};

	(void)state;
	check(&match, &e);
	assert_int_equal(match.fates.at[0], BLOCK_EXACT);
	assert_int_equal(match.fates.at[1],
			 BLOCK_CALL); /* and nobody gets the block that is exactly the same */
	assert_int_equal(match.fates.at[2], BLOCK_LOST);
	assert_int_equal(match.fates.at[3], BLOCK_LOOSE);
	assert_int_equal(match.fates.at[4], BLOCK_LOST); /* it was given out */
	block_match_free(&match);
}

static uint64_t any_hash(struct prng *prng)
{
	return hash_of(prng_below(prng, 2), prng_below(prng, 2), prng_below(prng, 3),
		       prng_below(prng, 4) * 3,
		       prng_below(prng, 12) * (prng_below(prng, 2) ? 1 : 5000));
}

static void at_random(void **state)
{
	static const char names[] = "abcd";
	struct block_match match = {0};
	size_t fates[BLOCK_FATES] = {0};
	struct prng prng = {1};

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct example e = {.old_count = prng_below(&prng, MOST),
				    .count = prng_below(&prng, MOST)};
		for (size_t i = 0; i < e.count; i++) {
			e.blocks[i] = (struct input_block){.offset = (uint32_t)i,
							   .hash = any_hash(&prng)};
			for (uint64_t calls = prng_below(&prng, 3); calls > 0; calls--)
				e.calls[e.call_count++] = (struct call_of_block){
					(uint32_t)i, {names + prng_below(&prng, 3), 1}};
		}
		for (size_t i = 0; i < e.old_count; i++) {
			struct text called[2] = {{names + prng_below(&prng, 4), 1},
						 {names + prng_below(&prng, 4), 1}};
			e.old[i] = (struct old_block){(uint32_t)prng_below(&prng, MOST),
						      any_hash(&prng), 1,
						      call_key(called, prng_below(&prng, 3))};
		}
		check(&match, &e);
		for (size_t i = 0; i < e.old_count; i++)
			fates[match.fates.at[i]]++;
	}
	for (int i = 0; i < BLOCK_FATES; i++)
		assert_true(fates[i] > 1000);
	block_match_free(&match);
}

/* The order of the names makes no difference, nor where one ends. */
static void keys_of_calls(void **state)
{
	struct text one[] = {{"b", 1}, {"a", 1}}, other[] = {{"a", 1}, {"b", 1}},
		    joined[] = {{"ab", 2}}, twice[] = {{"a", 1}, {"a", 1}, {"b", 1}};
	uint64_t key = call_key(one, 2);

	(void)state;
	assert_true(key && key == call_key(other, 2) && key == call_key(joined, 1));
	assert_true(key != call_key(twice, 3) && !call_key(one, 0));
	/* Vectors of FNV-1a's authors. */
	assert_int_equal(call_key((struct text[]){{"a", 1}}, 1), UINT64_C(0xaf63dc4c8601ec8c));
	assert_int_equal(call_key((struct text[]){{"foobar", 6}}, 1), UINT64_C(0x85944171f73967e8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_way), cmocka_unit_test(at_random),
					   cmocka_unit_test(keys_of_calls)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
