/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ELF files assembled in code: a list of sections and symbols becomes bytes. */
#ifndef TESTS_SUPPORT_BUILD_ELF_H
#define TESTS_SUPPORT_BUILD_ELF_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "src/elf/image.h"

struct build_section {
	const char *name;
	uint32_t type;
	uint64_t flags, addr;
	const void *data; /* NULL: zeros */
	size_t size;
	const char *link; /* name of the section in sh_link; NULL for 0 */
	uint64_t entsize;
	const char *info; /* likewise, in sh_info */
};

struct build_segment {
	uint32_t type, flags;
	uint64_t offset, vaddr, filesz, memsz, align;
};

struct build_symbol {
	const char *name;
	uint64_t address, size;
	uint8_t type, binding;
	const char *section; /* NULL: undefined; "*ABS*": absolute */
};

/* Lists end in an entry that is all zeros.  Without segments there is a PT_LOAD
 * for each allocated section.  With symbols there is a .symtab. */
struct build_elf {
	uint16_t type, machine; /* 0: ET_DYN, EM_X86_64 */
	const struct build_section *sections;
	const struct build_segment *segments;
	const struct build_symbol *symbols;
};

/* The bytes, which the caller frees; asserts that there is memory. */
struct bytes build_elf(const struct build_elf *recipe);
void build_elf_free(struct bytes *bytes);

/* The file offset that a section was given. */
uint64_t build_elf_offset(struct bytes file, const char *section);

/* A note; returns its size.  `out` has room. */
size_t build_note(uint8_t *out, const char *owner, uint32_t type, const void *desc, uint32_t size);

#endif
