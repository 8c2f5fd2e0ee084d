/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the functions of a file put together by hand must be. */
#ifndef TESTS_ELF_TEST_ELF_WANT_H
#define TESTS_ELF_TEST_ELF_WANT_H

#include "src/elf/functions.h"
#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"

#define TEXT      0x1000
#define TEXT_SIZE 0x100

#define CODE(address_) .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR, .addr = (address_)
#define DATA(address_) .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_WRITE, .addr = (address_)

#define LOCAL_FUNC(name_, at, size_)  {name_, at, size_, STT_FUNC, STB_LOCAL, ".text"}
#define GLOBAL_FUNC(name_, at, size_) {name_, at, size_, STT_FUNC, STB_GLOBAL, ".text"}
#define LABEL(name_, at)              {name_, at, 0, STT_NOTYPE, STB_LOCAL, ".text"}
#define FILE_SYMBOL(name_)            {name_, 0, 0, STT_FILE, STB_LOCAL, "*ABS*"}

/* What is expected of one function. */
struct want {
	uint64_t address, size, extent;
	const char *primary, *printed;
};

struct fixture {
	struct bytes file;
	struct image image;
	struct function_table table;
};

static inline struct fixture open_recipe(const struct build_elf *recipe)
{
	struct fixture f = {.file = build_elf(recipe)};
	struct bc_error err = {0};

	if (!image_open(f.file, &f.image, &err) ||
	    !functions_build(&f.image, NUMBERS_BY_ADDRESS, &f.table, &err))
		fail_msg("%s", err.text);
	return f;
}

static inline void close_fixture(struct fixture *f)
{
	functions_free(&f->table);
	image_close(&f->image);
	build_elf_free(&f->file);
}

static inline void check(const struct build_elf *recipe, const struct want *want, size_t count)
{
	struct fixture f = open_recipe(recipe);

	for (size_t i = 0; i < count && i < f.table.count; i++) {
		const struct function *got = &f.table.at[i];
		const char *printed = want[i].printed ? want[i].printed : want[i].primary;
		assert_string_equal(got->primary, want[i].primary);
		assert_string_equal(got->printed, printed);
		assert_int_equal(got->address, want[i].address);
		assert_int_equal(got->size, want[i].size);
		assert_int_equal(function_extent(&f.table, got), want[i].extent);
	}
	assert_int_equal(f.table.count, count);
	close_fixture(&f);
}

#endif
