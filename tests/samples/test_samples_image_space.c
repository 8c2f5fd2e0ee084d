/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which part of a binary an address of a process is, after any events. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/build_space.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

static void kinds_of_places(void **state)
{
	struct image_space maps = begin_space();

	(void)state;
	assert_int_equal(space_where(&maps, 7, 0x10000), AT_NO_PROCESS);
	space_map(&maps, 7, 0x10000, 8, 0, "/app", true);
	space_map(&maps, 7, 0x40000, 1, 0, "/libc.so.6", true);
	assert_int_equal(space_where(&maps, 7, 0x10000), 0);
	assert_int_equal(space_where(&maps, 7, 0x17fff), 0x7fff);
	assert_int_equal(space_where(&maps, 7, 0x18000), AT_UNKNOWN);
	assert_int_equal(space_where(&maps, 7, 0xffff), AT_UNKNOWN);
	assert_int_equal(space_where(&maps, 7, 0x40010), AT_OTHER);
	assert_int_equal(space_where(&maps, 7, UINT64_C(1) << 63), AT_KERNEL);
	assert_int_equal(space_where(&maps, 7, UINT64_MAX), AT_KERNEL);
	assert_int_equal(space_where(&maps, 8, 0x10000), AT_NO_PROCESS);
	assert_int_equal(space_where(&maps, NO_PID, 0x10000), AT_NO_PROCESS);
	assert_int_equal(maps.report.mappings, 1);
	assert_int_equal(maps.report.processes, 1);
	image_space_fini(&maps);
}

static void data_cuts_but_is_not_kept(void **state)
{
	struct image_space maps = begin_space();

	(void)state;
	space_map(&maps, 7, 0x10000, 8, 0, "/app", true);
	space_map(&maps, 7, 0x12000, 2, 0, "/app", false);
	assert_int_equal(space_where(&maps, 7, 0x11fff), 0x1fff);
	assert_int_equal(space_where(&maps, 7, 0x12000), AT_UNKNOWN);
	assert_int_equal(space_where(&maps, 7, 0x14000), 0x4000);
	space_map(&maps, 8, 0x10000, 8, 0, "/app", false);
	assert_int_equal(space_where(&maps, 8, 0x10000), AT_NO_PROCESS);
	image_space_fini(&maps);
}

static void exec_fork_and_exit(void **state)
{
	struct image_space maps = begin_space();

	(void)state;
	space_map(&maps, 7, 0x10000, 8, 0, "/app", true);
	space_fork(&maps, 7, 8);
	space_map(&maps, 8, 0x14000, 1, 0, "//anon", true);
	assert_int_equal(space_where(&maps, 7, 0x14000), 0x4000);
	assert_int_equal(space_where(&maps, 8, 0x14000), AT_OTHER);
	assert_int_equal(space_where(&maps, 8, 0x15000), 0x5000);
	space_exec(&maps, 7);
	assert_int_equal(space_where(&maps, 7, 0x14000), AT_NO_PROCESS);
	assert_int_equal(space_where(&maps, 8, 0x15000), 0x5000);
	space_map(&maps, 7, 0x30000, 8, 0, "/app (deleted)", true);
	assert_int_equal(space_where(&maps, 7, 0x34000), 0x4000);
	assert_int_equal(maps.report.rebased, 0);
	assert_int_equal(maps.report.processes, 3);
	/* late samples still find it; the next mapping does not */
	space_exit(&maps, 8, 8);
	assert_int_equal(space_where(&maps, 8, 0x15000), 0x5000);
	space_map(&maps, 8, 0x50000, 1, 0, "/other", true);
	assert_int_equal(space_where(&maps, 8, 0x15000), AT_NO_PROCESS);
	/* a pid is used again */
	space_exit(&maps, 7, 7);
	space_fork(&maps, 1, 7);
	assert_int_equal(space_where(&maps, 7, 0x34000), AT_NO_PROCESS);
	image_space_fini(&maps);
}

