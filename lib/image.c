/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>

#include "lib/handles.h"
#include "src/elf/binary.h"
#include "src/elf/load.h"

_Static_assert((int)BATCONV_ERROR_MISMATCH == (int)BC_MISMATCH &&
		       (int)BATCONV_ERROR_IO == (int)BC_IO,
	       "the public codes are the internal ones");

bool give_error(const struct bc_error *from, struct batconv_error *to)
{
	_Static_assert(sizeof(to->text) >= sizeof(from->text), "errors are not cut");
	if (!to)
		return false;
	*to = (struct batconv_error){
		.code = from->code == BC_EXISTS ? BATCONV_ERROR_IO : (enum batconv_code)from->code,
	};
	memcpy(to->text, from->text, sizeof(from->text));
	return false;
}

bool refuse(struct batconv_error *to, const char *why)
{
	if (!to)
		return false;
	*to = (struct batconv_error){.code = BATCONV_ERROR_ARGUMENT};
	snprintf(to->text, sizeof(to->text), "%s", why);
	return false;
}

/* The image's own copy of a build-id that is not NUL-terminated; true where there is none. */
static bool keep_go_build_id(struct batconv_image *image)
{
	struct text id = image->binary.image.go_build_id;

	image->go_build_id = id.len ? malloc(id.len + 1) : NULL;
	if (!image->go_build_id)
		return !id.len;
	memcpy(image->go_build_id, id.at, id.len);
	image->go_build_id[id.len] = '\0';
	return true;
}

bool batconv_image_open(const char *path, struct batconv_image **out, struct batconv_error *err)
{
	struct batconv_image *image = calloc(1, sizeof(*image));
	struct bc_error why = {0};

	*out = NULL;
	if (image && binary_open_any(path, &image->binary, &why) &&
	    ((places_init(&image->places, &image->binary) && keep_go_build_id(image)) ||
	     bc_fail_nomem(&why))) {
		*out = image;
		return true;
	}
	if (!image)
		bc_fail_nomem(&why);
	batconv_image_close(image);
	return give_error(&why, err);
}

void batconv_image_close(struct batconv_image *image)
{
	if (!image)
		return;
	places_free(&image->places);
	binary_close(&image->binary);
	free(image->go_build_id);
	free(image);
}

bool batconv_image_segment(const struct batconv_image *image, size_t number,
			   struct batconv_segment *out)
{
	const struct image *i = &image->binary.image;

	if (number >= i->segment_count)
		return false;
	const struct segment *s = &i->segments[number];
	*out = (struct batconv_segment){
		.vaddr = {s->vaddr},
		.offset = {s->offset},
		.memsz = s->memsz,
		.filesz = s->filesz,
		.align = s->align,
		.executable = s->executable,
		.aligned = segment_alignment(i, s),
	};
	return true;
}

bool batconv_image_is_position_independent(const struct batconv_image *image)
{
	return image->binary.image.position_independent;
}

bool batconv_image_has_bat(const struct batconv_image *image)
{
	return image->binary.kind == BINARY_BOLTED;
}

const uint8_t *batconv_image_build_id(const struct batconv_image *image, size_t *size)
{
	*size = image->binary.image.build_id.size;
	return *size ? image->binary.image.build_id.data : NULL;
}

const char *batconv_image_go_build_id(const struct batconv_image *image)
{
	return image->go_build_id;
}

static struct load_mapping mapping_of(const struct batconv_region *r)
{
	return (struct load_mapping){
		{r->start.v}, r->end.v - r->start.v, {r->offset.v}, r->flags & BATCONV_REGION_EXEC};
}

bool batconv_image_base(const struct batconv_image *image, const struct batconv_region *region,
			uint64_t *base)
{
	struct load_mapping mapping = mapping_of(region);
	uint64_t bases[LOAD_BASES];

	if (!load_bases(&image->binary.image, &mapping, bases))
		return false;
	*base = bases[0];
	return true;
}

bool batconv_image_base_lowest(const struct batconv_image *image,
			       const struct batconv_region *region, uint64_t *base)
{
	struct load_mapping mapping = mapping_of(region);

	return load_base_lowest(&image->binary.image, &mapping, false, base) ||
	       load_base_lowest(&image->binary.image, &mapping, true, base);
}

bool batconv_image_to_offset(const struct batconv_image *image, struct batconv_vaddr at,
			     struct batconv_file_off *out)
{
	struct file_off offset;

	if (!image_to_offset(&image->binary.image, (struct vaddr){at.v}, &offset))
		return false;
	out->v = offset.v;
	return true;
}

bool batconv_image_to_vaddr(const struct batconv_image *image, struct batconv_file_off at,
			    struct batconv_vaddr *out)
{
	struct vaddr vaddr;

	if (!image_to_vaddr(&image->binary.image, (struct file_off){at.v}, &vaddr))
		return false;
	out->v = vaddr.v;
	return true;
}

bool batconv_image_function(const struct batconv_image *image, struct batconv_vaddr at,
			    const char **name, uint64_t *offset)
{
	struct output_place place = binary_place(&image->binary, (struct vaddr){at.v}, NULL);

	if (!place.function)
		return false;
	*name = place.function->printed;
	*offset = place.offset;
	return true;
}

bool batconv_image_to_input(const struct batconv_image *image, struct batconv_vaddr at,
			    struct batconv_input_addr *out)
{
	struct output_place place = binary_place(&image->binary, (struct vaddr){at.v}, NULL);
	struct input_place input;

	if (!binary_translate(&image->binary, place, false, &input) || !input.function)
		return false;
	*out = (struct batconv_input_addr){input.function->printed, input.offset};
	return true;
}

struct search {
	struct batconv_vaddr *out;
	size_t most, count;
};

static bool keep(void *ctx, struct vaddr at)
{
	struct search *search = ctx;

	if (search->count < search->most)
		search->out[search->count] = (struct batconv_vaddr){at.v};
	search->count++;
	return true;
}

size_t batconv_image_from_input(const struct batconv_image *image,
				const struct batconv_input_addr *at, struct batconv_vaddr *out,
				size_t most)
{
	struct search search = {out, most, 0};
	size_t count;
	const struct named_place *named =
		places_named(&image->places, text_of(at->function), &count);

	for (size_t i = 0; i < count && at->offset <= UINT32_MAX; i++) {
		const struct function *f = &image->binary.functions.at[named[i].function];
		uint32_t fragment = image->binary.fragment_of[named[i].function];
		if (fragment == NO_FRAGMENT || !image->binary.bat.fragments[fragment].cold)
			places_of_input(&image->places, f, (uint32_t)at->offset, keep, &search);
	}
	return search.count;
}
