/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From records of rings to counts of each file. */
#define _GNU_SOURCE /* memfd_create() */
#include "tests/support/cmocka.h"
#include "tests/support/ledger_balances.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/base/file.h"
#include "src/elf/code_digest.h"
#include "src/samples/perf_data/perf_events.h"
#include "src/record/recorder.h"
#include "src/record/shares.h"
#include "tests/support/build_elf.h"
#include "tests/support/build_perf.h"

#define STACKS (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_BRANCH_STACK)
#define PLAIN  (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* The code of all files lies here: in the file from TEXT_OFFSET on. */
#define TEXT_VADDR 0x401000
#define TEXT_SIZE  0x1000

/* A file of the machine that is recorded. */
struct host_file {
	const char *path;
	uint64_t inode;
	uint8_t fill; /* its code; 0: it is no ELF file */
	enum file_answer answer;
};

static const struct host_file host_files[] = {
	{"/bin/a", 1, 0x90, FILE_OPENED},     {"/lib/b", 2, 0x91, FILE_OPENED},
	{"/copy/of/a", 3, 0x90, FILE_OPENED}, {"/bin/left", 4, 0x92, FILE_LEFT_OUT},
	{"/bin/gone", 5, 0x93, FILE_GONE},    {"/bin/script", 6, 0, FILE_OPENED},
	{"/bin/a", 7, 0x94, FILE_OPENED}, /* it was replaced */
};

/* Each inode from this one on is a file with other code. */
#define EACH       "/each"
#define EACH_INODE 1000

struct bench {
	struct build_attr attr;
	struct build_perf attr_bytes;
	struct recorder *recorder;
	uint64_t text_offset;
	uint64_t least;         /* samples that the taker wants */
	unsigned asked, refuse; /* the taker refuses so many times: */
	bool refuse_softly;     /* without an error */
	bool found_again;       /* what was gone is there */
	unsigned users_asked;
	uint32_t uid, root; /* who runs all processes but `root`, which root runs */
	int opened; /* another descriptor of the file that was opened last; 0: none is wanted */
	off_t size; /* of each file, by a hole at its end; 0: it has none */
	char *log;  /* what was taken */
	size_t log_size;
	FILE *to;
};

static void write_all(int fd, const void *data, size_t size)
{
	assert_int_equal(write(fd, data, size), size);
	lseek(fd, 0, SEEK_SET);
}

static struct bytes program(uint8_t fill)
{
	uint8_t text[TEXT_SIZE];
	const struct build_section sections[] = {{.name = ".text",
						  .type = SHT_PROGBITS,
						  .flags = SHF_ALLOC | SHF_EXECINSTR,
						  .addr = TEXT_VADDR,
						  .data = text,
						  .size = sizeof(text)},
						 {0}};
	const struct build_elf recipe = {.type = ET_EXEC, .sections = sections};

	memset(text, fill, sizeof(text));
	return build_elf(&recipe);
}

static enum file_answer open_file(void *ctx, const struct map_event *map, int *fd)
{
	struct bench *bench = ctx;

	bench->asked++;
	if (text_is(map->path, EACH)) {
		struct bytes elf = program((uint8_t)(map->node.inode - EACH_INODE + 1));
		*fd = memfd_create("file", MFD_CLOEXEC);
		assert_true(*fd >= 0);
		write_all(*fd, elf.data, elf.size);
		build_elf_free(&elf);
		return FILE_OPENED;
	}
	for (size_t i = 0; i < BC_COUNT(host_files); i++) {
		const struct host_file *file = &host_files[i];
		if (!text_is(map->path, file->path) || map->node.inode != file->inode)
			continue;
		if (file->answer != FILE_OPENED &&
		    !(file->answer == FILE_GONE && bench->found_again))
			return file->answer;
		struct bytes elf = file->fill ? program(file->fill) : (struct bytes){0};
		*fd = memfd_create("file", MFD_CLOEXEC);
		assert_true(*fd >= 0);
		write_all(*fd, file->fill ? (const void *)elf.data : "#!/bin/sh\n",
			  file->fill ? elf.size : 10);
		build_elf_free(&elf);
		if (bench->size)
			assert_int_equal(ftruncate(*fd, bench->size), 0);
		if (bench->opened) {
			close(bench->opened);
			bench->opened = dup(*fd);
		}
		return FILE_OPENED;
	}
	return FILE_GONE;
}

static uint32_t user_of(void *ctx, uint32_t pid)
{
	struct bench *bench = ctx;

	bench->users_asked++;
	return pid == bench->root ? 0 : bench->uid;
}

static const char *end_text(struct trace_end end, char out[32])
{
	static const char *const names[] = {[TRACE_END_EXTERNAL] = "X",
					    [TRACE_END_NONE] = "-",
					    [TRACE_END_FT_EXTERNAL] = "f",
					    [TRACE_END_FT_RETURN] = "r"};

	if (!trace_end_is(end, TRACE_END_VADDR))
		return names[trace_end_kind(end)];
	snprintf(out, 32, "%" PRIx64, end.word - TEXT_VADDR);
	return out;
}

/* Addresses are given from the beginning of the code. */
static bool log_event(void *ctx, const struct event *event, struct bc_error *err)
{
	struct bench *bench = ctx;
	char text[3][32];

	(void)err;
	if (event->kind == EVENT_NAME)
		fprintf(bench->to, " %.*s", (int)event->name.len, event->name.at);
	for (size_t i = 0; event->kind == EVENT_TRACES && i < event->traces.count; i++) {
		const struct trace_record *t = &event->traces.at[i];
		fprintf(bench->to, " %s%s>%s..%s*%" PRIu64, t->is_return ? "R" : "",
			end_text(t->trace.branch, text[0]), end_text(t->trace.from, text[1]),
			end_text(t->trace.to, text[2]), t->count);
		if (t->mispredicted)
			fprintf(bench->to, "!%" PRIu64, t->mispredicted);
	}
	for (size_t i = 0; event->kind == EVENT_ADDRESSES && i < event->addresses.count; i++)
		fprintf(bench->to, " %" PRIx64 "*%" PRIu64,
			event->addresses.at[i].at.v - TEXT_VADDR, event->addresses.at[i].count);
	return true;
}

static bool take(void *ctx, struct recorded *recorded, struct bc_error *err)
{
	struct bench *bench = ctx;
	const struct event_sink sink = {bench, log_event};

	if (bench->refuse) {
		bench->refuse--;
		return bench->refuse_softly ? false :
					      bc_fail(err, BC_IO, "no room for %s", recorded->path);
	}
	assert_int_equal(recorded->digest.size, 32);
	fprintf(bench->to, "%s%s %" PRIu64 ":", recorded->path, recorded->plain ? " plain" : "",
		recorded->samples);
	assert_true(recorded_deliver(recorded->counts, &sink, err));
	fprintf(bench->to, "\n");
	return true;
}

