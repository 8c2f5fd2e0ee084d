/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/recorder.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/maps_text.h"
#include "src/samples/snapshots.h"
#include "src/samples/processes.h"
#include "src/count/stack.h"
#include "src/samples/perf_data/rings.h"
#include "src/record/hand_over.h"
#include "src/record/run_files.h"

/*
 * Locations: what the addresses of a stack become before it is counted.  A location in a file has
 * its number and the offset, any other is the address with a mark; the kernel's stay as they are.
 */
#define PLACE_FILE_SHIFT 40
#define PLACE_OFFSET     ((UINT64_C(1) << PLACE_FILE_SHIFT) - 1)
#define PLACE_OUTSIDE    (UINT64_C(1) << 62)

/* mapping.flags: its file is one of those that are too many. */
#define MAPPING_PAST_FILES 256u

/* Paths that no file and no other mapping has: the marks of recorder_unread(). */
#define MARK_UNREAD "//unread"
#define MARK_READ   "//read"

/* Processes that have ended are forgotten when there are so many, and they are a quarter of all. */
#define ENDED_LEAST 64

/* Mappings get so much of the memory, and each takes about so many bytes. */
#define MAPS_PART 4
#define MAPS_UNIT 64

/* A stack touches no more files than these; what lies in others is taken to be in none.  Real ones
 * have some dozens of entries; a damaged one has thousands. */
#define TOUCHED_MOST 128

/* Mappings that are looked at for note_deep(): then every file is taken to have had such a stack.
 */
#define DEEP_WORK_MOST (UINT64_C(1) << 24)

/* What of an entry was met in some file. */
enum { MET_SOURCE = 1, MET_TARGET = 2, MET_RETURN = 4, MET_FILE = 8, MET_NO_ROOM = 16 };

struct recorded_process {
	struct process process;
	uint64_t told; /* ns: when something was reported of it last */
	uint32_t user; /* who runs it, as run_files_user() knows it */
	bool cut;      /* it has mappings for which there was no room */
	bool unread;   /* it has mappings that were not read */
	bool sampled;  /* its program had a sample */
	bool deep; /* a stack of 32 branches was of these mappings, which all files of them know */
};

/* Where addresses of the process of the last sample were found. */
struct recent_maps {
	uint32_t pid;
	uint64_t changes; /* of the recorder, then */
	const struct map_set *maps;
	const struct mapping *last[2];
};

struct recorder {
	struct perf_rings rings;
	struct run_files files;
	struct processes processes;
	uint64_t changes; /* of processes, so far */
	uint64_t ended;   /* processes that have ended since they were forgotten last */
	uint64_t now;     /* ns: time of the event at hand */
	/* Events since all processes or files were looked through last: that takes time, and is
	 * done only when so much has happened that it does not count. */
	uint64_t since_swept, since_forgotten, since_measured;
	uint64_t deep_work; /* mappings that note_deep() looked at */
	uint32_t ring_count;
	bool has_stacks;
	FILE *save;

	uint64_t memory_most, counts_memory; /* bytes; of tables */
	uint64_t maps_memory;                /* of what is mapped */
	bool full;

	bool types_seen; /* see stack_is_typed() */
	uint64_t samples_seen;
	struct recent_maps recent;
	struct branch *places;          /* the stack at hand */
	uint8_t *met;                   /* of each entry: MET_... */
	uint32_t touched[TOUCHED_MOST]; /* files of the stack at hand */
	size_t touched_count;
	char *left_out;         /* see recorder_left_out() */
	uint64_t left_out_most; /* samples of that */
	struct recorder_stats stats;
	uint8_t own[PERF_RECORD_MOST]; /* a record that is made here */
};

_Static_assert(RECORDED_DROP_COUNT <= LEDGER_REASONS, "a ledger holds every reason");

#define X(name, key, kind, text) {key, DROP_##kind, text},
const struct ledger_words recorded_words = {
	"samples", "samples", RECORDED_DROP_COUNT, {RECORDED_DROPS(X)}};
#undef X

void recorder_drop_later(struct recorder_stats *stats, enum recorded_drop why, uint64_t samples)
{
	ledger_move(&stats->samples, why, samples);
	stats->dropped_later += samples;
}

/* ---- processes ---- */

/* The table is the recorder's: each process of it is one of these. */
static struct recorded_process *own(struct process *process)
{
	return (struct recorded_process *)process;
}

static void begin(void *ctx, struct process *process, const struct process *parent,
		  const struct event *event)
{
	const struct recorded_process *from = (const struct recorded_process *)parent;
	const struct recorder *r = ctx;

	(void)event;
	own(process)->told = r->now;
	own(process)->sampled = false;
	own(process)->deep = from && from->deep;
	own(process)->cut = from && from->cut;
	own(process)->unread = from && from->unread;
	own(process)->user = from ? from->user : 0;
}

