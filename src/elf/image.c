/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/image.h"

#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "src/elf/notes.h"

/* Sections that have an address in common, the first in header order on top: a heap. */
struct open_sections {
	uint32_t *at;
	size_t count;
};

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t other = *a;

	*a = *b;
	*b = other;
}

static void open_one(struct open_sections *open, uint32_t section)
{
	size_t i = open->count++;

	for (open->at[i] = section; i && open->at[i] < open->at[(i - 1) / 2]; i = (i - 1) / 2)
		swap(&open->at[i], &open->at[(i - 1) / 2]);
}

static void close_first(struct open_sections *open)
{
	open->at[0] = open->at[--open->count];
	for (size_t i = 0, least = 0;; i = least) {
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < open->count; child++)
			if (open->at[child] < open->at[least])
				least = child;
		if (least == i)
			return;
		swap(&open->at[i], &open->at[least]);
	}
}

static bool has_addresses(const struct section *s)
{
	bool no_memory = s->type == SHT_NOBITS && s->flags & SHF_TLS;

	return s->flags & SHF_ALLOC && !no_memory && s->size;
}

struct placed {
	uint64_t addr;
	uint32_t section;
};

static int by_addr(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->section > y->section) - (x->section < y->section);
}

/* One part: the addresses between two neighboring begins or ends of sections. */
static size_t sweep(const struct section *sections, const struct placed *placed, size_t count,
		    struct open_sections *open, struct section_part *out)
{
	size_t next = 0, parts = 0;

	for (uint64_t at = 0; next < count || open->count;) {
		if (!open->count)
			at = placed[next].addr;
		for (; next < count && placed[next].addr == at; next++)
			open_one(open, placed[next].section);
		while (open->count && at - sections[open->at[0]].addr >= sections[open->at[0]].size)
			close_first(open);
		uint32_t here = open->count ? open->at[0] : NO_SECTION_THERE;
		if (!parts || out[parts - 1].section != here)
			out[parts++] = (struct section_part){at, here};
		if (!open->count)
			continue;
		uint64_t end = sections[here].addr + sections[here].size;
		at = next < count && placed[next].addr < end ? placed[next].addr : end;
	}
	return parts;
}

bool section_parts_find(struct image *image)
{
	struct placed *placed = malloc((image->section_count + 1) * sizeof(*placed));
	struct open_sections open = {malloc((image->section_count + 1) * sizeof(*open.at)), 0};
	size_t count = 0;

	/* A part begins where a section does, or after the end of one. */
	image->parts = malloc((2 * image->section_count + 2) * sizeof(*image->parts));
	bool ok = placed && open.at && image->parts;
	for (size_t i = 0; ok && i < image->section_count; i++)
		if (has_addresses(&image->sections[i]))
			placed[count++] = (struct placed){image->sections[i].addr, (uint32_t)i};
	if (ok && count) {
		qsort(placed, count, sizeof(*placed), by_addr);
		image->part_count = sweep(image->sections, placed, count, &open, image->parts);
	}
	free(placed);
	free(open.at);
	return ok;
}

/* Look-ups in an image: vaddr <-> file offset, and sections by name, type and vaddr. */
#include <elf.h>

#include "src/base/sort.h"

#define PAGE_SMALLEST 0x1000

bool segment_agrees(const struct segment *s, bool position_independent)
{
	uint64_t unit =
		!position_independent && s->align > PAGE_SMALLEST ? PAGE_SMALLEST : s->align;

	return unit <= 1 || s->vaddr % unit == s->offset % unit;
}

/* They ascend and do not overlap. */
bool image_has_code(const struct image *image)
{
	size_t without = 0;

	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *section = &image->sections[i];
		if (!(section->flags & SHF_EXECINSTR) || !section->size)
			continue;
		if (section->type != SHT_NOBITS)
			return true;
		without++;
	}
	return !without;
}

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

static void end_elf(Elf **elf)
{
	elf_end(*elf);
}

static bool machine_of(uint16_t e_machine, enum machine *out)
{
	switch (e_machine) {
	case EM_X86_64: *out = MACHINE_X86_64; return true;
	case EM_AARCH64: *out = MACHINE_AARCH64; return true;
	case EM_RISCV: *out = MACHINE_RISCV64; return true;
	}
	return false;
}

static const char *type_name(uint16_t e_type)
{
	switch (e_type) {
	case ET_REL: return "a relocatable object file: its addresses are known when it is linked";
	case ET_CORE: return "a core file";
	}
	return "neither an executable nor a shared library";
}

