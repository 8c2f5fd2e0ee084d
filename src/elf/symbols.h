/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The symbols that matter to BOLT: those of allocated sections and absolute
 * ones, by address, with the numbers that make the names of local ones unique.
 */
#ifndef ELF_SYMBOLS_H
#define ELF_SYMBOLS_H

#include "src/elf/debug_file.h"

#define ABSOLUTE_SECTION UINT32_MAX

/* The order in which file_number counts; number always counts by address. */
enum local_numbers { NUMBERS_BY_ADDRESS, NUMBERS_BY_ORDER };

struct symbol {
	uint64_t address, size;
	const char *name;     /* of a section symbol: the section's; borrowed
				 from the image, "" for none */
	uint32_t order;       /* position in the symbol table */
	uint32_t section;     /* index in image->sections, or ABSOLUTE_SECTION */
	uint32_t file;        /* local: the FILE symbol it is under, from
				 1 on, 0 for none; global: 0 */
	uint32_t number;      /* N of name/N if it is local and has a name */
	uint32_t file_number; /* N of name/file/N; 0: it has no such name */
	uint8_t type;         /* STT_... */
	bool local : 1;
	bool inside : 1;       /* starts in the middle of a function, see functions.c */
	bool reserved : 1;     /* __bolt_reserved_start or __bolt_reserved_end */
	bool private_name : 1; /* begins with .L, the assembler's own space for labels */
	bool nameless : 1;
	bool renumbered : 1; /* file_number is not that by address */
};

/* A mapping symbol ($x, $d) of AArch64 or RISC-V. */
struct code_mark {
	uint64_t address;
	bool data; /* from here on there is data, else code */
};

struct symbol_table {
	struct symbol *at; /* by address; then FUNC, others, SECTION; then order */
	size_t count;
	const char **files;      /* name of FILE symbol N is files[N]; files[0] is "" */
	struct code_mark *marks; /* by address, code before data */
	size_t mark_count;
	uint64_t hot_start, hot_end; /* __hot_start and __hot_end; 0: there is none */
	bool stripped;               /* no .symtab: these are the dynamic symbols */
};

/* Read and sort them; debug: out of the tables of this file, unless it is NULL.  Left out:
 * undefined symbols and those at address 0, those that reach outside their section, __hot_start and
 * __hot_end, and section symbols of PLT sections.  Mapping symbols are kept apart.
 *
 * BC_FORMAT  a name outside the string table, an odd size of the table
 * BC_NOMEM */
BC_MUST_USE bool symbols_read(const struct image *image, enum local_numbers how,
			      const struct debug_symbols *debug, struct symbol_table *out,
			      struct bc_error *err);
void symbols_free(struct symbol_table *table);

/* Is it a function of llvm-bolt's own, which the input does not have?  A thunk: targets.h */
bool symbol_is_made(const char *name);
bool symbol_is_thunk(const char *name);

/* A symbol as its table has it, of any kind. */
struct stored_symbol {
	uint64_t value, size;
	const char *name;    /* borrowed from the image */
	uint16_t section;    /* SHN_..., or an index in the section header table */
	uint8_t info, other; /* binding and type; visibility */
};
struct stored_symbols {
	struct stored_symbol *at; /* in the table's order */
	size_t count;
};

/* All symbols of the table of a type, SHT_SYMTAB or SHT_DYNSYM; none if there is no such table.
 * Errors as of symbols_read(). */
BC_MUST_USE bool symbols_stored(const struct image *image, uint32_t type,
				struct stored_symbols *out, struct bc_error *err);
void stored_symbols_free(struct stored_symbols *symbols);

/* The index of the first symbol at an address above `address`, or count. */
size_t symbols_above(const struct symbol_table *table, uint64_t address);

#endif
