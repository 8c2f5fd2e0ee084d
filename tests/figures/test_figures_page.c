/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/page.h"

#include <stdlib.h>
#include <unistd.h>

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
	assert_int_equal(count(page,
			       "<script type=\"application/json\" id=\"data\">" PAGE_PLACEHOLDER
			       "</script>"),
			 1);
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

/* Puts a value of three bytes into a list, with `more` bytes elsewhere.  Was it added? */
static bool put(struct page_part *part, size_t more, struct json *list)
{
	bool added;

	assert_true(part_begin(part));
	json_number(&part->json, NULL, 123);
	assert_true(part_end(part, more, list, &added));
	return added;
}

static void values_are_added_while_they_fit(void **state)
{
	struct page_part part = {.room = 24};
	char *text = NULL;
	size_t size = 0;
	struct json list = {.out = open_memstream(&text, &size), .page = true};

	(void)state;
	json_open(&list, NULL, '[');
	assert_true(put(&part, 0, &list));
	assert_int_equal(part.room, 20); /* a comma, too */
	assert_false(put(&part, 17, &list));
	assert_int_equal(part.room, 20);
	assert_true(put(&part, 12, &list));
	assert_true(put(&part, 0, &list)); /* 4 bytes are as many as there are */
	assert_int_equal(part.room, 0);
	assert_false(put(&part, 0, &list));
	part.room = 3;
	assert_false(put(&part, 0, &list));
	json_close(&list, ']');
	fclose(list.out);
	assert_string_equal(text, "[123,123,123]");
	free(text);
}

/* A stream whose last bytes cannot be written shows so when it is closed only. */
static void a_value_that_is_not_whole_is_not_added(void **state)
{
	struct page_part part = {.room = 24, .json = {.out = tmpfile(), .page = true}};
	char *text = NULL;
	size_t size = 0;
	struct json list = {.out = open_memstream(&text, &size), .page = true};
	bool added;

	(void)state;
	json_number(&part.json, NULL, 123);
	assert_int_equal(close(fileno(part.json.out)), 0);
	assert_false(part_end(&part, 0, &list, &added));
	assert_false(added);
	assert_int_equal(part.room, 24);
	fclose(list.out);
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_template_has_one_place_for_data),
		cmocka_unit_test(data_stand_in_the_place),
		cmocka_unit_test(values_are_added_while_they_fit),
		cmocka_unit_test(a_value_that_is_not_whole_is_not_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
