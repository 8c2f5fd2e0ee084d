/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/x86_text.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/attr.h"

static bool is_one_of(const char *word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(word, list[i]))
			return true;
	return false;
}

/* r8 to r31, of any width: r8, r8d, r8w, r8b. */
static int numbered_register(const char *name, size_t size)
{
	int number = 0;
	size_t i = 1;

	while (i < size && i < 3 && name[i] >= '0' && name[i] <= '9')
		number = number * 10 + (name[i++] - '0');
	bool suffix = i + 1 == size && strchr("dwb", name[i]);
	return number >= X86_R8 && number <= X86_R31 && (i == size || suffix) ? number
									      : X86_NO_REGISTER;
}

/* rax, eax, ax, al, ah; rsi, esi, si, sil; rip */
static int register_number(const char *name, size_t size)
{
	static const char stems[] = "axcxdxbxspbpsidi";

	if (size == 3 && !memcmp(name, "rip", 3))
		return X86_RIP;
	if (size >= 2 && name[0] == 'r' && name[1] >= '0' && name[1] <= '9')
		return numbered_register(name, size);
	if (size == 3 && (name[0] == 'r' || name[0] == 'e'))
		return register_number(name + 1, 2);
	if (size == 3 && name[2] == 'l') /* sil */
		return register_number(name, 2);
	for (int i = 0; size == 2 && i < 8; i++) {
		const char *stem = &stems[2 * i];
		bool low_or_high = i < 4 && (name[1] == 'l' || name[1] == 'h');
		if (name[0] == stem[0] && (name[1] == stem[1] || low_or_high))
			return i;
	}
	return X86_NO_REGISTER;
}

static size_t name_size(const char *p)
{
	return strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789");
}

/* Read "%reg" at *p, or nothing. */
static int take_register(const char **p)
{
	if (**p != '%')
		return X86_NO_REGISTER;
	size_t size = name_size(*p + 1);
	int number = register_number(*p + 1, size);
	*p += 1 + size;
	return number;
}

/* "(base,index,scale)", of which each may be missing. */
static void take_address(const char *p, struct x86_operand *out)
{
	p++;
	out->base = take_register(&p);
	if (*p != ',')
		return;
	p += 1 + strspn(p + 1, " ");
	out->index = take_register(&p);
	if (*p == ',')
		out->scale = (int)strtol(p + 1, NULL, 10);
}

static struct x86_operand operand(const char *p)
{
	struct x86_operand o = {.kind = X86_OTHER, .reg = X86_NO_REGISTER,
				.base = X86_NO_REGISTER, .index = X86_NO_REGISTER, .scale = 1};

	if (*p == '*')
		p++;
	if (*p == '$')
		return o;
	if (*p == '%') {
		const char *end = p;
		o.reg = take_register(&end);
		if (*end != ':') {
			o.kind = X86_REGISTER;
			return o;
		}
		o.segment = true;
		p = end + 1;
	}
	char *end;
	o.displacement = (int64_t)strtoll(p, &end, 0);
	o.kind = X86_MEMORY;
	if (*end == '(')
		take_address(end, &o);
	return o;
}

/* The next operand of a list that commas part, but for those in parentheses. */
static const char *next_operand(const char *p)
{
	int depth = 0;

	for (; *p && (*p != ',' || depth); p++)
		depth += (*p == '(') - (*p == ')');
	return *p ? p + 1 : NULL;
}

/* Copy the next word; returns where it ends. */
static const char *take_word(const char *p, char *out, size_t room)
{
	p += strspn(p, " \t");
	size_t size = strcspn(p, " \t\n#");
	size_t kept = size < room ? size : 0;
	memcpy(out, p, kept);
	out[kept] = '\0';
	return p + size;
}

void x86_parse(const char *text, struct x86_text *out)
{
	static const char *const prefixes[] = {"lock", "rep", "repe", "repne", "notrack", "bnd",
					       "data16", "addr32", "xacquire", "xrelease",
					       "cs", "ds", "es", "fs", "gs", "ss", "rex64"};

	*out = (struct x86_text){0};
	const char *p = take_word(text, out->mnemonic, sizeof(out->mnemonic));
	while (is_one_of(out->mnemonic, prefixes, BC_COUNT(prefixes)))
		p = take_word(p, out->mnemonic, sizeof(out->mnemonic));
	p += strspn(p, " \t");
	while (p && *p && *p != '#' && out->count < X86_OPERANDS) {
		p += strspn(p, " \t");
		out->operands[out->count++] = operand(p);
		p = next_operand(p);
	}
}

