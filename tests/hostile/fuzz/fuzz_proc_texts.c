/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What /proc says of two processes, and a cgroup of its own: stat, comm and status of each,
 * cgroup.procs of two levels, and maps, with zero bytes between.  Properties: a name has at most 15
 * bytes; descendants are listed once each; no name of a process makes another one its parent, or
 * another user its own; a cgroup has positive numbers only; and a sample is in the file of the last
 * executable mapping that holds it, found line by line.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/record/proc_files.h"
#include "src/samples/perf_data/perf_events.h"
#include "src/samples/processes.h"
#include "src/samples/maps_text.h"
#include "tests/support/build_perf.h"

enum { PART_SIZE = 4096, PROCESSES = 2, SAMPLES_MOST = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next part, with a zero byte after it. */
static void take(struct text *rest, char part[PART_SIZE])
{
	size_t length = text_find(*rest, '\0'), used = length < PART_SIZE ? length : PART_SIZE - 1;

	if (used)
		memcpy(part, rest->at, used);
	part[used] = '\0';
	*rest = text_behind(*rest, length);
}

/* ---- a directory as /proc ---- */

static const char *const folders[] = {"", "/1", "/2", "/cgroup", "/cgroup/below"};
static const char *const files[] = {"/1/stat",
				    "/1/comm",
				    "/1/status",
				    "/2/stat",
				    "/2/comm",
				    "/2/status",
				    "/3/stat",
				    "/cgroup/cgroup.procs",
				    "/cgroup/below/cgroup.procs"};

static const char *path_of(const char *root, const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root, name);
	return path;
}

static char made_root[64];

static void remove_root(void)
{
	for (size_t i = 0; i < BC_COUNT(files); i++)
		remove(path_of(made_root, files[i]));
	for (size_t i = BC_COUNT(folders); i-- > 0;)
		remove(path_of(made_root, folders[i]));
}

static const char *proc_root(void)
{
	const char *folder = getenv("TMPDIR");

	if (*made_root)
		return made_root;
	snprintf(made_root, sizeof(made_root), "%.40s/proc.XXXXXX", folder ? folder : "/tmp");
	assert(mkdtemp(made_root) && !atexit(remove_root));
	for (size_t i = 1; i < BC_COUNT(folders); i++)
		assert(!mkdir(path_of(made_root, folders[i]), 0700));
	return made_root;
}

static void put(const char *root, const char *name, const char *text)
{
	FILE *file = fopen(path_of(root, name), "w");

	assert(file && fputs(text, file) >= 0 && !fclose(file));
}

/* ---- processes ---- */

static void check_descendants(const char *root, bool both)
{
	struct task_vec all = {0};
	struct bc_error err;

	assert(task_vec_push(&all, 1));
	assert(proc_add_descendants(root, &all, &err));
	assert(all.len <= PROCESSES && all.at[0] == 1 && (all.len < 2 || all.at[1] == 2));
	assert(!both || all.len == 2);
	task_vec_free(&all);
}

static void check_any(const char *root, struct text *rest)
{
	struct proc_files asked = {.root = root};
	char part[PART_SIZE], name[16];

	for (size_t i = 0; i < 6; i++) {
		take(rest, part);
		put(root, files[i], part);
	}
	for (int i = 1; i <= PROCESSES; i++) {
		proc_name(root, i, name);
		assert(memchr(name, 0, sizeof(name)));
		(void)proc_files_user(&asked, (uint32_t)i);
	}
	check_descendants(root, false);
}

/* The kernel writes any name there, of at most 64 bytes, and a newline of it in status as \n. */
static void check_name(const char *root, const char *name)
{
	struct proc_files asked = {.root = root};
	char text[512], escaped[2 * 64 + 1] = "";

	snprintf(text, sizeof(text), "2 (%.64s) S 1 2 2 0 -1 4194304 100 0", name);
	put(root, "/2/stat", text);
	for (size_t i = 0, n = 0; i < 64 && name[i]; i++) {
		if (name[i] == '\n' || name[i] == '\\')
			escaped[n++] = '\\';
		escaped[n++] = name[i] == '\n' ? 'n' : name[i];
	}
	snprintf(text, sizeof(text), "Name:\t%s\nUmask:\t0022\nUid:\t65534\t0\t0\t0\n", escaped);
	put(root, "/2/status", text);
	assert(proc_files_user(&asked, 2) == 65534);
	check_descendants(root, true);
}

