/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Jump tables of x86-64, found as BOLT 22 finds them (its analyzeIndirectBranch()
 * and analyzeJumpTable()): by the instructions that lead to an indirect jump,
 *
 *   jmp *TABLE(,%index,8)          mov TABLE(,%index,8), %a; ...; jmp *%a
 *   lea TABLE(%rip), %a; ...; movslq (%a,%index,4), %b; ...; add %a, %b; ...; jmp *%b
 *
 * and by what stands in memory there: addresses, or distances from the table, of
 * instructions of the function.  With relocations also those that no jump could
 * be shown to use.  BOLT recognises none on other machines.
 */
#ifndef CFG_JUMP_TABLE_H
#define CFG_JUMP_TABLE_H

#include "src/cfg/graph.h"

struct table_target {
	uint32_t from;   /* offset of the jump; NO_JUMP: of none that is known */
	uint32_t target; /* offset in the function, of an instruction           */
};
#define NO_JUMP UINT32_MAX
DEFINE_VEC(target_vec, struct table_target);

struct table_search {
	const struct graph_input *input;
	const struct function *function;
	const struct insn_vec *insns; /* of the whole function */
};

/* *split: a table has targets in another fragment of the function.
 * False when out of memory. */
bool jump_tables_find(const struct table_search *search, struct target_vec *out, bool *split);

/* The instruction at an offset, or NULL. */
const struct insn *insn_at(const struct insn_vec *insns, uint64_t offset);

#endif
