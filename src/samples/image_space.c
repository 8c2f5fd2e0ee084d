/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/image_space.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/image_given.h"
#include "src/base/map.h"

#define NAMED 3

void most_mapped_free(struct most_mapped *files)
{
	for (size_t i = 0; i < files->all.len; i++)
		free(files->all.at[i].path);
	counted_program_vec_free(&files->all);
	*files = (struct most_mapped){0};
}

/* lib.so, lib.so.6 */
static bool is_library(struct text path)
{
	for (struct text t = text_basename(path); t.len; t = text_from(t, 1)) {
		t = text_from(t, text_find(t, '.'));
		if (text_is(t, ".so") || text_starts(t, ".so."))
			return true;
	}
	return false;
}

static bool add(struct most_mapped *files, struct text path, const struct build_id *id)
{
	if (files->all.len == MOST_MAPPED_MAX)
		return true;
	struct counted_program program = {strndup(path.at, path.len), 1, *id};
	if (!program.path || !counted_program_vec_push(&files->all, program)) {
		free(program.path);
		return false;
	}
	files->last = files->all.len - 1;
	return true; // cppcheck-suppress memleak ; the path is in files->all
}

bool most_mapped_count(struct most_mapped *files, struct text path, const struct build_id *id)
{
	if (!text_starts(path, "/") || text_starts(path, "//") || is_library(path))
		return true;
	if (files->all.len && text_is(path, files->all.at[files->last].path)) {
		files->all.at[files->last].count++;
		return true;
	}
	for (size_t i = 0; i < files->all.len; i++)
		if (text_is(path, files->all.at[i].path)) {
			files->all.at[files->last = i].count++;
			return true;
		}
	return add(files, path, id);
}

/* Orders by count, then by path. */
static bool before(const struct counted_program *a, const struct counted_program *b)
{
	return a->count != b->count ? a->count > b->count : strcmp(a->path, b->path) < 0;
}

/* The first file that comes after `last` (NULL: the first of all), or NULL. */
static const struct counted_program *next_most(const struct most_mapped *files,
					       const struct counted_program *last)
{
	const struct counted_program *best = NULL;

	for (size_t i = 0; i < files->all.len; i++) {
		const struct counted_program *file = &files->all.at[i];
		if ((!last || before(last, file)) && (!best || before(file, best)))
			best = file;
	}
	return best;
}

const struct counted_program *most_mapped_first(const struct most_mapped *files)
{
	return next_most(files, NULL);
}

void most_mapped_names(const struct most_mapped *files, char *out, size_t size)
{
	const struct counted_program *file = next_most(files, NULL);
	size_t len = 0;

	snprintf(out, size, "none");
	for (int i = 0; i < NAMED && file && len < size; i++) {
		int n = snprintf(out + len, size - len, "%s%s", i ? ", " : "", file->path);
		len += n > 0 ? (size_t)n : 0;
		file = next_most(files, file);
	}
}

void file_places_note(struct file_places *places, struct file_place place)
{
	for (size_t i = 0; i < places->len; i++) {
		const struct file_place *known = &places->at[i];
		if (known->offset == place.offset && known->size == place.size &&
		    known->vaddr == place.vaddr)
			return;
	}
	if (places->len < FILE_PLACES_MOST)
		places->at[places->len++] = place;
}

bool file_places_find(const struct file_places *places, uint64_t offset, uint64_t *vaddr)
{
	for (size_t i = 0; i < places->len; i++) {
		const struct file_place *place = &places->at[i];
		if (offset - place->offset >= place->size)
			continue;
		*vaddr = place->vaddr + (offset - place->offset);
		return true;
	}
	return false;
}

static bool note_other_build(struct image_report *report, const struct map_event *event)
{
	if (report->other_build++)
		return true;
	report->other_build_id = event->build_id;
	return (report->other_build_path = strndup(event->path.at, event->path.len));
}

static uint64_t path_hash(const struct image_space *space, struct text path)
{
	return hash_bytes(space->path_seed, path.at, path.len);
}

bool image_space_unidentified(const struct image_space *space, struct text path)
{
	return number_set_has(&space->unidentified, path_hash(space, path));
}

/* Remembers mappings for build-ids that come late.  A mapping that does not fit is never used,
 * whatever its build-id. */
