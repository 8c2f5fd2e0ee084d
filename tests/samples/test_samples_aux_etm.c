/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packets of ETMv4 and ETE, each kind by itself, by the tables of IHI 0064 and DDI 0487; and the
 * bytes of two real trace units. */
#include "src/samples/aux/etm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/samples/aux/queue.h"
#include "tests/support/cmocka.h"

/* What AUXTRACE_INFO says of one unit: 0 as most have. */
struct info {
	uint64_t version, magic, config, idr0, idr1, idr2, idr8, devarch, source;
};

#define ETMV4 .version = 1, .magic = 0x4040404040404040
#define ETE   .version = 1, .magic = 0x5050505050505050

static const struct info etmv4 = {ETMV4}, ete = {ETE};

static size_t put_words(uint8_t *to, const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < 8; k++)
			to[8 * i + k] = (uint8_t)(words[i] >> 8 * k);
	return 8 * count;
}

static size_t put_unit(uint8_t *to, const struct info *info, uint64_t cpu)
{
	bool is_ete = info->magic == 0x5050505050505050;
	uint64_t words[12] = {info->magic, cpu};
	size_t at = 2, count = info->source ? 8u + is_ete : 7u + is_ete;
	const uint64_t registers[] = {
		info->config,
		0x10 + cpu,
		info->idr0 ? info->idr0 : 0x28000ea1,
		is_ete     ? 0x4100fff3 :
		info->idr1 ? info->idr1 :
			     0x4100f403,
		info->idr2 ? info->idr2 :
		is_ete     ? 0xd0001088 :
			     0x1088,
		info->idr8,
		0xcc,
		!is_ete       ? info->source :
		info->devarch ? info->devarch :
				0x47735a13,
		info->source,
	};

	if (info->version)
		words[at++] = count;
	for (size_t i = 0; i < count; i++)
		words[at++] = registers[i];
	return put_words(to, words, at);
}

static size_t put_info(uint8_t *to, const struct info *info, uint64_t cpus)
{
	const uint64_t head[] = {info->version, UINT64_C(8) << 32 | cpus, 0};
	size_t size = put_words(to, head, 3);

	for (uint64_t cpu = 0; cpu < cpus; cpu++)
		size += put_unit(to + size, info, cpu);
	return size;
}

static void *open_info(const struct info *info, struct flow_facts *facts)
{
	uint8_t bytes[512];
	size_t size = put_info(bytes, info, 2);
	struct bc_error err;
	void *setup = etm_reader.open((struct bytes){bytes, size}, 0, facts, &err);

	assert_non_null(setup);
	return setup;
}

/* ---- what packets say ---- */

struct reading {
	void *setup, *decoder;
	struct flow_answer answers[256];
	struct flow_batch batch;
	struct flow_asks asks;
	char text[2048];
	size_t len;
};

static void begin(struct reading *r, const struct info *info, uint32_t stream)
{
	struct flow_facts facts = {0};
	struct flow_source source = {.cpu = 0, .tid = AUX_NONE, .stream = stream};

	*r = (struct reading){0};
	r->batch = (struct flow_batch){r->answers, 0, 256};
	r->setup = open_info(info, &facts);
	r->decoder = calloc(1, etm_reader.decoder_size + etm_reader.more(r->setup, &source));
	assert_non_null(r->decoder);
	r->asks = etm_reader.begin(r->decoder, r->setup, &source);
}

static void end(struct reading *r)
{
	free(r->decoder);
	etm_reader.close(r->setup);
}

static void say(struct reading *r, const char *word)
{
	r->len += (size_t)snprintf(r->text + r->len, sizeof(r->text) - r->len, "%s", word);
}

static void say_number(struct reading *r, const char *before, uint64_t value, const char *behind)
{
	r->len += (size_t)snprintf(r->text + r->len, sizeof(r->text) - r->len, "%s%" PRIx64 "%s",
				   before, value, behind);
}

/* "TTN", ">4000 " (target), "@" (at), "<" (leave), "[" (begin), "^" (from), "." (stop), "!" (lost),
 * "{t5}", "{c7}" when time or context change. */
