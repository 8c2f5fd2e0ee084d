/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Writes src/isa/x86_vectors.inc: which VEX and EVEX encodings are instructions.
 *
 * Each combination of map, opcode, prefix, W and length is tried with random registers and
 * operands: what LLVM and Zydis both take every time, and as long as each other, is certain.
 *
 *   cc -D_GNU_SOURCE -I. scripts/make-x86-vectors.c src/isa/llvm.c -lZydis -ldl -o make && ./make >
 *   src/isa/x86_vectors.inc
 */
#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/isa/llvm.h"
#include "src/isa/x86_state.h"
#include "tests/support/prng.h"

#define TRIES 40

static struct llvm_context llvm;
static ZydisDecoder zydis;
static struct prng prng = {1};

/* What a combination leaves open is random. */
struct tried {
	bool evex, memory;
	unsigned map, opcode, pp, length, wide, digit;
	unsigned flags; /* VECTOR_... that are tried: what the others would allow is left out */
};

static unsigned dice(unsigned below)
{
	return (unsigned)prng_below(&prng, below);
}

static unsigned operand_register(const struct tried *t)
{
	if (!(t->flags & VECTOR_OPERAND))
		return 0;
	return dice(t->flags & VECTOR_LOW ? 8 : 16);
}

static size_t put_vex(const struct tried *t, uint8_t *out)
{
	unsigned vvvv = ~operand_register(t) & 15;
	unsigned high = t->flags & VECTOR_LOW ? 7 : dice(8);

	out[0] = 0xc4;
	out[1] = (uint8_t)(high << 5 | t->map);
	out[2] = (uint8_t)(t->wide << 7 | vvvv << 3 | t->length << 2 | t->pp);
	return 3;
}

static size_t put_evex(const struct tried *t, uint8_t *out)
{
	unsigned vvvv = ~operand_register(t) & 15,
		 fifth = t->flags & VECTOR_OPERAND && !(t->flags & VECTOR_LOW) ? dice(2) : 1;
	unsigned high = t->flags & VECTOR_LOW ? 15 : dice(16);
	unsigned mask = t->flags & (VECTOR_MASK | VECTOR_ZERO) ? 1 + dice(7) : 0;

	out[0] = 0x62;
	out[1] = (uint8_t)(high << 4 | t->map);
	out[2] = (uint8_t)(t->wide << 7 | vvvv << 3 | 4 | t->pp);
	out[3] = (uint8_t)(!!(t->flags & VECTOR_ZERO) << 7 | t->length << 5 |
			   !!(t->flags & VECTOR_BROADCAST) << 4 | fifth << 3 | mask);
	return 4;
}

/* Random operands; true if both take it for as long as they take each other. */
static bool try_once(const struct tried *t)
{
	uint8_t code[16];
	ZydisDecodedInstruction insn;
	size_t at = t->evex ? put_evex(t, code) : put_vex(t, code);

	code[at++] = (uint8_t)t->opcode;
	unsigned reg = t->digit < 8 ? t->digit : dice(8);
	code[at++] = (uint8_t)((t->memory ? dice(3) : 3) << 6 | reg << 3 | dice(8));
	while (at < sizeof(code))
		code[at++] = (uint8_t)dice(256);
	size_t size = llvm_length(&llvm, (struct bytes){code, sizeof(code)}, 0x1000);
	return size &&
	       ZYAN_SUCCESS(
		       ZydisDecoderDecodeInstruction(&zydis, NULL, code, sizeof(code), &insn)) &&
	       insn.length == size;
}

static bool is_certain(const struct tried *t)
{
	for (int i = 0; i < TRIES; i++)
		if (!try_once(t))
			return false;
	return true;
}

/* W and length as bits. */
static unsigned shapes(struct tried t)
{
	unsigned found = 0;

	for (unsigned shape = 0; shape < (t.evex ? 6u : 4u); shape++) {
		t.wide = shape & 1;
		t.length = shape >> 1;
		found |= (unsigned)is_certain(&t) << shape;
	}
	return found;
}

/* The freedom that leaves most shapes: a second register operand, or one of the low ones. */
static unsigned best_shapes(struct tried *t)
{
	static const unsigned freedoms[] = {VECTOR_OPERAND, 0, VECTOR_OPERAND | VECTOR_LOW,
					    VECTOR_LOW};

	for (size_t i = 0; i < 4; i++) {
		t->flags = freedoms[i];
		unsigned found = shapes(*t);
		if (found)
			return found;
	}
	return 0;
}

/* The masks that all of its shapes allow. */
static unsigned more_flags(struct tried t, unsigned found)
{
	static const unsigned flags[] = {VECTOR_MASK, VECTOR_ZERO, VECTOR_BROADCAST};
	unsigned free = t.flags, more = 0;

	for (size_t i = 0; t.evex && found && i < 3; i++) {
		t.flags = free | flags[i];
		if ((flags[i] != VECTOR_BROADCAST || t.memory) && (shapes(t) & found) == found)
			more |= flags[i];
	}
	return free | more;
}

static struct x86_vector row_of(struct tried t)
{
	struct x86_vector row = {0};

	t.memory = true;
	row.memory = (uint8_t)best_shapes(&t);
	row.memory_flags = row.memory ? (uint8_t)more_flags(t, row.memory) : 0;
	t.memory = false;
	row.registers = (uint8_t)best_shapes(&t);
	row.register_flags = row.registers ? (uint8_t)more_flags(t, row.registers) : 0;
	return row;
}

/* All digits in the middle of ModRM, or those that are alike. */
static struct x86_vector any_digit(struct tried t)
{
	t.digit = 8;
	struct x86_vector best = row_of(t);

	best.digits = 0xff;
	if (best.memory || best.registers)
		return best;
	for (t.digit = 0; t.digit < 8; t.digit++) {
		struct x86_vector row = row_of(t);
		row.digits = best.digits;
		if ((row.memory || row.registers) && best.digits == 0xff)
			best = row, best.digits = 0;
		else if (memcmp(&row, &best, sizeof(row)))
			continue;
		best.digits |= (uint8_t)(1u << t.digit);
	}
	return best;
}

static void write_table(const char *name, bool evex)
{
	unsigned rows = 0;

	printf("static const struct x86_vector %s[VECTOR_ROWS] = {", name);
	for (unsigned key = 0; key < VECTOR_ROWS; key++) {
		struct tried t = {.evex = evex,
				  .map = 1 + key / 1024,
				  .opcode = key / 4 % 256,
				  .pp = key % 4};
		bool has_modrm = evex || t.map != 1 || t.opcode != 0x77; /* vzeroupper */
		struct x86_vector row = has_modrm ? any_digit(t) : (struct x86_vector){0};
		if (row.memory || row.registers)
			printf("%sROW(%u, 0x%02x, %u, 0x%02x, 0x%02x, 0x%02x, 0x%02x, 0x%02x),",
			       rows++ % 3 ? " " : "\n\t", t.map, t.opcode, t.pp, row.memory,
			       row.memory_flags, row.registers, row.register_flags, row.digits);
	}
	printf("\n};\n");
}

int main(void)
{
	if (!llvm_open(&llvm))
		return 1;
	ZydisDecoderInit(&zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	printf("/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */\n"
	       "/* Made by scripts/make-x86-vectors.c with %s and Zydis %u.%u. */\n",
	       llvm_loaded(), (unsigned)ZYDIS_VERSION_MAJOR(ZydisGetVersion()),
	       (unsigned)ZYDIS_VERSION_MINOR(ZydisGetVersion()));
	write_table("vex_rows", false);
	write_table("evex_rows", true);
	llvm_close(&llvm);
	return 0;
}
