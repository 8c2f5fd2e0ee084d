/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/impute.h"

#include "src/isa/insn.h"
#include "src/count/sample_counter.h"

/* Into the instruction, so that a return's call is seen to go on; not past one
 * that never goes on to the next.  No code, no step. */
static uint64_t least_bytes(const struct image *image, struct output_place from, struct vaddr at)
{
	if (!from.function)
		return 0;
	switch ((enum insn_kind)insn_branch(image->machine, image_bytes_at(image, at), at.v).kind) {
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
	case INSN_JUMP:
	case INSN_JUMP_INDIRECT:
	case INSN_RETURN:
		return 0;
	case INSN_NEXT:
	case INSN_CONDITIONAL:
	case INSN_SYSTEM:
	case INSN_BREAK:
	case INSN_TRAP:
		break;
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
	if (!trace_end_equal(trace.branch, impute->branch) || !trace_end_equal(trace.from, impute->from))
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
