/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/image_print.h"

#include <elf.h>
#include <inttypes.h>

#include "include/bat/bat.h"
#include "src/base/file.h"
#include "src/base/json.h"
#include "src/elf/image.h"
#include "src/elf/load.h"
#include "src/elf/notes.h"

/* ---- all sections ---- */

/* Not in all releases of elf.h. */
#define TYPE_RELR          19
#define TYPE_X86_64_UNWIND 0x70000001
#define TYPE_ATTRIBUTES    0x70000003 /* of AArch64 and RISC-V */

/* Names as readelf prints them: without "SHT_", and without "GNU_" where no other type has the rest
 * of the name. */
static const char *section_type(uint32_t type, char buffer[16])
{
	static const struct {
		uint32_t type;
		const char *name;
	} names[] = {
		{SHT_NULL, "NULL"},
		{SHT_PROGBITS, "PROGBITS"},
		{SHT_SYMTAB, "SYMTAB"},
		{SHT_STRTAB, "STRTAB"},
		{SHT_RELA, "RELA"},
		{SHT_HASH, "HASH"},
		{SHT_DYNAMIC, "DYNAMIC"},
		{SHT_NOTE, "NOTE"},
		{SHT_NOBITS, "NOBITS"},
		{SHT_REL, "REL"},
		{SHT_DYNSYM, "DYNSYM"},
		{SHT_INIT_ARRAY, "INIT_ARRAY"},
		{SHT_FINI_ARRAY, "FINI_ARRAY"},
		{SHT_PREINIT_ARRAY, "PREINIT_ARRAY"},
		{SHT_GROUP, "GROUP"},
		{SHT_SYMTAB_SHNDX, "SYMTAB_SHNDX"},
		{TYPE_RELR, "RELR"},
		{SHT_GNU_HASH, "GNU_HASH"},
		{SHT_GNU_verdef, "VERDEF"},
		{SHT_GNU_verneed, "VERNEED"},
		{SHT_GNU_versym, "VERSYM"},
		{TYPE_X86_64_UNWIND, "X86_64_UNWIND"},
		{TYPE_ATTRIBUTES, "ATTRIBUTES"},
	};

	for (size_t i = 0; i < BC_COUNT(names); i++)
		if (names[i].type == type)
			return names[i].name;
	snprintf(buffer, 16, "0x%" PRIx32, type);
	return buffer;
}

#define FLAG_COUNT 12

/* One letter for each flag, as readelf prints them; "x" for a flag that has no letter. */
static const char *section_flags(uint64_t flags, char out[FLAG_COUNT + 2])
{
	static const struct {
		uint64_t flag;
		char letter;
	} letters[FLAG_COUNT] = {
		{SHF_WRITE, 'W'},      {SHF_ALLOC, 'A'},
		{SHF_EXECINSTR, 'X'},  {SHF_MERGE, 'M'},
		{SHF_STRINGS, 'S'},    {SHF_INFO_LINK, 'I'},
		{SHF_LINK_ORDER, 'L'}, {SHF_OS_NONCONFORMING, 'O'},
		{SHF_GROUP, 'G'},      {SHF_TLS, 'T'},
		{SHF_COMPRESSED, 'C'}, {SHF_EXCLUDE, 'E'},
	};
	size_t len = 0;

	for (size_t i = 0; i < FLAG_COUNT; i++)
		if (flags & letters[i].flag) {
			out[len++] = letters[i].letter;
			flags &= ~letters[i].flag;
		}
	if (flags)
		out[len++] = 'x';
	out[len] = '\0';
	return out;
}

/* A line for each, also for those that no segment has. */
static void print_sections(const struct image *image, FILE *out)
{
	char type[16], flags[FLAG_COUNT + 2];

	fputs("\nsections:\n   # type           vaddr              offset             size               "
	      "flags align    name\n",
	      out);
	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		fprintf(out,
			"  %2" PRIu32 " %-14s 0x%-16" PRIx64 " 0x%-16" PRIx64 " 0x%-16" PRIx64
			" %-5s 0x%-6" PRIx64 " ",
			s->index, section_type(s->type, type), s->addr, s->offset, s->size,
			s->flags ? section_flags(s->flags, flags) : "-", s->align);
		print_name(s->name, out);
		putc('\n', out);
	}
}

