/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/insn_isa.h"
#include "src/cfg/x86_insn.h"
#include "src/isa/branch.h"

static bool is_prefix(uint8_t byte)
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

/* Where the opcode begins: behind legacy prefixes and one REX or REX2. */
static size_t opcode_at(struct bytes code)
{
	size_t i = 0;

	while (i < code.size && is_prefix(code.data[i]))
		i++;
	if (i < code.size && code.data[i] == 0xd5)
		return i + 2;
	return i < code.size && (code.data[i] & 0xf0) == 0x40 ? i + 1 : i;
}

static uint8_t byte_at(struct bytes code, size_t i)
{
	return i < code.size ? code.data[i] : 0;
}

/* ff /2 and ff /3, e8 */
static bool is_call(struct bytes code, size_t opcode)
{
	uint8_t middle = byte_at(code, opcode + 1) >> 3 & 7;

	return byte_at(code, opcode) == 0xe8 ||
	       (byte_at(code, opcode) == 0xff && (middle == 2 || middle == 3));
}

/* ud2, ud1, ud0; hlt.  An int3 is no end: what catches it can go on. */
static bool is_trap(struct bytes code, size_t opcode)
{
	uint8_t second = byte_at(code, opcode + 1);

	if (byte_at(code, opcode) == 0xf4)
		return true;
	return byte_at(code, opcode) == 0x0f &&
	       (second == 0x0b || second == 0xb9 || second == 0xff);
}

static enum flow flow_of(enum branch_kind kind, struct bytes code, size_t opcode)
{
	switch (kind) {
	case BRANCH_NONE:
	case BRANCH_SYSTEM:
		break;
	case BRANCH_RETURN:
		return FLOW_RETURN;
	case BRANCH_DIRECT:
		return is_call(code, opcode) ? FLOW_CALL : FLOW_JUMP;
	case BRANCH_CONDITIONAL:
		return FLOW_CONDITIONAL;
	case BRANCH_INDIRECT:
		return is_call(code, opcode) ? FLOW_CALL : FLOW_INDIRECT;
	}
	return is_trap(code, opcode) ? FLOW_TRAP : FLOW_NEXT;
}

/* Lengths that the bytes do not tell us LLVM tells; what it forms is not known. */
static bool ask_llvm(struct decoder *decoder, struct bytes code, uint64_t at, struct x86_insn *out)
{
	*out = (struct x86_insn){0};
	if (decoder->llvm_missing || !code.size)
		return false;
	if (!decoder->llvm.handle && !llvm_open(&decoder->llvm)) {
		decoder->llvm_missing = true;
		return false;
	}
	out->size = (uint8_t)llvm_length(&decoder->llvm, code, at);
	return out->size;
}

bool insn_x86(struct decoder *decoder, struct bytes code, uint64_t at, struct insn *out)
{
	struct x86_insn x86;

	if (!x86_decode(code, &x86) && !ask_llvm(decoder, code, at, &x86))
		return false;
	size_t size = x86.size;
	code = bytes_first(code, size);
	struct branch_insn branch = branch_decode(MACHINE_X86_64, code, (struct vaddr){at});
	size_t opcode = opcode_at(code);
	*out = (struct insn){
		.size = x86.size,
		.flow = (uint8_t)flow_of(branch.kind, code, opcode),
		.target = branch.target.v,
		.unsupported = branch.kind == BRANCH_CONDITIONAL &&
			       (byte_at(code, opcode) & 0xfc) == 0xe0, /* loop*, jrcxz */
	};
	if (branch.kind == BRANCH_NONE && byte_at(code, opcode) == 0xc7 &&
	    byte_at(code, opcode + 1) == 0xf8 && size == opcode + 6) { /* xbegin */
		out->flow = FLOW_CONDITIONAL;
		out->target = at + size + (uint64_t)(int64_t)(int32_t)le32(code.data + opcode + 2);
	}
	if (!out->target)
		out->target = x86_relative_address(&x86, at + size);
	return true;
}
