/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/process.h"

#include <inttypes.h>
#include <stdlib.h>

#define FIRST_CAPACITY 64

/* Addresses from here on are the kernel's. */
#define USER_END (UINT64_C(1) << 63)

/* A kernel is where its file says, for everyone.  (One that chose another place at
 * its start, KASLR, is not found.) */
static bool map_kernel(struct process_maps *maps, const struct image *image)
{
	if (!image_is_kernel(image))
		return true;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		struct mapping mapping = {s->vaddr, s->vaddr + s->memsz, 0, true};
		if (s->executable && s->memsz &&
		    !map_set_replace(&maps->kernel, mapping.start, mapping.end, &mapping))
			return false;
	}
	return true;
}

bool process_maps_init(struct process_maps *maps, const struct image *image,
		       const struct image_match_options *options, struct bc_error *err)
{
	*maps = (struct process_maps){.changes = 1};
	image_match_init(&maps->match, image, options);
	maps->rows = calloc(FIRST_CAPACITY, sizeof(*maps->rows));
	if (!maps->rows || !map_kernel(maps, image))
		return bc_fail_nomem(err);
	maps->capacity = FIRST_CAPACITY;
	return true;
}

void process_maps_forget(struct process_maps *maps)
{
	maps->changes++;
	for (size_t i = 0; i < maps->capacity; i++) {
		map_set_release(maps->rows[i].maps);
		maps->rows[i] = (struct process){0};
	}
	maps->used = 0;
	maps->places = (struct file_places){.len = 0};
	number_set_free(&maps->unidentified);
	free(maps->identified);
	maps->identified = NULL;
	maps->processes_before = maps->report.processes;
}

void process_maps_fini(struct process_maps *maps)
{
	process_maps_forget(maps);
	map_set_release(maps->kernel);
	free(maps->rows);
	free(maps->report.other_build_path);
	free(maps->report.renamed);
	mapped_files_free(&maps->files);
	image_match_fini(&maps->match);
	*maps = (struct process_maps){0};
}

/* The row of a pid, or the free row where it belongs. */
static struct process *probe(const struct process_maps *maps, uint32_t pid)
{
	size_t mask = maps->capacity - 1;
	size_t at = (size_t)(pid * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	while (maps->rows[at].used && maps->rows[at].pid != pid)
		at = (at + 1) & mask;
	return &maps->rows[at];
}

static bool grow(struct process_maps *maps)
{
	struct process_maps bigger = {.capacity = 2 * maps->capacity};

	bigger.rows = calloc(bigger.capacity, sizeof(*bigger.rows));
	if (!bigger.rows)
		return false;
	for (size_t i = 0; i < maps->capacity; i++)
		if (maps->rows[i].used)
			*probe(&bigger, maps->rows[i].pid) = maps->rows[i];
	free(maps->rows);
	maps->rows = bigger.rows;
	maps->capacity = bigger.capacity;
	return true;
}

/* The process of a pid, a new one if there is none.  NULL: out of memory. */
static struct process *obtain(struct process_maps *maps, uint32_t pid)
{
	struct process *process = probe(maps, pid);

