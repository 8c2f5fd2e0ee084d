/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many mappings a search in all processes looks at. */
#include <stdint.h>
#define GATHERED_MOST UINT64_C(1000)
#include "src/samples/loads.c"

#include <string.h>

#include "tests/support/cmocka.h"

#define MAPPINGS 500

/* Processes 1 to `processes` share one map, in which no mapping of the binary's name fits it. */
static struct snapshots forks(uint32_t processes)
{
	struct snapshots s = {0};
	struct map_set *set = NULL;
	struct bc_error err;
	struct mapped_file demo = {0};
	uint32_t file = 0;

	assert_true(strings_intern(&s.files.texts, text_of("/srv/demo"), &demo.path));
	assert_true(mapped_files_intern(&s.files, &demo, &file));
	for (uint64_t i = 0; i < MAPPINGS; i++) {
		struct mapping m = {i * 100, i * 100 + 50, 0, file, MAPPING_EXEC};
		assert_true(map_set_replace(&set, m.start, m.end, &m));
	}
	for (uint32_t pid = 1; pid <= processes; pid++)
		assert_true(snapshots_add(&s, pid, 0, 0, set, &err));
	assert_true(snapshots_index(&s, &err));
	map_set_release(set);
	return s;
}

static enum bc_code code_of_pick(uint32_t processes, uint32_t pid, struct bc_error *err)
{
	struct snapshots s = forks(processes);
	struct image image = {0};
	struct load_choice choice = {&image, "demo", pid, LOAD_CHOICE_ANY, UINT64_MAX};
	struct maps maps;
	struct loads loads;
	uint32_t path;

	assert_false(load_choose(&s, &choice, &maps, &path, &loads, err));
	snapshots_free(&s);
	return err->code;
}

static void a_search_in_all_processes_is_bounded(void **state)
{
	struct bc_error err;

	(void)state;
	assert_int_equal(code_of_pick(2, LOAD_CHOICE_ANY, &err), BC_MISMATCH);
	assert_int_equal(code_of_pick(100, LOAD_CHOICE_ANY, &err), BC_UNSUPPORTED);
	assert_non_null(strstr(bc_error_hint(&err), "--process"));
	assert_int_equal(code_of_pick(100, 100, &err), BC_MISMATCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_search_in_all_processes_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
