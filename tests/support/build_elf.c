/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/build_elf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ROOM          ((size_t)1 << 20)
#define MOST_SECTIONS 64

/* Little-endian hosts only: the tests run where the program does. */
struct builder {
	uint8_t *data;
	size_t size;
	Elf64_Shdr headers[MOST_SECTIONS];
	const char *names[MOST_SECTIONS];
	size_t count;
};

static size_t append(struct builder *b, const void *data, size_t size)
{
	size_t at = (b->size + 15) & ~(size_t)15;

	assert(at + size <= ROOM);
	if (data && size)
		memcpy(b->data + at, data, size);
	b->size = at + size;
	return at;
}

static uint32_t index_of(const struct builder *b, const char *name)
{
	for (size_t i = 1; i < b->count; i++)
		if (!strcmp(b->names[i], name))
			return (uint32_t)i;
	assert(false && "no section of this name");
	return 0;
}

static void add_section(struct builder *b, const struct build_section *s)
{
	assert(b->count < MOST_SECTIONS);
	b->names[b->count] = s->name;
	b->headers[b->count++] = (Elf64_Shdr){
		.sh_type = s->type,
		.sh_flags = s->flags,
		.sh_addr = s->addr,
		.sh_offset = append(b, s->data, s->type == SHT_NOBITS ? 0 : s->size),
		.sh_size = s->size,
		.sh_entsize = s->entsize,
		.sh_addralign = 1,
	};
}

static size_t add_string(char *strings, size_t *size, const char *string)
{
	size_t at = *size;

	strcpy(strings + at, string);
	*size += strlen(string) + 1;
	return at;
}

static void add_symbols(struct builder *b, const struct build_symbol *symbols)
{
	char *strings = calloc(1, ROOM / 4);
	Elf64_Sym *table = calloc(1, ROOM / 4);
	size_t string_size = 1, count = 1;

	assert(strings && table);
	for (const struct build_symbol *s = symbols; s->name; s++) {
		table[count++] = (Elf64_Sym){
			.st_name = *s->name ?
					   (Elf64_Word)add_string(strings, &string_size, s->name) :
					   0,
			.st_info = (unsigned char)(s->binding << 4 | s->type),
			.st_shndx = !s->section ? SHN_UNDEF :
				    !strcmp(s->section, "*ABS*") ?
						  SHN_ABS :
						  (Elf64_Half)index_of(b, s->section),
			.st_value = s->address,
			.st_size = s->size,
		};
	}
	add_section(b, &(struct build_section){.name = ".symtab",
					       .type = SHT_SYMTAB,
					       .data = table,
					       .size = count * sizeof(*table),
					       .entsize = sizeof(*table)});
	add_section(b, &(struct build_section){.name = ".strtab",
					       .type = SHT_STRTAB,
					       .data = strings,
					       .size = string_size});
	b->headers[b->count - 2].sh_link = (Elf64_Word)b->count - 1;
	free(strings);
	free(table);
}

static size_t count_segments(const struct build_elf *recipe)
{
	size_t count = 0;

	if (recipe->segments)
		while (recipe->segments[count].type)
			count++;
	else
		for (const struct build_section *s = recipe->sections; s && s->name; s++)
			count += (s->flags & SHF_ALLOC) != 0;
	return count;
}

static void write_segments(struct builder *b, const struct build_elf *recipe, size_t count)
{
	Elf64_Phdr *out = (Elf64_Phdr *)(void *)(b->data + sizeof(Elf64_Ehdr));

	for (size_t i = 0; recipe->segments && i < count; i++) {
		const struct build_segment *s = &recipe->segments[i];
		*out++ = (Elf64_Phdr){.p_type = s->type,
				      .p_flags = s->flags,
				      .p_offset = s->offset,
				      .p_vaddr = s->vaddr,
				      .p_filesz = s->filesz,
				      .p_memsz = s->memsz,
				      .p_align = s->align};
	}
	for (size_t i = 1; !recipe->segments && i < b->count; i++) {
		const Elf64_Shdr *h = &b->headers[i];
		if (h->sh_flags & SHF_ALLOC)
			*out++ = (Elf64_Phdr){.p_type = PT_LOAD,
					      .p_flags = PF_R |
							 (h->sh_flags & SHF_EXECINSTR ? PF_X : 0),
					      .p_offset = h->sh_offset,
					      .p_vaddr = h->sh_addr,
					      .p_filesz = h->sh_type == SHT_NOBITS ? 0 : h->sh_size,
					      .p_memsz = h->sh_size,
					      .p_align = 1};
	}
}

