/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/recordings.h"

#include <string.h>

/* perf reads the buffers of the processors one after the other when it begins another file, so
 * the parts of a recording overlap by a moment. */
#define OVERLAP_NS UINT64_C(1000000000)

/* FNV-1a. */
void recording_origin_tell(struct recording_origin *origin, enum origin_fact fact, struct bytes bytes)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < bytes.size; i++)
		hash = (hash ^ bytes.data[i]) * 0x100000001b3;
	origin->facts[fact] = hash ? hash : 1;
}

/* Of what does not tell these nothing can be believed. */
static bool is_told(const struct recording_origin *origin)
{
	return origin->facts[ORIGIN_HOST] && origin->facts[ORIGIN_RELEASE] && origin->facts[ORIGIN_COMMAND] &&
	       (origin->facts[ORIGIN_PROCESSOR] || origin->facts[ORIGIN_PROCESSOR_ID]);
}

enum continuation recordings_judge(const struct recordings *before, const struct recording_origin *origin,
				   uint64_t first_ns)
{
	if (!before->last_ns || !is_told(origin) || memcmp(origin, &before->origin, sizeof(*origin)) != 0)
		return CONTINUATION_NONE;
	return first_ns >= before->last_ns || before->last_ns - first_ns <= OVERLAP_NS ? CONTINUATION_OF_LAST
											 : CONTINUATION_GOES_BACK;
}
