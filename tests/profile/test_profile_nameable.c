/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names that fdata and YAML can hold, by their rules: merge-fdata reads lines, YAML is UTF-8. */
#include "src/profile/profile.h"

#include <elf.h>
#include <stdlib.h>

#include "tests/support/cmocka.h"

static void test_names(void **state)
{
	(void)state;
	assert_true(name_is_allowed("a\nb", 0));
	assert_false(name_is_allowed("a\nb", NAMES_ONE_LINE));
	assert_true(name_is_allowed("a\nb", NAMES_UTF8));
	assert_true(name_is_allowed("a\xff", NAMES_ONE_LINE));
	assert_false(name_is_allowed("a\xff", NAMES_UTF8));
	assert_true(name_is_allowed("\xc3\xa4", NAMES_ONE_LINE | NAMES_UTF8));
	assert_false(name_is_allowed("\xc3\xa4\n", NAMES_ONE_LINE | NAMES_UTF8));
}

/* The names of a file are read where its table of strings has a byte that matters. */
static void test_names_of_a_file(void **state)
{
	static uint8_t strings[] = "\0a\nb";
	struct section section = {.type = SHT_STRTAB, .size = sizeof(strings)};
	const struct image image = {
		.file = {strings, sizeof(strings)}, .sections = &section, .section_count = 1};
	struct function f = {.size = 1, .extent = 1, .printed = (const char *)strings + 1};
	struct function_table functions = {.at = &f, .count = 1};
	struct code_marks marks;

	(void)state;
	assert_true(functions_index(&functions));
	assert_true(nameable_find(&functions, &image, NAMES_ONE_LINE, &marks));
	assert_true(*code_marks_of(&marks, (struct code_number){0}));
	free(marks.at);
	assert_true(nameable_find(&functions, &image, NAMES_UTF8, &marks));
	assert_null(marks.at);
	free(functions.index.below);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names),
					   cmocka_unit_test(test_names_of_a_file)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
