/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/carry/line_map.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/counts.h"
#include "src/base/sort.h"

/* In percent: how much alike two lines are at most, what each neighbor adds that is as far away in
 * both, and with how much lines are taken for the same. */
#define ALIKE_MOST  100
#define NEIGHBOR    20
#define ALIKE_LEAST 30

/* A table has at most so many cells, a byte each. */
#define CELLS_MOST ((uint64_t)1 << 24)

static bool row_less(const struct source_row *a, const struct source_row *b)
{
	return a->function != b->function ? a->function < b->function :
	       a->line != b->line         ? a->line < b->line :
					    a->token < b->token;
}
DEFINE_SORT(sort_rows, struct source_row, row_less)

static bool same_row(const struct source_row *a, const struct source_row *b)
{
	return a->function == b->function && a->line == b->line && a->token == b->token;
}
DEFINE_UNIFY(unify_rows, struct source_row, same_row(last, item), (void)item)

/* A line, and its rows. */
struct own_line {
	uint32_t line;
	const struct source_row *rows;
	size_t count;
};
DEFINE_VEC(line_vec, struct own_line);

/* Takes the lines of the function that a row is of; returns where its rows end. */
static bool take_lines(const struct source_row_vec *rows, size_t *at, struct line_vec *out)
{
	uint32_t function = rows->at[*at].function;

	out->len = 0;
	for (; *at < rows->len && rows->at[*at].function == function; ++*at) {
		const struct source_row *row = &rows->at[*at];
		if (!out->len || out->at[out->len - 1].line != row->line)
			if (!line_vec_push(out, (struct own_line){row->line, row, 0}))
				return false;
		out->at[out->len - 1].count++;
	}
	return true;
}

/* The share of instructions that two lines have in common. */
static uint32_t alike(const struct own_line *a, const struct own_line *b)
{
	size_t i = 0, k = 0, same = 0;

	while (i < a->count && k < b->count) {
		uint64_t x = a->rows[i].token, y = b->rows[k].token;
		same += x == y;
		i += x <= y;
		k += y <= x;
	}
	return (uint32_t)(2 * same * ALIKE_MOST / (a->count + b->count));
}

static bool same_distance(const struct line_vec *a, uint32_t i, const struct line_vec *b,
			  uint32_t k)
{
	return i && k && i < a->len && k < b->len &&
	       a->at[i].line - a->at[i - 1].line == b->at[k].line - b->at[k - 1].line;
}

static uint32_t score(const struct line_vec *a, uint32_t i, const struct line_vec *b, uint32_t k)
{
	uint32_t sum = alike(&a->at[i], &b->at[k]) + (same_distance(a, i, b, k) ? NEIGHBOR : 0) +
		       (same_distance(a, i + 1, b, k + 1) ? NEIGHBOR : 0);

	return sum >= ALIKE_LEAST ? sum : 0;
}

enum { SAME = 1, ABOVE = 2 };

static void fill(const struct line_vec *a, const struct line_vec *b, uint32_t *row, uint8_t *cells)
{
	for (uint32_t i = 0; i < a->len; i++) {
		uint32_t before = 0;
		for (uint32_t k = 0; k < b->len; k++) {
			uint32_t here = score(a, i, b, k), above = row[k + 1];
			uint32_t other = above > row[k] ? above : row[k];
			bool same = here && before + here > other;
			cells[(size_t)i * b->len + k] = same ? SAME : above >= row[k] ? ABOVE : 0;
			row[k + 1] = same ? before + here : other;
			before = above;
		}
	}
}

static bool read_back(uint32_t function, const struct line_vec *a, const struct line_vec *b,
		      const uint8_t *cells, struct line_pair_vec *out)
{
	for (size_t i = a->len, k = b->len; i && k;) {
		uint8_t cell = cells[(i - 1) * b->len + k - 1];
		if (cell == SAME) {
			i--;
			k--;
			if (!line_pair_vec_push(out, (struct line_pair){function, a->at[i].line,
									b->at[k].line}))
				return false;
		} else if (cell == ABOVE) {
			i--;
		} else {
			k--;
		}
	}
	return true;
}

static bool map_function(uint32_t function, const struct line_vec *a, const struct line_vec *b,
			 struct line_pair_vec *out)
{
	uint32_t *row = calloc(b->len + 1, sizeof(*row));
	uint8_t *cells = malloc(a->len * b->len + 1);
	bool ok = row && cells;

	if (ok) {
		fill(a, b, row, cells);
		ok = read_back(function, a, b, cells, out);
	}
	free(row);
	free(cells);
	return ok;
}

static bool pair_less(const struct line_pair *a, const struct line_pair *b)
{
	return a->function != b->function ? a->function < b->function : a->old_line < b->old_line;
}
DEFINE_SORT(sort_pairs, struct line_pair, pair_less)

/* What a function takes: each pair of lines is looked at, with the rows of both. */
static uint64_t steps_of(const struct line_vec *a, size_t a_rows, const struct line_vec *b,
			 size_t b_rows)
{
	return (uint64_t)a->len * b_rows + (uint64_t)b->len * a_rows;
}

static bool map_all(const struct source_row_vec *a, const struct source_row_vec *b,
		    struct line_vec lines[2], struct line_pair_vec *out)
{
	uint64_t left = LINE_MAP_ALWAYS + LINE_MAP_EACH * (a->len + b->len);
	bool ok = true;

	for (size_t i = 0, k = 0; ok && i < a->len && k < b->len;) {
		uint32_t function = a->at[i].function, other = b->at[k].function;
		size_t from = i, from_b = k;
		ok = (function > other || take_lines(a, &i, &lines[0])) &&
		     (other > function || take_lines(b, &k, &lines[1]));
		if (!ok || function != other)
			continue;
		uint64_t steps = steps_of(&lines[0], i - from, &lines[1], k - from_b);
		if (steps > left || (uint64_t)lines[0].len * lines[1].len > CELLS_MOST)
			continue;
		left -= steps;
		ok = map_function(function, &lines[0], &lines[1], out);
	}
	return ok;
}

bool line_map_make(struct source_row_vec *old_rows, struct source_row_vec *new_rows,
		   struct line_pair_vec *out)
{
	struct line_vec lines[2] = {0};

	sort_rows(old_rows->at, old_rows->len);
	old_rows->len = unify_rows(old_rows->at, old_rows->len);
	sort_rows(new_rows->at, new_rows->len);
	new_rows->len = unify_rows(new_rows->at, new_rows->len);
	bool ok = map_all(old_rows, new_rows, lines, out);
	line_vec_free(&lines[0]);
	line_vec_free(&lines[1]);
	sort_pairs(out->at, out->len);
	return ok;
}

DEFINE_SEARCH(pairs_before, struct line_pair, struct line_pair, pair_less(item, &key))

uint32_t line_map_find(const struct line_pair_vec *map, uint32_t function, uint32_t line)
{
	const struct line_pair key = {.function = function, .old_line = line};
	size_t i = pairs_before(map->at, map->len, key);

	return i < map->len && map->at[i].function == function && map->at[i].old_line == line ?
		       map->at[i].new_line :
		       0;
}
