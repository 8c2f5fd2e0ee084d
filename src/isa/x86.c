/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* x86-64: prefixes, one to three bytes of opcode, operands. */
#include "src/isa/machines.h"
#include "src/isa/x86_state.h"

#define LONGEST 15 /* bytes that a processor takes for one instruction */

/* Operand and address size, segments (among them notrack and branch hints),
 * repne (bnd), rep.  Not lock: with it a branch is invalid. */
static const uint8_t prefixes[256] = {
	[0x66] = X86_SIZE16,  [0x67] = X86_ADDRESS32, [0x26] = X86_SEGMENT, [0x2e] = X86_SEGMENT,
	[0x36] = X86_SEGMENT, [0x3e] = X86_SEGMENT,   [0x64] = X86_SEGMENT, [0x65] = X86_SEGMENT,
	[0xf2] = X86_REPNE,   [0xf3] = X86_REP,
};

static unsigned with_prefix(unsigned flags, unsigned prefix)
{
	return (prefix & X86_REPEAT ? flags & ~(unsigned)X86_REPEAT : flags) | prefix;
}

/* Up to the opcode: legacy prefixes in any order, one REX or REX2 at most.  REX2 has a second
 * byte, whose highest bit stands for 0f. */
static inline struct x86_state begin(struct bytes code)
{
	code = bytes_first(code, LONGEST);
	const uint8_t *at = code.data, *end = code.size ? at + code.size : at; /* nothing can be at NULL */
	struct x86_state d = {.begin = at, .end = end};

	for (; at < end && prefixes[*at]; at++)
		d.flags = with_prefix(d.flags, prefixes[*at]);
	if (at < end && (*at & 0xf0) == 0x40) {
		d.flags |= X86_REX;
		d.rex = *at++ & 15;
	}
	if (at < end && *at == 0x0f) {
		d.flags |= X86_ESCAPED;
		at++;
	} else if (end - at >= 2 && *at == 0xd5 && !(d.flags & X86_REX)) {
		d.flags |= at[1] & 0x80 ? X86_REX2 | X86_ESCAPED : X86_REX2;
		at += 2;
	}
	if (at < end)
		d.opcode = *at++;
	else
		d.flags |= X86_CUT;
	d.at = at;
	return d;
}

/* A branch with a displacement of `size` bytes, which is the end of it. */
static inline struct insn relative(struct x86_state d, enum insn_kind kind, size_t size, uint64_t at)
{
	const uint8_t *p = d.at;

	if (x86_left(&d) < size)
		return (struct insn){.kind = INSN_NEXT};
	uint64_t displacement = size == 1 ? sign_extend(*p, 8) : sign_extend(le32(p), 32);
	return (struct insn){.kind = (uint8_t)kind,
			     .target = at + (uint64_t)(p - d.begin) + size + displacement};
}

/* Opcode ff: the middle of the ModRM byte says what it is. */
static inline enum insn_kind group_5(struct x86_state d)
{
	if (d.at == d.end)
		return INSN_NEXT;
	bool is_register = *d.at >> 6 == 3;
	switch (*d.at >> 3 & 7) {
	case 2: /* call */
		return INSN_CALL_INDIRECT;
	case 4: /* jmp */
		return INSN_JUMP_INDIRECT;
	case 3: /* far call, far jmp: through memory only */
		return is_register ? INSN_NEXT : INSN_CALL_INDIRECT;
	case 5:
		return is_register ? INSN_NEXT : INSN_JUMP_INDIRECT;
	}
	return INSN_NEXT;
}

static inline struct insn of_kind(enum insn_kind kind)
{
	return (struct insn){.kind = (uint8_t)kind};
}

/* 0f and one byte.  An instruction that is cut never gets a kind. */
static inline struct insn escaped_kind(struct x86_state d, uint64_t at)
{
	if ((d.opcode & 0xf0) == 0x80) /* jcc */
		return relative(d, INSN_CONDITIONAL, 4, at);
	switch (d.opcode) {
	case 0x05: /* syscall */
	case 0x07: /* sysret */
	case 0x34: /* sysenter */
	case 0x35: /* sysexit */
		return of_kind(INSN_SYSTEM);
	case 0x0b: /* ud2, ud1, ud0 */
	case 0xb9:
	case 0xff:
		return of_kind(INSN_TRAP);
	case 0x1f:
		return (struct insn){.nop = true};
	}
	return of_kind(INSN_NEXT);
}