static bool is_gone(const struct process *process, uint64_t told_since)
{
	return process_has_ended(process) ||
	       ((const struct recorded_process *)process)->told < told_since;
}

static void forget_gone(struct recorder *r, uint64_t told_since)
{
	processes_forget(&r->processes, is_gone, told_since);
	r->changes++;
	r->ended = r->since_forgotten = 0;
}

/* The share of who runs a process, if that was asked, or NULL. */
static struct user_share *share_of(struct recorder *r, const struct recorded_process *process)
{
	return process->user ? &r->files.shares.at[process->user - 1] : NULL;
}

/* While there are few, each user may have more. */
bool recorder_may_map(const struct recorder *recorder, uint32_t user)
{
	uint64_t most = recorder->memory_most / MAPS_PART;
	const struct user_share *share = &recorder->files.shares.at[user];

	return recorder->maps_memory < most / 2 ||
	       share_allows(share, share->maps, (uint32_t)(recorder->maps_memory / MAPS_UNIT),
			    (uint32_t)(most / MAPS_UNIT));
}

static uint32_t ask_user(struct recorder *r, struct recorded_process *process)
{
	return run_files_user(&r->files, process->process.pid, &process->user);
}

/* The same as far as it is known: who runs its program need not be asked for each sample. */
static uint32_t known_user(struct recorder *r, struct recorded_process *process)
{
	return process->user ? process->user - 1 : ask_user(r, process);
}

/* May a process have one more mapping? */
static bool may_map(struct recorder *r, struct recorded_process *process)
{
	if (r->maps_memory < r->memory_most / MAPS_PART / 2)
		return true; /* whoever it is */
	bool may = recorder_may_map(r, ask_user(r, process));
	share_of(r, process)->refused += !may;
	return may;
}

/* What one more takes, about, until it is measured. */
static void note_map(struct recorder *r, const struct recorded_process *process, size_t copied)
{
	struct user_share *user = share_of(r, process);

	r->maps_memory += MAPS_UNIT + copied;
	if (user)
		user->maps += 1 + (uint32_t)(copied / MAPS_UNIT);
}

/* Where no more may be mapped: what was known of that range is wrong now.  That takes no memory:
 * mappings that reach into it are forgotten as a whole, and all of the process where others own
 * them, too. */
static bool refuse_map(struct recorded_process *process, uint64_t start, uint64_t end)
{
	struct map_set **maps = &process->process.maps;
	const struct mapping *first = map_set_above(*maps, start),
			     *last = map_set_find(*maps, end - 1);

	process->cut = true;
	if (!first || first->start >= end)
		return true;
	start = first->start < start ? first->start : start;
	end = last ? last->end : end;
	if (!map_set_copied(*maps, start, end))
		return map_set_replace(maps, start, end, NULL);
	map_set_release(*maps);
	*maps = NULL;
	return true;
}

static bool take_file(struct recorder *r, struct recorded_process *process,
		      const struct map_event *map, struct mapping *out)
{
	if (path_kind_of(map->path) != PATH_FILE || map->path.len >= PATH_MAX ||
	    map->size > PLACE_OFFSET || out->offset > PLACE_OFFSET - map->size)
		return true;
	if (!run_files_intern(&r->files, map, &process->user, &out->file))
		return false;
	if (!out->file && r->since_swept >= r->files.looked / 16) {
		r->since_swept = 0;
		if (!run_files_sweep(&r->files, &r->processes))
			return false;
		if (!run_files_intern(&r->files, map, &process->user, &out->file))
			return false;
	}
	out->flags |= out->file ? 0 : MAPPING_PAST_FILES;
	return true;
}

static bool is_mark(struct text path)
{
	return text_starts(path, "//") && (text_is(path, MARK_UNREAD) || text_is(path, MARK_READ));
}

static const struct process_owner recorder_owner;

static bool take_map(void *ctx, const struct event *event, struct bc_error *err)
{
	const struct map_event *map = event->map;
	struct recorder *r = ctx;
	struct mapping mapping = {.start = map->start.v,
				  .end = map->start.v + map->size,
				  .offset = map->offset.v,
				  .flags = MAPPING_READ | MAPPING_EXEC};

	if (!map->executable || map->pid == NO_PID || mapping.end <= mapping.start ||
	    mapping.end > USER_END)
		return true;
	struct recorded_process *process =
		own(processes_mapped(&r->processes, &recorder_owner, r, event));
	if (!process)
		return bc_fail_nomem(err);
	if (is_mark(map->path)) {
		process->told = r->now;
		process->unread = text_is(map->path, MARK_UNREAD);
		return true;
	}
	struct map_set **maps = &process->process.maps;
	if (!may_map(r, process))
		return refuse_map(process, mapping.start, mapping.end) || bc_fail_nomem(err);
	if (!take_file(r, process, map, &mapping))
		return bc_fail_nomem(err);
	note_map(r, process, map_set_copied(*maps, mapping.start, mapping.end));
	process->told = r->now;
	process->deep &= !mapping.file || run_files_at(&r->files, mapping.file)->erratum_seen;
	return map_set_replace(maps, mapping.start, mapping.end, &mapping) || bc_fail_nomem(err);
}

