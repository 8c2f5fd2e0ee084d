/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/proc_scan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/record/budget.h"
#include "src/record/file_calls.h"
#include "src/record/live.h"
#include "src/record/proc_files.h"

#define ANSWER_WAIT UINT64_C(50000000) /* ns, for some processes together */

/* A part has about half of that: some 150 mappings. */
#define PIECE_ROOM ((size_t)2 * PROC_MAPS_LINE_MOST)

/* ---- which processes ---- */

static bool list_processes(struct proc_scan *scan, struct task_vec *out, struct bc_error *err)
{
	if (scan->target == PERF_MACHINE)
		return proc_processes(PROC_ROOT, out, err);
	if (scan->target == PERF_CGROUP)
		return proc_cgroup(scan->cgroup, out, err);
	if (!proc_add_descendants(PROC_ROOT, scan->processes, err))
		return false;
	for (size_t i = 0; i < scan->processes->len; i++)
		if (!task_vec_push(out, scan->processes->at[i]))
			return bc_fail_nomem(err);
	return true;
}

static int by_user(const void *a, const void *b)
{
	const struct scan_task *x = a, *y = b;

	return x->user != y->user ? (x->user < y->user ? -1 : 1) :
				    (x->pid > y->pid) - (x->pid < y->pid);
}

/* Has all tasks wait for their turn. */
static void queue_tasks(struct proc_scan *scan)
{
	memset(scan->next, 0, sizeof(scan->next));
	memset(scan->end, 0, sizeof(scan->end));
	scan->left = scan->tasks.len;
	if (scan->left)
		qsort(scan->tasks.at, scan->left, sizeof(*scan->tasks.at), by_user);
	for (size_t i = 0; i < scan->left; i++) {
		uint32_t user = scan->tasks.at[i].user;
		scan->next[user] = scan->end[user] ? scan->next[user] : i;
		scan->end[user] = i + 1;
	}
}

bool proc_scan_begin(struct proc_scan *scan, uint64_t now, struct bc_error *err)
{
	struct shares *shares = recorder_shares(scan->recorder);
	struct task_vec pids = {0};

	for (size_t i = 0; i < shares->count; i++)
		shares->at[i].scanned = 0; /* all begin to wait now */
	scan->opened = NULL;
	scan->began = now;
	scan->count++;
	scan->unreadable = 0;
	scan->tasks.len = scan->large.len = scan->asked = scan->left = 0;
	scan->last = false;
	bool ok = list_processes(scan, &pids, err);
	for (size_t i = 0; ok && i < pids.len; i++)
		ok = scan_task_vec_push(&scan->tasks, (struct scan_task){.pid = pids.at[i]}) ||
		     bc_fail_nomem(err);
	task_vec_free(&pids);
	return ok;
}

bool proc_scan_goes_on(const struct proc_scan *scan)
{
	return scan->left || scan->opened || scan->asked < scan->tasks.len;
}

/* The user for whom least was read of those with processes that are left; scan->left is not 0. */
static size_t next_user(const struct proc_scan *scan)
{
	const struct shares *shares = recorder_shares(scan->recorder);
	size_t best = 0;

	for (size_t i = 1; i < SHARES_MOST; i++)
		if (scan->next[i] < scan->end[i] &&
		    (scan->next[best] == scan->end[best] ||
		     shares->at[i].scanned < shares->at[best].scanned))
			best = i;
	return best;
}

static struct scan_task next_process(struct proc_scan *scan)
{
	scan->left--;
	return scan->tasks.at[scan->next[next_user(scan)]++];
}

/* ---- one of them ---- */

struct proc_reading {
	struct file_call call;
	struct scan_task task;
	bool busy;     /* a call is under way */
	bool hangs;    /* ... and was waited for in vain */
	uint64_t time; /* what happens while it is read comes later */
	/* The call's: */
	bool piece; /* one part, after those that were read */
	int fd;     /* -1: not open */
	bool ok, ended;
	struct bc_error why;
	struct task_vec threads;
	char *room; /* PROC_SCAN_FIRST bytes, or NULL */
	size_t size;
};