/* "sections": an array of objects. */
static void json_sections(struct json *json, const struct image *image)
{
	char type[16], flags[FLAG_COUNT + 2];

	json_open(json, "sections", '[');
	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		json_open(json, NULL, '{');
		json_number(json, "number", s->index);
		json_text(json, "name", s->name);
		json_string(json, "type", section_type(s->type, type));
		json_string(json, "flags", section_flags(s->flags, flags));
		json_hex_string(json, "vaddr", s->addr);
		json_hex_string(json, "offset", s->offset);
		json_hex_string(json, "size", s->size);
		json_hex_string(json, "align", s->align);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* ---- segments, and all of it ---- */

/* A file and what was found out about it. */
struct printed_image {
	const char *path;
	struct image image;
	bool has_bat;
	struct bat_table bat;
	const char *bat_wrong; /* the section is there, and not readable */
	struct bat_error bat_err;
};

static const char *kind_of(const struct image *image)
{
	if (!image->position_independent)
		return "executable at fixed addresses";
	return image_is_pie(image) ? "position-independent executable" : "shared library";
}

static const char *segment_type(uint32_t type, char buffer[16])
{
	static const struct {
		uint32_t type;
		const char *name;
	} names[] = {
		{PT_LOAD, "LOAD"},
		{PT_DYNAMIC, "DYNAMIC"},
		{PT_INTERP, "INTERP"},
		{PT_NOTE, "NOTE"},
		{PT_PHDR, "PHDR"},
		{PT_TLS, "TLS"},
		{PT_GNU_EH_FRAME, "EH_FRAME"},
		{PT_GNU_STACK, "STACK"},
		{PT_GNU_RELRO, "RELRO"},
		{0x6474e553, "PROPERTY"},
	};

	for (size_t i = 0; i < BC_COUNT(names); i++)
		if (names[i].type == type)
			return names[i].name;
	snprintf(buffer, 16, "0x%" PRIx32, type);
	return buffer;
}

static const char *segment_flags(uint32_t flags, char out[4])
{
	out[0] = flags & PF_R ? 'R' : '-';
	out[1] = flags & PF_W ? 'W' : '-';
	out[2] = flags & PF_X ? 'E' : '-';
	out[3] = '\0';
	return out;
}

/* Does the memory of the segment contain the section?  As readelf decides it: a section that is not
 * loaded is in no segment, PT_TLS contains thread-local sections only, and .tbss is in PT_TLS only.
 */
static bool holds(const Elf64_Phdr *h, const struct section *s)
{
	bool tls = s->flags & SHF_TLS;
	bool tls_bss = tls && s->type == SHT_NOBITS;

	if (!(s->flags & SHF_ALLOC) || (tls_bss && h->p_type != PT_TLS) ||
	    (h->p_type == PT_TLS && !tls) || !h->p_memsz)
		return false;
	return s->addr >= h->p_vaddr && s->addr - h->p_vaddr < h->p_memsz &&
	       s->size <= h->p_memsz - (s->addr - h->p_vaddr);
}

static struct segment segment_of(const Elf64_Phdr *h)
{
	return (struct segment){h->p_vaddr,  h->p_offset, h->p_memsz,
				h->p_filesz, h->p_align,  h->p_flags & PF_X};
}

static bool all_aligned(const struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++)
		if (!segment_alignment(image, &image->segments[i]))
			return false;
	return true;
}

static void print_alignment(const struct image *image, const Elf64_Phdr *h, FILE *out)
{
	static const char *const words[] = {
		[NOT_ALIGNED] = "NOT ALIGNED",
		[ALIGNED] = "aligned",
		[ALIGNED_BY_PAGES] = "aligned by pages, enough for a program at fixed addresses",
	};
	struct segment s = segment_of(h);

	if (h->p_type != PT_LOAD)
		return;
	if (h->p_align > 1)
		fprintf(out,
			"       0x%" PRIx64 " %% 0x%" PRIx64 " = 0x%" PRIx64 ", 0x%" PRIx64
			" %% 0x%" PRIx64 " = 0x%" PRIx64 ": %s\n",
			h->p_vaddr, h->p_align, h->p_vaddr % h->p_align, h->p_offset, h->p_align,
			h->p_offset % h->p_align, words[segment_alignment(image, &s)]);
}

static void print_segments(const struct image *image, FILE *out)
{
	Elf64_Phdr h;

	fputs("\nsegments:\n   # type     vaddr              offset             in file    in memory  "
	      "flags align\n",
	      out);
	for (size_t i = 0; image_program_header(image, i, &h); i++) {
		char type[16], flags[4];
		bool any = false;
		fprintf(out,
			"  %2zu %-8s 0x%-16" PRIx64 " 0x%-16" PRIx64 " 0x%-8" PRIx64 " 0x%-8" PRIx64
			" %s   0x%" PRIx64 "\n",
			i, segment_type(h.p_type, type), h.p_vaddr, h.p_offset, h.p_filesz,
			h.p_memsz, segment_flags(h.p_flags, flags), h.p_align);
		print_alignment(image, &h, out);
		for (size_t s = 0; s < image->section_count; s++) {
			if (!holds(&h, &image->sections[s]))
				continue;
			fputs(any ? " " : "       ", out);
			print_name(image->sections[s].name, out);
			any = true;
		}
		if (any)
			putc('\n', out);
	}
}