static void write_header(struct builder *b, const struct build_elf *recipe, size_t segments,
			 size_t section_headers)
{
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = recipe->type ? recipe->type : ET_DYN,
		.e_machine = recipe->machine ? recipe->machine : EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = segments ? sizeof(header) : 0,
		.e_shoff = section_headers,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)segments,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)b->count,
		.e_shstrndx = (Elf64_Half)(b->count - 1),
	};

	memcpy(b->data, &header, sizeof(header));
}

/* Fills in the table of section names, and the links that the recipe gives by name. */
static void finish_sections(struct builder *b, const struct build_elf *recipe)
{
	char names[4096] = "";
	size_t size = 1;

	b->names[b->count] = ".shstrtab";
	b->count++;
	for (size_t i = 1; i < b->count; i++)
		b->headers[i].sh_name = (Elf64_Word)add_string(names, &size, b->names[i]);
	b->headers[b->count - 1].sh_type = SHT_STRTAB;
	b->headers[b->count - 1].sh_offset = append(b, names, size);
	b->headers[b->count - 1].sh_size = size;
	size_t i = 1;
	for (const struct build_section *s = recipe->sections; s && s->name; s++, i++) {
		if (s->link)
			b->headers[i].sh_link = index_of(b, s->link);
		if (s->info)
			b->headers[i].sh_info = index_of(b, s->info);
	}
}

struct bytes build_elf(const struct build_elf *recipe)
{
	struct builder b = {.data = calloc(1, ROOM), .count = 1};
	size_t segments = count_segments(recipe);

	assert(b.data);
	b.size = sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr);
	for (const struct build_section *s = recipe->sections; s && s->name; s++)
		add_section(&b, s);
	if (recipe->symbols)
		add_symbols(&b, recipe->symbols);
	finish_sections(&b, recipe);
	write_segments(&b, recipe, segments);
	size_t headers = append(&b, b.headers, b.count * sizeof(b.headers[0]));
	write_header(&b, recipe, segments, headers);
	uint8_t *exact = realloc(b.data, b.size);
	assert(exact);
	return (struct bytes){exact, b.size};
}

void build_elf_free(struct bytes *bytes)
{
	free((void *)(uintptr_t)bytes->data);
	*bytes = (struct bytes){NULL, 0};
}

uint64_t build_elf_offset(struct bytes file, const char *section)
{
	Elf64_Ehdr header;
	Elf64_Shdr names, s;

	memcpy(&header, file.data, sizeof(header));
	memcpy(&names, file.data + header.e_shoff + header.e_shstrndx * sizeof(names),
	       sizeof(names));
	for (size_t i = 1; i < header.e_shnum; i++) {
		memcpy(&s, file.data + header.e_shoff + i * sizeof(s), sizeof(s));
		if (!strcmp((const char *)file.data + names.sh_offset + s.sh_name, section))
			return s.sh_offset;
	}
	assert(false && "no section of this name");
	return 0;
}

size_t build_note(uint8_t *out, const char *owner, uint32_t type, const void *desc, uint32_t size)
{
	uint32_t header[3] = {(uint32_t)strlen(owner) + 1, size, type};
	size_t desc_at = (sizeof(header) + header[0] + 3) / 4 * 4;

	memset(out, 0, desc_at);
	memcpy(out, header, sizeof(header));
	memcpy(out + sizeof(header), owner, header[0]);
	memcpy(out + desc_at, desc, size);
	return desc_at + size;
}
