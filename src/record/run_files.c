/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/run_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/elf/load.h"
#include "src/record/budget.h"
#include "src/record/live.h"

#define MS UINT64_C(1000000)

/* How long a call about a file is waited for: to open it, as its samples are dropped without a
 * reply, and to read a chunk of it, after which other files take their turn.  For a user's files
 * all together it is a part of the time at most. */
#define ASK_WAIT    (500 * MS)
#define READ_WAIT   (10 * MS)
#define READ_MOST   (5 * MS) /* chunks are read for so long in a call */
#define WAIT_ALWAYS (2000 * MS)
#define WAIT_PART   100
#define HANGS       (2000 * MS)

static void free_reading(struct file_call *call)
{
	struct file_reading *reading = (struct file_reading *)call;

	if (reading->fd >= 0)
		close(reading->fd);
	free(reading->facts.code);
	free(reading->path);
	free(reading);
}

/* Its code is the file's from now on, or goes with what a call may still be using. */
static void end_reading(struct run_files *files, struct run_file *file, bool has_code)
{
	struct file_reading *reading = file->reading;

	if (!reading)
		return;
	if (has_code)
		reading->facts.code = NULL;
	else
		file->facts = (struct program_facts){0};
	file->reading = NULL;
	files->held--;
	files->busy -= reading->busy;
	files->shares.at[file->user].open--;
	file_calls_leave(files->calls, &reading->call);
}

bool run_file_hangs(const struct run_file *file)
{
	return file->reading && file->reading->busy && live_clock() - file->reading->since >= HANGS;
}

static void note_open(struct run_files *files, const struct user_share *share, uint64_t cpu)
{
	if (share_is_trusted(share))
		return;
	files->opens_cpu += cpu;
	if (files->opens_left != UINT64_MAX)
		files->opens_left -= cpu < files->opens_left ? cpu : files->opens_left;
}

/* Is the call about it done?  Waits for it for a time. */
static bool is_answered(struct run_files *files, struct run_file *file, uint64_t wait)
{
	struct user_share *share = &files->shares.at[file->user];
	struct file_reading *reading = file->reading;
	uint64_t began = live_clock();
	bool may = share->waited < WAIT_ALWAYS + (began - files->began) / WAIT_PART;

	if (!file_calls_wait(files->calls, &reading->call, may ? wait : 0)) {
		share->waited += live_clock() - began;
		return false;
	}
	share->waited += files->calls ? live_clock() - began : 0;
	share->looked += reading->call.cpu;
	if (file->state == RUN_FILE_ASKED)
		note_open(files, share, reading->call.cpu);
	else if (files->calls)
		files->others_cpu += reading->call.cpu;
	reading->busy = false;
	files->busy--;
	return true;
}

static void make_call(struct run_files *files, struct run_file *file,
		      void (*run)(struct file_call *call))
{
	struct file_reading *reading = file->reading;

	reading->call.run = run;
	reading->call.user = file->user;
	reading->call.closes = reading->fd >= 0;
	reading->call.trusted = share_is_trusted(&files->shares.at[file->user]);
	reading->busy = true;
	files->busy++;
	reading->since = live_clock();
	file_calls_put(files->calls, &reading->call);
}

