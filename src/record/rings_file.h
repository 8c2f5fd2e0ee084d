/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the rings of a host contained, as a file: `batconv record --save-rings` writes it, --replay
 * reads it instead of the rings.  Numbers are little-endian.
 *
 *   "batconv-rings 1\n"
 *   u32 size of the attr, the struct perf_event_attr of the event
 *   u32 size of the host's text, lines such as "machine x86_64"
 *   u32 rings
 *   the attr, the text
 *   parts, each {u32 ring, u32 size} and the bytes that were read from this ring:
 *     ring below the number of rings: the kernel's records, which can continue in the next part
 *     RINGS_SCAN: whole records of the same form of what /proc gave (recorder_process())
 *     RINGS_ROUND, size 0: all rings were read
 *     RINGS_END, size 0: the end of the file
 */
#ifndef RECORD_RINGS_FILE_H
#define RECORD_RINGS_FILE_H

#include <stdio.h>

#include "src/base/bytes.h"
#include "src/base/file.h"

#define RINGS_ROUND UINT32_MAX
#define RINGS_END   (UINT32_MAX - 1)
#define RINGS_SCAN  (UINT32_MAX - 2)

#define RINGS_MAGIC "batconv-rings 1\n"

/* Limits of what is read. */
#define RINGS_MOST      65536      /* rings */
#define RINGS_ATTR_MOST 4096       /* bytes */
#define RINGS_HOST_MOST 65536      /* bytes */
#define RINGS_PART_MOST (1u << 20) /* bytes; larger reads are written in parts */

/* ---- writing: errors of the file are the caller's to check ---- */

void rings_begin(FILE *to, struct bytes attr, uint32_t rings, struct text host);
void rings_put(FILE *to, uint32_t ring, struct bytes bytes);
void rings_put_round(FILE *to);
void rings_end(FILE *to);

/* ---- reading ---- */

struct rings_reader {
	struct file_stream *stream; /* borrowed */
	uint8_t *attr, *part;       /* owned */
	char *host;                 /* owned, NUL-terminated */
	size_t attr_size;
	uint32_t rings;
	uint64_t at; /* the next byte */
};

struct rings_part {
	uint32_t ring;      /* or RINGS_... */
	struct bytes bytes; /* until the next call */
};

/* Read what is before the parts.  Close it also after an error.
 *
 * BC_FORMAT       no such file, or damaged; the text has file and offset
 * BC_UNSUPPORTED  of a later version
 * BC_IO, BC_NOMEM */
BC_MUST_USE bool rings_open(struct file_stream *stream, struct rings_reader *out,
			    struct bc_error *err);
void rings_close(struct rings_reader *reader);

/* The next part.  After RINGS_END there is none.  Errors as above. */
BC_MUST_USE bool rings_next(struct rings_reader *reader, struct rings_part *out,
			    struct bc_error *err);

#endif
