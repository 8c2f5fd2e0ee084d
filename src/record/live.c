/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* ppoll() */
#include "src/record/live.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "src/record/proc_files.h"
#include "src/record/proc_scan.h"

#define SECOND        UINT64_C(1000000000)
#define WAIT          200                /* ms: a ring that fills slowly is read so often */
#define WAIT_LIMITED  50                 /* ms: with a limit of the cost, which is seen only then */
#define SCAN_LEAST    SECOND             /* between two scans after losses */
#define MAPPINGS_MOST ((size_t)64 << 10) /* bytes of rings of mappings that are read at a time */
#define ROUND_MOST    (2 * SECOND)       /* so long samples wait for mappings that are older */
#define WAKE_LEAST    ((size_t)16 << 10) /* bytes for which the thread that counts is woken at once */
#define LOOK_MOST     (SECOND / 100)     /* ns at a time for digests */
#define LOOK_PAUSE    20000000L          /* ns until more is looked at */
#define END_MORE      (SECOND / 2)       /* after the deadline, until it is given up */

uint64_t live_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* ---- whom ---- */

/* Adds the children of the processes, and lists the threads of all. */
static bool list_threads(struct task_vec *processes, struct task_vec *threads, struct bc_error *err)
{
	size_t named = processes->len;
	struct bc_error gone;

	for (size_t i = 0; i < named; i++)
		if (!proc_threads(PROC_ROOT, processes->at[i], threads, err))
			return false;
	if (!proc_add_descendants(PROC_ROOT, processes, err))
		return false;
	for (size_t i = named; i < processes->len; i++) /* of which this program can be one */
		if (processes->at[i] != (int)getpid() &&
		    !proc_threads(PROC_ROOT, processes->at[i], threads, &gone) &&
		    gone.code != BC_NOTFOUND) {
			*err = gone;
			return false;
		}
	return true;
}

static bool name_processes(struct live_recording *live, const struct task_vec *named,
			   struct bc_error *err)
{
	for (size_t i = 0; i < named->len; i++)
		if (!task_vec_push(&live->processes, named->at[i]))
			return bc_fail_nomem(err);
	return true;
}

static bool open_cgroup(struct live_recording *live, const char *name, int *fd,
			struct bc_error *err)
{
	if (!proc_cgroup_folder(name, live->cgroup, err))
		return false;
	*fd = open(live->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *fd >= 0 || bc_fail_errno(err, "%s", live->cgroup);
}

bool live_open(struct live_recording *live, const struct perf_request *request, const char *cgroup,
	       struct bc_error *err)
{
	struct perf_request asked = *request;
	struct task_vec threads = {0};
	bool ok = name_processes(live, &request->tasks, err);

