/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/report/page.h"

#include <stdlib.h>

#include "tests/support/cmocka.h"

static size_t count(struct text page, const char *what)
{
	size_t found = 0;

	for (size_t at = 0; at < page.len; at++)
		found += text_starts(text_from(page, at), what);
	return found;
}

static void the_template_has_one_place_for_data(void **state)
{
	struct text page = page_template();

	(void)state;
	assert_in_range(page.len, 1, PAGE_MOST);
	assert_int_equal(count(page, PAGE_PLACEHOLDER), 1);
	assert_int_equal(count(page, "<script type=\"application/json\" id=\"data\">" PAGE_PLACEHOLDER "</script>"), 1);
	assert_int_equal(count(page, "default-src 'none'"), 1);
}

static void data_stand_in_the_place(void **state)
{
	struct text page = page_template();
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	page_write(text_of("{\"a\":1}"), out);
	fclose(out);
	assert_int_equal(size, page.len - strlen(PAGE_PLACEHOLDER) + 7);
	assert_int_equal(count((struct text){text, size}, PAGE_PLACEHOLDER), 0);
	assert_int_equal(count((struct text){text, size}, "id=\"data\">{\"a\":1}</script>"), 1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_template_has_one_place_for_data),
		cmocka_unit_test(data_stand_in_the_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