static void tell(struct reading *r)
{
	static const char *const marks[] = {[FLOW_TARGET] = ">",
					    [FLOW_AT] = "@",
					    [FLOW_LEAVE] = "<",
					    [FLOW_BEGIN] = "[",
					    [FLOW_FROM] = "^"};

	for (size_t i = 0; i < r->batch.count; i++) {
		const struct flow_answer *answer = &r->answers[i];
		for (unsigned bit = 0; answer->kind == FLOW_BITS && bit < answer->count; bit++)
			say(r, answer->value >> bit & 1 ? "T" : "N");
		if (answer->kind == FLOW_STOP || answer->kind == FLOW_LOST)
			say(r, answer->kind == FLOW_STOP ? "." : "!");
		else if (answer->kind != FLOW_BITS)
			say_number(r, marks[answer->kind], answer->value, " ");
	}
	r->batch.count = 0;
}

/* Reads bytes; returns how many are left. */
static size_t feed(struct reading *r, const void *data, size_t size)
{
	struct bytes rest = {data, size};
	struct answer_place before = etm_reader.place(r->decoder);

	while (etm_reader.read(r->decoder, &rest, &r->batch)) {
		tell(r);
		struct answer_place now = etm_reader.place(r->decoder);
		if (now.ticks != before.ticks)
			say_number(r, "{t", now.ticks, "}");
		if (now.has_context != before.has_context || now.context != before.context)
			say_number(r, "{c", now.context, "}");
		before = now;
	}
	tell(r);
	assert_true(rest.size <= FLOW_PACKET_MOST);
	return rest.size;
}

#define SYNC "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\x00"
/* ... of a trace that begins, at 0x400000 in the normal world's EL0 */
#define START SYNC "\x04\x85\0\0\x40\0\0\0\0\0\x30"

/* The same in one chunk and cut at each byte. */
static void assert_reads(const struct info *info, const char *bytes, size_t size, const char *want)
{
	for (size_t cut = 0; cut < size; cut++) {
		struct reading r;
		uint8_t rest[512];
		begin(&r, info, FLOW_NO_STREAM);
		size_t left = feed(&r, bytes, cut);
		memcpy(rest, bytes + cut - left, left + size - cut);
		left = feed(&r, rest, left + size - cut);
		assert_string_equal(r.text, want);
		assert_int_equal(left, 0);
		assert_int_equal(etm_reader.counts(r.decoder).bad_bytes, 0);
		end(&r);
	}
}

#define READS(info, bytes, want) assert_reads(&(info), bytes, sizeof(bytes) - 1, want)

static void test_synchronization(void **state)
{
	(void)state;
	/* what comes before one is left out; more zeros are none the worse */
	READS(etmv4, "\xf7\xf6\x95\x20\0\0" START "\xf7", "[400000 T");
	/* periodic: the address after it is where the walk is; after trace on, where it begins */
	READS(etmv4, START "\xf7" SYNC "\x85\x04\0\x40\0\0\0\0\0\x30\xf6", "[400000 T@400010 N");
	READS(etmv4, SYNC "\x85\x04\0\x40\0\0\0\0\0\x30\xf6", "@400010 N");
	READS(etmv4, START "\xf7\x04\x9a\x04\0\x40\0\xf7", "[400000 T[400010 T");
	/* bits without an address are of nowhere */
	READS(etmv4, SYNC "\xf7\xf7\x9d\x04\0\x40\0\0\0\0\0\xf7", "@400010 T");
	/* trace info with all that can be in it: two bytes of control; a field each, two bytes long
	 * for the key */
	READS(etmv4,
	      "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\x9f\x01\x03\x81\x02\x00\x05\x07\x9d\x04\0\x40\0\0\0\0\0\xf7",
	      "@400010 T");
}

