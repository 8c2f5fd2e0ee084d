/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* DT_DIR, ppoll() */
#include "src/record/live.h"

#include <dirent.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "src/samples/maps_text.h"
#include "src/samples/proc.h"
#include "src/record/proc_files.h"

#define SECOND       UINT64_C(1000000000)
#define WAIT         200    /* ms: a ring that fills slowly is read so often */
#define WAIT_LIMITED 50     /* ms: with a limit of the cost, which is seen only then */
#define SCAN_LEAST   SECOND /* between two scans after losses */
#define LEVELS_MOST  32     /* of directories of a cgroup */

uint64_t live_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static uint64_t own_cpu(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u) != 0)
		return 0;
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * SECOND +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

/* ---- /proc ---- */

/* A path of /proc/PID/maps writes a newline as \012.  The result is in `out`, or the text itself.
 */
static struct text unescape(struct text path, char out[PATH_MAX])
{
	size_t len = 0;

	if (!memchr(path.at, '\\', path.len) || path.len >= PATH_MAX)
		return path;
	for (size_t i = 0; i < path.len; i++) {
		bool newline =
			path.at[i] == '\\' && path.len - i >= 4 && !memcmp(path.at + i, "\\012", 4);
		out[len++] = newline ? '\n' : path.at[i];
		i += newline ? 3 : 0;
	}
	return (struct text){out, len};
}

static bool take_line(struct live_recording *live, uint32_t pid, const struct maps_line *line,
		      uint64_t time, struct bc_error *err)
{
	char room[PATH_MAX];
	struct map_event map = {
		.pid = pid,
		.start = {line->start},
		.size = line->end - line->start,
		.offset = {line->offset},
		.executable = true,
		.path = line->path.len ? unescape(line->path, room) : text_of("//anon"),
		.node = {.major = line->major, .minor = line->minor, .inode = line->inode},
	};

	return recorder_map(live->recorder, &map, time, err);
}

static bool take_maps(struct live_recording *live, uint32_t pid, struct text maps, uint64_t time,
		      struct bc_error *err)
{
	while (maps.len) {
		size_t length = text_find(maps, '\n');
		struct maps_line line;
		const char *wrong = maps_line_parse(text_first(maps, length), &line);
		if (!wrong && line.flags & MAPPING_EXEC && !take_line(live, pid, &line, time, err))
			return false;
		maps = text_behind(maps, length);
	}
	return true;
}

static bool scan_process(struct live_recording *live, int pid, uint64_t time, struct bc_error *err)
{
	struct task_vec threads = {0};
	struct bc_error gone;
	size_t size;
	char *maps;

	if (!proc_threads(PROC_ROOT, pid, &threads, &gone))
		return gone.code != BC_NOMEM || bc_fail_nomem(err);
	bool ok = true;
	if (proc_maps_text((uint32_t)pid, &maps, &size, &gone)) {
		ok = recorder_process(live->recorder, (uint32_t)pid, time, err) &&
		     take_maps(live, (uint32_t)pid, (struct text){maps, size}, time, err);
		for (size_t i = 0; ok && i < threads.len; i++)
			ok = threads.at[i] == pid ||
			     recorder_thread(live->recorder, (uint32_t)pid, (uint32_t)threads.at[i],
					     time, err);
		free(maps);
	} else {
		live->unreadable += gone.code == BC_IO; /* what the rings tell of it stays */
	}
	task_vec_free(&threads);
	return ok;
}

/* Adds the processes of a cgroup and of those below it.  path: room for PATH_MAX characters, of
 * which so many are its directory. */
static bool cgroup_processes(char *path, size_t length, unsigned levels, struct task_vec *out)
{
	int pid;

	if ((size_t)snprintf(path + length, PATH_MAX - length, "/cgroup.procs") >=
	    PATH_MAX - length)
		return true;
	FILE *file = fopen(path, "re");
	bool ok = true;
	while (file && ok && fscanf(file, "%d", &pid) == 1)
		ok = pid <= 0 || task_vec_push(out, pid);
	if (file)
		fclose(file);
	path[length] = '\0';
	DIR *dir = levels ? opendir(path) : NULL;
	for (const struct dirent *entry; dir && ok && (entry = readdir(dir));) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		size_t more =
			(size_t)snprintf(path + length, PATH_MAX - length, "/%s", entry->d_name);
		if (more < PATH_MAX - length)
			ok = cgroup_processes(path, length + more, levels - 1, out);
	}
	if (dir)
		closedir(dir);
	return ok;
}

static bool cgroup_scan(const char *cgroup, struct task_vec *out)
{
	char path[PATH_MAX];
	size_t length = (size_t)snprintf(path, sizeof(path), "%s", cgroup);

	return length >= sizeof(path) || cgroup_processes(path, length, LEVELS_MOST, out);
}

/* Reads what is mapped now.  Its time is that before the scan, so that what happens meanwhile comes
 * later. */
