/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* perf.data files assembled field by field. */
#ifndef TESTS_SUPPORT_BUILD_PERF_H
#define TESTS_SUPPORT_BUILD_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/bytes.h"
#include "src/samples/event.h"

/* Bytes that grow.  Zeroed means empty; running out of memory aborts. */
struct build_perf {
	uint8_t *data;
	size_t size, capacity;
};

void build_perf_free(struct build_perf *b);
static inline struct bytes build_perf_bytes(const struct build_perf *b)
{
	return (struct bytes){b->data, b->size};
}

void put_bytes(struct build_perf *b, const void *data, size_t size);
void put_zeros(struct build_perf *b, size_t size);
void put_u16(struct build_perf *b, uint16_t value);
void put_u32(struct build_perf *b, uint32_t value);
void put_u64(struct build_perf *b, uint64_t value);
void set_u16(struct build_perf *b, size_t at, uint16_t value);
void set_u64(struct build_perf *b, size_t at, uint64_t value);
/* With its NUL, padded to a multiple of 8. */
void put_string(struct build_perf *b, const char *string);
/* A u32 length and the string, as in feature sections. */
void put_long_string(struct build_perf *b, const char *string);

/* A record: what is put between the two is its body.  begin returns where it
 * begins; end fills in its size. */
size_t begin_record(struct build_perf *b, uint32_t type, uint16_t misc);
void end_record(struct build_perf *b, size_t begin);

struct build_attr {
	uint32_t type;
	uint64_t config, sample_type, read_format, flags, branch_sample_type;
	uint64_t regs_user, regs_intr;
	const char *name; /* NULL: not in the event descriptions */
	uint64_t ids[2];
	size_t id_count;
};

/* 128 bytes */
void put_attr(struct build_perf *b, const struct build_attr *attr);

/* Everything that a sample can hold; what its event does not record is left out
 * of the record.  Pointers can be NULL if their count is 0. */
struct build_sample {
	uint32_t pid, tid, cpu;
	uint64_t ip, time, addr, id, stream_id, period;
	uint64_t read_count; /* of a group */
	uint64_t callchain_count;
	uint32_t raw_size; /* 4 more than a multiple of 8 */
	const struct branch *branches;
	uint64_t branch_count, hw_index;
	bool no_hw_index; /* leave it out, as the kernel does without a stack */
	bool no_user_regs, no_intr_regs;
	/* Vectors and predicates after the registers; NULL: none. */
	const struct build_vectors {
		uint16_t vectors, vector_words, predicates, predicate_words;
	} *user_vectors, *intr_vectors;
	uint64_t stack_size; /* of the user stack; a multiple of 8 */
	uint64_t data_src, aux_size;
};

/* The fields, in their order. */
void put_sample_body(struct build_perf *b, const struct build_attr *attr,
		     const struct build_sample *sample);
/* A whole SAMPLE record of user mode. */
void put_sample(struct build_perf *b, const struct build_attr *attr,
		const struct build_sample *sample);
/* The trailer that other records have, if sample_id_all is set. */
void put_trailer(struct build_perf *b, const struct build_attr *attr,
		 const struct build_sample *sample);

/* Whole records of process events; pid, tid and time from `id`. */
void put_mmap2(struct build_perf *b, const struct build_attr *attr, const struct build_sample *id,
	       uint64_t start, uint64_t size, uint64_t offset, const char *path);
void put_comm(struct build_perf *b, const struct build_attr *attr, const struct build_sample *id,
	      bool exec, const char *name);
/* type: PERF_RECORD_FORK or PERF_RECORD_EXIT */
void put_task(struct build_perf *b, const struct build_attr *attr, const struct build_sample *id,
	      uint32_t type, uint32_t parent);
void put_round(struct build_perf *b);

#define BUILD_FEATURES_MAX 8

struct build_perf_file {
	const struct build_attr *attrs;
	size_t attr_count;
	struct build_perf records;
	struct {
		unsigned bit;
		struct build_perf bytes;
	} features[BUILD_FEATURES_MAX]; /* ascending bits */
	size_t feature_count;
};

void build_perf_file_free(struct build_perf_file *file);

/* An empty feature to be filled. */
struct build_perf *add_feature(struct build_perf_file *file, unsigned bit);
/* The feature that names the attrs. */
void add_event_names(struct build_perf_file *file);
/* An entry of the build-id table. */
void put_build_id(struct build_perf *b, const char *path, const uint8_t id[20]);

/* The whole file.  In a pipe, attrs and features are records. */
void build_file(const struct build_perf_file *file, struct build_perf *out);
void build_pipe(const struct build_perf_file *file, struct build_perf *out);

/* A compressed record of all of `plain`, as one zstd frame. */
void put_compressed(struct build_perf *b, struct bytes plain, bool second_form);

#endif