static void test_atoms(void **state)
{
	(void)state;
	READS(etmv4, START "\xf6\xf7", "[400000 NT");
	READS(etmv4, START "\xd8\xd9\xda\xdb", "[400000 NNTNNTTT");
	READS(etmv4, START "\xf8\xf9\xfa\xfc\xff", "[400000 NNNTNNNTNNNTTTT");
	READS(etmv4, START "\xdc\xdd\xde\xdf", "[400000 NTTTNNNNNTNTTNTN");
	READS(etmv4, START "\xf5\xd5\xd6\xd7", "[400000 NTTTTNNNNNNTNTNTNTNT");
	READS(etmv4, START "\xc0\xe0", "[400000 TTTTTTTN");
	READS(etmv4, START "\xd4", "[400000 TTTTTTTTTTTTTTTTTTTTTTTT");
	READS(etmv4, START "\xf4", "[400000 TTTTTTTTTTTTTTTTTTTTTTTN");
}

static void test_addresses(void **state)
{
	(void)state;
	READS(etmv4, START "\xf7\x95\x04", "[400000 T>400010 ");
	READS(etmv4, START "\xf7\x95\x84\x01", "[400000 T>400210 ");
	READS(etmv4, START "\xf7\x96\x05", "[400000 T>40000a ");
	READS(etmv4, START "\xf7\x9d\x01\x02\x03\x04\x05\x06\x07\x08",
	      "[400000 T>807060504030404 ");
	READS(etmv4, START "\xf7\x9e\x01\x82\x03\x04\x05\x06\x07\x08",
	      "[400000 T>807060504038202 ");
	/* 32 bits: of a program of 64 bits the others are those of before, of one of 32 none */
	READS(etmv4, START "\xf7\x9d\x01\x02\x03\x04\x05\x06\x07\x08\xf7\x9a\x01\x02\x03\x05",
	      "[400000 T>807060504030404 T>807060505030404 ");
	READS(etmv4,
	      START "\xf7\x9d\x01\x02\x03\x04\x05\x06\x07\x08\x81\x00\xf7\x9b\x01\x02\x03\x05",
	      "[400000 T>807060504030404 T>5030202 ");
	READS(etmv4,
	      START
	      "\xf7\x82\x01\x02\x03\x05\x30\xf7\x83\x01\x02\x03\x05\x30\xf7\x86\x01\x82\x03\x04\x05\x06\x07\x08\x30",
	      "[400000 T>5030404 T>5030202 T>807060504038202 ");
	/* the three that were reported last; telling one again makes it the last */
	READS(etmv4, START "\xf7\x95\x01\xf7\x95\x02\xf7\x92\xf7\x92\xf7\x90\xf7\x91",
	      "[400000 T>400004 T>400008 T>400000 T>400004 T>400004 T>400004 ");
	/* a synchronization forgets them */
	READS(etmv4, START "\xf7\x95\x01" SYNC "\x85\x04\0\x40\0\0\0\0\0\x30\xf7\x91\xf7\x95\x01",
	      "[400000 T>400004 @400010 T>0 T>4 ");
}

static void test_exceptions(void **state)
{
	(void)state;
	/* where it will continue; a system call, then trace on */
	READS(etmv4, START "\xf7\x06\x05\x95\x04\x04\x95\x04\xf6", "[400000 T<400010 [400010 N");
	/* after a branch, whose target is that, too */
	READS(etmv4, START "\xf7\x06\x44\x95\x04\x04\x95\x04", "[400000 T>400010 <400010 [400010 ");
	/* of two bytes; with a context in front of its address; the return is reported by an atom
	 * */
	READS(etmv4, START "\xf7\x06\x85\x01\x80\x85\x04\0\x40\0\0\0\0\0\x30\x07",
	      "[400000 T<400010 ");
	/* the kernel is traced, too */
	READS(etmv4, START "\xf7\x06\x05\x95\x04\x9d\0\0\0\0\0\0\0\xff\xf7\x07\x95\x04",
	      "[400000 T<400010 >ff00000000000000 T>ff00000000000010 ");
	/* its address is missing */
	READS(etmv4, START "\xf7\x06\x05\xf7\x95\x04\xf6", "[400000 T!@400010 N");
	/* ETE: a reset, and a transaction that failed, have none */
	READS(ete, START "\xf7\x06\x00\x00\xf7\x9a\x04\0\x40\0\xf6", "[400000 T!@400010 N");
	READS(ete, START "\xf7\x0a\xf7\x0b\xf7\x0a\xf7\x06\x30\x00\x9a\x04\0\x40\0\xf6",
	      "[400000 TTTT!@400010 N");
}

