/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packets of Intel PT: the branch outcome of each, by itself and among others. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/samples/aux/pt.h"
#include "tests/support/cmocka.h"

#define ANSWERS 256
#define TEXT    4096

#define PSB                                                                                        \
	0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02,  \
		0x82
#define PSBEND          0x02, 0x23
#define IP48(head, ...) (head) | 3 << 5, __VA_ARGS__, 0, 0
#define FUP_401000      IP48(0x1d, 0x00, 0x10, 0x40, 0x00)
/* In the program, at 401000. */
#define SYNC PSB, 0x99, 0x01, FUP_401000, PSBEND
#define OUT  PSB, PSBEND
#define OVF  0x02, 0xf3

/* All branch outcomes as text: kinds by name, bits the oldest first, addresses as hexadecimal
 * numbers; | where a batch ends. */
struct transcript {
	char text[TEXT];
	size_t size;
	struct flow_answer answers[ANSWERS];
	struct flow_batch batch;
	struct pt_decoder decoder;
};

static void say(struct transcript *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct transcript *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int size = vsnprintf(t->text + t->size, sizeof(t->text) - t->size, format, args);
	va_end(args);
	assert_true(size >= 0 && (size_t)size < sizeof(t->text) - t->size);
	t->size += (size_t)size;
}

static void say_answers(struct transcript *t)
{
	static const char *const names[] = {"bits", "target", "at",  "leave",
					    "stop", "begin",  "lost"};

	for (size_t i = 0; i < t->batch.count; i++) {
		const struct flow_answer *a = &t->batch.at[i];
		say(t, "%s%s", t->size && t->text[t->size - 1] != ' ' ? " " : "", names[a->kind]);
		if (a->kind == FLOW_BITS) {
			say(t, " ");
			for (unsigned k = 0; k < a->count; k++)
				say(t, "%d", (int)(a->value >> k & 1));
			assert_true(a->count == 64 || !(a->value >> a->count));
		} else if (a->kind != FLOW_LOST) {
			say(t, " %" PRIx64, a->value);
		}
	}
	t->batch.count = 0;
}

static void start(struct transcript *t)
{
	memset(t, 0, sizeof(*t));
	t->batch = (struct flow_batch){.at = t->answers, .capacity = ANSWERS};
}

static size_t take(struct transcript *t, const uint8_t *data, size_t size)
{
	struct bytes rest = {data, size};

	while (pt_read(&t->decoder, &rest, &t->batch)) {
		say_answers(t);
		say(t, " |");
	}
	assert_true(rest.size < PT_PACKET_MOST);
	return rest.size;
}

/* Reads all bytes at once, and in two chunks that were cut at each position: the same. */
static void expect_bytes(const uint8_t *data, size_t size, const char *expected)
{
	struct transcript t;

	start(&t);
	take(&t, data, size);
	say_answers(&t);
	assert_string_equal(t.text, expected);
	for (size_t cut = 0; cut <= size; cut++) {
		start(&t);
		size_t left = take(&t, data, cut);
		take(&t, data + cut - left, size - cut + left);
		say_answers(&t);
		assert_string_equal(t.text, expected);
	}
}

#define EXPECT(expected, ...)                                                                      \
	do {                                                                                       \
		static const uint8_t packets[] = {__VA_ARGS__};                                    \
		expect_bytes(packets, sizeof(packets), expected);                                  \
	} while (0)

