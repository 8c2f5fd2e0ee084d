/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Preloaded into a program: makes one allocation fail, or all from one on.  It
 * sees those of the program and of its libraries.
 *
 *   FAULT_ALLOC_AT=N    the N-th fails, from 1; 0: none
 *   FAULT_ALLOC_ON=1    and so does every one after it
 *   FAULT_ALLOC_TOLD=FILE  how many there were is written here at the end
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <regex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* dlsym() may allocate before the real functions are known. */
static _Alignas(16) char early[16384];
static size_t early_used;

static atomic_ulong seen;
static unsigned long at;
static bool on, counting;
static const char *told;

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*memalign)(size_t, size_t);
} real;

static bool is_early(const void *p)
{
	return (const char *)p >= early && (const char *)p < early + sizeof(early);
}

static void *take_early(size_t size)
{
	size_t room = (size + 31) & ~(size_t)15;

	if (room > sizeof(early) - early_used)
		_exit(97);
	char *p = early + early_used + 16;
	early_used += room;
	return p;
}

static void find_real(void)
{
	static bool finding;

	if (finding)
		return;
	finding = true;
	real.calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
	real.realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
	real.free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
	real.posix_memalign = (int (*)(void **, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
	real.aligned_alloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
	real.memalign = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "memalign");
	real.malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
}

/* glibc before 2.42 frees twice what its regcomp() could not reallocate (CVE-2025-8058), so that
 * does not fail. */
static _Thread_local bool in_regcomp;

int regcomp(regex_t *out, const char *pattern, int flags)
{
	static int (*real_regcomp)(regex_t *, const char *, int);

	if (!real_regcomp)
		real_regcomp = (int (*)(regex_t *, const char *, int))dlsym(RTLD_NEXT, "regcomp");
	in_regcomp = true;
	int code = real_regcomp(out, pattern, flags);
	in_regcomp = false;
	return code;
}

static bool fails(void)
{
	if (!counting)
		return false;
	unsigned long n = atomic_fetch_add(&seen, 1) + 1;
	if (!at || (n != at && !(on && n > at)))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	if (!real.malloc)
		find_real();
	if (!real.malloc)
		return take_early(size);
	return fails() ? NULL : real.malloc(size);
}

void *calloc(size_t count, size_t size)
{
	if (!real.malloc)
		find_real();
	if (!real.malloc)
		return take_early(count * size);
	return fails() ? NULL : real.calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	if (is_early(old)) {
		size_t left = (size_t)(early + sizeof(early) - (char *)old);
		void *p = malloc(size);
		return p ? memcpy(p, old, size < left ? size : left) : NULL;
	}
	if (!real.malloc)
		find_real();
	if (!real.malloc)
		return take_early(size);
	return !in_regcomp && fails() ? NULL : real.realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	if (!real.malloc)
		find_real();
	return fails() ? ENOMEM : real.posix_memalign(out, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	if (!real.malloc)
		find_real();
	return fails() ? NULL : real.aligned_alloc(alignment, size);
}

void *memalign(size_t alignment, size_t size)
{
	if (!real.malloc)
		find_real();
	return fails() ? NULL : real.memalign(alignment, size);
}

void free(void *p)
{
	if (p && !is_early(p))
		real.free(p);
}

static unsigned long number(const char *name)
{
	const char *value = getenv(name);

	return value ? strtoul(value, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	at = number("FAULT_ALLOC_AT");
	on = number("FAULT_ALLOC_ON");
	told = getenv("FAULT_ALLOC_TOLD");
	counting = true;
}

__attribute__((destructor)) static void end(void)
{
	char text[32];

	counting = false;
	if (!told)
		return;
	int fd = open(told, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int length = snprintf(text, sizeof(text), "%lu\n", seen);
	if (fd < 0 || write(fd, text, (size_t)length) != length)
		_exit(97);
	close(fd);
}
