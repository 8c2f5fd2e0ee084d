/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The walk by hand-written code and branch outcomes: what each outcome does in each state, by the
 * rules of Intel PT and of Arm ETM.  Rows were worked out by hand. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/samples/walker.h"
#include "tests/support/cmocka.h"

#define LOAD    UINT64_C(0x555500000000)
#define BASE    UINT64_C(0x1000)
#define SIZE    0x2000
#define OTHER   UINT64_C(0x7f0000000000) /* a file that is not there */
#define NOWHERE UINT64_C(0x123450000)
#define KERNEL  UINT64_C(0xffffffff81000000)

/*
 * x86-64:
 *   1000 je 1008     1002 call 1020    1007 ret
 *   1008 jmp *rax    100a syscall      100c jmp 1000
 *   100e jmp 100e    1010 call 1015    1015 pop, ret
 *   1020 nop, ret    1030 call *rax, ret      1040 xbegin, je 1040
 *   1050 ud2         1060 jmp 1100     1100 jmp 1060
 * and nops between. */
static const struct {
	uint16_t at;
	uint8_t size, bytes[8];
} x86[] = {
	{0x1000, 2, {0x74, 0x06}},
	{0x1002, 5, {0xe8, 0x19, 0, 0, 0}},
	{0x1007, 1, {0xc3}},
	{0x1008, 2, {0xff, 0xe0}},
	{0x100a, 2, {0x0f, 0x05}},
	{0x100c, 2, {0xeb, 0xf2}},
	{0x100e, 2, {0xeb, 0xfe}},
	{0x1010, 5, {0xe8, 0, 0, 0, 0}},
	{0x1015, 2, {0x58, 0xc3}},
	{0x1020, 2, {0x90, 0xc3}},
	{0x1030, 3, {0xff, 0xd0, 0xc3}},
	{0x1040, 8, {0xc7, 0xf8, 0, 0, 0, 0, 0x74, 0xf8}},
	{0x1050, 2, {0x0f, 0x0b}},
	{0x1060, 5, {0xe9, 0x9b, 0, 0, 0}},
	{0x1100, 5, {0xe9, 0x5b, 0xff, 0xff, 0xff}},
};

/*
 * AArch64:
 *   1000 b.eq 1010   1004 bl 1020      1008 isb      100c wfe
 *   1010 br x0       1014 svc          1018 b 1000   101c nop
 *   1020 ret         1024 blr x0       1028 ret
 *   102c b 5000      1030 wfi          1034 wfet x1     1038 wfit x1      103c isb */
static const uint32_t aarch64[] = {0x54000080, 0x94000007, 0xd5033fdf, 0xd503205f,
				   0xd61f0000, 0xd4000001, 0x17fffffa, 0xd503201f,
				   0xd65f03c0, 0xd63f0000, 0xd65f03c0, 0x14000ff5,
				   0xd503207f, 0xd5031001, 0xd5031021, 0xd5033fdf};

static struct {
	uint8_t file[BASE + SIZE];
	struct segment segment;
	struct image image;
	struct code_images *images;
	struct walker *walker;
	struct map_set *maps;
	struct walk_calls calls;
	struct walk_way way;
	struct counts counts;
	enum flow_rules rules;
	bool waits_ask;
} world;

static uint64_t run(uint64_t vaddr)
{
	return LOAD + vaddr;
}

static void map(const char *path, uint64_t start, uint64_t offset)
{
	struct mapped_files *files = code_images_files(world.images);
	struct mapped_file file = {0};
	struct mapping mapping = {
		.start = start, .end = start + SIZE, .offset = offset, .flags = MAPPING_EXEC};

	assert_true(strings_intern(&files->texts, text_of(path), &file.path));
	assert_true(mapped_files_intern(files, &file, &mapping.file));
	assert_true(map_set_replace(&world.maps, mapping.start, mapping.end, &mapping));
}

