/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/mistakes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SHOWN 20

static size_t count;

void mistake(const char *fmt, ...)
{
	va_list args;

	if (count++ >= SHOWN)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

size_t mistake_count(void)
{
	return count;
}

void must_equal(const char *what, uint64_t is, uint64_t should)
{
	if (is != should)
		mistake("%s: is %" PRIu64 ", should be %" PRIu64, what, is, should);
}

void must_have_memory(bool ok)
{
	if (ok)
		return;
	fputs("recount: out of memory\n", stderr);
	exit(2);
}

void *must_allocate(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	must_have_memory(memory);
	return memory;
}
