/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges of both binaries through a map made by hand: what is lost, what is wrong, and what does
 * not count. */
#include "src/verify/code_map.h"

#include <string.h>

#include "tests/support/cmocka.h"

/* The output: 16 bytes of function 0 in instructions of 4, a jump, what BOLT inserted, an
 * instruction that grew from 2 bytes to 5; 8 bytes of function 1, which function 2 was folded into;
 * 8 bytes that stayed. */
static struct code_run runs[] = {
	{0x6000, 0x1000, 16, 16, 0, RUN_SAME}, {0x6010, 0x1010, 2, 2, 0, RUN_JUMP},
	{0x6012, 0, 14, 0, 0, RUN_UNTIED},     {0x6020, 0x1012, 5, 2, 0, RUN_SAME},
	{0x6040, 0x1100, 8, 8, 1, RUN_SAME},   {0x6080, 0x6080, 8, 8, 3, RUN_LEFT},
	{0x60a0, 0x1000, 16, 16, 0, RUN_SAME}, /* a copy of the first */
};
static uint32_t by_in[] = {0, 6, 1, 3, 4, 5};
static uint64_t reach[BC_COUNT(by_in)], bytes_before[] = {0};
static atomic_uchar looked_up[0x1000 / 8];
static uint8_t fates[4];
static uint32_t fragments[] = {5, 7, 7, NO_FRAGMENT};
static struct folded folded[] = {{7, 2}};
static struct function functions[] = {{.address = 0x1000, .size = 0x20},
				      {.address = 0x1100, .size = 8},
				      {.address = 0x1200, .size = 8},
				      {.address = 0x6080, .size = 8}};
static struct segment segment = {
	.vaddr = 0x6000, .offset = 0, .memsz = 0x1000, .filesz = 0x1000, .executable = true};
static struct binary subject;
static struct input input;

static void look_up(uint64_t address)
{
	looked_up[(address - 0x6000) / 8] |= (unsigned char)(1u << (address - 0x6000) % 8);
}

static struct code_map make(void)
{
	subject.image = (struct image){.segments = &segment, .segment_count = 1};
	input.functions.at = functions;
	for (size_t i = 0; i < BC_COUNT(by_in); i++) {
		uint64_t end = runs[by_in[i]].in + runs[by_in[i]].in_size;
		reach[i] = i && reach[i - 1] > end ? reach[i - 1] : end;
	}
	for (uint64_t i = 0; i < 16; i += 4) {
		look_up(0x6000 + i);
		look_up(0x60a0 + i);
	}
	look_up(0x600f); /* the last byte of a call */
	look_up(0x6020);
	look_up(0x6040);
	look_up(0x6044);
	return (struct code_map){.subject = &subject,
				 .input = &input,
				 .runs = {runs, BC_COUNT(runs), 0},
				 .by_in = by_in,
				 .reach = reach,
				 .tied = BC_COUNT(by_in),
				 .fates = fates,
				 .fragments = fragments,
				 .folded = {folded, 1, 0},
				 .looked_up = looked_up,
				 .looked_up_bytes = 0x1000,
				 .bytes_before = bytes_before};
}

struct list {
	struct address_range at[4]; /* up to one that is empty */
};

static void fill(struct address_range_vec *out, const struct list *list)
{
	out->len = 0;
	for (size_t i = 0; i < 4 && list->at[i].end; i++)
		assert_true(address_range_vec_push(out, list->at[i]));
	ranges_normalize(out);
}

/* Bytes, and where the first one is in the output. */
struct want {
	uint64_t bytes, output;
};

static void check_part(const char *name, const char *what, const struct code_part *part,
		       struct want want)
{
	if (part->bytes != want.bytes || (want.bytes && part->output != want.output))
		fail_msg("%s: %s: %llu bytes at 0x%llx", name, what,
			 (unsigned long long)part->bytes, (unsigned long long)part->output);
}

