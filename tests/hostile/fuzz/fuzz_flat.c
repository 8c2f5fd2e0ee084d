/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A profile as it is measured.  It is refused with one line that names it; or its records are in
 * order, each one of a function that is there, what functions have adds up to all of them, shares
 * lie between 0 and 100 %, and with itself it has everything in common.
 */
#undef NDEBUG
#include <assert.h>
#include <string.h>

#include "src/base/counts.h"
#include "src/figures/flow_figures.h"
#include "src/figures/overlap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_records(const struct flat_profile *flat)
{
	uint64_t all = 0, of_functions = 0;
	size_t records = 0;

	for (size_t i = 0; i < flat->records.len; i++) {
		const struct flat_record *record = &flat->records.at[i];
		assert(record->owner && record->owner < flat->functions.len &&
		       record->to < flat->functions.len);
		assert(record->owner == (record->kind == FLAT_ENTRY ? record->to : record->from));
		all = record->kind == FLAT_ENTRY ? all : count_add_saturating(all, record->count);
	}
	for (size_t i = 0; i < flat->functions.len; i++) {
		records += flat->functions.at[i].count;
		of_functions = count_add_saturating(of_functions, flat->functions.at[i].samples);
	}
	assert(records == flat->records.len && all == of_functions);
}

static bool is_share(double percent)
{
	return percent >= 0 && percent <= 100;
}

static void check_flow(const struct flat_profile *flat)
{
	const struct flow_code nothing = {0};
	struct flow_calls calls = {0};
	struct flow_figures flow;
	struct bc_error err;

	assert(flow_take(flat, &nothing, &calls, &flow, &err));
	assert(flow.functions < flat->functions.len && flow.bias >= 0 && flow.deviation >= 0);
	assert(is_share(flow.discontinuity) && is_share(flow.unreachable));
	flow_calls_free(&calls);
}

/* With itself it has everything in common. */
static void check_overlap(const struct flat_profile *flat)
{
	struct overlap overlap;
	struct bc_error err;

	assert(overlap_take(flat, flat, NULL, &overlap, &err));
	for (int i = 0; i < OVERLAP_KIND_COUNT; i++) {
		const struct overlap_share *share = &overlap.shares[i];
		assert(share->why_not || (share->percent > 99.999999 && share->percent <= 100));
		assert(!share->only_a && !share->only_b && share->hot_a == share->hot_b &&
		       share->hot_both == share->hot_a);
	}
	overlap_free(&overlap);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nothing;
	struct file_stream stream = {
		.name = "in", .fd = -1, .memory = size ? data : &nothing, .size = size};
	struct flat_profile flat;
	struct bc_error err;
	bool mine;

	if (!flat_read_stream(&stream, &flat, &mine, &err)) {
		assert(err.code != BC_OK && !strncmp(err.text, "in: ", 4) &&
		       !strchr(err.text, '\n'));
	} else {
		check_records(&flat);
		check_flow(&flat);
		check_overlap(&flat);
	}
	stream_close(&stream);
	flat_free(&flat);
	return 0;
}