	live->target = request->target;
	asked.cgroup = -1;
	if (ok && request->target == PERF_TASKS) {
		ok = list_threads(&live->processes, &threads, err);
		asked.tasks = threads;
	}
	if (ok && request->target == PERF_CGROUP)
		ok = open_cgroup(live, cgroup, &asked.cgroup, err);
	ok = ok && perf_open(&perf_kernel_linux, &asked, &live->rings, err);
	if (asked.cgroup >= 0)
		close(asked.cgroup);
	task_vec_free(&threads);
	return ok;
}

void live_close(struct live_recording *live)
{
	perf_close(&live->rings);
	task_vec_free(&live->processes);
}

struct bytes live_attr(const struct live_recording *live)
{
	return (struct bytes){(const uint8_t *)&live->rings.attr, live->rings.attr.size};
}

/* What a host is, for whoever reads its rings elsewhere. */
static void describe_host(char *text, size_t size)
{
	struct utsname own;
	char cpu[8192], *model;

	if (uname(&own) != 0)
		memset(&own, 0, sizeof(own));
	int length = snprintf(text, size, "machine %s\nkernel %s %s\n", own.machine, own.sysname,
			      own.release);
	if (!perf_kernel_linux.read("/proc/cpuinfo", cpu, sizeof(cpu)) ||
	    !(model = strstr(cpu, "model name")) || !(model = strchr(model, ':')))
		return;
	model[strcspn(model, "\n")] = '\0';
	snprintf(text + length, size - (size_t)length, "processor%s\n", model + 1);
}

void live_save_head(const struct live_recording *live, FILE *to)
{
	char host[1024];

	describe_host(host, sizeof(host));
	rings_begin(to, live_attr(live), (uint32_t)live->rings.rings.len, text_of(host));
}

/* ---- from the loop to the thread that counts ---- */

#define KEPT_ROUND SIZE_MAX /* `ring` of the end of a round */

struct kept_part {
	size_t ring, size; /* so many bytes follow */
};

struct kept_bytes {
	uint8_t *at;
	size_t len, cap;
};

/* How it is, as the loop sees it. */
struct live_state {
	uint64_t now, cpu, sampled;
	bool paused;
	bool ended;                /* nothing comes any more */
	sig_atomic_t rotate, tell; /* how often signals asked for it */
};

struct live_thread {
	struct live_recording *live;
	pthread_mutex_t lock;
	pthread_cond_t to_count, to_loop;
	/* Under the lock: */
	struct kept_bytes kept; /* what comes when there is no more room stays in its ring */
	size_t mappings;        /* bytes of them that are of rings of mappings */
	struct live_state state;
	bool left;      /* not all of the rings was kept that may be */
	bool taken_all; /* what was kept is taken */
	bool in_round;  /* bytes were kept since the last round ended, ... */
	uint64_t round; /* ... when it did */
	uint64_t woken; /* when the thread that counts was */
	bool drained;   /* all is counted: the end can begin ... */
	bool go;        /* ... and does */
	bool done;      /* the thread that counts has nothing to do any more, ... */
	bool failed;    /* ... because of an error */
	/* For the thread that counts: */
	struct kept_bytes taken;
	struct bc_error *err;
	uint64_t deadline;
};

static bool make_room(struct kept_bytes *kept, size_t more, size_t most)
{
	size_t cap = kept->cap ? kept->cap : (size_t)1 << 16;

	if (kept->len + more > most)
		return false;
	while (cap < kept->len + more)
		cap *= 2;
	cap = cap < most ? cap : most;
	uint8_t *at = cap == kept->cap ? kept->at : realloc(kept->at, cap);
	if (!at)
		return false;
	kept->at = at;
	kept->cap = cap;
	return true;
}

static void add_part(struct kept_bytes *kept, size_t ring, const struct bytes *pieces, size_t count)
{
	struct kept_part part = {.ring = ring};

	for (size_t i = 0; i < count; i++)
		part.size += pieces[i].size;
	memcpy(kept->at + kept->len, &part, sizeof(part));
	kept->len += sizeof(part);
	for (size_t i = 0; i < count; i++)
		if (pieces[i].size) {
			memcpy(kept->at + kept->len, pieces[i].data, pieces[i].size);
			kept->len += pieces[i].size;
		}
}

/* How many samples there are: each has interrupted a program. */
static uint64_t count_samples(const struct ring_bytes *bytes)
{
	const struct bytes *first = &bytes->pieces[0], *second = &bytes->pieces[1];
	struct perf_event_header header;
	uint64_t count = 0;

	for (size_t at = 0; at + sizeof(header) <= first->size + second->size; at += header.size) {
		size_t part = at < first->size ? first->size - at : 0;
		part = part < sizeof(header) ? part : sizeof(header);
		if (part)
			memcpy(&header, first->data + at, part);
		if (part < sizeof(header))
			memcpy((uint8_t *)&header + part, second->data + (at + part - first->size),
			       sizeof(header) - part);
		if (header.size < sizeof(header))
			break; /* the recorder says so */
		count += header.type == PERF_RECORD_SAMPLE;
	}
	return count;
}

static bool count_bytes(void *ctx, size_t ring, const struct ring_bytes *bytes,
			struct bc_error *err)
{
	struct live_recording *live = ctx;

