/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Figures of a small profile of tiny_binary.h's functions, worked out by hand.  The source is part
 * of this file, with an allocator that fails on demand. */
#include <stdlib.h>

static unsigned long allowed = ~0ul; /* allocations until one fails */

static void *failing_calloc(size_t count, size_t size)
{
	return allowed && allowed-- ? calloc(count, size) : NULL;
}

#define calloc failing_calloc
#include "src/profile/density.c"
#undef calloc

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/code/cfg.h"
#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

enum { HOT, PLAIN, EXT, COLD, OTHER };

static struct tiny_binary tiny;
static struct executed executed;
static struct cfg graphs;

static void push(struct record_batch *batch, enum record_kind kind, uint32_t from, uint32_t to,
		 uint64_t count)
{
	const struct function *entered = &tiny.functions[from];
	struct record record = {.kind = kind,
				.from = {kind == RECORD_ENTRY ? NULL : entered, 0},
				.to = {&tiny.functions[to], 0},
				.count = count};

	assert_true(record_push(batch, &tiny.binary, &record));
}

/* Ten samples in `hot`, four in `plain`, two in the PLT entry, one in `other`, which was entered
 * often. */
static void make(struct profile *profile)
{
	static uint32_t function_of[] = {HOT, COLD, OTHER, 5};
	static struct record_batch batch;
	struct bc_error err;

	tiny_binary_init(&tiny);
	tiny.binary.function_of = function_of;
	for (size_t i = 0; i < TINY_FUNCTIONS; i++)
		tiny.code[0x100 * i + 0x7f] = 0xc3; /* ret */
	memset(&batch, 0, sizeof(batch));
	push(&batch, RECORD_BRANCH, HOT, HOT, 10);
	push(&batch, RECORD_BRANCH, PLAIN, PLAIN, 4);
	push(&batch, RECORD_BRANCH, EXT, OTHER, 2);
	push(&batch, RECORD_BRANCH, OTHER, OTHER, 1);
	push(&batch, RECORD_ENTRY, OTHER, OTHER, 1000);
	assert_true(profile_build(&tiny.binary, false, &batch.records, 1, 1, profile, &err));
	assert_true(executed_make(&executed, &tiny.binary.functions));
	*executed_of(&executed, (struct code_number){HOT}) =
		0x300; /* of 0x80 bytes, and 0x80 cold ones */
	*executed_of(&executed, (struct code_number){PLAIN}) = 0x100; /* of 0x80 */
	*executed_of(&executed, (struct code_number){OTHER}) = 0x40;  /* of 0x80 */
}

static void end(struct profile *profile)
{
	cfg_free(&graphs);
	executed_free(&executed);
	profile_free(profile);
	tiny_binary_fini(&tiny);
}

static struct density measured(const struct profile *profile, uint64_t cutoff)
{
	const struct density_options options = {.cutoff = cutoff, .graphs = &graphs, .threads = 1};
	struct density figures;
	struct bc_error err;

	assert_true(density_measure(profile, &executed, &options, &figures, &err));
	return figures;
}

static void densities(void **state)
{
	struct profile profile;

	(void)state;
	make(&profile);
	struct density figures = measured(&profile, 900000); /* 13.5 of 15: hot is 3, plain 2 */
	assert_int_equal(figures.functions, 5);
	assert_int_equal(figures.profiled, 3);
	assert_int_equal(figures.non_simple, 0);
	assert_true(figures.density == 2);
	assert_true(measured(&profile, 1000000).density == 0.5);
	assert_true(measured(&profile, 600000).density == 3); /* 9 */
	assert_true(measured(&profile, 0).density == 0);
	/* For a PLT entry, and of a function that BOLT split, nobody asks what the graph is. */
	assert_null(cfg_find(&graphs, &tiny.functions[EXT]));
	assert_null(cfg_find(&graphs, &tiny.functions[HOT]));
	assert_non_null(cfg_find(&graphs, &tiny.functions[PLAIN]));
	end(&profile);
}

/* What only libLLVM could decode, in a process that cannot open it. */
static void without_a_disassembler(void **state)
{
	const struct rlimit none = {0, 0};
	struct profile profile;
	int how;

	(void)state;
	make(&profile);
	assert_false(measured(&profile, 1000000).no_disassembler); /* it was not needed */
	cfg_free(&graphs);
	tiny.code[0x110] = 0x06;
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		bool ok = !setrlimit(RLIMIT_NOFILE, &none);
		struct density figures = measured(&profile, 1000000);
		_exit(!ok || !figures.no_disassembler || figures.non_simple != 1 ||
		      figures.profiled != 2);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_int_equal(how, 0);
	end(&profile);
}

/* Each allocation fails once. */
static void without_memory(void **state)
{
	const struct density_options options = {.cutoff = 1000000, .graphs = &graphs, .threads = 1};
	struct profile profile;
	struct density figures;
	unsigned long n = 0;

	(void)state;
	make(&profile);
	for (bool ok = false; !ok; n++) {
		struct bc_error err = {0};
		allowed = n;
		ok = density_measure(&profile, &executed, &options, &figures, &err);
		assert_true(ok || err.code == BC_NOMEM);
		cfg_free(&graphs);
	}
	allowed = ~0ul;
	assert_in_range(n, 2, 20);
	end(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(densities),
		cmocka_unit_test(without_a_disassembler),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