static bool note_identity(struct image_space *space, const struct map_event *event,
			  enum image_fit fit)
{
	if (fit == FIT_IMAGE && event->build_id.size && !space->identified &&
	    image_match_has_name(&space->match, event->path))
		return (space->identified = strndup(event->path.at, event->path.len));
	return !event->id_may_come || fit == FIT_MISFIT ||
	       number_set_add(&space->unidentified, path_hash(space, event->path));
}

/* The user gave the input binary, but the samples are of the binary that BOLT made from it. */
static bool note_bolted(struct image_space *space, const struct map_event *event)
{
	struct image_report *report = &space->report;

	if (!report->bolted && build_id_is_marked(&space->match.image->build_id, &event->build_id))
		return (report->bolted = strndup(event->path.at, event->path.len));
	return true;
}

bool image_judge(struct image_space *space, const uint64_t *near, const struct map_event *event,
		 struct mapping *out, struct bc_error *err)
{
	struct image_report *report = &space->report;
	enum image_fit fit;
	uint64_t base = 0;

	if (!image_match(&space->match, event, near, &fit, &base, err))
		return false;
	if (!note_identity(space, event, fit) ||
	    (fit == FIT_OTHER_BUILD && !note_other_build(report, event)))
		return bc_fail_nomem(err);
	if (fit != FIT_IMAGE && !note_bolted(space, event))
		return bc_fail_nomem(err);
	report->executable++;
	report->misfits += fit == FIT_MISFIT;
	if (fit != FIT_IMAGE)
		return most_mapped_count(&space->files, event->path, &event->build_id) ||
		       bc_fail_nomem(err);
	out->file = FILE_IMAGE;
	out->offset = event->start.v - base;
	file_places_note(&space->places,
			 (struct file_place){event->offset.v, event->size, out->offset});
	report->mappings++;
	report->identified += build_judge(&event->build_id, (struct text){NULL, 0},
					  space->match.image) == BUILD_SAME;
	report->rebased += near && *near != base;
	return true;
}

bool image_space_init(struct image_space *space, const struct image *image,
		      const struct image_match_options *options, struct bc_error *err)
{
	*space = (struct image_space){.changes = 1, .path_seed = hash_seed()};
	image_match_init(&space->match, image, options);
	const struct kernel_options kernel = {options->kernel_in_place, options->ignore_build_id};
	return kernel_space_init(&space->kernel, image, kernel, err);
}

void image_space_forget(struct image_space *space)
{
	space->changes++;
	processes_free(&space->before);
	space->before = space->processes;
	space->processes = (struct processes){0};
	space->places = (struct file_places){.len = 0};
	number_set_free(&space->unidentified);
	free(space->identified);
	space->identified = NULL;
	image_given_forget(space->given);
	kernel_space_forget(&space->kernel);
	space->processes_before = space->report.processes;
}

void image_space_fini(struct image_space *space)
{
	image_space_forget(space);
	processes_free(&space->before);
	image_given_free(space->given);
	kernel_space_free(&space->kernel);
	free(space->report.other_build_path);
	free(space->report.bolted);
	free(space->report.renamed);
	most_mapped_free(&space->files);
	image_match_fini(&space->match);
	*space = (struct image_space){0};
}

static struct image_process *own(struct process *process)
{
	return (struct image_process *)process;
}

static struct image_process *find(const struct image_space *space, uint32_t pid)
{
	return own(processes_find(&space->processes, pid));
}

/* A child has the given maps of its parent until maps of its own are given. */
static void begin(void *ctx, struct process *process, const struct process *parent,
		  const struct event *event)
{
	struct image_space *space = ctx;
	struct process now = *process;
	struct image_process *of = own(process);

	*of = parent ? *(const struct image_process *)parent : (struct image_process){0};
	of->process = now;
	of->since = event->time;
	of->begun |= event->kind != EVENT_FORK;
	space->report.processes += of->mapped;
}

/* Is it a mapping below the kernel? */
static bool is_of_user(const struct map_event *event)
{
	return event->size && event->start.v < USER_END;
}

/* A mapping of a time is put over what is given, unless the process began after that.  What has no
 * time was reported when the recording began. */
