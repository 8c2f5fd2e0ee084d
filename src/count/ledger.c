/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/count/ledger.h"

#include "src/base/counts.h"

_Static_assert(SAMPLE_DROP_COUNT <= LEDGER_REASONS, "a ledger holds every reason");
_Static_assert(BRANCH_DROP_COUNT <= LEDGER_REASONS, "a ledger holds every reason");
_Static_assert(MEMORY_DROP_COUNT <= LEDGER_REASONS, "a ledger holds every reason");
_Static_assert(TRACE_DROP_COUNT <= LEDGER_REASONS, "a ledger holds every reason");

#define X(name, key, kind, text) {key, DROP_##kind, text},
const struct ledger_words sample_words = {
	"samples", "samples", SAMPLE_DROP_COUNT, {SAMPLE_DROPS(X)}};
const struct ledger_words branch_words = {
	"branches", "taken branches", BRANCH_DROP_COUNT, {BRANCH_DROPS(X)}};
const struct ledger_words trace_words = {
	"traces", "fall-through traces", TRACE_DROP_COUNT, {TRACE_DROPS(X)}};
const struct ledger_words memory_words = {
	"memory", "memory accesses", MEMORY_DROP_COUNT, {MEMORY_DROPS(X)}};
#undef X

uint64_t ledger_dropped(const struct ledger *ledger)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < LEDGER_REASONS; i++)
		sum += ledger->dropped[i];
	return sum;
}

uint64_t ledger_dropped_as(const struct ledger *ledger, const struct ledger_words *words,
			   enum drop_kind kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < words->reason_count; i++)
		if (words->reasons[i].kind == kind)
			sum = count_add_saturating(sum, ledger->dropped[i]);
	return sum;
}

void ledger_move(struct ledger *ledger, unsigned why, uint64_t count)
{
	count = count < ledger->kept ? count : ledger->kept;
	ledger->kept -= count;
	ledger->dropped[why] += count;
}

void ledger_add(struct ledger *to, const struct ledger *from)
{
	to->read += from->read;
	to->kept += from->kept;
	for (size_t i = 0; i < LEDGER_REASONS; i++)
		to->dropped[i] += from->dropped[i];
}

bool ledger_read(struct ledger *ledger, uint64_t count, struct bc_error *err)
{
	if (count > UINT64_MAX - ledger->read)
		return bc_fail(err, BC_FORMAT, "the counts of the samples add up to 2^64 or more");
	ledger->read += count;
	return true;
}
