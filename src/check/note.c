/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <elf.h>

#include "src/check/checks.h"
#include "src/elf/notes.h"

static size_t count_sections(const struct image *image)
{
	size_t count = 0;

	for (size_t i = 0; i < image->section_count; i++)
		count += text_is(image->sections[i].name, BAT_SECTION_NAME);
	return count;
}

static bool all_zero(struct bytes b)
{
	for (size_t i = 0; i < b.size; i++)
		if (b.data[i])
			return false;
	return true;
}

/* The zeros behind the owner's name and behind the descriptor. */
static void check_padding(const struct binary *subject, struct findings *findings)
{
	const uint8_t *desc = subject->desc.data, *begin = subject->section.data;
	struct bytes name = {begin + 12 + sizeof(BAT_NOTE_OWNER), 0};
	struct bytes end = bytes_from(subject->section,
				      (size_t)(desc - begin) + subject->desc.size);

	name.size = (size_t)(desc - name.data);
	if (!all_zero(name) || !all_zero(end))
		findings_add(findings, FINDING_NOTE_PADDING, NO_LOCATION, "behind the %s",
			     all_zero(name) ? "descriptor" : "owner's name");
}

static bool check_content(struct binary *subject, struct findings *findings)
{
	struct bytes rest = subject->section;
	struct note note;

	if (!note_next(&rest, 4, &note)) {
		findings_add(findings, FINDING_NOTE_DAMAGED, NO_LOCATION,
			     "a section of %zu bytes cannot hold what its header announces",
			     subject->section.size);
		return false;
	}
	if (!text_is(note.owner, BAT_NOTE_OWNER) || note.type != BAT_NOTE_TYPE) {
		findings_add(findings, FINDING_NOTE_FOREIGN, NO_LOCATION,
			     "owner '%.*s', type %u; BAT has '" BAT_NOTE_OWNER "', %u",
			     (int)(note.owner.len < 64 ? note.owner.len : 64), note.owner.at,
			     note.type, BAT_NOTE_TYPE);
		return false;
	}
	subject->desc = note.desc;
	if (rest.size) {
		findings_add(findings, FINDING_NOTE_DAMAGED, NO_LOCATION, "%zu bytes behind the note",
			     rest.size);
		return false;
	}
	check_padding(subject, findings);
	return true;
}

bool check_note(struct binary *subject, struct findings *findings, struct bc_error *err)
{
	const struct section *section;

	if (subject->kind == BINARY_SECTION)
		return check_content(subject, findings);
	section = image_section(&subject->image, BAT_SECTION_NAME);
	if (!section) /* its message */
		return binary_find_note(subject, err);
	subject->section = image_section_bytes(&subject->image, section);
	if (count_sections(&subject->image) > 1) {
		findings_add(findings, FINDING_NOTE_TWICE, NO_LOCATION, "%zu sections " BAT_SECTION_NAME,
			     count_sections(&subject->image));
		return false;
	}
	if (section->type != SHT_NOTE) {
		findings_add(findings, FINDING_NOTE_DAMAGED, NO_LOCATION, "section type %u, not %d",
			     section->type, SHT_NOTE);
		return false;
	}
	if (section->flags & SHF_ALLOC || section->addr)
		findings_add(findings, FINDING_NOTE_LOADED, NO_LOCATION, "at address 0x%llx",
			     (unsigned long long)section->addr);
	return check_content(subject, findings);
}
