/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program of known weights: load MILLISECONDS [WORD...]
 *
 * weigh_1 to weigh_7 take 1, 2, 4 ... 64 parts of its processor time, so that of its samples
 * weigh_7 has 64/127, 50.4 %.
 *
 *   thread      two threads do the work
 *   fork        a child does as much at the same time
 *   exec        it runs itself again in the end, without this word
 *   unlink      it removes its own file first
 *   map=DIR     it maps all files of DIR to be executed, first
 *   dl=FILE     the work is done by this program's code in FILE, a copy as a shared object
 *   wait        it waits for a line on stdin, first, and prints its pid before that
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WEIGH(number)                                                                              \
	__attribute__((noinline)) static void weigh_##number(uint32_t part)                        \
	{                                                                                          \
		for (uint32_t i = 0; i < (part << (number - 1)); i++)                              \
			__asm__ volatile("" ::: "memory");                                         \
	}
WEIGH(1)
WEIGH(2)
WEIGH(3)
WEIGH(4)
WEIGH(5)
WEIGH(6)
WEIGH(7)

static double milliseconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double limit;

static void *work(void *unused);
static void *(*does_work)(void *) = work;

/* For a copy as a shared object. */
__attribute__((visibility("default"))) void *work_in_library(void *milliseconds_of_it);
void *work_in_library(void *milliseconds_of_it)
{
	limit = *(double *)milliseconds_of_it;
	return work(milliseconds_of_it);
}

static void open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	*(void **)&does_work = library ? dlsym(library, "work_in_library") : NULL;
	if (!does_work)
		exit(1);
}

static void *work(void *unused)
{
	double until = milliseconds(CLOCK_THREAD_CPUTIME_ID) + limit;
	uint32_t random = (uint32_t)(until * 1e3);

	while (milliseconds(CLOCK_THREAD_CPUTIME_ID) < until) {
		/* Rounds of one length would be in step with the clock that samples them. */
		random = random * UINT32_C(1664525) + UINT32_C(1013904223);
		uint32_t part = 500 + (random >> 16) % 4096;
		weigh_1(part);
		weigh_2(part);
		weigh_3(part);
		weigh_4(part);
		weigh_5(part);
		weigh_6(part);
		weigh_7(part);
	}
	return unused;
}

static void map_all(const char *path)
{
	DIR *folder = opendir(path);

	for (const struct dirent *entry; folder && (entry = readdir(folder));) {
		int fd = openat(dirfd(folder), entry->d_name, O_RDONLY);
		if (fd >= 0) {
			(void)!mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
			close(fd);
		}
	}
	if (folder)
		closedir(folder);
}

int main(int argc, char **argv)
{
	bool two = false, child = false, again = false;
	pthread_t thread;
	pid_t pid = 0;

	limit = argc > 1 ? atof(argv[1]) : 100;
	for (int i = 2; i < argc; i++) {
		two |= !strcmp(argv[i], "thread");
		child |= !strcmp(argv[i], "fork");
		again |= !strcmp(argv[i], "exec");
		if (!strcmp(argv[i], "unlink"))
			unlink(argv[0]);
		if (!strncmp(argv[i], "map=", 4))
			map_all(argv[i] + 4);
		if (!strncmp(argv[i], "dl=", 3))
			open_library(argv[i] + 3);
		if (!strcmp(argv[i], "wait")) {
			printf("%d\n", (int)getpid());
			fflush(stdout);
			(void)!getchar();
		}
	}
	if (child)
		pid = fork();
	if (two && pthread_create(&thread, NULL, does_work, &limit) != 0)
		return 1;
	does_work(&limit);
	if (two)
		pthread_join(thread, NULL);
	if (child && !pid)
		return 0;
	if (child)
		waitpid(pid, NULL, 0);
	if (again)
		execl("/proc/self/exe", argv[0], argv[1], (char *)NULL);
	return 0;
}
