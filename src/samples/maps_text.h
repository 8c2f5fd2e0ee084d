/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Process maps as text: what /proc/PID/maps says (proc(5), fs/proc/task_mmu.c),
 *
 *   55e4a0b0b000-55e4a0bf6000 r-xp 0000b000 fe:00 1312  /srv/my app (deleted)
 *
 * where a path can have spaces, and a newline is written \012 (a path that really
 * has a backslash and these digits cannot be distinguished from it).  A line that begins
 * with # is a comment, except for one:
 *
 *   # batconv-maps pid=77 id=3 time=1234567890
 *
 * begins the map of another process or moment.
 */
#ifndef SAMPLES_MAPS_TEXT_H
#define SAMPLES_MAPS_TEXT_H

#include <stdio.h>

#include "src/samples/map_set.h"
#include "src/samples/snapshots.h"
#include "src/base/error.h"

/* A line, as it is; `path` points into it and is not unescaped. */
struct maps_line {
	uint64_t start, end, offset, inode;
	uint32_t major, minor, flags;
	struct text path;
};

/* Returns NULL, or what is wrong with the line. */
const char *maps_line_parse(struct text line, struct maps_line *out);

/* The path of a line, unescaped, into room for path.len bytes.  Returns how many it has. */
size_t maps_path_unescape(struct text path, char *out);

/* What the head line of a snapshot says.  Numbers that it leaves out are 0. */
struct maps_head {
	uint32_t pid, id;
	uint64_t time; /* ns, of the clock of the samples */
};
bool maps_head_parse(struct text line, struct maps_head *out);

/* Read the lines up to the next head line or the end into an empty set, and take them off
 * *rest.  *number counts lines, from 1.  The set is the caller's also after an error.
 *
 * BC_FORMAT  "line N: WHY"
 * BC_NOMEM */
BC_MUST_USE bool maps_text_read(struct text *rest, uint64_t *number, struct mapped_files *files,
				struct map_set **maps, struct bc_error *err);

/* Write mappings as the kernel does, in its columns: to be read again, or with the path as
 * print_name() has it, to be looked at. */
void maps_text_write_mapping(const struct mapping *mapping, const struct mapped_files *files,
			     FILE *out);
void maps_text_print_mapping(const struct mapping *mapping, const struct mapped_files *files,
			     FILE *out);
void maps_text_write_head(const struct maps_head *head, FILE *out);

#endif
