/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* x86-64: prefixes, one or two bytes of opcode, maybe a ModRM byte. */
#include "src/elf/branch_isa.h"

#define LONGEST 15 /* bytes that the processor takes for one instruction */

/* Operand and address size, segments (among them notrack and branch hints),
 * lock, repne (bnd), rep. */
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
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return true;
	}
	return false;
}

/* Legacy prefixes in any order, then at most one REX. */
static size_t prefix_size(struct bytes code)
{
	size_t size = 0;

	while (size < code.size && is_legacy_prefix(code.data[size]))
		size++;
	if (size < code.size && (code.data[size] & 0xf0) == 0x40)
		size++;
	return size;
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

static struct branch_insn two_byte_opcode(struct bytes code, size_t second, uint64_t at)
{
	if (code.size <= second)
		return branch_of_kind(BRANCH_NONE);
	uint8_t opcode = code.data[second];
	if ((opcode & 0xf0) == 0x80)
		return relative(BRANCH_CONDITIONAL, code, second + 1, 4, at);
	switch (opcode) {
	case 0x05: /* syscall */
	case 0x07: /* sysret */
	case 0x34: /* sysenter */
	case 0x35: /* sysexit */
		return branch_of_kind(BRANCH_SYSTEM);
	}
	return branch_of_kind(BRANCH_NONE);
}

struct branch_insn branch_x86(struct bytes code, uint64_t at)
{
	code = bytes_first(code, LONGEST);
	size_t first = prefix_size(code);

	if (first >= code.size)
		return branch_of_kind(BRANCH_NONE);
	uint8_t opcode = code.data[first];
	if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0) /* jcc; loop, jrcxz */
		return relative(BRANCH_CONDITIONAL, code, first + 1, 1, at);
	switch (opcode) {
	case 0x0f:
		return two_byte_opcode(code, first + 1, at);
	case 0xc2: /* ret imm16, retf imm16 */
	case 0xca:
		return branch_of_kind(code.size < first + 3 ? BRANCH_NONE : BRANCH_RETURN);
	case 0xc3: /* ret, retf, iret */
	case 0xcb:
	case 0xcf:
		return branch_of_kind(BRANCH_RETURN);
	case 0xe8: /* call, jmp */
	case 0xe9:
		return relative(BRANCH_DIRECT, code, first + 1, 4, at);
	case 0xeb:
		return relative(BRANCH_DIRECT, code, first + 1, 1, at);
	case 0xff:
		return branch_of_kind(group_5(code, first + 1));
	case 0xcd: /* int imm8 */
		return branch_of_kind(code.size < first + 2 ? BRANCH_NONE : BRANCH_SYSTEM);
	case 0xcc: /* int3, int1 */
	case 0xf1:
		return branch_of_kind(BRANCH_SYSTEM);
	}
	return branch_of_kind(BRANCH_NONE);
}