static void begin(enum flow_rules rules)
{
	memset(&world, 0, sizeof(world));
	uint8_t *code = world.file + BASE;
	memset(code, 0x90, SIZE);
	for (size_t i = 0; rules == FLOW_PT && i < BC_COUNT(x86); i++)
		memcpy(code + (x86[i].at - BASE), x86[i].bytes, x86[i].size);
	for (size_t i = 0; rules != FLOW_PT && i < SIZE / 4; i++)
		memcpy(code + 4 * i, i < BC_COUNT(aarch64) ? &aarch64[i] : &aarch64[7], 4);
	world.segment = (struct segment){BASE, BASE, SIZE, SIZE, 0x1000, true};
	world.image = (struct image){.file = {world.file, sizeof(world.file)},
				     .machine = rules == FLOW_PT ? MACHINE_X86_64 : MACHINE_AARCH64,
				     .position_independent = true,
				     .segments = &world.segment,
				     .segment_count = 1};
	const struct given_code given = {&world.image, {.binary_path = "/bin/prog"}};
	world.images = code_images_make(&given, 1, NULL);
	assert_non_null(world.images);
	world.walker = walker_make(world.images);
	assert_non_null(world.walker);
	world.calls.credit = WALK_BLOCKS_FREE;
	world.way = walk_way_begin();
	world.rules = rules;
	counts_init(&world.counts);
	map("/bin/prog", LOAD + BASE, BASE);
	map("/no/such/file", OTHER, 0);
	map("[vdso]", OTHER + 0x10000, 0);
	map("//anon", OTHER + 0x20000, 0);
}

static void go(const struct flow_answer *answers, size_t count)
{
	const struct walk_step step = {
		.maps = world.maps,
		.rules = world.rules,
		.waits_ask = world.waits_ask,
		.at = answers,
		.count = count,
		.calls = &world.calls,
		.way = &world.way,
		.counts = &world.counts,
	};

	assert_true(walker_go(world.walker, &step));
}
#define GO(...)                                                                                    \
	go((const struct flow_answer[]){__VA_ARGS__},                                              \
	   BC_COUNT(((const struct flow_answer[]){__VA_ARGS__})))
#define BITS(count, bits) {FLOW_BITS, count, bits}
#define TARGET(vaddr)     {FLOW_TARGET, 0, run(vaddr)}
#define AT(vaddr)         {FLOW_AT, 0, run(vaddr)}
#define LEAVE(vaddr)      {FLOW_LEAVE, 0, run(vaddr)}
#define STOP(address)     {FLOW_STOP, 0, address}
#define BEGIN(vaddr)      {FLOW_BEGIN, 0, run(vaddr)}
#define FROM(vaddr)       {FLOW_FROM, 0, run(vaddr)}
#define LOST              {FLOW_LOST, 0, 0}

static int by_row(const void *a, const void *b)
{
	const struct count_row *x = a, *y = b;
	static const int order[] = {1, 0, 2};

	for (size_t i = 0; i < 3; i++)
		if (x->key[order[i]] != y->key[order[i]])
			return x->key[order[i]] < y->key[order[i]] ? -1 : 1;
	return 0;
}

/* As in the comments above, of other addresses whole; 0 stays. */
static void put_place(FILE *out, uint64_t at, char behind)
{
	fprintf(out, "%" PRIx64 "%c", at - LOAD < SIZE + BASE ? at - LOAD : at, behind);
}

static void free_all(void)
{
	counts_free(&world.counts);
	walker_free(world.walker);
	code_images_free(world.images);
	map_set_release(world.maps);
}

