/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * CoreSight's frames: the bytes of several sources in one buffer, distinguished by numbers, the
 * trace ids.  A frame has 16 bytes:
 *
 *   even ones but the last   bit 0 set: bits 7:1 are the trace id of the bytes that follow; not
 *                            set: a byte of data, of which bit 0 is in byte 15
 *   odd ones                 a byte of data
 *   byte 15                  bit i is of byte 2 * i: of data, its bit 0; of a trace id, whether
 *                            byte 2 * i + 1 is of the source before
 *
 * Between frames are ff ff ff 7f (full synchronization), and within them ff 7f (half), which are
 * no data.  Four full ones in a row are a barrier: the kernel puts them where a buffer was full,
 * and what comes next can begin within a packet.
 *
 * Facts: Arm CoreSight Architecture Specification (IHI 0029), chapter "Trace Formatter";
 * drivers/hwtracing/coresight of Linux.
 */
#ifndef SAMPLES_AUX_ETM_FRAME_H
#define SAMPLES_AUX_ETM_FRAME_H

#include "src/base/bytes.h"

/* Trace ids that are of sources; 0 is padding, the others are reserved. */
#define ETM_ID_LEAST 1
#define ETM_ID_MOST  0x6f
#define ETM_IDS      0x80

struct etm_byte {
	uint8_t id, data;
};

/* Zeroed: at the begin of a frame, of which the source is not known. */
struct etm_frames {
	uint8_t frame[16];
	unsigned have;  /* bytes of the frame that were read */
	unsigned syncs; /* full ones in a row */
	uint8_t id;     /* of the bytes that follow; 0: not known */
	uint8_t only;   /* the only one so far; 0: none, or ETM_IDS: several */
};

enum etm_frame {
	ETM_FRAME_CUT,     /* fewer bytes than a frame are left */
	ETM_FRAME_WHOLE,   /* data of sources */
	ETM_FRAME_BARRIER, /* something was lost */
};

/* Take a frame off the front of *rest: *count bytes of sources, in their order.  What is padding is
 * left out. */
enum etm_frame etm_frame_next(struct etm_frames *frames, struct bytes *rest,
			      struct etm_byte out[static 15], unsigned *count);

/* The bytes that follow are none that followed those before; they begin with a frame.  Its source
 * is not known, unless there was only one so far. */
void etm_frames_cut(struct etm_frames *frames);

#endif