	if (process->used)
		return process;
	if (maps->used >= maps->capacity / 4 * 3) {
		if (!grow(maps))
			return NULL;
		process = probe(maps, pid);
	}
	*process = (struct process){.pid = pid, .used = true};
	maps->used++;
	return process;
}

static void begin_anew(struct process *process)
{
	map_set_release(process->maps);
	*process = (struct process){.pid = process->pid, .used = true};
}

static bool has_ended(const struct process *process)
{
	return process->first_ended && !process->threads;
}

static bool note_other_build(struct locate_report *report, const struct map_event *event)
{
	if (report->other_build++)
		return true;
	report->other_build_id = event->build_id;
	report->other_build_path = malloc(event->path.len + 1);
	if (!report->other_build_path)
		return false;
	memcpy(report->other_build_path, event->path.at, event->path.len);
	report->other_build_path[event->path.len] = '\0';
	return true;
}

/* FNV-1a, from a number that who makes the input does not know. */
static uint64_t path_hash(struct text path)
{
	uint64_t hash = 0xcbf29ce484222325 ^ count_seed;

	for (size_t i = 0; i < path.len; i++)
		hash = (hash ^ (uint8_t)path.at[i]) * 0x100000001b3;
	return hash;
}

bool process_maps_unidentified(const struct process_maps *maps, struct text path)
{
	return number_set_has(&maps->unidentified, path_hash(path));
}

/* For late build-ids.  A mapping that does not fit is not used, whatever they say. */
static bool note_identity(struct process_maps *maps, const struct map_event *event, enum image_fit fit)
{
	if (fit == FIT_IMAGE && event->build_id.size && !maps->identified &&
	    image_match_has_name(&maps->match, event->path))
		return (maps->identified = strndup(event->path.at, event->path.len));
	return !event->id_may_come || fit == FIT_MISFIT ||
	       number_set_add(&maps->unidentified, path_hash(event->path));
}

/* Find out what an executable mapping is and count it. */
static bool judge(struct process_maps *maps, const struct process *process,
		  const struct map_event *event, struct mapping *out, struct bc_error *err)
{
	struct locate_report *report = &maps->report;
	const uint64_t *near = process->has_image ? &process->base : NULL;
	enum image_fit fit;

	if (!image_match(&maps->match, event, near, &fit, &out->base, err))
		return false;
	if (!note_identity(maps, event, fit) || (fit == FIT_OTHER_BUILD && !note_other_build(report, event)))
		return bc_fail_nomem(err);
	report->executable++;
	report->misfits += fit == FIT_MISFIT;
	out->is_image = fit == FIT_IMAGE;
	if (!out->is_image)
		return mapped_files_count(&maps->files, event->path) ? true : bc_fail_nomem(err);
	file_places_note(&maps->places,
			 (struct file_place){event->offset.v, event->size, event->start.v - out->base});
	report->mappings++;
	report->rebased += near && *near != out->base;
	report->processes += !process->has_image;
	return true;
}

bool process_map(struct process_maps *maps, const struct map_event *event, struct bc_error *err)
{
	uint64_t start = event->start.v;

	maps->changes++;
	if (!event->size || start >= USER_END || event->pid == NO_PID)
		return true;
	uint64_t size = event->size < USER_END - start ? event->size : USER_END - start;
	struct mapping mapping = {.start = start, .end = start + size};
	struct process *process = obtain(maps, event->pid);
	if (!process)
		return bc_fail_nomem(err);
	if (has_ended(process))
		begin_anew(process);
	if (event->executable && !judge(maps, process, event, &mapping, err))
		return false;
	if (!process->has_image && !mapping.is_image) {
		process->maps_forgotten |= event->executable;
		return true;
	}
	process->has_image = true;
	if (mapping.is_image)
		process->base = mapping.base;
	else if (event->executable)
		process->elsewhere = start;
	if (!map_set_replace(&process->maps, mapping.start, mapping.end,
			     event->executable ? &mapping : NULL))
		return bc_fail_nomem(err);
	return true;
}

bool process_exec(struct process_maps *maps, uint32_t pid, struct bc_error *err)
{
	struct process *process = pid == NO_PID ? NULL : obtain(maps, pid);

	maps->changes++;
	if (process)
		begin_anew(process);
	return process || pid == NO_PID ? true : bc_fail_nomem(err);
}

bool process_fork(struct process_maps *maps, uint32_t parent, uint32_t child,
		  struct bc_error *err)
{
	maps->changes++;
	if (parent == NO_PID || child == NO_PID)
		return true;
	struct process *new = obtain(maps, child);
	if (!new)
		return bc_fail_nomem(err);
	if (parent == child) {
		if (has_ended(new))
			begin_anew(new);
		new->threads++;
		return true;
	}
	begin_anew(new);
	const struct process *old = probe(maps, parent);
	if (!old->used)
		return true;
	new->has_image = old->has_image;
	new->maps_forgotten = old->maps_forgotten;
	new->base = old->base;
	new->elsewhere = old->elsewhere;
	new->maps = map_set_share(old->maps);
	maps->report.processes += new->has_image;
	return true;
}

void process_exit(struct process_maps *maps, uint32_t pid, uint32_t tid)
{
	struct process *process = probe(maps, pid);

	if (!process->used)
		return;
	if (tid == pid)
		process->first_ended = true;
	else if (process->threads) /* else one that began before the recording */
		process->threads--;
}

struct process_view process_view_of(struct map_set *maps)
{
	struct process_view view = {.maps = maps, .has_image = true};

	if (maps && maps->image_end) {
		view.near.all_start = maps->image_start;
		view.near.all_size = maps->image_end - maps->image_start;
	}
	return view;
}

struct process_view process_view(const struct process_maps *maps, uint32_t pid)
{
	const struct process *process = probe(maps, pid);
	struct process_view view = {0};

