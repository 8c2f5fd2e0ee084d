/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Commands for the shell: paths that it would cut or read as options, and options of both lengths.
 */
#include "src/figures/advice.h"

#include <string.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

static void assert_swap(const char *option, const char *one, const char *other, const char *command)
{
	const struct given files[] = {
		{.place = PLACE_BINARY, .path = one, .facts = {.read = true, .kind = FILE_SAMPLES}},
		{.place = PLACE_SAMPLES,
		 .option = option,
		 .path = other,
		 .facts = {.read = true, .kind = FILE_BINARY, .opened = true}},
	};
	struct advice advice = {0};

	assert_true(advise(&(struct situation){.run = "batconv",
					       .output = "prog.fdata",
					       .files = files,
					       .count = BC_COUNT(files)},
			   &advice));
	assert_string_equal(advice.about, one);
	assert_string_equal(advice.command, command);
}

static void words_of_the_shell(void **state)
{
	(void)state;
	assert_swap(NULL, "perf.data", "prog", "batconv prog perf.data -o prog.fdata");
	assert_swap("p", "perf.data", "prog", "batconv prog -p perf.data -o prog.fdata");
	assert_swap("samples", "perf.data", "prog",
		    "batconv prog --samples=perf.data -o prog.fdata");
	assert_swap(NULL, "my perf.data", "it's",
		    "batconv 'it'\\''s' 'my perf.data' -o prog.fdata");
	assert_swap(NULL, "-data", "$prog", "batconv '$prog' ./-data -o prog.fdata");
	assert_swap(NULL, "perf\n.data", "prog", ""); /* nobody can paste it */
}

/* A map without counts is taken with --force-map only, so that the command needs it; and its
 * profile is not praised. */
static void compilers_guesses(void **state)
{
	struct outcome_files files = {.binary = "prog", .from_compiler = true, .forced = true};
	struct advice advice = {0};

	(void)state;
	advise_outcome(OUTCOME_DOUBTED, false, &files, &advice);
	assert_ptr_equal(
		strstr(advice.command,
		       "batconv --force-map --from-compiler=prog -o prog.fdata && llvm-bolt prog "),
		advice.command);
	assert_non_null(strstr(advice.sentence, "the program can become slower"));
	files.forced = false;
	advise_outcome(OUTCOME_FIRST, false, &files, &advice);
	assert_ptr_equal(strstr(advice.command,
				"batconv --from-compiler=prog -o prog.fdata && llvm-bolt prog "),
			 advice.command);
}

static void assert_output(const char *binary, const char *input, const char *output)
{
	const struct outcome_files files = {.binary = binary, .input = input, .profile = "p"};
	struct advice advice = {0};

	advise_outcome(OUTCOME_WRITTEN, false, &files, &advice);
	const char *found = strstr(advice.command, " -o ");
	assert_non_null(found);
	assert_memory_equal(found + strlen(" -o "), output, strlen(output));
	assert_int_equal(found[strlen(" -o ") + strlen(output)], ' ');
}

/* The next binary is written where the command runs, and never over the one that was recorded. */
static void names_of_the_next_binary(void **state)
{
	(void)state;
	assert_output("/srv/demo.bolt", "/srv/demo", "demo.bolt2");
	assert_output("demo.bolt2", "/srv/demo", "demo.bolt3");
	assert_output("new/demo", "new/demo", "demo.bolt"); /* of carry: it has not run yet */
	assert_output("demo.bolt", NULL, "prog.bolt2");
	assert_output("demo.bolt", "it's", "'it'\\''s.bolt2'");
	assert_output("demo.bolt", "-demo", "./-demo.bolt2");
}

/* llvm-bolt takes -reorder-functions only with relocations, and not for a kernel; a stripped file
 * is joined with the file of its names. */
static void assert_bolts(const struct bolt_input *input, const char *debug, const char *command)
{
	const struct outcome_files files = {
		.binary = "prog", .from_compiler = true, .bolt = input, .debug = debug};
	struct advice advice = {0};

	advise_outcome(OUTCOME_FIRST, false, &files, &advice);
	const char *behind = strstr(advice.command, " && ");
	assert_non_null(behind);
	assert_string_equal(behind + strlen(" && "), command);
}

