/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Jump tables of x86-64, found as BOLT 22 finds them (its analyzeIndirectBranch()
 * and analyzeJumpTable()): by the instructions that lead to an indirect jump,
 *
 *   jmp *TABLE(,%index,8)          mov TABLE(,%index,8), %a; ...; jmp *%a
 *   lea TABLE(%rip), %a; ...; movslq (%a,%index,4), %b; ...; add %a, %b; ...; jmp *%b
 *
 * and by what is in memory there: addresses, or distances from the table, of
 * instructions of the function.  With relocations also those that no jump could
 * be shown to use.  BOLT recognizes none on other machines.
 */
#ifndef CODE_JUMP_TABLES_H
#define CODE_JUMP_TABLES_H

#include <pthread.h>
#include <stdatomic.h>

#include "src/code/labels.h"
#include "src/elf/functions.h"
#include "src/isa/insn.h"

/*
 * Where jump tables of all functions begin that the code refers to: there another one ends.  By the
 * first instruction of each form above, and by the first word of the table, which leads to code.
 * All code is looked through for these bytes, and not decoded: what only looks like such an
 * instruction has two or three bytes of it, and hardly ever leads to such data.
 *
 * Most conversions meet no jump table: the code is looked through when the first is met, by
 * whichever thread meets it.
 */
struct table_references {
	const struct image *image;
	const struct function_table *functions;
	pthread_mutex_t lock;
	atomic_bool found;
	struct address_vec at; /* ascending, maybe one more than once; of other machines none */
};

void table_references_init(struct table_references *references, const struct image *image,
			   const struct function_table *functions);
void table_references_free(struct table_references *references);

struct table_ref {
	uint64_t address;
	bool relative; /* 4-byte distances from the table, else 8-byte addresses */
};

/* The table that the indirect jump insns->at[jump] would use, by the instructions before it. False:
 * no pattern that BOLT knows. */
bool jump_pattern(const struct image *image, const struct function *function,
		  const struct insn_vec *insns, size_t jump, struct table_ref *out);

/* A table, which any number of jumps can use. */
struct jump_table {
	struct table_ref ref;
	size_t first, count; /* its targets */
};
DEFINE_VEC(table_vec, struct jump_table);

struct table_use {
	uint32_t jump; /* its offset in the function */
	size_t table;
};
DEFINE_VEC(use_vec, struct table_use);
DEFINE_VEC(target_vec, uint32_t);

/* The tables of a function, each once.  Zeroed means none. */
struct jump_tables {
	struct table_vec tables; /* by address */
	struct target_vec
		targets;     /* offsets of instructions in the function; of each table ascending */
	struct use_vec uses; /* by ascending jump */
	bool split;          /* one has targets in another fragment of the function */
};

struct table_search {
	const struct image *image;
	const struct function_table *functions;
	const struct relocs *relocs;
	struct table_references *references;
	const struct function *function;
	const struct insn_vec *insns; /* of the whole function */
};

/* To what was zeroed, and is freed by the caller in any case.  False when out of memory, or
 * when it is too much work. */
bool jump_tables_find(const struct table_search *search, struct jump_tables *out);
void jump_tables_free(struct jump_tables *tables);

/* Does a jump use a table?  And does that lead to an offset in the function? */
bool jump_tables_used_by(const struct jump_tables *tables, uint32_t jump);
bool jump_tables_lead_to(const struct jump_tables *tables, uint32_t jump, uint32_t target);

/* Where it leads: offsets in the function, ascending; none if no table is known. */
struct jump_targets {
	const uint32_t *at;
	size_t count;
};
struct jump_targets jump_tables_targets(const struct jump_tables *tables, uint32_t jump);

#endif
