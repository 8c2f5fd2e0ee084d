/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/parallel.h"

#include <stdatomic.h>
#include <stdint.h>

#include "tests/support/cmocka.h"

#define TASKS 2000

struct work {
	struct task task;
	unsigned runs, thread;
};

/* For each thread, whether it runs a task now. */
static atomic_bool busy[PARALLEL_MOST];
static atomic_bool shared; /* two tasks ran with one number */

static void run(struct task *task, unsigned thread)
{
	struct work *work = (struct work *)(void *)task;

	if (atomic_exchange(&busy[thread], true))
		atomic_store(&shared, true);
	work->runs++;
	work->thread = thread;
	atomic_store(&busy[thread], false);
}

static void each_task_runs_once(void **state)
{
	static const unsigned threads[] = {1, 2, 3, 8, 1000};
	static struct work works[TASKS];

	(void)state;
	for (size_t t = 0; t < sizeof(threads) / sizeof(*threads); t++) {
		struct pool *pool = pool_start(threads[t]);
		assert_non_null(pool);
		assert_in_range(pool_threads(pool), 1,
				threads[t] < PARALLEL_MOST ? threads[t] : PARALLEL_MOST);
		for (size_t i = 0; i < TASKS; i++) {
			works[i] = (struct work){.task.run = run};
			pool_submit(pool, &works[i].task);
		}
		for (size_t i = TASKS; i-- > 0;) {
			pool_wait(pool, &works[i].task);
			assert_true(pool_is_done(pool, &works[i].task));
			assert_int_equal(works[i].runs, 1);
			assert_true(works[i].thread < pool_threads(pool));
		}
		pool_stop(pool);
	}
	assert_false(atomic_load(&shared));
}

static void without_a_pool_they_run_at_once(void **state)
{
	struct work work = {.task.run = run, .thread = 7};

	(void)state;
	assert_int_equal(pool_threads(NULL), 1);
	pool_submit(NULL, &work.task);
	assert_int_equal(work.runs, 1);
	assert_int_equal(work.thread, 0);
	assert_true(pool_is_done(NULL, &work.task));
	pool_wait(NULL, &work.task);
	pool_stop(NULL);
}

/* What waits is forgotten, what runs is finished. */
static void it_can_be_stopped_at_any_time(void **state)
{
	static struct work works[TASKS];

	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		struct pool *pool = pool_start(4);
		assert_non_null(pool);
		for (size_t i = 0; i < 10 + round; i++) {
			works[i] = (struct work){.task.run = run};
			pool_submit(pool, &works[i].task);
		}
		pool_stop(pool);
		for (size_t i = 0; i < 10 + round; i++)
			assert_int_equal(works[i].runs, works[i].task.done);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_task_runs_once),
		cmocka_unit_test(without_a_pool_they_run_at_once),
		cmocka_unit_test(it_can_be_stopped_at_any_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
