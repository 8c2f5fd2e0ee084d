/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, which POSIX has since 2024 */
#include "src/elf/rewrite.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "src/base/sparse.h"

/* ---- side files ---- */

struct side_parts {
	struct sparse_part *at; /* ascending, apart from each other */
	size_t count;
};

static bool is_code(const struct section *s)
{
	return s && s->flags & SHF_EXECINSTR;
}

static bool is_wanted(const struct image *image, const struct section *s)
{
	switch (s->type) {
	case SHT_NOBITS: return false;
	case SHT_SYMTAB:
	case SHT_NOTE: return true;
	case SHT_STRTAB: /* of symbols and of sections */
		return text_is(s->name, ".strtab") || text_is(s->name, ".shstrtab") ||
		       s->flags & SHF_ALLOC;
	case SHT_RELA:
		return s->flags & SHF_ALLOC || is_code(image_section_of_index(image, s->info));
	}
	return s->flags & SHF_ALLOC;
}

static int by_offset(const void *a, const void *b)
{
	const struct sparse_part *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Sort, and make one of parts that touch. */
static void merge(struct side_parts *parts)
{
	size_t kept = 0;

	qsort(parts->at, parts->count, sizeof(*parts->at), by_offset);
	for (size_t i = 0; i < parts->count; i++) {
		struct sparse_part part = parts->at[i], *last = kept ? &parts->at[kept - 1] : NULL;
		uint64_t end = part.offset + part.size;
		if (!part.size)
			continue;
		if (!last || part.offset > last->offset + last->size)
			parts->at[kept++] = part;
		else if (end > last->offset + last->size)
			last->size = end - last->offset;
	}
	parts->count = kept;
}

static void add(struct side_parts *parts, const struct image *image, uint64_t offset, uint64_t size)
{
	if (offset < image->file.size)
		parts->at[parts->count++] = (struct sparse_part){
			offset,
			size < image->file.size - offset ? size : image->file.size - offset};
}

static void add_headers(struct side_parts *parts, const struct image *image)
{
	const uint8_t *h = image->file.data;
	uint64_t sections = image->section_count + 1; /* the null section */

	add(parts, image, 0, sizeof(Elf64_Ehdr));
	add(parts, image, le64(h + offsetof(Elf64_Ehdr, e_phoff)),
	    le16(h + offsetof(Elf64_Ehdr, e_phnum)) * sizeof(Elf64_Phdr));
	add(parts, image, le64(h + offsetof(Elf64_Ehdr, e_shoff)), sections * sizeof(Elf64_Shdr));
}

/* Symbols and notes; the rest of a loaded section is zeros, which are no call frames and no PLT. */
static bool names_hashes(const struct image *image, const struct section *s)
{
	return is_wanted(image, s) && !(s->flags & SHF_ALLOC && s->type != SHT_NOTE) &&
	       s->type != SHT_RELA;
}

static bool choose(const struct image *image, bool only_hashes, struct side_parts *out,
		   struct bc_error *err)
{
	struct side_parts parts = {
		malloc((image->section_count + image->segment_count + 3) * sizeof(*parts.at)), 0};

	if (!parts.at)
		return bc_fail_nomem(err);
	add_headers(&parts, image);
	for (size_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].executable && !only_hashes)
			add(&parts, image, image->segments[i].offset, image->segments[i].filesz);
	for (size_t i = 0; i < image->section_count; i++)
		if (only_hashes ? names_hashes(image, &image->sections[i]) :
				  is_wanted(image, &image->sections[i]))
			add(&parts, image, image->sections[i].offset, image->sections[i].size);
	merge(&parts);
	*out = parts;
	return true;
}

bool side_file_write(const struct image *image, struct build_id digest, FILE *out,
		     struct bc_error *err)
{
	const struct file_map file = {
		.data = image->file.data, .size = image->file.size, .digest = digest};
	struct side_parts parts;

	if (!choose(image, false, &parts, err))
		return false;
	bool ok = sparse_write(&file, parts.at, parts.count, out, err);
	free(parts.at);
	return ok;
}

/* Sets p_filesz of what is loaded to 0. */
static void empty_segments(uint8_t *file)
{
	uint64_t at = le64(file + offsetof(Elf64_Ehdr, e_phoff));

	for (size_t i = le16(file + offsetof(Elf64_Ehdr, e_phnum)); i--; at += sizeof(Elf64_Phdr))
		if (le32(file + at) == PT_LOAD)
			memset(file + at + offsetof(Elf64_Phdr, p_filesz), 0, sizeof(Elf64_Xword));
}

bool side_file_write_hashes(const struct image *image, FILE *out, struct bc_error *err)
{
	size_t size = image->file.size;
	struct side_parts parts;

	if (!choose(image, true, &parts, err))
		return false;
	/* Only the pages of the parts take memory. */
	uint8_t *copy = mmap(NULL, size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool ok = copy != MAP_FAILED || bc_fail_nomem(err);
	for (size_t i = 0; ok && i < parts.count; i++)
		memcpy(copy + parts.at[i].offset, image->file.data + parts.at[i].offset,
		       parts.at[i].size);
	if (ok) {
		empty_segments(copy);
		ok = sparse_write(&(struct file_map){.data = copy, .size = size}, parts.at,
				  parts.count, out, err);
		munmap(copy, size);
	}
	free(parts.at);
	return ok;
}

/* ---- another content for a section ---- */

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
	struct replacement plan = {
		.size = size, .capacity = section->size, .at = section->offset, .file_size = end};

	if (in_segment(image, section))
		return bc_fail(err, BC_UNSUPPORTED,
			       "section %.*s, byte %llu: it is loaded into memory",
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