static void close_maps(struct proc_reading *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

static void free_reading(struct file_call *call)
{
	struct proc_reading *r = (struct proc_reading *)call;

	close_maps(r);
	task_vec_free(&r->threads);
	free(r->room);
	free(r);
}

/* As much as there is room for, or a part. */
static void read_process(struct file_call *call)
{
	struct proc_reading *r = (struct proc_reading *)call;
	size_t most = r->piece ? PIECE_ROOM : PROC_SCAN_FIRST, got = 1;
	uint32_t pid = (uint32_t)r->task.pid;

	r->size = r->threads.len = 0;
	if (!r->room)
		r->room = malloc(PROC_SCAN_FIRST);
	r->ok = (r->room || bc_fail_nomem(&r->why)) &&
		(r->piece || proc_threads(PROC_ROOT, r->task.pid, &r->threads, &r->why)) &&
		(r->fd >= 0 || proc_maps_open(pid, &r->fd, &r->why));
	for (; r->ok && got && most - r->size >= PROC_MAPS_LINE_MOST; r->size += got)
		r->ok = proc_maps_more(pid, r->fd, r->room + r->size, most - r->size, &got,
				       &r->why);
	r->ended = !got;
	if (!r->piece || !r->ok || r->ended)
		close_maps(r);
}

static void charge(struct proc_scan *scan, uint32_t user, uint64_t cpu)
{
	recorder_shares(scan->recorder)->at[user].scanned += cpu;
}

/* Has it responded?  Waits for it so many ns. */
static bool is_answered(struct proc_scan *scan, struct proc_reading *r, uint64_t wait)
{
	struct file_calls *calls = recorder_calls(scan->recorder);

	if (!file_calls_wait(calls, &r->call, wait))
		return false;
	r->busy = r->hangs = false;
	if (calls) { /* else this thread has spent it */
		scan->others_cpu += r->call.cpu;
		charge(scan, r->task.user, r->call.cpu);
	}
	return true;
}

/* Those that hung are free again when they continue. */
static void note_answers(struct proc_scan *scan)
{
	for (size_t i = 0; i < PROC_SCAN_CALLS; i++) {
		struct proc_reading *r = scan->readings[i];
		if (r && r->hangs && is_answered(scan, r, 0))
			close_maps(r);
	}
}

/* May one more process of a user be read?  hanging: as far as those are concerned that hang. */
static bool may_read(struct proc_scan *scan, uint32_t user, bool hanging)
{
	uint32_t own = 0, used = 0;

	for (size_t i = 0; i < PROC_SCAN_CALLS; i++) {
		const struct proc_reading *r = scan->readings[i];
		bool counts = r && (hanging ? r->hangs : r->busy || r == scan->opened);
		used += counts;
		own += counts && r->task.user == user;
	}
	return share_allows(&recorder_shares(scan->recorder)->at[user], own, used, PROC_SCAN_CALLS);
}

/* NULL: out of memory. */
static struct proc_reading *free_one(struct proc_scan *scan)
{
	size_t i = 0;

	while (scan->readings[i] && (scan->readings[i]->busy || scan->readings[i] == scan->opened))
		i++; /* may_read() has seen that there is one */
	if (!scan->readings[i] && (scan->readings[i] = calloc(1, sizeof(struct proc_reading))))
		scan->readings[i]->fd = -1;
	if (scan->readings[i])
		close_maps(scan->readings[i]);
	return scan->readings[i];
}

static void ask(struct proc_scan *scan, struct proc_reading *r, struct scan_task task, bool piece)
{
	const struct user_share *user = &recorder_shares(scan->recorder)->at[task.user];

	r->call.run = read_process;
	r->call.free = free_reading;
	r->call.user = task.user;
	r->call.trusted = share_is_trusted(user);
	r->task = task;
	r->piece = piece;
	r->busy = true;
	r->time = live_clock();
	file_calls_put(recorder_calls(scan->recorder), &r->call);
}

/* One that lives, as far as one can know, and cannot be read: what the rings say of it stays. */
static bool leave_unread(struct proc_scan *scan, const struct proc_reading *r, struct bc_error *err)
{
	if (r->why.code == BC_NOTFOUND)
		return true;
	scan->unreadable++;
	return recorder_unread(scan->recorder, (uint32_t)r->task.pid, true, r->time, err);
}

static bool take_threads(struct proc_scan *scan, const struct proc_reading *r, struct bc_error *err)
{
	uint32_t pid = (uint32_t)r->task.pid;
	bool ok = true;

	for (size_t i = 0; ok && i < r->threads.len; i++)
		ok = (uint32_t)r->threads.at[i] == pid ||
		     recorder_thread(scan->recorder, pid, (uint32_t)r->threads.at[i], r->time, err);
	return ok;
}

static bool put_last(struct proc_scan *scan, struct scan_task task, struct bc_error *err)
{
	return scan_task_vec_push(&scan->large, task) || bc_fail_nomem(err);
}

/* What was known of a process stays where not all of its mappings are read: they lie over it. */
static bool take_first(struct proc_scan *scan, const struct proc_reading *r, struct bc_error *err)
{
	uint32_t pid = (uint32_t)r->task.pid;
	const struct text maps = {r->room, r->size};

	if (!r->ok)
		return leave_unread(scan, r, err);
	if (r->ended && !r->size) /* a thread of the kernel has none, or it is gone */
		return true;
	return (r->ended ? recorder_process(scan->recorder, pid, r->time, err) :
			   recorder_unread(scan->recorder, pid, true, r->time, err)) &&
	       recorder_maps(scan->recorder, pid, maps, r->time, err) &&
	       take_threads(scan, r, err) && (r->ended || put_last(scan, r->task, err));
}

/* Does not respond, or others of its user do not. */
static bool leave_hanging(struct proc_scan *scan, struct scan_task task, uint64_t time,
			  struct bc_error *err)
{
	return recorder_unread(scan->recorder, (uint32_t)task.pid, true, time, err) &&
	       put_last(scan, task, err);
}

/* Asks for some processes at once: it can take a while until a thread has its turn. */
static bool ask_some(struct proc_scan *scan, struct proc_reading **asked, size_t *count,
		     struct bc_error *err)
{
	for (size_t i = 0; scan->left && i < 2 * PROC_SCAN_CALLS && *count < PROC_SCAN_CALLS; i++) {
		size_t user = next_user(scan);
		struct scan_task task = scan->tasks.at[scan->next[user]];
		bool hangs = !may_read(scan, task.user, true);
		if (!hangs && !may_read(scan, task.user, false))
			break; /* when those have responded that were asked for */
		scan->next[user]++;
		scan->left--;
		if (hangs) {
			if (!leave_hanging(scan, task, live_clock(), err))
				return false;
			continue;
		}
		struct proc_reading *r = free_one(scan);
		if (!r)
			return bc_fail_nomem(err);
		ask(scan, r, task, false);
		asked[(*count)++] = r;
	}
	return true;
}

static bool scan_first(struct proc_scan *scan, struct bc_error *err)
{
	struct proc_reading *asked[PROC_SCAN_CALLS];
	size_t count = 0;
	bool ok = ask_some(scan, asked, &count, err);
	uint64_t end = live_clock() + ANSWER_WAIT;

	for (size_t i = 0; i < count; i++) {
		uint64_t now = live_clock(), before = budget_thread_cpu();
		struct proc_reading *r = asked[i];
		r->hangs = !is_answered(scan, r, now < end ? end - now : 0);
		if (ok)
			ok = r->hangs ? leave_hanging(scan, r->task, r->time, err) :
					take_first(scan, r, err);
		charge(scan, r->task.user, budget_thread_cpu() - before);
	}
	return ok;
}

static void leave(struct proc_scan *scan, struct scan_task task)
{
	recorder_shares(scan->recorder)->at[task.user].unread++;
}

static bool take_piece(struct proc_scan *scan, struct proc_reading *r, struct bc_error *err)
{
	uint32_t pid = (uint32_t)r->task.pid;
	const struct text maps = {r->room, r->size};

	scan->opened = r->ended ? NULL : r;
	return recorder_maps(scan->recorder, pid, maps, r->time, err) &&
	       (!r->ended || recorder_unread(scan->recorder, pid, false, r->time, err));
}

/* A part of one that is large, or did not respond. */
static bool scan_more(struct proc_scan *scan, struct bc_error *err)
{
	uint64_t before = budget_thread_cpu();
	struct proc_reading *r = scan->opened;
	struct scan_task task = r ? r->task : next_process(scan);
	bool ok = true;

	if (!recorder_may_map(scan->recorder, task.user) ||
	    (!r && !may_read(scan, task.user, false))) {
		leave(scan, task);
		if (r)
			close_maps(r);
		scan->opened = NULL;
		return true;
	}
	if (!r && !(r = free_one(scan)))
		return bc_fail_nomem(err);
	scan->opened = NULL;
	ask(scan, r, task, true);
	r->hangs = !is_answered(scan, r, ANSWER_WAIT);
	if (r->hangs)
		leave(scan, task);
	else if (!r->ok)
		ok = leave_unread(scan, r, err);
	else
		ok = take_piece(scan, r, err);
	charge(scan, task.user, budget_thread_cpu() - before);
	return ok;
}

/* ---- all ---- */

static void ask_user(struct proc_scan *scan)
{
	struct scan_task *task = &scan->tasks.at[scan->asked++];
	uint64_t before = budget_thread_cpu();

	task->user = recorder_user(scan->recorder, (uint32_t)task->pid);
	charge(scan, task->user, budget_thread_cpu() - before);
	if (scan->asked == scan->tasks.len)
		queue_tasks(scan);
}

static void begin_last(struct proc_scan *scan)
{
	const struct scan_task_vec done = scan->tasks;

	scan->last = true;
	scan->tasks = scan->large;
	scan->asked = scan->tasks.len;
	scan->large = done;
	scan->large.len = 0;
	queue_tasks(scan);
}

bool proc_scan_step(struct proc_scan *scan, struct bc_error *err)
{
	bool ok = true;

	note_answers(scan);
	if (scan->asked < scan->tasks.len)
		ask_user(scan);
	else
		ok = (scan->last ? scan_more : scan_first)(scan, err);
	if (!ok || proc_scan_goes_on(scan))
		return ok;
	/* Children whose parents have ended are in no list of descendants. */
	ok = scan->last || scan->target != PERF_MACHINE ||
	     recorder_scanned(scan->recorder, scan->began, err);
	if (!scan->last)
		begin_last(scan);
	return ok;
}

void proc_scan_end(struct proc_scan *scan)
{
	struct user_share *users = recorder_shares(scan->recorder)->at;

	if (scan->opened)
		leave(scan, scan->opened->task);
	for (size_t user = 0; scan->last && user < SHARES_MOST; user++)
		users[user].unread += scan->end[user] - scan->next[user];
	for (size_t i = 0; i < scan->large.len; i++)
		users[scan->large.at[i].user].unread++;
	for (size_t i = 0; i < PROC_SCAN_CALLS; i++)
		if (scan->readings[i])
			file_calls_leave(recorder_calls(scan->recorder), &scan->readings[i]->call);
	scan_task_vec_free(&scan->tasks);
	scan_task_vec_free(&scan->large);
}
