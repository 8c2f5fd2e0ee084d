/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/file_calls.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "src/record/budget.h"
#include "src/record/shares.h"

#define SECOND UINT64_C(1000000000)

struct file_calls {
	pthread_mutex_t lock;
	pthread_cond_t come, done; /* a call; the end of one, or of a thread */
	struct file_call *first;   /* of those that wait for their turn, in order */
	unsigned waiting, idle;    /* calls, threads */
	unsigned threads, running; /* all threads, those with a call */
	unsigned of_user[SHARES_MOST];
	bool stopped, forgotten; /* nobody else knows it any more */
};

/* The first call whose turn it is, or NULL. */
static struct file_call *take(struct file_calls *calls)
{
	for (struct file_call **at = &calls->first; *at; at = &(*at)->next) {
		struct file_call *call = *at;
		if (!shares_allow(call->trusted, calls->of_user[call->user], calls->running,
				  FILE_CALLS_MOST))
			continue;
		*at = call->next;
		calls->waiting--;
		calls->running++;
		calls->of_user[call->user]++;
		return call;
	}
	return NULL;
}

/* Under the lock, which is let go meanwhile. */
static void run(struct file_calls *calls, struct file_call *call)
{
	uint32_t user = call->user;

	pthread_mutex_unlock(&calls->lock);
	uint64_t before = budget_thread_cpu();
	call->run(call);
	call->cpu = budget_thread_cpu() - before;
	pthread_mutex_lock(&calls->lock);
	if (call->left) {
		pthread_mutex_unlock(&calls->lock);
		call->free(call);
		pthread_mutex_lock(&calls->lock);
	} else {
		call->done = true;
	}
	calls->running--;
	calls->of_user[user]--;
	pthread_cond_broadcast(&calls->done);
}

static void destroy(struct file_calls *calls)
{
	pthread_mutex_destroy(&calls->lock);
	pthread_cond_destroy(&calls->come);
	pthread_cond_destroy(&calls->done);
	free(calls);
}

static void *make_calls(void *ctx)
{
	struct file_calls *calls = ctx;

	pthread_mutex_lock(&calls->lock);
	for (;;) {
		struct file_call *call = take(calls);
		if (call) {
			run(calls, call);
			continue;
		}
		if (calls->stopped)
			break;
		calls->idle++;
		pthread_cond_wait(&calls->come, &calls->lock);
		calls->idle--;
	}
	calls->threads--;
	bool last = calls->forgotten && !calls->threads;
	pthread_cond_broadcast(&calls->done);
	pthread_mutex_unlock(&calls->lock);
	if (last)
		destroy(calls);
	return NULL;
}

/* glibc keeps freed blocks of up to the largest one that was freed so far, in each thread: tables
 * of files of a user would stay in memory 16 times.  A limit that is set stays. */
static void give_back_large_blocks(void)
{
#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

struct file_calls *file_calls_start(void)
{
	struct file_calls *calls = calloc(1, sizeof(*calls));
	pthread_condattr_t clock;

	if (!calls)
		return NULL;
	give_back_large_blocks();
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_mutex_init(&calls->lock, NULL);
	pthread_cond_init(&calls->come, &clock);
	pthread_cond_init(&calls->done, &clock);
	pthread_condattr_destroy(&clock);
	return calls;
}

bool file_calls_stop(struct file_calls *calls)
{
	if (!calls)
		return true;
	struct timespec until;
	int why = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++; /* for calls that only take a little */
	pthread_mutex_lock(&calls->lock);
	calls->stopped = true;
	pthread_cond_broadcast(&calls->come);
	while (calls->threads && !why)
		why = pthread_cond_timedwait(&calls->done, &calls->lock, &until);
	bool all = !calls->threads;
	calls->forgotten = !all;
	pthread_mutex_unlock(&calls->lock);
	if (all)
		destroy(calls);
	return all;
}

static bool start_thread(struct file_calls *calls)
{
	pthread_attr_t attributes;
	pthread_t id;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	bool ok = pthread_create(&id, &attributes, make_calls, calls) == 0;
	pthread_attr_destroy(&attributes);
	calls->threads += ok;
	return ok;
}

/* Under the lock. */
static void append(struct file_calls *calls, struct file_call *call)
{
	struct file_call **at = &calls->first;

	while (*at)
		at = &(*at)->next;
	call->next = NULL;
	call->done = false;
	*at = call;
	calls->waiting++;
	if (calls->waiting > calls->idle && calls->threads < FILE_CALLS_MOST)
		(void)start_thread(calls);
	pthread_cond_signal(&calls->come);
}

void file_calls_put(struct file_calls *calls, struct file_call *call)
{
	call->left = false;
	if (calls) {
		pthread_mutex_lock(&calls->lock);
		append(calls, call);
		if (!calls->threads)
			run(calls, take(calls));
		pthread_mutex_unlock(&calls->lock);
		return;
	}
	uint64_t before = budget_thread_cpu();
	call->run(call);
	call->cpu = budget_thread_cpu() - before;
	call->done = true;
}

bool file_calls_wait(struct file_calls *calls, struct file_call *call, uint64_t ns)
{
	struct timespec until;
	int why = 0;

	if (!calls)
		return call->done;
	clock_gettime(CLOCK_MONOTONIC, &until);
	ns += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(ns / SECOND);
	until.tv_nsec = (long)(ns % SECOND);
	pthread_mutex_lock(&calls->lock);
	while (!call->done && !why)
		why = pthread_cond_timedwait(&calls->done, &calls->lock, &until);
	bool done = call->done;
	pthread_mutex_unlock(&calls->lock);
	return done;
}

/* Under the lock.  False: it does not wait for its turn. */
static bool take_back(struct file_calls *calls, struct file_call *call)
{
	struct file_call **at = &calls->first;

	while (*at && *at != call)
		at = &(*at)->next;
	if (!*at)
		return false;
	*at = call->next;
	calls->waiting--;
	return true;
}

static void do_nothing(struct file_call *call)
{
	(void)call;
}

void file_calls_leave(struct file_calls *calls, struct file_call *call)
{
	if (!calls) {
		call->free(call);
		return;
	}
	pthread_mutex_lock(&calls->lock);
	bool taken = !call->closes && !call->done && take_back(calls, call);
	call->left = true;
	if (call->done) {
		call->run = do_nothing;
		append(calls, call);
		if (!calls->threads)
			run(calls, take(calls));
	}
	pthread_mutex_unlock(&calls->lock);
	if (taken)
		call->free(call);
}