static bool take_base(struct image_space *space, struct image_process *process,
		      const struct event *event, struct bc_error *err)
{
	if (!space->given)
		return true;
	if (process->begun && process->follows) {
		space->report.processes -= process->mapped;
		process_begin(&process->process, &image_owner, space, event);
	} else if (event->time && !process->begun &&
		   !image_given_place(space, process->process.pid, event->time, err)) {
		return false;
	}
	process->follows = false;
	return true;
}

static bool take_map(void *ctx, const struct event *event, struct bc_error *err)
{
	struct image_space *space = ctx;
	const struct map_event *map = event->map;
	uint64_t start = map->start.v;

	if (map->pid == NO_PID)
		return kernel_space_map(&space->kernel, map, err);
	if (!is_of_user(map))
		return true;
	uint64_t size = map->size < USER_END - start ? map->size : USER_END - start;
	struct mapping mapping = {.start = start, .end = start + size};
	struct image_process *process =
		own(processes_mapped(&space->processes, &image_owner, space, event));
	if (!process)
		return bc_fail_nomem(err);
	if (map->executable && !take_base(space, process, event, err))
		return false;
	if (map->executable &&
	    !image_judge(space, process->mapped ? &process->base : NULL, map, &mapping, err))
		return false;
	if (!process->mapped && mapping.file != FILE_IMAGE) {
		process->maps_forgotten |= map->executable;
		return true;
	}
	space->report.processes += !process->mapped;
	process->mapped = true;
	if (mapping.file == FILE_IMAGE) {
		process->base = mapping.start - mapping.offset;
		process->given = false;
	}
	return map_set_replace(&process->process.maps, mapping.start, mapping.end,
			       map->executable ? &mapping : NULL) ||
	       bc_fail_nomem(err);
}

static bool is_told(const struct process *process)
{
	const struct image_process *of = (const struct image_process *)process;

	return of->mapped || of->maps_forgotten;
}

/* A process that both parts describe counts as one. */
static bool take_continuation(void *ctx, const struct event *event, struct bc_error *err)
{
	struct image_space *space = ctx;

	(void)event;
	kernel_space_continue(&space->kernel);
	if (!processes_adopt(&space->processes, &space->before, is_told))
		return bc_fail_nomem(err);
	for (size_t i = 0; i < space->before.all.len; i++) {
		const struct image_process *old = own(space->before.all.at[i]);
		if (!old || !old->mapped || !find(space, old->process.pid)->mapped)
			continue;
		space->report.processes--;
		space->processes_before--;
	}
	processes_free(&space->before);
	return true;
}

const struct process_owner image_owner = {
	.size = sizeof(struct image_process),
	.begin = begin,
	.map = take_map,
	.go_on = take_continuation,
};

/* A child shares what is given to its parent. */
static bool place_parent(struct image_space *space, const struct event *event, struct bc_error *err)
{
	const struct task_event *task = &event->task;

	return event->kind != EVENT_FORK || task->parent == NO_PID || task->parent == task->pid ||
	       image_given_place(space, task->parent, event->time, err);
}

bool image_space_event(struct image_space *space, const struct event *event, struct bc_error *err)
{
	space->changes += event->kind != EVENT_EXIT; /* after which the same is mapped as before */
	return place_parent(space, event, err) &&
	       processes_event(&space->processes, &image_owner, space, event, err);
}

struct process_view process_view_of(struct map_set *maps)
{
	struct process_view view = {.maps = maps, .has_image = true};
	uint64_t start, end;

	map_set_range(maps, &start, &end);
	view.near.all_start = start;
	view.near.all_size = end - start;
	return view;
}

struct process_view process_view(const struct image_space *space, uint32_t pid)
{
	const struct image_process *process = find(space, pid);
	struct process_view view = {0};

	if (space->kernel.image) {
		view = process_view_of(space->kernel.maps);
		view.is_kernel = true;
	} else if (process && process->mapped) {
		view = process_view_of(process->process.maps);
		view.maps_forgotten = process->maps_forgotten;
		view.given = process->given;
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
	out->v = at.v - m->start + m->offset;
	return m->file == FILE_IMAGE ? LOCATED_IMAGE : LOCATED_OTHER;
}

struct trace_end process_view_far(struct process_view *view, struct run_addr run,
				  struct trace_end outside)
{
	struct near_image *near = &view->near;
	struct vaddr at;