static void test_bits(void **state)
{
	(void)state;
	EXPECT("at 401000", SYNC);
	EXPECT("at 401000 bits 1", SYNC, 0x06);
	EXPECT("at 401000 bits 0", SYNC, 0x04);
	EXPECT("at 401000 bits 110", SYNC, 0x1c);
	EXPECT("at 401000 bits 101100", SYNC, 0xd8);
	EXPECT("at 401000 bits 010111", SYNC, 0x0a, 0x04, 0x0e, 0x06); /* in the order of time */
	/* Long ones: 1 to 47 bits; those of several packets are one row. */
	EXPECT("at 401000 bits 1", SYNC, 0x02, 0xa3, 0x03, 0, 0, 0, 0, 0);
	EXPECT("at 401000 bits 10000000000000000000000000000000000000000000001", SYNC, 0x02, 0xa3,
	       0x01, 0, 0, 0, 0, 0xc0);
	EXPECT("at 401000 bits 1000000000000000000000000000000000000000000000111000000000000000 bits 000000000000000000000000000000111",
	       SYNC, 0x02, 0xa3, 0x01, 0, 0, 0, 0, 0xc0, 0x0e, 0x02, 0xa3, 0x03, 0, 0, 0, 0, 0x80,
	       0x06);
	/* Without a bit it is no packet. */
	EXPECT("at 401000 lost", SYNC, 0x02, 0xa3, 0x01, 0, 0, 0, 0, 0, 0x06);
	EXPECT("at 401000 lost", SYNC, 0x02, 0xa3, 0, 0, 0, 0, 0, 0, 0x06);
}

/* The forms of addresses, each with what the one before leaves. */
static void test_addresses(void **state)
{
	(void)state;
	EXPECT("at 401000 target 402010", SYNC, 0x2d, 0x10, 0x20, 0x4d, 0, 0,
	       0); /* form 1, then a cut one of form 2 */
	EXPECT("at 401000 target 40ffff target 12345678 target 7fff00000000 target ffff800000000000 target ffff812345678abc target "
	       "ffff000000000001 target 123456789abcdef0",
	       SYNC, 0x2d, 0xff, 0xff, 0x4d, 0x78, 0x56, 0x34, 0x12, 0x6d, 0, 0, 0, 0, 0xff, 0x7f,
	       0x6d, 0, 0, 0, 0, 0, 0x80, 0x8d, 0xbc, 0x8a, 0x67, 0x45, 0x23, 0x81, 0x8d, 1, 0, 0,
	       0, 0, 0, 0xcd, 0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12);
	/* PSB forgets the address before. */
	EXPECT("at 401000 target 7fff00000000 at 1234", SYNC, 0x6d, 0, 0, 0, 0, 0xff, 0x7f, PSB,
	       0x3d, 0x34, 0x12, PSBEND);
	/* Forms 5 and 7 are none. */
	EXPECT("at 401000 lost", SYNC, 0xad, 0, 0, 0, 0, 0, 0, 0, 0);
	EXPECT("at 401000 lost", SYNC, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0);
	/* Packets of all four kinds leave their address after. */
	EXPECT("at 401000 stop 502000 begin 503000 leave 504000 begin 505000", SYNC, 0x41, 0, 0x20,
	       0x50, 0, 0x31, 0, 0x30, 0x3d, 0, 0x40, 0x2d, 0, 0x50);
}

