/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/notes.h"

#include <gelf.h>
#include <inttypes.h>

#include "include/bat/bat.h"
#include "src/elf/load.h"

#define HEADER_SIZE 12

static uint64_t padded(uint64_t size, uint64_t align)
{
	uint64_t unit = align == 8 ? 8 : 4;

	return (size + unit - 1) / unit * unit;
}

bool note_next(struct bytes *rest, uint64_t align, struct note *out)
{
	if (rest->size < HEADER_SIZE)
		return false;
	uint32_t owner_size = le32(rest->data), desc_size = le32(rest->data + 4);
	uint64_t desc_at = padded(HEADER_SIZE + (uint64_t)owner_size, align);
	if (!range_fits(desc_at, desc_size, rest->size))
		return false;

	const char *owner = (const char *)rest->data + HEADER_SIZE;
	bool terminated = owner_size && !owner[owner_size - 1];
	*out = (struct note){
		.owner = {owner, terminated ? owner_size - 1 : owner_size},
		.type = le32(rest->data + 8),
		.desc = {rest->data + desc_at, desc_size},
	};
	*rest = bytes_from(*rest, padded(desc_at + desc_size, align));
	return true;
}

void notes_build_id(struct bytes notes, uint64_t align, struct build_id *out)
{
	struct note note;

	while (!out->size && note_next(&notes, align, &note))
		if (note.type == NT_GNU_BUILD_ID && text_is(note.owner, "GNU") &&
		    note.desc.size <= BUILD_ID_MAX) {
			out->size = (uint8_t)note.desc.size;
			memcpy(out->data, note.desc.data, note.desc.size);
		}
}

bool notes_take(uint64_t *left, uint64_t size)
{
	if (size > NOTES_READ || size > *left)
		return false;
	*left -= size;
	return true;
}

static struct file_notes take_notes(Elf *elf)
{
	struct file_notes facts = {0};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf && elf_getshdrstrndx(elf, &names))
		names = 0;
	while (elf && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		facts.has_code |= header.sh_type == SHT_PROGBITS && header.sh_flags & SHF_EXECINSTR;
		if (header.sh_type != SHT_NOTE)
			continue;
		const char *name = elf_strptr(elf, names, header.sh_name);
		facts.has_table |= name && !strcmp(name, BAT_SECTION_NAME);
		const Elf_Data *data =
			header.sh_size > NOTES_READ ? NULL : elf_rawdata(section, NULL);
		if (data && data->d_buf)
			notes_build_id((struct bytes){data->d_buf, data->d_size},
				       header.sh_addralign, &facts.id);
	}
	elf_end(elf);
	return facts;
}

struct file_notes notes_of_file(int fd)
{
	elf_version(EV_CURRENT);
	return take_notes(elf_begin(fd, ELF_C_READ, NULL));
}

struct file_notes notes_of_bytes(struct bytes file)
{
	elf_version(EV_CURRENT);
	return take_notes(
		elf_memory((char *)file.data,
			   file.size)); /* libelf does not write to a file that it only reads */
}

#define GO_OWNER    "Go"
#define GO_BUILD_ID 4

/* Go's linker counts the padding after "Go" as a part of the name: 4 bytes, two of them NULs. */
static bool is_go(struct text owner)
{
	while (owner.len && !owner.at[owner.len - 1])
		owner.len--;
	return text_is(owner, GO_OWNER);
}

struct text notes_go_build_id(struct bytes notes, uint64_t align)
{
	struct note note;

	while (note_next(&notes, align, &note))
		if (note.type == GO_BUILD_ID && is_go(note.owner))
			return (struct text){(const char *)note.desc.data, note.desc.size};
	return (struct text){"", 0};
}

static bool take_go(struct bytes notes, uint64_t align, uint64_t *left, struct text *found)
{
	if (!notes_take(left, notes.size))
		return false;
	*found = notes_go_build_id(notes, align);
	return found->len;
}

struct text image_find_go_build_id(const struct image *image)
{
	uint64_t left = NOTES_ALL;
	struct text found = {"", 0};
	Elf64_Phdr h;

	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		if (s->type == SHT_NOTE &&
		    take_go(image_section_bytes(image, s), s->align, &left, &found))
			return found;
	}
	for (size_t i = 0; image_program_header(image, i, &h); i++)
		if (h.p_type == PT_NOTE && range_fits(h.p_offset, h.p_filesz, image->file.size) &&
		    take_go((struct bytes){image->file.data + h.p_offset, (size_t)h.p_filesz},
			    h.p_align, &left, &found))
			return found;
	return found;
}