static void threads_keep_a_process_alive(void **state)
{
	struct image_space maps = begin_space();

	(void)state;
	space_map(&maps, 7, 0x10000, 8, 0, "/app", true);
	space_exit(&maps, 7, 99); /* began before the recording: not counted */
	space_fork(&maps, 7, 7);
	space_exit(&maps, 7, 7);
	space_exit(&maps, 9, 9); /* not known */
	space_map(&maps, 7, 0x50000, 1, 0, "/plugin", true);
	assert_int_equal(space_where(&maps, 7, 0x11000), 0x1000);
	space_exit(&maps, 7, 10);
	assert_int_equal(space_where(&maps, 7, 0x11000), 0x1000);
	space_fork(&maps, 7, 7);
	assert_int_equal(space_where(&maps, 7, 0x11000), AT_NO_PROCESS);
	image_space_fini(&maps);
}

static void a_library_can_move(void **state)
{
	struct image_space maps = begin_space();

	(void)state;
	space_map(&maps, 7, 0x50000, 1, 0, "/main", true);
	assert_int_equal(space_where(&maps, 7, 0x50000), AT_NO_PROCESS);
	space_map(&maps, 7, 0x10000, 8, 0, "/app", true);
	space_map(&maps, 7, 0x14000, 8, 0, "/app", true); /* closed, then opened again */
	assert_int_equal(space_where(&maps, 7, 0x13fff), 0x3fff);
	assert_int_equal(space_where(&maps, 7, 0x14000), 0);
	assert_int_equal(maps.report.rebased, 1);
	assert_int_equal(maps.report.mappings, 2);
	assert_int_equal(space_where(&maps, 7, 0x50000), AT_OTHER); /* not kept, but known of */
	image_space_fini(&maps);
}

static void odd_mappings(void **state)
{
	struct image_space maps = begin_space();

	(void)state;
	space_map(&maps, 7, 0x10000, 0, 0, "/app", true);
	space_map(&maps, NO_PID, 0x10000, 8, 0, "/app", true);
	space_map(&maps, 7, UINT64_C(0xffffffff81000000), 8, 0, "/app", true);
	assert_int_equal(space_where(&maps, 7, 0x10000), AT_NO_PROCESS);
	space_map(&maps, 7, 0x10000, UINT64_MAX / PAGE, 0, "/app", true);
	assert_int_equal(space_where(&maps, 7, INT64_MAX), INT64_MAX - 0x10000);
	assert_int_equal(space_where(&maps, 7, 0xffff), AT_UNKNOWN);
	image_space_fini(&maps);
}

static void messages(void **state)
{
	struct image_space maps = begin_space();
	struct bc_error err = {0};
	struct map_event event = {.pid = 7,
				  .start = {0x10000},
				  .size = 8 * PAGE,
				  .executable = true,
				  .path = {"/x/app", 6},
				  .build_id = {2, {1, 4}}};

	(void)state;
	assert_false(image_space_fail_unmapped(&maps, &err));
	assert_int_equal(err.code, BC_MISMATCH);
	assert_non_null(strstr(err.text, "no mmap events"));
	space_map(&maps, 7, 0x10000, 8, 0, "/bin/b", true);
	space_map(&maps, 7, 0x20000, 8, 0, "/bin/a", true);
	space_map(&maps, 7, 0x30000, 8, 0, "/bin/b", true);
	space_map(&maps, 7, 0x40000, 8, 0, "/lib/c.so.6", true);
	image_space_fail_unmapped(&maps, &err);
	assert_non_null(strstr(err.text, "mapped instead: /bin/b, /bin/a"));
	space_map(&maps, 7, 0x10000, 8, 100, "/app", true);
	image_space_fail_unmapped(&maps, &err);
	assert_non_null(strstr(err.text, "another build"));
	assert_true(
		image_space_event(&maps, &(struct event){.kind = EVENT_MAP, .map = &event}, &err));
	image_space_fail_unmapped(&maps, &err);
	assert_non_null(strstr(err.text, "/x/app has its name, but build-id 0104"));
	event.path = (struct text){"/x/app.bolt", 11};
	event.build_id.data[0] = 0x81; /* llvm-bolt's mark: the last bit, and maybe the first */
	event.build_id.data[1] = 3;
	assert_true(
		image_space_event(&maps, &(struct event){.kind = EVENT_MAP, .map = &event}, &err));
	image_space_fail_unmapped(&maps, &err);
	assert_non_null(strstr(err.text, "of /x/app.bolt, which llvm-bolt made from this binary"));
	image_space_fini(&maps);
}

