/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/trial/counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/elf/load.h"
#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"
#include "tests/support/own_folder.h"

/* Reads a text as one file of callgrind. */
static bool read_text(const char *text, struct run_counts *sum, struct bc_error *err)
{
	struct file_stream stream = {
		.name = "text", .fd = -1, .memory = (const uint8_t *)text, .size = strlen(text)};

	return counted_read(&stream, sum, err);
}

/* Code of no file: jumps and calls count as they are listed, costs after a call elsewhere. */
static void test_unknown(void **state)
{
	static const char text[] =
		"# callgrind format\nversion: 1\n\nevents: Dr Ir I1mr\n\nob=???\nfn=f\n"
		"0x1000 0 9 10 2\n"
		"jcnd=4/10 0x1010 0\n0x1000 0\n"
		"jump=3 0x1010 0\n0x1004 0\n"
		"0x1040 0 0 5\n"
		"cfn=g\ncalls=7 0x2000\n0x1040 0 100 1000 50\n"
		"totals: 1 2 3\n";
	struct run_counts sum = {0};
	struct bc_error err;

	(void)state;
	assert_true(read_text(text, &sum, &err));
	assert_int_equal(sum.instructions, 15);
	assert_int_equal(sum.unknown, 15);
	assert_int_equal(sum.taken, 4 + 3 + 7);
	assert_int_equal(sum.line_misses, 2);
	assert_int_equal(sum.lines, 0);
}

/* Columns that are not there are 0, and a second file is added. */
static void test_sums(void **state)
{
	struct run_counts sum = {0};
	struct bc_error err;

	(void)state;
	assert_true(read_text("events: Ir\nob=/no/such/file\n0x10 0 3\n", &sum, &err));
	assert_true(read_text("events: Ir\nob=/no/such/file\n0x10 0 4\n", &sum, &err));
	assert_int_equal(sum.instructions, 7);
	assert_int_equal(sum.line_misses, 0);
}

static void test_bad(void **state)
{
	static const char *const bad[] = {"0xg 1 2\n",
					  "events: Ir\n0x10 0 x\n",
					  "jcnd=a/b 0x1 0\n",
					  "calls= 0x1\n",
					  "0x11111111111111111 0 1\n",
					  "events: Ir\n0x10 0 99999999999999999999\n"};
	struct run_counts sum = {0};
	struct bc_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_false(read_text(bad[i], &sum, &err));
		assert_int_equal(err.code, BC_FORMAT);
		assert_non_null(strstr(err.text, "no line of callgrind"));
	}
}

/* A shell that counts: the difference of two runs is that of their rounds alone, and a branch is an
 * instruction. */
static void test_of_valgrind(void **state)
{
	static const char *const scripts[] = {"i=0; while [ $i -lt 100 ]; do i=$((i+1)); done",
					      "i=0; while [ $i -lt 200 ]; do i=$((i+1)); done",
					      "i=0; while [ $i -lt 300 ]; do i=$((i+1)); done"};
	struct run_counts counted[3];
	struct bc_error err;

	(void)state;
	for (int i = 0; i < 3; i++) {
		const char *const words[] = {"{}", "-c", scripts[i]};
		struct workload workload = {.command = {words, 3}, .timeout = 120};
		if (!counted_run(&workload, "/bin/sh", &counted[i], &err) &&
		    err.code == BC_NOTFOUND) {
			print_message("no valgrind here\n");
			skip();
		}
		assert_true(counted[i].taken > 0 && counted[i].taken < counted[i].instructions / 2);
		assert_true(counted[i].lines > counted[i].pages && counted[i].pages > 0);
		assert_true(counted[i].line_misses >= counted[i].lines / 2);
	}
	uint64_t first = counted[1].instructions - counted[0].instructions;
	uint64_t second = counted[2].instructions - counted[1].instructions;
	assert_true(first > 100 * 50);
	assert_true(second > first - first / 20 && second < first + first / 20);
}

/* A valgrind that gives up at ./prog, as at debug information that it does not know, and counts any
 * other program. */
static const char gives_up[] = "#!/bin/sh\n"
			       "for word; do case $word in\n"
			       "--callgrind-out-file=*) out=${word#*=} ;;\n"
			       "esac; done\n"
			       "while [ \"${1#--}\" != \"$1\" ]; do shift; done\n"
			       "case $1 in\n"
			       "./prog) : >\"${out%%%p}$$\"; exit 1 ;;\n"
			       "*) cp \"$1\" bare; echo \"$1\" >path\n"
			       "printf 'events: Ir\\n0x10 0 5\\n' >\"${out%%%p}$$\" ;;\n"
			       "esac\n";

/* Puts this one before others.  Returns PATH as it was, for use_path(). */
static char *use_valgrind(const char *script)
{
	char here[128], path[256], *before = strdup(getenv("PATH"));

	put_file("valgrind", script);
	assert_int_equal(chmod("valgrind", 0700), 0);
	assert_true(before && getcwd(here, sizeof(here)));
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", here);
	assert_int_equal(setenv("PATH", path, 1), 0);
	return before;
}

static void use_path(char *path)
{
	assert_int_equal(setenv("PATH", path, 1), 0);
	free(path);
}

