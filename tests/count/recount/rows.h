/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts in the plainest form: everything is put down in a row, sorted in the end, and
 * equal ones are added up. */
#ifndef TESTS_COUNT_RECOUNT_ROWS_H
#define TESTS_COUNT_RECOUNT_ROWS_H

#include "src/base/vec.h"

struct row {
	uint64_t key[3];
	uint64_t count, mispredicted;
};
DEFINE_VEC(row_vec, struct row);

void rows_put(struct row_vec *rows, struct row row);

/* Sort by key, each once. */
void rows_add_up(struct row_vec *rows);

#endif
