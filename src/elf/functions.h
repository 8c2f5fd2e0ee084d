/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The function table: which function holds a vaddr, and under which names
 * BOLT knows it.  A profile is only of use if it names functions exactly as
 * llvm-bolt will when it reads the input binary, so this follows BOLT's rules
 * on symbols, sizes, local names and PLT entries; docs/conversion.md,
 * "Functions", states them.
 *
 * A stripped binary, which BOLT refuses, still has its dynamic symbols, which
 * are names of global functions, and .eh_frame: a function without a symbol is
 * __BOLT_FDE_FUNCat<address> here, as it is for llvm-bolt --allow-stripped.
 */
#ifndef ELF_FUNCTIONS_H
#define ELF_FUNCTIONS_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "src/base/work.h"
#include "src/elf/image.h"
#include "src/elf/symbols.h"

/* An arena of strings: they stay where they are until all are freed. */

struct names {
	struct name_block *last; /* NULL: none yet */
	struct work *work;       /* what counts their characters; NULL: nothing does */
};

/* A string of up to four parts, NULL for fewer.  NULL when out of memory, or when it is
 * too much work. */
const char *names_join(struct names *names, const char *a, const char *b, const char *c,
		       const char *d);
void names_free(struct names *names);

/* Room for any 64-bit number. */
struct digits {
	char text[24];
};

/* "/N"; lower-case hexadecimal without 0x. */
struct digits digits_behind_slash(uint32_t number);

enum function_kind {
	FUNCTION_CODE, /* from a symbol or an .eh_frame entry */
	FUNCTION_PLT,  /* a PLT entry: no instructions of its own interest */
};

struct function {
	uint64_t address; /* vaddr of its first byte */
	uint64_t size;    /* of its symbols or .eh_frame entry; where both have
			     none, its extent */
	uint64_t extent;  /* bytes that count as its own, >= size, if what is
			     after `size` is padding: see function_extent() */
	bool has_gap;     /* that is to be looked at */
	bool renumbered;  /* `printed` has another number than by address: symbols.c */
	uint32_t section; /* index in image->sections */
	enum function_kind kind;
	const char *primary; /* the first name at its address */
	const char *printed; /* the name to write, with a BAT in the binary */
	const char *told;    /* of a binary that is not BOLTed: the name that profiles of what
				llvm-bolt makes of it have; else NULL */
};

/* Where to begin to look for an address: entry i is how many functions are below base + (i <<
 * shift). About two entries a function. */
struct function_index {
	uint32_t *below;
	size_t count;
	uint64_t base;
	unsigned shift;
};

/* What the names of functions begin with that have an FDE and no symbol. */
#define FUNCTION_OF_FDE "__BOLT_FDE_FUNC"

struct function_table {
	struct function *at; /* by ascending address, not overlapping */
	size_t count;
	size_t extra; /* after them: names without code of their own, which profiles can have
			 (code/pair.h) */
	struct function_index index;
	struct image image;          /* what it points to is borrowed */
	struct symbol_table symbols; /* for bat_fix_parents() */
	struct names names;          /* those that are not in the file itself */
	atomic_uchar *gaps;          /* per function: what was found out of its gap so far */
	bool stripped;               /* no symbol table */
};

/* All that a profile can name: those with code, and extra ones. */
static inline size_t functions_named(const struct function_table *table)
{
	return table->count + table->extra;
}

/* Numbers of functions.  The types differ, so that no table by the one is read with the other: a
 * name without code of its own has a number beyond the end of every table of what has code. */
struct code_number {
	uint32_t v; /* of a function that has code: below `count` */
};
struct name_number {
	uint32_t v; /* of all that a profile can name: below functions_named() */
};

static inline struct name_number functions_name_number(const struct function_table *table,
						       const struct function *function)
{
	return (struct name_number){(uint32_t)(function - table->at)};
}

/* false: the name has no code of its own. */
static inline bool functions_code_of(const struct function_table *table, struct name_number name,
				     struct code_number *out)
{
	out->v = name.v;
	return name.v < table->count;
}

/* For a function that has code, as what functions_find() returns. */
static inline struct code_number functions_code_number(const struct function_table *table,
						       const struct function *function)
{
	struct code_number number = {(uint32_t)(function - table->at)};

	assert(number.v < table->count);
	return number;
}

