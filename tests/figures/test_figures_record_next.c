/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command that `record` proposes: with which binary, and with which input binary.  By hand, of
 * inputs/demo. */
#include <stdlib.h>
#include <string.h>

#include "src/base/counts.h"
#include "src/figures/record_summary.h"
#include "tests/support/cmocka.h"

#define DEMO BATCONV_SOURCE_DIR "/inputs/demo/demo"

/* The last line of the summary, for free(). */
static char *next_of(struct recorded_binary *binaries, size_t count, bool seeks_input, bool by_name)
{
	const struct record_shards shards = {.binaries = {binaries, count, count}};
	const struct record_result result = {.shards = &shards,
					     .command_code = -1,
					     .seeks_input = seeks_input,
					     .only_command = !by_name};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	record_summary(&result, true, false, out);
	assert_int_equal(fclose(out), 0);
	assert_true(size && text[size - 1] == '\n');
	text[size - 1] = '\0';
	const char *line = strrchr(text, '\n');
	assert_non_null(line);
	memmove(text, line + 1, strlen(line));
	return text;
}

/* A directory of shards with those of most samples first, as they are when a recording ends. */
static void test_binary(void **state)
{
	static const struct {
		const char *paths[3];
		int bolted;       /* which; -1: none */
		bool by_name;     /* the binaries were asked for */
		const char *name; /* NULL: no command */
	} rows[] = {
		{{"/lib/libc.so.6", "/lib/ld-linux.so.2", "/opt/prog"}, -1, false, "/opt/prog"},
		{{"/opt/hot", "/lib/libc.so.6", "/opt/prog"}, -1, false, "/opt/hot"},
		{{"/opt/hot", "/opt/libown.so", "/opt/prog"}, 1, false, "/opt/libown.so"},
		{{"/opt/libown.so", "/opt/libother.so"}, -1, true, "/opt/libown.so"},
		{{"/lib/libc.so.6", "/lib/ld-linux.so.2"}, -1, false, NULL},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct recorded_binary binaries[3] = {0};
		char shard[] = "dir/shard", begin[64];
		size_t count = 0;
		for (; count < 3 && rows[i].paths[count]; count++)
			binaries[count] = (struct recorded_binary){
				.path = (char *)(uintptr_t)rows[i].paths[count],
				.bolted = (int)count == rows[i].bolted,
				.samples = 100 - count,
				.shards = 1,
				.file = shard};
		char *line = next_of(binaries, count, true, rows[i].by_name);
		if (!rows[i].name) {
			assert_null(strstr(line, "next: "));
			free(line);
			continue;
		}
		snprintf(begin, sizeof(begin), "next: batconv %s dir/shard -o ", rows[i].name);
		if (strncmp(line, begin, strlen(begin)) != 0)
			fail_msg("row %zu: %s", i, line);
		free(line);
	}
}

/* Basic samples need the input binary. */
static void test_input(void **state)
{
	char path[] = DEMO ".bolt", file[] = "dir/shard";
	struct recorded_binary binary = {.path = path,
					 .bolted = true,
					 .plain = true,
					 .samples = 100,
					 .shards = 1,
					 .file = file};

	(void)state;
	char *line = next_of(&binary, 1, true, true);
	assert_string_equal(line, "next: batconv " DEMO ".bolt dir/shard --input=" DEMO
				  " -o demo.bolt.fdata");
	free(line);
	line = next_of(&binary, 1, false, true);
	assert_string_equal(line, "next: batconv " DEMO ".bolt dir/shard --input=INPUT -o "
				  "demo.bolt.fdata, where INPUT is the binary that llvm-bolt read");
	free(line);
	binary.plain = false;
	line = next_of(&binary, 1, true, true);
	assert_string_equal(line, "next: batconv " DEMO ".bolt dir/shard -o demo.bolt.fdata");
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_binary),
					   cmocka_unit_test(test_input)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