static bool scan(struct live_recording *live, struct bc_error *err)
{
	struct task_vec all = {0}, *list = &all;
	uint64_t time = live_clock();
	bool ok = true;

	live->scans++;
	live->unreadable = 0;
	if (live->target == PERF_MACHINE) {
		ok = proc_processes(PROC_ROOT, &all, err);
	} else if (live->target == PERF_CGROUP) {
		ok = cgroup_scan(live->cgroup, &all) || bc_fail_nomem(err);
	} else {
		list = &live->processes;
		ok = proc_add_descendants(PROC_ROOT, list, err);
	}
	for (size_t i = 0; ok && i < list->len; i++)
		ok = scan_process(live, list->at[i], time, err);
	task_vec_free(&all);
	/* Children whose parents have ended are in no list of descendants. */
	return ok && (live->target != PERF_MACHINE || recorder_scanned(live->recorder, time, err));
}

/* ---- the loop ---- */

static bool take_bytes(void *ctx, size_t ring, const struct ring_bytes *bytes, struct bc_error *err)
{
	for (size_t i = 0; i < BC_COUNT(bytes->pieces); i++)
		if (bytes->pieces[i].size &&
		    !recorder_ring(ctx, (uint32_t)ring, bytes->pieces[i], err))
			return false;
	return true;
}

static bool take_round(struct live_recording *live, struct bc_error *err)
{
	return perf_drain(live->rings, take_bytes, live->recorder, err) &&
	       recorder_round(live->recorder, err);
}

/* What the samples so far and this program have cost, in ns. */
static uint64_t spent(const struct live_recording *live, uint64_t cpu_before)
{
	return live->cpu - cpu_before +
	       recorder_stats(live->recorder).samples.read * LIVE_SAMPLE_COST;
}

/* Switches samples off while more was spent than the limit allows, and on again when half a second
 * of it is saved. */
static void hold_to_limit(struct live_recording *live, uint64_t since, uint64_t cpu_before)
{
	double allowed = live->share * (double)(live->now - since),
	       cost = (double)spent(live, cpu_before);

	if (!live->paused && cost > allowed) {
		perf_pause(live->rings);
		live->paused = true;
	} else if (live->paused && cost < allowed - live->share * (double)SECOND / 2) {
		perf_go_on(live->rings);
		live->paused = false;
	}
}

/* How long to wait for the rings, in ms. */
static int wait_time(const struct live_recording *live)
{
	uint64_t most = live->share > 0 ? WAIT_LIMITED : WAIT,
		 end = live->duration ? live->began + live->duration : UINT64_MAX;

	if (live->next && live->next < end)
		end = live->next;
	if (end <= live->now)
		return 0;
	uint64_t left = (end - live->now) / 1000000 + 1;
	return (int)(left < most ? left : most);
}

static void measure_time(struct live_recording *live)
{
	uint64_t now = live_clock();

	live->sampled += live->paused ? 0 : now - live->now;
	live->now = now;
	live->cpu = own_cpu();
}

static bool is_over(const struct live_recording *live, bool alive)
{
	return (!alive && !live->command) || live->signals->end ||
	       (live->duration && live->now - live->began >= live->duration) ||
	       live->ended(live->ctx);
}

struct live_marks {
	uint64_t tick, scan, lost, cpu;
	uint64_t retry, pause; /* nothing is written before; how long that was put off; 0: not */
	sig_atomic_t rotated, told;
};

/* ---- while it hands over ---- */

/* Reading and digesting binaries for the first time takes seconds, and the rings hold less: a
 * thread takes their bytes meanwhile. */
#define KEPT_MOST                                                                                  \
	((size_t)64                                                                                \
	 << 20) /* bytes; what comes then stays in its ring, and the kernel counts what is lost */
#define KEPT_WAIT  10000000 /* ns between two looks */
#define KEPT_ROUND SIZE_MAX /* `ring` of the end of a round */

struct kept_part {
	size_t ring, size; /* so many bytes follow */
};

struct keeper {
	struct opened_rings *rings;
	uint8_t *at;
	size_t len, cap;
	atomic_bool done;
};

static bool make_room(struct keeper *keeper, size_t more)
{
	size_t cap = keeper->cap ? keeper->cap : (size_t)1 << 20;

	if (keeper->len + more > KEPT_MOST)
		return false;
	while (cap < keeper->len + more)
		cap *= 2;
	uint8_t *at = cap == keeper->cap ? keeper->at : realloc(keeper->at, cap);
	if (!at)
		return false;
	keeper->at = at;
	keeper->cap = cap;
	return true;
}

static void add_part(struct keeper *keeper, size_t ring, const struct bytes *pieces, size_t count)
{
	struct kept_part part = {.ring = ring};

	for (size_t i = 0; i < count; i++)
		part.size += pieces[i].size;
	memcpy(keeper->at + keeper->len, &part, sizeof(part));
	keeper->len += sizeof(part);
	for (size_t i = 0; i < count; i++)
		if (pieces[i].size) {
			memcpy(keeper->at + keeper->len, pieces[i].data, pieces[i].size);
			keeper->len += pieces[i].size;
		}
}