/* Ends the walk: lines `FROM TO END COUNT`, and an r after those of returns. */
static void gives(const char *want)
{
	struct count_row rows[64];
	size_t count = 0, size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_true(walker_end(world.walker, &world.way, &world.counts) &&
		    walker_flush(world.walker));
	for (size_t s = 0; s < COUNTS_SHARDS; s++)
		for (size_t i = 0; i < world.counts.shards[s].capacity; i++)
			if (world.counts.shards[s].rows[i].count)
				rows[count++] = world.counts.shards[s].rows[i];
	qsort(rows, count, sizeof(*rows), by_row);
	for (size_t i = 0; i < count; i++) {
		put_place(out, rows[i].key[1], ' ');
		put_place(out, rows[i].key[0], ' ');
		put_place(out, rows[i].key[2], ' ');
		fprintf(out, "%" PRIu64 "%s\n", rows[i].count, rows[i].extra ? " r" : "");
	}
	fclose(out);
	assert_string_equal(text, want);
	free(text);
	free_all();
}

static const struct walk_sums *sums(void)
{
	return walker_sums(world.walker);
}

static uint64_t lost(enum walk_loss loss)
{
	return sums()->lost[loss];
}

/* ---- Intel PT ---- */

static void pt_bits_and_targets(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1000), BITS(2, 2), TARGET(0x1000), BITS(1, 1), TARGET(0x1000));
	assert_int_equal(sums()->walked, 5);
	assert_int_equal(sums()->mismatches, 0);
	gives("0 1000 1002 1\n"
	      "1000 1008 1008 1\n"
	      "1002 1020 1021 1\n"
	      "1007 1000 1000 1 r\n"
	      "1008 1000 0 1\n"
	      "1021 1007 1007 1 r\n");
}

/* A return that is not compressed takes a target, and its call is forgotten all the same. */
static void pt_returns(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1002), TARGET(0x1007), TARGET(0x1002), BITS(1, 1));
	assert_int_equal(sums()->mismatches, 0);
	assert_int_equal(world.calls.count, 0);
	gives("0 1002 1002 1\n"
	      "1002 1020 1021 2\n"
	      "1007 1002 1002 1 r\n"
	      "1021 1007 0 1 r\n"
	      "1021 1007 1007 1 r\n");
}

/* A call of what follows it is none; a bit at a return without a call is a mismatch. */
static void pt_call_to_next(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1010), BITS(1, 1), BITS(3, 0), TARGET(0x1020));
	assert_int_equal(sums()->mismatches, 1);
	assert_int_equal(lost(LOSS_CONTRADICTION), 4);
	assert_int_equal(sums()->walked, 1);
	gives("0 1010 1010 1\n"
	      "1010 1015 0 1\n");
}

static void pt_zero_at_return(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1002), BITS(1, 0));
	assert_int_equal(sums()->mismatches, 1);
	gives("0 1002 1002 1\n"
	      "1002 1020 0 1\n");
}

/* The target of a branch among bits is after them, also where the bits are in two outcomes. */
static void pt_deferred(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1000), BITS(2, 3), TARGET(0x1000), TARGET(0x1020));
	assert_int_equal(sums()->mismatches, 0);
	GO(TARGET(0x1000), BITS(2, 3), BITS(1, 1), TARGET(0x1000), TARGET(0x1000), TARGET(0x1020));
	assert_int_equal(sums()->mismatches, 0);
	assert_int_equal(sums()->walked, 11);
	gives("0 1000 1000 1\n"
	      "1000 1008 1008 5\n"
	      "1008 1000 1000 3\n"
	      "1008 1020 0 1\n"
	      "1008 1020 1021 1\n"
	      "1021 1000 1000 1 r\n");
}

static void pt_deferred_without_target(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1000), BITS(2, 3), AT(0x1000));
	assert_int_equal(sums()->mismatches, 1);
	assert_int_equal(lost(LOSS_CONTRADICTION), 1);
	gives("0 1000 1000 1\n"
	      "1000 1008 0 1\n");
}

/* The line continues across a system call. */
static void pt_system_call(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x100a), STOP(0), BEGIN(0x100c), BITS(1, 1), TARGET(0x100a), STOP(0),
	   BEGIN(0x1020));
	assert_int_equal(sums()->mismatches, 0);
	gives("0 100a 100c 1\n"
	      "1000 1008 1008 1\n"
	      "1008 100a 0 1\n"
	      "100c 1000 1000 1\n");
}

