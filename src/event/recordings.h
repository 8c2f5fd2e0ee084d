/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which inputs are parts of one recording.  perf record --switch-output begins a new file now and
 * then, and only the first one tells what the processes have mapped that began before.
 *
 * perf.data has no number of its recording.  Parts of one tell the same of machine, system,
 * processor and command line, and their times do not go back.
 */
#ifndef EVENT_RECORDINGS_H
#define EVENT_RECORDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/bytes.h"

enum origin_fact {
	ORIGIN_HOST,
	ORIGIN_RELEASE,
	ORIGIN_PROCESSOR,
	ORIGIN_PROCESSOR_ID,
	ORIGIN_COMMAND,
	ORIGIN_FACTS,
};

/* Where and by what something was recorded. */
struct recording_origin {
	uint64_t facts[ORIGIN_FACTS]; /* a hash of each; 0: it is not told */
};

/* Zeroed: no recording came before. */
struct recordings {
	struct recording_origin origin; /* of the last one */
	uint64_t last_ns;               /* of its events; 0: nothing goes on from it */
};

enum continuation {
	CONTINUATION_NONE,
	CONTINUATION_OF_LAST,   /* it goes on where the input before it ended */
	CONTINUATION_GOES_BACK, /* it is of the same origin, and begins before that ended */
};

void recording_origin_tell(struct recording_origin *origin, enum origin_fact fact, struct bytes bytes);

/* `first_ns` is the time of its first event. */
enum continuation recordings_judge(const struct recordings *before, const struct recording_origin *origin,
				   uint64_t first_ns);

#endif
