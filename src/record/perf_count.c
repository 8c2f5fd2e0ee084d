/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/perf_count.h"

#include <string.h>
#include <sys/ioctl.h>

#define INTEL_TAKEN 0x20c4 /* BR_INST_RETIRED.NEAR_TAKEN */
#define AMD_TAKEN   0xc4

#define READ_MISSES(cache)                                                                         \
	((cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

const char *counted_event_key(enum counted_event event)
{
#define X(name, key, text) key,
	static const char *const keys[] = {COUNTED_EVENTS(X)};
#undef X

	return keys[event];
}

const char *counted_event_text(enum counted_event event)
{
#define X(name, key, text) text,
	static const char *const texts[] = {COUNTED_EVENTS(X)};
#undef X

	return texts[event];
}

/* Taken branches have no name that all processors share.  0: this one's is not known. */
static uint64_t taken_branches(const struct perf_kernel *kernel)
{
	char text[1024];

	if (!kernel->read("/proc/cpuinfo", text, sizeof(text)))
		return 0;
	return strstr(text, "GenuineIntel") ? INTEL_TAKEN :
	       strstr(text, "AuthenticAMD") ? AMD_TAKEN :
					      0;
}

void event_counters_open(const struct perf_kernel *kernel, int task, bool from_exec,
			 struct event_counters *out)
{
	const uint64_t taken = taken_branches(kernel);
	const struct {
		uint32_t type;
		uint64_t config;
	} events[COUNTED_EVENT_COUNT] = {
		[COUNTED_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
		[COUNTED_TAKEN] = {PERF_TYPE_RAW, taken},
		[COUNTED_LINE_MISSES] = {PERF_TYPE_HW_CACHE, READ_MISSES(PERF_COUNT_HW_CACHE_L1I)},
		[COUNTED_PAGE_MISSES] = {PERF_TYPE_HW_CACHE, READ_MISSES(PERF_COUNT_HW_CACHE_ITLB)},
		[COUNTED_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		[COUNTED_FAULTS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	};

	*out = (struct event_counters){.kernel = kernel};
	for (unsigned i = 0; i < COUNTED_EVENT_COUNT; i++) {
		struct perf_event_attr attr = {
			.size = sizeof(attr),
			.type = events[i].type,
			.config = events[i].config,
			.read_format =
				PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
			.disabled = 1,
			.inherit = 1,
			.exclude_kernel = 1,
			.exclude_hv = 1,
			.enable_on_exec = from_exec,
		};
		bool known = i != COUNTED_TAKEN || taken;
		out->fds[i] = known ? kernel->open(&attr, task, -1, 0) : -1;
	}
}

void event_counters_switch(struct event_counters *counters, bool on)
{
	for (unsigned i = 0; i < COUNTED_EVENT_COUNT; i++)
		if (counters->fds[i] >= 0)
			(void)counters->kernel->control(
				counters->fds[i],
				on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void event_counters_read(const struct event_counters *counters, struct event_counts *out)
{
	*out = (struct event_counts){0};
	for (unsigned i = 0; i < COUNTED_EVENT_COUNT; i++) {
		uint64_t values[3]; /* the count; nanoseconds since it began, and of counting */
		if (counters->fds[i] < 0 || !counters->kernel->count(counters->fds[i], values, 3) ||
		    !values[2])
			continue;
		out->has[i] = true;
		out->of[i] = values[1] == values[2] ?
				     values[0] :
				     (uint64_t)((double)values[0] * (double)values[1] /
						(double)values[2]);
	}
}

void event_counters_close(struct event_counters *counters)
{
	for (unsigned i = 0; i < COUNTED_EVENT_COUNT; i++)
		if (counters->fds[i] >= 0)
			counters->kernel->close(counters->fds[i]);
	*counters = (struct event_counters){0};
	for (unsigned i = 0; i < COUNTED_EVENT_COUNT; i++)
		counters->fds[i] = -1;
}
