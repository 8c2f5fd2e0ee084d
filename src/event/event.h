/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What every reader of samples delivers, whatever the format: one event after the
 * other, in the order of the input.  A consumer switches over the kind, without a
 * default, so that the compiler names whoever forgot one; what it cannot use is an
 * error or a counted drop.
 *
 *   EVENT_BEGIN, then any number of the others, then EVENT_END, also after an error
 *
 * All that an event points to is valid during the call only, but for what `memory` holds.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include "src/base/address.h"
#include "src/base/build_id.h"
#include "src/base/error.h"
#include "src/base/text.h"

#define NO_PID UINT32_MAX

/* One taken branch, laid out as the kernel's struct perf_branch_entry. */
struct branch {
	uint64_t from, to; /* run-time addresses */
	uint64_t flags;
};
#define BRANCH_MISPREDICTED 1u /* bit 0 of flags */

/* Bits 20 to 23 of flags: what kind of branch it is, if that was recorded (perf record -j
 * any,u,save_type), else 0.  Kinds other than a return are told apart by nobody here. */
#define BRANCH_TYPE (UINT64_C(15) << 20)
#define BRANCH_TYPE_RETURN (UINT64_C(6) << 20)
#define BRANCH_TYPE_OTHER (UINT64_C(15) << 20)

/* A file (or anything else) was mapped into a process. */
struct map_event {
	uint32_t pid;
	struct run_addr start;
	uint64_t size;
	struct file_off offset; /* of the file at `start` */
	bool executable;
	struct text path;         /* as recorded, with " (deleted)" */
	struct build_id build_id; /* size 0 if it is not known */
	bool id_may_come;         /* it is not known, and EVENT_BUILD_IDS may tell it */
};

/* A process or a thread began or ended. */
struct task_event {
	uint32_t pid, tid;
	uint32_t parent; /* EVENT_FORK: the pid that it came from; equal to pid: a new thread */
};

struct sample {
	uint32_t pid;
	/* Where it was taken; 0 if that was not recorded.  With an ip_file: as perf script
	 * prints places in call chains, where samples of text may have their address alone. Some
	 * releases print the offset in this file, others the run-time address. */
	struct run_addr ip;
	bool no_ip; /* it was not recorded, or its line of text does not have it */
	struct text ip_file;  /* empty: `ip` is a run-time address */
	struct run_addr data; /* that was accessed; 0 if not recorded */
	/* A branch stack was recorded, maybe empty.  Text shows an empty one as
	 * none: false there, so no single sample tells what a recording has. */
	bool has_stack;
	const struct branch *branches; /* newest first */
	size_t branch_count;
	bool partial; /* branches of some kinds were not recorded: what ran between
	                 two neighbours is not known */
	struct text event; /* name as perf prints it, "" if not known */

	/* The call chain, innermost first, without perf's marks of a context:
	 * `ip` or the address it was interrupted at, then return addresses.
	 * callchain_count 0: none was recorded. */
	const uint64_t *callchain; /* run-time addresses */
	size_t callchain_count;
	/* Of each the file that perf script names behind it, empty if none; NULL: not
	 * text.  Where there is a file of the user's, perf prints the offset in it
	 * instead of the run-time address, as with `ip`. */
	const struct text *callchain_files;
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

/* Plain samples as a pre-aggregated profile has them. */
struct address_record {
	struct vaddr at;
	uint64_t count; /* may be 0 */
};

/* Which build-id a mapped file had. */
struct file_id {
	struct text path;
	const struct build_id *id;
};

/* What the branches of a sample, or traces, lie in. */
struct event_memory {
	void (*hold)(struct event_memory *memory);
	void (*release)(struct event_memory *memory);
};

enum event_kind {
	/* An input begins.  Its text goes on where the text before it ended; perf.data is a
	 * recording of its own (`recording`): pids mean other processes. */
	EVENT_BEGIN,

	/* Before the first event that has a time: the recording is a later part of the one before
	 * (recordings.h).  Processes that it has told no mapping of are those of before. */
	EVENT_CONTINUES,

	EVENT_MAP,
	EVENT_EXEC, /* a process runs another program: all that was mapped is gone */
	EVENT_FORK,
	EVENT_EXIT, /* a thread has ended; with the last one the process */
	EVENT_SAMPLE,

	/* Aggregated before, in the binary's own addresses. */
	EVENT_TRACES,
	EVENT_ADDRESSES,
	EVENT_NAME, /* of an event, for the whole profile */

	/* Behind all samples, what a recording as pipes have it says of its files in the end,
	 * where some were mapped when their build-ids were not known yet.  Those of its table
	 * that were known in time are among them. */
	EVENT_BUILD_IDS,

	EVENT_END, /* all memory that is still held must be released now */
};

struct event {
	enum event_kind kind;
	uint64_t time; /* in ns, of the clock that the recording used; 0: not known */
	/* SAMPLE, TRACES: a consumer that uses branches or traces after the call calls its hold(),
	 * and release() when done, both in the reader's thread.  NULL: they are gone then. */
	struct event_memory *memory;
	union {
		bool recording;              /* BEGIN */
		const struct map_event *map; /* MAP */
		struct task_event task;      /* EXEC, FORK, EXIT */
		const struct sample *sample; /* SAMPLE */
		struct text name;            /* NAME */
		struct {
			const struct trace_record *at;
			size_t count;
		} traces; /* TRACES */
		struct {
			const struct address_record *at;
			size_t count;
		} addresses; /* ADDRESSES */
		struct {
			const struct file_id *at;
			size_t count;
		} build_ids; /* BUILD_IDS */
	};
};

/* Who takes the events. */
struct event_sink {
	void *ctx;
	/* False, with err filled: the reader stops, and delivers EVENT_END alone. */
	bool (*event)(void *ctx, const struct event *event, struct bc_error *err);
};

BC_MUST_USE static inline bool event_deliver(const struct event_sink *sink, const struct event *event,
					     struct bc_error *err)
{
	return sink->event(sink->ctx, event, err);
}

/* At the end of an input, which went well if `ok`.  Returns whether both went well; err is of
 * what failed first. */
BC_MUST_USE static inline bool event_end(const struct event_sink *sink, bool ok, struct bc_error *err)
{
	struct bc_error later = {0};

	return event_deliver(sink, &(struct event){.kind = EVENT_END}, ok ? err : &later) && ok;
}

#endif
