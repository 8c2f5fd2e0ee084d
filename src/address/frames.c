/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* memmem() */
#include "src/address/frames.h"

#include <stdlib.h>
#include <string.h>

#include "src/elf/binary.h"
#include "src/samples/snapshots.h"

struct view_mapping {
	bool known; /* the rest is filled in */
	bool has_base;
	uint64_t base;
	struct library *library;
};

void view_init(struct view *view, struct map_set *set)
{
	*view = (struct view){.set = map_set_share(set)};
}

/* Lists a map only when a frame needs the list, as a map can change before every sample. */
static bool list_maps(struct view *view)
{
	if (view->known)
		return true;
	if (maps_of(view->set, &view->maps))
		view->known = calloc(view->maps.len + 1, sizeof(*view->known));
	if (!view->known)
		maps_free(&view->maps);
	return view->known;
}

void view_free(struct view *view)
{
	map_set_release(view->set);
	maps_free(&view->maps);
	free(view->known);
	*view = (struct view){0};
}

/* Finds the loads of all mappings of a path at once, as these mappings share them. */
static bool learn_path(struct libraries *libraries, struct view *view,
		       const struct mapping *mapping)
{
	const struct mapped_files *files = libraries->files;
	uint32_t path = mapped_files_at(files, mapping->file)->path;
	struct library *library = libraries_of(libraries, mapping->file);
	struct loads loads = {0};

	if (!library || (library->opened &&
			 !loads_find(&view->maps, files, path, &library->binary->image, &loads)))
		return false;
	for (size_t i = 0; i < view->maps.len; i++) {
		const struct mapping *m = &view->maps.at[i];
		struct view_mapping *out = &view->known[i];
		if (mapped_files_at(files, m->file)->path != path)
			continue;
		out->known = true;
		out->library = library;
		out->has_base = library->opened &&
				loads_base(&loads, &library->binary->image, m, &out->base);
	}
	loads_free(&loads);
	return true;
}

static void find_function(const struct view_mapping *known, const struct frame_options *options,
			  struct vaddr at, struct frame *out)
{
	const struct binary *binary = known->library->binary;
	struct output_place place = binary_place(binary, at, NULL);
	struct input_place input;

	if (!place.function)
		return;
	out->function = place.function->printed;
	out->function_offset = place.offset;
	if (options->input && binary_translate(binary, place, false, &input) && input.function) {
		out->function = input.function->printed;
		out->function_offset = input.offset;
	}
	out->function_offset += out->is_return;
}

const struct source_place *frame_place(const struct frame *frame)
{
	return frame->places.count ? &frame->places.at[frame->places.count - 1] : NULL;
}

const char *frame_function(const struct frame *frame)
{
	return frame->function || !frame->places.count ? frame->function :
							 frame_place(frame)->function;
}

static bool find_lines(const struct libraries *libraries, const struct view_mapping *known,
		       struct vaddr at, struct frame *out, struct bc_error *err)
{
	struct debug_lines *source;

	if (!libraries_source(libraries, known->library, &source, err) ||
	    (source && !debug_lines_find(source, at, &out->places, err)))
		return false;
	const struct source_place *own = frame_place(out);
	/* For a function without a symbol DWARF may have a better name. */
	if (own && own->function && out->function &&
	    text_starts(text_of(out->function), FUNCTION_OF_FDE))
		out->function = own->function;
	return true;
}

/* What has neither the highest byte of the user's half nor that of the kernel's is no address of
 * x86-64 (of 57 bits, and more so of 48), AArch64 or RISC-V. */
#define LOW_END    (UINT64_C(1) << 56)
#define HIGH_START (UINT64_MAX << 56)

static const char *nowhere(uint64_t at)
{
	if (at >= HIGH_START)
		return FRAME_KERNEL;
	return at >= LOW_END ? FRAME_IMPOSSIBLE : FRAME_UNKNOWN;
}

static bool resolve(struct libraries *libraries, struct view *view,
		    const struct frame_options *options, struct frame *out, struct bc_error *err)
{
	struct run_addr at = {out->raw.v - out->is_return};
	const struct mapping *mapping = view ? map_set_find(view->set, at.v) : NULL;
	const struct library *library = NULL;

	out->library = text_of(nowhere(out->raw.v));
	if (!mapping)
		return true;
	out->mapping = mapping;
	out->library = mapped_files_path(libraries->files, mapping->file);
	if (!out->library.len)
		out->library = text_of("[anon]");
	out->offset = mapping_offset(mapping, out->raw);
	if (mapped_files_at(libraries->files, mapping->file)->path &&
	    !(library = libraries_of(libraries, mapping->file)))
		return bc_fail_nomem(err);
	if (!library || !library->opened)
		return true;
	if (!list_maps(view))
		return bc_fail_nomem(err);
	struct view_mapping *known = &view->known[maps_find(&view->maps, at) - view->maps.at];
	if (!known->known && !learn_path(libraries, view, mapping))
		return bc_fail_nomem(err);
	out->file = library;
	out->has_vaddr = known->has_base;
	if (!known->has_base)
		return true;
	out->vaddr.v = out->raw.v - known->base;
	if (options->functions)
		find_function(known, options, (struct vaddr){at.v - known->base}, out);
	return !options->lines ||
	       find_lines(libraries, known, (struct vaddr){at.v - known->base}, out, err);
}

