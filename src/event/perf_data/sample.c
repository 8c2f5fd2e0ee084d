/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_data/sample.h"

#include <linux/perf_event.h>

#include "src/event/perf_data/cursor.h"

/* Bits that are younger than the header that this may be compiled with. */
#define FORMAT_LOST (UINT64_C(1) << 4)
#define BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define BRANCH_COUNTERS (UINT64_C(1) << 19)
#define SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)
#define REGS_ABI_SIMD (UINT64_C(1) << 2)

/* Fields of eight bytes each between the ones that vary in size. */
#define FIXED_BEFORE_READ                                                        \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)
#define FIXED_BEFORE_AUX                                                            \
	(PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |  \
	 PERF_SAMPLE_CODE_PAGE_SIZE)
#define BEHIND_STACK                                                                 \
	(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |       \
	 SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |     \
	 PERF_SAMPLE_REGS_INTR | FIXED_BEFORE_AUX | PERF_SAMPLE_AUX)

static uint8_t bit_count(uint64_t mask)
{
	return (uint8_t)__builtin_popcountll(mask);
}

/* The offset of the next field of eight bytes, or PERF_NO_FIELD if `type` does not have it.
 * *end moves behind the field. */
static uint8_t next_field(uint64_t type, uint64_t bit, uint8_t *end)
{
	uint8_t at = *end;

	if (!(type & bit))
		return PERF_NO_FIELD;
	*end = (uint8_t)(at + 8);
	return at;
}

static void lay_out_fields(uint64_t type, struct perf_sample_layout *out)
{
	uint8_t end = 0;
	uint8_t identifier = next_field(type, PERF_SAMPLE_IDENTIFIER, &end);

	out->ip = next_field(type, PERF_SAMPLE_IP, &end);
	out->tid = next_field(type, PERF_SAMPLE_TID, &end);
	out->time = next_field(type, PERF_SAMPLE_TIME, &end);
	out->addr = next_field(type, PERF_SAMPLE_ADDR, &end);
	out->id = next_field(type, PERF_SAMPLE_ID, &end);
	next_field(type, PERF_SAMPLE_STREAM_ID, &end);
	next_field(type, PERF_SAMPLE_CPU, &end);
	out->period = next_field(type, PERF_SAMPLE_PERIOD, &end);
	out->fixed_size = end;
	if (identifier != PERF_NO_FIELD)
		out->id = identifier;
}

/* Offsets in the trailer are counted back from the end of a record. */
static void lay_out_trailer(const struct perf_attr *attr, struct perf_sample_layout *out)
{
	uint64_t type = attr->flags & PERF_ATTR_SAMPLE_ID_ALL ? attr->sample_type : 0;
	uint8_t end = 0, identifier, id;

	out->end_tid = out->end_time = out->end_id = PERF_NO_FIELD;
	/* next_field() returns the size of what stands behind a field; the field has 8 bytes more. */
	identifier = next_field(type, PERF_SAMPLE_IDENTIFIER, &end);
	next_field(type, PERF_SAMPLE_CPU, &end);
	next_field(type, PERF_SAMPLE_STREAM_ID, &end);
	id = next_field(type, PERF_SAMPLE_ID, &end);
	if (identifier != PERF_NO_FIELD)
		out->end_id = 8;
	else if (id != PERF_NO_FIELD)
		out->end_id = (uint8_t)(id + 8);
	if (next_field(type, PERF_SAMPLE_TIME, &end) != PERF_NO_FIELD)
		out->end_time = end;
	if (next_field(type, PERF_SAMPLE_TID, &end) != PERF_NO_FIELD)
		out->end_tid = end;
	out->end_size = end;
}