static void print_bat(const struct printed_image *s, FILE *out)
{
	if (s->bat_wrong)
		fprintf(out, "BAT          not readable: %s\n", s->bat_wrong);
	else if (s->has_bat)
		fprintf(out,
			"BAT          %s, %" PRIu32 " fragment%s, %" PRIu32
			" of them cold, %" PRIu32 " entr%s\n",
			bat_layout_name(s->bat.layout), s->bat.fragment_count,
			plural(s->bat.fragment_count), s->bat.fragment_count - s->bat.hot_count,
			s->bat.entry_count, plural_of(s->bat.entry_count, "y", "ies"));
	else
		fputs("BAT          none\n", out);
}

static void print_image(const struct printed_image *s, const struct image_form *form, FILE *out)
{
	char id[2 * BUILD_ID_MAX + 1];
	size_t executable = 0;

	build_id_format(&s->image.build_id, id);
	for (size_t i = 0; i < s->image.segment_count; i++)
		executable += s->image.segments[i].executable;
	print_name(text_of(s->path), out);
	fprintf(out, "\nkind         %s, %s\n", machine_name(s->image.machine), kind_of(&s->image));
	fprintf(out, "build-id     %s\n", *id ? id : "none");
	if (s->image.go_build_id.len) {
		fputs("Go build-id  ", out);
		print_name(s->image.go_build_id, out);
		putc('\n', out);
	}
	print_bat(s, out);
	fprintf(out, "entry        0x%" PRIx64 "\n", image_entry(&s->image).v);
	fprintf(out, "executable   %zu of %zu loadable segments\n", executable,
		s->image.segment_count);
	print_segments(&s->image, out);
	if (form->sections)
		print_sections(&s->image, out);
}

static void json_segments(struct json *json, const struct image *image)
{
	Elf64_Phdr h;

	json_open(json, "segments", '[');
	for (size_t i = 0; image_program_header(image, i, &h); i++) {
		char type[16], flags[4];
		struct segment segment = segment_of(&h);
		json_open(json, NULL, '{');
		json_string(json, "type", segment_type(h.p_type, type));
		json_string(json, "flags", segment_flags(h.p_flags, flags));
		json_hex_string(json, "vaddr", h.p_vaddr);
		json_hex_string(json, "offset", h.p_offset);
		json_hex_string(json, "filesz", h.p_filesz);
		json_hex_string(json, "memsz", h.p_memsz);
		json_hex_string(json, "align", h.p_align);
		if (h.p_type == PT_LOAD)
			json_bool(json, "aligned", segment_alignment(image, &segment));
		json_open(json, "sections", '[');
		for (size_t s = 0; s < image->section_count; s++)
			if (holds(&h, &image->sections[s]))
				json_text(json, NULL, image->sections[s].name);
		json_close(json, ']');
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_image(const struct printed_image *s, const struct image_form *form, FILE *out)
{
	struct json json = {.out = out};
	struct text id = {(const char *)s->image.build_id.data, s->image.build_id.size};

	json_open_document(&json, "batconv-image");
	json_string(&json, "file", s->path);
	json_string(&json, "machine", machine_name(s->image.machine));
	json_string(&json, "kind", kind_of(&s->image));
	json_bool(&json, "position_independent", s->image.position_independent);
	json_bytes(&json, "build_id", id);
	if (s->image.go_build_id.len)
		json_text(&json, "go_build_id", s->image.go_build_id);
	if (s->has_bat && !s->bat_wrong) {
		json_open(&json, "bat", '{');
		json_string(&json, "layout", bat_layout_name(s->bat.layout));
		json_number(&json, "fragments", s->bat.fragment_count);
		json_number(&json, "cold", s->bat.fragment_count - s->bat.hot_count);
		json_number(&json, "entries", s->bat.entry_count);
		json_close(&json, '}');
	}
	json_hex_string(&json, "entry", image_entry(&s->image).v);
	json_segments(&json, &s->image);
	if (form->sections)
		json_sections(&json, &s->image);
	json_close(&json, '}');
	putc('\n', out);
}

static bool read_bat(struct printed_image *s, struct bc_error *err)
{
	struct bytes desc;

	if (!image_bat_note(&s->image, &desc, err))
		return err->code == BC_NOTFOUND;
	s->has_bat = true;
	if (!bat_decode_offsets(desc.data, desc.size, &s->bat, &s->bat_err))
		s->bat_wrong = s->bat_err.text;
	return s->bat_err.code != BAT_ERROR_NOMEM || bc_fail_nomem(err);
}

bool image_print(const char *path, const struct image_form *form, FILE *out, bool *sound,
		 struct bc_error *err)
{
	struct printed_image s = {.path = path};
	struct file_map file;

	if (!file_map(path, &file, err))
		return false;
	bool ok = (image_open_map(&file, &s.image, err) && read_bat(&s, err)) ||
		  bc_fail_prefix(err, path);
	if (ok) {
		(form->json ? json_image : print_image)(&s, form, out);
		*sound = !s.bat_wrong && all_aligned(&s.image);
	}
	bat_free(&s.bat);
	image_close(&s.image);
	file_unmap(&file);
	return ok;
}
