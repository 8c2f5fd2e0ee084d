/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Jump tables that x86-64 code refers to, of all functions: where one begins, another
 * ends.  By a lea that is relative to the instruction, or by an address that is
 * scaled by 8,
 *
 *   lea TABLE(%rip), %a     jmp *TABLE(,%index,8)     mov TABLE(,%index,8), %a
 *
 * and by the first word there, which leads to code.  All code is looked through for
 * these bytes, and not decoded: what only looks like such an instruction has two or
 * three bytes of it, and hardly ever leads to such data.
 */
#ifndef CODE_TABLE_REFERENCES_H
#define CODE_TABLE_REFERENCES_H

#include <pthread.h>
#include <stdatomic.h>

#include "src/code/relocs.h"
#include "src/elf/functions.h"

/* Most conversions meet no jump table: the code is looked through when the first is met, by whichever
 * thread meets it. */
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

/* The first above an address; UINT64_MAX: there is none.  In any thread.  False when out of memory. */
BC_MUST_USE bool table_reference_above(struct table_references *references, uint64_t address, uint64_t *out);

#endif