static void open_bench(struct bench *bench, uint64_t sample_type, uint64_t memory, FILE *save)
{
	struct bc_error err = {0};
	struct bytes elf = program(0x90);

	*bench = (struct bench){.attr = {.type = PERF_TYPE_HARDWARE,
					 .sample_type = sample_type,
					 .flags = PERF_ATTR_SAMPLE_ID_ALL |
						  PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV}};
	bench->attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	bench->text_offset = build_elf_offset(elf, ".text");
	build_elf_free(&elf);
	put_attr(&bench->attr_bytes, &bench->attr);
	bench->to = open_memstream(&bench->log, &bench->log_size);
	assert_non_null(bench->to);
	const struct recorder_options options = {
		.attr = build_perf_bytes(&bench->attr_bytes),
		.rings = 2,
		.memory = memory,
		.files = {.ctx = bench, .open = open_file, .user = user_of},
		.save = save};
	assert_true(recorder_open(&options, &bench->recorder, &err));
}

static void close_bench(struct bench *bench)
{
	struct recorder_stats stats = recorder_stats(bench->recorder);

	assert_true(ledger_balances(&stats.samples));
	assert_true(ledger_balances(&stats.branches));
	recorder_free(bench->recorder);
	build_perf_free(&bench->attr_bytes);
	fclose(bench->to);
	free(bench->log);
}

static void give(struct bench *bench, uint32_t ring, struct build_perf *b)
{
	struct bc_error err = {0};

	assert_true(recorder_ring(bench->recorder, ring, build_perf_bytes(b), &err));
	build_perf_free(b);
}

static void put_sample_at(struct bench *bench, uint32_t ring, uint32_t pid, uint64_t time,
			  uint64_t ip, const struct branch *branches, size_t count)
{
	struct build_perf b = {0};
	const struct build_sample sample = {.pid = pid,
					    .tid = pid,
					    .time = time,
					    .ip = ip,
					    .branches = branches,
					    .branch_count = count};

	put_sample(&b, &bench->attr, &sample);
	give(bench, ring, &b);
}

/* One branch. */
static void put_branch(struct bench *bench, uint32_t pid, uint64_t time, uint64_t from, uint64_t to)
{
	const struct branch b = {from, to, 0};

	put_sample_at(bench, 0, pid, time, to, &b, 1);
}

static void put_map(struct bench *bench, uint32_t ring, uint32_t pid, uint64_t time, uint64_t start,
		    uint64_t offset, const char *path, uint64_t inode)
{
	struct build_perf b = {0};
	const struct build_sample id = {.pid = pid, .tid = pid, .time = time};

	put_mmap2(&b, &bench->attr, &id, start, TEXT_SIZE, offset, path);
	set_u64(&b, 48, inode);
	give(bench, ring, &b);
}

/* The code of a host's file. */
static void map_file(struct bench *bench, uint32_t pid, uint64_t time, uint64_t start, size_t file)
{
	put_map(bench, 0, pid, time, start, bench->text_offset, host_files[file].path,
		host_files[file].inode);
}

static void put_event(struct bench *bench, uint32_t type, uint32_t pid, uint32_t tid,
		      uint32_t parent, uint64_t time)
{
	struct build_perf b = {0};
	const struct build_sample id = {.pid = pid, .tid = tid, .time = time};

	if (type == PERF_RECORD_COMM)
		put_comm(&b, &bench->attr, &id, true, "x");
	else
		put_task(&b, &bench->attr, &id, type, parent);
	give(bench, 0, &b);
}

static void drain(struct bench *bench)
{
	struct bc_error err = {0};

	assert_true(recorder_drain(bench->recorder, &err));
}

static bool flush(struct bench *bench, struct bc_error *err)
{
	const struct recorded_taker to = {.ctx = bench, .take = take, .least = bench->least};

	fflush(bench->to);
	rewind(bench->to);
	while (recorder_look(bench->recorder, 0))
		;
	bool ok = recorder_flush(bench->recorder, &to, err);
	fflush(bench->to);
	return ok;
}

/* What was counted, until the end of the text. */
static void assert_counted(struct bench *bench, const char *want)
{
	struct bc_error err = {0};

	assert_true(flush(bench, &err));
	assert_int_equal(bench->log_size, strlen(want));
	assert_memory_equal(bench->log, want, strlen(want));
}

static uint64_t dropped(const struct bench *bench, enum recorded_drop why)
{
	return recorder_stats(bench->recorder).samples.dropped[why];
}

/* ---- files ---- */

static void test_a_branch_between_two_files_counts_for_both(void **state)
{
	struct bench bench;
	/* newest first: b returns to a (no type), a calls b */
	const struct branch stack[] = {{0x20500, 0x10204, 0},
				       {0x10200, 0x20400, BRANCH_MISPREDICTED},
				       {0x10300, 0x10100, 0}};

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 0);
	map_file(&bench, 7, 10, 0x20000, 1);
	put_sample_at(&bench, 0, 7, 20, 0x10204, stack, 3);
	put_sample_at(&bench, 1, 7, 21, 0x20404, stack, 3);
	drain(&bench);
	assert_counted(&bench, "/bin/a 1: 200>X..X*2!2 300>100..200*2 X>204..-*2\n"
			       "/lib/b 1: 500>X..-*2 X>400..500*2!2\n");
	struct recorder_stats stats = recorder_stats(bench.recorder);
	assert_true(stats.samples.read == 2 && stats.samples.kept == 2 &&
		    stats.branches.read == 6 && stats.branches.kept == 6);
	assert_true(stats.programs == 1 && stats.files == 2);
	assert_counted(&bench, ""); /* it was handed over */
	close_bench(&bench);
}

static void test_files_with_the_same_code_are_one(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 0);
	map_file(&bench, 8, 10, 0x30000, 2); /* another inode and path */
	put_branch(&bench, 7, 20, 0x10010, 0x10020);
	put_branch(&bench, 8, 21, 0x30010, 0x30020);
	drain(&bench);
	assert_counted(&bench, "/bin/a 2: 10>20..-*2\n");
	close_bench(&bench);
}

static void test_a_file_that_was_replaced_is_another(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 0);
	map_file(&bench, 8, 10, 0x10000, 6);
	put_branch(&bench, 7, 20, 0x10010, 0x10020);
	put_branch(&bench, 8, 21, 0x10030, 0x10040);
	put_branch(&bench, 8, 22, 0x10030, 0x10040);
	drain(&bench);
	assert_counted(&bench, "/bin/a 2: 30>40..-*2\n/bin/a 1: 10>20..-*1\n");
	close_bench(&bench);
}