static bool has_section_named(const struct image *image, const char *start)
{
	for (size_t i = 0; i < image->section_count; i++)
		if (text_starts(image->sections[i].name, start))
			return true;
	return false;
}

enum bolt_trace image_bolt_trace(const struct image *image)
{
	if (image_section(image, BAT_SECTION_NAME))
		return BOLT_TABLE;
	if (has_section_named(image, ".bolt.instr."))
		return BOLT_INSTRUMENTED;
	if (image_section(image, ".note.bolt_info"))
		return BOLT_NO_TABLE;
	return has_section_named(image, ".bolt.org.") ? BOLT_STRIPPED : BOLT_NONE;
}

const char *bolt_trace_remedy(enum bolt_trace trace)
{
	static const char *const remedies[] = {
		[BOLT_NONE] = "it is not BOLTed (llvm-bolt --enable-bat writes a table)",
		[BOLT_NO_TABLE] =
			"llvm-bolt wrote it without --enable-bat: BOLT its input again with that option, and record again",
		[BOLT_INSTRUMENTED] =
			"it is instrumented (llvm-bolt -instrument): when it runs, it writes the profile by itself",
		[BOLT_STRIPPED] =
			"llvm-bolt wrote it, and it was stripped since: give the file from before, "
			"or strip with llvm-strip --keep-section=" BAT_SECTION_NAME,
	};

	return remedies[trace];
}

/* The section of the note, or NULL with err filled. */
static const struct section *find_bat_section(const struct image *image, struct bc_error *err)
{
	const struct section *first = image_section(image, BAT_SECTION_NAME);

	if (!first) {
		bc_fail(err, BC_NOTFOUND, "has no table (" BAT_SECTION_NAME "): %s",
			bolt_trace_remedy(image_bolt_trace(image)));
		return NULL;
	}
	for (const struct section *s = first + 1; s < image->sections + image->section_count; s++)
		if (text_is(s->name, BAT_SECTION_NAME)) {
			bc_fail(err, BC_FORMAT,
				BAT_SECTION_NAME ", byte %" PRIu64
						 ": a second section of this name",
				s->offset);
			return NULL;
		}
	return first;
}

bool image_bat_note(const struct image *image, struct bytes *desc, struct bc_error *err)
{
	const struct section *section = find_bat_section(image, err);
	struct note note;

	if (!section)
		return false;
	struct bytes rest = image_section_bytes(image, section);
	if (section->type != SHT_NOTE || !note_next(&rest, 4, &note))
		return bc_fail(err, BC_FORMAT, BAT_SECTION_NAME ", byte %" PRIu64 ": not a note",
			       section->offset);
	if (!text_is(note.owner, BAT_NOTE_OWNER) || note.type != BAT_NOTE_TYPE)
		return bc_fail(err, BC_FORMAT,
			       BAT_SECTION_NAME
			       ", byte %" PRIu64
			       ": a note of owner '%.*s' and type %u, not of '" BAT_NOTE_OWNER
			       "' and 1",
			       section->offset, (int)(note.owner.len < 64 ? note.owner.len : 64),
			       note.owner.at, note.type);
	/* llvm-bolt pads the descriptor to four bytes. */
	if (rest.size)
		return bc_fail(err, BC_FORMAT,
			       BAT_SECTION_NAME ", byte %" PRIu64 ": %zu bytes after the note",
			       section->offset + section->size - rest.size, rest.size);
	*desc = note.desc;
	return true;
}

bool bat_note_is_bare(struct bytes file)
{
	return file.size >= HEADER_SIZE + sizeof(BAT_NOTE_OWNER) &&
	       le32(file.data) == sizeof(BAT_NOTE_OWNER) &&
	       !memcmp(file.data + HEADER_SIZE, BAT_NOTE_OWNER, sizeof(BAT_NOTE_OWNER));
}

bool bat_note_bare(struct bytes file, struct bytes *desc, struct bc_error *err)
{
	struct note note;

	if (!note_next(&file, 4, &note) || file.size)
		return bc_fail(err, BC_FORMAT, "BAT note, byte 4: its size is not the file's");
	*desc = note.desc;
	return true;
}
