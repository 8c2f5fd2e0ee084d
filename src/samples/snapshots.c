/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/snapshots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"

/* Files are compared by their bytes. */
_Static_assert(sizeof(struct mapped_file) == 24, "no byte of a file is padding");

void mapped_files_free(struct mapped_files *files)
{
	strings_free(&files->texts);
	strings_free(&files->files);
}

bool mapped_files_intern(struct mapped_files *files, const struct mapped_file *file, uint32_t *out)
{
	static const struct mapped_file nothing;

	*out = 0;
	return !memcmp(file, &nothing, sizeof(nothing)) ||
	       strings_intern(&files->files, (struct text){(const char *)file, sizeof(*file)}, out);
}

uint32_t *mapped_files_translate(const struct mapped_files *from, struct mapped_files *into)
{
	uint32_t *numbers = malloc(((size_t)from->files.len + 1) * sizeof(*numbers));

	if (numbers)
		numbers[0] = 0;
	for (uint32_t i = 1; numbers && i < from->files.len; i++) {
		struct mapped_file file = *mapped_files_at(from, i);
		if (!strings_intern(&into->texts, strings_at(&from->texts, file.path),
				    &file.path) ||
		    !strings_intern(&into->texts, strings_at(&from->texts, file.build_id),
				    &file.build_id) ||
		    !mapped_files_intern(into, &file, &numbers[i])) {
			free(numbers);
			return NULL;
		}
	}
	return numbers;
}

const struct mapped_file *mapped_files_at(const struct mapped_files *files, uint32_t number)
{
	static const struct mapped_file nothing;
	struct text bytes = strings_at(&files->files, number);

	return bytes.len ? (const struct mapped_file *)(const void *)bytes.at : &nothing;
}

struct text mapped_files_path(const struct mapped_files *files, uint32_t number)
{
	return strings_at(&files->texts, mapped_files_at(files, number)->path);
}

static struct text recorded_id(const struct mapped_files *files, uint32_t number)
{
	return strings_at(&files->texts, mapped_files_at(files, number)->build_id);
}

struct text mapped_files_build_id(const struct mapped_files *files, uint32_t number)
{
	struct text id = recorded_id(files, number);

	return text_starts(id, MAPPED_GO_ID) ? (struct text){"", 0} : id;
}

struct text mapped_files_go_id(const struct mapped_files *files, uint32_t number)
{
	struct text id = recorded_id(files, number);

	return text_starts(id, MAPPED_GO_ID) ? text_from(id, strlen(MAPPED_GO_ID)) :
					       (struct text){"", 0};
}

struct build_id mapped_files_id(const struct mapped_files *files, uint32_t number)
{
	struct text bytes = mapped_files_build_id(files, number);
	struct build_id id = {.size = (uint8_t)(bytes.len <= BUILD_ID_MAX ? bytes.len : 0)};

	if (id.size)
		memcpy(id.data, bytes.at, id.size);
	return id;
}

static const char deleted[] = " (deleted)";

struct text path_without_deleted(struct text path)
{
	return text_ends(path, deleted) ? text_first(path, path.len - strlen(deleted)) : path;
}

/* memfd and System V segments have names that look like paths (proc(5)). */
enum path_kind path_kind_of(struct text path)
{
	if (!path.len)
		return PATH_NONE;
	if (path.at[0] != '/' || text_starts(path, "//") || text_starts(path, "/memfd:") ||
	    text_starts(path, "/SYSV") || text_starts(path, "/anon_hugepage"))
		return PATH_SPECIAL;
	return PATH_FILE;
}

bool path_is_library(struct text path)
{
	struct text name = text_basename(path);

	for (; name.len; name = text_from(name, 1))
		if (text_is(name, ".so") || text_starts(name, ".so."))
			return true;
	return false;
}

enum recorded_build build_judge(const struct build_id *id, struct text go_id,
				const struct image *image)
{
	if (!id->size && !go_id.len)
		return BUILD_NOT_TOLD;
	bool same = id->size ? build_id_equal(id, &image->build_id) :
			       text_equal(go_id, image->go_build_id);
	return same ? BUILD_SAME : BUILD_OTHER;
}

enum recorded_build build_of(const struct mapped_files *files, uint32_t file,
			     const struct image *image)
{
	struct build_id id = mapped_files_id(files, file);

	return build_judge(&id, mapped_files_go_id(files, file), image);
}

