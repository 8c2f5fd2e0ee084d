/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The capture library, as a sampler uses it. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "batconv/capture.h"
#include "tests/support/cmocka.h"

static FILE *scratch;

static int make_scratch(void **state)
{
	(void)state;
	scratch = tmpfile();
	return scratch ? 0 : -1;
}

static int drop_scratch(void **state)
{
	(void)state;
	return fclose(scratch);
}

/* What is in the file. */
static size_t read_back(char *out, size_t size)
{
	rewind(scratch);
	size_t got = fread(out, 1, size - 1, scratch);
	out[got] = '\0';
	return got;
}

static void maps_are_those_of_the_kernel(void **state)
{
	static char text[1 << 18];
	char head[128], expected[256];
	int error = 1;

	(void)state;
	errno = 77;
	assert_true(batconv_capture_maps(fileno(scratch), 5, &error));
	assert_int_equal(errno, 77);
	read_back(text, sizeof(text));
	assert_int_equal(sscanf(text, "%127[^\n]", head), 1);
	snprintf(expected, sizeof(expected), "# batconv-maps pid=%d id=5 time=", (int)getpid());
	assert_memory_equal(head, expected, strlen(expected));
	assert_non_null(strstr(text, "[stack]"));
	assert_non_null(strstr(text, "r-xp"));
	assert_int_equal(error, 0);
	assert_false(batconv_capture_maps(-1, 6, &error));
	assert_int_equal(error, EBADF);
	assert_false(batconv_capture_maps(-1, 6, NULL));
	assert_int_equal(errno, 77);
}

static void stacks_come_out_as_lines(void **state)
{
	struct batconv_run_addr stack[] = {{0x401000}, {0x7f00deadbeef}, {UINT64_MAX}};
	struct batconv_capture_ring *ring = batconv_capture_ring_new(0);
	char text[256], expected[256];
	int error;

	(void)state;
	assert_non_null(ring);
	assert_true(batconv_capture_ring_put(ring, 123456789, 3, stack, 3));
	assert_true(batconv_capture_ring_put(ring, 0, 0, stack, 1));
	assert_false(batconv_capture_ring_put(ring, 0, 0, stack, 0));
	assert_int_equal(batconv_capture_ring_dropped(ring), 1);
	assert_true(batconv_capture_ring_write(ring, fileno(scratch), NULL));
	assert_true(batconv_capture_ring_write(ring, fileno(scratch), NULL)); /* nothing is left */
	read_back(text, sizeof(text));
	snprintf(expected, sizeof(expected),
		 "123456789 p%dm3 401000 7f00deadbeef ffffffffffffffff\n0 p%dm0 401000\n",
		 (int)getpid(), (int)getpid());
	assert_string_equal(text, expected);
	assert_true(batconv_capture_ring_put(ring, 1, 1, stack, 1));
	assert_false(batconv_capture_ring_write(ring, -1, &error));
	assert_int_equal(error, EBADF);
	assert_int_equal(batconv_capture_version(), BATCONV_VERSION_NUMBER);
	batconv_capture_ring_free(ring);
	batconv_capture_ring_free(NULL);
}

static void a_full_ring_drops_and_goes_on(void **state)
{
	struct batconv_run_addr stack[100] = {{1}};
	struct batconv_capture_ring *ring =
		batconv_capture_ring_new(4096); /* 512 words: 5 stacks of 102 */
	int put = 0;

	(void)state;
	for (int round = 0; round < 3; round++) {
		put = 0;
		while (batconv_capture_ring_put(ring, 1, 1, stack, 100))
			put++;
		assert_int_equal(put, 5);
		assert_true(batconv_capture_ring_write(ring, fileno(scratch), NULL));
	}
	assert_int_equal(batconv_capture_ring_dropped(ring), 3);
	batconv_capture_ring_free(ring);
}

#define WRITERS 4
#define STACKS  20000

static struct batconv_capture_ring *shared;

static void *put_many(void *ctx)
{
	uint64_t own = (uint64_t)(uintptr_t)ctx;
	struct batconv_run_addr stack[8];

	for (uint64_t i = 0; i < STACKS; i++) {
		size_t count = 1 + i % 8;
		for (size_t a = 0; a < count; a++)
			stack[a].v = own << 32 | i;
		while (!batconv_capture_ring_put(shared, i, (uint32_t)own, stack, count))
			;
	}
	return NULL;
}