/* What the first bytes say about the kind of file. */
static bool check_ident(struct bytes file, struct bc_error *err)
{
	if (file.size < SELFMAG || memcmp(file.data, ELFMAG, SELFMAG))
		return bc_fail(err, BC_FORMAT, "ELF header, byte 0: not an ELF file");
	if (file.size < sizeof(Elf64_Ehdr))
		return bc_fail(err, BC_FORMAT, "ELF header, byte %zu: the file ends in it",
			       file.size);
	if (file.data[EI_CLASS] == ELFCLASS32)
		return bc_fail(err, BC_UNSUPPORTED, "a 32-bit ELF file");
	if (file.data[EI_CLASS] != ELFCLASS64)
		return bc_fail(err, BC_FORMAT, "ELF header, byte %d: class %u is not defined",
			       EI_CLASS, file.data[EI_CLASS]);
	if (file.data[EI_DATA] == ELFDATA2MSB)
		return bc_fail(err, BC_UNSUPPORTED, "a big-endian ELF file");
	if (file.data[EI_DATA] != ELFDATA2LSB)
		return bc_fail(err, BC_FORMAT, "ELF header, byte %d: byte order %u is not defined",
			       EI_DATA, file.data[EI_DATA]);
	return true;
}

/* libelf treats a table that lies outside the file as if the file had none. */
static bool check_tables(const GElf_Ehdr *h, size_t file_size, bool segments, struct bc_error *err)
{
	/* With more than 65,279 sections the first section header has the count. */
	uint64_t sections = h->e_shoff && !h->e_shnum ? 1 : h->e_shnum;

	if (segments && h->e_phnum &&
	    (h->e_phentsize != sizeof(Elf64_Phdr) ||
	     !range_fits(h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr), file_size)))
		return bc_fail(err, BC_FORMAT,
			       "program headers, byte %" PRIu64
			       ": outside the file (truncated?), or of a wrong size",
			       h->e_phoff);
	if (sections && (h->e_shentsize != sizeof(Elf64_Shdr) ||
			 !range_fits(h->e_shoff, sections * sizeof(Elf64_Shdr), file_size)))
		return bc_fail(err, BC_FORMAT,
			       "section headers, byte %" PRIu64
			       ": outside the file (truncated?), or of a wrong size",
			       h->e_shoff);
	return true;
}

/* libelf keeps its codes to itself. */
static bool fail_elf(struct bc_error *err, const char *where)
{
	const char *why = elf_errmsg(-1);

	if (why && !strcmp(why, "out of memory"))
		return bc_fail_nomem(err);
	return bc_fail(err, BC_FORMAT, "%s: %s", where, why ? why : "not readable");
}

static bool read_header(Elf *elf, struct image *image, bool segments, struct bc_error *err)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header))
		return fail_elf(err, "ELF header, byte 0");
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return bc_fail(err, BC_UNSUPPORTED, "%s", type_name(header.e_type));
	if (!machine_of(header.e_machine, &image->machine))
		return bc_fail(err, BC_UNSUPPORTED,
			       "for a machine (number %u) that is none of x86-64, AArch64, RISC-V",
			       header.e_machine);
	image->position_independent = header.e_type == ET_DYN;
	return check_tables(&header, image->file.size, segments, err);
}

/* What can be wrong with the segments of a BOLTed file. */
#define STRIP_HINT "%s and its objcopy damage a BOLTed file so: give the file from before"

static bool check_segment(const struct image *image, const struct segment *s, size_t number,
			  struct bc_error *err)
{
	const char *why = NULL;
	bool misaligned = false;

	if (!range_fits(s->offset, s->filesz, image->file.size))
		why = "reaches beyond the end of the file";
	else if (s->filesz > s->memsz)
		why = "is larger in the file than in memory";
	else if (s->memsz > UINT64_MAX - s->vaddr)
		why = "reaches beyond the address space";
	else
		misaligned = s->executable && !segment_agrees(s, image->position_independent);
	if (misaligned)
		why = image->position_independent || s->align <= 0x1000 ?
			      "has an address and an offset that differ modulo its alignment" :
			      "has an address and an offset that differ modulo the page size";
	if (!why)
		return true;
	bc_fail(err, BC_FORMAT, "program header %zu, byte %" PRIu64 ": the segment %s", number,
		s->offset, why);
	return misaligned ? bc_hint(err, STRIP_HINT, "llvm-strip 14") : false;
}