static void test_begin_and_end(void **state)
{
	(void)state;
	/* A system call, and the same address again. */
	EXPECT("at 401000 bits 1 stop 0 begin 401234 bits 0", SYNC, 0x06, 0x01, 0x31, 0x34, 0x12,
	       0x04);
	/* A filter: where a branch led out of what is traced. */
	EXPECT("at 401000 stop 405000 begin 401234", SYNC, 0x21, 0, 0x50, 0x31, 0x34, 0x12);
	/* In front of the first PSB, and where the trace is off at one, there are no branch
	 * outcomes. */
	EXPECT("begin 401000 bits 1", 0x06, 0x2d, 0x10, 0x20, OUT, IP48(0x11, 0, 0x10, 0x40, 0),
	       0x06);
	/* An interrupt: where the program was, and where it continues. */
	EXPECT("at 401000 bits 1 leave 401020 begin 401020 bits 0", SYNC, 0x06, 0x3d, 0x20, 0x10,
	       0x01, 0x31, 0x20, 0x10, 0x04);
	/* ... with the trace of the kernel: its handler. */
	EXPECT("at 401000 leave 401020 begin ffffffff81000000 bits 0 target 401020 bits 1", SYNC,
	       0x3d, 0x20, 0x10, 0x6d, 0, 0, 0, 0x81, 0xff, 0xff, 0x04, 0x6d, 0x20, 0x10, 0x40, 0,
	       0, 0, 0x06);
	/* Between them are packets that say nothing of the way. */
	EXPECT("at 401000 leave 401020 begin 402000", SYNC, 0x3d, 0x20, 0x10, 0x02, 0x43, 1, 2, 3,
	       4, 5, 6, 0x99, 0x01, 0x59, 7, 0x0b, 0x02, 0xc8, 1, 2, 3, 4, 5, 0x02, 0x03, 0x20, 0,
	       0x2d, 0, 0x20);
	/* TIP without an address: the way is not known until there is one. */
	EXPECT("at 401000 stop 0 begin 402000 bits 1", SYNC, 0x0d, 0x06, 0x06, 0x2d, 0, 0x20, 0x06);
	/* FUP without one says nothing. */
	EXPECT("at 401000 target 402000", SYNC, 0x1d, 0x2d, 0, 0x20);
	/* The trace is switched on, as processors write it: the PSB knows the address, too. */
	EXPECT("at 401000 begin 401002 bits 1", SYNC, 0x31, 0x02, 0x10, 0x06);
	/* PGE without one: nothing until the next. */
	EXPECT("at 401000 stop 0 begin 403000", SYNC, 0x01, 0x11, 0x06, 0x31, 0, 0x30);
	/* The trace is switched off. */
	EXPECT("at 401000 stop 0 begin 403000", SYNC, 0x01, 0x02, 0x83, 0x31, 0, 0x30);
}

/* PSB in the middle: the way continues there. */
static void test_psb(void **state)
{
	(void)state;
	EXPECT("at 401000 bits 1 at 401000 bits 0", SYNC, 0x06, SYNC, 0x04);
	EXPECT("at 401000 bits 1 | at 401000 bits 0", SYNC, 0x06, PSB, 0x19, 1, 2, 3, 4, 5, 6, 7,
	       0x02, 0x73, 1, 2, 0, 3, 1, 0x02, 0x03, 8, 0, 0x99, 0x01, 0x99, 0x20, 0x02, 0x43, 1,
	       2, 3, 4, 5, 6, 0x02, 0xc8, 1, 2, 3, 4, 5, FUP_401000, 0x02, 0xc3, 0x88, 1, 2, 3, 4,
	       5, 6, 7, 8, 0x59, 9, 0x0b, 0, PSBEND, 0x04);
	/* It says that the program is elsewhere than what came before: something is missing. */
	EXPECT("at 401000 bits 1 lost begin 402000", SYNC, 0x06, OUT, IP48(0x11, 0, 0x20, 0x40, 0));
	EXPECT("at 401000 stop 0 lost at 401000", SYNC, 0x01, SYNC);
	/* Its end is missing. */
	EXPECT("at 401000 bits 1 target 402000", PSB, FUP_401000, 0x06, 0x2d, 0, 0x20);
	EXPECT("at 401000 leave 401002", PSB, FUP_401000, 0x02, 0x62, 0x3d, 0x02, 0x10);
	EXPECT("at 401000 target 405000", PSB, FUP_401000, 0x2d, 0, 0x50);
	EXPECT("at 401000 at 401000 lost at 401000", PSB, FUP_401000, SYNC, OVF, FUP_401000);
}

