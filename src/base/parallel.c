/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
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
