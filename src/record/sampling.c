/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/sampling.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/base/text.h"

#define DEVICES    "/sys/bus/event_source/devices/"
#define RATE       997 /* as `record` asks for of what runs already */
#define RING_PAGES 16

const char *sampling_way_key(enum sampling_way way)
{
#define X(name, key, text) key,
	static const char *const keys[] = {SAMPLING_WAYS(X)};
#undef X

	return keys[way];
}

const char *sampling_way_text(enum sampling_way way)
{
#define X(name, key, text) text,
	static const char *const texts[] = {SAMPLING_WAYS(X)};
#undef X

	return texts[way];
}

bool sampling_works(const struct sampling_facts *sampling)
{
	return sampling->ways[SAMPLING_STACKS].state == WAY_WORKS ||
	       sampling->ways[SAMPLING_COUNTERS].state == WAY_WORKS ||
	       sampling->ways[SAMPLING_TIMER].state == WAY_WORKS;
}

/* ---- what files say ---- */

static bool is_there(const struct perf_kernel *kernel, const char *path)
{
	char text[8];

	return kernel->read(path, text, sizeof(text));
}

/* The value of the first line "NAME : VALUE" of /proc/cpuinfo; empty: there is none. */
static struct text row_of(struct text all, const char *name)
{
	struct text line;

	while (text_line(&all, &line)) {
		size_t colon = text_find(line, ':');
		if (text_is(text_trim(text_first(line, colon)), name))
			return text_trim(text_behind(line, colon));
	}
	return (struct text){"", 0};
}

static bool has_word(struct text words, const char *word)
{
	for (struct text each; (each = text_word(&words)).len;)
		if (text_is(each, word))
			return true;
	return false;
}

static void look_at_processor(const struct perf_kernel *kernel, struct sampling_facts *out)
{
	char text[8192];

	if (!kernel->read("/proc/cpuinfo", text, sizeof(text)))
		return;
	struct text all = text_of(text), vendor = row_of(all, "vendor_id"),
		    name = row_of(all, "model name"), flags = row_of(all, "flags"),
		    part = row_of(all, "CPU part");
	out->maker = text_is(vendor, "GenuineIntel")    ? MAKER_INTEL :
		     text_is(vendor, "AuthenticAMD")    ? MAKER_AMD :
		     row_of(all, "CPU implementer").len ? MAKER_ARM :
							  MAKER_UNKNOWN;
	bool riscv = text_starts(row_of(all, "isa"), "rv64");
	out->has_machine = flags.len || out->maker == MAKER_ARM || riscv;
	out->machine = riscv                   ? MACHINE_RISCV64 :
		       out->maker == MAKER_ARM ? MACHINE_AARCH64 :
						 MACHINE_X86_64;
	if (!name.len && out->maker == MAKER_ARM)
		snprintf(out->processor, sizeof(out->processor), "Arm, part %.*s", (int)part.len,
			 part.at);
	else
		snprintf(out->processor, sizeof(out->processor), "%.*s", (int)name.len, name.at);
	make_printable(out->processor);
	out->virtual_machine = has_word(flags, "hypervisor");
	out->arch_lbr = has_word(flags, "arch_lbr");
	out->amd_lbr = has_word(flags, "amd_lbr_v2");
	out->amd_brs = has_word(flags, "brs");
}

/* Processors without a flag for it: by the names that hypervisors give their machines. */
static bool is_virtual(const struct perf_kernel *kernel)
{
	static const char *const files[] = {"/sys/class/dmi/id/sys_vendor",
					    "/sys/class/dmi/id/product_name"};
	static const char *const words[] = {"QEMU", "KVM", "VMware", "VirtualBox",
					    "Virtual Machine"};
	char text[256];

	if (is_there(kernel, "/sys/hypervisor/type"))
		return true;
	for (size_t i = 0; i < BC_COUNT(files); i++)
		for (size_t k = 0; k < BC_COUNT(words); k++)
			if (kernel->read(files[i], text, sizeof(text)) && strstr(text, words[k]))
				return true;
	return false;
}

static bool is_in_container(const struct perf_kernel *kernel)
{
	return is_there(kernel, "/.dockerenv") || is_there(kernel, "/run/.containerenv") ||
	       is_there(kernel, "/run/systemd/container");
}

/* A number at the beginning of a file; false: there is none. */
static bool number_in(const struct perf_kernel *kernel, const char *path, int *out)
{
	char text[64];

	return kernel->read(path, text, sizeof(text)) && sscanf(text, "%d", out) == 1;
}

static void look_at_kernel(const struct perf_kernel *kernel, struct sampling_facts *out)
{
	char text[4096];

	if (kernel->read("/proc/sys/kernel/osrelease", text, sizeof(text))) {
		struct text line =
			text_trim(text_first(text_of(text), text_find(text_of(text), '\n')));
		snprintf(out->kernel, sizeof(out->kernel), "%.*s", (int)line.len, line.at);
		make_printable(out->kernel);
		if (sscanf(text, "%u.%u", &out->major, &out->minor) != 2)
			out->major = out->minor = 0;
	}
	out->virtual_machine |= is_virtual(kernel);
	out->container = is_in_container(kernel);
	out->has_paranoid =
		number_in(kernel, "/proc/sys/kernel/perf_event_paranoid", &out->paranoid);
	out->seccomp = kernel->read("/proc/self/status", text, sizeof(text)) &&
		       strstr(text, "\nSeccomp:\t2");
}

