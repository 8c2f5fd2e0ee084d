/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/perf_cases.h"

#include <linux/perf_event.h>

#include "src/base/attr.h"
#include "src/samples/perf_data/perf_data.h"
#include "src/samples/perf_data/perf_records.h"

static const struct branch two_branches[] = {{0x401010, 0x401100, 1}, {0x401120, 0x401000, 2}};

const struct build_attr lbr_attr = {
	.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
		       PERF_SAMPLE_BRANCH_STACK,
	.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
	.flags = PERF_ATTR_SAMPLE_ID_ALL | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV |
		 PERF_ATTR_EXCLUDE_GUEST,
	.name = "cycles:u",
};

struct build_sample sample_at(uint64_t time)
{
	return (struct build_sample){.pid = 7,
				     .tid = 7,
				     .time = time,
				     .ip = 0x401000 + time,
				     .period = 1,
				     .branches = two_branches,
				     .branch_count = 2};
}

void put_at(struct build_perf *b, const struct build_attr *attr, uint64_t time)
{
	struct build_sample sample = sample_at(time);

	put_sample(b, attr, &sample);
}

void put_process(struct build_perf *b, const struct build_attr *attr, uint64_t time)
{
	struct build_sample id = sample_at(time);

	put_comm(b, attr, &id, true, "a");
	put_mmap2(b, attr, &id, 0x401000, 0x2000, 0x1000, "/bin/a");
}

void case_lbr(struct build_perf_file *file)
{
	static const uint8_t id[20] = {1, 2, 3};
	struct build_sample exit_id = sample_at(30);

	file->attrs = &lbr_attr;
	file->attr_count = 1;
	put_process(&file->records, &lbr_attr, 10);
	put_at(&file->records, &lbr_attr, 20);
	put_at(&file->records, &lbr_attr, 21);
	put_task(&file->records, &lbr_attr, &exit_id, PERF_RECORD_EXIT, 1);
	put_build_id(add_feature(file, PERF_FEATURE_BUILD_ID), "/bin/a", id);
	put_long_string(add_feature(file, PERF_FEATURE_ARCH), "x86_64");
	add_event_names(file);
}

const char lbr_log[] = "EXEC 7\n"
		       "MAP 7 401000+2000 @1000 x /bin/a 0102030000000000000000000000000000000000\n"
		       "SAMPLE 7 cycles:u: 401014 0x401010/0x401100/M 0x401120/0x401000/P\n"
		       "SAMPLE 7 cycles:u: 401015 0x401010/0x401100/M 0x401120/0x401000/P\n"
		       "EXIT 7 7\n";

/* The file has no name for the event, so perf makes one up. */
void case_nameless(struct build_perf_file *file)
{
	file->attrs = &lbr_attr;
	file->attr_count = 1;
	put_at(&file->records, &lbr_attr, 20);
}

/* The oldest records come last, as late as rounds allow. */
void case_rounds(struct build_perf_file *file)
{
	static const uint64_t times[] = {30, 50, 20, 40, 0, 60, 35, 55, 0, 70, 51, 0, 65, 80};

	file->attrs = &lbr_attr;
	file->attr_count = 1;
	put_process(&file->records, &lbr_attr, 25);
	for (size_t i = 0; i < BC_COUNT(times); i++)
		if (times[i])
			put_at(&file->records, &lbr_attr, times[i]);
		else
			put_round(&file->records);
	add_event_names(file);
}

/* Two events whose samples differ; the first field of a sample shows which it is. */
const struct build_attr mixed_attrs[2] = {
	{
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD,
		.flags = PERF_ATTR_SAMPLE_ID_ALL,
		.name = "instructions",
		.ids = {101, 102},
		.id_count = 2,
	},
	{
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX,
		.flags = PERF_ATTR_SAMPLE_ID_ALL,
		.name = "cycles",
		.ids = {201, 202},
		.id_count = 2,
	},
};

