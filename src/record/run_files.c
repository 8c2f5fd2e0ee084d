/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/run_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/elf/load.h"

static void forget_code(struct run_file *file)
{
	if (file->binary)
		binary_close(file->binary);
	free(file->binary);
	file->binary = NULL;
}

void run_file_clear(struct run_file *file)
{
	count_table_free(&file->traces);
	count_table_free(&file->plain);
	branch_types_free(&file->types);
	file->types = (struct branch_types){0};
	file->samples = file->branches = file->offered = 0;
}

static void forget(struct run_file *file)
{
	run_file_clear(file);
	forget_code(file);
	free(file->segments);
	free(file->path);
	*file = (struct run_file){0};
}

void run_files_free(struct run_files *files)
{
	for (uint32_t i = 0; i < files->len; i++)
		forget(&files->at[i]);
	free(files->at);
	map_free(&files->by_key);
	*files = (struct run_files){.opener = files->opener};
}

/* ---- by what the kernel tells ---- */

static bool node_equal(const struct file_node *a, const struct file_node *b)
{
	return a->major == b->major && a->minor == b->minor && a->inode == b->inode &&
	       a->generation == b->generation;
}

/* Also of two that are not known. */
static bool id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && (!a->size || build_id_equal(a, b));
}

static uint64_t hash_of(uint64_t seed, const struct map_event *map)
{
	uint64_t hash = hash_mix(seed, (uint64_t)map->node.major << 32 | map->node.minor);

	hash = hash_mix(hash_mix(hash, map->node.inode), map->node.generation);
	hash = hash_bytes(hash, map->build_id.data, map->build_id.size);
	return hash_end(hash_bytes(hash, map->path.at, map->path.len));
}

static bool is_of(const struct run_files *files, uint32_t number, const struct map_event *map)
{
	const struct run_file *file = &files->at[number];

	return file->path && node_equal(&file->node, &map->node) &&
	       id_equal(&file->recorded_id, &map->build_id) && text_is(map->path, file->path);
}
DEFINE_MAP(by_key, const struct run_files *, const struct map_event *, hash_of, is_of);

/* Numbers that are free are used again once the map was made anew (run_files_sweep()). */
static uint32_t free_number(const struct run_files *files)
{
	if (files->len < RECORDER_FILES_MOST)
		return files->len;
	for (uint32_t i = 0; files->used < files->len && i < files->len; i++)
		if (!files->at[i].path)
			return i;
	return RECORDER_FILES_MOST;
}

bool run_files_intern(struct run_files *files, const struct map_event *map, uint32_t *out)
{
	uint32_t number;

	*out = 0;
	if (!files->at && !(files->at = calloc(RECORDER_FILES_MOST, sizeof(*files->at))))
		return false;
	if (by_key_find(&files->by_key, files, map, &number)) {
		struct run_file *file = &files->at[number];
		if (file->state == RUN_FILE_GONE)
			file->state = RUN_FILE_NEW;
		*out = number + 1;
		return true;
	}
	number = free_number(files);
	if (number == RECORDER_FILES_MOST)
		return true;
	char *path = strndup(map->path.at, map->path.len);
	if (!path || !map_reserve(&files->by_key, 1)) {
		free(path);
		return false;
	}
	files->at[number] =
		(struct run_file){.node = map->node, .recorded_id = map->build_id, .path = path};
	by_key_put(&files->by_key, map, number);
	files->len += number == files->len;
	files->used++;
	*out = number + 1;
	return true;
}

/* ---- by its code ---- */

void run_file_identify(struct run_file *file)
{
	if (!file->binary)
		return;
	file->digest = code_digest(file->binary);
	file->cut = file_was_cut(&file->binary->map);
	forget_code(file);
}

static uint64_t code_size(const struct run_file *file)
{
	uint64_t size = 0;

	for (size_t i = 0; i < file->segment_count; i++)
		size += file->segments[i].size;
	return size;
}

void run_files_identify_one(struct run_files *files, uint64_t samples, uint64_t code)
{
	for (uint32_t i = 0; i < files->len; i++)
		if (files->at[i].binary && files->at[i].samples >= samples &&
		    code_size(&files->at[i]) <= code) {
			run_file_identify(&files->at[i]);
			return;
		}
}

static bool take_segments(struct run_file *file, const struct image *image, struct bc_error *err)
{
	file->segments = calloc(image->segment_count + 1, sizeof(*file->segments));
	if (!file->segments)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (s->executable && s->filesz)
			file->segments[file->segment_count++] =
				(struct run_segment){s->offset, s->filesz, s->vaddr};
	}
	return true;
}

