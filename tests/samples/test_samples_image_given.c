/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/image_given.h"
#include "tests/support/image_locate.h"

#include <stdlib.h>

#include "src/samples/maps_text.h"
#include "tests/support/cmocka.h"

#define PAGE UINT64_C(0x1000)

/* One executable segment of a few pages, at the beginning of the file. */
static struct segment segment = {0, 0, 8 * PAGE, 8 * PAGE, PAGE, true};
static const struct image image = {
	.position_independent = true,
	.segments = &segment,
	.segment_count = 1,
};
static const struct image_match_options app_options = {.binary_path = "/build/app"};

struct run {
	struct snapshots snapshots;
	struct image_space space;
};

static void give(struct run *run, uint32_t pid, uint32_t id, uint64_t time, const char *text)
{
	struct text rest = text_of(text);
	struct map_set *maps = NULL;
	uint64_t line = 0;
	struct bc_error err = {0};

	if (!maps_text_read(&rest, &line, &run->snapshots.files, &maps, &err) ||
	    !snapshots_add(&run->snapshots, pid, id, time, maps, &err))
		fail_msg("%s", err.text);
	map_set_release(maps);
}

#define AT_100                                                                                     \
	"00100000-00108000 r-xp 00000000 00:00 0 /app\n00200000-00201000 r-xp 00000000 00:00 0 /libc.so\n"
#define AT_300 "00300000-00308000 r-xp 00000000 00:00 0 /app\n"
#define OTHERS "00500000-00508000 r-xp 00000000 00:00 0 /other\n"

/* Process 1: at 0x100000, from 1000 ns on at 0x300000.  Process 2: another program. */
static void begin(struct run *run)
{
	struct bc_error err = {0};

	*run = (struct run){0};
	give(run, 1, 0, 500, AT_100);
	give(run, 1, 1, 1000, AT_300);
	give(run, 2, 0, 500, OTHERS);
	assert_true(snapshots_index(&run->snapshots, &err));
	assert_true(image_space_init(&run->space, &image, &app_options, &err));
	assert_true(image_space_give(&run->space, &run->snapshots, &err));
}

static void end(struct run *run)
{
	image_space_fini(&run->space);
	snapshots_free(&run->snapshots);
}

static void happens(struct run *run, const struct event *event)
{
	struct bc_error err = {0};

	if (!image_space_event(&run->space, event, &err))
		fail_msg("%s", err.text);
}

static void map(struct run *run, uint32_t pid, uint64_t time, uint64_t start, const char *path)
{
	struct map_event event = {.pid = pid,
				  .start = {start},
				  .size = 8 * PAGE,
				  .executable = true,
				  .path = text_of(path)};

	happens(run, &(struct event){.kind = EVENT_MAP, .time = time, .map = &event});
}

static void run_exec(struct run *run, uint32_t pid, uint64_t time)
{
	happens(run, &(struct event){.kind = EVENT_EXEC, .time = time, .task = {.pid = pid}});
}

static void run_fork(struct run *run, uint32_t parent, uint32_t child, uint64_t time)
{
	happens(run, &(struct event){.kind = EVENT_FORK,
				     .time = time,
				     .task = {.pid = child, .parent = parent}});
}

/* Where a sample of a time is: a vaddr, or minus one minus what it is in. */
static int64_t where(struct run *run, uint32_t pid, uint64_t time, uint64_t at)
{
	struct vaddr out = {UINT64_MAX};
	struct bc_error err = {0};

	if (!image_given_place(&run->space, pid, time, &err))
		fail_msg("%s", err.text);
	enum located located = image_space_locate(&run->space, pid, (struct run_addr){at}, &out);
	return located == LOCATED_IMAGE ? (int64_t)out.v : -1 - (int64_t)located;
}
#define OTHER      (-1 - (int64_t)LOCATED_OTHER)
#define UNKNOWN    (-1 - (int64_t)LOCATED_UNKNOWN)
#define NO_PROCESS (-1 - (int64_t)LOCATED_NO_PROCESS)

static bool is_given(const struct run *run, uint32_t pid)
{
	return process_view(&run->space, pid).given;
}

static void maps_of_the_time_of_a_sample(void **state)
{
	struct run run;

	(void)state;
	begin(&run);
	assert_int_equal(where(&run, 1, 600, 0x100010), 0x10);
	assert_int_equal(where(&run, 1, 600, 0x200010), OTHER);
	assert_int_equal(where(&run, 1, 600, 0x300010), UNKNOWN);
	assert_true(is_given(&run, 1));
	assert_int_equal(where(&run, 1, 1000, 0x300010), 0x10);
	assert_int_equal(where(&run, 1, 1000, 0x100010), UNKNOWN);
	assert_int_equal(where(&run, 1, 999, 0x100010), 0x10); /* samples may come late */
	assert_int_equal(where(&run, 1, 1, 0x100010), 0x10);   /* before the first: that */
	assert_int_equal(where(&run, 1, 0, 0x300010), 0x10);   /* not known when: the last */
	assert_int_equal(where(&run, 2, 600, 0x500010), NO_PROCESS);
	assert_int_equal(where(&run, 3, 600, 0x100010), NO_PROCESS);
	assert_int_equal(run.space.report.mappings, 2); /* each looked at once */
	end(&run);
}

/* What was recorded wins: all that was reported without a time, and what came later over what is
 * given.
 */
