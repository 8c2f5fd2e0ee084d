/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/flow_walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/history.h"
#include "src/base/parallel.h"

/* Rows that are delivered at a time. */
#define ROWS_AT_A_TIME 256

/* A process, and the executed code in it since that was delivered last. */
struct walked_process {
	uint32_t pid;
	struct walked_thread *threads; /* that ran, and did not end */
	bool of_nobody;                /* ... and some that have no number */
	struct counts *counts;         /* NULL: nothing ran */
};

struct walked_thread {
	uint32_t pid, tid;
	struct walk_way way;
	uint32_t lane;              /* that had it last */
	struct walked_thread *next; /* of the process */
	bool listed;                /* it is among these */
};

/* Branch outcomes of one thread in a row. */
struct stretch {
	struct walked_thread *thread;
	struct counts *counts;
	struct map_set *maps; /* a share of it is owned */
	enum flow_rules rules;
	bool waits_ask, no_process;
	size_t begin, count; /* branch outcomes of the batch */
};

DEFINE_VEC(answers_vec, struct flow_answer);
DEFINE_VEC(stretch_vec, struct stretch);
DEFINE_VEC(process_ptr_vec, struct walked_process *);
DEFINE_VEC(thread_ptr_vec, struct walked_thread *);

struct batch {
	struct task task; /* the first member */
	struct lane *lane;
	struct answers_vec answers;
	struct stretch_vec stretches;
	bool submitted, no_memory;
};

/* A queue: one batch is filled while the other one is walked. */
struct lane {
	struct flow_walk *walk;
	struct walk_calls calls;
	struct batch batches[2];
	unsigned filled;           /* which of them */
	struct walked_thread none; /* where the thread is not known */
};
DEFINE_VEC(lane_ptr_vec, struct lane *);

struct flow_walk {
	struct event_sink sink;
	struct flow_taker taker;
	unsigned thread_count;
	struct pool *pool; /* from the first branch outcomes on */
	struct walker *walkers[PARALLEL_MOST];
	struct code_images *images;
	struct history history;
	bool has_traces; /* the recording has some: processes are kept */
	bool failed;     /* the consumer, or memory: only the end follows */
	struct lane_ptr_vec lanes;
	struct process_ptr_vec processes;
	struct map by_pid;
	struct thread_ptr_vec threads;
	struct map by_thread;
	uint64_t branches, rows;
};

/* ---- threads of the pool ---- */

static void run(struct task *task, unsigned thread)
{
	struct batch *batch = (struct batch *)(void *)task;
	struct walker *walker = batch->lane->walk->walkers[thread];
	bool ok = true;

	for (size_t i = 0; ok && i < batch->stretches.len; i++) {
		const struct stretch *stretch = &batch->stretches.at[i];
		const struct walk_step step = {
			.maps = stretch->maps,
			.no_process = stretch->no_process,
			.rules = stretch->rules,
			.waits_ask = stretch->waits_ask,
			.at = batch->answers.at + stretch->begin,
			.count = stretch->count,
			.calls = &batch->lane->calls,
			.way = &stretch->thread->way,
			.counts = stretch->counts,
		};
		ok = walker_go(walker, &step);
	}
	batch->no_memory = !walker_flush(walker) || !ok;
}

static bool start(struct flow_walk *walk, struct bc_error *err)
{
	if (walk->pool)
		return true;
	walk->pool = pool_start(walk->thread_count);
	bool ok = walk->pool;
	for (unsigned i = 0; ok && i < pool_threads(walk->pool); i++)
		ok = walk->walkers[i] || (walk->walkers[i] = walker_make(walk->images));
	return ok || bc_fail_nomem(err);
}

/* ---- batches ---- */

/* Waits until a batch that was submitted is walked. */
static bool reap(struct flow_walk *walk, struct batch *batch, struct bc_error *err)
{
	if (batch->submitted)
		pool_wait(walk->pool, &batch->task);
	batch->submitted = false;
	for (size_t i = 0; i < batch->stretches.len; i++)
		map_set_release(batch->stretches.at[i].maps);
	batch->stretches.len = batch->answers.len = 0;
	return !batch->no_memory || bc_fail_nomem(err);
}

