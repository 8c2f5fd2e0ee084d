/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/kernel_space.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/processes.h"

bool kernel_name_is_kernel(struct text path)
{
	return text_starts(path, "[kernel.") || text_is(text_basename(path), "vmlinux");
}

bool kernel_name_is_of_guest(struct text path)
{
	return text_starts(path, "[guest.");
}

struct text kernel_name_symbol(struct text path)
{
	return text_starts(path, "[") ? text_behind(path, text_find(path, ']')) :
					(struct text){path.at, 0};
}

/* What is after the name of a module's file: .ko, .ko.xz, .ko.zst, ... */
static struct text without_suffix(struct text name)
{
	for (size_t i = 0; i < name.len; i++) {
		struct text rest = text_from(name, i);
		if (text_is(rest, ".ko") || text_starts(rest, ".ko."))
			return text_first(name, i);
	}
	return name;
}

struct text kernel_module_name(struct text path, char name[KERNEL_NAME_MOST])
{
	struct text base = text_basename(path);

	if (text_starts(base, "[") && text_ends(base, "]"))
		base = (struct text){base.at + 1, base.len - 2};
	else
		base = without_suffix(base);
	base = text_first(base, KERNEL_NAME_MOST);
	for (size_t i = 0; i < base.len; i++)
		name[i] = base.at[i] == '-' ? '_' : base.at[i];
	return (struct text){name, base.len};
}

static bool is_named(struct bytes names, uint32_t at, const char *name)
{
	size_t size = strlen(name) + 1;

	return at < names.size && names.size - at >= size && !memcmp(names.data + at, name, size);
}

/* The value of the first symbol of this name in the symbol table; 0: there is none.  O(symbols). */
static uint64_t kernel_symbol(const struct image *image, const char *name)
{
	const struct section *table = image_section_of_type(image, SHT_SYMTAB);
	const struct section *strings = table ? image_section_of_index(image, table->link) : NULL;

	if (!strings)
		return 0;
	struct bytes symbols = image_section_bytes(image, table),
		     names = image_section_bytes(image, strings);
	for (size_t at = 0; symbols.size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;
		memcpy(&symbol, symbols.data + at, sizeof(symbol));
		if (symbol.st_shndx != SHN_UNDEF && is_named(names, symbol.st_name, name))
			return symbol.st_value;
	}
	return 0;
}

/* ---- locations ---- */

/* A kernel moves in whole steps of this: on x86-64 by CONFIG_PHYSICAL_ALIGN, which is 2 MiB at
 * least. */
static uint64_t step_of(const struct image *image)
{
	return image->machine == MACHINE_X86_64 ? UINT64_C(2) << 20 : 4096;
}

static bool is_code(const struct segment *s)
{
	return s->executable && s->memsz && s->vaddr >= USER_END;
}

/* Whether all code stays among the addresses of a kernel. */
static bool can_move_by(const struct image *image, uint64_t moved)
{
	if (moved % step_of(image))
		return false;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (is_code(s) &&
		    (s->vaddr + moved < USER_END || s->memsz > UINT64_MAX - (s->vaddr + moved)))
			return false;
	}
	return true;
}

static uint64_t code_begin(const struct image *image)
{
	size_t i = 0;

	while (i < image->segment_count && !is_code(&image->segments[i]))
		i++;
	return i < image->segment_count ? image->segments[i].vaddr : 0;
}

/* Puts the code of the kernel there, or takes it away from there. */
static bool place(const struct image *image, uint64_t moved, bool there, struct map_set **maps)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		struct mapping m = {.start = s->vaddr + moved,
				    .end = s->vaddr + moved + s->memsz,
				    .offset = s->vaddr,
				    .file = FILE_IMAGE};
		if (is_code(s) && !map_set_replace(maps, m.start, m.end, there ? &m : NULL))
			return false;
	}
	return true;
}

/* ---- recordings ---- */

bool kernel_space_init(struct kernel_space *space, const struct image *image,
		       struct kernel_options options, struct bc_error *err)
{
	*space = (struct kernel_space){.options = options};
	if (!image_is_kernel(image))
		return true;
	space->image = image;
	space->text = kernel_symbol(image, "_text");
	space->stext = kernel_symbol(image, "_stext");
	if (can_move_by(image, 0) && !place(image, 0, true, &space->in_file))
		return bc_fail_nomem(err);
	space->maps = map_set_share(space->in_file);
	return true;
}

void kernel_space_free(struct kernel_space *space)
{
	map_set_release(space->in_file);
	map_set_release(space->maps);
	map_set_release(space->maps_before);
	strings_free(&space->modules);
	kernel_count_vec_free(&space->samples);
	*space = (struct kernel_space){0};
}

void kernel_space_forget(struct kernel_space *space)
{
	map_set_release(space->maps_before);
	space->maps_before = space->maps;
	space->place_before = space->place;
	space->maps = map_set_share(space->in_file);
	space->place = (struct kernel_place){0};
}

void kernel_space_continue(struct kernel_space *space)
{
	if (space->place.told == KERNEL_NOT_TOLD) {
		map_set_release(space->maps);
		space->maps = space->maps_before;
		space->maps_before = NULL;
		space->place.told = space->place_before.told;
		space->place.moved = space->place_before.moved;
	}
}

/* ---- mappings ---- */