/* The depth of branch stacks, where the driver of the counters says it. */
static void look_at_depth(const struct perf_kernel *kernel, struct sampling_facts *out)
{
	static const char *const files[] = {
		DEVICES "cpu/caps/branches", DEVICES "cpu_core/caps/branches",
		DEVICES "armv8_pmuv3_0/caps/branches", DEVICES "armv8_pmuv3/caps/branches"};
	int depth;

	for (size_t i = 0; i < BC_COUNT(files); i++)
		if (number_in(kernel, files[i], &depth) && depth > 0 && depth < 4096) {
			out->depth = (unsigned)depth;
			return;
		}
}

/* ---- the kernel's replies ---- */

static bool try_request(const struct perf_kernel *kernel, struct perf_request request,
			struct opened_rings *rings, struct sampled_way *out)
{
	static int self;

	request.tasks = (struct task_vec){.at = &self, .len = 1}; /* 0: this process */
	request.named = request.target == PERF_MACHINE ? "the whole machine" : "programs";
	request.frequency = RATE;
	request.ring = RING_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	bool ok = perf_open(kernel, &request, rings, &out->why);
	if (ok) {
		out->state = WAY_WORKS;
		snprintf(out->event, sizeof(out->event), "%s", rings->event);
	} else {
		out->state = out->why.code == BC_MISMATCH ? WAY_ABSENT : WAY_REFUSED;
	}
	return ok;
}

static void try_stacks(const struct perf_kernel *kernel, struct sampling_facts *out)
{
	const struct perf_request request = {.target = PERF_TASKS, .require_branches = true};
	struct opened_rings rings;

	if (try_request(kernel, request, &rings, &out->ways[SAMPLING_STACKS]))
		out->types = rings.attr.branch_sample_type & PERF_SAMPLE_BRANCH_TYPE_SAVE;
	perf_close(&rings);
}

/* The best event for basic samples is a counter, or else a timer. */
static void try_basic(const struct perf_kernel *kernel, struct sampling_facts *out)
{
	struct sampled_way *counters = &out->ways[SAMPLING_COUNTERS],
			   *timer = &out->ways[SAMPLING_TIMER];
	struct perf_request request = {.target = PERF_TASKS, .basic = true};
	struct opened_rings rings;

	bool timed = try_request(kernel, request, &rings, counters) &&
		     rings.attr.type == PERF_TYPE_SOFTWARE;
	perf_close(&rings);
	if (timed) {
		*timer = *counters;
		*counters = (struct sampled_way){.state = WAY_ABSENT};
		return;
	}
	request.event = "cpu-clock";
	(void)try_request(kernel, request, &rings, timer);
	perf_close(&rings);
}

static void try_whole_machine(const struct perf_kernel *kernel, struct sampling_facts *out)
{
	const struct perf_request request = {
		.target = PERF_MACHINE, .event = "cpu-clock", .basic = true};
	struct opened_rings rings;

	(void)try_request(kernel, request, &rings, &out->whole_machine);
	perf_close(&rings);
}

/* A hardware trace, which perf records. */
static void try_trace(const struct perf_kernel *kernel, const char *device, const char *event,
		      struct sampled_way *out)
{
	struct perf_event_attr attr = {
		.size = PERF_ATTR_SIZE_VER5, .disabled = 1, .exclude_kernel = 1, .exclude_hv = 1};
	char path[128];
	int type;

	snprintf(path, sizeof(path), DEVICES "%s/type", device);
	if (!number_in(kernel, path, &type) || type < PERF_TYPE_MAX) /* no device's */
		return;
	attr.type = (uint32_t)type;
	int fd = kernel->open(&attr, 0, -1, 0);
	if (fd < 0) {
		int why = errno;
		out->state = WAY_REFUSED;
		bc_fail(&out->why, BC_IO, "the kernel refuses %s: %s", event, strerror(why));
		return;
	}
	kernel->close(fd);
	out->state = WAY_WORKS;
	snprintf(out->event, sizeof(out->event), "%s", event);
}

void sampling_look(const struct perf_kernel *kernel, struct sampling_facts *out)
{
	*out = (struct sampling_facts){0};
	look_at_processor(kernel, out);
	look_at_kernel(kernel, out);
	look_at_depth(kernel, out);
	try_stacks(kernel, out);
	try_basic(kernel, out);
	try_whole_machine(kernel, out);
	try_trace(kernel, "intel_pt", "intel_pt//u", &out->ways[SAMPLING_INTEL_PT]);
	try_trace(kernel, "arm_spe_0", "arm_spe_0/branch_filter=1/u", &out->ways[SAMPLING_ARM_SPE]);
	try_trace(kernel, "cs_etm", "cs_etm//u", &out->ways[SAMPLING_ARM_ETM]);
}
