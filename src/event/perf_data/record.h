/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records: 8 bytes of header {u32 type, u16 misc, u16 size with the header} and
 * a body.  Types below 64 are the kernel's, 64 and above the recorder's own.
 */
#ifndef EVENT_PERF_DATA_RECORD_H
#define EVENT_PERF_DATA_RECORD_H

#include "src/base/attr.h"
#include "src/base/bytes.h"
#include "src/event/event.h"

#define PERF_RECORD_HEADER_SIZE 8

/* The recorder's types (tools/lib/perf/include/perf/event.h); the kernel's are
 * in linux/perf_event.h. */
enum {
	PERF_USER_TYPES = 64,
	PERF_USER_ATTR = 64,
	PERF_USER_TRACING_DATA = 66,
	PERF_USER_BUILD_ID = 67,
	PERF_USER_FINISHED_ROUND = 68,
	PERF_USER_AUXTRACE_INFO = 70,
	PERF_USER_AUXTRACE = 71,
	PERF_USER_EVENT_UPDATE = 78,
	PERF_USER_FEATURE = 80,
	PERF_USER_COMPRESSED = 81,
	PERF_USER_COMPRESSED2 = 83,
	/* simpleperf's own, which have the upper half of a 32-bit size in misc */
	PERF_SIMPLEPERF_TYPES = 32768,
};

/* Is this a type of record that Linux 6.19, its perf or simpleperf write? */
bool perf_record_type_is_known(uint32_t type);

struct perf_block;

struct perf_record {
	uint32_t type;
	uint16_t misc;
	struct bytes body;
	uint64_t offset; /* in the file; of the compressed record, if it was in one */
	struct perf_block *block; /* the memory that the body is in, see block.h */
};

/* Each of these reads the body of one kind of record.  `trailer` is the size of
 * the sample_id trailer at its end.  They return false if the body is too short.
 * Texts point into the record. */

/* MMAP and MMAP2.  The build-id is filled if the record has one. */
BC_MUST_USE bool perf_record_map(const struct perf_record *record, size_t trailer,
				 struct map_event *out);

/* FORK and EXIT */
struct perf_task {
	uint32_t pid, parent_pid;
	uint32_t tid, parent_tid;
	uint64_t time;
};
BC_MUST_USE bool perf_record_task(const struct perf_record *record, struct perf_task *out);

struct perf_comm {
	uint32_t pid, tid;
	bool exec; /* the process runs another program now */
	struct text name;
};
BC_MUST_USE bool perf_record_comm(const struct perf_record *record, size_t trailer,
				  struct perf_comm *out);

/* LOST: events; LOST_SAMPLES: samples */
BC_MUST_USE bool perf_record_lost(const struct perf_record *record, uint64_t *out);

/* COMPRESSED and COMPRESSED2: the zstd bytes. */
BC_MUST_USE bool perf_record_compressed(const struct perf_record *record, struct bytes *out);

/* How many bytes follow a record without being part of it: trace data.  Returns
 * false if the body is too short to say. */
BC_MUST_USE bool perf_record_extra(const struct perf_record *record, uint64_t *out);

#endif
