/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* x86-64: prefixes, one to three bytes of opcode, operands. */
#include "src/isa/machines.h"
#include "src/isa/x86_state.h"

/* ---- opcodes ---- */

/* The form of an opcode is a letter in a table: which operands follow it and
 * which general registers it writes (Intel's manual, volume 2, appendix A). */
/* .  not known           0  no operands
 * m  ModRM               r  it writes reg     M  it writes rm    x  it writes both
 * i  ModRM, imm8         R  it writes reg     N  it writes rm
 * I  ModRM, imm32, writes reg
 * b  imm8     z  imm32   w  imm16             q  32-bit distance
 * B  imm8, writes rax    A  imm32, writes rax
 * o  writes the register in the opcode        e  and rax
 * p  its low byte, from imm8                  O  from imm32 or imm64
 * a  writes rax          d  rdx               t  both            u  all from rax to rbx
 * s  string: writes rax, rcx, rsi, rdi        l  leave           k  ModRM, writes rm, rax
 * g  the reg field of ModRM shows                                 f  x87 */
static const char one_byte[] = "MMrrBA..MMrrBA.."
			       "MMrrBA..MMrrBA.."
			       "MMrrBA..MMrrBA.."
			       "MMrrBA..mmmmbz.."
			       "................"
			       "00000000oooooooo"
			       "...r....zIbi...."
			       "bbbbbbbbbbbbbbbb"
			       "gg.gmmxxMMrrMrm."
			       "0eeeeeeead..000a"
			       "....ssssbzssssss"
			       "ppppppppOOOOOOOO"
			       "ggw0..gg.lw00b.0"
			       "gggg....ffffffff"
			       "bbbbBBbbqq.baa00"
			       "....00gg000000gg";
static const char two_byte[] = ".....0.....0.m.."
			       "mmmmmmmmm......m"
			       "........mmmmrrmm"
			       ".t.............."
			       "rrrrrrrrrrrrrrrr"
			       "rmmmmmmmmmmmmmmm"
			       "mmmmmmmmmmmmmmmm"
			       "iiiimmm0....mmMm"
			       "qqqqqqqqqqqqqqqq"
			       "MMMMMMMMMMMMMMMM"
			       "00umNM..00.MNMgr"
			       "kk.M..rrrmgMrrrr"
			       "xximiRigoooooooo"
			       "mmmmmmmrmmmmmmmm"
			       "mmmmmmmmmmmmmmmm"
			       "mmmmmmmmmmmmmmm.";

/* Which prefixes make an instruction of it: 1 none, 2 66, 4 f3, 8 f2. */
static const char two_byte_prefixes[] = "0000010000010100"
					"fff333731000000f"
					"0000000033c3cc33"
					"0100000000000000"
					"3333333333333333"
					"3f553333fff7ffff"
					"3333333333332237"
					"f22233310000aa77"
					"dddddddddddddddd"
					"1111111111111111"
					"1113330011033313"
					"1303003341337733"
					"13f1333111111111"
					"a333332333333333"
					"333333e333333333"
					"8333333333333330";

/* Opcodes of two bytes that exist only with memory, or only without. */
static bool suits_operand(const struct x86_state *d, const struct x86_insn *insn)
{
	switch (insn->opcode) {
	case 0x12:
	case 0x16: return insn->is_memory || !(d->flags & X86_SIZE16);
	case 0x0d:
	case 0x18: return insn->is_memory && (insn->reg & 7) <= (insn->opcode == 0x0d ? 1 : 3);
	case 0x13:
	case 0x17:
	case 0x2b:
	case 0xc3:
	case 0xe7:
	case 0xf0: return insn->is_memory;
	case 0x50:
	case 0xc5:
	case 0xd7:
	case 0xf7: return !insn->is_memory;
	case 0x71:
	case 0x72: return !insn->is_memory && (insn->reg & 7) >= 2 && !(insn->reg & 1);
	case 0x73: return !insn->is_memory && (insn->reg & 2);
	}
	return true;
}

