/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines of fdata become keys and lines again. */
#include <stdlib.h>
#include <string.h>

#include "src/base/hex.h"
#include "src/profile/fdata.h"
#include "src/profile/text_input.h"
#include "tests/support/cmocka.h"

#define LINE_MOST 256

/* Zeroed after the newline, as a reader's buffer may be. */
struct expected_line {
	char text[LINE_MOST + TEXT_AFTER];
	size_t length; /* without the newline */
};

static struct expected_line line_of(const char *text)
{
	struct expected_line line = {.length = strlen(text)};

	assert_true(line.length + 1 < LINE_MOST);
	memcpy(line.text, text, line.length);
	line.text[line.length] = '\n';
	return line;
}

/* The item of a line, with a key of its own. */
static void read_line(const char *text, struct key *key, struct profile_item *item)
{
	const struct expected_line line = line_of(text);
	const char *why = NULL, *at = line.text;
	struct key names = {0};
	struct fdata_line read;

	if (!fdata_read(&at, MODE_BRANCHES, &names, &read, &why))
		fail_msg("%s: %s", text, why);
	assert_ptr_equal(at, line.text + line.length + 1);
	assert_true(fdata_item(&read, key, item));
	key_free(&names);
}

static void assert_written(const struct fdata_line *line, const char *text)
{
	struct emit out;

	emit_init(&out, NULL);
	fdata_write(line, &out);
	assert_false(out.failed);
	assert_int_equal(out.used, strlen(text) + 1);
	assert_memory_equal(out.at, text, out.used - 1);
	emit_free(&out);
}

/* What is written of a line, and of the key that it becomes, is that line. */
static void comes_back(const char *text)
{
	const struct expected_line line = line_of(text);
	const char *why = NULL, *at = line.text;
	struct key names = {0}, key = {0};
	struct profile_item item;
	struct fdata_line read;

	if (!fdata_read(&at, MODE_BRANCHES, &names, &read, &why))
		fail_msg("%s: %s", text, why);
	assert_written(&read, text);
	key_free(&names);
	read_line(text, &key, &item);
	read = fdata_of_item(&item);
	assert_written(&read, text);
	key_free(&key);
}

static bool same_key(const char *a, const char *b)
{
	struct key keys[2] = {{0}, {0}};
	struct profile_item items[2];

	read_line(a, &keys[0], &items[0]);
	read_line(b, &keys[1], &items[1]);
	bool same = items[0].size == items[1].size &&
		    !memcmp(items[0].key, items[1].key, items[0].size);
	key_free(&keys[0]);
	key_free(&keys[1]);
	return same;
}

static const char *const names[] = {
	"ax",    "a\\x",  "a\\\\x",   "a\\ x",    "a\\\\\\x",   "a\\\\\\\\x", "\\x",
	"\\\\x", "x\\\\", "x\\\\\\ ", "a\\x\\ y", "a\\\\x\\ y", "a\\1",       "a\\\xff",
};

/* What is before a name and after it. */
static const struct {
	const char *before, *behind;
} forms[] = {
	{"1 ", " 0 1 b 4 1 5"},
	{"1 b 8 1 ", " 0 0 7"},
	{"0 [unknown] 0 2 ", " c 2 3"},
	{"4 ", " 0 5 d 8 2"},
};
#define FORMS BC_COUNT(forms)

static const char *form(size_t number, const char *name, char *out)
{
	snprintf(out, LINE_MOST, "%s%s%s", forms[number].before, name, forms[number].behind);
	return out;
}

static void names_come_back(void **state)
{
	char text[LINE_MOST];

	(void)state;
	for (size_t i = 0; i < BC_COUNT(names); i++)
		for (size_t f = 0; f < FORMS; f++)
			comes_back(form(f, names[i], text));
	comes_back("1 a\\x 0 1 a\\x 4 0 1");
	comes_back("1 a\\x 0 1 a\\\\x 4 0 1");
	comes_back("1 a\\\\x 0 1 a\\x 4 0 1");
}

/* A backslash that escapes nothing makes another name than none, and than one that is escaped. */
static void names_are_apart(void **state)
{
	char a[LINE_MOST], b[LINE_MOST];

	(void)state;
	for (size_t i = 0; i < BC_COUNT(names); i++)
		for (size_t k = 0; k < BC_COUNT(names); k++)
			for (size_t f = 0; f < FORMS; f++)
				if (same_key(form(f, names[i], a), form(f, names[k], b)) !=
				    (i == k))
					fail_msg("%s and %s: %s", a, b,
						 i == k ? "two keys" : "one key");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_come_back),
		cmocka_unit_test(names_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
