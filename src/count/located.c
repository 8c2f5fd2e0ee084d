/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/count/located.h"

#include <stdlib.h>

#include "src/isa/insn.h"

/* Rows that are looked up together: the memory of all is asked for before the first is needed. */
#define ROWS_AHEAD ((size_t)32)

static struct location locate(const struct binary *binary, uint64_t vaddr,
			      const struct function **near)
{
	struct output_place place = binary_place(binary, (struct vaddr){vaddr}, *near);

	if (!place.function)
		return (struct location){LOCATION_NONE, 0};
	*near = place.function;
	return (struct location){(uint32_t)(place.function - binary->functions.at), place.offset};
}

/* Rows are sorted by their first word: neighbors lie in one function.  Branches come from
 * anywhere. */
static void locate_rows(const struct binary *binary, const struct count_row *rows, size_t count,
			unsigned words, struct location *out,
			const struct function *near[END_COUNT])
{
	for (size_t i = 0; words > END_BRANCH && i < count; i++)
		functions_prefetch(&binary->functions, (struct vaddr){rows[i].key[END_BRANCH]});
	for (size_t i = 0; i < count; i++)
		for (unsigned word = 0; word < words; word++)
			*out++ = locate(binary, rows[i].key[word], &near[word]);
}

const struct count_table *located_rows(struct located_counts *located, size_t shard)
{
	const struct count_table *table = &located->counts->shards[shard];
	unsigned words = located->basic ? 1 : END_COUNT;
	const struct function *near[END_COUNT] = {NULL};

	for (size_t i = 0; !located->known[shard] && i < table->used; i += ROWS_AHEAD) {
		size_t count = table->used - i < ROWS_AHEAD ? table->used - i : ROWS_AHEAD;
		locate_rows(located->binary, table->rows + i, count, words,
			    located->at[shard] + i * words, near);
	}
	located->known[shard] = true;
	return table;
}

bool located_make(const struct binary *binary, struct counts *counts, bool basic,
		  struct located_counts *out, struct bc_error *err)
{
	bool ok = true;

	*out = (struct located_counts){.binary = binary, .counts = counts, .basic = basic};
	for (size_t i = 0; i < COUNTS_SHARDS; i++) {
		out->at[i] = malloc((counts->shards[i].used * (basic ? 1 : END_COUNT) + 1) *
				    sizeof(*out->at[i]));
		ok = ok && out->at[i];
	}
	if (ok)
		return true;
	located_free(out);
	return bc_fail_nomem(err);
}

void located_free_shard(struct located_counts *located, size_t shard)
{
	free(located->at[shard]);
	located->at[shard] = NULL;
	count_table_free(&located->counts->shards[shard]);
}

void located_free(struct located_counts *located)
{
	for (size_t i = 0; i < COUNTS_SHARDS; i++)
		free(located->at[i]);
	*located = (struct located_counts){0};
}

/* ---- ends that were not recorded ---- */

/* Into the instruction, so that a return's call is seen to continue; not past one
 * that never continues to the next.  No code, no step. */
static uint64_t least_bytes(const struct image *image, struct output_place from, struct vaddr at)
{
	if (!from.function)
		return 0;
	switch ((enum insn_kind)insn_branch(image->machine, image_bytes_at(image, at), at.v).kind) {
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
	case INSN_JUMP:
	case INSN_JUMP_INDIRECT:
	case INSN_RETURN: return 0;
	case INSN_NEXT:
	case INSN_CONDITIONAL:
	case INSN_SYSTEM:
	case INSN_BREAK:
	case INSN_TRAP: break;
	}
	return 1;
}

/* Sums are of 64 bits and may wrap: traces that run backwards are not left out. */
struct trace_end impute_end(struct impute *impute, const struct binary *binary,
			    const struct count_row *row, struct output_place from)
{
	struct trace trace = trace_of(row->key);

	if (trace_end_is(trace.from, TRACE_END_EXTERNAL))
		return trace.to;
	if (!trace_end_equal(trace.branch, impute->branch) ||
	    !trace_end_equal(trace.from, impute->from))
		*impute = (struct impute){.branch = trace.branch, .from = trace.from};
	struct vaddr begin = trace_end_vaddr(trace.from);
	if (trace_has_fall_through(&trace)) {
		if (!trace_end_is(trace.to, TRACE_END_EXTERNAL))
			impute->bytes += (trace_end_vaddr(trace.to).v - begin.v) * row->count;
		impute->count += row->count;
		return trace.to;
	}
	if (impute->count)
		return trace_end_at((struct vaddr){begin.v + impute->bytes / impute->count});
	return trace_end_at((struct vaddr){begin.v + least_bytes(&binary->image, from, begin)});
}
