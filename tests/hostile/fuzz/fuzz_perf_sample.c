/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layout of samples, compared with a second reader that steps through the fields one by
 * one as perf_event.h lists them.  An input is an attr of 112 bytes, then the body of
 * a record: as a sample both readers refuse it or read the same; as another record
 * its trailer is the same.  No branch or call chain lies outside the body.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/perf_data/perf_events.h"
#include "tests/hostile/fuzz/support/mutators.h"

#define ATTR_SIZE 112

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct walk {
	const uint8_t *at, *end;
	bool bad;
};

static const uint8_t *take(struct walk *w, uint64_t count, size_t each)
{
	const uint8_t *at = w->at;

	if (w->bad || count > (size_t)(w->end - w->at) / each) {
		w->bad = true;
		return NULL;
	}
	w->at += count * each;
	return at;
}

static uint64_t word(struct walk *w)
{
	const uint8_t *at = take(w, 1, 8);

	return at ? le64(at) : 0;
}

static unsigned bits(uint64_t mask)
{
	unsigned count = 0;

	for (; mask; mask &= mask - 1)
		count++;
	return count;
}

static void registers(struct walk *w, uint64_t mask)
{
	uint64_t abi = word(w), sizes;

	if (!abi)
		return;
	take(w, bits(mask), 8);
	if (abi & 4) { /* vectors */
		sizes = word(w);
		take(w, (uint64_t)(uint16_t)sizes * (uint16_t)(sizes >> 16), 8);
		take(w, (uint64_t)(uint16_t)(sizes >> 32) * (uint16_t)(sizes >> 48), 8);
	}
}

/* What is after a branch stack. */
static void read_rest(struct walk *w, const struct perf_attr *attr, struct perf_sample *out)
{
	uint64_t type = attr->sample_type, size;

	if (type & 1 << 12)
		registers(w, attr->regs_user);
	if (type & 1 << 13) {
		size = word(w);
		take(w, size, 1);
		if (size)
			word(w);
	}
	if (type & (1 << 14 | 1 << 24))
		word(w);
	if (type & 1 << 15)
		out->data_src = word(w);
	if (type & 1 << 17)
		word(w);
	if (type & 1 << 18)
		registers(w, attr->regs_intr);
	for (unsigned bit = 19; bit < 24; bit++)
		if (bit != 20 && type >> bit & 1)
			word(w);
	if (type & 1 << 20) {
		size = word(w);
		take(w, size, 1);
	}
}

static void read_counters(struct walk *w, uint64_t format)
{
	uint64_t count = 1;

	if (format & PERF_FORMAT_GROUP)
		count = word(w);
	for (unsigned bit = 0; bit < 2; bit++)
		if (format >> bit & 1)
			word(w);
	take(w, count, 8 + 8 * (size_t)bits(format & (1 << 2 | 1 << 4)));
}

/* In a sample without branches the index before them can be there or not. */
static void read_stack(struct walk *w, const struct perf_attr *attr, struct perf_sample *out)
{
	bool index = attr->branch_sample_type & 1 << 17;

	out->branch_count = word(w);
	out->has_stack = !w->bad;
	if (!out->branch_count) {
		struct walk tried = *w;
		struct perf_sample ignored;
		if (index)
			word(&tried);
		read_rest(&tried, attr, &ignored);
		if (index && !tried.bad)
			word(w);
		return;
	}
	if (index)
		word(w);
	out->branches = take(w, out->branch_count, 24);
	if (attr->branch_sample_type & 1 << 19)
		take(w, out->branch_count, 8);
}

static bool naive_sample(const struct perf_attr *attr, struct bytes body, struct perf_sample *out)
{
	struct walk w = {body.data, body.data + body.size, false};
	uint64_t type = attr->sample_type, both;

	*out = (struct perf_sample){0};
	if (type & 1 << 16)
		out->id = word(&w);
	if (type & 1 << 0)
		out->ip = word(&w);
	if (type & 1 << 1) {
		both = word(&w);
		out->pid = (uint32_t)both;
		out->tid = (uint32_t)(both >> 32);
	}
	if (type & 1 << 2)
		out->time = word(&w);
	if (type & 1 << 3)
		out->addr = word(&w);
	if (type & 1 << 6) {
		both = word(&w);
		if (!(type & 1 << 16))
			out->id = both;
	}
	if (type & 1 << 9)
		word(&w);
	if (type & 1 << 7)
		word(&w);
	if (type & 1 << 8)
		out->period = word(&w);
	if (type & 1 << 4)
		read_counters(&w, attr->read_format);
	if (type & 1 << 5) {
		out->callchain_count = word(&w);
		out->callchain = take(&w, out->callchain_count, 8);
	}
	if (type & 1 << 10) {
		const uint8_t *size = take(&w, 4, 1);
		take(&w, size ? le32(size) : 0, 1);
	}
	if (type & 1 << 11)
		read_stack(&w, attr, out);
	read_rest(&w, attr, out);
	return !w.bad;
}

