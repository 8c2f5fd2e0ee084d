/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tiny binary is all nops of one byte: insert what is wanted. */
#include <inttypes.h>
#include <string.h>

#include "src/flow/traces.h"

#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

static struct tiny_binary tiny;
static struct insn_starts starts;
static struct decoder decoder;

static int setup(void **state)
{
	struct bc_error err;

	(void)state;
	tiny_binary_init(&tiny);
	assert_true(insn_starts_open(&starts, &tiny.binary, &err));
	decoder_open(MACHINE_X86_64, &decoder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	decoder_close(&decoder);
	insn_starts_close(&starts);
	tiny_binary_fini(&tiny);
	return 0;
}

static void put(uint64_t at, const char *bytes, size_t size)
{
	memcpy(&tiny.code[at - TINY_BASE], bytes, size);
}

static struct output_place place(uint64_t at)
{
	return binary_place(&tiny.binary, (struct vaddr){at}, NULL);
}

static enum insn_verdict begins(uint64_t at)
{
	return insn_begins(&starts, &decoder, place(at));
}

static enum insn_verdict follows(uint64_t at)
{
	return insn_follows_call(&starts, &decoder, place(at));
}

static void beginnings(void **state)
{
	(void)state;
	put(0x1110, "\xb8\xc3\xc3\xc3\xc3", 5); /* mov $0xc3c3c3c3, %eax */
	assert_int_equal(begins(0x1100), INSN_YES);
	assert_int_equal(begins(0x1110), INSN_YES);
	for (uint64_t at = 0x1111; at < 0x1115; at++)
		assert_int_equal(begins(at), INSN_NO);
	assert_int_equal(begins(0x1115), INSN_YES);
	assert_int_equal(begins(0x1204), INSN_UNSURE); /* a PLT entry */
}

/* After what the decoder does not know nothing is, up to the next entry of the table. */
static void unknown_code(void **state)
{
	(void)state;
	put(0x1104, "\x06", 1);
	put(0x1014, "\x06", 1);
	assert_int_equal(begins(0x1103), INSN_YES);
	assert_int_equal(begins(0x1104), INSN_YES);
	for (uint64_t at = 0x1105; at < 0x1140; at++)
		assert_int_equal(begins(at), INSN_UNSURE);
	assert_int_equal(begins(0x1018), INSN_UNSURE);
	assert_int_equal(begins(0x101c), INSN_YES);
}

static void entries_are_believed(void **state)
{
	(void)state;
	put(0x102e, "\xb8\x90\x90\x90\x90", 5); /* reaches over the entry 0x30 */
	assert_int_equal(begins(0x102f), INSN_NO);
	assert_int_equal(begins(0x1030), INSN_YES);
}

static void calls(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		enum insn_verdict verdict;
	} code[] = {
		{"\xe8\x00\x01\x00\x00", 5, INSN_YES},
		{"\xff\xd0", 2, INSN_YES},                     /* call *%rax */
		{"\x41\xff\x54\x24\x08", 5, INSN_YES},         /* call *8(%r12) */
		{"\xff\x15\x00\x10\x00\x00", 6, INSN_YES},     /* call *slot(%rip) */
		{"\xff\x94\xc3\x00\x00\x00\x00", 7, INSN_YES}, /* call *0(%rbx,%rax,8) */
		{"\xe9\x00\x01\x00\x00", 5, INSN_NO},          /* jmp */
		{"\xff\xe0", 2, INSN_NO},                      /* jmp *%rax */
		{"\xb8\xe8\x00\x00\x00", 5, INSN_NO}, /* mov: with the byte of a call in it */
		{"\x48\xb8\xe8\x00\x00\x00\x00\x00\x00\x00", 10, INSN_NO},
		{"\xe8\x00\x01\x00\x00\x90", 6, INSN_NO}, /* an instruction between */
		{"\xcd\x80", 2, INSN_NO},
		{"\x0f\x05", 2, INSN_NO},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(code); i++) {
		for (uint64_t at = 0x1020; at <= 0x1120;
		     at += 0x100) { /* in `hot` and in `plain` */
			teardown(NULL);
			setup(NULL);
			put(at, code[i].bytes, code[i].size);
			if (follows(at + code[i].size) != code[i].verdict)
				fail_msg("code %zu at %" PRIx64, i, at);
			assert_int_equal(follows(at), INSN_NO);
		}
	}
}

/* The longest instruction that there is, 15 bytes, is still seen from its end. */
static void the_longest(void **state)
{
	(void)state;
	put(0x1120, "\x66\x66\x66\x66\x66\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", 15); /* nopw */
	assert_int_equal(begins(0x112e), INSN_NO);
	assert_int_equal(follows(0x112f), INSN_NO);
}

/* The call must be of the same function: what begins one is not returned to. */
static void of_the_same_function(void **state)
{
	(void)state;
	put(0x10fb, "\xe8\x00\x01\x00\x00", 5);
	assert_int_equal(follows(0x1100), INSN_NO);
	assert_int_equal(follows(0x1400), INSN_NO);
	assert_int_equal(follows(0x1206), INSN_NO); /* a PLT entry */
}

static void a_call_behind_unknown_code(void **state)
{
	(void)state;
	put(0x1104, "\x06", 1);
	put(0x1110, "\xe8\x00\x01\x00\x00", 5);
	assert_int_equal(follows(0x1115), INSN_UNSURE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(beginnings),
		TEST(unknown_code),
		TEST(entries_are_believed),
		TEST(calls),
		TEST(the_longest),
		TEST(of_the_same_function),
		TEST(a_call_behind_unknown_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
