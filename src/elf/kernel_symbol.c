/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/kernel_symbol.h"

#include <elf.h>
#include <string.h>

static bool is_named(struct bytes names, uint32_t at, const char *name)
{
	size_t size = strlen(name) + 1;

	return at < names.size && names.size - at >= size && !memcmp(names.data + at, name, size);
}

uint64_t kernel_symbol(const struct image *image, const char *name)
{
	const struct section *table = image_section_of_type(image, SHT_SYMTAB);
	const struct section *strings = table ? image_section_of_index(image, table->link) : NULL;

	if (!strings)
		return 0;
	struct bytes symbols = image_section_bytes(image, table), names = image_section_bytes(image, strings);
	for (size_t at = 0; symbols.size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;
		memcpy(&symbol, symbols.data + at, sizeof(symbol));
		if (symbol.st_shndx != SHN_UNDEF && is_named(names, symbol.st_name, name))
			return symbol.st_value;
	}
	return 0;
}
