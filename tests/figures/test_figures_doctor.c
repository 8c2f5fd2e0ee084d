/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What doctor says of machines that are played, of an llvm-bolt that is a shell script, and of a
 * program that is one of inputs/. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/figures/doctor.h"
#include "tests/support/cmocka.h"
#include "tests/support/own_folder.h"
#include "tests/support/played_machine.h"

#define DEMO BATCONV_SOURCE_DIR "/inputs/demo/demo"

static char llvm_bolt[256]; /* of release 22, with the library of instrumented programs */

static void write_llvm_bolt(const char *release, const char *targets)
{
	char text[512];

	snprintf(text, sizeof(text), "#!/bin/sh\nprintf 'LLVM version %s\\nBOLT\\n%s'\n", release,
		 targets);
	put_file("bin/llvm-bolt", text);
	assert_int_equal(chmod("bin/llvm-bolt", 0755), 0);
}

static int enter(void **state)
{
	char folder[128];

	if (enter_folder(state) != 0 || !getcwd(folder, sizeof(folder)) ||
	    mkdir("bin", 0700) != 0 || mkdir("lib", 0700) != 0)
		return -1;
	snprintf(llvm_bolt, sizeof(llvm_bolt), "%s/bin/llvm-bolt", folder);
	write_llvm_bolt("22.1.8", "x86-64\\naarch64\\n");
	put_file("lib/libbolt_rt_instr.a", "");
	return 0;
}

static int leave(void **state)
{
	unlink("bin/llvm-bolt");
	unlink("lib/libbolt_rt_instr.a");
	return rmdir("bin") != 0 || rmdir("lib") != 0 || leave_folder(state) != 0;
}

static void look(const struct played_machine *machine, const char *program, struct doctor *out)
{
	struct bc_error err;

	play_machine(machine);
	if (!doctor_look(&played_kernel, llvm_bolt, program, NULL, out, &err))
		fail_msg("%s", err.text);
}

/* The finding has this verdict, and both are in its text and in its remedy. */
static void finds(const struct doctor *doctor, const char *about, enum diagnosis_verdict verdict,
		  const char *text, const char *remedy)
{
	for (size_t i = 0; i < doctor->findings.len; i++) {
		const struct diagnosis *finding = &doctor->findings.at[i];
		if (strcmp(finding->about, about) != 0)
			continue;
		assert_int_equal(finding->verdict, verdict);
		if (!strstr(finding->text, text))
			fail_msg("no '%s' in: %s", text, finding->text);
		if (!strstr(finding->remedy, remedy))
			fail_msg("no '%s' in: %s", remedy, finding->remedy);
		return;
	}
	fail_msg("nothing about %s", about);
}

static void has_none(const struct doctor *doctor, const char *about)
{
	for (size_t i = 0; i < doctor->findings.len; i++)
		assert_string_not_equal(doctor->findings.at[i].about, about);
}

