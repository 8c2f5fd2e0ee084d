/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that hang: whoever waits for others continues, and no user has all threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "src/record/file_calls.h"
#include "tests/support/cmocka.h"

#define LONG_ENOUGH UINT64_C(60000000000) /* ns: for a machine that is busy */
#define A_MOMENT    UINT64_C(20000000)

/* What calls wait for that hang. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint made, freed;

struct test_call {
	struct file_call call;
	bool hangs;
};

static void make(struct file_call *call)
{
	if (((struct test_call *)call)->hangs) {
		pthread_mutex_lock(&gate);
		pthread_mutex_unlock(&gate);
	}
	(void)atomic_fetch_add(&made, 1);
}

static void free_call(struct file_call *call)
{
	(void)atomic_fetch_add(&freed, 1);
	free(call);
}

static struct file_call *put(struct file_calls *calls, uint32_t user, bool hangs)
{
	struct test_call *call = calloc(1, sizeof(*call));

	assert_non_null(call);
	*call = (struct test_call){{.run = make, .free = free_call, .user = user}, hangs};
	file_calls_put(calls, &call->call);
	return &call->call;
}

static void reset(void)
{
	atomic_store(&made, 0);
	atomic_store(&freed, 0);
}

static void without_threads(void **state)
{
	(void)state;
	reset();
	struct file_call *call = put(NULL, 0, false);
	assert_int_equal(made, 1);
	assert_true(file_calls_wait(NULL, call, 0));
	file_calls_leave(NULL, call);
	assert_int_equal(freed, 1);
	assert_true(file_calls_stop(NULL));
}

static void one_after_the_other(void **state)
{
	struct file_calls *calls = file_calls_start();

	(void)state;
	reset();
	assert_non_null(calls);
	for (unsigned i = 0; i < 1000; i++) {
		struct file_call *call = put(calls, i % 3, false);
		if (i % 2)
			assert_true(file_calls_wait(calls, call, LONG_ENOUGH));
		file_calls_leave(calls, call);
	}
	assert_true(file_calls_stop(calls)); /* when all are done */
	assert_in_range(made, 500, 1000);    /* what was left before its turn is not made */
	assert_int_equal(freed, 1000);
}

/* User 1 has more calls that hang than there are threads; then user 2 has. */
static void a_share_for_each(void **state)
{
	struct file_calls *calls = file_calls_start();
	struct file_call *hanging[2][2 * FILE_CALLS_MOST];

	(void)state;
	reset();
	pthread_mutex_lock(&gate);
	for (uint32_t user = 1; user <= 2; user++) {
		for (size_t i = 0; i < 2 * FILE_CALLS_MOST; i++)
			hanging[user - 1][i] = put(calls, user, true);
		assert_false(file_calls_wait(calls, hanging[user - 1][0], A_MOMENT));
		struct file_call *other = put(calls, user + 1, false);
		assert_true(file_calls_wait(calls, other, LONG_ENOUGH));
		file_calls_leave(calls, other);
	}
	struct file_call *own = put(calls, 1, false); /* its own turn does not come */
	assert_false(file_calls_wait(calls, own, A_MOMENT));
	file_calls_leave(calls, own);
	file_calls_leave(calls, hanging[0][0]); /* one that is under way, and one that waits */
	file_calls_leave(calls, hanging[0][2 * FILE_CALLS_MOST - 1]);
	pthread_mutex_unlock(&gate);
	for (size_t user = 0; user < 2; user++)
		for (size_t i = 0; i < 2 * FILE_CALLS_MOST; i++)
			if (user || (i && i < 2 * FILE_CALLS_MOST - 1)) {
				assert_true(file_calls_wait(calls, hanging[user][i], LONG_ENOUGH));
				file_calls_leave(calls, hanging[user][i]);
			}
	assert_true(file_calls_stop(calls));
	assert_int_equal(made, 4 * FILE_CALLS_MOST + 1); /* except two that were left */
	assert_int_equal(freed, 4 * FILE_CALLS_MOST + 3);
}

/* Where all of a user's calls hang, those that nobody waits for any more take no memory. */
static void what_is_left_does_not_wait(void **state)
{
	struct file_calls *calls = file_calls_start();
	struct file_call *hanging[FILE_CALLS_MOST];

	(void)state;
	reset();
	pthread_mutex_lock(&gate);
	for (size_t i = 0; i < BC_COUNT(hanging); i++)
		hanging[i] = put(calls, 1, true);
	for (unsigned i = 0; i < 10000; i++)
		file_calls_leave(calls, put(calls, 1, false));
	assert_int_equal(freed, 10000);
	struct file_call *closes = put(calls, 1, false);
	closes->closes = true; /* which only a thread may do */
	file_calls_leave(calls, closes);
	assert_int_equal(freed, 10000);
	pthread_mutex_unlock(&gate);
	for (size_t i = 0; i < BC_COUNT(hanging); i++) {
		assert_true(file_calls_wait(calls, hanging[i], LONG_ENOUGH));
		file_calls_leave(calls, hanging[i]);
	}
	assert_true(file_calls_stop(calls));
	assert_int_equal(freed, 10001 + BC_COUNT(hanging));
}

/* One after the other, they take all that they may: root's calls are made all the same. */
static void many_users_leave_some_for_root(void **state)
{
	struct file_calls *calls = file_calls_start();
	struct file_call *hanging[8 * FILE_CALLS_MOST];

	(void)state;
	reset();
	pthread_mutex_lock(&gate);
	for (size_t i = 0; i < BC_COUNT(hanging); i++)
		hanging[i] = put(calls, 1 + (uint32_t)(i / FILE_CALLS_MOST), true);
	assert_false(file_calls_wait(calls, hanging[0], A_MOMENT));
	for (unsigned i = 0; i < 3; i++) {
		struct test_call *call = calloc(1, sizeof(*call));
		assert_non_null(call);
		call->call = (struct file_call){
			.run = make, .free = free_call, .user = 100, .trusted = true};
		file_calls_put(calls, &call->call);
		assert_true(file_calls_wait(calls, &call->call, LONG_ENOUGH));
		file_calls_leave(calls, &call->call);
	}
	pthread_mutex_unlock(&gate);
	for (size_t i = 0; i < BC_COUNT(hanging); i++) {
		assert_true(file_calls_wait(calls, hanging[i], LONG_ENOUGH));
		file_calls_leave(calls, hanging[i]);
	}
	assert_true(file_calls_stop(calls));
	assert_int_equal(made, BC_COUNT(hanging) + 3);
	assert_int_equal(freed, made);
}

/* Nobody can wait for it: the thread continues when it can, and the last one frees what they share.
 */
static void stopped_while_one_hangs(void **state)
{
	struct file_calls *calls = file_calls_start();

	(void)state;
	reset();
	pthread_mutex_lock(&gate);
	struct file_call *call = put(calls, 1, true);
	assert_false(file_calls_wait(calls, call, A_MOMENT));
	file_calls_leave(calls, call);
	assert_false(file_calls_stop(calls));
	pthread_mutex_unlock(&gate);
	while (!freed)
		sched_yield();
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(without_threads),
					   cmocka_unit_test(one_after_the_other),
					   cmocka_unit_test(a_share_for_each),
					   cmocka_unit_test(what_is_left_does_not_wait),
					   cmocka_unit_test(many_users_leave_some_for_root),
					   cmocka_unit_test(stopped_while_one_hangs)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
