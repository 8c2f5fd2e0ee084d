/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that samples itself: sampler STACKS MAPS [HZ [MILLIONS]]
 *
 * A timer of the processor time sends SIGPROF; the handler walks the stack and puts
 * it into a ring; nothing is looked up.  Afterwards:
 *
 *   batconv stacks --functions --maps=MAPS STACKS
 *
 * HZ 0: no sampling, for comparison.  Prints how long the work took and how many
 * samples there were.  Build it with -fno-omit-frame-pointer; gcc makes no frame for a
 * function that calls nothing and keeps nothing on the stack, and then its caller is
 * missing.
 */
#define _GNU_SOURCE /* sigaction, setitimer */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "batconv/capture.h"

#define DEPTH  64
#define MAP_ID 0 /* this program loads nothing later */

static struct batconv_capture_ring *ring;
static struct batconv_capture_bounds bounds;
static volatile sig_atomic_t samples;

static void on_sample(int signal, siginfo_t *info, void *ucontext)
{
	struct batconv_run_addr stack[DEPTH];
	uint64_t time = batconv_capture_time();
	size_t count = batconv_capture_stack(ucontext, &bounds, stack, DEPTH);

	(void)signal;
	(void)info;
	batconv_capture_ring_put(ring, time, MAP_ID, stack, count);
	samples++;
}

static void start(unsigned hz)
{
	struct sigaction action = {.sa_sigaction = on_sample, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct timeval every = {.tv_usec = 1000000 / hz};
	struct itimerval timer = {every, every};

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
}

static void stop(void)
{
	struct itimerval timer = {{0, 0}, {0, 0}};

	setitimer(ITIMER_PROF, &timer, NULL);
}

/* The work: three functions, one above the other. */
__attribute__((noinline)) static uint64_t mix(uint64_t x)
{
	volatile uint64_t kept = x; /* on the stack: there is a frame */

	for (int i = 0; i < 200; i++)
		x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return x + kept;
}

__attribute__((noinline)) static uint64_t walk(uint64_t from, uint64_t steps)
{
	for (uint64_t i = 0; i < steps; i++)
		from += mix(from + i);
	return from;
}

__attribute__((noinline)) static uint64_t work(uint64_t steps)
{
	uint64_t x = 1;

	for (int round = 0; round < 10; round++)
		x = walk(x, steps / 10);
	return x;
}

static int create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

int main(int argc, char **argv)
{
	unsigned hz = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 99;
	uint64_t steps = (argc > 4 ? strtoull(argv[4], NULL, 10) : 5) * 1000000 / 5;

	if (argc < 3 || hz > 10000) {
		fprintf(stderr, "usage: %s STACKS MAPS [HZ [MILLIONS]]\n", argv[0]);
		return 2;
	}
	int stacks = create(argv[1]), maps = create(argv[2]), error = ENOMEM;
	ring = batconv_capture_ring_new(1 << 22);
	if (!ring || !batconv_capture_thread_bounds(&bounds) ||
	    !batconv_capture_maps(maps, MAP_ID, &error)) {
		fprintf(stderr, "sampler: cannot sample: %s\n", strerror(error));
		return 1;
	}
	uint64_t begin = batconv_capture_time();
	if (hz)
		start(hz);
	uint64_t result = work(steps);
	stop();
	uint64_t took = batconv_capture_time() - begin;
	bool ok = batconv_capture_ring_write(ring, stacks, &error);
	if (!ok)
		fprintf(stderr, "%s: %s\n", argv[1], strerror(error));
	printf("%" PRIu64 " ns, %d samples, %" PRIu64 " dropped, result %" PRIx64 "\n", took,
	       (int)samples, batconv_capture_ring_dropped(ring), result);
	batconv_capture_ring_free(ring);
	return ok ? 0 : 1;
}
