/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/rows.h"

#include "tests/count/recount/mistakes.h"

void rows_put(struct row_vec *rows, struct row row)
{
	must_have_memory(row_vec_push(rows, row));
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	for (size_t i = 0; i < 3; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	return 0;
}

void rows_add_up(struct row_vec *rows)
{
	size_t kept = 0;

	if (rows->len)
		qsort(rows->at, rows->len, sizeof(*rows->at), compare);
	for (size_t i = 0; i < rows->len; i++) {
		if (kept && !compare(&rows->at[kept - 1], &rows->at[i])) {
			rows->at[kept - 1].count += rows->at[i].count;
			rows->at[kept - 1].mispredicted += rows->at[i].mispredicted;
		} else {
			rows->at[kept++] = rows->at[i];
		}
	}
	rows->len = kept;
}
