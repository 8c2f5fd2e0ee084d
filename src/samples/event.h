/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What every reader of samples delivers, whatever the format: one event after the
 * other, in the order of the input.  A consumer switches over the kind, without a
 * default, so that the compiler reports a kind that it forgot.  What a consumer cannot
 * use is an error, or is counted as dropped.
 *
 *   EVENT_BEGIN, then any number of the others, then EVENT_END, also after an error
 *
 * What an event points to is valid during the call only.  Branches and traces stay valid
 * longer if the consumer holds `memory`.
 */
#ifndef SAMPLES_EVENT_H
#define SAMPLES_EVENT_H

#include "src/base/address.h"
#include "src/base/build_id.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/samples/trace.h"

#define NO_PID UINT32_MAX

/* One branch, laid out as the kernel's struct perf_branch_entry. */
struct branch {
	uint64_t from, to; /* run-time addresses */
	uint64_t flags;
};
#define BRANCH_MISPREDICTED 1u /* bit 0 of flags */

/* Bit 33 of flags: a conditional branch that went on to the next instruction, which is `to`.
 * Arm SPE samples such branches, too. */
#define BRANCH_NOT_TAKEN (UINT64_C(1) << 33)

/* Bits 20 to 23 of flags: what kind of branch it is, if that was recorded (perf record -j
 * any,u,save_type), else 0.  Only returns are distinguished from the others. */
#define BRANCH_TYPE        (UINT64_C(15) << 20)
#define BRANCH_TYPE_RETURN (UINT64_C(6) << 20)
#define BRANCH_TYPE_OTHER  (UINT64_C(15) << 20)

/* Which file it is on the machine that was recorded; all 0: not known. */
struct file_node {
	uint32_t major, minor; /* of the device */
	uint64_t inode, generation;
};

/* A file (or anything else) was mapped into a process. */
struct map_event {
	uint32_t pid; /* NO_PID: the kernel, or a module of it, of all processes */
	struct run_addr start;
	uint64_t size;
	struct file_off offset; /* of the file at `start` */
	bool executable;
	struct text path;         /* as recorded, with " (deleted)" */
	struct build_id build_id; /* size 0 if it is not known */
	bool id_may_come;         /* it is not known yet: EVENT_BUILD_IDS may have it */
	struct file_node node;
};

/* A process or a thread began or ended. */
struct task_event {
	uint32_t pid, tid;
	uint32_t parent; /* EVENT_FORK: the pid of the parent; if it equals pid, a thread began */
};

struct sample {
	uint32_t pid;
	/* The address at which the sample was taken; 0 if it was not recorded.  A sample of
	 * text can have it in its call chain only.  There perf script prints a file after
	 * the address, `ip_file`, and depending on its release the address is the offset in that
	 * file or the run-time address. */
	struct run_addr ip;
	bool no_ip;           /* it was not recorded, or its line of text does not have it */
	struct text ip_file;  /* empty: `ip` is a run-time address */
	struct run_addr data; /* the address of the memory that was accessed; 0: not recorded */
	/* A branch stack was recorded; it can be empty.  In text an empty stack looks like
	 * none, and this is false. */
	bool has_stack;
	const struct branch *branches; /* newest first */
	size_t branch_count;           /* of which the oldest can be without a source (from == 0) */
	bool partial;      /* branches of some kinds were not recorded: two neighbors need
			      not be the ends of one fall-through */
	struct text event; /* name as perf prints it, "" if not known */

	/* The call chain, innermost first, without perf's markers (PERF_CONTEXT_USER and
	 * the like): the address of the sample, then return addresses.  callchain_count 0:
	 * none was recorded. */
	const uint64_t *callchain; /* run-time addresses */
	size_t callchain_count;
	/* The file that perf script prints after each of them, or an empty text; NULL if the
	 * input is not text.  As with `ip`, an address with a file can be an offset in it. */
	const struct text *callchain_files;
};

