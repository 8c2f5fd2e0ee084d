/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packets of Arm SPE: those of a real machine, and each kind by itself. */
#include <stdlib.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/samples/aux/queue.h"
#include "src/samples/aux/spe.h"
#include "tests/support/cmocka.h"

#define RECORDS 8

/* Reads everything as one chunk. */
static size_t decode(struct spe_decoder *decoder, const uint8_t *data, size_t size,
		     struct spe_record *out)
{
	struct bytes rest = {data, size};
	size_t count = 0;

	while (spe_next(decoder, &rest, size - rest.size)) {
		assert_true(count < RECORDS);
		out[count++] = decoder->record;
	}
	assert_true(rest.size < SPE_PACKET_MOST);
	return count;
}

/* Two records of a kernel at EL2, a load and a branch that was not taken: the bytes of
 * arm_spe_decoder_test.cc of google/perf_data_converter, recorded on a real machine. */
static const uint8_t real[] = {
	0xb0, 0xd0, 0xc2, 0xa1, 0xed, 0x66, 0xba, 0xff, 0xc0, 0,    0,    0,    0,    0,    0x65,
	0x80, 0x5f, 0x00, 0x00, 0x49, 0x00, 0x52, 0x16, 0x00, 0x99, 0x04, 0x00, 0x98, 0x0c, 0x00,
	0xb2, 0x28, 0x6b, 0x09, 0x03, 0x37, 0x0e, 0xff, 0x00, 0x9a, 0x01, 0x00, 0,    0,    0,
	0,    0,    0,    0,    0,    0,    0x43, 0x00, 0,    0,    0x71, 0x2e, 0x65, 0x2f, 0x6a,
	0x0a, 0x00, 0x00, 0x00, 0xb0, 0xe0, 0xb0, 0xef, 0xed, 0x66, 0xba, 0xff, 0xc0, 0,    0,
	0,    0,    0,    0x65, 0x0e, 0x00, 0x00, 0x00, 0x4a, 0x01, 0x52, 0x42, 0x00, 0x99, 0x10,
	0x00, 0x98, 0x11, 0x00, 0xb1, 0xe4, 0xb0, 0xef, 0xed, 0x66, 0xba, 0xff, 0xc0, 0,    0,
	0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x71,
	0x8d, 0x65, 0x2f, 0x6a, 0x0a, 0x00, 0x00, 0x00};

static void assert_real(const struct spe_record *records, size_t count)
{
	assert_int_equal(count, 2);
	assert_int_equal(records[0].pc, 0xffffba66eda1c2d0);
	assert_int_equal(records[0].events, 0x16);
	assert_int_equal(records[0].ticks, 44731163950);
	assert_int_equal(records[0].context, 0x5f80);
	assert_true(records[0].has_context);
	assert_false(records[0].is_branch);
	assert_int_equal(records[0].target, 0);
	assert_int_equal(records[1].pc, 0xffffba66edefb0e0);
	assert_int_equal(records[1].target, 0xffffba66edefb0e4);
	assert_int_equal(records[1].events, 2 | SPE_EVENT_NOT_TAKEN);
	assert_int_equal(records[1].ticks, 44731164045);
	assert_int_equal(records[1].context, 0xe);
	assert_true(records[1].is_branch);
	assert_int_equal(records[1].before, 0);
}

static void test_real_bytes(void **state)
{
	struct spe_decoder decoder = {0};
	struct spe_record records[RECORDS];

	(void)state;
	assert_real(records, decode(&decoder, real, sizeof(real), records));
	assert_int_equal(decoder.bad_bytes + decoder.unknown_packets + decoder.spoiled_records, 0);
	assert_false(spe_cut(&decoder, false));
}

/* What is left of the first part is in front of the second, as in a window. */
static void test_every_cut_gives_the_same(void **state)
{
	(void)state;
	for (size_t cut = 0; cut <= sizeof(real); cut++) {
		struct spe_decoder decoder = {0};
		struct spe_record records[RECORDS];
		struct bytes rest = {real, cut};
		size_t count = 0;
		while (spe_next(&decoder, &rest, cut - rest.size))
			records[count++] = decoder.record;
		assert_true(rest.size < SPE_PACKET_MOST);
		rest = (struct bytes){real + cut - rest.size, sizeof(real) - cut + rest.size};
		while (spe_next(&decoder, &rest, sizeof(real) - rest.size))
			records[count++] = decoder.record;
		assert_real(records, count);
	}
}