static void test_overflow(void **state)
{
	(void)state;
	/* In the program when it ends, and outside of it. */
	EXPECT("at 401000 bits 1 lost at 402000 bits 0", SYNC, 0x06, OVF,
	       IP48(0x1d, 0, 0x20, 0x40, 0), 0x04);
	EXPECT("at 401000 bits 1 lost | at 402000 bits 0", SYNC, 0x06, OVF, 0x19, 1, 2, 3, 4, 5, 6,
	       7, 0x02, 0x73, 1, 2, 0, 3, 1, 0x02, 0x03, 8, 0, 0x59, 9, 0x0b, 0,
	       IP48(0x1d, 0, 0x20, 0x40, 0), 0x04);
	EXPECT("at 401000 lost begin 402000", SYNC, OVF, 0x02, 0x43, 1, 2, 3, 4, 5, 6, 0x99, 0x01,
	       IP48(0x11, 0, 0x20, 0x40, 0));
	/* The FUP after something else is of an interrupt. */
	EXPECT("at 401000 lost begin 403000", SYNC, OVF, 0x99, 0x01, 0x3d, 0, 0x20,
	       IP48(0x0d, 0, 0x30, 0x40, 0));
	/* Bits without an address are dropped; the address before is forgotten. */
	EXPECT("at 401000 lost begin 2000 bits 0", SYNC, OVF, 0x06, 0x1e, 0x2d, 0, 0x20, 0x04);
	/* It ends the packets of a PSB. */
	EXPECT("lost at 402000 bits 1", PSB, FUP_401000, OVF, IP48(0x1d, 0, 0x20, 0x40, 0), 0x06);
	EXPECT("at 401000 lost lost at 402000", SYNC, OVF, OVF, IP48(0x1d, 0, 0x20, 0x40, 0));
	EXPECT("at 401000 lost at 401000", SYNC, OVF, SYNC);
}

/* FUPs that say where another packet belongs leave the program where it is. */
static void test_bound_fups(void **state)
{
	(void)state;
#define FUP_401004 0x3d, 0x04, 0x10
	EXPECT("at 401000 bits 11", SYNC, 0x06, 0x02, 0x92, 1, 2, 3, 4, FUP_401004,
	       0x06); /* PTWRITE of 4 and 8 bytes */
	EXPECT("at 401000 bits 11", SYNC, 0x06, 0x02, 0xb2, 1, 2, 3, 4, 5, 6, 7, 8, FUP_401004,
	       0x06);
	EXPECT("at 401000 bits 1 leave 401004", SYNC, 0x06, 0x02, 0x12, 1, 2, 3, 4, FUP_401004,
	       0x01);
	EXPECT("at 401000 bits 1 leave 401004", SYNC, 0x06, 0x02, 0x32, 1, 2, 3, 4, 5, 6, 7, 8,
	       FUP_401004, 0x01);
	EXPECT("at 401000 lost", SYNC, 0x02, 0x52, 1, 2, 3, 4);         /* no such size */
	EXPECT("at 401000 bits 1", SYNC, 0x02, 0xe2, FUP_401004, 0x06); /* EXSTOP */
	EXPECT("at 401000 leave 401004", SYNC, 0x02, 0x62, FUP_401004, 0x01);
	EXPECT("at 401000 bits 1", SYNC, 0x02, 0xc2, 1, 2, 3, 4, 5, 6, 7, 8, 0x02, 0xe2, FUP_401004,
	       0x02, 0x22, 1, 2, 0x02, 0xa2, 1, 2, 3, 4, 5, 0x06);
	EXPECT("at 401000 bits 1", SYNC, 0x02, 0x93 & 0x13, 0x81, 0x0e, FUP_401004,
	       0x06); /* CFE with an address */
	EXPECT("at 401000 leave 401004", SYNC, 0x02, 0x53, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0x02, 0x13,
	       0x01, 0x0e, FUP_401004, 0x01);
	EXPECT("at 401000 bits 1", SYNC, 0xd9, 0x80, 0x01, FUP_401004, 0x06); /* TRIG */
	EXPECT("at 401000 bits 1", SYNC, 0xd9, 0xc0, 0x01, 1, 2, FUP_401004, 0x06);
	EXPECT("at 401000 leave 401004", SYNC, 0xd9, 0x40, 0x01, 1, 2, FUP_401004, 0x01);
	/* A transaction begins and ends; one is aborted. */
	EXPECT("at 401000 bits 101", SYNC, 0x06, 0x99, 0x21, FUP_401004, 0x04, 0x99, 0x20,
	       FUP_401004, 0x06);
	EXPECT("at 401000 bits 1 leave 401004 begin 402000", SYNC, 0x99, 0x21, FUP_401004, 0x06,
	       0x99, 0x22, FUP_401004, 0x2d, 0, 0x20);
	/* ... and where the trace is off there is no FUP. */
	EXPECT("at 401000 stop 0 begin 401010 leave 401004", SYNC, 0x01, 0x99, 0x20, 0x31, 0x10,
	       0x10, FUP_401004, 0x01);
	EXPECT("at 401000 lost", SYNC, 0x99, 0x40);
}