	(void)err;
	if (!live->rings.rings.at[ring].tasks)
		(void)atomic_fetch_add(&live->budget.samples, count_samples(bytes));
	return true;
}

static bool keep_bytes(void *ctx, size_t ring, const struct ring_bytes *bytes, struct bc_error *err)
{
	struct live_thread *thread = ctx;
	bool tasks = thread->live->rings.rings.at[ring].tasks; /* no samples, and cut anywhere */
	size_t size = bytes->pieces[0].size + bytes->pieces[1].size;

	if (!make_room(&thread->kept, sizeof(struct kept_part) + size, thread->live->kept_most))
		return bc_fail_nomem(err);
	add_part(&thread->kept, ring, bytes->pieces, BC_COUNT(bytes->pieces));
	thread->in_round = true;
	if (tasks)
		thread->mappings += size;
	else
		(void)atomic_fetch_add(&thread->live->budget.samples, count_samples(bytes));
	return true;
}

static void end_round(struct live_thread *thread, uint64_t now)
{
	thread->round = now;
	if (!thread->in_round ||
	    !make_room(&thread->kept, sizeof(struct kept_part), thread->live->kept_most))
		return;
	add_part(&thread->kept, KEPT_ROUND, NULL, 0);
	thread->in_round = false;
}

/* Copies what is in the rings.  With a limit of the cost those of mappings and tasks are read a
 * little at a time, or whoever maps and unmaps in a loop would have them read all the time.  What
 * is left of a round when there is no more room comes with the next one, or it would be late.  So
 * do samples whose mappings may be left, but not for long, or that user could hold up all others.
 */
static void keep_round(struct live_thread *thread, uint64_t now)
{
	struct live_recording *live = thread->live;
	size_t tasks = live->share <= 0 ? SIZE_MAX : MAPPINGS_MOST;
	struct bc_error full;
	bool all, may = budget_may(&live->budget, BUDGET_MAPPINGS, now);
	if (live->share > 0 && (thread->mappings >= MAPPINGS_MOST || !may))
		tasks = 0;
	bool drained = perf_drain(&live->rings, tasks, keep_bytes, thread, &all, &full);
	if (drained && (all || now - thread->round >= ROUND_MOST))
		end_round(thread, now);
	thread->left = !drained || (!all && may);
}

/* ---- the thread that counts ---- */

struct live_marks {
	uint64_t tick, lost;
	struct proc_scan *scan;
	uint64_t retry, pause; /* nothing is written before; how long that was put off; 0: not */
	sig_atomic_t rotate, tell, rotated, told;
};

static bool take_kept(struct live_recording *live, const struct kept_bytes *kept,
		      struct bc_error *err)
{
	uint64_t began = budget_thread_cpu(), of_mappings = 0,
		 opens = recorder_opens_cpu(live->recorder);
	struct kept_part part;
	bool ok = true;

