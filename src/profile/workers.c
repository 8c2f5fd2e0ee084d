/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/workers.h"

#include <pthread.h>
#include <stdlib.h>

#include "src/base/parallel.h"

/* Batches that may wait, for each thread. */
#define WAITING_EACH 2

struct worker {
	struct workers *all;
	struct tally tally;
	pthread_t thread;
};

struct workers {
	pthread_mutex_t lock;
	pthread_cond_t work, progress; /* there is a batch; one was counted */
	struct batch *waiting, **waiting_end;
	struct batch *counted; /* still holding their memory */
	struct batch *empty;   /* the reader's alone */
	size_t waiting_count;
	size_t busy; /* batches that are being counted by workers */
	bool stop;
	struct bc_error err; /* the first one; code BC_OK if none */
	unsigned count;
	struct worker at[PARALLEL_MOST];
};

/* With the lock held: the batch that has waited longest. */
static struct batch *pop(struct workers *w)
{
	struct batch *batch = w->waiting;

	w->waiting = batch->next;
	if (!w->waiting)
		w->waiting_end = &w->waiting;
	w->waiting_count--;
	return batch;
}

/* With the lock held, which is given up while the batch is counted. */
static void count_batch(struct workers *w, struct batch *batch, struct tally *tally)
{
	struct bc_error err = {0};

	pthread_mutex_unlock(&w->lock);
	bool ok = batch_count(batch, tally, &err);
	pthread_mutex_lock(&w->lock);
	if (!ok && w->err.code == BC_OK)
		w->err = err;
	batch->next = w->counted;
	w->counted = batch;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct workers *w = worker->all;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->waiting && !w->stop)
			pthread_cond_wait(&w->work, &w->lock);
		if (w->stop)
			break;
		struct batch *batch = pop(w);
		w->busy++;
		count_batch(w, batch, &worker->tally);
		w->busy--;
		pthread_cond_signal(&w->progress);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

bool workers_start(unsigned threads, struct totals *totals, struct workers **out,
		   struct bc_error *err)
{
	struct workers *w = calloc(1, sizeof(*w));

	if (!w)
		return bc_fail_nomem(err);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->work, NULL);
	pthread_cond_init(&w->progress, NULL);
	w->waiting_end = &w->waiting;
	for (; w->count + 1 < threads && w->count < PARALLEL_MOST; w->count++) {
		struct worker *worker = &w->at[w->count];
		*worker = (struct worker){.all = w, .tally.totals = totals};
		if (pthread_create(&worker->thread, NULL, work, worker))
			break;
	}
	*out = w;
	return true;
}

/* Empty the batches that were counted: only the reader may do that. */
static void reap(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
	struct batch *counted = w->counted;
	w->counted = NULL;
	pthread_mutex_unlock(&w->lock);
	while (counted) {
		struct batch *batch = counted;
		counted = batch->next;
		batch_clear(batch);
		batch->next = w->empty;
		w->empty = batch;
	}
}

struct batch *workers_batch(struct workers *w, struct bc_error *err)
{
	reap(w);
	struct batch *batch = w->empty;
	if (batch) {
		w->empty = batch->next;
		return batch;
	}
	batch = malloc(sizeof(*batch));
	if (!batch)
		bc_fail_nomem(err);
	else
		batch->sample_count = batch->view_count = batch->memory_count = 0;
	return batch;
}

static bool check(struct workers *w, struct bc_error *err)
{
	if (w->err.code == BC_OK)
		return true;
	*err = w->err;
	return false;
}

bool workers_submit(struct workers *w, struct batch *batch, struct tally *own,
		    struct bc_error *err)
{
	pthread_mutex_lock(&w->lock);
	batch->next = NULL;
	*w->waiting_end = batch;
	w->waiting_end = &batch->next;
	w->waiting_count++;
	pthread_cond_signal(&w->work);
	if (w->waiting_count > WAITING_EACH * w->count)
		count_batch(w, pop(w), own);
	bool ok = check(w, err);
	pthread_mutex_unlock(&w->lock);
	return ok;
}

bool workers_drain(struct workers *w, struct tally *own, struct bc_error *err)
{
	pthread_mutex_lock(&w->lock);
	while (w->waiting)
		count_batch(w, pop(w), own);
	while (w->busy)
		pthread_cond_wait(&w->progress, &w->lock);
	bool ok = check(w, err);
	pthread_mutex_unlock(&w->lock);
	reap(w);
	return ok;
}

bool workers_collect(struct workers *w, struct tally *own, struct bc_error *err)
{
	for (unsigned i = 0; i < w->count; i++) {
		struct tally *tally = &w->at[i].tally;
		if (!tally_flush(tally, err))
			return false;
		ledger_add(&own->ledgers.samples, &tally->ledgers.samples);
		ledger_add(&own->ledgers.branches, &tally->ledgers.branches);
		ledger_add(&own->ledgers.traces, &tally->ledgers.traces);
		ledger_add(&own->addresses, &tally->addresses);
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
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_broadcast(&w->work);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < w->count; i++) {
		pthread_join(w->at[i].thread, NULL);
		tally_free(&w->at[i].tally);
	}
	free_batches(w->waiting);
	free_batches(w->counted);
	free_batches(w->empty);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->work);
	pthread_cond_destroy(&w->progress);
	free(w);
}