static bool is_hidden(const struct map_event *event, struct text symbol)
{
	return symbol.len ? !event->offset.v : !event->start.v;
}

/* How far it moved.  False: to an address where this kernel cannot be. */
static bool find_moved(const struct kernel_space *space, const struct map_event *event,
		       struct text symbol, uint64_t *out)
{
	uint64_t value = text_is(symbol, "_text")  ? space->text :
			 text_is(symbol, "_stext") ? space->stext :
						     0;

	*out = event->offset.v - value;
	if (value && can_move_by(space->image, *out))
		return true;
	*out = event->start.v - code_begin(space->image);
	return can_move_by(space->image, *out);
}

static bool check_build(const struct kernel_space *space, const struct build_id *id,
			struct bc_error *err)
{
	const struct build_id *own = &space->image->build_id;
	char own_id[2 * BUILD_ID_MAX + 1], other_id[2 * BUILD_ID_MAX + 1];

	if (space->options.ignore_build_id || !own->size || !id->size || build_id_equal(own, id))
		return true;
	build_id_format(own, own_id);
	build_id_format(id, other_id);
	return bc_fail(err, BC_MISMATCH,
		       "the kernel that ran has build-id %s, and the binary has %s", other_id,
		       own_id);
}

static bool take_kernel(struct kernel_space *space, const struct map_event *event,
			struct bc_error *err)
{
	struct text symbol = kernel_name_symbol(event->path);
	uint64_t moved, before = space->place.moved;

	if (!check_build(space, &event->build_id, err))
		return false;
	if (is_hidden(event, symbol)) {
		if (space->place.told == KERNEL_NOT_TOLD)
			space->place.told = KERNEL_HIDDEN;
		return true;
	}
	if (!find_moved(space, event, symbol, &moved))
		return bc_fail(err, BC_MISMATCH,
			       "the kernel that ran is at 0x%" PRIx64
			       ", where the binary's code, at 0x%" PRIx64
			       " in the file, cannot have moved: it is another build",
			       event->start.v, code_begin(space->image));
	if (space->place.used && space->place.told != KERNEL_TOLD && moved != before)
		return bc_fail(err, BC_MISMATCH,
			       "the kernel's mapping follows its first samples, which were placed "
			       "without it");
	space->place.told = KERNEL_TOLD;
	space->place.moved = moved;
	if (moved == before)
		return true;
	space->placed += space->image->segment_count;
	if (space->placed > KERNEL_PLACED_MOST)
		return bc_fail(err, BC_UNSUPPORTED,
			       "the kernel moves too often: more than %" PRIu64 " segments",
			       (uint64_t)KERNEL_PLACED_MOST);
	return (place(space->image, before, false, &space->maps) &&
		place(space->image, moved, true, &space->maps)) ||
	       bc_fail_nomem(err);
}

/* ---- modules ---- */

static bool take_module(struct kernel_space *space, const struct map_event *event,
			struct bc_error *err)
{
	struct mapping m = {
		.start = event->start.v, .end = event->start.v + event->size, .file = FILE_OTHER};
	char name[KERNEL_NAME_MOST];

	if (m.start < USER_END || m.end <= m.start)
		return true;
	if (!strings_intern(&space->modules, kernel_module_name(event->path, name), &m.flags))
		return bc_fail_nomem(err);
	while (space->samples.len <= m.flags)
		if (!kernel_count_vec_push(&space->samples, 0))
			return bc_fail_nomem(err);
	return map_set_replace(&space->maps, m.start, m.end, &m) || bc_fail_nomem(err);
}

bool kernel_space_map(struct kernel_space *space, const struct map_event *event,
		      struct bc_error *err)
{
	if (!space->image || space->options.in_place || kernel_name_is_of_guest(event->path))
		return true;
	return kernel_name_is_kernel(event->path) ? take_kernel(space, event, err) :
						    take_module(space, event, err);
}

bool kernel_space_identify(const struct kernel_space *space, const struct file_id *file,
			   struct bc_error *err)
{
	return !space->image || space->options.in_place || !kernel_name_is_kernel(file->path) ||
	       !space->place.used || check_build(space, file->id, err);
}

static bool is_of_kernel(const struct sample *sample)
{
	return sample->ip.v >= USER_END ||
	       (sample->branch_count &&
		(sample->branches->from | sample->branches->to) >= USER_END);
}

void kernel_space_sample(struct kernel_space *space, const struct sample *sample)
{
	if (!space->image || !is_of_kernel(sample))
		return;
	const struct mapping *m = map_set_find(space->maps, sample->ip.v);
	if (m && m->file != FILE_IMAGE)
		space->samples.at[m->flags]++;
	space->place.used = true;
}

static int by_samples(const void *a, const void *b)
{
	const struct kernel_module *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return strcmp(x->name.at, y->name.at);
}

bool kernel_space_modules(const struct kernel_space *space, struct kernel_module_vec *out,
			  struct bc_error *err)
{
	for (uint32_t i = 0; i < space->samples.len; i++) {
		struct kernel_module module = {strings_at(&space->modules, i),
					       space->samples.at[i]};
		if (module.samples && !kernel_module_vec_push(out, module))
			return bc_fail_nomem(err);
	}
	if (out->len)
		qsort(out->at, out->len, sizeof(*out->at), by_samples);
	return true;
}
