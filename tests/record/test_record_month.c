/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recording that continues for days: processes begin, run new programs and end, and what was
 * counted is handed over each hour.  After the last day it has the memory of the first.
 *
 * MONTH_DAYS, MONTH_FILES and MONTH_PROCESSES, so many in all: for a longer run than that of the
 * test.  A month: 30, 2000000 and 100000000, which take four
 * minutes of a processor.
 */
#define _GNU_SOURCE /* memfd_create() */
#include "src/record/record_shards.h"

#include <linux/perf_event.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/digest.h"
#include "src/samples/perf_data/perf_events.h"
#include "tests/support/build_elf.h"
#include "tests/support/build_perf.h"
#include "tests/support/cmocka.h"

#define HOURS 24

struct month {
	struct build_attr attr;
	struct recorder *recorder;
	struct record_shards shards;
	struct bytes program; /* of which each file has its own copy, with its number in the code */
	uint64_t text, days, files, processes, now;
};

static uint64_t asked_for(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

static enum file_answer open_file(void *ctx, const struct map_event *map, int *fd)
{
	const struct month *month = ctx;
	uint64_t number = map->node.inode;

	*fd = memfd_create("file", MFD_CLOEXEC);
	assert_true(*fd >= 0);
	assert_int_equal(write(*fd, month->program.data, month->program.size), month->program.size);
	assert_int_equal(pwrite(*fd, &number, sizeof(number), (off_t)month->text), sizeof(number));
	return FILE_OPENED;
}

/* As record_shards.c takes it, except for the file. */
static bool take(void *ctx, struct recorded *recorded, struct bc_error *err)
{
	struct month *month = ctx;
	struct recorded_binary *binary = record_shards_binary(&month->shards, recorded);

	(void)err;
	assert_non_null(binary);
	binary->samples += recorded->samples;
	return true;
}

static void give(struct month *month, struct build_perf *b)
{
	struct bc_error err = {0};

	assert_true(recorder_ring(month->recorder, 0, build_perf_bytes(b), &err));
	build_perf_free(b);
}

/* Forked, runs a file, has a sample, and ends. */
static void live(struct month *month, uint32_t pid, uint64_t file)
{
	const struct build_sample id = {.pid = pid, .tid = pid, .time = ++month->now};
	const struct branch branch = {0x10010, 0x10020, 0};
	struct build_sample sample = id;
	struct build_perf b = {0};
	char path[64];

	snprintf(path, sizeof(path), "/srv/builds/%llu/bin/prog", (unsigned long long)file);
	put_task(&b, &month->attr, &id, PERF_RECORD_FORK, 1);
	put_comm(&b, &month->attr, &id, true, "prog");
	size_t at = build_perf_bytes(&b).size;
	put_mmap2(&b, &month->attr, &id, 0x10000, 0x1000, month->text, path);
	set_u64(&b, at + 48, file);
	sample.ip = branch.to;
	sample.branches = &branch;
	sample.branch_count = 1;
	put_sample(&b, &month->attr, &sample);
	put_task(&b, &month->attr, &id, PERF_RECORD_EXIT, 1);
	give(month, &b);
}

static void flush(struct month *month)
{
	const struct recorded_taker to = {.ctx = month, .take = take};
	struct bc_error err = {0};

	while (recorder_look(month->recorder, 0))
		;
	assert_true(recorder_flush(month->recorder, &to, &err));
}

static void pass_day(struct month *month, uint64_t day)
{
	const uint64_t hours = month->days * HOURS;
	struct bc_error err = {0};

	for (uint64_t hour = day * HOURS; hour < (day + 1) * HOURS; hour++) {
		uint64_t from = hour * month->processes / hours,
			 to = (hour + 1) * month->processes / hours;
		for (uint64_t i = from; i < to; i++) {
			live(month, (uint32_t)(2 + i % 4000000),
			     1 + i * month->files / month->processes);
			if (i % 64 == 63)
				assert_true(recorder_round(month->recorder, &err));
		}
		flush(month);
	}
}

static size_t memory_now(void)
{
	return mallinfo2().uordblks;
}

static void the_last_day_ends_with_the_memory_of_the_first(void **state)
{
	static const uint8_t code[4096] = {0x90};
	static const struct build_section sections[] = {{.name = ".text",
							 .type = SHT_PROGBITS,
							 .flags = SHF_ALLOC | SHF_EXECINSTR,
							 .addr = 0x1000,
							 .data = code,
							 .size = sizeof(code)},
							{0}};
	struct month month = {
		.attr = {.type = PERF_TYPE_HARDWARE,
			 .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					PERF_SAMPLE_BRANCH_STACK,
			 .flags = PERF_ATTR_SAMPLE_ID_ALL | PERF_ATTR_EXCLUDE_KERNEL |
				  PERF_ATTR_EXCLUDE_HV,
			 .branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER},
		.program = build_elf(&(struct build_elf){.sections = sections}),
		.days = asked_for("MONTH_DAYS", 5),
		.files = asked_for("MONTH_FILES", 30000),
		.processes = asked_for("MONTH_PROCESSES", 60000)};
	struct build_perf attr = {0};
	struct bc_error err = {0};

	(void)state;
	month.text = build_elf_offset(month.program, ".text");
	put_attr(&attr, &month.attr);
	const struct recorder_options options = {.attr = build_perf_bytes(&attr),
						 .rings = 1,
						 .memory = (uint64_t)8 << 20,
						 .files = {.ctx = &month, .open = open_file}};
	assert_true(recorder_open(&options, &month.recorder, &err));
	pass_day(&month, 0);
	size_t first = memory_now();
	for (uint64_t day = 1; day < month.days; day++)
		pass_day(&month, day);
	assert_true(recorder_drain(month.recorder, &err));
	flush(&month);
	size_t last = memory_now();
	struct recorder_stats stats = recorder_stats(month.recorder);
	printf("%llu files, %llu processes: %zu KiB after the first day, %zu KiB after the last\n",
	       (unsigned long long)month.files, (unsigned long long)stats.programs, first >> 10,
	       last >> 10);
	assert_int_equal(stats.programs, month.processes);
	assert_int_equal(stats.samples.read, month.processes);
	assert_true(month.shards.binaries.len <= RECORDED_BINARIES_MOST);
	assert_true(last < first + ((size_t)128 << 10));
	recorder_free(month.recorder);
	record_shards_close(&month.shards);
	build_perf_free(&attr);
	build_elf_free(&month.program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_day_ends_with_the_memory_of_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