/* Between BBP and BEP packets xxxxx100 are items. */
static void test_blocks(void **state)
{
	(void)state;
	EXPECT("at 401000 bits 1", SYNC, 0x02, 0x63, 0x81, 0x0c, 1, 2, 3, 4, 0x14, 1, 2, 3, 4, 0x02,
	       0x33, 0x06);
	EXPECT("at 401000 bits 1", SYNC, 0x02, 0x63, 0x01, 0x0c, 1, 2, 3, 4, 5, 6, 7, 8, 0x59, 1,
	       0x14, 1, 2, 3, 4, 5, 6, 7, 8, 0x02, 0xb3, FUP_401004, 0x06);
	EXPECT("at 401000 bits 10110", SYNC, 0x02, 0x63, 0x81, 0x0c, 1, 2, 3, 4, 0x02, 0x33, 0x0c,
	       0x06, 0x0c);
	/* A FUP does not end them; a TIP does. */
	EXPECT("at 401000 bits 1", SYNC, 0x02, 0x63, 0x81, 0x02, 0xe2, FUP_401004, 0x0c, 1, 2, 3, 4,
	       0x02, 0x33, 0x06);
	EXPECT("at 401000 target 402000 bits 10", SYNC, 0x02, 0x63, 0x81, 0x2d, 0, 0x20, 0x0c);
}

/* A packet that is none: the rest up to the next PSB is left out, and counted. */
static void test_unknown(void **state)
{
	static const uint8_t bytes[] = {SYNC, 0x06, 0x02, 0x04, 0x06, 0x06, SYNC, 0x04, 0x05, 0x02};
	struct transcript t;

	(void)state;
	EXPECT("at 401000 bits 1 lost at 401000 bits 0 lost", SYNC, 0x06, 0x02, 0x04, 0x06, 0x06,
	       SYNC, 0x04, 0x05, 0x02);
	EXPECT("at 401000 lost", SYNC, 0x02, 0xc3, 0x87, 1, 2, 3, 4, 5, 6, 7, 8, 0x06);
	EXPECT("at 401000 lost at 401000", SYNC, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
	       0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x83, SYNC);
	EXPECT("at 401000 lost", SYNC, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	       0xff, 0x00); /* CYC of too many bytes */
	start(&t);
	take(&t, bytes, sizeof(bytes));
	assert_int_equal(t.decoder.counts.bad_bytes, 5);
	assert_int_equal(t.decoder.counts.bits, 2);
	/* In front of the first PSB, too. */
	start(&t);
	take(&t, (const uint8_t[]){1, 2, 3, SYNC}, 3 + sizeof((const uint8_t[]){SYNC}));
	assert_int_equal(t.decoder.counts.bad_bytes, 3);
}

/* Bytes are missing: nothing is known until the next PSB, and nothing is bad. */
static void test_cut(void **state)
{
	static const uint8_t first[] = {SYNC, 0x06, 0x2d, 1},
			     then[] = {0x05, 0x06, 0x06, SYNC, 0x04};
	struct transcript t;

	(void)state;
	start(&t);
	assert_int_equal(take(&t, first, sizeof(first)), 2);
	pt_cut(&t.decoder, &t.batch);
	take(&t, then, sizeof(then));
	say_answers(&t);
	assert_string_equal(t.text, "at 401000 bits 1 lost at 401000 bits 0");
	assert_int_equal(t.decoder.counts.bad_bytes, 0);
}

