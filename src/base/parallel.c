/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct loop {
	atomic_size_t next;
	size_t count;
	parallel_fn *round;
	void *ctx;
};

struct worker {
	struct loop *loop;
	unsigned number;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct loop *loop = worker->loop;

	for (size_t i; (i = atomic_fetch_add(&loop->next, 1)) < loop->count;)
		loop->round(loop->ctx, i, worker->number);
	return NULL;
}

void parallel_for(unsigned threads, size_t count, parallel_fn *round, void *ctx)
{
	struct loop loop = {0, count, round, ctx};
	struct worker workers[PARALLEL_MOST];
	unsigned started = 1;

	if (threads > PARALLEL_MOST)
		threads = PARALLEL_MOST;
	for (; started < threads && started < count; started++) {
		workers[started] = (struct worker){.loop = &loop, .number = started};
		if (pthread_create(&workers[started].thread, NULL, work, &workers[started]))
			break;
	}
	workers[0] = (struct worker){.loop = &loop};
	work(&workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
}

struct parts {
	parallel_part *run;
	void *ctx;
	bool ok[PARALLEL_PARTS];
	struct bc_error err[PARALLEL_PARTS];
};

static void run_part(void *ctx, size_t part, unsigned worker)
{
	struct parts *parts = ctx;

	(void)worker;
	parts->ok[part] = parts->run(parts->ctx, part, &parts->err[part]);
}

bool parallel_parts(size_t count, parallel_part *part, void *ctx, struct bc_error *err)
{
	struct parts parts = {.run = part, .ctx = ctx};

	parallel_for(parallel_threads(), count, run_part, &parts);
	for (size_t i = 0; i < count; i++) {
		if (!parts.ok[i]) {
			*err = parts.err[i];
			return false;
		}
	}
	return true;
}

unsigned parallel_threads(void)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (online < 1)
		return 1;
	return online > PARALLEL_MOST ? PARALLEL_MOST : (unsigned)online;
}

/* The most tasks that wait, for each thread. */
#define WAITING_EACH 3

struct helper {
	struct pool *pool;
	unsigned number;
	pthread_t thread;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work, progress; /* a task waits; one was done */
	struct task *waiting, **waiting_end;
	unsigned waiting_count;
	bool stop;
	unsigned helper_count;
	struct helper helpers[PARALLEL_MOST];
};

/* Run the task that has waited longest.  The caller holds the lock, which is released while the
 * task runs. */
static void run_one(struct pool *pool, unsigned thread)
{
	struct task *task = pool->waiting;

	pool->waiting = task->next;
	if (!pool->waiting)
		pool->waiting_end = &pool->waiting;
	pool->waiting_count--;
	pthread_mutex_unlock(&pool->lock);
	task->run(task, thread);
	pthread_mutex_lock(&pool->lock);
	task->done = true;
	if (thread)
		pthread_cond_signal(&pool->progress);
}

static void *help(void *arg)
{
	struct helper *helper = arg;
	struct pool *pool = helper->pool;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (!pool->waiting && !pool->stop)
			pthread_cond_wait(&pool->work, &pool->lock);
		if (pool->stop)
			break;
		run_one(pool, helper->number);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct pool *pool_start(unsigned threads)
{
	struct pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->progress, NULL);
	pool->waiting_end = &pool->waiting;
	while (pool->helper_count + 1 < threads && pool->helper_count + 1 < PARALLEL_MOST) {
		struct helper *helper = &pool->helpers[pool->helper_count];
		*helper = (struct helper){.pool = pool, .number = pool->helper_count + 1};
		if (pthread_create(&helper->thread, NULL, help, helper))
			break;
		pool->helper_count++;
	}
	return pool;
}

void pool_stop(struct pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->helper_count; i++)
		pthread_join(pool->helpers[i].thread, NULL);
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->progress);
	free(pool);
}

unsigned pool_threads(const struct pool *pool)
{
	return pool ? pool->helper_count + 1 : 1;
}

void pool_submit(struct pool *pool, struct task *task)
{
	task->next = NULL;
	task->done = false;
	if (!pool) {
		task->run(task, 0);
		task->done = true;
		return;
	}
	pthread_mutex_lock(&pool->lock);
	*pool->waiting_end = task;
	pool->waiting_end = &task->next;
	pool->waiting_count++;
	pthread_cond_signal(&pool->work);
	if (pool->waiting_count > (size_t)WAITING_EACH * pool->helper_count)
		run_one(pool, 0);
	pthread_mutex_unlock(&pool->lock);
}

bool pool_is_done(struct pool *pool, struct task *task)
{
	if (!pool)
		return task->done;
	pthread_mutex_lock(&pool->lock);
	bool done = task->done;
	pthread_mutex_unlock(&pool->lock);
	return done;
}

void pool_wait(struct pool *pool, struct task *task)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	while (!task->done)
		if (pool->waiting)
			run_one(pool, 0);
		else
			pthread_cond_wait(&pool->progress, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}