/* Another program can do that to any file at any moment. */
static void test_a_file_that_becomes_shorter_is_left_out(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	bench.opened = dup(STDERR_FILENO);
	map_file(&bench, 7, 10, 0x10000, 0);
	put_branch(&bench, 7, 20, 0x10010, 0x10020);
	drain(&bench);
	assert_int_equal(ftruncate(bench.opened, 64), 0);
	close(bench.opened);
	bench.opened = 0;
	assert_counted(&bench, "");
	assert_int_equal(dropped(&bench, RECORDED_DROP_GONE), 1);
	/* It is asked for again with the next mapping. */
	map_file(&bench, 8, 30, 0x10000, 0);
	put_branch(&bench, 8, 40, 0x10010, 0x10020);
	drain(&bench);
	assert_counted(&bench, "/bin/a 1: 10>20..-*1\n");
	close_bench(&bench);
}

/* So much of the address space is left. */
static struct rlimit leave_room(rlim_t more)
{
	struct rlimit before, little;
	unsigned long pages = 0;
	FILE *own = fopen("/proc/self/statm", "r");

	assert_non_null(own);
	assert_int_equal(fscanf(own, "%lu", &pages), 1);
	fclose(own);
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	little = (struct rlimit){pages * (rlim_t)sysconf(_SC_PAGESIZE) + more, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
	return before;
}

/* A file system, too, can say that there is no memory: the recording continues without it. */
static void test_a_file_without_memory_is_left_out(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 0);
	put_branch(&bench, 7, 20, 0x10010, 0x10020);
	bench.size = (off_t)1 << 40;
	struct rlimit before = leave_room((rlim_t)64 << 20);
	drain(&bench);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_int_equal(dropped(&bench, RECORDED_DROP_GONE), 1);
	/* It is asked for again with the next mapping. */
	bench.size = 0;
	map_file(&bench, 8, 30, 0x10000, 0);
	put_branch(&bench, 8, 40, 0x10010, 0x10020);
	drain(&bench);
	assert_counted(&bench, "/bin/a 1: 10>20..-*1\n");
	close_bench(&bench);
}

static void test_what_is_no_file_of_interest_is_told(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 3);
	map_file(&bench, 7, 10, 0x20000, 4);
	map_file(&bench, 7, 10, 0x30000, 5);
	put_map(&bench, 0, 7, 10, 0x40000, 0, "//anon", 0);
	put_map(&bench, 0, 7, 10, 0x50000, 0, "[vdso]", 0);
	put_map(&bench, 0, 7, 10, 0x60000, 0, "/memfd:jit (deleted)", 9);
	for (uint64_t at = 0x10000; at <= 0x70000; at += 0x10000)
		put_branch(&bench, 7, 20, at + 8, at + 16);
	put_branch(&bench, 9, 20, 0x10010, 0x10020);
	put_branch(&bench, 7, 20, UINT64_C(0xffffffff81000000), UINT64_C(0xffffffff81000010));
	put_sample_at(&bench, 0, 7, 20, 0x10000, NULL, 0);
	drain(&bench);
	assert_counted(&bench, "");
	assert_int_equal(dropped(&bench, RECORDED_DROP_LEFT_OUT), 1);
	assert_string_equal(recorder_left_out(bench.recorder), "/bin/left");
	assert_int_equal(dropped(&bench, RECORDED_DROP_GONE), 1);
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_PROGRAM), 1);
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_FILE), 4);
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_PROCESS), 1);
	assert_int_equal(dropped(&bench, RECORDED_DROP_KERNEL), 1);
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_STACK), 1);
	assert_int_equal(bench.asked, 3);
	close_bench(&bench);
}

static void test_what_is_gone_is_asked_for_when_it_is_mapped_again(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 4);
	put_branch(&bench, 7, 20, 0x10010, 0x10020);
	put_branch(&bench, 7, 21, 0x10010, 0x10020);
	drain(&bench);
	assert_int_equal(bench.asked, 1);
	bench.found_again = true;
	put_branch(&bench, 7, 22, 0x10010, 0x10020);
	drain(&bench);
	assert_int_equal(bench.asked, 1);
	map_file(&bench, 8, 30, 0x10000, 4);
	put_branch(&bench, 8, 31, 0x10010, 0x10020);
	drain(&bench);
	assert_int_equal(bench.asked, 2);
	assert_counted(&bench, "/bin/gone 1: 10>20..-*1\n");
	assert_int_equal(dropped(&bench, RECORDED_DROP_GONE), 3);
	close_bench(&bench);
}

/* That reads /proc: once a program, whatever that maps; but root can become another user. */
static void test_who_runs_a_process_is_asked_once(void **state)
{
	struct bc_error err = {0};
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	put_map(&bench, 1, 7, 10, 0x10000, 0, "/many", 99);
	drain(&bench);
	assert_int_equal(bench.users_asked, 1);
	bench.users_asked = 0;
	bench.uid = 4711;
	for (unsigned i = 0; i < 100; i++)
		put_map(&bench, 1, 7, 10, 0x1000000 + i * (uint64_t)0x10000, 0, "/many", 100 + i);
	drain(&bench);
	assert_int_equal(bench.users_asked, 1);
	put_event(&bench, PERF_RECORD_FORK, 8, 8, 7, 20);
	put_map(&bench, 1, 8, 21, 0x10000, 0, "/many", 300);
	drain(&bench);
	assert_int_equal(bench.users_asked, 1);
	put_event(&bench, PERF_RECORD_COMM, 8, 8, 0, 30); /* of an exec, which can be setuid */
	put_map(&bench, 1, 8, 31, 0x10000, 0, "/many", 100);
	drain(&bench);
	assert_int_equal(bench.users_asked, 1); /* a file that is known */
	put_map(&bench, 1, 8, 32, 0x20000, 0, "/many", 301);
	drain(&bench);
	assert_int_equal(bench.users_asked, 2);
	bench.uid = 0;
	assert_true(recorder_unread(bench.recorder, 9, true, 40, &err));
	for (unsigned i = 0; i < 10; i++)
		put_branch(&bench, 9, 41 + i, 0x30010, 0x30020);
	put_map(&bench, 1, 9, 40, 0x10000, 0, "/many", 100);
	drain(&bench);
	assert_int_equal(dropped(&bench, RECORDED_DROP_UNREAD), 10);
	assert_int_equal(bench.users_asked, 3); /* nor once a sample */
	close_bench(&bench);
}

static const struct user_share *share_of(const struct bench *bench, uint32_t uid)
{
	struct shares *shares = recorder_shares(bench->recorder);

	return &shares->at[shares_of(shares, uid)];
}