void snapshots_free(struct snapshots *snapshots)
{
	for (size_t i = 0; i < snapshots->all.len; i++)
		map_set_release(snapshots->all.at[i].maps);
	mapped_files_free(&snapshots->files);
	snapshot_vec_free(&snapshots->all);
	free(snapshots->by_time);
	free(snapshots->by_id);
	*snapshots = (struct snapshots){0};
}

bool snapshots_add(struct snapshots *s, uint32_t pid, uint32_t id, uint64_t time,
		   struct map_set *maps, struct bc_error *err)
{
	if (s->all.len >= SNAPSHOTS_MOST)
		return bc_fail(err, BC_UNSUPPORTED, "more than %" PRIu32 " maps", SNAPSHOTS_MOST);
	if (!snapshot_vec_push(&s->all, (struct snapshot){pid, id, time, maps}))
		return bc_fail_nomem(err);
	map_set_share(maps);
	return true;
}

struct snapshots_mark snapshots_mark(const struct snapshots *s)
{
	return (struct snapshots_mark){s->all.len, s->files.texts.len, s->files.files.len};
}

void snapshots_restore(struct snapshots *s, struct snapshots_mark mark)
{
	for (size_t i = mark.snapshots; i < s->all.len; i++)
		map_set_release(s->all.at[i].maps);
	s->all.len = mark.snapshots;
	strings_truncate(&s->files.texts, mark.texts);
	strings_truncate(&s->files.files, mark.files);
}

/* The snapshots that are being sorted: qsort passes nothing to the comparison. */
struct snapshot_key {
	uint32_t pid;
	uint64_t value;
	uint32_t index;
};