static bool keep_bytes(void *ctx, size_t ring, const struct ring_bytes *bytes, struct bc_error *err)
{
	struct keeper *keeper = ctx;

	/* There is room for the end of the round, too. */
	if (!make_room(keeper, 2 * sizeof(struct kept_part) + bytes->pieces[0].size +
				       bytes->pieces[1].size))
		return bc_fail_nomem(err);
	add_part(keeper, ring, bytes->pieces, BC_COUNT(bytes->pieces));
	return true;
}

static void *keep(void *ctx)
{
	const struct timespec pause = {.tv_nsec = KEPT_WAIT};
	struct keeper *keeper = ctx;
	struct bc_error full;

	while (!atomic_load(&keeper->done)) {
		size_t before = keeper->len;
		/* What is left of a round when there is no more room comes with the next one, or it
		 * would be late. */
		if (!perf_drain(keeper->rings, keep_bytes, keeper, &full))
			break;
		if (keeper->len > before)
			add_part(keeper, KEPT_ROUND, NULL, 0);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static bool take_kept(struct live_recording *live, const struct keeper *keeper,
		      struct bc_error *err)
{
	struct kept_part part;

	for (size_t at = 0; at < keeper->len; at += part.size) {
		memcpy(&part, keeper->at + at, sizeof(part));
		at += sizeof(part);
		if (part.ring == KEPT_ROUND ?
			    !recorder_round(live->recorder, err) :
			    !recorder_ring(live->recorder, (uint32_t)part.ring,
					   (struct bytes){keeper->at + at, part.size}, err))
			return false;
	}
	return true;
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

static bool flush(struct live_recording *live, struct live_marks *marks, struct bc_error *err)
{
	bool behind = false;
	struct keeper keeper = {.rings = live->rings};
	pthread_t thread;
	bool kept = pthread_create(&thread, NULL, keep, &keeper) == 0; /* else it goes without */
	bool ok = live->flush(live->ctx, false, &behind, err);

	atomic_store(&keeper.done, true);
	if (kept)
		pthread_join(thread, NULL);
	ok = ok && take_kept(live, &keeper, err);
	free(keeper.at);
	put_off(marks, behind);
	return ok;
}

static bool hand_over(struct live_recording *live, struct live_marks *marks, struct bc_error *err)
{
	bool due = live->next && live->now >= live->next,
	     asked = live->signals->rotate != marks->rotated;

	if (!due && !asked && !recorder_is_full(live->recorder))
		return true;
	marks->rotated = live->signals->rotate;
	while (live->next && live->now >= live->next)
		live->next += live->interval;
	if (!asked && marks->retry > live->now)
		return true;
	return flush(live, marks, err);
}

static bool rescan(struct live_recording *live, struct live_marks *marks, struct bc_error *err)
{
	uint64_t lost = recorder_stats(live->recorder).lost;

	if (lost == marks->lost || live->now - marks->scan < SCAN_LEAST)
		return true;
	marks->lost = lost;
	marks->scan = live->now;
	return scan(live, err);
}

static void tell(struct live_recording *live, struct live_marks *marks)
{
	bool asked = live->signals->tell != marks->told;

	if (!asked && live->now - marks->tick < SECOND)
		return;
	marks->tick = live->now;
	marks->told = live->signals->tell;
	live->tick(live->ctx, asked);
}

/* With no events left it waits for the command. */
static bool wait_for_more(struct live_recording *live)
{
	int ms = wait_time(live);
	const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};

	if (!live->blind && perf_wait(live->rings, ms, live->mask))
		return true;
	if (live->command)
		ppoll(NULL, 0, &time, live->mask);
	if (!live->blind)
		live->blind = live->now;
	return false;
}

static bool run_until_end(struct live_recording *live, struct bc_error *err)
{
	struct live_marks marks = {.tick = live->now, .scan = live->now, .cpu = live->cpu};

	for (bool alive = true; !is_over(live, alive);) {
		alive = wait_for_more(live);
		measure_time(live);
		if (!take_round(live, err) || !rescan(live, &marks, err) ||
		    !hand_over(live, &marks, err))
			return false;
		if (live->share > 0)
			hold_to_limit(live, live->began, marks.cpu);
		tell(live, &marks);
	}
	return true;
}

bool live_run(struct live_recording *live, void (*let_go)(void *ctx), struct bc_error *err)
{
	live->began = live->now = live_clock();
	if (live->target != PERF_COMMAND) {
		perf_begin(live->rings);
		if (!scan(live, err))
			return false;
	}
	if (let_go)
		let_go(live->ctx);
	measure_time(live);
	live->next = live->interval ? live->now + live->interval : 0;
	if (!run_until_end(live, err))
		return false;
	perf_end(live->rings);
	measure_time(live);
	recorder_lost(live->recorder, perf_lost(live->rings));
	bool behind;
	return take_round(live, err) && recorder_drain(live->recorder, err) &&
	       live->flush(live->ctx, true, &behind, err);
}
