/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/eh_cursor.h"

#include "src/base/leb.h"

const uint8_t *eh_take(struct eh_cursor *c, uint64_t size)
{
	const uint8_t *taken = c->left.data;

	if (c->bad)
		return NULL;
	if (size > c->left.size) {
		c->bad = "the entry ends too early";
		return NULL;
	}
	c->left = bytes_from(c->left, size);
	c->address += size;
	return taken;
}

uint8_t eh_take_byte(struct eh_cursor *c)
{
	const uint8_t *p = eh_take(c, 1);

	return p ? *p : 0;
}

uint64_t eh_take_leb(struct eh_cursor *c, bool is_signed)
{
	const uint8_t *at = c->left.data;
	uint64_t value = 0;

	if (c->bad)
		return 0;
	switch (c->left.size ? leb128_read(&at, at + c->left.size, is_signed, &value) : LEB128_CUT) {
	case LEB128_READ:
		eh_take(c, (uint64_t)(at - c->left.data));
		break;
	case LEB128_CUT:
		c->bad = "the entry ends too early";
		break;
	case LEB128_WIDE:
		c->bad = "a number of more than 64 bits";
		break;
	}
	return value;
}

uint64_t eh_take_number(struct eh_cursor *c, uint8_t encoding)
{
	uint8_t format = encoding & EH_PE_FORMAT;
	const uint8_t *p;

	switch (format) {
	case EH_PE_ULEB128:
	case EH_PE_SLEB128:
		return eh_take_leb(c, format == EH_PE_SLEB128);
	case EH_PE_UDATA2:
		return (p = eh_take(c, 2)) ? le16(p) : 0;
	case EH_PE_SDATA2:
		return (p = eh_take(c, 2)) ? (uint64_t)(int16_t)le16(p) : 0;
	case EH_PE_UDATA4:
		return (p = eh_take(c, 4)) ? le32(p) : 0;
	case EH_PE_SDATA4:
		return (p = eh_take(c, 4)) ? (uint64_t)(int32_t)le32(p) : 0;
	case EH_PE_ABSPTR:
	case EH_PE_UDATA8:
	case EH_PE_SDATA8:
		return (p = eh_take(c, 8)) ? le64(p) : 0;
	}
	c->bad = "unknown pointer format";
	return 0;
}

uint64_t eh_take_pointer(struct eh_cursor *c, uint8_t encoding)
{
	uint64_t here = c->address, value = eh_take_number(c, encoding);

	if (encoding & EH_PE_INDIRECT ||
	    (encoding & EH_PE_BASE && (encoding & EH_PE_BASE) != EH_PE_PCREL))
		c->bad = "a code address that is neither absolute nor relative to itself";
	return (encoding & EH_PE_BASE) == EH_PE_PCREL ? here + value : value;
}