static void test_places(void **state)
{
	static const struct info at_el2 = {ETMV4, .config = 0x8080};

	(void)state;
	READS(etmv4, START "\xf7\x81\xb0\x01\x02\x03\x04\xf7", "[400000 T{c4030201}T");
	READS(etmv4, START "\xf7\x80\xf7\x81\x30\xf7", "[400000 TTT");
	READS(etmv4, START "\xf7\x81\xf0\x09\x0a\x0b\x0c\x01\x02\x03\x04\xf7",
	      "[400000 T{c4030201}T");
	READS(at_el2,
	      START
	      "\xf7\x81\xf0\x09\x0a\x0b\x0c\x01\x02\x03\x04\xf7\x85\x04\0\x40\0\0\0\0\0\x70\x08\0\0\0",
	      "[400000 T{cc0b0a09}T{c8}>400010 ");
	/* a VMID of one byte */
	READS(((struct info){ETMV4, .idr2 = 0x0488, .config = 0x8080}),
	      START "\xf7\x81\x70\x09\xf7", "[400000 T{c9}T");
	/* times: the low bits of one, nine bytes, with a count of cycles; after trace info all of
	 * it is reported */
	READS(etmv4, START "\x02\x81\x01\xf7\x02\x02\xf7\x02\x82\x02",
	      "[400000 {t81}T{t82}T{t102}");
	READS(etmv4, START "\x03\x81\x82\x83\x84\x85\x86\x87\x88\xff\x85\x01\xf7\x02\x02\xf7",
	      "[400000 {tff101c305080c101}T{tff101c305080c102}T");
	READS(etmv4, START "\x02\xff\x7f\xf7" SYNC "\x85\x04\0\x40\0\0\0\0\0\x30\x02\x05\xf7",
	      "[400000 {t3fff}T@400010 {t5}T");
	READS(etmv4, START "\x02\x00\xf7", "[400000 T"); /* 0: not known */
	/* of units that mark which stamps count */
	READS(((struct info){ETE, .idr0 = 0x28800ea1}), START "\x02\x05\xf7\x88\x02\x06\xf7",
	      "[400000 T{t6}T");
	/* ... which the first revision of ETE does not know */
	READS(((struct info){ETE, .idr0 = 0x28800ea1, .devarch = 0x47705a13}), START "\x02\x05\xf7",
	      "[400000 {t5}T");
}

