/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nop with an operand, in each form that ModRM and SIB have: its length is worked out here by the
 * tables of the processor's manual, and a gap of two such nops is padding only if both lengths are
 * right. */
#include "src/elf/functions.h"

#include <string.h>

#include "tests/support/cmocka.h"

/* Bytes after the ModRM byte: Intel SDM, volume 2, tables 2-2 and 2-3. */
static size_t operand_size(uint8_t modrm, uint8_t sib)
{
	unsigned mod = modrm >> 6, rm = modrm & 7;

	switch (mod) {
	case 0: return rm == 5 ? 4 : rm == 4 ? (sib & 7) == 5 ? 5 : 1 : 0;
	case 1: return rm == 4 ? 2 : 1;
	case 2: return rm == 4 ? 5 : 4;
	default: return 0;
	}
}

static bool fills(const uint8_t *bytes, size_t size)
{
	static const struct symbol_table none = {0};

	return padding_fills(MACHINE_X86_64,
			     (struct gap){.bytes = {bytes, size}, .address = 0x1000}, &none);
}

/* The displacement is of bytes that begin no nop: wherever the second one is looked for too early,
 * there is none. */
static size_t put_nop(uint8_t *out, uint8_t modrm, uint8_t sib)
{
	size_t size = operand_size(modrm, sib);

	memset(out, 0xf4, 3 + size);
	out[0] = 0x0f;
	out[1] = 0x1f;
	out[2] = modrm;
	if (modrm >> 6 != 3 && (modrm & 7) == 4)
		out[3] = sib;
	return 3 + size;
}

static void every_form(void **state)
{
	uint8_t bytes[32];

	(void)state;
	for (unsigned form = 0; form < 0x10000; form++) {
		uint8_t modrm = (uint8_t)form, sib = (uint8_t)(form >> 8);
		size_t size = put_nop(bytes, modrm, sib);
		bytes[size] = 0x90;
		if (!fills(bytes, size) || !fills(bytes, size + 1))
			fail_msg("modrm %02x, sib %02x", modrm, sib);
		bytes[size] = 0xf4; /* hlt */
		if (fills(bytes, size + 1) || fills(bytes, size - 1))
			fail_msg("modrm %02x, sib %02x: not %zu bytes", modrm, sib, size);
	}
}

/* 15 bytes are the most; rep makes pause of 90, REX.B xchg. */
static void prefixes(void **state)
{
	static const struct {
		size_t size;
		const char *bytes;
		bool fills;
	} rows[] = {
		{15, "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", true},
		{16, "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", false},
		{2, "\xf3\x90", false},
		{2, "\xf2\x90", false},
		{2, "\x2e\x90", true},
		{2, "\x67\x90", true},
		{2, "\x41\x90", false},
		{2, "\x40\x90", true},
		{2, "\x4e\x90", true},
		{2, "\x4f\x90", false},
		{5, "\xf3\x0f\x1f\x40\x00", true},
		{2, "\x0f\x1f", false},
		{1, "\x0f", false},
		{1, "\x66", false},
		{2, "\xeb\x00", true},
		{2, "\xeb\x01", false},
		{3, "\xeb\x01\xcc", false},
		{3, "\xeb\x01\x90", true},
		{5, "\xe9\0\0\0\0", true},
		{6, "\xe9\x01\0\0\0\x90", true},
		{5, "\xe9\x01\0\0\0", false},
		{5, "\xe8\0\0\0\0", false},
		{2, "\xeb\xfe", false},
		{3, "\xcc\xcc\xcc", true},
		{3, "\xcc\x90\xcc", false},
		{4, "\xcc\xcc\x90\0", true},
		{0, "", true},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++)
		if (fills((const uint8_t *)rows[i].bytes, rows[i].size) != rows[i].fills)
			fail_msg("row %zu", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form),
		cmocka_unit_test(prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