static void test_counts(void **state)
{
	static const uint8_t bytes[] = {SYNC, 0x1c, 0x06, 0x2d, 0,
					0x20, OVF,  0x1c, OVF,  IP48(0x1d, 0, 0x20, 0x40, 0),
					0x06};
	struct transcript t;

	(void)state;
	start(&t);
	take(&t, bytes, sizeof(bytes));
	assert_int_equal(t.decoder.counts.bits, 5);
	assert_int_equal(t.decoder.counts.targets, 1);
	assert_int_equal(t.decoder.counts.overflows, 2);
	assert_int_equal(t.decoder.counts.dropped, 3);
}

#define TSC(low, high) 0x19, (low) & 0xff, (low) >> 8 & 0xff, 0, 0, (high) & 0xff, 0, 0

/* Reads, and says the context after each batch. */
static void expect_times(struct pt_timing timing, const uint8_t *data, size_t size,
			 const char *expected)
{
	struct transcript t;
	struct bytes rest = {data, size};

	start(&t);
	t.decoder.timing = timing;
	while (pt_read(&t.decoder, &rest, &t.batch)) {
		if (!t.batch.count)
			continue;
		say_answers(&t);
		say(&t, " [%" PRIx64 "]", t.decoder.place);
	}
	say_answers(&t);
	say(&t, " now %" PRIx64, t.decoder.now);
	assert_string_equal(t.text, expected);
}

#define EXPECT_TIMES(timing, expected, ...)                                                        \
	do {                                                                                       \
		static const uint8_t bytes[] = {__VA_ARGS__};                                      \
		expect_times(timing, bytes, sizeof(bytes), expected);                              \
	} while (0)

/* Where time passes a batch ends, but not between bits and the targets after them. */
static void test_batches(void **state)
{
	const struct pt_timing none = {0};

	(void)state;
	EXPECT_TIMES(none, "at 401000 bits 11 now 1000", PSB, TSC(0x1000, 0), FUP_401000, PSBEND,
		     0x06, 0x06);
	EXPECT_TIMES(none, "at 401000 bits 1 [2000] bits 0 now 2000", PSB, TSC(0x1000, 0),
		     FUP_401000, PSBEND, 0x06, TSC(0x2000, 0), 0x04);
	EXPECT_TIMES(none, "at 401000 bits 1 target 402000 target 403000 [2000] bits 0 now 2000",
		     PSB, TSC(0x1000, 0), FUP_401000, PSBEND, 0x06, TSC(0x2000, 0), 0x2d, 0, 0x20,
		     0x2d, 0, 0x30, 0x04);
	/* Not for a short time. */
	EXPECT_TIMES(none, "at 401000 bits 10 now 1400", PSB, TSC(0x1000, 0), FUP_401000, PSBEND,
		     0x06, TSC(0x1400, 0), 0x04);
	/* What begins is of the time that comes next. */
	EXPECT_TIMES(none, "at 401000 bits 1 stop 0 [0] begin 401234 bits 0 [1400] bits 1 now 1400",
		     PSB, TSC(0x1000, 0), FUP_401000, PSBEND, 0x06, 0x01, 0x31, 0x34, 0x12, 0x04,
		     TSC(0x1400, 0), 0x06);
	/* A TSC that goes back a little was late; 56 bits can be full. */
	EXPECT_TIMES(none, "at 401000 now 2000", PSB, TSC(0x2000, 0), FUP_401000, PSBEND,
		     TSC(0x1fff, 0));
	EXPECT_TIMES(none, "at 401000 now 100000000000001", PSB, 0x19, 0xff, 0xff, 0xff, 0xff, 0xff,
		     0xff, 0xff, FUP_401000, PSBEND, TSC(1, 0));
}

