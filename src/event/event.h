/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What every reader of samples produces, whatever the format: events of
 * processes, raw samples, and records that were aggregated before.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include "src/base/address.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/build_id.h"

#define NO_PID UINT32_MAX

/* One taken branch, laid out as the kernel's struct perf_branch_entry. */
struct branch {
	uint64_t from, to; /* run-time addresses */
	uint64_t flags;
};
#define BRANCH_MISPREDICTED 1u /* bit 0 of flags */

/* A file (or anything else) was mapped into a process. */
struct map_event {
	uint32_t pid;
	struct run_addr start;
	uint64_t size;
	struct file_off offset; /* of the file at `start` */
	bool executable;
	struct text path;         /* as recorded, with " (deleted)" */
	struct build_id build_id; /* size 0 if it is not known */
	bool id_may_come;         /* it is not known, and struct late_ids may tell it */
};

/* Which build-id a mapped file had. */
struct file_id {
	struct text path;
	const struct build_id *id;
};

/* Takes what a recording as pipes have it says of its files, in the end: some were mapped
 * when their build-ids were not known yet.  Those of its table that were known in time
 * are among them.  Not called where all are.  Returns false with err filled if that changes what was
 * delivered. */
struct late_ids {
	void *ctx;
	bool (*take)(void *ctx, const struct file_id *files, size_t count,
		     struct bc_error *err); /* NULL: not wanted */
};

/* Knows where files are mapped. */
struct place_finder {
	void *ctx;
	/* The run-time address of a place in a process, which is given as the offset in a file or,
	 * by other releases of perf, as that address.  NULL: nobody knows. */
	struct run_addr (*find)(void *ctx, uint32_t pid, struct text file, uint64_t place);
};

/* What a reader delivers from, see below. */
struct sample_memory {
	void (*hold)(struct sample_memory *memory);
	void (*release)(struct sample_memory *memory);
};

struct sample {
	uint32_t pid;
	uint64_t time; /* in ns, of the clock that the recording used; 0: not known */
	struct run_addr ip; /* 0 if not recorded */
	struct run_addr data; /* that was accessed; 0 if not recorded */
	/* A branch stack was recorded, maybe empty.  Text shows an empty one as
	 * none: false there, so no single sample tells what a recording has. */
	bool has_stack;
	const struct branch *branches; /* newest first; as all that a sink is
	                                  given, valid during the call only */
	size_t branch_count;
	bool partial; /* branches of some kinds were not recorded: what ran between
	                 two neighbours is not known */
	struct text event; /* name as perf prints it, "" if not known */

	/* The call chain, innermost first, without perf's marks of a context:
	 * `ip` or the address it was interrupted at, then return addresses.  Valid
	 * during the call only.  chain_count 0: none was recorded. */
	const uint64_t *chain; /* run-time addresses */
	size_t chain_count;
	/* Of each the file that perf script names behind it, empty if none; NULL: not
	 * text.  Where there is a file of the user's, perf prints the offset in it
	 * instead of the run-time address. */
	const struct text *chain_files;

	/* Holds `branches` for a sink that uses them after the call: call its
	 * hold(), and release() when done, both in the reader's thread.  NULL:
	 * they are gone when the call returns. */
	struct sample_memory *memory;
};

/* A distinct taken branch, with the straight-line run that followed it, in the
 * binary's own addresses.  Constants as BOLT's pre-aggregated format has them. */
struct trace {
	uint64_t branch; /* vaddr of the branch, or TRACE_FT_ONLY and below     */
	uint64_t from;   /* vaddr it went to                                    */
	uint64_t to;     /* vaddr of the next taken branch, or TRACE_BR_ONLY    */
};
#define TRACE_EXTERNAL UINT64_C(0)         /* somewhere outside the binary     */
#define TRACE_BR_ONLY UINT64_MAX           /* `to`: no fall-through is known   */
#define TRACE_FT_ONLY UINT64_MAX           /* `branch`: only a fall-through    */
#define TRACE_FT_EXTERNAL (UINT64_MAX - 1) /* `branch`: came from outside      */
#define TRACE_FT_RETURN (UINT64_MAX - 2)   /* `branch`: a return from outside  */

/* A trace as a pre-aggregated profile has it. */
struct trace_record {
	struct trace trace;
	uint64_t count; /* may be 0 */
	uint64_t mispredicted;
	bool is_return; /* an R or r record */
};

/* Where readers deliver, in the order of the input.  Every function returns
 * false to stop the reader, with err filled. */
struct sample_sink {
	void *ctx;
	bool (*map)(void *ctx, const struct map_event *event, struct bc_error *err);
	bool (*exec)(void *ctx, uint32_t pid, struct bc_error *err);
	/* child == parent: a new thread */
	bool (*fork)(void *ctx, uint32_t parent, uint32_t child, struct bc_error *err);
	bool (*exit)(void *ctx, uint32_t pid, uint32_t tid, struct bc_error *err);
	bool (*sample)(void *ctx, const struct sample *sample, struct bc_error *err);

	/* Aggregated before.  count may be 0; is_return: an R or r record. */
	bool (*trace)(void *ctx, const struct trace *trace, bool is_return,
		      uint64_t count, uint64_t mispredicted, struct bc_error *err);
	/* Many of them at once, in `memory` for a sink that uses them after the call, as
	 * a sample's branches are.  NULL: it wants them one by one. */
	bool (*traces)(void *ctx, const struct trace_record *records, size_t count,
		       struct sample_memory *memory, struct bc_error *err);
	/* Aggregated basic samples. */
	bool (*basic)(void *ctx, struct vaddr at, uint64_t count, struct bc_error *err);
	/* An event name for the whole profile (E lines). */
	bool (*event)(void *ctx, struct text name, struct bc_error *err);
	/* What follows is a recording of its own: pids mean other processes.  May
	 * be NULL. */
	void (*recording)(void *ctx);
	/* When what is delivered next happened, in ns; 0 if it does not say.  NULL:
	 * not wanted. */
	void (*time)(void *ctx, uint64_t ns);
	/* Release all memory of samples now; NULL: it never holds any. */
	bool (*settle)(void *ctx, struct bc_error *err);
};

/* At the end of an input, which went well if `ok`: have the sink release its memory.
 * Returns whether both went well; err is of what failed first. */
BC_MUST_USE static inline bool sample_sink_settle(struct sample_sink *sink, bool ok,
						  struct bc_error *err)
{
	struct bc_error later = {0};

	return (!sink->settle || sink->settle(sink->ctx, ok ? err : &later)) && ok;
}

#endif
