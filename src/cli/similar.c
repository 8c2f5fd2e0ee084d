/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/similar.h"

#include <string.h>

/* Words longer than this are not compared. */
#define LONGEST ((size_t)40)

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: three rows of the table are enough. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][LONGEST + 1];

	for (size_t k = 0; k <= b_len; k++)
		rows[0][k] = k;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3];
		const size_t *two_above = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t k = 1; k <= b_len; k++) {
			row[k] = least(above[k - 1] + (a[i - 1] != b[k - 1]), least(above[k], row[k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				row[k] = least(row[k], two_above[k - 2] + 1);
		}
	}
	return rows[a_len % 3][b_len];
}

void similar_try(struct similar *similar, const char *candidate)
{
	size_t len = strlen(similar->word), other = strlen(candidate);

	if (len > LONGEST || other > LONGEST)
		return;
	size_t far = distance(similar->word, len, candidate, other);
	if (far > 2 || 3 * far > len || (similar->best && far >= similar->distance))
		return;
	similar->best = candidate;
	similar->distance = far;
}