static unsigned hex_digit(char c)
{
	return (unsigned)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

static bool take_two_bytes(struct x86_state *d, struct x86_insn *out)
{
	unsigned prefix = d->flags & X86_REP    ? 4 :
			  d->flags & X86_REPNE  ? 8 :
			  d->flags & X86_SIZE16 ? 2 :
						  1;

	out->map = X86_0F;
	if (out->opcode == 0x1e && d->flags & X86_REP) /* endbr64 */
		return x86_take_byte(d) == 0xfa && !(d->flags & X86_SIZE16);
	if (out->opcode == 0x01 && !(d->flags & X86_REPEAT) &&
	    !(d->flags & X86_SIZE16)) { /* xgetbv; xtest */
		uint8_t which = x86_take_byte(d);
		out->writes = which == 0xd0 ? x86_bit(X86_RAX) | x86_bit(X86_RDX) : 0;
		return which == 0xd0 || which == 0xd6;
	}
	if (d->flags & X86_REPEAT && d->flags & X86_SIZE16 && out->opcode != 0x1f)
		return false;
	if (!(hex_digit(two_byte_prefixes[out->opcode]) & prefix))
		return false;
	bool ok = x86_take_operands(d, two_byte[out->opcode], out);
	if (out->opcode == 0x7e && d->flags & X86_REPEAT) /* movq between vector registers */
		out->writes = 0;
	return ok && suits_operand(d, out);
}

/* Strings; pause; near branches, where it says bnd or nothing. */
static bool suits_repeat(const struct x86_state *d, const struct x86_insn *out)
{
	uint8_t op = out->opcode;

	if (op == 0xff)
		return (out->reg & 7) == 2 || (out->reg & 7) == 4;
	return one_byte[op] == 's' ||
	       (op == 0x90 && d->flags & X86_REP && !(d->flags & X86_SIZE16)) ||
	       (op & 0xf0) == 0x70 || (op & 0xfe) == 0xc2 || (op & 0xfe) == 0xe8 || op == 0xeb;
}

static bool take_behind_opcode(struct x86_state *d, struct x86_insn *out)
{
	if (d->flags & X86_ESCAPED && out->opcode == 0x38)
		return x86_decode_0f38(d, out);
	if (d->flags & X86_ESCAPED && out->opcode == 0x3a)
		return x86_decode_0f3a(d, out);
	if (d->flags & X86_ESCAPED)
		return take_two_bytes(d, out);
	if (out->opcode == 0xc4 || out->opcode == 0xc5)
		return x86_decode_vex(d, out->opcode, out);
	if (out->opcode == 0x62)
		return x86_decode_evex(d, out);
	if (!x86_take_operands(d, one_byte[out->opcode], out) ||
	    (d->flags & X86_REPEAT && !suits_repeat(d, out)))
		return false;
	if ((out->opcode & 0xfd) == 0x8c) /* mov with a segment register; to cs is none */
		return out->reg <= 5 && (out->opcode == 0x8c || out->reg != 1);
	return out->opcode != 0x8d || out->is_memory;
}

/* What follows the opcode, and whether all of it is certain to be an instruction. */
static bool take_insn(struct x86_state *d, struct x86_insn *out)
{
	*out = (struct x86_insn){.base = X86_NO_REGISTER,
				 .index = X86_NO_REGISTER,
				 .scale = 1,
				 .opcode = d->opcode,
				 .map = d->flags & X86_ESCAPED ? X86_0F : X86_ONE_BYTE,
				 .wide = d->rex & 8,
				 .segment = d->flags & X86_SEGMENT};
	if (d->flags & X86_REX2 || !take_behind_opcode(d, out) || d->flags & X86_CUT)
		return false;
	/* LLVM takes an address size for part of some opcodes that have no address. */
	if (d->flags & X86_ADDRESS32 &&
	    (out->base == X86_RIP || (!out->is_memory && out->map != X86_ONE_BYTE)))
		return false;
	out->size = (uint8_t)(d->at - d->begin);
	return true;
}

/* ---- the plainest instructions ---- */

/* What follows the opcode, by the letter of its form: bytes of an immediate, and whether there is a
 * ModRM byte.  The others, 0, are not among the plainest. */
enum { PLAIN = 16, PLAIN_MODRM = 32, PLAIN_BYTES = 15 };
static const uint8_t plain_forms[128] = {
	['m'] = PLAIN | PLAIN_MODRM,
	['r'] = PLAIN | PLAIN_MODRM,
	['M'] = PLAIN | PLAIN_MODRM,
	['x'] = PLAIN | PLAIN_MODRM,
	['i'] = PLAIN | PLAIN_MODRM | 1,
	['R'] = PLAIN | PLAIN_MODRM | 1,
	['N'] = PLAIN | PLAIN_MODRM | 1,
	['I'] = PLAIN | PLAIN_MODRM | 4,
	['b'] = PLAIN | 1,
	['B'] = PLAIN | 1,
	['p'] = PLAIN | 1,
	['z'] = PLAIN | 4,
	['A'] = PLAIN | 4,
	['q'] = PLAIN | 4,
	['O'] = PLAIN | 4,
	['o'] = PLAIN,
	['0'] = PLAIN,
};

/* For an opcode of one byte; 0: what its form does not show is to be looked at, too. */
static unsigned plain_one_byte(unsigned op, unsigned modrm)
{
	switch (op) {
	case 0x80:
	case 0x83: /* arithmetic with an immediate */ return PLAIN | PLAIN_MODRM | 1;
	case 0x81: return PLAIN | PLAIN_MODRM | 4;
	case 0xc7: /* mov */ return modrm & 0x38 ? 0 : PLAIN | PLAIN_MODRM | 4;
	case 0x8d: /* lea: of memory only */ return modrm < 0xc0 ? PLAIN | PLAIN_MODRM : 0;
	case 0x8c:
	case 0x8e:
	case 0x90:
	case 0xcd:
	case 0xe0:
	case 0xe1:
	case 0xe2:
	case 0xe3: return 0;
	}
	unsigned form = plain_forms[(uint8_t)one_byte[op]];
	/* What has no operands can be of any kind: of these only push and ret. */
	return form != PLAIN || one_byte[op] == 'o' || (op & 0xf8) == 0x50 || op == 0xc3 ? form : 0;
}

/* After 0f: cmov, jcc, setcc, movzx, movsx, imul. */
static unsigned plain_two_bytes(unsigned op)
{
	bool plain =
		op >> 4 == 4 || op >> 4 == 8 || op >> 4 == 9 || (op & 0xf6) == 0xb6 || op == 0xaf;

	return plain ? plain_forms[(uint8_t)two_byte[op]] : 0;
}

/* How long a memory operand is after its ModRM byte: by the byte without its middle. */
static unsigned behind_modrm(const uint8_t *modrm)
{
	static const uint8_t lengths[4][8] = {
		{0, 0, 0, 0, 1, 4, 0, 0}, {1, 1, 1, 1, 2, 1, 1, 1}, {4, 4, 4, 4, 5, 4, 4, 4}, {0}};
	unsigned length = lengths[*modrm >> 6][*modrm & 7];

	return (*modrm & 0xc7) == X86_RSP && (modrm[1] & 7) == X86_RBP ?
		       5 :
		       length; /* no base, but four bytes */
}

/* Without ModRM: pushes, pops, immediates, near branches. */
static struct insn plain_branch(unsigned op, bool escaped, const uint8_t *end, unsigned immediate,
				uint64_t next)
{
	enum insn_kind kind = INSN_NEXT;

	if (escaped || op >> 4 == 7)
		kind = INSN_CONDITIONAL;
	else if (op == 0xc3)
		return (struct insn){.kind = INSN_RETURN};
	else if (op >= 0xe8)
		kind = op == 0xe8 ? INSN_CALL : INSN_JUMP;
	if (kind == INSN_NEXT)
		return (struct insn){.kind = INSN_NEXT};
	uint64_t distance =
		immediate == 1 ? sign_extend(end[-1], 8) : sign_extend(le32(end - 4), 32);
	return (struct insn){.kind = (uint8_t)kind, .target = next + distance};
}

/* The plainest instructions, which most are: no prefix but REX, and nothing but their opcode to
 * look at.  `begin` has the 15 bytes that an instruction can have at most.  False: it is another
 * one, or none. */
static bool take_plain(const uint8_t *begin, uint64_t at, struct insn *out)
{
	const uint8_t *p = begin;
	unsigned rex = (*p & 0xf0) == 0x40 ? *p++ : 0, op = *p++;
	bool escaped = op == 0x0f;

	if (escaped)
		op = *p++;
	unsigned form = escaped ? plain_two_bytes(op) : plain_one_byte(op, *p),
		 immediate = form & PLAIN_BYTES;
	if (!form)
		return false;
	if (form & PLAIN_MODRM) {
		const uint8_t *behind = p + 1;
		bool relative = (*p & 0xc7) == X86_RBP;
		p = behind + behind_modrm(p) + immediate;
		uint64_t next = at + (uint64_t)(p - begin);
		*out = (struct insn){.kind = INSN_NEXT,
				     .target = relative ? next + sign_extend(le32(behind), 32) : 0};
	} else {
		p += rex & 8 && one_byte[op] == 'O' ? 8 : immediate;
		*out = plain_branch(op, escaped, p, immediate, at + (uint64_t)(p - begin));
	}
	out->size = (uint8_t)(p - begin);
	return true;
}

/* ---- prefixes and kinds ---- */

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
 * byte, whose highest bit represents 0f. */
static inline struct x86_state begin(struct bytes code)
{
	code = bytes_first(code, LONGEST);
	const uint8_t *at = code.data,
		      *end = code.size ? at + code.size : at; /* nothing can be at NULL */
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
static inline struct insn relative(struct x86_state d, enum insn_kind kind, size_t size,
				   uint64_t at)
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
	case 2: /* call */ return INSN_CALL_INDIRECT;
	case 4: /* jmp */ return INSN_JUMP_INDIRECT;
	case 3: /* far call, far jmp: through memory only */
		return is_register ? INSN_NEXT : INSN_CALL_INDIRECT;
	case 5: return is_register ? INSN_NEXT : INSN_JUMP_INDIRECT;
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
	case 0x35: /* sysexit */ return of_kind(INSN_SYSTEM);
	case 0x0b: /* ud2, ud1, ud0 */
	case 0xb9:
	case 0xff: return of_kind(INSN_TRAP);
	case 0x1f: return (struct insn){.nop = true};
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

/* APX: the only jump to an address that is in the instruction. */
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
		return (struct insn){.nop = !(d.flags & X86_REPEAT) && !(d.rex & 1) &&
					    !(d.flags & X86_REX2)};
	case 0xa1: return d.flags & X86_REX2 ? jmpabs(d) : of_kind(INSN_NEXT);
	case 0xc2: /* ret imm16, retf imm16 */
	case 0xca: return of_kind(left < 2 ? INSN_NEXT : INSN_RETURN);
	case 0xc3: /* ret, retf, iret */
	case 0xcb:
	case 0xcf: return of_kind(INSN_RETURN);
	case 0xc7: return xbegin(d, at);
	case 0xcc: /* int3, int1: what catches it can continue */
	case 0xf1: return of_kind(INSN_SYSTEM);
	case 0xcd: /* int imm8 */ return of_kind(left < 1 ? INSN_NEXT : INSN_SYSTEM);
	case 0xe0:
	case 0xe1:
	case 0xe2:
	case 0xe3: return loop(d, at);
	case 0xe8: return relative(d, INSN_CALL, 4, at);
	case 0xe9: return relative(d, INSN_JUMP, 4, at);
	case 0xeb: return relative(d, INSN_JUMP, 1, at);
	case 0xf4: /* hlt */ return of_kind(INSN_TRAP);
	case 0xff: return of_kind(group_5(d));
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
	if (!take_insn(&d, &operands))
		return insn;
	insn.size = operands.size;
	if (!insn.target)
		insn.target = x86_relative_address(&operands, at + insn.size);
	return insn;
}

struct insn insn_x86(struct bytes code, uint64_t at)
{
	struct insn insn;

	return code.size >= LONGEST && take_plain(code.data, at, &insn) ? insn : any_insn(code, at);
}

bool x86_decode(struct bytes code, struct x86_insn *out)
{
	struct x86_state d = begin(code);
	bool known = take_insn(&d, out);

	if (!is_lock(d))
		return known;
	out->size = 1;
	return true;
}

uint64_t x86_relative_address(const struct x86_insn *insn, uint64_t end)
{
	return insn->is_memory && insn->base == X86_RIP ? end + (uint64_t)insn->displacement : 0;
}
