/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stacks of many processes and moments, resolved against the right maps: raw ones
 * against snapshots, those of a recording against what its events have reported so far.
 */
#ifndef ADDRESS_RESOLVER_H
#define ADDRESS_RESOLVER_H

#include "src/address/writer.h"
#include "src/base/address.h"
#include "src/base/text.h"
#include "src/base/vec.h"
#include "src/samples/history.h"
#include "src/samples/reader.h"
#include "src/samples/snapshots.h"

/*
 * Raw call stacks as text, one a line, as a sampler leaves them: nothing was looked
 * up yet.
 *
 *   TIME MAP ADDRESS ADDRESS ...
 *   81234567890 m3 7f0012345678 55e4a0b0c010 55e4a0b0b0ff
 *
 * TIME is in ns.  MAP says against which map of the process the addresses are to be
 * read: m3 is the map of id 3, p77 the map of process 77 at that time, p77m3 its map
 * of id 3.  Addresses are hexadecimal, innermost first: the first is that of an
 * instruction, the others are return addresses.  # begins a comment.
 */

DEFINE_VEC(address_list, uint64_t);

#define RAW_ANY UINT32_MAX /* of pid and map: not said */

struct raw_stack {
	uint64_t time;
	uint32_t pid, map;
	struct address_list addresses; /* kept from line to line */
};

enum raw_line { RAW_STACK, RAW_NOTHING, RAW_BAD };

/* *wrong says what, for RAW_BAD; "out of memory" is a NULL. */
enum raw_line raw_stack_parse(struct text line, struct raw_stack *out, const char **wrong);

/* Maps that are kept at hand. */
#define RESOLVER_VIEWS 64

struct stack_counts {
	uint64_t stacks, frames;
	uint64_t unknown;    /* frames in no mapping, or of a stack without a map */
	uint64_t kernel;     /* frames of the kernel */
	uint64_t impossible; /* frames that are no addresses */
	uint64_t given;      /* stacks of a recording whose map was given, not recorded */
	uint64_t no_map;     /* stacks of which no map is known */
	uint64_t no_address; /* samples without any: they are no stacks */
};

DEFINE_VEC(frame_vec, struct frame);

struct resolver {
	struct snapshots *snapshots; /* borrowed; its files are those of all maps */
	struct libraries libraries;
	struct frame_options options;
	struct history history;
	const char *path;                  /* of the recording at hand, for messages */
	struct recordings recordings;      /* read so far */
	bool new_recording;                /* the next one continues from none */
	struct view views[RESOLVER_VIEWS]; /* by their sets */
	struct frame_vec frames;
	struct address_list chain; /* of the sample at hand */
	struct stack_counts counts;
	/* Receives every stack.  Errors end the job. */
	bool (*take)(void *ctx, const struct stack *stack, struct bc_error *err);
	void *ctx;
};

void resolver_init(struct resolver *resolver, struct snapshots *snapshots);
void resolver_free(struct resolver *resolver);

/* Resolve a raw stack.  BC_NOMEM, or what take() said. */
BC_MUST_USE bool resolver_raw(struct resolver *resolver, const struct raw_stack *raw,
			      struct bc_error *err);

/* All raw stacks of a file, "-" for stdin.
 *
 * BC_FORMAT  "FILE: line N: WHY"
 * BC_IO, BC_NOMEM, or what take() said */
BC_MUST_USE bool resolver_raw_file(struct resolver *resolver, const char *path,
				   struct bc_error *err);

/* All samples of perf.data or of perf script's text: their call chains, or else
 * their addresses.  *report is what was seen of it.  Errors of input_run(), or what
 * take() said. */
BC_MUST_USE bool resolver_recording(struct resolver *resolver, const char *path,
				    struct reader_report *report, struct bc_error *err);

#endif
