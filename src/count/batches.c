/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/count/batches.h"

#include <pthread.h>
#include <stdlib.h>

#include "src/base/parallel.h"

#define BATCH_SAMPLES  512
#define BATCH_MEMORIES 4 /* what fills a batch where samples are few and far between */

/* Batches that hold memory, for each thread: some wait, one is counted, some are done. */
#define SUBMITTED_EACH 6

struct batch_sample {
	const struct branch *branches;
	uint32_t branch_count;
	uint16_t view; /* index in views */
	struct stack_use use;
	bool address; /* count the address, not the branches */
	bool partial; /* see struct sample */
	struct run_addr ip;
};

struct batch {
	struct task task; /* to count it; the first member */
	struct batches *all;
	struct batch *next;
	size_t sample_count, view_count, memory_count;
	struct batch_sample samples[BATCH_SAMPLES];
	struct process_view views[BATCH_SAMPLES];      /* owns a share of each one's maps */
	struct event_memory *memories[BATCH_MEMORIES]; /* held */
	/* Instead of samples: traces that were counted before. */
	const struct trace_record *traces;
	size_t trace_count;
};

struct batches {
	struct pool *pool;
	struct batch *open;                       /* not submitted yet, or NULL */
	struct batch *submitted, **submitted_end; /* oldest first */
	unsigned submitted_count;
	struct batch *empty;
	struct sample_counter *own;                  /* of the reader's thread */
	struct sample_counter others[PARALLEL_MOST]; /* of thread i + 1 */
	pthread_mutex_t lock;                        /* for err */
	struct bc_error err;                         /* the first one; code BC_OK if none */
};

/* ---- by any thread ---- */

static bool count_sample(struct batch *batch, const struct batch_sample *from,
			 struct sample_counter *counter, struct bc_error *err)
{
	const struct sample sample = {.ip = from->ip,
				      .branches = from->branches,
				      .branch_count = from->branch_count,
				      .partial = from->partial};
	struct process_view *view = &batch->views[from->view];

	return from->address ? sample_counter_address(counter, view, sample.ip, err) :
			       sample_counter_stack(counter, view, &sample, from->use, err);
}

static bool count(struct batch *batch, struct sample_counter *counter, struct bc_error *err)
{
	for (size_t i = 0; i < batch->sample_count; i++)
		if (!count_sample(batch, &batch->samples[i], counter, err))
			return false;
	for (size_t i = 0; i < batch->trace_count; i++)
		if (!sample_counter_trace(counter, &batch->traces[i], err))
			return false;
	return true;
}

static void run(struct task *task, unsigned thread)
{
	struct batch *batch = (struct batch *)(void *)task;
	struct batches *all = batch->all;
	struct bc_error err = {0};

	if (count(batch, thread ? &all->others[thread - 1] : all->own, &err))
		return;
	pthread_mutex_lock(&all->lock);
	if (all->err.code == BC_OK)
		all->err = err;
	pthread_mutex_unlock(&all->lock);
}

/* ---- by the reader's thread, which owns maps and memory ---- */

static void make_empty(struct batch *batch)
{
	batch->sample_count = batch->view_count = batch->memory_count = batch->trace_count = 0;
}

/* Give back what it holds. */
static void clear(struct batch *batch)
{
	for (size_t i = 0; i < batch->view_count; i++)
		map_set_release(batch->views[i].maps);
	for (size_t i = 0; i < batch->memory_count; i++)
		batch->memories[i]->release(batch->memories[i]);
	make_empty(batch);
}

static void reap_oldest(struct batches *all)
{
	struct batch *batch = all->submitted;

	all->submitted = batch->next;
	if (!all->submitted)
		all->submitted_end = &all->submitted;
	all->submitted_count--;
	clear(batch);
	batch->next = all->empty;
	all->empty = batch;
}

/* Waits when one slow thread would let the batches after its own pile up. */
static bool must_wait(const struct batches *all)
{
	return all->submitted_count >= SUBMITTED_EACH * pool_threads(all->pool);
}

/* An empty batch.  NULL: out of memory. */
static struct batch *take_empty(struct batches *all)
{
	if (must_wait(all))
		pool_wait(all->pool, &all->submitted->task);
	while (all->submitted && pool_is_done(all->pool, &all->submitted->task))
		reap_oldest(all);
	struct batch *batch = all->empty;
	if (batch) {
		all->empty = batch->next;
		return batch;
	}
	batch = malloc(sizeof(*batch));
	if (!batch)
		return NULL;
	make_empty(batch);
	batch->task.run = run;
	batch->all = all;
	return batch;
}

static bool check(struct batches *all, struct bc_error *err)
{
	pthread_mutex_lock(&all->lock);
	bool ok = all->err.code == BC_OK;
	if (!ok)
		*err = all->err;
	pthread_mutex_unlock(&all->lock);
	return ok;
}

static bool submit(struct batches *all, struct batch *batch, struct bc_error *err)
{
	batch->next = NULL;
	*all->submitted_end = batch;
	all->submitted_end = &batch->next;
	all->submitted_count++;
	pool_submit(all->pool, &batch->task);
	return check(all, err);
}

static bool submit_open(struct batches *all, struct bc_error *err)
{
	struct batch *batch = all->open;

	all->open = NULL;
	return !batch || submit(all, batch, err);
}

static bool is_full(const struct batch *batch)
{
	return batch->sample_count == BATCH_SAMPLES || batch->memory_count == BATCH_MEMORIES;
}

