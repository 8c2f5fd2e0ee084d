/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which llvm-bolt is found: programs are shell scripts in a folder of the test's own. */
#include "src/flow/bolt_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/own_folder.h"

static char folder[128]; /* in which the test runs */

/* What llvm-bolt 22 prints, shortened. */
static const char release_22[] = "Debian LLVM version 22.1.8\n  Optimized build.\n"
				 "BOLT revision <unknown>\n\n  Registered Targets:\n"
				 "    aarch64    - AArch64 (little endian)\n"
				 "    aarch64_32 - AArch64 (little endian ILP32)\n"
				 "    x86        - 32-bit X86: Pentium-Pro and above\n"
				 "    x86-64     - 64-bit X86: EM64T and AMD64\n";

static void write_program(const char *name, const char *body)
{
	char text[2048];

	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", body);
	put_file(name, text);
	assert_int_equal(chmod(name, 0755), 0);
}

static void remove_program(const char *name)
{
	assert_int_equal(unlink(name), 0);
}

/* The name of what is found in PATH, or NULL. */
static const char *found(enum bolt_feature feature)
{
	static struct bolt_program program;
	struct bc_error err;

	if (!bolt_program_find(NULL, feature, &program, &err)) {
		assert_int_equal(err.code, BC_NOTFOUND);
		return NULL;
	}
	return strncmp(program.path, folder, strlen(folder)) ? program.path :
							       program.path + strlen(folder) + 1;
}

static void test_path(void **state)
{
	(void)state;
	setenv("PATH", folder, 1);
	unsetenv("LLVM_BOLT");
	write_program("llvm-bolt-16", "");
	assert_string_equal(found(BOLT_READS_PROFILES), "llvm-bolt-16");
	write_program("llvm-bolt-19", "");
	write_program("llvm-bolt-22", "");
	assert_string_equal(found(BOLT_READS_PROFILES), "llvm-bolt-22");
	assert_string_equal(found(BOLT_WRITES_HASHES), "llvm-bolt-22");
	remove_program("llvm-bolt-22");
	assert_string_equal(found(BOLT_WRITES_HASHES), "llvm-bolt-19");
	remove_program("llvm-bolt-19");
	/* What Debian has, or nothing, but no 16. */
	const char *other = found(BOLT_WRITES_HASHES);
	assert_true(!other || strcmp(other, "llvm-bolt-16") != 0);
	write_program("llvm-bolt", "");
	assert_string_equal(found(BOLT_WRITES_HASHES), "llvm-bolt");
	remove_program("llvm-bolt");
	remove_program("llvm-bolt-16");
}

static void test_named(void **state)
{
	struct bolt_program program;
	struct bc_error err;

	(void)state;
	setenv("LLVM_BOLT", "/bin/sh", 1);
	assert_true(bolt_program_find(NULL, BOLT_CDSORT, &program, &err));
	assert_string_equal(program.path, "/bin/sh");
	assert_false(bolt_program_find("/", BOLT_CDSORT, &program, &err));
	assert_int_equal(err.code, BC_NOTFOUND);
	assert_string_equal(err.text, "/: is no program (--llvm-bolt)");
	setenv("LLVM_BOLT", "/no/such", 1);
	assert_false(bolt_program_find(NULL, BOLT_CDSORT, &program, &err));
	assert_string_equal(err.text, "/no/such: is no program ($LLVM_BOLT)");
	assert_true(bolt_program_find("/bin/sh", BOLT_CDSORT, &program, &err));
	unsetenv("LLVM_BOLT");
}

static void test_version(void **state)
{
	static const char *const none[] = {
		"",
		"BOLT",
		"LLVM version 22.1\n",
		"LLVM version x.1\nBOLT\n",
		"LLVM version 123456.1\nBOLT\n",
		"LLVM version 22.000000000000000000000000000000\nBOLT\n"};
	struct bolt_program program = {0};

	(void)state;
	assert_true(bolt_program_read_version(text_of(release_22), &program));
	assert_string_equal(program.version, "22.1.8");
	assert_int_equal(program.release, 22);
	assert_true(program.x86_64 && program.aarch64 && !program.riscv64);
	assert_true(bolt_program_read_version(text_of("LLVM version 24.0.0git\nBOLT"), &program));
	assert_string_equal(program.version, "24.0.0git");
	assert_int_equal(program.release, 24);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_false(bolt_program_read_version(text_of(none[i]), &program));
}

/* The error of a program of this body, asked for its version, without its path; NULL: none. */
static const char *answer(const char *body, struct bolt_program *program)
{
	static struct bc_error err;

	write_program("asked", body);
	*program = (struct bolt_program){0};
	snprintf(program->path, sizeof(program->path), "%s/asked", folder);
	bool ok = bolt_program_ask(program, &err);
	remove_program("asked");
	return ok ? NULL : err.text + strlen(program->path);
}

static void test_ask(void **state)
{
	struct bolt_program program;
	char body[1024];

	(void)state;
	setenv("PATH", "/usr/bin:/bin", 1);
	snprintf(body, sizeof(body), "[ \"$1\" = --version ] && cat <<E\n%sE", release_22);
	assert_null(answer(body, &program));
	assert_int_equal(program.release, 22);
	assert_string_equal(answer("echo clang version 22", &program),
			    ": is no llvm-bolt: --version names no release of BOLT");
	assert_string_equal(answer("exit 3", &program), " --version: ended with exit code 3");
	assert_string_equal(answer("kill -9 $$", &program), " --version: ended with signal 9");
	assert_string_equal(answer("exec yes", &program), " --version: ended with signal 9");
	assert_string_equal(answer("cat", &program),
			    ": is no llvm-bolt: --version names no release of BOLT");
	snprintf(program.path, sizeof(program.path), "%s", folder);
	struct bc_error err;
	assert_false(bolt_program_ask(&program, &err));
	assert_int_equal(err.code, BC_IO);
}

static void test_features(void **state)
{
	(void)state;
	assert_int_equal(bolt_release_with(BOLT_READS_PROFILES), 14);
	assert_int_equal(bolt_release_with(BOLT_CDSORT), 18);
	assert_int_equal(bolt_release_with(BOLT_WRITES_HASHES), 19);
}

static int enter(void **state)
{
	return enter_folder(state) != 0 || !getcwd(folder, sizeof(folder));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path),     cmocka_unit_test(test_named),
		cmocka_unit_test(test_version),  cmocka_unit_test(test_ask),
		cmocka_unit_test(test_features),
	};

	return cmocka_run_group_tests(tests, enter, leave_folder);
}
