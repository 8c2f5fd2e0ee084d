/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/load.h"

#define PAGE_SMALLEST UINT64_C(0x1000)
#define PAGE_LARGEST  UINT64_C(0x10000)

bool image_program_header(const struct image *image, size_t number, Elf64_Phdr *out)
{
	Elf64_Ehdr header;

	memcpy(&header, image->file.data, sizeof(header)); /* image_open() checked it */
	if (number >= header.e_phnum)
		return false;
	memcpy(out, image->file.data + header.e_phoff + number * sizeof(*out), sizeof(*out));
	return true;
}

struct vaddr image_entry(const struct image *image)
{
	Elf64_Ehdr header;

	memcpy(&header, image->file.data, sizeof(header));
	return (struct vaddr){header.e_entry};
}

bool image_is_pie(const struct image *image)
{
	const struct section *section = image_section_of_type(image, SHT_DYNAMIC);
	struct bytes rest = section ? image_section_bytes(image, section) : (struct bytes){NULL, 0};

	for (; rest.size >= sizeof(Elf64_Dyn); rest = bytes_from(rest, sizeof(Elf64_Dyn)))
		if (le64(rest.data) == DT_FLAGS_1)
			return image->position_independent && le64(rest.data + 8) & DF_1_PIE;
	return false;
}

bool image_is_library(const struct image *image)
{
	Elf64_Phdr header;

	for (size_t i = 0; image_program_header(image, i, &header); i++)
		if (header.p_type == PT_INTERP)
			return false;
	return image->position_independent;
}

uint64_t load_page(const struct image *image, const struct load_mapping *m)
{
	uint64_t bits = m->start.v | m->size | m->offset.v;
	uint64_t page = PAGE_SMALLEST;

	if (image->machine == MACHINE_AARCH64)
		while (page < PAGE_LARGEST && !(bits & (2 * page - 1)))
			page *= 2;
	return page;
}

bool load_base_by(const struct image *image, const struct segment *s, const struct load_mapping *m,
		  uint64_t *base)
{
	uint64_t page = load_page(image, m), begin = m->offset.v, end = begin + m->size,
		 s_end = s->offset + s->filesz;
	bool inside =
		begin >= (s->offset & ~(page - 1)) && end <= ((s_end + page - 1) & ~(page - 1));
	bool around = begin <= s->offset && end >= s_end;

	if (!s->filesz || !(inside || around))
		return false;
	*base = m->start.v - (s->vaddr - s->offset + begin);
	return !(*base & (PAGE_SMALLEST - 1)) && (image->position_independent || !*base);
}

static size_t bases_of_kind(const struct image *image, const struct load_mapping *m,
			    bool executable, uint64_t out[LOAD_BASES])
{
	size_t count = 0;
	uint64_t base;

	for (size_t i = 0; i < image->segment_count && count < LOAD_BASES; i++) {
		const struct segment *s = &image->segments[i];
		if (s->executable != executable || !load_base_by(image, s, m, &base))
			continue;
		if (!count || out[count - 1] != base)
			out[count++] = base;
	}
	return count;
}

size_t load_bases(const struct image *image, const struct load_mapping *m, uint64_t out[LOAD_BASES])
{
	if (!m->size || m->size > UINT64_MAX - m->offset.v)
		return 0;
	size_t count = bases_of_kind(image, m, m->executable, out);
	return count ? count : bases_of_kind(image, m, !m->executable, out);
}

bool load_base_lowest(const struct image *image, const struct load_mapping *m, bool executable,
		      uint64_t *out)
{
	uint64_t page = load_page(image, m);

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (executable && !s->executable)
			continue;
		if ((s->offset & ~(page - 1)) != m->offset.v || s->executable != m->executable)
			return false;
		*out = m->start.v - (s->vaddr & ~(page - 1));
		return true;
	}
	return false;
}

enum alignment segment_alignment(const struct image *image, const struct segment *s)
{
	if (s->align & (s->align - 1))
		return NOT_ALIGNED;
	if (segment_agrees(s, true))
		return ALIGNED;
	return segment_agrees(s, image->position_independent) ? ALIGNED_BY_PAGES : NOT_ALIGNED;
}