static const struct process_owner recorder_owner = {
	.size = sizeof(struct recorded_process),
	.begin = begin,
	.map = take_map,
};

/* For NO_PID: all that were not reported with this time or later (recorder_scanned()). */
static void note_exit(struct recorder *r, uint32_t pid)
{
	const struct process *process = processes_find(&r->processes, pid);

	if (pid != NO_PID)
		r->ended += process && process_has_ended(process);
	else if (r->since_forgotten >= r->processes.all.len / 2) /* each that lives was reported */
		forget_gone(r, r->now);
}

/* A thread of it is there. */
static void note_fork(struct recorder *r, uint32_t pid)
{
	struct process *process = processes_find(&r->processes, pid);

	if (process)
		own(process)->told = r->now;
}

/* ---- addresses ---- */

static void look_at(struct recorder *r, const struct process *process)
{
	struct recent_maps *recent = &r->recent;

	if (recent->pid != process->pid || recent->changes != r->changes)
		*recent =
			(struct recent_maps){process->pid, r->changes, process->maps, {NULL, NULL}};
}

static inline bool holds(const struct mapping *m, uint64_t at)
{
	return m && at - m->start < m->end - m->start;
}

static const struct mapping *find(struct recent_maps *recent, uint64_t at)
{
	if (holds(recent->last[0], at))
		return recent->last[0];
	if (holds(recent->last[1], at))
		return recent->last[1];
	const struct mapping *m = map_set_find(recent->maps, at);
	if (m) {
		recent->last[1] = recent->last[0];
		recent->last[0] = m;
	}
	return m;
}

/* The file of a mapping if its samples are counted, or NULL; whoever has not been asked for is. */
static bool file_of(struct recorder *r, const struct mapping *m, struct recorded_process *process,
		    struct run_file **out, struct bc_error *err)
{
	struct run_file *file = m && m->file ? run_files_at(&r->files, m->file) : NULL;

	*out = file;
	if (!file || (file->state != RUN_FILE_NEW && !file->reading))
		return true;
	run_file_claim(&r->files, file, known_user(r, process));
	if (file->state != RUN_FILE_NEW && file->state != RUN_FILE_ASKED)
		return true;
	const struct map_event map = {.pid = process->process.pid,
				      .start = {m->start},
				      .size = m->end - m->start,
				      .offset = {m->offset},
				      .executable = true,
				      .path = text_of(file->path),
				      .build_id = file->recorded_id,
				      .node = file->node};
	bool ok = run_file_ask(&r->files, file, &map, err);
	r->stats.files += file->state == RUN_FILE_COUNTED;
	return ok;
}

static enum recorded_drop drop_of(const struct recorded_process *process, const struct mapping *m,
				  const struct run_file *file)
{
	if (!m && process->cut)
		return RECORDED_DROP_NO_ROOM;
	if (!m && process->unread)
		return RECORDED_DROP_UNREAD;
	if (!file)
		return m && m->flags & MAPPING_PAST_FILES ? RECORDED_DROP_PAST_FILES :
							    RECORDED_DROP_NO_FILE;
	return recorded_drop_of(file);
}

/* ---- counting ---- */

static bool drop(struct recorder *r, const struct sample *sample, enum recorded_drop why)
{
	r->stats.samples.dropped[why]++;
	r->stats.branches.dropped[BRANCH_DROP_DROPPED_SAMPLE] += sample->branch_count;
	return true;
}

static void keep(struct recorder *r, struct run_file *file)
{
	r->stats.samples.kept++;
	file->samples++;
}

/* Whose limits a sample meets. */
static struct user_share *user_of(struct recorder *r, struct recorded_process *process,
				  const struct run_file *file)
{
	if (file)
		return &r->files.shares.at[file->user];
	return &r->files.shares.at[known_user(r, process)];
}

