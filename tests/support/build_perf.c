/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/build_perf.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "src/samples/perf_data/perf_events.h"
#include "src/samples/perf_data/perf_features.h"
#include "src/samples/perf_data/perf_records.h"

#define ATTR_SIZE 128

void build_perf_free(struct build_perf *b)
{
	free(b->data);
	*b = (struct build_perf){0};
}

static uint8_t *grow(struct build_perf *b, size_t size)
{
	if (b->size + size > b->capacity) {
		b->capacity = 2 * (b->size + size);
		b->data = realloc(b->data, b->capacity);
		if (!b->data)
			abort();
	}
	b->size += size;
	return b->data + b->size - size;
}

void put_bytes(struct build_perf *b, const void *data, size_t size)
{
	if (size)
		memcpy(grow(b, size), data, size);
}

void put_zeros(struct build_perf *b, size_t size)
{
	if (size)
		memset(grow(b, size), 0, size);
}

static void put_number(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

void put_u16(struct build_perf *b, uint16_t value)
{
	put_number(grow(b, 2), value, 2);
}

void put_u32(struct build_perf *b, uint32_t value)
{
	put_number(grow(b, 4), value, 4);
}

void put_u64(struct build_perf *b, uint64_t value)
{
	put_number(grow(b, 8), value, 8);
}

void set_u16(struct build_perf *b, size_t at, uint16_t value)
{
	put_number(b->data + at, value, 2);
}

void set_u64(struct build_perf *b, size_t at, uint64_t value)
{
	put_number(b->data + at, value, 8);
}

static void pad(struct build_perf *b, size_t begin)
{
	while ((b->size - begin) % 8)
		put_zeros(b, 1);
}

void put_string(struct build_perf *b, const char *string)
{
	size_t begin = b->size;

	put_bytes(b, string, strlen(string) + 1);
	pad(b, begin);
}

void put_long_string(struct build_perf *b, const char *string)
{
	size_t at = b->size;

	put_u32(b, 0);
	put_string(b, string);
	put_number(b->data + at, b->size - at - 4, 4);
}

size_t begin_record(struct build_perf *b, uint32_t type, uint16_t misc)
{
	size_t begin = b->size;

	put_u32(b, type);
	put_u16(b, misc);
	put_u16(b, 0);
	return begin;
}

void end_record(struct build_perf *b, size_t begin)
{
	set_u16(b, begin + 6, (uint16_t)(b->size - begin));
}

void put_attr(struct build_perf *b, const struct build_attr *attr)
{
	size_t begin = b->size;

	put_u32(b, attr->type);
	put_u32(b, ATTR_SIZE);
	put_u64(b, attr->config);
	put_u64(b, 1); /* sample_period */
	put_u64(b, attr->sample_type);
	put_u64(b, attr->read_format);
	put_u64(b, attr->flags);
	put_zeros(b, 24); /* wakeup, bp_type, config1, config2 */
	put_u64(b, attr->branch_sample_type);
	put_u64(b, attr->regs_user);
	put_zeros(b, 8); /* sample_stack_user, clockid */
	put_u64(b, attr->regs_intr);
	put_zeros(b, ATTR_SIZE - (b->size - begin));
}

static size_t ones(uint64_t mask)
{
	return (size_t)__builtin_popcountll(mask);
}

static void put_many(struct build_perf *b, uint64_t count, uint64_t first)
{
	for (uint64_t i = 0; i < count; i++)
		put_u64(b, first + i);
}

static void put_read(struct build_perf *b, uint64_t format, uint64_t count)
{
	size_t each = 1 + ones(format & (PERF_FORMAT_ID | 1u << 4));

	if (format & PERF_FORMAT_GROUP)
		put_u64(b, count);
	else
		count = 1;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		put_u64(b, 1001);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		put_u64(b, 1002);
	put_many(b, count * each, 5000);
}

static void put_stack(struct build_perf *b, const struct build_attr *attr,
		      const struct build_sample *s)
{
	put_u64(b, s->branch_count);
	if ((attr->branch_sample_type & 1u << 17) && !s->no_hw_index)
		put_u64(b, s->hw_index);
	for (uint64_t i = 0; i < s->branch_count; i++) {
		put_u64(b, s->branches[i].from);
		put_u64(b, s->branches[i].to);
		put_u64(b, s->branches[i].flags);
	}
	if (attr->branch_sample_type & 1u << 19)
		put_many(b, s->branch_count, 70000);
}

static void put_vectors(struct build_perf *b, const struct build_vectors *v)
{
	put_u64(b, (uint64_t)v->vectors | (uint64_t)v->vector_words << 16 |
			   (uint64_t)v->predicates << 32 | (uint64_t)v->predicate_words << 48);
	put_many(b,
		 (uint64_t)v->vectors * v->vector_words +
			 (uint64_t)v->predicates * v->predicate_words,
		 95000);
}

static void put_regs(struct build_perf *b, uint64_t mask, bool none,
		     const struct build_vectors *vectors)
{
	uint64_t abi = PERF_SAMPLE_REGS_ABI_64 | (vectors ? 1u << 2 : 0);

	put_u64(b, none ? PERF_SAMPLE_REGS_ABI_NONE : abi);
	if (none)
		return;
	put_many(b, ones(mask), 90000);
	if (vectors)
		put_vectors(b, vectors);
}

static void put_early_fields(struct build_perf *b, uint64_t type, const struct build_sample *s)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(b, s->id);
	if (type & PERF_SAMPLE_IP)
		put_u64(b, s->ip);
	if (type & PERF_SAMPLE_TID) {
		put_u32(b, s->pid);
		put_u32(b, s->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		put_u64(b, s->time);
	if (type & PERF_SAMPLE_ADDR)
		put_u64(b, s->addr);
	if (type & PERF_SAMPLE_ID)
		put_u64(b, s->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(b, s->stream_id);
	if (type & PERF_SAMPLE_CPU) {
		put_u32(b, s->cpu);
		put_u32(b, 0);
	}
	if (type & PERF_SAMPLE_PERIOD)
		put_u64(b, s->period);
}

static void put_late_fields(struct build_perf *b, const struct build_attr *attr,
			    const struct build_sample *s)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_REGS_USER)
		put_regs(b, attr->regs_user, s->no_user_regs, s->user_vectors);
	if (type & PERF_SAMPLE_STACK_USER) {
		put_u64(b, s->stack_size);
		put_zeros(b, s->stack_size);
		if (s->stack_size)
			put_u64(b, s->stack_size);
	}
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		put_u64(b, 33);
	if (type & PERF_SAMPLE_DATA_SRC)
		put_u64(b, s->data_src);
	if (type & PERF_SAMPLE_TRANSACTION)
		put_u64(b, 44);
	if (type & PERF_SAMPLE_REGS_INTR)
		put_regs(b, attr->regs_intr, s->no_intr_regs, s->intr_vectors);
	put_many(b,
		 ones(type & (PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
			      PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)),
		 4096);
	if (type & PERF_SAMPLE_AUX) {
		put_u64(b, s->aux_size);
		put_zeros(b, s->aux_size);
	}
}

void put_sample_body(struct build_perf *b, const struct build_attr *attr,
		     const struct build_sample *s)
{
	uint64_t type = attr->sample_type;

	put_early_fields(b, type, s);
	if (type & PERF_SAMPLE_READ)
		put_read(b, attr->read_format, s->read_count);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		put_u64(b, s->callchain_count);
		put_many(b, s->callchain_count, 0x400000);
	}
	if (type & PERF_SAMPLE_RAW) {
		put_u32(b, s->raw_size);
		put_zeros(b, s->raw_size);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_stack(b, attr, s);
	put_late_fields(b, attr, s);
}

void put_sample(struct build_perf *b, const struct build_attr *attr, const struct build_sample *s)
{
	size_t begin = begin_record(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	put_sample_body(b, attr, s);
	end_record(b, begin);
}

void put_trailer(struct build_perf *b, const struct build_attr *attr, const struct build_sample *s)
{
	uint64_t type = attr->sample_type;

	if (!(attr->flags & PERF_ATTR_SAMPLE_ID_ALL))
		return;
	if (type & PERF_SAMPLE_TID) {
		put_u32(b, s->pid);
		put_u32(b, s->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		put_u64(b, s->time);
	if (type & PERF_SAMPLE_ID)
		put_u64(b, s->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(b, s->stream_id);
	if (type & PERF_SAMPLE_CPU)
		put_u64(b, s->cpu);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(b, s->id);
}

void put_mmap2(struct build_perf *b, const struct build_attr *attr, const struct build_sample *id,
	       uint64_t start, uint64_t size, uint64_t offset, const char *path)
{
	size_t begin = begin_record(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);

	put_u32(b, id->pid);
	put_u32(b, id->tid);
	put_u64(b, start);
	put_u64(b, size);
	put_u64(b, offset);
	put_zeros(b, 24); /* device, inode */
	put_u32(b, 5);    /* PROT_READ | PROT_EXEC */
	put_u32(b, 2);    /* MAP_PRIVATE */
	put_string(b, path);
	put_trailer(b, attr, id);
	end_record(b, begin);
}

void put_comm(struct build_perf *b, const struct build_attr *attr, const struct build_sample *id,
	      bool exec, const char *name)
{
	size_t begin = begin_record(b, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);

	put_u32(b, id->pid);
	put_u32(b, id->tid);
	put_string(b, name);
	put_trailer(b, attr, id);
	end_record(b, begin);
}

void put_task(struct build_perf *b, const struct build_attr *attr, const struct build_sample *id,
	      uint32_t type, uint32_t parent)
{
	size_t begin = begin_record(b, type, 0);

	put_u32(b, id->pid);
	put_u32(b, parent);
	put_u32(b, id->tid);
	put_u32(b, parent);
	put_u64(b, id->time);
	put_trailer(b, attr, id);
	end_record(b, begin);
}

void put_round(struct build_perf *b)
{
	end_record(b, begin_record(b, PERF_USER_FINISHED_ROUND, 0));
}

void build_perf_file_free(struct build_perf_file *file)
{
	build_perf_free(&file->records);
	for (size_t i = 0; i < file->feature_count; i++)
		build_perf_free(&file->features[i].bytes);
	file->feature_count = 0;
}

struct build_perf *add_feature(struct build_perf_file *file, unsigned bit)
{
	size_t i = file->feature_count++;

	if (i >= BUILD_FEATURES_MAX)
		abort();
	file->features[i].bit = bit;
	return &file->features[i].bytes;
}

void add_event_names(struct build_perf_file *file)
{
	struct build_perf *b = add_feature(file, PERF_FEATURE_EVENT_DESC);

	put_u32(b, (uint32_t)file->attr_count);
	put_u32(b, ATTR_SIZE);
	for (size_t i = 0; i < file->attr_count; i++) {
		const struct build_attr *attr = &file->attrs[i];
		put_attr(b, attr);
		put_u32(b, (uint32_t)attr->id_count);
		put_long_string(b, attr->name ? attr->name : "");
		for (size_t j = 0; j < attr->id_count; j++)
			put_u64(b, attr->ids[j]);
	}
}

void put_build_id(struct build_perf *b, const char *path, const uint8_t id[20])
{
	size_t begin = begin_record(b, PERF_USER_BUILD_ID, PERF_RECORD_MISC_USER | 1u << 15);

	put_u32(b, UINT32_MAX); /* any process */
	put_bytes(b, id, 20);
	put_u32(b, 20);
	put_string(b, path);
	end_record(b, begin);
}

static void put_section(struct build_perf *b, size_t at, uint64_t offset, uint64_t size)
{
	set_u64(b, at, offset);
	set_u64(b, at + 8, size);
}

/* Where the ids of all attrs before this one end. */
static uint64_t ids_before(const struct build_perf_file *file, size_t attr)
{
	uint64_t count = 0;

	for (size_t i = 0; i < attr; i++)
		count += file->attrs[i].id_count;
	return 104 + 8 * count;
}

static void put_file_features(const struct build_perf_file *file, struct build_perf *out)
{
	size_t table = out->size;

	put_zeros(out, 16 * file->feature_count);
	for (size_t i = 0; i < file->feature_count; i++) {
		struct bytes bytes = build_perf_bytes(&file->features[i].bytes);
		put_section(out, table + 16 * i, out->size, bytes.size);
		put_bytes(out, bytes.data, bytes.size);
	}
}

void build_file(const struct build_perf_file *file, struct build_perf *out)
{
	put_bytes(out, "PERFILE2", 8);
	put_u64(out, 104);
	put_u64(out, ATTR_SIZE + 16);
	put_zeros(out, 104 - out->size);
	for (size_t i = 0; i < file->feature_count; i++)
		out->data[72 + file->features[i].bit / 8] |=
			(uint8_t)(1u << file->features[i].bit % 8);
	for (size_t i = 0; i < file->attr_count; i++)
		put_bytes(out, file->attrs[i].ids, 8 * file->attrs[i].id_count);
	put_section(out, 24, out->size, file->attr_count * (ATTR_SIZE + 16));
	for (size_t i = 0; i < file->attr_count; i++) {
		put_attr(out, &file->attrs[i]);
		put_u64(out, ids_before(file, i));
		put_u64(out, 8 * file->attrs[i].id_count);
	}
	put_section(out, 40, out->size, file->records.size);
	put_bytes(out, file->records.data, file->records.size);
	put_file_features(file, out);
}

void build_pipe(const struct build_perf_file *file, struct build_perf *out)
{
	put_bytes(out, "PERFILE2", 8);
	put_u64(out, 16);
	for (size_t i = 0; i < file->attr_count; i++) {
		size_t begin = begin_record(out, PERF_USER_ATTR, 0);
		put_attr(out, &file->attrs[i]);
		put_bytes(out, file->attrs[i].ids, 8 * file->attrs[i].id_count);
		end_record(out, begin);
	}
	for (size_t i = 0; i < file->feature_count; i++) {
		struct bytes bytes = build_perf_bytes(&file->features[i].bytes);
		size_t begin = begin_record(out, PERF_USER_FEATURE, 0);
		put_u64(out, file->features[i].bit);
		put_bytes(out, bytes.data, bytes.size);
		pad(out, begin);
		end_record(out, begin);
	}
	put_bytes(out, file->records.data, file->records.size);
}

void put_compressed(struct build_perf *b, struct bytes plain, bool second_form)
{
	size_t bound = ZSTD_compressBound(plain.size);
	uint8_t *packed = malloc(bound);

	if (!packed)
		abort();
	size_t size = ZSTD_compress(packed, bound, plain.data, plain.size, 1);
	size_t begin =
		begin_record(b, second_form ? PERF_USER_COMPRESSED2 : PERF_USER_COMPRESSED, 0);
	if (second_form)
		put_u64(b, size);
	put_bytes(b, packed, size);
	if (second_form)
		pad(b, begin);
	end_record(b, begin);
	free(packed);
}
