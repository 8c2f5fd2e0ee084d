/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/relocs.h"

#include <elf.h>
#include <stdlib.h>

#include "src/elf/bolt_input.h"

#define RELA_SIZE 24   /* of Elf64_Rela */
#define SYMBOL_SIZE 24 /* of Elf64_Sym  */

enum reference {
	REFERENCE_NONE,     /* to no address that matters here */
	REFERENCE_ABSOLUTE, /* the whole address               */
	REFERENCE_RELATIVE, /* a distance from the word itself */
	REFERENCE_OPERAND,  /* of x86 code: a distance from the end of a field of 4 bytes,
	                       as far as the operand ends the instruction       */
	REFERENCE_BRANCH,   /* of code, to the address itself  */
};

static enum reference x86_reference(uint32_t type, bool in_code)
{
	switch (type) {
	case R_X86_64_64:
	case R_X86_64_32:
	case R_X86_64_32S:
		return REFERENCE_ABSOLUTE;
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		return in_code ? REFERENCE_OPERAND : REFERENCE_RELATIVE;
	case R_X86_64_PC64:
		return in_code ? REFERENCE_NONE : REFERENCE_RELATIVE;
	}
	return REFERENCE_NONE;
}

static enum reference aarch64_reference(uint32_t type, bool in_code)
{
	if (!in_code)
		return type == R_AARCH64_ABS64 ? REFERENCE_ABSOLUTE : REFERENCE_NONE;
	switch (type) {
	case R_AARCH64_ADR_PREL_LO21:
	case R_AARCH64_TSTBR14:
	case R_AARCH64_CONDBR19:
	case R_AARCH64_JUMP26:
	case R_AARCH64_CALL26:
		return REFERENCE_BRANCH;
	}
	return REFERENCE_NONE;
}

static enum reference riscv_reference(uint32_t type, bool in_code)
{
	if (!in_code) /* ADD32: the end of a distance, as in jump tables */
		return type == R_RISCV_64 || type == R_RISCV_ADD32 ? REFERENCE_ABSOLUTE
								    : REFERENCE_NONE;
	switch (type) {
	case R_RISCV_BRANCH:
	case R_RISCV_JAL:
	case R_RISCV_CALL:
	case R_RISCV_CALL_PLT:
	case R_RISCV_PCREL_HI20:
	case R_RISCV_RVC_BRANCH:
	case R_RISCV_RVC_JUMP:
		return REFERENCE_BRANCH;
	}
	return REFERENCE_NONE;
}

static enum reference reference(enum machine machine, uint32_t type, bool in_code)
{
	switch (machine) {
	case MACHINE_X86_64:
		return x86_reference(type, in_code);
	case MACHINE_AARCH64:
		return aarch64_reference(type, in_code);
	case MACHINE_RISCV64:
		break;
	}
	return riscv_reference(type, in_code);
}

struct reader {
	const struct chosen *chosen;
	struct relocs *relocs;
	struct label_vec *labels;
	struct bytes symbols; /* of the relocation section at hand */
	bool in_code;         /* are its relocations               */
};

/* A place inside a function is an entry if code elsewhere refers to it. */
static bool add_label(struct reader *r, uint64_t from, uint64_t target)
{
	const struct function *f = chosen_inside(r->chosen, target);

	if (!f)
		return true;
	bool from_outside = from - f->address >= f->size;
	struct label label = {target, !r->in_code    ? LABEL_DATA
				      : from_outside ? LABEL_ENTRY
						     : LABEL_BLOCK};
	return label_vec_push(r->labels, label);
}

static bool is_code(const struct image *image, uint64_t address)
{
	const struct section *section = image_section_at(image, (struct vaddr){address});

	return section && section->flags & SHF_EXECINSTR;
}

