/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes that map a binary of a few pages: events in, and where an address is. */
#ifndef TESTS_SUPPORT_BUILD_SPACE_H
#define TESTS_SUPPORT_BUILD_SPACE_H

#include "src/samples/image_space.h"

#define PAGE UINT64_C(0x1000)

/* The binary is /build/app, whose one segment is executable and begins the file. */
extern const struct image_match_options space_app_options;
struct image_space begin_space(void);

/* Maps pages of a file from page `first` on, or delivers another event of a process. */
void space_map(struct image_space *maps, uint32_t pid, uint64_t start, uint64_t pages,
	       uint64_t first, const char *path, bool executable);
void space_exec(struct image_space *maps, uint32_t pid);
void space_exit(struct image_space *maps, uint32_t pid, uint32_t tid);
void space_fork(struct image_space *maps, uint32_t parent, uint32_t child);

/* Where an address is: a vaddr, or one of the numbers below. */
int64_t space_where(const struct image_space *maps, uint32_t pid, uint64_t at);
#define AT_OTHER      (-1 - (int64_t)LOCATED_OTHER)
#define AT_UNKNOWN    (-1 - (int64_t)LOCATED_UNKNOWN)
#define AT_KERNEL     (-1 - (int64_t)LOCATED_KERNEL)
#define AT_NO_PROCESS (-1 - (int64_t)LOCATED_NO_PROCESS)

#endif
