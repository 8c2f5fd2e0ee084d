/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/plt.h"

#include <elf.h>
#include <stdlib.h>

#include "src/base/sort.h"
#include "src/base/vec.h"
#include "src/isa/insn.h"

DEFINE_VEC(slot_vec, struct got_slot);

static uint32_t irelative_type(enum machine machine)
{
	switch (machine) {
	case MACHINE_X86_64: return R_X86_64_IRELATIVE;
	case MACHINE_AARCH64:
		return 1032; /* R_AARCH64_IRELATIVE, which elf.h of musl does not have */
	case MACHINE_RISCV64: break;
	}
	return 58; /* R_RISCV_IRELATIVE, newer than some elf.h */
}

/* The symbol of a relocation section, by index.  *fits: not if that is too much work. */
static bool fill_symbol(const struct image *image, const struct section *relocations,
			uint32_t index, struct got_slot *slot, bool *fits)
{
	const struct section *table = image_section_of_index(image, relocations->link);
	const struct section *strings = table ? image_section_of_index(image, table->link) : NULL;

	if (!strings)
		return false;
	struct bytes symbol =
		bytes_from(image_section_bytes(image, table), index * (uint64_t)sizeof(Elf64_Sym));
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

static int slot_by_address(const void *a, const void *b)
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
		qsort(slots.at, slots.len, sizeof(*slots.at), slot_by_address);
	*out = (struct got){slots.at, slots.len};
	return true;
}

void got_free(struct got *got)
{
	free(got->at);
	*got = (struct got){0};
}

DEFINE_SEARCH(first_slot_from, struct got_slot, uint64_t, item->address < key)

/* The slot at an address, or NULL. */
static const struct got_slot *got_find(const struct got *got, uint64_t address)
{
	size_t i = first_slot_from(got->at, got->count, address);

	return i < got->count && got->at[i].address == address ? &got->at[i] : NULL;
}

DEFINE_VEC(entry_vec, struct plt_entry);

/* One PLT section while it is read. */
struct plt_reader {
	const struct image *image;
	const struct got *got;
	const struct section *section;
	struct bytes code;
	struct entry_vec *out;
};

bool plt_is_section(enum machine machine, struct text name)
{
	static const char *const names[][4] = {
		[MACHINE_X86_64] = {".plt", ".plt.got", ".plt.sec", NULL},
		[MACHINE_AARCH64] = {".plt", ".plt.got", ".iplt", NULL},
		[MACHINE_RISCV64] = {".plt", NULL},
	};

	for (const char *const *n = names[machine]; *n; n++)
		if (text_is(name, *n))
			return true;
	return false;
}

/* Note an entry whose jump goes through the slot at an address. */
static bool add_entry(struct plt_reader *r, uint64_t offset, uint64_t slot_address)
{
	const struct got_slot *slot = got_find(r->got, slot_address);
	struct plt_entry entry = {.address = r->section->addr + offset,
				  .section = (uint32_t)(r->section - r->image->sections),
				  .slot = slot};

	return !slot || entry_vec_push(r->out, entry);
}

/* The length of an instruction that x86-64 PLT entries have before their jump
 * through the GOT, 0 for any other. */
static size_t x86_skipped(struct bytes code)
{
	static const struct {
		uint8_t size, opcode_size, opcode[4];
	} known[] = {
		{4, 4, {0xf3, 0x0f, 0x1e, 0xfa}}, /* endbr64 */
		{5, 1, {0x68}},                   /* push imm32 */
		{6, 2, {0xff, 0x35}},             /* push [rip+disp32] */
		{6, 2, {0x41, 0xbb}},             /* mov r11d, imm32 */
		{2, 2, {0x41, 0x53}},             /* push r11 */
	};

	for (size_t i = 0; i < BC_COUNT(known); i++)
		if (code.size >= known[i].size &&
		    !memcmp(code.data, known[i].opcode, known[i].opcode_size))
			return known[i].size;
	return 0;
}