/* A sample in a file that is not counted, or in none. */
static bool drop_in(struct recorder *r, struct recorded_process *process,
		    const struct sample *sample, const struct mapping *m, struct run_file *file)
{
	if (file && file->state == RUN_FILE_LEFT_OUT && ++file->left_out > r->left_out_most) {
		r->left_out_most = file->left_out;
		if (!r->left_out || strcmp(r->left_out, file->path) != 0) {
			free(r->left_out);
			r->left_out = strdup(file->path); /* NULL: then nobody shows it */
		}
	}
	enum recorded_drop why = drop_of(process, m, file);
	if (why != RECORDED_DROP_NO_FILE && why != RECORDED_DROP_LEFT_OUT)
		user_of(r, process, file)->dropped[why]++;
	return drop(r, sample, why);
}

/* Before so many rows are added.  *room: they can be. */
static bool make_room(struct recorder *r, struct count_table *table, size_t rows, bool *room,
		      struct bc_error *err)
{
	*room = true;
	while (count_table_must_grow(table, rows)) {
		size_t capacity = table->capacity ? 2 * table->capacity : RUN_FILE_ROWS;
		uint64_t more = capacity * (uint64_t)sizeof(struct count_row);
		*room = r->counts_memory + more <= r->memory_most;
		if (!*room)
			return true;
		r->counts_memory += more - table->capacity * sizeof(struct count_row);
		if (!(table->capacity ? count_table_grow(table) :
					count_table_begin(table, capacity)))
			return bc_fail_nomem(err);
	}
	return true;
}

static bool count_address(struct recorder *r, struct run_file *file, uint64_t offset,
			  const struct sample *sample, struct bc_error *err)
{
	const uint64_t key[COUNT_KEY_WORDS] = {offset};
	bool room;

	if (!make_room(r, &file->plain, 1, &room, err))
		return false;
	if (!room)
		return drop(r, sample, RECORDED_DROP_NO_ROOM);
	keep(r, file);
	return count_table_add(&file->plain, key, 1, 0) || bc_fail_nomem(err);
}

static bool take_address(struct recorder *r, struct recorded_process *process,
			 const struct sample *sample, struct bc_error *err)
{
	struct run_file *file;

	if (r->has_stacks)
		return drop(r, sample, RECORDED_DROP_NO_STACK);
	if (sample->ip.v & KERNEL_BIT)
		return drop(r, sample, RECORDED_DROP_KERNEL);
	const struct mapping *m = find(&r->recent, sample->ip.v);
	if (!file_of(r, m, process, &file, err))
		return false;
	if (!file || file->state != RUN_FILE_COUNTED)
		return drop_in(r, process, sample, m, file);
	return count_address(r, file, sample->ip.v - m->start + m->offset, sample, err);
}

/* The location of an address; its file is touched. */
static bool place_of(struct recorder *r, struct recorded_process *process, uint64_t at,
		     uint64_t *out, struct bc_error *err)
{
	struct run_file *file;

	*out = at;
	if (at & KERNEL_BIT)
		return true;
	const struct mapping *m = find(&r->recent, at);
	if (!file_of(r, m, process, &file, err))
		return false;
	if (!file || file->state != RUN_FILE_COUNTED) {
		*out |= PLACE_OUTSIDE;
		return true;
	}
	if (file->stamp != r->samples_seen) {
		if (r->touched_count == TOUCHED_MOST) {
			*out |= PLACE_OUTSIDE;
			return true;
		}
		file->stamp = r->samples_seen;
		r->touched[r->touched_count++] = m->file;
	}
	*out = (uint64_t)m->file << PLACE_FILE_SHIFT | (at - m->start + m->offset);
	return true;
}

static bool is_in_file(uint64_t place)
{
	return !(place & (KERNEL_BIT | PLACE_OUTSIDE));
}

static bool place_stack(struct recorder *r, struct recorded_process *process,
			const struct sample *sample, struct bc_error *err)
{
	r->touched_count = 0;
	for (size_t i = 0; i < sample->branch_count; i++) {
		const struct branch *b = &sample->branches[i];
		struct branch *to = &r->places[i];
		if (!place_of(r, process, b->from, &to->from, err) ||
		    !place_of(r, process, b->to, &to->to, err))
			return false;
		to->flags = b->flags;
		r->met[i] = is_in_file(to->from) || is_in_file(to->to) ? MET_FILE : 0;
	}
	return true;
}

/* One walk over a stack, for one of the files. */
struct file_walk {
	struct recorder *r;
	struct run_file *file;
	uint64_t number;
};

static inline struct trace_end find_end(void *ctx, const struct branch *b, bool source,
					struct trace_end outside)
{
	struct file_walk *w = ctx;
	uint64_t place = source ? b->from : b->to;

	if (place >> PLACE_FILE_SHIFT != w->number)
		return outside;
	w->r->met[b - w->r->places] |= source ? MET_SOURCE : MET_TARGET;
	return (struct trace_end){place & PLACE_OFFSET};
}