static bool read_one(struct reader *r, const uint8_t *rela)
{
	const struct image *image = r->chosen->image;
	uint64_t at = le64(rela), info = le64(rela + 8), addend = le64(rela + 16);
	uint64_t symbol = (info >> 32) * SYMBOL_SIZE;
	enum reference kind = reference(image->machine, (uint32_t)info, r->in_code);

	if (kind == REFERENCE_NONE || !range_fits(symbol, SYMBOL_SIZE, r->symbols.size))
		return true;
	uint64_t target = le64(r->symbols.data + symbol + 8) + addend;
	if (kind == REFERENCE_OPERAND)
		target += 4;
	/* The distances in a jump table count from its beginning, each
	 * relocation from its own word: where they go the table tells. */
	if (kind == REFERENCE_RELATIVE)
		return address_vec_push(&r->relocs->relative, at);
	if (r->in_code)
		return add_label(r, at, target);
	if (!is_code(image, target))
		return true;
	/* In position-independent code the dynamic relocation of the word names the address. */
	return address_vec_push(&r->relocs->absolute, at) &&
	       (image->position_independent || add_label(r, at, target));
}

static bool is_relative_type(enum machine machine, uint32_t type)
{
	switch (machine) {
	case MACHINE_X86_64:
		return type == R_X86_64_RELATIVE;
	case MACHINE_AARCH64:
		return type == R_AARCH64_RELATIVE;
	case MACHINE_RISCV64:
		break;
	}
	return type == R_RISCV_RELATIVE;
}

/* Dynamic relocations: the address that the loader will put somewhere could be
 * used by anyone. */
static bool read_dynamic(struct reader *r, struct bytes relas)
{
	for (; relas.size >= RELA_SIZE; relas = bytes_from(relas, RELA_SIZE)) {
		uint64_t target = le64(relas.data + 16);
		uint32_t type = le32(relas.data + 8);
		if (is_relative_type(r->chosen->image->machine, type) &&
		    chosen_inside(r->chosen, target) &&
		    !label_vec_push(r->labels, (struct label){target, LABEL_ENTRY}))
			return false;
	}
	return true;
}

/* Tables for unwinding name places inside functions that nothing jumps to. */
static bool tells_control_flow(const struct section *section)
{
	return section->flags & SHF_ALLOC && !text_is(section->name, ".eh_frame") &&
	       !text_is(section->name, ".gcc_except_table") &&
	       !text_is(section->name, ".got.plt");
}

static bool read_section(struct reader *r, const struct section *section)
{
	const struct image *image = r->chosen->image;
	const struct section *applies = image_section_of_index(image, section->info);
	const struct section *symbols = image_section_of_index(image, section->link);
	struct bytes relas = image_section_bytes(image, section);

	if (section->flags & SHF_ALLOC)
		return read_dynamic(r, relas);
	if (!r->relocs->present || !applies || !symbols || symbols->type != SHT_SYMTAB || !tells_control_flow(applies))
		return true;
	r->symbols = image_section_bytes(image, symbols);
	r->in_code = applies->flags & SHF_EXECINSTR;
	for (; relas.size >= RELA_SIZE; relas = bytes_from(relas, RELA_SIZE))
		if (!read_one(r, relas.data))
			return false;
	return true;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void sort(struct address_vec *v)
{
	if (v->len)
		qsort(v->at, v->len, sizeof(*v->at), by_value);
}

bool relocs_read(const struct chosen *chosen, struct relocs *out, struct label_vec *labels)
{
	struct reader r = {.chosen = chosen, .relocs = out, .labels = labels};

	*out = (struct relocs){.present = image_has_code_relocations(chosen->image)};
	for (size_t i = 0; i < chosen->image->section_count; i++) {
		const struct section *section = &chosen->image->sections[i];
		if (section->type == SHT_RELA && !read_section(&r, section)) {
			relocs_free(out);
			return false;
		}
	}
	sort(&out->absolute);
	sort(&out->relative);
	return true;
}

void relocs_free(struct relocs *relocs)
{
	address_vec_free(&relocs->absolute);
	address_vec_free(&relocs->relative);
}

bool relocs_has(const struct address_vec *v, uint64_t address)
{
	return v->len && bsearch(&address, v->at, v->len, sizeof(*v->at), by_value);
}
