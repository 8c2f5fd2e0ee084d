/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Binaries that BOLT never touched: every fall-through needs a graph.  What is
 * expected is what perf2bolt 22 wrote. */
#include <stdio.h>

#include "src/flow/conversion.h"
#include "src/profile/fdata.h"
#include "tests/support/cmocka.h"
#include "tests/support/ledger_balances.h"

/* Convert SAMPLES of BINARY and compare with EXPECTED, names below the data. */
static void same(const char *binary, const char *samples, const char *expected)
{
	char paths[3][512];
	const char *names[] = {binary, samples, expected};
	struct conversion conversion = {0};
	struct fdata_header header = {0};
	struct file_map want, got;
	struct bc_error err = {0};
	const char *out = "test_code_plain.fdata";

	for (int i = 0; i < 3; i++)
		snprintf(paths[i], sizeof(paths[i]), BATCONV_DATA_DIR "%s", names[i]);
	const char *inputs[] = {paths[1]};
	conversion.options = (struct conversion_options){
		.wants = WANT_RECORDS, .binary = paths[0], .samples = inputs, .sample_count = 1};
	if (!conversion_run(&conversion, &err))
		fail_msg("%s", err.text);
	assert_true(ledger_balances(&conversion.ledgers.traces));
	FILE *file = fopen(out, "w");
	assert_non_null(file);
	assert_true(fdata_write_profile(&conversion.profile, &header, 1, file, &err));
	fclose(file);
	assert_true(file_map(paths[2], &want, &err));
	assert_true(file_map(out, &got, &err));
	assert_int_equal(got.size, want.size);
	assert_memory_equal(got.data, want.data, want.size);
	file_unmap(&want);
	file_unmap(&got);
	remove(out);
	conversion_free(&conversion);
}

static void x86_64(void **state)
{
	(void)state;
	same("sqlite/sq", "sqlite/input.preagg", "sqlite/expected/preagg.input.fdata");
	same("sqlite/sq", "sqlite/lbr.input.data", "sqlite/expected/lbr.input.fdata");
}

static void aarch64(void **state)
{
	(void)state;
	same("aarch64/demo", "aarch64/demo.preagg", "aarch64/expected/demo.fdata");
	same("aarch64/sorts", "aarch64/sorts.preagg", "aarch64/expected/sorts.fdata");
	same("aarch64/sorts.exec", "aarch64/sorts.exec.preagg",
	     "aarch64/expected/sorts.exec.fdata");
}

static void riscv64(void **state)
{
	(void)state;
	same("riscv64/demo", "riscv64/demo.preagg", "riscv64/expected/demo.fdata");
	same("riscv64/sorts", "riscv64/sorts.preagg", "riscv64/expected/sorts.fdata");
	same("riscv64/sorts.exec", "riscv64/sorts.exec.preagg",
	     "riscv64/expected/sorts.exec.fdata");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_64),
		cmocka_unit_test(aarch64),
		cmocka_unit_test(riscv64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
