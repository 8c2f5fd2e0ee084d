/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What code says of rows, of functions assembled here. */
#include "src/verify/frame_flow.h"

#include <stdlib.h>

#include "tests/support/cmocka.h"

enum { DWARF_RSP = 7, RETURN_ADDRESS = 16 };

struct piece_code {
	uint64_t address;
	uint8_t bytes[16];
	size_t size;
};

#define BYTES(...) {__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

/* A cold fragment at a lower address than the one that the function begins with. */
static const struct piece_code pieces[] = {
	{0x1000, BYTES(0x5b, 0xc3)},                         /* pop %rbx; ret */
	{0x2000, BYTES(0x53, 0xe9, 0xfa, 0xef, 0xff, 0xff)}, /* push %rbx; jmp 0x1000 */
};

static const struct cfi_rule rules[] = {{.reg = RETURN_ADDRESS, .how = CFI_AT_OFFSET, .value = -8},
					{.reg = 3, .how = CFI_AT_OFFSET, .value = -16},
					{.reg = RETURN_ADDRESS, .how = CFI_AT_OFFSET, .value = -8}};
static const struct cfi_row outside = {
	.cfa = {.reg = DWARF_RSP, .how = CFI_OFFSET, .value = 8}, .first = 0, .count = 1};
static const struct cfi_row inside = {
	.cfa = {.reg = DWARF_RSP, .how = CFI_OFFSET, .value = 16}, .first = 1, .count = 2};

struct judged {
	unsigned count, right;
	uint64_t wrong_row; /* where rows are those of the other state; 0: nowhere */
	enum flow_verdict verdicts[2][2];
};

static struct cfi_row_at row_of(void *ctx, uint64_t address)
{
	const struct judged *judged = ctx;
	bool is_inside = (address == 0x1000 || address == 0x2001) != (address == judged->wrong_row);

	return (struct cfi_row_at){is_inside ? &inside : &outside, rules};
}

static void take(void *ctx, uint32_t piece, uint32_t insn, const struct flow_judgment *judgment)
{
	struct judged *judged = ctx;

	judged->count++;
	judged->right += judgment->verdict == FLOW_RIGHT;
	if (piece < 2 && insn < 2)
		judged->verdicts[piece][insn] = judgment->verdict;
}

static void decode(struct bytes code, uint64_t address, struct insn_vec *out)
{
	for (size_t at = 0; at < code.size; at += out->at[out->len - 1].size) {
		struct insn insn = insn_decode(MACHINE_X86_64, bytes_from(code, at), address + at);
		assert_int_not_equal(insn.size, 0);
		insn.offset = (uint32_t)at;
		assert_true(insn_vec_push(out, insn));
	}
}

static struct judged follow(uint64_t wrong_row)
{
	struct insn_vec insns[2] = {{0}};
	struct flow_piece given[2];
	struct judged judged = {.wrong_row = wrong_row};

	for (int i = 0; i < 2; i++) {
		struct bytes bytes = {pieces[i].bytes, pieces[i].size};
		decode(bytes, pieces[i].address, &insns[i]);
		given[i] = (struct flow_piece){bytes, pieces[i].address, &insns[i], NULL};
	}
	struct followed_code function = {.machine = MACHINE_X86_64,
					 .pieces = given,
					 .count = 2,
					 .first = 1,
					 .return_register = RETURN_ADDRESS};
	assert_true(frame_flow(&function, row_of, take, &judged));
	insn_vec_free(&insns[0]);
	insn_vec_free(&insns[1]);
	return judged;
}

static void begins_with_the_hot_fragment(void **state)
{
	struct judged judged = follow(0);

	(void)state;
	assert_int_equal(judged.count, 4);
	assert_int_equal(judged.right, 4);
	judged = follow(0x1000);
	assert_int_equal(judged.right, 3);
	assert_int_equal(judged.verdicts[0][0], FLOW_CFA);
}

/* After push %rbx, rbx is saved, and rbp (6) is not: the row is wrong, and what it says of rbx and
 * of the CFA is right. */
