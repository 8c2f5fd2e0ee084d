/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which event is opened on which machine, and what a user sees where none is: a kernel that a
 * table describes is instead of Linux's. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/record/perf_open.h"
#include "tests/support/cmocka.h"

/* ---- a kernel ---- */

enum event_kind { STACKS_TYPED, STACKS, BRS, CYCLES, CLOCK, OTHER, KINDS };

struct machine {
	int refusal[KINDS]; /* errno; 0: it is opened */
	const char *paranoid, *seccomp, *rights, *rate, *cpus;
	bool brs, arch_lbr;
	size_t locked;  /* rings of more bytes are refused with EPERM; 0: none */
	int gone;       /* this thread has ended */
	int ends;       /* this thread ends before the event in addition to its samples is opened */
	int off;        /* this processor is off, -1: none */
	uint32_t knows; /* bytes of the attribute; 0: all */
	bool old;       /* before Linux 6.0: what is lost is not counted for each event */
	uint64_t lost;  /* of each event */
};

static struct machine machine;
static struct perf_event_attr opened[64];
static int opened_task[64], opened_cpu[64];
static unsigned long opened_flags;
static int opened_count, open_now, controls[4], mapped_now;

static enum event_kind kind_of(const struct perf_event_attr *attr)
{
	bool stack = attr->sample_type & PERF_SAMPLE_BRANCH_STACK;

	if (attr->type == PERF_TYPE_RAW && attr->config == 0xc4 && stack && !attr->freq)
		return BRS;
	if (attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES)
		return !stack                                                  ? CYCLES :
		       attr->branch_sample_type & PERF_SAMPLE_BRANCH_TYPE_SAVE ? STACKS_TYPED :
										 STACKS;
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CPU_CLOCK &&
			       !stack ?
		       CLOCK :
		       OTHER;
}

static int refuse_with(int why)
{
	errno = why;
	return -1;
}

static int fake_open(struct perf_event_attr *attr, int task, int cpu, unsigned long flags)
{
	int why = machine.refusal[kind_of(attr)];

	if (machine.knows && attr->size > machine.knows) {
		attr->size = machine.knows;
		return refuse_with(E2BIG);
	}
	if (machine.old && attr->read_format)
		return refuse_with(EINVAL);
	if (machine.off && cpu == machine.off)
		return refuse_with(ENODEV);
	if (machine.gone && task == machine.gone)
		return refuse_with(ESRCH);
	if (machine.ends && task == machine.ends && attr->config == PERF_COUNT_SW_DUMMY)
		return refuse_with(ESRCH);
	if (why)
		return refuse_with(why);
	assert_true(opened_count < 64);
	opened[opened_count] = *attr;
	opened_task[opened_count] = task;
	opened_cpu[opened_count] = cpu;
	opened_flags = flags;
	open_now++;
	return 100 + opened_count++;
}

static void *fake_map(int fd, size_t size)
{
	if (machine.locked && size - (size_t)sysconf(_SC_PAGESIZE) > machine.locked) {
		errno = EPERM;
		return NULL;
	}
	assert_true(fd >= 100);
	mapped_now++;
	return calloc(1, size);
}

static void fake_unmap(void *at, size_t size)
{
	(void)size;
	mapped_now--;
	free(at);
}

static int fake_control(int fd, unsigned long request, unsigned long value)
{
	assert_true(fd >= 100);
	if (request == PERF_EVENT_IOC_SET_OUTPUT)
		assert_int_equal(opened_cpu[fd - 100], opened_cpu[value - 100]);
	controls[request == PERF_EVENT_IOC_SET_OUTPUT ? 0 :
		 request == PERF_EVENT_IOC_ENABLE     ? 1 :
							2]++;
	return 0;
}

static void fake_close(int fd)
{
	assert_true(fd >= 100);
	open_now--;
}

static bool fake_count(int fd, uint64_t *values, size_t count)
{
	assert_true(fd >= 100 && count == 2 && opened[fd - 100].read_format == 16);
	values[0] = 12345;
	values[1] = machine.lost;
	return fd != 100; /* one that cannot be read */
}