static void what_llvm_bolt_takes(void **state)
{
	struct bolt_input input = {
		.code = true, .symbols = BOLT_SYMBOLS_FUNCTIONS, .debug = BOLT_DEBUG_PLAIN};
	const struct outcome_files files = {.binary = "prog", .bolt = &input};
	struct advice advice = {0};

	(void)state;
	assert_bolts(
		&input, NULL,
		"llvm-bolt prog -data prog.fdata -o prog.bolt -update-debug-sections -enable-bat -reorder-blocks=ext-tsp -split-functions");
	input.relocations = true;
	input.debug = BOLT_DEBUG_COMPRESSED;
	assert_bolts(
		&input, NULL,
		"llvm-bolt prog -data prog.fdata -o prog.bolt -enable-bat -reorder-blocks=ext-tsp -reorder-functions=cdsort -split-functions");
	input.kernel = true;
	assert_bolts(
		&input, NULL,
		"llvm-bolt prog -data prog.fdata -o prog.bolt -enable-bat -reorder-blocks=ext-tsp");
	input = (struct bolt_input){.code = true,
				    .build_id = true,
				    .symbols = BOLT_SYMBOLS_FUNCTIONS,
				    .machine = MACHINE_RISCV64};
	assert_bolts(
		&input, NULL,
		"llvm-bolt prog -data prog.fdata -o prog.bolt -enable-bat -reorder-blocks=ext-tsp");
	input.go = true;
	advise_outcome(OUTCOME_FIRST, false, &files, &advice);
	assert_string_equal(advice.command, "");
	assert_non_null(strstr(advice.sentence, "Go program"));
	input = (struct bolt_input){.code = true, .build_id = true};
	assert_bolts(
		&input, NULL,
		"llvm-bolt prog -data prog.fdata -o prog.bolt -allow-stripped -enable-bat -reorder-blocks=ext-tsp -split-functions");
	assert_bolts(
		&input, "prog.debug",
		"eu-unstrip prog prog.debug -o prog.unstripped && llvm-bolt prog.unstripped -data prog.fdata -o prog.bolt "
		"-enable-bat -reorder-blocks=ext-tsp -split-functions");
	advise_outcome(OUTCOME_FIRST, false, &files, &advice);
	assert_ptr_equal(
		strstr(advice.sentence,
		       "no relocations of its code: llvm-bolt cannot reorder its functions; link with -Wl,--emit-relocs"),
		advice.sentence);
	assert_non_null(strstr(advice.sentence, "; stripped: "));
	assert_non_null(strstr(advice.sentence, "; optimize the program"));
}

/* A file that is instead of samples, next to a program that is not BOLTed, or next to one
 * that is. */
static void assert_instead(enum file_kind kind, enum bolt_trace trace, const char *command)
{
	const struct given files[] = {
		{.place = PLACE_BINARY,
		 .path = "prog",
		 .facts = {.read = true,
			   .kind = FILE_BINARY,
			   .opened = true,
			   .trace = trace,
			   .bolt = {.code = true}}},
		{.place = PLACE_SAMPLES, .path = "file", .facts = {.read = true, .kind = kind}},
	};
	struct advice advice = {0};

	assert_true(advise(&(struct situation){.run = "batconv",
					       .output = "prog.fdata",
					       .files = files,
					       .count = BC_COUNT(files)},
			   &advice));
	assert_string_equal(advice.about, "file");
	assert_true(advice.wrong_kind);
	assert_string_equal(advice.command, command);
}

static void what_the_file_is_for(void **state)
{
	(void)state;
	assert_instead(FILE_RANGES, BOLT_NONE,
		       "llvm-profgen --unsymbolized-profile=file --binary=prog -o prog.prof");
	assert_instead(FILE_RANGES, BOLT_TABLE, "batconv inspect file");
	assert_instead(
		FILE_YAML, BOLT_NONE,
		"llvm-bolt prog -data file -o prog.bolt -allow-stripped -enable-bat -reorder-blocks=ext-tsp -split-functions");
	assert_instead(FILE_YAML, BOLT_TABLE, "batconv quality file");
}

/* Samples of what llvm-bolt read, or wrote, and the other one was given: the command has the one
 * that ran. */
static void assert_ran(const char *given, const char *input, const char *ran, const char *verb,
		       const char *command)
{
	struct given files[] = {
		{.place = PLACE_BINARY, .path = given},
		{.place = PLACE_SAMPLES,
		 .path = "perf.data",
		 .facts = {.read = true, .kind = FILE_SAMPLES}},
		{.place = PLACE_INPUT, .option = "input", .path = input},
	};
	const struct situation situation = {.run = "batconv",
					    .output = "prog.fdata",
					    .files = files,
					    .count = input ? 3 : 2,
					    .ran = {.path = ran}};
	struct advice advice = {0};

	file_facts_look(given, &files[0].facts);
	if (input)
		file_facts_look(input, &files[2].facts);
	assert_true(advise(&situation, &advice));
	assert_string_equal(advice.about, given);
	assert_false(advice.wrong_kind);
	assert_non_null(strstr(advice.sentence, verb));
	assert_string_equal(advice.command, command);
}

static void the_binary_that_ran(void **state)
{
	(void)state;
	assert_int_equal(chdir(BATCONV_SOURCE_DIR "/inputs/demo"), 0);
	assert_ran("demo", NULL, "demo.bolt", "which llvm-bolt made from this binary",
		   "batconv demo.bolt perf.data -o prog.fdata");
	assert_ran("demo.bolt", "demo", "demo", "which llvm-bolt read to write this binary",
		   "batconv demo perf.data -o prog.fdata");
	assert_ran("demo", NULL, "gone", "which llvm-bolt made from this binary",
		   ""); /* it is on another machine */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_the_shell),       cmocka_unit_test(compilers_guesses),
		cmocka_unit_test(names_of_the_next_binary), cmocka_unit_test(what_llvm_bolt_takes),
		cmocka_unit_test(what_the_file_is_for),     cmocka_unit_test(the_binary_that_ran),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
