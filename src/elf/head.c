/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/head.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/bytes.h"
#include "src/base/file_copy.h"
#include "src/elf/image.h"
#include "src/elf/notes.h"

struct head_reader {
	int fd;
	const char *name;
	struct file_map *copy;
	uint64_t notes_left;
};

/* A table that must be there. */
static bool read_table(const struct head_reader *head, uint64_t offset, uint64_t size,
		       const char *what, struct bc_error *err)
{
	if (!range_fits(offset, size, head->copy->size))
		return bc_fail(err, BC_FORMAT, "%s: %s lies outside the file", head->name, what);
	if (size > HEAD_TABLE_MOST)
		return bc_fail(err, BC_UNSUPPORTED, "%s: %s has more than %d KiB", head->name, what,
			       (int)(HEAD_TABLE_MOST >> 10));
	return file_copy_read(head->fd, head->name, head->copy, offset, size, err);
}

/* Those that image.c looks through. */
static bool read_notes(struct head_reader *head, uint64_t offset, uint64_t size,
		       struct bc_error *err)
{
	return !range_fits(offset, size, head->copy->size) ||
	       !notes_take(&head->notes_left, size) ||
	       file_copy_read(head->fd, head->name, head->copy, offset, size, err);
}

static bool read_segments(struct head_reader *head, const Elf64_Ehdr *file, struct bc_error *err)
{
	Elf64_Phdr segment;

	if (!file->e_phnum || file->e_phnum > IMAGE_HEADERS_MOST)
		return true; /* which is said when it is opened */
	if (!read_table(head, file->e_phoff, file->e_phnum * sizeof(segment), "program headers",
			err))
		return false;
	for (size_t i = 0; i < file->e_phnum; i++) {
		memcpy(&segment, head->copy->data + file->e_phoff + i * sizeof(segment),
		       sizeof(segment));
		if (segment.p_type == PT_NOTE &&
		    !read_notes(head, segment.p_offset, segment.p_filesz, err))
			return false;
	}
	return true;
}

static Elf64_Shdr section_at(const struct head_reader *head, const Elf64_Ehdr *file,
			     uint64_t number)
{
	Elf64_Shdr section;

	memcpy(&section, head->copy->data + file->e_shoff + number * sizeof(section),
	       sizeof(section));
	return section;
}

static bool read_sections(struct head_reader *head, const Elf64_Ehdr *file, struct bc_error *err)
{
	if (!file->e_shoff)
		return true;
	if (!read_table(head, file->e_shoff, sizeof(Elf64_Shdr), "section headers", err))
		return false;
	const Elf64_Shdr first = section_at(head, file, 0);
	uint64_t count = file->e_shnum ? file->e_shnum : first.sh_size,
		 names = file->e_shstrndx == SHN_XINDEX ? first.sh_link : file->e_shstrndx;
	if (count > HEAD_TABLE_MOST) /* so that its size is a number */
		return bc_fail(err, BC_UNSUPPORTED, "%s: too many sections", head->name);
	if (!read_table(head, file->e_shoff, count * sizeof(first), "section headers", err))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		const Elf64_Shdr section = section_at(head, file, i);
		if (section.sh_type == SHT_NOTE &&
		    !read_notes(head, section.sh_offset, section.sh_size, err))
			return false;
		if (i == names && section.sh_type != SHT_NOBITS &&
		    !read_table(head, section.sh_offset, section.sh_size, "names of sections", err))
			return false;
	}
	return true;
}

static bool read_all(struct head_reader *head, struct bc_error *err)
{
	Elf64_Ehdr file = {0};
	uint64_t size = head->copy->size < sizeof(file) ? head->copy->size : sizeof(file);

	if (!file_copy_read(head->fd, head->name, head->copy, 0, size, err))
		return false;
	if (size)
		memcpy(&file, head->copy->data, (size_t)size);
	if (size < sizeof(file) || memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 ||
	    file.e_ident[EI_CLASS] != ELFCLASS64 || file.e_ident[EI_DATA] != ELFDATA2LSB)
		return true; /* likewise */
	return read_segments(head, &file, err) && read_sections(head, &file, err);
}

bool head_read(int fd, const char *name, struct file_map *out, struct bc_error *err)
{
	struct head_reader head = {fd, name, out, 2 * NOTES_ALL};
	struct stat st;

	*out = (struct file_map){0};
	if (fstat(fd, &st) != 0)
		return bc_fail_errno(err, "%s: cannot stat", name);
	if (!file_copy_begin((uint64_t)st.st_size, out, err))
		return false;
	out->head = true;
	if (read_all(&head, err))
		return true;
	file_unmap(out);
	return false;
}
