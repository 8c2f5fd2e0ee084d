/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/workers.h"

#include <pthread.h>
#include <stdlib.h>

#include "src/base/parallel.h"

/* Batches that hold memory, for each thread: some wait, one is counted, some are done. */
#define SUBMITTED_EACH 6

struct workers {
	struct pool *pool;
	struct batch *submitted, **submitted_end; /* oldest first */
	unsigned submitted_count;
	struct batch *empty;
	struct tally *own;                   /* of the reader's thread */
	struct tally others[PARALLEL_MOST];  /* of thread i + 1 */
	pthread_mutex_t lock;                /* for err */
	struct bc_error err;                 /* the first one; code BC_OK if none */
};

bool workers_start(unsigned threads, struct tally *own, struct workers **out,
		   struct bc_error *err)
{
	struct workers *w = calloc(1, sizeof(*w));

	if (w)
		w->pool = pool_start(threads);
	if (!w || !w->pool) {
		free(w);
		return bc_fail_nomem(err);
	}
	pthread_mutex_init(&w->lock, NULL);
	w->submitted_end = &w->submitted;
	w->own = own;
	for (size_t i = 0; i < PARALLEL_MOST; i++)
		w->others[i].totals = own->totals;
	*out = w;
	return true;
}

struct pool *workers_pool(struct workers *w)
{
	return w ? w->pool : NULL;
}

static void count_batch(struct task *task, unsigned thread)
{
	struct batch *batch = (struct batch *)(void *)task; /* its first member */
	struct workers *w = batch->workers;
	struct bc_error err = {0};

	if (batch_count(batch, thread ? &w->others[thread - 1] : w->own, &err))
		return;
	pthread_mutex_lock(&w->lock);
	if (w->err.code == BC_OK)
		w->err = err;
	pthread_mutex_unlock(&w->lock);
}

/* Empty the oldest batch that was submitted: only the reader may do that. */
static void reap(struct workers *w)
{
	struct batch *batch = w->submitted;

	w->submitted = batch->next;
	if (!w->submitted)
		w->submitted_end = &w->submitted;
	w->submitted_count--;
	batch_clear(batch);
	batch->next = w->empty;
	w->empty = batch;
}

/* One slow thread does not let those behind its batch pile up. */
static bool must_wait(const struct workers *w)
{
	return w->submitted_count >= SUBMITTED_EACH * pool_threads(w->pool);
}

struct batch *workers_batch(struct workers *w, struct bc_error *err)
{
	if (must_wait(w))
		pool_wait(w->pool, &w->submitted->task);
	while (w->submitted && pool_is_done(w->pool, &w->submitted->task))
		reap(w);
	struct batch *batch = w->empty;
	if (batch) {
		w->empty = batch->next;
		return batch;
	}
	batch = malloc(sizeof(*batch));
	if (!batch) {
		bc_fail_nomem(err);
		return NULL;
	}
	batch_init(batch);
	batch->task.run = count_batch;
	batch->workers = w;
	return batch;
}

static bool check(struct workers *w, struct bc_error *err)
{
	pthread_mutex_lock(&w->lock);
	bool ok = w->err.code == BC_OK;
	if (!ok)
		*err = w->err;
	pthread_mutex_unlock(&w->lock);
	return ok;
}

bool workers_submit(struct workers *w, struct batch *batch, struct bc_error *err)
{
	batch->next = NULL;
	*w->submitted_end = batch;
	w->submitted_end = &batch->next;
	w->submitted_count++;
	pool_submit(w->pool, &batch->task);
	return check(w, err);
}

bool workers_drain(struct workers *w, struct bc_error *err)
{
	while (w->submitted) {
		pool_wait(w->pool, &w->submitted->task);
		reap(w);
	}
	return check(w, err);
}

static bool merge(struct ledger *to, struct ledger *from, struct bc_error *err)
{
	uint64_t read = from->read;

	from->read = 0;
	ledger_add(to, from);
	return ledger_read(to, read, err);
}

bool workers_collect(struct workers *w, struct bc_error *err)
{
	struct tally *own = w->own;

	for (unsigned i = 0; i + 1 < pool_threads(w->pool); i++) {
		struct tally *tally = &w->others[i];
		if (!tally_flush(tally, err) ||
		    !merge(&own->ledgers.samples, &tally->ledgers.samples, err) ||
		    !merge(&own->ledgers.branches, &tally->ledgers.branches, err) ||
		    !merge(&own->ledgers.traces, &tally->ledgers.traces, err) ||
		    !merge(&own->addresses, &tally->addresses, err))
			return false;
		own->branches_seen |= tally->branches_seen;
	}
	return true;
}

static void free_batches(struct batch *batch)
{
	while (batch) {
		struct batch *next = batch->next;
		batch_clear(batch);
		free(batch);
		batch = next;
	}
}

void workers_stop(struct workers *w)
{
	if (!w)
		return;
	pool_stop(w->pool);
	for (size_t i = 0; i < PARALLEL_MOST; i++)
		tally_free(&w->others[i]);
	free_batches(w->submitted);
	free_batches(w->empty);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