static inline void count_trace(void *ctx, const struct branch *b, const struct trace *trace,
			       bool extra)
{
	struct file_walk *w = ctx;
	uint64_t key[COUNT_KEY_WORDS];

	(void)b;
	trace_key(trace, key);
	w->file->branches++;
	if (!count_table_add(&w->file->traces, key, 1, extra))
		w->file->types.no_memory = true;
}

static inline void note_return(void *ctx, const struct branch *b)
{
	struct file_walk *w = ctx;

	w->r->met[b - w->r->places] |= MET_RETURN;
}

static const struct stack_walker walker = {find_end, count_trace, note_return};

static void note_no_room(struct recorder *r, uint32_t number, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (r->places[i].from >> PLACE_FILE_SHIFT == number ||
		    r->places[i].to >> PLACE_FILE_SHIFT == number)
			r->met[i] |= MET_NO_ROOM;
}

/* *counted: there was room for it. */
static bool walk_file(struct recorder *r, uint32_t number, const struct sample *sample, bool typed,
		      bool *counted, struct bc_error *err)
{
	struct file_walk walk = {r, run_files_at(&r->files, number), number};
	struct run_file *file = walk.file;
	struct entry_use use = {.typed = typed,
				.partial = sample->partial,
				.extra_flags = BRANCH_MISPREDICTED,
				.kernel_bit = KERNEL_BIT};
	struct entry_sums sums = {0};

	if (!make_room(r, &file->traces, sample->branch_count, counted, err))
		return false;
	if (typed && !file->types.waiting.capacity &&
	    !count_table_begin(&file->types.waiting, RUN_FILE_ROWS))
		return bc_fail_nomem(err);
	if (!*counted) {
		note_no_room(r, number, sample->branch_count);
		return true;
	}
	file->erratum_seen |= r->deep_work >= DEEP_WORK_MOST;
	use.skip = file->facts.erratum ? stack_erratum(&file->erratum_seen, sample) : 0;
	(void)stack_walk(walker, &walk, &file->types, r->places, r->places + sample->branch_count,
			 use, trace_end_of(TRACE_END_NONE), &sums);
	return !file->types.no_memory || bc_fail_nomem(err);
}

/* In convert's terms: a process with the binary had a stack of 32 branches. */
static void note_deep(struct recorder *r, struct recorded_process *process,
		      const struct sample *sample)
{
	const struct mapping *m;

	if (process->deep || sample->branch_count < 32)
		return;
	bool deep = false;
	(void)stack_erratum(&deep, sample);
	for (uint64_t at = 0; deep && r->deep_work < DEEP_WORK_MOST &&
			      (m = map_set_above(process->process.maps, at));
	     at = m->end, r->deep_work++)
		if (m->file)
			run_files_at(&r->files, m->file)->erratum_seen = true;
	process->deep = deep;
}

static void tally(struct recorder *r, size_t count)
{
	struct ledger *branches = &r->stats.branches;

	for (size_t i = 0; i < count; i++) {
		uint8_t met = r->met[i];
		if ((r->places[i].from | r->places[i].to) & KERNEL_BIT)
			branches->dropped[BRANCH_DROP_KERNEL]++;
		else if (met & MET_SOURCE || (met & MET_TARGET && !(met & MET_RETURN)))
			branches->kept++;
		else if (met & MET_RETURN)
			branches->dropped[BRANCH_DROP_RETURN]++;
		else if (met & MET_NO_ROOM)
			branches->dropped[BRANCH_DROP_DROPPED_SAMPLE]++;
		else
			branches->dropped[met & MET_FILE ? BRANCH_DROP_ERRATUM :
							   BRANCH_DROP_OUTSIDE]++;
	}
}

/* Nothing of the stack is in a file. */
static bool drop_stack(struct recorder *r, struct recorded_process *process,
		       const struct sample *sample, struct bc_error *err)
{
	struct run_file *file = NULL;

	if (!stack_depth(sample))
		return drop(r, sample, RECORDED_DROP_KERNEL);
	const struct mapping *m = sample->ip.v & KERNEL_BIT ? NULL : find(&r->recent, sample->ip.v);
	return file_of(r, m, process, &file, err) && drop_in(r, process, sample, m, file);
}

/* Which of the files that it touched a stack is of: that of its address, or of its newest branch.
 */
static struct run_file *owner(struct recorder *r, const struct sample *sample)
{
	const struct mapping *m = sample->ip.v & KERNEL_BIT ? NULL : find(&r->recent, sample->ip.v);
	struct run_file *file = m && m->file ? run_files_at(&r->files, m->file) : NULL;

	return file && file->stamp == r->samples_seen ? file :
							run_files_at(&r->files, r->touched[0]);
}

