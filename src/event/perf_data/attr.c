/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_data/attr.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

/* Offsets in struct perf_event_attr; they are ABI. */
enum {
	AT_TYPE = 0,
	AT_SIZE = 4,
	AT_CONFIG = 8,
	AT_SAMPLE_TYPE = 24,
	AT_READ_FORMAT = 32,
	AT_FLAGS = 40,
	AT_BRANCH_SAMPLE_TYPE = 72,
	AT_REGS_USER = 80,
	AT_REGS_INTR = 96,
};

static uint64_t field64(struct bytes attr, size_t at)
{
	return range_fits(at, 8, attr.size) ? le64(attr.data + at) : 0;
}

size_t perf_attr_size(struct bytes bytes)
{
	if (bytes.size < PERF_ATTR_SMALLEST)
		return 0;
	uint32_t size = le32(bytes.data + AT_SIZE);
	if (!size)
		size = PERF_ATTR_SMALLEST;
	return size >= PERF_ATTR_SMALLEST && size <= bytes.size ? size : 0;
}

bool perf_attr_parse(struct bytes bytes, struct perf_attr *out)
{
	struct bytes attr = bytes_first(bytes, perf_attr_size(bytes));

	if (!attr.size)
		return false;
	*out = (struct perf_attr){
		.type = le32(attr.data + AT_TYPE),
		.config = field64(attr, AT_CONFIG),
		.sample_type = field64(attr, AT_SAMPLE_TYPE),
		.read_format = field64(attr, AT_READ_FORMAT),
		.flags = field64(attr, AT_FLAGS),
		.branch_sample_type = field64(attr, AT_BRANCH_SAMPLE_TYPE),
		.regs_user = field64(attr, AT_REGS_USER),
		.regs_intr = field64(attr, AT_REGS_INTR),
	};
	return true;
}

static const char *const hardware_names[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char *const software_names[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
	[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
	[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
	[PERF_COUNT_SW_DUMMY] = "dummy",
};

static const char *generic_name(const struct perf_attr *attr)
{
	/* The upper half of a hardware config is the PMU's number. */
	uint64_t index = attr->config & UINT32_MAX;

	if (attr->type == PERF_TYPE_HARDWARE && index < BC_COUNT(hardware_names))
		return hardware_names[index];
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < BC_COUNT(software_names))
		return software_names[attr->config];
	return NULL;
}

/* Append the processor modes that are counted, in perf's letters ("u", "k", ...): perf
 * prints them only if some mode is excluded. */
static void format_modifiers(const struct perf_attr *attr, char out[16])
{
	uint64_t flags = attr->flags, precise = flags >> PERF_ATTR_PRECISE_SHIFT & 3;
	bool modes = flags & (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV);
	bool no_guest = flags & PERF_ATTR_EXCLUDE_GUEST, guest_expected = modes || precise;
	char *end = out;

	*end++ = ':';
	if (modes && !(flags & PERF_ATTR_EXCLUDE_KERNEL))
		*end++ = 'k';
	if (modes && !(flags & PERF_ATTR_EXCLUDE_USER))
		*end++ = 'u';
	if (modes && !(flags & PERF_ATTR_EXCLUDE_HV))
		*end++ = 'h';
	for (uint64_t i = 0; i < precise; i++)
		*end++ = 'p';
	if ((flags & PERF_ATTR_EXCLUDE_HOST) || no_guest == guest_expected) {
		if (!(flags & PERF_ATTR_EXCLUDE_HOST))
			*end++ = 'H';
		if (!no_guest)
			*end++ = 'G';
	}
	*end = '\0';
	if (end == out + 1)
		*out = '\0';
}

void perf_attr_name(const struct perf_attr *attr, char out[PERF_EVENT_NAME_MAX])
{
	const char *name = generic_name(attr);
	char modifiers[16];

	format_modifiers(attr, modifiers);
	if (name)
		snprintf(out, PERF_EVENT_NAME_MAX, "%s%s", name, modifiers);
	else if (attr->type == PERF_TYPE_RAW)
		snprintf(out, PERF_EVENT_NAME_MAX, "raw 0x%" PRIx64 "%s", attr->config, modifiers);
	else
		*out = '\0';
}