	if (maps->kernel) {
		view = process_view_of(maps->kernel);
		view.is_kernel = true;
	} else if (process->used && process->has_image) {
		view = process_view_of(process->maps);
		view.maps_forgotten = process->maps_forgotten;
	}
	return view;
}

enum located process_view_search(struct process_view *view, struct run_addr at, struct vaddr *out)
{
	if (!view->has_image)
		return LOCATED_NO_PROCESS;
	if (at.v >= USER_END && !view->is_kernel)
		return LOCATED_KERNEL;
	const struct mapping *m = map_set_find(view->maps, at.v);
	if (!m)
		return view->maps_forgotten ? LOCATED_OTHER : LOCATED_UNKNOWN;
	view->last = m;
	out->v = at.v - m->base;
	return m->is_image ? LOCATED_IMAGE : LOCATED_OTHER;
}

uint64_t process_view_far(struct process_view *view, uint64_t run, uint64_t outside)
{
	struct near_image *near = &view->near;
	struct vaddr at;

	if (process_view_search(view, (struct run_addr){run}, &at) != LOCATED_IMAGE)
		return outside;
	const struct mapping *m = view->last;
	near->start[1] = near->start[0];
	near->size[1] = near->base == m->base ? near->size[0] : 0;
	near->start[0] = m->start;
	near->size[0] = m->end - m->start;
	near->base = m->base;
	return at.v;
}

enum located process_locate(const struct process_maps *maps, uint32_t pid, struct run_addr at,
			    struct vaddr *out)
{
	struct process_view view = process_view(maps, pid);

	return process_view_locate(&view, at, out);
}

static bool is_image(const struct process *process, uint64_t at)
{
	const struct mapping *m = map_set_find(process->maps, at);

	return m && m->is_image;
}

/* Files are smaller than the one, and nothing is mapped below the other. */
#define OFFSETS_END (UINT64_C(1) << 32)
#define ADDRESSES_BEGIN (UINT64_C(1) << 16)

static bool find_in_image(const struct process *process, struct file_places *places,
			  uint64_t place, struct run_addr *out)
{
	uint64_t vaddr = 0;
	bool offset = file_places_find(places, place, &vaddr) &&
		      is_image(process, vaddr + process->base);
	bool address = is_image(process, place);

	places->offsets += offset && !address;
	places->addresses += address && !offset;
	if (offset && address)
		offset = places->offsets > places->addresses;
	out->v = offset ? vaddr + process->base : place;
	return offset || address;
}

bool process_find_place(struct process_maps *maps, uint32_t pid, struct text file, uint64_t place,
			struct run_addr *out)
{
	const struct process *process = probe(maps, pid);

	if (!process->used || !process->has_image)
		return false;
	if (image_match_has_found_name(&maps->match, file))
		return find_in_image(process, &maps->places, place, out);
	maps->places.addresses += place >= OFFSETS_END;
	maps->places.offsets += place < ADDRESSES_BEGIN;
	return false;
}

struct run_addr process_elsewhere(const struct process_maps *maps, uint32_t pid)
{
	const struct process *process = probe(maps, pid);
	const uint64_t unmapped = 1; /* in the page of NULL */
	bool known = process->used && process->elsewhere && !is_image(process, process->elsewhere);

	return (struct run_addr){known ? process->elsewhere : unmapped};
}

bool process_maps_fail_other_build(const struct process_maps *maps, const struct file_id *other,
				   struct bc_error *err)
{
	char own_id[2 * BUILD_ID_MAX + 1], other_id[2 * BUILD_ID_MAX + 1];
	struct text path = text_first(other->path, 384);

	build_id_format(&maps->match.image->build_id, own_id);
	build_id_format(other->id, other_id);
	return bc_fail(err, BC_MISMATCH,
		       "no process mapped the binary: %.*s has its name, but build-id %s, "
		       "and the binary has %s",
		       (int)path.len, path.at, other_id, *own_id ? own_id : "none");
}

bool process_maps_fail_unmapped(const struct process_maps *maps, struct bc_error *err)
{
	const struct locate_report *report = &maps->report;
	struct text name = text_first(maps->match.name, 256);
	char most[256];

	if (!report->executable)
		return bc_fail(err, BC_MISMATCH,
			       "no process mapped %.*s: there are no mmap events at all "
			       "(perf script prints them with --show-mmap-events)",
			       (int)name.len, name.at);
	if (report->other_build) {
		struct file_id other = {text_of(report->other_build_path), &report->other_build_id};
		return process_maps_fail_other_build(maps, &other, err);
	}
	if (report->misfits)
		return bc_fail(err, BC_MISMATCH,
			       "no process mapped the binary: %" PRIu64 " mappings of %.*s fit none "
			       "of its executable segments; it is another build",
			       report->misfits, (int)name.len, name.at);
	mapped_files_most(&maps->files, most, sizeof(most));
	return bc_fail(err, BC_MISMATCH,
		       "no process mapped %.*s; mapped most: %s (if it has another name there, "
		       "say which with --image NAME)",
		       (int)name.len, name.at, most);
}