static void test_speculation(void **state)
{
	static const struct info deep = {ETMV4, .idr8 = 4},
				 counts = {ETMV4, .idr8 = 4, .idr0 = 0x08000ea1};

	(void)state;
	/* what is deeper than four is certain */
	READS(deep, START "\xff\xf6", "[400000 ");
	READS(deep, START "\xff\xf6\xf7\xf7", "[400000 TT");
	READS(deep, START "\xff\x2d\x02", "[400000 TT");
	READS(deep, START "\xff\x2d\x02\x2d\x01", "[400000 TTT");
	/* addresses after what waits wait, too; times do not pass it */
	READS(deep, START "\xf7\x95\x04\x02\x05\xf7\x2d\x01", "[400000 T>400010 {t5}");
	/* the newest did not happen; a time did */
	READS(deep, START "\xff\x02\x05\x2e\x02\x2d\x01", "[400000 T{t5}");
	READS(deep, START "\xf7\x95\x04\xf7\x2e\x02\xf6\x2d\x01", "[400000 N");
	/* the newest went the other way, and did not lead where it was said */
	READS(deep, START "\xff\x95\x04\x30\x2d\x03", "[400000 TTN");
	READS(deep, START "\x31\x2d\x01", "[400000 N"); /* an atom in front: E, EE, N */
	READS(deep, START "\x32\x2d\x02", "[400000 TN");
	READS(deep, START "\x33\x2d\x01", "[400000 T");
	READS(deep, START "\xff\x2f\x01\x2d\x02", "[400000 TN");
	READS(deep, START "\xff\x2f\x00\x2d\x03",
	      "[400000 TTN"); /* once, also where the packet is cut */
	READS(deep, START "\xff\x35\x2d\x03",
	      "[400000 TTN"); /* E in front, one canceled, the one before it mispredicted */
	READS(deep, START "\xff\x38\x2d\x01", "[400000 N"); /* two canceled */
	READS(deep, START "\xff\x3b\x2d\x01", "[400000 N"); /* E in front, three canceled */
	/* an exception is one, an address or a time is none */
	READS(deep, START "\xf7\x06\x05\x95\x04\x2d\x01\x2d\x01", "[400000 T<400010 ");
	READS(deep, START "\xf7\x06\x05\x95\x04\x2e\x01\xf7\x2d\x02", "[400000 TT");
	/* with counts of cycles: 1, or a field of them, or so many */
	READS(counts, START "\xff\x10", "[400000 T");
	READS(counts, START "\xff\x14", "[400000 TT");
	READS(counts, START "\xff\x0e\x03\x07", "[400000 TTT");
	READS(counts, START "\xff\x0f\x03", "[400000 TTT");
	READS(counts, START "\xff\x0c\x1f", "[400000 TT");
	READS(counts, START "\xff\xf7\x0d\xdf", "[400000 TT"); /* 13 - 15 + 4 */
	/* ... of a unit that commits nothing by them, which have no such field */
	READS(deep, START "\xff\x0e\x07\x0f\x2d\x01", "[400000 T");
	/* elements that were waiting before the first synchronization come first */
	READS(deep,
	      "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\x04\x02\x04\x85\0\0\x40\0\0\0\0\0\x30\xff\x2d\x02",
	      "[400000 T"); /* one of five was deeper than four */
	READS(deep,
	      "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\x04\x02\x04\x85\0\0\x40\0\0\0\0\0\x30\xff\x2e\x05\xf6\x2d\x01",
	      "[400000 N");
	/* overflow and discard: what waits is lost */
	READS(deep, START "\xff\x2d\x01\0\x05\xf7" SYNC "\x04\x95\x04", "[400000 T![10 ");
	READS(deep, START "\xff\x2d\x01\0\x03\xf7" SYNC "\x04\x95\x04", "[400000 T.[10 ");
}

static void test_others(void **state)
{
	(void)state;
	/* events, ignored ones, cycles, marks, instrumentation */
	READS(etmv4, START "\xf7\x71\x7f\x70\x10\x0e\x82\x02\x0f\x0c\x05\xf7", "[400000 TT");
	READS(ete, START "\xf7\x09\x00\x01\x02\x03\x04\x05\x06\x07\x80\xf7\x88\xf7", "[400000 TTT");
	/* Q: the executed code is not reported; it continues at an address: that of before, short,
	 * long, after it
	 */
	READS(etmv4, START "\xf7\xa0\x05\xf7", "[400000 T!@400000 T");
	READS(etmv4, START "\xf7\xa5\x04\x05\xf7", "[400000 T!@400010 T");
	READS(etmv4, START "\xf7\xaa\x04\0\x40\0\x05\xf7", "[400000 T!@400010 T");
	READS(etmv4, START "\xf7\xac\x05\x95\x04\xf7", "[400000 T!@400010 T");
	READS(etmv4, START "\xf7\xaf\x95\x04\xf7", "[400000 T!@400010 T");
	/* source addresses: the branch that was taken, in all forms of an address, of which the
	 * three last are reported again */
	READS(ete,
	      START
	      "\xf6\xb4\x04\x95\x08\xb5\x05\xb6\1\2\3\4\xb7\1\2\3\4\xb8\1\2\3\4\5\6\7\10\xb9\1\2\3\4\5\6\7\10\xb2",
	      "[400000 N^400010 >400020 ^40000a ^4030404 ^4030202 ^807060504030404 ^807060504030202 ^4030202 ");
	READS(ete, SYNC "\xb4\x04\x95\x08", "@20 ");
	/* conditional instructions and marks of data are skipped */
	READS(etmv4,
	      START
	      "\xf7\x40\x43\x44\x48\x4c\x50\x01\x68\x81\x01\x02\x6c\x01\x6d\x02\x6e\x05\x20\x28\xf7",
	      "[400000 TT");
	/* overflow: up to the next synchronization */
	READS(etmv4, START "\xf7\0\x05\xf7" SYNC "\x04\x9d\x04\0\x40\0\0\0\0\0\xf6",
	      "[400000 T![400010 N");
	READS(etmv4, START "\xf7\0\x03" SYNC "\x04\x9d\x04\0\x40\0\0\0\0\0\xf6",
	      "[400000 T.[400010 N");
}

