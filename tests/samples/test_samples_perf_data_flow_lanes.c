/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What lanes keep of the bytes of several sources in one buffer: as little as they can, whatever
 * the buffer says. */
#include <stdlib.h>
#include <string.h>

#include "src/samples/aux/etm.h"
#include "src/samples/perf_data/flow_lanes.h"
#include "tests/support/cmocka.h"

struct fixture {
	struct aux_queues queues;
	struct flow_lanes lanes;
};

/* Units of ETMv4 with the trace ids 10 and 11. */
static void open_lanes(struct fixture *f)
{
	static const uint64_t registers[] = {0x840,  0x10, 0x28000ea1, 0x4100f403,
					     0x1088, 0,    0xcc,       1};
	uint64_t info[3 + 2 * 11] = {1, UINT64_C(8) << 32 | 2, 0}, *to = info + 3;
	struct bc_error err = {0};

	for (uint64_t cpu = 2; cpu < 4; cpu++) {
		*to++ = 0x4040404040404040;
		*to++ = cpu;
		*to++ = 8;
		for (size_t i = 0; i < 8; i++)
			*to++ = registers[i] + (i == 1 ? cpu - 2 : 0);
	}
	*f = (struct fixture){0};
	assert_true(flow_lanes_open(&f->lanes, &etm_reader,
				    (struct bytes){(const uint8_t *)info, sizeof(info)}, 0,
				    &f->queues, &err));
	assert_null(f->lanes.facts.refused);
}

static void close_lanes(struct fixture *f)
{
	flow_lanes_free(&f->lanes);
	aux_queues_free(&f->queues);
}

/* A frame of 14 bytes of one source; odd ones have a 0 in bit 0. */
static void put_frame(uint8_t *frame, uint8_t id, const char *bytes)
{
	memset(frame, 0, 16);
	frame[0] = (uint8_t)(id << 1 | 1);
	memcpy(frame + 1, bytes, 14);
}

#define BARRIER "\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f"
#define IGNORED "\x70\x70\x70\x70\x70\x70\x70\x70\x70\x70\x70\x70\x70\x70"

/* Takes data. */
static uint32_t add(struct fixture *f, uint32_t cpu, uint64_t at, uint8_t *data, size_t size)
{
	uint32_t number;
	struct bc_error err = {0};

	assert_true(aux_queues_obtain(&f->queues, cpu, AUX_NONE, 0, &number, &err));
	assert_true(aux_queue_add(&f->queues, number,
				  (struct aux_piece){.at = at, .size = size, .data = data}, &err));
	return number;
}

static bool wake(struct fixture *f, uint32_t queue, struct bc_error *err)
{
	return flow_lanes_wake(&f->lanes, queue, &(struct aux_clock){0}, err);
}

/* Sources that no unit is of have no lane, and lanes without branch outcomes no batch. */
static void test_strange_sources(void **state)
{
	struct fixture f;
	static const uint8_t ids[] = {1,    0x50, 0x10,
				      0x6f, 0x11, 1}; /* 50 and 10 differ in the highest bit */
	uint8_t *data = malloc(BC_COUNT(ids) * 16);
	struct bc_error err = {.code = BC_FORMAT}; /* of somebody else */

	(void)state;
	open_lanes(&f);
	for (size_t i = 0; i < BC_COUNT(ids); i++)
		put_frame(data + 16 * i, ids[i], IGNORED);
	assert_true(wake(&f, add(&f, 2, 0, data, BC_COUNT(ids) * 16), &err));
	assert_int_equal(f.lanes.all.len, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(f.lanes.all.at[i].source.stream, 0x10 + i);
		assert_false(f.lanes.all.at[i].waits);
		assert_null(f.lanes.all.at[i].batch.at);
		assert_int_equal(f.lanes.all.at[i].begin, f.lanes.all.at[i].bytes.len);
	}
	close_lanes(&f);
}

/* Barriers in a row cut the bytes of each source once. */
static void test_barriers(void **state)
{
	struct fixture f;
	const size_t barriers = 100000, size = 16 * (barriers + 2);
	uint8_t *data = malloc(size);
	struct bc_error err = {0};

	(void)state;
	open_lanes(&f);
	put_frame(data, 0x10, IGNORED);
	put_frame(data + 16, 0x11, IGNORED);
	for (size_t i = 2; i < barriers + 2; i++)
		memcpy(data + 16 * i, BARRIER, 16);
	assert_true(wake(&f, add(&f, 2, 0, data, size), &err));
	for (size_t i = 0; i < 2; i++)
		assert_true(f.lanes.all.at[i].cuts.cap <= 64);
	close_lanes(&f);
}

/* The bytes of one source are read, not kept, while another one looks for its own; and all are
 * read. */
static void test_one_source_fills(void **state)
{
	struct fixture f;
	const size_t frames = 400000, size = 16 * (frames + 1);
	uint8_t *data = malloc(size);
	struct bc_error err = {0};

	(void)state;
	open_lanes(&f);
	put_frame(data, 0x11, IGNORED);
	for (size_t i = 1; i <= frames; i++)
		put_frame(data + 16 * i, 0x10, IGNORED);
	uint32_t queue = add(&f, 2, 0, data, size);
	assert_true(wake(&f, queue, &err));
	assert_int_equal(f.lanes.all.len, 2);
	assert_int_equal(f.queues.all.at[queue].left, 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(f.lanes.all.at[i].begin, f.lanes.all.at[i].bytes.len);
		assert_true(f.lanes.all.at[i].bytes.cap <= (size_t)4 << 20);
	}
	close_lanes(&f);
}

static void test_too_many(void **state)
{
	struct fixture f;
	struct bc_error err = {0};
	bool ok = true;
	uint32_t cpu = 0;

	(void)state;
	open_lanes(&f);
	for (; ok && cpu <= FLOW_LANES_MOST / 2; cpu++) {
		uint8_t *data = malloc(32);
		put_frame(data, 0x10, IGNORED);
		put_frame(data + 16, 0x11, IGNORED);
		ok = wake(&f, add(&f, cpu, 0, data, 32), &err);
	}
	assert_false(ok);
	assert_int_equal(cpu, FLOW_LANES_MOST / 2 + 1);
	assert_int_equal(f.lanes.all.len, FLOW_LANES_MOST);
	assert_int_equal(err.code, BC_FORMAT);
	close_lanes(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strange_sources),
		cmocka_unit_test(test_barriers),
		cmocka_unit_test(test_one_source_fills),
		cmocka_unit_test(test_too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
