/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a block ends: code is at the end of a page, after which nothing can be read. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "src/verify/check_code.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

struct last_page {
	uint8_t *at;
	size_t size;
};

static struct last_page map_last_page(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(at != MAP_FAILED);
	assert_int_equal(mprotect((uint8_t *)at + size, size, PROT_NONE), 0);
	return (struct last_page){at, size};
}

/* What can follow an instruction: the code's end, padding and the end, or more of the block. */
static const struct {
	enum machine machine;
	size_t size;
	const char *code;
	bool ends;
} rows[] = {
	{MACHINE_X86_64, 2, "\x89\xc8", true}, /* mov %ecx,%eax */
	{MACHINE_X86_64, 3, "\x89\xc8\x90", true},
	{MACHINE_X86_64, 5, "\x89\xc8\x90\x66\x90", true},
	{MACHINE_X86_64, 5, "\x89\xc8\x0f\x1f\x00", true}, /* nopl (%rax) */
	{MACHINE_X86_64, 11, "\x89\xc8\x66\x0f\x1f\x84\x00\0\0\0\0",
	 true}, /* nopw 0(%rax,%rax,1) */
	{MACHINE_X86_64, 12, "\x89\xc8\x66\x2e\x0f\x1f\x84\x00\0\0\0\0", true}, /* nopw %cs:... */
	{MACHINE_X86_64, 17, "\x89\xc8\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90",
	 true},
	{MACHINE_X86_64, 4, "\x89\xc8\x89\xc8", false},
	{MACHINE_X86_64, 5, "\x89\xc8\x90\x89\xc8", false},
	/* A nop that is cut is none. */
	{MACHINE_X86_64, 3, "\x89\xc8\x0f", false},
	{MACHINE_X86_64, 4, "\x89\xc8\x0f\x1f", false},
	{MACHINE_X86_64, 3, "\x89\xc8\x66", false},
	{MACHINE_X86_64, 4, "\x89\xc8\x66\x0f", false},
	{MACHINE_AARCH64, 4, "\xe0\x03\x01\xaa", true}, /* mov x0, x1 */
	{MACHINE_AARCH64, 8, "\xe0\x03\x01\xaa\x1f\x20\x03\xd5", true},
	{MACHINE_AARCH64, 8, "\xe0\x03\x01\xaa\xe0\x03\x01\xaa", false},
	{MACHINE_AARCH64, 7, "\xe0\x03\x01\xaa\x1f\x20\x03", false},
	{MACHINE_RISCV64, 4, "\x13\x85\x05\x00", true}, /* mv a0, a1 */
	{MACHINE_RISCV64, 6, "\x13\x85\x05\x00\x01\x00", true},
	{MACHINE_RISCV64, 8, "\x13\x85\x05\x00\x13\x00\x00\x00", true},
	{MACHINE_RISCV64, 8, "\x13\x85\x05\x00\x13\x85\x05\x00", false},
	{MACHINE_RISCV64, 5, "\x13\x85\x05\x00\x01", false},
	{MACHINE_RISCV64, 7, "\x13\x85\x05\x00\x13\x00\x00", false},
};

/* A branch entry is right on any instruction that a block ends with. */
static void ends_of_blocks(void **state)
{
	struct last_page page = map_last_page();
	struct bat_fragment fragment = {.entry_count = 1, .parent = BAT_NO_PARENT};
	struct bat_entry entry = {0};
	const struct binary subject = {.bat = {.fragments = &fragment,
					       .fragment_count = 1,
					       .entries = &entry,
					       .entry_count = 1}};
	const struct block_starts starts = {0};
	const struct probes probes = {0};
	const struct spot spot = {.offset = 0, .branch = true};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct bytes code = {page.at + page.size - rows[i].size, rows[i].size};
		struct decoder decoder;
		struct findings findings;
		memcpy(page.at + page.size - rows[i].size, rows[i].code, rows[i].size);
		decoder_open(rows[i].machine, &decoder);
		decoder.llvm_missing = true;
		findings_init(&findings, 1);
		code_check(&(struct code_view){.decoder = &decoder,
					       .subject = &subject,
					       .starts = &starts,
					       .probes = &probes,
					       .side = &input_side,
					       .code = code},
			   &spot, 1, &findings);
		if (findings.counts[FINDING_INPUT_NO_BRANCH] != !rows[i].ends)
			fail_msg("row %zu", i);
		findings_free(&findings);
		decoder_close(&decoder);
	}
	munmap(page.at, 2 * page.size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_of_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