void case_mixed(struct build_perf_file *file)
{
	file->attrs = mixed_attrs;
	file->attr_count = 2;
	struct build_sample id = sample_at(10);
	id.id = 101;
	put_mmap2(&file->records, &mixed_attrs[0], &id, 0x401000, 0x2000, 0x1000, "/bin/a");
	for (size_t i = 0; i < 8; i++) {
		struct build_sample sample = sample_at(20 + i);
		sample.id = mixed_attrs[i % 2].ids[i / 2 % 2];
		put_sample(&file->records, &mixed_attrs[i % 2], &sample);
	}
	add_event_names(file);
}

/* Every field before and after the stack. */
static const struct build_attr wide = {
	.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES,
	.sample_type = (UINT64_C(1) << 25) - 1 -
		       (PERF_SAMPLE_AUX | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_READ),
	.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX,
	.regs_user = 0xff,
	.regs_intr = 0xffff,
	.flags = PERF_ATTR_SAMPLE_ID_ALL,
	.name = "cycles",
	.ids = {5},
	.id_count = 1,
};

void case_wide(struct build_perf_file *file)
{
	file->attrs = &wide;
	file->attr_count = 1;
	for (uint64_t i = 0; i < 6; i++) {
		struct build_sample sample = sample_at(20 + i);
		sample.id = 5;
		sample.callchain_count = i;
		sample.raw_size = 4 + 8 * (uint32_t)i;
		sample.stack_size = 8 * i;
		sample.no_user_regs = i % 2;
		sample.branch_count = i % 3;
		put_sample(&file->records, &wide, &sample);
	}
	add_event_names(file);
}

void case_processes(struct build_perf_file *file)
{
	struct build_perf *b = &file->records;
	struct build_sample child = sample_at(30), later = sample_at(50);

	file->attrs = &lbr_attr;
	file->attr_count = 1;
	put_process(b, &lbr_attr, 10);
	put_at(b, &lbr_attr, 20);
	child.pid = child.tid = 9;
	put_task(b, &lbr_attr, &child, PERF_RECORD_FORK, 7);
	child.time = 31;
	put_comm(b, &lbr_attr, &child, false, "b");
	child.time = 40;
	put_comm(b, &lbr_attr, &child, true, "c");
	put_mmap2(b, &lbr_attr, &child, 0x55d000, 0x1000, 0, "/bin/c (deleted)");
	put_sample(b, &lbr_attr, &child);
	child.time = 45;
	put_task(b, &lbr_attr, &child, PERF_RECORD_EXIT, 7);
	put_task(b, &lbr_attr, &later, PERF_RECORD_EXIT, 1);
	add_event_names(file);
}

static void compress(struct build_perf_file *file, bool second_form)
{
	struct build_perf plain = {0}, packed = {0};

	case_lbr(file);
	plain = file->records;
	/* In two frames, with a record across the border. */
	size_t half = plain.size / 2 + 3;
	put_compressed(&packed, bytes_first(build_perf_bytes(&plain), half), second_form);
	put_compressed(&packed, bytes_from(build_perf_bytes(&plain), half), second_form);
	file->records = packed;
	build_perf_free(&plain);
}

/* perf reads the size of the compressed chunks from feature 27, which comes after the others. */
void case_compressed(struct build_perf_file *file)
{
	compress(file, false);
	struct build_perf *b = add_feature(file, PERF_FEATURE_COMPRESSED);
	put_u32(b, 1);
	put_u32(b, 1);
	put_u32(b, 1);
	put_u32(b, 3);
	put_u32(b, 528384);
}

void case_compressed2(struct build_perf_file *file)
{
	compress(file, true);
}

const struct perf_case perf_cases[PERF_CASES] = {
	{"lbr", case_lbr, build_file},
	{"lbr-pipe", case_lbr, build_pipe},
	{"nameless", case_nameless, build_file},
	{"rounds", case_rounds, build_file},
	{"mixed", case_mixed, build_file},
	{"mixed-pipe", case_mixed, build_pipe},
	{"wide", case_wide, build_file},
	{"processes", case_processes, build_file},
	{"compressed", case_compressed, build_file},
};

void perf_case_build(const struct perf_case *built, struct build_perf *out)
{
	struct build_perf_file file = {0};

	built->fill(&file);
	built->build(&file, out);
	build_perf_file_free(&file);
}