static struct perf_trailer naive_trailer(const struct perf_attr *attr, struct bytes body)
{
	uint64_t type = attr->flags & PERF_ATTR_SAMPLE_ID_ALL ? attr->sample_type : 0, both;
	struct perf_trailer out = {.cpu = PERF_NO_CPU};
	size_t size =
		8 * (size_t)bits(type & (1 << 1 | 1 << 2 | 1 << 6 | 1 << 9 | 1 << 7 | 1 << 16));

	if (body.size < size)
		return out;
	struct walk w = {body.data + body.size - size, body.data + body.size, false};
	if (type & 1 << 1) {
		both = word(&w);
		out.pid = (uint32_t)both;
		out.tid = (uint32_t)(both >> 32);
	}
	if (type & 1 << 2)
		out.time = word(&w);
	if (type & 1 << 6)
		out.id = word(&w);
	if (type & 1 << 9)
		word(&w);
	if (type & 1 << 7)
		out.cpu = (uint32_t)word(&w);
	if (type & 1 << 16)
		out.id = word(&w);
	return out;
}

static void check_lists(const struct perf_sample *s, struct bytes body)
{
	static struct branch branches[PERF_BRANCHES_MAX];
	static uint64_t chain[PERF_CALLCHAIN_MAX];

	if (s->branch_count) {
		assert(s->branches >= body.data &&
		       s->branch_count <= body.size / sizeof(struct branch));
		assert(s->branches + s->branch_count * sizeof(struct branch) <=
		       body.data + body.size);
		const struct branch *b = perf_branches(s, branches);
		for (size_t i = 0; i < s->branch_count; i++)
			assert(b[i].from == le64(s->branches + 24 * i) &&
			       b[i].flags == le64(s->branches + 24 * i + 16));
	}
	if (s->callchain_count) {
		assert(s->callchain >= body.data &&
		       s->callchain + 8 * s->callchain_count <= body.data + body.size);
		assert(perf_callchain(s, chain) <= s->callchain_count);
	}
}

static void check_sample(const struct perf_attr *attr, const struct perf_sample_layout *layout,
			 struct bytes body)
{
	struct perf_sample a, b;
	bool parsed = perf_sample_parse(layout, body, &a);

	assert(parsed == naive_sample(attr, body, &b));
	if (!parsed)
		return;
	assert(a.ip == b.ip && a.time == b.time && a.addr == b.addr && a.id == b.id &&
	       a.period == b.period);
	assert(a.data_src == b.data_src && a.pid == b.pid && a.tid == b.tid);
	assert(a.has_stack == b.has_stack && a.branch_count == b.branch_count &&
	       a.callchain_count == b.callchain_count);
	assert(!a.branch_count || a.branches == b.branches);
	assert(!a.callchain_count || a.callchain == b.callchain);
	assert(perf_sample_time(layout, body) == a.time);
	check_lists(&a, body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_attr attr;
	struct perf_sample_layout layout;

	if (size < ATTR_SIZE || size > 65536 ||
	    !perf_attr_parse((struct bytes){data, ATTR_SIZE}, &attr))
		return 0;
	/* For malloc'ed memory, as a block's records are; where it begins varies. */
	size_t skip = data[ATTR_SIZE - 1] % 9;
	struct bytes body = {NULL, size - ATTR_SIZE};
	uint8_t *copy = malloc(skip + body.size + 1);
	assert(copy);
	memcpy(copy + skip, data + ATTR_SIZE, body.size);
	body.data = copy + skip;
	perf_sample_layout(&attr, &layout);
	assert(perf_sample_layout_equal(&layout, &layout));
	check_sample(&attr, &layout, body);
	struct perf_trailer a = perf_trailer_parse(&layout, body), b = naive_trailer(&attr, body);
	assert(a.pid == b.pid && a.tid == b.tid && a.time == b.time && a.id == b.id &&
	       a.cpu == b.cpu);
	free(copy);
	return 0;
}

/* A bit of sample_type and its eight bytes, or any number of the two parts. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	static const uint8_t fields[] = {24, 24, 24, 32, 40, 72, 80, 96};
	struct prng random = {seed};

	if (size < ATTR_SIZE || size + 8 > most || !prng_below(&random, 4))
		return LLVMFuzzerMutate(data, size, most);
	size_t at = ATTR_SIZE + (size_t)prng_below(&random, (size - ATTR_SIZE) / 8 + 1) * 8;
	switch (prng_below(&random, 4)) {
	case 0: {
		uint8_t *field = data + fields[prng_below(&random, sizeof(fields))];
		uint64_t bit = prng_below(&random, 25);
		field[bit / 8] ^= (uint8_t)(1u << bit % 8);
		break;
	}
	case 1:
		memmove(data + at + 8, data + at, size - at);
		memset(data + at, 0, 8);
		data[at] = (uint8_t)prng_below(&random, 9);
		return size + 8;
	case 2:
		if (at + 8 > size)
			break;
		memmove(data + at, data + at + 8, size - at - 8);
		return size - 8;
	default:
		if (at + 8 > size)
			break;
		uint64_t value = mutate_number(&random, le64(data + at), 64);
		for (size_t i = 0; i < 8; i++)
			data[at + i] = (uint8_t)(value >> 8 * i);
	}
	return size;
}