/* How much of an entry is before its jump. */
static size_t x86_before_jump(struct bytes code)
{
	size_t before = 0;

	for (size_t skipped; (skipped = x86_skipped(bytes_from(code, before)));)
		before += skipped;
	return before;
}

/* The slot of the entry that is `code`: its jmp [rip+disp32], maybe with a bnd
 * prefix.  False if it has none. */
static bool x86_slot(struct bytes code, uint64_t address, uint64_t *slot)
{
	size_t before = x86_before_jump(code);

	code = bytes_from(code, before);
	address += before;
	if (code.size && code.data[0] == 0xf2) {
		code = bytes_from(code, 1);
		address++;
	}
	if (code.size < 6 || code.data[0] != 0xff || code.data[1] != 0x25)
		return false;
	*slot = address + 6 + (uint64_t)(int32_t)le32(code.data + 2);
	return true;
}

/* .plt.got and .plt.sec have entries of 8 bytes, or of 16 if they begin with
 * endbr64. */
static size_t x86_entry_size(const struct plt_reader *r)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	bool is_long = r->code.size >= 4 && !memcmp(r->code.data, endbr64, 4);

	return text_is(r->section->name, ".plt") || is_long ? 16 : 8;
}

static bool read_x86(struct plt_reader *r)
{
	size_t size = x86_entry_size(r);
	uint64_t slot;

	for (size_t at = 0; r->code.size - at >= size; at += size) {
		struct bytes entry = bytes_first(bytes_from(r->code, at), size);
		if (x86_slot(entry, r->section->addr + at, &slot) && !add_entry(r, at, slot))
			return false;
	}
	return true;
}

#define AARCH64_NOP 0xd503201fu

static bool is_aarch64_br(uint32_t word)
{
	return (word & 0xfffffc1f) == 0xd61f0000;
}

/* The slot that `code` at an address loads for the branch after it: adrp x16, page; ldr x17, [x16,
 * offset]. False if it is none. */
static bool aarch64_slot(struct bytes code, uint64_t address, uint64_t *slot)
{
	uint64_t page = 0, loaded;
	bool has_page = false;

	for (size_t at = 0; code.size - at >= 4; at += 4) {
		uint32_t word = le32(code.data + at);
		if (aarch64_page(word, address + at, &loaded)) {
			page = loaded;
			has_page = true;
		} else if (has_page && (word & 0xffc003ff) == 0xf9400211) {
			*slot = page + (uint64_t)((word >> 10) & 0xfff) * 8;
			return true;
		}
	}
	return false;
}

/* An entry goes from after the last branch and its nops to the next branch. */
static bool read_aarch64(struct plt_reader *r)
{
	size_t begin = 0;
	uint64_t slot;

	for (size_t at = 0; r->code.size - at >= 4; at += 4) {
		uint32_t word = le32(r->code.data + at);
		if (at == begin && begin && word == AARCH64_NOP) {
			begin = at + 4;
		} else if (is_aarch64_br(word)) {
			struct bytes entry = bytes_first(bytes_from(r->code, begin), at - begin);
			if (aarch64_slot(entry, r->section->addr + begin, &slot) &&
			    !add_entry(r, begin, slot))
				return false;
			begin = at + 4;
		}
	}
	return true;
}

#define RISCV_HEADER_SIZE 32
#define RISCV_ENTRY_SIZE  16
#define RISCV_JUMP        8

/* auipc t3, high; ld t3, low(t3); jalr t1, t3; nop */
static bool read_riscv(struct plt_reader *r)
{
	for (size_t at = RISCV_HEADER_SIZE; at < r->code.size; at += RISCV_ENTRY_SIZE) {
		if (r->code.size - at < RISCV_ENTRY_SIZE)
			break;
		uint32_t auipc = le32(r->code.data + at), load = le32(r->code.data + at + 4);
		if ((auipc & 0xfff) != 0xe17 || (load & 0xfffff) != 0xe3e03)
			continue;
		uint64_t high = (uint64_t)(int32_t)(auipc & 0xfffff000);
		uint64_t low = ((uint64_t)(load >> 20) ^ 0x800) - 0x800;
		if (!add_entry(r, at, r->section->addr + at + high + low))
			return false;
	}
	return true;
}

