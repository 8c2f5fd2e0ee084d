/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which ways of sampling are found on machines that a table of files and refusals describes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/record/sampling.h"
#include "tests/support/cmocka.h"
#include "tests/support/played_machine.h"

static struct sampling_facts look(const struct played_machine *machine)
{
	struct sampling_facts out;

	play_machine(machine);
	sampling_look(&played_kernel, &out);
	assert_int_equal(played_open_now(), 0);
	return out;
}

static void test_intel(void **state)
{
	struct sampling_facts s = look(&played_intel);

	(void)state;
	assert_string_equal(s.processor, "Intel(R) Xeon(R) Gold 6338");
	assert_int_equal(s.maker, MAKER_INTEL);
	assert_true(s.has_machine && s.machine == MACHINE_X86_64);
	assert_string_equal(s.kernel, "6.1.0-18-amd64");
	assert_int_equal(s.major, 6);
	assert_int_equal(s.minor, 1);
	assert_false(s.virtual_machine || s.container || s.seccomp || s.arch_lbr);
	assert_true(s.has_paranoid);
	assert_int_equal(s.paranoid, 2);
	assert_int_equal(s.depth, 32);
	assert_false(s.types);
	assert_int_equal(s.ways[SAMPLING_STACKS].state, WAY_WORKS);
	assert_string_equal(s.ways[SAMPLING_STACKS].event, "cycles:u");
	assert_int_equal(s.ways[SAMPLING_COUNTERS].state, WAY_WORKS);
	assert_int_equal(s.ways[SAMPLING_TIMER].state, WAY_WORKS);
	assert_int_equal(s.ways[SAMPLING_INTEL_PT].state, WAY_WORKS);
	assert_string_equal(s.ways[SAMPLING_INTEL_PT].event, "intel_pt//u");
	assert_int_equal(s.ways[SAMPLING_ARM_SPE].state, WAY_ABSENT);
	assert_int_equal(s.whole_machine.state, WAY_REFUSED);
	assert_true(sampling_works(&s));
}

static void test_virtual_machine(void **state)
{
	struct sampling_facts s = look(&played_virtual_machine);

	(void)state;
	assert_true(s.virtual_machine);
	assert_int_equal(s.ways[SAMPLING_STACKS].state, WAY_ABSENT);
	assert_int_equal(s.ways[SAMPLING_COUNTERS].state, WAY_ABSENT);
	assert_int_equal(s.ways[SAMPLING_TIMER].state, WAY_WORKS);
	assert_string_equal(s.ways[SAMPLING_TIMER].event, "cpu-clock:u");
	assert_int_equal(s.depth, 0);
	assert_true(sampling_works(&s));
}

static void test_amd(void **state)
{
	struct played_machine zen4 = played_amd, zen3 = played_amd;

	(void)state;
	struct sampling_facts s = look(&zen4);
	assert_int_equal(s.maker, MAKER_AMD);
	assert_true(s.amd_lbr);
	assert_int_equal(s.depth, 16);
	assert_int_equal(s.ways[SAMPLING_STACKS].state, WAY_WORKS);
	zen3.cpuinfo = "vendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 7763\nflags\t: fpu brs\n";
	zen3.stacks = EINVAL;
	zen3.brs = true;
	s = look(&zen3);
	assert_true(s.amd_brs);
	assert_string_equal(s.ways[SAMPLING_STACKS].event, "branch-brs:u");
	zen3.brs = false;
	s = look(&zen3);
	assert_int_equal(s.ways[SAMPLING_STACKS].state, WAY_ABSENT);
	assert_int_equal(s.ways[SAMPLING_COUNTERS].state, WAY_WORKS);
}

static void test_arm(void **state)
{
	struct sampling_facts s = look(&played_arm);

	(void)state;
	assert_int_equal(s.maker, MAKER_ARM);
	assert_true(s.has_machine && s.machine == MACHINE_AARCH64);
	assert_string_equal(s.processor, "Arm, part 0xd4f");
	assert_int_equal(s.ways[SAMPLING_STACKS].state, WAY_ABSENT);
	assert_int_equal(s.ways[SAMPLING_ARM_SPE].state, WAY_WORKS);
	assert_int_equal(s.ways[SAMPLING_ARM_ETM].state, WAY_REFUSED);
	assert_non_null(strstr(s.ways[SAMPLING_ARM_ETM].why.text, "cs_etm//u"));
	assert_int_equal(s.ways[SAMPLING_INTEL_PT].state, WAY_ABSENT);
}

static void test_container(void **state)
{
	struct sampling_facts s = look(&played_container);

	(void)state;
	assert_true(s.container && s.seccomp);
	for (int i = 0; i <= SAMPLING_TIMER; i++) {
		assert_int_equal(s.ways[i].state, WAY_REFUSED);
		assert_non_null(strstr(s.ways[i].why.text, "seccomp"));
	}
	assert_false(sampling_works(&s));
}

static void test_no_events(void **state)
{
	struct sampling_facts s = look(&played_no_events);

	(void)state;
	assert_false(s.has_paranoid);
	assert_int_equal(s.ways[SAMPLING_STACKS].state, WAY_REFUSED);
	assert_non_null(strstr(s.ways[SAMPLING_TIMER].why.text, "CONFIG_PERF_EVENTS"));
	assert_false(sampling_works(&s));
}

/* Files that say nothing, or what no kernel writes. */
static void test_odd(void **state)
{
	const struct played_machine nothing = {0};
	struct played_machine odd = {.cpuinfo =
					     "flags\nmodel name\t: \033[31mred\n:::\n\n\nisa : x",
				     .osrelease = "\n",
				     .paranoid = "many",
				     .depth = "-5",
				     .status = "Seccomp:",
				     .pt_type = "999999999999999999999"};

	(void)state;
	struct sampling_facts s = look(&nothing);
	assert_false(s.has_machine || s.has_paranoid);
	assert_string_equal(s.processor, "");
	assert_int_equal(s.ways[SAMPLING_TIMER].state, WAY_WORKS);
	s = look(&odd);
	assert_false(s.has_machine || s.has_paranoid || s.seccomp);
	assert_string_equal(s.processor, "?[31mred");
	assert_string_equal(s.kernel, "");
	assert_int_equal(s.major, 0);
	assert_int_equal(s.depth, 0);
	odd.pt_type = "5"; /* of no device: PERF_TYPE_BREAKPOINT */
	odd.spe_type = "6";
	s = look(&odd);
	assert_int_equal(s.ways[SAMPLING_INTEL_PT].state, WAY_ABSENT);
	assert_int_equal(s.ways[SAMPLING_ARM_SPE].state, WAY_WORKS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intel),     cmocka_unit_test(test_virtual_machine),
		cmocka_unit_test(test_amd),       cmocka_unit_test(test_arm),
		cmocka_unit_test(test_container), cmocka_unit_test(test_no_events),
		cmocka_unit_test(test_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
