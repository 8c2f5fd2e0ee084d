/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/symbolize/frames.h"

#include <stdlib.h>

/* Addresses from here on are the kernel's. */
#define USER_END (UINT64_C(1) << 63)

struct view_region {
	bool known; /* the rest is filled in */
	bool has_base;
	uint64_t base;
	struct library *library;
};

bool view_init(struct view *view, struct maps *maps)
{
	*view = (struct view){.maps = *maps};
	*maps = (struct maps){0};
	view->regions = calloc(view->maps.len + 1, sizeof(*view->regions));
	if (view->regions && (view->maps.starts || maps_index(&view->maps)))
		return true;
	view_free(view);
	return false;
}

void view_free(struct view *view)
{
	maps_free(&view->maps);
	free(view->regions);
	*view = (struct view){0};
}

/* All regions of a file are settled together: they share the loads. */
static bool learn_path(struct libraries *libraries, struct view *view, const struct region *region)
{
	struct library *library = libraries_of(libraries, region);
	struct loads loads = {0};

	if (!library || (library->opened &&
			 !loads_find(&view->maps, region->path, &library->binary->image, &loads)))
		return false;
	for (size_t i = 0; i < view->maps.len; i++) {
		const struct region *r = &view->maps.at[i];
		struct view_region *out = &view->regions[i];
		if (r->path != region->path)
			continue;
		out->known = true;
		out->library = library;
		out->has_base = library->opened &&
				loads_base(&loads, &library->binary->image, r, &out->base);
	}
	loads_free(&loads);
	return true;
}

static void find_function(const struct view_region *known, const struct frame_options *options,
			  struct vaddr at, struct frame *out)
{
	const struct binary *binary = known->library->binary;
	struct place place = binary_place(binary, at, NULL);
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

static bool resolve(struct libraries *libraries, struct view *view,
		    const struct frame_options *options, struct frame *out)
{
	struct run_addr at = {out->raw.v - out->is_return};
	const struct region *region = view ? maps_find(&view->maps, at) : NULL;

	out->library = text_of(out->raw.v >= USER_END ? FRAME_KERNEL : FRAME_UNKNOWN);
	if (!region)
		return true;
	struct view_region *known = &view->regions[region - view->maps.at];
	out->region = region;
	out->library = strings_at(libraries->strings, region->path);
	if (!out->library.len)
		out->library = text_of("[anon]");
	out->offset = region_offset(region, out->raw);
	if (!known->known && region->path && !learn_path(libraries, view, region))
		return false;
	out->has_vaddr = known->has_base;
	if (!known->has_base)
		return true;
	out->vaddr.v = out->raw.v - known->base;
	if (options->functions)
		find_function(known, options, (struct vaddr){at.v - known->base}, out);
	return true;
}

bool frames_resolve(struct libraries *libraries, struct view *view,
		    const struct frame_options *options, const uint64_t *addresses, size_t count,
		    struct frame *out, struct bc_error *err)
{
	for (size_t i = 0; i < count; i++) {
		/* Where the kernel was entered, the address is no return address. */
		bool entry = i && addresses[i] < USER_END && addresses[i - 1] >= USER_END;
		out[i] = (struct frame){.raw = {addresses[i]}, .is_return = i && !entry && addresses[i]};
		if (!resolve(libraries, view, options, &out[i]))
			return bc_fail_nomem(err);
	}
	return true;
}