/* Bytes that are no packet: on from the next synchronization. */
static void test_bad(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} bad[] = {{"\x05", 1},
		   {"\x08", 1},
		   {"\x84", 1},
		   {"\x93", 1},
		   {"\x97", 1},
		   {"\xa3", 1},
		   {"\xb0", 1},
		   {"\x09\0\0\0\0\0\0\0\0\0", 10},
		   {"\x2d\xff\xff\xff\xff\xff", 6},
		   {"\0\x01", 2},
		   {"\0\0\x01", 3},
		   {"\0\0\0\0\x80", 5},
		   {"\x0a", 1},
		   {"\x47", 1},
		   {"\x01\xff\xff\xff\xff\xff\xff\xff", 8}};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(bad); i++) {
		static const char before[] = START "\xf7",
				  behind[] = "\xf7" SYNC "\x04\x9d\x04\0\x40\0\0\0\0\0\xf6";
		struct reading r;
		uint8_t bytes[128];
		size_t size = 0;
		begin(&r, &etmv4, FLOW_NO_STREAM);
		memcpy(bytes, before, sizeof(before) - 1);
		size = sizeof(before) - 1;
		memcpy(bytes + size, bad[i].bytes, bad[i].size);
		size += bad[i].size;
		memcpy(bytes + size, behind, sizeof(behind) - 1);
		assert_int_equal(feed(&r, bytes, size + sizeof(behind) - 1), 0);
		assert_string_equal(r.text, "[400000 T![400010 N");
		assert_true(etm_reader.counts(r.decoder).bad_bytes > 0);
		end(&r);
	}
}

static void test_cut(void **state)
{
	struct reading r;

	(void)state;
	begin(&r, &etmv4, FLOW_NO_STREAM);
	etm_reader.cut(r.decoder, true, &r.batch);
	assert_int_equal(r.batch.count, 0); /* nothing was known */
	feed(&r, START "\x02\x05\x81\xb0\x07\0\0\0\xf7", sizeof(START) + 9);
	etm_reader.cut(r.decoder, false, &r.batch);
	tell(&r);
	assert_int_equal(etm_reader.place(r.decoder).ticks, 0);
	assert_false(etm_reader.place(r.decoder).has_context);
	feed(&r, "\xf7" START "\xf6", sizeof(START) + 1);
	assert_string_equal(r.text, "[400000 {t5}{c7}T![400000 N");
	assert_int_equal(etm_reader.counts(r.decoder).bits, 2);
	assert_int_equal(etm_reader.counts(r.decoder).targets,
			 0); /* nothing asked for these addresses */
	end(&r);
}

/* The number of the unit in frames, of AUXTRACE_INFO and of AUX_OUTPUT_HW_ID; other sources are
 * left out. */