static void test_ranges(void **state)
{
	static const struct {
		const char *name;
		struct list in, out;
		struct want lost, wrong, nothing;
		bool folded;
	} cases[] = {
		{"the same, and its copy",
		 {{{0x1000, 0x1010}}},
		 {{{0x6000, 0x6010}, {0x60a0, 0x60b0}}},
		 {0},
		 {0},
		 {0},
		 false},
		{"in parts",
		 {{{0x1000, 0x1010}}},
		 {{{0x6008, 0x6010}, {0x60a0, 0x60b0}, {0x6000, 0x6008}}},
		 {0},
		 {0},
		 {0},
		 false},
		{"the copy is missing",
		 {{{0x1000, 0x1010}}},
		 {{{0x6000, 0x6010}}},
		 {16, 0x60a0},
		 {0},
		 {0},
		 false},
		{"the first instruction is missing",
		 {{{0x1000, 0x1010}}},
		 {{{0x6004, 0x6010}, {0x60a0, 0x60b0}}},
		 {4, 0x6000},
		 {0},
		 {0},
		 false},
		{"a part of an instruction is missing",
		 {{{0x1000, 0x1010}}},
		 {{{0x6000, 0x6006}, {0x6008, 0x6010}, {0x60a0, 0x60b0}}},
		 {0},
		 {0},
		 {0},
		 false},
		{"the last byte of a call is missing",
		 {{{0x1000, 0x1010}}},
		 {{{0x6000, 0x600f}, {0x60a0, 0x60b0}}},
		 {1, 0x600f},
		 {0},
		 {0},
		 false},
		{"one more",
		 {{{0x1000, 0x1004}}},
		 {{{0x6000, 0x6008}, {0x60a0, 0x60a4}}},
		 {0},
		 {4, 0x6004},
		 {0},
		 false},
		{"a part of one more",
		 {{{0x1000, 0x1004}}},
		 {{{0x6000, 0x6004}, {0x60a0, 0x60a4}, {0x6005, 0x6008}}},
		 {0},
		 {0},
		 {0},
		 false},
		{"the jump and what BOLT put in do not count",
		 {{{0x1012, 0x1014}}},
		 {{{0x6010, 0x6025}}},
		 {0},
		 {0},
		 {0},
		 false},
		{"nor without them",
		 {{{0x1010, 0x1014}}},
		 {{{0x6020, 0x6025}}},
		 {0},
		 {0},
		 {0},
		 false},
		{"an instruction that grew is missing",
		 {{{0x1012, 0x1014}}},
		 {{{0x6010, 0x6020}}},
		 {5, 0x6020},
		 {0},
		 {0},
		 false},
		{"... is too much",
		 {{{0x3000, 0x3004}}},
		 {{{0x6020, 0x6025}}},
		 {0},
		 {5, 0x6020},
		 {0},
		 false},
		{"folded code is not lost", {{{0x1100, 0x1108}}}, {{{0}}}, {0}, {0}, {0}, true},
		{"folded code is that of both",
		 {{{0x1200, 0x1208}}},
		 {{{0x6040, 0x6048}}},
		 {0},
		 {0},
		 {0},
		 false},
		{"and of no other",
		 {{{0x1000, 0x1004}}},
		 {{{0x6000, 0x6004}, {0x60a0, 0x60a4}, {0x6040, 0x6048}}},
		 {0},
		 {8, 0x6040},
		 {0},
		 false},
		{"what stayed", {{{0x6080, 0x6088}}}, {{{0x6080, 0x6088}}}, {0}, {0}, {0}, false},
		{"what stayed has any byte",
		 {{{0x6080, 0x6088}}},
		 {{{0x6080, 0x6087}}},
		 {1, 0x6087},
		 {0},
		 {0},
		 false},
		{"no code",
		 {{{0x1012, 0x1014}}},
		 {{{0x6020, 0x6025}, {0x9000, 0x9010}}},
		 {0},
		 {0},
		 {16, 0x9000},
		 false},
		{"no code, in the input neither",
		 {{{0x9000, 0x9010}}},
		 {{{0x9000, 0x9010}}},
		 {0},
		 {0},
		 {0},
		 false},
		{"from 0 on is what is gone",
		 {{{0x1012, 0x1014}}},
		 {{{0x6020, 0x6025}, {0, 2}}},
		 {0},
		 {0},
		 {0},
		 false},
		{"one byte is what is gone", {{{0}}}, {{{0, 1}}}, {0}, {0}, {0}, false},
		{"from 0 on, and longer than it was",
		 {{{0x1012, 0x1014}}},
		 {{{0x6020, 0x6025}, {0, 3}}},
		 {0},
		 {0},
		 {3, 0},
		 false},
		{"to the end of all addresses",
		 {{{0x1012, 0x1014}}},
		 {{{0x60a0, UINT64_MAX}, {0x6020, 0x6025}}},
		 {0},
		 {16, 0x60a0},
		 {UINT64_MAX - 0x7000, 0x7000},
		 false},
	};
	struct code_map map = make();
	struct address_range_vec in = {0}, out = {0};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		struct ranges_compared r;
		fill(&in, &cases[i].in);
		fill(&out, &cases[i].out);
		assert_true(code_map_compare(&map, &in, &out, &r));
		check_part(cases[i].name, "lost", &r.lost, cases[i].lost);
		check_part(cases[i].name, "wrong", &r.wrong, cases[i].wrong);
		check_part(cases[i].name, "nothing", &r.nothing, cases[i].nothing);
		if (r.folded != cases[i].folded)
			fail_msg("%s: folded", cases[i].name);
	}
	address_range_vec_free(&in);
	address_range_vec_free(&out);
}

static void test_addresses(void **state)
{
	static const struct {
		uint64_t input;
		bool behind;
		uint64_t address;
		bool leads, known;
		uint64_t expected; /* 0: one of several, or none */
	} cases[] = {
		{0x1000, false, 0x6000, true, true, 0x6000},
		{0x1000, false, 0x60a0, true, true, 0x60a0}, /* a copy */
		{0x1004, false, 0x6008, false, true, 0},
		{0x1010, true, 0x6010, true, true, 0x6010}, /* after the last of a run */
		{0x1014, true, 0x6025, true, true, 0x6025}, /* after what grew */
		{0x1012, false, 0x6020, true, true, 0x6020},
		{0x1013, false, 0x6021, false, false, 0},    /* within it */
		{0x1010, false, 0x6010, true, true, 0x6010}, /* a jump */
		{0x1300, false, 0x6000, false, false, 0},
		{0, true, 0x6000, false, false, 0},
	};
	struct code_map map = make();

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		uint64_t expected = 0;
		bool known;
		if (code_map_leads(&map, cases[i].input, cases[i].behind, cases[i].address,
				   &expected, &known) != cases[i].leads ||
		    known != cases[i].known || (cases[i].expected && expected != cases[i].expected))
			fail_msg("0x%llx: 0x%llx, known %d", (unsigned long long)cases[i].input,
				 (unsigned long long)expected, known);
	}
}

static void test_normalize(void **state)
{
	struct address_range given[] = {{9, 12},  {1, 3}, {5, 5},  {3, 4},
					{10, 11}, {8, 7}, {20, 21}};
	static const struct address_range want[] = {{1, 4}, {9, 12}, {20, 21}};
	struct address_range_vec ranges = {given, BC_COUNT(given), 0};

	(void)state;
	ranges_normalize(&ranges);
	assert_int_equal(ranges.len, BC_COUNT(want));
	assert_memory_equal(given, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_normalize),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