/* A line is whole and of one stack: all its addresses are equal. */
static void check_line(char *line, uint64_t next[WRITERS])
{
	char *rest = line;
	uint64_t time = strtoull(rest, &rest, 10), first = 0, count = 0;
	unsigned map;

	assert_int_equal(sscanf(rest, " p%*dm%u", &map), 1);
	rest = strchr(rest + 1, ' ');
	while (*rest == ' ') {
		uint64_t at = strtoull(rest, &rest, 16);
		if (!count++)
			first = at;
		assert_int_equal(at, first);
	}
	assert_true(map < WRITERS);
	assert_int_equal(first, (uint64_t)map << 32 | time);
	assert_int_equal(count, 1 + time % 8);
	assert_int_equal(time, next[map]++); /* in order, none lost */
}

static void many_writers_lose_nothing(void **state)
{
	pthread_t threads[WRITERS];
	uint64_t next[WRITERS] = {0};
	char line[512];
	bool all = false;

	(void)state;
	shared = batconv_capture_ring_new(1 << 14);
	for (size_t i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, put_many, (void *)(uintptr_t)i);
	while (!all) {
		rewind(scratch);
		assert_int_equal(ftruncate(fileno(scratch), 0), 0);
		assert_true(batconv_capture_ring_write(shared, fileno(scratch), NULL));
		rewind(scratch);
		while (fgets(line, sizeof(line), scratch))
			check_line(line, next);
		all = true;
		for (size_t i = 0; i < WRITERS; i++)
			all &= next[i] == STACKS;
	}
	for (size_t i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	batconv_capture_ring_free(shared);
}

static struct batconv_run_addr walked[16];
static size_t walked_count;
static struct batconv_capture_bounds bounds;

static void on_signal(int number, siginfo_t *info, void *ucontext)
{
	(void)number;
	(void)info;
	walked_count = batconv_capture_stack(ucontext, &bounds, walked, 16);
}

/* The signal arrives within raise(), which may have no frame pointer. */
__attribute__((noinline)) static void *inner(void)
{
	raise(SIGUSR1);
	return __builtin_return_address(0);
}

__attribute__((noinline)) static void *outer(void **own)
{
	void *seen = inner();

	*own = __builtin_return_address(0);
	return seen;
}

static void the_stack_at_a_signal(void **state)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, old;
	bool has_inner = false, has_outer = false;
	void *in_main;

	(void)state;
	assert_true(batconv_capture_thread_bounds(&bounds));
	assert_true(bounds.low < (uintptr_t)&old && (uintptr_t)&old < bounds.high);
	sigaction(SIGUSR1, &action, &old);
	void *in_outer = outer(&in_main);
	sigaction(SIGUSR1, &old, NULL);
#if defined(__x86_64__) || defined(__aarch64__)
	assert_true(walked_count >= 3);
	for (size_t i = 1; i < walked_count; i++) {
		has_inner |= walked[i].v == (uintptr_t)in_outer;
		has_outer |= walked[i].v == (uintptr_t)in_main;
	}
	assert_true(has_inner && has_outer);
#else
	(void)in_outer;
	(void)has_inner;
	(void)has_outer;
#endif
}

static void the_generation_of_libraries(void **state)
{
	(void)state;
	assert_int_equal(batconv_capture_generation(), batconv_capture_generation());
	assert_true(batconv_capture_generation() > 0);
}

/* Lower a limit of this process to 0, and give back what it was. */
static struct rlimit without(unsigned what)
{
	struct rlimit before, none;

	assert_int_equal(getrlimit(what, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(what, &none), 0);
	return before;
}

static void what_the_system_refuses_leaves_errno(void **state)
{
	struct batconv_capture_bounds own;

	(void)state;
	struct rlimit memory = without(RLIMIT_AS);
	errno = 77;
	struct batconv_capture_ring *ring = batconv_capture_ring_new(1 << 30);
	int after = errno;
	setrlimit(RLIMIT_AS, &memory);
	assert_null(ring);
	assert_int_equal(after, 77);
	struct rlimit files = without(RLIMIT_NOFILE);
	errno = 77;
	(void)!batconv_capture_thread_bounds(&own); /* of the first thread, /proc/self/maps shows */
	after = errno;
	setrlimit(RLIMIT_NOFILE, &files);
	assert_int_equal(after, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(maps_are_those_of_the_kernel, make_scratch,
						drop_scratch),
		cmocka_unit_test_setup_teardown(stacks_come_out_as_lines, make_scratch,
						drop_scratch),
		cmocka_unit_test_setup_teardown(a_full_ring_drops_and_goes_on, make_scratch,
						drop_scratch),
		cmocka_unit_test_setup_teardown(many_writers_lose_nothing, make_scratch,
						drop_scratch),
		cmocka_unit_test(the_stack_at_a_signal),
		cmocka_unit_test(the_generation_of_libraries),
		cmocka_unit_test(what_the_system_refuses_leaves_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