/* Samples of one process and of one block of memory come in a row. */
static uint16_t view_index(struct batch *batch, const struct process_view *view)
{
	struct process_view *last = batch->view_count ? &batch->views[batch->view_count - 1] : NULL;

	if (!last || last->maps != view->maps || last->has_image != view->has_image ||
	    last->maps_forgotten != view->maps_forgotten) {
		batch->views[batch->view_count] = *view;
		map_set_share(view->maps);
		batch->view_count++;
	}
	return (uint16_t)(batch->view_count - 1);
}

static void hold_memory(struct batch *batch, struct event_memory *memory)
{
	if (batch->memory_count && batch->memories[batch->memory_count - 1] == memory)
		return;
	memory->hold(memory);
	batch->memories[batch->memory_count++] = memory;
}

/* Room for a sample in the open batch.  NULL: out of memory. */
static struct batch_sample *next_sample(struct batches *all, const struct process_view *view,
					struct event_memory *memory, uint16_t *view_number)
{
	if (!all->open)
		all->open = take_empty(all);
	struct batch *batch = all->open;
	if (!batch)
		return NULL;
	hold_memory(batch, memory);
	*view_number = view_index(batch, view);
	return &batch->samples[batch->sample_count++];
}

static bool end_sample(struct batches *all, struct bc_error *err)
{
	return !is_full(all->open) || submit_open(all, err);
}

bool batches_add_address(struct batches *all, const struct process_view *view,
			 const struct sample *sample, struct event_memory *memory,
			 struct bc_error *err)
{
	uint16_t number;
	struct batch_sample *to = next_sample(all, view, memory, &number);

	if (!to)
		return bc_fail_nomem(err);
	*to = (struct batch_sample){.view = number, .address = true, .ip = sample->ip};
	return end_sample(all, err);
}

bool batches_add_stack(struct batches *all, const struct process_view *view,
		       const struct sample *sample, struct stack_use use,
		       struct event_memory *memory, struct bc_error *err)
{
	uint16_t number;
	struct batch_sample *to = next_sample(all, view, memory, &number);

	if (!to)
		return bc_fail_nomem(err);
	*to = (struct batch_sample){
		.branches = sample->branches,
		.branch_count = (uint32_t)sample->branch_count,
		.view = number,
		.use = use,
		.partial = sample->partial,
	};
	return end_sample(all, err);
}

bool batches_add_traces(struct batches *all, const struct trace_record *traces, size_t count,
			struct event_memory *memory, struct bc_error *err)
{
	struct batch *batch = take_empty(all);

	if (!batch)
		return bc_fail_nomem(err);
	hold_memory(batch, memory);
	batch->traces = traces;
	batch->trace_count = count;
	return submit(all, batch, err);
}

/* Drains even after an error, because waiting batches point into memory that is freed next. */
bool batches_drain(struct batches *all, struct bc_error *err)
{
	struct bc_error later = {0};
	bool ok = submit_open(all, err);

	while (all->submitted) {
		pool_wait(all->pool, &all->submitted->task);
		reap_oldest(all);
	}
	return check(all, ok ? err : &later) && ok;
}

static bool merge(struct ledger *to, struct ledger *from, struct bc_error *err)
{
	uint64_t read = from->read;

	from->read = 0;
	ledger_add(to, from);
	return ledger_read(to, read, err);
}

bool batches_collect(struct batches *all, struct bc_error *err)
{
	struct sample_counter *own = all->own;

	for (unsigned i = 0; i + 1 < pool_threads(all->pool); i++) {
		struct sample_counter *counter = &all->others[i];
		if (!sample_counter_flush(counter, err) ||
		    !merge(&own->ledgers.samples, &counter->ledgers.samples, err) ||
		    !merge(&own->ledgers.branches, &counter->ledgers.branches, err) ||
		    !merge(&own->ledgers.traces, &counter->ledgers.traces, err) ||
		    !merge(&own->addresses, &counter->addresses, err))
			return false;
		own->branches_seen |= counter->branches_seen;
		own->found.by_type += counter->found.by_type;
		if (!branch_types_take(&own->types, &counter->types))
			return bc_fail_nomem(err);
	}
	return true;
}

struct pool *batches_pool(struct batches *all)
{
	return all ? all->pool : NULL;
}

bool batches_start(unsigned threads, struct sample_counter *own, struct batches **out,
		   struct bc_error *err)
{
	struct batches *all = calloc(1, sizeof(*all));

	if (all)
		all->pool = pool_start(threads);
	if (!all || !all->pool) {
		free(all);
		return bc_fail_nomem(err);
	}
	pthread_mutex_init(&all->lock, NULL);
	all->submitted_end = &all->submitted;
	all->own = own;
	for (size_t i = 0; i < PARALLEL_MOST; i++)
		all->others[i].totals = own->totals;
	*out = all;
	return true;
}

static void free_list(struct batch *batch)
{
	while (batch) {
		struct batch *next = batch->next;
		clear(batch);
		free(batch);
		batch = next;
	}
}

void batches_stop(struct batches *all)
{
	if (!all)
		return;
	pool_stop(all->pool);
	for (size_t i = 0; i < PARALLEL_MOST; i++)
		sample_counter_free(&all->others[i]);
	if (all->open)
		all->open->next = NULL;
	free_list(all->open);
	free_list(all->submitted);
	free_list(all->empty);
	pthread_mutex_destroy(&all->lock);
	free(all);
}
