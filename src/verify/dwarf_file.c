/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/dwarf_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t dwarf_take(struct dwarf_cursor *h, unsigned size)
{
	uint64_t value = 0;

	if (h->rest.size < size) {
		h->cut = true;
		h->rest.size = 0;
		return 0;
	}
	for (unsigned i = size; i; i--)
		value = value << 8 | h->rest.data[i - 1];
	h->rest = bytes_from(h->rest, size);
	return value;
}

uint64_t dwarf_take_leb(struct dwarf_cursor *h)
{
	uint64_t value = 0, byte = 128;

	for (unsigned shift = 0; byte & 128 && !h->cut; shift += 7) {
		byte = dwarf_take(h, 1);
		value |= shift < 64 ? (byte & 127) << shift : 0;
	}
	return value;
}

#ifdef BATCONV_HAVE_LIBDW

#include <gelf.h>
#include <libelf.h>

#define COMPRESSED_BY_ZSTD 2 /* ELFCOMPRESS_ZSTD, which older headers do not have */

/* Counts what compressed sections say that they have, before anything is decompressed. */
static bool spend_compressed(const struct image *image, bool counted, bool *any,
			     struct bc_error *err)
{
	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		struct bytes b = image_section_bytes(image, s);
		uint64_t size = 0;
		bool marked = text_starts(s->name, ".debug_") && s->flags & SHF_COMPRESSED &&
			      b.size >= sizeof(Elf64_Chdr);
		uint32_t type = marked ? le32(b.data) : ELFCOMPRESS_ZLIB;
		if (type != ELFCOMPRESS_ZLIB && type != COMPRESSED_BY_ZSTD)
			return bc_fail(
				err, BC_FORMAT,
				"%.*s, byte 0: is marked as compressed (SHF_COMPRESSED), and its type of compression, %" PRIu32
				", is unknown",
				(int)s->name.len, s->name.at, type);
		if (marked)
			size = le64(b.data + offsetof(Elf64_Chdr, ch_size));
		else if (text_starts(s->name, ".zdebug_") && b.size >= 12)
			size = __builtin_bswap64(le64(b.data + 4));
		else
			continue;
		*any = true;
		if (!counted && !work_spend(image->work, WORK_DEBUG, size))
			return work_fail(image->work, err);
	}
	return true;
}

/* Returns how many bytes a table of abbreviations has.  *most: at least the number of attributes
 * without bytes of one of them. */
static uint64_t size_of_abbreviations(struct bytes table, uint64_t *most)
{
	struct dwarf_cursor h = {table, false};

	while (dwarf_take_leb(&h) && !h.cut) {
		uint64_t name, form, empty = 0;
		dwarf_take_leb(&h);
		dwarf_take(&h, 1);
		do {
			name = dwarf_take_leb(&h);
			form = dwarf_take_leb(&h);
			if (form == DW_FORM_implicit_const)
				dwarf_take_leb(&h);
			empty += form == DW_FORM_implicit_const || form == DW_FORM_flag_present;
		} while ((name || form) && !h.cut);
		*most = empty > *most ? empty : *most;
	}
	return table.size - h.rest.size;
}

/* What is passed over in addition to one byte of an entry, in units of this many attributes. */
#define ATTRIBUTES_A_BYTE 16

/* libdw reads a table of abbreviations for each unit that names it. */
static bool spend_abbreviations(const struct image *image, bool counted, struct dwarf_file *f)
{
	Dwarf_Off at = 0, next, abbreviations, last = 0;
	uint64_t size = 0, most = 0;
	size_t header;
	bool any = false;

	for (; !f->dw.dwarf_next_unit(f->dwarf, at, &next, &header, NULL, &abbreviations, NULL,
				      NULL, NULL, NULL) &&
	       next > at;
	     at = next) {
		if (!any || abbreviations != last)
			size = size_of_abbreviations(bytes_from(f->abbreviations, abbreviations),
						     &most);
		any = true;
		last = abbreviations;
		if (!counted && !work_spend(image->work, WORK_DEBUG, size))
			return false;
	}
	f->entry_work = 1 + most / ATTRIBUTES_A_BYTE;
	return true;
}

bool dwarf_file_open(const struct image *image, const char *purpose, bool counted,
		     struct dwarf_file *out, struct bc_error *err)
{
	struct bytes file = image->file;
	bool compressed = false;
	size_t names;

	*out = (struct dwarf_file){0};
	if (!libdw_load(purpose, &out->dw, err))
		return false;
	if (image_section(image, ".gnu_debugaltlink")) /* libdw would open whatever file it names */
		return bc_fail(
			err, BC_UNSUPPORTED,
			"debug information in two files (.gnu_debugaltlink, of dwz) is not read");
	if (!spend_compressed(image, counted, &compressed, err))
		return false;
	if (compressed) { /* libelf writes to its headers when it decompresses them */
		out->copy = malloc(file.size);
		if (!out->copy)
			return bc_fail_nomem(err);
		memcpy(out->copy, file.data, file.size);
		file.data = out->copy;
	}
	elf_version(EV_CURRENT);
	out->elf = elf_memory((char *)(uintptr_t)file.data, file.size);
	out->dwarf = out->elf ? out->dw.dwarf_begin_elf(out->elf, DWARF_C_READ, NULL) : NULL;
	if (!out->dwarf)
		return bc_fail(err, BC_FORMAT, "libdw reads no debug information: %s",
			       out->elf ? out->dw.dwarf_errmsg(-1) : "no ELF file");
	if (elf_getshdrstrndx(out->elf, &names))
		return bc_fail(err, BC_FORMAT, "libelf finds no names of sections");
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(out->elf, scn));) {
		GElf_Shdr h;
		const char *name =
			gelf_getshdr(scn, &h) ? elf_strptr(out->elf, names, h.sh_name) : NULL;
		if (!name || h.sh_type == SHT_NOBITS ||
		    !(!strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8)))
			continue;
		const char *what = strchr(name, '_') + 1;
		struct bytes *to = !strcmp(what, "line")     ? &out->line :
				   !strcmp(what, "line_str") ? &out->line_strings :
				   !strcmp(what, "abbrev")   ? &out->abbreviations :
							       NULL;
		Elf_Data *data = to && !to->size ? elf_getdata(scn, NULL) : NULL;
		if (data && data->d_buf)
			*to = (struct bytes){data->d_buf, data->d_size};
	}
	return spend_abbreviations(image, counted, out) || work_fail(image->work, err);
}

bool dwarf_walk_next(const struct dwarf_file *file, struct dwarf_walk *walk)
{
	Dwarf_Die next;

	if (walk->depth + 1 < DWARF_DEPTH_MOST &&
	    !file->dw.dwarf_child(&walk->at[walk->depth], &next)) {
		walk->at[++walk->depth] = next;
		return true;
	}
	while (walk->depth && file->dw.dwarf_siblingof(&walk->at[walk->depth], &next))
		walk->depth--;
	if (walk->depth)
		walk->at[walk->depth] = next;
	return walk->depth;
}

void dwarf_file_close(struct dwarf_file *file)
{
	if (file->dwarf)
		file->dw.dwarf_end(file->dwarf);
	if (file->elf)
		elf_end(file->elf);
	free(file->copy);
	*file = (struct dwarf_file){0};
}

#else

bool dwarf_file_open(const struct image *image, const char *purpose, bool counted,
		     struct dwarf_file *out, struct bc_error *err)
{
	(void)image;
	(void)counted;
	*out = (struct dwarf_file){0};
	return libdw_load(purpose, &out->dw, err);
}

void dwarf_file_close(struct dwarf_file *file)
{
	(void)file;
}

#endif