static bool take_stack(struct recorder *r, struct recorded_process *process,
		       const struct sample *sample, struct bc_error *err)
{
	bool typed = stack_is_typed(&r->types_seen, r->samples_seen, sample), kept = false;

	note_deep(r, process, sample);
	if (!place_stack(r, process, sample, err))
		return false;
	if (!r->touched_count)
		return drop_stack(r, process, sample, err);
	for (size_t i = 0; i < r->touched_count; i++) {
		bool counted;
		if (!walk_file(r, r->touched[i], sample, typed, &counted, err))
			return false;
		kept |= counted;
	}
	if (!kept)
		return drop(r, sample, RECORDED_DROP_NO_ROOM);
	tally(r, sample->branch_count);
	keep(r, owner(r, sample));
	return true;
}

static bool take_sample(struct recorder *r, const struct sample *sample, struct bc_error *err)
{
	struct recorded_process *process =
		sample->pid == NO_PID ? NULL : own(processes_find(&r->processes, sample->pid));

	r->samples_seen++;
	r->stats.samples.read++;
	r->stats.branches.read += sample->branch_count;
	if (!process || (!process->process.maps && !process->cut))
		return drop(r, sample, RECORDED_DROP_NO_PROCESS);
	r->stats.programs += !process->sampled;
	process->sampled = true;
	look_at(r, &process->process);
	return sample->branch_count ? take_stack(r, process, sample, err) :
				      take_address(r, process, sample, err);
}

static bool take_event(void *ctx, const struct event *event, struct bc_error *err)
{
	struct recorder *r = ctx;

	if (event->time)
		r->now = event->time;
	r->changes += event->kind != EVENT_SAMPLE;
	r->since_swept++;
	r->since_forgotten++;
	r->since_measured++;
	if (event->kind == EVENT_SAMPLE)
		return take_sample(r, event->sample, err);
	if (!processes_event(&r->processes, &recorder_owner, r, event, err))
		return false;
	if (event->kind == EVENT_FORK)
		note_fork(r, event->task.pid);
	else if (event->kind == EVENT_EXIT)
		note_exit(r, event->task.pid);
	return true;
}

/* ---- memory ---- */

static uint64_t other_memory(const struct recorder *r)
{
	uint64_t memory = perf_rings_memory(&r->rings) + sizeof(*r) +
			  r->processes.all.cap * sizeof(struct process *) +
			  r->processes.all.len * sizeof(struct recorded_process) +
			  r->processes.by_pid.capacity * sizeof(struct map_slot) +
			  r->files.len * sizeof(struct run_file);

	return memory + r->maps_memory;
}

/* What is mapped, and by whom, as far as that was asked. */
static void measure_maps(struct recorder *r)
{
	struct shares *shares = &r->files.shares;

	r->maps_memory = 0;
	for (size_t i = 0; i < shares->count; i++)
		shares->at[i].maps = 0;
	for (size_t i = 0; i < r->processes.all.len; i++) {
		const struct recorded_process *process = own(r->processes.all.at[i]);
		size_t memory = map_set_memory(process->process.maps);
		struct user_share *user = share_of(r, process);
		r->maps_memory += memory;
		if (user)
			user->maps += (uint32_t)(memory / MAPS_UNIT);
	}
}

/* It is full when what is counted is three quarters of what may be, or the largest file could not
 * grow once more and be copied to be handed over.  (Rows of a table that grows are there twice; of
 * one that is handed over, three times.) */
static void measure(struct recorder *r)
{
	measure_maps(r);
	uint64_t largest = 0, other = other_memory(r),
		 may_be = r->memory_most > other ? r->memory_most - other : 0;

	r->counts_memory = r->since_measured = 0;
	for (uint32_t i = 0; i < r->files.len; i++) {
		const struct run_file *file = &r->files.at[i];
		uint64_t memory = run_file_memory(file);
		uint64_t rows = (uint64_t)file->traces.used + file->types.waiting.used;
		uint64_t more = rows > file->traces.capacity / 2 ?
					2 * memory :
					2 * rows * sizeof(struct count_row);
		r->counts_memory += memory;
		largest = more > largest ? more : largest;
	}
	bool worth = r->counts_memory > r->memory_most / 8;
	r->full = worth &&
		  (r->counts_memory >= may_be / 4 * 3 || r->counts_memory + largest > may_be);
	r->stats.memory = r->counts_memory + other;
}

bool recorder_is_full(const struct recorder *recorder)
{
	return recorder->full;
}

/* ---- the outside ---- */

/* For what may be kept, records that wait for their turn get a quarter. */
static struct perf_order_limit waiting_most(uint64_t memory)
{
	size_t blocks = (size_t)(memory / 4 / PERF_BLOCK_SIZE);

