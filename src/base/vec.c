/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _DEFAULT_SOURCE /* madvise */
#include "src/base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)
/* From here on glibc maps each array by itself, and realloc() moves its pages instead of the bytes
 * (M_MMAP_THRESHOLD's maximum). */
#define OWN_MAPPING ((size_t)32 << 20)

void *large_pages(void *at, size_t size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t begin = ((uintptr_t)at + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1),
		  end = ((uintptr_t)at + size) & ~(LARGE_PAGE - 1);

	if (at && size >= 2 * LARGE_PAGE)
		(void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
	(void)size;
#endif
	return at;
}

void *large_realloc(void *at, size_t used, size_t size)
{
	if (size < 2 * LARGE_PAGE || used >= OWN_MAPPING)
		return large_pages(realloc(at, size), size);
	void *larger = large_pages(malloc(size), size);
	if (larger && used)
		memcpy(larger, at, used);
	if (larger)
		free(at);
	return larger;
}