/* jrcxz and the loops jump by one byte only. */
static inline struct insn loop(struct x86_state d, uint64_t at)
{
	struct insn insn = relative(d, INSN_CONDITIONAL, 1, at);

	insn.short_only = insn.kind == INSN_CONDITIONAL;
	return insn;
}

/* c7 f8: goes to its target if the transaction fails. */
static inline struct insn xbegin(struct x86_state d, uint64_t at)
{
	if (x86_peek(&d) != 0xf8 || (d.flags & X86_SIZE16 && !(d.rex & 8)))
		return of_kind(INSN_NEXT);
	d.at++;
	return relative(d, INSN_CONDITIONAL, 4, at);
}

/* APX: the only jump to an address that stands in the instruction. */
static inline struct insn jmpabs(struct x86_state d)
{
	if (x86_left(&d) < 8)
		return of_kind(INSN_NEXT);
	return (struct insn){.kind = INSN_JUMP, .target = le64(d.at)};
}

static inline struct insn plain_kind(struct x86_state d, uint64_t at)
{
	size_t left = x86_left(&d);

	if ((d.opcode & 0xf0) == 0x70) /* jcc */
		return relative(d, INSN_CONDITIONAL, 1, at);
	switch (d.opcode) {
	case 0x90: /* with rep it is pause, with REX.B xchg */
		return (struct insn){.nop = !(d.flags & X86_REPEAT) && !(d.rex & 1) && !(d.flags & X86_REX2)};
	case 0xa1:
		return d.flags & X86_REX2 ? jmpabs(d) : of_kind(INSN_NEXT);
	case 0xc2: /* ret imm16, retf imm16 */
	case 0xca:
		return of_kind(left < 2 ? INSN_NEXT : INSN_RETURN);
	case 0xc3: /* ret, retf, iret */
	case 0xcb:
	case 0xcf:
		return of_kind(INSN_RETURN);
	case 0xc7:
		return xbegin(d, at);
	case 0xcc: /* int3, int1: what catches it can go on */
	case 0xf1:
		return of_kind(INSN_SYSTEM);
	case 0xcd: /* int imm8 */
		return of_kind(left < 1 ? INSN_NEXT : INSN_SYSTEM);
	case 0xe0:
	case 0xe1:
	case 0xe2:
	case 0xe3:
		return loop(d, at);
	case 0xe8:
		return relative(d, INSN_CALL, 4, at);
	case 0xe9:
		return relative(d, INSN_JUMP, 4, at);
	case 0xeb:
		return relative(d, INSN_JUMP, 1, at);
	case 0xf4: /* hlt */
		return of_kind(INSN_TRAP);
	case 0xff:
		return of_kind(group_5(d));
	}
	return of_kind(INSN_NEXT);
}

static inline struct insn kind_of(struct x86_state d, uint64_t at)
{
	if (d.flags & X86_CUT)
		return of_kind(INSN_NEXT);
	return d.flags & X86_ESCAPED ? escaped_kind(d, at) : plain_kind(d, at);
}

static bool is_lock(struct x86_state d)
{
	return d.opcode == 0xf0 && d.at == d.begin + 1;
}

struct insn branch_x86(struct bytes code, uint64_t at)
{
	struct x86_state d = begin(code);

	if (is_lock(d))
		return (struct insn){.lock = true};
	return kind_of(d, at);
}

/* With any prefixes; not inlined, as what is plain need not save registers for it. */
static __attribute__((noinline)) struct insn any_insn(struct bytes code, uint64_t at)
{
	struct x86_state d = begin(code);
	struct insn insn = kind_of(d, at);
	struct x86_insn operands;

	if (is_lock(d))
		return (struct insn){.size = 1, .lock = true};
	if (!x86_take_insn(&d, &operands))
		return insn;
	insn.size = operands.size;
	if (!insn.target)
		insn.target = x86_relative_address(&operands, at + insn.size);
	return insn;
}

struct insn insn_x86(struct bytes code, uint64_t at)
{
	struct insn insn;

	return code.size >= LONGEST && x86_take_plain(code.data, at, &insn) ? insn : any_insn(code, at);
}

bool x86_decode(struct bytes code, struct x86_insn *out)
{
	struct x86_state d = begin(code);
	bool known = x86_take_insn(&d, out);

	if (!is_lock(d))
		return known;
	out->size = 1;
	return true;
}

uint64_t x86_relative_address(const struct x86_insn *insn, uint64_t end)
{
	return insn->is_memory && insn->base == X86_RIP ? end + (uint64_t)insn->displacement : 0;
}