static bool submit(struct lane *lane, struct bc_error *err)
{
	struct batch *batch = &lane->batches[lane->filled];

	if (!batch->stretches.len)
		return true;
	lane->filled ^= 1;
	if (!reap(lane->walk, &lane->batches[lane->filled], err))
		return false;
	batch->submitted = true;
	batch->task.run = run;
	pool_submit(lane->walk->pool, &batch->task);
	return true;
}

/* All that was given of a lane is walked. */
static bool drain(struct lane *lane, struct bc_error *err)
{
	bool ok = submit(lane, err);
	struct bc_error later;

	for (unsigned i = 0; i < 2; i++)
		ok = reap(lane->walk, &lane->batches[i], ok ? err : &later) && ok;
	return ok;
}

static bool drain_all(struct flow_walk *walk, struct bc_error *err)
{
	struct bc_error later;
	bool ok = true;

	for (size_t i = 0; i < walk->lanes.len; i++)
		ok = drain(walk->lanes.at[i], ok ? err : &later) && ok;
	return ok;
}

/* ---- processes and threads ---- */

static bool is_pid(struct walked_process *const *all, uint32_t number, uint32_t pid)
{
	return all[number]->pid == pid;
}
DEFINE_MAP(by_pid, struct walked_process *const *, uint32_t, hash_number, is_pid);

static uint64_t hash_of_thread(uint64_t seed, uint64_t key)
{
	return hash_end(hash_mix(seed, key));
}

