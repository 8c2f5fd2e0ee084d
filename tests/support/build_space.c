/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/build_space.h"

#include "tests/support/cmocka.h"
#include "tests/support/image_locate.h"

/* One executable segment of a few pages, at the beginning of the file. */
static struct segment segment = {0, 0, 8 * PAGE, 8 * PAGE, PAGE, true};
static const struct image image = {
	.position_independent = true,
	.segments = &segment,
	.segment_count = 1,
	.build_id = {2, {1, 2}},
};
const struct image_match_options space_app_options = {.binary_path = "/build/app"};

struct image_space begin_space(void)
{
	struct image_space maps;
	struct bc_error err = {0};

	assert_true(image_space_init(&maps, &image, &space_app_options, &err));
	return maps;
}

void space_map(struct image_space *maps, uint32_t pid, uint64_t start, uint64_t pages,
	       uint64_t first, const char *path, bool executable)
{
	struct map_event event = {.pid = pid,
				  .start = {start},
				  .size = pages * PAGE,
				  .offset = {first * PAGE},
				  .executable = executable,
				  .path = text_of(path)};
	struct bc_error err = {0};

	if (!image_space_event(maps, &(struct event){.kind = EVENT_MAP, .map = &event}, &err))
		fail_msg("%s", err.text);
}

void space_exec(struct image_space *maps, uint32_t pid)
{
	struct bc_error err = {0};

	assert_true(image_space_event(
		maps, &(struct event){.kind = EVENT_EXEC, .task = {.pid = pid}}, &err));
}

void space_exit(struct image_space *maps, uint32_t pid, uint32_t tid)
{
	struct bc_error err = {0};

	assert_true(image_space_event(
		maps, &(struct event){.kind = EVENT_EXIT, .task = {.pid = pid, .tid = tid}}, &err));
}

void space_fork(struct image_space *maps, uint32_t parent, uint32_t child)
{
	struct bc_error err = {0};

	assert_true(image_space_event(
		maps, &(struct event){.kind = EVENT_FORK, .task = {.pid = child, .parent = parent}},
		&err));
}

int64_t space_where(const struct image_space *maps, uint32_t pid, uint64_t at)
{
	struct vaddr out = {UINT64_MAX};
	enum located located = image_space_locate(maps, pid, (struct run_addr){at}, &out);

	return located == LOCATED_IMAGE ? (int64_t)out.v : -1 - (int64_t)located;
}