static void write_prog(const struct build_section *sections)
{
	const struct build_elf recipe = {.sections = sections};
	struct bytes bytes = build_elf(&recipe);
	FILE *file = fopen("prog", "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
	assert_int_equal(fclose(file), 0);
	build_elf_free(&bytes);
}

static bool count_prog(struct run_counts *out, struct bc_error *err)
{
	const char *const words[] = {"{}"};
	const struct workload workload = {.command = {words, 1}, .timeout = 60};

	return counted_run(&workload, "./prog", out, err);
}

/* Where valgrind gives up, it gets the same code and data without debug information. */
static void test_gives_up(void **state)
{
	static const char code[] = "\x90\xc3";
	static const struct build_section plain[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, 2, NULL, 0, NULL},
		{0}};
	static const struct build_section debug[] = {
		{".debug_line", SHT_PROGBITS, 0, 0, "line", 4, NULL, 0, NULL},
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, 2, NULL, 0, NULL},
		{".gnu_debuglink", SHT_PROGBITS, 0, 0, "link", 4, NULL, 0, NULL},
		{".comment", SHT_PROGBITS, 0, 0, "me", 2, NULL, 0, NULL},
		{0}};
	char path[512];
	struct run_counts counts;
	struct bc_error err;
	struct file_map map;
	struct image image;

	(void)state;
	char *before = use_valgrind(gives_up);
	write_prog(debug);
	assert_true(count_prog(&counts, &err));
	assert_int_equal(counts.instructions, 5);
	assert_int_equal(counts.code, 0);
	assert_true(file_map("bare", &map, &err) && image_open_map(&map, &image, &err));
	assert_null(image_section(&image, ".debug_line"));
	assert_null(image_section(&image, ".gnu_debuglink"));
	assert_non_null(image_section(&image, ".comment"));
	assert_memory_equal(image_bytes_at(&image, (struct vaddr){0x1000}).data, code, 2);
	image_close(&image);
	file_unmap(&map);
	/* The copy is not left. */
	FILE *file = fopen("path", "r");
	assert_non_null(file);
	assert_non_null(fgets(path, sizeof(path), file));
	fclose(file);
	path[strcspn(path, "\n")] = 0;
	assert_string_equal(strrchr(path, '/'), "/prog");
	assert_int_not_equal(access(path, F_OK), 0);

	write_prog(plain);
	assert_false(count_prog(&counts, &err));
	assert_string_equal(err.text, "valgrind cannot run it");
	assert_null(bc_error_hint(&err));
	use_path(before);
}

/* A valgrind of three runs, which counts 5, 9 and 6. */
static const char counts_three[] = "#!/bin/sh\n"
				   "for word; do case $word in\n"
				   "--callgrind-out-file=*) out=${word#*=} ;;\n"
				   "esac; done\n"
				   "while [ \"${1#--}\" != \"$1\" ]; do shift; done\n"
				   "echo >>runs\n"
				   "case $(wc -l <runs) in 1) n=5 ;; 2) n=9 ;; *) n=6 ;; esac\n"
				   "printf 'events: Ir\\n0x10 0 %d\\n' $n >\"${out%%%p}$$\"\n"
				   "exec \"$@\"\n";

/* A server runs three times, under load that does not run under valgrind. */
static void test_server(void **state)
{
	static const char *const serve[] = {"{}", "-c", "touch up; exec sleep 100"},
				 *const ready[] = {"test", "-e", "up"},
				 *const load[] = {"sh", "-c", "rm up; echo >>loads"},
				 *const varies[] = {"sh", "-c",
						    "rm up; echo >>loads; exit $(wc -l <loads)"};
	struct workload workload = {
		.command = {load, 3}, .serve = {serve, 3}, .ready = {ready, 3}, .timeout = 60};
	struct counted_runs counts;
	struct bc_error err;

	(void)state;
	char *before = use_valgrind(counts_three);
	if (!counted_runs(&workload, "/bin/sh", &counts, &err))
		fail_msg("%s", err.text);
	assert_int_equal(counts.median.instructions, 6);
	assert_int_equal(counts.least.instructions, 5);
	assert_int_equal(counts.most.instructions, 9);
	assert_int_equal(counts.median.unknown, 6);
	assert_holds("runs", "\n\n\n");
	assert_holds("loads", "\n\n\n");

	/* What ends otherwise each time, is not compared. */
	workload.command.words = varies;
	assert_false(counted_runs(&workload, "/bin/sh", &counts, &err));
	assert_string_equal(err.text, "under valgrind it ends with exit code 4, and with 5");

	assert_int_equal(unlink("valgrind"), 0);
	assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
	assert_false(counted_runs(&workload, "/bin/sh", &counts, &err));
	assert_int_equal(err.code, BC_NOTFOUND);
	assert_string_equal(bc_error_hint(&err), "install valgrind, or leave out --counted");
	use_path(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown),  cmocka_unit_test(test_sums),
		cmocka_unit_test(test_bad),      cmocka_unit_test(test_of_valgrind),
		cmocka_unit_test(test_gives_up), cmocka_unit_test(test_server),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