/* A branch at EL0 that was mispredicted, with where the one before led to; closed by END. */
#define USER_BRANCH                                                                                \
	0xb0, 0x10, 0, 0x40, 0, 0, 0, 0, 0x80, 0x4a, 0x00, 0x42, 0x82, 0xb1, 0x20, 0, 0x40, 0, 0,  \
		0, 0, 0x80, 0xb4, 0x08, 0, 0x40, 0, 0, 0, 0, 0x80, 0x01

static void assert_user_branch(const struct spe_record *r)
{
	assert_int_equal(r->pc, 0x400010);
	assert_int_equal(r->target, 0x400020);
	assert_int_equal(r->before, 0x400008);
	assert_int_equal(r->events, 2 | SPE_EVENT_MISPREDICTED);
	assert_true(r->is_branch);
	assert_false(r->has_context);
	assert_int_equal(r->ticks, 0);
}

static void test_records_begin_anew(void **state)
{
	static const uint8_t data[] = {0x64, 1, 0, 0, 0, USER_BRANCH, USER_BRANCH};
	struct spe_decoder decoder = {0};
	struct spe_record records[RECORDS];

	(void)state;
	assert_int_equal(decode(&decoder, data, sizeof(data), records), 2);
	assert_true(records[0].has_context);
	records[0].has_context = false;
	records[0].context = 0;
	assert_user_branch(&records[0]);
	assert_user_branch(&records[1]);
}

/* Bits 63 and 62:61 say whose address it is. */
static void test_addresses(void **state)
{
	static const struct {
		uint8_t top;
		uint64_t address;
	} cases[] = {{0x00, 0x00ffffffffffff00}, {0x80, 0x00ffffffffffff00},
		     {0xa0, 0xffffffffffffff00}, {0xc0, 0xffffffffffffff00},
		     {0xe0, 0x00ffffffffffff00}, {0x20, 0x00ffffffffffff00},
		     {0x9f, 0x00ffffffffffff00}};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		uint8_t data[] = {0xb0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, cases[i].top, 0x01};
		struct spe_decoder decoder = {0};
		struct spe_record records[RECORDS];
		assert_int_equal(decode(&decoder, data, sizeof(data), records), 1);
		assert_int_equal(records[0].pc, cases[i].address);
	}
}

/* An extended header adds bits to the number: 21 b0 is address 8, no program counter.  Sizes of
 * events. */
static void test_headers(void **state)
{
	static const uint8_t extended[] = {0x21, 0xb0, 1, 0, 0, 0, 0, 0, 0, 0,   0x20,
					   0xb0, 2,    0, 0, 0, 0, 0, 0, 0, 0x01};
	static const uint8_t sizes[] = {0x42, 0x81, 0x01, 0x52, 0x81, 0x01, 0x01, 0x62,
					0x81, 0,    0,    0x01, 0x01, 0x72, 0x81, 0,
					0,    0,    0,    0,    0,    0x01, 0x01};
	static const uint64_t events[] = {0x81, 0x181, 0x1000081, 0x100000000000081};
	struct spe_decoder decoder = {0};
	struct spe_record records[RECORDS];

	(void)state;
	assert_int_equal(decode(&decoder, extended, sizeof(extended), records), 1);
	assert_int_equal(records[0].pc, 2);
	assert_int_equal(decode(&decoder, sizes, sizeof(sizes), records), 4);
	for (size_t i = 0; i < BC_COUNT(events); i++)
		assert_int_equal(records[i].events, events[i]);
	assert_int_equal(decoder.unknown_packets + decoder.bad_bytes, 0);
}

/* Up to the next multiple, counted from the begin of the trace; also where fewer bytes are there.
 */
static void test_alignment(void **state)
{
	static const uint8_t data[] = {0,    0,    0,    0x23, 0,    0xff, 0xff, 0xff,       0xff,
				       0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, USER_BRANCH};
	struct spe_decoder decoder = {0};
	struct spe_record records[RECORDS];
	struct bytes rest = {data, 7};

	(void)state;
	assert_int_equal(decode(&decoder, data, sizeof(data), records), 1);
	assert_user_branch(&records[0]);
	assert_int_equal(decoder.bad_bytes, 0);
	assert_false(spe_next(&decoder, &rest, 0));
	assert_int_equal(rest.size, 0);
	rest = (struct bytes){data + 7, sizeof(data) - 7};
	assert_true(spe_next(&decoder, &rest, 7));
	assert_user_branch(&decoder.record);
}

