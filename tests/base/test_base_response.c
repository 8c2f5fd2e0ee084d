/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words were printed by llvm-cxxfilt 22, which gives each word that is no mangled name as it
 * is. */
#include "src/base/response.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/text.h"
#include "tests/support/cmocka.h"
#include "tests/support/own_folder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT(string) (string), sizeof(string) - 1

static const struct {
	const char *text;
	size_t size;
	const char *words; /* each ends with a '|' */
} cases[] = {
	{TEXT(""), ""},
	{TEXT(" \t\r\n"), ""},
	{TEXT("a b\tc\r\nd\n"), "a|b|c|d|"},
	{TEXT("a\0b c"), "a|c|"},
	{TEXT("a\\ b"), "a b|"},
	{TEXT("\"c \\\" d\" 'e\\\\ f' 'g\\' h'"), "c \" d|e\\ f|g' h|"},
	{TEXT("\"it's\" 'a \"b\"'"), "it's|a \"b\"|"},
	{TEXT("i\"j \"k'l'"), "ij kl|"},
	{TEXT("'' x \"\""), "x|"},
	{TEXT("''x"), "x|"},
	{TEXT("a\\\nb"), "a\nb|"},
	{TEXT("open \"quote \\"), "open|quote \\|"},
	{TEXT("open '"), "open|"},
	{TEXT("end\\"), "end\\|"},
	{TEXT("C:\\\\dir"), "C:\\dir|"},
	{TEXT("# no comment"), "#|no|comment|"},
};

static void assert_words(struct text of, enum word_rule rule, const char *expected)
{
	struct argument_vec words = {0};
	char *text = malloc(of.len + 1), got[256] = "";

	assert_non_null(text);
	memcpy(text, of.at, of.len);
	assert_true(response_words(text, of.len, rule, &words));
	for (size_t w = 0; w < words.len; w++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s|", words.at[w]);
	assert_string_equal(got, expected);
	argument_vec_free(&words);
	free(text);
}

static void words_are_llvms(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text text = {cases[i].text, cases[i].size};
		assert_words(text, WORDS_OF_LLVM, cases[i].words);
	}
}

static void empty_words_are_a_shells(void **state)
{
	(void)state;
	assert_words(text_of("--save '' --port 7"), WORDS_OF_SHELL, "--save||--port|7|");
	assert_words(text_of("\"\"'' x''y \"\""), WORDS_OF_SHELL, "|xy||");
	assert_words(text_of("  x  "), WORDS_OF_SHELL, "x|");
	assert_words(text_of("'open"), WORDS_OF_SHELL, "open|");
	assert_words(text_of(""), WORDS_OF_SHELL, "");
}

static const struct {
	const char *text;
	size_t size;
	const char *utf8; /* NULL: refused */
} encodings[] = {
	{TEXT("plain"), "plain"},
	{TEXT("\xef\xbb\xbfmarked"), "marked"},
	{TEXT("\xff\xfe"
	      "a\0\xe9\0"),
	 "a\xc3\xa9"},
	{TEXT("\xfe\xff\0a\x20\xac"), "a\xe2\x82\xac"},
	{TEXT("\xff\xfe\x3d\xd8\x00\xde"), "\xf0\x9f\x98\x80"}, /* U+1F600 */
	{TEXT("\xff\xfe"), ""},
	{TEXT("\xff\xfe"
	      "a"),
	 NULL},
	{TEXT("\xff\xfe\x00\xd8"
	      "a\0"),
	 NULL},
	{TEXT("\xff\xfe\x00\xdc"), NULL},
	{TEXT("\xff\xfe\x00\xd8"), NULL},
};

static void encodings_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(encodings); i++) {
		size_t size = encodings[i].size;
		char *text = malloc(size + 1);
		struct bc_error err;
		assert_non_null(text);
		memcpy(text, encodings[i].text, size);
		bool ok = response_utf8(&text, &size, &err);
		assert_int_equal(ok, encodings[i].utf8 != NULL);
		if (ok) {
			assert_int_equal(size, strlen(encodings[i].utf8));
			assert_memory_equal(text, encodings[i].utf8, size);
		}
		free(text);
	}
}

/* ---- files ---- */