/* ... and an interrupt that comes back; another one cuts it, and its rest is a line of its own. */
static void pt_interrupts(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1000), BITS(1, 0), LEAVE(0x1021), BEGIN(0x1021), BITS(1, 1), LEAVE(0x1007),
	   BEGIN(0x1000), BITS(1, 1), LEAVE(0x1008), BEGIN(0x1007), TARGET(0x1000));
	assert_int_equal(sums()->mismatches, 0);
	gives("0 1000 1000 1\n"
	      "0 1000 1002 1\n"
	      "0 1007 1007 1\n"
	      "1000 1008 0 1\n"
	      "1002 1020 1021 1\n"
	      "1007 1000 0 1 r\n"
	      "1021 1007 0 1 r\n");
}

/* Older processors show the address after what left. */
static void pt_leaves_behind(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x100a), LEAVE(0x100c), BEGIN(0x100c), BITS(1, 1), LEAVE(0x100a), BEGIN(0x1020));
	assert_int_equal(sums()->mismatches, 0);
	gives("0 100a 100c 1\n"
	      "1000 1008 1008 1\n"
	      "100c 1000 1000 1\n");
}

/* An address that the way does not lead to. */
static void pt_leaves_elsewhere(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1002), LEAVE(0x1050), BEGIN(0x1050));
	assert_int_equal(sums()->mismatches, 1);
	gives("");
}

/* At a synchronization the line continues, and calls are forgotten. */
static void pt_at(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1002), AT(0x1021), TARGET(0x1007), AT(0x1007), TARGET(0x1000));
	assert_int_equal(sums()->mismatches, 0);
	gives("0 1002 1002 1\n"
	      "1002 1020 1021 1\n"
	      "1007 1000 0 1 r\n"
	      "1021 1007 1007 1 r\n");
	begin(FLOW_PT);
	GO(BEGIN(0x1002), AT(0x1021), BITS(1, 1));
	assert_int_equal(sums()->mismatches, 1);
	gives("0 1002 1002 1\n"
	      "1002 1020 0 1\n");
}

/* ... and where the two do not agree the walk begins again. */
static void pt_at_elsewhere(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1000), AT(0x1020), TARGET(0x1000), BITS(1, 1));
	assert_int_equal(sums()->mismatches, 1);
	gives("0 1020 1021 1\n"
	      "1000 1008 0 1\n"
	      "1021 1000 1000 1 r\n");
}

/* A jump in the middle of an instruction is none that the way leads to. */
static void pt_at_within_an_instruction(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1000), BITS(1, 0), AT(0x1020));
	assert_int_equal(sums()->mismatches, 0);
	GO(LOST, BEGIN(0x1ff0), AT(0x1ff4));
	assert_int_equal(sums()->mismatches, 0);
	GO(LOST, BEGIN(0x1015), AT(0x1016));
	assert_int_equal(sums()->mismatches, 0);
	GO(LOST, BEGIN(0x1040), AT(0x1043));
	assert_int_equal(sums()->mismatches, 1);
	gives("0 1000 1002 1\n"
	      "1002 1020 0 1\n");
}

/* A filter: a branch leads to what is not traced. */
static void pt_stop_with_address(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1002), STOP(run(0x1020)), BEGIN(0x1007), TARGET(0x1000), STOP(run(0x1008)),
	   BEGIN(0x1000), STOP(run(0x1002)), BEGIN(0x1002), BITS(1, 1), STOP(NOWHERE));
	assert_int_equal(sums()->mismatches, 0);
	char want[512];
	snprintf(want, sizeof(want),
		 "0 1000 1002 1\n"
		 "0 1002 1002 1\n"
		 "0 1007 1007 1\n"
		 "1000 1008 0 1\n"
		 "1002 1020 0 1\n"
		 "1002 1020 1021 1\n"
		 "1007 %" PRIx64 " 0 1 r\n"
		 "1007 1000 1000 1 r\n"
		 "1021 1007 1007 1 r\n",
		 NOWHERE);
	gives(want);
}