static void check_cgroup(const char *root, struct text *rest)
{
	struct task_vec all = {0};
	struct bc_error err;
	char part[PART_SIZE];

	take(rest, part);
	put(root, "/cgroup/cgroup.procs", part);
	take(rest, part);
	put(root, "/cgroup/below/cgroup.procs", part);
	assert(proc_cgroup(path_of(root, "/cgroup"), &all, &err));
	for (size_t i = 0; i < all.len; i++)
		assert(all.at[i] > 0);
	task_vec_free(&all);
}

/* ---- maps ---- */

/* The last line with an executable mapping of a program that holds the address; false: none does.
 */
static bool find_line(struct text maps, uint64_t address, struct maps_line *out)
{
	bool found = false;

	while (maps.len) {
		size_t length = text_find(maps, '\n');
		struct maps_line line;
		bool is = !maps_line_parse(text_first(maps, length), &line) &&
			  line.flags & MAPPING_EXEC && line.end <= USER_END &&
			  line.start <= address && address < line.end;
		*out = is ? line : *out;
		found |= is;
		maps = text_behind(maps, length);
	}
	return found;
}

struct looked {
	struct maps_line line;
	uint64_t address;
};

static enum file_answer open_file(void *ctx, const struct map_event *map, int *fd)
{
	const struct looked *looked = ctx;
	char path[PATH_MAX];

	(void)fd;
	assert(map->pid == 7 && map->start.v <= looked->address &&
	       looked->address - map->start.v < map->size);
	assert(map->node.inode == looked->line.inode && map->node.major == looked->line.major &&
	       map->node.minor == looked->line.minor);
	if (looked->line.path.len < sizeof(path) &&
	    text_find(looked->line.path, '\0') == looked->line.path.len)
		assert(text_equal(
			map->path,
			(struct text){path, maps_path_unescape(looked->line.path, path)}));
	return FILE_GONE;
}

static void give_sample(struct recorder *recorder, const struct build_attr *attr, uint64_t address,
			uint64_t time)
{
	const struct build_sample sample = {.pid = 7, .tid = 7, .time = time, .ip = address};
	struct build_perf b = {0};
	struct bc_error err;

	put_sample(&b, attr, &sample);
	assert(recorder_ring(recorder, 0, build_perf_bytes(&b), &err));
	assert(recorder_round(recorder, &err) && recorder_round(recorder, &err));
	build_perf_free(&b);
}

/* A sample at the beginning of each mapping. */
static void give_samples(struct recorder *recorder, const struct build_attr *attr, struct text maps,
			 struct looked *looked)
{
	struct text rest = maps;

	for (uint64_t i = 0; rest.len && i < SAMPLES_MOST; i++) {
		size_t length = text_find(rest, '\n');
		struct maps_line line;
		if (!maps_line_parse(text_first(rest, length), &line) &&
		    find_line(maps, line.start, &looked->line)) {
			looked->address = line.start;
			give_sample(recorder, attr, line.start, 20 + i);
		}
		rest = text_behind(rest, length);
	}
}

static void check_maps(struct text maps)
{
	const struct build_attr attr = {.type = PERF_TYPE_SOFTWARE,
					.sample_type =
						PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
					.flags = PERF_ATTR_SAMPLE_ID_ALL};
	struct looked looked = {0};
	struct build_perf b = {0};
	struct recorder *recorder = NULL;
	struct bc_error err;

	put_attr(&b, &attr);
	const struct recorder_options options = {.attr = build_perf_bytes(&b),
						 .rings = 1,
						 .files = {.ctx = &looked, .open = open_file}};
	assert(recorder_open(&options, &recorder, &err));
	assert(recorder_process(recorder, 7, 10, &err));
	assert(recorder_maps(recorder, 7, maps, 10, &err));
	give_samples(recorder, &attr, maps, &looked);
	assert(recorder_drain(recorder, &err));
	recorder_free(recorder);
	build_perf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text rest = {(const char *)data, size};
	const char *root = proc_root();
	char name[PART_SIZE];

	take(&rest, name);
	check_any(root, &rest);
	check_name(root, name);
	check_cgroup(root, &rest);
	check_maps(rest);
	return 0;
}