static int by_vaddr(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

static bool sort_segments(struct image *image, struct bc_error *err)
{
	struct segment *s = image->segments;

	if (image->segment_count)
		qsort(s, image->segment_count, sizeof(*s), by_vaddr);
	for (size_t i = 1; i < image->segment_count; i++)
		if (s[i].vaddr - s[i - 1].vaddr < s[i - 1].memsz)
			return bc_fail(err, BC_FORMAT,
				       "program headers, byte %" PRIu64
				       ": the segments at 0x%" PRIx64 " and 0x%" PRIx64 " overlap",
				       s[i].offset, s[i - 1].vaddr, s[i].vaddr) ||
			       bc_hint(err, STRIP_HINT, "GNU strip");
	return true;
}

static bool spend(const struct image *image, enum work_kind kind, uint64_t amount,
		  struct bc_error *err)
{
	return work_spend(image->work, kind, amount) || work_check(image->work, err);
}

/* For a head, nothing is read but the tables and small notes. */
static bool spend_bytes(const struct image *image, enum work_kind kind, uint64_t amount,
			struct bc_error *err)
{
	return image->head || spend(image, kind, amount, err);
}

/* The loadable segments, and the build-id out of the note segments. */
static bool read_segments(Elf *elf, struct image *image, struct bc_error *err)
{
	uint64_t notes_left = NOTES_ALL;
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return fail_elf(err, "program headers, byte 0");
	if (count > IMAGE_HEADERS_MOST)
		return bc_fail(err, BC_FORMAT,
			       "program headers, byte 0: %zu of them, and Linux loads none "
			       "with more than %d",
			       count, IMAGE_HEADERS_MOST);
	image->segments = calloc(count + 1, sizeof(*image->segments));
	if (!image->segments)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr p;
		if (!gelf_getphdr(elf, (int)i, &p))
			return bc_fail(err, BC_FORMAT, "program header %zu, byte 0: %s", i,
				       elf_errmsg(-1));
		struct segment s = {p.p_vaddr,  p.p_offset, p.p_memsz,
				    p.p_filesz, p.p_align,  p.p_flags & PF_X};
		if (p.p_type == PT_LOAD) {
			if (!check_segment(image, &s, i, err) ||
			    !spend_bytes(image, WORK_SEGMENTS, s.filesz, err))
				return false;
			image->segments[image->segment_count++] = s;
		} else if (p.p_type == PT_NOTE &&
			   range_fits(s.offset, s.filesz, image->file.size)) {
			struct bytes notes = {image->file.data + s.offset, (size_t)s.filesz};
			if (!spend_bytes(image, WORK_SEGMENTS, s.filesz, err))
				return false;
			if (notes_take(&notes_left, notes.size))
				notes_build_id(notes, s.align, &image->build_id);
		}
	}
	return sort_segments(image, err);
}

/* The string at an offset of the table of section names. */
static bool section_name(struct bytes names, uint64_t offset, struct text *out)
{
	struct bytes rest = bytes_from(names, offset);
	const uint8_t *end = rest.size ? memchr(rest.data, 0, rest.size) : NULL;

	if (!end)
		return false;
	*out = (struct text){(const char *)rest.data, (size_t)(end - rest.data)};
	return true;
}

static bool read_section(Elf_Scn *scn, struct image *image, struct bytes names,
			 struct bc_error *err)
{
	GElf_Shdr h;
	size_t index = elf_ndxscn(scn);

	if (!gelf_getshdr(scn, &h))
		return bc_fail(err, BC_FORMAT, "section header %zu, byte 0: %s", index,
			       elf_errmsg(-1));
	struct section s = {.index = (uint32_t)index,
			    .type = h.sh_type,
			    .link = h.sh_link,
			    .info = h.sh_info,
			    .flags = h.sh_flags,
			    .addr = h.sh_addr,
			    .offset = h.sh_offset,
			    .size = h.sh_size,
			    .align = h.sh_addralign,
			    .entsize = h.sh_entsize};
	if (!section_name(names, h.sh_name, &s.name))
		return bc_fail(err, BC_FORMAT,
			       "section header %zu, byte %u: the name lies outside "
			       "the table of names",
			       index, h.sh_name);
	if (!spend(image, WORK_SECTION_NAMES, s.name.len, err))
		return false;
	if (h.sh_type != SHT_NOBITS && !range_fits(s.offset, s.size, image->file.size))
		return bc_fail(err, BC_FORMAT,
			       "section %.*s, byte %" PRIu64 ": reaches beyond the end of the file",
			       (int)(s.name.len < 64 ? s.name.len : 64), s.name.at, s.offset);
	if (s.size > UINT64_MAX - s.addr)
		return bc_fail(err, BC_FORMAT,
			       "section header %zu, byte %" PRIu64
			       ": the section reaches beyond the address space",
			       index, s.offset);
	image->sections[image->section_count++] = s;
	return true;
}

