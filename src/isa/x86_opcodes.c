/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The form of an opcode is a letter in a table: which operands follow it and
 * which general registers it writes (Intel's manual, volume 2, appendix A). */
#include "src/isa/machines.h"
#include "src/isa/x86_state.h"

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
 * g  the reg field of ModRM tells                                 f  x87 */
static const char one_byte[] =
	"MMrrBA..MMrrBA.." "MMrrBA..MMrrBA.." "MMrrBA..MMrrBA.." "MMrrBA..mmmmbz.."
	"................" "00000000oooooooo" "...r....zIbi...." "bbbbbbbbbbbbbbbb"
	"gg.gmmxxMMrrMrm." "0eeeeeeead..000a" "....ssssbzssssss" "ppppppppOOOOOOOO"
	"ggw0..gg.lw00b.0" "gggg....ffffffff" "bbbbBBbbqq.baa00" "....00gg000000gg";
static const char two_byte[] =
	".....0.....0.m.." "mmmmmmmmm......m" "........mmmmrrmm" ".t.............."
	"rrrrrrrrrrrrrrrr" "rmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "iiiimmm0....mmMm"
	"qqqqqqqqqqqqqqqq" "MMMMMMMMMMMMMMMM" "00umNM..00.MNMgr" "kk.M..rrrmgMrrrr"
	"xximiRigoooooooo" "mmmmmmmrmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmm.";

/* Which prefixes make an instruction of it: 1 none, 2 66, 4 f3, 8 f2. */
static const char two_byte_prefixes[] =
	"0000010000010100" "fff333731000000f" "0000000033c3cc33" "0100000000000000"
	"3333333333333333" "3f553333fff7ffff" "3333333333332237" "f22233310000aa77"
	"dddddddddddddddd" "1111111111111111" "1113330011033313" "1303003341337733"
	"13f1333111111111" "a333332333333333" "333333e333333333" "8333333333333330";

/* Opcodes of two bytes that exist only with memory, or only without. */
static bool suits_operand(const struct x86_state *d, const struct x86_insn *insn)
{
	switch (insn->opcode) {
	case 0x12:
	case 0x16:
		return insn->is_memory || !(d->flags & X86_SIZE16);
	case 0x0d:
	case 0x18:
		return insn->is_memory && (insn->reg & 7) <= (insn->opcode == 0x0d ? 1 : 3);
	case 0x13:
	case 0x17:
	case 0x2b:
	case 0xc3:
	case 0xe7:
	case 0xf0:
		return insn->is_memory;
	case 0x50:
	case 0xc5:
	case 0xd7:
	case 0xf7:
		return !insn->is_memory;
	case 0x71:
	case 0x72:
		return !insn->is_memory && (insn->reg & 7) >= 2 && !(insn->reg & 1);
	case 0x73:
		return !insn->is_memory && (insn->reg & 2);
	}
	return true;
}

static unsigned hex_digit(char c)
{
	return (unsigned)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

static bool take_two_bytes(struct x86_state *d, struct x86_insn *out)
{
	unsigned prefix = d->flags & X86_REP ? 4 : d->flags & X86_REPNE ? 8 : d->flags & X86_SIZE16 ? 2 : 1;

	out->map = X86_0F;
	if (out->opcode == 0x1e && d->flags & X86_REP) /* endbr64 */
		return x86_take_byte(d) == 0xfa && !(d->flags & X86_SIZE16);
	if (out->opcode == 0x01 && !(d->flags & X86_REPEAT) && !(d->flags & X86_SIZE16)) { /* xgetbv; xtest */
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
	return one_byte[op] == 's' || (op == 0x90 && d->flags & X86_REP && !(d->flags & X86_SIZE16)) || (op & 0xf0) == 0x70 ||
	       (op & 0xfe) == 0xc2 || (op & 0xfe) == 0xe8 || op == 0xeb;
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
	if (!x86_take_operands(d, one_byte[out->opcode], out) || (d->flags & X86_REPEAT && !suits_repeat(d, out)))
		return false;
	if ((out->opcode & 0xfd) == 0x8c) /* mov with a segment register; to cs is none */
		return out->reg <= 5 && (out->opcode == 0x8c || out->reg != 1);
	return out->opcode != 0x8d || out->is_memory;
}

bool x86_take_insn(struct x86_state *d, struct x86_insn *out)
{
	*out = (struct x86_insn){.base = X86_NO_REGISTER, .index = X86_NO_REGISTER, .scale = 1,
				 .opcode = d->opcode, .map = d->flags & X86_ESCAPED ? X86_0F : X86_ONE_BYTE,
				 .wide = d->rex & 8, .segment = d->flags & X86_SEGMENT};
	if (d->flags & X86_REX2 || !take_behind_opcode(d, out) || d->flags & X86_CUT)
		return false;
	/* LLVM takes an address size for part of some opcodes that have no address. */
	if (d->flags & X86_ADDRESS32 && (out->base == X86_RIP || (!out->is_memory && out->map != X86_ONE_BYTE)))
		return false;
	out->size = (uint8_t)(d->at - d->begin);
	return true;
}

/* ---- the plainest instructions ---- */

/* What follows the opcode, by the letter of its form: bytes of an immediate, and whether there is a ModRM byte.  The others, 0, are not
 * among the plainest. */
enum { PLAIN = 16, PLAIN_MODRM = 32, PLAIN_BYTES = 15 };
static const uint8_t plain_forms[128] = {
	['m'] = PLAIN | PLAIN_MODRM,     ['r'] = PLAIN | PLAIN_MODRM,     ['M'] = PLAIN | PLAIN_MODRM,     ['x'] = PLAIN | PLAIN_MODRM,
	['i'] = PLAIN | PLAIN_MODRM | 1, ['R'] = PLAIN | PLAIN_MODRM | 1, ['N'] = PLAIN | PLAIN_MODRM | 1, ['I'] = PLAIN | PLAIN_MODRM | 4,
	['b'] = PLAIN | 1,               ['B'] = PLAIN | 1,               ['p'] = PLAIN | 1,               ['z'] = PLAIN | 4,
	['A'] = PLAIN | 4,               ['q'] = PLAIN | 4,               ['O'] = PLAIN | 4,               ['o'] = PLAIN,
	['0'] = PLAIN,
};

/* Of an opcode of one byte; 0: what its form does not tell is to be looked at, too. */
static unsigned plain_one_byte(unsigned op, unsigned modrm)
{
	switch (op) {
	case 0x80: case 0x83: /* arithmetic with an immediate */
		return PLAIN | PLAIN_MODRM | 1;
	case 0x81:
		return PLAIN | PLAIN_MODRM | 4;
	case 0xc7: /* mov */
		return modrm & 0x38 ? 0 : PLAIN | PLAIN_MODRM | 4;
	case 0x8d: /* lea: of memory only */
		return modrm < 0xc0 ? PLAIN | PLAIN_MODRM : 0;
	case 0x8c: case 0x8e: case 0x90: case 0xcd: case 0xe0: case 0xe1: case 0xe2: case 0xe3:
		return 0;
	}
	unsigned form = plain_forms[(uint8_t)one_byte[op]];
	/* What has no operands can be of any kind: of these only push and ret. */
	return form != PLAIN || one_byte[op] == 'o' || (op & 0xf8) == 0x50 || op == 0xc3 ? form : 0;
}

/* Behind 0f: cmov, jcc, setcc, movzx, movsx, imul. */
static unsigned plain_two_bytes(unsigned op)
{
	bool plain = op >> 4 == 4 || op >> 4 == 8 || op >> 4 == 9 || (op & 0xf6) == 0xb6 || op == 0xaf;

	return plain ? plain_forms[(uint8_t)two_byte[op]] : 0;
}

/* How long a memory operand is behind its ModRM byte: by the byte without its middle. */
static unsigned behind_modrm(const uint8_t *modrm)
{
	static const uint8_t lengths[4][8] = {{0, 0, 0, 0, 1, 4, 0, 0}, {1, 1, 1, 1, 2, 1, 1, 1}, {4, 4, 4, 4, 5, 4, 4, 4}, {0}};
	unsigned length = lengths[*modrm >> 6][*modrm & 7];

	return (*modrm & 0xc7) == X86_RSP && (modrm[1] & 7) == X86_RBP ? 5 : length; /* no base, but four bytes */
}

/* Without ModRM: pushes, pops, immediates, near branches. */
static struct insn plain_kind(unsigned op, bool escaped, const uint8_t *end, unsigned immediate, uint64_t next)
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
	uint64_t distance = immediate == 1 ? sign_extend(end[-1], 8) : sign_extend(le32(end - 4), 32);
	return (struct insn){.kind = (uint8_t)kind, .target = next + distance};
}

bool x86_take_plain(const uint8_t *begin, uint64_t at, struct insn *out)
{
	const uint8_t *p = begin;
	unsigned rex = (*p & 0xf0) == 0x40 ? *p++ : 0, op = *p++;
	bool escaped = op == 0x0f;

	if (escaped)
		op = *p++;
	unsigned form = escaped ? plain_two_bytes(op) : plain_one_byte(op, *p), immediate = form & PLAIN_BYTES;
	if (!form)
		return false;
	if (form & PLAIN_MODRM) {
		const uint8_t *behind = p + 1;
		bool relative = (*p & 0xc7) == X86_RBP;
		p = behind + behind_modrm(p) + immediate;
		uint64_t next = at + (uint64_t)(p - begin);
		*out = (struct insn){.kind = INSN_NEXT, .target = relative ? next + sign_extend(le32(behind), 32) : 0};
	} else {
		p += rex & 8 && one_byte[op] == 'O' ? 8 : immediate;
		*out = plain_kind(op, escaped, p, immediate, at + (uint64_t)(p - begin));
	}
	out->size = (uint8_t)(p - begin);
	return true;
}