static void recorded_ones_win(void **state)
{
	struct run run;

	(void)state;
	begin(&run);
	map(&run, 1, 0, 0x700000, "/app");
	assert_int_equal(where(&run, 1, 600, 0x700010), 0x10);
	assert_int_equal(where(&run, 1, 600, 0x100010), UNKNOWN);
	assert_false(is_given(&run, 1));
	end(&run);

	begin(&run);
	map(&run, 1, 0, 0x700000, "/other");
	assert_int_equal(where(&run, 1, 600, 0x100010), NO_PROCESS);
	end(&run);

	begin(&run);
	map(&run, 1, 600, 0x101000, "/plugin");
	assert_int_equal(where(&run, 1, 700, 0x100010), 0x10);
	assert_int_equal(where(&run, 1, 700, 0x101010), OTHER);
	assert_int_equal(where(&run, 1, 2000, 0x100010),
			 0x10); /* the later one is not looked at any more */
	assert_true(is_given(&run, 1));
	map(&run, 1, 800, 0x700000, "/app");
	assert_int_equal(where(&run, 1, 900, 0x700010), 0x10);
	assert_false(is_given(&run, 1));
	assert_int_equal(run.space.report.processes, 1);
	end(&run);
}

/* What a process had mapped before it ran this program, or before its pid was its own, is not its.
 */
static void other_programs_and_pids(void **state)
{
	struct run run;

	(void)state;
	begin(&run);
	assert_int_equal(where(&run, 1, 600, 0x100010), 0x10);
	run_exec(&run, 1, 700);
	assert_int_equal(where(&run, 1, 750, 0x100010), NO_PROCESS);
	assert_int_equal(where(&run, 1, 1100, 0x300010), 0x10); /* but what it has then */
	map(&run, 1, 1200, 0x700000, "/app");
	assert_int_equal(where(&run, 1, 1300, 0x300010), UNKNOWN);
	assert_int_equal(where(&run, 1, 1300, 0x700010), 0x10);
	end(&run);

	begin(&run);
	run_fork(&run, 1, 3, 600); /* what the parent has then */
	run_fork(&run, 1, 2, 600); /* a pid that is used again */
	assert_int_equal(where(&run, 3, 2000, 0x100010), 0x10);
	assert_int_equal(where(&run, 2, 2000, 0x100010), 0x10);
	assert_true(is_given(&run, 3));
	map(&run, 3, 700, 0x101000, "/plugin");
	assert_int_equal(where(&run, 3, 700, 0x100010), 0x10);
	assert_int_equal(where(&run, 3, 700, 0x101010), OTHER);
	run_exec(&run, 3, 800);
	map(&run, 3, 800, 0x900000, "/other");
	assert_int_equal(where(&run, 3, 900, 0x100010), NO_PROCESS);
	end(&run);
}

/* In each recording again; a later part of one has what the part before had. */
static void recordings(void **state)
{
	struct run run;

	(void)state;
	begin(&run);
	map(&run, 1, 0, 0x700000, "/app");
	assert_int_equal(where(&run, 1, 600, 0x700010), 0x10);
	image_space_forget(&run.space);
	assert_int_equal(where(&run, 1, 600, 0x100010), 0x10);
	map(&run, 1, 600, 0x101000, "/plugin");
	image_space_forget(&run.space);
	happens(&run, &(struct event){.kind = EVENT_CONTINUES, .time = 700});
	assert_int_equal(where(&run, 1, 700, 0x101010), OTHER);
	assert_int_equal(where(&run, 1, 700, 0x100010), 0x10);
	assert_true(is_given(&run, 1));
	end(&run);
}

/* Maps without a head are of every process that has none of its own. */
static void maps_of_any_process(void **state)
{
	struct run run;
	struct bc_error err = {0};

	(void)state;
	begin(&run);
	give(&run, 0, 0, 0, AT_100);
	assert_true(snapshots_index(&run.snapshots, &err));
	image_space_fini(&run.space);
	assert_true(image_space_init(&run.space, &image, &app_options, &err));
	assert_true(image_space_give(&run.space, &run.snapshots, &err));
	assert_int_equal(where(&run, 9, 600, 0x100010), 0x10);
	assert_int_equal(where(&run, 2, 600, 0x100010), NO_PROCESS);
	end(&run);
}

/* Any number of maps can share the same mappings. */
static void too_many(void **state)
{
	enum {
		MAPPINGS = 1 << 10,
		MAPS = 1024 + 9
	}; /* 2^20 and 8 for each are those of 1032 of them */
	struct run run = {0};
	struct bc_error err = {0};
	struct map_set *maps = NULL;
	uint32_t file;

	(void)state;
	give(&run, 0, 0, 0, AT_300);
	file = map_set_above(run.snapshots.all.at[0].maps, 0)->file;
	for (uint64_t i = 0; i < MAPPINGS; i++) {
		struct mapping m = {PAGE * (i + 1), PAGE * (i + 2), 0, file, MAPPING_EXEC};
		assert_true(map_set_replace(&maps, m.start, m.end, &m));
	}
	for (uint32_t i = 0; i < MAPS; i++)
		assert_true(snapshots_add(&run.snapshots, i + 1, 0, 0, maps, &err));
	map_set_release(maps);
	assert_true(snapshots_index(&run.snapshots, &err));
	assert_true(image_space_init(&run.space, &image, &app_options, &err));
	assert_true(image_space_give(&run.space, &run.snapshots, &err));
	for (uint32_t i = 0; i + 1 < MAPS; i++)
		assert_true(image_given_place(&run.space, i + 1, 0, &err));
	assert_false(image_given_place(&run.space, MAPS, 0, &err));
	assert_int_equal(err.code, BC_UNSUPPORTED);
	end(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_of_the_time_of_a_sample), cmocka_unit_test(recorded_ones_win),
		cmocka_unit_test(other_programs_and_pids),      cmocka_unit_test(recordings),
		cmocka_unit_test(maps_of_any_process),          cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