/* Where there is no more time to open files of users, those of root are opened all the same. */
static void test_opening_has_a_limit(void **state)
{
	struct bc_error err = {0};
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	bench.uid = 0x70000000;
	bench.root = 8;
	recorder_limit_opens(bench.recorder, 0);
	map_file(&bench, 7, 10, 0x10000, 0);
	map_file(&bench, 8, 11, 0x20000, 1);
	put_branch(&bench, 7, 12, 0x10010, 0x10020);
	put_branch(&bench, 8, 13, 0x20010, 0x20020);
	drain(&bench);
	assert_int_equal(dropped(&bench, RECORDED_DROP_UNFINISHED), 1);
	assert_int_equal(share_of(&bench, 0)->open, 1);
	assert_int_equal(share_of(&bench, bench.uid)->open, 0);
	recorder_limit_opens(bench.recorder, UINT64_MAX);
	put_branch(&bench, 7, 14, 0x10010, 0x10020);
	drain(&bench);
	assert_int_equal(dropped(&bench, RECORDED_DROP_UNFINISHED), 1);
	assert_true(recorder_opens_cpu(bench.recorder) > 0);
	assert_true(flush(&bench, &err));
	assert_non_null(strstr(bench.log, "/bin/a 1:"));
	close_bench(&bench);
}

/* Whoever maps all files first, and has as many open as a user may, does not decide for others. */
static void test_a_file_is_of_who_runs_it(void **state)
{
	struct bc_error err = {0};
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	bench.uid = 0x70000000;
	bench.root = 8;
	map_file(&bench, 7, 10, 0x10000, 0);
	map_file(&bench, 7, 10, 0x20000, 1);
	put_branch(&bench, 7, 11, 0x20010, 0x20020);
	for (uint64_t i = 0; i < 300; i++) { /* of which 191 have other code than /bin/a */
		uint64_t start = 0x1000000 + i * 0x10000;
		put_map(&bench, 0, 7, 10, start, bench.text_offset, EACH, EACH_INODE + 200 + i);
		put_branch(&bench, 7, 12 + i, start + 0x10, start + 0x20);
	}
	put_branch(&bench, 7, 400, 0x10010, 0x10020);
	drain(&bench);
	uint64_t before = dropped(&bench, RECORDED_DROP_PAST_FILES);
	assert_true(before > 1);
	uint32_t open = share_of(&bench, bench.uid)->open;
	map_file(&bench, 8, 500, 0x10000, 0); /* one that was not opened, and one that is read */
	map_file(&bench, 8, 500, 0x20000, 1);
	put_branch(&bench, 8, 501, 0x10010, 0x10020);
	put_branch(&bench, 8, 502, 0x20010, 0x20020);
	drain(&bench);
	assert_int_equal(dropped(&bench, RECORDED_DROP_PAST_FILES), before);
	assert_int_equal(share_of(&bench, 0)->open, 2);
	assert_int_equal(share_of(&bench, 0)->files, 2);
	assert_int_equal(share_of(&bench, bench.uid)->open, open - 1);
	put_branch(&bench, 7, 600, 0x10010, 0x10020); /* and stays so */
	drain(&bench);
	assert_int_equal(share_of(&bench, 0)->files, 2);
	assert_true(flush(&bench, &err));
	assert_non_null(strstr(bench.log, "/bin/a 2:"));
	assert_int_equal(share_of(&bench, 0)->open + share_of(&bench, bench.uid)->open, 0);
	close_bench(&bench);
}

/* Root had a minute of digests in a month, and another user none: they take turns all the same. */
static void test_who_was_quiet_is_not_first_for_long(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	bench.uid = 0x70000000;
	bench.root = 8;
	map_file(&bench, 8, 10, 0x20000, 1);
	put_branch(&bench, 8, 11, 0x20010, 0x20020);
	drain(&bench);
	struct shares *shares = recorder_shares(bench.recorder);
	shares->at[shares_of(shares, 0)].looked = UINT64_C(60000000000);
	assert_true(recorder_look(bench.recorder, 0));
	assert_int_equal(share_of(&bench, 0)->open, 0);
	for (uint64_t i = 0; i < 150; i++) {
		uint64_t start = 0x1000000 + i * 0x10000;
		put_map(&bench, 0, 7, 20, start, bench.text_offset, EACH, EACH_INODE + i);
		put_branch(&bench, 7, 21 + i, start + 0x10, start + 0x20);
	}
	map_file(&bench, 8, 200, 0x10000, 0);
	put_branch(&bench, 8, 201, 0x10010, 0x10020);
	drain(&bench);
	assert_int_equal(share_of(&bench, 0)->open, 1);
	for (unsigned i = 0; share_of(&bench, 0)->open; i++) {
		assert_true(i < 100);
		assert_true(recorder_look(bench.recorder, 0));
	}
	assert_true(share_of(&bench, bench.uid)->open > 0);
	close_bench(&bench);
}

/* Files beyond the most have no number; those that nothing maps any more make room. */
static void test_the_most_files(void **state)
{
	struct bench bench;
	struct bc_error err = {0};

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 0);
	for (unsigned i = 0; i < RECORDER_FILES_MOST + 10; i++)
		put_map(&bench, 1, 8, 10, 0x1000000 + i * (uint64_t)0x10000, 0, "/many", 100 + i);
	map_file(&bench, 7, 11, 0x20000, 1);
	put_branch(&bench, 7, 20, 0x10010, 0x10020);
	put_branch(&bench, 7, 21, 0x20010, 0x20020);
	drain(&bench);
	assert_int_equal(recorder_stats(bench.recorder).mapped_files, RECORDER_FILES_MOST);
	assert_int_equal(dropped(&bench, RECORDED_DROP_PAST_FILES), 1);
	assert_counted(&bench, "/bin/a 1: 10>20..-*1\n");
	put_event(&bench, PERF_RECORD_EXIT, 8, 8, 1, 30);
	for (unsigned i = 0; i < 200; i++) /* what has ended is forgotten by many at once, and files
					      are looked for now and then */
		put_event(&bench, PERF_RECORD_FORK, 100 + i, 100 + i, 7, 31),
			put_event(&bench, PERF_RECORD_EXIT, 100 + i, 100 + i, 7, 32);
	drain(&bench);
	assert_true(recorder_round(bench.recorder, &err));
	map_file(&bench, 9, 40, 0x20000, 1);
	put_branch(&bench, 9, 41, 0x20010, 0x20020);
	drain(&bench);
	assert_counted(&bench, "/lib/b 1: 10>20..-*1\n");
	assert_int_equal(recorder_stats(bench.recorder).mapped_files, 2);
	close_bench(&bench);
}