/* A tick of the crystal is 4/2 of the counter; a MTC comes every 8. */
static void test_clocks(void **state)
{
	const struct pt_timing timing = {.mtc_shift = 3, .tsc = 4, .ctc = 2, .ratio = 30},
			       slow = {.mtc_shift = 9, .tsc = 2, .ctc = 1};
	const struct pt_timing none = {0};
#define AT_TSC_10000   PSB, TSC(0, 1), FUP_401000
#define TMA(ctc, fast) 0x02, 0x73, (ctc) & 0xff, (ctc) >> 8, 0, (fast) & 0xff, (fast) >> 8

	(void)state;
	/* The crystal is at 0x1234: 4 above the multiple of 8 that was a MTC (0x46), and 5 fast
	 * ticks. */
	EXPECT_TIMES(timing, "at 401000 now 100000003", AT_TSC_10000, TMA(0x1234, 5), PSBEND, 0x59,
		     0x47);
	EXPECT_TIMES(timing, "at 401000 now 100000013", AT_TSC_10000, TMA(0x1234, 5), PSBEND, 0x59,
		     0x48);
	EXPECT_TIMES(timing, "at 401000 now 100000ff3", AT_TSC_10000, TMA(0x1234, 5), PSBEND, 0x59,
		     0x86, 0x59, 0xc6, 0x59, 0x06, 0x59, 0x46);
	/* One that is as old as the TMA, or older; one before any TMA; without the crystal's ratio.
	 */
	EXPECT_TIMES(timing, "at 401000 now 100000003", AT_TSC_10000, TMA(0x1234, 5), PSBEND, 0x59,
		     0x46, 0x59, 0x45, 0x59, 0x47);
	EXPECT_TIMES(timing, "at 401000 now 100000000", AT_TSC_10000, PSBEND, 0x59, 0x47);
	EXPECT_TIMES(none, "at 401000 now 100000000", AT_TSC_10000, TMA(0x1234, 5), PSBEND, 0x59,
		     0x47);
	/* After a TSC the next TMA shows how the crystal is. */
	EXPECT_TIMES(timing, "at 401000 now 200000000", AT_TSC_10000, TMA(0x1234, 5), PSBEND,
		     TSC(0, 2), 0x59, 0x47);
	/* Of 8 bits of a MTC above 16 bits of TMA. */
	EXPECT_TIMES(slow, "at 401000 now 1000001fb", AT_TSC_10000, TMA(0x1300, 5), PSBEND, 0x59,
		     0x8a);
	/* Cycles at half of the speed: 2 ticks each; never beyond the next MTC. */
	EXPECT_TIMES(timing, "at 401000 now 10000000e", AT_TSC_10000, 0x02, 0x03, 15, 0, PSBEND,
		     0x3b);
	EXPECT_TIMES(timing, "at 401000 now 100000fa0", AT_TSC_10000, 0x02, 0x03, 15, 0, PSBEND,
		     0x87, 0x7c);
	EXPECT_TIMES(timing, "at 401000 now 100000003", AT_TSC_10000, TMA(0x1234, 5), 0x02, 0x03,
		     15, 0, PSBEND, 0x3b);
	EXPECT_TIMES(timing, "at 401000 now 100000000", AT_TSC_10000, PSBEND, 0x3b);
	EXPECT_TIMES(none, "at 401000 now 100000000", AT_TSC_10000, 0x02, 0x03, 15, 0, PSBEND,
		     0x3b);
}

/* A batch that is full ends; none ends with bits that have a target after them, as far as its room
 * goes. */
static void test_full(void **state)
{
	struct flow_answer answers[2 * FLOW_BATCH_ROOM];
	struct flow_batch batch = {answers, 0, BC_COUNT(answers)};
	struct pt_decoder decoder = {0};
	uint8_t data[4096], *p = data;
	uint64_t bits = 0, targets = 0;

	(void)state;
	static const uint8_t sync[] = {SYNC}, pair[] = {0x06, 0x2d, 0x10, 0x20};
	memcpy(p, sync, sizeof(sync));
	for (p += sizeof(sync); p + sizeof(pair) <= data + sizeof(data); p += sizeof(pair))
		memcpy(p, pair, sizeof(pair));
	struct bytes rest = {data, (size_t)(p - data)};
	bool more = true;
	while (more) {
		more = pt_read(&decoder, &rest, &batch);
		assert_true(batch.count || !more);
		if (more)
			assert_int_equal(answers[batch.count - 1].kind, FLOW_TARGET);
		for (size_t i = 0; i < batch.count; i++) {
			bits += answers[i].kind == FLOW_BITS;
			targets += answers[i].kind == FLOW_TARGET;
		}
		batch.count = 0;
	}
	assert_int_equal(bits, targets);
	assert_int_equal(bits, (sizeof(data) - sizeof(sync)) / sizeof(pair));
	assert_int_equal(decoder.counts.targets, targets);
}

