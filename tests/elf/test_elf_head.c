/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is read of a file that somebody else may change, and the digest of its code in steps. */
#define _GNU_SOURCE /* memfd_create() */
#include "src/elf/binary.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/build_elf.h"
#include "tests/support/check_head.h"
#include "tests/support/cmocka.h"

static uint8_t code[3 * CODE_DIGEST_PIECE + 7];

static struct bytes program(void)
{
	static const struct build_section sections[] = {
		{.name = ".text",
		 .type = SHT_PROGBITS,
		 .flags = SHF_ALLOC | SHF_EXECINSTR,
		 .addr = 0x1000,
		 .data = code,
		 .size = sizeof(code)},
		{0},
	};

	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)(i * 7);
	return build_elf(&(struct build_elf){.sections = sections});
}

static void the_head_says_what_the_whole_does(void **state)
{
	struct bytes file = program();

	(void)state;
	assert_true(check_head(file));
	for (size_t size = 0; size < 200; size++)
		assert_int_equal(check_head((struct bytes){file.data, size}), false);
	build_elf_free(&file);
}

static int open_bytes(const void *data, size_t size)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	return fd;
}

/* An ELF file of one executable segment. */
static int large_file(uint64_t size)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr code;
	} file = {.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_DYN,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_phoff = sizeof(Elf64_Ehdr),
			   .e_ehsize = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 1},
		  .code = {.p_type = PT_LOAD,
			   .p_flags = PF_R | PF_X,
			   .p_filesz = size,
			   .p_memsz = size,
			   .p_align = 0x1000}};
	int fd = open_bytes(&file, sizeof(file));

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

/* The result, after so many bytes were cut off its end. */
static enum code_digest_step digest(int fd, off_t cut_to)
{
	struct binary head = {0};
	struct bc_error err = {0};
	struct build_id id = {0};
	struct code_digester digester;
	enum code_digest_step step = CODE_DIGEST_MORE;
	size_t count;

	assert_true(binary_read_head(fd, "file", &head, &err));
	struct code_segment *segments = code_segments_of(&head.image, &count);
	assert_non_null(segments);
	assert_true(code_digest_begin(&digester, fd, &head.image, segments, count));
	if (cut_to)
		assert_int_equal(ftruncate(fd, cut_to), 0);
	while (step == CODE_DIGEST_MORE)
		step = code_digest_step(&digester, &id);
	free(segments);
	binary_close(&head);
	return step;
}

static long blocks_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (long)st.st_blocks;
}

static void holes_are_not_read(void **state)
{
	int fd = large_file((uint64_t)300 << 20);
	long before = blocks_of(fd);

	(void)state;
	assert_int_equal(digest(fd, 0), CODE_DIGEST_LARGE);
	assert_int_equal(blocks_of(fd), before); /* of a tmpfs, they would take memory */
	close(fd);
	fd = large_file((uint64_t)1 << 20);
	assert_int_equal(digest(fd, 0), CODE_DIGEST_DONE);
	close(fd);
}

static void a_terabyte_of_code_is_too_much(void **state)
{
	int fd = large_file((uint64_t)1 << 40);

	(void)state;
	assert_int_equal(digest(fd, 0), CODE_DIGEST_LARGE);
	close(fd);
}

/* Anybody can make it on a tmpfs, and no address space has room for it: that is not "out of
 * memory". */
static void a_file_of_exbibytes_has_no_head(void **state)
{
	int fd = large_file((uint64_t)1 << 62);
	struct binary head = {0};
	struct bc_error err = {0};

	(void)state;
	assert_false(binary_read_head(fd, "file", &head, &err));
	assert_int_equal(err.code, BC_UNSUPPORTED);
	assert_string_equal(err.text, "file: larger than 1 TiB");
	close(fd);
}

static void a_file_that_becomes_shorter_has_no_digest(void **state)
{
	struct bytes file = program();
	int fd = open_bytes(file.data, file.size);

	(void)state;
	assert_int_equal(digest(fd, 0x2000), CODE_DIGEST_CHANGED);
	close(fd);
	build_elf_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_head_says_what_the_whole_does),
		cmocka_unit_test(holes_are_not_read),
		cmocka_unit_test(a_terabyte_of_code_is_too_much),
		cmocka_unit_test(a_file_of_exbibytes_has_no_head),
		cmocka_unit_test(a_file_that_becomes_shorter_has_no_digest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
