/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accesses to data in the binary of tiny_binary.h, with symbols of their own: which symbol names
 * each, and their order. */
#include "src/profile/profile.h"

#include <elf.h>

#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

/* As they are sorted.  `twin` is where `inner` is, within `outer`; `label` has no size. */
static struct symbol symbols[] = {
	{.name = "outer", .address = 0x3000, .size = 0x100, .type = STT_OBJECT},
	{.name = "inner", .address = 0x3010, .size = 8, .type = STT_NOTYPE},
	{.name = "twin", .address = 0x3010, .size = 8, .type = STT_OBJECT},
	{.name = "label", .address = 0x3014, .type = STT_OBJECT},
	{.name = "", .address = 0x3200, .size = 8, .type = STT_OBJECT},
	{.name = "thread", .address = 0x3300, .size = 8, .type = STT_TLS},
	{.name = "line\nfeed", .address = 0x3400, .size = 8, .type = STT_OBJECT},
	{.name = "x",
	 .address = 0x3500,
	 .size = 8,
	 .type = STT_OBJECT,
	 .local = true,
	 .number = 10},
	{.name = "x", .address = 0x3600, .size = 8, .type = STT_OBJECT, .local = true, .number = 2},
	{.name = "x", .address = 0x3700, .size = 8, .type = STT_OBJECT},
};

/* Addresses of the code, and of the data. */
static const struct {
	uint64_t code, data, count;
} taken[] = {
	{0x1100, 0x3014, 1},                        /* plain + 0, inner + 4 */
	{0x1100, 0x3018, 2},                        /* after inner */
	{0x1100, 0x2fff, 3},                        /* before all */
	{0x1100, 0x3200, 4},                        /* a symbol without a name */
	{0x1100, 0x3300, 6},                        /* no address of a thread's data */
	{0x1100, 0x3400, 8},  {0x5000, 0x3000, 9},  /* no code */
	{0x1500, 0x3000, 10},                       /* of an unknown function */
	{0x1004, 0x300f, 11}, {0x1004, 0x3000, 13}, /* hot + 4, outer */
	{0x1008, 0x3500, 15}, {0x1008, 0x3600, 16},
	{0x1008, 0x3700, 14},                      /* hot + 8: x/10, x/2, x */
	{0x130e, 0x3000, 5},  {0x1310, 0x3000, 7}, /* hot + 90, both */
};

/* By the text of a line: the name of the function, the offset, the name of the data as it is
 * printed, the offset. */
static const struct {
	const char *function;
	uint32_t offset, symbol;
	uint64_t data_offset, count;
} expected[] = {
	{"hot", 4, 0, 0, 13}, {"hot", 4, 0, 0xf, 11},  {"hot", 8, 9, 0, 14},  {"hot", 8, 7, 0, 15},
	{"hot", 8, 8, 0, 16}, {"hot", 0x90, 0, 0, 12}, {"plain", 0, 1, 4, 1},
};

static void accesses_are_named_and_sorted(void **state)
{
	struct tiny_binary tiny;
	struct count_table counted = {0};
	struct profile profile = {.binary = &tiny.binary};
	struct ledger ledger = {0};
	struct bc_error err;

	(void)state;
	tiny_binary_init(&tiny);
	tiny.binary.functions.symbols =
		(struct symbol_table){.at = symbols, .count = BC_COUNT(symbols)};
	for (size_t i = 0; i < BC_COUNT(taken); i++)
		assert_true(count_table_add(&counted,
					    (const uint64_t[]){taken[i].code, taken[i].data, 0},
					    taken[i].count, 0));
	assert_true(memory_convert(&counted, NAMES_ONE_LINE, &profile, &ledger, &err));
	assert_int_equal(profile.accesses.len, BC_COUNT(expected));
	for (size_t i = 0; i < BC_COUNT(expected); i++) {
		const struct access *access = &profile.accesses.at[i];
		assert_string_equal(access->function->printed, expected[i].function);
		assert_int_equal(access->offset, expected[i].offset);
		assert_ptr_equal(access->data, &symbols[expected[i].symbol]);
		assert_int_equal(access->data_offset, expected[i].data_offset);
		assert_int_equal(access->count, expected[i].count);
	}
	assert_int_equal(ledger.kept, 13 + 11 + 14 + 15 + 16 + 12 + 1);
	assert_int_equal(ledger.dropped[MEMORY_DROP_UNNAMED], 2 + 3 + 4 + 6);
	assert_int_equal(ledger.dropped[MEMORY_DROP_UNNAMEABLE], 8);
	assert_int_equal(ledger.dropped[MEMORY_DROP_CODE], 9);
	assert_int_equal(ledger.dropped[MEMORY_DROP_NO_PARENT], 10);
	access_vec_free(&profile.accesses);
	count_table_free(&counted);
	tiny_binary_fini(&tiny);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_are_named_and_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