/* The bytes of the table of section names; empty if it is not there. */
static struct bytes section_names(Elf *elf, struct bytes file)
{
	size_t index;
	GElf_Shdr h;

	if (elf_getshdrstrndx(elf, &index) || !gelf_getshdr(elf_getscn(elf, index), &h) ||
	    h.sh_type == SHT_NOBITS || !range_fits(h.sh_offset, h.sh_size, file.size))
		return (struct bytes){NULL, 0};
	return (struct bytes){file.data + h.sh_offset, (size_t)h.sh_size};
}

static bool read_sections(Elf *elf, struct image *image, struct bc_error *err)
{
	struct bytes names = section_names(elf, image->file);
	size_t count;

	if (elf_getshdrnum(elf, &count))
		return fail_elf(err, "section headers, byte 0");
	image->sections = calloc(count + 1, sizeof(*image->sections));
	if (!image->sections)
		return bc_fail_nomem(err);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
		if (image->section_count == count || !read_section(scn, image, names, err))
			return false;
	return true;
}

/* Are the section's bytes read?  Those of debug information are not: a side file keeps only where
 * they are. */
static bool is_read(const struct image *image, const struct section *s)
{
	const struct section *applies;

	switch (s->type) {
	case SHT_NOBITS: return false;
	case SHT_SYMTAB:
	case SHT_NOTE: return true;
	case SHT_RELA:
		applies = image_section_of_index(image, s->info);
		return s->flags & SHF_ALLOC || (applies && applies->flags & SHF_ALLOC);
	}
	return s->flags & SHF_ALLOC;
}

/* The string table of a section that is read is read with it. */
static bool count_sections(const struct image *image, struct bc_error *err)
{
	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		const struct section *strings =
			s->type == SHT_SYMTAB ? image_section_of_index(image, s->link) : NULL;
		if ((is_read(image, s) && !spend_bytes(image, WORK_SECTIONS, s->size, err)) ||
		    (strings && !spend_bytes(image, WORK_SECTIONS, strings->size, err)))
			return false;
	}
	return true;
}

static void find_build_id(struct image *image)
{
	uint64_t left = NOTES_ALL;

	for (size_t i = 0; i < image->section_count && !image->build_id.size; i++)
		if (image->sections[i].type == SHT_NOTE &&
		    notes_take(&left, image->sections[i].size))
			notes_build_id(image_section_bytes(image, &image->sections[i]),
				       image->sections[i].align, &image->build_id);
}

/* file->present: how much of it is there */
static bool open_part(const struct file_map *file, bool segments, struct image *out,
		      struct bc_error *err)
{
	BC_AUTO(image_close)
	struct image image = {.file = {file->data, file->size}, .head = file->head};

	if (!check_ident(image.file, err))
		return false;
	image.work = malloc(sizeof(*image.work));
	if (!image.work)
		return bc_fail_nomem(err);
	work_begin(image.work, file->present);
	elf_version(EV_CURRENT);
	/* For type char *, but only read from. */
	BC_AUTO(end_elf) Elf *elf = elf_memory((char *)(uintptr_t)file->data, file->size);
	if (!elf)
		return fail_elf(err, "ELF header, byte 0");
	if (!read_header(elf, &image, segments, err) ||
	    (segments && !read_segments(elf, &image, err)) || !read_sections(elf, &image, err) ||
	    !count_sections(&image, err))
		return false;
	if (!section_parts_find(&image))
		return bc_fail_nomem(err);
	find_build_id(&image);
	image.go_build_id = image_find_go_build_id(&image);
	*out = image;
	image = (struct image){0};
	return true;
}

static struct file_map whole(struct bytes file)
{
	return (struct file_map){.data = file.data, .size = file.size, .present = file.size};
}

bool image_open(struct bytes file, struct image *out, struct bc_error *err)
{
	const struct file_map map = whole(file);

	return open_part(&map, true, out, err);
}

bool image_open_sections(struct bytes file, struct image *out, struct bc_error *err)
{
	const struct file_map map = whole(file);

	return open_part(&map, false, out, err);
}

bool image_open_map(const struct file_map *map, struct image *out, struct bc_error *err)
{
	return open_part(map, true, out, err);
}

void image_close(struct image *image)
{
	free(image->segments);
	free(image->sections);
	free(image->parts);
	free(image->work);
	*image = (struct image){0};
}
