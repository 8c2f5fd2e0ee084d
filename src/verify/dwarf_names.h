/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers of DWARF 5 that scopes are compared by, and names of those that are often told of.  The numbers are those of its section 7. */
#ifndef VERIFY_DWARF_NAMES_H
#define VERIFY_DWARF_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define TAG_COMPILE_UNIT 0x11
#define TAG_SUBPROGRAM 0x2e
#define TAG_GNU_CALL_SITE 0x4109

#define ATTRIBUTE_SIBLING 0x01
#define ATTRIBUTE_STMT_LIST 0x10
#define ATTRIBUTE_LOW_PC 0x11
#define ATTRIBUTE_HIGH_PC 0x12
#define ATTRIBUTE_DECL_FILE 0x3a
#define ATTRIBUTE_ENTRY_PC 0x52
#define ATTRIBUTE_RANGES 0x55
#define ATTRIBUTE_CALL_FILE 0x58
#define ATTRIBUTE_STR_OFFSETS_BASE 0x72
#define ATTRIBUTE_ADDR_BASE 0x73
#define ATTRIBUTE_RNGLISTS_BASE 0x74
#define ATTRIBUTE_DWO_NAME 0x76
#define ATTRIBUTE_CALL_RETURN_PC 0x7d
#define ATTRIBUTE_CALL_TAIL_CALL 0x82
#define ATTRIBUTE_LOCLISTS_BASE 0x8c
#define ATTRIBUTE_GNU_TAIL_CALL 0x2115
#define ATTRIBUTE_GNU_DWO_NAME 0x2130
#define ATTRIBUTE_GNU_RANGES_BASE 0x2132
#define ATTRIBUTE_GNU_ADDR_BASE 0x2133
#define ATTRIBUTE_GNU_LOCVIEWS 0x2137

/* NULL: it has none here. */
const char *tag_name(unsigned tag);
const char *attribute_name(unsigned name);

/* Writes the name of an operation of an expression, or its number. */
void operation_text(uint8_t code, char *out, size_t size);

#endif