/* A kind that is not known is skipped by its size; a byte that is no header spoils its record. */
static void test_unknown_and_bad(void **state)
{
	static const uint8_t unknown[] = {0xc8, 0x01, 0xf0, 1, 1, 1, 1, 1, 1, 1, 1, USER_BRANCH};
	static const uint8_t bad[] = {USER_BRANCH, 0x03, USER_BRANCH, USER_BRANCH, 0x24,
				      0x42,        0x01, 0x01,        USER_BRANCH};
	struct spe_decoder decoder = {0};
	struct spe_record records[RECORDS];

	(void)state;
	assert_int_equal(decode(&decoder, unknown, sizeof(unknown), records), 1);
	assert_user_branch(&records[0]);
	assert_int_equal(decoder.unknown_packets, 2);
	decoder = (struct spe_decoder){0};
	assert_int_equal(decode(&decoder, bad, sizeof(bad), records), 3);
	for (size_t i = 0; i < 3; i++)
		assert_user_branch(&records[i]);
	assert_int_equal(decoder.bad_bytes, 2);
	assert_int_equal(decoder.spoiled_records, 2);
}

/* An END without a record is padding. */
static void test_nothing(void **state)
{
	static const uint8_t data[] = {0x01, 0, 0, 0x01, 0x01};
	struct spe_decoder decoder = {0};
	struct spe_record records[RECORDS];

	(void)state;
	assert_int_equal(decode(&decoder, data, sizeof(data), records), 0);
	assert_false(spe_cut(&decoder, false));
}

static void test_cut(void **state)
{
	static const uint8_t data[] = {USER_BRANCH, USER_BRANCH};
	struct spe_decoder decoder = {0};
	struct spe_record records[RECORDS];

	(void)state;
	/* What comes begins with a record. */
	assert_int_equal(decode(&decoder, data, 15, records), 0);
	assert_true(spe_cut(&decoder, false));
	assert_int_equal(decode(&decoder, data, sizeof(data), records), 2);
	assert_user_branch(&records[0]);
	/* It begins within one. */
	assert_false(spe_cut(&decoder, true));
	assert_int_equal(decode(&decoder, data + 5, sizeof(data) - 5, records), 1);
	assert_user_branch(&records[0]);
	assert_int_equal(decoder.spoiled_records, 1);
	assert_int_equal(decode(&decoder, data, sizeof(data), records), 2);
}

static void put64(uint8_t *to, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void test_clock(void **state)
{
	uint8_t body[48] = {0};
	struct aux_clock clock;

	(void)state;
	put64(body, 2);
	put64(body + 8, 5);
	put64(body + 16, 1000);
	put64(body + 24, 0x1000000000000010);
	put64(body + 32, 0xff);
	assert_false(aux_clock_of((struct bytes){body, 23}).known);
	clock = aux_clock_of((struct bytes){body, 24});
	assert_true(clock.known && !clock.is_short);
	assert_int_equal(aux_clock_ns(&clock, 0), 1000);
	assert_int_equal(aux_clock_ns(&clock, 4), 1005);
	assert_int_equal(aux_clock_ns(&clock, 7), 1008); /* 3 of 4 steps: 3 * 5 / 4 */
	assert_int_equal(aux_clock_ns(&clock, UINT64_C(1) << 40), 1000 + (UINT64_C(5) << 38));
	/* A counter of eight bits, which has passed its end once. */
	body[41] = 1;
	assert_false(aux_clock_of((struct bytes){body, 40}).is_short);
	clock = aux_clock_of((struct bytes){body, sizeof(body)});
	assert_true(clock.is_short);
	assert_int_equal(aux_clock_ns(&clock, 0x14), 1000 + 5 * (0x0400000000000005));
	assert_int_equal(aux_clock_ns(&clock, 0x0c), 1000 + 5 * (0x0400000000000043));
	put64(body, 64);
	assert_false(aux_clock_of((struct bytes){body, sizeof(body)}).known);
	put64(body, 2);
	put64(body + 8, 0); /* all ticks would be of one time */
	assert_false(aux_clock_of((struct bytes){body, sizeof(body)}).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_bytes),
		cmocka_unit_test(test_every_cut_gives_the_same),
		cmocka_unit_test(test_records_begin_anew),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_unknown_and_bad),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_clock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