static bool owns_until_stop(void *ctx, const char *word)
{
	(void)ctx;
	return strcmp(word, "--") != 0;
}

/* The words, each with a '|' after it, or the message. */
static const char *expand(const char *first, const char *second)
{
	static char got[1024];
	char *argv[] = {(char *)(uintptr_t)"@name", (char *)(uintptr_t)first,
			(char *)(uintptr_t)second, NULL};
	struct response response;
	struct bc_error err;

	*got = '\0';
	if (response_expand(second ? 3 : 2, argv, (struct word_owner){NULL, owns_until_stop},
			    &response, &err)) {
		assert_null(response.words.at[response.words.len]);
		for (size_t i = 0; i < response.words.len; i++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s|",
				 response.words.at[i]);
	} else {
		snprintf(got, sizeof(got), "%s", err.text);
	}
	response_free(&response);
	return got;
}

static void files_are_replaced(void **state)
{
	(void)state;
	put_file("words", "one 'two 2' @inner @none");
	put_file("inner", "three @empty four");
	put_file("empty", "");
	assert_string_equal(expand("@words", "last"), "@name|one|two 2|three|four|@none|last|");
	assert_string_equal(expand("@inner", "@inner"), "@name|three|four|three|four|");
	assert_string_equal(expand("@empty", NULL), "@name|");
	assert_string_equal(expand("-o", "@inner"), "@name|-o|three|four|");
	/* Names are relative to the working directory, as LLVM's tools have it, not to the file. */
	assert_int_equal(mkdir("below", 0777), 0);
	put_file("below/words", "@other");
	put_file("below/other", "below");
	assert_string_equal(expand("@below/words", NULL), "@name|@other|");
}

static void words_of_another_program_stay(void **state)
{
	(void)state;
	put_file("own", "a -- @own");
	assert_string_equal(expand("--", "@own"), "@name|--|@own|");
	assert_string_equal(expand("@own", "@own"), "@name|a|--|@own|@own|");
}

static void bad_files_are_refused(void **state)
{
	(void)state;
	put_file("self", "a @self");
	put_file("there", "@back");
	put_file("back", "@there");
	put_file("utf16", "\xff\xfe"
			  "a");
	assert_int_equal(mkdir("folder", 0777), 0);
	assert_int_equal(symlink("round", "round"), 0);
	assert_string_equal(expand("@self", NULL), "@self: a response file that contains itself");
	assert_string_equal(expand("@there", NULL), "@there: a response file that contains itself");
	assert_string_equal(expand("@folder", NULL), "@folder: cannot read: Is a directory");
	assert_string_equal(expand("@", NULL), "@: cannot read: Is a directory");
	assert_string_equal(expand("@round", NULL),
			    "@round: cannot open: Too many levels of symbolic links");
	assert_string_equal(expand("@self/x", NULL), "@self/x: cannot open: Not a directory");
	assert_string_equal(expand("@utf16", NULL),
			    "@utf16: begins as UTF-16 does, and is not UTF-16");
	assert_string_equal(expand("@/dev/zero", NULL),
			    "@/dev/zero: more than 64 MiB of response files");
}

/* Each names the next one twenty times: without a bound 20^8 words. */
static void sizes_are_bounded(void **state)
{
	char name[32], text[512];

	(void)state;
	for (int i = 0; i < 8; i++) {
		size_t length = 0;
		for (int n = 0; n < 20; n++)
			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   "@level%d ", i + 1);
		snprintf(name, sizeof(name), "level%d", i);
		put_file(name, text);
	}
	put_file("level8", "word");
	assert_string_equal(expand("@level7", NULL) + strlen("@name|"),
			    "word|word|word|word|word|word|word|word|word|word|"
			    "word|word|word|word|word|word|word|word|word|word|");
	assert_non_null(strstr(expand("@level0", NULL), ": too many response files"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_llvms),
		cmocka_unit_test(empty_words_are_a_shells),
		cmocka_unit_test(encodings_are_read),
		cmocka_unit_test(files_are_replaced),
		cmocka_unit_test(words_of_another_program_stay),
		cmocka_unit_test(bad_files_are_refused),
		cmocka_unit_test(sizes_are_bounded),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
