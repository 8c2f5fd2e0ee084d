/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/read_bolted.h"

#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *read_whole(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long end;

	if (!f)
		perror(path);
	assert(f);
	assert(fseek(f, 0, SEEK_END) == 0);
	end = ftell(f);
	assert(end >= 0);
	rewind(f);
	*size = (size_t)end;
	data = malloc(*size + 1);
	assert(data && fread(data, 1, *size, f) == *size);
	data[*size] = 0;
	assert(fclose(f) == 0);
	return data;
}

static void read_at(const struct bolted *b, uint64_t offset, void *out, size_t size)
{
	assert(offset <= b->file_size && size <= b->file_size - offset);
	memcpy(out, b->file + offset, size);
}

static Elf64_Shdr section(const struct bolted *b, unsigned index)
{
	Elf64_Ehdr header;
	Elf64_Shdr s;

	read_at(b, 0, &header, sizeof(header));
	assert(!memcmp(header.e_ident, ELFMAG, SELFMAG));
	memset(&s, 0, sizeof(s));
	if (index < header.e_shnum)
		read_at(b, header.e_shoff + index * sizeof(s), &s, sizeof(s));
	return s;
}

static Elf64_Shdr find_section(const struct bolted *b, const char *name)
{
	Elf64_Ehdr header;
	Elf64_Shdr names, s;

	read_at(b, 0, &header, sizeof(header));
	names = section(b, header.e_shstrndx);
	for (unsigned i = 1; i < header.e_shnum; i++) {
		s = section(b, i);
		if (!strcmp((char *)b->file + names.sh_offset + s.sh_name, name))
			return s;
	}
	fprintf(stderr, "no section %s\n", name);
	abort();
}

static void read_symbols(struct bolted *b)
{
	Elf64_Shdr table = find_section(b, ".symtab");
	Elf64_Shdr names = section(b, table.sh_link);
	uint32_t count = (uint32_t)(table.sh_size / sizeof(Elf64_Sym));
	uint32_t file = 0;

	b->symbols = calloc(count, sizeof(*b->symbols));
	assert(b->symbols);
	for (uint32_t i = 0; i < count; i++) {
		bool local;
		Elf64_Sym s;

		read_at(b, table.sh_offset + i * sizeof(s), &s, sizeof(s));
		local = ELF64_ST_BIND(s.st_info) == STB_LOCAL;
		if (ELF64_ST_TYPE(s.st_info) == STT_FILE)
			file = i;
		if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_shndx)
			b->symbols[b->symbol_count++] = (struct bat_symbol){
				.address = s.st_value,
				.name = (char *)b->file + names.sh_offset + s.st_name,
				.order = i,
				.file = local ? file : 0,
			};
	}
}

void bolted_read(struct bolted *b, const char *path)
{
	Elf64_Shdr note;
	Elf64_Nhdr header;

	*b = (struct bolted){.file = NULL};
	b->file = read_whole(path, &b->file_size);
	note = find_section(b, BAT_SECTION_NAME);
	read_at(b, note.sh_offset, &header, sizeof(header));
	assert(header.n_type == BAT_NOTE_TYPE && header.n_namesz == sizeof(BAT_NOTE_OWNER));
	b->desc = b->file + note.sh_offset + sizeof(header) + 8;
	b->desc_size = header.n_descsz;
	assert(sizeof(header) + 8 + b->desc_size <= note.sh_size);
	read_symbols(b);
}

void bolted_free(struct bolted *b)
{
	free(b->symbols);
	free(b->file);
}
