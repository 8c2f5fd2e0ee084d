/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * x86-64 compared with Zydis: of every instruction of real programs and of random bytes, what is
 * certain here has the same length there, and each has the same kind and target.  With arguments,
 * reads those files instead.
 */
#include <Zydis/Zydis.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/isa/insn.h"
#include "src/isa/llvm.h"
#include "src/isa/x86_insn.h"
#include "tests/isa/programs.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

static char **given;
static int given_count;

struct comparison {
	ZydisDecoder zydis;
	uint64_t theirs; /* instructions to Zydis       */
	uint64_t both;   /* of these, certain here, too */
	uint64_t rex;    /* left out: see rex_is_ignored() */
	uint64_t wrong;
};

static bool jumps_directly(const ZydisDecodedInstruction *insn)
{
	return insn->raw.imm[0].is_relative;
}

static enum insn_kind kind_of(const ZydisDecodedInstruction *insn)
{
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_CALL: return jumps_directly(insn) ? INSN_CALL : INSN_CALL_INDIRECT;
	case ZYDIS_MNEMONIC_JMP: return jumps_directly(insn) ? INSN_JUMP : INSN_JUMP_INDIRECT;
	case ZYDIS_MNEMONIC_RET:
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ: return INSN_RETURN;
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_INT3: return INSN_SYSTEM;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT: return INSN_TRAP;
	default: return jumps_directly(insn) ? INSN_CONDITIONAL : INSN_NEXT;
	}
}

/* Where a branch leads, or what address a memory operand forms; 0 where there is neither. */
static uint64_t target_of(const ZydisDecodedInstruction *insn, uint64_t end)
{
	bool relative = (insn->attributes & ZYDIS_ATTRIB_HAS_MODRM) && !insn->raw.modrm.mod &&
			insn->raw.modrm.rm == 5;

	if (jumps_directly(insn))
		return end + (uint64_t)insn->raw.imm[0].value.s;
	return relative ? end + (uint64_t)insn->raw.disp.value : 0;
}

static bool agrees(const ZydisDecodedInstruction *theirs, struct insn ours, uint64_t at)
{
	uint64_t target = target_of(theirs, at + theirs->length);

	if ((ours.size && ours.size != theirs->length) || ours.kind != kind_of(theirs))
		return false;
	return ours.target == target || (!ours.size && !insn_is_direct(ours));
}

static bool is_prefix(uint8_t byte)
{
	return byte && strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", byte);
}

/* A processor ignores a REX in front of another prefix.  LLVM takes it for the end of the prefixes,
 * and so do we: such an instruction is never certain, and has no kind. */
static bool rex_is_ignored(struct bytes code)
{
	size_t i = 0;

	while (i < 14 && is_prefix(code.data[i]))
		i++;
	return (code.data[i] & 0xf0) == 0x40 &&
	       ((code.data[i + 1] & 0xf0) == 0x40 || is_prefix(code.data[i + 1]));
}

static void tell(const char *name, struct bytes code, uint64_t at, struct insn ours)
{
	print_message("0x%" PRIx64 " %s: here size %d kind %d target 0x%" PRIx64 "; bytes", at,
		      name, ours.size, ours.kind, ours.target);
	for (size_t i = 0; i < 15 && i < code.size; i++)
		print_message(" %02x", code.data[i]);
	print_message("\n");
}

/* Knights Corner's jumps by a mask were never of another processor, and LLVM has none of them. */
static bool decode(const struct comparison *c, struct bytes code, ZydisDecodedInstruction *out)
{
	return ZYAN_SUCCESS(
		       ZydisDecoderDecodeInstruction(&c->zydis, NULL, code.data, code.size, out)) &&
	       out->mnemonic != ZYDIS_MNEMONIC_JKZD && out->mnemonic != ZYDIS_MNEMONIC_JKNZD;
}

/* Returns the size of the instruction there, 1 if there is none. */
static size_t compare(struct comparison *c, struct bytes code, uint64_t at)
{
	ZydisDecodedInstruction theirs;
	struct insn ours = insn_decode(MACHINE_X86_64, code, at);

	if (ours.lock) /* with what follows it is one to Zydis */
		return 1;
	bool is = decode(c, code, &theirs);
	bool same = is ? agrees(&theirs, ours, at) : !ours.size;
	if (!same && is && !ours.size && ours.kind == INSN_NEXT && rex_is_ignored(code))
		c->rex++;
	else if (!same && c->wrong++ < 20)
		tell(is ? ZydisMnemonicGetString(theirs.mnemonic) : "none", code, at, ours);
	c->theirs += is;
	c->both += is && ours.size;
	return is ? theirs.length : 1;
}

static void compare_code(void *ctx, const struct image *image, struct bytes code, uint64_t at)
{
	if (image->machine != MACHINE_X86_64)
		return;
	while (code.size) {
		size_t size = compare(ctx, code, at);
		code = bytes_from(code, size);
		at += size;
	}
}

static struct comparison comparison(void)
{
	struct comparison c = {.wrong = 0};

	assert_true(ZYAN_SUCCESS(
		ZydisDecoderInit(&c.zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
	return c;
}

static void tell_figures(const char *what, const struct comparison *c)
{
	print_message("%s: %" PRIu64 " instructions, %" PRIu64 " not certain, %" PRIu64
		      " differ; %" PRIu64 " branches behind "
		      "a REX that counts for nothing\n",
		      what, c->theirs, c->theirs - c->both, c->wrong, c->rex);
}

static void programs(void **state)
{
	struct comparison c = comparison();
	struct llvm_context llvm;

	(void)state;
	if (llvm_open(&llvm)) /* libLLVM is one of the programs */
		llvm_close(&llvm);
	size_t count = each_program(given, given_count, compare_code, &c);
	print_message("%zu programs\n", count);
	tell_figures("programs", &c);
	assert_true(c.theirs > 100000 || given_count);
	assert_int_equal(c.wrong, 0);
	assert_true((c.theirs - c.both) * 1000 <=
		    c.theirs); /* LLVM is asked for one in a thousand at most */
}

static void random_bytes(void **state)
{
	struct comparison c = comparison();
	struct prng prng = {20261122};

	(void)state;
	for (int i = 0; i < 4000000; i++) {
		uint64_t words[2] = {prng_next(&prng), prng_next(&prng)};
		uint8_t code[16];
		memcpy(code, words, sizeof(code));
		random_x86(prng_next(&prng), code);
		compare(&c, (struct bytes){code, sizeof(code)}, 0x1000);
	}
	tell_figures("random", &c);
	assert_int_equal(c.wrong, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs),
		cmocka_unit_test(random_bytes),
	};

	given = argv + 1;
	given_count = argc - 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