static bool look(struct run_file *file, int fd, bool unpack, struct bc_error *err)
{
	free(file->segments); /* of what had the name before */
	file->segments = NULL;
	file->segment_count = 0;
	file->digest = (struct build_id){0};
	file->cut = false;
	file->binary = calloc(1, sizeof(*file->binary));
	if (!file->binary) {
		close(fd);
		return bc_fail_nomem(err);
	}
	if (!binary_map_opened(fd, file->path, unpack, file->binary, err)) {
		free(file->binary);
		file->binary = NULL;
		return false;
	}
	const struct image *image = &file->binary->image;
	file->bolted = file->binary->kind == BINARY_BOLTED;
	file->library = image_is_library(image);
	file->build_id = image->build_id;
	file->erratum = image->machine == MACHINE_X86_64 && file->binary->kind != BINARY_UNTOUCHED;
	if (file->binary->kind == BINARY_SECTION)
		return bc_fail(err, BC_UNSUPPORTED, "%s: no program", file->path);
	return take_segments(file, image, err);
}

/* Each file that is held has pages in memory, as many as the kernel reads ahead. */
static void hold_few(struct run_files *files)
{
	if (++files->held <= RUN_FILES_HELD)
		return;
	files->held = 0;
	for (uint32_t i = 0; i < files->len; i++)
		files->held += files->at[i].binary != NULL;
	if (files->held > RUN_FILES_HELD)
		run_files_identify_one(files, 0, UINT64_MAX);
}

bool run_file_ask(struct run_files *files, struct run_file *file, const struct map_event *map,
		  struct bc_error *err)
{
	struct bc_error why = {0};
	int fd = -1;

	switch (files->opener.open(files->opener.ctx, map, &fd)) {
	case FILE_LEFT_OUT: file->state = RUN_FILE_LEFT_OUT; return true;
	case FILE_GONE: file->state = RUN_FILE_GONE; return true;
	case FILE_OPENED: break;
	}
	if (look(file, fd, files->opener.unpacks, &why)) {
		file->state = RUN_FILE_COUNTED;
		hold_few(files);
		return true;
	}
	forget_code(file);
	file->state = RUN_FILE_NO_PROGRAM;
	return why.code != BC_NOMEM || bc_fail_nomem(err);
}

/* Linux maps whole pages. */
#define PAGE_MOST ((uint64_t)65536)

bool run_file_vaddr(const struct run_file *file, uint64_t offset, struct vaddr *out)
{
	const struct run_segment *near = NULL;

	for (size_t i = 0; i < file->segment_count; i++) {
		const struct run_segment *s = &file->segments[i];
		uint64_t first = s->offset - s->offset % PAGE_MOST, last = s->offset + s->size;
		bool inside = offset - s->offset < s->size;
		bool widened = offset >= first && offset - first < last - first + PAGE_MOST;
		if (inside || (widened && !near))
			near = s;
		if (inside)
			break;
	}
	if (near)
		out->v = offset - near->offset + near->vaddr;
	return near;
}

/* ---- all of them ---- */

bool run_files_mark(struct run_files *files, const struct processes *processes)
{
	BC_AUTO(number_set_free) struct number_set seen = {0};
	uint8_t *marks = calloc(RECORDER_FILES_MOST + 1, 1);
	bool ok = marks;

	files->looked = processes->all.len;
	for (size_t i = 0; ok && i < processes->all.len; i++)
		ok = map_set_mark(processes->all.at[i].maps, marks, &seen, &files->looked);
	for (uint32_t i = 0; ok && i < files->len; i++)
		files->at[i].mapped = marks[i + 1];
	free(marks);
	return ok;
}

bool run_files_sweep(struct run_files *files, const struct processes *processes)
{
	if (!run_files_mark(files, processes))
		return false;
	map_clear(&files->by_key);
	for (uint32_t i = 0; i < files->len; i++) {
		struct run_file *file = &files->at[i];
		if (!file->path)
			continue;
		if (!file->mapped && !file->samples && !file->traces.used && !file->plain.used &&
		    !file->types.waiting.used) {
			forget(file);
			files->used--;
			continue;
		}
		const struct map_event key = {.node = file->node,
					      .build_id = file->recorded_id,
					      .path = text_of(file->path)};
		by_key_put(&files->by_key, &key, i);
	}
	return true;
}

static uint64_t set_memory(const struct number_set *set)
{
	return set->capacity * sizeof(*set->at);
}

uint64_t run_file_memory(const struct run_file *file)
{
	return (file->traces.capacity + file->plain.capacity + file->types.waiting.capacity) *
		       sizeof(struct count_row) +
	       set_memory(&file->types.inside) + set_memory(&file->types.outside);
}