/* DEFINE_BY_CODE(marks, bool) defines `struct marks`, a bool for each function that has code;
 * DEFINE_BY_NAME, one for each name of a profile.
 *
 *   marks_make(&m, table)   zeroed; false: out of memory.  After code/pair.h has added its names
 *   marks_of(&m, number)    a pointer to one; the number is of the same table
 *   marks_free(&m)
 *
 * Zeroed means no table: its `at` is NULL. */
#define DEFINE_BY_NUMBER(NAME, TYPE, NUMBER, COUNT)                                                \
	struct NAME {                                                                              \
		TYPE *at;                                                                          \
	};                                                                                         \
	BC_MUST_USE static inline bool NAME##_make(struct NAME *out,                               \
						   const struct function_table *table)             \
	{                                                                                          \
		out->at = calloc((COUNT) + 1, sizeof(*out->at));                                   \
		return out->at;                                                                    \
	}                                                                                          \
	static inline TYPE *NAME##_of(const struct NAME *numbered, NUMBER number)                  \
	{                                                                                          \
		return &numbered->at[number.v];                                                    \
	}                                                                                          \
	static inline void NAME##_free(struct NAME *numbered)                                      \
	{                                                                                          \
		free(numbered->at);                                                                \
		numbered->at = NULL;                                                               \
	}
#define DEFINE_BY_CODE(NAME, TYPE) DEFINE_BY_NUMBER(NAME, TYPE, struct code_number, table->count)
#define DEFINE_BY_NAME(NAME, TYPE)                                                                 \
	DEFINE_BY_NUMBER(NAME, TYPE, struct name_number, functions_named(table))

DEFINE_BY_CODE(code_marks, bool)
DEFINE_BY_NAME(name_marks, bool)

/* Names point into the image's bytes or into the table: both must outlive them.
 *
 * numbers  BY_ORDER only of a binary that BOLT wrote (symbols.c)
 *
 * BC_FORMAT  a damaged symbol table or .eh_frame
 * BC_NOMEM */
BC_MUST_USE bool functions_build(const struct image *image, enum local_numbers numbers,
				 struct function_table *out, struct bc_error *err);

/* The same with the symbols of its debug file, which must outlive them, too; NULL: with its own. */
BC_MUST_USE bool functions_build_named(const struct image *image, enum local_numbers numbers,
				       const struct debug_symbols *debug,
				       struct function_table *out, struct bc_error *err);
void functions_free(struct function_table *table);

/* Builds the index of a table whose functions are final; functions_build() calls it.  Returns
 * false when out of memory. */
BC_MUST_USE bool functions_index(struct function_table *table);

/* Ask for the memory that functions_find() will read first. */
static inline void functions_prefetch(const struct function_table *table, struct vaddr at)
{
	const struct function_index *index = &table->index;
	uint64_t bucket = (at.v - index->base) >> index->shift;

	if (bucket < index->count)
		__builtin_prefetch(&index->below[bucket]);
}

/* The number of bytes that count as a function's own.  Reads the code after the function at the
 * first call only, because most functions are never asked for. */
uint64_t function_extent(const struct function_table *table, const struct function *function);

/* The function whose [address, address + function_extent()) holds `at`, or NULL.  O(1) for
 * functions of usual sizes, never worse than O(log count). */
const struct function *functions_find(const struct function_table *table, struct vaddr at);

/* The function whose first byte is at a vaddr, or NULL; of code: a PLT entry is none. */
static inline const struct function *functions_at(const struct function_table *table,
						  uint64_t vaddr)
{
	const struct function *f = functions_find(table, (struct vaddr){vaddr});

	return f && f->address == vaddr ? f : NULL;
}
static inline const struct function *functions_code_at(const struct function_table *table,
						       uint64_t vaddr)
{
	const struct function *f = functions_at(table, vaddr);

	return f && f->kind == FUNCTION_CODE ? f : NULL;
}

/* How far functions reach: the size in a symbol is often too small. */

/* Can this symbol be within a function, as a label does? */
bool symbol_is_label(const struct image *image, const struct function *function,
		     const struct symbol *symbol);

/* What linkers and compilers put between functions. */

/* The bytes from the end of one function to the beginning of what follows. */
struct gap {
	struct bytes bytes;
	uint64_t address;
	uint64_t function; /* address of the function before it */
};

/* Is a gap nothing but padding?
 *
 * x86-64   int3 only; or nops, zero bytes and jumps forward inside the gap,
 *          after any int3
 * AArch64  brk only; or nops, zero words, data by the mapping symbols and
 *          linker veneers, after any brk
 * RISC-V   always */
bool padding_fills(enum machine machine, struct gap gap, const struct symbol_table *symbols);

#endif
