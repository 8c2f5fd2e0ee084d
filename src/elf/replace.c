/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/replace.h"

#include <elf.h>
#include <stddef.h>

#define E_SHOFF offsetof(Elf64_Ehdr, e_shoff)

static void put_u64(uint8_t *at, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static bool overlaps(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

static bool in_segment(const struct image *image, const struct section *section)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (overlaps(s->offset, s->filesz, section->offset, section->size))
			return true;
	}
	return section->flags & SHF_ALLOC;
}

bool replacement_plan(const struct image *image, const struct section *section, uint64_t size,
		      struct replacement *out, struct bc_error *err)
{
	uint64_t end = image->file.size;
	struct replacement plan = {.size = size, .capacity = section->size, .at = section->offset,
				   .file_size = end};

	if (in_segment(image, section))
		return bc_fail(err, BC_UNSUPPORTED, "section %.*s, byte %llu: it is loaded into memory",
			       (int)section->name.len, section->name.at,
			       (unsigned long long)section->offset);
	if (size > section->size) {
		plan.at = (end + 15) / 16 * 16;
		plan.file_size = plan.at + size;
	}
	plan.header_at = le64(image->file.data + E_SHOFF) + section->index * sizeof(Elf64_Shdr);
	memcpy(plan.header, image->file.data + plan.header_at, sizeof(plan.header));
	put_u64(plan.header + offsetof(Elf64_Shdr, sh_offset), plan.at);
	put_u64(plan.header + offsetof(Elf64_Shdr, sh_size), size);
	*out = plan;
	return true;
}

void replacement_apply(const struct replacement *plan, struct bytes file, struct bytes content,
		       uint8_t *copy)
{
	memcpy(copy, file.data, file.size);
	memset(copy + file.size, 0, plan->file_size - file.size);
	if (plan->size <= plan->capacity) /* no remains of the old content */
		memset(copy + plan->at, 0, plan->capacity);
	memcpy(copy + plan->at, content.data, content.size);
	memcpy(copy + plan->header_at, plan->header, sizeof(plan->header));
}
