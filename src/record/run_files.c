/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/run_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/elf/load.h"
#include "src/record/budget.h"

static void end_reading(struct run_files *files, struct run_file *file)
{
	if (!file->reading)
		return;
	close(file->reading->fd);
	free(file->reading);
	file->reading = NULL;
	files->held--;
	files->shares.at[file->user].open--;
}

enum recorded_drop recorded_drop_of(enum run_file_state state)
{
	switch (state) {
	case RUN_FILE_LEFT_OUT: return RECORDED_DROP_LEFT_OUT;
	case RUN_FILE_GONE: return RECORDED_DROP_GONE;
	case RUN_FILE_NO_PROGRAM: return RECORDED_DROP_NO_PROGRAM;
	case RUN_FILE_LARGE: return RECORDED_DROP_LARGE;
	case RUN_FILE_NEW: /* it could not be opened yet: too many are */
	case RUN_FILE_COUNTED: break;
	}
	return RECORDED_DROP_PAST_FILES;
}

void run_file_clear(struct run_file *file)
{
	count_table_free(&file->traces);
	count_table_free(&file->plain);
	branch_types_free(&file->types);
	file->types = (struct branch_types){0};
	file->samples = file->branches = file->offered = 0;
}

void run_file_drop(struct run_files *files, struct run_file *file, enum recorded_drop why,
		   struct recorder_stats *stats)
{
	files->shares.at[file->user].dropped[why] += file->samples;
	recorder_drop_later(stats, why, file->samples);
	ledger_move(&stats->branches, BRANCH_DROP_DROPPED_SAMPLE, file->branches);
	run_file_clear(file);
}

static void forget(struct run_files *files, struct run_file *file)
{
	run_file_clear(file);
	end_reading(files, file);
	files->shares.at[file->user].files -= file->path != NULL;
	free(file->code);
	free(file->path);
	*file = (struct run_file){0};
}

void run_files_free(struct run_files *files)
{
	for (uint32_t i = 0; i < files->len; i++)
		forget(files, &files->at[i]);
	free(files->at);
	digest_cache_free(files->digests);
	map_free(&files->by_key);
	*files = (struct run_files){.opener = files->opener};
}

/* ---- by what the kernel shows ---- */

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

uint32_t run_files_user(struct run_files *files, uint32_t pid)
{
	const struct file_opener *opener = &files->opener;

	return shares_of(&files->shares, opener->user ? opener->user(opener->ctx, pid) : 0);
}

/* Numbers that are free are used again once the map was made again (run_files_sweep()). */
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
	uint32_t user = run_files_user(files, map->pid);
	struct user_share *share = &files->shares.at[user];
	number = free_number(files);
	if (number == RECORDER_FILES_MOST ||
	    !share_allows(share, share->files, files->used, RECORDER_FILES_MOST)) {
		share->refused++;
		return true;
	}
	char *path = strndup(map->path.at, map->path.len);
	if (!path || !map_reserve(&files->by_key, 1)) {
		free(path);
		return false;
	}
	files->at[number] = (struct run_file){
		.node = map->node, .recorded_id = map->build_id, .path = path, .user = user};
	share->files++;
	by_key_put(&files->by_key, map, number);
	files->len += number == files->len;
	files->used++;
	*out = number + 1;
	return true;
}

/* ---- by its code ---- */

static bool is_waiting(const struct run_file *file, uint64_t least)
{
	return file->reading && file->samples >= least;
}

/* Whoever had less comes first; then the file with most samples for the bytes that are left. */
static bool is_before(const struct run_files *files, const struct run_file *a,
		      const struct run_file *b)
{
	uint64_t x = files->shares.at[a->user].looked, y = files->shares.at[b->user].looked;

	if (x != y)
		return x < y;
	return (double)a->samples * (double)code_digest_left(&b->reading->digester) >
	       (double)b->samples * (double)code_digest_left(&a->reading->digester);
}

/* The number of the next file to be read; 0: there is none. */
static uint32_t next_to_read(const struct run_files *files, uint64_t least)
{
	uint32_t best = 0;

	for (uint32_t i = 0; files->held && i < files->len; i++)
		if (is_waiting(&files->at[i], least) &&
		    (!best || is_before(files, &files->at[i], run_files_at(files, best))))
			best = i + 1;
	return best;
}

bool run_files_wait(const struct run_files *files, uint64_t least)
{
	return next_to_read(files, least);
}