/* Registers that an instruction writes without naming them, one bit each. */
struct implied {
	const char *mnemonic;
	uint32_t registers;
};

#define RAX (1u << X86_RAX)
#define RCX (1u << X86_RCX)
#define RDX (1u << X86_RDX)
#define RBX (1u << X86_RBX)
#define RSP (1u << X86_RSP)
#define RBP (1u << X86_RBP)
#define RSI (1u << X86_RSI)
#define RDI (1u << X86_RDI)

static const struct implied implied[] = {
	{"cbtw", RAX}, {"cwtl", RAX}, {"cltq", RAX}, {"cwtd", RDX}, {"cltd", RDX}, {"cqto", RDX},
	{"cpuid", RAX | RBX | RCX | RDX}, {"rdtsc", RAX | RDX}, {"rdtscp", RAX | RCX | RDX},
	{"rdpmc", RAX | RDX}, {"rdmsr", RAX | RDX}, {"xgetbv", RAX | RDX}, {"rdpkru", RAX | RDX},
	{"syscall", RCX | 1u << X86_R11}, {"leave", RBP | RSP}, {"lahf", RAX}, {"enter", RBP | RSP},
	{"cmpxchg8b", RAX | RDX}, {"cmpxchg16b", RAX | RDX}, {"xlatb", RAX},
};

/* By the stem of the mnemonic: a suffix for the width follows. */
static const struct implied implied_stems[] = {
	{"cmpxchg", RAX}, {"lods", RAX | RSI}, {"stos", RDI}, {"scas", RDI},
	{"mul", RAX | RDX}, {"div", RAX | RDX}, {"idiv", RAX | RDX}, {"in", RAX},
	{"xbegin", RAX},
};

/* `mnemonic` is `stem`, or that and one letter for the width. */
static bool has_stem(const char *mnemonic, const char *stem)
{
	size_t size = strlen(stem);

	return !strncmp(mnemonic, stem, size) &&
	       (!mnemonic[size] || (strchr("bwlq", mnemonic[size]) && !mnemonic[size + 1]));
}

static uint32_t implied_registers(const struct x86_text *insn)
{
	for (size_t i = 0; i < BC_COUNT(implied); i++)
		if (!strcmp(insn->mnemonic, implied[i].mnemonic))
			return implied[i].registers;
	for (size_t i = 0; i < BC_COUNT(implied_stems); i++)
		if (has_stem(insn->mnemonic, implied_stems[i].mnemonic))
			return implied_stems[i].registers;
	if (has_stem(insn->mnemonic, "imul") && insn->count == 1)
		return RAX | RDX;
	bool from_memory = insn->count && insn->operands[0].kind == X86_MEMORY;
	if (has_stem(insn->mnemonic, "movs") && from_memory &&
	    insn->operands[insn->count - 1].kind == X86_MEMORY)
		return RSI | RDI;
	return 0;
}

/* Mnemonics whose last operand is only read. */
static bool only_reads(const char *mnemonic)
{
	static const char *const stems[] = {"cmp", "test", "bt", "push", "call", "jmp", "mul",
					    "div", "idiv", "nop", "out"};

	for (size_t i = 0; i < BC_COUNT(stems); i++)
		if (has_stem(mnemonic, stems[i]))
			return true;
	return false;
}

static bool names(const struct x86_operand *operand, int reg)
{
	return operand->kind == X86_REGISTER && operand->reg == reg;
}

bool x86_writes(const struct x86_text *insn, int reg)
{
	if (reg <= X86_R31 && implied_registers(insn) >> reg & 1)
		return true;
	if (!insn->count || only_reads(insn->mnemonic))
		return false;
	if (has_stem(insn->mnemonic, "imul") && insn->count == 1)
		return false;
	if (names(&insn->operands[insn->count - 1], reg))
		return true;
	bool writes_two = has_stem(insn->mnemonic, "xchg") || has_stem(insn->mnemonic, "xadd") ||
			  has_stem(insn->mnemonic, "mulx");
	return writes_two && insn->count >= 2 && names(&insn->operands[insn->count - 2], reg);
}

bool x86_is_load(const struct x86_text *insn, const char *mnemonic)
{
	return insn->count == 2 && !strcmp(insn->mnemonic, mnemonic) &&
	       insn->operands[0].kind == X86_MEMORY && insn->operands[1].kind == X86_REGISTER;
}