static void test_units(void **state)
{
	struct reading r;
	struct bc_error err;
	struct flow_source source = {.cpu = 0, .tid = AUX_NONE, .stream = 0x11};

	(void)state;
	begin(&r, &etmv4, 0x11);
	assert_int_equal(r.asks.rules, FLOW_ETM);
	etm_reader.begin(r.decoder, r.setup, &source);
	assert_int_equal(source.cpu, 1);
	feed(&r, START, sizeof(START) - 1);
	assert_string_equal(r.text, "[400000 ");
	end(&r);

	begin(&r, &etmv4, 0x33);
	assert_int_equal(feed(&r, START, sizeof(START) - 1), 0);
	assert_string_equal(r.text, "");
	assert_true(
		etm_reader.number(r.setup, 1, UINT64_C(1) << 56 | UINT64_C(5) << 8 | 0x33, &err));
	source = (struct flow_source){.cpu = 0, .tid = AUX_NONE, .stream = 0x33};
	etm_reader.begin(r.decoder, r.setup, &source);
	assert_int_equal(source.cpu, 1);
	/* two sinks can have the same ids: that of the buffer's processor is meant */
	assert_true(
		etm_reader.number(r.setup, 0, UINT64_C(1) << 56 | UINT64_C(4) << 8 | 0x33, &err));
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		source = (struct flow_source){.cpu = cpu, .tid = AUX_NONE, .stream = 0x33};
		etm_reader.begin(r.decoder, r.setup, &source);
		assert_int_equal(source.cpu, cpu);
		source =
			(struct flow_source){.cpu = cpu, .tid = AUX_NONE, .stream = FLOW_NO_STREAM};
		etm_reader.begin(r.decoder, r.setup, &source);
		assert_int_equal(source.cpu, cpu);
	}
	/* a buffer of a thread is of no processor */
	source = (struct flow_source){.cpu = AUX_NONE, .tid = 7, .stream = 0x33};
	etm_reader.begin(r.decoder, r.setup, &source);
	assert_int_equal(source.cpu, AUX_NONE);
	end(&r);

	begin(&r, &(struct info){ETMV4, .config = 1u << 12, .idr1 = 0x430, .idr2 = 0x80001088},
	      FLOW_NO_STREAM);
	assert_int_equal(r.asks.rules, FLOW_ETM_RETURNS);
	assert_true(r.asks.waits_ask);
	end(&r);
}

static const char *refused(const struct info *info, bool *timeless)
{
	struct flow_facts facts = {0};

	etm_reader.close(open_info(info, &facts));
	*timeless = facts.timeless;
	return facts.refused;
}

static void test_info(void **state)
{
	bool timeless;
	uint8_t bytes[512];
	struct flow_facts facts = {0};
	struct bc_error err;

	(void)state;
	assert_null(refused(&etmv4, &timeless));
	assert_true(timeless);
	assert_null(refused(&(struct info){ETMV4, .source = 1}, &timeless));
	assert_false(timeless);
	assert_null(refused(&(struct info){ETE, .source = 1}, &timeless));
	assert_false(timeless);
	assert_null(refused(&(struct info){ETMV4, .source = 2}, &timeless));
	assert_true(timeless);
	struct info old = etmv4;
	old.version = 0;
	assert_null(refused(&old, &timeless));
	assert_non_null(strstr(
		refused(&(struct info){.version = 1, .magic = 0x3030303030303030}, &timeless),
		"ETMv3"));
	assert_non_null(refused(&(struct info){.version = 1, .magic = 7}, &timeless));
	assert_non_null(refused(&(struct info){.version = 3, .magic = 7}, &timeless));
	size_t size = put_info(bytes, &etmv4, 2);
	for (size_t cut = 4; cut < size; cut++, facts = (struct flow_facts){0}) {
		void *setup = etm_reader.open((struct bytes){bytes, cut}, 0, &facts, &err);
		assert_non_null(strstr(facts.refused, "cut"));
		etm_reader.close(setup);
	}
	size = put_info(bytes, &etmv4, 0);
	void *none = etm_reader.open((struct bytes){bytes, size}, 0, &facts, &err);
	assert_non_null(facts.refused);
	etm_reader.close(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_synchronization),
		cmocka_unit_test(test_atoms),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_speculation),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_info),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
