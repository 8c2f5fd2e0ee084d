/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/progress.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/base/say.h"
#include "src/base/text.h"

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Files of a directory that perf record --threads left. */
static bool add_folder(const char *path, uint64_t *size)
{
	DIR *folder = opendir(path);
	struct stat st;

	if (!folder)
		return false;
	for (const struct dirent *entry; (entry = readdir(folder));)
		if (!strncmp(entry->d_name, "data", 4) &&
		    fstatat(dirfd(folder), entry->d_name, &st, 0) == 0)
			*size += (uint64_t)st.st_size;
	closedir(folder);
	return true;
}

static bool add_size(const char *path, uint64_t *size)
{
	struct stat st;

	if (!strcmp(path, "-") || stat(path, &st) != 0)
		return false;
	if (S_ISDIR(st.st_mode))
		return add_folder(path, size);
	*size += (uint64_t)st.st_size;
	return S_ISREG(st.st_mode);
}

static void expect(struct progress *progress, const char *const *paths, size_t count)
{
	bool known = progress->mode != PROGRESS_NEVER;

	progress->size = 0;
	for (size_t i = 0; i < count && known; i++)
		known = add_size(paths[i], &progress->size);
	if (!known)
		progress->size = 0;
}

static void show(struct progress *progress, const struct file_stream *stream)
{
	progress->done += stream->done - stream->told;
	uint64_t now = progress->mode == PROGRESS_NEVER ? 0 : now_ms();

	if (progress->mode == PROGRESS_NEVER || now - progress->shown_ms < 200 ||
	    (progress->mode == PROGRESS_AUTO && now - progress->begun_ms < 1000))
		return;
	progress->shown_ms = now;
	progress->shown = true;
	fputs("\r\033[K" SAY_NAME, stderr);
	print_name(text_of(stream->name), stderr);
	fprintf(stderr, ": %" PRIu64 " MB", progress->done >> 20);
	if (progress->size >= progress->done && progress->size)
		fprintf(stderr, " of %" PRIu64 " MB, %d %%", progress->size >> 20,
			(int)(100.0 * (double)progress->done / (double)progress->size));
	fflush(stderr);
}

static void show_locked(void *ctx, const struct file_stream *stream)
{
	struct progress *progress = ctx;

	pthread_mutex_lock(&progress->lock);
	show(progress, stream);
	pthread_mutex_unlock(&progress->lock);
}

bool progress_is_shown(enum progress_mode mode)
{
	return mode == PROGRESS_ALWAYS || (mode == PROGRESS_AUTO && isatty(STDERR_FILENO));
}

struct input_progress progress_begin(struct progress *progress, enum progress_mode mode,
				     const char *const *paths, size_t count)
{
	if (!progress_is_shown(mode))
		mode = PROGRESS_NEVER;
	*progress = (struct progress){
		.lock = PTHREAD_MUTEX_INITIALIZER, .mode = mode, .begun_ms = now_ms()};
	expect(progress, paths, count);
	return (struct input_progress){show_locked, progress};
}

void progress_clear(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
}
