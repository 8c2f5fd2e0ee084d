/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The kernel's samples of threads, of a cgroup or of the whole machine: one event a thread and
 * processor, one ring a processor, into which all events of that processor write.
 *
 * Which event, where nobody names one, is found by asking for the best first (perf_event_open(2);
 * arch/x86/events and drivers/perf/arm_brbe.c of Linux say what they refuse):
 *
 *   cycles, branch stacks with types   Arm with BRBE, and Intel since Arch LBR, whose hardware
 *                                      shows the types
 *   cycles, branch stacks              Intel LBR, AMD LbrExtV2 (Zen 4 on)
 *   branch-brs, branch stacks          AMD BRS (Zen 3): one event only, and by a period only
 *   cycles                             no branch stacks
 *   cpu-clock                          no counters: most virtual machines
 *
 * A refusal that another event would meet as well - rights, no such process, descriptors - ends the
 * search.
 */
#ifndef RECORD_PERF_OPEN_H
#define RECORD_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/bytes.h"
#include "src/base/error.h"
#include "src/base/vec.h"

/* What is asked of the kernel; tests put their own functions instead.  Those that return a
 * number return -1 with errno set. */
struct perf_kernel {
	int (*open)(struct perf_event_attr *attr, int task, int cpu, unsigned long flags);
	void *(*map)(int fd, size_t size); /* NULL with errno */
	void (*unmap)(void *at, size_t size);
	int (*control)(int fd, unsigned long request, unsigned long value);
	void (*close)(int fd);
	bool (*count)(int fd, uint64_t *values,
		      size_t count); /* reads so many of an event; false: it has others */
	/* The first bytes of a file of /proc or /sys, ended by a zero byte; false: it cannot be
	 * read. */
	bool (*read)(const char *path, char *text, size_t size);
	uint64_t (*descriptors)(
		void); /* how many may be open at once, raised as far as is allowed */
};
extern const struct perf_kernel perf_kernel_linux;

enum perf_target { PERF_COMMAND, PERF_TASKS, PERF_CGROUP, PERF_MACHINE };

DEFINE_VEC(task_vec, int);

struct perf_request {
	enum perf_target target;
	struct task_vec
		tasks;      /* threads, or of a command the process that will become it; borrowed */
	const char *named;  /* what messages call the target: "PID 12" */
	int cgroup;         /* the directory of a cgroup */
	const char *event;  /* NULL: the best there is */
	uint64_t frequency; /* samples a second and processor, or 0 ... */
	uint64_t period;    /* ... and a sample each so many events */
	bool frequency_given;  /* by the user, who is warned when it cannot be */
	size_t ring;           /* bytes of a ring: a power of two of pages */
	bool basic;            /* no branch stacks */
	bool require_branches; /* BC_MISMATCH where there are none */
	bool pauses; /* perf_pause() will be called: mappings and tasks have events of their own,
			which continue, and a ring of their own, so that nobody fills that of the
			samples with them */
};

/* Lines for the user, in their order. */
enum perf_note_kind {
	PERF_NOTE_EVENT,   /* what is recorded */
	PERF_NOTE_INPUT,   /* basic samples, whose profile needs the input */
	PERF_NOTE_CHANGED, /* less than what was asked for */
};

struct perf_note {
	enum perf_note_kind kind;
	char text[400];
};
DEFINE_VEC(perf_note_vec, struct perf_note);

struct perf_ring {
	int cpu;
	bool tasks;                        /* of mappings and tasks alone, where there are pauses */
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	size_t first, count;               /* of `events` */
	size_t watched; /* the event that is polled, from `first` on; count: all have ended */
};
DEFINE_VEC(perf_ring_vec, struct perf_ring);

struct opened_rings {
	const struct perf_kernel *kernel;
	struct perf_event_attr attr; /* of the samples */
	char event[64];              /* "cycles:u" */
	struct task_vec events;      /* descriptors, ring by ring */
	struct perf_ring_vec rings;
	size_t size; /* bytes of each ring */
	struct perf_note_vec notes;
};

/* Opens the events, which do not count yet; those of a command begin with its exec.  *out is to be
 * closed, also after an error.
 *
 * BC_IO           the kernel refuses: the message says what can be done
 * BC_NOTFOUND     no such process
 * BC_MISMATCH     no branch stacks, but they are required
 * BC_UNSUPPORTED  an event that this is not for
 * BC_NOMEM */
BC_MUST_USE bool perf_open(const struct perf_kernel *kernel, const struct perf_request *request,
			   struct opened_rings *out, struct bc_error *err);
void perf_close(struct opened_rings *rings);

/* Is it a name of an event that can be recorded?  BC_UNSUPPORTED */
BC_MUST_USE bool perf_event_is_known(const char *event, struct bc_error *err);

/* Does each sample have a branch stack? */
static inline bool perf_has_branches(const struct opened_rings *rings)
{
	return rings->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
}

/* Begin and end all events; switch the samples off and on in between (`pauses` of the request). */
void perf_begin(struct opened_rings *rings);
void perf_end(struct opened_rings *rings);
void perf_pause(struct opened_rings *rings);
void perf_go_on(struct opened_rings *rings);

/* Calls take() with what is new in each ring, in the order of the rings: whole records, of which
 * one can be in both parts; the second one is empty but at the end of the ring's memory.  For a
 * ring of mappings and tasks alone it is so many bytes at most, wherever they end.  The ring is
 * free for the kernel after them.  If take() returns false, they stay in their ring, and no other
 * ring is looked at.  *all: nothing was left. */
struct ring_bytes {
	struct bytes pieces[2];
};
typedef bool perf_bytes_fn(void *ctx, size_t ring, const struct ring_bytes *bytes,
			   struct bc_error *err);
BC_MUST_USE bool perf_drain(struct opened_rings *rings, size_t tasks, perf_bytes_fn *take,
			    void *ctx, bool *all, struct bc_error *err);

/* How many records found no room in their ring, as the kernel counts them (PERF_FORMAT_LOST,
 * Linux 6.0); 0: it does not. */
uint64_t perf_lost(const struct opened_rings *rings);

/* Waits until a ring is half full, or a signal comes, or so many milliseconds are over.  `signals`:
 * those that are let through meanwhile, as ppoll() has it.  False: everything that was recorded has
 * ended. */
bool perf_wait(struct opened_rings *rings, int milliseconds, const void *signals);

#endif