	if (process_view_search(view, run, &at) != LOCATED_IMAGE)
		return outside;
	const struct mapping *m = view->last;
	near->start[1] = near->start[0];
	near->size[1] = near->base == m->start - m->offset ? near->size[0] : 0;
	near->start[0] = m->start;
	near->size[0] = m->end - m->start;
	near->base = m->start - m->offset;
	return trace_end_at(at);
}

static bool is_image(const struct image_process *process, uint64_t at)
{
	const struct mapping *m = map_set_find(process->process.maps, at);

	return m && m->file == FILE_IMAGE;
}

/* No file is as large as the first limit, and no mapping is below the second. */
#define OFFSETS_END     (UINT64_C(1) << 32)
#define ADDRESSES_BEGIN (UINT64_C(1) << 16)

static bool find_in_image(const struct image_process *process, struct file_places *places,
			  uint64_t place, struct run_addr *out)
{
	uint64_t vaddr = 0, base = process->base;
	bool offset = file_places_find(places, place, &vaddr) && is_image(process, vaddr + base);
	bool address = is_image(process, place);

	places->offsets += offset && !address;
	places->addresses += address && !offset;
	if (offset && address)
		offset = places->offsets > places->addresses;
	out->v = offset ? vaddr + base : place;
	return offset || address;
}

/* How many mappings of the binary are passed over to find one of another file; a program has a few.
 */
#define IMAGE_MAPPINGS_FEW 16

/* An address of a mapping that is not the binary's, else one in the page of NULL. */
static struct run_addr elsewhere(const struct process *process)
{
	const struct mapping *m = map_set_above(process->maps, 0);

	for (int i = 0; i < IMAGE_MAPPINGS_FEW && m && m->file == FILE_IMAGE; i++)
		m = map_set_above(process->maps, m->end);
	return (struct run_addr){m && m->file != FILE_IMAGE ? m->start : 1};
}

struct run_addr image_space_find_place(struct image_space *space, uint32_t pid, struct text file,
				       uint64_t place)
{
	const struct image_process *process = find(space, pid);
	struct run_addr at;

	if (!process || !process->mapped)
		return (struct run_addr){1};
	if (image_match_has_found_name(&space->match, file)) {
		if (find_in_image(process, &space->places, place, &at))
			return at;
	} else {
		space->places.addresses += place >= OFFSETS_END;
		space->places.offsets += place < ADDRESSES_BEGIN;
	}
	return elsewhere(&process->process);
}

bool image_space_fail_other_build(const struct image_space *space, const struct file_id *other,
				  struct bc_error *err)
{
	char own_id[2 * BUILD_ID_MAX + 1], other_id[2 * BUILD_ID_MAX + 1];
	struct text path = text_first(other->path, 384);

	build_id_format(&space->match.image->build_id, own_id);
	build_id_format(other->id, other_id);
	return bc_fail(err, BC_MISMATCH,
		       "no process mapped the binary: %.*s has its name, but build-id %s, "
		       "and the binary has %s",
		       (int)path.len, path.at, other_id, *own_id ? own_id : "none");
}

/* A binary of another build-id is not this one under another name. */
static bool fail_other_program(const struct image_space *space, const struct counted_program *ran,
			       struct bc_error *err)
{
	struct text name = text_first(space->match.name, 256);
	char own[2 * BUILD_ID_MAX + 1], other[2 * BUILD_ID_MAX + 1];