	blocks = blocks < 4 ? 4 : blocks;
	return (struct perf_order_limit){blocks * 1024, blocks};
}

bool recorder_open(const struct recorder_options *options, struct recorder **out,
		   struct bc_error *err)
{
	struct recorder *r = calloc(1, sizeof(*r));

	*out = r;
	if (!r)
		return bc_fail_nomem(err);
	const struct event_sink sink = {r, take_event};
	r->files.opener = options->files;
	r->files.opens_left = UINT64_MAX;
	r->ring_count = options->rings;
	r->save = options->save;
	r->memory_most = options->memory ? options->memory : RECORDER_MEMORY;
	r->places = malloc(PERF_BRANCHES_MAX * sizeof(*r->places));
	r->met = calloc(PERF_BRANCHES_MAX, sizeof(*r->met));
	if (r->places && r->met) {
		if (perf_rings_init(&r->rings, options->attr, options->rings + 1,
				    waiting_most(r->memory_most), &sink, err)) {
			r->has_stacks = perf_setup_has_stacks(&r->rings.setup);
			return true;
		}
	} else {
		bc_fail_nomem(err);
	}
	(void)recorder_free(r);
	*out = NULL;
	return false;
}

bool recorder_free(struct recorder *recorder)
{
	if (!recorder)
		return true;
	perf_rings_fini(&recorder->rings);
	bool all = run_files_free(&recorder->files);
	processes_free(&recorder->processes);
	free(recorder->places);
	free(recorder->met);
	free(recorder->left_out);
	free(recorder);
	return all;
}

static bool take_ring(struct recorder *r, uint32_t ring, struct bytes bytes, struct bc_error *err)
{
	if (r->save)
		rings_put(r->save, ring == r->ring_count ? RINGS_SCAN : ring, bytes);
	return perf_rings_take(&r->rings, ring, bytes, err);
}

bool recorder_ring(struct recorder *recorder, uint32_t ring, struct bytes bytes,
		   struct bc_error *err)
{
	return take_ring(recorder, ring, bytes, err);
}

static bool take_own(struct recorder *r, size_t size, struct bc_error *err)
{
	return take_ring(r, r->ring_count, (struct bytes){r->own, size}, err);
}

bool recorder_process(struct recorder *recorder, uint32_t pid, uint64_t time, struct bc_error *err)
{
	return take_own(recorder, perf_rings_put_exec(&recorder->rings, pid, time, recorder->own),
			err);
}

static bool take_line(struct recorder *r, uint32_t pid, const struct maps_line *line, uint64_t time,
		      struct bc_error *err)
{
	struct map_event map = {
		.pid = pid,
		.start = {line->start},
		.size = line->end - line->start,
		.offset = {line->offset},
		.executable = true,
		.path = line->path,
		.node = {.major = line->major, .minor = line->minor, .inode = line->inode},
	};
	char path[PATH_MAX];

	if (map.path.len < sizeof(path))
		map.path = (struct text){path, maps_path_unescape(map.path, path)};
	if (!map.path.len || text_starts(map.path, "//")) /* no file, and no mark of the recorder */
		map.path = text_of("//anon");
	return take_own(r, perf_rings_put_map(&r->rings, &map, time, r->own), err);
}

bool recorder_maps(struct recorder *recorder, uint32_t pid, struct text maps, uint64_t time,
		   struct bc_error *err)
{
	while (maps.len) {
		size_t length = text_find(maps, '\n');
		struct maps_line line;
		const char *wrong = maps_line_parse(text_first(maps, length), &line);
		if (!wrong && line.flags & MAPPING_EXEC &&
		    !take_line(recorder, pid, &line, time, err))
			return false;
		maps = text_behind(maps, length);
	}
	return true;
}

bool recorder_thread(struct recorder *recorder, uint32_t pid, uint32_t tid, uint64_t time,
		     struct bc_error *err)
{
	return take_own(recorder,
			perf_rings_put_thread(&recorder->rings, PERF_RECORD_FORK, pid, tid, time,
					      recorder->own),
			err);
}

bool recorder_unread(struct recorder *recorder, uint32_t pid, bool unread, uint64_t time,
		     struct bc_error *err)
{
	const struct map_event mark = {.pid = pid,
				       .size = 1,
				       .executable = true,
				       .path = text_of(unread ? MARK_UNREAD : MARK_READ)};

	return take_own(recorder, perf_rings_put_map(&recorder->rings, &mark, time, recorder->own),
			err);
}

bool recorder_scanned(struct recorder *recorder, uint64_t time, struct bc_error *err)
{
	return take_own(recorder,
			perf_rings_put_thread(&recorder->rings, PERF_RECORD_EXIT, NO_PID, NO_PID,
					      time, recorder->own),
			err);
}

