/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The text that perf script prints: samples, one a line, and among them the
 * PERF_RECORD_ lines of --show-mmap-events and --show-task-events.
 *
 * Kinds of lines and their fields are recognised by their text, so that every
 * list of fields (perf script -F) can be read that has pid or tid, and ip or brstack:
 *
 *   30335      7f1f2b1403b0 0x7f1f2b1403c3/0x7f1f2b1403b0/P/-/-/0/  0x...
 *   my app 30335/30336 [001]  2752.373629:  199 cycles:u:  7f1f2b1403b0 f+0x1 (/lib/x)
 *   30335 PERF_RECORD_MMAP2 30335/30335: [0x56508320b000(0xeb000) @ 0xb000 <id>]: r-xp /bin/x
 *
 * Call chains follow a sample in lines that begin with a tab; their first word is
 * the address, of user code in some releases the offset in the file at the end of the line.
 * Where there is a call chain, perf prints no other address unless it is asked to.
 *
 * Lines become events here; read.h takes them from a text.
 */
#ifndef EVENT_PERF_SCRIPT_PERF_SCRIPT_H
#define EVENT_PERF_SCRIPT_PERF_SCRIPT_H

#include "src/event/event.h"
#include "src/event/perf_script/parse.h"
#include "src/event/perf_script/stack.h"
#include "src/event/perf_script/threads.h"
#include "src/event/options.h"

/* Event names are kept between the lines of one sample; longer ones are cut. */
#define EVENT_NAME_MAX 256

DEFINE_VEC(callchain_vec, uint64_t);
DEFINE_VEC(file_vec, struct text);
DEFINE_VEC(path_vec, char);

struct perf_script {
	const struct event_sink *sink; /* borrowed */
	struct reader_report *report; /* borrowed */
	struct thread_table threads;
	struct branch_vec branches; /* of the sample at hand */
	struct callchain_vec callchain; /* of the sample at hand */
	bool callchain_has_ip;      /* the sample's address stands in it only ... */
	size_t inlined;             /* ... behind so many inlined functions */
	struct file_vec files;      /* of the call chain: texts in `paths`, once it is whole */
	struct path_vec paths;
	struct sample sample;       /* not delivered yet if open is OPEN_SAMPLE */
	uint64_t time;              /* of it */
	struct event_memory *memory; /* of its branches, or NULL */
	enum open_lines open;
	char event[EVENT_NAME_MAX]; /* of `sample` */
};

/* The branch stack of a line that was read before. */
struct read_stack {
	const struct branch *branches;
	size_t count;
	struct event_memory *memory; /* that the branches are in */
};

void perf_script_init(struct perf_script *script, const struct event_sink *sink,
		      struct reader_report *report);
void perf_script_fini(struct perf_script *script);

/* Take one line, whose stack begins at byte `stack`.
 *
 * read  its branch stack, if that was read before; else NULL
 *
 * BC_FORMAT, BC_UNSUPPORTED (symbolic branch stacks), BC_NOMEM or what the sink said */
BC_MUST_USE bool perf_script_line(struct perf_script *script, const struct line *line, size_t stack,
				  const struct read_stack *read, struct bc_error *err);

/* At the end of the text: deliver the last sample. */
BC_MUST_USE bool perf_script_end(struct perf_script *script, struct bc_error *err);

#endif