/* For the files of one stack the first 128 are counted. */
static void test_the_most_files_of_a_stack(void **state)
{
	struct branch stack[65];
	struct bench bench;
	size_t lines = 0;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	for (uint64_t i = 0; i < 2 * BC_COUNT(stack); i++) {
		uint64_t start = 0x1000000 + i * 0x10000;
		put_map(&bench, 0, 7, 10, start, bench.text_offset, EACH, EACH_INODE + i);
		*(i % 2 ? &stack[i / 2].to : &stack[i / 2].from) = start + 0x10;
		stack[i / 2].flags = 0;
	}
	put_sample_at(&bench, 0, 7, 20, stack[0].to, stack, BC_COUNT(stack));
	drain(&bench);
	struct bc_error err = {0};
	assert_true(flush(&bench, &err));
	for (size_t i = 0; i < bench.log_size; i++)
		lines += bench.log[i] == '\n';
	assert_int_equal(lines, 128);
	assert_int_equal(recorder_stats(bench.recorder).branches.dropped[BRANCH_DROP_OUTSIDE], 1);
	close_bench(&bench);
}

/* ---- processes ---- */

static void test_forks_execs_and_exits(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 0);
	put_event(&bench, PERF_RECORD_FORK, 8, 8, 7, 11);
	put_branch(&bench, 8, 12, 0x10010, 0x10020); /* what its parent has mapped */
	put_event(&bench, PERF_RECORD_COMM, 8, 8, 0, 13);
	put_branch(&bench, 8, 14, 0x10010, 0x10020); /* it has nothing */
	map_file(&bench, 8, 15, 0x10000, 1);
	put_branch(&bench, 8, 16, 0x10010, 0x10020);
	put_event(&bench, PERF_RECORD_EXIT, 8, 8, 7, 17);
	map_file(&bench, 8, 18, 0x30000, 1); /* another process with that pid */
	put_branch(&bench, 8, 19, 0x10010, 0x10020);
	put_branch(&bench, 8, 19, 0x30030, 0x30040);
	drain(&bench);
	assert_counted(&bench, "/lib/b 2: 10>20..-*1 30>40..-*1\n/bin/a 1: 10>20..-*1\n");
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_PROCESS), 1);
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_FILE), 1);
	assert_int_equal(recorder_stats(bench.recorder).programs, 3);
	close_bench(&bench);
}

static void test_ended_processes_are_forgotten(void **state)
{
	struct bench bench;
	struct bc_error err = {0};

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 1, 10, 0x10000, 0);
	for (unsigned i = 0; i < 5000; i++) {
		put_event(&bench, PERF_RECORD_FORK, 10 + i, 10 + i, 1, 20 + 2 * i);
		put_event(&bench, PERF_RECORD_EXIT, 10 + i, 10 + i, 1, 21 + 2 * i);
		if (i % 100 == 0)
			assert_true(recorder_round(bench.recorder, &err));
	}
	assert_true(recorder_round(bench.recorder, &err) && recorder_round(bench.recorder, &err));
	assert_true(recorder_stats(bench.recorder).processes < 500);
	put_branch(&bench, 1, 99999, 0x10010, 0x10020);
	drain(&bench);
	assert_counted(&bench, "/bin/a 1: 10>20..-*1\n");
	close_bench(&bench);
}

static void tell_map(struct bench *bench, uint32_t pid, uint64_t time, size_t file)
{
	struct bc_error err = {0};
	char maps[200];

	snprintf(maps, sizeof(maps),
		 "8000-9000 rw-p 00000000 00:00 0\n%x-%x r-xp %x 00:00 %u   %s\n", 0x10000,
		 0x10000 + (unsigned)TEXT_SIZE, (unsigned)bench->text_offset,
		 (unsigned)host_files[file].inode, host_files[file].path);
	assert_true(recorder_maps(bench->recorder, pid, text_of(maps), time, &err));
}

/* What /proc gave is as old as the reading of it. */
static void test_what_proc_tells(void **state)
{
	struct bench bench;
	struct bc_error err = {0};

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 20, 0x10000, 1); /* came while /proc was read */
	assert_true(recorder_process(bench.recorder, 7, 10, &err));
	tell_map(&bench, 7, 10, 0);
	assert_true(recorder_thread(bench.recorder, 7, 70, 10, &err));
	put_branch(&bench, 7, 15, 0x10010, 0x10020);
	put_branch(&bench, 7, 25, 0x10030, 0x10040);
	put_event(&bench, PERF_RECORD_EXIT, 7, 7, 1, 30); /* its first thread; 70 continues */
	put_branch(&bench, 7, 35, 0x10030, 0x10040);
	map_file(&bench, 7, 40, 0x20000, 0); /* and what was mapped stays */
	put_branch(&bench, 7, 45, 0x10030, 0x10040);
	drain(&bench);
	assert_counted(&bench, "/lib/b 3: 30>40..-*3\n/bin/a 1: 10>20..-*1\n");
	close_bench(&bench);
}

/* More than an offset in a file can say: what was there before is hidden all the same. */
static void test_a_mapping_of_terabytes(void **state)
{
	struct bench bench;
	struct bc_error err = {0};

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 0);
	assert_true(recorder_maps(bench.recorder, 7,
				  text_of("1000-20000000000 r-xp 00000000 00:00 2 /lib/b\n"), 15,
				  &err));
	put_branch(&bench, 7, 20, 0x10010, 0x10020);
	drain(&bench);
	assert_counted(&bench, "");
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_FILE), 1);
	close_bench(&bench);
}

/* A process with many mappings is read in parts: what is in none that is known is not taken for
 * code without a file. */
static void test_mappings_that_were_not_read(void **state)
{
	struct bench bench;
	struct bc_error err = {0};

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 8, 10, 0x10000, 0);
	assert_true(recorder_unread(bench.recorder, 7, true, 10, &err));
	tell_map(&bench, 7, 10, 0);
	put_branch(&bench, 7, 20, 0x10010, 0x10020);
	put_branch(&bench, 7, 20, 0x20010, 0x20020);
	put_branch(&bench, 8, 20, 0x20010, 0x20020);
	drain(&bench);
	assert_int_equal(dropped(&bench, RECORDED_DROP_UNREAD), 1);
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_FILE), 1);
	assert_int_equal(recorder_shares(bench.recorder)->at[1].dropped[RECORDED_DROP_UNREAD], 1);
	assert_true(recorder_unread(bench.recorder, 7, false, 30, &err));
	put_branch(&bench, 7, 40, 0x20010, 0x20020);
	drain(&bench);
	assert_int_equal(dropped(&bench, RECORDED_DROP_UNREAD), 1);
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_FILE), 2);
	assert_counted(&bench, "/bin/a 1: 10>20..-*1\n");
	close_bench(&bench);
}