void perf_sample_layout(const struct perf_attr *attr, struct perf_sample_layout *out)
{
	*out = (struct perf_sample_layout){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.stack_extra = attr->branch_sample_type & BRANCH_HW_INDEX ? 8 : 0,
		.stack_counters = attr->branch_sample_type & BRANCH_COUNTERS,
		.regs_user = bit_count(attr->regs_user),
		.regs_intr = bit_count(attr->regs_intr),
	};
	lay_out_fields(attr->sample_type, out);
	lay_out_trailer(attr, out);
}

bool perf_sample_layout_equal(const struct perf_sample_layout *a,
			      const struct perf_sample_layout *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       a->stack_extra == b->stack_extra && a->stack_counters == b->stack_counters &&
	       a->regs_user == b->regs_user && a->regs_intr == b->regs_intr &&
	       a->end_size == b->end_size;
}

/* Counter values: one, or those of a group. */
static void skip_read(struct perf_cursor *c, uint64_t format)
{
	size_t times = 8 * (size_t)bit_count(format & (PERF_FORMAT_TOTAL_TIME_ENABLED |
						       PERF_FORMAT_TOTAL_TIME_RUNNING));
	size_t each = 8 + 8 * (size_t)bit_count(format & (PERF_FORMAT_ID | FORMAT_LOST));
	uint64_t count = format & PERF_FORMAT_GROUP ? cursor_u64(c) : 1;

	cursor_take(c, times);
	cursor_skip(c, count, each);
}

/* Vectors and predicates: how many there are of each, and of how many words. */
static void skip_vectors(struct perf_cursor *c)
{
	uint64_t sizes = cursor_u64(c);
	uint64_t vectors = (sizes & 0xffff) * (sizes >> 16 & 0xffff);
	uint64_t predicates = (sizes >> 32 & 0xffff) * (sizes >> 48);

	cursor_skip(c, vectors + predicates, 8);
}

/* The registers are there only if the ABI before them is not "none". */
static void skip_regs(struct perf_cursor *c, uint8_t count)
{
	uint64_t abi = cursor_u64(c);

	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	cursor_skip(c, count, 8);
	if (abi & REGS_ABI_SIMD)
		skip_vectors(c);
}

static void skip_user_stack(struct perf_cursor *c)
{
	uint64_t size = cursor_u64(c);

	cursor_take(c, size);
	if (size)
		cursor_u64(c); /* how much of it was used */
}

static void parse_chain(struct perf_cursor *c, struct perf_sample *out)
{
	uint64_t count = cursor_u64(c);

	out->callchain = c->rest.data;
	cursor_skip(c, count, 8);
	out->callchain_count = c->failed ? 0 : (size_t)count;
}

/* Read the fields between the fixed ones and the branch stack. */
static void parse_to_stack(const struct perf_sample_layout *layout, struct perf_cursor *c,
			   struct perf_sample *out)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_READ)
		skip_read(c, layout->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		parse_chain(c, out);
	if (type & PERF_SAMPLE_RAW)
		cursor_take(c, cursor_u32(c)); /* the size makes both a multiple of 8 */
}

static bool parse_behind_stack(const struct perf_sample_layout *layout, struct perf_cursor c,
			       struct perf_sample *out)
{
	uint64_t type = layout->sample_type, data_src = 0;

