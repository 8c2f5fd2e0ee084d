/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads the numbers and pointers of .eh_frame, and of the tables of call sites that it
 * points to.
 */
#ifndef ELF_EH_CURSOR_H
#define ELF_EH_CURSOR_H

#include "src/base/bytes.h"

/* Pointer encodings (DW_EH_PE_...): the low four bits give the format, the next
 * three what the value is relative to. */
enum {
	EH_PE_ABSPTR = 0x00,
	EH_PE_ULEB128 = 0x01,
	EH_PE_UDATA2 = 0x02,
	EH_PE_UDATA4 = 0x03,
	EH_PE_UDATA8 = 0x04,
	EH_PE_SLEB128 = 0x09,
	EH_PE_SDATA2 = 0x0a,
	EH_PE_SDATA4 = 0x0b,
	EH_PE_SDATA8 = 0x0c,
	EH_PE_FORMAT = 0x0f,
	EH_PE_PCREL = 0x10,
	EH_PE_BASE = 0x70,
	EH_PE_INDIRECT = 0x80,
	EH_PE_OMIT = 0xff,
};

/* After the first field that cannot be read, each field is read as 0. */
struct eh_cursor {
	struct bytes left;
	uint64_t address; /* vaddr of what is left */
	const char *bad;  /* what is wrong there; NULL: nothing so far */
};

/* `size` bytes, or NULL. */
const uint8_t *eh_take(struct eh_cursor *c, uint64_t size);

uint8_t eh_take_byte(struct eh_cursor *c);
uint64_t eh_take_leb(struct eh_cursor *c, bool is_signed);

/* A number in the format of an encoding, whatever it is relative to. */
uint64_t eh_take_number(struct eh_cursor *c, uint8_t encoding);

/* A pointer that is absolute or relative to itself; others are bad. */
uint64_t eh_take_pointer(struct eh_cursor *c, uint8_t encoding);

#endif
