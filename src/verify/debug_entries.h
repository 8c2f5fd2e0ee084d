/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The entries of .debug_info and .debug_types by libdw: their order and depth, the values of their
 * attributes, the addresses that they cover, and where variables are (expressions and location
 * lists).  Offsets of entries are bytes of their section.  A build without libdw's headers has
 * none.
 *
 * What is read counts as WORK_SCOPES, WORK_RANGES and WORK_EXPRESSIONS of the image: where it is
 * too much, functions return false, and work_check() shows.
 */
#ifndef VERIFY_DEBUG_ENTRIES_H
#define VERIFY_DEBUG_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/vec.h"
#include "src/elf/image.h"

struct debug_reader;

/* Opens the debug information of an image, which must outlive the reader.  counted: its line tables
 * were read before (line_rows.h), and what is counted there is not counted again.  Errors: those of
 * line_rows_read() */
BC_MUST_USE bool debug_reader_open(const struct image *image, bool counted,
				   struct debug_reader **out, struct bc_error *err);
void debug_reader_close(struct debug_reader *reader);

struct debug_unit {
	uint64_t at; /* the entry that it begins with */
	unsigned version;
	uint8_t type;   /* DW_UT_* */
	bool of_types;  /* of .debug_types */
	bool empty;     /* libdw does not know its version or type: nothing in it is read */
	uint64_t begin; /* the first byte of its header */
};
DEFINE_VEC(debug_unit_vec, struct debug_unit);

/* The next unit, in the order of the file.  Returns 1, 0 after the last, -1 if the unit's header
 * is damaged. */
int debug_next_unit(struct debug_reader *reader, struct debug_unit *out);

/* Where an entry is. */
struct entry_place {
	uint64_t at;
	uint16_t tag, depth; /* depth 0: the unit's own */
};
DEFINE_VEC(entry_place_vec, struct entry_place);

/* All entries of a unit, each before its children, ascending.  Those deeper than 200 levels are
 * left out.  An entry that cannot be read has tag 0; where a reference to the next one leads back,
 * such an entry is the last.  False: no memory, or too much work */
BC_MUST_USE bool debug_list_entries(struct debug_reader *reader, const struct debug_unit *unit,
				    struct entry_place_vec *out);

enum debug_value_kind {
	VALUE_NUMBER,     /* `number`: a constant or a flag */
	VALUE_TEXT,       /* `bytes`: a string */
	VALUE_BYTES,      /* `bytes`: a constant */
	VALUE_ENTRY,      /* `number`: another entry */
	VALUE_ADDRESS,    /* `number` */
	VALUE_EXPRESSION, /* debug_locations(): one expression for all addresses */
	VALUE_LOCATIONS,  /* debug_locations(): a list */
	VALUE_RANGES,     /* debug_ranges() */
	VALUE_OFFSET,     /* of another section: nothing is known of it */
	VALUE_BAD,        /* libdw cannot read it */
};

struct debug_value {
	unsigned name; /* DW_AT_* */
	enum debug_value_kind kind;
	bool of_types; /* VALUE_ENTRY: the entry is in .debug_types */
	uint64_t number;
	struct bytes bytes; /* of the file, or of what was decompressed */
	struct {
		unsigned form;
		void *at, *unit;
		uint64_t begin; /* of the unit */
	} source;
};
DEFINE_VEC(debug_value_vec, struct debug_value);

/* The attributes of an entry, in their order.  False: no memory, or too much work.  An entry that
 * libdw cannot read has a last value VALUE_BAD with the name 0. */
BC_MUST_USE bool debug_values(struct debug_reader *reader, const struct debug_unit *unit,
			      uint64_t at, struct debug_value_vec *out);

/* The tag and the name of an entry, of which its declaration or abstract origin may have the name;
 * NULL: it has none. */
const char *debug_entry_name(struct debug_reader *reader, bool of_types, uint64_t at,
			     unsigned *tag);

struct address_range {
	uint64_t start, end;
};
DEFINE_VEC(address_range_vec, struct address_range);

/* What the low and high address or the list of an entry cover, in the order of the file.  *bad:
 * libdw cannot read all of it. */
BC_MUST_USE bool debug_ranges(struct debug_reader *reader, const struct debug_unit *unit,
			      uint64_t at, struct address_range_vec *out, bool *bad);

/* What .debug_aranges has: for each unit, by its first entry. */
struct unit_arange {
	uint64_t unit, start, end;
};
DEFINE_VEC(unit_arange_vec, struct unit_arange);
BC_MUST_USE bool debug_unit_ranges(struct debug_reader *reader, struct unit_arange_vec *out,
				   bool *bad);

enum operand_kind { OPERAND_NUMBER, OPERAND_ADDRESS, OPERAND_ENTRY };

/* One operation of an expression.  What DW_OP_entry_value computes follows it as operations, and is
 * counted in its first number. */
struct debug_operation {
	uint8_t code;     /* DW_OP_*: an address by its number is an address */
	uint8_t kinds[2]; /* enum operand_kind */
	uint64_t numbers[2];
	struct bytes bytes; /* of DW_OP_implicit_value and constants of a type */
};
DEFINE_VEC(debug_operation_vec, struct debug_operation);

struct debug_location {
	uint64_t start, end; /* of an expression for all addresses: 0, UINT64_MAX */
	size_t first, count; /* operations */
};
DEFINE_VEC(debug_location_vec, struct debug_location);

struct debug_locations {
	struct debug_location_vec at;
	struct debug_operation_vec operations;
};

void debug_locations_free(struct debug_locations *locations);

/* The expressions of a value.  *bad: libdw cannot read all of them. */
BC_MUST_USE bool debug_locations(struct debug_reader *reader, const struct debug_value *value,
				 struct debug_locations *out, bool *bad);

/* Numbers of DWARF 5 that scopes are compared by, and names of those that are often reported.  The
 * numbers are those of its section 7. */

#define TAG_COMPILE_UNIT  0x11
#define TAG_SUBPROGRAM    0x2e
#define TAG_GNU_CALL_SITE 0x4109

#define ATTRIBUTE_SIBLING          0x01
#define ATTRIBUTE_STMT_LIST        0x10
#define ATTRIBUTE_LOW_PC           0x11
#define ATTRIBUTE_HIGH_PC          0x12
#define ATTRIBUTE_DECL_FILE        0x3a
#define ATTRIBUTE_ENTRY_PC         0x52
#define ATTRIBUTE_RANGES           0x55
#define ATTRIBUTE_CALL_FILE        0x58
#define ATTRIBUTE_STR_OFFSETS_BASE 0x72
#define ATTRIBUTE_ADDR_BASE        0x73
#define ATTRIBUTE_RNGLISTS_BASE    0x74
#define ATTRIBUTE_DWO_NAME         0x76
#define ATTRIBUTE_CALL_RETURN_PC   0x7d
#define ATTRIBUTE_CALL_TAIL_CALL   0x82
#define ATTRIBUTE_LOCLISTS_BASE    0x8c
#define ATTRIBUTE_GNU_TAIL_CALL    0x2115
#define ATTRIBUTE_GNU_DWO_NAME     0x2130
#define ATTRIBUTE_GNU_RANGES_BASE  0x2132
#define ATTRIBUTE_GNU_ADDR_BASE    0x2133
#define ATTRIBUTE_GNU_LOCVIEWS     0x2137

/* NULL: it has none here. */
const char *tag_name(unsigned tag);
const char *attribute_name(unsigned name);

/* Writes the name of an operation of an expression, or its number. */
void operation_text(uint8_t code, char *out, size_t size);

#endif