enum recorded_drop recorded_drop_of(const struct run_file *file)
{
	switch (file->state) {
	case RUN_FILE_LEFT_OUT: return RECORDED_DROP_LEFT_OUT;
	case RUN_FILE_GONE: return RECORDED_DROP_GONE;
	case RUN_FILE_NO_PROGRAM: return RECORDED_DROP_NO_PROGRAM;
	case RUN_FILE_LARGE: return RECORDED_DROP_LARGE;
	case RUN_FILE_ASKED: return RECORDED_DROP_NO_RESPONSE;
	case RUN_FILE_NEW: /* it could not be opened yet: too many are, or it takes too long */
		return file->put_off ? RECORDED_DROP_UNFINISHED : RECORDED_DROP_PAST_FILES;
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
	end_reading(files, file, false);
	files->shares.at[file->user].files -= file->path != NULL;
	free(file->facts.code);
	free(file->path);
	*file = (struct run_file){0};
}

bool run_files_free(struct run_files *files)
{
	for (uint32_t i = 0; i < files->len; i++)
		forget(files, &files->at[i]);
	free(files->at);
	digest_cache_free(files->digests);
	map_free(&files->by_key);
	bool all = file_calls_stop(files->calls);
	*files = (struct run_files){.opener = files->opener};
	return all;
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

uint32_t run_files_user(struct run_files *files, uint32_t pid, uint32_t *known)
{
	const struct file_opener *opener = &files->opener;

	if (*known <= 1 || share_is_trusted(&files->shares.at[*known - 1]))
		*known = 1 + shares_of(&files->shares,
				       opener->user ? opener->user(opener->ctx, pid) : 0);
	return *known - 1;
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

bool run_files_intern(struct run_files *files, const struct map_event *map, uint32_t *known,
		      uint32_t *out)
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
	uint32_t user = run_files_user(files, map->pid, known);
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

/* Does a file that waits come sooner with the share of another user? */
static bool is_better(const struct run_files *files, const struct run_file *file,
		      const struct user_share *other)
{
	const struct user_share *now = &files->shares.at[file->user];

	if (share_is_trusted(now) || share_is_trusted(other))
		return !share_is_trusted(now);
	if (file->state == RUN_FILE_NEW)
		return !share_allows(now, now->open, files->held, RUN_FILES_HELD) &&
		       share_allows(other, other->open, files->held, RUN_FILES_HELD);
	return other->looked < now->looked;
}

void run_file_claim(struct run_files *files, struct run_file *file, uint32_t user)
{
	struct user_share *from = &files->shares.at[file->user], *to = &files->shares.at[user];
	bool open = file->reading;

	if (user == file->user || to->uid == NO_USER || !is_better(files, file, to))
		return;
	from->files--;
	to->files++;
	from->open -= open;
	to->open += open;
	file->user = user;
}

/* ---- by its code ---- */

static bool is_reading(const struct run_file *file)
{
	return file->reading && file->state == RUN_FILE_COUNTED;
}

static bool is_waiting(const struct run_file *file, uint64_t least)
{
	return is_reading(file) && !file->reading->busy && file->samples >= least;
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

/* Whoever begins to wait counts as one who has waited with the others, or a user who was quiet for
 * months would be first until it has had as much as they had in all that time. */
static void note_waiting(struct run_files *files, uint64_t least)
{
	bool waits[SHARES_MOST] = {false};

	for (uint32_t i = 0; files->held && i < files->len; i++)
		if (is_reading(&files->at[i]) && files->at[i].samples >= least)
			waits[files->at[i].user] = true;
	for (size_t i = 0; i < files->shares.count; i++) {
		struct user_share *share = &files->shares.at[i];
		if (waits[i] && !share->waits && share->looked < files->turn)
			share->looked = files->turn;
		share->waits = waits[i];
	}
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

/* The number of a file of which a chunk is read, and that does not hang; 0: there is none. */
static uint32_t next_to_come(const struct run_files *files, uint64_t least)
{
	for (uint32_t i = 0; files->busy && i < files->len; i++) {
		const struct run_file *file = &files->at[i];
		if (is_reading(file) && file->reading->busy && file->samples >= least &&
		    !run_file_hangs(file))
			return i + 1;
	}
	return 0;
}

bool run_files_wait(const struct run_files *files, uint64_t least)
{
	return next_to_read(files, least) || next_to_come(files, least);
}

/* Reads chunks for a moment. */
static void read_more(struct file_call *call)
{
	struct file_reading *r = (struct file_reading *)call;
	uint64_t began = live_clock();

	do
		r->step = code_digest_step(&r->digester, &r->digest);
	while (r->step == CODE_DIGEST_MORE && live_clock() - began < READ_MOST);
}

static void take_pieces(struct run_files *files, struct run_file *file,
			struct recorder_stats *stats)
{
	enum code_digest_step step = file->reading->step;

	if (step == CODE_DIGEST_MORE)
		return;
	file->digest = file->reading->digest;
	if (step == CODE_DIGEST_DONE)
		digest_cache_put(&files->digests, &file->reading->digester.before, &file->digest);
	file->state = step == CODE_DIGEST_DONE  ? RUN_FILE_COUNTED :
		      step == CODE_DIGEST_LARGE ? RUN_FILE_LARGE :
						  RUN_FILE_GONE;
	end_reading(files, file, true);
	if (file->state != RUN_FILE_COUNTED)
		run_file_drop(files, file, recorded_drop_of(file), stats);
}

/* Those that hung, too, when they continue. */
static void take_all_pieces(struct run_files *files, struct recorder_stats *stats)
{
	for (uint32_t i = 0; files->busy && i < files->len; i++) {
		struct run_file *file = &files->at[i];
		if (is_reading(file) && file->reading->busy && is_answered(files, file, 0))
			take_pieces(files, file, stats);
	}
}

bool run_files_look(struct run_files *files, uint64_t least, struct recorder_stats *stats)
{
	take_all_pieces(files, stats);
	note_waiting(files, least);
	uint32_t next = next_to_read(files, least);
	if (next) {
		struct run_file *file = run_files_at(files, next);
		uint64_t looked = files->shares.at[file->user].looked;
		files->turn = looked > files->turn ? looked : files->turn;
		make_call(files, file, read_more);
	} else {
		next = next_to_come(files, least);
	}
	if (!next)
		return false;
	if (is_answered(files, run_files_at(files, next), READ_WAIT))
		take_pieces(files, run_files_at(files, next), stats);
	return true;
}

static bool take_facts(struct file_reading *r, const struct binary *binary)
{
	const struct image *image = &binary->image;
	struct program_facts *facts = &r->facts;

	if (binary->kind == BINARY_SECTION)
		return false;
	facts->bolted = binary->kind == BINARY_BOLTED;
	facts->library = image_is_library(image);
	facts->build_id = image->build_id;
	facts->erratum = image->machine == MACHINE_X86_64 && binary->kind != BINARY_UNTOUCHED;
	facts->code = code_segments_of(image, &facts->code_count);
	r->no_memory = !facts->code;
	return facts->code;
}

/* A file that somebody runs can change at any moment. */
static bool read_head(struct file_reading *r, struct bc_error *err)
{
	struct binary head = {0};

	if (!binary_read_head(r->fd, r->path, &head, err))
		return false;
	bool ok = take_facts(r, &head) && code_digest_begin(&r->digester, r->fd, &head.image,
							    r->facts.code, r->facts.code_count);
	binary_close(&head);
	return ok;
}

/* A user's own file, which can be compressed or a side file. */
static bool read_whole(struct file_reading *r, struct bc_error *err)
{
	struct binary binary = {0};
	int fd = r->fd;

	r->fd = -1; /* which is taken */
	if (!binary_map_opened(fd, r->path, &binary, err))
		return false;
	bool ok = take_facts(r, &binary);
	r->digest = ok ? code_digest(&binary) : (struct build_id){0};
	binary_close(&binary);
	return ok;
}

static void open_and_look(struct file_call *call)
{
	struct file_reading *r = (struct file_reading *)call;
	struct bc_error err = {0};

	switch (r->opener.open(r->opener.ctx, &r->map, &r->fd)) {
	case FILE_LEFT_OUT: r->state = RUN_FILE_LEFT_OUT; return;
	case FILE_GONE: r->state = RUN_FILE_GONE; return;
	case FILE_OPENED: break;
	}
	bool ok = (r->opener.unpacks ? read_whole : read_head)(r, &err),
	     no_memory = err.code == BC_NOMEM;
	r->no_memory |= no_memory && r->opener.unpacks;
	r->state = ok	     ? RUN_FILE_COUNTED :
		   no_memory ? RUN_FILE_GONE : /* a file system can say so, for ever */
			       RUN_FILE_NO_PROGRAM;
}

struct file_calls *run_files_calls(struct run_files *files)
{
	if (files->opener.hangs && !files->calls) {
		files->calls = file_calls_start();
		files->began = live_clock();
	}
	return files->calls;
}

static bool begin_asking(struct run_files *files, struct run_file *file,
			 const struct map_event *map, struct bc_error *err)
{
	struct file_reading *r = calloc(1, sizeof(*r));
	char *path = strndup(map->path.at, map->path.len);

	if (!r || !path || (!run_files_calls(files) && files->opener.hangs)) {
		free(r);
		free(path);
		return bc_fail_nomem(err);
	}
	*r = (struct file_reading){.call = {.free = free_reading},
				   .opener = files->opener,
				   .map = *map,
				   .path = path,
				   .fd = -1};
	r->map.path.at = path;
	file->reading = r;
	file->state = RUN_FILE_ASKED;
	files->held++;
	files->shares.at[file->user].open++;
	make_call(files, file, open_and_look);
	return true;
}

static bool take_answer(struct run_files *files, struct run_file *file, struct bc_error *err)
{
	struct file_reading *r = file->reading;
	bool no_memory = r->no_memory;

	free(file->facts.code); /* of what had the name before */
	file->facts = r->facts;
	file->digest = r->digest;
	file->state = r->state;
	if (file->state != RUN_FILE_COUNTED)
		end_reading(files, file, false);
	else if (r->opener.unpacks ||
		 digest_cache_find(files->digests, &r->digester.before, &file->digest))
		end_reading(files, file, true);
	return !no_memory || bc_fail_nomem(err);
}

bool run_file_ask(struct run_files *files, struct run_file *file, const struct map_event *map,
		  struct bc_error *err)
{
	const struct user_share *share = &files->shares.at[file->user];
	bool is_new = file->state == RUN_FILE_NEW;

	/* What is not opened is asked for again with its next sample. */
	if (is_new && !share_allows(share, share->open, files->held, RUN_FILES_HELD))
		return true;
	file->put_off = is_new && !files->opens_left && !share_is_trusted(share);
	if (file->put_off)
		return true;
	if (is_new && !begin_asking(files, file, map, err))
		return false;
	return !is_answered(files, file, is_new ? ASK_WAIT : 0) || take_answer(files, file, err);
}

/* Linux maps whole pages. */
#define PAGE_MOST ((uint64_t)65536)

bool run_file_vaddr(const struct run_file *file, uint64_t offset, struct vaddr *out)
{
	const struct code_segment *near = NULL;

	for (size_t i = 0; i < file->facts.code_count; i++) {
		const struct code_segment *s = &file->facts.code[i];
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