static void pt_stop_nowhere(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1000), STOP(0), BITS(1, 1), BEGIN(0x1020), TARGET(0x1000));
	assert_int_equal(sums()->mismatches, 1);
	assert_int_equal(lost(LOSS_KERNEL), 1);
	gives("0 1020 1021 1\n"
	      "1021 1000 0 1 r\n");
}

/* The kernel is traced, too: its branch outcomes are reported as such, and the line continues after
 * the call. */
static void pt_kernel(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x100a), {FLOW_TARGET, 0, KERNEL}, BITS(6, 0), {FLOW_TARGET, 0, KERNEL + 16},
	   TARGET(0x100c), BITS(1, 1));
	assert_int_equal(lost(LOSS_KERNEL), 8);
	assert_int_equal(sums()->walked, 2);
	gives("0 100a 100c 1\n"
	      "1000 1008 0 1\n"
	      "100c 1000 1000 1\n");
}

static void pt_indirect_call(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1030), TARGET(0x1020), BITS(1, 1), TARGET(0x1000));
	gives("0 1030 1030 1\n"
	      "1021 1032 1032 1 r\n"
	      "1030 1020 1021 1\n"
	      "1032 1000 0 1 r\n");
}

static void pt_xbegin_has_no_bit(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1040), BITS(2, 1), AT(0x1050));
	assert_int_equal(sums()->mismatches, 0);
	gives("0 1040 1046 1\n"
	      "1046 1040 0 1\n");
}

/* ---- code that is not known ---- */

/* A call into a file that is not there, and back: the outcomes there are lost, and the branch
 * back comes from there. */
static void lost_in_a_file(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1008), {FLOW_TARGET, 0, OTHER + 0x10}, BITS(5, 0),
	   {FLOW_TARGET, 0, OTHER + 0x20}, TARGET(0x1000), BITS(1, 1));
	assert_int_equal(lost(LOSS_NO_FILE), 6);
	assert_int_equal(sums()->walked, 3);
	assert_int_equal(sums()->mismatches, 0);
	const struct count_table *files = walker_files(world.walker);
	assert_int_equal(files->used, 1);
	char want[256];
	snprintf(want, sizeof(want),
		 "0 1008 1008 1\n"
		 "1000 1008 0 1\n"
		 "1008 %" PRIx64 " 0 1\n"
		 "%" PRIx64 " 1000 1000 1\n",
		 OTHER + 0x10, OTHER + 0x20);
	gives(want);
}

static void lost_in_memory(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1008), {FLOW_TARGET, 0, OTHER + 0x10000}, BITS(2, 0),
	   {FLOW_TARGET, 0, OTHER + 0x20000}, BITS(3, 0), {FLOW_TARGET, 0, NOWHERE}, BITS(4, 0));
	assert_int_equal(lost(LOSS_VDSO), 2);
	assert_int_equal(lost(LOSS_NOT_A_FILE), 4);
	assert_int_equal(lost(LOSS_NO_MAPPING), 5);
	assert_int_equal(sums()->walked, 1);
	char want[128];
	snprintf(want, sizeof(want), "0 1008 1008 1\n1008 %" PRIx64 " 0 1\n", OTHER + 0x10000);
	gives(want);
}

/* After a gap the first address counts, and nothing is known of the branch before. */
static void lost_in_a_gap(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1002), LOST, BITS(3, 7), AT(0x1021), TARGET(0x1000), BITS(1, 1));
	assert_int_equal(sums()->gaps, 1);
	assert_int_equal(lost(LOSS_GAP), 3);
	gives("0 1021 1021 1\n"
	      "1000 1008 0 1\n"
	      "1021 1000 1000 1 r\n");
}

