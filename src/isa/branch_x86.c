/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* x86-64: prefixes, one or two bytes of opcode, maybe a ModRM byte. */
#include "src/isa/branch_isa.h"

#define LONGEST 15 /* bytes that the processor takes for one instruction */

/* Operand and address size, segments (among them notrack and branch hints),
 * repne (bnd), rep.  Not lock: with it a branch is invalid. */
static bool is_legacy_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf2:
	case 0xf3:
		return true;
	}
	return false;
}

struct opcode {
	bool escaped; /* preceded by 0f */
	uint8_t byte;
	size_t end; /* of the opcode, from the beginning of the instruction */
};

/* Legacy prefixes in any order, one REX or REX2 at most, the opcode.  REX2 has a
 * second byte, whose highest bit stands for 0f. */
static bool read_opcode(struct bytes code, struct opcode *out)
{
	struct opcode opcode = {.escaped = false};
	size_t at = 0;

	while (at < code.size && is_legacy_prefix(code.data[at]))
		at++;
	if (code.size - at >= 2 && code.data[at] == 0xd5) {
		opcode.escaped = code.data[at + 1] & 0x80;
		at += 2;
	} else {
		if (at < code.size && (code.data[at] & 0xf0) == 0x40)
			at++;
		opcode.escaped = at < code.size && code.data[at] == 0x0f;
		at += opcode.escaped;
	}
	if (at >= code.size)
		return false;
	opcode.byte = code.data[at];
	opcode.end = at + 1;
	*out = opcode;
	return true;
}

/* A relative branch whose displacement of 1 or 4 bytes begins at `field`. */
static struct branch_insn relative(enum branch_kind kind, struct bytes code, size_t field,
				   size_t size, uint64_t at)
{
	if (code.size < field + size)
		return branch_of_kind(BRANCH_NONE);
	const uint8_t *p = code.data + field;
	uint64_t displacement = size == 1 ? sign_extend(*p, 8) : sign_extend(le32(p), 32);
	return branch_to(kind, at + field + size + displacement);
}

/* Opcode ff: the middle of the ModRM byte says what it is. */
static enum branch_kind group_5(struct bytes code, size_t modrm)
{
	if (code.size <= modrm)
		return BRANCH_NONE;
	bool is_register = code.data[modrm] >> 6 == 3;
	switch (code.data[modrm] >> 3 & 7) {
	case 2: /* call */
	case 4: /* jmp */
		return BRANCH_INDIRECT;
	case 3: /* far call, far jmp: through memory only */
	case 5:
		return is_register ? BRANCH_NONE : BRANCH_INDIRECT;
	}
	return BRANCH_NONE;
}

static struct branch_insn escaped(struct bytes code, struct opcode opcode, uint64_t at)
{
	if ((opcode.byte & 0xf0) == 0x80) /* jcc */
		return relative(BRANCH_CONDITIONAL, code, opcode.end, 4, at);
	switch (opcode.byte) {
	case 0x05: /* syscall */
	case 0x07: /* sysret */
	case 0x34: /* sysenter */
	case 0x35: /* sysexit */
		return branch_of_kind(BRANCH_SYSTEM);
	}
	return branch_of_kind(BRANCH_NONE);
}

static struct branch_insn plain(struct bytes code, struct opcode opcode, uint64_t at)
{
	size_t left = code.size - opcode.end;

	if ((opcode.byte & 0xf0) == 0x70 || (opcode.byte & 0xfc) == 0xe0) /* jcc; loop, jrcxz */
		return relative(BRANCH_CONDITIONAL, code, opcode.end, 1, at);
	switch (opcode.byte) {
	case 0xc2: /* ret imm16, retf imm16 */
	case 0xca:
		return branch_of_kind(left < 2 ? BRANCH_NONE : BRANCH_RETURN);
	case 0xc3: /* ret, retf, iret */
	case 0xcb:
	case 0xcf:
		return branch_of_kind(BRANCH_RETURN);
	case 0xe8: /* call, jmp */
	case 0xe9:
		return relative(BRANCH_DIRECT, code, opcode.end, 4, at);
	case 0xeb:
		return relative(BRANCH_DIRECT, code, opcode.end, 1, at);
	case 0xff:
		return branch_of_kind(group_5(code, opcode.end));
	case 0xcd: /* int imm8 */
		return branch_of_kind(left < 1 ? BRANCH_NONE : BRANCH_SYSTEM);
	case 0xcc: /* int3, int1 */
	case 0xf1:
		return branch_of_kind(BRANCH_SYSTEM);
	}
	return branch_of_kind(BRANCH_NONE);
}

struct branch_insn branch_x86(struct bytes code, uint64_t at)
{
	struct opcode opcode;

	code = bytes_first(code, LONGEST);
	if (!read_opcode(code, &opcode))
		return branch_of_kind(BRANCH_NONE);
	return opcode.escaped ? escaped(code, opcode, at) : plain(code, opcode, at);
}
