/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Commands for the shell: paths that it would cut or read as options, and options of both lengths. */
#include "src/inspect/advice.h"

#include <string.h>

#include "tests/support/cmocka.h"

static void assert_swap(const char *option, const char *one, const char *other, const char *command)
{
	const struct given files[] = {
		{.place = PLACE_BINARY, .path = one, .facts = {.read = true, .kind = FILE_SAMPLES}},
		{.place = PLACE_SAMPLES, .option = option, .path = other, .facts = {.read = true, .kind = FILE_BINARY, .opened = true}},
	};
	struct advice advice = {0};

	assert_true(advise(&(struct situation){.command = "convert", .files = files, .count = BC_COUNT(files)}, &advice));
	assert_string_equal(advice.about, one);
	assert_string_equal(advice.command, command);
}

static void words_of_the_shell(void **state)
{
	(void)state;
	assert_swap(NULL, "perf.data", "prog", "batconv prog perf.data -o prog.fdata");
	assert_swap("-p", "perf.data", "prog", "batconv prog -p perf.data -o prog.fdata");
	assert_swap("--samples", "perf.data", "prog", "batconv prog --samples=perf.data -o prog.fdata");
	assert_swap(NULL, "my perf.data", "it's", "batconv 'it'\\''s' 'my perf.data' -o prog.fdata");
	assert_swap(NULL, "-data", "$prog", "batconv '$prog' ./-data -o prog.fdata");
	assert_swap(NULL, "perf\n.data", "prog", ""); /* nobody can paste it */
}

/* A map without counts is taken with --force-map only, so that the command needs it; and its profile is not praised. */
static void compilers_guesses(void **state)
{
	struct outcome_files files = {.binary = "prog", .from_compiler = true, .forced = true};
	struct advice advice = {0};

	(void)state;
	advise_outcome(OUTCOME_DOUBTED, false, &files, &advice);
	assert_ptr_equal(strstr(advice.command, "batconv --force-map --from-compiler=prog -o prog.fdata && llvm-bolt prog "), advice.command);
	assert_non_null(strstr(advice.sentence, "the program can become slower"));
	files.forced = false;
	advise_outcome(OUTCOME_FIRST, false, &files, &advice);
	assert_ptr_equal(strstr(advice.command, "batconv --from-compiler=prog -o prog.fdata && llvm-bolt prog "), advice.command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_the_shell),
		cmocka_unit_test(compilers_guesses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