static int by_key(const void *a, const void *b)
{
	const struct snapshot_key *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static uint32_t *sorted(const struct snapshot *all, size_t count, bool by_time)
{
	struct snapshot_key *keys = malloc((count + 1) * sizeof(*keys));
	uint32_t *out = malloc((count + 1) * sizeof(*out));

	if (keys && out) {
		for (uint32_t i = 0; i < count; i++)
			keys[i] = (struct snapshot_key){all[i].pid,
							by_time ? all[i].time : all[i].id, i};
		if (count)
			qsort(keys, count, sizeof(*keys), by_key);
		for (uint32_t i = 0; i < count; i++)
			out[i] = keys[i].index;
	} else {
		free(out);
		out = NULL;
	}
	free(keys);
	return out;
}

static bool check_ids(const struct snapshot *all, size_t count, const uint32_t *by_id,
		      struct bc_error *err)
{
	for (size_t i = 1; i < count; i++) {
		const struct snapshot *a = &all[by_id[i - 1]], *b = &all[by_id[i]];
		if (a->pid == b->pid && a->id == b->id)
			return bc_fail(err, BC_FORMAT,
				       "process %" PRIu32 " has two maps with the id %" PRIu32,
				       a->pid, a->id);
	}
	return true;
}

bool snapshots_index(struct snapshots *s, struct bc_error *err)
{
	const struct snapshot *all = s->all.at;
	size_t count = s->all.len;

	if (s->by_time && s->indexed == count)
		return true;
	uint32_t *by_time = sorted(all, count, true), *by_id = sorted(all, count, false);
	bool ok = (by_time && by_id) || bc_fail_nomem(err);
	if (!ok || !check_ids(all, count, by_id, err)) {
		free(by_time);
		free(by_id);
		return false;
	}
	free(s->by_time);
	free(s->by_id);
	s->by_time = by_time;
	s->by_id = by_id;
	s->indexed = count;
	return true;
}

struct wanted {
	const struct snapshot *all;
	bool by_time; /* else by id */
	uint32_t pid;
	uint64_t value;
};

static bool is_at_or_below(const struct snapshot *at, const struct wanted *wanted)
{
	uint64_t value = wanted->by_time ? at->time : at->id;

	return at->pid < wanted->pid || (at->pid == wanted->pid && value <= wanted->value);
}
DEFINE_SEARCH(snapshots_above, uint32_t, const struct wanted *,
	      is_at_or_below(&key->all[*item], key))

/* How many are not above (pid, time or id). */
static size_t count_up_to(const struct snapshots *s, const uint32_t *order, bool by_time,
			  uint32_t pid, uint64_t value)
{
	return snapshots_above(order, s->indexed,
			       &(const struct wanted){s->all.at, by_time, pid, value});
}

/* The last of these, or NULL. */
static const struct snapshot *last_up_to(const struct snapshots *s, const uint32_t *order,
					 bool by_time, uint32_t pid, uint64_t value)
{
	size_t count = count_up_to(s, order, by_time, pid, value);
	const struct snapshot *found = count ? &s->all.at[order[count - 1]] : NULL;

	return found && found->pid == pid ? found : NULL;
}

const struct snapshot *snapshots_of_id(const struct snapshots *s, uint32_t pid, uint32_t id)
{
	const struct snapshot *found = last_up_to(s, s->by_id, false, pid, id);

	return found && found->id == id ? found : NULL;
}

const struct snapshot *snapshots_at(const struct snapshots *s, uint32_t pid, uint64_t time)
{
	return last_up_to(s, s->by_time, true, pid, time);
}

const struct snapshot *snapshots_near(const struct snapshots *s, uint32_t pid, uint64_t time)
{
	const struct snapshot *found = snapshots_at(s, pid, time ? time : UINT64_MAX);
	size_t next = found ? 0 : count_up_to(s, s->by_time, true, pid, time);

	if (!found && next < s->indexed && s->all.at[s->by_time[next]].pid == pid)
		found = &s->all.at[s->by_time[next]];
	return found || !pid ? found : snapshots_near(s, 0, time);
}

/* ---- together ---- */

struct next_id {
	uint32_t pid;
	uint32_t low;  /* all ids below are taken, as far as that was looked at */
	uint64_t next; /* above all ids that the process has */
};
DEFINE_VEC(next_id_vec, struct next_id);

/* The ids that processes have, and the next one for each. */
struct ids {
	struct number_set taken; /* pid << 32 | id */
	struct next_id_vec next;
	struct map by_pid; /* indices of `next` */
};

static void ids_free(struct ids *ids)
{
	number_set_free(&ids->taken);
	next_id_vec_free(&ids->next);
	map_free(&ids->by_pid);
}

DEFINE_FIELD_MAP(by_pid, struct next_id, pid);

/* The next id of a process; NULL when out of memory. */
static struct next_id *next_id_of(struct ids *ids, uint32_t pid)
{
	uint32_t number;

	if (by_pid_find(&ids->by_pid, ids->next.at, pid, &number))
		return &ids->next.at[number];
	if (!map_reserve(&ids->by_pid, 1) ||
	    !next_id_vec_push(&ids->next, (struct next_id){.pid = pid}))
		return NULL;
	number = (uint32_t)ids->next.len - 1;
	by_pid_put(&ids->by_pid, pid, number);
	return &ids->next.at[number];
}

static bool take_id(struct ids *ids, uint32_t pid, uint32_t id)
{
	struct next_id *next = next_id_of(ids, pid);

	if (!next)
		return false;
	if (next->next <= id)
		next->next = (uint64_t)id + 1;
	return number_set_add(&ids->taken, (uint64_t)pid << 32 | id);
}

static bool take_all(struct ids *ids, const struct snapshots *of)
{
	for (size_t i = 0; i < of->all.len; i++)
		if (!take_id(ids, of->all.at[i].pid, of->all.at[i].id))
			return false;
	return true;
}

static bool is_taken(const struct ids *ids, uint32_t pid, uint32_t id)
{
	return number_set_has(&ids->taken, (uint64_t)pid << 32 | id);
}

/* The next id, or where that is beyond what an id can be, the lowest one that is free. */
static uint32_t free_id(struct ids *ids, const struct snapshot *s)
{
	uint32_t number;

	if (!is_taken(ids, s->pid, s->id) ||
	    !by_pid_find(&ids->by_pid, ids->next.at, s->pid, &number))
		return s->id;
	struct next_id *own = &ids->next.at[number];
	if (own->next <= UINT32_MAX)
		return (uint32_t)own->next;
	while (is_taken(ids, s->pid, own->low))
		own->low++;
	return own->low;
}

static bool merge(struct snapshots *into, const struct snapshots *from, const uint32_t *numbers,
		  struct ids *ids, struct bc_error *err)
{
	struct renumbered done = {.numbers = numbers};
	bool ok = true;

	for (size_t i = 0; ok && i < from->all.len; i++) {
		const struct snapshot *s = &from->all.at[i];
		uint32_t id = free_id(ids, s);
		struct map_set *maps = NULL;
		ok = (map_set_renumber(s->maps, &done, &maps) && take_id(ids, s->pid, id)) ||
		     bc_fail_nomem(err);
		ok = ok && snapshots_add(into, s->pid, id, s->time, maps, err);
		map_set_release(maps);
	}
	renumbered_free(&done);
	return ok;
}

bool snapshots_merge(struct snapshots *into, const struct snapshots *from, struct bc_error *err)
{
	struct snapshots_mark mark = snapshots_mark(into);
	uint32_t *numbers = mapped_files_translate(&from->files, &into->files);
	struct ids ids = {0};

	bool ok = (numbers && take_all(&ids, into)) || bc_fail_nomem(err);
	ok = ok && merge(into, from, numbers, &ids, err);
	ids_free(&ids);
	free(numbers);
	if (ok && snapshots_index(into, err))
		return true;
	snapshots_restore(into, mark);
	return false;
}

bool last_snapshots_init(struct last_snapshots *lasts, size_t count)
{
	*lasts = (struct last_snapshots){0};
	return map_reserve(&lasts->by_pid, count);
}

void last_snapshots_free(struct last_snapshots *lasts)
{
	map_free(&lasts->by_pid);
}

DEFINE_FIELD_MAP(last_of, struct snapshot, pid);

bool last_snapshot_find(const struct last_snapshots *lasts, const struct snapshots *snapshots,
			uint32_t pid, uint32_t *number)
{
	return last_of_find(&lasts->by_pid, snapshots->all.at, pid, number);
}

void last_snapshot_set(struct last_snapshots *lasts, const struct snapshots *snapshots,
		       uint32_t number)
{
	uint32_t pid = snapshots->all.at[number].pid;
	struct map_slot *slot = last_of_slot(&lasts->by_pid, snapshots->all.at, pid);

	if (slot)
		map_slot_set(slot, number);
	else
		last_of_put(&lasts->by_pid, pid, number);
}

struct code_filter {
	const struct snapshots *from;
	struct snapshots out;
	uint32_t *numbers; /* of the files: in `out`, by those in `from`; 0: not met yet */
	struct last_snapshots lasts;
	struct mapping_vec code; /* of the map at hand */
};

static bool take_file(struct code_filter *f, uint32_t number, uint32_t *out)
{
	struct mapped_file file = *mapped_files_at(&f->from->files, number);
	const struct strings *from = &f->from->files.texts;
	struct strings *into = &f->out.files.texts;

	if (!f->numbers[number] &&
	    !(strings_intern(into, strings_at(from, file.path), &file.path) &&
	      strings_intern(into, strings_at(from, file.build_id), &file.build_id) &&
	      mapped_files_intern(&f->out.files, &file, &f->numbers[number])))
		return false;
	*out = f->numbers[number];
	return true;
}

static bool list_code(struct code_filter *f, const struct map_set *maps)
{
	const struct mapping *next;

	f->code.len = 0;
	for (uint64_t at = 0; (next = map_set_above(maps, at)); at = next->end) {
		struct mapping m = *next;
		if (m.flags & MAPPING_EXEC &&
		    !(take_file(f, m.file, &m.file) && mapping_vec_push(&f->code, m)))
			return false;
	}
	return true;
}

/* What a map has in common with the last one of its process stays shared. */
static bool take_snapshot(struct code_filter *f, const struct snapshot *s, struct bc_error *err)
{
	uint32_t last;
	bool found = last_snapshot_find(&f->lasts, &f->out, s->pid, &last);
	struct map_set *maps = map_set_share(found ? f->out.all.at[last].maps : NULL);

	bool ok = (list_code(f, s->maps) && map_set_update(&maps, f->code.at, f->code.len)) ||
		  bc_fail_nomem(err);
	ok = ok && snapshots_add(&f->out, s->pid, s->id, s->time, maps, err);
	map_set_release(maps);
	if (ok)
		last_snapshot_set(&f->lasts, &f->out, (uint32_t)f->out.all.len - 1);
	return ok;
}

bool snapshots_executable(const struct snapshots *from, struct snapshots *out, struct bc_error *err)
{
	struct code_filter f = {
		.from = from,
		.numbers = calloc((size_t)from->files.files.len + 1, sizeof(uint32_t))};
	bool ok = f.numbers && last_snapshots_init(&f.lasts, from->all.len);

	if (!ok)
		bc_fail_nomem(err);
	for (size_t i = 0; ok && i < from->all.len; i++)
		ok = take_snapshot(&f, &from->all.at[i], err);
	ok = ok && snapshots_index(&f.out, err);
	last_snapshots_free(&f.lasts);
	mapping_vec_free(&f.code);
	free(f.numbers);
	if (ok)
		*out = f.out;
	else
		snapshots_free(&f.out);
	return ok;
}
