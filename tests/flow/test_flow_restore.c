/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is brought back from the output alone: docs/conversion.md, section 6.  The lines are worked
 * out by hand from the table in tests/support/tiny_binary.h. */
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/tiny_run.h"

static struct tiny_run run;
static struct bat_entry entries[13];
static struct bat_block blocks[13];

/* The binary's own table is everybody's: entries are changed in a copy. */
static void begin(unsigned restore)
{
	const struct aggregate_options options = {.rules = {.restore = restore}};

	tiny_run_begin(&run, &options);
	struct bat_table *bat = &run.tiny.binary.bat;
	assert_int_equal(bat->entry_count, BC_COUNT(entries));
	memcpy(entries, bat->entries, sizeof(entries));
	for (uint32_t i = 0; i < bat->entry_count; i++)
		blocks[i] = bat_entry_is_branch(entries[i]) ? (struct bat_block){0, 0} :
							      (struct bat_block){0x100 + i, i};
	bat->entries = entries;
	bat->blocks = blocks;
	bat->layout = BAT_LAYOUT_HASHED;
}

static void branch(uint64_t from, uint64_t to, uint64_t count)
{
	tiny_run_trace(&run, 'T', trace_of_words(from, to, TRACE_BR_ONLY), count, 0);
}

static void is_made(uint32_t entry)
{
	blocks[entry] = (struct bat_block){0, 0};
}

/* The block of 60 is BOLT's own, so it is in the middle of that of 40: the way from 4e to 60 is
 * none, what comes from 20 to 60 is kept, and so is what leaves it. */
static void made(void **state)
{
	(void)state;
	begin(RESTORE_BIT(RESTORE_INSERTED));
	is_made(5);
	branch(0x102c, 0x1030, 5);
	branch(0x101c, 0x1030, 3);
	branch(0x1031, 0x1010, 2);
	tiny_run_trace(&run, 'T', trace_of_words(0x1104, 0x1020, 0x1031), 7, 0);
	tiny_run_gives(&run, 1,
		       "1 hot 2c 1 hot 60 0 3\n"
		       "1 hot 60 1 hot 20 0 2\n"
		       "1 plain 4 1 hot 40 0 7\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_MADE], 5);
	assert_int_equal(run.restored.count[RESTORE_INSERTED], 12);
}

/* Not where the block of the input begins, too: a copy of it. */
static void copies(void **state)
{
	(void)state;
	begin(RESTORE_BIT(RESTORE_INSERTED));
	is_made(8);
	entries[8].input = 0x60 << 1;
	branch(0x1308, 0x1310, 5);
	tiny_run_gives(&run, 1, "1 hot 8a 1 hot 60 0 5\n");
}

/* AArch64: in front of a jump that llvm-bolt inserted a conditional branch continues, which is no
 * step of the input; the jump's is.  Where a block follows it is one. */
static void made_jumps(void **state)
{
	static const uint8_t beq[] = {0x80, 0x00, 0x00, 0x54};

	(void)state;
	for (int on = 0; on < 2; on++) {
		begin(on ? RESTORE_BIT(RESTORE_INSERTED) : 0);
		run.tiny.binary.image.machine = MACHINE_AARCH64;
		memcpy(run.tiny.code + 0x24, beq, sizeof(beq));
		memcpy(run.tiny.code + 0x2c, beq, sizeof(beq));
		branch(0x1024, 0x1028, 5);
		branch(0x102c, 0x1030, 3);
		tiny_run_gives(&run, 1,
			       on ? "1 hot 4e 1 hot 60 0 3\n" :
				    "1 hot 40 1 hot 48 0 5\n1 hot 4e 1 hot 60 0 3\n");
		assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_MADE], on ? 5 : 0);
		assert_int_equal(run.restored.count[RESTORE_INSERTED], on ? 5 : 0);
	}
}

static void made_is_off(void **state)
{
	(void)state;
	begin(RESTORE_ALL & ~RESTORE_BIT(RESTORE_INSERTED));
	is_made(5);
	branch(0x102c, 0x1030, 5);
	tiny_run_gives(&run, 1, "1 hot 4e 1 hot 60 0 5\n");
}

/* `other` begins with two blocks at one location: the first is empty.  Calls enter it; what comes
 * from the function itself enters the second. */
static void first_block_is_empty(unsigned restore)
{
	begin(restore);
	entries[10] = (struct bat_entry){0, 0xc << 1};
	branch(0x102c, 0x1400, 3);
	branch(0x5000, 0x1400, 1);
	branch(0x1412, 0x1400, 2);
	branch(0x102c, 0x1404, 4);
}

static void entered(void **state)
{
	(void)state;
	first_block_is_empty(RESTORE_BIT(RESTORE_ENTRIES));
	tiny_run_gives(&run, 1,
		       "1 hot 4e 1 other 0 0 3\n"
		       "1 hot 4e 1 other 10 0 4\n"
		       "1 other 18 1 other c 0 2\n"
		       "0 [unknown] 0 1 other 0 0 1\n");
	assert_int_equal(run.restored.count[RESTORE_ENTRIES], 4);
}

static void entered_is_off(void **state)
{
	(void)state;
	first_block_is_empty(RESTORE_ALL & ~RESTORE_BIT(RESTORE_ENTRIES));
	tiny_run_gives(&run, 1,
		       "1 hot 4e 1 other c 0 3\n"
		       "1 hot 4e 1 other 10 0 4\n"
		       "1 other 18 1 other c 0 2\n"
		       "0 [unknown] 0 1 other c 0 1\n");
	assert_int_equal(run.restored.count[RESTORE_ENTRIES], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made),       cmocka_unit_test(copies),
		cmocka_unit_test(made_jumps), cmocka_unit_test(made_is_off),
		cmocka_unit_test(entered),    cmocka_unit_test(entered_is_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