uint32_t recorder_user(struct recorder *recorder, uint32_t pid)
{
	uint32_t unknown = 0;

	return run_files_user(&recorder->files, pid, &unknown);
}

struct shares *recorder_shares(struct recorder *recorder)
{
	return &recorder->files.shares;
}

struct file_calls *recorder_calls(struct recorder *recorder)
{
	return run_files_calls(&recorder->files);
}

bool recorder_round(struct recorder *recorder, struct bc_error *err)
{
	struct recorder *r = recorder;

	if (r->save)
		rings_put_round(r->save);
	if (!perf_rings_round(&r->rings, err))
		return false;
	r->stats.rounds++;
	if (r->ended >= ENDED_LEAST && r->ended >= r->processes.all.len / 4)
		forget_gone(r, 0);
	if (r->since_measured >= (r->processes.all.len + r->files.len) / 4) {
		measure(r);
	}
	return true;
}

bool recorder_drain(struct recorder *recorder, struct bc_error *err)
{
	if (recorder->save)
		rings_end(recorder->save);
	if (!perf_rings_end(&recorder->rings, err))
		return false;
	measure(recorder);
	return true;
}

bool recorder_replay(struct recorder *recorder, struct rings_reader *reader, bool *ended,
		     struct bc_error *err)
{
	struct rings_part part;

	recorder->rings.name = recorder->rings.delivery.file = reader->stream->name;
	for (*ended = false; rings_next(reader, &part, err);) {
		if (part.ring == RINGS_ROUND)
			return recorder_round(recorder, err);
		if (part.ring == RINGS_END) {
			*ended = true;
			return recorder_drain(recorder, err);
		}
		if (!take_ring(recorder, part.ring == RINGS_SCAN ? recorder->ring_count : part.ring,
			       part.bytes, err))
			return false;
	}
	return false;
}

bool recorder_look(struct recorder *recorder, uint64_t least)
{
	return run_files_look(&recorder->files, least, &recorder->stats);
}

bool recorder_looks(const struct recorder *recorder, uint64_t least)
{
	return run_files_wait(&recorder->files, least);
}

uint64_t recorder_others_cpu(const struct recorder *recorder)
{
	return recorder->files.others_cpu;
}

void recorder_limit_opens(struct recorder *recorder, uint64_t ns)
{
	recorder->files.opens_left = ns;
}

uint64_t recorder_opens_cpu(const struct recorder *recorder)
{
	return recorder->files.opens_cpu;
}

size_t recorder_pending(const struct recorder *recorder, uint64_t least)
{
	size_t count = 0;

	for (uint32_t i = 0; i < recorder->files.len; i++)
		count += recorder->files.at[i].samples && recorder->files.at[i].samples >= least;
	return count;
}

static const char *event_of(const struct recorder *r)
{
	return r->rings.setup.events.all.at[0].label;
}

bool recorder_counts(const struct recorder *recorder, const struct build_id *digest,
		     struct recorded_counts **out, uint64_t *samples, struct bc_error *err)
{
	return counts_so_far(&recorder->files, digest, event_of(recorder), out, samples, err);
}

bool recorder_flush(struct recorder *recorder, const struct recorded_taker *to,
		    struct bc_error *err)
{
	bool ok = hand_over(&recorder->files, &recorder->processes, event_of(recorder), to,
			    &recorder->stats, err);

	(void)!run_files_sweep(
		&recorder->files,
		&recorder->processes); /* without memory for it, nothing is forgotten this time */
	measure(recorder);
	return ok;
}

void recorder_give_up(struct recorder *recorder)
{
	struct run_files *files = &recorder->files;

	for (uint32_t i = 0; i < files->len; i++)
		run_file_drop(files, &files->at[i], RECORDED_DROP_UNFINISHED, &recorder->stats);
}

void recorder_lost(struct recorder *recorder, uint64_t records)
{
	recorder->stats.lost = records;
}

const char *recorder_left_out(const struct recorder *recorder)
{
	return recorder->left_out;
}

struct recorder_stats recorder_stats(const struct recorder *recorder)
{
	const struct perf_data_report *details = &recorder->rings.details;
	struct recorder_stats stats = recorder->stats;

	stats.samples.dropped[RECORDED_DROP_LATE] = details->late;
	stats.samples.dropped[RECORDED_DROP_GUEST] = details->of_guests;
	stats.samples.read += details->late + details->of_guests;
	stats.lost = details->lost_events > stats.lost ? details->lost_events : stats.lost;
	stats.lost_samples = details->lost_samples;
	stats.throttled = details->records[PERF_RECORD_THROTTLE];
	stats.processes = recorder->processes.all.len;
	stats.mapped_files = recorder->files.used;
	return stats;
}