static struct cfi_row_at half_wrong(void *ctx, uint64_t address)
{
	static const struct cfi_rule of_both[] = {
		{.reg = 3, .how = CFI_AT_OFFSET, .value = -16},
		{.reg = 6, .how = CFI_AT_OFFSET, .value = -24},
		{.reg = RETURN_ADDRESS, .how = CFI_AT_OFFSET, .value = -8}};
	static const struct cfi_row row = {
		.cfa = {.reg = DWARF_RSP, .how = CFI_OFFSET, .value = 16}, .first = 0, .count = 3};

	(void)ctx;
	return address == 0x2000 ? (struct cfi_row_at){&outside, rules} :
				   (struct cfi_row_at){&row, of_both};
}

static void take_last(void *ctx, uint32_t piece, uint32_t insn,
		      const struct flow_judgment *judgment)
{
	if (!piece && insn == 1)
		*(struct flow_judgment *)ctx = *judgment;
}

static void tells_which_rules_are_right(void **state)
{
	struct flow_judgment judgment = {0};
	struct insn_vec insns = {0};
	uint8_t code[] = {0x53, 0x90, 0x5b, 0xc3}; /* push %rbx; nop; pop %rbx; ret */

	(void)state;
	struct bytes bytes = {code, sizeof(code)};
	decode(bytes, 0x2000, &insns);
	struct flow_piece piece = {bytes, 0x2000, &insns, NULL};
	struct followed_code function = {.machine = MACHINE_X86_64,
					 .pieces = &piece,
					 .count = 1,
					 .return_register = RETURN_ADDRESS};
	assert_true(frame_flow(&function, half_wrong, take_last, &judgment));
	insn_vec_free(&insns);
	assert_int_equal(judgment.verdict, FLOW_REGISTER);
	assert_int_equal(judgment.reg, 6);
	assert_int_equal(judgment.place, FLOW_KEPT);
	assert_true(judgment.cfa_right);
	assert_true(judgment.right >> 3 & 1);
	assert_false(judgment.right >> 6 & 1);
}

/* Jumps to each instruction: as many leaders as there may be, and one more. */
static unsigned judged_of(uint32_t jumps)
{
	uint8_t *code = malloc(2 * (size_t)jumps + 1);
	struct judged judged = {0};
	struct insn_vec insns = {0};

	assert_non_null(code);
	for (uint32_t i = 0; i < jumps; i++) {
		code[2 * i] = 0x74; /* je to the next one */
		code[2 * i + 1] = 0;
	}
	code[2 * jumps] = 0xc3;
	struct bytes bytes = {code, 2 * (size_t)jumps + 1};
	decode(bytes, 0x1000, &insns);
	struct flow_piece piece = {bytes, 0x1000, &insns, NULL};
	struct followed_code function = {.machine = MACHINE_X86_64,
					 .pieces = &piece,
					 .count = 1,
					 .return_register = RETURN_ADDRESS};
	assert_true(frame_flow(&function, row_of, take, &judged));
	insn_vec_free(&insns);
	free(code);
	return judged.count;
}

static void follows_so_many_leaders(void **state)
{
	(void)state;
	assert_int_equal(judged_of(FLOW_LEADERS_MOST - 1),
			 FLOW_LEADERS_MOST); /* with the function's beginning */
	assert_int_equal(judged_of(FLOW_LEADERS_MOST), 0);
}

/* What is too much work is an error. */
static void counts_what_it_follows(void **state)
{
	struct judged judged = {0};
	struct insn_vec insns = {0};
	struct work work;
	struct bytes bytes = {pieces[0].bytes, pieces[0].size};

	(void)state;
	work_begin(&work, 1);
	decode(bytes, 0x1000, &insns);
	struct flow_piece piece = {bytes, 0x1000, &insns, NULL};
	struct followed_code function = {.machine = MACHINE_X86_64,
					 .pieces = &piece,
					 .count = 1,
					 .return_register = RETURN_ADDRESS,
					 .work = &work};
	assert_true(frame_flow(&function, row_of, take, &judged));
	assert_false(work_spend(&work, WORK_TIES, work.most));
	assert_false(frame_flow(&function, row_of, take, &judged));
	insn_vec_free(&insns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begins_with_the_hot_fragment),
		cmocka_unit_test(tells_which_rules_are_right),
		cmocka_unit_test(follows_so_many_leaders),
		cmocka_unit_test(counts_what_it_follows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
