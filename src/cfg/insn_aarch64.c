/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/insn_isa.h"
#include "src/isa/branch.h"
#include "src/isa/branch_isa.h"

/* bl; blr and its variants with pointer authentication */
static bool is_call(uint32_t word)
{
	return word >> 26 == 0x25 || (word & 0xfe600000) == 0xd6200000;
}

/* brk, udf */
static bool is_trap(uint32_t word)
{
	return (word & 0xffe0001f) == 0xd4200000 || word >> 16 == 0;
}

/* adr: the one instruction that can form an address near by on its own */
static uint64_t formed_address(uint32_t word, uint64_t at)
{
	if ((word & 0x9f000000) != 0x10000000)
		return 0;
	return at + sign_extend((word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3), 21);
}

bool insn_aarch64(struct bytes code, uint64_t at, struct insn *out)
{
	if (code.size < 4)
		return false;
	uint32_t word = le32(code.data);
	struct branch_insn branch = branch_aarch64(code, at);

	*out = (struct insn){.size = 4, .flow = FLOW_NEXT, .target = branch.target.v};
	switch (branch.kind) {
	case BRANCH_NONE:
	case BRANCH_SYSTEM:
		out->flow = is_trap(word) ? FLOW_TRAP : FLOW_NEXT;
		out->target = formed_address(word, at);
		break;
	case BRANCH_RETURN:
		out->flow = FLOW_RETURN;
		break;
	case BRANCH_DIRECT:
		out->flow = is_call(word) ? FLOW_CALL : FLOW_JUMP;
		break;
	case BRANCH_CONDITIONAL:
		out->flow = FLOW_CONDITIONAL;
		break;
	case BRANCH_INDIRECT:
		out->flow = is_call(word) ? FLOW_CALL : FLOW_INDIRECT;
		break;
	}
	return true;
}