static void test_machines(void **state)
{
	static const struct {
		const struct played_machine *machine;
		enum diagnosis_verdict stacks, timer;
		const char *text, *remedy, *rights;
	} rows[] = {
		{&played_intel, DIAGNOSIS_GOOD, DIAGNOSIS_GOOD, "Intel LBR, 32 deep (cycles:u)", "",
		 "own programs may be recorded (kernel.perf_event_paranoid is 2)"},
		{&played_amd, DIAGNOSIS_GOOD, DIAGNOSIS_GOOD, "AMD LbrExtV2, 16 deep", "",
		 "all processes may be recorded (kernel.perf_event_paranoid is -1)"},
		{&played_virtual_machine, DIAGNOSIS_WARNING, DIAGNOSIS_GOOD,
		 "this virtual machine does not expose", "bare metal", "all processes"},
		{&played_arm, DIAGNOSIS_WARNING, DIAGNOSIS_GOOD,
		 "BRBE takes Armv9.2 and Linux 6.17", "basic samples", "all processes"},
		{&played_container, DIAGNOSIS_WARNING, DIAGNOSIS_WARNING, "seccomp", "",
		 "nothing may be recorded (kernel.perf_event_paranoid is 2, in a container, system calls are filtered)"},
		{&played_paranoid, DIAGNOSIS_WARNING, DIAGNOSIS_WARNING, "perf_event_paranoid is 4",
		 "", "nothing may be recorded"},
		{&played_no_events, DIAGNOSIS_WARNING, DIAGNOSIS_WARNING, "CONFIG_PERF_EVENTS", "",
		 "no kernel.perf_event_paranoid"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct doctor doctor;
		look(rows[i].machine, NULL, &doctor);
		bool works = rows[i].timer == DIAGNOSIS_GOOD;
		finds(&doctor, "branch_stacks", rows[i].stacks, rows[i].text, rows[i].remedy);
		finds(&doctor, "timer", rows[i].timer, "", "");
		finds(&doctor, "rights", works ? DIAGNOSIS_GOOD : DIAGNOSIS_WARNING, rows[i].rights,
		      "");
		finds(&doctor, "release", DIAGNOSIS_GOOD, "22.1.8", "");
		assert_false(doctor.failed); /* an instrumented copy can be run */
		doctor_free(&doctor);
	}
}

/* Why this processor has no branch stacks. */
static void test_no_stacks(void **state)
{
	struct played_machine machine = played_amd;
	struct doctor doctor;

	(void)state;
	machine.stacks = 95; /* EOPNOTSUPP */
	machine.osrelease = "5.15.0\n";
	look(&machine, NULL, &doctor);
	finds(&doctor, "branch_stacks", DIAGNOSIS_WARNING,
	      "AMD LbrExtV2 takes Linux 6.1, and this is 5.15.0", "Linux 6.1 or later");
	doctor_free(&doctor);
	machine.cpuinfo = "vendor_id\t: AuthenticAMD\nflags\t: fpu brs\n";
	look(&machine, NULL, &doctor);
	finds(&doctor, "branch_stacks", DIAGNOSIS_WARNING, "CONFIG_PERF_EVENTS_AMD_BRS",
	      "such a kernel");
	doctor_free(&doctor);
	machine.cpuinfo = "vendor_id\t: AuthenticAMD\nflags\t: fpu\n";
	look(&machine, NULL, &doctor);
	finds(&doctor, "branch_stacks", DIAGNOSIS_WARNING, "Zen 3 has BRS", "basic samples");
	doctor_free(&doctor);
	machine.cpuinfo = "vendor_id\t: GenuineIntel\nflags\t: fpu\n";
	look(&machine, NULL, &doctor);
	finds(&doctor, "branch_stacks", DIAGNOSIS_WARNING, "LBR of this processor", "");
	doctor_free(&doctor);
}

static void test_traces(void **state)
{
	struct doctor doctor;

	(void)state;
	look(&played_intel, NULL, &doctor);
	finds(&doctor, "intel_pt", DIAGNOSIS_GOOD, "perf record -e intel_pt//u", "");
	finds(&doctor, "arm_spe", DIAGNOSIS_NONE, "Intel processors have none", "");
	doctor_free(&doctor);
	look(&played_arm, NULL, &doctor);
	finds(&doctor, "arm_spe", DIAGNOSIS_GOOD, "arm_spe_0/branch_filter=1/u", "");
	finds(&doctor, "arm_etm", DIAGNOSIS_WARNING, "the kernel refuses cs_etm//u", "root");
	doctor_free(&doctor);
	look(&played_virtual_machine, NULL, &doctor);
	finds(&doctor, "intel_pt", DIAGNOSIS_NONE, "a virtual machine without it", "");
	doctor_free(&doctor);
}

static void test_program(void **state)
{
	struct doctor doctor;

	(void)state;
	look(&played_intel, DEMO, &doctor);
	finds(&doctor, "kind", DIAGNOSIS_GOOD, "x86-64, program, position-independent", "");
	finds(&doctor, "relocations", DIAGNOSIS_GOOD, "of its code", "");
	finds(&doctor, "symbols", DIAGNOSIS_GOOD, "", "");
	finds(&doctor, "build_id", DIAGNOSIS_GOOD, "e929a354", "");
	has_none(&doctor, "bolted");
	assert_false(doctor.failed);
	char next[512];
	snprintf(next, sizeof(next),
		 "batconv optimize --llvm-bolt=%s " DEMO
		 " -- {} ARGUMENT..., where {} is the program",
		 llvm_bolt);
	assert_string_equal(doctor.next, next);
	doctor_free(&doctor);
	look(&played_intel, DEMO ".bolt", &doctor);
	finds(&doctor, "bolted", DIAGNOSIS_GOOD, "layout hashed (LLVM 19 to 23)", "");
	has_none(&doctor, "relocations");
	assert_non_null(strstr(doctor.next, "--input=INPUT"));
	doctor_free(&doctor);
	look(&played_container, DEMO, &doctor);
	assert_non_null(strstr(doctor.next, "batconv optimize"));
	doctor_free(&doctor);
	look(&played_container, "/bin/true", &doctor); /* nothing can be instrumented */
	finds(&doctor, "relocations", DIAGNOSIS_WARNING, "", "");
	finds(&doctor, "counts", DIAGNOSIS_BAD, "nothing here counts branches", "");
	assert_true(doctor.failed);
	doctor_free(&doctor);
	look(&played_arm, DEMO, &doctor);
	finds(&doctor, "kind", DIAGNOSIS_BAD, "this machine is AArch64", "its own kind");
	assert_true(doctor.failed);
	doctor_free(&doctor);
}

static void test_llvm_bolt(void **state)
{
	struct bc_error err;
	struct doctor doctor;

	(void)state;
	write_llvm_bolt("17.0.6", "x86-64\\n");
	look(&played_intel, DEMO, &doctor);
	finds(&doctor, "release", DIAGNOSIS_WARNING, "17.0.6: it writes no hashes",
	      "release 19 or later");
	doctor_free(&doctor);
	write_llvm_bolt("13.0.0", "x86-64\\n");
	look(&played_intel, DEMO, &doctor);
	finds(&doctor, "release", DIAGNOSIS_BAD, "13.0.0", "release 19 or later");
	assert_true(doctor.failed);
	doctor_free(&doctor);
	write_llvm_bolt("22.1.8", "aarch64\\n");
	look(&played_intel, DEMO, &doctor);
	finds(&doctor, "target", DIAGNOSIS_BAD, "no target for x86-64", "--llvm-bolt");
	doctor_free(&doctor);
	write_llvm_bolt("22.1.8", "x86-64\\naarch64\\n");
	/* Nothing is sampled, and nothing can be instrumented. */
	play_machine(&played_container);
	assert_true(doctor_look(&played_kernel, "/no/such", NULL, NULL, &doctor, &err));
	finds(&doctor, "release", DIAGNOSIS_BAD, "/no/such: is no program", "install it");
	finds(&doctor, "counts", DIAGNOSIS_BAD, "nothing here counts branches", "");
	assert_true(doctor.failed);
	doctor_free(&doctor);
}

static void refuses(const char *path, enum bc_code code, const char *text)
{
	struct bc_error err = {0};
	struct doctor doctor;

	play_machine(&played_intel);
	assert_false(doctor_look(&played_kernel, llvm_bolt, path, NULL, &doctor, &err));
	assert_int_equal(err.code, code);
	if (!strstr(err.text, text))
		fail_msg("no '%s' in: %s", text, err.text);
	doctor_free(&doctor);
}

static void test_no_program(void **state)
{
	(void)state;
	put_file("script", "#! /usr/bin/env python3\nx\n");
	refuses("script", BC_UNSUPPORTED, "script: a script, and no program");
	put_file("script", "#!");
	refuses("script", BC_UNSUPPORTED, "script: a script, and no program");
	put_file("script", "text\n");
	refuses("script", BC_FORMAT, "not an ELF file");
	refuses("nothing", BC_IO, "nothing: cannot open");
	unlink("script");
}

/* Each way of a proof has its verdict; what is not proven is named, with the reason. */
static void test_proof(void **state)
{
	static const struct {
		enum diagnosis_verdict verdict;
		const char *about, *text;
	} rows[] = {
		{DIAGNOSIS_BAD, "branch_stacks", "100 stacks of cycles:u with 1000 branches, 40 "},
		{DIAGNOSIS_NONE, "counters", "none here"},
		{DIAGNOSIS_WARNING, "timer", "10 samples of cpu-clock:u; 80.0 % agree"},
		{DIAGNOSIS_NONE, "traces",
		 "not proven: Intel PT (not here), Arm SPE (perf records it), Arm ETM (refused, see the machine above)"},
	};
	const struct proof proof = {.ways = {[SAMPLING_STACKS] = {.ran = true,
								  .stacks = true,
								  .event = "cycles:u",
								  .samples = 100,
								  .branches = 1000,
								  .impossible = 40,
								  .agreement = 96},
					     [SAMPLING_TIMER] = {.ran = true,
								 .event = "cpu-clock:u",
								 .samples = 10,
								 .lost = 3,
								 .agreement = 80}}};
	struct doctor doctor;
	struct bc_error err;
	size_t row = 0;

	(void)state;
	play_machine(&played_arm);
	assert_true(doctor_look(&played_kernel, llvm_bolt, NULL, &proof, &doctor, &err));
	for (size_t i = 0; i < doctor.findings.len; i++) {
		const struct diagnosis *finding = &doctor.findings.at[i];
		if (strcmp(finding->of, "proof") != 0)
			continue;
		assert_true(row < BC_COUNT(rows));
		assert_string_equal(finding->about, rows[row].about);
		assert_int_equal(finding->verdict, rows[row].verdict);
		if (!strstr(finding->text, rows[row].text))
			fail_msg("no '%s' in: %s", rows[row].text, finding->text);
		row++;
	}
	assert_int_equal(row, BC_COUNT(rows));
	assert_true(doctor.failed);
	doctor_free(&doctor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),  cmocka_unit_test(test_no_stacks),
		cmocka_unit_test(test_traces),    cmocka_unit_test(test_program),
		cmocka_unit_test(test_llvm_bolt), cmocka_unit_test(test_no_program),
		cmocka_unit_test(test_proof),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
