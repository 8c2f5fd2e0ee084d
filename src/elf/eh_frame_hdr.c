/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/eh_frame_hdr.h"

#include <elf.h>
#include <stddef.h>

void eh_frame_hdr_free(struct eh_frame_hdr *header)
{
	eh_frame_hdr_vec_free(&header->entries);
}

/* Finds the segment.  False: there is none, or it is not in the file. */
static bool find_segment(const struct image *image, struct eh_cursor *out)
{
	uint64_t table = le64(image->file.data + offsetof(Elf64_Ehdr, e_phoff));
	uint16_t count = le16(image->file.data + offsetof(Elf64_Ehdr, e_phnum));

	for (uint64_t i = 0; i < count && range_fits(table, (i + 1) * sizeof(Elf64_Phdr), image->file.size); i++) {
		const uint8_t *p = image->file.data + table + i * sizeof(Elf64_Phdr);
		if (le32(p) != PT_GNU_EH_FRAME)
			continue;
		uint64_t address = le64(p + offsetof(Elf64_Phdr, p_vaddr)), size = le64(p + offsetof(Elf64_Phdr, p_memsz));
		*out = (struct eh_cursor){bytes_first(image_bytes_at(image, (struct vaddr){address}), size), address, NULL};
		return true;
	}
	return false;
}

/* A value that is absolute, relative to itself or to the header. */
static uint64_t take_value(struct eh_cursor *c, uint8_t encoding, uint64_t header)
{
	if ((encoding & EH_PE_BASE) == EH_PE_DATAREL)
		return header + eh_take_number(c, encoding);
	return eh_take_pointer(c, encoding);
}

static bool read_table(struct eh_cursor *c, uint8_t encoding, uint64_t count, struct eh_frame_hdr *out)
{
	for (uint64_t i = 0; i < count; i++) {
		struct eh_frame_hdr_entry entry;
		entry.code = take_value(c, encoding, out->address);
		entry.fde = take_value(c, encoding, out->address);
		if (c->bad)
			return true;
		if (!eh_frame_hdr_vec_push(&out->entries, entry))
			return false;
	}
	return true;
}

bool eh_frame_hdr_read(const struct image *image, struct eh_frame_hdr *out)
{
	struct eh_cursor c;

	*out = (struct eh_frame_hdr){.present = find_segment(image, &c)};
	if (!out->present)
		return true;
	out->address = c.address;
	uint8_t version = eh_take_byte(&c), pointer = eh_take_byte(&c), counts = eh_take_byte(&c), table = eh_take_byte(&c);
	if (!c.bad && version != 1)
		c.bad = "a version that is not 1";
	if (pointer != EH_PE_OMIT)
		out->eh_frame = take_value(&c, pointer, out->address);
	uint64_t count = counts == EH_PE_OMIT ? 0 : take_value(&c, counts, out->address);
	out->has_table = !c.bad && counts != EH_PE_OMIT && table != EH_PE_OMIT;
	bool ok = !out->has_table || read_table(&c, table, count, out);
	out->bad = c.bad;
	return ok;
}