static void put_word(uint8_t *info, enum pt_info number, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		info[8 * (unsigned)number + i] = (uint8_t)(value >> 8 * i);
}

/* What AUXTRACE_INFO and the event say. */
static void test_setup(void **state)
{
	uint8_t info[8 * 17] = {0};
	struct flow_facts facts = {0};
	struct bc_error err = {0};
	struct pt_decoder decoder = {0};
	struct flow_source source = {
		.cpu = 0, .tid = 7, .stream = FLOW_NO_STREAM, .reference = UINT64_C(3) << 56 | 5};

	(void)state;
	put_word(info, PT_INFO_PMU, 8);
	put_word(info, PT_INFO_SHIFT, 31);
	put_word(info, PT_INFO_MULT, 123);
	put_word(info, PT_INFO_ZERO, UINT64_MAX);
	put_word(info, PT_INFO_HAS_ZERO, 1);
	put_word(info, PT_INFO_MTC_BITS, 0x3c000);
	put_word(info, PT_INFO_CTC_N, 200);
	put_word(info, PT_INFO_CTC_D, 2);
	put_word(info, PT_INFO_RATIO, 24);
	void *setup =
		pt_reader.open((struct bytes){info, sizeof(info)}, 3 << 14 | 0x2401, &facts, &err);
	assert_non_null(setup);
	assert_true(facts.clock.known);
	assert_int_equal(facts.clock.shift, 31);
	assert_int_equal(facts.clock.mult, 123);
	assert_true(facts.clock.zero == UINT64_MAX);
	assert_null(facts.refused);
	assert_int_equal(pt_reader.begin(&decoder, setup, &source).rules, FLOW_PT);
	assert_int_equal(decoder.timing.mtc_shift, 3);
	assert_int_equal(decoder.timing.tsc, 200);
	assert_int_equal(decoder.timing.ctc, 2);
	assert_int_equal(decoder.timing.ratio, 24);
	/* The upper bits of times are those of the reference. */
	static const uint8_t bytes[] = {PSB, TSC(9, 0), PSBEND};
	struct flow_answer answers[2 * FLOW_BATCH_ROOM];
	struct flow_batch batch = {answers, 0, BC_COUNT(answers)};
	struct bytes rest = {bytes, sizeof(bytes)};
	while (pt_reader.read(&decoder, &rest, &batch))
		;
	assert_true(decoder.now == (UINT64_C(3) << 56 | 9));
	pt_reader.close(setup);
	/* Words that are not there; no clock; no branches. */
	put_word(info, PT_INFO_HAS_ZERO, 0);
	setup = pt_reader.open((struct bytes){info, sizeof(info)}, 1, &facts, &err);
	assert_non_null(setup);
	assert_false(facts.clock.known);
	assert_non_null(facts.refused);
	pt_reader.close(setup);
	setup = pt_reader.open((struct bytes){info, 15}, 0, &facts, &err);
	assert_non_null(setup);
	assert_false(facts.clock.known);
	pt_reader.close(setup);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bits),          cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_begin_and_end), cmocka_unit_test(test_psb),
		cmocka_unit_test(test_overflow),      cmocka_unit_test(test_bound_fups),
		cmocka_unit_test(test_blocks),        cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_cut),           cmocka_unit_test(test_counts),
		cmocka_unit_test(test_batches),       cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_full),          cmocka_unit_test(test_setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