static uint64_t key_of(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

static bool is_thread(struct walked_thread *const *all, uint32_t number, uint64_t key)
{
	return key_of(all[number]->pid, all[number]->tid) == key;
}
DEFINE_MAP(by_thread, struct walked_thread *const *, uint64_t, hash_of_thread, is_thread);

static struct walked_process *find_process(const struct flow_walk *walk, uint32_t pid)
{
	uint32_t number;

	return by_pid_find(&walk->by_pid, walk->processes.at, pid, &number) ?
		       walk->processes.at[number] :
		       NULL;
}

/* All that was given of a process is walked: it is where its threads were last, as a thread that
 * moves is walked before. */
static bool drain_process(struct flow_walk *walk, const struct walked_process *process,
			  struct bc_error *err)
{
	if (process->of_nobody)
		return drain_all(walk, err);
	for (const struct walked_thread *thread = process->threads; thread; thread = thread->next)
		if (!drain(walk->lanes.at[thread->lane], err))
			return false;
	return true;
}

/* NULL: out of memory */
static struct walked_process *obtain_process(struct flow_walk *walk, uint32_t pid)
{
	struct walked_process *process = find_process(walk, pid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process || walk->processes.len > MAP_NUMBER_MOST || !map_reserve(&walk->by_pid, 1) ||
	    !process_ptr_vec_push(&walk->processes, process)) {
		free(process);
		return NULL;
	}
	process->pid = pid;
	by_pid_put(&walk->by_pid, pid, (uint32_t)(walk->processes.len - 1));
	return process;
}

static bool obtain_counts(struct walked_process *process)
{
	if (process->counts)
		return true;
	process->counts = malloc(sizeof(*process->counts));
	if (process->counts)
		counts_init(process->counts);
	return process->counts;
}

static struct walked_thread *list_thread(struct walked_process *process,
					 struct walked_thread *thread)
{
	if (!thread->listed) {
		thread->next = process->threads;
		process->threads = thread;
		thread->listed = true;
	}
	return thread;
}

/* The line of threads that have no number is cut: what is known of it is counted. */
static bool cut_nobody(struct flow_walk *walk, struct walked_thread *none)
{
	struct walked_process *process = find_process(walk, none->pid);

	return !process || !process->counts ||
	       (walker_end(walk->walkers[0], &none->way, process->counts) &&
		walker_flush(walk->walkers[0]));
}

/* NULL: out of memory */
static struct walked_thread *obtain_thread(struct flow_walk *walk, struct walked_process *process,
					   uint32_t tid, uint32_t lane)
{
	uint64_t key = key_of(process->pid, tid);
	uint32_t number;

	if (tid == NO_PID) {
		struct walked_thread *none = &walk->lanes.at[lane]->none;
		struct bc_error err;
		process->of_nobody = true;
		if (none->pid != process->pid &&
		    !(drain(walk->lanes.at[lane], &err) && cut_nobody(walk, none)))
			return NULL;
		if (none->pid != process->pid)
			*none = (struct walked_thread){.pid = process->pid,
						       .tid = NO_PID,
						       .way = walk_way_begin(),
						       .lane = lane};
		return none;
	}
	if (by_thread_find(&walk->by_thread, walk->threads.at, key, &number))
		return list_thread(process, walk->threads.at[number]);
	struct walked_thread *thread = calloc(1, sizeof(*thread));
	if (!thread || walk->threads.len > MAP_NUMBER_MOST || !map_reserve(&walk->by_thread, 1) ||
	    !thread_ptr_vec_push(&walk->threads, thread)) {
		free(thread);
		return NULL;
	}
	*thread = (struct walked_thread){
		.pid = process->pid, .tid = tid, .way = walk_way_begin(), .lane = lane};
	by_thread_put(&walk->by_thread, key, (uint32_t)(walk->threads.len - 1));
	return list_thread(process, thread);
}

static void free_counts(struct walked_process *process)
{
	if (process->counts)
		counts_free(process->counts);
	free(process->counts);
	process->counts = NULL;
}

static void forget_processes(struct flow_walk *walk)
{
	for (size_t i = 0; i < walk->processes.len; i++) {
		free_counts(walk->processes.at[i]);
		free(walk->processes.at[i]);
	}
	for (size_t i = 0; i < walk->threads.len; i++)
		free(walk->threads.at[i]);
	walk->processes.len = walk->threads.len = 0;
	map_clear(&walk->by_pid);
	map_clear(&walk->by_thread);
}

/* ---- delivering ---- */

static bool deliver(struct flow_walk *walk, const struct event *event, struct bc_error *err)
{
	if (event_deliver(&walk->sink, event, err))
		return true;
	walk->failed = true;
	return false;
}

static bool deliver_rows(struct flow_walk *walk, uint32_t pid, const struct ran_trace *rows,
			 size_t count, struct bc_error *err)
{
	walk->rows += count;
	for (size_t i = 0; i < count; i++)
		walk->branches += rows[i].from ? rows[i].count : 0;
	return !count ||
	       deliver(walk, &(struct event){.kind = EVENT_RAN, .ran = {rows, count, pid}}, err);
}

static bool deliver_counts(struct flow_walk *walk, struct walked_process *process,
			   struct bc_error *err)
{
	struct ran_trace rows[ROWS_AT_A_TIME];
	size_t count = 0;
	bool ok = true;

	for (size_t s = 0; s < COUNTS_SHARDS; s++) {
		const struct count_table *table = &process->counts->shards[s];
		for (size_t i = 0; ok && i < table->capacity; i++) {
			const struct count_row *row = &table->rows[i];
			if (!row->count)
				continue;
			rows[count++] = (struct ran_trace){row->key[1], row->key[0], row->key[2],
							   row->count, row->extra > 0};
			if (count < ROWS_AT_A_TIME)
				continue;
			ok = deliver_rows(walk, process->pid, rows, count, err);
			count = 0;
		}
	}
	return ok && deliver_rows(walk, process->pid, rows, count, err);
}

/* All that ran in a process, and is walked, is delivered.  ends: its threads do not continue. */
static bool flush_walked(struct flow_walk *walk, struct walked_process *process, bool ends,
			 struct bc_error *err)
{
	if (walk->failed || (!process->counts && !(ends && process->threads)))
		return true;
	if (!obtain_counts(process))
		return bc_fail_nomem(err);
	for (struct walked_thread *thread = process->threads; ends && thread;
	     thread = thread->next) {
		thread->listed = false;
		if (!walker_end(walk->walkers[0], &thread->way, process->counts))
			return bc_fail_nomem(err);
	}
	if (ends)
		process->threads = NULL;
	if (!walker_flush(walk->walkers[0]))
		return bc_fail_nomem(err);
	bool ok = deliver_counts(walk, process, err);
	free_counts(process);
	return ok;
}

/* The same of all that was given of it. */
static bool flush_process(struct flow_walk *walk, struct walked_process *process, bool ends,
			  struct bc_error *err)
{
	return !process || walk->failed ||
	       (drain_process(walk, process, err) && flush_walked(walk, process, ends, err));
}

static bool flush_all(struct flow_walk *walk, struct bc_error *err)
{
	bool ok = drain_all(walk, err);

	for (size_t i = 0; i < walk->lanes.len && ok && !walk->failed; i++) {
		ok = cut_nobody(walk, &walk->lanes.at[i]->none);
		if (!ok)
			bc_fail_nomem(err);
	}
	for (size_t i = 0; i < walk->processes.len && ok; i++)
		ok = flush_walked(walk, walk->processes.at[i], true, err);
	return ok;
}

static size_t rows_of(struct counts *counts)
{
	size_t rows = 0;

	for (size_t i = 0; i < COUNTS_SHARDS; i++) {
		pthread_mutex_lock(&counts->locks[i]);
		rows += counts->shards[i].used;
		pthread_mutex_unlock(&counts->locks[i]);
	}
	return rows;
}

/* ---- branch outcomes ---- */

static bool add_lane(struct flow_walk *walk, struct bc_error *err)
{
	struct lane *lane = calloc(1, sizeof(*lane));

	if (!lane || !lane_ptr_vec_push(&walk->lanes, lane)) {
		free(lane);
		return bc_fail_nomem(err);
	}
	lane->walk = walk;
	lane->batches[0].lane = lane->batches[1].lane = lane;
	lane->calls.credit = WALK_BLOCKS_FREE;
	lane->none = (struct walked_thread){.pid = NO_PID, .tid = NO_PID, .way = walk_way_begin()};
	return true;
}

/* Appends to the last stretch, if it is of the same. */
static bool put(struct batch *batch, const struct stretch *stretch, const struct trace_flow *flow)
{
	struct stretch *last =
		batch->stretches.len ? &batch->stretches.at[batch->stretches.len - 1] : NULL;
	size_t len = batch->answers.len, need = len + flow->count;

	if (need > batch->answers.cap &&
	    !answers_vec_reserve(&batch->answers,
				 need > 2 * batch->answers.cap ? need : 2 * batch->answers.cap))
		return false;
	if (last && last->thread == stretch->thread && last->counts == stretch->counts &&
	    last->maps == stretch->maps && last->rules == stretch->rules &&
	    last->waits_ask == stretch->waits_ask && last->no_process == stretch->no_process) {
		last->count += flow->count;
	} else {
		if (!stretch_vec_push(&batch->stretches, *stretch))
			return false;
		map_set_share(stretch->maps);
	}
	memcpy(batch->answers.at + len, flow->at, flow->count * sizeof(*flow->at));
	batch->answers.len = need;
	return true;
}

static bool take_flow(struct flow_walk *walk, const struct trace_flow *flow, struct bc_error *err)
{
	while (walk->lanes.len <= flow->lane)
		if (!add_lane(walk, err))
			return false;
	struct lane *lane = walk->lanes.at[flow->lane];
	struct walked_process *process = obtain_process(walk, flow->pid);
	struct walked_thread *thread = process && obtain_counts(process) ?
					       obtain_thread(walk, process, flow->tid, flow->lane) :
					       NULL;
	if (!thread)
		return bc_fail_nomem(err);
	if (thread->lane != flow->lane &&
	    !drain(walk->lanes.at[thread->lane], err)) /* it continues on another processor */
		return false;
	thread->lane = flow->lane;
	const struct process *mapped = history_process(&walk->history, flow->pid);
	struct batch *batch = &lane->batches[lane->filled];
	const struct stretch stretch = {
		.thread = thread,
		.counts = process->counts,
		.maps = mapped ? mapped->maps : NULL,
		.rules = flow->rules,
		.waits_ask = flow->waits_ask,
		.no_process = !mapped,
		.begin = batch->answers.len,
		.count = flow->count,
	};
	if (!put(batch, &stretch, flow))
		return bc_fail_nomem(err);
	if (batch->answers.len < FLOW_WALK_BATCH)
		return true;
	return submit(lane, err) && (rows_of(process->counts) < FLOW_WALK_ROWS ||
				     flush_process(walk, process, false, err));
}

static bool take(void *ctx, const struct trace_flow *flow, struct bc_error *err)
{
	struct flow_walk *walk = ctx;
	bool ok = !flow->count || (start(walk, err) && take_flow(walk, flow, err));

	walk->failed |= !ok;
	return ok;
}

static void begin_traces(void *ctx)
{
	struct flow_walk *walk = ctx;

	walk->has_traces = true;
}

/* ---- events ---- */

static bool begin_input(struct flow_walk *walk, bool recording, struct bc_error *err)
{
	if (!recording)
		return true;
	if (!flush_all(walk, err))
		return false;
	forget_processes(walk);
	for (size_t i = 0; i < walk->lanes.len; i++) {
		walk->lanes.at[i]->calls = (struct walk_calls){.credit = WALK_BLOCKS_FREE};
		walk->lanes.at[i]->none = (struct walked_thread){
			.pid = NO_PID, .tid = NO_PID, .way = walk_way_begin()};
	}
	history_forget(&walk->history);
	walk->has_traces = false;
	return true;
}

/* Does the mapping come where something else was? */
static bool replaces(const struct flow_walk *walk, const struct map_event *map)
{
	const struct process *process = history_process(&walk->history, map->pid);
	const struct mapping *there = process ? map_set_above(process->maps, map->start.v) : NULL;

	return there && (there->start <= map->start.v || there->start - map->start.v < map->size);
}

static bool note(struct flow_walk *walk, const struct event *event, struct bc_error *err)
{
	if (!walk->has_traces)
		return true;
	code_images_lock(walk->images);
	bool ok = history_event(&walk->history, event, err);
	code_images_unlock(walk->images);
	return ok;
}

static bool take_exit(struct flow_walk *walk, const struct event *event, struct bc_error *err)
{
	if (!note(walk, event, err))
		return false;
	const struct process *process = history_process(&walk->history, event->task.pid);
	return !process || !process_has_ended(process) ||
	       flush_process(walk, find_process(walk, event->task.pid), true, err);
}

/* What must be done before the consumer gets an event. */
static bool prepare(struct flow_walk *walk, const struct event *event, struct bc_error *err)
{
	switch (event->kind) {
	case EVENT_BEGIN: return begin_input(walk, event->recording, err);
	case EVENT_MAP:
		if (replaces(walk, event->map) &&
		    !flush_process(walk, find_process(walk, event->map->pid), false, err))
			return false;
		return note(walk, event, err);
	case EVENT_EXEC:
		return flush_process(walk, find_process(walk, event->task.pid), true, err) &&
		       note(walk, event, err);
	case EVENT_FORK:
		if (event->task.parent != event->task.pid &&
		    !flush_process(walk, find_process(walk, event->task.pid), true, err))
			return false;
		return note(walk, event, err);
	case EVENT_EXIT: return take_exit(walk, event, err);
	case EVENT_CONTINUES: return note(walk, event, err);
	case EVENT_END: return flush_all(walk, err);
	case EVENT_SAMPLE:
	case EVENT_RAN:
	case EVENT_TRACES:
	case EVENT_ADDRESSES:
	case EVENT_NAME:
	case EVENT_BUILD_IDS: break;
	}
	return true;
}

/* The end is passed on whatever happened before. */
static bool take_event(void *ctx, const struct event *event, struct bc_error *err)
{
	struct flow_walk *walk = ctx;
	struct bc_error later;

	if (!walk->failed && !prepare(walk, event, err)) {
		walk->failed = true;
		if (event->kind == EVENT_END)
			(void)!event_deliver(&walk->sink, event, &later);
		return false;
	}
	if (event->kind == EVENT_END && walk->failed)
		(void)!drain_all(walk, &later);
	return deliver(walk, event, err);
}

/* ---- all of it ---- */

struct flow_walk *flow_walk_make(const struct flow_walk_options *options)
{
	struct flow_walk *walk = calloc(1, sizeof(*walk));

	if (!walk || !(walk->images = code_images_make(options->given, options->given_count,
						       options->dirs))) {
		free(walk);
		return NULL;
	}
	walk->sink = options->sink;
	walk->taker = (struct flow_taker){walk, take, begin_traces};
	walk->thread_count = options->threads;
	walk->history.files = code_images_files(walk->images);
	return walk;
}

void flow_walk_free(struct flow_walk *walk)
{
	if (!walk)
		return;
	pool_stop(walk->pool);
	for (size_t i = 0; i < walk->lanes.len; i++) {
		struct lane *lane = walk->lanes.at[i];
		for (unsigned b = 0; b < 2; b++) {
			for (size_t k = 0; k < lane->batches[b].stretches.len; k++)
				map_set_release(lane->batches[b].stretches.at[k].maps);
			answers_vec_free(&lane->batches[b].answers);
			stretch_vec_free(&lane->batches[b].stretches);
		}
		free(lane);
	}
	lane_ptr_vec_free(&walk->lanes);
	forget_processes(walk);
	process_ptr_vec_free(&walk->processes);
	thread_ptr_vec_free(&walk->threads);
	map_free(&walk->by_pid);
	map_free(&walk->by_thread);
	for (size_t i = 0; i < PARALLEL_MOST; i++)
		walker_free(walk->walkers[i]);
	history_free(&walk->history);
	code_images_free(walk->images);
	free(walk);
}

struct event_sink flow_walk_sink(struct flow_walk *walk)
{
	return (struct event_sink){walk, take_event};
}

const struct flow_taker *flow_walk_taker(struct flow_walk *walk)
{
	return &walk->taker;
}

/* ---- the report ---- */

void flow_walk_report_free(struct flow_walk_report *report)
{
	for (size_t i = 0; i < report->files.len; i++)
		free(report->files.at[i].path);
	lost_file_vec_free(&report->files);
}

static void add_sums(struct walk_sums *to, const struct walk_sums *from)
{
	to->walked += from->walked;
	for (size_t i = 0; i < LOSS_COUNT; i++)
		to->lost[i] += from->lost[i];
	to->mismatches += from->mismatches;
	to->loops += from->loops;
	to->gaps += from->gaps;
}

static int by_answers(const void *a, const void *b)
{
	const struct lost_file *x = a, *y = b;

	if (x->answers != y->answers)
		return x->answers < y->answers ? 1 : -1;
	int order = strcmp(x->path, y->path);
	return order ? order : (x->loss > y->loss) - (x->loss < y->loss);
}

static bool add_file(const struct flow_walk *walk, uint32_t file, enum walk_loss loss,
		     uint64_t answers, struct lost_file_vec *to)
{
	const struct mapped_files *files = code_images_files(walk->images);
	struct text path = mapped_files_path(files, file);
	struct lost_file row = {strndup(path.len ? path.at : "//anon", path.len ? path.len : 6),
				mapped_files_id(files, file), loss, answers};

	if (row.path && lost_file_vec_push(to, row))
		return true;
	free(row.path);
	return false;
}

bool flow_walk_tell(const struct flow_walk *walk, struct flow_walk_report *out,
		    struct bc_error *err)
{
	BC_AUTO(count_table_free) struct count_table all = {0};
	bool ok = true;

	out->branches += walk->branches;
	out->rows += walk->rows;
	for (size_t t = 0; t < PARALLEL_MOST && walk->walkers[t]; t++) {
		const struct count_table *files = walker_files(walk->walkers[t]);
		add_sums(&out->sums, walker_sums(walk->walkers[t]));
		for (size_t i = 0; ok && i < files->capacity; i++)
			ok = !files->rows[i].count ||
			     count_table_add(&all, files->rows[i].key, files->rows[i].count, 0);
	}
	for (size_t i = 0; ok && i < all.capacity; i++)
		ok = !all.rows[i].count ||
		     add_file(walk, (uint32_t)all.rows[i].key[0],
			      (enum walk_loss)all.rows[i].key[1], all.rows[i].count, &out->files);
	if (out->files.len)
		qsort(out->files.at, out->files.len, sizeof(*out->files.at), by_answers);
	while (out->files.len > LOST_FILES_MOST) {
		free(out->files.at[--out->files.len].path);
		out->more_files++;
	}
	out->answers = out->sums.walked;
	for (size_t i = 0; i < LOSS_COUNT; i++)
		out->answers += out->sums.lost[i];
	return ok || bc_fail_nomem(err);
}

struct walk_fit flow_walk_fit(const struct flow_walk *walk, const struct image *given)
{
	uint32_t code = code_images_given(walk->images, given);
	struct walk_fit all = {0};

	for (size_t t = 0; t < PARALLEL_MOST && walk->walkers[t]; t++) {
		struct walk_fit fit = walker_fit(walk->walkers[t], code);
		all.answered += fit.answered;
		all.mismatched += fit.mismatched;
	}
	return all;
}