/* After records were lost: what is reported again begins again, what is not has ended. */
static void test_proc_is_read_again(void **state)
{
	struct bench bench;
	struct bc_error err = {0};

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 0);
	map_file(&bench, 8, 10, 0x10000, 0);
	map_file(&bench, 9, 60, 0x10000, 0); /* began meanwhile */
	assert_true(recorder_process(bench.recorder, 7, 50, &err));
	tell_map(&bench, 7, 50, 1);
	map_file(&bench, 10, 10, 0x10000, 0);
	assert_true(recorder_unread(bench.recorder, 10, true, 50, &err)); /* cannot be read now */
	assert_true(recorder_scanned(bench.recorder, 50, &err));
	for (uint32_t pid = 7; pid <= 10; pid++)
		put_branch(&bench, pid, 70, 0x10010, 0x10020);
	drain(&bench);
	assert_counted(&bench, "/bin/a 2: 10>20..-*2\n/lib/b 1: 10>20..-*1\n");
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_PROCESS), 1);
	assert_int_equal(recorder_stats(bench.recorder).processes, 3);
	close_bench(&bench);
}

/* ---- order and losses ---- */

static void test_order_between_rings(void **state)
{
	struct bench bench;
	struct bc_error err = {0};
	const struct branch b = {0x10010, 0x10020, 0};

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	put_sample_at(&bench, 0, 7, 30, 0, &b,
		      1); /* this ring is read first, and its mapping is in the other */
	put_map(&bench, 1, 7, 20, 0x10000, bench.text_offset, "/bin/a", 1);
	assert_true(recorder_round(bench.recorder, &err));
	assert_int_equal(recorder_stats(bench.recorder).samples.read,
			 0); /* something older may come */
	put_map(&bench, 1, 7, 25, 0x10000, bench.text_offset, "/lib/b", 2);
	assert_true(recorder_round(bench.recorder, &err));
	assert_int_equal(recorder_stats(bench.recorder).samples.read, 1);
	put_map(&bench, 1, 7, 50, 0x10000, bench.text_offset, "/bin/a", 1);
	assert_true(recorder_round(bench.recorder, &err) && recorder_round(bench.recorder, &err));
	put_sample_at(&bench, 0, 7, 40, 0, &b, 1); /* too late */
	drain(&bench);
	assert_counted(&bench, "/lib/b 1: 10>20..-*1\n");
	assert_int_equal(dropped(&bench, RECORDED_DROP_LATE), 1);
	close_bench(&bench);
}

static void put_numbers(struct bench *bench, uint32_t type, uint64_t first, uint64_t second)
{
	struct build_perf b = {0};
	const struct build_sample id = {0};
	size_t begin = begin_record(&b, type, 0);

	put_u64(&b, first);
	put_u64(&b, second);
	put_trailer(&b, &bench->attr, &id);
	end_record(&b, begin);
	give(bench, 0, &b);
}

static void test_losses_are_counted(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	put_numbers(&bench, PERF_RECORD_LOST, 1, 38845);
	put_numbers(&bench, PERF_RECORD_LOST_SAMPLES, 12, 0);
	put_numbers(&bench, PERF_RECORD_THROTTLE, 1, 1);
	struct recorder_stats stats = recorder_stats(bench.recorder);
	assert_true(stats.lost == 38845 && stats.lost_samples == 12 && stats.throttled == 1);
	recorder_lost(bench.recorder, 38000); /* of what the kernel counts itself, the more */
	assert_int_equal(recorder_stats(bench.recorder).lost, 38845);
	recorder_lost(bench.recorder, 39000);
	assert_int_equal(recorder_stats(bench.recorder).lost, 39000);
	close_bench(&bench);
}

/* ---- rules of stacks ---- */

/* The rest is in tests/record/replay.py: the same as convert. */
static void test_returns_by_type(void **state)
{
	struct bench bench;
	const struct branch stack[] = {{0x10500, 0x10204, BRANCH_TYPE_RETURN},
				       {0x90000, 0x10400, 0},
				       {0x90000, 0x10300, BRANCH_TYPE_RETURN}};

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 0);
	put_sample_at(&bench, 0, 7, 20, 0x10204, stack, 3);
	drain(&bench);
	assert_counted(&bench, "/bin/a 1: R500>204..-*1 r>300..X*1 r>400..500*1\n");
	struct recorder_stats stats = recorder_stats(bench.recorder);
	assert_true(stats.branches.dropped[BRANCH_DROP_RETURN] == 1 && stats.branches.kept == 2);
	close_bench(&bench);
}

static void test_plain_samples(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, PLAIN, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 0);
	put_sample_at(&bench, 0, 7, 20, 0x10010, NULL, 0);
	put_sample_at(&bench, 0, 7, 21, 0x10010, NULL, 0);
	put_sample_at(&bench, 0, 7, 22, 0x10ff0, NULL, 0);
	put_sample_at(&bench, 0, 7, 23, 0x20000, NULL, 0);
	put_sample_at(&bench, 0, 7, 24, UINT64_C(0xffffffff81000000), NULL, 0);
	drain(&bench);
	assert_counted(&bench, "/bin/a plain 3: cycles:u: 10*2 ff0*1\n");
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_FILE), 1);
	assert_int_equal(dropped(&bench, RECORDED_DROP_KERNEL), 1);
	close_bench(&bench);
}

/* Whole pages are mapped: what lies far after the code is of no segment. */
static void test_padding(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, PLAIN, 0, NULL);
	put_map(&bench, 0, 7, 10, 0x10000, bench.text_offset, "/bin/a", 1);
	put_map(&bench, 0, 7, 10, 0x20000, bench.text_offset + 0x1000000, "/bin/a", 1);
	put_sample_at(&bench, 0, 7, 20, 0x10010, NULL, 0);
	put_sample_at(&bench, 0, 7, 21, 0x20010, NULL, 0);
	drain(&bench);
	assert_counted(&bench, "/bin/a plain 2: cycles:u: 10*1\n");
	assert_int_equal(dropped(&bench, RECORDED_DROP_PADDING), 1);
	assert_int_equal(recorder_stats(bench.recorder).samples.kept, 1);
	close_bench(&bench);
}

/* ---- handing over ---- */

static void test_what_is_refused_stays(void **state)
{
	struct bench bench;
	struct bc_error err = {0};

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	map_file(&bench, 7, 10, 0x10000, 0);
	map_file(&bench, 7, 10, 0x20000, 1);
	put_branch(&bench, 7, 20, 0x10010, 0x10020);
	put_branch(&bench, 7, 20, 0x10010, 0x10020);
	put_branch(&bench, 7, 20, 0x20010, 0x20020);
	drain(&bench);
	bench.refuse = 1; /* the first one; the second is taken */
	assert_false(flush(&bench, &err));
	assert_string_equal(err.text, "no room for /bin/a");
	assert_memory_equal(bench.log, "/lib/b 1: 10>20..-*1\n", bench.log_size);
	put_branch(&bench, 7, 30, 0x10010, 0x10020);
	drain(&bench);
	assert_counted(&bench, "/bin/a 3: 10>20..-*3\n");
	close_bench(&bench);
}

