/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The line table of a binary, .debug_line by libdw: which location in the source each address is
 * of, and which files declarations and inlined calls in .debug_info name.  A build without libdw's
 * headers has none.
 */
#ifndef VERIFY_LINE_ROWS_H
#define VERIFY_LINE_ROWS_H

#include "src/base/strings.h"
#include "src/base/vec.h"
#include "src/elf/image.h"

enum line_flag {
	LINE_STATEMENT = 1, /* a debugger stops here */
	LINE_END = 2,       /* the first address after a sequence */
	LINE_BAD_FILE = 4,  /* its file is not in the table; `file` is the number that it has */
};

/* From its address to that of the next row. */
struct line_row {
	uint64_t address;
	uint32_t file; /* number of a path, see line_rows_read() */
	uint32_t line; /* 0: of no line */
	uint32_t discriminator;
	uint16_t column;
	uint8_t flags;
};
DEFINE_VEC(line_row_vec, struct line_row);

/* Rows of ascending addresses; the last one has LINE_END, unless the table is damaged. */
struct line_span {
	uint64_t start, end;
	uint64_t reach;      /* the largest end of this and all spans before */
	size_t first, count; /* rows */
};
DEFINE_VEC(line_span_vec, struct line_span);

/* After the end of a sequence, up to the next row of its table.  libdw sorts the rows of a table,
 * so that a sequence that holds the end of another one is not distinguished from two with nothing
 * between them; then `row` continues. */
struct line_gap {
	uint64_t start, end;
	size_t row;
};
DEFINE_VEC(line_gap_vec, struct line_gap);

DEFINE_VEC(file_number_vec, uint32_t);

/* A unit of .debug_info, with the files of its table. */
struct line_unit {
	uint64_t at;                     /* its byte in .debug_info */
	uint64_t table;                  /* its byte in .debug_line; NO_LINE_TABLE */
	uint32_t name;                   /* number of a path */
	uint32_t first_file, file_count; /* in `files` */
};
#define NO_LINE_TABLE UINT64_MAX
DEFINE_VEC(line_unit_vec, struct line_unit);

/* A file that entries of a unit name: each file once for each kind of entry. */
struct line_use {
	uint32_t unit;
	uint32_t file;  /* number in the unit's table; may be after its end */
	uint64_t entry; /* the first one that names it, its byte in .debug_info */
	bool call;      /* DW_AT_call_file; else DW_AT_decl_file */
};
DEFINE_VEC(line_use_vec, struct line_use);

struct line_rows {
	struct line_row_vec rows;
	struct line_span_vec spans;   /* of executable segments, by ascending start */
	struct line_gap_vec gaps;     /* by ascending start */
	struct line_unit_vec units;   /* in their order */
	struct file_number_vec files; /* numbers of paths */
	struct line_use_vec uses;     /* in the order of .debug_info */
	uint64_t bad_tables;          /* that cannot be read */
	char bad[240];                /* which is the first, and why; empty: none */
};

/* Reads all tables.  `paths` has the paths, by number: of two binaries the same.  Which rows are
 * damaged is no error.
 *
 * BC_UNSUPPORTED  there is no libdw, or a part of it is in another file (dwz)
 * BC_FORMAT       libdw takes no DWARF from it, or to read it is too much work
 * BC_NOMEM */
BC_MUST_USE bool line_rows_read(const struct image *image, struct strings *paths,
				struct line_rows *out, struct bc_error *err);
void line_rows_free(struct line_rows *rows);

/* The rows of an address, one from each sequence that holds it: more than one where a linker folded
 * functions.  Returns how many there are, `most` at most. */
size_t line_rows_at(const struct line_rows *rows, uint64_t address, const struct line_row **out,
		    size_t most);

/* A row that may hold an address that no sequence is sure to: see struct line_gap.  NULL: none. */
const struct line_row *line_rows_maybe(const struct line_rows *rows, uint64_t address);

/* The next address above one, where a row or a sequence begins or ends in the spans that hold the
 * address, or `end`. */
uint64_t line_rows_next(const struct line_rows *rows, uint64_t address, uint64_t end);

/*
 * Which unit of the output's .debug_info is which of the input.  llvm-bolt writes the units again,
 * and some of a Rust program after all others (16 keeps the order, 19 and 22 do not): units of one
 * name are in the same order in both.
 */

struct unit_order {
	uint32_t *output_of; /* by number of the unit in the input's line_rows.units; NULL: all are
				where they are in the input, ... */
	uint32_t *input_of;  /* the reverse */
	bool same_units;     /* ... or the names differ, and which is which is not known */
};

/* Both have numbers of paths of the same set.  False when out of memory. */
BC_MUST_USE bool unit_order_find(const struct line_rows *in, const struct line_rows *out,
				 struct unit_order *order);
void unit_order_free(struct unit_order *order);

/* The number of a unit in the other binary. */
static inline uint32_t unit_of_output(const struct unit_order *order, uint32_t input)
{
	return order->output_of ? order->output_of[input] : input;
}

static inline uint32_t unit_of_input(const struct unit_order *order, uint32_t output)
{
	return order->input_of ? order->input_of[output] : output;
}

#endif