static void a_million_processes(void **state)
{
	struct image_space maps = begin_space();

	(void)state;
	space_map(&maps, 1, 0x10000, 8, 0, "/app", true);
	for (uint32_t pid = 2; pid <= 1000000; pid++)
		space_fork(&maps, 1, pid);
	assert_int_equal(space_where(&maps, 1000000, 0x12000), 0x2000);
	assert_int_equal(maps.report.processes, 1000000);
	image_space_fini(&maps);
}

/* ------- random events against a byte map per process ------- */

#define PIDS       5
#define PAGES      24
#define FIRST_PAGE 16

struct model_process {
	bool known, has_image, first_ended, earlier;
	unsigned threads;
	int64_t base;        /* page where page 0 of the binary would be */
	int64_t page[PAGES]; /* of the binary, or AT_OTHER or AT_UNKNOWN */
};

static void model_clear(struct model_process *p)
{
	*p = (struct model_process){.known = true};
	for (int i = 0; i < PAGES; i++)
		p->page[i] = AT_UNKNOWN;
}

static void model_map(struct model_process *p, uint64_t at, uint64_t pages, uint64_t first,
		      bool is_app, bool executable)
{
	if (!p->known || (p->first_ended && !p->threads))
		model_clear(p);
	int64_t page = (int64_t)at - p->base;
	bool is_image = is_app && executable && first + pages <= 8;
	/* Not by its offset in the file, but by its address. */
	if (is_app && executable && !is_image && p->has_image && page >= 0 &&
	    page + (int64_t)pages <= 8) {
		is_image = true;
		first = (uint64_t)page;
	}
	p->earlier |= executable && !is_image && !p->has_image;
	p->has_image |= is_image;
	if (is_image)
		p->base = (int64_t)at - (int64_t)first;
	for (uint64_t i = 0; p->has_image && i < pages; i++)
		p->page[at + i] = is_image   ? (int64_t)(first + i) :
				  executable ? AT_OTHER :
					       AT_UNKNOWN;
}

static void model_fork(struct model_process *models, uint32_t parent, uint32_t child)
{
	struct model_process *p = &models[child];

	if (parent != child) {
		*p = models[parent];
		p->known = true;
		p->first_ended = false;
		p->threads = 0;
		return;
	}
	if (!p->known || (p->first_ended && !p->threads))
		model_clear(p);
	p->threads++;
}

static void model_exit(struct model_process *p, bool first)
{
	if (p->known && first)
		p->first_ended = true;
	else if (p->threads)
		p->threads--;
}

static void step(struct image_space *maps, struct model_process *models, struct prng *prng)
{
	uint32_t a = (uint32_t)prng_below(prng, PIDS), b = (uint32_t)prng_below(prng, PIDS);
	uint64_t at = prng_below(prng, PAGES), pages = 1 + prng_below(prng, PAGES - at);
	uint64_t first = prng_below(prng, 8);
	uint32_t tid = prng_below(prng, 2) ? a : 1000;
	bool is_app = prng_below(prng, 2), executable = prng_below(prng, 4) != 0;

	pages = pages > 8 ? 8 : pages;
	switch (prng_below(prng, 8)) {
	case 0:
		space_exec(maps, a);
		model_clear(&models[a]);
		break;
	case 1:
		space_fork(maps, a, b);
		model_fork(models, a, b);
		break;
	case 2:
		space_exit(maps, a, tid);
		model_exit(&models[a], tid == a);
		break;
	default:
		space_map(maps, a, (FIRST_PAGE + at) * PAGE, pages, first, is_app ? "/app" : "/b",
			  executable);
		model_map(&models[a], at, pages, first, is_app, executable);
	}
}

/* As the counting of branches does it: the vaddr, or UINT64_MAX. */
static uint64_t quickly(struct process_view *view, uint64_t at)
{
	const struct run_addr run = {at};
	const struct trace_end outside = {UINT64_MAX};
	struct trace_end out;

	if (!near_image_find(&view->near, run, outside, &out))
		return process_view_far(view, run, outside).word;
	return out.word;
}