/* What was counted so far is that of all files with the code, and stays. */
static void test_counts_so_far(void **state)
{
	struct bench bench;
	struct bc_error err = {0};
	const struct event_sink sink = {&bench, log_event};
	const struct branch stack[] = {{0x10500, 0x10204, BRANCH_TYPE_RETURN},
				       {0x90000, 0x10400, 0},
				       {0x90000, 0x10300, BRANCH_TYPE_RETURN}};
	static const char want[] = " 10>20..-*1 R500>204..-*1 r>300..X*1 r>400..500*1";
	struct recorded_counts *counts;
	struct bytes elf = program(0x90);
	struct image image;
	uint64_t samples;

	(void)state;
	assert_true(image_open(elf, &image, &err));
	const struct build_id digest = code_digest_of(&image);
	image_close(&image);
	build_elf_free(&elf);
	open_bench(&bench, STACKS, 0, NULL);
	assert_true(recorder_counts(bench.recorder, &digest, &counts, &samples, &err));
	assert_null(counts);
	map_file(&bench, 7, 10, 0x10000, 0);
	map_file(&bench, 7, 10, 0x20000, 1);
	map_file(&bench, 7, 10, 0x30000, 2); /* with the same code */
	put_sample_at(&bench, 0, 7, 20, 0x10204, stack, 3);
	put_branch(&bench, 7, 21, 0x20010, 0x20020);
	put_branch(&bench, 7, 22, 0x30010, 0x30020);
	drain(&bench);
	while (recorder_look(bench.recorder, 0))
		;
	for (int i = 0; i < 2; i++) {
		fflush(bench.to);
		rewind(bench.to);
		assert_true(recorder_counts(bench.recorder, &digest, &counts, &samples, &err));
		assert_int_equal(samples, 2);
		assert_true(recorded_deliver(counts, &sink, &err));
		recorded_counts_free(counts);
		fflush(bench.to);
		assert_int_equal(bench.log_size, strlen(want));
		assert_memory_equal(bench.log, want, strlen(want));
	}
	assert_counted(&bench, "/bin/a 2: 10>20..-*1 R500>204..-*1 r>300..X*1 r>400..500*1\n"
			       "/lib/b 1: 10>20..-*1\n");
	close_bench(&bench);
}

/* Too little for a shard: it waits for more, unless nothing runs it any more. */
static void test_too_few(void **state)
{
	struct bench bench;
	struct bc_error err = {0};

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	bench.refuse_softly = true;
	map_file(&bench, 7, 10, 0x10000, 0);
	put_branch(&bench, 7, 20, 0x10010, 0x10020);
	drain(&bench);
	for (int i = 0; i < 3; i++) { /* it is mapped */
		bench.refuse = 1;
		assert_true(flush(&bench, &err));
	}
	assert_int_equal(recorder_stats(bench.recorder).samples.kept, 1);
	assert_true(recorder_process(bench.recorder, 9, 30, &err) &&
		    recorder_scanned(bench.recorder, 30, &err));
	drain(&bench);
	bench.refuse = 1;
	assert_true(flush(&bench, &err));
	assert_int_equal(dropped(&bench, RECORDED_DROP_TOO_FEW), 1);
	assert_int_equal(recorder_stats(bench.recorder).samples.kept, 0);
	assert_counted(&bench, "");
	close_bench(&bench);
}

static void test_the_least_samples(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 0, NULL);
	bench.least = 2;
	map_file(&bench, 7, 10, 0x10000, 0);
	map_file(&bench, 7, 10, 0x20000, 1);
	put_branch(&bench, 7, 20, 0x10010, 0x10020);
	for (int i = 0; i < 2; i++)
		put_branch(&bench, 7, 20, 0x20010, 0x20020);
	drain(&bench);
	assert_counted(&bench, "/lib/b 2: 10>20..-*2\n");
	put_branch(&bench, 7, 21, 0x10010, 0x10020);
	drain(&bench);
	assert_counted(&bench, "/bin/a 2: 10>20..-*2\n");
	close_bench(&bench);
}

/* ---- memory ---- */

static void put_distinct(struct bench *bench, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		put_branch(bench, 7, 20 + i, 0x10000 + i % TEXT_SIZE, 0x10000 + i / TEXT_SIZE);
}

static void test_memory_is_bounded(void **state)
{
	struct bench bench;
	struct bc_error err = {0};

	(void)state;
	open_bench(&bench, STACKS, 4 << 20, NULL);
	map_file(&bench, 7, 10, 0x10000, 0);
	unsigned i = 0;
	for (; !recorder_is_full(bench.recorder) && i < 1000000; i += 1000) {
		put_distinct(&bench, i, i + 1000);
		assert_true(recorder_round(bench.recorder, &err));
	}
	assert_true(i < 1000000);
	assert_true(recorder_stats(bench.recorder).memory < 4 << 20);
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_ROOM),
			 0); /* so nothing is lost if it is flushed now */
	for (unsigned more = 0; more < 200000; more += 1000) { /* but it is not */
		put_distinct(&bench, i + more, i + more + 1000);
		assert_true(recorder_round(bench.recorder, &err));
	}
	drain(&bench);
	assert_true(dropped(&bench, RECORDED_DROP_NO_ROOM) > 0);
	assert_int_equal(
		recorder_stats(bench.recorder).branches.dropped[BRANCH_DROP_DROPPED_SAMPLE],
		dropped(&bench, RECORDED_DROP_NO_ROOM));
	assert_true(recorder_stats(bench.recorder).memory < 5 << 20);
	assert_true(flush(&bench, &err));
	assert_false(recorder_is_full(bench.recorder));
	uint64_t before = dropped(&bench, RECORDED_DROP_NO_ROOM);
	put_distinct(&bench, 0, 1000);
	drain(&bench);
	assert_true(dropped(&bench, RECORDED_DROP_NO_ROOM) == before);
	close_bench(&bench);
}

/* Sets of mappings are shared by whoever forks.  A change of one copies a part of it, and counts as
 * what it takes; where there is no more room, nothing is copied, and others have their own. */
static void test_copies_of_mappings_are_bounded(void **state)
{
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 1 << 20, NULL);
	bench.uid = 0x70000000;
	for (unsigned i = 0; i < 2000; i++)
		put_map(&bench, 1, 7, 10, 0x1000000 + i * (uint64_t)0x10000, 0, "/many", 99);
	drain(&bench);
	uint64_t before = recorder_stats(bench.recorder).memory;
	for (unsigned child = 100; child < 200; child++) {
		put_event(&bench, PERF_RECORD_FORK, child, child, 7, 20);
		for (unsigned i = 0; i < 2000; i += 63)
			put_map(&bench, 0, child, 21, 0x1000000 + i * (uint64_t)0x10000, 0, "/many",
				99);
	}
	put_branch(&bench, 199, 22, 0x1010010, 0x1010020);
	drain(&bench);
	assert_true(recorder_stats(bench.recorder).memory - before < 512 << 10);
	assert_int_equal(dropped(&bench, RECORDED_DROP_NO_ROOM), 1);
	bench.uid = 0;
	map_file(&bench, 300, 30, 0x10000, 0);
	put_branch(&bench, 300, 31, 0x10010, 0x10020);
	drain(&bench);
	assert_counted(&bench, "/bin/a 1: 10>20..-*1\n");
	close_bench(&bench);
}