	build_id_format(&space->match.image->build_id, own);
	build_id_format(&ran->id, other);
	bc_fail(err, BC_MISMATCH,
		"no process mapped %.*s (build-id %.12s); mapped instead: %.256s (build-id %.12s)",
		(int)name.len, name.at, own, ran->path, other);
	return bc_hint(err, "give the binary that was recorded, %.256s", ran->path);
}

bool image_space_fail_unmapped(const struct image_space *space, struct bc_error *err)
{
	const struct image_report *report = &space->report;
	struct text name = text_first(space->match.name, 256);
	char most[256];

	if (!report->executable)
		return bc_fail(
			err, BC_MISMATCH,
			space->given ?
				"no process mapped %.*s: there are no mmap events at all, and the given maps "
				"do not have it for the processes of the samples" :
				"no process mapped %.*s: there are no mmap events at all "
				"(perf script prints them with --show-mmap-events)",
			(int)name.len, name.at);
	if (report->bolted)
		return bc_fail(err, BC_MISMATCH,
			       "the samples are of %.384s, which llvm-bolt made from this binary (by the build-ids)",
			       report->bolted) ||
		       bc_hint(err, "give that file, not this one");
	if (report->other_build) {
		struct file_id other = {text_of(report->other_build_path), &report->other_build_id};
		return image_space_fail_other_build(space, &other, err);
	}
	if (report->misfits)
		return bc_fail(err, BC_MISMATCH,
			       "no process mapped the binary: %" PRIu64
			       " mappings of %.*s fit none "
			       "of its executable segments; it is another build",
			       report->misfits, (int)name.len, name.at);
	const struct counted_program *first = most_mapped_first(&space->files);
	const struct build_id *own = &space->match.image->build_id;
	if (first && first->id.size && own->size && !build_id_equal(&first->id, own))
		return fail_other_program(space, first, err);
	most_mapped_names(&space->files, most, sizeof(most));
	bc_fail(err, BC_MISMATCH, "no process mapped %.*s; mapped instead: %s", (int)name.len,
		name.at, most);
	return first ? bc_hint(err, "--image=NAME, if one of these is %.*s under another name",
			       (int)name.len, name.at) :
		       false;
}

#define SHOWN 384 /* bytes of a path */

/* The first file of each kind, or an empty path or NULL. */
struct kinds {
	struct text binary;            /* name and build-id of the binary */
	const struct file_id *other;   /* its name, another build-id */
	const struct file_id *renamed; /* its build-id, another name */
};

static void sort_out(const struct image_space *space, const struct file_id *file, struct kinds *out)
{
	const struct image_match *match = &space->match;
	bool named = image_match_has_name(match, file->path);
	bool equal = build_id_equal(file->id, &match->image->build_id);
	const struct file_id **kind = named ? &out->other : &out->renamed;

	if (named && equal)
		out->binary = out->binary.len ? out->binary : file->path;
	else if ((named || equal) && !*kind && image_space_unidentified(space, file->path))
		*kind = file;
}

#define PIPE_ADVICE                                                                                \
	"which comes too late in a pipe: convert a file that perf record -o wrote, or give --image "

static bool fail_other(struct image_space *space, const struct kinds *kinds, struct bc_error *err)
{
	struct text binary = text_first(kinds->binary, SHOWN);
	struct text other = text_first(kinds->other->path, SHOWN);

	if (!binary.len) {
		space->report.mistaken += space->report.processes - space->processes_before;
		return image_space_fail_other_build(space, kinds->other, err);
	}
	return bc_fail(err, BC_MISMATCH,
		       "%.*s is the binary and %.*s another build of that name, " PIPE_ADVICE
		       "PATH",
		       (int)binary.len, binary.at, (int)other.len, other.at);
}

static bool take_renamed(struct image_space *space, const struct kinds *kinds, struct bc_error *err)
{
	struct text path = text_first(kinds->renamed->path, SHOWN);

	if (kinds->binary.len) {
		free(space->report.renamed);
		space->report.renamed = strndup(path.at, path.len);
		return space->report.renamed || bc_fail_nomem(err);
	}
	return bc_fail(err, BC_MISMATCH,
		       "%.*s, of another name, has the binary's build-id, " PIPE_ADVICE "NAME",
		       (int)path.len, path.at);
}

bool late_build_ids_check(struct image_space *space, const struct file_id *files, size_t count,
			  struct bc_error *err)
{
	const struct image_match *match = &space->match;
	struct kinds kinds = {.binary = space->identified ? text_of(space->identified) :
							    (struct text){0}};

	if (match->ignore_build_id)
		return true;
	for (size_t i = 0; i < count; i++) {
		if (!kernel_space_identify(&space->kernel, &files[i], err))
			return false;
		sort_out(space, &files[i], &kinds);
	}
	return (!kinds.other || fail_other(space, &kinds, err)) &&
	       (!kinds.renamed || match->name_given || take_renamed(space, &kinds, err));
}