static void lost_of_no_process(void **state)
{
	(void)state;
	begin(FLOW_PT);
	map_set_release(world.maps);
	world.maps = NULL;
	const struct flow_answer answers[] = {BEGIN(0x1000), BITS(2, 2)};
	assert_true(walker_go(world.walker, &(struct walk_step){.no_process = true,
								.rules = FLOW_PT,
								.at = answers,
								.count = 2,
								.calls = &world.calls,
								.way = &world.way,
								.counts = &world.counts}));
	assert_int_equal(lost(LOSS_NO_PROCESS), 2);
	gives("");
}

/* Code that ends where no branch is, within a mapping, is not executed code. */
static void lost_behind_the_code(void **state)
{
	(void)state;
	begin(FLOW_PT);
	world.segment.memsz = world.segment.filesz = SIZE - 8;
	GO(BEGIN(0x2ff0), BITS(3, 7));
	assert_int_equal(sums()->mismatches, 1);
	assert_int_equal(lost(LOSS_CONTRADICTION), 3);
	gives("");
}

/* ---- loops ---- */

static void circles_end(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x100e), BITS(1, 1), BEGIN(0x1060), TARGET(0x1000), BEGIN(0x1060), STOP(0),
	   BEGIN(0x100e), LEAVE(0x1020));
	assert_int_equal(sums()->loops, 2);
	assert_int_equal(lost(LOSS_CIRCLE), 2);
	/* No more of a loop is counted than it takes to look on. */
	struct walk_fit fit = walker_fit(world.walker, 0);
	assert_int_equal(fit.answered, 0);
	assert_int_equal(fit.mismatched,
			 2 + 2 * WALK_STRAIGHT_LOOK +
				 2); /* and the addresses of STOP and LEAVE are not reached */
	free_all();
}

/* Where the work ends in front of a branch out of what is traced, the walk is outside all the same.
 */
static void work_ends_in_front_of_a_stop(void **state)
{
	(void)state;
	begin(FLOW_PT);
	world.calls.credit = 2;
	GO(BEGIN(0x100c), STOP(run(0x1008)), BITS(3, 0));
	assert_int_equal(sums()->loops, 1);
	assert_int_equal(lost(LOSS_KERNEL), 3);
	gives("");
}

/* A program can wait for a signal in a loop. */
static void a_circle_is_left(void **state)
{
	(void)state;
	begin(FLOW_PT);
	GO(BEGIN(0x1060), LEAVE(0x1100), BEGIN(0x1020), TARGET(0x1100), LEAVE(0x1060));
	assert_int_equal(sums()->loops, 0);
	assert_int_equal(sums()->mismatches, 0);
	gives("0 1020 1021 1\n"
	      "0 1060 1060 1\n"
	      "1021 1100 1100 1 r\n"
	      "1060 1100 0 1\n"
	      "1100 1060 0 1\n");
}

/* The work of all branch outcomes together is bounded by their number. */
static void work_is_bounded(void **state)
{
	static struct flow_answer answers[20000];

	(void)state;
	begin(FLOW_PT);
	for (size_t i = 0; i < BC_COUNT(answers); i++)
		answers[i] = (struct flow_answer){i % 2 ? FLOW_STOP : FLOW_BEGIN, 0,
						  i % 2 ? 0 : run(0x1060)};
	go(answers, BC_COUNT(answers));
	assert_true(world.calls.credit <= 0);
	assert_true(world.calls.credit > -(int64_t)BC_COUNT(answers) * 2);
	GO(BEGIN(0x1060), BITS(1, 1));
	assert_int_equal(sums()->loops, 1);
	gives("");
}

/* ---- Arm ETM ---- */

/* Each branch has a bit, ISB too, and an indirect one a target. */
static void etm_bits_and_targets(void **state)
{
	(void)state;
	begin(FLOW_ETM);
	GO(BEGIN(0x1000), BITS(3, 6), TARGET(0x1008), BITS(2, 3), TARGET(0x1018), BITS(2, 3),
	   BITS(1, 1), TARGET(0x1020));
	assert_int_equal(sums()->mismatches, 0);
	assert_int_equal(sums()->walked, 11);
	gives("0 1000 1004 1\n"
	      "1000 1010 1010 1\n"
	      "1004 1020 1020 1\n"
	      "1010 1018 1018 1\n"
	      "1010 1020 0 1\n"
	      "1018 1000 1000 1\n"
	      "1020 1008 1010 1 r\n");
}

