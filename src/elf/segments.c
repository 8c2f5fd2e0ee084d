/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Look-ups in an image: vaddr <-> file offset, and sections by name, type and vaddr. */
#include <elf.h>

#include "src/base/search.h"
#include "src/elf/image.h"

#define PAGE_SMALLEST 0x1000

bool segment_agrees(const struct segment *s, bool position_independent)
{
	uint64_t unit = !position_independent && s->align > PAGE_SMALLEST ? PAGE_SMALLEST : s->align;

	return unit <= 1 || s->vaddr % unit == s->offset % unit;
}

/* They ascend and do not overlap. */
bool image_is_kernel(const struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].executable)
			return image->segments[i].vaddr >> 63;
	return false;
}

DEFINE_SEARCH(segments_above, struct segment, uint64_t, item->vaddr <= key)
DEFINE_SEARCH(parts_above, struct section_part, uint64_t, item->start <= key)

const struct segment *image_segment_at(const struct image *image, struct vaddr at)
{
	size_t above = segments_above(image->segments, image->segment_count, at.v);
	const struct segment *s = above ? &image->segments[above - 1] : NULL;

	return s && at.v - s->vaddr < s->memsz ? s : NULL;
}

bool image_to_offset(const struct image *image, struct vaddr at, struct file_off *out)
{
	const struct segment *s = image_segment_at(image, at);

	if (!s || at.v - s->vaddr >= s->filesz)
		return false;
	out->v = at.v - s->vaddr + s->offset;
	return true;
}

bool image_to_vaddr(const struct image *image, struct file_off at, struct vaddr *out)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (at.v - s->offset < s->filesz) {
			out->v = at.v - s->offset + s->vaddr;
			return true;
		}
	}
	return false;
}

struct bytes image_bytes_at(const struct image *image, struct vaddr at)
{
	const struct segment *s = image_segment_at(image, at);

	if (!s || at.v - s->vaddr >= s->filesz)
		return (struct bytes){NULL, 0};
	uint64_t skip = at.v - s->vaddr;
	return (struct bytes){image->file.data + s->offset + skip, (size_t)(s->filesz - skip)};
}

const struct section *image_section(const struct image *image, const char *name)
{
	for (size_t i = 0; i < image->section_count; i++)
		if (text_is(image->sections[i].name, name))
			return &image->sections[i];
	return NULL;
}

const struct section *image_section_of_type(const struct image *image, uint32_t type)
{
	for (size_t i = 0; i < image->section_count; i++)
		if (image->sections[i].type == type)
			return &image->sections[i];
	return NULL;
}

const struct section *image_section_of_index(const struct image *image, uint64_t index)
{
	/* The null section, number 0, is not kept. */
	return index && index <= image->section_count ? &image->sections[index - 1] : NULL;
}

const struct section *image_section_at(const struct image *image, struct vaddr at)
{
	size_t above = parts_above(image->parts, image->part_count, at.v);

	if (!above || image->parts[above - 1].section == NO_SECTION_THERE)
		return NULL;
	return &image->sections[image->parts[above - 1].section];
}

struct bytes image_section_bytes(const struct image *image, const struct section *section)
{
	if (section->type == SHT_NOBITS)
		return (struct bytes){NULL, 0};
	return (struct bytes){image->file.data + section->offset, (size_t)section->size};
}
