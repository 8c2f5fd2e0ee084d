/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/work.h"

#include <inttypes.h>

#define MOST_BYTES (UINT64_C(1) << 56)

static const char *const kind_names[WORK_KINDS] = {
	[WORK_SECTIONS] = "sections",
	[WORK_SEGMENTS] = "segments",
	[WORK_SECTION_NAMES] = "names of sections",
	[WORK_SYMBOL_NAMES] = "names of symbols",
	[WORK_NAMES_MADE] = "names of functions",
	[WORK_PLT] = "symbols of PLT entries",
	[WORK_CALL_SITES] = "tables of call sites",
	[WORK_CFI] = "call frame instructions",
	[WORK_JUMP_TABLES] = "jump tables",
	[WORK_BLOCK_MAP] = "blocks of the compiler's map",
	[WORK_TIES] = "code to compare",
	[WORK_DEBUG] = "debug information",
	[WORK_LINES] = "line tables",
	[WORK_LINE_FILES] = "files of line tables",
	[WORK_ENTRIES] = "entries of debug information",
	[WORK_SCOPES] = "attributes of debug information",
	[WORK_RANGES] = "ranges of debug information",
	[WORK_EXPRESSIONS] = "expressions of debug information",
};

void work_begin(struct work *work, uint64_t size)
{
	work->size = size;
	/* The product must not wrap: no file is that large. */
	work->most = size > MOST_BYTES ? UINT64_MAX / 2 : size * WORK_TIMES + WORK_ALWAYS;
	for (int i = 0; i < WORK_KINDS; i++)
		atomic_init(&work->done[i], 0);
}

bool work_spend(struct work *work, enum work_kind kind, uint64_t amount)
{
	if (!work)
		return true;
	uint64_t before = atomic_load_explicit(&work->done[kind], memory_order_relaxed);
	if (before > work->most) /* it stays there: the sum cannot wrap */
		return false;
	if (amount > work->most - before)
		amount = work->most - before + 1;
	before = atomic_fetch_add_explicit(&work->done[kind], amount, memory_order_relaxed);
	return before <= work->most && amount <= work->most - before;
}

bool work_check(const struct work *work, struct bc_error *err)
{
	for (int i = 0; work && i < WORK_KINDS; i++)
		if (atomic_load_explicit(&work->done[i], memory_order_relaxed) > work->most)
			return bc_fail(
				err, BC_FORMAT,
				"%s: reading them takes more than the limit of %d times the file and %d MiB, %" PRIu64
				" bytes: many refer to the same bytes, or to missing ones",
				kind_names[i], WORK_TIMES, (int)(WORK_ALWAYS >> 20), work->most);
	return true;
}

bool work_fail(const struct work *work, struct bc_error *err)
{
	return work_check(work, err) && bc_fail_nomem(err);
}