/* WFE has a bit where the unit says so. */
static void etm_waits(void **state)
{
	(void)state;
	begin(FLOW_ETM);
	world.waits_ask = true;
	GO(BEGIN(0x1008), BITS(3, 7), TARGET(0x1020));
	assert_int_equal(sums()->mismatches, 0);
	gives("0 1008 1010 1\n"
	      "1010 1020 0 1\n");
	begin(FLOW_ETM);
	world.waits_ask = true;
	GO(BEGIN(0x1030), BITS(4, 15), TARGET(0x1040));
	assert_int_equal(sums()->mismatches, 0);
	assert_int_equal(sums()->walked, 5);
	gives("");
	begin(FLOW_ETM);
	GO(BEGIN(0x1030), BITS(1, 1), TARGET(0x1040));
	assert_int_equal(sums()->mismatches, 0);
	assert_int_equal(sums()->walked, 2);
	gives("");
}

/* Without a target an indirect branch leads to where the last call came from, also after the end
 * of a flow. */
static void etm_return_stack(void **state)
{
	(void)state;
	begin(FLOW_ETM_RETURNS);
	GO(BEGIN(0x1000), BITS(5, 0x1e), TARGET(0x1004), BITS(2, 3));
	GO(BITS(1, 1));
	assert_int_equal(sums()->mismatches, 0);
	gives("0 1000 1004 1\n"
	      "1004 1020 1020 2\n"
	      "1010 1004 1004 1\n"
	      "1020 1008 0 1 r\n"
	      "1020 1008 1010 1 r\n");
	begin(FLOW_ETM);
	GO(BEGIN(0x1004), BITS(3, 7));
	assert_int_equal(sums()->mismatches, 1);
	assert_int_equal(lost(LOSS_CONTRADICTION), 1);
	gives("0 1004 1004 1\n"
	      "1004 1020 1020 1\n");
}

/* A return address that was reported is not popped: the processor did not use its stack. */
static void etm_told_returns_stay(void **state)
{
	(void)state;
	begin(FLOW_ETM_RETURNS);
	GO(BEGIN(0x1024), BITS(1, 1), TARGET(0x1020), BITS(1, 1), TARGET(0x1000));
	assert_int_equal(world.calls.count, 1);
	GO(BEGIN(0x1000));
	assert_int_equal(world.calls.count, 0);
	gives("0 1024 1024 1\n"
	      "1020 1000 0 1 r\n"
	      "1024 1020 1020 1\n");
}

static void etm_not_taken_always(void **state)
{
	(void)state;
	begin(FLOW_ETM);
	GO(BEGIN(0x1018), BITS(4, 0), AT(0x1000), BITS(1, 1));
	assert_int_equal(sums()->mismatches, 1);
	assert_int_equal(lost(LOSS_CONTRADICTION), 4);
	gives("0 1000 1000 1\n"
	      "1000 1010 0 1\n");
}

/* A system call is an exception, and comes back after it. */
static void etm_exceptions(void **state)
{
	(void)state;
	begin(FLOW_ETM);
	GO(BEGIN(0x1014), LEAVE(0x1018), BEGIN(0x1018), BITS(2, 3), LEAVE(0x1010), BEGIN(0x1020),
	   BITS(1, 1), TARGET(0x1000), STOP(0), BEGIN(0x1000), BITS(1, 1));
	assert_int_equal(sums()->mismatches, 0);
	gives("0 1014 1018 1\n"
	      "0 1020 1020 1\n"
	      "1000 1010 0 2\n"
	      "1018 1000 1000 1\n"
	      "1020 1000 1000 1 r\n");
}

