/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/tiny_binary.h"

#include "tests/support/cmocka.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK(output, input)  {output, (input) << 1}
#define BRANCH(output, input) {output, (input) << 1 | 1}

static struct bat_entry entries[] = {
	BLOCK(0, 0),        BLOCK(0x10, 0x20), BRANCH(0x1c, 0x2c), BLOCK(0x20, 0x40),
	BRANCH(0x2c, 0x4e), BLOCK(0x30, 0x60), BLOCK(0, 0x80),     BRANCH(8, 0x8a),
	BLOCK(0x10, 0x90),  BLOCK(0, 0),       BRANCH(8, 0xc),     BLOCK(0x10, 0x18),
	BLOCK(0, 0x20),
};

static const struct bat_fragment fragments[] = {
	{.address = 0x1000, .first_entry = 0, .entry_count = 6, .parent = 0},
	{.address = 0x1300, .first_entry = 6, .entry_count = 3, .parent = 0, .cold = true},
	{.address = 0x1400, .first_entry = 9, .entry_count = 3, .parent = 2},
	{.address = 0x1500,
	 .first_entry = 12,
	 .entry_count = 1,
	 .parent = BAT_NO_PARENT,
	 .cold = true},
};

static const char *const names[TINY_FUNCTIONS] = {"hot",      "plain", "ext@PLT",
						  "hot.cold", "other", "lost.cold"};

static const uint32_t fragment_of[TINY_FUNCTIONS] = {0, NO_FRAGMENT, NO_FRAGMENT, 1, 2, 3};

void tiny_binary_init(struct tiny_binary *tiny)
{
	*tiny = (struct tiny_binary){0};
	memset(tiny->code, 0x90, sizeof(tiny->code));
	tiny->segment = (struct segment){.vaddr = TINY_BASE,
					 .offset = 0,
					 .memsz = TINY_SIZE,
					 .filesz = TINY_SIZE,
					 .align = 0x1000,
					 .executable = true};
	memcpy(tiny->fragments, fragments, sizeof(fragments));
	memcpy(tiny->fragment_of, fragment_of, sizeof(fragment_of));
	for (uint32_t i = 0; i < TINY_FUNCTIONS; i++)
		tiny->functions[i] =
			(struct function){.address = TINY_BASE + 0x100 * i,
					  .size = 0x80,
					  .extent = 0x80,
					  .kind = i == 2 ? FUNCTION_PLT : FUNCTION_CODE,
					  .primary = names[i],
					  .printed = names[i]};
	tiny->binary.image = (struct image){.file = {tiny->code, TINY_SIZE},
					    .machine = MACHINE_X86_64,
					    .position_independent = true,
					    .segments = &tiny->segment,
					    .segment_count = 1};
	tiny->binary.bat = (struct bat_table){.layout = BAT_LAYOUT_FIXED,
					      .fragments = tiny->fragments,
					      .fragment_count = 4,
					      .hot_count = 2,
					      .entries = entries,
					      .entry_count = BC_COUNT(entries)};
	tiny->binary.functions.at = tiny->functions;
	tiny->binary.functions.count = TINY_FUNCTIONS;
	assert_true(functions_index(&tiny->binary.functions));
	tiny->binary.fragment_of = tiny->fragment_of;
}

void tiny_binary_fini(struct tiny_binary *tiny)
{
	free(tiny->binary.functions.index.below);
}

void tiny_binary_jump(struct tiny_binary *tiny, uint64_t from, uint64_t to)
{
	uint8_t *insn = tiny->code + (from - TINY_BASE);
	uint64_t distance = to - (from + 5);

	insn[0] = 0xe9;
	for (int i = 0; i < 4; i++)
		insn[1 + i] = (uint8_t)(distance >> 8 * i);
}