	recorder_limit_opens(live->recorder,
			     budget_left(&live->budget, BUDGET_OPENS, live_clock()));
	for (size_t at = 0; ok && at < kept->len; at += part.size) {
		memcpy(&part, kept->at + at, sizeof(part));
		at += sizeof(part);
		if (part.ring == KEPT_ROUND) {
			ok = recorder_round(live->recorder, err);
			continue;
		}
		of_mappings += live->rings.rings.at[part.ring].tasks ? part.size : 0;
		ok = recorder_ring(live->recorder, (uint32_t)part.ring,
				   (struct bytes){kept->at + at, part.size}, err);
	}
	budget_add(&live->budget, BUDGET_OPENS, recorder_opens_cpu(live->recorder) - opens);
	if (of_mappings) /* all bytes take about the same time */
		budget_add(&live->budget, BUDGET_MAPPINGS,
			   (budget_thread_cpu() - began) * of_mappings / kept->len);
	return ok;
}

static void put_off(struct live_marks *marks, bool behind)
{
	if (behind)
		marks->pause = marks->pause ? marks->pause * 2 : LIVE_RETRY_FIRST;
	else
		marks->pause = 0;
	if (marks->pause > LIVE_RETRY_MOST)
		marks->pause = LIVE_RETRY_MOST;
	marks->retry = behind ? live_clock() + marks->pause : 0;
}

static bool hand_over(struct live_recording *live, struct live_marks *marks, struct bc_error *err)
{
	bool behind = false, due = live->next && live->now >= live->next,
	     asked = marks->rotate != marks->rotated;

	if (!due && !asked && !recorder_is_full(live->recorder))
		return true;
	marks->rotated = marks->rotate;
	while (live->next && live->now >= live->next)
		live->next += live->interval;
	if (!asked && marks->retry > live->now)
		return true;
	bool ok = live->flush(live->ctx, false, &behind, err);
	put_off(marks, behind);
	return ok;
}

static enum budget_part part_of(const struct proc_scan *scan)
{
	return scan->last ? BUDGET_LARGE : BUDGET_PROC;
}

/* Continues with the scan for a moment, within the budget; after losses it begins again, but not at
 * once. */
static bool rescan(struct live_recording *live, struct live_marks *marks, struct bc_error *err)
{
	uint64_t lost = recorder_stats(live->recorder).lost, before = budget_thread_cpu(),
		 began = live_clock();
	struct proc_scan *scan = marks->scan;
	struct bc_error later;
	bool ok = true;

	if (lost != marks->lost && began - scan->began >= SCAN_LEAST &&
	    (scan->last || !proc_scan_goes_on(scan)) &&
	    budget_may(&live->budget, BUDGET_PROC, began)) {
		if (proc_scan_begin(scan, began, &later)) /* else it is tried again */
			marks->lost = lost;
		budget_spend(&live->budget, BUDGET_PROC, &before);
	}
	for (uint64_t now = began; ok && proc_scan_goes_on(scan) && now - began < LOOK_MOST &&
				   budget_may(&live->budget, part_of(scan), now);
	     now = live_clock()) {
		enum budget_part part = part_of(scan);
		uint64_t others = scan->others_cpu;
		ok = proc_scan_step(scan, err);
		budget_spend(&live->budget, part, &before);
		budget_add(&live->budget, part, scan->others_cpu - others);
	}
	bool more = proc_scan_goes_on(scan);
	atomic_store(&live->budget.parts[BUDGET_PROC].waits, more && !scan->last);
	atomic_store(&live->budget.parts[BUDGET_LARGE].waits, more && scan->last);
	live->unreadable = scan->unreadable;
	return ok;
}

/* Reads digests until the deadline, as far as the budget has it.  True: more are left. */
static bool look(struct live_recording *live, uint64_t deadline)
{
	uint64_t before = budget_thread_cpu();
	bool more = true;

	for (uint64_t now = live_clock();
	     more && now < deadline && budget_may(&live->budget, BUDGET_DIGESTS, now);
	     now = live_clock()) {
		uint64_t others = recorder_others_cpu(live->recorder);
		more = recorder_look(live->recorder, live->least);
		budget_spend(&live->budget, BUDGET_DIGESTS, &before);
		budget_add(&live->budget, BUDGET_DIGESTS,
			   recorder_others_cpu(live->recorder) - others);
	}
	return more && recorder_looks(live->recorder, live->least);
}

static void tell(struct live_recording *live, struct live_marks *marks)
{
	bool asked = marks->tell != marks->told;

	if (!asked && live->now - marks->tick < SECOND)
		return;
	marks->tick = live->now;
	marks->told = marks->tell;
	live->tick(live->ctx, asked);
}

/* Waits for more bytes, and takes them. */
static bool take_more(struct live_thread *thread, struct live_marks *marks, struct bc_error *err)
{
	struct live_recording *live = thread->live;
	bool waits = budget_may_go_on(&live->budget, live_clock());
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += !waits;
	until.tv_nsec += waits ? LOOK_PAUSE : 0;
	if (until.tv_nsec >= (long)SECOND) {
		until.tv_nsec -= (long)SECOND;
		until.tv_sec++;
	}
	pthread_mutex_lock(&thread->lock);
	if (!thread->kept.len && !thread->state.ended)
		pthread_cond_timedwait(&thread->to_count, &thread->lock, &until);
	struct kept_bytes free = thread->taken;
	free.len = 0;
	thread->taken = thread->kept;
	thread->kept = free;
	thread->mappings = 0;
	thread->taken_all = true;
	pthread_cond_signal(&thread->to_loop);
	live->now = thread->state.now;
	live->cpu = thread->state.cpu;
	live->sampled = thread->state.sampled;
	live->paused = thread->state.paused;
	marks->rotate = thread->state.rotate;
	marks->tell = thread->state.tell;
	pthread_mutex_unlock(&thread->lock);
	return take_kept(live, &thread->taken, err);
}

static bool has_ended(struct live_thread *thread)
{
	pthread_mutex_lock(&thread->lock);
	bool ended = thread->state.ended && !thread->kept.len;
	pthread_mutex_unlock(&thread->lock);
	return ended;
}

/* Informs the loop that all is counted, and waits until it has said what comes now. */
static void begin_last(struct live_thread *thread)
{
	pthread_mutex_lock(&thread->lock);
	thread->drained = true;
	pthread_cond_signal(&thread->to_loop);
	while (!thread->go)
		pthread_cond_wait(&thread->to_count, &thread->lock);
	pthread_mutex_unlock(&thread->lock);
}

/* Samples that were kept, or are in the rings, and were not counted are lost, as those that the
 * kernel lost. */
static void add_lost(struct live_recording *live)
{
	struct bc_error never;
	bool all;

	if (!perf_drain(&live->rings, SIZE_MAX, count_bytes, live, &all, &never))
		return;
	uint64_t taken = atomic_load(&live->budget.samples),
		 read = recorder_stats(live->recorder).samples.read;
	recorder_lost(live->recorder, perf_lost(&live->rings) + (taken > read ? taken - read : 0));
}

static bool count_until_end(struct live_thread *thread, struct proc_scan *scan,
			    struct bc_error *err)
{
	struct live_recording *live = thread->live;
	struct live_marks marks = {.tick = live->now, .scan = scan};
	bool behind;
	bool ok = live->target == PERF_COMMAND || proc_scan_begin(scan, live->now, err);

