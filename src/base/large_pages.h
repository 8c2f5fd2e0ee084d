/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Large pages under large arrays: on x86-64 one page fault for 2 MB instead of 512, and fewer TLB misses in arrays that are read out
 * of order.  Linux gives them where /sys/kernel/mm/transparent_hugepage/enabled says `always' or, as most distributions set it, `madvise'. */
#ifndef BASE_LARGE_PAGES_H
#define BASE_LARGE_PAGES_H

#include <stddef.h>

/* Asks for large pages in the memory at AT of SIZE bytes, which malloc, realloc or the like gave; NULL is accepted.  Memory of less
 * than two large pages stays as it is.  Returns AT.  It is only a hint: a kernel that refuses changes nothing.  Safe in any thread. */
void *large_pages(void *at, size_t size);

/* realloc() that keeps the first USED bytes only, and asks for large pages before it copies them: what realloc() has touched keeps
 * its small pages.  NULL: no memory, AT is as it was. */
void *large_realloc(void *at, size_t used, size_t size);

#endif
