/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/count/stack.h"

#define ERRATUM_DEPTH   32
#define ERRATUM_DROPPED 2

/* For an input: if these have no types, the others are taken to have none, until one of every so
 * many has. */
#define UNTYPED_SAMPLES 1024
#define LOOK_FOR_TYPES  64

size_t stack_depth(const struct sample *sample)
{
	size_t depth = 0;

	for (size_t i = 0; i < sample->branch_count; i++)
		depth += !((sample->branches[i].from | sample->branches[i].to) & KERNEL_BIT);
	return depth;
}

uint8_t stack_erratum(bool *seen, const struct sample *sample)
{
	if (!*seen && sample->branch_count >= ERRATUM_DEPTH)
		*seen = stack_depth(sample) == ERRATUM_DEPTH;
	return *seen ? ERRATUM_DROPPED : 0;
}

/* The first samples of an input may be without types by chance.  For the others few are looked at:
 * to look is to wait for memory, which otherwise the thread that counts does. */
bool stack_is_typed(bool *seen, uint64_t samples, const struct sample *sample)
{
	bool first = samples <= UNTYPED_SAMPLES;

	if (!*seen && (first || samples % LOOK_FOR_TYPES == 0))
		*seen = branch_types_seen(sample->branches, sample->branch_count);
	return *seen || first;
}
