/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Damage to the note and to the file around it. */
#include "tests/support/mutate_find.h"

#include <elf.h>

static bool note_desc_too_long(const struct world *w, struct buffer *note)
{
	(void)w;
	note->data[6] = 0x7f;
	return true;
}

static bool note_longer_section(const struct world *w, struct buffer *note)
{
	(void)w;
	buffer_replace(note, note->size, 0, "\1\2\3\4", 4);
	return true;
}

static bool note_foreign_owner(const struct world *w, struct buffer *note)
{
	(void)w;
	memcpy(note->data + 12, "CORE", 4);
	return true;
}

static bool note_foreign_type(const struct world *w, struct buffer *note)
{
	(void)w;
	note->data[8] = 4; /* BOLT's own type of code heatmaps or other notes */
	return true;
}

static bool note_padding(const struct world *w, struct buffer *note)
{
	(void)w;
	note->data[18] = 1;
	return true;
}

static uint8_t *header_of(const struct buffer *file, const struct section *section)
{
	return file->data + le64(file->data + 40) + section->index * sizeof(Elf64_Shdr);
}

static bool file_no_note_type(const struct world *w, struct buffer *file)
{
	header_of(file, w->section)[4] = SHT_PROGBITS;
	return true;
}

static bool file_loaded(const struct world *w, struct buffer *file)
{
	header_of(file, w->section)[8] |= SHF_ALLOC;
	return true;
}

static bool file_two_notes(const struct world *w, struct buffer *file)
{
	const struct section *other = image_section(&w->subject.image, ".comment");

	if (!other)
		return false;
	memcpy(header_of(file, other), header_of(file, w->section), 4);
	return true;
}

static bool file_misaligned(const struct world *w, struct buffer *file)
{
	uint8_t *table = file->data + le64(file->data + 32);

	(void)w;
	for (unsigned i = 0; i < le16(file->data + 56); i++) {
		uint8_t *p = table + i * sizeof(Elf64_Phdr);
		if (le32(p) == PT_LOAD && p[4] & PF_X) {
			p[16] ^= 0x10; /* p_vaddr */
			return true;
		}
	}
	return false;
}

const struct mutation note_mutations[] = {
	{"descsz beyond the section", FINDING_NOTE_DAMAGED, ALONE, .note = note_desc_too_long},
	{"bytes after the note", FINDING_NOTE_DAMAGED, ALONE, .note = note_longer_section},
	{"section of another type", FINDING_NOTE_DAMAGED, ALONE, .file = file_no_note_type},
	{"note of another owner", FINDING_NOTE_FOREIGN, ALONE, .note = note_foreign_owner},
	{"note of another type", FINDING_NOTE_FOREIGN, ALONE, .note = note_foreign_type},
	{"two sections", FINDING_NOTE_TWICE, ALONE, .file = file_two_notes},
	{"padding that is not zero", FINDING_NOTE_PADDING, ALONE, .note = note_padding},
	{"section in memory", FINDING_NOTE_LOADED, ALONE, .file = file_loaded},
	{"segment misaligned", FINDING_SEGMENT_MISALIGNED, ALONE, .file = file_misaligned},
	{.name = NULL},
};
