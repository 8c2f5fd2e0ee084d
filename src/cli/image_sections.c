/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/image_sections.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

#include "src/cli/print.h"

/* Not in all releases of elf.h. */
#define TYPE_RELR 19
#define TYPE_X86_64_UNWIND 0x70000001
#define TYPE_ATTRIBUTES 0x70000003 /* of AArch64 and RISC-V */

/* Names as readelf prints them: without "SHT_", and without "GNU_" where no other type has the rest
 * of the name. */
static const char *type_name(uint32_t type, char buffer[16])
{
	static const struct {
		uint32_t type;
		const char *name;
	} names[] = {
		{SHT_NULL, "NULL"}, {SHT_PROGBITS, "PROGBITS"}, {SHT_SYMTAB, "SYMTAB"},
		{SHT_STRTAB, "STRTAB"}, {SHT_RELA, "RELA"}, {SHT_HASH, "HASH"},
		{SHT_DYNAMIC, "DYNAMIC"}, {SHT_NOTE, "NOTE"}, {SHT_NOBITS, "NOBITS"},
		{SHT_REL, "REL"}, {SHT_DYNSYM, "DYNSYM"}, {SHT_INIT_ARRAY, "INIT_ARRAY"},
		{SHT_FINI_ARRAY, "FINI_ARRAY"}, {SHT_PREINIT_ARRAY, "PREINIT_ARRAY"},
		{SHT_GROUP, "GROUP"}, {SHT_SYMTAB_SHNDX, "SYMTAB_SHNDX"}, {TYPE_RELR, "RELR"},
		{SHT_GNU_HASH, "GNU_HASH"}, {SHT_GNU_verdef, "VERDEF"},
		{SHT_GNU_verneed, "VERNEED"}, {SHT_GNU_versym, "VERSYM"},
		{TYPE_X86_64_UNWIND, "X86_64_UNWIND"}, {TYPE_ATTRIBUTES, "ATTRIBUTES"},
	};

	for (size_t i = 0; i < BC_COUNT(names); i++)
		if (names[i].type == type)
			return names[i].name;
	snprintf(buffer, 16, "0x%" PRIx32, type);
	return buffer;
}

#define FLAG_COUNT 12

/* One letter for each flag, as readelf prints them; "x" for a flag that has no letter. */
static const char *flags_text(uint64_t flags, char out[FLAG_COUNT + 2])
{
	static const struct {
		uint64_t flag;
		char letter;
	} letters[FLAG_COUNT] = {
		{SHF_WRITE, 'W'}, {SHF_ALLOC, 'A'}, {SHF_EXECINSTR, 'X'}, {SHF_MERGE, 'M'},
		{SHF_STRINGS, 'S'}, {SHF_INFO_LINK, 'I'}, {SHF_LINK_ORDER, 'L'},
		{SHF_OS_NONCONFORMING, 'O'}, {SHF_GROUP, 'G'}, {SHF_TLS, 'T'},
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

void print_sections(const struct image *image)
{
	char type[16], flags[FLAG_COUNT + 2];

	puts("\nsections:\n   # type           vaddr              offset             size               "
	     "flags align    name");
	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		printf("  %2" PRIu32 " %-14s 0x%-16" PRIx64 " 0x%-16" PRIx64 " 0x%-16" PRIx64 " %-5s 0x%-6" PRIx64 " ",
		       s->index, type_name(s->type, type), s->addr, s->offset, s->size,
		       s->flags ? flags_text(s->flags, flags) : "-", s->align);
		print_name(s->name, stdout);
		putchar('\n');
	}
}

void json_sections(struct json *json, const struct image *image)
{
	char type[16], flags[FLAG_COUNT + 2];

	json_open(json, "sections", '[');
	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		json_open(json, NULL, '{');
		json_number(json, "number", s->index);
		json_text(json, "name", s->name);
		json_string(json, "type", type_name(s->type, type));
		json_string(json, "flags", flags_text(s->flags, flags));
		json_hex(json, "vaddr", s->addr);
		json_hex(json, "offset", s->offset);
		json_hex(json, "size", s->size);
		json_hex(json, "align", s->align);
		json_close(json, '}');
	}
	json_close(json, ']');
}