bool run_files_look(struct run_files *files, uint64_t least, struct recorder_stats *stats)
{
	uint32_t next = next_to_read(files, least);

	if (!next)
		return false;
	struct run_file *file = run_files_at(files, next);
	uint64_t before = budget_thread_cpu();
	enum code_digest_step step = code_digest_step(&file->reading->digester, &file->digest);
	files->shares.at[file->user].looked += budget_thread_cpu() - before;
	if (step == CODE_DIGEST_MORE)
		return true;
	if (step == CODE_DIGEST_DONE)
		digest_cache_put(&files->digests, &file->reading->digester.before, &file->digest);
	file->state = step == CODE_DIGEST_DONE  ? RUN_FILE_COUNTED :
		      step == CODE_DIGEST_LARGE ? RUN_FILE_LARGE :
						  RUN_FILE_GONE;
	end_reading(files, file);
	if (file->state != RUN_FILE_COUNTED)
		run_file_drop(files, file, recorded_drop_of(file->state), stats);
	return true;
}

/* What the file says of itself. */
static bool take_facts(struct run_file *file, const struct binary *binary, struct bc_error *err)
{
	const struct image *image = &binary->image;

	if (binary->kind == BINARY_SECTION)
		return bc_fail(err, BC_UNSUPPORTED, "%s: not a program", file->path);
	file->bolted = binary->kind == BINARY_BOLTED;
	file->library = image_is_library(image);
	file->build_id = image->build_id;
	file->erratum = image->machine == MACHINE_X86_64 && binary->kind != BINARY_UNTOUCHED;
	file->code = code_segments_of(image, &file->code_count);
	return file->code || bc_fail_nomem(err);
}

/* A file that somebody runs can change at any moment.  Takes the descriptor. */
static bool begin_reading(struct run_files *files, struct run_file *file, int fd,
			  struct bc_error *err)
{
	struct binary head = {0};

	file->reading = calloc(1, sizeof(*file->reading));
	if (!file->reading) {
		close(fd);
		return bc_fail_nomem(err);
	}
	file->reading->fd = fd;
	files->held++;
	files->shares.at[file->user].open++;
	if (!binary_read_head(fd, file->path, &head, err))
		return false;
	bool ok = take_facts(file, &head, err) &&
		  (code_digest_begin(&file->reading->digester, fd, &head.image, file->code,
				     file->code_count) ||
		   bc_fail_errno(err, "%s: cannot stat", file->path));
	if (ok && digest_cache_find(files->digests, &file->reading->digester.before, &file->digest))
		end_reading(files, file);
	binary_close(&head);
	return ok;
}

/* A user's own file, which can be compressed or a side file.  Takes the descriptor. */
static bool read_whole(struct run_file *file, int fd, struct bc_error *err)
{
	struct binary binary = {0};

	if (!binary_map_opened(fd, file->path, &binary, err))
		return false;
	bool ok = take_facts(file, &binary, err);
	file->digest = ok ? code_digest(&binary) : (struct build_id){0};
	binary_close(&binary);
	return ok;
}

static bool look(struct run_files *files, struct run_file *file, int fd, struct bc_error *err)
{
	free(file->code); /* of what had the name before */
	file->code = NULL;
	file->code_count = 0;
	file->digest = (struct build_id){0};
	return files->opener.unpacks ? read_whole(file, fd, err) :
				       begin_reading(files, file, fd, err);
}

bool run_file_ask(struct run_files *files, struct run_file *file, const struct map_event *map,
		  struct bc_error *err)
{
	const struct user_share *share = &files->shares.at[file->user];
	struct bc_error why = {0};
	int fd = -1;

	if (!share_allows(share, share->open, files->held, RUN_FILES_HELD))
		return true; /* it is asked for again with its next sample */
	switch (files->opener.open(files->opener.ctx, map, &fd)) {
	case FILE_LEFT_OUT: file->state = RUN_FILE_LEFT_OUT; return true;
	case FILE_GONE: file->state = RUN_FILE_GONE; return true;
	case FILE_OPENED: break;
	}
	if (look(files, file, fd, &why)) {
		file->state = RUN_FILE_COUNTED;
		return true;
	}
	end_reading(files, file);
	file->state = RUN_FILE_NO_PROGRAM;
	return why.code != BC_NOMEM || bc_fail_nomem(err);
}

/* Linux maps whole pages. */
#define PAGE_MOST ((uint64_t)65536)

bool run_file_vaddr(const struct run_file *file, uint64_t offset, struct vaddr *out)
{
	const struct code_segment *near = NULL;

	for (size_t i = 0; i < file->code_count; i++) {
		const struct code_segment *s = &file->code[i];
		uint64_t first = s->offset - s->offset % PAGE_MOST, last = s->offset + s->size;
		bool inside = offset - s->offset < s->size;
		bool widened =
			s->size && offset >= first && offset - first < last - first + PAGE_MOST;
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
		ok = map_set_mark(processes->all.at[i]->maps, marks, &seen, &files->looked);
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
			forget(files, file);
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
