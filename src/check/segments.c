/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <elf.h>
#include <inttypes.h>

#include "src/check/checks.h"

enum { E_TYPE = 16, E_PHOFF = 32, E_PHENTSIZE = 54, E_PHNUM = 56 };
enum { P_FLAGS = 4, P_OFFSET = 8, P_VADDR = 16, P_ALIGN = 48 };

bool check_segments(struct bytes file, struct findings *findings)
{
	bool good = true;

	if (file.size < sizeof(Elf64_Ehdr) || file.data[EI_CLASS] != ELFCLASS64 ||
	    file.data[EI_DATA] != ELFDATA2LSB || le16(file.data + E_PHENTSIZE) != sizeof(Elf64_Phdr))
		return true; /* image_open() reports it */
	uint64_t table = le64(file.data + E_PHOFF);
	for (uint64_t i = 0; i < le16(file.data + E_PHNUM); i++) {
		if (!range_fits(table, (i + 1) * sizeof(Elf64_Phdr), file.size))
			return true;
		const uint8_t *p = file.data + table + i * sizeof(Elf64_Phdr);
		struct segment s = {.vaddr = le64(p + P_VADDR), .offset = le64(p + P_OFFSET),
				    .align = le64(p + P_ALIGN)};
		if (le32(p) != PT_LOAD || !(le32(p + P_FLAGS) & PF_X) ||
		    segment_agrees(&s, le16(file.data + E_TYPE) == ET_DYN))
			continue;
		struct finding_location location = NO_LOCATION;
		location.address = s.vaddr;
		findings_add(findings, FINDING_SEGMENT_MISALIGNED, location,
			     "offset 0x%" PRIx64 ", alignment 0x%" PRIx64, s.offset, s.align);
		good = false;
	}
	return good;
}
