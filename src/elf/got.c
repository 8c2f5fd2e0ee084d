/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/got.h"

#include <elf.h>
#include <stdlib.h>

#include "src/base/search.h"
#include "src/base/vec.h"

DEFINE_VEC(slot_vec, struct got_slot);

static uint32_t irelative_type(enum machine machine)
{
	switch (machine) {
	case MACHINE_X86_64:
		return R_X86_64_IRELATIVE;
	case MACHINE_AARCH64:
		return R_AARCH64_IRELATIVE;
	case MACHINE_RISCV64:
		break;
	}
	return 58; /* R_RISCV_IRELATIVE, newer than some elf.h */
}

/* The symbol of a relocation section, by index.  *fits: not if that is too much work. */
static bool fill_symbol(const struct image *image, const struct section *relocations,
			uint32_t index, struct got_slot *slot, bool *fits)
{
	const struct section *table = image_section_of_index(image, relocations->link);
	const struct section *strings =
		table ? image_section_of_index(image, table->link) : NULL;

	if (!strings)
		return false;
	struct bytes symbol = bytes_from(image_section_bytes(image, table),
					 index * (uint64_t)sizeof(Elf64_Sym));
	if (symbol.size < sizeof(Elf64_Sym))
		return false;
	struct bytes name = bytes_from(image_section_bytes(image, strings), le32(symbol.data));
	const uint8_t *end = name.size ? memchr(name.data, 0, name.size) : NULL;
	if (!end)
		return false;
	*fits = work_spend(image->work, WORK_SYMBOL_NAMES, (uint64_t)(end - name.data));
	slot->symbol = (const char *)name.data;
	slot->value = le16(symbol.data + 6) == SHN_UNDEF ? 0 : le64(symbol.data + 8);
	return true;
}

static bool read_relocations(const struct image *image, const struct section *section,
			     struct slot_vec *out)
{
	struct bytes rest = image_section_bytes(image, section);
	bool fits = true;

	for (; rest.size >= sizeof(Elf64_Rela); rest = bytes_from(rest, sizeof(Elf64_Rela))) {
		uint64_t info = le64(rest.data + 8);
		struct got_slot slot = {.address = le64(rest.data)};
		if (ELF64_R_SYM(info)) {
			if (!fill_symbol(image, section, (uint32_t)ELF64_R_SYM(info), &slot, &fits))
				continue;
		} else {
			slot.value = le64(rest.data + 16);
			if ((uint32_t)info != irelative_type(image->machine) || !slot.value)
				continue;
		}
		if (!fits || !slot_vec_push(out, slot))
			return false;
	}
	return true;
}

/* BOLT finds relocations through the dynamic section; a static program has none,
 * and then BOLT reads .rela.dyn only. */
static bool is_read(const struct section *section, bool is_dynamic)
{
	return section->type == SHT_RELA && section->flags & SHF_ALLOC &&
	       (is_dynamic || text_is(section->name, ".rela.dyn"));
}

static int by_address(const void *a, const void *b)
{
	const struct got_slot *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

bool got_read(const struct image *image, struct got *out, struct bc_error *err)
{
	bool is_dynamic = image_section_of_type(image, SHT_DYNAMIC);
	struct slot_vec slots = {0};

	for (size_t i = 0; i < image->section_count; i++)
		if (is_read(&image->sections[i], is_dynamic) &&
		    !read_relocations(image, &image->sections[i], &slots)) {
			slot_vec_free(&slots);
			return work_fail(image->work, err);
		}
	if (slots.len)
		qsort(slots.at, slots.len, sizeof(*slots.at), by_address);
	*out = (struct got){slots.at, slots.len};
	return true;
}

void got_free(struct got *got)
{
	free(got->at);
	*got = (struct got){0};
}

DEFINE_SEARCH(first_slot_from, struct got_slot, uint64_t, item->address < key)

const struct got_slot *got_find(const struct got *got, uint64_t address)
{
	size_t i = first_slot_from(got->at, got->count, address);

	return i < got->count && got->at[i].address == address ? &got->at[i] : NULL;
}
