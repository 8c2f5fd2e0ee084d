/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/proc_scan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/record/budget.h"
#include "src/record/live.h"
#include "src/record/proc_files.h"

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

static void close_maps(struct proc_scan *scan)
{
	if (scan->opened.pid)
		close(scan->fd);
	scan->opened.pid = 0;
}

bool proc_scan_begin(struct proc_scan *scan, uint64_t now, struct bc_error *err)
{
	struct shares *shares = recorder_shares(scan->recorder);
	struct task_vec pids = {0};

	for (size_t i = 0; i < shares->count; i++)
		shares->at[i].scanned = 0; /* all begin to wait now */
	close_maps(scan);
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
	return scan->left || scan->opened.pid || scan->asked < scan->tasks.len;
}

/* The next process of the user for whom least was read; scan->left is not 0. */
static struct scan_task next_process(struct proc_scan *scan)
{
	const struct shares *shares = recorder_shares(scan->recorder);
	size_t best = 0;

	for (size_t i = 1; i < SHARES_MOST; i++)
		if (scan->next[i] < scan->end[i] &&
		    (scan->next[best] == scan->end[best] ||
		     shares->at[i].scanned < shares->at[best].scanned))
			best = i;
	scan->left--;
	return scan->tasks.at[scan->next[best]++];
}

/* ---- one of them ---- */

static bool open_maps(struct proc_scan *scan, struct scan_task task, struct bc_error *why)
{
	if (!proc_maps_open((uint32_t)task.pid, &scan->fd, why))
		return false;
	scan->opened = task;
	return true;
}

/* As much as there is room for; *ended: this is all.  False: it cannot be read, as *why says. */
static bool read_first(struct proc_scan *scan, size_t *size, bool *ended, struct bc_error *why)
{
	size_t got = 1;
	bool ok = true;

	for (*size = 0; ok && got && sizeof(scan->room) - *size >= PROC_MAPS_LINE_MOST;
	     *size += got)
		ok = proc_maps_more((uint32_t)scan->opened.pid, scan->fd, scan->room + *size,
				    sizeof(scan->room) - *size, &got, why);
	*ended = !got;
	return ok;
}

/* One that lives, as far as one can know, and cannot be read: what the rings say of it stays. */
static bool leave_unread(struct proc_scan *scan, uint32_t pid, uint64_t time,
			 const struct bc_error *why, struct bc_error *err)
{
	if (why->code == BC_NOTFOUND)
		return true;
	scan->unreadable++;
	return recorder_unread(scan->recorder, pid, true, time, err);
}

static bool take_threads(struct proc_scan *scan, uint32_t pid, const struct task_vec *threads,
			 uint64_t time, struct bc_error *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < threads->len; i++)
		ok = (uint32_t)threads->at[i] == pid ||
		     recorder_thread(scan->recorder, pid, (uint32_t)threads->at[i], time, err);
	return ok;
}

/* What was known of a process stays where not all of its mappings are read: they lie over it. */
static bool scan_first(struct proc_scan *scan, struct scan_task task, struct bc_error *err)
{
	BC_AUTO(task_vec_free) struct task_vec threads = {0};
	uint64_t time = live_clock(); /* what happens while it is read comes later */
	uint32_t pid = (uint32_t)task.pid;
	struct text maps = {scan->room, 0};
	struct bc_error why;
	bool ended;

	bool ok = proc_threads(PROC_ROOT, task.pid, &threads, &why) &&
		  open_maps(scan, task, &why) && read_first(scan, &maps.len, &ended, &why);
	close_maps(scan);
	if (!ok)
		return leave_unread(scan, pid, time, &why, err);
	if (ended && !maps.len) /* a thread of the kernel has none, or it is gone */
		return true;
	return (ended ? recorder_process(scan->recorder, pid, time, err) :
			recorder_unread(scan->recorder, pid, true, time, err)) &&
	       recorder_maps(scan->recorder, pid, maps, time, err) &&
	       take_threads(scan, pid, &threads, time, err) &&
	       (ended || scan_task_vec_push(&scan->large, task) || bc_fail_nomem(err));
}

/* A part of one that is large. */
static bool scan_more(struct proc_scan *scan, struct scan_task task, struct bc_error *err)
{
	uint64_t time = live_clock();
	struct bc_error why;
	size_t size = 0;

	if (!recorder_may_map(scan->recorder, task.user)) {
		recorder_shares(scan->recorder)->at[task.user].unread++;
		close_maps(scan);
		return true;
	}
	uint32_t pid = (uint32_t)task.pid;
	if ((!scan->opened.pid && !open_maps(scan, task, &why)) ||
	    !proc_maps_more(pid, scan->fd, scan->room, sizeof(scan->room), &size, &why)) {
		close_maps(scan);
		return leave_unread(scan, pid, time, &why, err);
	}
	if (!size) {
		close_maps(scan);
		return recorder_unread(scan->recorder, pid, false, time, err);
	}
	return recorder_maps(scan->recorder, pid, (struct text){scan->room, size}, time, err);
}

/* ---- all ---- */

static void ask_user(struct proc_scan *scan)
{
	struct scan_task *task = &scan->tasks.at[scan->asked++];

	task->user = recorder_user(scan->recorder, (uint32_t)task->pid);
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
	uint64_t before = budget_thread_cpu();
	struct scan_task task = scan->opened;
	bool ok = true;

	if (scan->asked < scan->tasks.len) {
		ask_user(scan);
		task.user = scan->tasks.at[scan->asked - 1].user;
	} else {
		task = task.pid ? task : next_process(scan);
		ok = (scan->last ? scan_more : scan_first)(scan, task, err);
	}
	recorder_shares(scan->recorder)->at[task.user].scanned += budget_thread_cpu() - before;
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

	if (scan->opened.pid)
		users[scan->opened.user].unread++;
	for (size_t user = 0; scan->last && user < SHARES_MOST; user++)
		users[user].unread += scan->end[user] - scan->next[user];
	for (size_t i = 0; i < scan->large.len; i++)
		users[scan->large.at[i].user].unread++;
	close_maps(scan);
	scan_task_vec_free(&scan->tasks);
	scan_task_vec_free(&scan->large);
}
