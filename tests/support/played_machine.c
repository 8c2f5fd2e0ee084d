/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/played_machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/attr.h"

#define PT_TYPE  8
#define SPE_TYPE 9
#define ETM_TYPE 10

#define USER "Name:\tx\nCapEff:\t0000000000000000\nSeccomp:\t0\n"

const struct played_machine played_intel = {
	.cpuinfo = "processor\t: 0\nvendor_id\t: GenuineIntel\n"
		   "model name\t: Intel(R) Xeon(R) Gold 6338\nflags\t\t: fpu vme\n\n"
		   "processor\t: 1\nvendor_id\t: Other\n",
	.osrelease = "6.1.0-18-amd64\n",
	.paranoid = "2\n",
	.status = USER,
	.depth = "32\n",
	.pt_type = "8\n",
	.whole_machine = EACCES};

const struct played_machine played_virtual_machine = {
	.cpuinfo = "vendor_id\t: GenuineIntel\nmodel name\t: Intel Xeon Processor\n"
		   "flags\t: fpu hypervisor vme\n",
	.osrelease = "5.15.0\n",
	.paranoid = "1\n",
	.status = USER,
	.stacks = ENOENT,
	.cycles = ENOENT};

const struct played_machine played_amd = {
	.cpuinfo = "vendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9654\n"
		   "flags\t: fpu amd_lbr_v2\n",
	.osrelease = "6.8.1\n",
	.paranoid = "-1\n",
	.status = USER,
	.depth = "16\n"};

const struct played_machine played_arm = {
	.cpuinfo = "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"
		   "CPU part\t: 0xd4f\n",
	.osrelease = "6.8.0-1010-aws\n",
	.paranoid = "2\n",
	.status = USER,
	.spe_type = "9\n",
	.etm_type = "10\n",
	.stacks = EOPNOTSUPP,
	.etm = EACCES};

const struct played_machine played_container = {
	.cpuinfo = "vendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Gold 6338\n"
		   "flags\t: fpu\n",
	.osrelease = "6.1.0\n",
	.paranoid = "2\n",
	.status = "Name:\tx\nCapEff:\t00000000a80425fb\nSeccomp:\t2\n",
	.container = "",
	.stacks = EPERM,
	.brs_stacks = EPERM,
	.cycles = EPERM,
	.clock = EPERM,
	.whole_machine = EPERM};

const struct played_machine played_no_events = {
	.cpuinfo = "vendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\nflags\t: fpu\n",
	.osrelease = "6.1.0\n",
	.status = USER,
	.stacks = ENOSYS,
	.brs_stacks = ENOSYS,
	.cycles = ENOSYS,
	.clock = ENOSYS,
	.whole_machine = ENOSYS};

const struct played_machine played_paranoid = {
	.cpuinfo = "vendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Gold 6338\n"
		   "flags\t: fpu arch_lbr\n",
	.osrelease = "6.1.0\n",
	.paranoid = "4\n",
	.status = USER,
	.stacks = EACCES,
	.cycles = EACCES,
	.clock = EACCES,
	.whole_machine = EACCES};

static const struct played_machine *played;
static int open_now;
static struct perf_event_attr last; /* that was opened */

void play_machine(const struct played_machine *machine)
{
	played = machine;
	open_now = 0;
}

int played_open_now(void)
{
	return open_now;
}

static int refusal_of(const struct perf_event_attr *attr, int task)
{
	bool stack = attr->sample_type & PERF_SAMPLE_BRANCH_STACK;

	if (task == -1)
		return played->whole_machine;
	switch (attr->type) {
	case PERF_TYPE_HARDWARE: return stack ? played->stacks : played->cycles;
	case PERF_TYPE_RAW: return played->brs_stacks;
	case PERF_TYPE_SOFTWARE: return played->clock;
	case ETM_TYPE: return played->etm;
	default: return played->trace;
	}
}

static int play_open(struct perf_event_attr *attr, int task, int cpu, unsigned long flags)
{
	(void)cpu;
	(void)flags;
	errno = refusal_of(attr, task);
	if (errno)
		return -1;
	open_now++;
	last = *attr;
	return 100;
}

static void *play_map(int fd, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *at = calloc(1, size);

	(void)fd;
	if (at && played->fill)
		played->fill((struct perf_event_mmap_page *)(void *)at, at + page, size - page,
			     &last);
	return at;
}

static void play_unmap(void *at, size_t size)
{
	(void)size;
	free(at);
}

static int play_control(int fd, unsigned long request, unsigned long value)
{
	(void)fd;
	(void)request;
	(void)value;
	return 0;
}

static void play_close(int fd)
{
	(void)fd;
	open_now--;
}

static bool play_count(int fd, uint64_t *values, size_t count)
{
	(void)fd;
	memset(values, 0, count * sizeof(*values));
	return true;
}

static bool play_read(const char *path, char *text, size_t size)
{
#define DEVICES "/sys/bus/event_source/devices/"
	const struct {
		const char *path, *text;
	} files[] = {{"/proc/cpuinfo", played->cpuinfo},
		     {"/proc/sys/kernel/osrelease", played->osrelease},
		     {"/proc/sys/kernel/perf_event_paranoid", played->paranoid},
		     {"/proc/self/status", played->status},
		     {"/sys/devices/system/cpu/online", "0-1\n"},
		     {DEVICES "cpu/caps/branches", played->depth},
		     {DEVICES "cpu/events/branch-brs", played->brs ? "event=0xc4\n" : NULL},
		     {DEVICES "intel_pt/type", played->pt_type},
		     {DEVICES "arm_spe_0/type", played->spe_type},
		     {DEVICES "cs_etm/type", played->etm_type},
		     {"/.dockerenv", played->container}};

	for (size_t i = 0; i < BC_COUNT(files); i++)
		if (!strcmp(path, files[i].path) && files[i].text) {
			snprintf(text, size, "%s", files[i].text);
			return true;
		}
	*text = '\0';
	return false;
}

static uint64_t play_descriptors(void)
{
	return 1024;
}

const struct perf_kernel played_kernel = {play_open,  play_map,   play_unmap, play_control,
					  play_close, play_count, play_read,  play_descriptors};