static bool fake_read(const char *path, char *text, size_t size)
{
	char status[200];
	const char *from = NULL;

	snprintf(status, sizeof(status), "Name:\tx\nSeccomp:\t%s\nCapEff:\t%s\n",
		 machine.seccomp ? machine.seccomp : "0",
		 machine.rights ? machine.rights : "0000000000000000");
	if (strstr(path, "paranoid"))
		from = machine.paranoid;
	if (strstr(path, "self/status"))
		from = status;
	if (strstr(path, "max_sample_rate"))
		from = machine.rate ? machine.rate : "100000\n";
	if (strstr(path, "cpu/online"))
		from = machine.cpus ? machine.cpus : "0-1\n";
	if (strstr(path, "branch-brs"))
		from = machine.brs ? "event=0xc4\n" : NULL;
	if (strstr(path, "cpuinfo"))
		from = machine.arch_lbr ? "flags\t: fpu arch_lbr\n" : "flags\t: fpu\n";
	if (strstr(path, "mlock_kb"))
		from = "516\n";
	snprintf(text, size, "%s", from ? from : "");
	return from;
}

static uint64_t fake_descriptors(void)
{
	return 1024;
}

static const struct perf_kernel fake = {fake_open,  fake_map,   fake_unmap, fake_control,
					fake_close, fake_count, fake_read,  fake_descriptors};

/* ---- helpers ---- */

static int one_task[] = {12}, three_tasks[] = {12, 13, 14};
static const struct perf_request usual = {.target = PERF_TASKS,
					  .tasks = {one_task, 1, 1},
					  .named = "PID 12",
					  .frequency = 997,
					  .ring = 512 << 10};

static int start(void **state)
{
	(void)state;
	machine = (struct machine){.paranoid = "2\n"};
	opened_count = open_now = mapped_now = 0;
	opened_flags = 0;
	memset(controls, 0, sizeof(controls));
	return 0;
}

static int nothing_left(void **state)
{
	(void)state;
	assert_int_equal(open_now, 0);
	assert_int_equal(mapped_now, 0);
	return 0;
}