static void assert_like(const struct image_space *maps, const struct model_process *models)
{
	for (uint32_t pid = 0; pid < PIDS; pid++) {
		struct process_view view = process_view(maps, pid);
		for (uint64_t i = 0; i < PAGES; i++) {
			uint64_t at = (FIRST_PAGE + i) * PAGE + i;
			const struct model_process *p = &models[pid];
			int64_t want = p->page[i] >= 0 ? p->page[i] * (int64_t)PAGE + (int64_t)i :
							 p->page[i];
			if (!p->has_image)
				want = AT_NO_PROCESS;
			else if (want == AT_UNKNOWN && p->earlier)
				want = AT_OTHER;
			assert_int_equal(space_where(maps, pid, at), want);
			struct vaddr out;
			enum located located =
				process_view_locate(&view, (struct run_addr){at}, &out);
			assert_int_equal(located == LOCATED_IMAGE ? (int64_t)out.v :
								    -1 - (int64_t)located,
					 want);
			assert_int_equal(quickly(&view, at),
					 want < 0 ? UINT64_MAX : (uint64_t)want);
		}
	}
}

static void random_events(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct prng prng = {seed};
		struct image_space maps = begin_space();
		struct model_process models[PIDS];
		for (int i = 0; i < PIDS; i++) {
			model_clear(&models[i]);
			models[i].known = false;
		}
		for (int i = 0; i < 80; i++) {
			step(&maps, models, &prng);
			assert_like(&maps, models);
		}
		image_space_fini(&maps);
	}
}

static void go_on(struct image_space *maps)
{
	struct bc_error err = {0};

	assert_true(image_space_event(maps, &(struct event){.kind = EVENT_CONTINUES}, &err));
}

/* A part that continues knows what it did not show again; what it shows is right. */
static void parts_of_a_recording(void **state)
{
	struct image_space maps = begin_space();

	(void)state;
	space_map(&maps, 1, 0x100000, 8, 0, "/app", true);
	space_map(&maps, 2, 0x200000, 8, 0, "/app", true);
	space_fork(&maps, 1, 3);
	space_map(&maps, 4, 0x400000, 8, 0, "/app", true);
	assert_int_equal(maps.report.processes, 4);

	image_space_forget(&maps);
	space_map(&maps, 2, 0x280000, 8, 0, "/app", true);
	space_map(&maps, 4, 0x400000, 8, 0, "/other", true);
	assert_int_equal(space_where(&maps, 1, 0x100010), AT_NO_PROCESS);
	go_on(&maps);
	assert_int_equal(space_where(&maps, 1, 0x100010), 0x10);
	assert_int_equal(space_where(&maps, 2, 0x280010), 0x10);
	assert_int_equal(space_where(&maps, 2, 0x200010), AT_UNKNOWN);
	assert_int_equal(space_where(&maps, 3, 0x100010), 0x10);
	assert_int_equal(space_where(&maps, 4, 0x400010), AT_NO_PROCESS);
	assert_int_equal(maps.report.processes, 4);
	space_fork(&maps, 3, 5);
	assert_int_equal(space_where(&maps, 5, 0x100010), 0x10);
	assert_int_equal(maps.report.processes, 5);

	image_space_forget(&maps); /* and one that does not */
	space_map(&maps, 2, 0x200000, 8, 0, "/app", true);
	image_space_forget(&maps);
	go_on(&maps);
	assert_int_equal(space_where(&maps, 2, 0x200010), 0x10);
	assert_int_equal(space_where(&maps, 1, 0x100010), AT_NO_PROCESS);
	image_space_fini(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_places),
		cmocka_unit_test(data_cuts_but_is_not_kept),
		cmocka_unit_test(exec_fork_and_exit),
		cmocka_unit_test(threads_keep_a_process_alive),
		cmocka_unit_test(a_library_can_move),
		cmocka_unit_test(odd_mappings),
		cmocka_unit_test(messages),
		cmocka_unit_test(a_million_processes),
		cmocka_unit_test(random_events),
		cmocka_unit_test(parts_of_a_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