/* x86-64 maps the page of vsyscalls into every process, above all else: it is called, not entered.
 */
#define VSYSCALL      UINT64_C(0xffffffffff600000)
#define VSYSCALL_SIZE 0x1000

static bool is_kernel(uint64_t at)
{
	return at >= HIGH_START && at - VSYSCALL >= VSYSCALL_SIZE;
}

bool frames_resolve(struct libraries *libraries, struct view *view,
		    const struct frame_options *options, const uint64_t *addresses, size_t count,
		    struct frame *out, struct bc_error *err)
{
	for (size_t i = 0; i < count; i++) {
		/* Where the kernel was entered, the address is no return address. */
		bool entry = i && !is_kernel(addresses[i]) && is_kernel(addresses[i - 1]);
		out[i] = (struct frame){.raw = {addresses[i]},
					.is_return = i && !entry && addresses[i]};
		if (!resolve(libraries, view, options, &out[i], err))
			return false;
	}
	return true;
}

/* ---- the files of frames ---- */

void libraries_free(struct libraries *libraries)
{
	for (size_t i = 0; i < libraries->len; i++) {
		if (libraries->at[i]) {
			debug_lines_close(libraries->at[i]->source);
			binary_close(&libraries->at[i]->own);
		}
		free(libraries->at[i]);
	}
	free(libraries->at);
	libraries->at = NULL;
	libraries->len = 0;
}

/* Compares names before build-ids, because all BOLTed builds of one input share a build-id. */
static const struct given_binary *given_for(const struct libraries *libraries, struct text path,
					    uint32_t file)
{
	const struct given_binary *by_id = NULL;
	struct text name = text_basename(path_without_deleted(path));

	for (size_t i = 0; i < libraries->given_count; i++) {
		const struct given_binary *given = &libraries->given[i];
		enum recorded_build build = build_of(libraries->files, file, &given->binary.image);
		if (text_equal(name, text_basename(text_of(given->path))) && build != BUILD_OTHER)
			return given;
		if (build == BUILD_SAME && !by_id)
			by_id = given;
	}
	return by_id;
}

/* false: out of memory */
static bool open_mapped(struct library *library, const struct mapped_files *files, uint32_t file,
			const struct debug_dirs *dirs)
{
	struct text path = mapped_files_path(files, file);
	struct bc_error err = {0};

	if (path_kind_of(path) != PATH_FILE || path_without_deleted(path).len < path.len)
		return true;
	if (!binary_open_named_debug(path.at, NAMED_BY_MAPPING, dirs, &library->own, &err))
		return err.code != BC_NOMEM;
	if (build_of(files, file, &library->own.image) == BUILD_OTHER) {
		binary_close(&library->own);
		return true;
	}
	library->binary = &library->own;
	return true;
}

/* Files are numbered as they are met: there may be more now. */
static bool make_room(struct libraries *libraries, uint32_t file)
{
	size_t len = libraries->len ? libraries->len : 16;

	while (len <= file)
		len *= 2;
	if (len == libraries->len)
		return true;
	struct library **at = realloc(libraries->at, len * sizeof(struct library *));
	if (!at)
		return false;
	for (size_t i = libraries->len; i < len; i++)
		at[i] = NULL;
	libraries->at = at;
	libraries->len = len;
	return true;
}

struct library *libraries_of(struct libraries *libraries, uint32_t file)
{
	struct text path = mapped_files_path(libraries->files, file);

	if (!make_room(libraries, file))
		return NULL;
	struct library *library = libraries->at[file];
	if (library)
		return library;
	library = calloc(1, sizeof(*library));
	if (!library)
		return NULL;
	const struct given_binary *given = given_for(libraries, path, file);
	library->binary = given ? &given->binary : NULL;
	library->path = given ? given->path : path.at;
	if (!library->binary && libraries->open_mapped &&
	    !open_mapped(library, libraries->files, file, libraries->dirs)) {
		free(library); /* it is asked for again */
		return NULL;
	}
	library->opened = library->binary;
	libraries->at[file] = library;
	return library;
}

const char *library_refused(const struct library *library)
{
	if (library->opened && library->binary->debug.refused.code)
		return library->binary->debug.refused.text;
	return library->source ? debug_lines_refused(library->source) : NULL;
}

/* The command line of llvm-bolt, which it leaves in a note. */
#define BOLT_INFO ".note.bolt_info"

static bool bolt_wrote_debug(const struct image *image)
{
	const struct section *info = image_section(image, BOLT_INFO);
	struct bytes bytes = info ? image_section_bytes(image, info) : (struct bytes){NULL, 0};

	return bytes.size && memmem(bytes.data, bytes.size, "-update-debug-sections", 22);
}

bool libraries_has_lines(const struct binary *binary)
{
	return binary->kind == BINARY_UNTOUCHED ||
	       (binary->kind != BINARY_SECTION && bolt_wrote_debug(&binary->image));
}

bool libraries_source(const struct libraries *libraries, struct library *library,
		      struct debug_lines **out, struct bc_error *err)
{
	*out = library->source;
	if (library->source_asked || !library->opened || !libraries_has_lines(library->binary))
		return true;
	if (!debug_lines_open(library->path, libraries->dirs, libraries->inlines, &library->source,
			      err) &&
	    err->code != BC_IO)
		return false;
	library->source_asked = true;
	*out = library->source;
	return true;
}
