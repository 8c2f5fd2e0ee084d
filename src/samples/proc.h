/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The maps of a running process, from /proc, and the build-ids of what it has
 * mapped, from its memory: the file may be deleted, replaced or in another
 * container, the memory is what runs.
 */
#ifndef SAMPLES_PROC_H
#define SAMPLES_PROC_H

#include <limits.h>

#include "src/elf/image.h"
#include "src/samples/snapshots.h"
#include "src/samples/map_set.h"

/* The bytes of /proc/PID/maps; *data is freed by the caller.
 *
 * BC_NOTFOUND  no such process
 * BC_IO        not ours to see
 * BC_NOMEM */
BC_MUST_USE bool proc_maps_text(uint32_t pid, char **data, size_t *size, struct bc_error *err);

/* The same a little at a time: *fd is closed by the caller, and each call gives the next whole
 * lines, some dozens of them, of which the longest must fit; *got is 0 at the end.  Errors as above
 */
#define PROC_MAPS_LINE_MOST (4 * PATH_MAX + 128)
BC_MUST_USE bool proc_maps_open(uint32_t pid, int *fd, struct bc_error *err);
BC_MUST_USE bool proc_maps_more(uint32_t pid, int fd, char *room, size_t size, size_t *got,
				struct bc_error *err);

/* Read them into an empty set, which is the caller's also after an error.  Errors as above. */
BC_MUST_USE bool proc_maps(uint32_t pid, struct mapped_files *files, struct map_set **maps,
			   struct bc_error *err);

/* Reads `size` bytes of a process at a run-time address.  False: not readable. */
struct memory {
	void *ctx;
	bool (*read)(void *ctx, uint64_t at, void *to, size_t size);
};

/* The memory of a process; *fd is closed by the caller, or -1. */
struct memory proc_memory(uint32_t pid, int *fd);

/* The GNU build-id of an ELF file that is loaded with its header at `start`; of
 * size 0 if there is none or it cannot be read.  go: room for BUILD_ID_GO_MAX
 * bytes for Go's, or NULL; *go_size is how many it has. */
#define BUILD_ID_GO_MAX 256
void memory_build_ids(const struct memory *memory, uint64_t start, struct build_id *out, char *go,
		      size_t *go_size);

/* Fill in the build-ids of the mappings that have none and whose file's header is
 * mapped, and of all mappings of the same path after it.  False when out of memory. */
BC_MUST_USE bool proc_build_ids(const struct memory *memory, struct mapped_files *files,
				struct map_set **maps);

#endif