static bool read_section(struct plt_reader *r)
{
	size_t before = r->out->len;
	bool done = r->image->machine == MACHINE_X86_64  ? read_x86(r) :
		    r->image->machine == MACHINE_AARCH64 ? read_aarch64(r) :
							   read_riscv(r);

	bool begins = r->out->len > before && r->out->at[before].address == r->section->addr;
	struct plt_entry start = {r->section->addr, (uint32_t)(r->section - r->image->sections),
				  NULL};
	return done && (begins || entry_vec_push(r->out, start));
}

static int by_address(const void *a, const void *b)
{
	const struct plt_entry *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->section > y->section) - (x->section < y->section);
}

/* PLT sections that overlap are damage, and an address has one function. */
DEFINE_UNIFY(unify, struct plt_entry, last->address == item->address, (void)0)

bool plt_read(const struct image *image, const struct got *got, struct plt *out,
	      struct bc_error *err)
{
	struct entry_vec entries = {0};

	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		if (!(s->flags & SHF_ALLOC) || !s->size || !plt_is_section(image->machine, s->name))
			continue;
		struct plt_reader reader = {image, got, s, image_section_bytes(image, s), &entries};
		if (!read_section(&reader)) {
			entry_vec_free(&entries);
			return bc_fail_nomem(err);
		}
	}
	if (entries.len)
		qsort(entries.at, entries.len, sizeof(*entries.at), by_address);
	entries.len = unify(entries.at, entries.len);
	*out = (struct plt){entries.at, entries.len};
	return true;
}

void plt_free(struct plt *plt)
{
	free(plt->at);
	*plt = (struct plt){0};
}

#define AARCH64_JUMP_MOST 32 /* bytes before an entry's branch, at most */

uint32_t plt_jump_in(const struct image *image, struct vaddr entry)
{
	struct bytes code = image_bytes_at(image, entry);
	uint32_t jump = 0;

	if (image->machine == MACHINE_X86_64)
		return (uint32_t)x86_before_jump(code);
	if (image->machine == MACHINE_RISCV64)
		return RISCV_JUMP;
	while (jump < AARCH64_JUMP_MOST && code.size - jump >= 4 &&
	       !is_aarch64_br(le32(code.data + jump)))
		jump += 4;
	return jump;
}

#define AARCH64_BR_X17  0xd61f0220u
#define AARCH64_BLR_X17 0xd63f0220u
#define AARCH64_LOAD    8 /* bytes: adrp, ldr */

static uint64_t aarch64_slot_of(const struct image *image, uint64_t at)
{
	struct bytes branch = image_bytes_at(image, (struct vaddr){at}),
		     load = image_bytes_at(image, (struct vaddr){at - AARCH64_LOAD});
	uint64_t slot;

	if (branch.size < 4 || load.size < AARCH64_LOAD)
		return 0;
	uint32_t word = le32(branch.data);
	bool goes = word == AARCH64_BR_X17 || word == AARCH64_BLR_X17;
	return goes && aarch64_slot(bytes_first(load, AARCH64_LOAD), at - AARCH64_LOAD, &slot) ?
		       slot :
		       0;
}

uint64_t plt_slot_of(const struct image *image, struct vaddr at)
{
	if (image->machine == MACHINE_AARCH64)
		return aarch64_slot_of(image, at.v);
	struct insn insn = insn_decode(image->machine, image_bytes_at(image, at), at.v);
	return insn.kind == INSN_CALL_INDIRECT || insn.kind == INSN_JUMP_INDIRECT ? insn.target : 0;
}