	while (ok && !has_ended(thread)) {
		ok = rescan(live, &marks, err) && take_more(thread, &marks, err) &&
		     hand_over(live, &marks, err);
		bool more = look(live, live_clock() + LOOK_MOST);
		atomic_store(&live->budget.parts[BUDGET_DIGESTS].waits, more);
		tell(live, &marks);
	}
	if (!ok)
		return false;
	if (!recorder_drain(live->recorder, err))
		return false;
	add_lost(live);
	begin_last(thread);
	(void)look(live, thread->deadline);
	return live->flush(live->ctx, true, &behind, err);
}

void live_writes(struct live_recording *live, bool begins)
{
	(begins ? pthread_mutex_unlock : pthread_mutex_lock)(&live->counted);
}

static void *count(void *ctx)
{
	struct live_thread *thread = ctx;
	struct live_recording *live = thread->live;
	struct proc_scan *scan = calloc(1, sizeof(*scan));
	bool ok = scan || bc_fail_nomem(thread->err);

	live_writes(live, false);
	if (ok) {
		scan->recorder = live->recorder;
		scan->target = live->target;
		scan->processes = &live->processes;
		scan->cgroup = live->cgroup;
		ok = count_until_end(thread, scan, thread->err);
		proc_scan_end(scan);
		free(scan);
	}
	live_writes(live, true);
	pthread_mutex_lock(&thread->lock);
	thread->failed = !ok;
	thread->done = thread->drained = true;
	pthread_cond_signal(&thread->to_loop);
	pthread_mutex_unlock(&thread->lock);
	return NULL;
}

/* ---- the loop ---- */

/* How long to wait for the rings, in ms. */
static int wait_time(const struct live_recording *live, bool paused, uint64_t now)
{
	uint64_t most = live->share > 0 && !paused ? WAIT_LIMITED : WAIT,
		 end = live->duration ? live->began + live->duration : UINT64_MAX;

	if (live->interval && live->interval / 1000000 < most)
		most = live->interval / 1000000;
	if (end <= now)
		return 0;
	uint64_t left = (end - now) / 1000000 + 1;
	return (int)(left < most ? left : most);
}

/* With no events left it waits for the command. */
static bool wait_for_more(struct live_recording *live, bool paused, uint64_t now)
{
	int ms = wait_time(live, paused, now);
	const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};

	if (!live->blind && perf_wait(&live->rings, ms, live->mask))
		return true;
	if (live->command)
		ppoll(NULL, 0, &time, live->mask);
	if (!live->blind)
		live->blind = now;
	return false;
}

/* Switches samples off and on, and notes how long they were on. */
static void hold_to_budget(struct live_recording *live, struct live_state *state)
{
	uint64_t now = live_clock();

	state->sampled += state->paused ? 0 : now - state->now;
	state->now = now;
	state->cpu = budget_cpu(&live->budget);
	state->rotate = live->signals->rotate;
	state->tell = live->signals->tell;
	budget_forget(&live->budget, now);
	bool on = budget_has_samples(&live->budget, now, !state->paused);
	if (on == !state->paused)
		return;
	(on ? perf_go_on : perf_pause)(&live->rings);
	state->paused = !on;
}

static bool is_over(const struct live_recording *live, const struct live_state *state, bool alive)
{
	return (!alive && !live->command) || live->signals->end ||
	       (live->duration && state->now - live->began >= live->duration) ||
	       live->ended(live->ctx);
}

