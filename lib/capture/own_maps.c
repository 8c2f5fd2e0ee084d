/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <time.h>
#include <unistd.h>

#include "batconv/capture.h"
#include "lib/capture/writer.h"

uint32_t batconv_capture_version(void)
{
	return BATCONV_VERSION_NUMBER;
}

uint64_t batconv_capture_time(void)
{
	struct timespec t = {0};
	int before = errno;

	clock_gettime(CLOCK_MONOTONIC, &t);
	errno = before;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Copies the map to the writer.  The kernel gives whole lines, at most a page at a time. */
static void copy(int from, struct capture_writer *w)
{
	ssize_t got = 1;

	capture_flush(w);
	while (got && !w->error) {
		got = read(from, w->buffer, sizeof(w->buffer));
		if (got < 0 && errno != EINTR)
			w->error = errno;
		if (got > 0)
			w->used = (size_t)got;
		capture_flush(w);
	}
}

bool batconv_capture_maps(int fd, uint32_t id, int *error)
{
	struct capture_writer w = {.fd = fd};
	int before = errno;
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (maps < 0) {
		w.error = errno;
	} else {
		capture_text(&w, "# batconv-maps pid=");
		capture_number(&w, (uint64_t)getpid(), 10);
		capture_text(&w, " id=");
		capture_number(&w, id, 10);
		capture_text(&w, " time=");
		capture_number(&w, batconv_capture_time(), 10);
		capture_text(&w, "\n");
		copy(maps, &w);
		close(maps);
	}
	errno = before;
	if (error)
		*error = w.error;
	return !w.error;
}

/* Stops at the first library: dl_iterate_phdr() passes the same counters with each. */
static int first_library(struct dl_phdr_info *info, size_t size, void *ctx)
{
	uint64_t *out = ctx;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		*out = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

uint64_t batconv_capture_generation(void)
{
	uint64_t generation = 0;

	dl_iterate_phdr(first_library, &generation);
	return generation;
}
