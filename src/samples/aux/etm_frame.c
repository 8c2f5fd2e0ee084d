/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/aux/etm_frame.h"

#include <string.h>

#define BARRIER 4 /* full synchronizations in a row */

static bool is_full_sync(const uint8_t *at)
{
	return at[0] == 0xff && at[1] == 0xff && at[2] == 0xff && at[3] == 0x7f;
}

/* Collect bytes of a frame, without synchronizations.  False: more bytes must follow. */
static bool collect(struct etm_frames *frames, struct bytes *rest, bool *barrier)
{
	const uint8_t *p = rest->data, *end = p + rest->size;

	*barrier = false;
	while (frames->have < sizeof(frames->frame) && end - p >= 2) {
		if (p[0] == 0xff && p[1] == 0x7f) {
			p += 2;
		} else if (!frames->have && p[0] == 0xff && p[1] == 0xff) {
			if (end - p < 4)
				break;
			if (!is_full_sync(p)) { /* no frame begins so: on to the next that does */
				p += 2;
				continue;
			}
			p += 4;
			if (++frames->syncs == BARRIER) {
				*barrier = true;
				break;
			}
		} else {
			frames->frame[frames->have++] = p[0];
			frames->frame[frames->have++] = p[1];
			p += 2;
			frames->syncs = 0;
		}
	}
	*rest = (struct bytes){p, (size_t)(end - p)};
	return frames->have == sizeof(frames->frame);
}

static bool is_source(uint8_t id)
{
	return id >= ETM_ID_LEAST && id <= ETM_ID_MOST;
}

static void set_source(struct etm_frames *frames, uint8_t id)
{
	frames->id = id;
	if (is_source(id) && frames->only != id)
		frames->only = frames->only ? ETM_IDS : id;
}

enum etm_frame etm_frame_next(struct etm_frames *frames, struct bytes *rest,
			      struct etm_byte out[static 15], unsigned *count)
{
	const uint8_t *frame = frames->frame;
	bool barrier;
	unsigned n = 0;

	if (!collect(frames, rest, &barrier)) {
		if (barrier)
			etm_frames_cut(frames);
		return barrier ? ETM_FRAME_BARRIER : ETM_FRAME_CUT;
	}
	frames->have = 0;
	for (unsigned i = 0; i < 8; i++) {
		uint8_t even = frame[2 * i], before = frames->id;
		unsigned low = frame[15] >> i & 1;
		bool names = even & 1;
		if (names)
			set_source(frames, even >> 1);
		else if (is_source(frames->id))
			out[n++] = (struct etm_byte){frames->id, (uint8_t)(even | low)};
		uint8_t of = names && low ? before : frames->id;
		if (i < 7 && is_source(of))
			out[n++] = (struct etm_byte){of, frame[2 * i + 1]};
	}
	*count = n;
	return ETM_FRAME_WHOLE;
}

void etm_frames_cut(struct etm_frames *frames)
{
	*frames = (struct etm_frames){.only = frames->only,
				      .id = frames->only < ETM_IDS ? frames->only : 0};
}