/* A trace as a pre-aggregated profile has it. */
struct trace_record {
	struct trace trace;
	uint64_t count; /* may be 0 */
	uint64_t mispredicted;
	bool is_return; /* an R or r record */
};

/* Basic samples as a pre-aggregated profile has them. */
struct address_record {
	struct vaddr at;
	uint64_t count; /* may be 0 */
};

/* How often a taken branch was followed by a fall-through, by a hardware trace
 * that was walked through the code. Run-time addresses. */
struct ran_trace {
	uint64_t from;  /* the branch; 0: not known.  In memory whose code is not known: where the
			   way led into that */
	uint64_t to;    /* where the branch went to, and the line begins */
	uint64_t end;   /* the taken branch that ends the line; 0: not known */
	uint64_t count; /* at least 1 */
	bool is_return; /* `from` is one */
};

/* A file that was mapped, and its build-id. */
struct file_id {
	struct text path;
	const struct build_id *id;
};

/* The reader's memory that the branches of a sample, or traces, are in.  It is freed or used
 * again when it was released as often as it was held. */
struct event_memory {
	void (*hold)(struct event_memory *memory);
	void (*release)(struct event_memory *memory);
};

enum event_kind {
	/* An input begins.  perf.data is a recording of its own (`recording`), in which the same
	 * pid is another process.  Text continues the text before it. */
	EVENT_BEGIN,

	/* Before the first event that has a time: the recording is a later part of the one before
	 * (perf_features.h).  Processes that it has reported no mapping of are those of before. */
	EVENT_CONTINUES,

	EVENT_MAP,
	EVENT_EXEC, /* a process runs another program: all that was mapped is gone */
	EVENT_FORK,
	EVENT_EXIT, /* a thread has ended; with the last one the process */
	EVENT_SAMPLE,

	/* The code that was executed in a process, each branch once, while what was mapped where it
	 * ran did not change: src/walk makes it of hardware traces. */
	EVENT_RAN,

	/* What was aggregated before, with vaddrs. */
	EVENT_TRACES,
	EVENT_ADDRESSES,
	EVENT_NAME, /* of an event, for the whole profile */

	/* The build-ids that a recording in a pipe has after its samples, when files were mapped
	 * before their build-ids were known.  Build-ids that were known earlier are repeated. */
	EVENT_BUILD_IDS,

	EVENT_END, /* the consumer must release all memory that it holds */
};

struct event {
	enum event_kind kind;
	uint64_t time; /* in ns, of the clock that the recording used; 0: not known */
	/* SAMPLE, TRACES: a consumer that uses the branches or traces after the call calls
	 * memory->hold(), and memory->release() when it is done, both in the reader's thread.
	 * NULL: they cannot be used after the call. */
	struct event_memory *memory;
	union {
		bool recording;              /* BEGIN */
		const struct map_event *map; /* MAP */
		struct task_event task;      /* EXEC, FORK, EXIT */
		const struct sample *sample; /* SAMPLE */
		struct text name;            /* NAME */
		struct {
			const struct ran_trace *at;
			size_t count;
			uint32_t pid;
		} ran; /* RAN */
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

/* The consumer of events. */
struct event_sink {
	void *ctx;
	/* Returns false, with err filled, to stop the reader: only EVENT_END follows. */
	bool (*event)(void *ctx, const struct event *event, struct bc_error *err);
};

BC_MUST_USE static inline bool event_deliver(const struct event_sink *sink,
					     const struct event *event, struct bc_error *err)
{
	return sink->event(sink->ctx, event, err);
}

/* Delivers EVENT_END.  ok: the input was read without an error.  Returns whether nothing failed;
 * err has the first error. */
BC_MUST_USE static inline bool event_end(const struct event_sink *sink, bool ok,
					 struct bc_error *err)
{
	struct bc_error later = {0};

	return event_deliver(sink, &(struct event){.kind = EVENT_END}, ok ? err : &later) && ok;
}

#endif