	if (type & PERF_SAMPLE_REGS_USER)
		skip_regs(&c, layout->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		skip_user_stack(&c);
	if (type & (PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		cursor_u64(&c);
	if (type & PERF_SAMPLE_DATA_SRC)
		data_src = cursor_u64(&c);
	if (type & PERF_SAMPLE_TRANSACTION)
		cursor_u64(&c);
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_regs(&c, layout->regs_intr);
	cursor_skip(&c, bit_count(type & FIXED_BEFORE_AUX), 8);
	if (type & PERF_SAMPLE_AUX)
		cursor_take(&c, cursor_u64(&c));
	if (!c.failed)
		out->data_src = data_src;
	return !c.failed;
}

static bool parse_stack(const struct perf_sample_layout *layout, struct perf_cursor *c,
			struct perf_sample *out)
{
	uint64_t count = cursor_u64(c);

	if (c->failed)
		return false;
	out->has_stack = true;
	/* Of a sample without a branch stack the kernel leaves out the hardware index, but perf
	 * inject writes it.  The words that follow show which it was. */
	if (!count) {
		struct perf_cursor next = *c;
		cursor_take(&next, layout->stack_extra);
		if (!next.failed && parse_behind_stack(layout, next, out))
			*c = next;
		return true;
	}
	cursor_take(c, layout->stack_extra);
	out->branches = c->rest.data;
	cursor_skip(c, count, sizeof(struct branch));
	if (layout->stack_counters)
		cursor_skip(c, count, 8);
	out->branch_count = c->failed ? 0 : (size_t)count;
	return !c->failed;
}

static uint64_t at64(const uint8_t *body, uint8_t at)
{
	return at == PERF_NO_FIELD ? 0 : le64(body + at);
}

bool perf_sample_parse(const struct perf_sample_layout *layout, struct bytes body,
		       struct perf_sample *out)
{
	if (body.size < layout->fixed_size)
		return false;
	*out = (struct perf_sample){
		.ip = at64(body.data, layout->ip),
		.time = at64(body.data, layout->time),
		.addr = at64(body.data, layout->addr),
		.id = at64(body.data, layout->id),
		.period = at64(body.data, layout->period),
	};
	if (layout->tid != PERF_NO_FIELD) {
		out->pid = le32(body.data + layout->tid);
		out->tid = le32(body.data + layout->tid + 4);
	}
	struct perf_cursor c = perf_cursor(bytes_from(body, layout->fixed_size));
	parse_to_stack(layout, &c, out);
	if ((layout->sample_type & PERF_SAMPLE_BRANCH_STACK) && !parse_stack(layout, &c, out))
		return false;
	if (layout->sample_type & BEHIND_STACK)
		return parse_behind_stack(layout, c, out);
	return !c.failed;
}

static bool can_read_in_place(const uint8_t *at)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
	       (uintptr_t)at % _Alignof(struct branch) == 0;
}

const struct branch *perf_branches(const struct perf_sample *sample, struct branch *scratch)
{
	const uint8_t *at = sample->branches;

	if (can_read_in_place(at))
		return (const struct branch *)(const void *)at;
	for (size_t i = 0; i < sample->branch_count; i++, at += sizeof(struct branch))
		scratch[i] = (struct branch){le64(at), le64(at + 8), le64(at + 16)};
	return scratch;
}

size_t perf_callchain(const struct perf_sample *sample, uint64_t *out)
{
	size_t count = 0;

	/* The marks are the topmost addresses: PERF_CONTEXT_MAX is -4095. */
	for (size_t i = 0; i < sample->callchain_count && i < PERF_CALLCHAIN_MAX; i++) {
		uint64_t at = le64(sample->callchain + 8 * i);
		if (at < (uint64_t)PERF_CONTEXT_MAX)
			out[count++] = at;
	}
	return count;
}

uint64_t perf_sample_time(const struct perf_sample_layout *layout, struct bytes body)
{
	return body.size < layout->fixed_size ? 0 : at64(body.data, layout->time);
}

static uint64_t back64(struct bytes body, uint8_t back)
{
	return back == PERF_NO_FIELD ? 0 : le64(body.data + body.size - back);
}

struct perf_trailer perf_trailer_parse(const struct perf_sample_layout *layout, struct bytes body)
{
	if (body.size < layout->end_size)
		return (struct perf_trailer){0};
	struct perf_trailer out = {
		.time = back64(body, layout->end_time),
		.id = back64(body, layout->end_id),
	};
	if (layout->end_tid != PERF_NO_FIELD) {
		out.pid = le32(body.data + body.size - layout->end_tid);
		out.tid = le32(body.data + body.size - layout->end_tid + 4);
	}
	return out;
}