/* The event that is found, and what is noted (all lines, with '|' between them). */
static void finds(const struct perf_request *request, const char *event, bool branches,
		  const char *notes)
{
	struct bc_error err = {0};
	struct opened_rings rings;
	char all[1000] = "";

	if (!perf_open(&fake, request, &rings, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < rings.notes.len; i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? "|" : "",
			 rings.notes.at[i].text);
	assert_string_equal(rings.event, event);
	assert_int_equal(perf_has_branches(&rings), branches);
	assert_string_equal(all, notes);
	perf_close(&rings);
	assert_int_equal(open_now, 0);
}

/* text: the error, and after "; " its hint. */
static void refuses_so(const struct perf_request *request, enum bc_code code, const char *text)
{
	struct bc_error err = {0};
	struct opened_rings rings;

	assert_false(perf_open(&fake, request, &rings, &err));
	perf_close(&rings);
	const char *hint = bc_error_hint(&err);
	char both[sizeof(err.text) + 2];
	snprintf(both, sizeof(both), "%s%s%s", err.text, hint ? "; " : "", hint ? hint : "");
	assert_string_equal(both, text);
	assert_int_equal(err.code, code);
	assert_int_equal(open_now, 0);
}

/* Three threads on two processors, and the event that the search opens and closes; of one the
 * number cannot be read. */
static void test_lost(void **state)
{
	const struct perf_request request = {.target = PERF_TASKS,
					     .tasks = {three_tasks, 3, 3},
					     .named = "PID 12",
					     .frequency = 997,
					     .ring = 512 << 10,
					     .pauses = true};
	struct opened_rings rings;
	struct bc_error err;

	(void)state;
	machine.lost = 7;
	assert_true(perf_open(&fake, &request, &rings, &err));
	assert_int_equal(rings.events.len, 12);
	assert_int_equal(perf_lost(&rings), 12 * 7);
	perf_close(&rings);
	machine.old = true;
	opened_count = 0;
	assert_true(perf_open(&fake, &request, &rings, &err));
	assert_int_equal(rings.attr.read_format, 0);
	for (int i = 0; i < opened_count; i++)
		assert_int_equal(opened[i].read_format, 0);
	assert_int_equal(perf_lost(&rings), 0);
	perf_close(&rings);
	/* What is refused for something else is asked for as before. */
	machine.refusal[STACKS] = EINVAL;
	machine.old = false;
	opened_count = 0;
	assert_true(perf_open(&fake, &request, &rings, &err));
	assert_int_equal(rings.attr.read_format, 16);
	perf_close(&rings);
}

static void all_refuse(int why)
{
	for (int i = 0; i < KINDS; i++)
		machine.refusal[i] = why;
}

/* ---- which event ---- */

static const char PLAIN_CYCLES[] =
	"this machine gives no branch stacks: basic samples of cycles:u; for a profile of a BOLTed program give --input=INPUT (to record -o FILE, or to convert), which infers branches";
static const char PLAIN_CLOCK[] =
	"this machine gives no branch stacks (a virtual machine?): basic samples of cpu-clock:u; for a profile of a BOLTed program give --input=INPUT (to record -o FILE, or to convert), which infers branches";

static void test_lbr(void **state)
{
	(void)state;
	finds(&usual, "cycles:u", true, "branch stacks of cycles:u");
	assert_int_equal(opened[0].branch_sample_type,
			 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	assert_true(opened[0].freq && opened[0].sample_freq == 997 && opened[0].exclude_kernel &&
		    opened[0].mmap2 && opened[0].inherit && opened[0].sample_id_all &&
		    !opened[0].build_id && !opened[0].precise_ip);
	machine.arch_lbr = true;
	finds(&usual, "cycles:u", true, "branch stacks of cycles:u, with the types of branches");
	machine.refusal[STACKS_TYPED] = EINVAL;
	finds(&usual, "cycles:u", true, "branch stacks of cycles:u");
}

static void test_brs(void **state)
{
	(void)state;
	struct perf_request request = usual;

	machine.refusal[STACKS] = EINVAL;
	finds(&usual, "cycles:u", false, PLAIN_CYCLES);
	machine.brs = true;
	opened_count = 0;
	finds(&usual, "branch-brs:u", true,
	      "branch-brs takes no frequency: a sample each 500009 branches|branch stacks of branch-brs:u");
	assert_true(!opened[0].freq && opened[0].sample_period == 500009);
	request.period = 1009;
	opened_count = 0;
	finds(&request, "branch-brs:u", true, "branch stacks of branch-brs:u");
	assert_int_equal(opened[0].sample_period, 1009);
	machine.refusal[BRS] = EBUSY;
	refuses_so(
		&usual, BC_IO,
		"cycles:u: the counter is taken by another profiler, or by the kernel's watchdog; stop the other one (sysctl kernel.nmi_watchdog=0), or record with "
		"-e cpu-clock");
}

static void test_basic(void **state)
{
	struct perf_request request = usual;

	(void)state;
	machine.refusal[STACKS] = EOPNOTSUPP;
	finds(&usual, "cycles:u", false, PLAIN_CYCLES);
	machine.refusal[STACKS] = machine.refusal[CYCLES] = ENOENT;
	finds(&usual, "cpu-clock:u", false, PLAIN_CLOCK);
	request.basic = true;
	finds(&request, "cpu-clock:u", false, "");
	request = usual;
	request.require_branches = true;
	refuses_so(
		&request, BC_MISMATCH,
		"this machine gives no branch stacks (cycles:u: No such file or directory), which --require-branches asks for; branch stacks need Intel LBR, AMD "
		"LbrExtV2 or BRS, or Arm BRBE, which few virtual machines have");
	machine.refusal[CLOCK] = ENOENT;
	refuses_so(
		&usual, BC_IO,
		"cpu-clock:u: this machine does not have the event; record with -e cpu-clock, as in virtual machines without counters");
}

static void test_named(void **state)
{
	struct perf_request request = usual;

	(void)state;
	request.event = "cpu-clock";
	finds(&request, "cpu-clock:u", false, "");
	request.event = "instructions:u";
	finds(&request, "instructions:u", true, "branch stacks of instructions:u");
	request.event = "cpu/branch-brs/u";
	opened_count = 0;
	finds(&request, "cpu/branch-brs/u", true, "branch stacks of cpu/branch-brs/u");
	assert_int_equal(opened[0].sample_period, 500009);
	request.event = "r1c2";
	opened_count = 0;
	finds(&request, "r1c2:u", true, "branch stacks of r1c2:u");
	assert_int_equal(opened[0].config, 0x1c2);
	request.event = "cycles,instructions";
	refuses_so(&request, BC_UNSUPPORTED, "-e cycles,instructions: one event at a time");
	request.event = "cycles:k";
	refuses_so(&request, BC_UNSUPPORTED,
		   "-e cycles:k: only code of programs is recorded: NAME or NAME:u");
	request.event = "cylces";
	refuses_so(
		&request, BC_UNSUPPORTED,
		"-e cylces: no event that can be recorded: cycles, instructions, branches, branch-brs, cpu-clock, task-clock, or rHEX of the "
		"processor's manual");
}

/* ---- whom ---- */

static void test_targets(void **state)
{
	struct perf_request request = usual;
	struct bc_error err;
	struct opened_rings rings;

	(void)state;
	request.tasks = (struct task_vec){three_tasks, 3, 3};
	machine.gone = 12;
	assert_true(perf_open(&fake, &request, &rings, &err));
	assert_int_equal(rings.rings.len, 2);
	assert_int_equal(rings.events.len, 4);
	assert_int_equal(controls[0], 2);
	perf_begin(&rings);
	assert_int_equal(controls[1], 4);
	perf_close(&rings);

	machine.gone = 0;
	machine.ends = 12;
	request.pauses = true;
	opened_count = 0;
	assert_true(perf_open(&fake, &request, &rings, &err));
	assert_int_equal(rings.rings.len, 4);
	for (size_t i = 0; i < rings.rings.len; i++) {
		const struct perf_ring *ring = &rings.rings.at[i];
		assert_int_equal(ring->tasks, i % 2 == 0);
		for (size_t k = 0; k < ring->count; k++) {
			int fd = rings.events.at[ring->first + k];
			assert_int_equal(opened[fd - 100].config == PERF_COUNT_SW_DUMMY,
					 ring->tasks);
		}
	}
	perf_close(&rings);

	machine.ends = 0;
	machine.off = 1;
	request.target = PERF_MACHINE;
	request.pauses = true;
	opened_count = 0;
	assert_true(perf_open(&fake, &request, &rings, &err));
	assert_int_equal(rings.rings.len, 2);
	assert_int_equal(rings.events.len, 2);
	assert_true(opened_task[2] == -1 && !opened[2].inherit && !opened[2].mmap &&
		    !opened[2].task && opened[1].mmap2 && opened[1].config == PERF_COUNT_SW_DUMMY);
	memset(controls, 0, sizeof(controls));
	perf_pause(&rings);
	assert_int_equal(controls[2], 1);
	perf_close(&rings);

	request = usual;
	request.target = PERF_CGROUP;
	request.cgroup = 7;
	finds(&request, "cycles:u", true, "branch stacks of cycles:u");
	assert_int_equal(opened_flags, PERF_FLAG_PID_CGROUP);
	request = usual;
	request.target = PERF_COMMAND;
	opened_count = 0;
	finds(&request, "cycles:u", true, "branch stacks of cycles:u");
	assert_true(opened[0].enable_on_exec && opened[0].disabled);
}

static void test_older_kernel(void **state)
{
	(void)state;
	machine.knows = PERF_ATTR_SIZE_VER5;
	finds(&usual, "cycles:u", true, "branch stacks of cycles:u");
	assert_int_equal(opened[0].size, PERF_ATTR_SIZE_VER5);
}

/* ---- rights and limits ---- */

static void test_rights(void **state)
{
	struct perf_request request = usual;

	(void)state;
	all_refuse(EACCES);
	refuses_so(
		&usual, BC_IO,
		"not allowed to record PID 12, which is another user's or has other rights; record as that user, as root, or with CAP_PERFMON and CAP_SYS_PTRACE");
	machine.paranoid = "4\n";
	refuses_so(
		&usual, BC_IO,
		"not allowed to record PID 12 (kernel.perf_event_paranoid is 4, where this system wants CAP_SYS_ADMIN); record as root, or let root "
		"run: sysctl kernel.perf_event_paranoid=2");
	request.target = PERF_MACHINE;
	request.named = "the whole machine";
	machine.paranoid = "2\n";
	refuses_so(
		&request, BC_IO,
		"not allowed to record the whole machine (kernel.perf_event_paranoid is 2); record as root, or let root run: sysctl "
		"kernel.perf_event_paranoid=0 (or setcap cap_perfmon=ep FILE)");
	machine.paranoid = "3\n";
	machine.rights = "0000004000000000"; /* CAP_PERFMON is not enough there */
	refuses_so(
		&request, BC_IO,
		"not allowed to record the whole machine (kernel.perf_event_paranoid is 3, where this system wants CAP_SYS_ADMIN); record as root, or let root "
		"run: sysctl kernel.perf_event_paranoid=0");
	all_refuse(EPERM);
	machine = (struct machine){.paranoid = "2\n", .seccomp = "2"};
	all_refuse(EPERM);
	refuses_so(
		&usual, BC_IO,
		"not allowed to record PID 12: a seccomp filter refuses perf_event_open, as in containers; record on the host, or start the container "
		"with --cap-add=PERFMON and a filter that allows it");
	machine = (struct machine){.paranoid = "-1\n", .rights = "000001ffffffffff"};
	all_refuse(EACCES);
	refuses_so(
		&request, BC_IO,
		"not allowed to record the whole machine: Permission denied, though kernel.perf_event_paranoid is -1: a security module (LSM) or a container "
		"refuses it");
}

static void test_other_refusals(void **state)
{
	static const struct {
		int why;
		enum bc_code code;
		const char *text;
	} rows[] = {
		{EBUSY, BC_IO,
		 "cycles:u: the counter is taken by another profiler, or by the kernel's watchdog; stop the other one (sysctl kernel.nmi_watchdog=0), or record with -e cpu-clock"},
		{EMFILE, BC_IO,
		 "recording PID 12 takes 2 descriptors, and 1024 may be open (ulimit -n, LimitNOFILE=); raise that limit, or record with --cgroup or -a"},
		{ESRCH, BC_NOTFOUND, "no process to record: PID 12 has ended"},
		{ENOSYS, BC_IO,
		 "this kernel has no perf_event_open: it was built without CONFIG_PERF_EVENTS, or is emulated (gVisor)"},
		{ENOMEM, BC_NOMEM, "out of memory"},
		{EIO, BC_IO, "cycles:u: perf_event_open: Input/output error"},
		{EOPNOTSUPP, BC_IO,
		 "cpu-clock:u: this machine cannot record it so; try --basic, or -e cpu-clock"},
		{EINVAL, BC_IO, "cpu-clock:u: perf_event_open: Invalid argument"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		all_refuse(rows[i].why);
		refuses_so(&usual, rows[i].code, rows[i].text);
	}
}

static void test_rate(void **state)
{
	struct perf_request request = usual;

	(void)state;
	machine.rate = "500\n";
	finds(&usual, "cycles:u", true, "branch stacks of cycles:u");
	assert_int_equal(opened[0].sample_freq, 500);
	request.frequency_given = true;
	finds(&request, "cycles:u", true,
	      "-F 997 is above kernel.perf_event_max_sample_rate, which is 500 and which the kernel lowers by itself: using that|branch stacks of cycles:u");
}

static void test_locked_memory(void **state)
{
	(void)state;
	machine.locked = 128 << 10;
	finds(&usual, "cycles:u", true,
	      "branch stacks of cycles:u|2 rings of 512 KiB exceed the locked memory (sysctl kernel.perf_event_mlock_kb, ulimit -l): using 128 KiB");
	machine.locked = 32 << 10;
	refuses_so(
		&usual, BC_IO,
		"2 rings of 64 KiB exceed the locked memory (sysctl kernel.perf_event_mlock_kb is 516 for each processor, then ulimit -l); raise one of these limits, or "
		"give fewer pages with -m");
}

/* ---- a ring ---- */

struct taken {
	char text[64];
	size_t len;
	bool refuses;
};

static bool take(void *ctx, size_t ring, const struct ring_bytes *bytes, struct bc_error *err)
{
	struct taken *taken = ctx;

	(void)err;
	for (int i = 0; i < 2 && !taken->refuses; i++)
		if (bytes->pieces[i].size)
			taken->len += (size_t)snprintf(taken->text + taken->len,
						       sizeof(taken->text) - taken->len,
						       "%zu:%zu:%c ", ring, bytes->pieces[i].size,
						       bytes->pieces[i].data[0]);
	return !taken->refuses;
}

static void test_drain(void **state)
{
	struct bc_error err;
	struct opened_rings rings;
	struct taken taken = {0};
	bool all;

	(void)state;
	assert_true(perf_open(&fake, &usual, &rings, &err));
	struct perf_event_mmap_page *page = rings.rings.at[1].page;
	uint8_t *data = (uint8_t *)page + sysconf(_SC_PAGESIZE);
	data[0] = 'b';
	data[rings.size - 16] = 'a';
	page->data_tail = 3 * rings.size - 16;
	page->data_head = 3 * rings.size + 24;
	taken.refuses = true; /* all of it stays */
	assert_false(perf_drain(&rings, 0, take, &taken, &all, &err));
	taken.refuses = false;
	assert_true(perf_drain(&rings, 0, take, &taken, &all, &err));
	assert_string_equal(taken.text, "1:16:a 1:24:b ");
	assert_int_equal(page->data_tail, page->data_head);
	assert_true(perf_drain(&rings, 0, take, &taken, &all, &err));
	assert_string_equal(taken.text, "1:16:a 1:24:b ");
	perf_close(&rings);
}

/* A ring of mappings, of which a part is read: then not all was. */
static void test_drain_of_mappings(void **state)
{
	struct perf_request request = usual;
	struct taken taken = {0};
	struct opened_rings rings;
	struct bc_error err;
	size_t i = 0;
	bool all;

	(void)state;
	request.pauses = true;
	assert_true(perf_open(&fake, &request, &rings, &err));
	while (!rings.rings.at[i].tasks)
		assert_true(++i < rings.rings.len);
	struct perf_event_mmap_page *page = rings.rings.at[i].page;
	page->data_head = 64;
	assert_true(perf_drain(&rings, 0, take, &taken, &all, &err));
	assert_false(all);
	assert_true(perf_drain(&rings, 24, take, &taken, &all, &err));
	assert_false(all);
	assert_int_equal(page->data_tail, 24);
	assert_true(perf_drain(&rings, 40, take, &taken, &all, &err));
	assert_true(all);
	assert_true(perf_drain(&rings, 0, take, &taken, &all, &err));
	assert_true(all);
	assert_int_equal(page->data_tail, 64);
	perf_close(&rings);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, nothing_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_lbr),     TEST(test_brs),
		TEST(test_basic),   TEST(test_named),
		TEST(test_targets), TEST(test_older_kernel),
		TEST(test_rights),  TEST(test_other_refusals),
		TEST(test_rate),    TEST(test_locked_memory),
		TEST(test_drain),   TEST(test_drain_of_mappings),
		TEST(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