/* Hands over what is in the rings.  False: the thread that counts has failed. */
static bool hand_on(struct live_thread *thread, const struct live_state *state, bool last)
{
	pthread_mutex_lock(&thread->lock);
	keep_round(thread, state->now);
	thread->taken_all = false;
	bool asked = state->ended || state->rotate != thread->state.rotate ||
		     state->tell != thread->state.tell;
	bool due = thread->kept.len >= WAKE_LEAST ||
		   (thread->kept.len && state->now - thread->woken >= WAIT * UINT64_C(1000000));
	bool done = thread->done;
	thread->state = *state;
	if (asked || due || last) {
		thread->woken = state->now;
		pthread_cond_signal(&thread->to_count);
	}
	pthread_mutex_unlock(&thread->lock);
	return !done;
}

static bool wait_until(struct live_thread *thread, const bool *what, uint64_t deadline)
{
	const struct timespec until = {(time_t)(deadline / SECOND), (long)(deadline % SECOND)};
	int why = 0;

	pthread_mutex_lock(&thread->lock);
	while (!*what && !why)
		why = pthread_cond_timedwait(&thread->to_loop, &thread->lock, &until);
	bool is_so = *what;
	pthread_mutex_unlock(&thread->lock);
	return is_so;
}

static void give_up(struct live_thread *thread)
{
	struct live_recording *live = thread->live;
	bool known = pthread_mutex_trylock(&live->counted) == 0;

	if (known)
		add_lost(live);
	live->give_up(live->ctx, known);
}

/* Hands over all that is in the rings, as soon as there is room for it; of mappings, what the
 * budget has. */
static void hand_on_last(struct live_thread *thread, struct live_state *state, uint64_t until)
{
	while (hand_on(thread, state, true) && thread->left && live_clock() < until)
		(void)wait_until(thread, &thread->taken_all, until);
	state->ended = true;
	(void)hand_on(thread, state, true);
}

/* Has what is left counted and written. */
static void end(struct live_thread *thread, struct live_state *state)
{
	struct live_recording *live = thread->live;

	perf_end(&live->rings);
	hold_to_budget(live, state);
	thread->deadline = state->now + live->stop_time;
	uint64_t last = thread->deadline + END_MORE; /* a shard is being written then */
	hand_on_last(thread, state, thread->deadline);
	if (!wait_until(thread, &thread->drained, last))
		give_up(thread);
	if (!thread->failed)
		live->last(live->ctx, recorder_pending(live->recorder, live->least),
			   thread->deadline);
	pthread_mutex_lock(&thread->lock);
	thread->go = true;
	pthread_cond_signal(&thread->to_count);
	pthread_mutex_unlock(&thread->lock);
	if (!wait_until(thread, &thread->done, last))
		give_up(thread);
}

static bool begin_thread(struct live_thread *thread, pthread_t *id, struct bc_error *err)
{
	pthread_condattr_t clock;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_mutex_init(&thread->lock, NULL);
	pthread_mutex_init(&thread->live->counted, NULL);
	pthread_cond_init(&thread->to_count, &clock);
	pthread_cond_init(&thread->to_loop, &clock);
	pthread_condattr_destroy(&clock);
	int why = pthread_create(id, NULL, count, thread);
	return !why || bc_fail(err, BC_NOMEM, "no thread: %s", strerror(why));
}

bool live_run(struct live_recording *live, void (*let_go)(void *ctx), struct bc_error *err)
{
	struct live_state state = {.now = live_clock()};
	struct live_thread thread = {.live = live, .err = err, .round = state.now};
	pthread_t id;

	live->began = live->now = state.now;
	live->next = live->interval ? live->now + live->interval : 0;
	budget_begin(&live->budget, live->share, live->began);
	if (live->target != PERF_COMMAND)
		perf_begin(&live->rings);
	if (!begin_thread(&thread, &id, err))
		return false;
	if (let_go)
		let_go(live->ctx);
	for (bool alive = true; !is_over(live, &state, alive);) {
		alive = wait_for_more(live, state.paused, state.now);
		hold_to_budget(live, &state);
		if (!hand_on(&thread, &state, false))
			break;
	}
	end(&thread, &state);
	pthread_join(id, NULL);
	free(thread.kept.at);
	free(thread.taken.at);
	live->now = state.now;
	live->sampled = state.sampled;
	live->paused = state.paused;
	live->cpu = budget_cpu(&live->budget);
	return !thread.failed;
}