/* Nor does what is left of a mapping, where others may not be put into it. */
static void test_pieces_of_a_mapping_are_bounded(void **state)
{
	struct build_perf b = {0};
	struct bench bench;

	(void)state;
	open_bench(&bench, STACKS, 1 << 20, NULL);
	bench.uid = 0x70000000;
	const struct build_sample id = {.pid = 7, .tid = 7, .time = 9};
	put_mmap2(&b, &bench.attr, &id, 0x1000000, 0x8000000, 0, "/many");
	set_u64(&b, 48, 99);
	give(&bench, 0, &b);
	for (unsigned i = 0; i < 20000; i++) {
		put_map(&bench, 1, 7, 10, 0x100000000 + i * (uint64_t)0x10000, 0, "/many", 99);
		if (i % 4000 == 3999)
			drain(&bench); /* which measures what fits */
	}
	uint64_t before = recorder_stats(bench.recorder).memory;
	for (unsigned i = 1; i < 2000; i++)
		put_map(&bench, 0, 7, 20, 0x1000000 + i * (uint64_t)0x10000, 0, "/many", 99);
	drain(&bench);
	assert_true(recorder_stats(bench.recorder).memory < before + (16 << 10));
	close_bench(&bench);
}

/* ---- saved rings ---- */

static void test_saved_rings_are_replayed(void **state)
{
	struct bench first, again;
	struct bc_error err = {0};
	char *saved = NULL;
	size_t size = 0;
	FILE *save = open_memstream(&saved, &size);

	(void)state;
	assert_non_null(save);
	open_bench(&first, STACKS, 0, save);
	rings_begin(save, build_perf_bytes(&first.attr_bytes), 2, text_of("machine x86_64\n"));
	assert_true(recorder_process(first.recorder, 7, 10, &err));
	tell_map(&first, 7, 10, 0);
	put_branch(&first, 7, 20, 0x10010, 0x10020);
	assert_true(recorder_round(first.recorder, &err));
	map_file(&first, 7, 30, 0x10000, 1);
	put_branch(&first, 7, 40, 0x10010, 0x10020);
	drain(&first);
	fclose(save);

	struct file_stream stream = {
		.name = "x.rings", .fd = -1, .size = size, .memory = (const uint8_t *)saved};
	struct rings_reader reader;
	bool ended = false;
	assert_true(rings_open(&stream, &reader, &err));
	assert_string_equal(reader.host, "machine x86_64\n");
	assert_int_equal(reader.rings, 2);
	open_bench(&again, STACKS, 0, NULL);
	assert_memory_equal(reader.attr, again.attr_bytes.data, again.attr_bytes.size);
	assert_true(recorder_replay(again.recorder, &reader, &ended, &err) && !ended);
	assert_true(recorder_replay(again.recorder, &reader, &ended, &err) && ended);
	assert_counted(&first, "/bin/a 1: 10>20..-*1\n/lib/b 1: 10>20..-*1\n");
	assert_counted(&again, "/bin/a 1: 10>20..-*1\n/lib/b 1: 10>20..-*1\n");
	rings_close(&reader);
	close_bench(&first);
	close_bench(&again);
	free(saved);
}

static void test_events_that_tell_too_little(void **state)
{
	static const struct {
		uint64_t sample_type, flags;
		size_t size;
		const char *why;
	} cases[] = {
		{STACKS & ~(uint64_t)PERF_SAMPLE_TIME, PERF_ATTR_SAMPLE_ID_ALL, 128,
		 "the event's records have no time or no process"},
		{STACKS & ~(uint64_t)PERF_SAMPLE_TID, PERF_ATTR_SAMPLE_ID_ALL, 128,
		 "the event's records have no time or no process"},
		{STACKS, 0, 128, "the event's records have no time or no process"},
		{STACKS, PERF_ATTR_SAMPLE_ID_ALL, 127, "the event's attr of 127 bytes is cut"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		struct build_perf b = {0};
		struct recorder *recorder;
		struct bc_error err = {0};
		put_attr(&b, &(struct build_attr){.sample_type = cases[i].sample_type,
						  .flags = cases[i].flags});
		const struct recorder_options options = {.attr = {b.data, cases[i].size},
							 .rings = 1};
		assert_false(recorder_open(&options, &recorder, &err));
		assert_null(recorder);
		assert_string_equal(err.text, cases[i].why);
		build_perf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_branch_between_two_files_counts_for_both),
		cmocka_unit_test(test_files_with_the_same_code_are_one),
		cmocka_unit_test(test_a_file_that_was_replaced_is_another),
		cmocka_unit_test(test_a_file_without_memory_is_left_out),
		cmocka_unit_test(test_what_is_no_file_of_interest_is_told),
		cmocka_unit_test(test_what_is_gone_is_asked_for_when_it_is_mapped_again),
		cmocka_unit_test(test_who_runs_a_process_is_asked_once),
		cmocka_unit_test(test_opening_has_a_limit),
		cmocka_unit_test(test_a_file_is_of_who_runs_it),
		cmocka_unit_test(test_who_was_quiet_is_not_first_for_long),
		cmocka_unit_test(test_the_most_files),
		cmocka_unit_test(test_the_most_files_of_a_stack),
		cmocka_unit_test(test_forks_execs_and_exits),
		cmocka_unit_test(test_ended_processes_are_forgotten),
		cmocka_unit_test(test_what_proc_tells),
		cmocka_unit_test(test_a_mapping_of_terabytes),
		cmocka_unit_test(test_mappings_that_were_not_read),
		cmocka_unit_test(test_proc_is_read_again),
		cmocka_unit_test(test_order_between_rings),
		cmocka_unit_test(test_losses_are_counted),
		cmocka_unit_test(test_returns_by_type),
		cmocka_unit_test(test_plain_samples),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_a_file_that_becomes_shorter_is_left_out),
		cmocka_unit_test(test_what_is_refused_stays),
		cmocka_unit_test(test_counts_so_far),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_the_least_samples),
		cmocka_unit_test(test_memory_is_bounded),
		cmocka_unit_test(test_copies_of_mappings_are_bounded),
		cmocka_unit_test(test_pieces_of_a_mapping_are_bounded),
		cmocka_unit_test(test_saved_rings_are_replayed),
		cmocka_unit_test(test_events_that_tell_too_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