/* ETE can show the branch instead of bits. */
static void ete_source_address(void **state)
{
	(void)state;
	begin(FLOW_ETM);
	GO(BEGIN(0x1000), FROM(0x1004), FROM(0x1020), TARGET(0x1010), FROM(0x1010), TARGET(0x1000),
	   FROM(0x1028));
	assert_int_equal(sums()->mismatches, 1);
	gives("0 1000 1004 1\n"
	      "1004 1020 1020 1\n"
	      "1010 1000 0 1\n"
	      "1020 1010 1010 1 r\n");
}

/* ... also of one that leads into code that is not known: the branch itself was an
 * outcome. */
static void ete_source_address_of_the_last(void **state)
{
	(void)state;
	begin(FLOW_ETM);
	GO(BEGIN(0x102c), FROM(0x102c), BITS(2, 0));
	assert_int_equal(sums()->mismatches, 0);
	assert_int_equal(sums()->walked, 1);
	assert_int_equal(lost(LOSS_NO_MAPPING), 2);
	char want[64];
	snprintf(want, sizeof(want), "0 102c 102c 1\n102c %" PRIx64 " 0 1\n", run(0x5000));
	gives(want);
}

/* A synchronization within straight code: at an instruction, and where none is. */
static void etm_at(void **state)
{
	(void)state;
	begin(FLOW_ETM);
	GO(BEGIN(0x1040), AT(0x1048));
	assert_int_equal(sums()->mismatches, 0);
	GO(AT(0x1052));
	assert_int_equal(sums()->mismatches, 1);
	gives("");
}

/* An address in front of which the walk is by itself. */
static void etm_address_agrees(void **state)
{
	(void)state;
	begin(FLOW_ETM);
	GO(BEGIN(0x1000), TARGET(0x1000), BITS(1, 1), TARGET(0x1010), BITS(1, 1), TARGET(0x1000),
	   TARGET(0x1020));
	assert_int_equal(sums()->mismatches, 1);
	gives("0 1000 1000 1\n"
	      "1000 1010 1010 1\n"
	      "1010 1000 0 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pt_bits_and_targets),
		cmocka_unit_test(pt_returns),
		cmocka_unit_test(pt_call_to_next),
		cmocka_unit_test(pt_zero_at_return),
		cmocka_unit_test(pt_deferred),
		cmocka_unit_test(pt_deferred_without_target),
		cmocka_unit_test(pt_system_call),
		cmocka_unit_test(pt_interrupts),
		cmocka_unit_test(pt_leaves_behind),
		cmocka_unit_test(pt_leaves_elsewhere),
		cmocka_unit_test(pt_at),
		cmocka_unit_test(pt_at_elsewhere),
		cmocka_unit_test(pt_at_within_an_instruction),
		cmocka_unit_test(pt_stop_with_address),
		cmocka_unit_test(pt_stop_nowhere),
		cmocka_unit_test(pt_kernel),
		cmocka_unit_test(pt_indirect_call),
		cmocka_unit_test(pt_xbegin_has_no_bit),
		cmocka_unit_test(lost_in_a_file),
		cmocka_unit_test(lost_in_memory),
		cmocka_unit_test(lost_in_a_gap),
		cmocka_unit_test(lost_of_no_process),
		cmocka_unit_test(lost_behind_the_code),
		cmocka_unit_test(circles_end),
		cmocka_unit_test(work_ends_in_front_of_a_stop),
		cmocka_unit_test(a_circle_is_left),
		cmocka_unit_test(work_is_bounded),
		cmocka_unit_test(etm_bits_and_targets),
		cmocka_unit_test(etm_waits),
		cmocka_unit_test(etm_return_stack),
		cmocka_unit_test(etm_told_returns_stay),
		cmocka_unit_test(etm_not_taken_always),
		cmocka_unit_test(etm_exceptions),
		cmocka_unit_test(ete_source_address),
		cmocka_unit_test(ete_source_address_of_the_last),
		cmocka_unit_test(etm_at),
		cmocka_unit_test(etm_address_agrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
